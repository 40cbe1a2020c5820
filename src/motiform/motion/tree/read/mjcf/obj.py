"""OBJ files as MJCF takes them: the first object alone, quadrilaterals split along the shorter diagonal."""

from pathlib import Path

import numpy as np

from motiform.geometry import Mesh
from motiform.motion.tree.read.elements import Element, located
from motiform.spatial.checks import Array

__all__ = ["read_first_object"]


def read_first_object(path: Path, element: Element) -> tuple[Mesh, bool]:
    """Return the first object of a file that has faces, and whether others follow."""
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
            raise element.error("not an OBJ file", got=f"{path.name}, line {number}: {line[:60]}") from error
    with located(element):
        table = np.array(corners, float).reshape(len(corners), 3)
        return Mesh(table, _triangles(faces, table)), more


def _index(word: str, count: int) -> int:
    """Return the place of a corner, from 0; below zero the file counts from the last."""
    n = int(word.partition("/")[0])
    place = n - 1 if n > 0 else count + n
    if not 0 <= place < count:
        raise ValueError(word)
    return place


def _triangles(faces: list[list[int]], corners: Array) -> np.ndarray:
    """Return triangles: of quadrilaterals by the shorter diagonal, of more corners as a fan."""
    found = [np.zeros((0, 3), np.int64)]
    for size in sorted({len(face) for face in faces}):
        table = np.array([face for face in faces if len(face) == size], np.int64)
        if size == 4:
            a, b, c, d = corners[table].transpose(1, 0, 2)
            other = ~(((c - a) ** 2).sum(1) < ((d - b) ** 2).sum(1))
            table[other] = np.roll(table[other], -1, axis=1)
        found += [table[:, [0, k, k + 1]] for k in range(1, size - 1)]
    return np.concatenate(found)
