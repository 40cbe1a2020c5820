"""Control laws and drives at one instant, each in one call."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline
from motiform.motion.actuation import columns as actuation_columns

__all__ = ["coordinate_forces", "drive_efforts", "follow", "motor_dynamics", "tracking_acceleration"]

_1, _2, _3, _I = "float64[::1]", "float64[:, ::1]", "float64[:, :, ::1]", "int64[::1]"
_WAY = f"float64, {_1}, {_3}, {_2}"  # t, times and pieces of a trajectory, what is wanted


@inline
def _interval(times, t):
    """Return the number of the interval that holds an instant."""
    low, high = 0, times.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@inline
def _set_wanted(t, times, pieces, wanted):
    """Write posture, rates and accelerations of cubic pieces; beyond the ends they rest. No times: they are given."""
    if times.shape[0] == 0:
        return
    k = _interval(times, t)
    end = times[times.shape[0] - 1]
    still = 1.0 if times[0] < t < end else 0.0
    x = min(max(t, times[0]), end) - times[k]
    for j in range(pieces.shape[2]):
        a, b, d = pieces[k, 0, j], pieces[k, 1, j], pieces[k, 2, j]
        wanted[0, j] = ((a * x + b) * x + d) * x + pieces[k, 3, j]
        wanted[1, j] = still * ((3.0 * a * x + 2.0 * b) * x + d)
        wanted[2, j] = still * (6.0 * a * x + 2.0 * b)


@entry(f"void({_WAY}, {_1}, {_2}, {_1}, {_1}, {_I}, {_I}, {_I}, {_1}, {_1}, {_1}, {_1})")
def follow(t, times, pieces, wanted, effort_times, efforts, q, v, at_q, at_v, at, K, D, limit, out):
    """Write K (q* − q) + D (v* − v) of some coordinates, and the feedforward, within limits where there are some."""
    _set_wanted(t, times, pieces, wanted)
    for j in range(out.shape[0]):
        out[j] = 0.0
    for m in range(at.shape[0]):
        i, k = at_q[m], at_v[m]
        out[at[m]] = K[at[m]] * (wanted[0, i] - q[i]) + D[at[m]] * (wanted[1, k] - v[k])
    n = effort_times.shape[0]
    if n > 0:
        k, part = 0, 0.0
        if n > 1:
            k = _interval(effort_times, t)
            part = (t - effort_times[k]) / (effort_times[k + 1] - effort_times[k])
            part = min(max(part, 0.0), 1.0)
        for j in range(out.shape[0]):
            out[j] += efforts[k, j] if part == 0.0 else (1.0 - part) * efforts[k, j] + part * efforts[k + 1, j]
    if limit.shape[0] > 0:
        for j in range(out.shape[0]):
            out[j] = min(max(out[j], -limit[j]), limit[j])


@entry(f"void({_WAY}, {_1}, {_1}, float64, float64, {_1})")
def tracking_acceleration(t, times, pieces, wanted, q, v, omega, ratio, out):
    """Write a* + 2 ζ ω (v* − v) + ω² (q* − q)."""
    _set_wanted(t, times, pieces, wanted)
    for j in range(out.shape[0]):
        off = omega * omega * (wanted[0, j] - q[j]) + 2.0 * ratio * omega * (wanted[1, j] - v[j])
        out[j] = off + wanted[2, j]


@entry(f"void({_I}, {_I}, {_2}, {_1}, {_1}, {_1})")
def coordinate_forces(at_q, at_v, drives, q, v, out):
    """Write force − damping · v − stiffness · (q − target) of single coordinates; a place in q below 0 is none."""
    for j in range(out.shape[0]):
        out[j] = 0.0
    for m in range(at_v.shape[0]):
        out[at_v[m]] += drives[m, actuation_columns.FORCE] - drives[m, actuation_columns.DAMPING] * v[at_v[m]]
        if at_q[m] >= 0:
            out[at_v[m]] -= drives[m, actuation_columns.STIFFNESS] * (q[at_q[m]] - drives[m, actuation_columns.TARGET])


@entry(f"void({_I}, float64, float64, {_1}, {_1}, {_1}, {_1}, {_1})")
def drive_efforts(places, limit, lag, command, z, efforts, rates, out):
    """Write the efforts of torque drives, the rates of those with a lag, and what they do to the velocities."""
    for j in range(out.shape[0]):
        out[j] = 0.0
    for m in range(places.shape[0]):
        asked = min(max(command[m], -limit), limit)
        efforts[m] = asked
        if lag > 0.0:
            efforts[m] = z[m]
            rates[m] = (asked - z[m]) / lag
        out[places[m]] = efforts[m]


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
        w, nk, R = (
            v[places[m]],
            motors[m, actuation_columns.CONSTANT] * motors[m, actuation_columns.GEAR],
            motors[m, actuation_columns.RESISTANCE],
        )
        u = min(max(command[m], -motors[m, actuation_columns.VOLTAGE]), motors[m, actuation_columns.VOLTAGE])
        i = (u - nk * w) / R
        if wound[m] >= 0:
            i = z[wound[m]]
            rates[wound[m]] = (u - R * i - nk * w) / motors[m, actuation_columns.INDUCTANCE]
        drag = motors[m, actuation_columns.VISCOUS] * w + motors[m, actuation_columns.FRICTION] * math.tanh(
            w / motors[m, actuation_columns.FRICTION_SPEED]
        )
        flow[0, m], flow[1, m], flow[2, m] = u, i, nk * i - drag
        rates[currents + m] = u * i
        rates[currents + n + m] = R * i * i + drag * w
        out[places[m]] = flow[2, m]
