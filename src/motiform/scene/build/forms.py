"""What motion wears in a scene: tables to surfaces around points of networks."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import SceneError, closest
from motiform.form import CloudLook, Looks, SurfaceLook
from motiform.motion.matter import Network
from motiform.scene.build.common import at_table
from motiform.scene.tables.form import FormTable

if TYPE_CHECKING:
    from motiform.scene.read.load import Scene

__all__ = ["dress_scene"]


def dress_scene(scene: "Scene", looks: Looks, network: Network | None) -> Looks:
    """Return the looks with the surfaces and clouds of a scene in place of the points that they cover."""
    for n, table in enumerate(scene.document.form):
        with at_table(scene, "form", n):
            looks = looks.covered(table.name, _look(table, network, scene.place("form", n)))
    return looks


def _look(table: FormTable, network: Network | None, where: str) -> SurfaceLook | CloudLook:
    groups = {} if network is None else {group.name: group for group in network.groups}
    for name in table.groups:
        if name not in groups:
            allowed, remedy = ", ".join(groups), closest(name, groups)
            raise SceneError("no such group of points", where=where, got=name, allowed=allowed, remedy=remedy)
    color = [groups[name].color for name in table.groups] if table.color is None else table.color
    tones = np.asarray(color, float)
    if table.cloud is not None:
        return _cloud(table, network, tones, where)
    return SurfaceLook(
        surface=tuple(f"{name}.position" for name in table.groups),
        radius=table.radius if isinstance(table.radius, float) else np.asarray(table.radius, float),
        color=tones if len(np.unique(np.atleast_2d(tones), axis=0)) > 1 else np.atleast_2d(tones)[0],
        reach=table.reach,
        cell=table.cell,
        tolerance=table.tolerance,
        rays=table.rays,
    )


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
        cloud=tuple(f"{name}.position" for name in table.groups),
        radius=table.radius,
        color=np.atleast_2d(tones)[0].tolist(),
        depth=table.depth,
        spread=table.spread,
        born=None if table.born is None else f"{table.born}.state",
    )
