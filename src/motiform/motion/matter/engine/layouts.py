"""Arrays on a device that kernels of matter take together."""

from typing import Any, NamedTuple

__all__ = ["Given", "Idle", "LinkRows", "MassColumns", "SolidPoses", "Spinning", "Touching"]


class MassColumns(NamedTuple):
    """What masses are, and what pulls them."""

    pad: int
    size: int
    width: int
    """Masses of a run."""
    plain: int
    """Not 0 where there is no drag and all move along every axis."""
    mobility: Any
    """Te²/m [m/N], 0 where nothing moves."""
    free: Any
    """Bits of the axes along which a mass moves."""
    gravity: Any
    """g Te² [m]"""
    drag: Any
    whole: Any
    """First and last mass, offset and first tension of each direction of grids."""
    stencils: int
    floors: Any
    floor_places: Any
    floor_laws: Any
    floor_count: int
    pull: Any
    """Tensions over lengths of links along lines [N/m], forces of those along axes [N]."""
    starts: Any
    arms: Any
    """Other end, or axis, and link, by masses; those along lines first, up to `radial`."""
    signs: Any
    radial: Any
    frequency: float
    bad: Any
    """First step in which a mass was lost."""


class LinkRows(NamedTuple):
    """Links of zone laws, along lines or axes, and those of grids."""

    size: int
    chunks: int
    ends: Any
    others: Any
    axis: Any
    material: Any
    table: Any
    length: Any
    first: int


class Idle(NamedTuple):
    """Masses at sub-rates that take every step: between their turns nothing but links works on them."""

    where: Any
    mass: Any
    drag: Any
    gravity: Any


class Given(NamedTuple):
    """Points that are pushed or put somewhere at every step, and those that are looked at every so many."""

    pushed: Any
    pushes: Any
    """[N], (steps, points, 3)"""
    imposed: Any
    places: Any
    """[m], (steps, points, 3)"""
    seen: Any
    every: int
    since: int
    """Steps since the last sample at the first of these."""
    found: Any
    """[m], (samples, points, 3)"""


class Touching(NamedTuple):
    """The points that touch solids, and the laws of the solids."""

    members: Any
    meets: Any
    """Whether a point meets a solid, [solid, point]."""
    radius: Any
    turns: Any
    """Whether a point is a ball that rotates; one value where none does."""
    table: Any
    cutoff: Any
    rubs: Any
    """Kind of friction, by solids."""
    rub: Any
    """Limit, stiffness, damping, rolling, torsion, by solids."""
    per_step: float


class SolidPoses(NamedTuple):
    """Where solids are, and were one step before."""

    moving: Any
    poses: Any
    before: Any


class Spinning(NamedTuple):
    """Rotations of balls; nothing rotates where `any` is 0."""

    any: int
    rates: Any
    torques: Any
    lost: Any
