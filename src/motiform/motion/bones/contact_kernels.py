"""Contact of the surface points of one bone with the signed map, or the cover by balls, of another, for kernels.

Cartilage of both bones together is as thick as `reach`. Where a point x of bone a is nearer than that to bone b it is
pressed in by p = reach − φ_b(x), and the energy of a pair is ¼ k A p² (1 + p²/s²), summed over the points of a against
the map of b and the points of b against that of a. Pressure is k p at first, an elastic foundation [Blankevoort91], and
rises faster where p is not small beside s.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.geometry.maps.signed_kernels import in_map, nearest_node, sample_curved
from motiform.motion.bones.cover_kernels import cover_curved
from motiform.spatial.algebra import add, cross, load3, load9, matmul, scale, sub, tmul, transform

__all__ = ["place", "press_pair", "scatter_pair", "surface_curved"]

# Columns of `spans`: first node, nx, ny, nz of a bone's map, its first block of clusters and their end, its body, the
# first list of balls near its cells (−1: contact is by the map), the first ball of its cover and their end.
# Columns of `balls`: centre, radius, then the first cluster and their end of a block, or point of a cluster.
FIRST, NX, NY, NZ, BLOCK, BLOCK_END, BODY, LISTED, COVER, COVER_END = range(10)
# Sums over a pair: gradient (6), Hessian (21, upper triangle), energy, area, force (3), least gap, Σ F n Xᵀ (9), Σ F
# and Σ F X of the points halfway across the gap, where the surfaces of cartilage meet (4).
SUMS = 46
_HESSIAN, ENERGY, AREA, FORCE, GAP, TURN, MIDDLE = 6, 27, 28, 29, 32, 33, 42


@inline
def place(poses, body, x):
    """Return where a point of the neutral pose is now: R x + t."""
    return add(transform(load9(poses, body), x), (poses[body, 9], poses[body, 10], poses[body, 11]))


@inline
def back(poses, body, x):
    """Return where in the neutral pose a point is that is now at x: Rᵀ (x − t)."""
    return tmul(load9(poses, body), sub(x, (poses[body, 9], poses[body, 10], poses[body, 11])))


@inline
def in_nodes(grid, bone, y):
    """Return a point of the neutral pose in nodes of a bone's map."""
    h = grid[bone, 3]
    return (y[0] - grid[bone, 0]) / h, (y[1] - grid[bone, 1]) / h, (y[2] - grid[bone, 2]) / h


@routine
def surface_curved(b, n, u, reach, spans, grid, shapes):
    """Return (distance [m], derivatives per node, second derivatives per node²) of a bone's surface at u [nodes].

    It is that of the map for a bone without a cover, and beyond `reach` [m] where nothing is pressed.
    """
    field, cover, listed, lists = shapes
    at, h = spans[b, LISTED], grid[b, 3]
    if at < 0 or nearest_node(field, spans[b, FIRST], n, u) > reach + 2.0 * h:
        return sample_curved(field, spans[b, FIRST], n, u)
    at += (int(u[0]) * n[1] + int(u[1])) * n[2] + int(u[2])
    x = grid[b, 0] + u[0] * h, grid[b, 1] + u[1] * h, grid[b, 2] + u[2] * h
    base, first, end = spans[b, COVER], listed[at], listed[at + 1]
    if first == end:  # far in or out: all balls, which the first numbers of the lists are
        first, end = 0, spans[b, COVER_END] - base
    return cover_curved(x, h, first, end, base, grid[b, 4], cover, lists)


@routine
def press_pair(a, b, reach, far, stiffness, hardening, poses, spans, grid, shapes, balls, points, sums, q):
    """Add up what the points of bone a feel in the map of bone b; return whether any of them is nearer than `far`.

    Balls around blocks of clusters, and around clusters of points, that are farther than `far` [m] are passed over.
    """
    body_a, body_b = spans[a, BODY], spans[b, BODY]
    n = spans[b, NX], spans[b, NY], spans[b, NZ]
    first, field = spans[b, FIRST], shapes[0]
    turn, h = load9(poses, body_b), grid[b, 3]
    # Points of a in nodes of b: M x + s.
    mix = matmul(transposed(turn), load9(poses, body_a))
    mix = scale9(1.0 / h, mix)
    shift = in_nodes(grid, b, back(poses, body_b, place(poses, body_a, (0.0, 0.0, 0.0))))
    near = False
    for block in range(spans[a, BLOCK], spans[a, BLOCK_END]):
        if _away(balls, block, mix, shift, field, first, n, h, far):
            continue
        for c in range(int(balls[block, 4]), int(balls[block, 5])):
            if _away(balls, c, mix, shift, field, first, n, h, far):
                continue
            for i in range(int(balls[c, 4]), int(balls[c, 5])):
                u = add(transform(mix, load3(points, i)), shift)
                if not in_map(n, u) or nearest_node(field, first, n, u) > far + h:
                    continue
                d, g, bend = surface_curved(b, n, u, reach, spans, grid, shapes)
                near = True
                sums[q, GAP] = min(sums[q, GAP], d)
                pressed = reach - d
                if pressed > 0.0:
                    normal = transform(turn, scale(1.0 / h, g))
                    xx, yy, zz, xy, xz, yz = scale6(1.0 / (h * h), bend)
                    curve = matmul(matmul(turn, (xx, xy, xz, xy, yy, yz, xz, yz, zz)), transposed(turn))
                    x, k = place(poses, body_a, load3(points, i)), 0.5 * stiffness * points[i, 3]
                    force = _add_point(sums, q, k, hardening, pressed, points[i, 3], x, normal, curve)
                    _add_middle(sums, q, force, sub(x, scale(0.5 * d, normal)))
    return near


@inline
def _away(balls, i, mix, shift, field, first, n, h, far):
    """Return whether a ball is farther than `far` [m] from a bone, or wholly outside of its map."""
    u = add(transform(mix, load3(balls, i)), shift)
    if in_map(n, u):
        return nearest_node(field, first, n, u) > far + h + balls[i, 3]
    r = balls[i, 3] / h
    x = u[0] < 1.0 - r or u[0] > n[0] - 2.0 + r
    y = u[1] < 1.0 - r or u[1] > n[1] - 2.0 + r
    return x or y or u[2] < 1.0 - r or u[2] > n[2] - 2.0 + r


@inline
def scale9(s, m):
    """Return s M."""
    return s * m[0], s * m[1], s * m[2], s * m[3], s * m[4], s * m[5], s * m[6], s * m[7], s * m[8]


@inline
def scale6(s, a):
    """Return s a of six numbers."""
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5]


@inline
def transposed(m):
    """Return Mᵀ."""
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@inline
def _add_point(sums, q, stiffness, hardening, pressed, area, x, normal, curve):
    """Add one point: p falls by n·u + ½ u·C u for the relative motion u of a against b. hardening: 1/s²; C: curve.

    Return its force [N].
    """
    turn = cross(x, normal)
    w = turn[0], turn[1], turn[2], normal[0], normal[1], normal[2]
    extra = hardening * pressed * pressed
    force = stiffness * pressed * (1.0 + 2.0 * extra)
    k = stiffness * (1.0 + 6.0 * extra)
    # u = ω × x + v: rows of Cu and of x × Cu give the curvature's part of the Hessian.
    n = _HESSIAN
    for i in range(6):
        sums[q, i] += force * w[i]
        s = k * w[i]
        e = _column(i, x)
        c = transform(curve, e)
        m = cross(x, c)
        z = m[0], m[1], m[2], c[0], c[1], c[2]
        for j in range(i, 6):
            sums[q, n] += s * w[j] - force * z[j]
            n += 1
    sums[q, ENERGY] += 0.5 * stiffness * pressed * pressed * (1.0 + extra)
    sums[q, AREA] += 0.5 * area
    for i in range(3):
        sums[q, FORCE + i] += force * normal[i]
        for j in range(3):
            sums[q, TURN + 3 * i + j] += force * normal[i] * x[j]
    return force


@inline
def _add_middle(sums, q, force, x):
    """Add a point to Σ F and Σ F X, of which the centre of pressure is made."""
    sums[q, MIDDLE] += force
    for i in range(3):
        sums[q, MIDDLE + 1 + i] += force * x[i]


@inline
def _column(i, x):
    """Return the motion of a point x by the unit twist i about the origin."""
    if i == 0:
        return 0.0, -x[2], x[1]
    if i == 1:
        return x[2], 0.0, -x[0]
    if i == 2:
        return -x[1], x[0], 0.0
    return (1.0 if i == 3 else 0.0), (1.0 if i == 4 else 0.0), (1.0 if i == 5 else 0.0)


@routine
def scatter_pair(sums, q, slot_a, slot_b, center_a, center_b, gradient, hessian, work):
    """Add the sums of a pair to the gradient and Hessian of its bodies: p changes by −w·twist of a and +w of b."""
    n = _HESSIAN
    for i in range(6):
        for j in range(i, 6):
            work[i, j] = work[j, i] = sums[q, n]
            n += 1
    for end in range(2):
        slot, center, sign = (slot_a, center_a, -1.0) if end == 0 else (slot_b, center_b, 1.0)
        if slot >= 0:
            moved = _about(center, (sums[q, 0], sums[q, 1], sums[q, 2], sums[q, 3], sums[q, 4], sums[q, 5]))
            for k in range(6):
                gradient[6 * slot + k] += sign * moved[k]
    for end in range(4):
        s, t = (slot_a if end < 2 else slot_b), (slot_a if end % 2 == 0 else slot_b)
        if s >= 0 and t >= 0:
            sign = 1.0 if end in (0, 3) else -1.0
            _add_moved(
                hessian, work, 6 * s, 6 * t, center_a if end < 2 else center_b, center_a if end % 2 == 0 else center_b,
                sign,
            )  # fmt: skip
    _add_turning(sums, q, slot_a, slot_b, center_a, center_b, hessian)


@inline
def _about(c, w):
    """Return a row about the point c from one about the origin."""
    m = cross(c, (w[3], w[4], w[5]))
    return w[0] - m[0], w[1] - m[1], w[2] - m[2], w[3], w[4], w[5]


@routine
def _add_moved(hessian, work, first, second, c, e, sign):
    """Add sign · S_c W S_eᵀ, with S_c that takes rows about the origin to rows about c."""
    for j in range(6):
        column = _about(c, (work[0, j], work[1, j], work[2, j], work[3, j], work[4, j], work[5, j]))
        for i in range(6):
            work[6 + i, j] = column[i]
    for i in range(6):
        line = _about(
            e, (work[6 + i, 0], work[6 + i, 1], work[6 + i, 2], work[6 + i, 3], work[6 + i, 4], work[6 + i, 5])
        )
        for j in range(6):
            hessian[first + i, second + j] += sign * line[j]


@routine
def _add_turning(sums, q, slot_a, slot_b, center_a, center_b, hessian):
    """Add what is of second order in the rotations themselves.

    The relative motion u of a point x of a against b has the part ½ ω_a × (ω_a × r_a) − ω_b × (ω_a × r_a + v_a − v_b) +
    ½ ω_b × (ω_b × r_b), with r from the centres; p falls by n·u. N = Σ F n rᵀ makes these 3 × 3 blocks.
    """
    for end in range(2):
        slot, center = (slot_a, center_a) if end == 0 else (slot_b, center_b)
        if slot >= 0:
            total = _trace(sums, q, center)
            for i in range(3):
                for j in range(3):
                    half = 0.5 * (_moment(sums, q, center, i, j) + _moment(sums, q, center, j, i))
                    hessian[6 * slot + i, 6 * slot + j] -= half - (total if i == j else 0.0)
    if slot_b < 0:
        return
    total = _trace(sums, q, center_a)
    f = sums[q, FORCE], sums[q, FORCE + 1], sums[q, FORCE + 2]
    around = 0.0, -f[2], f[1], f[2], 0.0, -f[0], -f[1], f[0], 0.0
    for i in range(3):
        for j in range(3):
            row_b = 6 * slot_b + i
            if slot_a >= 0:
                block = (total if i == j else 0.0) - _moment(sums, q, center_a, j, i)
                hessian[row_b, 6 * slot_a + j] -= block
                hessian[6 * slot_a + j, row_b] -= block
                hessian[row_b, 6 * slot_a + 3 + j] -= around[3 * i + j]
                hessian[6 * slot_a + 3 + j, row_b] -= around[3 * i + j]
            hessian[row_b, 6 * slot_b + 3 + j] += around[3 * i + j]
            hessian[6 * slot_b + 3 + j, row_b] += around[3 * i + j]


@inline
def _moment(sums, q, center, i, j):
    """Return N_ij = Σ F n_i (x − c)_j."""
    return sums[q, TURN + 3 * i + j] - sums[q, FORCE + i] * center[j]


@inline
def _trace(sums, q, center):
    return _moment(sums, q, center, 0, 0) + _moment(sums, q, center, 1, 1) + _moment(sums, q, center, 2, 2)
