"""How a surface passes a cube by the sides of its corners: loops over its edges, for all 256 cases.

On each face corners inside are cut off one run at a time, so that two cubes agree on the face between them.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["EDGES", "LONGEST", "MOST", "face_bits", "loops"]

EDGES = np.array([(n, n + up) for up in (4, 2, 1) for n in range(8) if not n & up])
"""Corners of the twelve edges; corner 4 i + 2 j + k is the one at (i, j, k)."""
MOST, LONGEST = 4, 7  # loops of a cube, edges of a loop


def _faces() -> list[list[int]]:
    """Return the corners of the six faces, counter-clockwise seen from outside."""
    found = []
    for axis in range(3):
        up, one, other = (4 >> (axis + n) % 3 for n in range(3))
        ring = [0, one, one + other, other]
        found += [[up + n for n in ring], ring[::-1]]
    return found


def _edge(a: int, b: int) -> int:
    return EDGES.tolist().index(sorted((a, b)))


@cache
def face_bits() -> NDArray[np.int64]:
    """Return for each edge the two faces that it is on, as bits, (12,)."""
    bits = np.zeros(12, np.int64)
    for n, ring in enumerate(_faces()):
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            bits[_edge(a, b)] |= 1 << n
    return bits


@cache
def loops() -> NDArray[np.int8]:
    """Return the loops of each case, (256, 4, 8): how many edges one has, then these, counter-clockwise from outside.

    Bit n of a case says that corner n is inside.
    """
    table = np.zeros((256, MOST, LONGEST + 1), np.int8)
    for case in range(256):
        after = _segments(case)
        for row in table[case]:
            if not after:
                break
            edge, following = after.popitem()
            loop = [edge]
            while following != edge:
                loop.append(following)
                following = after.pop(following)
            row[0], row[1 : len(loop) + 1] = len(loop), loop
    return table


def _segments(case: int) -> dict[int, int]:
    """Return for each crossed edge the next one of its loop: they share a face, on which a run of corners is inside."""
    after = {}
    for ring in _faces():
        inside = [bool(case >> n & 1) for n in ring]
        for first in range(4):
            if inside[first] and not inside[first - 1]:
                last = next(n for n in range(first, first + 4) if not inside[(n + 1) % 4])
                after[_edge(ring[first - 1], ring[first])] = _edge(ring[last % 4], ring[(last + 1) % 4])
    return after
