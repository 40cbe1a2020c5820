"""Bip as tables: modified Denavit–Hartenberg frames, masses, centres of mass, inertias, tags.  [HuMAnS 2]

Frames 13 and 20 do not exist. Frames of legs and feet at q = 0: X down; the feet's Y to the left and Z forward.
"""

import re
from dataclasses import dataclass
from typing import Any

__all__ = [
    "BODIES", "CONTACTS", "COORDINATES", "FEET", "FRAMES", "LENGTHS", "SUSPENSION", "TAGS", "Frame", "SegmentInertia",
]  # fmt: skip

Point = tuple[float, float, float]

# foot, shank and lumbar are printed, and so is 0.903 m, the height of the pelvis: what is left is the thigh. [m]
LENGTHS: dict[str, tuple[float, str]] = {
    "foot": (0.083, "ankle to sole: printed"),
    "shank": (0.410, "knee to ankle: printed"),
    "thigh": (0.410, "hip to knee: chosen, as it closes the height of the pelvis, 0.903 m printed"),
    "hip": (0.110, "hip to the middle plane: chosen"),
    "lumbar": (0.128, "pelvis to lumbar joints: printed"),
}

COORDINATES: tuple[str, ...] = (
    *("right_ankle_roll", "right_ankle_pitch", "right_knee"),
    *("left_knee", "left_ankle_roll", "left_ankle_pitch"),
    *("right_hip_roll", "right_hip_yaw", "right_hip_pitch"),
    *("left_hip_roll", "left_hip_yaw", "left_hip_pitch"),
    *("lumbar_yaw", "lumbar_roll", "lumbar_pitch"),
    *("pelvis_forward", "pelvis_upward", "pelvis_rightward"),
    *("pelvis_roll", "pelvis_yaw", "pelvis_pitch"),
)
"""Names of q1 to q21; 5, 6 and 13 to 21 are printed, the order of the other leg joints is chosen."""


@dataclass(frozen=True)
class Frame:
    """A row of the table: frame `number` relative to `ref`."""

    number: int
    name: str
    ref: int
    r: float | str
    lam: float | str
    alpha: str
    theta: str
    printed: bool


_FRAMES = (
    Frame(1, "frame_1", 0, 0.0, "foot + shank + thigh + q17", "-pi/2", "0", True),
    Frame(2, "frame_2", 1, 0.0, "q18", "pi/2", "pi/2", True),
    Frame(3, "frame_3", 2, 0.0, "q16", "pi/2", "pi/2", True),
    Frame(4, "frame_4", 3, 0.0, 0.0, "pi/2", "pi/2 + q20", True),
    Frame(5, "frame_5", 4, 0.0, 0.0, "pi/2", "pi/2 + q21", True),
    Frame(6, "pelvis", 5, 0.0, 0.0, "pi/2", "pi/2 + q19", False),  # the turn that puts frame 21 above the pelvis
    Frame(7, "right_hip_bracket", 6, "hip", 0.0, "0", "-q7", False),
    Frame(8, "right_hip_cardan", 7, 0.0, 0.0, "pi/2", "pi/2 - q8", False),
    Frame(9, "right_thigh", 8, 0.0, 0.0, "pi/2", "-pi/2 - q9", False),
    Frame(10, "right_shank", 9, "thigh", 0.0, "0", "-q3", False),
    Frame(11, "right_ankle_cardan", 10, "shank", 0.0, "0", "-q2", False),
    Frame(12, "right_foot", 11, 0.0, 0.0, "-pi/2", "-q1", False),
    Frame(14, "left_hip_bracket", 6, "-hip", 0.0, "0", "q10", False),
    Frame(15, "left_hip_cardan", 14, 0.0, 0.0, "pi/2", "pi/2 + q11", False),
    Frame(16, "left_thigh", 15, 0.0, 0.0, "pi/2", "-pi/2 - q12", False),
    Frame(17, "left_shank", 16, "thigh", 0.0, "0", "-q4", False),
    Frame(18, "left_ankle_cardan", 17, "shank", 0.0, "0", "-q6", True),
    Frame(19, "left_foot", 18, 0.0, 0.0, "-pi/2", "q5", True),
    Frame(21, "lumbar_lever", 6, 0.0, "lumbar", "pi/2", "pi + q13", True),
    Frame(22, "lumbar_cardan", 21, 0.0, 0.0, "pi/2", "pi/2 + q14", True),
    Frame(23, "trunk", 22, 0.0, 0.0, "-pi/2", "q15", True),
)


def _named(parameter: float | str) -> Any:
    if not isinstance(parameter, str):
        return parameter
    return re.sub(r"q(\d+)", lambda found: COORDINATES[int(found[1]) - 1], parameter)


def frames() -> list[dict[str, Any]]:
    """Return the rows with names for numbers."""
    names: dict[int, str | None] = {0: None} | {frame.number: frame.name for frame in _FRAMES}
    return [
        {"name": f.name, "parent": names[f.ref]}
        | {key: _named(getattr(f, key)) for key in ("r", "lam", "alpha", "theta")}
        for f in _FRAMES
    ]


FRAMES = _FRAMES


@dataclass(frozen=True)
class SegmentInertia:
    """Mass [kg], centre of mass [m] and inertia [kg·m²] of a segment, in its frame."""

    mass: float
    center: Point
    inertia: Any
    about: str
    """Point that the inertia is taken about: "origin" (I0) or "center"."""
    printed: str


def _block(m: float, a: float, b: float, c: float) -> Point:
    return (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12)


_ALL = "mass, centre, inertia"
_FOOT = SegmentInertia(
    2.34, (0.059, 0.0, 0.019), ((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.01)), "origin", _ALL
)
_ANKLE = SegmentInertia(0.18, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "origin", _ALL)
_THIGH = SegmentInertia(11.0, (0.190, 0.0, 0.0), _block(11.0, 0.410, 0.140, 0.140), "center", "nothing")
_SHANK = SegmentInertia(6.0, (0.180, 0.0, 0.0), _block(6.0, 0.410, 0.110, 0.110), "center", "nothing")
_CARDAN = SegmentInertia(0.6, (0.0, 0.0, 0.0), _block(0.6, 0.08, 0.08, 0.08), "center", "nothing")


def _bracket(s: float) -> SegmentInertia:
    # I0 is printed to 0.01: (6, 5, 1) 1e-2 and yz −1e-2, which no matter with that centre has. 0.0005 more about y and
    # z, a twentieth of the last digit, makes it possible.  [HuMAnS Fig. 2.6, corrected]
    inertia = ((0.06, 0.0, 0.0), (0.0, 0.0505, -0.01), (0.0, -0.01, 0.0105))
    return SegmentInertia(3.2, (s * 0.005, -0.029, -0.107), inertia, "origin", _ALL)


BODIES: dict[str, SegmentInertia] = {
    "pelvis": SegmentInertia(
        8.8, (0.0, 0.012, -0.068), ((0.13, 0.0, 0.0), (0.0, 0.14, 0.02), (0.0, 0.02, 0.05)), "origin", _ALL
    ),
    "right_hip_bracket": _bracket(1.0),
    "right_hip_cardan": _CARDAN,
    "right_thigh": _THIGH,
    "right_shank": _SHANK,
    "right_ankle_cardan": _ANKLE,
    "right_foot": _FOOT,
    "left_hip_bracket": _bracket(-1.0),
    "left_hip_cardan": _CARDAN,
    "left_thigh": _THIGH,
    "left_shank": _SHANK,
    "left_ankle_cardan": _ANKLE,
    "left_foot": _FOOT,
    # The printed inertias of 21 and 22 are zeros and ones of 1e-2, too coarse for their centres: about these centres,
    # values are chosen that round to the printed ones about the origin.  [HuMAnS Fig. 2.6, completed]
    "lumbar_lever": SegmentInertia(1.05, (0.0, 0.047, -0.025), (0.0016, 0.0016, 0.0030), "center", "mass, centre"),
    "lumbar_cardan": SegmentInertia(0.46, (0.0, 0.0, 0.046), (0.0062, 0.0004, 0.0062), "center", "mass, centre"),
    "trunk": SegmentInertia(48.0, (0.405, 0.013, 0.009), _block(48.0, 0.70, 0.34, 0.30), "center", "mass, centre"),
}


def _foot_tags(word: str, s: float) -> dict[str, tuple[str, Point]]:
    """Return the corners of a sole: front outer, front inner, rear outer, rear inner; Y points to the left."""
    corners = {"front_outer": (-s * 0.090, 0.170), "front_inner": (s * 0.090, 0.170)}
    corners |= {"rear_outer": (-s * 0.060, -0.120), "rear_inner": (s * 0.060, -0.120)}
    return {f"{word}_foot_{name}": (f"{word}_foot", (0.083, y, z)) for name, (y, z) in corners.items()}


_ORIGIN = (0.0, 0.0, 0.0)
# 1–6 and 15–25 are printed; 7–10 and the left foot's, the right one's in the mirror, are chosen.  [HuMAnS Fig. 2.5]
TAGS: dict[str, tuple[str, Point]] = {
    **_foot_tags("right", 1.0),
    "right_ankle": ("right_ankle_cardan", _ORIGIN),
    "right_knee": ("right_shank", _ORIGIN),
    "right_hip": ("right_thigh", _ORIGIN),
    "left_hip": ("left_thigh", _ORIGIN),
    "left_knee": ("left_shank", _ORIGIN),
    "left_ankle": ("left_ankle_cardan", _ORIGIN),
    **_foot_tags("left", -1.0),
    "lumbar": ("lumbar_lever", _ORIGIN),
    "trunk_low_right": ("trunk", (0.0, 0.0, 0.110)),
    "trunk_low_left": ("trunk", (0.0, 0.0, -0.110)),
    "trunk_high_right": ("trunk", (0.660, 0.0, 0.110)),
    "trunk_high_left": ("trunk", (0.660, 0.0, -0.110)),
    "right_foot_center": ("right_foot", (0.083, 0.0, 0.0)),
    "left_foot_center": ("left_foot", (0.083, 0.0, 0.0)),
    "attachment_rear_right": ("trunk", (0.660, 0.150, 0.110)),
    "attachment_rear_left": ("trunk", (0.660, 0.150, -0.110)),
    "attachment_front_left": ("trunk", (0.660, -0.150, -0.110)),
    "attachment_front_right": ("trunk", (0.660, -0.150, 0.110)),
}

_NAMES = tuple(TAGS)
FEET = {"right_foot": _NAMES[:4], "left_foot": _NAMES[10:14]}
SUSPENSION = _NAMES[21:25]
CONTACTS = {**FEET, "trunk": SUSPENSION}
"""The three contact solids, points 1 to 4, 5 to 8 and 9 to 12."""
