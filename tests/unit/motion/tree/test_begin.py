"""Runs that begin at another instant than 0 s: they are the same runs, later."""

import itertools

import numpy as np
import pytest

import motiform as mf
from motiform import FigureBuilder, contact, joints, open_recording, simulate
from motiform.base.errors import InputError
from motiform.motion.actuation import Motor, Motors, PulseTrain, SampledLaw, TorqueDrives

WAYS = {
    "figure": {},
    "implicit": {"integrator": "radau"},
    "fixed": {"integrator": "rk4", "step": 1e-3},
    "landing": {"integrator": "cash-karp"},
    "contacts": {"contacts": contact.Contacts(), "integrator": "dormand-prince"},
    "stepping": {"contacts": contact.Contacts(), "integrator": "time-stepping", "step": 1e-3},
}
BEGIN = 2.0  # a power of two: instants after it are those before, to the bit where they have digits left


def arm():
    b = FigureBuilder()
    b.segment(
        "arm", None, joints.revolute((0, 0, 1), limits=(-2, 2)), mass=1, com=(0, -0.3, 0), inertia=0.05 * np.eye(3)
    )
    return b.build()


def pushed(t0, way, **more):
    """A motor by a sampled law with memory, late, and a push that is a function of time.

    Calls are within steps of 1 ms: at their ends rounding would say which step a command takes hold in.
    """
    figure = arm()

    def law(t, state, memory):
        return 8 * np.sin(3 * (t - t0)) - state.v + memory, memory + 0.01

    motors = Motors(figure, [Motor("arm", 0.2, 3.0, gear=5)], SampledLaw(law, 0.03071, 0.07073, memory=[0.0]))

    def push(t, state):
        return [0.5 * np.cos(5 * (t - t0))]

    options = {"t1": t0 + 0.6, "rate": 50} | ({"rtol": 1e-10} if "step" not in WAYS[way] else {})
    return simulate(figure, t0=t0, controls=[motors, push], **options, **WAYS[way], **more)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_from_another_instant_is_the_same_run(way):
    first, later = pushed(0.0, way), pushed(BEGIN, way)
    np.testing.assert_allclose(later.time("q"), BEGIN + first.time("q"), rtol=1e-15)
    assert later.time("q")[0] == BEGIN
    for name in ("q", "v", "motors.current", "motors.supplied"):
        np.testing.assert_allclose(later[name], first[name], atol=1e-8 * (1 + np.abs(first[name]).max()), err_msg=name)


@pytest.mark.parametrize("way", ["figure", "contacts", "stepping"])
def test_it_resumes_to_the_same_bits(way, tmp_path, monkeypatch):
    from motiform.motion.run import Pace

    monkeypatch.setattr(Pace, "full", lambda self, kept: kept >= 3)

    class Stop(Exception):
        pass

    def progress(part):
        if part > 0.4:
            raise Stop

    with pytest.raises(Stop):
        pushed(BEGIN, way, out=tmp_path / "part.mf", progress=progress)
    assert not open_recording(tmp_path / "part.mf").complete
    went, whole = pushed(BEGIN, way, out=tmp_path / "part.mf", resume=True), pushed(BEGIN, way)
    for name in whole.names:
        np.testing.assert_array_equal(np.asarray(went[name]), np.asarray(whole[name]), err_msg=name)
        np.testing.assert_array_equal(went.time(name), whole.time(name))


def test_commands_before_the_begin_hold_and_do_not_come_again():
    """A wheel of 0.05 kg m² under a train: of what came before 2 s the last holds, also what is on its way."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("wheel", None, joints.revolute((0, 0, 1)), mass=1, inertia=0.05 * np.eye(3))
    figure = b.build()
    train = PulseTrain([0.5, 1.5, 1.95, 2.2], [1.0, 2.0, -3.0, 0.0], delay=0.1)
    rec = simulate(figure, t0=2.0, t1=3.0, rate=100, controls=TorqueDrives(figure, ["wheel"], train))
    t = rec.time("v")
    force = [(2.0, 2.0), (2.05, -3.0), (2.3, 0.0), (4.0, 0.0)]
    exact = sum(f * np.clip(np.minimum(t, after) - at, 0, None) for (at, f), (after, _) in itertools.pairwise(force))
    np.testing.assert_allclose(rec["v"][:, 0], exact / 0.05, atol=1e-9)


def test_what_cannot_begin_later_is_refused():
    with pytest.raises(InputError, match="must begin at 0 s"):
        simulate(mf.load_scene("handle").build().model, t0=1.0, t1=2.0)
    with pytest.raises(InputError, match="a scene must begin at 0 s"):
        simulate("handle", t0=1.0)
    with pytest.raises(InputError, match="t1 is out of range"):
        simulate(arm(), t0=2.0, t1=1.0)
