"""Figures through `simulate`: what is recorded, what acts, what is watched, and what happens to a run that stops."""

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from models import Stop, pendulum, shifted, two_links
from motiform import FigureBuilder, Transform, joints, simulate
from motiform.base.errors import InputError, MotiformError, RecordingError, RunError
from motiform.geometry import Box
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.run import Guard
from motiform.record import compare, open_recording
from motiform.spatial import exp_rotation, rotation_from_quaternion

G = 9.81
Z = (0.0, 0.0, 1.0)
UP = Transform(exp_rotation(np.array([-np.pi / 2, 0, 0])), np.zeros(3))  # a surface's z along the world's y


def ball(mu=None, radius=0.1, name="ball", **options):
    b = FigureBuilder()
    joint = joints.contact(s.plane(), s.sphere(radius), friction=mu, **options)
    b.segment(name, None, joint, placement=UP, mass=1.0, inertia=np.eye(3) * 0.4 * radius**2)
    return b.build()


def four_bar():
    b = FigureBuilder()
    for name, parent, at, length in (
        ("crank", None, (0, 0.4, 0), 0.3),
        ("coupler", "crank", (0.3, 0, 0), 0.8),
        ("rocker", None, (0.9, 0.4, 0), 0.6),
    ):
        moment = np.diag([1e-4, length**2 / 12, length**2 / 12])
        joint = joints.revolute(Z)
        b.segment(name, parent, joint, placement=shifted(*at), mass=1.0, com=(length / 2, 0, 0), inertia=moment)
    b.close("pin", "coupler", (0.8, 0, 0), "rocker", (0.6, 0, 0), rows="xy")
    return b.build()


FOUR_BAR_START = np.radians([60, -45, 70])


class Screw(joints.Joint):
    """A user's joint: turns about z and climbs k m per radian."""

    nq = nv = 1
    names = ("turn",)
    plain = True

    def __init__(self, k):
        self.k = k

    def neutral(self):
        return np.zeros(1)

    def transform(self, q):
        angle = q[..., 0]
        turn = exp_rotation(np.stack([0 * angle, 0 * angle, angle], axis=-1))
        return Transform(turn, np.stack([0 * angle, 0 * angle, self.k * angle], axis=-1))

    def subspace(self, q):
        return np.broadcast_to(np.array([[0, 0, 1.0, 0, 0, self.k]]).T, (*q.shape[:-1], 6, 1))

    def subspace_rate(self, q, v):
        return np.zeros((*q.shape[:-1], 6, 1))

    def rate(self, q, v):
        return v


def screwed(k):
    b = FigureBuilder(gravity=(0, 0, -G))
    b.segment("nut", None, Screw(k), mass=2.0, inertia=np.eye(3) * 0.1)
    return b.build()


# ---- what is recorded -----------------------------------------------------------------------------------------------
def test_channels_units_and_their_values():
    b = FigureBuilder()
    joint = joints.contact(s.plane(), s.sphere(0.1))
    b.segment("ball", None, joint, placement=UP, mass=1.0, inertia=np.eye(3) * 0.004)
    b.segment("arm", "ball", joints.revolute(Z), mass=0.3, com=(0.1, 0.05, 0), inertia=np.eye(3) * 1e-3)
    b.tag("hand", "arm", (0.3, 0, 0))
    b.tag("top", "ball", (0, 0.1, 0))
    figure = b.build()
    v = figure.velocity(ball=(1.0, -2.0, 0.5), arm=0.7)
    rec = simulate(figure, t1=0.3, rate=20, v0=v, controls=lambda t, state: np.full(4, 0.01 * t))
    units = {
        "q": ("", (15,)), "v": ("rad/s", (4,)), "tau": ("N m", (4,)), "tags": ("m", (2, 3)),
        "center_of_mass": ("m", (3,)),
        "ball.position": ("m", (3,)), "ball.orientation": ("", (4,)), "ball.contact_force": ("N", (3,)),
        "ball.contact_point": ("m", (3,)), "arm.position": ("m", (3,)), "arm.orientation": ("", (4,)),
        "energy": ("J", ()), "energy.kinetic": ("J", ()), "energy.potential": ("J", ()),
        "momentum": ("kg m/s", (3,)), "angular_momentum": ("kg m^2/s", (3,)),
    }  # fmt: skip
    assert {name: (rec.unit(name), rec[name].shape[1:]) for name in rec} == units
    assert all(rec.count(name) == 7 for name in rec)
    assert all(rec.channel(name).description for name in rec)
    assert rec.time("q") == pytest.approx(np.arange(7) / 20, abs=1e-15)
    q, v, t = rec["q"], rec["v"], rec.time("q")
    assert (rec["v"][0] == (1.0, -2.0, 0.5, 0.7)).all()
    assert np.abs(rec["tau"] - 0.01 * t[:, None]).max() < 1e-16
    where = tree.forward_kinematics(figure, q)
    for n, name in enumerate(figure.names):
        assert np.abs(rec[f"{name}.position"] - where.position[:, n]).max() < 1e-14
        assert np.abs(rotation_from_quaternion(rec[f"{name}.orientation"]) - where.rotation[:, n]).max() < 1e-14
    assert np.abs(rec["tags"] - tree.tags(figure, q)).max() < 1e-14
    speeds = [
        np.cross(m[:3], R @ seg.com) + m[3:]
        for R, m, seg in zip(where.rotation[3], tree.motion(figure, q[3], v[3]).twists, figure.segments, strict=True)
    ]
    assert rec["momentum"][3] == pytest.approx(speeds[0] + 0.3 * speeds[1], abs=1e-14)
    assert np.abs(rec["energy"] - rec["energy.kinetic"] - rec["energy.potential"]).max() < 1e-14
    height = rec["center_of_mass"][:, 1]
    assert np.abs(rec["energy.potential"] - 1.3 * G * height).max() < 1e-12
    # Newton: the contact is the only force beside the weight (central differences of the momentum, run more densely)
    dense = simulate(
        figure, t1=0.3, rate=2000, v0=rec["v"][0], controls=lambda t, state: np.full(4, 0.01 * t), rtol=1e-11
    )
    k = 300
    rate = (dense["momentum"][k + 1] - dense["momentum"][k - 1]) * 1000
    joint_frame = joint.frames(dense["q"][k, :14])[0].rotation
    force = UP.rotation @ joint_frame @ dense["ball.contact_force"][k]
    assert force - np.array([0, 1.3 * G, 0]) == pytest.approx(rate, abs=1e-4)  # third derivative times h²/6
    assert dense["ball.contact_point"][k] == pytest.approx(dense["ball.position"][k] - (0, 0.1, 0), abs=1e-14)


def test_figures_without_mass_and_without_tags():
    b = FigureBuilder()
    b.segment("wheel", None, joints.revolute(Z), armature=0.5)
    rec = simulate(b.build(), t1=1.0, rate=10, v0=[2.0])
    assert "center_of_mass" not in rec
    assert "tags" not in rec
    assert np.abs(rec["q"][:, 0] - 2.0 * rec.time("q")).max() < 1e-12
    assert rec["energy.kinetic"] == pytest.approx(np.full(11, 1.0))
    b = FigureBuilder()
    b.segment("nothing", None, joints.revolute(Z))
    with pytest.raises(RunError, match=r"'nothing'.*moves nothing that has inertia"):
        simulate(b.build(), t1=1.0)


def test_massless_segments_between_others():
    """An arm on a massless frame swings as one without it, and the frame stays."""
    b = FigureBuilder()
    b.segment("frame", None, joints.revolute((1, 0, 0)))
    b.segment("bob", "frame", joints.revolute(Z), mass=1.0, com=(0, -0.5, 0))
    rec = simulate(b.build(), t1=1.0, rate=20, q0=[0.0, 0.6], rtol=1e-11)
    alone = FigureBuilder()
    alone.segment("bob", None, joints.revolute(Z), mass=1.0, com=(0, -0.5, 0))
    other = simulate(alone.build(), t1=1.0, rate=20, q0=[0.6], rtol=1e-11)
    assert np.abs(rec["q"][:, 1] - other["q"][:, 0]).max() < 1e-9
    assert np.abs(rec["q"][:, 0]).max() < 1e-12


def test_manifest_tells_shapes_and_how_it_was_made():
    b = FigureBuilder()
    b.segment("bob", None, joints.revolute(Z), mass=1.0, com=(0, -0.5, 0), shape=Box((0.1, 1, 0.1)), color=(1, 0, 0))
    rec = simulate(b.build(), t1=0.2, rate=10)
    assert rec.manifest["motion"]["integrator"] == "dormand-prince"
    assert rec.manifest["form"]["bob"]["position"] == "bob.position"
    assert rec.manifest["form"]["bob"]["color"] == [1, 0, 0]


# ---- what acts ------------------------------------------------------------------------------------------------------
def test_control_that_is_a_spring_trades_energy_with_the_figure():
    figure, k, rest = pendulum(), 7.0, 0.4

    def spring(t, state):
        return -k * (state.q - rest)

    rec = simulate(figure, t1=2.0, rate=50, q0=[1.0], controls=spring, rtol=1e-11)
    stored = 0.5 * k * (rec["q"][:, 0] - rest) ** 2
    total = rec["energy"] + stored
    assert np.ptp(stored) > 0.3
    assert np.ptp(total) < 1e-8
    assert np.abs(rec["tau"][:, 0] + k * (rec["q"][:, 0] - rest)).max() < 1e-14


def test_control_of_time_does_the_work_that_the_energy_gains():
    figure = two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0))
    rec = simulate(figure, t1=1.0, rate=1000, controls=lambda t, state: [2 * np.sin(5 * t), 0.3], rtol=1e-11)
    power = (rec["tau"] * rec["v"]).sum(-1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2)]) / 1000
    gained = rec["energy"] - rec["energy"][0]
    assert gained[-1] > 0.1
    assert np.abs(work - gained).max() < 1e-4 * np.abs(gained).max()  # trapezoids of 1 ms


def test_loads_are_wrenches_at_the_origin_of_segments_in_world_axes():
    """A constant force at the bob's origin shifted to its centre: the same as tilted gravity."""
    length, mass, push = 0.5, 1.3, 4.0
    figure = pendulum(length, mass)

    def wind(t, state):
        arm = tree.forward_kinematics(figure, state.q).rotation[0] @ (0, -length, 0)
        return [np.concatenate([np.cross(arm, (push, 0, 0)), (push, 0, 0)])]

    rec = simulate(figure, t1=1.5, rate=20, loads=wind, rtol=1e-11)
    tilted = simulate(figure.replace(gravity=(push / mass, -G, 0)), t1=1.5, rate=20, rtol=1e-11)
    assert np.abs(rec["q"] - tilted["q"]).max() < 1e-9
    assert np.abs(rec["q"]).max() > 0.3


def test_loads_reach_the_contact_force():
    figure = ball()
    rec = simulate(figure, t1=0.5, rate=10, loads=lambda t, state: [[0, 0, 0, 0, -5.0 - t, 0]])
    assert np.abs(rec["ball.contact_force"][:, 2] - (G + 5 + rec.time("q"))).max() < 1e-12


@pytest.mark.parametrize(
    "integrator",
    [{}, {"integrator": "cash-karp"}, {"integrator": "rk4", "step": 0.01}, {"integrator": "euler", "step": 0.01}],
)
def test_contacts_are_watched_by_every_integrator(integrator):
    lifted = simulate(ball(), t1=1.0, rate=10, loads=lambda t, state: [[0, 0, 0, 0, 12.0 * t, 0]], **integrator)
    (event,) = lifted.events
    assert (event.name, event.time) == ("ball lifts off", pytest.approx(G / 12, abs=1e-12))


def test_friction_under_a_load_gives_way_where_it_must():
    """A ball pulled by F at its centre needs 2 F/7 of the ground: with F = t it slips at 7 μ m g/2."""
    mu = 0.01
    rec = simulate(ball(mu), t1=3.0, rate=20, loads=lambda t, state: [[0, 0, 0, t, 0, 0]], rtol=1e-11)
    (event,) = rec.events
    assert (event.name, event.time) == ("ball slips", pytest.approx(3.5 * mu * G, abs=1e-9))


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda t, state: 1 / 0, RunError, "a control failed: ZeroDivisionError"),
        (lambda t, state: [1, 2], InputError, r"wrong value \(got \[1, 2\]; allowed: numbers of shape \(3,\)"),
        (lambda t, state: "push", InputError, "a control returned a wrong value"),
        (lambda t, state: [np.nan, 0, 0], RunError, "a control returned numbers that are not finite"),
        (lambda t, state: [np.inf, 0, 0], RunError, "a control returned numbers that are not finite"),
    ],
)  # fmt: skip
def test_controls_that_do_wrong_are_reported(act, error, text):
    with pytest.raises(error, match=text):
        simulate(ball(), t1=0.2, rate=10, controls=act)


def test_loads_that_do_wrong_are_reported():
    with pytest.raises(InputError, match=r"a load returned a wrong value .* shape \(1, 6\)"):
        simulate(ball(), t1=0.2, rate=10, loads=lambda t, state: [1, 2])
    with pytest.raises(InputError, match=r"a figure takes no .forces.*Give controls="):
        simulate(ball(), t1=0.2, rate=10, forces=lambda t, state: None)


def test_state_given_to_functions_is_not_theirs_to_change():
    """A control that writes into the state it is given must not change the run."""
    plain = simulate(pendulum(), t1=0.5, rate=10, q0=[1.0])

    def vandal(t, state):
        try:
            state.q[:] = 5.0
            state.v[:] = -3.0
        except ValueError:
            pass  # read-only is fine
        return [0.0]

    assert np.abs(simulate(pendulum(), t1=0.5, rate=10, q0=[1.0], controls=vandal)["q"] - plain["q"]).max() < 1e-12


# ---- guards ---------------------------------------------------------------------------------------------------------
def test_guards_mark_events_and_change_the_state():
    """A pendulum that is turned back at a wall, without loss, swings between it and its top: half the period each."""
    figure = pendulum()
    wall = Guard(
        "wall", lambda t, state: state.q[0], "down", then=lambda t, state: dataclasses.replace(state, v=-state.v)
    )
    free = Guard("lowest", lambda t, state: state.q[0])
    swing = simulate(figure, t1=3.0, rate=20, q0=[0.8], guards=free, rtol=1e-11)
    rec = simulate(figure, t1=3.0, rate=20, q0=[0.8], guards=[wall], rtol=1e-11)
    assert {event.name for event in rec.events} == {"wall"}
    assert [e.time for e in rec.events] == pytest.approx([e.time for e in swing.events], abs=1e-9)
    assert len(rec.events) >= 3
    assert np.abs(rec["q"] - np.abs(swing["q"])).max() < 1e-8


def test_guard_that_ends_the_run_and_guards_together_with_contacts():
    figure = ball()
    end = Guard("far", lambda t, state: tree.forward_kinematics(figure, state.q).position[0, 0] - 0.05, "up", ends=True)
    v = np.array([0.0, 1.0, 0.0])
    rec = simulate(figure, t1=2.0, rate=10, v0=v, guards=end, rtol=1e-11)
    # ω along y of the plane's frame: 0.1 m/s along the world's x
    assert [(e.name, e.time) for e in rec.events] == [("far", pytest.approx(0.5, abs=1e-9))]
    assert rec.complete
    assert rec.count("q") == 6


def test_event_that_gives_something_else():
    stop = Guard("stop", lambda t, state: t - 0.1, then=lambda t, state: state.q)
    with pytest.raises(
        InputError, match=r"guard 'stop' at t = 0.1 s: an event returned a wrong value .* a FigureState"
    ):
        simulate(pendulum(), t1=0.2, rate=10, guards=stop)
    broken = Guard("broken", lambda t, state: None)
    with pytest.raises(
        InputError, match=r"guard 'broken'.*a guard returned a wrong value .got None; allowed: one number"
    ):
        simulate(pendulum(), t1=0.2, rate=10, guards=broken)
    nan = Guard("nan", lambda t, state: np.nan)
    with pytest.raises(RunError, match="a guard returned numbers that are not finite"):
        simulate(pendulum(), t1=0.2, rate=10, guards=nan)


def test_event_that_gives_a_state_of_another_size():
    stop = Guard("stop", lambda t, state: t - 0.1, then=lambda t, state: dataclasses.replace(state, v=np.zeros(7)))
    with pytest.raises(MotiformError, match="guard 'stop'"):
        simulate(pendulum(), t1=0.2, rate=10, guards=stop)


def test_event_that_gives_what_is_not_finite():
    stop = Guard("stop", lambda t, state: t - 0.1, then=lambda t, state: dataclasses.replace(state, v=state.v * np.nan))
    with pytest.raises(MotiformError):
        simulate(pendulum(), t1=0.2, rate=10, guards=stop)


# ---- contacts at the start ------------------------------------------------------------------------------------------
def test_contact_that_pulls_at_the_start():
    b = FigureBuilder()
    joint = joints.contact(s.sphere(0.5), s.sphere(0.1))
    b.segment("ball", None, joint, mass=1.0, inertia=np.eye(3) * 0.004)
    figure = b.build()
    low = joint.configuration((0.5, -0.1, 0))
    with pytest.raises(
        RunError, match=r"contact 'ball', t = 0 s: the contact must press at the start \(got 'normal force -"
    ):
        simulate(figure, t1=0.1, q0=low)
    assert simulate(figure, t1=0.1, rate=20, q0=low, watch=False).count("q") == 3  # surfaces that hold each other
    fast = joint.configuration((0, 0.5, 0))
    with pytest.raises(RunError, match=r"the contact must press at the start.*Start slower"):
        simulate(figure, t1=0.1, q0=fast, v0=(60.0, 0, 0))


def test_contact_that_slips_at_the_start():
    tilted = ball(0.1).replace(gravity=(5.0, -G, 0))
    with pytest.raises(
        RunError,
        match=r"contact 'ball', t = 0 s: the contact must stick at the start \(got 'tangential .* N, normal 9\.81 N'",
    ):
        simulate(tilted, t1=0.1)
    assert simulate(tilted, t1=0.1, rate=20, watch=False).events == []


@pytest.mark.parametrize("wrong", [-0.1, np.nan, "rough"])
def test_friction_is_a_coefficient(wrong):
    with pytest.raises(InputError, match="friction"):
        ball(wrong)


# ---- wrong input ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"integrator": "lie-midpoint"}, r"the integrator must be one for a figure .*rk4, cash-karp, dormand-prince"),
        ({"integrator": "nope"}, "unknown integrator"),
        ({"device": "cuda"}, "figures are simulated on the CPU"),
        ({"q0": [1, 2]}, r"q0 must have .*\(2,\)"),
        ({"q0": "down"}, "q0"),
        ({"v0": "fast"}, "v0"),
        ({"v0": [1, 2, 3, 4]}, r"v0 must have .*\(4,\)"),
        ({"v0": [0, np.nan, 0]}, r"v0\[1\] \(ball\.wy\): the number must be finite"),
        ({"q0": np.zeros(14)}, "(?i)quaternion"),
        ({"v0": np.zeros((2, 3))}, r"a run must start from a single state \(got 'leading axes \(2,\)'"),
        ({"settings": {"motion.step": 1}}, "settings belong to scenes"),
    ],
)  # fmt: skip
def test_wrong_input_is_named(options, text):
    with pytest.raises(InputError, match=text):
        simulate(ball(), t1=0.1, **options)


def test_figure_that_cannot_move_is_refused():
    b = FigureBuilder(name="statue")
    b.segment("stone", None, joints.fixed(), mass=1.0)
    with pytest.raises(InputError, match=r"figure 'statue': a figure must be able to move"):
        simulate(b.build(), t1=0.1, rate=10)


# ---- integrators ----------------------------------------------------------------------------------------------------
def test_samples_do_not_depend_on_the_internal_steps():
    """Dense output: the same instants from runs sampled coarsely and finely; the integrator's own error is 1e-11."""
    figure = two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0))
    coarse = simulate(figure, t1=2.0, rate=5, q0=[1.5, 0.5], rtol=1e-10)
    fine = simulate(figure, t1=2.0, rate=500, q0=[1.5, 0.5], rtol=1e-10)
    assert (coarse["q"] == fine["q"][::100]).all()  # without guards sampling changes no step
    watched = Guard("never", lambda t, state: 1.0)
    bounded = simulate(figure, t1=2.0, rate=500, q0=[1.5, 0.5], rtol=1e-10, guards=watched)
    assert np.abs(bounded["q"] - fine["q"]).max() < 1e-7


@pytest.mark.parametrize(("integrator", "order"), [("euler", 1), ("rk4", 4)])
@pytest.mark.parametrize("kind", ["pendulum", "ball in a bowl"])
def test_fixed_steps_have_their_order(integrator, order, kind):
    if kind == "pendulum":
        figure, start = two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0)), {"q0": [1.0, 0.4]}
    else:
        b = FigureBuilder()
        joint = joints.contact(s.sphere(0.5, inside=True), s.ellipsoid((0.1, 0.08, 0.06)))
        b.segment("stone", None, joint, mass=1.0, inertia=np.diag([1, 2, 2.5]) * 1e-3)
        figure = b.build()
        start = {"q0": joint.configuration((0.1, -0.5, 0), (0, -0.08, 0.01)), "v0": (1.0, 0.5, 2.0)}
    run = {"t1": 0.5, "rate": 10, "watch": False, **start}
    exact = simulate(figure, rtol=1e-12, atol=1e-14, **run)
    last = "stone.position" if kind != "pendulum" else "lower.position"
    found = [
        np.abs(simulate(figure, integrator=integrator, step=h, **run)[last] - exact[last]).max() for h in (4e-3, 2e-3)
    ]
    assert np.log2(found[0] / found[1]) == pytest.approx(order, abs=0.4)
    if kind != "pendulum":
        crude = simulate(figure, integrator=integrator, step=4e-3, **run)
        assert joint.gaps(crude["q"]).max() < 1e-14  # repaired at each step, however crude


def test_cash_karp_agrees_with_dormand_prince():
    figure = two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0))
    run = {"t1": 1.0, "rate": 20, "q0": [1.5, 0.5], "rtol": 1e-10}
    one, two = (simulate(figure, integrator=name, **run) for name in ("cash-karp", "dormand-prince"))
    assert np.abs(one["q"] - two["q"]).max() < 1e-7


def test_run_that_diverges_keeps_what_it_had(tmp_path):
    """A control that pumps the speed up without end: the error says when, the samples before it stay."""
    with pytest.raises(RunError, match="t = "):
        simulate(
            pendulum(), t1=5.0, rate=50, v0=[1.0], out=tmp_path / "a.mf",
            controls=lambda t, state: 10 * state.v * np.abs(state.v),
        )  # fmt: skip
    rec = open_recording(tmp_path / "a.mf")
    assert not rec.complete
    assert np.isfinite(rec["q"]).all()
    assert rec.count("q") > 1


# ---- couplings, closures, joints of the user ------------------------------------------------------------------------
def test_four_bar_keeps_its_loop_closed():
    figure = four_bar()
    rec = simulate(figure, t1=1.0, rate=50, q0=FOUR_BAR_START, v0=[3.0, 0, 0], rtol=1e-10)
    q = rec["q"]
    assert np.ptp(q[:, 0]) > 1.0
    a, b, c = q.T
    x = 0.3 * np.cos(a) + 0.8 * np.cos(a + b) - 0.9 - 0.6 * np.cos(c)
    y = 0.3 * np.sin(a) + 0.8 * np.sin(a + b) - 0.6 * np.sin(c)
    assert max(np.abs(x).max(), np.abs(y).max()) < 1e-10
    va, vb, vc = rec["v"].T
    dx = -0.3 * va * np.sin(a) - 0.8 * (va + vb) * np.sin(a + b) + 0.6 * vc * np.sin(c)
    assert np.abs(dx).max() < 1e-9
    assert np.ptp(rec["energy"]) < 1e-8 * np.abs(rec["energy"]).max()


def test_loop_that_cannot_be_closed_at_the_start():
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute(Z), mass=1.0, com=(0.2, 0, 0))
    b.close("far", "arm", (0.4, 0, 0), None, (3, 0, 0), rows="xy")
    with pytest.raises(RunError, match="the loops cannot be closed"):
        simulate(b.build(), t1=0.1)


def test_coupled_coordinates_follow():
    """Two wheels that turn against each other by gears: as one wheel with the sum of the inertias, n² weighted."""
    b = FigureBuilder()
    b.segment("motor", None, joints.revolute(Z), inertia=np.eye(3) * 0.02, mass=1.0)
    b.segment("wheel", None, joints.revolute(Z), placement=shifted(x=1), inertia=np.eye(3) * 0.5, mass=1.0)
    b.couple("wheel", "motor", joints.linear(-0.25))
    figure = b.build()
    rec = simulate(figure, t1=1.0, rate=20, controls=lambda t, state: [0.3], rtol=1e-11)
    t = rec.time("q")
    assert rec["q"].shape == (21, 1)
    assert np.abs(rec["q"][:, 0] - 0.5 * 0.3 / (0.02 + 0.5 / 16) * t**2).max() < 1e-10
    turn = rotation_from_quaternion(rec["wheel.orientation"])
    angle = np.unwrap(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]))
    assert np.abs(angle + 0.25 * rec["q"][:, 0]).max() < 1e-10


def test_joint_of_the_user():
    """A nut sliding down its screw: a = −m g k/(I + m k²)."""
    k = 0.3
    rec = simulate(screwed(k), t1=1.0, rate=20, v0=[0.5], rtol=1e-11)
    t = rec.time("q")
    a = -2.0 * G * k / (0.1 + 2.0 * k * k)
    assert np.abs(rec["q"][:, 0] - 0.5 * t - 0.5 * a * t**2).max() < 1e-10
    assert np.abs(rec["nut.position"][:, 2] - k * rec["q"][:, 0]).max() < 1e-14
    assert np.ptp(rec["energy"]) < 1e-9


def test_contact_with_a_surface_of_the_user_is_the_same_as_the_built_in():
    """An implicit sphere goes the slow way, through Python: the same motion."""
    radius = 0.1
    own = s.implicit(
        lambda x: (0.5 * ((x**2).sum(-1) - radius**2), x, np.broadcast_to(np.eye(3), (*x.shape[:-1], 3, 3)))
    )
    recs = []
    for surface in (own, s.sphere(radius)):
        b = FigureBuilder(gravity=(3.0, -G, 0))
        joint = joints.contact(s.plane(), surface)
        b.segment("ball", None, joint, placement=UP, mass=1.0, inertia=np.eye(3) * 0.004)
        q = joint.configuration((0, 0, 0), (0, 0, -radius), direction=(1, 0, 0))
        recs.append(simulate(b.build(), t1=0.3, rate=20, q0=q, v0=(1.0, 0.5, 2.0), rtol=1e-9, watch=False))
    assert np.abs(recs[0]["ball.position"] - recs[1]["ball.position"]).max() < 1e-9
    assert np.abs(recs[0]["ball.contact_force"] - recs[1]["ball.contact_force"]).max() < 1e-8


def test_contact_force_of_a_figure_with_closures():
    """A ball rolls round on a plane, held by a string from above: T sin = (7/5) m v²/ρ, and N = m g − T cos."""
    b = FigureBuilder()
    joint = joints.contact(s.plane(), s.sphere(0.1))
    b.segment("ball", None, joint, placement=UP, mass=1.0, inertia=np.eye(3) * 0.004)
    b.close("string", "ball", (0, 0, 0), None, (0, 0.5, 0), rows="distance", length=0.5)
    figure = b.build()
    q = figure.configuration(ball=joint.configuration((0.3, 0, 0)))
    v = 0.8
    rec = simulate(figure, t1=0.3, rate=20, q0=q, v0=(v / 0.1, 0, 0), rtol=1e-10)
    angle = v / 0.3 * rec.time("q")
    assert np.abs(rec["ball.position"][:, 0] - 0.3 * np.cos(angle)).max() < 1e-8
    tension = 1.4 * v**2 / 0.3 / 0.6
    assert np.abs(rec["ball.contact_force"][:, 2] - (G - 0.8 * tension)).max() < 1e-7
    assert rec.events == []
    with pytest.raises(RunError, match="the contact must press at the start"):
        simulate(figure, t1=1.0, q0=q, v0=(20.0, 0, 0))


# ---- bits, and runs that stop ---------------------------------------------------------------------------------------
def rattle(**more):
    b = FigureBuilder()
    joint = joints.contact(s.plane(), s.ellipsoid((0.2, 0.03, 0.02)), **more)
    inertia = [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]
    b.segment("stone", None, joint, placement=UP, mass=1.0, com=(0, 0, -0.01), inertia=inertia)
    return b.build()


RATTLE = {"t1": 1.0, "rate": 100, "v0": (0.5, 0, -5)}


def test_same_run_same_bits():
    assert compare(simulate(rattle(), **RATTLE), simulate(rattle(), **RATTLE)).identical


@pytest.mark.parametrize("kind", ["contact", "closure", "rk4", "controlled"])
def test_stopped_run_resumes_to_the_same_bits(tmp_path, kind):
    figure, run = rattle(), dict(RATTLE)
    if kind == "closure":
        figure, run = four_bar(), {"t1": 1.0, "rate": 100, "q0": FOUR_BAR_START, "v0": [3.0, 0, 0]}
    elif kind == "rk4":
        run |= {"integrator": "rk4", "step": 1e-4, "watch": False}
    elif kind == "controlled":
        run |= {"controls": lambda t, state: -1e-4 * state.v}
    whole = simulate(figure, **run)
    out, fractions = tmp_path / "a.mf", []

    def stop(fraction):
        fractions.append(fraction)
        if fraction > 0.3:
            raise Stop

    with pytest.raises(Stop):
        simulate(figure, out=out, progress=stop, **run)
    before = open_recording(out)
    assert not before.complete
    assert 0 < before.count("q") <= whole.count("q")
    resumed = simulate(figure, out=out, resume=True, **run)
    assert resumed.complete
    assert compare(whole, resumed).identical


KILLED = """
import sys, numpy as np
from motiform import FigureBuilder, Transform, joints, simulate
from motiform.geometry import surfaces as s
from motiform.spatial import exp_rotation
b = FigureBuilder()
joint = joints.contact(s.plane(), s.ellipsoid((0.2, 0.03, 0.02)))
up = Transform(exp_rotation(np.array([-np.pi / 2, 0, 0])), np.zeros(3))
inertia = [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]
b.segment("stone", None, joint, placement=up, mass=1.0, com=(0, 0, -0.01), inertia=inertia)
def told(fraction):
    print(fraction, flush=True)
simulate(b.build(), t1={t1}, rate=100, v0=(0.5, 0, -5), out=sys.argv[1], progress=told)
"""


@pytest.mark.slow
def test_killed_run_resumes_to_the_same_bits(tmp_path):
    out, t1 = tmp_path / "a.mf", 60.0
    command = [sys.executable, "-c", textwrap.dedent(KILLED.format(t1=t1)), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while not out.exists() and process.poll() is None:  # until the first commit
        process.stdout.readline()
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = open_recording(out)
    assert not before.complete
    count = before.count("q")
    # it would go on for a minute: it is stopped again a little later, and compared with a run as long as that
    fractions = []

    def stop(fraction):
        fractions.append(fraction)
        if len(fractions) > 2:
            raise Stop

    with pytest.raises(Stop):
        simulate(rattle(), out=out, resume=True, progress=stop, t1=t1, rate=100, v0=RATTLE["v0"])
    after = open_recording(out)
    assert after.count("q") > count
    seconds = after.time("q")[-1]
    whole = simulate(rattle(), t1=float(seconds) + 0.02, rate=100, v0=RATTLE["v0"])
    for name in whole:
        assert after[name].tobytes() == whole.read(name, 0, after.count("q")).tobytes(), name


def test_run_that_ended_with_an_event_stays_ended(tmp_path):
    """Resuming a finished run computes nothing, nor does one whose last event ended it just before a stop."""
    b = FigureBuilder()
    joint = joints.contact(s.sphere(0.5), s.sphere(0.1))
    b.segment("ball", None, joint, mass=1.0, inertia=np.eye(3) * 0.004)
    figure, q = b.build(), joint.configuration((0.2, 0.46, 0))
    run = {"t1": 3.0, "rate": 50, "q0": q}
    first = simulate(figure, out=tmp_path / "a.mf", **run)
    assert [event.name for event in first.events] == ["ball lifts off"]
    fractions = []
    again = simulate(figure, out=tmp_path / "a.mf", resume=True, progress=fractions.append, **run)
    assert fractions == []
    assert compare(first, again).identical


def test_out_and_overwrite(tmp_path):
    out, run = tmp_path / "a.mf", {"t1": 0.5, "rate": 20}
    first = simulate(pendulum(), q0=[0.5], out=out, **run)
    fractions = []
    assert compare(first, simulate(pendulum(), q0=[0.5], out=out, progress=fractions.append, **run)).identical
    assert fractions == []  # it is opened, not made again
    with pytest.raises(RecordingError, match="there is a recording already"):
        simulate(pendulum(), q0=[0.6], out=out, **run)
    again = simulate(pendulum(), q0=[0.6], out=out, overwrite=True, **run)
    assert again["q"][0, 0] == 0.6
    assert open_recording(out)["q"][0, 0] == 0.6


def another(change):
    """A run and another one that differs in one thing that its recording depends on."""
    base = {"figure": ball(), "run": {"t1": 0.3, "rate": 10}}
    other = {"figure": ball(), "run": dict(base["run"])}
    if change in ("t1", "rate", "rtol", "atol"):
        other["run"][change] = {"t1": 0.4, "rate": 20, "rtol": 1e-8, "atol": 1e-9}[change]
    elif change == "v0":
        other["run"]["v0"] = (0.1, 0, 0)
    elif change == "q0":
        other["run"]["q0"] = ball().segments[0].joint.configuration((1.0, 0, 0))
    elif change == "mass":
        other["figure"] = ball().replace(segments={"ball": {"mass": 2.0}})
    elif change == "gravity":
        other["figure"] = ball().replace(gravity=(0, -1.6, 0))
    elif change == "friction":
        other["figure"] = ball(0.5)
    elif change == "radius":
        other["figure"] = ball(radius=0.2)
    elif change == "freedoms":
        other["figure"] = ball(spin=False)
    elif change == "watch":
        other["run"]["watch"] = False
    elif change == "name of a segment":
        other["figure"] = ball(name="marble")
    elif change == "tags":
        other["figure"] = ball().replace(tags=(tree.Tag("top", "ball", (0, 0.1, 0)),))
    elif change == "joint of the user":
        base["figure"], other["figure"] = screwed(0.2), screwed(0.3)
    elif change in ("closure", "coupling"):
        base["figure"] = two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0))
        b = FigureBuilder()
        b.segments += list(two_links(0.6, masses=(1.0, 0.6), centers=(0.3, 0.25), inertias=(0.03, 0.0)).segments)
        if change == "closure":
            b.close("hold", "lower", (0, -0.5, 0), None, (0, -1.1, 0), rows="xy")
        else:
            b.couple("lower", "upper", joints.linear(0.5))
        other["figure"] = b.build()
    elif change == "controls":
        other["run"]["controls"] = lambda t, state: np.zeros(3)
    return base, other


@pytest.mark.parametrize(
    "change",
    [
        "t1", "rate", "rtol", "v0", "q0", "mass", "gravity", "radius", "freedoms", "friction", "watch",
        "name of a segment", "tags", "joint of the user", "closure", "coupling", "controls",
    ],
)  # fmt: skip
def test_another_run_is_neither_opened_nor_resumed(tmp_path, change):
    base, other = another(change)
    out = tmp_path / "a.mf"
    simulate(base["figure"], out=out, **base["run"])
    with pytest.raises(RecordingError, match="there is a recording already"):
        simulate(other["figure"], out=out, **other["run"])
    with pytest.raises(RecordingError, match="holds another run and cannot be resumed"):
        simulate(other["figure"], out=out, resume=True, **other["run"])


def test_a_contact_closure_is_watched_too():
    """A rod on two balls, one held by a closure, pulled up at that end: it lifts off where the pull is half its weight.

    The pull grows as t, on a rod at rest, so that nothing moves before: N = m g/2 − c t is zero at t = m g/(2 c).
    """
    up = Transform.rotation_of(exp_rotation([-np.pi / 2, 0, 0]))
    b = FigureBuilder()
    roll = joints.contact(s.plane(), s.sphere(0.1), pose1=up)
    b.segment("rod", None, roll, mass=2.0, com=(0.5, 0, 0), inertia=np.diag([0.01, 0.2, 0.2]))
    other = joints.contact(s.plane(), s.sphere(0.1), pose1=up, pose2=Transform.translation_of((1.0, 0, 0)))
    b.close_contact("end", None, "rod", other)
    figure = b.build()

    def lift(t, state):
        return [[0.0, 0.0, 10.0 * t, 0.0, 10.0 * t, 0.0]]  # at the far end: moment 1 m × F about the rod's origin

    q0 = figure.configuration(rod=roll.configuration(p2=(0, -0.1, 0)))
    rec = simulate(figure, q0=q0, loads=lift, t1=2.0, rate=20, rtol=1e-9)
    (event,) = rec.events
    assert event.name == "end lifts off"
    assert event.time == pytest.approx(2.0 * 9.81 / 2 / 10, rel=1e-9)  # located to rounding, forces to 1e-12


def test_a_start_that_is_no_contact_is_refused():
    b = FigureBuilder(gravity=(0, 0, -9.81))
    b.segment("ball", None, joints.contact(s.plane(), s.sphere(0.1)), mass=1.0, inertia=0.004 * np.eye(3))
    figure = b.build()
    q0 = figure.neutral()
    q0[2] += 0.7
    with pytest.raises(InputError, match=r"segment 'ball': the surfaces do not touch at the start .got '0.7 m"):
        simulate(figure, q0=q0, t1=0.1)
    for state in (np.zeros(14), np.where(np.arange(14) < 7, figure.neutral(), 0.0)):
        with pytest.raises(
            InputError, match="joint of segment 'ball', state 0: a quaternion must have a length above 0"
        ):
            tree.inverse_dynamics(figure, state, np.zeros(3), np.zeros(3))
