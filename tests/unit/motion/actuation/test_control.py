"""Posture control, trajectories, standing efforts and commands."""

import numpy as np
import pytest

from models import free_body, two_links
from motiform import FigureBuilder, actuation, contact, figures, joints, simulate
from motiform.base.errors import InputError, RunError
from motiform.motion.tree import FigureState, gravity_effects, inertia_matrix

G = 9.81
Z = (0.0, 0.0, 1.0)


def state(q, v):
    return FigureState(np.array(q, float), np.array(v, float))


def test_posture_control_is_a_spring_and_a_damper():
    figure = two_links(names=("upper", "fore"))
    control = actuation.posture_control(figure, [0.3, 0.5], stiffness=[10.0, 20.0], damping=[1.0, 2.0])
    assert control(0.0, state([0.1, 0.6], [0.5, -0.5])) == pytest.approx([10 * 0.2 - 0.5, -20 * 0.1 + 1.0])
    forward = actuation.posture_control(figure, [0.3, 0.5], stiffness=0.0, damping=0.0, feedforward=[1.0, -2.0])
    assert forward(0.0, state([0, 0], [0, 0])) == pytest.approx([1.0, -2.0])
    limited = actuation.posture_control(figure, [0.3, 0.5], stiffness=100.0, damping=0.0, limit=[4.0, 100.0])
    assert limited(0.0, state([0, 0], [0, 0])) == pytest.approx([4.0, 50.0])


def test_gains_of_a_frequency_swing_each_coordinate_alone():
    figure = two_links(names=("upper", "fore"))
    control = actuation.posture_control(figure, [0.3, 0.5], frequency=2.0, ratio=0.5)
    carried = np.diag(inertia_matrix(figure, np.array([0.3, 0.5])))
    assert control.stiffness == pytest.approx((4 * np.pi) ** 2 * carried)
    assert control.damping == pytest.approx(4 * np.pi * carried)


def test_pendulum_on_a_spring_swings_at_its_frequency():
    """Without gravity, undamped: q = q* (1 − cos 2πft)."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("bob", None, joints.revolute(Z), mass=1.0, com=(0, -0.5, 0))
    figure = b.build()
    control = actuation.posture_control(figure, [0.4], frequency=1.5, ratio=0.0)
    rec = simulate(figure, contacts=contact.Contacts(), t1=1.0, rate=50, controls=control, rtol=1e-11)
    assert np.abs(rec["q"][:, 0] - 0.4 * (1 - np.cos(3 * np.pi * rec.time("q")))).max() < 1e-9


def test_floating_base_is_not_driven():
    figure = figures.human36()
    control = actuation.posture_control(figure, figure.neutral(), frequency=3.0)
    q = figure.neutral() + 0.1
    tau = control(0.0, state(q, np.ones(figure.nv)))
    assert (tau[36:] == 0).all()
    assert (tau[:36] != 0).all()


def test_a_base_of_single_frames_is_not_driven_either():
    """Bip's pelvis moves by six frames of one axis each; an arm of six hinges is driven, massless links or not."""
    control = actuation.posture_control(figures.bip(), figures.bip().neutral(), frequency=3.0)
    assert (control.stiffness[15:] == 0).all()
    assert (control.stiffness[:15] > 0).all()
    b = FigureBuilder()
    for n in range(6):
        b.segment(f"s{n}", f"s{n - 1}" if n else None, joints.revolute(Z), mass=float(n == 5), com=(0.1, 0, 0))
    assert (actuation.posture_control(b.build(), np.zeros(6), stiffness=1.0, damping=1.0).stiffness == 1).all()


def test_trajectory_goes_through_its_postures_and_rests_at_its_ends():
    figure = two_links(names=("upper", "fore"))
    way = actuation.PostureTrajectory(figure, [0.0, 0.5, 1.5], [[0, 0], [0.4, -0.2], [1.0, 0.3]])
    for t, q in ((0.0, [0, 0]), (0.5, [0.4, -0.2]), (1.5, [1.0, 0.3]), (-1.0, [0, 0]), (9.0, [1.0, 0.3])):
        assert way(t)[0] == pytest.approx(q)
    for t in (-1.0, 0.0, 1.5, 9.0):
        assert way(t)[1] == pytest.approx([0, 0], abs=1e-12)
    h = 1e-5
    for t in (0.2, 0.7, 1.2):
        assert way(t)[1] == pytest.approx((way(t + h)[0] - way(t - h)[0]) / (2 * h), abs=1e-8)


def test_gravity_compensation_holds_the_arm_still():
    figure = two_links(names=("upper", "fore"))

    def hold(t, s):
        return gravity_effects(figure, s.q)

    control = actuation.posture_control(figure, [0.7, 0.4], feedforward=hold)
    rec = simulate(figure, contacts=contact.Contacts(), t1=0.5, rate=20, q0=[0.7, 0.4], controls=control)
    assert np.abs(rec["q"] - (0.7, 0.4)).max() < 1e-10


# ---- standing ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("figure", "driven"), [(figures.human36(), 36), (figures.bip(), 15)], ids=["human36", "bip"])
def test_standing_effort_balances_the_figure(figure, driven):
    contacts = contact.Contacts(contact.points_of_tags(figure), (contact.floor(),))
    q = figure.neutral()
    found = actuation.standing_effort(figure, contacts, q)
    assert (found.tau[driven:] == 0).all()
    assert found.forces[:, 1].sum() == pytest.approx(figure.mass * G, rel=1e-6)
    assert (found.forces[:, 1] >= 0).all()
    assert found.forces[:, [0, 2]].sum(0) == pytest.approx([0, 0], abs=1e-3)
    motion = contact.contact_dynamics(figure, contacts, q, np.zeros(figure.nv), found.tau)
    assert np.abs(motion.acceleration).max() < 1e-3


def test_posture_that_cannot_stand_is_reported():
    figure = figures.human36()
    contacts = contact.Contacts(contact.points_of_tags(figure), (contact.floor(),))
    q = figure.neutral()
    high = q.copy()
    high[37] += 1.0
    with pytest.raises(RunError, match=r"no contact point touches.*cannot stand"):
        actuation.standing_effort(figure, contacts, high)
    with pytest.raises(RunError, match=r"r_digit2.*cannot stand"):
        actuation.standing_effort(figure, contacts, q, points=["r_digit2"])


def test_fixed_figure_needs_no_contacts():
    figure = two_links(names=("upper", "fore"))
    found = actuation.standing_effort(figure, contact.Contacts(), [0.3, 0.2])
    assert found.tau == pytest.approx(gravity_effects(figure, np.array([0.3, 0.2])))


# ---- commands ------------------------------------------------------------------------------------------------------
def test_commands_are_asked_and_take_hold_when_they_should():
    """On a wheel without friction: velocity is the sum of what was commanded, late by the delay."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("wheel", None, joints.revolute(Z), mass=1.0, inertia=np.eye(3))
    figure = b.build()
    asked = []

    def law(t, s):
        asked.append(t)
        return [1.0 + len(asked)]

    control = actuation.CommandedControl(figure, law, 0.1, 0.04)
    rec = simulate(figure, contacts=contact.Contacts(), t1=0.5, rate=100, controls=control, rtol=1e-11)
    assert asked == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4], abs=1e-12)
    t = rec.time("v")
    exact = sum((2.0 + n if n == 0 else 1.0) * np.maximum(t - 0.1 * n - 0.04, 0) for n in range(5))
    assert np.abs(rec["v"][:, 0] - exact).max() < 1e-10


def test_commands_without_delay_hold_at_once():
    figure = two_links(names=("upper", "fore"))
    control = actuation.CommandedControl(figure, lambda t, s: [t + 1.0, 0.0], 0.2)
    s = FigureState(np.zeros(2), np.zeros(2), np.asarray(control.start(state([0, 0], [0, 0]))))
    for t, command, following in ((0.0, 1.0, 0.2), (0.25, 1.25, 0.4)):  # begun at 0 s
        s = FigureState(s.q, s.v, control.call(t, s))
        assert control.act(t, s)[0] == pytest.approx([command, 0.0])
        assert control.next_instant(t, s) == pytest.approx(following)


# ---- wrong input ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f: actuation.posture_control(f, [0.1]), "posture"),
        (lambda f: actuation.posture_control(f, [0.1, np.nan]), "posture"),
        (lambda f: actuation.posture_control(f, [0, 0], frequency=0.0), "frequency"),
        (lambda f: actuation.posture_control(f, [0, 0], ratio=-1.0), "ratio"),
        (lambda f: actuation.posture_control(f, [0, 0], stiffness=[1.0]), "stiffness"),
        (lambda f: actuation.posture_control(f, [0, 0], damping=-1.0), "damping"),
        (lambda f: actuation.posture_control(f, [0, 0], limit="much"), "limit"),
        (lambda f: actuation.PostureTrajectory(f, [], np.zeros((0, 2))), "times"),
        (lambda f: actuation.PostureTrajectory(f, [0.0, 0.0], [[0, 0], [0, 0]]), "times"),
        (lambda f: actuation.PostureTrajectory(f, [0.0, 1.0], [[0, 0]]), "postures"),
        (lambda f: actuation.CommandedControl(f, lambda t, s: [0, 0], 0.0), "period"),
        (lambda f: actuation.CommandedControl(f, lambda t, s: [0, 0], 0.1, -1.0), "delay"),
        (lambda f: actuation.standing_effort(f, contact.Contacts(), [np.nan, 0]), "standing effort"),
        (lambda f: actuation.standing_effort(f, contact.Contacts(), [0, 0], points=["heel"]), "heel"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make(two_links(names=("upper", "fore")))


def test_trajectories_need_plain_coordinates():
    figure = free_body()
    with pytest.raises(InputError, match="quaternions"):
        actuation.PostureTrajectory(figure, [0.0, 1.0], np.tile(figure.neutral(), (2, 1)))
