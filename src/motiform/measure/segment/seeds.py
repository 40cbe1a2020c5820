"""Seeds and corrections of a segmentation, from a small TOML file."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.base.files import plain_file, reads_file
from motiform.base.toml import parse_toml
from motiform.measure.volume.volume import Side
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["NOTHING", "Disc", "Seeds", "Spot", "read_seeds", "write_seeds"]

NOTHING = "none"
"""Name of seeds in what is no bone: what grows from them is left out."""
_KEYS = ("unit", "frame", "side", "bones", "cut", "erase", "fill")
_UNITS = {"mm": 1e-3, "m": 1.0}
_FRAMES = {"LPS": (1, 1, 1), "RAS": (-1, -1, 1)}


@dataclass(frozen=True, eq=False)
class Disc:
    """A cut: voxels within a disc become background before bones are split."""

    center: Array
    """[m], (3,)."""
    normal: Array
    radius: float
    """[m]"""


@dataclass(frozen=True, eq=False)
class Spot:
    """A ball that is added to a bone, or, without one, becomes background."""

    center: Array
    """[m], (3,)."""
    radius: float
    """[m]"""
    bone: str | None = None


@dataclass(frozen=True, eq=False)
class Seeds:
    """Where bones are, and corrections.

    Attributes
    ----------
    bones : points [m], (n, 3), inside each bone, by name; those of "none" are in what is no bone.
    cuts, erased, filled : corrections.
    side : "left", "right" or None.
    """

    bones: Mapping[str, Array] = field(default_factory=dict)
    cuts: tuple[Disc, ...] = ()
    erased: tuple[Spot, ...] = ()
    filled: tuple[Spot, ...] = ()
    side: Side | None = None


@reads_file("seeds")
def read_seeds(path: str | os.PathLike[str]) -> Seeds:
    """Return seeds and corrections from a TOML file; lengths are millimetres unless unit = "m".

    ``frame`` says whose axes points have: "LPS" (the volume's own, default) or "RAS" (3D Slicer's), whose x and y point
    the other way.
    """
    place = Path(path)
    try:
        table = parse_toml(plain_file(place).read_text("utf-8"))
    except (OSError, ValueError) as error:  # of texts, of TOML, of numbers with too many digits
        raise InputError(f"the file of seeds cannot be read: {error}", where=str(place)) from error
    for key in table:
        if key not in _KEYS:
            raise InputError(
                "unknown key", where=str(place), got=key, allowed=", ".join(_KEYS), remedy=closest(key, _KEYS)
            )
    unit, frame = table.get("unit", "mm"), table.get("frame", "LPS")
    for value, known in ((unit, _UNITS), (frame, _FRAMES)):
        if value not in list(known):  # lists and tables have no hash
            raise InputError("unknown unit or frame", where=str(place), got=value, allowed=", ".join(known))
    side = table.get("side")
    if side not in (None, "left", "right"):
        raise InputError("unknown side", where=str(place), got=side, allowed="'left', 'right'")
    own = _Reader(str(place), _UNITS[unit], np.array(_FRAMES[frame]))
    bones = {str(name): own.points(points, name) for name, points in own.table(table.get("bones", {})).items()}
    cuts = tuple(Disc(own.point(one, "center"), own.direction(one), own.length(one)) for one in own.list(table, "cut"))
    erased = tuple(Spot(own.point(one, "center"), own.length(one)) for one in own.list(table, "erase"))
    filled = tuple(
        Spot(own.point(one, "center"), own.length(one), own.bone(one, bones)) for one in own.list(table, "fill")
    )
    return Seeds(bones, cuts, erased, filled, side)


def write_seeds(seeds: Seeds, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write seeds and corrections as `read_seeds` reads them, in millimetres and the volume's axes."""
    place = Path(path)
    if place.exists() and not overwrite:
        raise InputError("the file exists already", where=str(place), remedy="Choose another name, or overwrite=True.")
    place.write_text(seeds_text(seeds), "utf-8")
    return place


def seeds_text(seeds: Seeds) -> str:
    """Return seeds and corrections as TOML."""
    lines = [f'side = "{seeds.side}"'] if seeds.side else []
    lines += ['frame = "LPS"', "[bones]  # mm"]
    lines += [
        f"{name} = [{', '.join(_millimetres(point) for point in points)}]" for name, points in seeds.bones.items()
    ]
    for disc in seeds.cuts:
        normal = [round(float(x), 6) for x in disc.normal]
        lines += ["[[cut]]", f"center = {_millimetres(disc.center)}", f"normal = {normal}", _radius(disc.radius)]
    for key, spots in (("erase", seeds.erased), ("fill", seeds.filled)):
        for spot in spots:
            lines += [f"[[{key}]]", f"center = {_millimetres(spot.center)}", _radius(spot.radius)]
            lines += [f"bone = {json.dumps(spot.bone)}"] if spot.bone else []
    return "\n".join(lines) + "\n"


def _millimetres(point: Array) -> str:
    return str([round(1e3 * float(x), 4) for x in point])


def _radius(radius: float) -> str:
    return f"radius = {round(1e3 * radius, 4)}"


@dataclass(frozen=True)
class _Reader:
    """Values of a table in metres and the volume's axes."""

    where: str
    unit: float
    signs: Any

    def table(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InputError("seeds must be a table of names", where=self.where, allowed="[bones]")
        return value

    def list(self, table: dict[str, Any], key: str) -> list[dict[str, Any]]:
        found = table.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise InputError("corrections must be lists of tables", where=f"{self.where}, {key}", allowed=f"[[{key}]]")
        return found

    def points(self, value: Any, name: str) -> Array:
        points = np.atleast_2d(as_floats(value, 3, where=f"{self.where}, bones.{name}"))
        if points.ndim != 2 or len(points) == 0:
            raise InputError("a bone must have seeds", where=f"{self.where}, bones.{name}", allowed="[[x, y, z], …]")
        return points * self.unit * self.signs

    def point(self, table: dict[str, Any], key: str) -> Array:
        if key not in table:
            raise InputError("a correction must have its place", where=self.where, allowed=f"{key} = [x, y, z]")
        return self.points(table[key], key)[0]

    def direction(self, table: dict[str, Any]) -> Array:
        normal = self.point(table, "normal") / self.unit
        if not np.linalg.norm(normal) > 0:
            raise InputError("the normal of a cut must have a direction", where=self.where, got=Words(str(normal)))
        return normal / np.linalg.norm(normal)

    def length(self, table: dict[str, Any]) -> float:
        radius = as_floats(table.get("radius", 0), where=f"{self.where}, radius")
        if radius.ndim or not radius > 0:
            raise InputError("radius must be above 0", where=self.where, got=table.get("radius"))
        return float(radius) * self.unit

    def bone(self, table: dict[str, Any], bones: Mapping[str, Any]) -> str:
        name = str(table.get("bone"))
        if name not in bones:
            raise InputError(
                "a filled ball must belong to a bone with seeds", where=self.where, got=name, allowed=", ".join(bones),
                remedy=closest(name, bones),
            )  # fmt: skip
        return name
