"""Skeletons of animation (BVH) as measured: their joints are keypoints, which a figure is fitted to."""

import re
from collections.abc import Sequence

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree import tags
from motiform.motion.tree.read import read_bvh
from motiform.record import Channel, Recording
from motiform.record.files import AnyPath, as_path

__all__ = ["is_bvh", "skeleton_markers"]

# Joints of skeletons (CMU, Mixamo, Rokoko, Xsens, Perception Neuron, LAFAN1, …) as keypoints: words for each, the
# better ones first. A LeftShoulder above a LeftArm is the collar, and CMU's LHipJoint is at the pelvis.
_JOINTS = {
    "Hip": ("upleg", "upperleg", "thigh", "hip"),
    "Knee": ("leg", "lowerleg", "lowleg", "shin", "shank", "knee", "calf"),
    "Ankle": ("foot", "ankle"), "ToeBase": ("toebase", "toe", "toes"),
    "Shoulder": ("arm", "upperarm", "uparm", "shoulder"), "Elbow": ("forearm", "lowerarm", "lowarm", "elbow"),
    "Wrist": ("hand", "wrist"),
}  # fmt: skip
_MIDDLE = {"MidHip": ("hips", "pelvis", "lowertrunk", "root"), "Neck": ("neck",)}
_NEEDED = ("RHip", "LHip", "RKnee", "LKnee", "RAnkle", "LAnkle")


def is_bvh(path: AnyPath) -> bool:
    """Tell whether a file is a skeleton with its motion."""
    try:
        with open(as_path(path), "rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:9].upper() == b"HIERARCHY"
    except OSError:
        return False


def skeleton_markers(path: AnyPath, *, units: str | None = None) -> Recording:
    """Return the joints of a BVH file as a recording of keypoints, y up: RHip, RKnee, … by the names of its joints.

    Angles of a skeleton are about axes of its own, from a posture of its own: the places of its joints are what does
    not depend on them. units : of length in the file, "cm", "in", …; by the size of the skeleton if not given.
    """
    place = as_path(path)
    motion = read_bvh(place, units=units)
    x = tags(motion.figure, motion.q)
    names = list(motion.figure.tag_names)
    found = _keypoints(names)
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        raise InputError(
            "the skeleton must have hips, knees and ankles of both legs", where=str(place), got=", ".join(names[:16]),
            allowed="joints such as LeftUpLeg, LeftLeg, LeftFoot",
        )  # fmt: skip
    points = x[:, list(found.values())]
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=motion.rate)
    manifest = {
        "source": place.name, "format": "bvh", "units": motion.unit, "up": "y", "gravity": [0.0, -9.81, 0.0],
        "labels": {"marker": list(found), "axis": ["x", "y", "z"]},
        "notes": ["joints of a skeleton are fitted as keypoints: its own angles are not taken"],
    }  # fmt: skip
    return Recording.from_arrays({"markers": (channel, np.ascontiguousarray(points))}, manifest=manifest)


def _keypoints(names: Sequence[str]) -> dict[str, int]:
    """Return {keypoint: number of its joint} by the names of joints; of doubles the one nearest to the root."""
    spoken = [_spoken(name) for name in names]
    found: dict[str, int] = {}
    for side, known in (("R", _JOINTS), ("L", _JOINTS), ("", _MIDDLE)):
        for keypoint, words in known.items():
            place = next((spoken.index((side, word)) for word in words if (side, word) in spoken), None)
            if place is not None:
                found[side + keypoint] = place
    return found


def _spoken(name: str) -> tuple[str, str]:
    """Return the side of a joint's name, "" where it tells none, and the rest in small letters."""
    plain = re.sub(r"([a-z])([A-Z])", r"\1_\2", name.rsplit(":", 1)[-1]).lower()
    parts = [part for part in re.split(r"[\s_.\-]+", plain) if part]
    sides = {"r": "R", "right": "R", "l": "L", "left": "L"}
    side = next((sides[part] for part in parts if part in sides), "")
    word = "".join(part for part in parts if part not in sides)
    if not side and word[:1] in sides and any(word[1:] in words for words in _JOINTS.values()):
        side, word = sides[word[0]], word[1:]
    return side, word
