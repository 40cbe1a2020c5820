"""Marker sets of laboratories on Human36: anatomical sites in its segments, and which marker is at which site.

Sites of bones are Human36's landmarks, or follow from published proportions: hip joints lie 14 % of the distance of the
anterior iliac spines medial, 30 % below and 22 % behind of them [Bell90]; breadth and depth of the head and the chest
are means of [Gordon89]. Sites on soft parts (thigh, shank, upper arm, forearm) are half-way along their segment. They
are where a subject's own markers are looked for: `calibrate` moves them to where they are.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest
from motiform.base.files import reads_file
from motiform.base.toml import parse_toml
from motiform.measure.names import bare_name, read_pairs
from motiform.motion.figures.keypoint_sets import keypoint_sites, keypoint_spread

__all__ = [
    "MARKER_SETS", "SITES", "check_markers_of", "find_marker_set", "marker_tags", "read_sites", "site_spreads",
    "soft_markers",
]  # fmt: skip

_SOFT = ("thigh", "thigh_front", "shank", "shank_front", "upper_arm", "upper_arm_high", "forearm", "scapula",
         "midfoot")  # fmt: skip
_ANYWHERE, _AROUND = 0.1, 0.02  # [m] by which markers stray from sites on soft parts, and from those on bones
Point = tuple[float, float, float]
_APART = 0.72  # distance of the hip joints over that of the anterior iliac spines: 1 − 2 × 0.14  [Bell90]
_HEAD = (0.112, 0.087)  # length and breadth of the head over the height  [Gordon89]
_CHEST = 0.138  # depth of the chest over the height  [Gordon89]


def _sites(m: Mapping[str, float], L: Mapping[str, float], H: float, word: str) -> dict[str, tuple[str, Point]]:
    """Return the sites of one side: name → (segment, point [m]); x forward, y up, z to the right."""
    s, n = (1.0, 0) if word == "right" else (-1.0, 10)
    foot, shank, thigh, arm = (L[f"L{k + n}"] for k in (4, 5, 6, 13))
    forearm = L["L24" if word == "right" else "L25"]
    shoulder = (-L[f"L{12 + n}"], L[f"L{10 + n}"], L[f"L{11 + n}"])
    wide, back = L["L3"] / _APART, L["L2"] - m["cervicale_x"]
    long, broad = (0.42 * H * part for part in _HEAD)  # a band near the widest place
    band, spine = m["vertex_y"] - 0.06 * H, m["xiphoid_x"] - _CHEST * H
    points = {
        "front_head": ("head", (long, band, s * broad)),
        "back_head": ("head", (-long, band, s * broad)),
        "side_head": ("head", (0.0, band, s * 0.5 * _HEAD[1] * H)),
        "acromion": (f"{word}_shoulder", (shoulder[0], shoulder[1] + m["acromion_y"], s * shoulder[2])),
        "shoulder_back": (f"{word}_shoulder", (shoulder[0] - 0.03 * H, shoulder[1], s * shoulder[2])),
        "scapula": ("thorax", (spine + 0.01 * H, 0.45 * L["L26"], s * 0.05 * H)),
        "upper_arm_high": (f"{word}_upper_arm", (0.0, -0.25 * arm, s * 0.03 * H)),
        "upper_arm": (f"{word}_upper_arm", (0.0, -0.5 * arm, s * 0.03 * H)),
        "lateral_elbow": (f"{word}_upper_arm", (0.0, -arm, s * m["elbow_z"])),
        "medial_elbow": (f"{word}_upper_arm", (0.0, -arm, -s * m["elbow_z"])),
        "forearm": (f"{word}_forearm", (0.0, -0.5 * forearm, s * 0.02 * H)),
        "radial_styloid": (f"{word}_forearm", (0.0, -m["styloid_y"], s * m["styloid_z"])),
        "ulnar_styloid": (f"{word}_forearm", (0.0, -m["styloid_y"], -s * m["styloid_z"])),
        "metacarpal2": (f"{word}_hand", (-0.01 * H, -0.5 * m["dactylion_y"], s * 0.015 * H)),
        "metacarpal5": (f"{word}_hand", (-0.01 * H, -0.45 * m["dactylion_y"], -s * 0.022 * H)),
        "asis": ("lower_trunk", (0.22 * wide, 0.30 * wide, s * wide / 2)),
        "psis": ("lower_trunk", (-0.40 * wide, 0.32 * wide, s * 0.19 * wide)),
        "iliac_crest": ("lower_trunk", (m["iliac_x"], m["iliac_y"], s * m["iliac_z"])),
        "trochanter": (f"{word}_thigh", (0.0, 0.0, s * (m["trochanter_z"] - L["L3"] / 2))),
        "thigh": (f"{word}_thigh", (0.0, -0.5 * thigh, s * 0.05 * H)),
        "thigh_front": (f"{word}_thigh", (0.05 * H, -0.6 * thigh, 0.0)),
        "lateral_knee": (f"{word}_thigh", (0.0, -thigh, s * m["knee_z"])),
        "medial_knee": (f"{word}_thigh", (0.0, -thigh, -s * m["knee_z"])),
        "fibula_head": (f"{word}_shank", (-0.01 * H, -0.09 * shank, s * m["knee_z"])),
        "tibial_tuberosity": (f"{word}_shank", (0.03 * H, -0.12 * shank, 0.0)),
        "shank": (f"{word}_shank", (0.0, -0.5 * shank, s * 0.032 * H)),
        "shank_front": (f"{word}_shank", (0.03 * H, -0.4 * shank, 0.0)),
        "lateral_malleolus": (f"{word}_shank", (0.0, -shank, s * m["malleolus_z"])),
        "medial_malleolus": (f"{word}_shank", (0.0, -shank, -s * m["malleolus_z"])),
        "heel": (f"{word}_foot", (m["heel_x"], -0.6 * foot, 0.0)),
        "metatarsal1": (f"{word}_foot", (m["ball_x"], -0.4 * foot, -s * 0.6 * m["ball_z"])),
        "metatarsal2": (f"{word}_foot", (m["ball_x"] + 0.01 * H, -0.4 * foot, 0.0)),
        "metatarsal5": (f"{word}_foot", (m["ball_x"] - 0.01 * H, -0.6 * foot, s * m["ball_z"])),
        "midfoot": (f"{word}_foot", (0.5 * m["ball_x"], -0.2 * foot, s * 0.5 * m["ball_z"])),
        "toe_tip": (f"{word}_foot", (m["toe_x"], -0.6 * foot, 0.0)),
        "clavicle_end": ("thorax", ((L["L9"] + L["L19"]) / 2, (L["L7"] + L["L17"]) / 2, s * 0.011 * H)),
        "hip_joint": (f"{word}_thigh", (0.0, 0.0, 0.0)),
        "knee_joint": (f"{word}_thigh", (0.0, -thigh, 0.0)),
        "ankle_joint": (f"{word}_shank", (0.0, -shank, 0.0)),
    }
    middle = {
        "vertex": ("head", (0.0, m["vertex_y"], 0.0)), "forehead": ("head", (0.5 * _HEAD[0] * H, band, 0.0)),
        "c7": ("thorax", (back, L["L26"], 0.0)), "t2": ("thorax", (back - 0.01 * H, 0.85 * L["L26"], 0.0)),
        "t7": ("thorax", (spine, 0.35 * L["L26"], 0.0)), "t10": ("thorax", (spine, 0.0, 0.0)),
        "t12": ("thorax", (spine + 0.01 * H, -0.03 * H, 0.0)),
        "clavicle": ("thorax", ((L["L9"] + L["L19"]) / 2, (L["L7"] + L["L17"]) / 2, 0.0)),
        "sternum": ("thorax", (m["xiphoid_x"], 0.0, 0.0)),
        "chest": ("thorax", (m["xiphoid_x"], 0.5 * L["L7"], 0.0)),
        "sacrum": ("lower_trunk", (-0.40 * wide, 0.32 * wide, 0.0)),
    }  # fmt: skip
    return {f"{word[0]}_{name}": place for name, place in points.items()} | middle | keypoint_sites(m, L, H, word)


def _sided(left: str, right: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return {marker: site} of both sides: the words for them go where the name has {}, else before it."""
    found: dict[str, str] = {}
    for side, word in (("l", left), ("r", right)):
        found |= {name.format(word) if "{}" in name else word + name: f"{side}_{site}" for name, site in names.items()}
    return found


def _read_sets() -> dict[str, dict[str, str]]:
    data, found = parse_toml(Path(__file__).with_suffix(".toml").read_text("utf-8")), dict[str, dict[str, str]]()
    for key, parts in data["sets"].items():
        own = found.setdefault(key, {})
        for part in parts:
            names: dict[str, str] = {}
            for group in part.get("groups", ()):
                names |= data["groups"][group]
            names |= part.get("markers", {})
            left, right = part.get("sides", ("", ""))
            own |= _sided(left, right, names) if "sides" in part else names
    return found


MARKER_SETS = _read_sets()
"""Site of each marker, by the name of the set."""
_ONES: Any = type("_Ones", (dict,), {"__missing__": lambda self, key: 1.0})()
SITES: tuple[str, ...] = tuple(_sites(_ONES, _ONES, 1.0, "right") | _sites(_ONES, _ONES, 1.0, "left"))
"""Names of the sites: those of a side begin with r_ or l_."""


def check_markers_of(markers: Any, segments: tuple[str, ...]) -> dict[str, Any]:
    """Return {marker: site or (segment, point)} of a set by name, or of a mapping, checked."""
    if markers is None:
        return {}
    if isinstance(markers, str):
        if markers not in MARKER_SETS:
            remedy = closest(markers, MARKER_SETS)
            raise InputError("no such marker set", got=markers, allowed=", ".join(MARKER_SETS), remedy=remedy)
        return dict(MARKER_SETS[markers])
    if not isinstance(markers, Mapping):
        allowed = f"{', '.join(MARKER_SETS)}, or a mapping"
        raise InputError("markers must be a set or a mapping", got=repr(markers)[:80], allowed=allowed)
    return {str(name): _checked(str(name), place, segments) for name, place in markers.items()}


def _checked(name: str, place: Any, segments: tuple[str, ...]) -> str | tuple[str, Point]:
    if isinstance(place, str):
        if place not in SITES:
            remedy = closest(place, SITES)
            raise InputError(
                "no such site", where=f"marker {name!r}", got=place, allowed=", ".join(SITES), remedy=remedy
            )
        return place
    try:
        segment, (x, y, z) = place
        point = (float(x), float(y), float(z))
    except (TypeError, ValueError):
        raise InputError(
            "a marker must have a site, or a segment and a point", where=f"marker {name!r}", got=repr(place)[:80],
            allowed="'r_asis', or ('left_thigh', (x, y, z)) [m]",
        ) from None  # fmt: skip
    if segment not in segments:
        raise InputError("no such segment", where=f"marker {name!r}", got=str(segment), allowed=", ".join(segments))
    return str(segment), point


def marker_tags(
    markers: Mapping[str, Any], proportions: Any, height: float, lengths: Mapping[str, float]
) -> dict[str, tuple[str, Point]]:
    """Return the tags of markers on a body: name → (segment, point [m])."""
    m = {name: part * height for name, part in proportions.landmarks.items()}
    known = {name: place for word in ("left", "right") for name, place in _sites(m, lengths, height, word).items()}
    return {name: known[place] if isinstance(place, str) else place for name, place in markers.items()}


def find_marker_set(names: Sequence[str]) -> tuple[str, int]:
    """Return the set that has most of these markers, and how many of them."""
    count = {name: len(_sites_of(names, known)) for name, known in MARKER_SETS.items()}
    best = max(count, key=count.__getitem__)  # of equal ones the first
    return best, count[best]


def marks_legs(names: Sequence[str], markers: str | Mapping[str, str]) -> bool:
    """Tell whether markers of a set with these names are on the pelvis, on both knees, both ankles and both feet."""
    sites = set(_sites_of(names, MARKER_SETS[markers] if isinstance(markers, str) else markers))
    feet = [{f"{s}_{part}" for part in ("heel", "metatarsal1", "metatarsal2", "metatarsal5", "toe_tip")} for s in "rl"]
    bones = {f"{s}_{bone}" for s in "rl" for bone in ("asis", "lateral_knee", "lateral_malleolus")}
    return bones <= sites and all(sites & foot for foot in feet)


def _sites_of(names: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Return the sites of those names that are of a set."""
    bare = {bare_name(marker): site for marker, site in known.items()}
    return [bare[one] for one in map(bare_name, names) if one in bare]


@reads_file("a marker set")
def read_sites(path: str | Path) -> dict[str, str]:
    """Read a CSV file with the columns marker and site; the first line may be these words, # begins a remark.

    Markers without a site are left out.
    """
    return {marker: site for marker, site in read_pairs(path, ("marker", "site")).items() if site}


def site_spreads(markers: Mapping[str, Any]) -> dict[str, float]:
    """Return by how much the place of each marker may differ from its site [m], for `calibrate`.

    Markers on soft parts are put anywhere along the segment, or on wands.
    """
    soft = soft_markers(markers)
    return {
        name: _ANYWHERE if name in soft else keypoint_spread(place) or _AROUND
        for name, place in markers.items()
        if isinstance(place, str)
    }


def soft_markers(markers: Mapping[str, Any]) -> set[str]:
    """Return the markers of {marker: site} that are on soft parts, where no bone tells their place."""
    return {name for name, place in markers.items() if isinstance(place, str) and place.partition("_")[2] in _SOFT}
