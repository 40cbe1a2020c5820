"""Control laws as actuators of a compiled step: posture controls, drives of coordinates, servos."""

# mypy: disable-error-code="no-untyped-def"

import numba

from motiform.base.kernels import typed_entry
from motiform.motion.actuation.law_kernels import control_forces, posture_commands
from motiform.motion.actuation.layouts import ControlLaws
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.model import actuation_columns as asked
from motiform.motion.tree.model.actuation import ACTUATOR

__all__ = ["control_laws", "servo_law"]


@numba.njit(inline="always")  # what returns arrays must be written out where it is called
def _laws(ints, floats, work):
    """Return the arrays of laws from their numbers in a row, see `flatten_laws`."""
    laws, times, pieces, width, wanted, instants, nv, places, drives = (
        ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], ints[6], ints[7], ints[8],
    )  # fmt: skip
    a = 9 + 7 * laws
    b, c, d = a + places, a + 2 * places, a + 2 * places + drives
    e = times
    f, g = e + pieces * 4 * width, e + pieces * 4 * width + instants
    h = g + instants * 2 * nv
    i, j, k = h + laws * nv, h + 2 * laws * nv, h + 3 * laws * nv
    w = 3 * wanted
    return ControlLaws(
        ints[9:a].reshape(laws, 7),
        floats[:e],
        floats[e:f].reshape(pieces, 4, width),
        work[:w].reshape(3, wanted),
        floats[f:g],
        floats[g:h].reshape(instants, 2, nv),
        ints[a:b],
        ints[b:c],
        floats[h:i].reshape(laws, nv),
        floats[i:j].reshape(laws, nv),
        floats[j:k].reshape(laws, nv),
        ints[c:d],
        ints[d : d + drives],
        floats[k : k + 4 * drives].reshape(drives, 4),
        work[w : w + nv],
        work[w + nv : w + 2 * nv],
        work[w + 2 * nv : w + 3 * nv],
        work[w + 3 * nv : w + 4 * nv],
    )


@typed_entry(*ACTUATOR)
def control_laws(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Posture controls and drives of coordinates."""
    if what == asked.RATES or what == asked.GAINS:
        laws = _laws(ints, floats, work)
        control_forces(t, laws, q, v)
        for j in range(tau.shape[0]):
            if what == asked.RATES:
                tau[ix(j)] += laws.tau[ix(j)]
            else:
                tau[ix(j)] += laws.K[ix(j)]
                out[ix(j)] += laws.D[ix(j)]
    return asked.OK


@typed_entry(*ACTUATOR)
def servo_law(what, which, t, ints, floats, work, q, v, x, memory, tau, out):
    """Write K (q* − q) + D (v* − v) of some coordinates."""
    n, times, pieces, width, wanted = ints[0], ints[1], ints[2], ints[3], ints[4]
    a = times + pieces * 4 * width
    posture_commands(
        t,
        floats[:times],
        floats[times:a].reshape(pieces, 4, width),
        work[: 3 * wanted].reshape(3, wanted),
        q,
        v,
        ints[5 : 5 + n],
        ints[5 + n : 5 + 2 * n],
        floats[a : a + n],
        floats[a + n : a + 2 * n],
        out,
    )
    total = 0.0
    for k in range(n):
        total += 0.0 * out[ix(k)]
    return asked.OK if total == 0.0 else asked.NOT_FINITE
