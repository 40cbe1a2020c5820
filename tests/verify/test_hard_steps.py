"""Steps at the edge of what they can do: kept to rounding, or refused aloud."""

import numpy as np
import pytest

from motiform import simulate
from motiform.base.errors import RunError
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Environment, Load, Spring

EPS = np.finfo(float).eps
BALL = MassProperties(1.0, np.zeros(3), 0.1 * np.eye(3))
NOWHERE = Environment(gravity=(0, 0, 0))


def pair(stiffness, far):
    bodies = (Body("a", BALL, position=(far, 0, 0)), Body("b", BALL, position=(far + 1.05, 0, 0)))
    return Bodies(bodies, (Spring("a", "b", stiffness, rest=1.0),), environment=NOWHERE)


@pytest.mark.parametrize("far", [0.0, 10.0, 1000.0])
def test_midpoint_keeps_energy_where_its_sweeps_converge_slowly(far):
    """Sweeps shrink by c = h²k/2m = 0.55 each, and the last of them is rounding.

    A step leaves the rounding of the places, four of eps·|x|, which does the work k·stretch·eps·|x| each, magnified by
    1/(1 − c); 500 steps add up to 500 times that at most.
    """
    k, h, stretch, steps = 1.1e6, 1e-3, 0.05, 500
    energy = simulate(pair(k, far), t1=steps * h, rate=100, step=h)["energy"]
    contraction = h * h * k / 2
    bound = steps * 4 * k * stretch * EPS * (far + 1.05) / (1 - contraction)
    assert np.abs(energy - energy[0]).max() <= bound


def test_midpoint_whose_sweeps_cannot_converge_says_so():
    with pytest.raises(RunError, match="too long for the implicit solver"):
        simulate(pair(2.2e6, 0.0), t1=0.1, rate=100, step=1e-3)  # c = 1.1


@pytest.mark.parametrize("integrator", ["lie-midpoint", "symplectic-euler"])
def test_more_than_a_quarter_turn_a_step_is_refused(integrator):
    """The Cayley map cannot turn past π: such a step would keep energy and momentum, and tell nothing of the motion."""
    body = MassProperties(1.0, np.zeros(3), np.diag([0.1, 0.2, 0.25]))
    slow, fast = (
        Bodies((Body("b", body, spin=spin),), environment=NOWHERE) for spin in ((70, 49, 63), (700, 490, 630))
    )
    assert simulate(slow, t1=0.1, rate=100, step=1e-2, integrator=integrator).complete
    with pytest.raises(RunError, match="more than a quarter"):
        simulate(fast, t1=0.1, rate=100, step=1e-2, integrator=integrator)


@pytest.mark.parametrize(
    "integrator", ["euler", "symplectic-euler", "rk4", "lie-midpoint", "cash-karp", "dormand-prince"]
)
@pytest.mark.parametrize(("first", "last"), [(1, 23), (2, 7), (3, 11), (7, 19)])
@pytest.mark.parametrize("alone", [True, False], ids=["fused", "stepwise"])
def test_load_between_steps_gives_its_impulse(integrator, first, last, alone):
    """Edges at k/240 s, which no binary number is: rounding must not move them into a neighbouring step."""
    load = Load("b", force=(1, 0, 0), start=first / 240, until=last / 240)
    functions = () if alone else (lambda t, state: (np.zeros((1, 3)), np.zeros((1, 3))),)
    model = Bodies((Body("b", BALL),), loads=(load,), environment=NOWHERE)
    run = simulate(model, t1=0.1, rate=240, step=1e-3, integrator=integrator, forces=functions)
    assert run["momentum"][-1, 0] == pytest.approx((last - first) / 240, abs=100 * EPS)  # a sum of some 100 steps


@pytest.mark.parametrize(("integrator", "spin"), [("rk4", 50.0), ("rk4", 100.0), ("dormand-prince", 100.0)])
def test_rotations_stay_rotations_on_coarse_steps(integrator, spin):
    body = MassProperties(1.0, np.zeros(3), np.diag([0.1, 0.2, 0.25]))
    model = Bodies((Body("b", body, spin=(spin, 1, 1)),), environment=NOWHERE)
    run = simulate(model, t1=1, rate=100, step=1e-2, integrator=integrator, rtol=1e-3, atol=1e-3)
    assert run["orthogonality"].max() <= 9 * EPS  # nine products, each rounded
