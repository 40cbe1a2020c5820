"""Laws: computed torque against its closed form, servos, trajectories with accelerations."""

import numpy as np
import pytest

from models import two_links
from motiform import figures, simulate
from motiform.base.errors import InputError, MotiformError
from motiform.motion.actuation import ComputedTorque, PostureTrajectory, SampledLaw, ServoLaw, TorqueDrives
from motiform.motion.tree import FigureState


def test_error_of_computed_torque_decays_as_a_critical_oscillator():
    """e = e₀ (1 + ω t) exp(−ω t) in both coordinates at once, while the posture moves."""
    figure = two_links(names=("upper", "fore"))
    way = PostureTrajectory(figure, [0.0, 0.5], [[0.1, 0.2], [0.6, -0.3]])
    rec = simulate(figure, t1=0.5, rate=50, q0=[0.3, 0.1], controls=ComputedTorque(figure, way, frequency=1.0))
    t, w = rec.time("q"), 2 * np.pi
    exact = np.array([way(x)[0] for x in t]) + np.outer((1 + w * t) * np.exp(-w * t), [0.2, -0.1])
    assert np.abs(rec["q"] - exact).max() < 1e-7


def test_servo_is_a_spring_and_a_damper_of_its_coordinates():
    figure = two_links(names=("upper", "fore"))
    law = ServoLaw(figure, ["fore"], PostureTrajectory(figure, [0.0], [[9.0, 0.5]]), 20.0, 2.0)
    rec = simulate(figure, t1=0.2, rate=20, controls=TorqueDrives(figure, ["fore"], law))
    assert rec["tau"][:, 1] == pytest.approx(20 * (0.5 - rec["q"][:, 1]) - 2 * rec["v"][:, 1], abs=1e-9)
    assert (rec["tau"][:, 0] == 0).all()


@pytest.mark.parametrize(
    ("posture", "text"),
    [
        (lambda t: (0.3, [0.0, 0.0]), "a posture returned a wrong value"),
        (lambda t: ([0.3, 0.1], [0.0, np.nan]), "rates of a posture.*not finite"),
        (lambda t: [0.3, 0.1], "a posture returned a wrong value.*q \\(2,\\) and v"),
        (lambda t: 1 / 0, "a posture failed: ZeroDivisionError"),
    ],
)
def test_postures_of_a_user_are_checked(posture, text):
    figure = two_links(names=("upper", "fore"))
    state = FigureState(np.zeros(2), np.zeros(2))
    for law in (ServoLaw(figure, ["fore"], posture, 1.0), ComputedTorque(figure, posture)):
        with pytest.raises(MotiformError, match=text):
            law(0.5, state)


def test_late_law_with_high_gain_is_worse_than_an_early_one():
    figure = two_links(names=("upper", "fore"))
    posture = PostureTrajectory(figure, [0.0], [[0.2, 0.4]])
    law, off = ServoLaw(figure, ["upper", "fore"], posture, [60.0, 20.0], [6.0, 1.5]), []
    for delay in (0.001, 0.03):
        drives = TorqueDrives(figure, ["upper", "fore"], SampledLaw(law, 0.002, delay))
        off.append(np.abs(simulate(figure, t1=0.5, rate=20, controls=drives)["v"][-3:]).max())
    assert off[1] > 3 * off[0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f, p: ServoLaw(f, ["knee"], p, 1.0), "no such coordinate"),
        (lambda f, p: ServoLaw(f, ["fore"], p, -1.0), "gain"),
        (lambda f, p: ServoLaw(f, ["fore"], p, [1.0, 2.0]), "gain"),
        (lambda f, p: ComputedTorque(f, p, frequency=0.0), "frequency"),
        (lambda f, p: ComputedTorque(figures.kondo(), p), "all coordinates"),
    ],
)
def test_wrong_input_is_named(make, text):
    figure = two_links(names=("upper", "fore"))
    with pytest.raises(InputError, match=text):
        make(figure, PostureTrajectory(figure, [0.0], [[0.0, 0.0]]))
