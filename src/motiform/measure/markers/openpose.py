"""JSON files of OpenPose, one for each picture: keypoints in space with their confidence."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import named_file
from motiform.measure.markers.format import MarkerFormat, ReadOptions
from motiform.measure.raw import Raw

__all__ = ["OPENPOSE", "pictures_of_recording", "read_openpose"]

# BODY_25, in the order of OpenPose's output
_NAMES = (
    "Nose", "Neck", "RShoulder", "RElbow", "RWrist", "LShoulder", "LElbow", "LWrist", "MidHip", "RHip", "RKnee",
    "RAnkle", "LHip", "LKnee", "LAnkle", "REye", "LEye", "REar", "LEar", "LBigToe", "LSmallToe", "LHeel", "RBigToe",
    "RSmallToe", "RHeel",
)  # fmt: skip
_FRAME = re.compile(r"(?P<name>(?:.*\D)?)(?P<number>\d+)(?P<end>_keypoints\.json)", re.IGNORECASE)
_SURE = 0.3  # confidence below which a keypoint is taken for one that was not seen


def _is_openpose(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and (b'"pose_keypoints_2d"' in head or b'"people"' in head)


def read_openpose(path: Path, options: ReadOptions) -> Raw:
    """Read the keypoints of all pictures of a recording, of which the file is one."""
    files = pictures_of_recording(path)
    frames, people = [], 0
    for file in files:
        found = _people(file)
        people = max(people, len(found))
        frames.append(_points(found[0], file) if found else np.full((len(_NAMES), 4), np.nan))
    table = np.array(frames)
    if not options.rate:
        raise InputError(
            "files of OpenPose have neither times nor a rate", where=str(path),
            remedy="Say rate= [Hz], as in rate=30 (--set markers.rate=30).",
        )  # fmt: skip
    weak = ~(table[..., 3] >= _SURE)
    sure = np.where(weak, np.nan, table[..., 3])
    raw = Raw("openpose", np.where(weak[..., None], np.nan, table[..., :3]), list(_NAMES), rate=options.rate)
    raw.confidence = {
        name: float(np.nanmean(sure[:, k])) for k, name in enumerate(_NAMES) if np.isfinite(sure[:, k]).any()
    }
    dropped = int((weak & (table[..., 3] > 0)).sum())
    if dropped:
        raw.notes.append(f"{dropped} keypoints with a confidence below {_SURE:g} are left out")
    if people > 1:
        raw.notes.append(f"up to {people} people are in the pictures: the first of each is taken")
    return raw


def pictures_of_recording(path: Path) -> list[Path]:
    """Return the files of all pictures of the recording that a file is of, in their order."""
    match = _FRAME.fullmatch(path.name)
    return [path] if match is None else _pictures(path.parent, match)


def _pictures(folder: Path, match: re.Match[str]) -> list[Path]:
    """Return the files of all pictures of the recording, in their order."""
    found = []
    for file in folder.iterdir():
        other = _FRAME.fullmatch(file.name)
        if other is not None and (other["name"], other["end"].lower()) == (match["name"], match["end"].lower()):
            own = named_file(file.name, folder, reader="a recording of pictures", where=str(folder))
            found += [] if own is None else [(int(other["number"]), own)]
    return [file for _, file in sorted(found)]


def _people(file: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(file.read_text("utf-8-sig"))
        people = content["people"]
        if not all(isinstance(one, dict) for one in people):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        allowed = '{"people": [{"pose_keypoints_3d": […]}, …]}'
        raise InputError("the file must be of OpenPose", where=str(file), allowed=allowed) from None
    return list(people)


def _points(person: dict[str, Any], file: Path) -> np.ndarray:
    """Return x, y, z and the confidence of each keypoint (25, 4)."""
    given = person.get("pose_keypoints_3d") or []
    if not given:
        raise InputError(
            "keypoints must be in space", where=str(file), got="those of one camera (pose_keypoints_2d)",
            allowed="pose_keypoints_3d, or TRC in metres",
            remedy="Pictures of one camera tell no posture in space: film with two calibrated cameras or more, and "
            "triangulate (Pose2Sim, OpenCap and Anipose write TRC or CSV).",
        )  # fmt: skip
    try:
        numbers = np.array(given, float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (4 * len(_NAMES),):
        allowed = f"{4 * len(_NAMES)} numbers: x, y, z and confidence of BODY_25"
        raise InputError("keypoints must be of BODY_25", where=str(file), got=len(given), allowed=allowed)
    return numbers.reshape(-1, 4)


OPENPOSE = MarkerFormat(
    name="openpose",
    title="JSON of OpenPose",
    endings=(),  # a folder holds one for each picture: the first is named
    about="`…_000000000000_keypoints.json` and all pictures after it, BODY_25 in space with confidence; the rate is "
    "given. Files of one camera are refused: they tell no posture in space",
    recognises=_is_openpose,
    read=read_openpose,
)
