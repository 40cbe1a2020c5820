"""A run that is lost stops at that instant, keeps what was before it, and calls it by its name."""

from itertools import islice

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError, RunError
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Environment
from motiform.motion.run.explicit import ExplicitStep, march
from motiform.motion.run.headway import SlowWarning
from motiform.motion.run.integrators import DORMAND_PRINCE
from motiform.record import open_recording


def ball(mass=1.0, gravity=(0.0, -9.81, 0.0), velocity=(1.0, 0.0, 0.0)):
    body = Body("ball", MassProperties(mass, np.zeros(3), mass * np.eye(3)), velocity=velocity)
    return Bodies((body,), environment=Environment(gravity=gravity))


@pytest.mark.parametrize("options", [{"gravity": (0.0, -1e157, 0.0)}, {"velocity": (1e155, 0, 0)}])
def test_a_run_without_numbers_is_not_complete(options, tmp_path):
    # Momentum or energy pass 1.8e308, the end of floats: at the start, or at one of the first samples.
    with pytest.raises(RunError, match=r"t = .*the run has diverged \(got '.* is no longer finite'\)"):
        mf.simulate(ball(**options), t1=1.0, rate=100.0, out=tmp_path / "x.mf")
    if (tmp_path / "x.mf").exists():
        rec = open_recording(tmp_path / "x.mf")
        assert not rec.complete
        assert all(np.isfinite(rec[name]).all() for name in rec)


def test_samples_before_the_instant_are_kept(tmp_path):
    def push(t, state):
        return np.array([[1e308 if t > 0.5 else 0.0, 0.0, 0.0]]), np.zeros((1, 3))

    with pytest.raises(RunError, match=r"t = 0\.5"):
        mf.simulate(ball(), t1=1.0, rate=100.0, forces=push, integrator="rk4", out=tmp_path / "x.mf")
    rec = open_recording(tmp_path / "x.mf")
    assert 45 <= rec.count("ball.position") <= 55
    assert np.isfinite(rec["energy"]).all()


def test_a_stiff_run_without_headway_says_so():
    """y' = −k y at k = 1e13 takes steps of 3.3/k (the method's stability), 3e13 of them to the end."""

    def rate(t, y, out):
        out[:] = -1e13 * (y - np.sin(t))

    steps = ExplicitStep(DORMAND_PRINCE, rate, size=1, rtol=1e-6, atol=1e-6)
    with pytest.raises(RunError, match=r"t = .*must make headway.*to go.*stiff"):
        list(march(steps, 0.0, np.ones(1), 10.0))


def test_a_run_that_takes_long_says_so_once_and_goes_on():
    """At k = 1e9 steps are of 3.3e-9 s: 3e6 of them in 10 ms; the first thousands are done here."""

    def rate(t, y, out):
        out[:] = -1e9 * (y - np.sin(t))

    steps = ExplicitStep(DORMAND_PRINCE, rate, size=1, rtol=1e-6, atol=1e-6)
    way = march(steps, 0.0, np.ones(1), 0.01)
    with pytest.warns(SlowWarning, match=r"adaptive steps are of .*stiff") as caught:
        list(islice(way, 3000))
    assert len(caught) == 1


def test_a_short_run_of_small_steps_goes_on():
    def rate(t, y, out):
        out[:] = -1e13 * y

    steps = ExplicitStep(DORMAND_PRINCE, rate, size=1, rtol=1e-6, atol=1e-6)
    assert list(march(steps, 0.0, np.ones(1), 1e-10))[-1].t1 == 1e-10


def test_a_run_that_cannot_begin_has_its_instant():
    away = {"figure.0.segment.2.placement.at": [0.0, -1e160, 0.0]}
    with pytest.raises(RunError, match=r"closure 'ground', t = 0 s: no points with a common normal"):
        mf.simulate("puppet", settings=away)


def test_coordinates_beyond_inertia_are_called_so():
    away = {"figure.0.segment.1.joint.contact.start.parent": [0, 1e160, 0]}
    with pytest.raises(RunError, match=r"t = 0 s on: coordinates are too large .*1e\+160"):
        mf.simulate("cart", settings=away)


@pytest.mark.parametrize("state", [np.ones(31), np.ones((1, 1)), [1.0], memoryview(b"a")])
def test_a_state_of_another_size_is_refused(state):
    steps = ExplicitStep(DORMAND_PRINCE, lambda _t, y, out: np.copyto(out, -y), size=1)
    with pytest.raises(InputError, match="the state must have the size of the system"):
        steps.step(0.0, state, 0.1)
    with pytest.raises(InputError, match="the state must have the size of the system"):
        steps.first_step(0.0, state, 0.1)
