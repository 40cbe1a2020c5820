"""Energy of contact and ligaments with its derivatives, and the poses of least energy by Levenberg–Marquardt on SE(3).

Arrays, with bones, bodies (bones that move together), clusters of surface points, directed pairs and fibres:
poses (bodies, 12) rotation by rows and translation from the neutral pose; slots (bodies,) number among the free bodies
or −1, where the driven body, the second, has slot 0 if its translation is free; middles (bodies, 3) the point about
which a body turns; spans, grid, shapes: signed maps, or covers by balls (`contact_kernels`); hulls (bones, 4) balls
around the bones; balls around clusters of surface points; pairs (pairs, 2), reaches (pairs,); ends, fibres
(`ligament_kernels`).
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import compiled, inline, routine
from motiform.motion.bones.contact_kernels import (
    BODY,
    ENERGY,
    GAP,
    NX,
    SUMS,
    back,
    in_nodes,
    place,
    press_pair,
    scatter_pair,
)
from motiform.motion.bones.ligament_kernels import pull_fibre
from motiform.spatial.algebra import load3, load9, matmul, norm, orthonormal, rodrigues

__all__ = ["evaluate", "settle"]

_FLOOR = 10.0  # [N/m] of stiffness that no body lacks when a step is computed: one that nothing holds stays
_LEVER = 1e-2  # [m] by which rotations and translations are compared
_LONGEST = 2e-3  # [m] that a step moves a body at most
_LOOSE = 1e-1  # damping above which a short step does not mean that the search is at its end
_LOST = 1e30  # damping at which the search is lost: the Hessian is not finite, or its numbers are beyond reason
# Settings: how far gaps are looked for [m], stiffness of contact [N/m³], step that ends [m], 1/s² of hardening [1/m²],
# and the force on the driven body [N], three numbers, which counts where its translation is free.
FAR, CONTACT, STILL, HARDENING, LOAD = range(5)


@inline
def _apart(a, b, poses, spans, grid, hulls):
    """Return whether the ball around bone a is outside of the map of bone b."""
    u = in_nodes(grid, b, back(poses, spans[b, BODY], place(poses, spans[a, BODY], load3(hulls, a))))
    r = hulls[a, 3] / grid[b, 3]
    x = u[0] < -r or u[0] > spans[b, NX] + r
    y = u[1] < -r or u[1] > spans[b, NX + 1] + r
    return x or y or u[2] < -r or u[2] > spans[b, NX + 2] + r


@routine
def _energy(poses, slots, middles, model, settings, centers, gradient, hessian, work, sums, nodes, held, tension):
    """Return the energy [J]; write gradient and Hessian, the sums of each pair, tension and length of each fibre."""
    spans, grid, shapes, hulls, balls, points, pairs, reaches, ends, fibres = model
    for b in range(poses.shape[0]):
        centers[b, 0], centers[b, 1], centers[b, 2] = place(poses, b, load3(middles, b))
    for i in range(gradient.shape[0]):
        gradient[i] = 0.0
        for j in range(gradient.shape[0]):
            hessian[i, j] = 0.0
    total = 0.0
    for q in range(pairs.shape[0]):
        for k in range(SUMS):
            sums[q, k] = 0.0
        sums[q, GAP] = math.inf
        a, b = pairs[q, 0], pairs[q, 1]
        if _apart(a, b, poses, spans, grid, hulls):
            continue
        far = max(settings[FAR], reaches[q])
        k, hardening = settings[CONTACT], settings[HARDENING]
        press_pair(a, b, reaches[q], far, k, hardening, poses, spans, grid, shapes, balls, points, sums, q)
        if sums[q, ENERGY] > 0.0:
            p, r = spans[a, BODY], spans[b, BODY]
            scatter_pair(sums, q, slots[p], slots[r], load3(centers, p), load3(centers, r), gradient, hessian, work)
            total += sums[q, ENERGY]
    for i in range(ends.shape[0]):
        energy, pull, length = pull_fibre(
            i, ends, fibres, poses, spans, grid, shapes[0], slots, centers, nodes, held, gradient, hessian
        )
        tension[i, 0], tension[i, 1] = pull, length
        total += energy
    if slots[1] >= 0:
        for k in range(3):  # of a constant force: −F·x
            total -= settings[LOAD + k] * (centers[1, k] - middles[1, k])
            gradient[6 * slots[1] + 3 + k] -= settings[LOAD + k]
    return total


@compiled
def evaluate(poses, slots, middles, model, settings, centers, gradient, hessian, work, sums, nodes, held, tension):
    """Return the energy [J] and write all that belongs to it."""
    return _energy(poses, slots, middles, model, settings, centers, gradient, hessian, work, sums, nodes, held, tension)


@routine
def _step(hessian, gradient, led, damping, factor, step):
    """Write the step −(H + λ D)⁻¹ g with D = diag H, and return whether the matrix had a Cholesky factor.

    The first body does not turn by itself where it is `led`: its rotation is prescribed.
    """
    n = gradient.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = hessian[i, j]
            if led and j < 3:
                s = 1.0 if i == j else 0.0
            if i == j:
                floor = _FLOOR * _LEVER * _LEVER if i % 6 < 3 else _FLOOR
                s += damping * max(s, floor) + floor * 1e-3
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i == j:
                if not s > 0.0:
                    return False
                factor[i, i] = math.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    for i in range(n):
        s = 0.0 if led and i < 3 else -gradient[i]
        for k in range(i):
            s -= factor[i, k] * step[k]
        step[i] = s / factor[i, i]
    for i in range(n - 1, -1, -1):
        s = step[i]
        for k in range(i + 1, n):
            s -= factor[k, i] * step[k]
        step[i] = s / factor[i, i]
    return True


@routine
def _size(step, slot):
    """Return how far a step moves a body [m]."""
    k = 6 * slot
    return _LEVER * norm((step[k], step[k + 1], step[k + 2])) + norm((step[k + 3], step[k + 4], step[k + 5]))


@routine
def _moved(poses, slots, centers, step, share, trial):
    """Write the poses after a share of the step: x ← exp(ω)(x − c) + c + v."""
    for b in range(poses.shape[0]):
        for k in range(12):
            trial[b, k] = poses[b, k]
        s = slots[b]
        if s < 0:
            continue
        w = share * step[6 * s], share * step[6 * s + 1], share * step[6 * s + 2]
        angle = norm(w)
        half = 0.5 * angle
        sinc = math.sin(half) / half if half > 1e-8 else 1.0
        turn = rodrigues(w, 1.0 - angle * angle / 6.0 if angle < 1e-4 else math.sin(angle) / angle, 0.5 * sinc * sinc)
        new = orthonormal(matmul(turn, load9(poses, b)))
        for k in range(9):
            trial[b, k] = new[k]
        c = load3(centers, b)
        arm = poses[b, 9] - c[0], poses[b, 10] - c[1], poses[b, 11] - c[2]
        for k in range(3):
            turned = turn[3 * k] * arm[0] + turn[3 * k + 1] * arm[1] + turn[3 * k + 2] * arm[2]
            trial[b, 9 + k] = turned + c[k] + share * step[6 * s + 3 + k]


@compiled
def settle(poses, slots, middles, model, settings, most, trial, spare, space):
    """Move the free bodies to the nearest least energy; return (energy [J], evaluations, last step [m]).

    `spare` holds centers, gradient, hessian, work, sums, nodes, held, tension of the poses, `space` those of a trial
    and then factor and step. More than `most` evaluations are not made: then the last step is above that which ends.
    It is inf where no damping gives a step.
    """
    centers, gradient, hessian, work, sums, nodes, held, tension = spare
    centers2, gradient2, hessian2, work2, sums2, nodes2, held2, tension2, factor, step = space
    energy = _energy(
        poses, slots, middles, model, settings, centers, gradient, hessian, work, sums, nodes, held, tension
    )
    free = gradient.shape[0] // 6
    damping, growth, size, count = 1e-4, 2.0, 0.0, 1
    while count < most and free > 0:
        while not _step(hessian, gradient, slots[1] >= 0, damping, factor, step):
            damping = 4.0 * max(damping, 1e-4)
            if damping > _LOST:
                return energy, count, math.inf
        size, used = 0.0, damping
        for s in range(free):
            size = max(size, _size(step, s))
        share = min(1.0, _LONGEST / max(size, 1e-300))
        expected = 0.0  # of the fall of g·δ + ½ δᵀHδ at this share of the step
        for i in range(6 * free):
            line = 0.0
            for j in range(6 * free):
                line += hessian[i, j] * step[j]
            expected -= share * step[i] * (gradient[i] + 0.5 * share * line)
        _moved(poses, slots, centers, step, share, trial)
        new = _energy(
            trial, slots, middles, model, settings, centers2, gradient2, hessian2, work2, sums2, nodes2, held2, tension2
        )
        count += 1
        ratio = (energy - new) / max(expected, 1e-300)
        if new <= energy:
            energy = new
            for b in range(poses.shape[0]):
                for k in range(12):
                    poses[b, k] = trial[b, k]
                for k in range(3):
                    centers[b, k] = centers2[b, k]
            for i in range(6 * free):
                gradient[i] = gradient2[i]
                for j in range(6 * free):
                    hessian[i, j] = hessian2[i, j]
            damping, growth = damping * max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3), 2.0
            damping = max(damping, 1e-9)
            if share * size < settings[STILL] and used < _LOOSE:
                break
        else:
            if size < 0.1 * settings[STILL] and used < _LOOSE:
                break  # nothing but rounding is left to gain
            damping, growth = max(damping, 1e-5) * growth, growth * 2.0
    return energy, count, size
