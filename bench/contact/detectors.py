"""Other detectors of pairs of balls: those of the document on the carpus. [Perez94 5.6]"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

import numpy as np

from motiform.base.kernels import compiled
from motiform.geometry.maps import Cover

__all__ = ["bit_pairs", "bounded_pairs"]

_SLAB = 1e-3  # [m] along each axis for which there is a bit field


def bounded_pairs(one: Cover, other: Cover, margin: float) -> tuple[int, int]:
    """Return how many balls overlap, and bytes that it takes: balls in the other's bounding ball, then all pairs."""
    a, b = _rows(one, margin), _rows(other, 0.0)
    own = [rows[_near(rows, _bounding(others))] for rows, others in ((a, b), (b, a))]
    return _count_all(*own), sum(rows.nbytes for rows in own)


def bit_pairs(one: Cover, other: Cover, margin: float) -> tuple[int, int]:
    """Return how many balls overlap, and the bytes that it takes: cubes on three axes as bit fields, joined by AND."""
    a, b = _rows(one, margin), _rows(other, 0.0)
    a, b = (rows[_near(rows, _bounding(others))] for rows, others in ((a, b), (b, a)))
    if not (len(a) and len(b)):
        return 0, 0
    low = (b[:, :3] - b[:, 3:]).min(axis=0)
    slabs = int(((b[:, :3] + b[:, 3:]).max(axis=0) - low).max() / _SLAB) + 1
    fields = np.zeros((3, slabs, -(-len(b) // 64)), np.uint64)
    _write_fields(b, low, fields)
    return _count_by_bits(a, b, low, fields), fields.nbytes + a.nbytes + b.nbytes


def _rows(cover: Cover, more: float) -> Any:
    return np.column_stack([cover.centers, cover.radii + more])


def _bounding(rows: Any) -> Any:
    low, high = (rows[:, :3] - rows[:, 3:]).min(axis=0), (rows[:, :3] + rows[:, 3:]).max(axis=0)
    middle = 0.5 * (low + high)
    return np.append(middle, (np.linalg.norm(rows[:, :3] - middle, axis=1) + rows[:, 3]).max())


def _near(rows: Any, ball: Any) -> Any:
    return np.linalg.norm(rows[:, :3] - ball[:3], axis=1) < rows[:, 3] + ball[3]


@compiled
def _overlap(a, i, b, j):
    x, y, z, r = a[i, 0] - b[j, 0], a[i, 1] - b[j, 1], a[i, 2] - b[j, 2], a[i, 3] + b[j, 3]
    return x * x + y * y + z * z < r * r


@compiled
def _count_all(a, b):
    found = 0
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            found += _overlap(a, i, b, j)
    return found


@compiled
def _slab(x, low, slabs):
    return min(max(int((x - low) / _SLAB), 0), slabs - 1)


@compiled
def _write_fields(b, low, fields):
    """Set the bit of ball j in the field of each slab that its cube comes to."""
    for j in range(b.shape[0]):
        for axis in range(3):
            first = _slab(b[j, axis] - b[j, 3], low[axis], fields.shape[1])
            for s in range(first, _slab(b[j, axis] + b[j, 3], low[axis], fields.shape[1]) + 1):
                fields[axis, s, j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@compiled
def _count_by_bits(a, b, low, fields):
    found = 0
    span = np.empty((3, 2), np.int64)
    for i in range(a.shape[0]):
        for axis in range(3):
            span[axis, 0] = _slab(a[i, axis] - a[i, 3], low[axis], fields.shape[1])
            span[axis, 1] = _slab(a[i, axis] + a[i, 3], low[axis], fields.shape[1])
        for word in range(fields.shape[2]):
            left = ~np.uint64(0)
            for axis in range(3):
                here = np.uint64(0)
                for s in range(span[axis, 0], span[axis, 1] + 1):
                    here |= fields[axis, s, word]
                left &= here
                if left == np.uint64(0):
                    break
            j = 64 * word
            while left != np.uint64(0):
                if left & np.uint64(1):
                    found += _overlap(a, i, b, j)
                left >>= np.uint64(1)
                j += 1
    return found
