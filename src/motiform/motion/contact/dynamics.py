"""Contacts of a figure at given states: gaps, rows, forces, accelerations, impacts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError, closest
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.impact import collide
from motiform.motion.contact.pack import column_tree
from motiform.motion.contact.points import Contacts
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.tree import Figure, forward_kinematics
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.model.joint import Array

__all__ = [
    "ContactForces",
    "ContactImpact",
    "ContactRows",
    "contact_dynamics",
    "contact_gaps",
    "contact_impact",
    "contact_rows",
    "solve_contacts",
]

_TOUCH = float(np.sqrt(np.finfo(float).eps))


class ContactForces(NamedTuple):
    """Accelerations under contacts, and the forces that make them; leading axes are those of the states."""

    acceleration: Array
    """(..., nv)"""
    forces: Array
    """On every contact point, world axes [N], (..., points, 3); the least where contacts are redundant."""
    wrenches: Array
    """On every contact solid: moment about the origin of its first point's segment, force, world axes,
    (..., solids, 6)."""
    limits: Array
    """Of the limits on the coordinates [N·m or N], (..., nv)."""
    opening: Array
    """Acceleration of each active point along its normal [m/s²]: above zero it leaves; NaN where it is not active,
    (..., points)."""


class ContactImpact(NamedTuple):
    """Velocities after an impact, and the impulses that make them."""

    velocity: Array
    """(..., nv)"""
    impulses: Array
    """On every contact point, world axes [N·s], (..., points, 3)."""
    lost: Array
    """Kinetic energy lost [J], (...)."""


class ContactRows(NamedTuple):
    """The rows of contact points, each with its first obstacle: tangent 1, normal, tangent 2."""

    gaps: Array
    """(..., points)"""
    jacobian: Array
    """(..., points, 3, nv)"""
    bias: Array
    """Velocity-product terms, (..., points, 3)."""
    axes: Array
    """Tangent 1, normal, tangent 2 in the world, (..., points, 3, 3)."""


def _states(figure: Figure, inputs: Sequence[tuple[str, ArrayLike, int]]) -> tuple[tuple[int, ...], list[Array]]:
    batch, states = as_states(figure, inputs)
    return batch, [np.array(x) for x in states]  # compiled functions take arrays that may be written


def contact_gaps(figure: Figure, contacts: Contacts, q: ArrayLike) -> Array:
    """Return the distance from every contact point to its nearest obstacle [m], (..., points); negative inside."""
    problem = ContactProblem(figure, contacts)
    batch, (qs,) = _states(figure, [("q", q, figure.nq)])
    out = np.full((len(qs), len(contacts.points)), np.inf)
    packed = problem.packed
    for n, row in enumerate(qs):
        np.minimum.at(out[n], packed.point_of, problem.gaps(row)[: packed.pairs])
    return out.reshape(*batch, len(contacts.points))


def contact_rows(figure: Figure, contacts: Contacts, q: ArrayLike, v: ArrayLike | None = None) -> ContactRows:
    """Return gaps, Jacobian and velocity-product terms of all points, each with its nearest obstacle.

    φ = (tangent 1 | normal | tangent 2) has φ̇ = J v and φ̈ = J v̇ + bias.  [HuMAnS 1]
    """
    problem = ContactProblem(figure, contacts)
    packed, points = problem.packed, len(contacts.points)
    still = np.zeros(figure.nv) if v is None else v
    batch, (qs, vs) = _states(figure, [("q", q, figure.nq), ("v", still, figure.nv)])
    shape = (len(qs), points)
    gaps, J = np.full(shape, np.inf), np.zeros((*shape, 3, figure.nv))
    bias, axes = np.zeros((*shape, 3)), np.zeros((*shape, 3, 3))
    for n in range(len(qs)):
        every = problem.gaps(qs[n])[: packed.pairs]
        nearest = [
            int(own[np.argmin(every[own])]) for p in range(points) if len(own := np.flatnonzero(packed.point_of == p))
        ]
        problem.activate(np.array(nearest, np.int64))
        y = np.concatenate([qs[n], vs[n]])
        problem.pose(y, problem.head.zeros)
        C = problem.jacobian(y)
        for k, pair in enumerate(problem.active):
            p = packed.point_of[pair]
            site = problem.sites[k]
            e, normal = (
                site[contact_columns.TANGENT : contact_columns.TANGENT + 3],
                site[contact_columns.NORMAL : contact_columns.NORMAL + 3],
            )
            gaps[n, p], axes[n, p] = site[contact_columns.GAP], (e, normal, np.cross(e, normal))
            bias[n, p] = problem.space.s[3 * k : 3 * k + 3]
            J[n, p] = C[3 * k : 3 * k + 3]
    lead = (*batch, points)
    return ContactRows(
        gaps.reshape(lead), J.reshape(*lead, 3, figure.nv), bias.reshape(*lead, 3), axes.reshape(*lead, 3, 3)
    )


def _active(problem: ContactProblem, q: Array, active: Sequence[str] | None) -> np.ndarray:
    """Return the candidates that touch, or those of the points that are named."""
    packed, contacts = problem.packed, problem.contacts
    gaps = problem.gaps(q)
    if active is None:
        return np.flatnonzero(gaps <= _TOUCH)
    chosen = []
    for name in active:
        if name not in contacts.point_names:
            raise InputError(
                "no such contact point",
                got=name,
                allowed=", ".join(contacts.point_names),
                remedy=closest(str(name), contacts.point_names),
            )
        own = np.flatnonzero(packed.point_of == contacts.point_names.index(name))
        chosen.append(int(own[np.argmin(gaps[own])]))
    return np.array(chosen, np.int64)


def contact_dynamics(
    figure: Figure,
    contacts: Contacts,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    active: Sequence[str] | None = None,
    external: ArrayLike | None = None,
) -> ContactForces:
    """Return accelerations and contact forces of points that do not slide.

    min ½ aᵀM a + aᵀ(N v + G − tau) subject to C_n a + s_n ≥ 0 and C_t a + s_t = 0 on the active points.  [HuMAnS 1]

    Points within 1.5e-8 m of an obstacle are active, or those named in `active`, and limits that are reached.
    `external` are wrenches on the segments as in `forward_dynamics`. Friction is not looked at: use `simulate` for it.
    """
    problem = ContactProblem(figure, contacts)
    n = len(figure.segments)
    loads = np.zeros((n, 6)) if external is None else np.asarray(external, float)
    if loads.shape[-2:] != (n, 6):
        raise InputError(
            "external must have one wrench for each segment",
            got=f"shape {loads.shape}",
            allowed=f"(…, {n}, 6): segments, wrenches",
        )
    inputs = [("q", q, figure.nq), ("v", v, figure.nv), ("tau", tau, figure.nv)]
    batch, (qs, vs, taus, ext) = _states(
        figure, [*inputs, ("external", loads.reshape(*loads.shape[:-2], 6 * n), 6 * n)]
    )
    points, solids = contacts.points, contacts.solids
    count = len(qs)
    a, forces = np.zeros((count, figure.nv)), np.zeros((count, len(points), 3))
    wrenches, limits = np.zeros((count, len(solids), 6)), np.zeros((count, figure.nv))
    opening = np.full((count, len(points)), np.nan)
    for k in range(count):
        problem.activate(_active(problem, qs[k], active))
        wrench = None if external is None else ext[k].reshape(n, 6)
        problem.pose(np.concatenate([qs[k], vs[k]]), taus[k], wrench)
        x = problem.least_norm(problem.solve_lcp()[0]) if problem.rows else np.zeros(0)
        a[k] = problem.accelerations(x)
        _share(problem, x, qs[k], forces[k], wrenches[k], limits[k])
        rows = problem.A[: problem.rows, : problem.rows] @ x + problem.b[: problem.rows]
        opening[k, problem.packed.point_of[problem.active[: problem.pairs]]] = rows[1 : 3 * problem.pairs : 3]
    return ContactForces(
        a.reshape(*batch, figure.nv),
        forces.reshape(*batch, len(points), 3),
        wrenches.reshape(*batch, len(solids), 6),
        limits.reshape(*batch, figure.nv),
        opening.reshape(*batch, len(points)),
    )


def _share(problem: ContactProblem, x: Array, q: Array, forces: Array, wrenches: Array, limits: Array) -> None:
    """Add the forces of the rows to the points, solids and coordinates that they act on."""
    figure, contacts, packed = problem.figure, problem.contacts, problem.packed
    world, own = problem.in_world(x), packed.point_of[problem.active[: problem.pairs]]
    solids, segments = _solids(figure, contacts)
    arms = (
        problem.sites[: problem.pairs, contact_columns.SITE : contact_columns.SITE + 3]
        - forward_kinematics(figure, q)[1][segments[own]]
    )
    np.add.at(forces, own, world)
    np.add.at(wrenches, solids[own], np.concatenate([np.cross(arms, world), world], axis=1))
    for k in range(problem.pairs, len(problem.active)):
        limit = problem.active[k] - packed.pairs
        side = packed.ints[packed.ints[contact_columns.AT_LIMITS] + contact_columns.LIMIT_INTS * limit + 2]
        limits[packed.limit_coordinates[limit]] += side * x[3 * problem.pairs + k - problem.pairs]


@lru_cache(maxsize=8)
def _solids(figure: Figure, contacts: Contacts) -> tuple[np.ndarray, np.ndarray]:
    """Return the solid of each point, and the segment of that solid's first point."""
    names = [point.solid for point in contacts.points]
    first = {name: figure.index(contacts.points[names.index(name)].segment) for name in contacts.solids}
    solids = np.array([contacts.solids.index(name) for name in names], np.int64)
    return solids, np.array([first[name] for name in names], np.int64)


def contact_impact(
    figure: Figure, contacts: Contacts, q: ArrayLike, v: ArrayLike, *, active: Sequence[str] | None = None
) -> ContactImpact:
    """Return the velocities after an impact of the points that touch (or are named), by the law of the contacts."""
    problem = ContactProblem(figure, contacts)
    batch, (qs, vs) = _states(figure, [("q", q, figure.nq), ("v", v, figure.nv)])
    after, lost = vs.copy(), np.zeros(len(qs))
    impulses = np.zeros((len(qs), len(contacts.points), 3))
    for k in range(len(qs)):
        problem.activate(_active(problem, qs[k], active))
        if not problem.pose(np.concatenate([qs[k], vs[k]]), problem.head.zeros):
            continue
        bounce = problem.packed.restitution[problem.active]
        found = collide(problem, vs[k], bounce, held=contacts.impact == "held")
        after[k], lost[k] = found.v, found.lost
        for n, impulse in enumerate(problem.in_world(found.x)):
            impulses[k, problem.packed.point_of[problem.active[n]]] += impulse
    return ContactImpact(
        after.reshape(*batch, figure.nv), impulses.reshape(*batch, len(contacts.points), 3), lost.reshape(batch)
    )


_spaces: dict[tuple[int, int], tuple[Any, ...]] = {}


def solve_contacts(
    inertia: Array,
    force: Array,
    normal: Array,
    normal_bias: Array,
    tangent: Array,
    tangent_bias: Array,
    figure: Figure | None = None,
) -> tuple[Array, Array]:
    """Return a and the multipliers (tangents, then normals) of a problem that is already written as matrices.

    min ½ aᵀM a + aᵀg subject to C_n a + s_n ≥ 0 and C_t a + s_t = 0; M (n, n), g (n,), C_n (k, n), s_n (k,),
    C_t (m, n), s_t (m,), all float64. Rows may be redundant. With the `figure` that M is of, its zeros are made use of.
    """
    n, k, m = np.size(force), np.size(normal_bias), np.size(tangent_bias)
    shapes = [np.shape(one) for one in (inertia, force, normal, normal_bias, tangent, tangent_bias)]
    if shapes != [(n, n), (n,), (k, n), (k,), (m, n), (m,)]:
        allowed = "(n, n), (n,), (k, n), (k,), (m, n), (m,)"
        raise InputError("the matrices must fit together", where="solve_contacts()", got=f"{shapes}", allowed=allowed)
    rows = k + m
    space = _spaces.get((n, rows))
    if space is None:
        from motiform.motion.contact.given_kernels import one_solve

        floats = np.zeros(2 * n + 3 * rows + max(n, rows) + n * n + n * rows + 3 * rows * rows)
        space = (one_solve.function, floats, np.zeros(3 * n + 8 * rows + 1, np.int64))
        _spaces[n, rows] = space
    solve, *arrays = space
    a, x = np.empty(n), np.empty(rows)
    tree = _chain(n) if figure is None else column_tree(figure)
    if solve(inertia, force, normal, normal_bias, tangent, tangent_bias, tree, *arrays, a, x) != contact_columns.OK:
        raise RunError("no contact forces were found", got=f"{rows} rows")
    return a, x


def _chain(n: int) -> np.ndarray:
    return np.concatenate([np.arange(-1, n - 1), np.arange(n)])
