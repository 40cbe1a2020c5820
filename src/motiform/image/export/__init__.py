"""Export: recordings and forms as files that other programs read."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.image.files import check_new, new_file
from motiform.record.samples import Samples, by_samples, in_blocks

if TYPE_CHECKING:
    from motiform.form import Form, Part
    from motiform.form.parts import Series
    from motiform.form.rig import Posed
    from motiform.record import Recording

__all__ = ["SUFFIXES", "export"]

#: What is written for each suffix.
SUFFIXES = {
    ".glb": "glTF 2.0 with animation, binary",
    ".gltf": "glTF 2.0 with animation, text",
    ".x3d": "X3D 4.0 with animation",
    ".wrl": "VRML97 with animation",
    ".ply": "a PLY file for each instant: triangles or points, with velocities",
    ".obj": "an OBJ file for each instant: triangles",
    ".csv": "table of the channels",
    ".usd": "USD, binary",
    ".usda": "USD, text",
    ".usdc": "USD, binary",
}


def export(
    source: "Recording | Form", path: str | os.PathLike[str], *, overwrite: bool = False, rate: float | None = None,
    skin: bool | None = None, points: bool = False, humanoid: bool = False, resolution: str | None = None,
    marker_colors: Mapping[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Write a recording or form in the format that the suffix of ``path`` names, and return the path.

    PLY and OBJ are sequences: water.ply gives water_0001.ply, water_0002.ply, …, the first of which is returned.

    The file is written atomically, and an existing one is replaced only with ``overwrite``.

    Units are SI. glTF and X3D have y up: a world with another up is turned (`motiform.spatial.upright`). USD tells its
    up axis: a world with z up keeps its axes, others are turned to y up. Tables keep the world's axes.

    Parameters
    ----------
    source : a recording, or a form (which has no channels, so no .csv).
    rate : samples per second to keep [Hz]; all samples when None. A rate above the recording's changes nothing in
        animated files.
    skin : whether a figure is one smooth body, as for `dress`.
    points : of .ply: masses and markers as points with velocities and radii, instead of triangles.
    humanoid : of .x3d and .wrl: the figure as H-Anim's HAnimHumanoid, with its markers by name, which are switched off
        while they are hidden.
    resolution : of a humanoid: "high" (its shapes; the default), "medium" (meshes as their convex hulls), or "low"
        (sticks from joint to joint).
    marker_colors : of a humanoid: {name of the tag: (red, green, blue)} from 0 to 1.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            "unknown format", where=str(path), got=suffix, allowed=", ".join(SUFFIXES), remedy=closest(suffix, SUFFIXES)
        )
    from motiform.form import form_of

    _check_humanoid(suffix, path, humanoid, resolution, marker_colors)
    if points and suffix != ".ply":
        raise InputError("points need a PLY file", where=str(path), got=suffix, allowed=".ply")
    if suffix in (".ply", ".obj"):
        from motiform.image.export.sequence import write_sequence

        shown = form_of(source, skin=skin)
        return write_sequence(shown, Path(path), rate=rate, points=points, overwrite=overwrite)[0]
    path = check_new(path, overwrite=overwrite)
    if suffix == ".csv":
        _write_table(source, path, overwrite, rate)
        return path
    form = form_of(source, skin=skin)
    person = None
    if humanoid:
        from motiform.image.export.humanoid import read_humanoid
        from motiform.record import Recording

        if not isinstance(source, Recording):
            raise InputError("a humanoid needs a recording", got=type(source).__name__, allowed="a Recording")
        person = read_humanoid(
            source, form.up, resolution=resolution or "high", marker_colors=marker_colors,
            version="1.0" if suffix == ".wrl" else "2.0",
        )  # fmt: skip
    rest = None if person is None else _without_gaps(person.rest_form(form))
    form = form if form is source or person is not None else _without_gaps(form)
    with new_file(path, overwrite=overwrite) as temporary:
        if suffix in (".glb", ".gltf"):
            from motiform.image.export.gltf import write_gltf

            write_gltf(form, temporary, rate=rate)
        elif suffix == ".x3d":
            from motiform.image.export.x3d import write_x3d

            write_x3d(form, temporary, rate=rate, humanoid=person, rest=rest)
        elif suffix == ".wrl":
            from motiform.image.export.vrml import write_vrml

            write_vrml(form, temporary, rate=rate, humanoid=person, rest=rest)
        else:
            from motiform.image.export.usd import write_usd

            write_usd(form, temporary, rate=rate)
    return path


def _check_humanoid(suffix: str, path: Any, humanoid: bool, resolution: Any, marker_colors: Any) -> None:
    if humanoid and suffix not in (".x3d", ".wrl"):
        raise InputError("a humanoid needs X3D or VRML97", where=str(path), got=suffix, allowed=".x3d, .wrl")
    if not humanoid and (resolution is not None or marker_colors is not None):
        what = "resolution" if resolution is not None else "marker_colors"
        raise InputError(f"{what} is of humanoids", where=str(path), remedy="Say humanoid=True (--humanoid), too.")


def _without_gaps(form: "Form") -> "Form":
    """Return the form less what is not known throughout: these formats cannot hide what they animate."""
    from motiform.form.rig import Posed

    parts = []
    for part in form.parts:
        known = _known(part.position) if part.points else np.ones(part.count, bool)
        if known.any() or known.all():
            parts.append(part if known.all() else _kept_bodies(part, known))
    links, skins = [], []
    for some in form.links:
        known = _known(some.first)[some.pairs[:, 0]] & _known(some.second)[some.pairs[:, 1]]
        if known.any():
            links.append(_kept(some, known, "pairs", "radius"))
    for skin in form.skins:
        if isinstance(skin.vertices, Posed) and _finite(skin.vertices):
            skins.append(skin)
            continue
        known = _known(skin.vertices)[skin.faces].all(axis=1)
        if known.any():
            skins.append(_kept(skin, known, "faces"))
    return replace(form, parts=tuple(parts), links=tuple(links), skins=tuple(skins))


def _known(places: "Series | Posed") -> np.ndarray:
    """Return which points are finite at all samples, (points,)."""
    found = np.ones(places.shape[1], bool)
    for block in in_blocks(places):
        found &= np.isfinite(block).all(axis=(0, 2))
    return found


def _kept_bodies(part: "Part", known: np.ndarray) -> "Part":
    """Return the bodies of a part that are known."""
    position, orientation = (by_samples(lambda x: x[:, known], x) for x in (part.position, part.orientation))
    color = part.color if part.color.ndim == 1 else part.color[known]
    scale = None if part.scale is None else part.scale[known]
    return replace(part, position=position, orientation=orientation, color=color, scale=scale)


def _finite(posed: "Posed") -> bool:
    return bool(_known(posed.position).all() and _known(posed.orientation).all())


def _kept(thing: Any, known: np.ndarray, *keys: str) -> Any:
    """Return links or a skin with those links or triangles that are known; places that no one uses are 0."""
    if known.all():
        return thing
    changes = {key: getattr(thing, key)[known] for key in keys}
    changes["color"] = thing.color if thing.color.ndim == 1 else thing.color[known]
    for key in ("first", "second", "vertices"):
        if hasattr(thing, key):
            values = getattr(thing, key)
            changes[key] = by_samples(np.nan_to_num, values if isinstance(values, Samples) else np.asarray(values))
    return replace(thing, **changes)


def _write_table(source: "Recording | Form", path: Path, overwrite: bool, rate: float | None) -> None:
    from motiform.record import Recording, write_csv
    from motiform.record.resampling import resample

    if not isinstance(source, Recording):
        raise InputError(
            "a table holds channels", where=str(path), got=type(source).__name__, allowed="a Recording",
            remedy="Export the recording.",
        )  # fmt: skip
    write_csv(source if rate is None else resample(source, rate=rate), path, overwrite=overwrite)
