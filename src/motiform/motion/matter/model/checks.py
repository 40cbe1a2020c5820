"""Input checks of networks."""

from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.machine import check_memory
from motiform.motion.matter.model.network import Bundle, Network, NetworkSolid, Reach, Signal, check_array
from motiform.motion.matter.motions.eddies import Eddies
from motiform.spatial import Transform
from motiform.spatial.checks import Words

__all__ = [
    "AXIS", "check_apart", "check_eddies", "check_reach_apart", "check_reach_room", "check_rolls", "moved_solid",
    "read_axis", "read_rotation", "read_signal", "shifted",
]  # fmt: skip

AXIS = {"x": 0, "y": 1, "z": 2}
_INERTIA = {"ball": 2 / 5, "shell": 2 / 3, "disc": 1 / 2, "hoop": 1.0}  # over m r²


def read_rotation(inertia: Any, rate: Any, mass: np.ndarray, radius: Any, where: str) -> dict[str, Any]:
    """Return inertia [kg m²] and angular velocity [rad/s] of balls that rotate; nothing where none is given."""
    count = len(mass)
    spin = check_array(rate, "angular_velocity", where, (count, 3))
    if inertia is None:
        if spin.any():
            remedy = 'Give inertia, such as "ball".'
            raise InputError("only balls with inertia have an angular velocity", where=where, remedy=remedy)
        return {}
    size = check_array(radius, "radius", where, (count,))
    if (size <= 0).any():
        raise InputError("a rotating ball must have a radius", where=where, got=float(size.min()), allowed="above 0 m")
    if isinstance(inertia, str):
        if inertia not in _INERTIA:
            raise InputError(
                "inertia must be a number or one of the allowed words", where=where, got=inertia,
                allowed=", ".join(_INERTIA),
            )  # fmt: skip
        inertia = _INERTIA[inertia] * mass * size**2
    moment = check_array(inertia, "inertia", where, (count,))
    if (moment <= 0).any():
        raise InputError("inertia must be above 0", where=where, got=float(moment.min()), allowed="above 0 kg m²")
    return {"inertia": moment, "angular_velocity": spin}


def check_eddies(network: Network) -> None:
    """Refuse turbulent wind on masses at sub-rates."""
    slow = [group.name for group in network.groups if group.every > 1]
    if slow and isinstance(network.wind.values, Eddies):
        raise InputError(
            "masses in turbulent wind must be at the full rate", got=", ".join(slow),
            remedy="Give the module the network's rate, or the network a wind that is the same everywhere.",
        )  # fmt: skip


def check_rolls(thing: Any, network: Network) -> None:
    """Refuse rolling friction of points of which none rotates."""
    if thing.friction is not None and thing.friction.resists and not network.inertia[thing.points].any():
        raise InputError(
            "rolling and torsional friction need balls that rotate",
            where=f"{type(thing).__name__.lower()} {thing.name!r}",
            remedy='Give inertia to the masses, such as inertia="ball".',
        )  # fmt: skip


def check_apart(bundle: Bundle, place: np.ndarray, network: Network) -> None:
    """Refuse links whose ends are at one place: such a link has no direction."""
    if bundle.axis >= 0 or not bundle.count:
        return
    gap = place[bundle.pairs[:, 1]] - place[bundle.pairs[:, 0]]
    zero = ~gap.any(axis=1)
    if zero.any():
        a, b = bundle.pairs[int(np.argmax(zero))]
        raise InputError(
            "a link of no length has no direction", where=f"links {bundle.name!r}",
            got=f"{network.point_name(a)} and {network.point_name(b)} at one place",
            remedy="Move one of them, or give the link an axis.",
        )  # fmt: skip


_NEAR_BYTES = 350  # of two points that are near, as measured
_FEW = 2000  # points whose pairs fit into any memory


def check_reach_room(reach: Reach, place: np.ndarray, network: Network) -> None:
    """Refuse a range in which more pairs begin than fit into memory: at least those in cubes that it spans."""
    wide = float(reach.law.cutoff) + 2 * float(network.radius[reach.points].min())
    if len(reach.points) < _FEW or not wide > 0:
        return
    x = place[reach.points]
    rows = np.floor((x - x.min(axis=0)) * (np.sqrt(3) / wide)).astype(np.int64)
    _, cell = np.unique(rows @ (1, 2**21, 2**42), return_inverse=True)  # far cells may share a number
    own = reach.body >= 0  # points of one body do not act on one another
    pairs = _pairs(cell) - _pairs(cell[own] * (int(reach.body.max()) + 1) + reach.body[own])
    remedy = "Lower the range of its law, or take fewer points."
    check_memory(
        _NEAR_BYTES * pairs, "the neighbours of all points by range", where=f"reach {reach.name!r}",
        got=f"{pairs:.3g} pairs within {wide:g} m", remedy=remedy,
    )  # fmt: skip


def _pairs(numbers: np.ndarray) -> float:
    """Return how many pairs have the same number."""
    _, counts = np.unique(numbers, return_counts=True)
    return float((counts * (counts - 1.0) / 2).sum())


def check_reach_apart(reach: Reach, place: np.ndarray, network: Network) -> None:
    """Refuse points by range that begin at one place: they would not know which way to push one another."""
    order = np.lexsort(place[reach.points].T)
    same = ~np.diff(place[reach.points[order]], axis=0).any(axis=1)
    if not same.any():
        return
    runs = np.split(order, np.flatnonzero(~same) + 1)  # points at one place each
    for run in (run for run in runs if len(run) > 1):
        role, body = reach.role[run], reach.body[run]
        meets = ((role[:, None] & 1) & (role >> 1)).astype(bool) & ((body[:, None] < 0) | (body[:, None] != body))
        moves = network.movable[reach.points[run]]
        a, b = np.nonzero(meets & ~np.eye(len(run), dtype=bool) & (moves[:, None] | moves))
        if len(a):
            names = [network.point_name(int(reach.points[run[n]])) for n in sorted((a[0], b[0]))]
            raise InputError(
                "points by range must begin at different places", where=f"reach {reach.name!r}",
                got=Words(f"{names[0]} and {names[1]} at one place"), remedy="Move one of them.",
            )  # fmt: skip


def shifted(thing: Any, name: str, first: int) -> Any:
    """Return a part of a module by another name, its points counted on."""
    key = "pairs" if hasattr(thing, "pairs") else "points"
    changes = {"name": name, key: getattr(thing, key) + first}
    if getattr(thing, "grid", None) is not None:
        changes["grid"] = replace(thing.grid, points=thing.grid.points + first)
    return replace(thing, **changes)


def moved_solid(solid: NetworkSolid, by: Transform) -> NetworkSolid:
    """Return a solid of a module that is placed elsewhere."""
    motion = solid.motion
    carried = None if motion is None else lambda t: by @ motion(t)
    return replace(solid, placement=by @ solid.placement, motion=carried)


def read_signal(values: Any, rate: float | None, where: str) -> Signal:
    """Return vectors over time: a function, or samples at a rate [Hz]."""
    if callable(values):
        return Signal(values)
    array = np.asarray(values, float)
    if array.ndim == 2 and array.shape[-1] == 3:
        array = array[:, None]
    if array.ndim != 3 or array.shape[-1] != 3 or not len(array):
        raise InputError(
            "samples must have shape (samples, points, 3)", where=where, got=f"shape {np.shape(values)}",
            allowed="(samples, points, 3)",
        )  # fmt: skip
    if rate is None or not rate > 0:
        raise InputError("the rate of samples must be positive", where=where, got=rate, allowed="above 0 Hz")
    return Signal(check_array(array, "samples", where, array.shape), float(rate))


def read_axis(axis: Any, where: str) -> int:
    """Return the number of an axis; −1 for the line between the ends."""
    if axis is None:
        return -1
    if axis not in AXIS:
        raise InputError(
            "axis must name an axis", where=where, got=axis,
            allowed="'x', 'y', 'z', or None for the line between the ends",
        )  # fmt: skip
    return AXIS[axis]
