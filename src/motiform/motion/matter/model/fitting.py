"""Whether the arrays of a network fit one another: compiled functions that take them check no bounds."""

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.checks import check_indices, check_shape

if TYPE_CHECKING:
    from motiform.motion.matter.model.network import Group, Network
    from motiform.motion.matter.model.topology import GridLinks

__all__ = ["check_group", "check_network"]


def check_group(group: "Group") -> None:
    """Refuse a group whose arrays are not of one row for each point."""
    where, count = f"group {group.name!r}", len(group.position)
    for key in ("position", "velocity", "mass", "free", "drag", "radius", "inertia", "angular_velocity"):
        if (value := getattr(group, key)) is not None:
            check_shape(value, (count, 3) if "position" in key or "velocity" in key else (count,), key, where)


def check_network(network: "Network") -> None:
    """Refuse a network whose groups do not follow one another, or that has links of points that are not there."""
    first, every = 0, network.count
    for group in network.groups:
        if group.first != first:
            got = f"{group.first}, after {first} points"
            raise InputError("groups must follow one another", where=f"group {group.name!r}", got=got)
        first += group.count
    for bundle in network.bundles:
        where = f"bundle {bundle.name!r}"
        check_shape(bundle.pairs, (bundle.count, 2), "pairs", where)
        check_indices(bundle.pairs, every, "pairs", where)
        if bundle.grid is not None:
            check_indices(bundle.grid.points, every, "points of the grid", where)
            _check_grid(bundle.grid, bundle.count, where)
    for piston in network.pistons:
        where = f"piston {piston.name!r}"
        check_shape(piston.pairs, (piston.count, len(piston.axes), 2), "pairs", where)
        check_indices(piston.pairs, every, "pairs", where)
        check_indices(piston.axes, 3, "axes", where)
    for reach in network.reaches:
        where = f"reach {reach.name!r}"
        for key in ("role", "body"):
            check_shape(getattr(reach, key), (len(reach.points),), key, where)
        check_indices(reach.points, every, "points", where)
        if (np.diff(reach.points) <= 0).any():
            raise InputError("points must rise", where=where)
    for kind, some in (("solid", network.solids), ("input", network.inputs)):
        for one in some:
            check_indices(one.points, every, "points", f"{kind} {one.name!r}")
    for name, points in network.exposed.items():
        check_indices(points, every, "points", f"exposed points {name!r}")


def _check_grid(grid: "GridLinks", links: int, where: str) -> None:
    """Refuse a grid of other links than those of its bundle, or of points that are not consecutive."""
    size = grid.points.shape
    along = [prod(max(n - abs(step), 0) for n, step in zip(size, offset, strict=True)) for offset in grid.offsets]
    if sum(along) != links or (np.diff(grid.points.ravel()) != 1).any():
        got = f"{sum(along)} links of a grid of {size}"
        raise InputError("a grid must be of the links of its bundle", where=where, got=got, allowed=f"{links} links")
