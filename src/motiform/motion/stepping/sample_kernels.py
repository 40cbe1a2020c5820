"""Steps from sample to sample, and what contacts do at each: forces of points, where they act, modes, gaps."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import routine, typed_entry
from motiform.base.layouts import Floats, Floats2, Floats3, Ints, Ints2, NamedTuple
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.layouts import ContactModel, ContactWorkspace
from motiform.motion.contact.row_kernels import gap_of, touching
from motiform.motion.contact.share_kernels import FOUND, ShareWorkspace, find_least
from motiform.motion.stepping.rest_kernels import RestWorkspace
from motiform.motion.stepping.step_kernels import DONE, StepWorkspace, take_steps
from motiform.motion.stepping.substep_layouts import ActuatorSpace
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import axpy, cross

__all__ = ["UNSHARED", "ContactSamples", "PairForces", "advance_samples", "contact_samples", "pair_forces", "sum_pairs"]

UNSHARED = 4
"""Of a sample, beside what steps come to: a load that no forces within their cones share."""

_1, _2, _I, _F, _N = "float64[::1]", "float64[:, ::1]", "int64[::1]", "float64", "int64"
_TOUCHING = 1e-6  # [m] gap below which a contact may take a share of the load
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


class ContactSamples(NamedTuple):
    """Samples: flat states, and what contact points and limits do, by a first axis."""

    y: Floats2
    tau: Floats2
    """Forces of the controls, (samples, nv)."""
    modes: Ints2
    gaps: Floats2
    forces: Floats3
    """On every contact point, (samples, points, 3)."""
    sites: Floats3
    """Where they act, the centre of pressure where at several places, (samples, points, 3)."""
    moments: Floats3
    """Of these forces about the origin of the world, (samples, points, 3)."""
    presses: Floats2
    """Along their normals, (samples, points)."""
    limits: Floats2
    """On the coordinates, (samples, nv)."""


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


def contact_samples(count: int, size: int, points: int, nv: int) -> ContactSamples:
    """Return room for so many samples of flat states of a size."""
    forces, sites, moments = np.zeros((3, count, points, 3))
    modes, gaps, presses = np.zeros((count, points), np.int64), *np.zeros((2, count, points))
    tau, limits = np.zeros((2, count, nv))
    return ContactSamples(np.zeros((count, size)), tau, modes, gaps, forces, sites, moments, presses, limits)


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


@routine
def _share_step(space, step, pair, room):
    """Load a workspace with the impulses of the last step and share them; return FOUND, or why they cannot be.

    Contacts that press or touch take part. Those that slide keep their friction.
    """
    pairs, taken, spans = step.counts[1], step.counts[0], step.spans
    x, own, count = pair.x, 0, 0
    for k in range(taken):
        at, first = 3 * step.active[ix(k)], 3 * k if k < pairs else 2 * pairs + k
        for i in range(3 if k < pairs else 1):
            x[ix(first + i)] = step.impulses[ix(at + i)]
    for k in range(taken):
        first, rows = (3 * k, 3) if k < pairs else (2 * pairs + k, 1)
        near = x[ix(first + rows // 2)] > 0.0 or space.sites[ix(k), contact_columns.GAP] <= _TOUCHING
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
def _sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, row, out):
    """Write what points do from the forces of pairs at their places, and the forces of limits, to a sample."""
    cints = head.cints
    modes, forces, moments, presses = out.modes[row], out.forces[row], out.moments[row], out.presses[row]
    nearest, where, limits = out.gaps[row], out.sites[row], out.limits[row]
    for n in range(modes.shape[0]):
        modes[ix(n)], nearest[ix(n)], presses[ix(n)] = contact_columns.FREE, math.inf, 0.0
        for i in range(3):
            forces[ix(n), ix(i)], where[ix(n), ix(i)], moments[ix(n), ix(i)] = 0.0, 0.0, 0.0
    for k in range(point_of.shape[0]):
        n = ix(point_of[ix(k)])
        nearest[n] = min(nearest[n], gaps[ix(k)])
    for i in range(limits.shape[0]):
        limits[ix(i)] = 0.0
    for k in range(pairs):
        n, p = ix(point_of[ix(active[ix(k)])]), row3(pair.x, 3 * k)
        e, normal = row3(sites[ix(k)], contact_columns.TANGENT), row3(sites[ix(k)], contact_columns.NORMAL)
        force = axpy(p[0], e, axpy(p[1], normal, (0.0, 0.0, 0.0)))
        force = axpy(p[2], cross(e, normal), force)
        spot = row3(pair.places[ix(k)], 0)
        for i in range(3):
            pair.world[ix(k), ix(i)] = force[i]
        if pair.modes[ix(k)] == contact_columns.FREE:
            continue
        moment = cross(spot, force)
        modes[n] = max(modes[n], pair.modes[ix(k)])
        presses[n] += p[1]
        part = p[1] / presses[n] if presses[n] > 0.0 else 1.0
        for i in range(3):
            forces[n, ix(i)] += force[i]
            where[n, ix(i)] += part * (spot[i] - where[n, ix(i)])
            moments[n, ix(i)] += moment[i]
    for k in range(pairs, taken):
        limit = contact_columns.LIMIT_INTS * (active[ix(k)] - cints[contact_columns.PAIRS])
        at = cints[contact_columns.AT_LIMITS] + limit
        column = cints[ix(at)]
        to = head.ints[
            ix(head.ints[tree_columns.AT_COLUMNS] + column * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)
        ]
        limits[ix(to)] += cints[ix(at + 2)] * pair.x[ix(2 * pairs + k)]


@typed_entry("void", ContactModel, _I, _N, _N, _2, PairForces, _1, _I, _N, ContactSamples)
def sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, row, out):
    """Write what points do at a sample, from Python."""
    _sum_pairs(head, active, pairs, taken, sites, pair, gaps, point_of, row, out)


@routine
def _sum_step(head, y, laws, space, step, pair, room, row, out):
    """Write a sample: the state, and what points do after the last step, whose load is shared.

    The step has moved the places of its pairs, but for those of solids, which may be other ones now.
    """
    ints, pairs, taken = head.ints, step.counts[1], step.counts[0]
    for m in range(pair.counts[1]):
        pair.x[ix(pair.chosen[ix(m)])] = room.f[ix(m)]
    for i in range(2 * pairs + taken):
        pair.x[ix(i)] /= step.energies[6]
    Q, W, z = one_state(y[: ints[tree_columns.NQ]]), one_state(head.work), state_zero(ints)
    place(ints, head.floats, Q, W, z, W, z)
    for k in range(step.ends.shape[0]):
        step.ends[ix(k)] = gap_of(ints, head.cints, head.cfloats, k, Q, W)
    for k in range(pairs):
        candidate = step.active[ix(k)]
        spot = row3(space.sites[ix(k)], contact_columns.SITE)
        if candidate < head.cints[contact_columns.FIRST_SLOT]:
            _, centre, radius, n, _, _, _ = touching(ints, head.cints, head.cfloats, candidate, W)
            spot = axpy(-radius, n, centre)
        for i in range(3):
            pair.places[ix(k), ix(i)] = spot[i]
        if pair.x[ix(3 * k)] == 0.0 and pair.x[ix(3 * k + 1)] == 0.0 and pair.x[ix(3 * k + 2)] == 0.0:
            pair.modes[ix(k)] = contact_columns.FREE
    _sum_pairs(head, step.active, pairs, taken, space.sites, pair, step.ends, step.point_of, row, out)
    for k in range(y.shape[0]):
        out.y[row, ix(k)] = y[ix(k)]
    for k in range(laws.tau.shape[0]):
        out.tau[row, ix(k)] = laws.tau[ix(k)]


@typed_entry(
    "int64", ContactModel, _1, ControlLaws, ActuatorSpace, _N, _1, _2, _2, _F, _N, _F, _F, _N, _N, _F, _F, _F,
    ContactWorkspace, StepWorkspace, RestWorkspace, _N, "boolean", PairForces, ShareWorkspace, _N, ContactSamples,
    nogil=True,
)  # fmt: skip
def advance_samples(
    head, y, laws, acts, evaluate, driven, loads, pushes, at, sample, rate, t0, first, end, h, whole, out, space, step,
    room, samples, shared, pair, share, row, written,
):  # fmt: skip
    """Take the steps from number `first` up to `end` after the sample at `at`; return DONE, or why one was not taken.

    With `samples` this ends at the next sample, which is written, from `row` on; the others follow. Without it nothing
    is written. `shared`: the load of the last step is shared already. What is done is in `step.counts`.
    """
    step.counts[5] = 0
    code = take_steps(
        head, y, laws, acts, evaluate, driven, loads, pushes, at, first, end, h, whole, out, space, step, room
    )
    for s in range(samples):
        if s > 0:
            at = t0 + (sample + s) / rate
            code = take_steps(
                head, y, laws, acts, evaluate, driven, loads, pushes, at, 0, end, h, whole, out, space, step, room
            )
        if code != DONE:
            return code
        if not shared and _share_step(space, step, pair, share) != FOUND:
            return UNSHARED
        shared = False
        _sum_step(head, y, laws, space, step, pair, share, row + s, written)
        step.counts[3], step.counts[5] = 0, s + 1
    return code
