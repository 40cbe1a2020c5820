"""OBJ files as MJCF takes them: the first object alone, in single precision.

Quadrilaterals are split along the shorter diagonal, faces with more corners by cutting off ears.
"""

from pathlib import Path

import numpy as np

from motiform.geometry import Mesh
from motiform.motion.tree.read.elements import Element, located
from motiform.spatial.checks import Array

__all__ = ["read_first_object"]


_MOST = 100  # corners of a face: faces with more are left out there


def read_first_object(path: Path, element: Element) -> tuple[Mesh, list[str]]:
    """Return the first object of a file that has faces, and what of the file is left out."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise element.error(f"the file cannot be read: {error.strerror}", got=path.name) from error
    corners, faces, more = list[list[float]](), list[list[int]](), False
    ended = False
    for number, line in enumerate(lines, 1):
        key, *words = line.split() or [""]
        try:
            if key == "v":
                x, y, z = words[:3]
                corners.append([float(x), float(y), float(z)])
            elif key in ("o", "g"):
                ended = bool(faces)
            elif key == "f":
                more |= ended
                if not ended:
                    faces.append([_index(word, len(corners)) for word in words])
        except ValueError as error:
            raise element.error(
                "the file must be an OBJ file", got=f"{path.name}, line {number}: {line[:60]}"
            ) from error
    with located(element):
        table = np.array(corners, float).reshape(len(corners), 3)
        kept = [face for face in faces if len(face) <= _MOST]
        left = ["all but the first object"] * more + [f"faces with more than {_MOST} corners"] * (kept != faces)
        return Mesh(table, _triangles(kept, table)), left


def _index(word: str, count: int) -> int:
    """Return the place of a corner, from 0; below zero the file counts from the last."""
    n = int(word.partition("/")[0])
    place = n - 1 if n > 0 else count + n
    if not 0 <= place < count:
        raise ValueError(word)
    return place


def _triangles(faces: list[list[int]], corners: Array) -> np.ndarray:
    """Return triangles: of quadrilaterals by the shorter diagonal, of more corners by ears."""
    found = [np.zeros((0, 3), np.int64)]
    for size in sorted({len(face) for face in faces}):
        table = np.array([face for face in faces if len(face) == size], np.int64)
        if size > 4:
            ears = [ear for face in table.tolist() for ear in _ears(face, corners.astype(np.float32))]
            found.append(np.array(ears, np.int64).reshape(len(ears), 3))
            continue
        if size == 4:
            a, b, c, d = corners[table].transpose(1, 0, 2)
            other = ~(((c - a) ** 2).sum(1) < ((d - b) ** 2).sum(1))
            table[other] = np.roll(table[other], -1, axis=1)
        found += [table[:, [0, k, k + 1]] for k in range(1, size - 1)]
    return np.concatenate(found)


def _ears(face: list[int], corners: Array) -> list[list[int]]:
    """Return the triangles of a polygon, cut off one after another where no other corner is inside.

    The corner that is looked at first, and what counts as a corner that points inward, are as MuJoCo has them: by the
    sign of the edge's moment about the origin. It stops after a whole turn, even if the last corner of it was an ear.
    """
    flat = corners[:, _across(face, corners)]
    rest, found, at, tries = list(face), list[list[int]](), 0, len(face)
    while len(rest) > 3 and tries > 0:
        tries, at = tries - 1, at % len(rest)
        turned = rest[at:] + rest[:at]
        p, q, r = flat[turned[:3]]
        inward = _cross(q - p, r - q) * _cross(p, q) < 0
        if inward or any(_inside(flat[turned[:3]], flat[other]) for other in turned[3:]):
            at += 1
            continue
        found.append(turned[:3])
        del rest[(at + 1) % len(rest)]
        tries = len(rest) + 1 if tries > 0 else 0
    return [*found, rest] if len(rest) == 3 else found


def _across(face: list[int], corners: Array) -> list[int]:
    """Return the two axes that a polygon is seen along best, by its first corner that is none of a straight line."""
    around = corners[np.roll(face, -1)] - corners[face]
    for first, second in zip(around, np.roll(around, -1, axis=0), strict=True):
        x, y, z = np.abs(np.cross(first, second))
        if max(x, y, z) > np.finfo(np.float32).eps:
            return [1, 2] if x > y and x > z else [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def _cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _inside(triangle: Array, point: Array) -> bool:
    """Whether a point is inside a triangle: a ray from it crosses an odd number of sides."""
    inside = False
    for a, b in zip(triangle, np.roll(triangle, 1, axis=0), strict=True):
        if (a[1] > point[1]) != (b[1] > point[1]):
            inside ^= bool(point[0] < (b[0] - a[0]) * (point[1] - a[1]) / (b[1] - a[1]) + a[0])
    return inside
