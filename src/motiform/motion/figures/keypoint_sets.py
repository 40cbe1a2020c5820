"""Keypoints of video on Human36: centres of joints, toes and the face, as pose estimation programs name them.

They are no markers on skin: the keypoint of a knee is fitted as the centre of the knee. A chain of joint centres does
not tell everything: nothing tells how a straight leg turns about itself, and hips and shoulders alone do not tell the
pelvis from the chest. Such coordinates stay near the neutral posture, by `KEYPOINT_SPREADS`.

Eyes, ears and nose are means of [Gordon89].
"""

from collections.abc import Mapping
from typing import Any

__all__ = [
    "KEYPOINT_SD", "KEYPOINT_SPREADS", "are_keypoints", "keypoint_sites", "keypoint_spread",
    "keypoint_tasks", "loose_coordinates",
]  # fmt: skip

Point = tuple[float, float, float]

KEYPOINT_SD = 0.02
"""[m] Standard deviation of keypoints of several cameras about the centres of joints."""

KEYPOINT_SPREADS: dict[str, float] = {
    "hip_external_rotation": 0.2, "ankle_eversion": 0.15, "thorax_extension": 0.2, "clavicle_elevation": 0.15,
    "clavicle_retraction": 0.15, "shoulder_external_rotation": 0.5, "forearm_supination": 0.5,
}  # fmt: skip
"""[rad] By how much coordinates that keypoints hardly determine differ from the neutral posture."""

_SPREADS = {  # [m] by which keypoints stray from their sites
    **dict.fromkeys(("knee_joint", "ankle_joint", "elbow_joint", "wrist_joint"), 0.01),
    **dict.fromkeys(("shoulder_joint", "hip_joint", "mid_hip"), 0.02),
    **dict.fromkeys(("big_toe", "small_toe", "nose", "eye", "ear"), 0.03),
    "neck": 0.05,  # where necks are: between the shoulders, or at the base of the neck
}
_OWN = (*_SPREADS, "vertex", "heel", "metatarsal2")
_FACE = {"nose": (0.069, 0.086, 0.0), "eye": (0.042, 0.068, 0.018), "ear": (0.0, 0.075, 0.041)}
"""Forward, below the vertex, to the side, over the height  [Gordon89]"""


def keypoint_sites(m: Mapping[str, float], L: Mapping[str, float], H: float, word: str) -> dict[str, tuple[str, Point]]:
    """Return the sites of one side, and those in the middle: name → (segment, point [m])."""
    s, n, w = (1.0, 0, "r") if word == "right" else (-1.0, 10, "l")
    foot, arm, forearm = L[f"L{4 + n}"], L[f"L{13 + n}"], L["L24" if word == "right" else "L25"]
    between = (L["L9"] - L["L12"] + L["L19"] - L["L22"]) / 2, (L["L7"] + L["L10"] + L["L17"] + L["L20"]) / 2
    points = {
        "shoulder_joint": (f"{word}_upper_arm", (0.0, 0.0, 0.0)),
        "elbow_joint": (f"{word}_upper_arm", (0.0, -arm, 0.0)),
        "wrist_joint": (f"{word}_forearm", (0.0, -forearm, 0.0)),
        "big_toe": (f"{word}_foot", (m["toe_x"], -0.7 * foot, -s * 0.5 * m["ball_z"])),
        "small_toe": (f"{word}_foot", (0.5 * (m["ball_x"] + m["toe_x"]), -0.7 * foot, s * m["ball_z"])),
        **{
            name: ("head", (x * H, m["vertex_y"] - down * H, s * z * H))
            for name, (x, down, z) in _FACE.items()
            if name != "nose"
        },
    }
    x, down, _ = _FACE["nose"]
    return {f"{w}_{name}": place for name, place in points.items()} | {
        "nose": ("head", (x * H, m["vertex_y"] - down * H, 0.0)),
        "neck": ("thorax", (*between, 0.0)),
        "mid_hip": ("lower_trunk", (0.0, 0.0, 0.0)),
    }


def keypoint_spread(site: str) -> float | None:
    """Return by how much a keypoint may stray from its site [m], None for another site."""
    return _SPREADS.get(site.removeprefix("r_").removeprefix("l_"))


def are_keypoints(markers: Mapping[str, Any]) -> bool:
    """Tell whether all of {marker: site} are keypoints: centres of joints, toes, heels and the face."""
    places = [str(site).removeprefix("r_").removeprefix("l_") for site in markers.values()]
    return {"hip_joint", "knee_joint"} <= {*places} <= {*_OWN}


def keypoint_tasks(coordinates: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Return tasks that hold what keypoints hardly determine, {coordinate: (value, weight [m²/rad²])}.

    The weight is that of a keypoint's spread over the coordinate's: (marker_sd / spread)².
    """
    return {name: (0.0, (KEYPOINT_SD / spread) ** 2) for name, spread in loose_coordinates(coordinates).items()}


def loose_coordinates(coordinates: tuple[str, ...]) -> dict[str, float]:
    """Return the spread of each coordinate that keypoints hardly determine [rad]."""
    found = {name: KEYPOINT_SPREADS.get(name.removeprefix("right_").removeprefix("left_")) for name in coordinates}
    return {name: spread for name, spread in found.items() if spread is not None}
