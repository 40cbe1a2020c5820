"""Forces, springs and dampers on single coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.actuation.pack import flatten_laws, pack_laws
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready

__all__ = ["CoordinateControl", "CoordinateDrive"]


@dataclass(frozen=True)
class CoordinateDrive:
    """A force on one coordinate: force − damping · v − stiffness · (q − target)."""

    coordinate: str
    force: float = 0.0
    """[N·m or N]"""
    stiffness: float = 0.0
    """[N·m/rad or N/m]; of plain coordinates only."""
    damping: float = 0.0
    """[N·m·s/rad or N·s/m]"""
    target: float = 0.0
    """[rad or m]"""

    def __post_init__(self) -> None:
        where = f"drive of {self.coordinate!r}"
        for name in ("force", "target"):
            check_number(getattr(self, name), name, where)
        for name in ("stiffness", "damping"):
            check_number(getattr(self, name), name, where, least=0.0)


@dataclass(frozen=True, eq=False)
class CoordinateControl:
    """Drives of some coordinates of a figure: a control. Time-stepping takes springs and dampers at a step's end."""

    figure: Figure
    drives: Sequence[CoordinateDrive]

    def __post_init__(self) -> None:
        object.__setattr__(self, "drives", tuple(self.drives))
        self._places  # noqa: B018, refuses coordinates that are not there

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Where each coordinate is in q (−1: it has no place there) and v."""
        return [_place(self.figure, drive) for drive in self.drives]

    @cached_property
    def stiffness(self) -> Array:
        """[N·m/rad or N/m], (nv,)."""
        return self._summed("stiffness")

    @cached_property
    def damping(self) -> Array:
        """[N·m·s/rad or N·s/m], (nv,)."""
        return self._summed("damping")

    def _summed(self, key: str) -> Array:
        found = np.zeros(self.figure.nv)
        for (_, v), drive in zip(self._places, self.drives, strict=True):
            found[v] += getattr(drive, key)
        return found

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """The numbers of the drives as kernels read them, and their places in q and v."""
        numbers = [(drive.force, drive.stiffness, drive.damping, drive.target) for drive in self.drives]
        return np.array(numbers, float).reshape(-1, 4), np.array(self._places, np.int64).reshape(-1, 2)

    @cached_property
    def _laws(self) -> ControlLaws:
        return pack_laws(self.figure.nq, self.figure.nv, (), *self.rows)

    @cached_property
    def packed(self) -> PackedActuator:
        """The drives as compiled steps take them."""
        return flatten_laws(self._laws, limited=False)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces at an instant, (nv,)."""
        from motiform.motion.actuation.law_kernels import control_forces_at

        out = np.empty(self.figure.nv)
        control_forces_at.function(
            t, self._laws, ready(state.q, self.figure.nq, "q"), ready(state.v, self.figure.nv, "v"), out
        )
        return out


def _place(figure: Figure, drive: CoordinateDrive) -> tuple[int, int]:
    name, known = drive.coordinate, figure.coordinates
    if name not in known:
        allowed, remedy = ", ".join(known), closest(name, known)
        raise InputError("no such coordinate", got=name, allowed=allowed, remedy=remedy)
    q = int(figure.places(name, "q")[0]) if name in figure.layout.places_q else -1
    if q < 0 and (drive.stiffness or drive.target):
        raise InputError(
            "a spring needs a plain coordinate; this velocity has none", got=name, remedy="Give force or damping."
        )
    return q, int(figure.places(name, "v")[0])
