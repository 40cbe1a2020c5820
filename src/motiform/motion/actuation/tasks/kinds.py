"""Kinds of tasks: places of tags, the centre of mass, orientation, posture."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.actuation.tasks.kinematics import Frame, Moving, StateKinematics
from motiform.motion.tree import Figure, poses
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
    def rows(self, state: StateKinematics) -> tuple[Array, Array, Array]:
        """Return values (n,), Jacobian (n, nv) and velocity-product terms (n,)."""


def _named(name: str, known: Sequence[str], what: str) -> int:
    if name not in known:
        raise InputError(f"no such {what}", where="task", got=name, remedy=closest(str(name), known))
    return list(known).index(name)


def _frame(figure: Figure, name: str | None) -> int | None:
    return None if name is None else _named(name, figure.names, "segment")


def _chosen(axes: str) -> list[int]:
    if not axes or any(axis not in "xyz" for axis in axes) or len(set(axes)) < len(axes):
        raise InputError("axes must be some of x, y, z", where="task", got=axes, allowed='"xyz", "xz", …')
    return ["xyz".index(axis) for axis in axes]


def _taken(found: Moving, axes: str) -> tuple[Array, Array, Array]:
    own = _chosen(axes)
    return found.value[own], found.jacobian[own], found.bias[own]


@dataclass(frozen=True)
class TagTask(Task):
    """Place of a tag [m]: in the world, from another tag (`origin`), and in the axes of a segment (`frame`)."""

    tag: str
    origin: str | None = None
    frame: str | None = None
    axes: str = "xyz"
    priority: int = 0

    def check(self, figure: Figure) -> None:  # noqa: D102
        for name in (self.tag, *(() if self.origin is None else (self.origin,))):
            _named(name, figure.tag_names, "tag")
        _frame(figure, self.frame)
        _chosen(self.axes)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        return tuple(f"{self.tag}.{axis}" for axis in self.axes)

    def rows(self, state: StateKinematics) -> tuple[Array, Array, Array]:  # noqa: D102
        names = state.figure.tag_names
        origin = None if self.origin is None else state.tag(names.index(self.origin))
        n = _frame(state.figure, self.frame)
        return _taken(state.seen_from(n, origin, state.tag(names.index(self.tag))), self.axes)


@dataclass(frozen=True)
class CenterTask(Task):
    """Place of the centre of mass [m]: in the world, from a tag (`origin`), and in the axes of a segment (`frame`)."""

    origin: str | None = None
    frame: str | None = None
    axes: str = "xyz"
    priority: int = 0

    def check(self, figure: Figure) -> None:  # noqa: D102
        if not figure.mass > 0:
            raise InputError("a figure without mass has no centre of mass", where=f"figure {figure.name!r}")
        if self.origin is not None:
            _named(self.origin, figure.tag_names, "tag")
        _frame(figure, self.frame)
        _chosen(self.axes)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        apart = "" if self.origin is None else f"-{self.origin}"
        return tuple(f"center{apart}.{axis}" for axis in self.axes)

    def rows(self, state: StateKinematics) -> tuple[Array, Array, Array]:  # noqa: D102
        origin = None if self.origin is None else state.tag(state.figure.tag_names.index(self.origin))
        return _taken(state.seen_from(_frame(state.figure, self.frame), origin, state.center), self.axes)


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
        _frame(figure, self.segment)
        _frame(figure, self.frame)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        apart = "" if self.frame is None else f"-{self.frame}"
        return tuple(f"{self.segment}{apart}.turn_{axis}" for axis in "xyz")

    def rows(self, state: StateKinematics) -> tuple[Array, Array, Array]:  # noqa: D102
        figure = state.figure
        own, n = state.frame(figure.index(self.segment)), _frame(figure, self.frame)
        still = np.zeros(3)
        base = Frame(np.eye(3), np.zeros_like(own.jacobian), still, still) if n is None else state.frame(n)
        R = base.rotation
        E = R.T @ own.rotation @ _neutral_turn(figure, self.segment, self.frame).T
        w = R.T @ (own.spin - base.spin)  # dE/dt = [w] E
        dw = R.T @ (own.bias - base.bias - np.cross(base.spin, own.spin - base.spin))
        half = 0.5 * (np.trace(E) * np.eye(3) - E)  # half the antisymmetric part of [w] E is half w
        J = half @ R.T @ (own.jacobian - base.jacobian)
        return _axial(E), J, half @ dw + _axial(_skew(w) @ _skew(w) @ E)


@lru_cache(maxsize=256)
def _neutral_turn(figure: Figure, segment: str, frame: str | None) -> Array:
    R = poses(figure, figure.neutral()).rotation
    own = R[figure.index(segment)]
    return own if frame is None else R[figure.index(frame)].T @ own


def _skew(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def _axial(A: Array) -> Array:
    """Return the vector of the antisymmetric part of a matrix."""
    return 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])


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
            if len(figure.places(name, "q")) != len(figure.places(name, "v")):
                raise InputError("a posture must be of plain coordinates", where="task", got=name)

    def labels(self, figure: Figure) -> tuple[str, ...]:  # noqa: D102
        return self.coordinates

    def rows(self, state: StateKinematics) -> tuple[Array, Array, Array]:  # noqa: D102
        figure = state.figure
        at_q = [int(figure.places(name, "q")[0]) for name in self.coordinates]
        at_v = [int(figure.places(name, "v")[0]) for name in self.coordinates]
        return state.q[at_q], np.eye(figure.nv)[at_v], np.zeros(len(at_v))
