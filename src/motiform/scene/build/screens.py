"""Screens of a scene: tables to grids of pins, engravers and pistons."""

from typing import Any

from motiform.motion.matter import motions
from motiform.motion.screens import Engraver, Follow, ModeSegment, Pistons, Screen, ScreenLaw, Screens, blend
from motiform.scene.build.common import at_table
from motiform.scene.build.matter import build_networks
from motiform.scene.build.matter.motion import build_moves, read_recording
from motiform.scene.read.load import Scene
from motiform.scene.tables.screen import EngraverTable, ScreenLawTable, ScreenTable

__all__ = ["build_screens"]

_LAW = ("stiffness", "damping", "neighbour_stiffness", "neighbour_damping")
_GIVEN = ("spacing", "mass", "frequency", "edges", "rest", "origin", "axes", "dtype")


def build_screens(scene: Scene) -> Screens:
    """Return the screens of a scene, with its networks."""
    document = scene.document
    network = build_networks(scene) if document.network else None
    made = {table.name: _screen(scene, n, table) for n, table in enumerate(document.screen)}
    colors = {table.name: table.color for table in document.screen}
    with at_table(scene, "screen", 0):
        scales = {table.name: table.scale for table in document.screen}
        levels = {table.name: table.level for table in document.screen if table.level is not None}
        return Screens(made, network, colors, scales, levels)


def _screen(scene: Scene, n: int, table: ScreenTable) -> Screen:
    engravers = tuple(_engraver(scene, n, k, one) for k, one in enumerate(table.engraver))
    given: dict[str, Any] = {key: getattr(table, key) for key in _GIVEN}
    with at_table(scene, "screen", n):
        pistons = None if table.pistons is None else Pistons(**table.pistons.model_dump())
        return Screen(shape=tuple(table.shape), law=_law(table.law), engravers=engravers, pistons=pistons, **given)


def _law(table: ScreenLawTable | str) -> ScreenLaw | ModeSegment | str:
    if isinstance(table, str):
        return table
    if table.start is not None and table.end is not None:
        return ModeSegment(table.start, table.end)
    if table.blend is not None and table.part is not None:
        return blend(*table.blend, table.part)
    return ScreenLaw(*(getattr(table, key) for key in _LAW))


def _engraver(scene: Scene, n: int, k: int, table: EngraverTable) -> Engraver:
    keys = ("name", "stiffness", "damping", "reach", "height", "mass", "velocity", "force", "drag")
    given: dict[str, Any] = {key: getattr(table, key) for key in keys}
    with at_table(scene, "screen", n, "engraver", k):
        if table.follow is not None:
            names = table.follow if isinstance(table.follow, str) else tuple(table.follow)
            return Engraver(points=Follow(names), **given)
        if table.motion is not None and table.motion.recording is not None:
            source = table.motion.recording
            rec = read_recording(scene, source.file)
            places, rate = motions.recorded_points(rec, source.channel, marker=source.marker, index=source.index)
            return Engraver(points=places, rate=rate, **given)
        if table.motion is not None:
            return Engraver(points=motions.MovedPoints(table.points, build_moves(table.motion)), **given)  # type: ignore[arg-type]
        return Engraver(points=table.points, **given)  # type: ignore[arg-type]
