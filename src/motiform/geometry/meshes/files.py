"""Mesh files in and out, and the checks of a closed mesh. Files are read and written by trimesh."""

import io
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError, RunError, ShapeError, outside_data
from motiform.base.files import named_file, plain_file, reads_file
from motiform.geometry.checks import check_amount
from motiform.geometry.meshes.collada import parse_collada
from motiform.geometry.meshes.scans import parse_inventor, parse_vtk
from motiform.geometry.meshes.topology import check_closed_surface, check_no_slivers, check_outward
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Shape
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["MESH_SUFFIXES", "check_closed", "merge_vertices", "read_mesh", "write_mesh"]

MESH_SUFFIXES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".dae", ".iv", ".wrl", ".vtk")
_OWN = {"dae": parse_collada, "iv": parse_inventor, "wrl": parse_inventor, "vtk": parse_vtk}
_WRITABLE = (".stl", ".obj", ".ply", ".off", ".glb")
_CUT = "The file may be cut short, or hold another format than its name says."


def check_closed(mesh: Mesh) -> float:
    """Return the volume [m³] of a valid closed mesh; otherwise raise an error that describes its defects.

    Rejects open edges, inconsistent winding, triangles without area, a mesh that is inside out or encloses nothing.
    Mass properties ask less: triangles without area add nothing to an integral and are let through there.
    """
    check_closed_surface(mesh.vertices, mesh.faces)
    check_no_slivers(mesh.vertices, mesh.faces)
    return check_outward(mesh.vertices, mesh.faces)


@reads_file("a mesh")
def read_mesh(path: str | os.PathLike[str], *, scale: float = 1.0) -> Mesh:
    """Return the mesh of a file (stl, obj, ply, off, glb, gltf, dae, iv, wrl, vtk), all its objects, in its own axes.

    `scale` takes the file's unit to metres (0.001 for millimetres); dae files state their unit and are in metres
    before. Equal corners are joined and faces that repeat a corner dropped, as stl needs. Nothing but the file itself
    and the buffers of a gltf file, which lie in its folder, is read: no materials, no textures.
    """
    place = _place(path)
    factor = check_amount(scale, "scale", "m per unit of the file")
    suffix = place.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise InputError("mesh files of this kind cannot be read", where=str(place), allowed=", ".join(MESH_SUFFIXES))
    try:
        data = plain_file(place).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read: {_reason(error)}", where=str(place)) from error
    vertices, faces = _parse(data, suffix[1:], place)
    if len(vertices) == 0 or len(faces) == 0:
        raise ShapeError("the file holds no triangles", where=str(place), got=Words(f"{len(data)} bytes"), remedy=_CUT)
    try:
        points = as_floats(vertices, 3, where="vertices", error=ShapeError) * factor
        return _merge_vertices(Mesh(points, faces))
    except ShapeError as error:
        raise ShapeError(str(error), where=str(place)) from error


def write_mesh(mesh: Mesh, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a mesh as stl, obj, ply, off or glb, in metres, and return the path.

    obj and off keep every digit; the others hold float32. An existing file is kept unless `overwrite`.
    """
    if not isinstance(mesh, Mesh):
        remedy = "Write shape.to_mesh() instead." if isinstance(mesh, Shape) else None
        raise InputError(
            "the mesh must be a Mesh", where="write_mesh", got=Words(type(mesh).__name__), allowed="Mesh", remedy=remedy
        )
    place = _place(path)
    suffix = place.suffix.lower()
    if suffix not in _WRITABLE:
        raise InputError("mesh files of this kind cannot be written", where=str(place), allowed=", ".join(_WRITABLE))
    data = _format(mesh, suffix[1:])
    partial = place.with_name(f".{place.name}.{os.getpid()}.part")
    with outside_data(str(place), "the file cannot be written", RunError):
        if place.exists() and not overwrite:
            remedy = "Choose another name or pass overwrite=True."
            raise InputError("the file exists already", where=str(place), remedy=remedy)
        try:
            partial.write_bytes(data)
            partial.replace(place)
        except OSError:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise
    return place


def merge_vertices(mesh: Mesh, tolerance: float = 0.0) -> Mesh:
    """Return the mesh with corners joined that are equal, or that fall in the same cell of size `tolerance` [m].

    Corners no longer used, and faces that then repeat a corner, are dropped.
    """
    size = as_floats(tolerance, where="tolerance", error=ShapeError)
    if size.ndim != 0 or size < 0:
        raise ShapeError("tolerance must not be negative", got=tolerance, allowed="zero or a length in m")
    return _merge_vertices(mesh, float(size))


def _merge_vertices(mesh: Mesh, tolerance: float = 0.0) -> Mesh:
    keys = mesh.vertices + 0.0  # −0.0 becomes 0.0
    if tolerance > 0:
        with np.errstate(over="ignore"):
            keys = np.round((keys - keys.min(axis=0)) / tolerance)
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = index.reshape(-1)[mesh.faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if len(faces) == 0:
        raise ShapeError(
            "every face repeats a corner", got=Words(f"{len(mesh.faces)} faces"), allowed="at least one triangle"
        )
    used, renumbered = np.unique(faces, return_inverse=True)
    return Mesh(mesh.vertices[first[used]], renumbered.reshape(-1, 3))


def _parse(data: bytes, kind: str, place: Path) -> tuple[Array, NDArray[Any]]:
    import trimesh

    where = str(place)
    options: dict[str, Any] = {"skip_materials": True} if kind in ("obj", "gltf", "glb") else {}
    if kind in ("gltf", "glb"):
        options["resolver"] = _Buffers(place)
    try:
        if kind in _OWN:
            return _OWN[kind](data)
        with _quiet():
            # Given as bytes there is no folder to look in: a file pulls in no others.
            found = trimesh.load_mesh(io.BytesIO(data), file_type=kind, process=False, **options)
        return np.asarray(found.vertices), np.asarray(found.faces)
    except InputError:
        raise
    except Exception as error:  # parsers of damaged files raise anything
        raise ShapeError(
            f"the {kind} file cannot be read ({type(error).__name__}: {error})", where=where,
            got=Words(f"{len(data)} bytes"), remedy=_CUT,
        ) from error  # fmt: skip


class _Buffers(dict[str, bytes]):
    """The buffers of a glTF file by their URI, read when they are asked for."""

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place

    def __missing__(self, uri: str) -> bytes:
        found = named_file(unquote(uri), self.place.parent, reader="a mesh", where=str(self.place))
        if found is None:
            raise InputError("no such buffer", where=str(self.place), got=uri[:200], remedy="Put it beside the file.")
        return found.read_bytes()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the warnings and logged tracebacks of the parser from the user, who gets one error that says it all."""
    log = logging.getLogger("trimesh")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


def _format(mesh: Mesh, kind: str) -> bytes:
    import trimesh

    options: dict[str, Any] = {"digits": 17} if kind in ("obj", "off") else {}
    plain = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    data: Any = plain.export(file_type=kind, **options)
    return data.encode() if isinstance(data, str) else data


def _place(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise InputError(
            "the path must be text or a Path", where="mesh file", got=Words(repr(path)[:80]), allowed="text or a Path"
        ) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
