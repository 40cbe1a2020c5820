"""Tension of ligament fibres and its stiffness, for kernels.

A fibre pulls with T = k max(0, l − slack) + toe max(0, l − l₀) between its ends. One that lies over other bones runs
through nodes that these bones push out: of all paths outside of them it takes the one whose segments s_i make
l² = n Σ |s_i|² least, which for n equal segments is the length. Its derivative is that of the ends and nodes where they
are, each node moving with the bone that it lies on (envelope theorem).
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.maps.signed_kernels import in_map, sample
from motiform.motion.bones.contact_kernels import BODY, FIRST, NX, NY, NZ, back, in_nodes, place
from motiform.motion.bones.ligaments import NODES
from motiform.motion.bones.sums_kernels import add_force, add_stiffness, add_turning, row
from motiform.spatial.algebra import add, axpy, cross, dot, load3, load9, norm, scale, sub, transform

__all__ = ["fibre_length", "pull_fibre"]

# Columns of `ends`: bodies of both ends, bones that it lies over (−1: none).
# Columns of `fibres`: ends in the neutral pose (6), stiffness, toe, slack length, neutral length, distance from bones.
STIFFNESS, TOE, SLACK, NEUTRAL, CLEAR = range(6, 11)
_SWEEPS, _STILL = 40, 1e-8  # [m]


@inline
def _tension(stiffness, toe, taut, long):
    """Return energy, tension and its slope at lengths beyond the slack and the neutral one: the law of a fibre."""
    taut, long = max(taut, 0.0), max(long, 0.0)
    energy = 0.5 * (stiffness * taut**2 + toe * long**2)
    slope = (stiffness if taut > 0.0 else 0.0) + (toe if long > 0.0 else 0.0)
    return energy, stiffness * taut + toe * long, slope


@inline
def _push(x, bone, clear, poses, spans, grid, field):
    """Return (whether it was inside, the point pushed out of a bone to the distance `clear`)."""
    body = spans[bone, BODY]
    u = in_nodes(grid, bone, back(poses, body, x))
    n = spans[bone, NX], spans[bone, NY], spans[bone, NZ]
    if not in_map(n, u):
        return False, x
    d, g = sample(field, spans[bone, FIRST], n, u)
    if d >= clear:
        return False, x
    size = norm(g)
    return True, axpy((clear - d) / max(size, 1e-12), transform(load9(poses, body), g), x)


@routine
def fibre_length(i, ends, fibres, poses, spans, grid, field, nodes, held):
    """Return the length of fibre i; write its nodes to rows NODES i on, and which bone holds each (−1: none)."""
    first = NODES * i
    a = place(poses, ends[i, 0], (fibres[i, 0], fibres[i, 1], fibres[i, 2]))
    b = place(poses, ends[i, 1], (fibres[i, 3], fibres[i, 4], fibres[i, 5]))
    for k in range(NODES):
        held[k] = -1
        x = axpy((k + 1.0) / (NODES + 1.0), sub(b, a), a)
        nodes[first + k, 0], nodes[first + k, 1], nodes[first + k, 2] = x
    if ends[i, 2] < 0:
        return norm(sub(b, a))
    for _ in range(_SWEEPS):
        moved = 0.0
        for k in range(NODES):
            before = a if k == 0 else load3(nodes, first + k - 1)
            after = b if k == NODES - 1 else load3(nodes, first + k + 1)
            x = scale(0.5, add(before, after))
            held[k] = -1
            for w in range(2, 4):
                if ends[i, w] >= 0:
                    inside, y = _push(x, ends[i, w], fibres[i, CLEAR], poses, spans, grid, field)
                    if inside:
                        held[k], x = ends[i, w], y
            moved = max(moved, norm(sub(x, load3(nodes, first + k))))
            nodes[first + k, 0], nodes[first + k, 1], nodes[first + k, 2] = x
        if moved < _STILL:
            break
    total = 0.0
    for k in range(NODES + 1):
        before = a if k == 0 else load3(nodes, first + k - 1)
        after = b if k == NODES else load3(nodes, first + k)
        s = sub(after, before)
        total += dot(s, s)
    return math.sqrt((NODES + 1.0) * total)


@routine
def pull_fibre(i, ends, fibres, poses, spans, grid, field, slots, centers, nodes, held, gradient, hessian):
    """Add fibre i to gradient and Hessian; return (energy [J], tension [N], length [m])."""
    length = fibre_length(i, ends, fibres, poses, spans, grid, field, nodes, held)
    energy, tension, rate = _tension(
        fibres[i, STIFFNESS], fibres[i, TOE], length - fibres[i, SLACK], length - fibres[i, NEUTRAL]
    )
    if rate == 0.0:
        return 0.0, 0.0, length
    a = place(poses, ends[i, 0], (fibres[i, 0], fibres[i, 1], fibres[i, 2]))
    b = place(poses, ends[i, 1], (fibres[i, 3], fibres[i, 4], fibres[i, 5]))
    free = True
    for n in range(NODES):
        free = free and held[n] < 0
    if free:
        _add_straight(ends, i, a, b, length, tension, rate, slots, centers, gradient, hessian)
    else:
        _add_wrapped(ends, i, a, b, length, tension, rate, spans, slots, centers, nodes, held, gradient, hessian)
    return energy, tension, length


@routine
def _add_straight(ends, i, a, b, length, tension, rate, slots, centers, gradient, hessian):
    """Add T ∂l and k ∂l ∂lᵀ + T ∂²l of a straight fibre."""
    p, q = ends[i, 0], ends[i, 1]
    along = scale(1.0 / max(length, 1e-12), sub(b, a))
    axis = (1.0, 0.0, 0.0) if abs(along[0]) < 0.6 else (0.0, 1.0, 0.0)
    side = cross(along, axis)
    side = scale(1.0 / norm(side), side)
    for k in range(3):
        e = along if k == 0 else (side if k == 1 else cross(along, side))
        s = rate if k == 0 else tension / max(length, 1e-4)
        w, z = row(a, load3(centers, p), scale(-1.0, e)), row(b, load3(centers, q), e)
        add_stiffness(hessian, slots[p], slots[p], s, w, w)
        add_stiffness(hessian, slots[p], slots[q], s, w, z)
        add_stiffness(hessian, slots[q], slots[p], s, z, w)
        add_stiffness(hessian, slots[q], slots[q], s, z, z)
        if k == 0:
            add_force(gradient, slots[p], tension, w)
            add_force(gradient, slots[q], tension, z)
    add_turning(hessian, slots[p], -tension, a, load3(centers, p), along)
    add_turning(hessian, slots[q], tension, b, load3(centers, q), along)


@routine
def _add_wrapped(ends, i, a, b, length, tension, rate, spans, slots, centers, nodes, held, gradient, hessian):
    """Add T ∂l and k ∂l ∂lᵀ of a fibre over bones: its ends, then each held node, are points that a body carries."""
    for m in range(NODES + 2):
        if 0 < m <= NODES and held[m - 1] < 0:
            continue
        body, w = _point_row(ends, i, m, a, b, length, spans, centers, nodes, held)
        add_force(gradient, slots[body], tension, w)
        x = a if m == 0 else (b if m == NODES + 1 else load3(nodes, NODES * i + m - 1))
        add_turning(hessian, slots[body], tension, x, load3(centers, body), (w[3], w[4], w[5]))
        for n in range(NODES + 2):
            if 0 < n <= NODES and held[n - 1] < 0:
                continue
            other, z = _point_row(ends, i, n, a, b, length, spans, centers, nodes, held)
            add_stiffness(hessian, slots[body], slots[other], rate, w, z)


@inline
def _point_row(ends, i, m, a, b, length, spans, centers, nodes, held):
    """Return the body that carries point m of the path, and ∂l with regard to its twist."""
    x = a if m == 0 else (b if m == NODES + 1 else load3(nodes, NODES * i + m - 1))
    body = ends[i, 0] if m == 0 else (ends[i, 1] if m == NODES + 1 else spans[held[m - 1], BODY])
    pull = (0.0, 0.0, 0.0)
    if m > 0:
        pull = add(pull, sub(x, a if m == 1 else load3(nodes, NODES * i + m - 2)))
    if m <= NODES:
        pull = add(pull, sub(x, b if m == NODES else load3(nodes, NODES * i + m)))
    return body, row(x, load3(centers, body), scale((NODES + 1.0) / length, pull))
