"""Steps of a phase in compiled code beside the same steps in Python, which a user's own controls ask for."""

import numpy as np
import pytest

from models import G, free_body, on_floor
from motiform import FigureBuilder, actuation, contact, joints, simulate
from motiform.geometry import Ball, Box
from motiform.motion.run import Guard
from motiform.motion.stepping.phases import PhaseSteps


def tumbling(**more):
    figure = free_body(Box((0.4, 0.2, 0.3)), 2.0)
    q = figure.configuration(body=(0, 0.5, 0, 0.9, 0.3, 0.1, 0.2))
    v = figure.velocity(body=(2.0, 1.0, -3.0, 1.0, 0, 0.5))
    return simulate(figure, contacts=on_floor(figure, 0.4, 0.3), q0=q, v0=v, t1=0.35, rate=100, rtol=1e-9, **more)


def sliding(**more):
    """A ball that slides until it rolls."""
    figure = free_body(Ball(0.1))
    q, v = figure.configuration(body=(0, 0.1, 0, 1, 0, 0, 0)), figure.velocity(body=(0, 0, 0, 1.0, 0, 0))
    return simulate(figure, contacts=on_floor(figure, 0.2), q0=q, v0=v, t1=1.0, rate=50, **more)


def pushed(**more):
    """A box that a push for 0.1 s lets slide."""
    figure = free_body(Box((0.4, 0.2, 0.4)), 2.0)
    push = actuation.SegmentPush("body", (20.0, 0, 0), at=(0, -0.05, 0), start=0.1, until=0.2)
    return simulate(
        figure, contacts=on_floor(figure, 0.3), q0=figure.configuration(body=(0, 0.1, 0, 1, 0, 0, 0)), t1=0.5, rate=50,
        loads=actuation.SegmentPushes(figure, [push]), **more,
    )  # fmt: skip


def spinning(**more):
    """A stool on three feet that spins on the floor: slips turn all the time."""
    b = FigureBuilder()
    b.segment("stool", None, joints.free(), mass=2.0, inertia=0.05 * np.eye(3))
    figure = b.build()
    corners = 2 * np.pi / 3 * np.arange(3)
    feet = [
        contact.ContactPoint(f"foot {k}", "stool", (0.2 * np.cos(a), -0.3, 0.2 * np.sin(a)), friction=0.05)
        for k, a in enumerate(corners)
    ]
    return simulate(
        figure, contacts=contact.Contacts(feet, contact.floor()), q0=(0, 0.3, 0, 1, 0, 0, 0),
        v0=(0, 10.0, 0, 0.3, 0, 0), t1=0.5, rate=50, **more,
    )  # fmt: skip


@pytest.mark.parametrize("run", [tumbling, sliding, pushed, spinning])
def test_compiled_steps_are_those_of_python(run, monkeypatch):
    compiled = run()
    monkeypatch.setattr(PhaseSteps, "can_take", staticmethod(lambda system, stepper: False))
    plain = run()
    assert [e.name for e in compiled.events] == [e.name for e in plain.events]
    # both find events to 1e-12 s and take steps of one error; sums and what brings contacts back to their gaps differ
    # by rounding, which tumbling multiplies by some hundred at each impact
    for one, other in zip(compiled.events, plain.events, strict=True):
        assert one.time == pytest.approx(other.time, abs=1e-6)
    q, reference = compiled["q"], plain["q"]
    np.testing.assert_allclose(q, reference, atol=1e-6)
    if run is not tumbling:  # forces at samples, too: where bodies bounce they may be of the other side of an event
        np.testing.assert_allclose(compiled["contact.force"], plain["contact.force"], atol=1e-3)


def test_friction_at_samples_is_against_the_slip_of_the_instant():
    rec = spinning()
    force, spin = rec["contact.force"][1:], rec["v"][1:, 1]
    tangential = np.linalg.norm(force[:, :, [0, 2]], axis=2)
    np.testing.assert_allclose(tangential, 0.05 * force[:, :, 1], rtol=1e-6)
    assert (rec["solid.wrench"][1:, 0, 1] * spin < 0).all()  # it brakes the spin at every sample


def test_slip_ends_where_a_ball_rolls():
    rec = sliding()
    end = next(e.time for e in rec.events if e.name.startswith("sticks"))
    assert end == pytest.approx(2 * 1.0 / (7 * 0.2 * G), rel=1e-9)  # slip falls by 7/2 μ g
    assert rec["body.position"][-1, 0] - rec["body.position"][-11, 0] == pytest.approx(5 / 7 * 0.2, rel=1e-6)


def test_pushes_act_between_their_instants():
    rec = pushed()
    speed = (20.0 / 2.0 - 0.3 * G) * 0.1  # after 0.1 s against friction, at the height of the centre but for 5 cm
    moved = 0.5 * speed * 0.1 + speed**2 / (2 * 0.3 * G)
    assert rec["body.position"][-1, 0] == pytest.approx(moved, rel=1e-6)


def test_guards_and_functions_of_users_go_on_in_python():
    asked = []

    def nothing(t, state):
        asked.append(t)
        return np.zeros(6)

    with_function = sliding(controls=nothing)
    assert len(asked) > 100
    np.testing.assert_allclose(with_function["q"], sliding()["q"], atol=1e-9)
    half = sliding(guards=Guard("half way", lambda t, state: state.q[0] - 0.3, "up", ends=True))
    assert half["body.position"][-1, 0] <= 0.3 + 1e-9
    assert half.events[-1].name == "half way"
