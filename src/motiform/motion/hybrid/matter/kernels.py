"""Sums over the segments of a tree, for figures that matter pushes."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import compiled

__all__ = ["tree_sums"]


@compiled
def tree_sums(tree, R, p, twists, mass, com, inertia, out):
    """Write centre of mass (3), momentum (3), spin about the centre (3) and inertia about it (9, by rows) of a tree.

    tree : numbers of its segments. R, p : their frames. twists : about the world's origin, (segments, 6).
    com, inertia : in the segments' frames, the inertia about the centre of mass.
    """
    out[:] = 0.0
    total = 0.0
    for s in tree:
        total += mass[s]
        for i in range(3):
            x = p[s, i] + R[s, i, 0] * com[s, 0] + R[s, i, 1] * com[s, 1] + R[s, i, 2] * com[s, 2]
            out[i] += mass[s] * x
    for i in range(3):
        out[i] /= total
    for s in tree:
        wx, wy, wz = twists[s, 0], twists[s, 1], twists[s, 2]
        x = p[s, 0] + R[s, 0, 0] * com[s, 0] + R[s, 0, 1] * com[s, 1] + R[s, 0, 2] * com[s, 2]
        y = p[s, 1] + R[s, 1, 0] * com[s, 0] + R[s, 1, 1] * com[s, 1] + R[s, 1, 2] * com[s, 2]
        z = p[s, 2] + R[s, 2, 0] * com[s, 0] + R[s, 2, 1] * com[s, 1] + R[s, 2, 2] * com[s, 2]
        lx = mass[s] * (twists[s, 3] + wy * z - wz * y)
        ly = mass[s] * (twists[s, 4] + wz * x - wx * z)
        lz = mass[s] * (twists[s, 5] + wx * y - wy * x)
        dx, dy, dz = x - out[0], y - out[1], z - out[2]
        out[3] += lx
        out[4] += ly
        out[5] += lz
        out[6] += dy * lz - dz * ly
        out[7] += dz * lx - dx * lz
        out[8] += dx * ly - dy * lx
        d2 = dx * dx + dy * dy + dz * dz
        for i in range(3):
            for j in range(3):
                turned = 0.0
                for a in range(3):
                    for b in range(3):
                        turned += R[s, i, a] * inertia[s, a, b] * R[s, j, b]
                out[6 + i] += turned * twists[s, j]
                d = (dx if i == 0 else dy if i == 1 else dz) * (dx if j == 0 else dy if j == 1 else dz)
                out[9 + 3 * i + j] += turned + mass[s] * ((d2 if i == j else 0.0) - d)
