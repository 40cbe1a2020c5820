"""The parameters of a scene as inputs, with their units and what they mean."""

from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["Parameters", "grouped", "label_of", "step_of"]

DECIMALS = 12  # a step of 1e-9 s must be typeable


class Parameters:
    """Inputs for the parameters of one scene; `changed` gives those that a person changed."""

    def __init__(self, server: "ViserServer") -> None:
        self._server = server
        self._inputs: dict[str, tuple[Any, Any]] = {}
        self._holder = server.gui.add_folder(None)
        self._groups: list[Any] = []

    def load(self, parameters: list[Any], values: dict[str, Any] | None = None) -> None:
        """Offer the parameters of a scene, at their defaults or at the values given by path."""
        with self._server.atomic():
            for group in self._groups:
                group.remove()
            self._groups, self._inputs = [], {}
            for title, members in grouped(parameters).items():
                with self._holder:
                    group = self._server.gui.add_folder(title, expand_by_default=len(self._groups) < 3)
                self._groups.append(group)
                with group:
                    for parameter in members:
                        shown = (values or {}).get(parameter.path, parameter.value)
                        self._inputs[parameter.path] = (parameter, self._add(parameter, shown))

    def changed(self) -> dict[str, Any]:
        """Return path and value of every parameter that differs from the scene's own."""
        given = {path: _as_kind(parameter.value, handle.value) for path, (parameter, handle) in self._inputs.items()}
        return {path: value for path, value in given.items() if value != self._inputs[path][0].value}

    def reset(self) -> None:
        """Put every input back to the scene's own value."""
        for parameter, handle in self._inputs.values():
            handle.value = parameter.value

    def set_disabled(self, disabled: bool) -> None:
        """Lock the inputs while a run is under way, or unlock them."""
        for _, handle in self._inputs.values():
            handle.disabled = disabled

    def _add(self, parameter: Any, value: Any) -> Any:
        gui, label = self._server.gui, label_of(parameter)
        hint = ". ".join(part for part in (parameter.description, f"In the scene file: {parameter.path}") if part)
        if isinstance(parameter.value, bool):
            return gui.add_checkbox(label, bool(value), hint=hint)
        if isinstance(parameter.value, str):
            return gui.add_text(label, str(value), hint=hint)
        if isinstance(parameter.value, int):
            return gui.add_number(label, int(value), step=1, hint=hint)
        handle = gui.add_number(label, float(value), step=step_of(float(parameter.value)), hint=hint)
        handle.precision = DECIMALS
        return handle


def grouped(parameters: list[Any]) -> dict[str, list[Any]]:
    """Return the parameters by the object or stage that they belong to, in their order."""
    groups: dict[str, list[Any]] = {}
    for parameter in parameters:
        head = parameter.path.split(".")[:-1]
        groups.setdefault(" ".join(head[:2]) or "run", []).append(parameter)
    return groups


def label_of(parameter: Any) -> str:
    """Return what stands beside the input: the name and the unit."""
    words = parameter.path.split(".")
    name = " ".join(words[2:] or words[-1:])
    return f"{name} [{parameter.unit}]" if parameter.unit not in ("", "1") else name


def step_of(value: float) -> float:
    """Return what one press of an arrow adds: a tenth of the value, as a power of ten.

    >>> step_of(0.001), step_of(60.0), step_of(0.0)
    (0.0001, 1.0, 0.1)
    """
    if value == 0 or not isfinite(value):
        return 0.1
    return 10.0 ** (floor(log10(abs(value)) + 1e-9) - 1) if abs(value) < 10 else 10.0 ** (floor(log10(abs(value))) - 1)


def _as_kind(like: Any, value: Any) -> Any:
    return value if isinstance(like, (bool, str)) else type(like)(value)
