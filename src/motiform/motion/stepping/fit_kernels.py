"""Contacts brought back to their gaps and velocities: inside a step they drift by its tolerance."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.problem_kernels import pose_problem, to_velocities
from motiform.motion.contact.solve_kernels import accelerate, hold_chosen
from motiform.motion.stepping.impulse_kernels import add_impulses_on
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.kernels.state import configuration_rate, repair_configuration
from motiform.motion.tree.model import columns as tree_columns

__all__ = ["fit_contacts"]

_CLOSED = 1e-13  # [m] of a gap that stays


@routine
def _pose(head, y, active, pairs, space):
    """Write the problem of a state on which nothing acts; return how many rows."""
    nq, z = head.ints[tree_columns.NQ], one_state(head.zeros)
    return pose_problem(
        head, one_state(head.work), one_state(y[:nq]), one_state(y[nq:]), z, z, False, z, active, pairs,
        one_state(space.M.reshape(space.M.size)), one_state(space.u), space,
    )  # fmt: skip


@inline
def _normal(k, pairs):
    return 3 * k + 1 if k < pairs else 2 * pairs + k


@routine
def _close_gaps(head, y, active, pairs, space, work, part):
    """Move to where gaps are zero, by the least displacement in the metric of M; return whether anything moved."""
    ints, nq, count, far = head.ints, head.ints[tree_columns.NQ], active.shape[0], 0.0
    for k in range(count):
        far = max(far, abs(space.sites[ix(k), contact_columns.GAP]))
        work.chosen[ix(k)] = _normal(k, pairs)
    if not far > _CLOSED:
        return False
    for r in range(2 * pairs + count):
        work.side[ix(r)] = 0.0
    for k in range(count):
        work.side[ix(_normal(k, pairs))] = space.sites[ix(k), contact_columns.GAP]
    _jump(head, pairs, count, count, space, work, part)
    moved, z = part[ints[tree_columns.NV] :], state_zero(ints)
    Q = one_state(y[:nq])
    configuration_rate(ints, head.floats, Q, one_state(part), z, one_state(moved))
    for i in range(nq):
        y[ix(i)] += moved[ix(i)]
    repair_configuration(ints, head.floats, Q, z)
    return True


@routine
def _jump(head, pairs, count, chosen, space, work, out):
    """Write the jump of velocities, in the order of v, that takes `side` from the chosen rows; impulses are in x."""
    rows = 2 * pairs + count
    hold_chosen(space.A, work.side, rows, chosen, work.F, work.x, work.r, work.chosen)
    accelerate(space.H, head.before, space.used, space.Y, rows, work.x, head.zeros, work.r)
    to_velocities(head.ints, work.r[: head.ints[tree_columns.NV]], out)


@routine
def fit_contacts(head, y, phase, pairs, space, work, part, impulses):
    """Bring gaps and velocities of active candidates to zero as their modes ask, in place.

    y begins with configuration and velocities; `part` is workspace of its length, `impulses` are those on the points.
    """
    active, nq, nv, count = phase.active, head.ints[tree_columns.NQ], head.ints[tree_columns.NV], phase.active.shape[0]
    state = y[: nq + nv]
    rows = _pose(head, state, active, pairs, space)
    if rows > 0 and _close_gaps(head, state, active, pairs, space, work, part):
        rows = _pose(head, state, active, pairs, space)
    if rows <= 0:
        return
    chosen = 0
    for k in range(count):
        first, wide = (3 * k, 3) if k < pairs else (2 * pairs + k, 1)
        for i in range(wide):
            work.side[ix(first + i)] = space.sites[ix(k), ix(contact_columns.SLIP + (i if wide == 3 else 1))]
            if wide == 1 or i == 1 or phase.modes[ix(k)] != contact_columns.SLIDE:
                work.chosen[ix(chosen)] = first + i
                chosen += 1
    _jump(head, pairs, count, chosen, space, work, part)
    for i in range(nv):
        y[ix(nq + i)] += part[ix(i)]
    add_impulses_on(work.x, phase.rows, pairs, space.sites, active, phase.point_of, impulses)
