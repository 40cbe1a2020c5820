"""Networks inside another network."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.model.checks import moved_solid, shifted
from motiform.motion.matter.model.handles import LinkEnd, PlacedModule, Points
from motiform.motion.matter.model.network import check_array
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.motion.matter.model.build.network import NetworkBuilder

__all__ = ["add_module"]


def add_module(
    builder: "NetworkBuilder", name: str, module: "NetworkBuilder", *, at: ArrayLike, turn: ArrayLike | None
) -> PlacedModule:
    """Copy all that a module has into a network, see `NetworkBuilder.add`."""
    where = f"module {name!r}"
    ratio = _ratio(builder, module, where)
    builder.reserve(name)
    shift = check_array(at, "at", where, (3,))
    turned = np.eye(3) if turn is None else np.asarray(turn, float)
    if turn is not None:
        _check_turn(turned, module, where)
    place = Transform(turned, shift) if turn is not None or shift.any() else None
    first = builder.count
    _copy_points(builder, name, module, place, ratio)
    _copy_links(builder, name, module, place, ratio, first)
    builder._looks |= {f"{name}.{key}": look for key, look in module._looks.items()}
    points = {group.name: Points(group.indices + first, builder) for group in module._groups}
    points |= {key: Points(found + first, builder) for key, found in module._exposed.items()}
    return PlacedModule(name, points, _copy_open_links(builder, name, module, first))


def _ratio(builder: "NetworkBuilder", module: "NetworkBuilder", where: str) -> int:
    """Return how many steps of the network are one of the module."""
    if not isinstance(module, type(builder)) or module is builder:
        raise InputError(
            "a module must be another NetworkBuilder", where=where, got=type(module).__name__,
            allowed="another NetworkBuilder",
        )  # fmt: skip
    ratio = round(builder.frequency / module.frequency)
    if ratio < 1 or abs(ratio * module.frequency - builder.frequency) > 1e-9 * builder.frequency:
        raise InputError(
            "the rate of a module must divide the rate of the network", where=where,
            got=f"{module.frequency:g} Hz in a network of {builder.frequency:g} Hz",
            allowed="the network's divided by a whole number", remedy="Build the network at the highest.",
        )  # fmt: skip
    if ratio > 1 and (module._pistons or module._reaches or module._solids):
        raise InputError("only links have a sub-rate", where=where, remedy="Take pistons, reaches, solids out.")
    return ratio


def _copy_points(
    builder: "NetworkBuilder", name: str, module: "NetworkBuilder", place: Transform | None, ratio: int
) -> None:
    turn, shift = (np.eye(3), np.zeros(3)) if place is None else (place.rotation, place.translation)
    first = builder.count
    for group in module._groups:
        if group.motion is not None and place is not None:
            raise InputError("a module with imposed points cannot be moved", where=name, remedy="Impose its new path.")
        builder.reserve(f"{name}.{group.name}")
        spin = group.angular_velocity
        moved = replace(
            group, name=f"{name}.{group.name}", first=first + group.first, position=group.position @ turn.T + shift,
            velocity=group.velocity @ turn.T, angular_velocity=None if spin is None else spin @ turn.T,
            every=ratio * group.every,
        )  # fmt: skip
        builder._groups.append(moved)


def _copy_links(
    builder: "NetworkBuilder", name: str, module: "NetworkBuilder", place: Transform | None, ratio: int, first: int
) -> None:
    for kind in ("_bundles", "_pistons", "_reaches", "_solids", "_inputs"):
        for thing in getattr(module, kind):
            builder.reserve(f"{name}.{thing.name}")
            moved = shifted(thing, f"{name}.{thing.name}", first)
            if kind == "_solids" and place is not None:
                moved = moved_solid(moved, place)
            if kind == "_bundles" and ratio > 1:
                moved = replace(moved, every=ratio * moved.every, grid=None)
            elif kind == "_inputs":
                moved = replace(moved, every=ratio * moved.every)
            getattr(builder, kind).append(moved)


def _copy_open_links(builder: "NetworkBuilder", name: str, module: "NetworkBuilder", first: int) -> dict[str, LinkEnd]:
    ends = {}
    for key, waiting in module._open.items():
        other = None if waiting.other is None else waiting.other + first
        builder._open[f"{name}.{key}"] = replace(waiting, mass=waiting.mass + first, other=other)
        ends[key] = LinkEnd(f"{name}.{key}", builder)
    return ends


def _check_turn(turn: np.ndarray, module: "NetworkBuilder", where: str) -> None:
    """Refuse what is no rotation, and modules in which something has axes of the world."""
    fits = turn.shape == (3, 3) and np.isfinite(turn).all() and np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)
    if not fits or np.linalg.det(turn) < 0:
        raise InputError(
            "turn must be a rotation matrix", where=where, got=f"shape {turn.shape}", allowed="a rotation matrix (3, 3)"
        )
    along = [bundle.name for bundle in module._bundles if bundle.axis >= 0]
    along += [piston.name for piston in module._pistons] + [pushed.name for pushed in module._inputs]
    along += [name for name, waiting in module._open.items() if waiting.axis >= 0]
    held = [group.name for group in module._groups if np.isin(group.free, (1, 2, 3, 4, 5, 6)).any()]
    if along or held:
        raise InputError(
            "a module with axes of the world cannot be turned", where=where, got=", ".join([*along, *held]),
            remedy="Build it turned, or link it along lines.",
        )  # fmt: skip
