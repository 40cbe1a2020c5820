"""Human36 as tables: segments, coordinates, lengths of each side, landmarks, names of H-Anim, joint ranges."""

import re
from collections.abc import Mapping
from pathlib import Path

from motiform.base.toml import parse_toml
from motiform.motion.figures.anthropometry import Anthropometry

__all__ = ["CONTACTS", "COORDINATES", "HANIM", "RANGES", "ROWS", "SEGMENTS", "SPREAD", "TAGS", "landmarks"]

Point = tuple[float, float, float]
Parameters = tuple[float | str, float | str, float | str]

# (segment, parent, translation in the parent, turns about z, y, x); the right side turns about −x and −y, so that an
# anatomical movement has one sign on both sides.  [HuMAnS 2.1.1]
_ROWS: list[tuple[str, str | None, Parameters, Parameters]] = [
    ("lower_trunk", None, ("q37", "L14 + L15 + L16 + q38", "q39"), ("q42", "q41", "q40")),
    ("right_thigh", "lower_trunk", (0.0, 0.0, "L3/2"), ("q6", "-q5", "-q4")),
    ("right_shank", "right_thigh", (0.0, "-L6", 0.0), ("q3", 0.0, 0.0)),
    ("right_foot", "right_shank", (0.0, "-L5", 0.0), ("q2", 0.0, "-q1")),
    ("left_thigh", "lower_trunk", (0.0, 0.0, "-L3/2"), ("q12", "q11", "q10")),
    ("left_shank", "left_thigh", (0.0, "-L16", 0.0), ("q9", 0.0, 0.0)),
    ("left_foot", "left_shank", (0.0, "-L15", 0.0), ("q8", 0.0, "q7")),
    ("thorax", "lower_trunk", ("-L2", "L1", 0.0), ("q15", "q14", "q13")),
    ("right_shoulder", "thorax", ("L9", "L7", "L8"), (0.0, "-q17", "-q16")),
    ("right_upper_arm", "right_shoulder", ("-L12", "L10", "L11"), ("q20", "-q19", "-q18")),
    ("right_forearm", "right_upper_arm", (0.0, "-L13", 0.0), ("q22", "-q21", 0.0)),
    ("right_hand", "right_forearm", (0.0, "-L24", 0.0), ("q24", 0.0, "-q23")),
    ("left_shoulder", "thorax", ("L19", "L17", "-L18"), (0.0, "q26", "q25")),
    ("left_upper_arm", "left_shoulder", ("-L22", "L20", "-L21"), ("q29", "q28", "q27")),
    ("left_forearm", "left_upper_arm", (0.0, "-L23", 0.0), ("q31", "q30", 0.0)),
    ("left_hand", "left_forearm", (0.0, "-L25", 0.0), ("q33", 0.0, "q32")),
    ("head", "thorax", ("L2", "L26", 0.0), ("q36", "q35", "q34")),
]

_LEG = (
    *("ankle_eversion", "ankle_dorsiflexion", "knee_extension"),
    *("hip_abduction", "hip_external_rotation", "hip_flexion"),
)
_ARM = (
    *("clavicle_elevation", "clavicle_retraction"),
    *("shoulder_abduction", "shoulder_external_rotation", "shoulder_flexion"),
    *("forearm_supination", "elbow_flexion", "wrist_radial_deviation", "wrist_flexion"),
)

COORDINATES: tuple[str, ...] = (
    *(f"right_{name}" for name in _LEG),
    *(f"left_{name}" for name in _LEG),
    *("thorax_right_bending", "thorax_left_rotation", "thorax_extension"),
    *(f"right_{name}" for name in _ARM),
    *(f"left_{name}" for name in _ARM),
    *("head_right_bending", "head_left_rotation", "head_extension"),
    *("pelvis_forward", "pelvis_upward", "pelvis_rightward"),
    *("pelvis_right_lean", "pelvis_left_turn", "pelvis_backward_tilt"),
)
"""Names of q1 to q42: what happens where the coordinate grows."""


def _named(parameter: float | str) -> float | str:
    if not isinstance(parameter, str):
        return parameter
    return re.sub(r"q(\d+)", lambda found: COORDINATES[int(found[1]) - 1], parameter)


SPREAD = {
    **{f"{side}_shoulder_abduction": 0.6 for side in ("right", "left")},
    **{f"{side}_hip_abduction": 0.25 for side in ("right", "left")},
}
"""Angles at which neither arms nor legs touch [rad]."""

ROWS = tuple((name, parent, tuple(map(_named, t)), tuple(map(_named, r))) for name, parent, t, r in _ROWS)
SEGMENTS = tuple(row[0] for row in ROWS)

_DATA = parse_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SEGMENT_LENGTHS: dict[str, tuple[str, str]] = {kind: (r, l) for kind, (r, l) in _DATA["segment-lengths"].items()}
"""The length of a segment that centres and radii are parts of, the right one and the left one."""

# The left length that is as long as the right one.
MIRRORED = {f"L{n + 10}": f"L{n}" for n in range(4, 14)} | {"L25": "L24", "L28": "L27", "L31": "L30"}
LENGTH_COUNT = 31

HANIM: dict[str, tuple[str, str]] = {name: (joint, segment) for name, (joint, segment) in _DATA["hanim"].items()}

_FOOT_TAGS = ("digit2", "calcaneous_post", "metatarsal_pha5", "metatarsal_pha1")
_LEG_TAGS = (*_FOOT_TAGS, "lateral_malleolus", "femoral_lateral_epicn", "trochanterion", "iliocristale")
_ARM_TAGS = ("acromion", "humeral_lateral_epicn", "radial_styloid", "dactylion")
TAGS: tuple[str, ...] = (
    *(f"{side}_{name}" for side in "rl" for name in _LEG_TAGS),
    *("substernale", "suprasternale"),
    *(f"{side}_{name}" for side in "rl" for name in _ARM_TAGS),
    *("cervicale", "vertex"),
)
"""Names of tags 1 to 28, sites of H-Anim."""

CONTACTS = {f"{word}_foot": tuple(f"{word[0]}_{name}" for name in _FOOT_TAGS) for word in ("right", "left")}


def landmarks(table: Anthropometry, H: float, L: Mapping[str, float]) -> dict[str, tuple[str, Point]]:
    """Return the tags in their order: name → (segment, point [m]); H is the height.  [HuMAnS Table 3.5]"""
    m = {name: part * H for name, part in table.landmarks.items()}
    found = {
        **_side("right", m, L),
        **_side("left", m, L),
        "substernale": ("thorax", (m["xiphoid_x"], 0.0, 0.0)),
        "suprasternale": ("thorax", ((L["L9"] + L["L19"]) / 2, (L["L7"] + L["L17"]) / 2, 0.0)),
        "cervicale": ("thorax", (L["L2"] - m["cervicale_x"], L["L26"], 0.0)),
        "vertex": ("head", (0.0, m["vertex_y"], 0.0)),
    }
    return {name: found[name] for name in TAGS}


def _side(word: str, m: Mapping[str, float], L: Mapping[str, float]) -> dict[str, tuple[str, Point]]:
    """Return the tags of one side; on the left the z axis points inward."""
    side, s, n = word[0], 1.0 if word == "right" else -1.0, 0 if word == "right" else 10
    foot, shank, thigh, y, z, x, arm = (L[f"L{k + n}"] for k in (4, 5, 6, 10, 11, 12, 13))
    points = {
        "digit2": ("foot", (m["toe_x"], -foot, 0.0)),
        "calcaneous_post": ("foot", (m["heel_x"], -foot, 0.0)),
        "metatarsal_pha5": ("foot", (m["ball_x"], -foot, s * m["ball_z"])),
        "metatarsal_pha1": ("foot", (m["ball_x"], -foot, -s * m["ball_z"])),
        "lateral_malleolus": ("shank", (0.0, -shank, s * m["malleolus_z"])),
        "femoral_lateral_epicn": ("thigh", (0.0, -thigh, s * m["knee_z"])),
        "trochanterion": ("thigh", (0.0, 0.0, s * (m["trochanter_z"] - L["L3"] / 2))),
        "acromion": ("shoulder", (-x, y + m["acromion_y"], s * z)),
        "humeral_lateral_epicn": ("upper_arm", (0.0, -arm, s * m["elbow_z"])),
        "radial_styloid": ("forearm", (0.0, -m["styloid_y"], s * m["styloid_z"])),
        "dactylion": ("hand", (0.0, -m["dactylion_y"], 0.0)),
    }
    own = {f"{side}_{name}": (f"{word}_{kind}", point) for name, (kind, point) in points.items()}
    iliac = (m["iliac_x"], m["iliac_y"], s * m["iliac_z"])
    return own | {f"{side}_iliocristale": ("lower_trunk", iliac)}


RANGES: dict[str, tuple[float, float]] = {
    f"{side}{name}": (low, high)
    for side, table in (("right_", "limb-ranges"), ("left_", "limb-ranges"), ("", "ranges"))
    for name, (low, high) in _DATA[table].items()
}
"""Lowest and highest value [°]."""
