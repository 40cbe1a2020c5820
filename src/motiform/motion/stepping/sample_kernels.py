"""What contacts do at a sample: forces of each point, where they act, modes, gaps."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import routine, typed_entry
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.layouts import ContactModel, ContactWorkspace
from motiform.motion.contact.row_kernels import touching
from motiform.motion.contact.share_kernels import ShareWorkspace, find_least
from motiform.motion.stepping.step_kernels import StepWorkspace
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.motion.tree.kernels.single import one_state
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import axpy, cross

__all__ = ["PairForces", "PointForces", "pair_forces", "point_forces", "share_step", "sum_pairs", "sum_step"]

_1, _2, _I, _F = "float64[::1]", "float64[:, ::1]", "int64[::1]", "float64"
_STILL = 1e-6  # slip over the terms that make it that is taken for none: sweeps end there


class PairForces(NamedTuple):
    """Forces of the rows of active candidates, and what their pairs do."""

    x: Floats
    """Tangent, normal, tangent of each pair, then of limits [N or N·m]."""
    modes: Ints
    places: Floats2
    """Where pairs touch, in the world, (pairs, 3)."""
    world: Floats2
    """Their forces, in the world, (pairs, 3)."""
    chosen: Ints
    """Rows that may share the load."""
    counts: Ints
    """Pairs among them, and rows."""


class PointForces(NamedTuple):
    """What contact points do, and the forces of limits."""

    modes: Ints
    gaps: Floats
    forces: Floats2
    """On every contact point, (points, 3)."""
    sites: Floats2
    """Where they act, the centre of pressure where at several places, (points, 3)."""
    moments: Floats2
    """Of these forces about the origin of the world, (points, 3)."""
    presses: Floats
    """Along their normals, (points,)."""
    limits: Floats
    """On the coordinates, (nv,)."""


def pair_forces(count: int) -> PairForces:
    """Return room for so many candidates."""
    whole = np.zeros(count, np.int64)
    return PairForces(
        np.zeros(3 * count),
        whole,
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros(3 * count, np.int64),
        np.zeros(2, np.int64),
    )


def point_forces(points: int, nv: int) -> PointForces:
    """Return room for the forces of so many points."""
    forces, sites, moments = np.zeros((3, points, 3))
    modes, gaps, presses = np.zeros(points, np.int64), np.zeros(points), np.zeros(points)
    return PointForces(modes, gaps, forces, sites, moments, presses, np.zeros(nv))


@routine
def _slip(space, spans, x, first):
    """Return whether the tangents of a pair move under impulses x, but for what sweeps leave."""
    square, size = 0.0, 0.0
    for i in range(first, first + 3, 2):
        speed, terms = space.b[ix(i)], abs(space.b[ix(i)])
        for j in range(spans.low[ix(i)], spans.high[ix(i)]):
            speed += space.A[ix(i), ix(j)] * x[ix(j)]
            terms += abs(space.A[ix(i), ix(j)]) * abs(x[ix(j)])
        square, size = square + speed * speed, size + terms
    return math.sqrt(square) > _STILL * size


@typed_entry("int64", ContactWorkspace, StepWorkspace, PairForces, ShareWorkspace, "float64")
def share_step(space, step, pair, room, reach):
    """Load a workspace with the impulses of the last step and share them; return FOUND, or why they cannot be.

    Contacts that press, or are nearer than `reach`, take part. Those that slide keep their friction.
    """
    pairs, taken, spans = step.counts[1], step.counts[0], step.spans
    x, own, count = pair.x, 0, 0
    for k in range(taken):
        at, first = 3 * step.active[ix(k)], 3 * k if k < pairs else 2 * pairs + k
        for i in range(3 if k < pairs else 1):
            x[ix(first + i)] = step.impulses[ix(at + i)]
    for k in range(taken):
        first, rows = (3 * k, 3) if k < pairs else (2 * pairs + k, 1)
        near = x[ix(first + rows // 2)] > 0.0 or space.sites[ix(k), contact_columns.GAP] <= reach
        if k < pairs:
            mu = step.friction[ix(step.active[ix(k)])]
            slides = mu == 0.0 or _slip(space, spans, x, first)
            pair.modes[ix(k)] = contact_columns.SLIDE if slides else contact_columns.STICK
            if near:
                room.mu[ix(own)], room.fixed[ix(own)] = mu, 1 if slides and mu > 0.0 else 0
                own += 1
        if near:
            for i in range(rows):
                pair.chosen[ix(count + i)] = first + i
            count += rows
    for m in range(count):
        i = pair.chosen[ix(m)]
        room.x[ix(m)] = x[ix(i)]
        for n in range(count):
            j = pair.chosen[ix(n)]
            room.A[ix(m), ix(n)] = space.A[ix(i), ix(j)] if spans.low[ix(i)] <= j < spans.high[ix(i)] else 0.0
    pair.counts[0], pair.counts[1] = own, count
    return find_least(room, own, count)


@routine
def _sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, point):
    """Write what points do from the forces of pairs at their places, and the forces of limits."""
    cints = head.cints
    for n in range(point.modes.shape[0]):
        point.modes[ix(n)], point.gaps[ix(n)], point.presses[ix(n)] = contact_columns.FREE, math.inf, 0.0
        for i in range(3):
            point.forces[ix(n), ix(i)], point.sites[ix(n), ix(i)], point.moments[ix(n), ix(i)] = 0.0, 0.0, 0.0
    for k in range(point_of.shape[0]):
        n = ix(point_of[ix(k)])
        point.gaps[n] = min(point.gaps[n], gaps[ix(k)])
    for i in range(point.limits.shape[0]):
        point.limits[ix(i)] = 0.0
    for k in range(pairs):
        n, p = ix(point_of[ix(active[ix(k)])]), row3(pair.x, 3 * k)
        e, normal = row3(sites[ix(k)], contact_columns.TANGENT), row3(sites[ix(k)], contact_columns.NORMAL)
        force = axpy(p[0], e, axpy(p[1], normal, (0.0, 0.0, 0.0)))
        force = axpy(p[2], cross(e, normal), force)
        place = row3(pair.places[ix(k)], 0)
        for i in range(3):
            pair.world[ix(k), ix(i)] = force[i]
        if pair.modes[ix(k)] == contact_columns.FREE:
            continue
        moment = cross(place, force)
        point.modes[n] = max(point.modes[n], pair.modes[ix(k)])
        point.presses[n] += p[1]
        part = p[1] / point.presses[n] if point.presses[n] > 0.0 else 1.0
        for i in range(3):
            point.forces[n, ix(i)] += force[i]
            point.sites[n, ix(i)] += part * (place[i] - point.sites[n, ix(i)])
            point.moments[n, ix(i)] += moment[i]
    for k in range(pairs, taken):
        limit = contact_columns.LIMIT_INTS * (active[ix(k)] - cints[contact_columns.PAIRS])
        at = cints[contact_columns.AT_LIMITS] + limit
        column = cints[ix(at)]
        row = head.ints[
            ix(head.ints[tree_columns.AT_COLUMNS] + column * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)
        ]
        point.limits[ix(row)] += cints[ix(at + 2)] * pair.x[ix(2 * pairs + k)]


@typed_entry("void", ContactModel, _I, "int64", "int64", _2, PairForces, _1, _I, PointForces)
def sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, point):
    """Write what points do, from Python."""
    _sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, point)


@typed_entry("void", ContactModel, ContactWorkspace, StepWorkspace, PairForces, ShareWorkspace, _F, _1, PointForces)
def sum_step(head, space, step, pair, room, h, gaps, point):
    """Write what points do after the last step of h, whose load is shared; the workspace of the figure is placed.

    The step has moved the places of its pairs, but for those of solids, which may be other ones now.
    """
    pairs, taken = step.counts[1], step.counts[0]
    for m in range(pair.counts[1]):
        pair.x[ix(pair.chosen[ix(m)])] = room.f[ix(m)]
    for i in range(2 * pairs + taken):
        pair.x[ix(i)] /= h
    W = one_state(head.work)
    for k in range(pairs):
        candidate = step.active[ix(k)]
        place = row3(space.sites[ix(k)], contact_columns.SITE)
        if candidate < head.cints[contact_columns.FIRST_SLOT]:
            _, centre, radius, n, _, _, _ = touching(head.ints, head.cints, head.cfloats, candidate, W)
            place = axpy(-radius, n, centre)
        for i in range(3):
            pair.places[ix(k), ix(i)] = place[i]
        if pair.x[ix(3 * k)] == 0.0 and pair.x[ix(3 * k + 1)] == 0.0 and pair.x[ix(3 * k + 2)] == 0.0:
            pair.modes[ix(k)] = contact_columns.FREE
    _sum_pairs(head, step.active, pairs, taken, space.sites, pair, gaps, step.point_of, point)
