"""Files of optical markers, in any format, unit and axes, as one recording."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.detect import check_size, find_unit, find_up, length_unit
from motiform.measure.frames import turn
from motiform.measure.markers.format import ReadOptions
from motiform.measure.markers.register import find_format
from motiform.measure.names import choose_markers, settle_names
from motiform.measure.plate_checks import settle_plates
from motiform.measure.plates import LOADED, describe_plate_channels, plate_channels, plate_normal
from motiform.measure.raw import Raw
from motiform.record.channel import Channel
from motiform.record.files import AnyPath, as_path
from motiform.record.recording import Recording
from motiform.record.si import to_si
from motiform.spatial.up_axis import up_vector

__all__ = ["read_markers"]

SIZE = (0.01, 50.0)
"""[m] What a subject may measure; a 2 km tall one is in another unit than its file states."""
GRAVITY = 9.81  # [m/s²]


@reads_file("markers")
def read_markers(
    path: AnyPath,
    *,
    up: str | None = None,
    units: str | None = None,
    names: Iterable[str] | Mapping[str, str] | None = None,
    subject: str | None = None,
    unlabeled: bool = False,
    rate: float | None = None,
    format: str | None = None,
    partial: bool = False,
    residuals: bool = True,
    size: tuple[float, float] = SIZE,
    loaded: float = LOADED,
) -> Recording:
    """Read a file of optical markers, in any format of `motiform.measure.markers.FORMATS`.

    The recording has the channel ``markers`` (samples, markers, 3) [m], nan where a marker was not seen, named by
    ``manifest["labels"]["marker"]``; from C3D also ``residuals``, ``analog``, ``plate.force``, ``plate.moment``,
    ``plate.center_of_pressure`` and ``plate.free_moment``, and events.

    Parameters
    ----------
    path : file. Its format is known from its content; ``format``, a name of the register ("c3d"), overrules.
    up : axis of the file that points up ("x", "y", "z", "-x", "-y", "-z"): what is read is turned so that y is up;
        "auto" turns by what is found. None keeps the file's axes; ``manifest["up"]`` and ``["gravity"]`` tell them.
    units : unit of length, if the file states none or a wrong one ("mm", "m", …).
    names : markers to keep, in their order, or {new name: marker}.
    subject : of several subjects ("Anna:LASI"), the one to keep.
    unlabeled : keep also markers without a name ("*12").
    rate : [Hz] for tables with neither times nor a rate.
    partial : of a truncated C3D file keep the complete samples.
    residuals : whether a negative residual of a C3D file states that a marker was not seen; False takes all that have
        coordinates, for files that write −1 everywhere.
    size : least and largest extent [m] of what was measured.
    loaded : upward force [N] from which on a force plate has a centre of pressure.
    """
    place = as_path(path)
    where = str(place)
    if rate is not None and not (isinstance(rate, (int, float)) and np.isfinite(rate) and rate > 0):
        raise InputError("rate must be positive", where=where, got=rate, allowed="a number above 0 Hz")
    raw = _read(place, format, ReadOptions(rate, partial, residuals))
    settle_names(raw, subject, unlabeled, where)
    if not np.isfinite(raw.points[..., 0]).any():
        raise InputError("no marker is seen in any sample", where=where, got=f"{len(raw.points)} samples of nothing")
    if units is None and raw.units is None:
        unit, remark = find_unit(raw.points, where)
        raw.notes.append(remark)
    else:
        unit = units or str(raw.units)
    rec = _assemble(raw, place, unit, size, loaded)
    if names is not None:
        rec = choose_markers(rec, names)
    return rec if up is None else _turned(rec, up)


def _read(path: Path, format: str | None, options: ReadOptions) -> Raw:
    found = find_format(path, format)
    try:
        return found.read(path, options)
    except OSError as error:
        raise InputError("cannot be read", where=str(path), got=error.strerror or str(error)) from error
    except MemoryError:
        raise InputError("the file is too large for the memory", where=str(path)) from None


def _assemble(raw: Raw, path: Path, unit: str, size: tuple[float, float], loaded: float) -> Recording:
    """Return the recording in SI, in the file's axes."""
    where = str(path)
    length = length_unit(unit, where)
    points = raw.points * length
    check_size(points, unit, size, where)
    axis, reason = find_up(points, raw.names, raw.up)
    up = None if axis is None else up_vector(axis)
    count = len(raw.names)
    when: dict[str, Any] = {"rate": raw.rate, "start": raw.start if raw.rate else 0.0}
    data: dict[str, tuple[Channel, Any]] = {
        "markers": (Channel("markers", unit="m", dims=("marker", "axis"), shape=(count, 3), **when), points)
    }
    if raw.residuals is not None:
        channel = Channel("residuals", unit="m", dims=("marker",), shape=(count,), **when)
        data["residuals"] = (channel, raw.residuals * length)
    labels = {"marker": raw.names, "axis": ["x", "y", "z"]}
    manifest: dict[str, Any] = {
        "source": path.name, "format": raw.format, "units": unit, "labels": labels, "up": axis, "up_by": reason,
        "gravity": None if up is None else (-GRAVITY * up + 0.0).tolist(), "first_frame": raw.first_frame,
        "subject": raw.subjects[0] if len(raw.subjects) == 1 else raw.subjects or None, "notes": raw.notes,
    }  # fmt: skip
    if raw.confidence:
        manifest["confidence"] = raw.confidence
    if raw.body:
        manifest["body"] = raw.body
    if raw.plates:
        settle_plates(raw, length, up, loaded)
    if raw.plates:
        values = plate_channels(raw, length, up, loaded)
        for channel in describe_plate_channels(len(raw.plates), raw.analog_rate, raw.start):
            data[channel.name] = (channel, values[channel.name])
        manifest["plates"] = [_plate_entry(plate, raw, length, up) for plate in raw.plates]
    if raw.analog is not None:
        data["analog"] = _analog(raw, manifest, where)
    return Recording.from_arrays(data, times=raw.times, events=raw.events, manifest=manifest)


def _plate_entry(plate: dict[str, Any], raw: Raw, length: float, up: np.ndarray | None) -> dict[str, Any]:
    corners = plate["corners"] * length
    entry = {} if plate["type"] != 4 else {"matrix": _si_matrix(plate, raw, length).tolist()}
    if plate["baseline"].any():
        pairs = zip(plate["baseline"], plate["channels"], strict=True)
        entry["baseline"] = [float(to_si(np.array(x), raw.analog_units[k], where="force plate")[1]) for x, k in pairs]
    return entry | {
        "type": plate["type"], "corners": corners.tolist(), "normal": plate_normal(corners, up).tolist(),
        "origin": (plate["origin"] * length).tolist(), "channels": plate["channels"].tolist(),
        "signs_turned": plate["turned"],
    }  # fmt: skip


def _si_matrix(plate: dict[str, Any], raw: Raw, length: float) -> np.ndarray:
    """Return the matrix that makes N and N m of a plate's channels in SI."""
    one = np.ones(1)
    factors = [to_si(one, raw.analog_units[k], where="force plate")[1][0] for k in plate["channels"]]
    return np.asarray(plate["matrix"] * np.repeat([1.0, length], 3)[:, None] / factors)


def _analog(raw: Raw, manifest: dict[str, Any], where: str) -> tuple[Channel, np.ndarray]:
    """Return the analog channels, in SI where their unit is known; units by name go to the manifest."""
    assert raw.analog is not None
    values, units = raw.analog, []
    for k, unit in enumerate(raw.analog_units):
        si, values[:, k] = to_si(values[:, k], unit, where=f"{where}: {raw.analog_names[k]}")
        units.append(si)
    manifest["labels"]["analog"], manifest["analog_units"] = raw.analog_names, units
    channel = Channel(
        "analog", dims=("analog",), shape=(len(units),), rate=raw.analog_rate, start=raw.start, units=tuple(units),
    )  # fmt: skip
    return channel, values


def _turned(rec: Recording, up: str) -> Recording:
    if up == "auto":
        if rec.manifest["up"] is None:
            raise InputError(
                "the vertical axis is not known", where=rec.manifest["source"], remedy="Say up='z', 'y', … instead."
            )
        up = rec.manifest["up"]
    return turn(rec, up=up)
