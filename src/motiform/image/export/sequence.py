"""Sequences of PLY and OBJ files: one for each instant, numbered from 1."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.upright import stand_upright
from motiform.image.export.instants import PointCloud, Triangles, points_at, triangles_at
from motiform.image.export.keys import key_times
from motiform.image.files import check_new, new_file

if TYPE_CHECKING:
    from motiform.form import Form

__all__ = ["sequence_paths", "write_sequence"]

_PLACES = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
_SPEEDS = [("vx", "<f4"), ("vy", "<f4"), ("vz", "<f4")]
_COLORS = [("red", "u1"), ("green", "u1"), ("blue", "u1")]
_WORDS = {"<f4": "float", "u1": "uchar"}


def sequence_paths(path: Path, count: int) -> list[Path]:
    """Return the files of a sequence: water.ply gives water_0001.ply, water_0002.ply, …; one instant the name alone."""
    if count == 1:
        return [path]
    digits = max(4, len(str(count)))
    return [path.with_name(f"{path.stem}_{k + 1:0{digits}}{path.suffix}") for k in range(count)]


def write_sequence(
    form: "Form", path: Path, *, rate: float | None = None, points: bool = False, overwrite: bool = False
) -> list[Path]:
    """Write the form at each instant and return the files; y is up.

    PLY files (binary) hold triangles with the colors and velocities of vertices, or `points` with velocities and
    radii. OBJ files hold triangles by parts, with materials in one file beside them. What has been written is removed
    if one fails.
    """
    times = key_times(form, rate)
    form = stand_upright(form)
    ply = path.suffix.lower() == ".ply"
    if points and not _has_points(form):
        raise InputError(
            "the form has no points", where=form.title or None, remedy="Export it without points, as triangles."
        )
    files = sequence_paths(path, len(times))
    materials = path.with_suffix(".mtl")
    for file in files if ply else [*files, materials]:
        check_new(file, overwrite=overwrite)
    colors: set[str] = set()
    with ExitStack() as undo:
        for file, time in zip(files, times.tolist(), strict=True):
            if ply:
                data = _ply_of(points_at(form, time), time) if points else _ply(triangles_at(form, time), time)
            else:
                data = _obj(triangles_at(form, time), time, materials.name, colors)
            with new_file(file, overwrite=overwrite) as part, part.open("wb") as stream:
                stream.writelines(data)
            undo.callback(file.unlink, missing_ok=True)
        if not ply:
            with new_file(materials, overwrite=overwrite) as part:
                part.write_text("".join(f"newmtl {name}\nKd {_kd(name)}\n" for name in sorted(colors)))
        undo.pop_all()
    return files


def _has_points(form: "Form") -> bool:
    from motiform.form import MatterSurface

    return any(part.points for part in form.parts) or any(isinstance(one, MatterSurface) for one in form.surfaces)


def _ply(parts: list[Triangles], time: float) -> Iterator[bytes]:
    """Give a PLY file of triangles; velocities where those of all parts are known."""
    known = all(part.velocity is not None for part in parts)
    fields = [*_PLACES, *(_SPEEDS if known else []), *_COLORS]
    vertices = np.zeros(sum(len(part.vertices) for part in parts), fields)
    faces = np.zeros(sum(len(part.faces) for part in parts), [("n", "u1"), ("of", "<i4", 3)])
    faces["n"] = 3
    at = row = 0
    for part in parts:
        here = vertices[at : at + len(part.vertices)]
        _fill(here, _PLACES, part.vertices)
        if known:
            _fill(here, _SPEEDS, part.velocity)
        colors = np.zeros((len(part.vertices), 3))
        colors[part.faces.ravel()] = np.repeat(part.color, 3, axis=0)
        _fill(here, _COLORS, _bytes(colors))
        faces["of"][row : row + len(part.faces)] = part.faces + at
        at, row = at + len(part.vertices), row + len(part.faces)
    yield _head(time, len(vertices), fields, len(faces))
    yield vertices.tobytes()
    yield faces.tobytes()


def _ply_of(given: PointCloud, time: float) -> Iterator[bytes]:
    """Give a PLY file of points."""
    fields = [*_PLACES, *_SPEEDS, ("radius", "<f4"), *_COLORS]
    rows = np.zeros(len(given.place), fields)
    for names, values in ((_PLACES, given.place), (_SPEEDS, given.velocity), (_COLORS, _bytes(given.color))):
        _fill(rows, names, values)
    rows["radius"] = given.radius
    yield _head(time, len(rows), fields, None)
    yield rows.tobytes()


def _fill(rows: np.ndarray, names: list[tuple[str, str]], values: Any) -> None:
    for k, (name, _) in enumerate(names):
        rows[name] = values[:, k]


def _bytes(colors: np.ndarray) -> np.ndarray:
    return np.round(255.0 * np.clip(colors, 0.0, 1.0)).astype(np.uint8)


def _head(time: float, points: int, fields: list[tuple[str, str]], faces: int | None) -> bytes:
    lines = ["ply", "format binary_little_endian 1.0", f"comment motiform, time {time:.9g} s, metres, y up"]
    lines += [f"element vertex {points}", *(f"property {_WORDS[kind]} {name}" for name, kind in fields)]
    if faces is not None:
        lines += [f"element face {faces}", "property list uchar int vertex_indices"]
    return ("\n".join([*lines, "end_header"]) + "\n").encode()


def _obj(parts: list[Triangles], time: float, library: str, colors: set[str]) -> Iterator[bytes]:
    """Give an OBJ file, an object for each part and a group of triangles for each of its colors."""
    yield f"# motiform, time {time:.9g} s, metres, y up\nmtllib {library}\n".encode()
    at = 1
    for part in parts:
        text = [f"o {'_'.join(part.name.split())}"]
        text += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in part.vertices.tolist()]
        shades, number = np.unique(_bytes(part.color), axis=0, return_inverse=True)
        for k, shade in enumerate(shades.tolist()):
            name = "c{:02x}{:02x}{:02x}".format(*shade)
            colors.add(name)
            text.append(f"usemtl {name}")
            text += [f"f {a} {b} {c}" for a, b, c in (part.faces[number.ravel() == k] + at).tolist()]
        at += len(part.vertices)
        yield ("\n".join(text) + "\n").encode()


def _kd(name: str) -> str:
    """Return the diffuse color of a material, as it is displayed."""
    return " ".join(f"{int(name[k : k + 2], 16) / 255:.6f}" for k in (1, 3, 5))
