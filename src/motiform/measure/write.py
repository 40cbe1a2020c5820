"""Markers written as C3D and CSV; `write_trc` is beside its reader."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import check_markers, marker_names
from motiform.measure.detect import length_unit
from motiform.measure.trc import refuse_existing
from motiform.record.files import PARTIAL, as_path, disk, write_file
from motiform.record.recording import Recording, _Path

__all__ = ["write_c3d", "write_markers_csv"]

_MOST_FRAMES = 65535  # what the header of a C3D file can count to
_MOST_MARKERS = 255 * 40


def write_markers_csv(rec: Recording, path: _Path, *, units: str = "m", overwrite: bool = False) -> None:
    """Write the markers as a CSV table: ``time [s],LASI.x [m],LASI.y [m],…``; occluded ones are left blank.

    In metres reading it gives the same bits.
    """
    factor = length_unit(units, "write_markers_csv")
    points = check_markers(rec)
    flat = (points if factor == 1.0 else points / factor).reshape(len(points), -1)
    place = as_path(path)
    refuse_existing(place, overwrite)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time [s]", *(f"{name}.{axis} [{units}]" for name in marker_names(rec) for axis in "xyz")])
    for t, row in zip(rec.time("markers").tolist(), flat.tolist(), strict=True):
        writer.writerow([repr(t), *("" if x != x else repr(x) for x in row)])
    with disk(place):
        write_file(place, out.getvalue().encode())


def write_c3d(rec: Recording, path: _Path, *, units: str = "mm", overwrite: bool = False) -> None:
    """Write markers, residuals, analog channels, force plates and events as a C3D file (numbers in 32 bits).

    Markers keep the recording's axes; POINT:Y_SCREEN tells which of them is up. Needs an even rate.
    """
    import ezc3d

    factor = length_unit(units, "write_c3d")
    points, names, channel = check_markers(rec), marker_names(rec), rec.channel("markers")
    if channel.rate is None:
        raise InputError("a C3D file needs even times", where=rec._where, remedy="Use resample(rec, rate=…) first.")
    place = as_path(path)
    refuse_existing(place, overwrite)
    c3d = ezc3d.c3d()
    hidden = np.isnan(points).any(-1)
    quads = np.ones((4, len(names), len(points)))
    quads[:3] = np.where(hidden[..., None], np.nan, points / factor).transpose(2, 1, 0)
    c3d["data"]["points"] = quads
    residuals = np.nan_to_num(rec["residuals"]) / factor if "residuals" in rec else np.zeros(hidden.shape)
    c3d["data"]["meta_points"]["residuals"] = np.where(hidden, -1.0, residuals).T[None]
    put = c3d["parameters"]["POINT"]
    put["RATE"]["value"], put["UNITS"]["value"] = [channel.rate], [units]
    put["LABELS"]["value"] = names
    _add_screen(c3d, rec.manifest.get("up"))
    first = round(channel.start * channel.rate) + 1
    c3d["header"]["points"]["first_frame"] = max(0, first - 1)
    if "analog" in rec:
        _add_analog(c3d, rec, channel.rate, units, factor)
    for event in rec.events:
        detail = event.detail
        c3d.add_event([event.time // 60, event.time % 60], str(detail.get("context", "")), event.name,
                      subject=str(detail.get("subject", "")))  # fmt: skip
    last = first + len(points) - 1
    for end, number in (("START", first), ("END", last)):
        _put_whole(c3d, "TRIAL", f"ACTUAL_{end}_FIELD", np.array([number % 65536, number // 65536]))
    with disk(place):
        _write(c3d, place)


def _put_whole(c3d: Any, group: str, name: str, values: np.ndarray) -> None:
    """Add a parameter of 16-bit whole numbers, which ezc3d would write as reals."""
    import ezc3d

    c3d.add_parameter(group, name, values.astype(float))
    signed = (values + 32768) % 65536 - 32768
    c3d["parameters"][group][name] |= {"type": ezc3d.ezc3d.INT, "value": signed}


def _add_screen(c3d: Any, up: str | None) -> None:
    if up is None:
        return
    across = "+Y" if up[-1] == "x" else "+X"
    c3d.add_parameter("POINT", "X_SCREEN", [across])
    c3d.add_parameter("POINT", "Y_SCREEN", [("-" if up[0] == "-" else "+") + up[-1].upper()])


def _add_analog(c3d: Any, rec: Recording, rate: float, units: str, factor: float) -> None:
    channel = rec.channel("analog")
    ratio = (channel.rate or 0.0) / rate
    if abs(ratio - round(ratio)) > 1e-9 or round(ratio) * rec.count("markers") != rec.count("analog"):
        raise InputError("analog channels need a whole number of samples for each of the markers", where=rec._where,
                         got=f"{ratio:g}")  # fmt: skip
    put = c3d["parameters"]["ANALOG"]
    labels = rec.manifest.get("labels", {}).get("analog") or [f"A{k + 1}" for k in range(channel.shape[0])]
    told = rec.manifest.get("analog_units") or [""] * channel.shape[0]
    scale = np.array([1.0 / factor if unit in ("m", "N m") else 1.0 for unit in told])  # what other readers expect
    put["RATE"]["value"], put["LABELS"]["value"] = [channel.rate], list(labels)
    put["UNITS"]["value"] = [{"m": units, "N m": f"N{units}"}.get(unit, unit) for unit in told]
    c3d["data"]["analogs"] = (rec["analog"] * scale).T[None]
    plates = rec.manifest.get("plates", [])
    if plates:
        _add_plates(c3d, plates, factor, scale)


def _add_plates(c3d: Any, plates: list[dict[str, Any]], factor: float, scale: np.ndarray) -> None:
    group = "FORCE_PLATFORM"
    _put_whole(c3d, group, "USED", np.array([len(plates)]))
    _put_whole(c3d, group, "TYPE", np.array([plate["type"] for plate in plates]))
    corners = np.stack([np.asarray(plate["corners"]).T / factor for plate in plates], axis=2)
    c3d.add_parameter(group, "CORNERS", corners)
    c3d.add_parameter(group, "ORIGIN", np.stack([np.asarray(p["origin"]) / factor for p in plates], axis=1))
    width = max(len(plate["channels"]) for plate in plates)
    numbers = np.zeros((width, len(plates)), int)
    for k, plate in enumerate(plates):
        numbers[: len(plate["channels"]), k] = np.asarray(plate["channels"]) + 1
    _put_whole(c3d, group, "CHANNEL", numbers)
    matrices = np.zeros((6, 6, len(plates)))
    for k, plate in enumerate(plates):
        if "matrix" in plate:
            rows = np.repeat([1.0, factor], 3)[:, None]
            matrices[:, :, k] = np.asarray(plate["matrix"]) / rows / scale[plate["channels"]]
    c3d.add_parameter(group, "CAL_MATRIX", matrices)


def _write(c3d: Any, path: Path) -> None:
    """Write aside, then put it in place: ezc3d writes only to names that end in .c3d."""
    aside = path.with_name(f".{path.stem}{PARTIAL}.c3d")
    try:
        c3d.write(str(aside))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
