"""Events of rigid bodies: guards of the state, on Dormand–Prince."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import RunError
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Environment, RunOptions
from motiform.motion.run import Guard
from runs import simulate_bodies

G = 9.81
MATTER = MassProperties(0.5, np.zeros(3), np.eye(3))


def ball(name, height, **more) -> Body:
    return Body(name, MATTER, position=(0, height, 0), spin=(1, 2, 3), **more)


def bounce(k, e, name="bounce"):
    def turned(t, state):
        momentum = state.momentum.copy()
        momentum[k, 1] *= -e
        return replace(state, momentum=momentum)

    return Guard(name, lambda t, state: state.position[k, 1], "down", then=turned)


def run(bodies, t1, guards, rate=50):
    return simulate_bodies(
        Bodies(tuple(bodies)), RunOptions(t1, rate, "dormand-prince", rtol=1e-10, atol=1e-12), guards=guards
    )


def test_bouncing_ball_rises_to_e_squared_of_its_height():
    e, first = 0.8, np.sqrt(2 / G)
    rec = run([ball("ball", 1.0)], 3.0, [bounce(0, e)], rate=1000)
    times = first * np.cumsum([1] + [2 * e**n for n in range(1, 6)])
    assert [event.time for event in rec.events] == pytest.approx(times.tolist(), abs=1e-9)
    t, height = rec.time("ball.position"), rec["ball.position"][:, 1]
    for n in range(1, 6):
        between = (t > times[n - 1]) & (t < times[n])
        # a sample lies within half a millisecond of the top
        assert height[between].max() == pytest.approx(e ** (2 * n), abs=G * (5e-4) ** 2 / 2 + 1e-9)
    assert height.min() > -1e-9


def test_two_bodies_alike_bounce_together_and_neither_falls_through():
    rec = run([ball("one", 1.0), ball("two", 1.0)], 2.0, [bounce(0, 0.8, "one lands"), bounce(1, 0.8, "two lands")])
    assert [event.name for event in rec.events] == ["one lands", "two lands"] * 3
    times = [event.time for event in rec.events]
    assert times[0::2] == times[1::2]
    assert np.array_equal(rec["one.position"], rec["two.position"])
    assert rec["one.position"][:, 1].min() > -1e-9


def test_event_that_ends_the_run():
    floor = Guard("floor", lambda t, state: state.position[0, 1], "down", ends=True)
    rec = run([ball("ball", 1.0)], 9.0, [floor])
    assert rec.complete
    assert rec.events[-1].time == pytest.approx(np.sqrt(2 / G), abs=1e-12)
    assert rec.duration == pytest.approx(0.44)  # the last sample before √(2/g) = 0.4515 s
    assert len(rec.events) == 1


def test_events_do_not_change_the_motion_when_nothing_happens_then():
    half = Guard("half", lambda t, state: state.position[0, 1] - 0.5)
    rec = run([ball("ball", 1.0)], 0.4, [half])
    t = rec.time("ball.position")
    assert rec["ball.position"][:, 1] == pytest.approx(1 - G * t**2 / 2, abs=1e-12)
    assert [event.time for event in rec.events] == pytest.approx([np.sqrt(1 / G)], abs=1e-12)


def test_dip_between_two_samples_is_seen():
    """A slab of 20 mm passed at 1 m/s after 15 s of flight, which one long step could cross: no sample lies in it."""
    slab = Guard("slab", lambda t, state: abs(state.position[0, 0] - 15.02) - 0.01)
    model = Bodies((Body("ball", MATTER, velocity=(1, 0, 0)),), environment=Environment(gravity=(0, 0, 0)))
    rec = simulate_bodies(model, RunOptions(20.0, 20, "dormand-prince"), guards=[slab])
    assert [event.time for event in rec.events] == pytest.approx([15.01, 15.03], abs=1e-9)


def test_guards_of_time_alone():
    rec = run([ball("ball", 1.0)], 1.0, [Guard("tick", lambda t, state: np.sin(10 * np.pi * (t - 0.05)))], rate=100)
    assert [event.time for event in rec.events] == pytest.approx(np.arange(0.05, 1.0, 0.1).tolist(), abs=1e-12)


def test_storm_and_nan_name_the_guard_and_keep_the_samples_before(tmp_path):
    from motiform.record import open_recording

    with pytest.raises(RunError, match=r"t = 4\.06\d* s, guard 'bounce': events follow one another without end"):
        simulate_bodies(
            Bodies((ball("ball", 1.0),)),
            RunOptions(9.0, 10, "dormand-prince"),
            guards=[bounce(0, 0.8)],
            out=tmp_path / "a.mf",
        )
    assert open_recording(tmp_path / "a.mf").duration == pytest.approx(4.0)
    with pytest.raises(RunError, match=r"guard 'odd' at t = .* s: a guard returned numbers that are not finite"):
        run([ball("ball", 1.0)], 1.0, [Guard("odd", lambda t, state: np.nan if t > 0.3 else 1.0)])
