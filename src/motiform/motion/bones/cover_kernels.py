"""The distance from a union of balls, min f with f = |x − c| − r, for kernels."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import compiled, kernel, routine
from motiform.spatial.algebra import dot, load3, norm, scale, sub

__all__ = ["LATEST", "cover_curved", "hide_balls", "list_balls"]

LATEST = 6.0  # widths of the blend by which a ball is farther that does not count
_ROUNDING = 1e-12  # [m]


@routine
def cover_curved(x, h, first, end, base, blend, cover, lists):
    """Return (distance [m], derivatives per node, second derivatives per node² xx, yy, zz, xy, xz, yz) from balls.

    `lists` from `first` to `end` are their numbers from `base` on; h is the distance between nodes. Where balls meet
    they are blended, −ε ln Σ exp(−f/ε) with ε = `blend`: a search for rest finds no crease to be caught in.
    """
    best = math.inf
    for i in range(first, end):
        j = base + lists[i]
        best = min(best, norm(sub(x, load3(cover, j))) - cover[j, 3])
    total, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(first, end):
        j = base + lists[i]
        away = sub(x, load3(cover, j))
        far = max(norm(away), _ROUNDING)
        later = (far - cover[j, 3] - best) / blend
        if later > LATEST:
            continue
        w = math.exp(-later)
        u = scale(1.0 / far, away)
        total += w
        gx, gy, gz = gx + w * u[0], gy + w * u[1], gz + w * u[2]
        own, turn = w / far, w / far + w / blend  # of I and of −n nᵀ
        xx, yy, zz = xx + own - turn * u[0] * u[0], yy + own - turn * u[1] * u[1], zz + own - turn * u[2] * u[2]
        xy, xz, yz = xy - turn * u[0] * u[1], xz - turn * u[0] * u[2], yz - turn * u[1] * u[2]
    s = 1.0 / total
    g = s * gx, s * gy, s * gz
    c = h * h
    bend = (
        c * (s * xx + g[0] * g[0] / blend), c * (s * yy + g[1] * g[1] / blend), c * (s * zz + g[2] * g[2] / blend),
        c * (s * xy + g[0] * g[1] / blend), c * (s * xz + g[0] * g[2] / blend), c * (s * yz + g[1] * g[2] / blend),
    )  # fmt: skip
    return best - blend * math.log(total), scale(h, g), bend


@kernel
def list_balls(i, boxes, room, owners, starts, candidates, cover, more, places, write, lists):
    """Count the candidates that are nearest, but for `more`, at some point of box i; or write them.

    Within a box, of half its diagonal s, ball j is never nearer than k if f_j > f_k + s |n_j − n_k| + s²/(2 (ρ_k − s))
    at its middle, with n the gradient of f and ρ = |x − c|: f_j is convex, and f_k bends by 1/ρ at most. Candidates are
    those of the larger box `owners[i]`.
    """
    x, first, end = load3(boxes, i), starts[owners[i]], starts[owners[i] + 1]
    best, k = math.inf, 0
    for s in range(first, end):
        d = norm(sub(x, load3(cover, candidates[s]))) - cover[candidates[s], 3]
        if d < best:
            best, k = d, candidates[s]
    ahead = sub(x, load3(cover, k))
    rho = norm(ahead)
    curved = room * room / (2.0 * (rho - room)) if rho > room else math.inf
    place = places[i] if write else 0
    for s in range(first, end):
        away = sub(x, load3(cover, candidates[s]))
        far = norm(away)
        least = 2.0 * room
        if far > 0.0 and rho > 0.0:
            turned = max(2.0 - 2.0 * dot(away, ahead) / (far * rho), 0.0)
            least = min(least, room * math.sqrt(turned) + curved)
        if far - cover[candidates[s], 3] <= best + least + more:
            if write:
                lists[place] = candidates[s]
            place += 1
    if not write:
        places[i] = place


@compiled
def hide_balls(order, balls, allowance, shown):
    """Leave out balls that lie in one before them, but for an allowance [m]."""
    for a in range(order.shape[0]):
        i = order[a]
        if not shown[i]:
            continue
        for b in range(a + 1, order.shape[0]):
            j = order[b]
            rest = balls[i, 3] + allowance - balls[j, 3]
            x, y, z = balls[i, 0] - balls[j, 0], balls[i, 1] - balls[j, 1], balls[i, 2] - balls[j, 2]
            if shown[j] and x * x + y * y + z * z <= rest * rest:
                shown[j] = False
