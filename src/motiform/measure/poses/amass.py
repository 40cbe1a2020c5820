"""Motions of AMASS: rotations of the joints of SMPL, SMPL-H and SMPL-X in .npz files.

At rest all axes of SMPL are those of the body (x to the left, y up, z forward), which stands with its arms to the
sides, palms down. A segment has the orientation of the product of the rotations from the pelvis to its joint.
"""

import zipfile
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.poses.format import PoseFormat, RawPoses
from motiform.spatial import exp_rotation

__all__ = ["AMASS", "read_amass"]

# The first 22 joints of SMPL-H: pelvis, hips, spine, knees, spine, ankles, spine, toes, neck, collars, head, arms
_PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)
_SEGMENTS = {
    "pelvis": 0, "left_thigh": 1, "right_thigh": 2, "left_shank": 4, "right_shank": 5, "left_foot": 7, "right_foot": 8,
    "thorax": 9, "head": 15, "left_upper_arm": 16, "right_upper_arm": 17, "left_forearm": 18, "right_forearm": 19,
    "left_hand": 20, "right_hand": 21,
}  # fmt: skip
# Forward, up and right of each segment at rest, in the axes of SMPL; the pit of the elbow faces forward, the palm down.
_BODY = np.column_stack([(0, 0, 1), (0, 1, 0), (-1, 0, 0)]).astype(float)
_LEFT = {"upper_arm": np.column_stack([(0, 0, 1), (-1, 0, 0), (0, -1, 0)]).astype(float),
         "forearm": np.column_stack([(0, -1, 0), (-1, 0, 0), (0, 0, -1)]).astype(float)}  # fmt: skip
_RIGHT = {"upper_arm": np.column_stack([(0, 0, 1), (1, 0, 0), (0, 1, 0)]).astype(float),
          "forearm": np.column_stack([(0, -1, 0), (1, 0, 0), (0, 0, 1)]).astype(float)}  # fmt: skip
_MOST = 2**31  # [byte] of unpacked numbers


def _is_npz(path: Path, head: bytes) -> bool:
    return path.suffix.lower() == ".npz" and head.startswith(b"PK")


def _rest(name: str) -> np.ndarray:
    for word, arms in (("left_", _LEFT), ("right_", _RIGHT)):
        if name.startswith(word):
            return arms.get(name.removeprefix(word).replace("hand", "forearm"), _BODY)
    return _BODY


def read_amass(path: Path) -> RawPoses:
    """Read the orientations of the segments, and the place of the pelvis up to one shift of the whole trial; z up."""
    poses, trans, rate = _arrays(path)
    R = exp_rotation(poses[:, : 3 * len(_PARENTS)].reshape(len(poses), -1, 3))
    world = [R[:, 0]]
    for k in range(1, len(_PARENTS)):
        world.append(world[_PARENTS[k]] @ R[:, k])
    names = list(_SEGMENTS)
    rotations = np.stack([world[k] @ _rest(name) for name, k in _SEGMENTS.items()], axis=1)
    places = np.full((len(poses), len(names), 3), np.nan)
    places[:, 0] = trans
    note = (
        "lengths are the figure's own: the file has shape parameters of SMPL, which no public numbers turn into lengths"
    )
    return RawPoses(names, rotations, np.arange(len(poses)) / rate, up="z", positions=places, notes=[note])


def _arrays(path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the rotation vectors (samples, 3 × joints), the translation [m] (samples, 3) and the rate [Hz]."""
    where = str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST:
                raise InputError("the file is too large", where=where, allowed=f"up to {_MOST // 2**20} MiB")
        with np.load(path, allow_pickle=False) as file:
            known = set(file.files)
            rates = [name for name in ("mocap_framerate", "mocap_frame_rate") if name in known]
            if not {"poses", "trans"} <= known or not rates:
                raise InputError("the file must be of AMASS", where=where, got=", ".join(sorted(known))[:80],
                                 allowed="poses, trans, mocap_framerate")  # fmt: skip
            poses, trans = np.asarray(file["poses"], float), np.asarray(file["trans"], float)
            rate = float(file[rates[0]])
    except (zipfile.BadZipFile, ValueError, TypeError, OSError, EOFError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the file must be of AMASS", where=where, got=str(error)[:80]) from None
    good = poses.ndim == 2 and poses.shape[1] >= 3 * len(_PARENTS) and trans.shape == (len(poses), 3) and len(poses)
    if not good or not (np.isfinite(poses).all() and np.isfinite(trans).all() and 0 < rate < np.inf):
        allowed = f"poses (samples, {3 * len(_PARENTS)} or more), trans (samples, 3), finite"
        raise InputError("arrays of AMASS must be whole", where=where, got=f"poses {poses.shape}, trans {trans.shape}",
                         allowed=allowed)  # fmt: skip
    return poses, trans, rate


AMASS = PoseFormat(
    name="amass",
    title="AMASS (.npz)",
    endings=(".npz",),
    about="rotations of the joints of SMPL, SMPL-H or SMPL-X (`poses`, `trans`, `mocap_framerate`), z up; lengths are "
    "the figure's own",
    recognises=_is_npz,
    read=read_amass,
)
