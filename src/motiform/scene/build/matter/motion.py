"""Motions of a scene's points and solids, from its tables."""

from motiform.motion.matter import motions
from motiform.motion.matter.motions.moves import Move
from motiform.record import Recording
from motiform.scene.read.load import Scene
from motiform.scene.tables.place import SpinTable, WayTable

__all__ = ["build_moves", "read_recording"]


def build_moves(table: WayTable) -> tuple[Move, ...]:
    """Return the moves of a table, which has no recording."""
    found: list[Move] = []
    if table.path is not None:
        found.append(motions.Path(**table.path.model_dump()))
    if table.wave is not None:
        found.append(motions.Wave(**table.wave.model_dump()))
    if table.circle is not None:
        found.append(motions.Circle(**table.circle.model_dump()))
    if table.spin is not None:
        found.append(_turn(table.spin))
    return tuple(found)


def _turn(table: SpinTable) -> motions.Spin | motions.Swing:
    if table.speed is not None:
        return motions.Spin(table.speed, table.axis, table.at, table.phase)
    assert table.amplitude is not None
    assert table.frequency is not None
    return motions.Swing(table.amplitude, table.frequency, table.axis, table.at, table.phase)


def read_recording(scene: Scene, file: str) -> Recording:
    """Return a recording, a table or a file of markers in the scene's folder."""
    from motiform.measure import read_markers
    from motiform.record import open_recording, read_csv

    path = scene.file(file, folder=True)
    if path.is_dir():
        return open_recording(path)
    return read_markers(path) if path.suffix.lower() in (".c3d", ".trc") else read_csv(path)
