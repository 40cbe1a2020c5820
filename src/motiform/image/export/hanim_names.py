"""Names of H-Anim for the segments and joints of figures.

Those of the joints at which segments of Human36 begin [HuMAnS table 3.1] in both versions of H-Anim: X3D 4.0 takes
version 2.0 [ISO/IEC 19774-1:2019], VRML97 has 1.0 [ISO/IEC 19774:2006], whose names HuMAnS uses. Kondo has those of
[HuMAnS table 4.1]. Tags of Human36 have names of feature points already [HuMAnS table 3.3]. Other figures keep theirs.
"""

from collections.abc import Iterable

__all__ = ["VERSIONS", "hanim_names"]

VERSIONS = ("1.0", "2.0")
_HUMAN = {
    "lower_trunk": ("HumanoidRoot", "humanoid_root", "sacrum", "sacrum"),
    "thorax": ("vt10", "vt10", "t10", "t10"),
    "head": ("vc7", "vc7", "c7", "c7"),
}
"""Of each segment its joint and its segment, each in version 1.0 and 2.0."""
_LIMBS = {
    "thigh": ("hip", "hip", "thigh", "thigh"),
    "shank": ("knee", "knee", "calf", "calf"),
    "foot": ("ankle", "talocrural", "hindfoot", "talus"),
    "shoulder": ("sternoclavicular", "sternoclavicular", "clavicle", "clavicle"),
    "upper_arm": ("shoulder", "shoulder", "upperarm", "upperarm"),
    "forearm": ("elbow", "elbow", "forearm", "forearm"),
    "hand": ("wrist", "radiocarpal", "hand", "carpal"),
}
_HUMAN |= {
    f"{side}_{own}": tuple(f"{side[0]}_{name}" for name in names)  # type: ignore[misc]
    for side in ("right", "left")
    for own, names in _LIMBS.items()
}
_KONDO = {
    "trunk": ("HumanoidRoot", "humanoid_root", "Kondo_trunk", "Kondo_trunk"),
    "head": ("Kondo_vc7", "Kondo_vc7", "Kondo_head", "Kondo_head"),
}
_KONDO_LIMBS = {
    "hip": "hipFrontal", "thigh": "hip", "leg": "knee", "ankle": "ankleSagittal", "foot": "ankle",
    "shoulder": "shoulderSagittal", "arm": "shoulder", "hand": "elbow",
}  # fmt: skip
_KONDO |= {
    f"{side}_{own}": (*(f"Kondo_{side[0]}_{joint}",) * 2, *(f"Kondo_{side[0]}_{own}",) * 2)
    for side in ("right", "left")
    for own, joint in _KONDO_LIMBS.items()
}


def hanim_names(segments: Iterable[str], version: str) -> dict[str, tuple[str, str]]:
    """Return the names of the joint and of the segment for each segment of a figure."""
    names, place = list(segments), VERSIONS.index(version)
    table = next((table for table in (_HUMAN, _KONDO) if set(table) == set(names)), {})
    return {name: (table[name][place], table[name][2 + place]) if table else (name, name) for name in names}
