"""What motion wears in a scene: tables to surfaces around points of networks, clouds and splines."""

import re
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import SceneError, closest
from motiform.form import CloudLook, Looks, SplineLook, SurfaceLook
from motiform.motion.matter import Network
from motiform.motion.matter.model.network import Group
from motiform.scene.build.common import at_table, build_rotation
from motiform.scene.build.matter.names import index_of
from motiform.scene.tables.common import PoseTable
from motiform.scene.tables.form import FormTable
from motiform.spatial import quaternion_from_rotation

if TYPE_CHECKING:
    from motiform.scene.read.load import Scene

__all__ = ["dress_scene"]

_NAMED = re.compile(r"\s*+(?P<group>[^\[\]\s]++)\s*+(?:\[(?P<index>[^\[\]]*+)\])?\s*+")


def dress_scene(scene: "Scene", looks: Looks, network: Network | None) -> Looks:
    """Return the looks with the surfaces and clouds of a scene in place of what they cover, and with its splines."""
    for n, table in enumerate(scene.document.form):
        with at_table(scene, "form", n):
            where = scene.place("form", n)
            if table.spline is not None:
                looks |= Looks({table.name: _spline(table, table.spline, network, where)})
            else:
                looks = looks.covered(table.name, _look(table, network, where))
    return looks


def _look(table: FormTable, network: Network | None, where: str) -> SurfaceLook | CloudLook:
    groups = {} if network is None else {group.name: group for group in network.groups}
    for name in table.groups:
        _group(name, groups, where)
    color = [groups[name].color for name in table.groups] if table.color is None else table.color
    tones = np.asarray(color, float)
    if table.cloud is not None:
        return _cloud(table, network, tones, where)
    assert table.radius is not None
    turn = None if table.turn is None else quaternion_from_rotation(build_rotation(PoseTable(turn=table.turn)))
    return SurfaceLook(
        surface=tuple(f"{name}.position" for name in table.groups),
        radius=table.radius if isinstance(table.radius, float) else np.asarray(table.radius, float),
        color=tones if len(np.unique(np.atleast_2d(tones), axis=0)) > 1 else np.atleast_2d(tones)[0],
        reach=table.reach,
        cell=table.cell,
        tolerance=table.tolerance,
        rays=table.rays,
        turn=turn,
        exponent=table.exponent,
        pairs=None if table.links is None else _pairs(table, groups, network, where),
    )


def _group(name: str, groups: dict[str, Group], where: str) -> Group:
    """Return a group of points by name."""
    if name not in groups:
        allowed, remedy = ", ".join(groups), closest(name, groups)
        raise SceneError("no such group of points", where=where, got=name, allowed=allowed, remedy=remedy)
    return groups[name]


def _pairs(table: FormTable, groups: dict[str, Group], network: Network | None, where: str) -> np.ndarray:
    """Return the links between points of a surface's groups, by their numbers in the surface, (links, 2)."""
    bundles = {} if network is None else {bundle.name: bundle for bundle in network.bundles}
    number, count = np.full(0 if network is None else network.count, -1), 0
    for name in table.groups:
        number[groups[name].indices] = count + np.arange(groups[name].count)
        count += groups[name].count
    found = []
    for name in [table.links] if isinstance(table.links, str) else table.links or ():
        if name not in bundles:
            remedy = closest(name, bundles)
            raise SceneError("no such links", where=where, got=name, allowed=", ".join(bundles), remedy=remedy)
        found.append(number[bundles[name].pairs])
    pairs = np.concatenate([np.empty((0, 2), int), *found])
    pairs = pairs[(pairs >= 0).all(axis=1)]
    if not len(pairs):
        raise SceneError("links drawn as tubes must be between points of the surface", where=where, got=table.links)
    return pairs


def _spline(table: FormTable, named: list[str], network: Network | None, where: str) -> SplineLook:
    """Return the look of a spline through its control points by name, such as "legs[0]"."""
    groups = {} if network is None else {group.name: group for group in network.groups}
    parts = [_points(name, groups, where) for name in named]
    used = list(dict.fromkeys(group.name for group, _ in parts))
    firsts = dict(zip(used, np.cumsum([0] + [groups[name].count for name in used]).tolist(), strict=False))
    assert table.width is not None
    color = (groups[used[0]].color if used else (0.5, 0.5, 0.5)) if table.color is None else table.color
    if np.shape(color) != (3,):
        raise SceneError("a spline must have one color", where=where)
    return SplineLook(
        spline=tuple(f"{name}.position" for name in used),
        pick=np.concatenate([np.empty(0, int), *[firsts[group.name] + own for group, own in parts]]),
        width=table.width,
        color=tuple(np.asarray(color, float).tolist()),
        closed=table.closed,
        kind=table.kind,
        thickness=table.thickness,
        across=table.across,
    )


def _points(name: str, groups: dict[str, Group], where: str) -> tuple[Group, np.ndarray]:
    """Return a group and which of its points a name is of: "legs", "legs[0]", "legs[1:3]"."""
    match = _NAMED.fullmatch(name)
    group = _group(name if match is None else match["group"], groups, where)
    own = np.arange(group.count)
    if match is None or match["index"] is None:
        return group, own
    index = index_of(match["index"])
    try:
        chosen = np.atleast_1d(own[index]) if index is not None else own[:0]
    except IndexError:
        chosen = own[:0]
    if not len(chosen):
        allowed = f"0 to {group.count - 1}, or a range such as [1:3]"
        raise SceneError("no such point", where=where, got=name, allowed=allowed)
    return group, chosen


def _cloud(table: FormTable, network: Network | None, tones: np.ndarray, where: str) -> CloudLook:
    """Return the look of a cloud; puffs begin with the states of recorded links."""
    bundles = {} if network is None else {bundle.name: bundle for bundle in network.bundles}
    if table.born is not None and (table.born not in bundles or not bundles[table.born].record):
        allowed = ", ".join(name for name, bundle in bundles.items() if bundle.record)
        remedy = "Give the links record = true."
        raise SceneError(
            "no such links whose states are kept", where=where, got=table.born, allowed=allowed, remedy=remedy
        )
    if not isinstance(table.radius, float) or len(np.unique(np.atleast_2d(tones), axis=0)) > 1:
        raise SceneError("a cloud must have one radius and one color", where=where)
    return CloudLook(
        cloud=tuple(f"{name}.position" for name in table.groups), radius=table.radius,
        color=np.atleast_2d(tones)[0].tolist(), depth=table.depth, spread=table.spread,
        born=None if table.born is None else f"{table.born}.state",
    )  # fmt: skip
