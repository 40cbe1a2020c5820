"""Anthropometric tables: lengths, masses, centres of mass, radii of gyration and landmarks of a body."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan

from motiform.base.errors import InputError, closest

__all__ = ["MEASURED_LANDMARKS", "TABLES", "Anthropometry", "find_table"]

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Anthropometry:
    """A table of proportions; `human36(table=…)` takes any.

    Kinds of segments: lower_trunk, thigh, shank, foot, thorax, shoulder, upper_arm, forearm, hand, head.
    """

    name: str
    height: float
    """Mean height of the bodies measured [m]."""
    mass: float
    """Their mean mass [kg]."""
    lengths: Mapping[str, tuple[float, float]]
    """Length by name, the right one of a pair: (part of the height, metres), added."""
    masses: Mapping[str, float]
    """Mass of a kind of segment [% of the body]; where their sum is not 100 for rounding, they are scaled to it."""
    centers: Mapping[str, float]
    """Centre of mass [% of the segment's length], from the joint that carries it, from the heel for the foot."""
    radii: Mapping[str, Triple]
    """Radii of gyration about the centre of mass, x, y, z [% of the segment's length]."""
    landmarks: Mapping[str, float] = field(default_factory=dict)
    """Places of landmarks [part of the height]."""


# De Leva's mean longitudinal lengths over the mean height, as printed; depths and breadths are
# those of Clauser and Dempster.  [HuMAnS Table 3.2] [DeLeva96 Table 4] [Clauser69] [Dempster55]
_LENGTHS = {
    "L1": (0.2075, 0.0),
    "L2": (0.0, 0.09085),
    "L3": (0.1002, 0.0),
    "L4": (0.0222, 0.0),
    "L5": (0.2493, 0.0),
    "L6": (0.2425, 0.0),
    "L7": (0.0980, 0.0),
    "L8": (0.0, 0.0127),
    "L9": (0.0, 0.1817),
    "L10": (0.0104, 0.0),
    "L11": (0.259 / 2, -0.0127),
    "L12": (0.0, 0.09085),
    "L13": (0.1618, 0.0),
    "L24": (0.1544, 0.0),
    "L26": (0.139, 0.0),
    "L27": (0.1091, 0.0),
    "L29": (0.1395, 0.0),
    "L30": (0.1482, 0.0),
}

# [HuMAnS Table 3.5, left epicondyle corrected]
_LANDMARKS = {
    "toe_x": 0.1235,
    "heel_x": -0.0248,
    "ball_x": 0.0662,
    "ball_z": 0.0305,
    "malleolus_z": 0.0249,
    "knee_z": 0.0290,
    "trochanter_z": 0.0941,
    "iliac_x": 0.0271,
    "iliac_y": 0.0366,
    "iliac_z": 0.0697,
    "xiphoid_x": 0.1219,
    "acromion_y": 0.0198,
    "elbow_z": 0.0211,
    "styloid_y": 0.1533,
    "styloid_z": 0.0331,
    "dactylion_y": 0.1091,
    "cervicale_x": 0.0392,
    "vertex_y": 0.1395,
}

DELEVA_MALE = Anthropometry(
    name="de Leva, male",
    height=1.741,
    mass=73.0,
    lengths=_LENGTHS,
    masses={  # [HuMAnS Table 3.7]
        "lower_trunk": 27.5,
        "thigh": 14.16,
        "shank": 4.33,
        "foot": 1.37,
        "thorax": 15.96,
        "shoulder": 0.0,
        "upper_arm": 2.71,
        "forearm": 1.62,
        "hand": 0.61,
        "head": 6.94,
    },
    centers={  # [HuMAnS Table 3.8]
        "lower_trunk": 51.08,
        "thigh": 40.95,
        "shank": 44.59,
        "foot": 44.15,
        "thorax": 70.01,
        "shoulder": 0.0,
        "upper_arm": 57.72,
        "forearm": 45.74,
        "hand": 36.91,
        "head": 49.98,
    },
    radii={  # [HuMAnS Table 3.9]
        "lower_trunk": (27.22, 26.28, 22.6),
        "thigh": (32.9, 14.9, 32.9),
        "shank": (25.5, 10.3, 24.9),
        "foot": (12.4, 25.7, 24.5),
        "thorax": (71.6, 65.9, 45.4),
        "shoulder": (0.0, 0.0, 0.0),
        "upper_arm": (28.5, 15.8, 26.9),
        "forearm": (27.6, 12.1, 26.5),
        "hand": (28.8, 18.4, 23.5),
        "head": (30.3, 26.1, 31.5),
    },
    landmarks=_LANDMARKS,
)

# De Leva's women, the same segments by the same rules; her lower trunk is his lower and middle parts together, the
# parallel-axis theorem included. What he does not give (depths, breadths, L10) stays.  [DeLeva96 Table 4]
DELEVA_FEMALE = Anthropometry(
    name="de Leva, female",
    height=1.735,
    mass=61.9,
    lengths=_LENGTHS
    | {
        "L1": (0.2229, 0.0),  # (181.5 + 205.3) / 1735
        "L4": (0.0436, 0.0),  # 1 − (243.7 + 614.8 + 368.5 + 432.3) / 1735
        "L5": (0.2492, 0.0),  # 432.3
        "L6": (0.2124, 0.0),  # 368.5
        "L7": (0.0821, 0.0),  # 142.5
        "L13": (0.1586, 0.0),  # 275.1
        "L24": (0.1523, 0.0),  # 264.3
        "L26": (0.1314, 0.0),  # 228.0
        "L27": (0.0980, 0.0),  # 170.1
        "L29": (0.1405, 0.0),  # 243.7
        "L30": (0.1316, 0.0),  # 228.3
    },
    masses={
        "lower_trunk": 27.12,  # 12.47 + 14.65
        "thigh": 14.78,
        "shank": 4.81,
        "foot": 1.29,
        "thorax": 15.45,
        "shoulder": 0.0,
        "upper_arm": 2.55,
        "forearm": 1.38,
        "hand": 0.56,
        "head": 6.68,
    },
    centers={
        "lower_trunk": 52.04,
        "thigh": 36.12,
        "shank": 44.16,
        "foot": 40.14,
        "thorax": 79.23,
        "shoulder": 0.0,
        "upper_arm": 57.54,
        "forearm": 45.59,
        "hand": 34.27,
        "head": 51.59,
    },
    radii={
        "lower_trunk": (33.95, 21.49, 32.12),
        "thigh": (36.9, 16.2, 36.4),
        "shank": (27.1, 9.3, 26.7),
        "foot": (13.9, 29.9, 27.9),
        "thorax": (74.6, 71.8, 50.2),
        "shoulder": (0.0, 0.0, 0.0),
        "upper_arm": (27.8, 14.8, 26.0),
        "forearm": (26.1, 9.4, 25.7),
        "hand": (24.4, 15.4, 20.8),
        "head": (27.1, 26.1, 29.5),
    },
    # The foot's landmarks keep their place in a foot of her length, 0.1316 for 0.1482 of the height.
    landmarks=_LANDMARKS
    | {
        "toe_x": 0.1097,
        "heel_x": -0.0219,
        "ball_x": 0.0588,
        "styloid_y": 0.1512,
        "dactylion_y": 0.0980,
        "vertex_y": 0.1405,
    },
)

# Dempster's cadavers as Winter gives them: masses, and centres of the limbs from the same joints. His trunk ends at
# T12 and L1, not at T10: its centres, and all radii about the two other axes, stay.  [Winter09 Table 4.1]
DEMPSTER = replace(
    DELEVA_MALE,
    name="Dempster",
    masses={
        "lower_trunk": 28.1,  # abdomen and pelvis
        "thigh": 10.0,
        "shank": 4.65,
        "foot": 1.45,
        "thorax": 21.6,
        "shoulder": 0.0,
        "upper_arm": 2.8,
        "forearm": 1.6,
        "hand": 0.6,
        "head": 8.1,
    },
    centers=DELEVA_MALE.centers | {"thigh": 43.3, "shank": 43.3, "upper_arm": 43.6, "forearm": 43.0},  # type: ignore[operator]
    radii=DELEVA_MALE.radii  # type: ignore[operator]
    | {
        "thigh": (32.3, 14.9, 32.3),
        "shank": (30.2, 10.3, 30.2),
        "upper_arm": (32.2, 15.8, 32.2),
        "forearm": (30.3, 12.1, 30.3),
    },
)

# Men measured with the markers of motion capture [cm], not a number where nothing was measured.  [HuMAnS Table 3.4]
MEASURED_LANDMARKS: dict[str, tuple[float, ...]] = {
    "height": (170, 182, 170, 183, 172, 187, 193, 180, 170, 180, 178),
    "toe_x": (20.5, 23, 24, nan, 25, nan, 23.5, 20.5, nan, 20.5, 19),
    "ball_x": (12.5, 10, 12, 14.5, 10, 12.5, 11.5, 15, 11.5, 10.5, 10),
    "ball_z": (4.5, 6, 5, 6, 5, 6, 7, 5, 5.5, 5, 5),
    "malleolus_z": (4.5, 4.5, 4.5, 6.5, 3.5, 5.5, 4, 4.5, 4, 3.5, 4),
}

TABLES: dict[tuple[str, str], Anthropometry] = {
    ("deleva", "male"): DELEVA_MALE,
    ("deleva", "female"): DELEVA_FEMALE,
    ("dempster", "male"): DEMPSTER,
}


def find_table(table: str | Anthropometry, sex: str) -> Anthropometry:
    """Return a table by its name and the sex of the bodies, or the table given."""
    if isinstance(table, Anthropometry):
        return table
    names = sorted({name for name, _ in TABLES})
    if table not in names:
        raise InputError(
            "no such anthropometric table", where="human36", got=table,
            allowed=", ".join(names) + ", or an Anthropometry", remedy=closest(str(table), names),
        )  # fmt: skip
    sexes = [s for name, s in TABLES if name == table]
    if sex not in sexes:
        remedy = "Dempster measured men only: use table='deleva'." if sex == "female" else closest(str(sex), sexes)
        raise InputError(
            f"the table {table!r} has no data for this sex", where="human36", got=sex, allowed=", ".join(sexes),
            remedy=remedy,
        )  # fmt: skip
    return TABLES[table, sex]
