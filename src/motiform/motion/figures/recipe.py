"""Figures that store their parameters: `replace` also takes these and rebuilds the figure."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.figures.limits import limit_joints
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array, Joint

__all__ = ["Lengths", "MadeFigure", "Recipe", "assemble", "named_numbers", "positive"]

Made = TypeVar("Made", bound="MadeFigure")


@dataclass(frozen=True, eq=False)
class Recipe(ABC):
    """The parameters of a figure."""

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return a recipe with changes; a mapping is added to the one before, where None takes a choice back."""
        merged = dict(changes)
        known = [one.name for one in fields(self)]
        for name, value in changes.items():
            if name not in known:
                raise InputError("no such measure", got=name, allowed=", ".join(known), remedy=closest(name, known))
            before = getattr(self, name)
            if isinstance(value, Mapping) and isinstance(before, Mapping):
                given = self.keyed(name, value)
                merged[name] = {k: v for k, v in {**before, **given}.items() if v is not None}
        return replace(self, **merged)

    def keyed(self, name: str, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return a mapping with the keys under which the recipe keeps its entries."""
        return value

    @abstractmethod
    def make(self) -> "MadeFigure":
        """Return the figure."""


def assemble(
    kind: type[Made], recipe: Any, rows: Iterable[Any], tags: Mapping[str, tuple[str, Any]], coordinates: Sequence[str],
    parts: Mapping[str, Any], notes: tuple[str, ...] = (), joints: Mapping[str, Joint] | None = None,
) -> Made:  # fmt: skip
    """Return the figure of a recipe from its table of rows, its tags (segment, point) and the solids drawn.

    `joints` stand in the place of those of the rows, by segment; what they have more comes last in q.
    """
    from motiform.motion.tree.read.tables import builder_from_table

    if not isinstance(recipe.name, str):
        raise InputError("the name of a figure must be a text", got=repr(recipe.name), allowed="a text")
    builder, order = builder_from_table(
        rows, lengths=recipe.all_lengths(), coordinates=coordinates, tags=tags, gravity=recipe.gravity, name=recipe.name
    )
    other = joints or {}
    segments = [
        replace(s, joint=other[s.name], armature=0.0, damping=0.0) if s.name in other else s for s in builder.segments
    ]
    segments = limit_joints(segments, recipe.limits)
    order += [name for joint in other.values() for name in joint.names if name not in order]
    return kind(
        tuple(replace(segment, parts=parts[segment.name]) for segment in segments),
        tuple(builder.tags),
        gravity=builder.gravity,  # type: ignore[arg-type]
        name=recipe.name,
        order=tuple(order),
        notes=notes,
        recipe=recipe,
    )


@dataclass(frozen=True, eq=False, repr=False)
class MadeFigure(Figure):
    """A figure with its recipe. Frozen; `replace` changes measures as well as the fields of a figure."""

    recipe: Any = None
    """What the figure was made from."""
    edits: tuple[dict[str, Any], ...] = ()
    """Changes of the figure's own fields since; they are made again after a change of measures."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.recipe, Recipe):
            raise InputError("such a figure is made by its function", where=type(self).__name__, got=repr(self.recipe))

    @cached_property
    def masses(self) -> dict[str, float]:
        """Mass of each segment [kg]."""
        return {segment.name: segment.mass for segment in self.segments}

    def replace(self, **changes: Any) -> Self:
        """Return a figure with other measures (those of its maker) or other fields (those of `Figure`).

        Choices that are not named are kept. Mappings are added to those given before; None takes a choice back.
        """
        known = {f.name for f in fields(self.recipe)}
        measures = {k: v for k, v in changes.items() if k in known and not _is_field_of_figure(k, v)}
        own = {k: v for k, v in changes.items() if k not in measures}
        self._check_names(own, known)
        found: Any = self
        if measures:
            found = self.recipe.changed(measures).make()
            for edit in self.edits:
                found = found._edited(_repeatable(edit))
        return found._edited(own) if own else found

    def _check_names(self, own: Iterable[str], known: set[str]) -> None:
        allowed = sorted(known | set(Figure.__dataclass_fields__))
        for name in own:
            if name not in allowed:
                raise InputError(
                    "no such measure or field", where=f"figure {self.name!r}", got=name, allowed=", ".join(allowed),
                    remedy=closest(name, allowed),
                )  # fmt: skip

    def _edited(self, changes: dict[str, Any]) -> Self:
        found = Figure.replace(self, **changes)
        object.__setattr__(found, "edits", (*self.edits, changes))
        return found


def _is_field_of_figure(name: str, value: Any) -> bool:
    """Return whether `tags` are the finished tags of a figure, not places of some of them."""
    return name == "tags" and value is not None and not isinstance(value, Mapping)


def _repeatable(edit: dict[str, Any]) -> dict[str, Any]:
    for name in ("segments", "tags"):
        if name in edit and not isinstance(edit[name], Mapping):
            raise InputError(
                "parts of a figure must be replaced by name", got=name, allowed=f"{name} as a mapping of changes",
                remedy="Change the measures first, then the parts.",
            )  # fmt: skip
    return edit


class Lengths(np.ndarray):
    """Lengths [m], read-only: `lengths["L5"]` is `lengths[4]`."""

    def __new__(cls, values: Iterable[float]) -> "Lengths":
        """Return a read-only copy of the numbers."""
        found = np.array(list(values), float).view(cls)
        found.setflags(write=False)
        return found

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            key = int(length_name(key, len(self))[1:]) - 1
        return super().__getitem__(key)


def length_name(key: Any, count: int) -> str:
    """Return "L5" for 5, "5" or "L5"."""
    text = str(key)
    number = text[1:] if text[:1] in "Ll" and len(text) > 1 else text
    if not isinstance(key, (str, int, np.integer)) or isinstance(key, bool) or not number.isdecimal():
        number = "0"
    if not 1 <= int(number) <= count:
        raise InputError("no such length", got=key, allowed=f"L1 to L{count}, or 1 to {count}")
    return f"L{int(number)}"


def named_lengths(value: Any, count: int, where: str) -> dict[str, float]:
    """Return lengths by name, from a mapping of some or a sequence of all."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        numbers = _all_numbers(value)
        if numbers.shape != (count,):
            raise InputError(
                "lengths must be a mapping or a list of all", where=where, got=f"shape {numbers.shape}",
                allowed=f"a mapping such as {{'L5': 0.43}}, or all {count} lengths [m]",
            )  # fmt: skip
        value = {n + 1: x for n, x in enumerate(numbers)}
    return {
        length_name(key, count): positive(x, f"length {key!r}", where, zero=True)
        for key, x in value.items()
        if x is not None
    }


def _all_numbers(value: Any) -> Array:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        return np.empty(0)


def positive(value: Any, what: str, where: str, *, zero: bool = False) -> float:
    """Return a finite number above zero (or zero)."""
    allowed = "a finite number, zero or more" if zero else "a finite number above zero"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, bool | str) or not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        remedy = "SI units: metres and kilograms."
        raise InputError(
            f"{what} must be finite and {'not negative' if zero else 'positive'}", where=where, got=value,
            allowed=allowed, remedy=remedy,
        )  # fmt: skip
    return number


def named_numbers(
    value: Any, known: Iterable[str], size: int | None, what: str, where: str, *, least: float = -np.inf
) -> dict[str, Any]:
    """Return numbers by name: one each (`size` None) or `size` of them, finite and not below `least`."""
    if value is None:
        return {}
    names = tuple(known)
    allowed = "a finite number" if size is None else f"{size} finite numbers"
    if not isinstance(value, Mapping):
        raise InputError(
            f"{what} must be a mapping", where=where, got=repr(value), allowed=f"a mapping of names to {allowed}"
        )
    found: dict[str, Any] = {}
    for name, numbers in value.items():
        if name not in names:
            raise InputError(
                f"no such name in {what}", where=where, got=name, allowed=", ".join(names),
                remedy=closest(str(name), names),
            )  # fmt: skip
        if numbers is None:
            continue
        array = _all_numbers(numbers)
        if array.shape != (() if size is None else (size,)) or not (np.isfinite(array) & (array >= least)).all():
            bound = f", none below {least:g}" if np.isfinite(least) else ""
            raise InputError(
                f"{what} of {name!r} must be finite and in range", where=where, got=repr(numbers),
                allowed=allowed + bound,
            )  # fmt: skip
        found[name] = float(array) if size is None else tuple(array.tolist())
    return found
