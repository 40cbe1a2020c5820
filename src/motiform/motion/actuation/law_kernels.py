"""Control laws and drives at one instant, each in one call."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine, typed_entry
from motiform.motion.actuation import columns as actuation_columns
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.tree.kernels.memory import ix

__all__ = [
    "control_forces",
    "control_forces_at",
    "drive_effort",
    "drive_efforts",
    "motor_dynamics",
    "motor_effort",
    "posture_commands",
    "servo_commands",
    "tracking_acceleration",
]

_1, _2, _3, _I = "float64[::1]", "float64[:, ::1]", "float64[:, :, ::1]", "int64[::1]"
_WAY = f"float64, {_1}, {_3}, {_2}"  # t, times and pieces of a trajectory, what is wanted


@inline
def _interval(times, first, count, t):
    """Return the number of the interval, among some, that holds an instant."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[ix(first + middle)] <= t:
            low = middle
        else:
            high = middle
    return low


@inline
def _set_wanted(t, times, first, count, pieces, piece, wanted):
    """Write posture, rates and accelerations of cubic pieces; beyond the ends they rest. No times: they are given."""
    if count == 0:
        return
    k = _interval(times, first, count, t)
    end = times[ix(first + count - 1)]
    still = 1.0 if times[ix(first)] < t < end else 0.0
    x, k = min(max(t, times[ix(first)]), end) - times[ix(first + k)], ix(piece + k)
    for j in range(pieces.shape[2]):
        a, b, d = pieces[k, 0, ix(j)], pieces[k, 1, ix(j)], pieces[k, 2, ix(j)]
        wanted[0, ix(j)] = ((a * x + b) * x + d) * x + pieces[k, 3, ix(j)]
        wanted[1, ix(j)] = still * ((3.0 * a * x + 2.0 * b) * x + d)
        wanted[2, ix(j)] = still * (6.0 * a * x + 2.0 * b)


@routine
def posture_commands(t, times, pieces, wanted, q, v, at_q, at_v, K, D, out):
    """Write K (q* − q) + D (v* − v) of some coordinates."""
    _set_wanted(t, times, 0, times.shape[0], pieces, 0, wanted)
    for m in range(out.shape[0]):
        out[m] = K[m] * (wanted[0, at_q[m]] - q[at_q[m]]) + D[m] * (wanted[1, at_v[m]] - v[at_v[m]])


@entry(f"void({_WAY}, {_1}, {_1}, {_I}, {_I}, {_1}, {_1}, {_1})")
def servo_commands(t, times, pieces, wanted, q, v, at_q, at_v, K, D, out):
    """Write the commands of a servo, from Python."""
    posture_commands(t, times, pieces, wanted, q, v, at_q, at_v, K, D, out)


@routine
def _add_efforts(t, laws, q, v):
    """Add the efforts of all laws, and the gains of those that are not at their limit."""
    ints, part, nv = laws.ints, laws.part, laws.tau.shape[0]
    for n in range(ints.shape[0]):
        first, count, effort, efforts = (
            ints[ix(n), actuation_columns.FIRST_TIME],
            ints[ix(n), actuation_columns.TIMES],
            ints[ix(n), actuation_columns.FIRST_EFFORT],
            ints[ix(n), actuation_columns.EFFORTS],
        )
        _set_wanted(t, laws.times, first, count, laws.pieces, ints[ix(n), actuation_columns.FIRST_PIECE], laws.wanted)
        for j in range(nv):
            part[ix(j)] = 0.0
        for m in range(ints[ix(n), actuation_columns.FIRST_PLACE], ints[ix(n), actuation_columns.END_PLACE]):
            i, k = ix(laws.at_q[ix(m)]), ix(laws.at_v[ix(m)])
            K, D = laws.stiffness[ix(n), k], laws.damping[ix(n), k]
            part[k] = K * (laws.wanted[0, i] - q[i]) + D * (laws.wanted[1, k] - v[k])
        if efforts > 0:
            k = _interval(laws.effort_times, effort, efforts + 1, t)
            x = max(t - laws.effort_times[ix(effort + k)], 0.0)
            for j in range(nv):
                part[ix(j)] += laws.efforts[ix(effort + k), 0, ix(j)] + x * laws.efforts[ix(effort + k), 1, ix(j)]
        for j in range(nv):
            limit, asked = laws.limit[ix(n), ix(j)], part[ix(j)]
            laws.tau[ix(j)] += min(max(asked, -limit), limit)
            if abs(asked) < limit:
                laws.K[ix(j)] += laws.stiffness[ix(n), ix(j)]
                laws.D[ix(j)] += laws.damping[ix(n), ix(j)]


@inline
def _add_drives(laws, q, v):
    """Add force − damping · v − stiffness · (q − target) of single coordinates; a place in q below 0 is none."""
    drives = laws.drives
    for m in range(laws.drive_v.shape[0]):
        i, k, stiffness, damping = (
            laws.drive_q[ix(m)],
            ix(laws.drive_v[ix(m)]),
            drives[ix(m), actuation_columns.STIFFNESS],
            drives[ix(m), actuation_columns.DAMPING],
        )
        laws.tau[k] += drives[ix(m), actuation_columns.FORCE] - damping * v[k]
        if i >= 0:
            laws.tau[k] -= stiffness * (q[ix(i)] - drives[ix(m), actuation_columns.TARGET])
        laws.K[k] += stiffness
        laws.D[k] += damping


@routine
def control_forces(t, laws, q, v):
    """Write the efforts of all laws at an instant, and stiffness and damping of those that are not at a limit."""
    for j in range(laws.tau.shape[0]):
        laws.tau[ix(j)], laws.K[ix(j)], laws.D[ix(j)] = 0.0, 0.0, 0.0
    _add_efforts(t, laws, q, v)
    _add_drives(laws, q, v)


@typed_entry("void", "float64", ControlLaws, _1, _1, _1)
def control_forces_at(t, laws, q, v, out):
    """Write the efforts of all laws at an instant."""
    control_forces(t, laws, q, v)
    out[:] = laws.tau


@entry(f"void({_WAY}, {_1}, {_1}, float64, float64, {_1})")
def tracking_acceleration(t, times, pieces, wanted, q, v, omega, ratio, out):
    """Write a* + 2 ζ ω (v* − v) + ω² (q* − q)."""
    _set_wanted(t, times, 0, times.shape[0], pieces, 0, wanted)
    for j in range(out.shape[0]):
        off = omega * omega * (wanted[0, j] - q[j]) + 2.0 * ratio * omega * (wanted[1, j] - v[j])
        out[j] = off + wanted[2, j]


@inline
def drive_effort(command, limit, lag, z):
    """Return the effort of a torque drive, z where it has a lag, and the rate of z."""
    wanted = min(max(command, -limit), limit)
    return (z, (wanted - z) / lag) if lag > 0.0 else (wanted, 0.0)


@entry(f"void({_I}, float64, float64, {_1}, {_1}, {_1}, {_1}, {_1})")
def drive_efforts(places, limit, lag, command, z, efforts, rates, out):
    """Write the efforts of torque drives, the rates of those with a lag, and what they do to the velocities."""
    for j in range(out.shape[0]):
        out[j] = 0.0
    for m in range(places.shape[0]):
        efforts[m], rate = drive_effort(command[m], limit, lag, z[m] if lag > 0.0 else 0.0)
        if lag > 0.0:
            rates[m] = rate
        out[places[m]] = efforts[m]


@inline
def motor_effort(motors, m, w, command, z, wound):
    """Return voltage, current and effort of a motor at the speed w, the rate of its current z, its power and its heat.

    A motor that is not wound has no inductance: its current follows at once.
    """
    nk = motors[m, actuation_columns.CONSTANT] * motors[m, actuation_columns.GEAR]
    R, top = motors[m, actuation_columns.RESISTANCE], motors[m, actuation_columns.VOLTAGE]
    u = min(max(command, -top), top)
    i, rate = (u - nk * w) / R, 0.0
    if wound:
        i, rate = z, (u - R * z - nk * w) / motors[m, actuation_columns.INDUCTANCE]
    drag = motors[m, actuation_columns.VISCOUS] * w + motors[m, actuation_columns.FRICTION] * math.tanh(
        w / motors[m, actuation_columns.FRICTION_SPEED]
    )
    return u, i, nk * i - drag, rate, u * i, R * i * i + drag * w


@entry(f"void({_2}, {_I}, {_I}, {_1}, {_1}, {_1}, {_2}, {_1}, {_1})")
def motor_dynamics(motors, places, wound, v, command, z, flow, rates, out):
    """Write voltages, currents and efforts of motors, the rates of their states, and what they do to the velocities.

    `wound` is the place of a motor's current in z, below 0 where it has no inductance. The rates are those of the
    currents, of the energy supplied and of the heat.
    """
    n = places.shape[0]
    currents = rates.shape[0] - 2 * n
    for j in range(out.shape[0]):
        out[j] = 0.0
    for m in range(n):
        has = wound[m] >= 0
        u, i, effort, rate, power, heat = motor_effort(motors, m, v[places[m]], command[m], z[max(wound[m], 0)], has)
        if has:
            rates[wound[m]] = rate
        flow[0, m], flow[1, m], flow[2, m] = u, i, effort
        rates[currents + m], rates[currents + n + m] = power, heat
        out[places[m]] = effort
