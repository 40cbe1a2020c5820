"""Input checks of networks."""

from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.model.network import Bundle, Network, Reach, Signal, Solid, check_array
from motiform.spatial import Transform
from motiform.spatial.checks import Words

__all__ = ["AXIS", "check_apart", "check_reach_apart", "moved_solid", "read_axis", "read_signal", "shifted"]

AXIS = {"x": 0, "y": 1, "z": 2}


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


def moved_solid(solid: Solid, by: Transform) -> Solid:
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
            "samples must have shape (samples, points, 3)",
            where=where,
            got=f"shape {np.shape(values)}",
            allowed="(samples, points, 3)",
        )
    if rate is None or not rate > 0:
        raise InputError("the rate of samples must be positive", where=where, got=rate, allowed="above 0 Hz")
    return Signal(check_array(array, "samples", where, array.shape), float(rate))


def read_axis(axis: Any, where: str) -> int:
    """Return the number of an axis; −1 for the line between the ends."""
    if axis is None:
        return -1
    if axis not in AXIS:
        raise InputError(
            "axis must name an axis",
            where=where,
            got=axis,
            allowed="'x', 'y', 'z', or None for the line between the ends",
        )
    return AXIS[axis]
