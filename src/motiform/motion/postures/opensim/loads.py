"""Forces of the ground from OpenSim's files: external loads (.xml) with their table, or the table alone."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.changes import changed
from motiform.measure.frames import turn
from motiform.measure.plates import LOADED, PLATE_CHANNELS, center_of_pressure, describe_plate_channels
from motiform.measure.raw import even_times
from motiform.measure.sto import read_sto_table
from motiform.motion.postures.opensim.ik import beside
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.record.files import AnyPath, as_path
from motiform.record.recording import Recording

__all__ = ["add_forces", "read_external_loads"]

_AXES = ("x", "y", "z")
_FORCE = re.compile(r"(?P<before>.*force(?:(?!force).)*?)v(?P<axis>x)(?P<after>.*)", re.IGNORECASE)
_UP = np.array([0.0, 1.0, 0.0])


@reads_file("external loads of OpenSim")
def read_external_loads(path: AnyPath, *, data: AnyPath | None = None, loaded: float = LOADED) -> Recording:
    """Return what the ground does to a subject, from external loads of OpenSim (.xml) or a table (.mot, .sto).

    The recording has the channels of force plates, y up: ``plate.force``, ``plate.moment`` about the world's origin,
    ``plate.center_of_pressure`` and ``plate.free_moment``, one plate for each force. ``manifest["plates"]`` tells
    the segment that a file of external loads puts each force on; forces of a table alone are put on feet by
    `assign_plates`.

    Parameters
    ----------
    path : an .xml file with ExternalLoads, which names its table, or the table: columns ground_force_vx, …_px,
        ground_torque_x, with a number or a side before or behind.
    data : the table, in place of the one that the file names.
    loaded : upward force from which on there is a centre of pressure [N].

    """
    place = as_path(path)
    if place.suffix.lower() != ".xml":
        return _of_table(place, loaded)
    loads = read_document(place, ("ExternalLoads",))
    table = _table_of(loads, place, data)
    _, names, numbers = read_sto_table(table)
    each = [node for node in loads.objects if node.tag in ("ExternalForce", "PrescribedForce")]
    used = [node for node in each if node.flag("appliesForce", True) and not node.flag("isDisabled", False)]
    if not used:
        raise loads.error("external loads must have a force that is applied", got=f"{len(each)} forces")
    forces = [_by_identifiers(node, names, numbers, table) for node in used]
    segments = [node.value("applied_to_body").rsplit("/", 1)[-1] for node in used]
    return _recording(numbers[:, 0], forces, segments, place, loaded)


def _table_of(loads: Node, place: Path, data: AnyPath | None) -> Path:
    if data is not None:
        return as_path(data)
    name = loads.value("datafile")
    if not name:
        raise loads.error("external loads must name their <datafile>", remedy="Give the table as data=.")
    found = beside(place, name)
    if found is None or not found.is_file():
        raise loads.error("no such table of forces", got=name, remedy=f"Put it into {place.parent}, or say data=.")
    return found


def _by_identifiers(node: Node, names: list[str], numbers: Array, table: Path) -> tuple[Array, Array, Array]:
    """Return force, point and torque (samples, 3) of one load, by the beginnings of the names of its columns."""
    for field in ("force_expressed_in_body", "point_expressed_in_body"):
        body = node.value(field, "ground")
        if body and body.rsplit("/", 1)[-1].lower() != "ground":
            raise node.error("external loads must be expressed in the ground", got=f"{field} {body}")
    found, lower = [], [name.lower() for name in names]
    for what in ("force", "point", "torque"):
        start = node.value(f"{what}_identifier")
        columns = [start + axis for axis in _AXES]
        if columns[0] not in names and columns[0].lower() in lower:
            columns = [names[lower.index(column.lower())] if column.lower() in lower else column for column in columns]
        if not start:
            found.append(np.zeros((len(numbers), 3)))
        elif any(column not in names for column in columns):
            raise node.error(
                "the table must have the columns of the load", got=", ".join(columns), allowed=", ".join(names[1:13]),
                remedy=f"Look at the names in {table.name}.",
            )  # fmt: skip
        else:
            found.append(numbers[:, [names.index(column) for column in columns]])
    return found[0], found[1], found[2]


def _of_table(place: Path, loaded: float) -> Recording:
    if not place.is_file():
        raise InputError("no such file", where=str(place), allowed="external loads (.xml), or a table (.mot, .sto)")
    _, names, numbers = read_sto_table(place)
    forces = []
    for name in names[1:]:
        match = _FORCE.fullmatch(name)
        if match is None:
            continue
        before, after = match["before"], match["after"]
        patterns = [f"{before}v{{}}{after}", f"{before}p{{}}{after}", f"{_torque(before)}{{}}{after}"]
        columns = [[pattern.format(axis) for axis in _AXES] for pattern in patterns]
        if not all(column in names for column in columns[0] + columns[1]):
            raise InputError(
                "forces must have all columns", where=str(place), got=name, allowed=", ".join(columns[0] + columns[1])
            )
        parts = [numbers[:, [names.index(c) for c in three]] if three[0] in names else None for three in columns]
        zero = np.zeros((len(numbers), 3))
        forces.append((parts[0], parts[1], zero if parts[2] is None else parts[2]))
    if not forces:
        raise InputError(
            "the table has no force", where=str(place), got=", ".join(names[1:5]),
            allowed="columns ground_force_vx, ground_force_px, ground_torque_x, …",
        )  # fmt: skip
    return _recording(numbers[:, 0], forces, None, place, loaded)  # type: ignore[arg-type]


def _torque(before: str) -> str:
    return re.sub("force", lambda word: "torque" if word[0].islower() else "Torque", before, flags=re.IGNORECASE)


def _recording(
    times: Array, forces: list[tuple[Array, Array, Array]], segments: list[str] | None, place: Path, loaded: float
) -> Recording:
    """Return the channels of plates; the torque of a load is about its point."""
    even = even_times(times, None)
    rate, start = even if even else (None, 0.0)
    found: dict[str, list[Array]] = {name: [] for name in PLATE_CHANNELS}
    for force, point, torque in forces:
        f, p, m = (np.where(np.isfinite(x), x, 0.0) for x in (force, point, torque))
        moment = m + np.cross(p, f)
        pressure, free = center_of_pressure(m, f, np.zeros(3), _UP, loaded)
        found["plate.force"].append(f)
        found["plate.moment"].append(moment)
        found["plate.center_of_pressure"].append(p + pressure)
        found["plate.free_moment"].append(free)
    plates: list[dict[str, Any]] = [{"normal": [0.0, 1.0, 0.0]} for _ in forces]
    for entry, name in zip(plates, segments or (), strict=False):
        entry["segment"] = name
    channels = describe_plate_channels(len(forces), rate or 1.0, start)
    data = {c.name: (c if rate else _without_rate(c), np.stack(found[c.name], axis=1)) for c in channels}
    manifest = {"source": place.name, "format": "opensim", "plates": plates, "up": "y", "gravity": [0.0, -9.81, 0.0]}
    return Recording.from_arrays(data, times=None if rate else times, manifest=manifest)


def _without_rate(channel: Any) -> Any:
    from dataclasses import replace

    return replace(channel, rate=None, start=0.0)


def add_forces(markers: Recording, forces: Recording) -> Recording:
    """Return markers with the force plates of another recording, in place of their own.

    Both get y up. Times are those of the files: a table that was cut or shifted must be shifted by its maker.
    """
    both = [
        turn(rec, up=rec.manifest["up"]) if rec.manifest.get("up") not in (None, "y") else rec
        for rec in (markers, forces)
    ]
    names = [name for name in PLATE_CHANNELS if name in both[1]]
    if "plate.force" not in names:
        raise InputError("the recording has no force plate", where=forces._where, allowed="a channel 'plate.force'")
    first, last = (float(both[0].time("markers")[k]) for k in (0, -1))
    begin, end = (float(both[1].time("plate.force")[k]) for k in (0, -1))
    if begin > last or end < first:
        got = f"markers from {first:g} to {last:g} s, forces from {begin:g} to {end:g} s"
        raise InputError("markers and forces must have a time in common", where=forces._where, got=got)
    data = {name: (both[1].channel(name), both[1][name]) for name in names}
    stamps = None if both[1].channel("plate.force").rate is not None else both[1].time("plate.force")
    stated = {"plates": both[1].manifest.get("plates", []), "forces": both[1].manifest.get("source")}
    return changed(both[0], data, manifest=stated, times=stamps)
