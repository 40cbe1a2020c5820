"""The parameters of a scene as inputs, with their units and what they mean."""

from collections.abc import Callable
from contextlib import suppress
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError
from motiform.image.style import pretty_unit
from motiform.studio.stimulation import is_stimulation, stimulation_label

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["ParameterInputs", "grouped", "label_of", "step_of"]

DECIMALS = 9
TINY = 1e-4  # smaller numbers are typed as text: 1e-9 is easier to read than its zeros


class ParameterInputs:
    """Inputs for the parameters of one scene; `changed` gives those that a person changed.

    Stimulation of muscles has sliders; `on_slide` is called when a person moves one.
    """

    def __init__(self, server: "ViserServer", *, on_slide: Callable[[], None] = lambda: None) -> None:
        self._server, self._on_slide = server, on_slide
        self._inputs: dict[str, tuple[Any, Any]] = {}
        self._holder = server.gui.add_folder(None)
        self._groups: list[Any] = []

    def load(self, parameters: list[Any], values: dict[str, Any] | None = None) -> None:
        """Offer the parameters of a scene, at their defaults or at the values given by path."""
        with self._server.atomic():
            for group in self._groups:
                group.remove()
            self._groups, self._inputs = [], {}
            own = {parameter.path: parameter.value for parameter in parameters}
            for title, members in grouped(parameters).items():
                with self._holder:
                    group = self._server.gui.add_folder(
                        title, expand_by_default=not _folded(title) and not self._second_body(title)
                    )
                self._groups.append(group)
                with group:
                    for parameter in members:
                        shown = (values or {}).get(parameter.path, parameter.value)
                        handle = (
                            self._slider(parameter, shown, stimulation_label(parameter, own | (values or {})))
                            if is_stimulation(parameter.path)
                            else self._add(parameter, shown)
                        )
                        self._inputs[parameter.path] = (parameter, handle)

    def changed(self) -> dict[str, Any]:
        """Return path and value of every parameter that differs from the scene's own."""
        for path, (parameter, handle) in self._inputs.items():
            own = _to_page(parameter, parameter.value)
            if not _alike(handle.value, own):
                got, handle.value = repr(handle.value)[:60], own
                remedy = "It was put back to the scene's own: change it again, or press Run."
                raise InputError("an input must keep its type", where=path, got=got, remedy=remedy)
        shown = {path: (parameter, handle.value) for path, (parameter, handle) in self._inputs.items()}
        return {path: _from_page(p, value) for path, (p, value) in shown.items() if value != _to_page(p, p.value)}

    def reset(self) -> None:
        """Put every input back to the scene's own value."""
        for parameter, handle in self._inputs.values():
            handle.value = _to_page(parameter, parameter.value)

    def set_disabled(self, disabled: bool) -> None:
        """Lock the inputs while a run is under way, or unlock them."""
        for _, handle in self._inputs.values():
            handle.disabled = disabled

    def _second_body(self, title: str) -> bool:
        return title.startswith("body ") and any(shown.label.startswith("body ") for shown in self._groups)

    def _slider(self, parameter: Any, value: Any, label: str) -> Any:
        hint = f"Between 0 and 1. The scene runs again when it is moved. In the scene file: {parameter.path}"
        handle = self._server.gui.add_slider(label, 0.0, 1.0, 0.001, value, hint=hint)
        handle.on_update(lambda event: self._on_slide() if event.client_id is not None else None)
        return handle

    def _add(self, parameter: Any, value: Any) -> Any:
        gui, label, value = self._server.gui, label_of(parameter), _to_page(parameter, value)
        hint = ". ".join(part for part in (parameter.description, f"In the scene file: {parameter.path}") if part)
        if isinstance(value, bool):
            return gui.add_checkbox(label, value, hint=hint)
        if isinstance(value, str):
            choices = tuple(getattr(parameter, "choices", ()))
            return (
                gui.add_dropdown(label, choices, initial_value=value, hint=hint)
                if choices
                else gui.add_text(label, value, hint=hint)
            )
        if isinstance(value, int):
            return gui.add_number(label, value, step=1, hint=hint)
        if _is_color(parameter):
            return gui.add_rgb(label, value, hint=hint)
        handle: Any
        if isinstance(value, tuple):
            add: Any = {2: gui.add_vector2, 3: gui.add_vector3}[len(value)]
            handle = add(label, value, step=step_of(max(map(abs, value))), hint=hint)
        else:
            handle = gui.add_number(label, value, step=step_of(value), hint=hint)
        handle.precision = DECIMALS
        return handle


def grouped(parameters: list[Any]) -> dict[str, list[Any]]:
    """Return the parameters by the object or stage that they belong to: first those that are changed most."""
    groups: dict[str, list[Any]] = {}
    for parameter in parameters:
        if isinstance(parameter.value, tuple) and len(parameter.value) not in (2, 3):
            continue  # no input for it
        head = parameter.path.split(".")[:-1]
        title = "stimulation" if is_stimulation(parameter.path) else " ".join(head[:2]) or "scene"
        groups.setdefault(f"{title}: shape" if "shape" in head else title, []).append(parameter)
    return {
        title: groups[title] for title in sorted(groups, key=lambda title: (title != "stimulation", _folded(title)))
    }


def _folded(title: str) -> bool:
    """Whether a group is rarely changed: it comes later, and folded."""
    return title.endswith(": shape") or title.startswith("environment")


def label_of(parameter: Any) -> str:
    """Return what stands beside the input: the name and the unit."""
    words = parameter.path.split(".")
    inside = words.index("shape") + 1 if "shape" in words[:-1] else 2
    name = " ".join(words[inside:] or words[-1:]).replace("_", " ")
    return f"{name} [{pretty_unit(parameter.unit)}]" if pretty_unit(parameter.unit) else name


def step_of(value: float) -> float:
    """Return what one press of an arrow adds: a tenth of the value, as a power of ten.

    >>> step_of(0.001), step_of(60.0), step_of(0.0)
    (0.0001, 1.0, 0.1)
    """
    if value == 0 or not isfinite(value):
        return 0.1
    return 10.0 ** (floor(log10(abs(value)) + 1e-9) - 1) if abs(value) < 10 else 10.0 ** (floor(log10(abs(value))) - 1)


def _alike(value: Any, own: Any) -> bool:
    """Whether a value that a page sent is of the type that its input holds."""
    if isinstance(own, tuple):
        return isinstance(value, tuple | list) and len(value) == len(own) and all(map(_alike, value, own))
    if isinstance(own, bool | str):
        return type(value) is type(own)
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_color(parameter: Any) -> bool:
    return parameter.path.endswith(".color") and isinstance(parameter.value, tuple) and len(parameter.value) == 3


def _to_page(parameter: Any, value: Any) -> Any:
    """Return a value as its input holds it: colours from 0 to 255, tiny numbers as text such as 1e-09."""
    if _is_color(parameter):
        return tuple(round(255 * v) for v in value)
    return f"{value:g}" if isinstance(value, float) and 0 < abs(parameter.value) < TINY else value


def _from_page(parameter: Any, value: Any) -> Any:
    if _is_color(parameter):
        return [v / 255 for v in value]
    if isinstance(value, str) and isinstance(parameter.value, float):
        with suppress(ValueError):
            return float(value)  # other text, such as "1 ms", is for the scene to understand or to refuse
    return list(value) if isinstance(value, tuple) else value
