"""What motion wears in a scene: tables to surfaces around points of networks."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import MotiformError, SceneError, closest
from motiform.form import Looks, SurfaceLook
from motiform.motion.matter import Network
from motiform.scene.tables.form import FormTable

if TYPE_CHECKING:
    from motiform.scene.read.load import Scene

__all__ = ["dress_scene"]


def dress_scene(scene: "Scene", looks: Looks, network: Network | None) -> Looks:
    """Return the looks with the surfaces of a scene in place of the points that they cover."""
    for n, table in enumerate(scene.document.form):
        where = scene.place("form", n)
        try:
            looks = looks.covered(table.name, _surface(table, network, where))
        except SceneError:
            raise
        except MotiformError as error:
            raise SceneError(f"{where}: {error}") from error
    return looks


def _surface(table: FormTable, network: Network | None, where: str) -> SurfaceLook:
    groups = {} if network is None else {group.name: group for group in network.groups}
    for name in table.groups:
        if name not in groups:
            allowed, remedy = ", ".join(groups), closest(name, groups)
            raise SceneError("no such group of points", where=where, got=name, allowed=allowed, remedy=remedy)
    color = [groups[name].color for name in table.groups] if table.color is None else table.color
    tones = np.asarray(color, float)
    return SurfaceLook(
        surface=tuple(f"{name}.position" for name in table.groups),
        radius=table.radius if isinstance(table.radius, float) else np.asarray(table.radius, float),
        color=tones if len(np.unique(np.atleast_2d(tones), axis=0)) > 1 else np.atleast_2d(tones)[0],
        reach=table.reach,
        cell=table.cell,
        rays=table.rays,
    )
