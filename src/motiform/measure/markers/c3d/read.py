"""Markers, residuals, analog channels, force plates and events of C3D files."""

import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.markers.c3d.parameters import BLOCK, C3dParameters, NumberFormat, read_parameters
from motiform.measure.markers.format import ReadOptions
from motiform.measure.raw import Raw, forget_occluded
from motiform.record.channel import Event

__all__ = ["read_c3d"]

_MOST_FRAMES = 65535  # what the words of the header can count to
_COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")  # lists of names in POINT
_AXES, _RIGHT = "OALP", 0.01  # letters of origin and tips, and the cosine of a right angle at most
_PERSON = {"mass": (5.0, 300.0), "height": (0.5, 2.5)}  # [kg], [m]
_TALLEST = 3.0  # [m], above which a height is in mm
_EVENTS_AT, _MOST_EVENTS, _EVENT_MARK = 2 * 152, 18, 12345


class _Header(NamedTuple):
    """The first block of the file."""

    parameters: int
    points: int
    measurements: int
    first: int
    last: int
    scale: float
    data: int
    subframes: int
    rate: float


def read_c3d(path: Path, options: ReadOptions) -> Raw:
    """Read points, residuals, analog channels, force plates and events, in the file's units and axes."""
    where = str(path)
    data = np.fromfile(path, np.uint8)
    head = data[: 256 * BLOCK].tobytes()  # header and parameters
    if len(head) < BLOCK or head[1] != 80:
        got = f"{len(head)} bytes" if len(head) < BLOCK else f"second byte {head[1]}"
        raise InputError(
            "a C3D file must begin with its header", where=where, got=got,
            allowed="a header of 512 bytes with the mark 80",
        )  # fmt: skip
    parameters, numbers = read_parameters(head, head[0], where)
    header = _header(head, numbers, where)
    first, stated = _frames(header, parameters)
    notes: list[str] = []
    header = _settle_analog(header, parameters, stated, len(data), notes, where)
    points, residuals, analog, frames = _samples(
        data, header, numbers, parameters, (first, stated), options.partial, where
    )
    if options.residuals and (residuals < 0).all() and points.any():
        raise InputError(
            "residuals must not be negative in all samples, as if no marker was seen", where=where, got="−1 everywhere",
            remedy="Where the coordinates are right, say residuals=False to take those that are not zero.",
        )  # fmt: skip
    rate = parameters.number("POINT", "RATE") or header.rate
    if not np.isfinite(rate) or rate <= 0:
        raise InputError(
            "the rate of the markers must be positive", where=where, got=rate, allowed="a number above 0 Hz"
        )
    raw = Raw(
        "c3d", forget_occluded(points, residuals if options.residuals else None),
        _labels(parameters, "POINT", header.points, "M"), rate=float(rate),
        start=max(0, first - 1) / float(rate), first_frame=first,
        units=parameters.text("POINT", "UNITS") or None, up=_screen_up(parameters),
        subjects=[name for name in parameters.texts("SUBJECTS", "NAMES") if name],
        residuals=np.where(residuals < 0, np.nan, residuals), events=_events(head, parameters, numbers), notes=notes,
    )  # fmt: skip
    if frames < stated:
        raw.notes.append(f"the file is cut short: {frames} of {stated} samples are kept")
    _leave_out_computed(raw, parameters)
    _leave_out_axes(raw)
    raw.body = _body(parameters)
    if analog.shape[1]:
        _add_analog(raw, parameters, analog, header)
        _add_plates(raw, parameters)
    return raw


def _header(head: bytes, numbers: NumberFormat, where: str) -> _Header:
    words = numbers.words(head[:BLOCK]).view(np.uint16)
    scale, rate = (float(numbers.floats(head[at : at + 4])[0]) for at in (12, 20))
    points, measurements, first, last = (int(words[k]) for k in (1, 2, 3, 4))
    found = _Header(head[0], points, measurements, first, last, scale, int(words[8]), int(words[9]), rate)
    if found.points == 0:
        raise InputError("the C3D file has no marker", where=where)
    if found.data < 2 or not np.isfinite(scale):
        raise InputError("the header of the C3D file is damaged", where=where, got=f"data in block {found.data}")
    return found


def _settle_analog(
    header: _Header, parameters: C3dParameters, frames: int, size: int, notes: list[str], where: str
) -> _Header:
    """Return the header with counts of analog numbers that go with one another and with the size of the file.

    Some programs write the number of channels in place of that of the numbers, or no number of samples: what
    ANALOG:USED says then decides. Numbers that are left over are dropped, as other readers do.
    """
    stated, subframes = header.measurements, header.subframes
    if not stated or (subframes and stated % subframes == 0):
        return header
    used = int(np.nan_to_num(parameters.number("ANALOG", "USED") or 0.0))
    tries = [(used * subframes, subframes), (stated, stated // used if used > 0 and stated % used == 0 else 0)]
    tries += [(stated, subframes)] if 0 < subframes < stated else []
    room = (size - (header.data - 1) * BLOCK) // (4 if header.scale < 0 else 2)
    fitting = [(n, k) for n, k in tries if n > 0 and k > 0 and frames * (4 * header.points + n) <= room]
    if not fitting:
        got = f"{stated} analog numbers in {subframes} samples"
        raise InputError("the header of the C3D file is damaged", where=where, got=got)
    count, steps = max(fitting)
    notes.append(
        f"the header states {stated} analog numbers in {subframes} samples; taken are {count // steps} channels, "
        f"{steps} times with each sample of the markers"
    )
    return header._replace(measurements=count, subframes=steps)


def _frames(header: _Header, parameters: C3dParameters) -> tuple[int, int]:
    """Return number of the first sample and count of samples; the header's words end at 65535."""
    first, last = header.first, header.last
    ends = [np.nan_to_num(parameters.array("TRIAL", f"ACTUAL_{end}_FIELD").ravel()) for end in ("START", "END")]
    if all(end.size == 2 for end in ends):
        wide = [int(end[0]) % 65536 + 65536 * (int(end[1]) % 65536) for end in ends]
        if wide[1] >= wide[0] and (last == _MOST_FRAMES or (wide[1] - last) % 65536 == 0):
            return wide[0], wide[1] - wide[0] + 1
    count = last - first + 1
    for name in ("LONG_FRAMES", "FRAMES"):
        values = parameters.array("POINT", name).ravel()
        if values.size and last == _MOST_FRAMES and np.isfinite(values[0]):
            number = int(values[0]) % 65536 if values.dtype.kind == "i" else int(values[0])
            count = max(count, number)
    return first, count


def _samples(
    data: np.ndarray, header: _Header, numbers: NumberFormat, parameters: C3dParameters, span: tuple[int, int],
    partial: bool, where: str,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:  # fmt: skip
    """Return points (frames, points, 3), residuals (frames, points), −1 where not seen, analog (samples, channels)."""
    (first, frames), real = span, header.scale < 0
    numbers_per_frame = 4 * header.points + header.measurements
    size = numbers_per_frame * (4 if real else 2)
    body = data[(header.data - 1) * BLOCK :]
    whole = len(body) // size
    if frames == _MOST_FRAMES - first + 1 and whole * size > (frames + 1) * size + BLOCK:
        frames = whole - _padding(body[: whole * size], size)  # longer than the header can tell
    if frames < 1:
        raise InputError("the C3D file has no sample", where=where, got=f"samples {first} to {first + frames - 1}")
    if whole < frames and not (partial and whole):
        raise InputError(
            "the C3D file is cut short", where=where, got=f"{whole} whole samples of {frames}",
            remedy="Copy it again from where it was recorded, or say partial=True to keep what is whole.",
        )  # fmt: skip
    frames = min(whole, frames)
    body = body[: frames * size]
    table = (numbers.floats(body) if real else numbers.words(body)).reshape(frames, numbers_per_frame)
    quads = table[:, : 4 * header.points].reshape(frames, header.points, 4)
    scale = abs(header.scale)
    with np.errstate(invalid="ignore"):  # numbers that are none, in damaged files
        points = quads[..., :3].astype(np.float64)
    if not real:
        points *= header.scale
    analog = _analog(table[:, 4 * header.points :], header, parameters)
    return points, _residuals(quads[..., 3], scale), analog, frames


def _padding(body: np.ndarray, size: int) -> int:
    """Return how many samples at the end are the zeros that fill the last block."""
    rows = np.atleast_1d(body.reshape(-1, size)[-(BLOCK // size) - 1 :].any(1))[::-1]
    return int(np.argmax(rows)) if rows.any() else 0


def _residuals(word: np.ndarray, scale: float) -> np.ndarray:
    """Return the residual of the fourth word: its low byte times the scale; the high byte tells the cameras."""
    with np.errstate(invalid="ignore"):
        seen = word >= 0  # nan is not
        whole = np.where(seen, np.where(word < 2**31, word, 0), 0).astype(np.int64)
    return np.where(seen, (whole & 255) * scale, -1.0)


def _analog(table: np.ndarray, header: _Header, parameters: C3dParameters) -> np.ndarray:
    """Return the analog numbers (samples, channels), scaled as the file states."""
    if not header.measurements:
        return np.empty((0, 0))
    channels = header.measurements // header.subframes
    table = np.ascontiguousarray(table[:, : channels * header.subframes])
    offset = _per_channel(parameters, "OFFSET", channels, 0.0)
    words, unsigned = table.dtype.kind == "i", parameters.text("ANALOG", "FORMAT").upper().startswith("UNSIGNED")
    if words and unsigned:
        table = table.view(np.uint16)
    # Then the parameter is a word without a sign, too. Some files with reals that no signed word holds say SIGNED.
    wide = unsigned or (not words and bool((table > 32767).any()))
    offset = np.where((offset < 0) & unsigned | (offset == -32768) & wide, offset + 65536.0, offset)
    general = parameters.number("ANALOG", "GEN_SCALE")
    scale = _per_channel(parameters, "SCALE", channels, 1.0) * (1.0 if general is None else general)
    with np.errstate(invalid="ignore", over="ignore"):
        raw = table.reshape(-1, channels).astype(np.float64)
        return np.asarray((raw - offset) * scale)


def _per_channel(parameters: C3dParameters, name: str, channels: int, default: float) -> np.ndarray:
    values = parameters.array("ANALOG", name).ravel().astype(np.float64)[:channels]
    return np.concatenate([values, np.full(channels - len(values), default)])


def _labels(parameters: C3dParameters, group: str, count: int, letter: str) -> list[str]:
    labels = parameters.texts(group, "LABELS")[:count]
    return [labels[k] if k < len(labels) and labels[k] else f"{letter}{k + 1}" for k in range(count)]


def _leave_out_computed(raw: Raw, parameters: C3dParameters) -> None:
    """Leave out angles, forces and the like, which some programs keep among the points; in place."""
    computed = {name for kind in _COMPUTED for name in parameters.texts("POINT", kind)}
    _leave_out(raw, computed, "angles, forces or the like")


def _leave_out_axes(raw: Raw) -> None:
    """Leave out axes of segments, origin and tips, that Plug-in Gait keeps among the points (PELO, …); in place.

    Their names tell them, and that the tips lie at right angles from the origin, as markers on skin do not.
    """
    plain, found = [name.rsplit(":", 1)[-1] for name in raw.names], set[str]()
    for stem in {name[:-1] for name in plain if len(name) == 4}:
        quad = [plain.index(stem + letter) for letter in _AXES if stem + letter in plain]
        if len(quad) < len(_AXES):
            continue
        seen = np.flatnonzero(np.isfinite(raw.points[:, quad, 0]).all(1))
        tips = raw.points[seen[:: max(len(seen) // 20, 1)]][:, quad]
        tips = tips[:, 1:] - tips[:, :1]
        tips = tips / np.linalg.norm(tips, axis=-1, keepdims=True)
        cosines = np.abs(tips @ np.swapaxes(tips, 1, 2) - np.eye(3))
        if not len(seen) or cosines.max() < _RIGHT:
            found |= {raw.names[k] for k in quad}
    _leave_out(raw, found, "axes of segments")


def _leave_out(raw: Raw, names: set[str], what: str) -> None:
    keep = [k for k, name in enumerate(raw.names) if name not in names]
    if keep and len(keep) < len(raw.names):
        raw.notes.append(f"{len(raw.names) - len(keep)} points that are {what} are left out")
        raw.names, raw.points = [raw.names[k] for k in keep], raw.points[:, keep]
        raw.residuals = None if raw.residuals is None else raw.residuals[:, keep]


def _body(parameters: C3dParameters) -> dict[str, float]:
    """Return mass [kg] and height [m] of the subject as Vicon's programs keep them, those that a person may have."""
    fields = {"mass": parameters.number("PROCESSING", "BODYMASS"), "height": parameters.number("PROCESSING", "HEIGHT")}
    found = {name: float(value) for name, value in fields.items() if value is not None}
    if "height" in found and found["height"] > _TALLEST:
        found["height"] /= 1000.0  # in mm
    return {name: value for name, value in found.items() if _PERSON[name][0] <= value <= _PERSON[name][1]}


def _screen_up(parameters: C3dParameters) -> str | None:
    """Return the axis that points up on the file's screen: "y" for "+Y", "-z" for "-Z"."""
    text = parameters.text("POINT", "Y_SCREEN").lower().replace(" ", "")
    axis = text.lstrip("+")
    return axis if axis.lstrip("-") in ("x", "y", "z") else None


def _events(head: bytes, parameters: C3dParameters, numbers: NumberFormat) -> list[Event]:
    times = parameters.array("EVENT", "TIMES")
    if times.ndim == 1 and times.size == 2:
        times = times.reshape(2, 1)
    found = []
    columns = {name: parameters.texts("EVENT", name.upper() + "S") for name in ("label", "context", "subject")}
    if times.ndim == 2 and len(times) == 2:
        for k, (minutes, seconds) in enumerate(times.T.astype(float)):
            if not np.isfinite(minutes + seconds):
                continue
            fields = {name: texts[k] for name, texts in columns.items() if k < len(texts) and texts[k]}
            label = fields.pop("label", "event")
            found.append(Event(60.0 * minutes + seconds, label, dict(fields)))
    return found or _header_events(head, numbers)


def _header_events(head: bytes, numbers: NumberFormat) -> list[Event]:
    """Return the events that old files keep in the header."""
    (mark,) = struct.unpack_from(numbers.order + "H", head, _EVENTS_AT - 6)
    count = int(numbers.words(head[_EVENTS_AT - 4 : _EVENTS_AT - 2])[0])
    if mark != _EVENT_MARK or not 0 < count <= _MOST_EVENTS:
        return []
    times = numbers.floats(head[_EVENTS_AT : _EVENTS_AT + 4 * count])
    labels = [head[396 + 4 * k : 400 + 4 * k].decode("latin-1").replace("\0", " ").strip() for k in range(count)]
    return [Event(float(t), label or "event") for t, label in zip(times, labels, strict=True)]


def _add_analog(raw: Raw, parameters: C3dParameters, analog: np.ndarray, header: _Header) -> None:
    channels = analog.shape[1]
    raw.analog_names = _labels(parameters, "ANALOG", channels, "A")
    units = parameters.texts("ANALOG", "UNITS")
    raw.analog_units = [_spaced(units[k]) if k < len(units) else "" for k in range(channels)]
    raw.analog, raw.analog_rate = analog, float(raw.rate or 0) * header.subframes
    rate = parameters.number("ANALOG", "RATE")
    if rate and np.isfinite(rate) and abs(rate - raw.analog_rate) > 1e-3 * raw.analog_rate:
        notes = f"ANALOG:RATE states {rate:g} Hz; {header.subframes} samples with each of the markers are"
        raw.notes.append(f"{notes} {raw.analog_rate:g} Hz, which is taken")


def _spaced(unit: str) -> str:
    """Return "N mm" for "Nmm", which is how most files write it."""
    plain = unit.strip().replace(".", " ").replace("*", " ").replace("·", " ")
    moments = {f"n{length}": f"N {length}" for length in ("m", "dm", "cm", "mm", "um", "in", "ft")}
    return (moments | {"v": "V"}).get(plain.lower().replace(" ", ""), plain)


def _add_plates(raw: Raw, parameters: C3dParameters) -> None:
    group = "FORCE_PLATFORM"
    used = int(np.nan_to_num(parameters.number(group, "USED") or 0.0, posinf=0.0))
    types = parameters.array(group, "TYPE").ravel()
    corners, origins = parameters.array(group, "CORNERS"), parameters.array(group, "ORIGIN")
    channels, matrices = parameters.array(group, "CHANNEL"), parameters.array(group, "CAL_MATRIX")
    zero = np.nan_to_num(parameters.array(group, "ZERO").ravel()).astype(int)
    if len(zero) == 2 and zero[1] >= max(zero[0], 1):
        raw.zero = (max(int(zero[0]), 1), int(zero[1]))
    for k in range(used):
        plate = _plate(k, types, corners, origins, channels, matrices)
        if plate is None or plate["channels"].max(initial=-1) >= len(raw.analog_names):
            raw.notes.append(f"force plate {k + 1} is left out: its parameters are incomplete")
        elif plate["type"] not in (1, 2, 3, 4):
            raw.notes.append(f"force plate {k + 1} is left out: type {plate['type']}, known are 1 to 4")
        else:
            raw.plates.append(plate)


def _plate(k: int, types: np.ndarray, corners: np.ndarray, *rest: np.ndarray) -> dict[str, Any] | None:
    """Return one plate's parameters, or None where they are incomplete."""
    origins, channels, matrices = rest
    if k >= len(types) or corners.ndim != 3 or corners.shape[:2] != (3, 4) or k >= corners.shape[2]:
        return None
    kind = int(np.nan_to_num(types[k]))
    need = 8 if kind == 3 else 6
    if channels.ndim == 1:
        channels = channels.reshape(-1, 1)
    if origins.ndim == 1:
        origins = origins.reshape(-1, 1)
    if channels.shape[0] < need or k >= channels.shape[1] or origins.shape[:1] != (3,) or k >= origins.shape[1]:
        return None
    places = corners[:, :, k].T.astype(float)
    area = np.linalg.norm(np.cross(places[0] - places[1], places[0] - places[3]))
    if not (np.isfinite(area) and area > 0 and np.isfinite(origins[:, k]).all()):
        return None
    chosen = np.nan_to_num(channels[:need, k]).astype(int) - 1
    matrix = matrices[:, :, k] if matrices.ndim == 3 and k < matrices.shape[2] else matrices
    matrix = matrix[:6, :6].astype(float) if matrix.ndim == 2 and min(matrix.shape) >= 6 else np.eye(6)
    if (chosen < 0).any() or (kind == 3 and not np.all(origins[:2, k])):  # four sensors need their places
        return None
    return {
        "number": k + 1, "type": kind, "corners": places, "origin": origins[:, k].astype(float),
        "channels": chosen, "matrix": matrix,
    }  # fmt: skip
