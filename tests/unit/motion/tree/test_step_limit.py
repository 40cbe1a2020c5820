"""Fixed steps beyond the stability limit of a figure are told, others are not."""

import warnings

import numpy as np
import pytest

from motiform import FigureBuilder, joints, simulate
from motiform.motion.run.integrators import get_tableau
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.state import FigureState
from motiform.motion.tree.step_limit import StepLimitWarning, step_limit

OMEGA = 2 * np.pi * 20  # [rad/s]


def rotor(joint=None):
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("rotor", None, joint or joints.revolute((0, 0, 1)), mass=1.0, inertia=np.eye(3))
    return b.build()


def spring(t, state):
    return -(OMEGA**2) * state.q


def limit(h, control, q=0.1, v=0.0, method="rk4"):
    figure = rotor()
    state = FigureState(np.array([q]), np.array([v]), np.zeros(0))
    return step_limit(FigureEquations(figure, state, control), get_tableau(method), h)


def test_the_limit_of_an_oscillator_is_that_of_the_method():
    """|R(iy)|² = 1 − y⁶/72 + y⁸/576 of the classical method is 1 at 2√2 and has the slope 5.03 there: the thousandth
    that |R| may exceed 1 by moves the limit by 4e-4. R(−y) = 1 − y of explicit Euler is −1 at 2, with the slope 1."""
    found = limit(2.0, spring)
    assert found.rate == pytest.approx(OMEGA, rel=1e-6)
    assert found.longest * OMEGA == pytest.approx(2 * np.sqrt(2), abs=5e-4)
    y = 2.0 * OMEGA
    assert found.growth == pytest.approx(np.sqrt(1 - y**6 / 72 + y**8 / 576), rel=1e-5)
    damped = limit(1.0, lambda t, s: -50.0 * s.v, method="euler")
    assert damped.longest * 50.0 == pytest.approx(2.0, abs=2e-3)


@pytest.mark.parametrize(
    ("h", "control"),
    [
        (0.98 * 2 * np.sqrt(2) / OMEGA, spring),
        (1.5 / OMEGA, lambda t, s: OMEGA**2 * s.q),  # falls over: what grows in the motion may grow in a step
        (1.0, lambda t, s: -np.sign(s.v)),  # no derivative at rest
        (1.0, lambda t, s: 0.0 * s.q),
    ],
)
def test_steps_that_follow_and_rates_without_a_derivative_are_not_told(h, control):
    assert limit(h, control) is None


def test_a_run_warns_and_goes_on():
    with pytest.warns(StepLimitWarning, match=r"steps of 2 s with rk4 .* 126 rad/s .* up to 0\.0225 s"):
        simulate(rotor(), t1=4, q0=[0.1], controls=spring, integrator="rk4", step=2, rate=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(rotor(), t1=0.1, q0=[0.1], controls=spring, integrator="rk4", step=1e-3)
        simulate(rotor(), t1=0.1, q0=[0.1], controls=spring)
        simulate(rotor(joints.free()), t1=4, integrator="rk4", step=2, rate=0.5)  # quaternions: not told
