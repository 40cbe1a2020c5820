"""Kondo KHR-1 as tables: segments, lengths, masses, centres of mass, tags.  [HuMAnS 4]"""

import re
from collections.abc import Mapping
from pathlib import Path

from motiform.base.toml import parse_toml

__all__ = ["CENTERS", "CONTACTS", "COORDINATES", "HANIM", "LENGTHS", "MASSES", "TAGS", "boxes", "rows", "tag_points"]

Point = tuple[float, float, float]
HEIGHT, MASS = 0.340, 1.3  # m, kg

_NUMBERS = parse_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LENGTHS: dict[str, tuple[float, str]] = {name: (length, what) for name, (length, what) in _NUMBERS["lengths"].items()}
"""[m], and what they are of."""
MASSES: dict[str, float] = _NUMBERS["masses"]
"""[% of the robot]."""
CENTERS: dict[str, Point] = {name: (x, y, z) for name, (x, y, z) in _NUMBERS["centers"].items()}
"""Parts of the segment's box, the right side; z is turned round on the left."""

# (segment, parent, translation, axes of its turns). A turn in the frontal plane is positive away from the body, in the
# sagittal plane backwards, of the head to the left.  [HuMAnS 4.1.1]
_TRUNK = ("trunk", None, ("q18", "L1 + L2 + L3 + L4 + L5 + q19", "q20"), ("q23", "q22", "q21"))
_HEAD = ("head", "trunk", (0.0, "L7", 0.0), (0.0, "q17", 0.0))


def rows(elbows: str) -> list[tuple[str, str | None, tuple[float | str, ...], tuple[float | str, ...]]]:
    """Return the segments in the order of HuMAnS, elbows bending in the "sagittal" or the "frontal" plane."""
    found = [_TRUNK, *_leg("right", 1), *_leg("left", 6), *_arm("right", 11, elbows), *_arm("left", 14, elbows), _HEAD]
    return [(name, parent, tuple(map(_named, t)), tuple(map(_named, r))) for name, parent, t, r in found]


def _leg(word: str, q: int) -> list[tuple]:
    z, roll = ("L6", "-q{}") if word == "right" else ("-L6", "q{}")
    return [
        (f"{word}_hip", "trunk", (0.0, 0.0, z), (0.0, 0.0, roll.format(q + 4))),
        (f"{word}_thigh", f"{word}_hip", (0.0, "-L5", 0.0), (f"-q{q + 3}", 0.0, 0.0)),
        (f"{word}_leg", f"{word}_thigh", (0.0, "-L4", 0.0), (f"-q{q + 2}", 0.0, 0.0)),
        (f"{word}_ankle", f"{word}_leg", (0.0, "-L3", 0.0), (f"-q{q + 1}", 0.0, 0.0)),
        (f"{word}_foot", f"{word}_ankle", (0.0, "-L2", 0.0), (0.0, 0.0, roll.format(q))),
    ]


def _arm(word: str, q: int, elbows: str) -> list[tuple]:
    z, roll = ("L10", "-q{}") if word == "right" else ("-L10", "q{}")
    elbow = (f"-q{q + 2}", 0.0, 0.0) if elbows == "sagittal" else (0.0, 0.0, roll.format(q + 2))
    return [
        (f"{word}_shoulder", "trunk", (0.0, "L9", z), (f"-q{q + 1}", 0.0, 0.0)),
        (f"{word}_arm", f"{word}_shoulder", (0.0, "-L12", 0.0), (0.0, 0.0, roll.format(q))),
        (f"{word}_hand", f"{word}_arm", (0.0, "-L13", 0.0), elbow),
    ]


_LEG = ("ankle_roll", "ankle_pitch", "knee", "hip_pitch", "hip_roll")
_ARM = ("shoulder_roll", "shoulder_pitch", "elbow")
COORDINATES: tuple[str, ...] = (
    *(f"{word}_{name}" for word in ("right", "left") for name in _LEG),
    *(f"{word}_{name}" for word in ("right", "left") for name in _ARM),
    "head_turn",
    *("trunk_forward", "trunk_upward", "trunk_rightward"),
    *("trunk_right_lean", "trunk_left_turn", "trunk_backward_tilt"),
)
"""Names of q1 to q23."""


def _named(parameter: float | str) -> float | str:
    if not isinstance(parameter, str):
        return parameter
    return re.sub(r"q(\d+)", lambda found: COORDINATES[int(found[1]) - 1], parameter)


SEGMENTS = tuple(row[0] for row in rows("sagittal"))


def boxes(L: Mapping[str, float]) -> dict[str, Point]:
    """Return the box of each kind of segment [m], (x, y, z)."""
    motor, width = L["L23"], L["L24"]
    return {
        "trunk": (L["L15"], L["L7"], L["L16"]),
        "hip": (motor, L["L5"], width),
        "thigh": (motor, L["L4"], width),
        "leg": (motor, L["L3"], width),
        "ankle": (motor, L["L2"], width),
        "foot": (L["L19"], L["L1"], L["L20"]),
        "shoulder": (motor, width, L["L11"]),
        "arm": (motor, L["L13"], width),
        "hand": (width, L["L14"], width),
        "head": (L["L17"], L["L8"], L["L18"]),
    }


_LEG_TAGS = ("heel_right", "heel_left", "toe_right", "toe_left", "ankle_on_foot", "ankle_on_leg")
_OWN_LEG_TAGS = ("knee", "great_trochanter", "iliac_crest")
_ARM_TAGS = ("clavicular", "shoulder", "arm_bone", "fist", "thumb_tip", "middle_finger_tip")
TAGS: tuple[str, ...] = (
    *(
        name
        for word in ("right", "left")
        for name in (*(f"{word}_foot_{tag}" for tag in _LEG_TAGS), *(f"{word}_{tag}" for tag in _OWN_LEG_TAGS))
    ),
    *(f"{word}_{tag}" for word in ("right", "left") for tag in _ARM_TAGS),
    *("neck", "nose", "left_ear", "right_ear"),
)
"""Names of tags 1 to 34.  [HuMAnS Table 4.1]"""

_SITES = ("ankle", "ankleSagittal", "knee", "hip", "hipFrontal", "shoulderSagittal", "shoulder", "elbow")
_SITE_TAGS = ("foot_ankle_on_foot", "foot_ankle_on_leg", *_OWN_LEG_TAGS, *_ARM_TAGS[:3])
HANIM = {
    **{
        f"{word}_{tag}": f"Kondo_{word[0]}_{site}"
        for word in ("right", "left")
        for tag, site in zip(_SITE_TAGS, _SITES, strict=True)
    },
    "neck": "Kondo_vc7",
}
CONTACTS = {f"{word}_foot": tuple(f"{word}_foot_{tag}" for tag in _LEG_TAGS[:4]) for word in ("right", "left")}


def tag_points(L: Mapping[str, float]) -> dict[str, tuple[str, Point]]:
    """Return the tags in their order: name → (segment, point [m]); joints where they are, the others on the boxes."""
    head, ear = (0.9 * L["L17"], 0.5 * L["L8"], 0.0), (0.4 * L["L17"], 0.6 * L["L8"], L["L18"] / 2)
    found = {
        **_side_tags("right", L),
        **_side_tags("left", L),
        "neck": ("head", (0.0, 0.0, 0.0)),
        "nose": ("head", head),
        "left_ear": ("head", (ear[0], ear[1], -ear[2])),
        "right_ear": ("head", ear),
    }
    return {name: found[name] for name in TAGS}


def _side_tags(word: str, L: Mapping[str, float]) -> dict[str, tuple[str, Point]]:
    heel, toe, sole = -L["L21"], L["L19"] - L["L21"], -L["L1"]
    outer, inner = L["L20"] - L["L22"], -L["L22"]
    right, left = (outer, inner) if word == "right" else (-inner, -outer)
    origin = (0.0, 0.0, 0.0)
    return {
        f"{word}_foot_heel_right": (f"{word}_foot", (heel, sole, right)),
        f"{word}_foot_heel_left": (f"{word}_foot", (heel, sole, left)),
        f"{word}_foot_toe_right": (f"{word}_foot", (toe, sole, right)),
        f"{word}_foot_toe_left": (f"{word}_foot", (toe, sole, left)),
        f"{word}_foot_ankle_on_foot": (f"{word}_foot", origin),
        f"{word}_foot_ankle_on_leg": (f"{word}_leg", (0.0, -L["L3"], 0.0)),
        f"{word}_knee": (f"{word}_leg", origin),
        f"{word}_great_trochanter": (f"{word}_thigh", origin),
        f"{word}_iliac_crest": (f"{word}_hip", origin),
        f"{word}_clavicular": (f"{word}_shoulder", origin),
        f"{word}_shoulder": (f"{word}_arm", origin),
        f"{word}_arm_bone": (f"{word}_hand", origin),
        f"{word}_fist": (f"{word}_hand", (0.0, -0.6 * L["L14"], 0.0)),
        f"{word}_thumb_tip": (f"{word}_hand", (L["L24"] / 2, -0.8 * L["L14"], 0.0)),
        f"{word}_middle_finger_tip": (f"{word}_hand", (0.0, -L["L14"], 0.0)),
    }
