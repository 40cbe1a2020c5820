# mypy: disable-error-code="no-untyped-def"
"""Voxels in balls, counted and painted on sets of bits: bit k of word w of row (x, y) is voxel 64 w + k."""

import math

import numpy as np

from motiform.base.kernels import compiled, inline, kernel

__all__ = ["choose_greedily", "count_balls", "paint_union"]

_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@inline
def _ones(word):
    """Return how many bits are set."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> np.uint64(2)) & _FOURS)
    word = (word + (word >> np.uint64(4))) & _EIGHTS
    return np.int64((word * _BYTES) >> np.uint64(56))


@inline
def _bits(word, low, high):
    """Return the bits low … high of a row that are in one of its words."""
    first, last = max(low - 64 * word, 0), min(high - 64 * word, 63)
    return (_ALL << np.uint64(first)) & (_ALL >> np.uint64(63 - last))


@inline
def _ball(left, x, y, z, square, paint):
    """Count the voxels of a set with |q − p|² < square, and take them out of it if asked to."""
    found = 0
    reach = math.ceil(math.sqrt(square))
    for i in range(max(0, x - reach), min(left.shape[0], x + reach + 1)):
        for j in range(max(0, y - reach), min(left.shape[1], y + reach + 1)):
            rest = square - (i - x) ** 2 - (j - y) ** 2
            if rest <= 0:
                continue
            half = int(math.sqrt(rest))
            if half * half >= rest:
                half -= 1
            low, high = max(0, z - half), min(64 * left.shape[2] - 1, z + half)
            for word in range(low >> 6, (high >> 6) + 1):
                bits = left[i, j, word] & _bits(word, low, high)
                if bits != np.uint64(0):
                    found += _ones(bits)
                    if paint:
                        left[i, j, word] &= ~bits
    return found


@kernel
def count_balls(n, left, centers, squares, counts):
    """Count the voxels of a set in ball n."""
    counts[n] = _ball(left, centers[n, 0], centers[n, 1], centers[n, 2], squares[n], False)


@compiled
def choose_greedily(left, centers, squares, counts, chosen):
    """Choose the ball with most voxels of the set, take these out, and so on; return how many balls were chosen.

    Counts only fall, so one that is out of date is an upper bound: balls wait in stacks by their bound.
    """
    most = 0
    for n in range(counts.shape[0]):
        most = max(most, counts[n])
    head = np.full(most + 1, -1, np.int64)
    below = np.empty(counts.shape[0], np.int64)
    for n in range(counts.shape[0] - 1, -1, -1):
        below[n] = head[counts[n]]
        head[counts[n]] = n
    taken = 0
    for bound in range(most, 0, -1):
        while head[bound] >= 0:
            n = head[bound]
            head[bound] = below[n]
            count = _ball(left, centers[n, 0], centers[n, 1], centers[n, 2], squares[n], False)
            if count == bound:
                _ball(left, centers[n, 0], centers[n, 1], centers[n, 2], squares[n], True)
                chosen[taken] = n
                taken += 1
            elif count > 0:
                below[n] = head[count]
                head[count] = n
    return taken


@kernel
def paint_union(x, centers, radii, starts, order, inside):
    """Mark the voxels of layer x with centres in a ball; units are voxels, order[starts[x]:starts[x + 1]] reach it."""
    for place in range(starts[x], starts[x + 1]):
        n = order[place]
        layer = radii[n] ** 2 - (x - centers[n, 0]) ** 2
        if layer < 0:
            continue
        wide = math.sqrt(layer)
        low = max(0, math.ceil(centers[n, 1] - wide))
        for y in range(low, min(inside.shape[1], math.floor(centers[n, 1] + wide) + 1)):
            rest = layer - (y - centers[n, 1]) ** 2
            if rest < 0:
                continue
            deep = math.sqrt(rest)
            first = max(0, math.ceil(centers[n, 2] - deep))
            for z in range(first, min(inside.shape[2], math.floor(centers[n, 2] + deep) + 1)):
                inside[x, y, z] = 1
