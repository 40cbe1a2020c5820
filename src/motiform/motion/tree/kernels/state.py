"""The state (q, v) as an integrator sees it: its rate, and its repair."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine, typed_entry
from motiform.motion.tree.kernels.contact import contact_place, contact_qdot, contact_repair
from motiform.motion.tree.kernels.dynamics import articulated, recursive
from motiform.motion.tree.kernels.memory import get3, get9, put3
from motiform.motion.tree.kernels.motion import column_velocity, contact_velocity
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.actuation import Actuation
from motiform.motion.tree.model.actuation_kernels import actuator_rates
from motiform.spatial.algebra import rotation_of_quaternion, tmul, transform

__all__ = [
    "advance_configuration",
    "one_acted_rate",
    "one_configuration_rate",
    "one_contact_force",
    "one_rate",
    "one_repair",
]

_1 = "float64[::1]"


@inline
def _quaternion_rate(q, at, o, b, out):
    """Write q̇ = ½ q (0, ω), ω in the turned axes."""
    w, x, y, z = q[at, b], q[at + 1, b], q[at + 2, b], q[at + 3, b]
    out[at, b] = -0.5 * (x * o[0] + y * o[1] + z * o[2])
    out[at + 1, b] = 0.5 * (w * o[0] + y * o[2] - z * o[1])
    out[at + 2, b] = 0.5 * (w * o[1] + z * o[0] - x * o[2])
    out[at + 3, b] = 0.5 * (w * o[2] + x * o[1] - y * o[0])


@inline
def _contact_rate(ints, floats, i, q, v, b, out):
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at, at_q = ints[base + tree_columns.AT_NUMBERS], ints[base + tree_columns.AT_Q]
    return contact_qdot(floats, at, q, at_q, b, contact_velocity(ints, floats, i, v, b), out, at_q)


@routine
def configuration_rate(ints, floats, q, v, b, out):
    """Write dq/dt of all joints that kernels know; return a status."""
    status = tree_columns.OK
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        kind, first, at = (
            ints[base + tree_columns.KIND],
            ints[base + tree_columns.FIRST],
            ints[base + tree_columns.AT_Q],
        )
        if kind == tree_columns.AXES or kind == tree_columns.FUNCTION:
            for k in range(first, first + ints[base + tree_columns.COUNT]):
                row = ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS
                out[ints[row + tree_columns.COLUMN_Q], b] = v[ints[row + tree_columns.COLUMN_V], b]
        elif kind <= tree_columns.FREE:
            o = (
                column_velocity(ints, first, v, b),
                column_velocity(ints, first + 1, v, b),
                column_velocity(ints, first + 2, v, b),
            )
            if kind == tree_columns.FREE:
                u = (
                    column_velocity(ints, first + 3, v, b),
                    column_velocity(ints, first + 4, v, b),
                    column_velocity(ints, first + 5, v, b),
                )
                R = rotation_of_quaternion(q[at + 3, b], q[at + 4, b], q[at + 5, b], q[at + 6, b])
                put3(out, at, b, transform(R, u))
                at += 3
            _quaternion_rate(q, at, o, b, out)
        elif kind == tree_columns.CONTACT and _contact_rate(ints, floats, i, q, v, b, out) != 1:
            status = tree_columns.CONFORMING + tree_columns.WHERE * i
    return status


@inline
def _turn_quaternion(q, at, o, h, b, out):
    """Write the quaternion after a rotation at the rate o, in the turned axes, for a time h."""
    speed = math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
    half = 0.5 * h * speed
    s = math.sin(half) / speed if half > 1e-8 else 0.5 * h
    n, (x, y, z) = math.cos(half), (s * o[0], s * o[1], s * o[2])
    w, i, j, k = q[at, b], q[at + 1, b], q[at + 2, b], q[at + 3, b]
    out[at, b] = w * n - i * x - j * y - k * z
    out[at + 1, b] = w * x + i * n + j * z - k * y
    out[at + 2, b] = w * y + j * n + k * x - i * z
    out[at + 3, b] = w * z + k * n + i * y - j * x


@routine
def advance_configuration(ints, floats, q, v, h, b, out):
    """Write the configuration after a time h at velocities v: quaternions turn exactly, the rest goes along dq/dt."""
    status = configuration_rate(ints, floats, q, v, b, out)
    for k in range(ints[tree_columns.NQ]):
        out[k, b] = q[k, b] + h * out[k, b]
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        kind, first = ints[base + tree_columns.KIND], ints[base + tree_columns.FIRST]
        if kind == tree_columns.BALL or kind == tree_columns.FREE:
            o = (
                column_velocity(ints, first, v, b),
                column_velocity(ints, first + 1, v, b),
                column_velocity(ints, first + 2, v, b),
            )
            _turn_quaternion(q, ints[base + tree_columns.AT_Q] + (3 if kind == tree_columns.FREE else 0), o, h, b, out)
    repair_configuration(ints, floats, out, b)
    return status


@routine
def repair_configuration(ints, floats, q, b):
    """Bring quaternions back to length 1 and contact frames back to their surfaces."""
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        kind, at = ints[base + tree_columns.KIND], ints[base + tree_columns.AT_Q]
        if kind == tree_columns.BALL or kind == tree_columns.FREE:
            if kind == tree_columns.FREE:
                at += 3
            x, y, z = get3(q, at + 1, b)
            inverse = 1.0 / math.sqrt(q[at, b] * q[at, b] + x * x + y * y + z * z)
            for k in range(4):
                q[at + k, b] *= inverse
        elif kind == tree_columns.CONTACT:
            contact_repair(floats, ints[base + tree_columns.AT_NUMBERS], q, at, b)


@entry(f"int64(int64[::1], {_1}, {_1}, {_1}, {_1}, {_1})")
def one_rate(ints, floats, work, y, tau, out):
    """Rate of (q, v) under the forces tau."""
    nq, nv = ints[tree_columns.NQ], ints[tree_columns.NV]
    W, Q, V = one_state(work), one_state(y[:nq]), one_state(y[nq:])
    b = state_zero(ints)
    status = articulated(ints, floats, Q, V, one_state(tau), W, W, b != b, b, W, b, one_state(out[nq:]))
    other = configuration_rate(ints, floats, Q, V, b, one_state(out[:nq]))
    return max(status, other) if nv else other


@typed_entry("int64", "float64", Actuation, "int64[::1]", *[_1] * 5)
def one_acted_rate(t, acts, ints, floats, work, y, tau, out):
    """Rate of (q, v, z) under all that acts; below 0 the actuators refuse it."""
    nq, nv = ints[tree_columns.NQ], ints[tree_columns.NV]
    end = nq + nv
    for k in range(end, y.shape[0]):
        out[k] = 0.0
    status = actuator_rates(t, acts, y[:nq], y[nq:end], y[end:], tau, out[end:])
    if status != 0:
        return -1
    W, Q, V = one_state(work), one_state(y[:nq]), one_state(y[nq:end])
    b = state_zero(ints)
    status = articulated(ints, floats, Q, V, one_state(tau), W, W, b != b, b, W, b, one_state(out[nq:end]))
    other = configuration_rate(ints, floats, Q, V, b, one_state(out[:nq]))
    return max(status, other)


@entry(f"int64(int64[::1], {_1}, {_1}, {_1}, {_1}, int64, {_1}, {_1})")
def one_contact_force(ints, floats, work, y, tau, segment, spare, out):
    """Force on a segment at its contact, in the contact frame, of the motion under the forces tau."""
    nq, nv = ints[tree_columns.NQ], ints[tree_columns.NV]
    W, Q, V, b = one_state(work), one_state(y[:nq]), one_state(y[nq:]), state_zero(ints)
    A, T = one_state(spare[:nv]), one_state(spare[nv:])
    status = articulated(ints, floats, Q, V, one_state(tau), W, W, b != b, b, W, b, A)
    recursive(ints, floats, Q, V, A, W, W, b != b, b, W, b, T)
    base = tree_columns.HEADER + segment * tree_columns.SEGMENT_INTS
    _, _, RL, _ = contact_place(floats, ints[base + tree_columns.AT_NUMBERS], Q, ints[base + tree_columns.AT_Q], b)
    R = get9(W, ints[tree_columns.W_POSE] + segment * tree_columns.POSE_ROWS, b)
    force = get3(W, ints[tree_columns.W_F] + 6 * segment + 3, b)
    out[0], out[1], out[2] = tmul(RL, tmul(R, force))
    return status


@entry(f"int64(int64[::1], {_1}, {_1}, {_1}, {_1})")
def one_configuration_rate(ints, floats, q, v, out):
    """dq/dt of one state."""
    return configuration_rate(ints, floats, one_state(q), one_state(v), state_zero(ints), one_state(out))


@entry(f"void(int64[::1], {_1}, {_1})")
def one_repair(ints, floats, q):
    """Repair one configuration in place."""
    repair_configuration(ints, floats, one_state(q), state_zero(ints))
