"""C3D files written: header, parameters, and the samples some MiB at a time."""

import struct
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from motiform.measure.changes import check_has_markers
from motiform.measure.detect import length_unit
from motiform.measure.markers.c3d.encode import encode_parameters
from motiform.measure.markers.c3d.groups import parameter_groups
from motiform.measure.markers.c3d.parameters import BLOCK
from motiform.measure.markers.c3d.prepare import C3dTrial, Computed, float32, known_residuals, prepare_trial
from motiform.record.files import AnyPath, disk, new_file, write_file
from motiform.record.recording import Recording

__all__ = ["write_c3d"]

_AT_ONCE = 4 * 2**20  # [byte] written at once
_WORD = 65535  # in the header, for a number that 16 bits cannot hold


def write_c3d(
    rec: Recording, path: AnyPath, *, units: str = "mm", computed: Sequence[Computed] = (), overwrite: bool = False
) -> None:
    """Write markers, residuals, analog channels, force plates and events as a C3D file (numbers in 32 bits).

    ``computed`` are quantities that are kept among the points and named by POINT:ANGLES, POINT:MOMENTS, …; readers of
    markers leave them out.

    Markers keep the recording's axes; POINT:Y_SCREEN tells which of them is up. Needs an even rate. Sample n is at
    (n − 1)/rate: a recording that starts before time 0, or between two such times, is shifted to the nearest, with its
    events. Residuals are up to 255 steps: those of a C3D file stay as they are, others are rounded to 1/255 of the
    largest. Of a slice, analog samples before the first sample of the markers are left out, and so is a last sample of
    the markers that lacks some of its analog samples.
    """
    length = length_unit(units, "write_c3d")
    check_has_markers(rec)
    place = new_file(path, overwrite)
    trial = prepare_trial(rec, length, tuple(computed))
    head = _head(trial)
    with disk(place):
        write_file(place, chain([head], _samples(trial)))


def _head(trial: C3dTrial) -> bytes:
    """Return header and parameters. Events are not told in the header too: some readers would have them twice."""
    where = trial.rec._where
    start = 2 + len(encode_parameters(parameter_groups(trial, 0), where)) // BLOCK
    header = struct.pack(
        "<BBHHHHHfHHf", 2, 80, len(trial.points), trial.measurements, min(trial.first, _WORD), min(trial.last, _WORD),
        0, -trial.step, start, trial.subframes, trial.rate,
    )  # fmt: skip
    return header.ljust(BLOCK, b"\0") + encode_parameters(parameter_groups(trial, start), where)


def _samples(trial: C3dTrial) -> Iterator[bytes]:
    """Yield the samples: x, y, z and residual of each marker, then the analog numbers."""
    per_block = max(1, _AT_ONCE // (4 * (4 * len(trial.points) + trial.measurements)))
    for first, points in trial.rec.blocks("markers", per_block):
        points = points[: max(trial.samples - first, 0)]
        last = first + len(points)
        parts = [_quads(trial, first, points).reshape(len(points), -1)]
        parts += [_computed_quads(trial, one.values[first:last]).reshape(len(points), -1) for one in trial.computed]
        if trial.analog:
            span = [trial.analog.skipped + k * trial.subframes for k in (first, last)]
            table = trial.rec.read("analog", *span) - trial.analog.baseline
            parts.append(float32(table * trial.analog.factors, trial.rec._where).reshape(len(points), -1))
        yield np.concatenate(parts, axis=1).astype("<f4", copy=False).tobytes()


def _computed_quads(trial: C3dTrial, values: np.ndarray) -> np.ndarray:
    """Return computed numbers as points without a residual (samples, points, 4); 0, 0, 0 and −1 where not known."""
    unknown = ~np.isfinite(values).all(-1)
    quads = np.zeros((*unknown.shape, 4), np.float32)
    quads[..., :3] = float32(np.where(unknown[..., None], 0.0, values), trial.rec._where)
    quads[unknown, 3] = -1.0
    return quads


def _quads(trial: C3dTrial, first: int, points: np.ndarray) -> np.ndarray:
    """Return x, y, z and residual (samples, markers, 4); of a marker that is not seen 0, 0, 0 and −1."""
    hidden = ~np.isfinite(points).all(-1)
    quads = np.zeros((*hidden.shape, 4), np.float32)
    quads[..., :3] = float32(np.where(hidden[..., None], 0.0, points / trial.length), trial.rec._where)
    if "residuals" in trial.rec:
        quads[..., 3] = np.rint(known_residuals(trial.rec, first, len(points), trial.length) / trial.step)
    quads[hidden, 3] = -1.0
    return quads
