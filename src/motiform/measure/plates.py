"""Force plates: from their channels to the ground's force, moment, centre of pressure and free moment."""

from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.raw import Raw
from motiform.record.channel import Channel
from motiform.record.recording import Recording, check_recording
from motiform.record.si import to_si
from motiform.spatial.checks import as_floats

__all__ = [
    "PLATE_CHANNELS", "center_of_pressure", "describe_plate_channels", "plate_channels", "plate_frame", "plate_normal",
    "plate_quantities", "plate_wrench", "resample_plates",
]  # fmt: skip

PLATE_CHANNELS = ("plate.force", "plate.moment", "plate.center_of_pressure", "plate.free_moment")
LOADED = 20.0
"""[N] Upward force below which a centre of pressure is noise: it is nan there."""
_LOADS = {1: ("N", "N", "N", "m", "m", "N m"), 2: ("N",) * 3 + ("N m",) * 3, 3: ("N",) * 8}


def plate_frame(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the axes of a plate (columns, in the axes of the corners) and the centre of its surface.

    Corners (4, 3) lie at (+x, +y), (−x, +y), (−x, −y), (+x, −y) of the plate's own axes; most have z downwards.
    """
    x, y = corners[0] - corners[1], corners[0] - corners[3]
    z = np.cross(x, y)
    size = np.linalg.norm(z)
    if not size > 0:
        raise InputError("the corners of a force plate must enclose an area", got=corners.tolist())
    x, z = x / np.linalg.norm(x), z / size
    return np.stack([x, np.cross(z, x), z], axis=1), corners.mean(0)


def plate_wrench(plate: dict[str, Any], table: np.ndarray, units: list[str], length: float) -> np.ndarray:
    """Return (samples, 6): moment [N m] about the centre of the surface and force [N], in the plate's own axes.

    ``table`` (samples, channels) is in its ``units``; ``length`` is the file's unit of length [m].
    """
    kind = plate["type"]
    table = table @ plate["matrix"].T if kind == 4 else _in_si(table, units, _LOADS[kind], length)
    if kind == 4:
        table = table * np.repeat([1.0, length], 3)
    origin = plate["origin"] * length
    down = np.array([0.0, 0.0, -abs(origin[2])])  # from the sensors up to the surface, z of the plate downwards
    if kind == 1:
        force = table[:, :3]
        arm = np.column_stack([table[:, 3:5], np.zeros(len(table))])
        moment = np.cross(arm, force) + table[:, 5:6] * (0.0, 0.0, 1.0)
        return np.concatenate([moment, force], axis=1)
    if kind == 3:
        force, moment = _four_sensors(table, abs(origin[0]), abs(origin[1]))
    else:
        force, moment = table[:, :3], table[:, 3:]
        down = -origin if origin[2] > 0 else origin
    return np.concatenate([moment - np.cross(down, force), force], axis=1)


def _four_sensors(table: np.ndarray, a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """Return force and moment of a plate with sensors at (±a, ±b): fx12 fx34 fy14 fy23 fz1 fz2 fz3 fz4."""
    x12, x34, y14, y23, z1, z2, z3, z4 = table.T
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=1)
    moment = [b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (x34 - x12) + a * (y14 - y23)]
    return force, np.stack(moment, axis=1)


def _in_si(table: np.ndarray, units: list[str], wanted: tuple[str, ...], length: float) -> np.ndarray:
    """Return the columns in SI; one without a known unit counts in N and in the file's unit of length."""
    found = table.astype(np.float64)
    for k, goal in enumerate(wanted):
        si, column = to_si(table[:, k], units[k], where="force plate")
        found[:, k] = column if si == goal else table[:, k] * (length if "m" in goal else 1.0)
    return found


def plate_quantities(
    wrench: np.ndarray, corners: np.ndarray, up: np.ndarray | None = None, loaded: float = LOADED
) -> tuple[dict[str, np.ndarray], bool]:
    """Return the ground reaction on the subject, by channel name, and whether the signs of the plate were reversed.

    ``wrench`` is that of `plate_wrench`, ``corners`` (4, 3) [m]. A plate can push and not pull: where the file keeps
    what the subject does to the plate, force and moment change sign. The centre of pressure lies in the plane of the
    surface, the free moment is about its normal, upwards.
    """
    axes, center = plate_frame(corners)
    n = plate_normal(corners, up)
    moment, force = wrench[:, :3] @ axes.T, wrench[:, 3:] @ axes.T
    press = force @ n
    turned = bool(np.nansum(press * np.abs(press)) < 0)
    if turned:
        moment, force = -moment, -force
    pressure, free = center_of_pressure(moment, force, center, n, loaded)
    found = {"plate.force": force, "plate.moment": moment + np.cross(center, force)}
    return found | {"plate.center_of_pressure": pressure, "plate.free_moment": free}, turned


def plate_normal(corners: np.ndarray, up: np.ndarray | None = None) -> np.ndarray:
    """Return the normal of a plate's surface, upwards: against its own z, or to the side of ``up`` if given."""
    n = -plate_frame(corners)[0][:, 2]
    return n * np.sign(n @ up) if up is not None and abs(n @ up) > 0.5 else n


def center_of_pressure(
    moment: np.ndarray, force: np.ndarray, center: np.ndarray, normal: np.ndarray, loaded: float = LOADED
) -> tuple[np.ndarray, np.ndarray]:
    """Return centre of pressure (samples, 3) [m] and free moment (samples,) [N m] of a wrench about ``center``.

    p = n × M / (n · F) in the plane of the surface; both are nan where n · F is not above ``loaded`` [N].
    """
    moment, force = (np.atleast_2d(as_floats(one, 3, where="wrench", finite=False)) for one in (moment, force))
    press = force @ normal
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.where(press[:, None] > loaded, np.cross(normal, moment) / press[:, None], np.nan)
    return center + arm, (moment - np.cross(arm, force)) @ normal


def plate_channels(raw: Raw, length: float, up: np.ndarray | None, loaded: float) -> dict[str, np.ndarray]:
    """Return the channels of all plates of a file [SI, the file's axes], and write what was found into the plates."""
    assert raw.analog is not None
    found: dict[str, list[np.ndarray]] = {name: [] for name in PLATE_CHANNELS}
    for plate in raw.plates:
        table = raw.analog[:, plate["channels"]] - plate["baseline"]
        wrench = plate_wrench(plate, table, [raw.analog_units[k] for k in plate["channels"]], length)
        values, plate["turned"] = plate_quantities(wrench, plate["corners"] * length, up, loaded)
        for name, value in values.items():
            found[name].append(value)
    return {name: np.stack(values, axis=1) for name, values in found.items()}


def describe_plate_channels(count: int, rate: float, start: float) -> list[Channel]:
    """Return the channels of so many plates."""
    descriptions = {
        "plate.force": ("N", "of the ground on the subject"),
        "plate.moment": ("N m", "of the ground on the subject, about the world's origin"),
        "plate.center_of_pressure": ("m", "centre of pressure; nan where the plate is not loaded"),
        "plate.free_moment": ("N m", "about the plate's normal, upwards, at the centre of pressure"),
    }
    vector: dict[str, Any] = {"dims": ("plate", "axis"), "shape": (count, 3)}
    return [
        Channel(name, unit=unit, rate=rate, start=start, description=words,
                **({"dims": ("plate",), "shape": (count,)} if name.endswith("free_moment") else vector))
        for name, (unit, words) in descriptions.items()
    ]  # fmt: skip


def resample_plates(
    rec: Recording, *, cutoff: float | None = 50.0, order: int = 2, loaded: float = LOADED
) -> Recording:
    """Return the recording with its force plates at the times of the markers.

    Force and moment go through a zero-phase low-pass at ``cutoff`` [Hz] first (None: none), so that nothing above half
    of the markers' rate is folded down; centre of pressure and free moment follow from them.
    """
    from motiform.measure.changes import changed
    from motiform.measure.filters import low_pass
    from motiform.record.resampling import resample

    check_recording(rec)
    if "plate.force" not in rec:
        raise InputError("the recording has no force plate", where=rec._where, allowed="a channel 'plate.force'")
    if cutoff is not None:
        rec = low_pass(rec, cutoff, order=order, names=("plate.force", "plate.moment"))
    times = rec.time("markers")
    first, last = rec._ends("plate.force")
    inside = np.clip(times, first, last)  # the last marker may come after the last analog sample by less than one
    moved = resample(rec, times=inside, names=("plate.force", "plate.moment"))
    force, moment = np.array(moved["plate.force"]), np.array(moved["plate.moment"])
    values = {"plate.force": force, "plate.moment": moment} | _from_wrench(rec, force, moment, loaded)
    marker = rec.channel("markers")
    channels = {name: replace(rec.channel(name), rate=marker.rate, start=marker.start) for name in PLATE_CHANNELS}
    return changed(rec, {name: (channels[name], values[name]) for name in PLATE_CHANNELS}, times=times)


def _from_wrench(rec: Recording, force: np.ndarray, moment: np.ndarray, loaded: float) -> dict[str, np.ndarray]:
    """Return centres of pressure and free moments of plates whose corners the manifest states."""
    pressure, free = np.full(force.shape, np.nan), np.full(force.shape[:2], np.nan)
    for k, plate in enumerate(rec.manifest.get("plates", [])):
        corners = np.asarray(plate["corners"], float)
        n, center = np.asarray(plate["normal"], float), corners.mean(0)
        about = moment[:, k] - np.cross(center, force[:, k])
        pressure[:, k], free[:, k] = center_of_pressure(about, force[:, k], center, n, loaded)
    return {"plate.center_of_pressure": pressure, "plate.free_moment": free}
