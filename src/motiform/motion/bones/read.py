"""Meshes of bones from a folder, files or arrays: names, unit, repairs."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, ShapeError
from motiform.geometry import Mesh, read_mesh
from motiform.geometry.meshes.files import MESH_SUFFIXES
from motiform.motion.bones.mend import mend_mesh
from motiform.motion.bones.names import BONES, bone_name
from motiform.spatial.checks import Array, Words

__all__ = ["UNITS", "read_bones"]

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
_SIZES = 10e-3, 60e-3  # [m] between which the longest edge of the box around a capitate is
NEEDED = ("radius", "capitate")


def read_bones(meshes: Any, unit: str | None) -> tuple[dict[str, Mesh], float, list[str]]:
    """Return meshes [m] by the names of their bones, the length of the meshes' unit [m], and notes of what was mended.

    Without a unit, meshes are in metres, or in that unit in which the capitate is as large as one.
    """
    if unit is not None and unit not in UNITS:
        raise InputError("no such unit of length", where="unit", got=unit, allowed=", ".join(UNITS))
    named, notes = _named(meshes)
    missing = [name for name in NEEDED if name not in named]
    if missing:
        got = Words(", ".join(named) or "no bone")
        raise InputError(
            f"the {' and the '.join(missing)} must be there", where="meshes", got=got, allowed=", ".join(BONES)
        )
    raw = {name: _raw(named[name], name) for name in BONES if name in named}
    scale = _scale(raw["capitate"].vertices, unit, notes)
    found = {}
    for name, mesh in raw.items():
        found[name], mended = mend_mesh(Mesh(mesh.vertices * scale, mesh.faces), name)
        notes += mended
    return found, scale, notes


def _named(meshes: Any) -> tuple[dict[str, Any], list[str]]:
    """Return what stands for each bone, and notes on files that stand for none."""
    if isinstance(meshes, (str, os.PathLike)):
        return _folder(Path(meshes))
    if not isinstance(meshes, Mapping):
        allowed = "a folder, or {bone: mesh}"
        raise InputError(
            "meshes must be a folder, or a mesh for each bone", where="meshes", got=Words(type(meshes).__name__),
            allowed=allowed,
        )  # fmt: skip
    found: dict[str, Any] = {}
    for key, mesh in meshes.items():
        name = bone_name(key) if isinstance(key, str) else None
        if name is None:
            raise InputError("no such bone", where="meshes", got=key, allowed=", ".join(BONES))
        if name in found:
            raise InputError("two meshes are for one bone", where="meshes", got=key, allowed=f"one {name}")
        found[name] = mesh
    return found, []


def _folder(folder: Path) -> tuple[dict[str, Any], list[str]]:
    if not folder.is_dir():
        raise InputError(
            "there is no such folder", where=str(folder), allowed="a folder with one mesh file for each bone"
        )
    found: dict[str, Any] = {}
    notes = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in MESH_SUFFIXES:
            continue
        name = bone_name(path.stem)
        if name is None:
            notes.append(f"{path.name} was left out: its name is not that of one bone.")
        elif name in found:
            raise InputError(
                "two files are for one bone", where=str(folder), got=Words(f"{found[name].name} and {path.name}"),
                allowed=f"one {name}", remedy="Put the bones of one wrist in a folder.",
            )  # fmt: skip
        else:
            found[name] = path
    return found, notes


def _raw(mesh: Any, name: str) -> Mesh:
    """Return a mesh in its own unit."""
    if isinstance(mesh, Mesh):
        return mesh
    if isinstance(mesh, (str, os.PathLike)):
        return read_mesh(mesh)
    try:
        vertices, faces = (mesh.vertices, mesh.faces) if hasattr(mesh, "vertices") else mesh
    except (TypeError, ValueError):
        allowed = "a path, a Mesh, an object with vertices and faces, or (vertices, faces)"
        raise InputError(
            "the bone must be a Mesh or a file", where=name, got=Words(type(mesh).__name__), allowed=allowed
        ) from None
    try:
        return Mesh(np.asarray(vertices), np.asarray(faces))
    except MotiformError as error:
        raise ShapeError(str(error), where=name) from error


def _scale(capitate: Array, unit: str | None, notes: list[str]) -> float:
    """Return the length of the unit [m]: the one told, or the one in which the capitate has a possible size."""
    size = float(np.ptp(capitate, axis=0).max())
    if unit is not None:
        if not 0.2 * _SIZES[0] <= size * UNITS[unit] <= 5.0 * _SIZES[1]:
            got = Words(f"{size * UNITS[unit] * 1e3:.3g} mm in the unit {unit!r}")
            raise InputError(
                "the capitate has an impossible size", where="unit", got=got, allowed="2 to 300 mm",
                remedy="Give the unit of the meshes.",
            )  # fmt: skip
        return UNITS[unit]
    fitting = [name for name in ("m", "mm", "cm") if _SIZES[0] <= size * UNITS[name] <= _SIZES[1]]
    if not fitting:
        raise InputError(
            "the unit of the meshes cannot be told from the capitate", where="unit", got=Words(f"{size:.3g} long"),
            allowed="10 to 60 mm", remedy="Give unit=, one of " + ", ".join(UNITS) + ".",
        )  # fmt: skip
    if fitting[0] != "m":
        notes.append(
            f"The meshes are taken to be in {fitting[0]}: the capitate is {size:.3g} long. unit= overrides this."
        )
    return UNITS[fitting[0]]
