"""Poses of segments as Theia3D and Visual3D write them into C3D files: 4 × 4 matrices in the group ROTATION."""

from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.detect import length_unit
from motiform.measure.markers.c3d.parameters import BLOCK, read_parameters
from motiform.measure.poses.format import PoseFormat, RawPoses

__all__ = ["ROTATION_C3D", "read_rotation_c3d"]

_NUMBERS = 17  # of a pose: the matrix by columns, and a residual
_RIGHT = 0.02  # by which axes may depart from a right-handed frame
_HEAD = 256 * BLOCK


def _has_rotations(path: Path, head: bytes) -> bool:
    if len(head) < 2 or head[1] != 80:
        return False
    data = path.read_bytes()[:_HEAD]
    try:
        parameters, _ = read_parameters(data, data[0], str(path))
    except InputError:
        return False  # the reader of markers says what is wrong
    return bool(parameters.number("ROTATION", "USED")) and not parameters.number("POINT", "USED")


def read_rotation_c3d(path: Path) -> RawPoses:
    """Read the poses of all segments; where a matrix is none of a pose it is not known."""
    where, data = str(path), path.read_bytes()
    parameters, numbers = read_parameters(data[:_HEAD], data[0], where)
    count, start = (int(parameters.number("ROTATION", name) or 0) for name in ("USED", "DATA_START"))
    rate = parameters.number("ROTATION", "RATE") or parameters.number("POINT", "RATE") or 0.0
    labels = parameters.texts("ROTATION", "LABELS")[:count]
    if len(labels) < count or start < 2 or not 0.0 < rate < np.inf:
        raise InputError("the group ROTATION must be whole", where=where, got=f"{count} poses, {len(labels)} names",
                         allowed="USED, DATA_START, RATE and LABELS")  # fmt: skip
    ratio = max(int(parameters.number("ROTATION", "RATIO") or 1), 1)
    frames = ratio * int(parameters.number("POINT", "FRAMES") or 0)
    size = 4 * _NUMBERS * count
    whole = (len(data) - (start - 1) * BLOCK) // size
    notes = [f"the file is cut short: {whole} of {frames} samples are kept"] if 0 < whole < frames else []
    frames = min(frames, whole) if frames > 0 else whole
    if frames < 1:
        raise InputError("the C3D file has no pose", where=where, got=f"{len(data)} bytes")
    at = (start - 1) * BLOCK
    table = numbers.floats(data[at : at + frames * size]).astype(float).reshape(frames, count, _NUMBERS)
    M = table[..., :16].reshape(frames, count, 4, 4).swapaxes(-1, -2)
    R, p = M[..., :3, :3], M[..., :3, 3] * length_unit(parameters.text("POINT", "UNITS") or "mm", where)
    with np.errstate(invalid="ignore"):
        good = np.abs(R.swapaxes(-1, -2) @ R - np.eye(3)).max(axis=(-2, -1)) < _RIGHT
    good &= np.isfinite(p).all(-1) & (table[..., 16] >= 0)
    R, p = np.where(good[..., None, None], R, np.nan), np.where(good[..., None], p, np.nan)
    names = [label.removesuffix("_4X4") for label in labels]
    keep = [k for k, name in enumerate(names) if "world" not in name.lower() and good[:, k].any()]
    if not keep:
        raise InputError("no pose is known in any sample", where=where, got=", ".join(names[:8]))
    return RawPoses(
        [names[k] for k in keep], R[:, keep], np.arange(frames) / rate, up="z", positions=p[:, keep],
        axes=("y", "z", "x"), notes=notes,
    )  # fmt: skip


ROTATION_C3D = PoseFormat(
    name="rotation-c3d",
    title="C3D with poses of segments",
    endings=(".c3d",),
    about="the group `ROTATION` of Theia3D and Visual3D (`pelvis_4X4`, `r_thigh_4X4`, …) of a file without markers: y "
    "forward, z up, x to the right",
    recognises=_has_rotations,
    read=read_rotation_c3d,
)
