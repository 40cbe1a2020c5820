"""Ligaments of one wrist: fibres between points of two bones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.checks import read_only
from motiform.motion.bones.axes import Axes
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.landmarks import find_place, spread_fibres
from motiform.motion.bones.table import LIGAMENTS, Course
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, as_floats

__all__ = ["FIBRES", "NODES", "Ligament", "make_ligaments"]

FIBRES = 4
SLACK = 1.10  # length from which a ligament pulls, as a multiple of that with a straight hand
_BENT = np.deg2rad(45.0)  # of the hand in the scan, at which a ligament that this stretches has no slack left
NODES = 3  # of a fibre between its ends, which bones push out
_LARGE = 1e100
_BOUNDS = {"stiffness": _LARGE, "toe": _LARGE, "clearance": 0.1}


@dataclass(frozen=True, eq=False)
class Ligament:
    """A ligament: tension-only fibres from one bone to another."""

    name: str
    """As in "scapholunate_dorsal"."""
    group: str
    """All parts of it together, as in "scapholunate"."""
    bones: tuple[str, str]
    starts: Array
    """Ends of the fibres on the first bone, in the neutral pose [m], (fibres, 3)."""
    ends: Array
    """Ends on the second bone [m], (fibres, 3)."""
    stiffness: float
    """Of all fibres together [N/m]."""
    slack: float = SLACK
    """Length, as a multiple of the neutral one, from which it pulls with its stiffness."""
    toe: float = 0.01
    """Share of the stiffness with which it pulls from its neutral length on."""
    over: tuple[str, ...] = ()
    """Bones that it may lie on, two at most."""
    clearance: float = 5e-4
    """Distance of the fibres from the bones that they lie on [m]."""

    def __post_init__(self) -> None:
        where = f"ligament {self.name}"
        for key in ("starts", "ends"):
            object.__setattr__(self, key, read_only(as_floats(getattr(self, key), 3, where=f"{where}, {key}")))
        if self.starts.ndim != 2 or self.starts.shape != self.ends.shape:
            got = f"{self.starts.shape} and {self.ends.shape}"
            raise InputError("starts and ends must be as many", where=where, got=got, allowed="(fibres, 3)")
        if len(self.over) > 2:
            raise InputError("it may lie on two bones at most", where=where, got=self.over)
        for key, most in _BOUNDS.items():
            check_number(getattr(self, key), key, where, least=0.0, most=most)
        check_number(self.slack, "slack", where, above=0.0, most=_LARGE)


def make_ligaments(bones: Mapping[str, Bone], axes: Axes) -> tuple[Ligament, ...]:
    """Return the ligaments of the table between bones that are there."""
    gaps: dict[tuple[str, str], Array] = {}
    return tuple(_make(course, bones, axes, gaps) for course in _present(LIGAMENTS, bones))


def _slack(course: Course, bent: float) -> float:
    """Return the slack of a ligament in a scan with the hand bent by so much [rad], positive towards the palm."""
    way = {None: 0.0, "extension": -bent, "flexion": bent}[course.taut]
    return SLACK - (SLACK - 1.0) * float(np.clip(way / _BENT, 0.0, 1.0))


def _present(courses: Sequence[Course], bones: Mapping[str, Bone]) -> list[Course]:
    """Return the courses whose ends are on bones that are there."""
    needed = [(c, {n for p in (c.start, c.end) for n in (p.bone, p.facing, p.near) if n is not None}) for c in courses]
    return [course for course, names in needed if names <= set(bones)]


def _make(course: Course, bones: Mapping[str, Bone], axes: Axes, gaps: dict[tuple[str, str], Array]) -> Ligament:
    first, second = bones[course.start.bone], bones[course.end.bone]
    a, b = (find_place(place, bones, axes, gaps) for place in (course.start, course.end))
    outward = 0.5 * (a + b) - 0.5 * (first.center + second.center)
    fibres = spread_fibres(a, b, first, second, course.width, FIBRES, outward)
    over = tuple(name for name in course.over if name in bones)
    starts, ends = (read_only(np.ascontiguousarray(fibres[:, k])) for k in (0, 1))
    return Ligament(
        course.name, course.group, (first.name, second.name), starts, ends, course.stiffness, _slack(course, axes.bent),
        course.toe, over,
    )  # fmt: skip
