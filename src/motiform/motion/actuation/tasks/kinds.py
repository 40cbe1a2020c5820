"""Kinds of tasks: places of tags, the centre of mass, orientation, posture."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.actuation.tasks import columns as task_columns
from motiform.motion.tree import Figure, forward_kinematics
from motiform.motion.tree.model.joint import Array

__all__ = ["CenterTask", "OrientationTask", "PostureTask", "TagTask", "Task"]


@dataclass(frozen=True)
class Task(ABC):
    """A part of a task function; tasks with a lower `priority` come first, the others do what is left."""

    @abstractmethod
    def check(self, figure: Figure) -> None:
        """Refuse a figure that does not have what the task needs."""

    @abstractmethod
    def labels(self, figure: Figure) -> tuple[str, ...]:
        """Return the names of its numbers."""

    @abstractmethod
    def codes(self, figure: Figure) -> list[tuple[int, ...]]:
        """Return the integers that the kernel reads, see `columns`."""

    def neutral(self, figure: Figure) -> Array:
        """Return the turn in the neutral posture from which turns are counted, (3, 3)."""
        return np.eye(3)


def _named(name: str, known: Sequence[str], what: str) -> int:
    if name not in known:
        raise InputError(f"no such {what}", where="task", got=name, remedy=closest(str(name), known))
    return list(known).index(name)


def _frame(figure: Figure, name: str | None) -> int:
    return task_columns.NONE if name is None else _named(name, figure.names, "segment")


def _tag(figure: Figure, name: str | None) -> int:
    return task_columns.NONE if name is None else _named(name, figure.tag_names, "tag")


def _axes(axes: str) -> list[str]:
    """Return the axes one by one, with their signs."""
    found = re.findall("-?[xyz]", axes)
    if not found or "".join(found) != axes or len({axis[-1] for axis in found}) < len(found):
        raise InputError("axes must be some of x, y, z", where="task", got=axes, allowed='"xyz", "xz", "z-yx", …')
    return found


def _digits(axes: str) -> int:
    """Return axes as digits to the base 8, 4 more against an axis, the first one last; 0 ends."""
    return sum(("xyz".index(axis[-1]) + 1 + 4 * (len(axis) - 1)) << 3 * k for k, axis in enumerate(_axes(axes)))


@dataclass(frozen=True)
class TagTask(Task):
    """Place of a tag [m]: in the world, from another tag (`origin`), and in the axes of a segment (`frame`).

    `axes` says which numbers in which order: "xz", or "z-yx" with y reversed.
    """

    tag: str
    origin: str | None = None
    frame: str | None = None
    axes: str = "xyz"
    priority: int = 0

    def check(self, figure: Figure) -> None:  # noqa: D102
        self.codes(figure)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        apart = "" if self.origin is None else f"-{self.origin}"
        return tuple(f"{self.tag}{apart}.{axis}" for axis in _axes(self.axes))

    def codes(self, figure: Figure) -> list[tuple[int, ...]]:  # noqa: D102
        origin, frame = _tag(figure, self.origin), _frame(figure, self.frame)
        return [(task_columns.POINT, _named(self.tag, figure.tag_names, "tag"), origin, frame, _digits(self.axes))]


@dataclass(frozen=True)
class CenterTask(Task):
    """Place of the centre of mass [m]: in the world, from a tag (`origin`), and in the axes of a segment (`frame`).

    `axes` as those of `TagTask`.
    """

    origin: str | None = None
    frame: str | None = None
    axes: str = "xyz"
    priority: int = 0

    def check(self, figure: Figure) -> None:  # noqa: D102
        if not figure.mass > 0:
            raise InputError("a figure without mass has no centre of mass", where=f"figure {figure.name!r}")
        self.codes(figure)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        apart = "" if self.origin is None else f"-{self.origin}"
        return tuple(f"center{apart}.{axis}" for axis in _axes(self.axes))

    def codes(self, figure: Figure) -> list[tuple[int, ...]]:  # noqa: D102
        return [
            (
                task_columns.CENTER,
                task_columns.NONE,
                _tag(figure, self.origin),
                _frame(figure, self.frame),
                _digits(self.axes),
            )
        ]


@dataclass(frozen=True)
class OrientationTask(Task):
    """Turn of a segment from its neutral one, in the world or in a segment (`frame`): sine of the angle × axis, (3,).

    With E = R_frameᵀ R_segment R₀ᵀ, R₀ that product in the neutral posture, the value is half the antisymmetric part of
    E; it tells a turn up to 90°.
    """

    segment: str
    frame: str | None = None
    priority: int = 0

    def check(self, figure: Figure) -> None:  # noqa: D102
        self.codes(figure)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        apart = "" if self.frame is None else f"-{self.frame}"
        return tuple(f"{self.segment}{apart}.turn_{axis}" for axis in "xyz")

    def codes(self, figure: Figure) -> list[tuple[int, ...]]:  # noqa: D102
        return [(task_columns.TURN, _frame(figure, self.segment), task_columns.NONE, _frame(figure, self.frame), 0)]

    def neutral(self, figure: Figure) -> Array:  # noqa: D102
        R = forward_kinematics(figure, figure.neutral()).rotation
        own = R[figure.index(self.segment)]
        return own if self.frame is None else R[figure.index(self.frame)].T @ own


@dataclass(frozen=True)
class PostureTask(Task):
    """Plain coordinates themselves [rad or m]."""

    coordinates: tuple[str, ...]
    priority: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "coordinates", tuple(self.coordinates))

    def check(self, figure: Figure) -> None:  # noqa: D102
        for name in self.coordinates:
            _named(name, figure.coordinates, "coordinate")
            if name not in figure.layout.places_q or len(figure.places(name, "q")) != len(figure.places(name, "v")):
                raise InputError("a posture must be of plain coordinates", where="task", got=name)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        return self.coordinates

    def codes(self, figure: Figure) -> list[tuple[int, ...]]:  # noqa: D102
        self.check(figure)
        layout = figure.layout  # that of the whole tree
        at = [(int(layout.places_q[name][0]), int(layout.places_v[name][0])) for name in self.coordinates]
        return [(task_columns.POSTURE, q, task_columns.NONE, task_columns.NONE, v) for q, v in at]
