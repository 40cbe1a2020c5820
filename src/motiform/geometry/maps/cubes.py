"""How a surface passes a cube by the sides of its corners: loops over its edges, for all 256 cases.

On each face corners inside are cut off one run at a time, so that two cubes agree on the face between them. Two corners
inside across from one another can be cut off together instead, where both cubes do so.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EDGES", "LONGEST", "MOST", "Sheets", "face_bits", "loops", "sheets"]

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
        for row, loop in zip(table[case], _loops(case), strict=False):
            row[0], row[1 : len(loop) + 1] = len(loop), loop
    return table


class Sheets(NamedTuple):
    """Which loop of a case each edge is on: rows 0 to 255, and 256 on with the inside joined on the face of `twin`."""

    of_edge: NDArray[np.int8]
    """Number of the loop, (512, 12); −1 where the edge is not crossed."""
    loops: NDArray[np.int8]
    """How many there are, (512,)."""
    twin: NDArray[np.int8]
    """The face that one loop passes twice, (256,), −1 for none: 2 axis for the upper, 2 axis + 1 for the lower.

    Two cubes that pass the face between them so would share two edges of a loop's neighbours; both join the inside on
    it, and have two loops each then [Wenger13]. No such cube has another face of which the inside could be joined.
    """


@cache
def sheets() -> Sheets:
    """Return the loops of edges, one after the other as in `loops`."""
    found = Sheets(np.full((512, 12), -1, np.int8), np.zeros(512, np.int8), np.full(256, -1, np.int8))
    for case in range(256):
        found.twin[case] = next((face for face in range(6) if _passed_twice(case, face)), -1)
        for row, joined in ((case, -1), (case + 256, found.twin[case])):
            every = _loops(case, joined)
            found.loops[row] = len(every)
            for n, loop in enumerate(every):
                found.of_edge[row, loop] = n
    return found


def _passed_twice(case: int, face: int) -> bool:
    """Return whether one loop passes a face on which all four edges are crossed twice."""
    ring = _faces()[face]
    edges = {_edge(a, b) for a, b in zip(ring, ring[1:] + ring[:1], strict=True)}
    return any(edges <= set(loop) for loop in _loops(case))


def _loops(case: int, joined: int = -1) -> list[list[int]]:
    """Return the edges of the loops of a case."""
    after, found = _segments(case, joined), []
    while after:
        edge, following = after.popitem()
        loop = [edge]
        while following != edge:
            loop.append(following)
            following = after.pop(following)
        found.append(loop)
    return found


def _segments(case: int, joined: int) -> dict[int, int]:
    """Return for each crossed edge the next one of its loop: they share a face, on which a run of corners is inside.

    On the face `joined` they share a corner outside instead.
    """
    after = {}
    for face, ring in enumerate(_faces()):
        inside = [bool(case >> n & 1) for n in ring]
        for first in range(4):
            if inside[first] and not inside[first - 1]:
                last = next(n for n in range(first, first + 4) if not inside[(n + 1) % 4])
                end = first - 2 if face == joined else last
                after[_edge(ring[first - 1], ring[first])] = _edge(ring[end % 4], ring[(end + 1) % 4])
    return after
