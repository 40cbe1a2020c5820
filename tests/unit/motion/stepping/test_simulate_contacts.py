"""Figures with contacts through `simulate`: what is recorded and refused; nothing but the model counts."""

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from models import UPRIGHT, G, Stop, Z, free_body, on_floor
from motiform import FigureBuilder, Transform, actuation, contact, joints, simulate
from motiform.base.errors import InputError, MotiformError, RunError
from motiform.geometry import Ball, Box, MassProperties
from motiform.motion.run import Guard, Pace
from motiform.record import open_recording


def ball(e=0.5, mu=0.3, **laws):
    figure = free_body(Ball(0.1))
    return figure, on_floor(figure, mu, e, **laws)


def box(mu=0.4, e=0.0, **laws):
    figure = free_body(Box((0.4, 0.2, 0.3)), 2.0)
    return figure, on_floor(figure, mu, e, **laws)


def at(height, x=0.0):
    return (x, height, 0, *UPRIGHT)


def tumbling():
    """A box thrown so that it lands on corners, bounces, slides and comes to rest: some dozens of events."""
    figure, contacts = box(0.4, 0.3)
    q = figure.configuration(body=(0, 0.5, 0, 0.9, 0.3, 0.1, 0.2))
    return {
        "what": figure, "contacts": contacts, "t1": 1.2, "rate": 100, "q0": q,
        "v0": figure.velocity(body=(2.0, 1.0, -3.0, 1.0, 0, 0.5)),
    }  # fmt: skip


def same(one, two):
    assert list(one) == list(two)
    for name in one:
        assert np.array_equal(one[name], two[name], equal_nan=True), name
    assert one.events == two.events


# ---- what is recorded ----------------------------------------------------------------------------------------------
def test_channels_of_contacts():
    figure, contacts = box()
    rec = simulate(figure, contacts=contacts, t1=0.2, rate=10, q0=figure.configuration(body=at(0.1)))
    found = {
        name: (rec.unit(name), rec[name].shape[1:]) for name in rec if name.startswith(("contact", "solid", "zmp"))
    }
    assert found == {
        "contact.mode": ("", (8,)), "contact.gap": ("m", (8,)), "contact.force": ("N", (8, 3)),
        "contact.impulse": ("N*s", (8, 3)),
        "solid.wrench": ("", (1, 6)), "solid.center_of_pressure": ("m", (1, 3)), "zmp": ("m", (3,)),
    }  # fmt: skip
    assert all(rec.channel(name).description for name in found)
    assert rec.manifest["labels"]["point"] == list(contacts.point_names)
    assert rec.manifest["labels"]["solid"] == ["body"]
    low = [0, 1, 4, 5]
    assert (rec["contact.mode"][:, low] == 1).all()
    assert (np.delete(rec["contact.mode"], low, 1) == 0).all()
    assert rec["contact.gap"][0] == pytest.approx([0, 0, 0.2, 0.2] * 2)
    assert rec["contact.force"][-1, low] == pytest.approx(np.tile([0, 2 * G / 4, 0], (4, 1)), abs=1e-9)
    assert rec["solid.wrench"][-1, 0] == pytest.approx([0, 0, 0, 0, 2 * G, 0], abs=1e-9)
    assert rec["solid.center_of_pressure"][-1, 0] == pytest.approx([0, 0, 0], abs=1e-9)


def test_nothing_carries_in_the_air():
    figure, contacts = box()
    rec = simulate(figure, contacts=contacts, t1=0.1, rate=10, q0=figure.configuration(body=at(1.0)))
    assert np.isnan(rec["zmp"]).all()
    assert np.isnan(rec["solid.center_of_pressure"]).all()
    assert (rec["contact.force"] == 0).all()
    assert rec["contact.gap"][1, 0] == pytest.approx(0.9 - 0.5 * G * 0.01, abs=1e-10)


def test_zero_moment_point_is_where_the_pressure_is():
    """On level ground both are one; a push at height h moves them by F h/(m g)."""
    figure, contacts = box(0.9)
    push = 5.0
    rec = simulate(
        figure, contacts=contacts, t1=0.1, rate=10, q0=figure.configuration(body=at(0.1)),
        loads=lambda t, state: [[0, 0, 0, push, 0, 0]],
    )  # fmt: skip
    assert rec["zmp"][-1] == pytest.approx((push * 0.1 / (2 * G), 0, 0), abs=1e-9)
    assert rec["solid.center_of_pressure"][-1, 0] == pytest.approx(rec["zmp"][-1], abs=1e-9)


def test_events_are_in_the_order_of_time():
    rec = simulate(**tumbling())
    when = [event.time for event in rec.events]
    assert len(when) > 20
    assert when == sorted(when)
    figure, contacts = ball(0.7)
    rec = simulate(figure, contacts=contacts, t1=2.0, rate=20, q0=figure.configuration(body=at(0.3)))
    when = [event.time for event in rec.events]
    assert when == sorted(when)
    assert when[-1] <= 2.0


def test_actuation_states_are_recorded_and_integrated():
    """A control with a state of its own: z' = −z drives a pendulum's torque."""

    class Leak:
        z0 = (2.0,)

        def __call__(self, t, state):
            return [0.1 * state.z[0]]

        def rate(self, t, state):
            return -state.z

    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("wheel", None, joints.revolute(Z), mass=1.0, inertia=np.eye(3) * 0.5)
    rec = simulate(b.build(), contacts=contact.Contacts(), t1=1.0, rate=10, controls=Leak(), rtol=1e-11)
    t = rec.time("z")
    assert rec["z"][:, 0] == pytest.approx(2 * np.exp(-t), abs=1e-9)
    assert rec["v"][:, 0] == pytest.approx(0.4 * (1 - np.exp(-t)), abs=1e-9)


# ---- only the model counts -----------------------------------------------------------------------------------------
def test_runs_are_the_same_to_the_bit():
    same(simulate(**tumbling()), simulate(**tumbling()))


def test_samples_do_not_depend_on_how_often_they_are_taken():
    """Steps are no longer than the time between samples, so rates change them; results agree to the tolerance."""
    run = tumbling() | {"rtol": 1e-11, "atol": 1e-13, "t1": 0.6}
    coarse, fine = (simulate(**run | {"rate": rate}) for rate in (10, 500))
    assert [event.name for event in coarse.events] == [event.name for event in fine.events]
    assert [e.time for e in coarse.events] == pytest.approx([e.time for e in fine.events], abs=1e-7)
    assert np.abs(coarse["q"] - fine["q"][::50]).max() < 1e-6  # impacts of corners amplify


def test_run_that_was_stopped_goes_on_to_the_same_bits(tmp_path):
    whole = simulate(**tumbling(), out=tmp_path / "whole.mf")

    def progress(part):
        if part > 0.3:
            raise Stop

    path = tmp_path / "part.mf"
    with pytest.raises(Stop):
        simulate(**tumbling() | {"rate": 1000}, out=path, progress=progress)
    dense = simulate(**tumbling() | {"rate": 1000}, out=tmp_path / "dense.mf")
    went = simulate(**tumbling() | {"rate": 1000}, out=path, resume=True)
    same(dense, went)
    assert whole.complete


KILLED = """
    import sys, time
    import numpy as np
    sys.path.insert(0, {folder!r})
    from test_simulate_contacts import commanded
    from motiform import simulate
    simulate(**commanded(), out={out!r}, progress=lambda part: (print(part, flush=True), time.sleep(1.0)))
"""


def commanded():
    """A box pushed back and forth by commands that are given ten times a second and come late."""
    figure, contacts = box(0.3)

    def law(t, state):
        return [0, 0, 0, 9.0 * np.sign(np.sin(7 * t) - 0.3 * state.q[0]), 0, 0]

    return {
        "what": figure, "contacts": contacts, "t1": 3.0, "rate": 2000, "q0": figure.configuration(body=at(0.1)),
        "controls": actuation.CommandedControl(figure, law, 0.1, 0.03),
    }  # fmt: skip


@pytest.mark.slow
def test_run_that_was_killed_goes_on_to_the_same_bits(tmp_path):
    path = tmp_path / "killed.mf"
    script = textwrap.dedent(KILLED.format(folder=os.path.dirname(__file__), out=str(path)))
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()  # a block is done
    until = time.monotonic() + 120
    while not path.exists() and time.monotonic() < until:  # it appears with the first commit
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    left = open_recording(path)
    assert not left.complete
    assert 0 < left.count("q") < 6001
    went = simulate(**commanded(), out=path, resume=True)
    same(simulate(**commanded()), went)


THREADS = """
    import hashlib, sys
    sys.path.insert(0, {folder!r})
    from test_simulate_contacts import tumbling
    from motiform import simulate
    rec = simulate(**tumbling())
    print(hashlib.sha256(b"".join(rec[name].tobytes() for name in rec) + repr(rec.events).encode()).hexdigest())
"""


@pytest.mark.slow
def test_same_bits_with_any_number_of_threads():
    script = textwrap.dedent(THREADS.format(folder=os.path.dirname(__file__)))
    found = set()
    for threads in "124":
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        env = os.environ | dict.fromkeys(names, threads)
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 1


# ---- the start -----------------------------------------------------------------------------------------------------
def test_start_inside_an_obstacle_is_refused():
    figure, contacts = box()
    with pytest.raises(InputError, match=r"body\.--- on ground.*inside an obstacle.*gap -0\.01"):
        simulate(figure, contacts=contacts, t1=0.1, q0=figure.configuration(body=at(0.09)))


def test_start_that_drifted_a_little_is_put_right():
    figure, contacts = box()
    rec = simulate(figure, contacts=contacts, t1=0.1, rate=20, q0=figure.configuration(body=at(0.1 - 5e-7)))
    assert np.abs(rec["contact.gap"][:, 0]).max() < 1e-12
    assert np.abs(rec["v"]).max() < 1e-10


def test_start_beyond_a_limit_is_refused():
    b = FigureBuilder()
    b.segment("knee", None, joints.revolute(Z, limits=(-1.0, 0.0)), mass=1.0, com=(0, -0.2, 0))
    figure = b.build()
    with pytest.raises(InputError, match=r"knee at its upper limit.*beyond a limit.*gap -0\.1"):
        simulate(figure, contacts=contact.Contacts(), t1=0.1, q0=[0.1])
    assert simulate(figure, contacts=contact.Contacts(limits=False), t1=0.1, rate=20, q0=[0.1]).count("q") == 3


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_velocities_that_break_a_contact_at_the_start_are_an_impact(e):
    """The stated rule: what touches and approaches at the start collides then, and that is told as an event."""
    figure, contacts = ball(e)
    rec = simulate(
        figure, contacts=contacts, t1=0.1, rate=20, q0=figure.configuration(body=at(0.1)),
        v0=figure.velocity(body=(0, 0, 0, 0, -2.0, 0)),
    )  # fmt: skip
    first = rec.events[0]
    assert (first.time, first.name) == (0.0, "impact: body on ground")
    assert first.detail["approach"] == pytest.approx(2.0)
    assert rec["v"][0, 4] == pytest.approx(2 * e)
    assert rec["body.position"][1, 1] == pytest.approx(0.1 + 2 * e * 0.05 - (0.5 * G * 0.05**2 if e else 0), abs=1e-9)


def test_velocities_that_drag_a_contact_that_does_not_slide_are_stopped():
    figure, contacts = box(None)
    rec = simulate(
        figure, contacts=contacts, t1=0.1, rate=20, q0=figure.configuration(body=at(0.1)),
        v0=figure.velocity(body=(0, 0, 0, 0.3, 0, 0)),
    )  # fmt: skip
    assert rec["contact.gap"].min() > -1e-9
    low = rec["contact.mode"][:, [0, 1, 4, 5]]
    slipping = np.abs(rec["v"][:, 3]) > 1e-9
    assert not (slipping & (low == 1).all(1)).any()  # never sticks and slips at once


# ---- what is refused -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"integrator": "rk4"},
            "the integrator must be one for a figure with contacts.*dormand-prince, radau, time-stepping",
        ),
        ({"integrator": "lie-midpoint"}, "the integrator must be one for a figure with contacts"),
        ({"integrator": "time-stepping", "guards": Guard("g", lambda t, s: 1.0)}, "guards need dense output"),
        ({"device": "cuda"}, "CPU"),
        ({"q0": [0, 1]}, "q0 must have 7 numbers"),
        ({"q0": np.full(7, np.nan)}, "q0"),
        ({"v0": [np.nan] * 6}, "v0"),
        ({"controls": 3}, "controls must be functions"),
        ({"loads": "push"}, "loads must be a function"),
        ({"controls": lambda t, s: [1, 2]}, "control returned a wrong value"),
        ({"loads": lambda t, s: [1, 2]}, "load returned a wrong value"),
        ({"contacts": "floor"}, "contacts"),
        ({"step": 0.0}, "step"),
        ({"t1": 0.0}, "t1 is out of range"),
    ],
)
def test_wrong_input_is_named(options, text):
    figure, contacts = box()
    with pytest.raises(InputError, match=text):
        simulate(figure, **{"contacts": contacts, "t1": 0.1, "q0": figure.configuration(body=at(0.1))} | options)


@pytest.mark.parametrize("way", ["dormand-prince", "time-stepping"])
@pytest.mark.parametrize("who", ["controls", "loads"])
def test_numbers_that_are_not_finite_stop_the_run(tmp_path, who, way):
    figure, contacts = box()
    shape = (6,) if who == "controls" else (1, 6)

    def bad(t, state):
        return np.full(shape, np.nan if t > 0.05 else 0.0)

    with pytest.raises(RunError, match=r"not finite|must be finite"):
        simulate(
            figure, contacts=contacts, t1=0.2, rate=100, q0=figure.configuration(body=at(0.1)), integrator=way,
            out=tmp_path / "a.mf", **{who: bad},
        )  # fmt: skip
    rec = open_recording(tmp_path / "a.mf")
    assert not rec.complete
    assert rec.count("q") > 2
    assert np.isfinite(rec["q"]).all()


def test_functions_that_fail_are_named():
    figure, contacts = box()

    def broken(t, state):
        raise ZeroDivisionError("no")

    with pytest.raises(RunError, match=r"a control failed: ZeroDivisionError: no"):
        simulate(figure, contacts=contacts, t1=0.1, q0=figure.configuration(body=at(0.1)), controls=broken)


# ---- storms --------------------------------------------------------------------------------------------------------
def test_ball_under_a_ceiling_that_comes_down_ends():
    """Perfect bounces between floor and press, ever faster: in the end they count as held, and the run goes on."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("press", None, joints.prismatic((0, 1, 0)), mass=50.0)
    b.segment("ball", None, joints.prismatic((0, 1, 0)), mass=0.01)
    figure = b.build()
    point = contact.ContactPoint("ball", "ball", (0, 0, 0), 0.1, restitution=1.0)
    ceiling = contact.plane(name="press", normal=(0, -1, 0), segment="press")
    contacts = contact.Contacts((point,), (contact.floor(), ceiling))
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=100, q0=[0.5, 0.2], v0=[-1.0, 0.5])
    assert rec["contact.gap"].min() > -1e-6
    assert rec["energy"].max() < 0.5 * 50.0 + 0.5 * 0.01 * 0.25 + 1e-6


def test_guard_that_fires_without_end_is_reported():
    figure, contacts = ball()

    def back(t, state):
        return dataclasses.replace(state, v=-state.v)

    # falls through its guard, is sent back up through it, falls again: fine; one that is always zero is not a crossing
    guard = Guard("mirror", lambda t, state: state.q[1] - 0.6, then=back)
    rec = simulate(figure, contacts=contacts, t1=0.5, rate=20, q0=figure.configuration(body=at(0.7)), guards=guard)
    assert rec["body.position"][:, 1].min() > 0.6 - 1e-9


def test_guard_that_ends_the_run():
    figure, contacts = ball()
    low = Guard("half way", lambda t, state: state.q[1] - 0.35, ends=True)
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=100, q0=figure.configuration(body=at(0.6)), guards=low)
    assert rec.events[-1].name == "half way"
    assert rec.events[-1].time == pytest.approx(np.sqrt(0.5 / G), abs=1e-10)
    assert rec.time("q")[-1] <= rec.events[-1].time


def test_guard_that_throws_a_resting_box_up():
    figure, contacts = box()

    def kick(t, state):
        return dataclasses.replace(state, v=state.v + np.array([0, 0, 0, 0, 1.0, 0]))

    guard = Guard("kick", lambda t, state: t - 0.1, then=kick)
    rec = simulate(figure, contacts=contacts, t1=0.4, rate=100, q0=figure.configuration(body=at(0.1)), guards=guard)
    t = rec.time("q")
    air = (t > 0.1 + 1e-9) & (t < 0.1 + 2 / G)
    assert np.abs(rec["body.position"][air, 1] - 0.1 - (t[air] - 0.1) + 0.5 * G * (t[air] - 0.1) ** 2).max() < 1e-9
    landed = [event.time for event in rec.events if event.name.startswith("impact")]
    assert landed == pytest.approx([0.1 + 2 / G], abs=1e-9)


# ---- time-stepping -------------------------------------------------------------------------------------------------
STEPS = {"integrator": "time-stepping", "step": 1e-3}


def test_time_stepping_keeps_a_box_at_rest():
    figure, contacts = box()
    rec = simulate(figure, contacts=contacts, t1=5.0, rate=20, q0=figure.configuration(body=at(0.1)), **STEPS)
    assert np.abs(rec["body.position"] - (0, 0.1, 0)).max() < 1e-6
    assert np.abs(rec["v"]).max() < 1e-6
    assert rec["contact.force"][-1].sum(0) == pytest.approx((0, 2 * G, 0), abs=1e-3)
    assert (rec["contact.mode"][-1, [0, 1, 4, 5]] == 1).all()


def cart(mass=2.0):
    """A mass on a rail, without weight."""
    b = FigureBuilder(gravity=(0.0, 0.0, 0.0))
    b.segment("cart", None, joints.prismatic((1, 0, 0)), mass=mass, com=(0, 0, 0), inertia=np.eye(3))
    return b.build()


def test_time_stepping_a_drive_at_its_limit_is_not_stiff():
    """v = F t/m under the constant force F of the limit, whatever the gains; with a limit of 0 nothing acts."""
    figure, far, gains = cart(2.0), [1e6], {"stiffness": 1e5, "damping": 1e3}
    for limit in (3.0, 0.0):
        drive = actuation.posture_control(figure, far, limit=[limit], **gains)
        rec = simulate(
            figure, contacts=contact.Contacts(), controls=drive, t1=0.5, rate=100, q0=[0.0], v0=[0.7], **STEPS
        )
        t, rounding = rec.time("v"), 500 * 2.0**-52 * 2.0
        assert np.abs(rec["v"][:, 0] - 0.7 - limit / 2.0 * t).max() < rounding
        assert (rec["tau"] == limit).all()


def test_time_stepping_records_the_effort_that_acted():
    """Every step is kept: tau times mean velocity is the gain of kinetic energy, though K h² is 50 times the mass."""
    figure = cart(2.0)
    drive = actuation.posture_control(figure, [0.3], stiffness=1e8, damping=1e3)
    rec = simulate(figure, contacts=contact.Contacts(), controls=drive, t1=0.05, rate=1000, q0=[0.0], v0=[0.7], **STEPS)
    v, tau = rec["v"][:, 0], rec["tau"][1:, 0]
    gain, terms = np.diff(v**2), np.abs(tau * 1e-3) * (np.abs(v[1:]) + np.abs(v[:-1])) / 2
    assert np.abs(tau).max() > 1e4
    # the increment of v is that of M + h D + h² K, 50 times M: its rounding is as much larger
    np.testing.assert_allclose(
        0.5 * 2.0 * gain, tau * 1e-3 * (v[1:] + v[:-1]) / 2, rtol=0, atol=100 * 2e-16 * terms.max()
    )


def test_time_stepping_stops_a_sliding_block_after_its_way():
    """Explicit in time: the way is right to the first order of the step, v0 h."""
    figure, contacts = box(0.4)
    rec = simulate(
        figure, contacts=contacts, t1=1.0, rate=20, q0=figure.configuration(body=at(0.1)),
        v0=figure.velocity(body=(0, 0, 0, 2.0, 0, 0)), **STEPS,
    )  # fmt: skip
    assert rec["body.position"][-1, 0] == pytest.approx(4 / (0.8 * G), abs=2 * 2.0 * 1e-3)
    assert np.abs(rec["v"][-1]).max() < 1e-6


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_time_stepping_bounces(e):
    """The first bounce is as high as e² says, to the first order of the step."""
    figure, contacts = ball(e)
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=1000, q0=figure.configuration(body=at(0.6)), **STEPS)
    height = rec["body.position"][:, 1] - 0.1
    fall = np.sqrt(1 / G)
    first = height[rec.time("q") > fall + 2e-3]
    speed = np.sqrt(G)
    assert first.max() == pytest.approx(0.5 * e * e, abs=3 * speed * 1e-3)
    assert height.min() > -2 * speed * 1e-3
    assert np.diff(rec["energy"]).max() < 0.5 * G * 1e-3  # of the scheme, per step


def test_time_stepping_and_events_agree():
    """The tumbling box: up to the first impact to the step, later both at rest on the floor."""
    run = tumbling() | {"t1": 4.0}
    exact, stepped = simulate(**run, rtol=1e-8), simulate(**run, **STEPS)
    for rec in (exact, stepped):
        assert np.abs(rec["v"][-1]).max() < 1e-3
        assert np.sort(np.abs(rec["contact.gap"][-1]))[:4].max() < 1e-4
        assert np.abs(rec["energy"][-1] - 2 * G * rec["body.position"][-1, 1]).max() < 1e-3


def test_time_stepping_holds_limits():
    b = FigureBuilder()
    b.segment("bob", None, joints.revolute(Z, limits=(-2.0, 0.3)), mass=1.0, com=(0.5, 0, 0), inertia=np.eye(3) * 0.02)
    figure = b.build()
    rec = simulate(figure, contacts=contact.Contacts(), t1=1.0, rate=50, controls=lambda t, state: [10.0], **STEPS)
    assert rec["q"].max() < 0.3 + 1e-3
    assert rec["q"][-1, 0] == pytest.approx(0.3, abs=1e-3)
    assert rec["limit.force"][-1, 0] == pytest.approx(0.5 * G * np.cos(0.3) - 10.0, abs=1e-2)
    assert rec["limit.contact"][[0, -1], 0].tolist() == [0, 1]


def test_time_stepping_resumes_to_the_same_bits(tmp_path):
    run = tumbling() | {"rate": 500, **STEPS}

    def progress(part):
        if part > 0.3:
            raise Stop

    with pytest.raises(Stop):
        simulate(**run, out=tmp_path / "a.mf", progress=progress)
    same(simulate(**run), simulate(**run, out=tmp_path / "a.mf", resume=True))


# ---- edges and odd figures -----------------------------------------------------------------------------------------
def test_point_that_slides_off_a_table_falls():
    b = FigureBuilder()
    shifts = [joints.Axis("prismatic", axis) for axis in np.eye(3)]
    b.segment("puck", None, joints.AxesJoint(shifts, ("x", "y", "z")), mass=1.0)
    figure = b.build()
    table = contact.box((1.0, 0.1, 1.0), name="table", placement=Transform.translation_of((0, 0.95, 0)))
    contacts = contact.Contacts(
        (contact.ContactPoint("tip", "puck", (0, 0, 0), friction=0.1),), (table, contact.floor())
    )
    v = 1.5
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=100, q0=[0, 1.0, 0], v0=[v, 0, 0], rtol=1e-11)
    off = (v - np.sqrt(v * v - 2 * 0.1 * G * 0.5)) / (0.1 * G)
    left = [event.time for event in rec.events if "leaves" in event.name or "edge" in event.name]
    assert left[0] == pytest.approx(off, abs=1e-8)
    hit = next(event for event in rec.events if event.name == "impact: tip on ground")
    assert hit.time == pytest.approx(off + np.sqrt(2 / G), abs=1e-8)


def test_figure_without_points_only_limits_and_figure_without_either():
    b = FigureBuilder()
    b.segment("bob", None, joints.revolute(Z), mass=1.0, com=(0, -0.5, 0))
    figure = b.build()
    rec = simulate(figure, contacts=contact.Contacts(), t1=0.5, rate=20, q0=[1.0], rtol=1e-11)
    plain = simulate(figure, t1=0.5, rate=20, q0=[1.0], rtol=1e-11)
    assert np.abs(rec["q"] - plain["q"]).max() < 1e-9
    assert not [name for name in rec if name.startswith(("contact", "limit"))]


def test_figure_that_cannot_move_is_refused():
    b = FigureBuilder()
    b.segment("stone", None, joints.fixed(), mass=1.0)
    with pytest.raises(MotiformError, match="must be able to move"):
        simulate(b.build(), contacts=contact.Contacts(), t1=0.1)


# ---- the first sample -----------------------------------------------------------------------------------------------
WAYS = ["dormand-prince", "time-stepping"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("load", "lean"), [((0.0, 0.0, 0.0), 0.0), ((3.0, -7.0, 1.0), 0.0), ((0.0, 5.0, 0.0), 0.1)])
def test_what_rests_is_carried_at_the_first_sample(way, load, lean):
    """Statics: contact forces and their moment balance weight and load at t = 0 already, not after the first step."""
    figure, contacts = box(mu=0.9)
    wrench = np.array([[0.0, 0.0, lean, *load]])  # within what the corners and friction hold
    rec = simulate(
        figure, contacts=contacts, t1=0.02, rate=100, integrator=way, q0=figure.configuration(body=at(0.1)),
        loads=lambda t, state: wrench,
    )  # fmt: skip
    needed = np.array([0.0, 2.0 * G, 0.0]) - load
    # a solve of a few rows whose numbers are of the size of the forces: rounding times some hundred
    close = 1e-12 * 2.0 * G
    np.testing.assert_allclose(rec["contact.force"][0].sum(0), needed, atol=close)
    np.testing.assert_allclose(rec["solid.wrench"][0, 0], [0, 0, -lean, *needed], atol=close)
    assert rec["contact.mode"][0].tolist() == [1, 1, 0, 0, 1, 1, 0, 0]
    # Σ y F = −M with all sites at y = −0.1: the centre of pressure is where the moment of the load puts it
    x = (-lean - 0.1 * needed[0]) / needed[1]
    np.testing.assert_allclose(
        rec["solid.center_of_pressure"][0, 0], [x, 0.0, 0.1 * -needed[2] / needed[1]], atol=1e-12
    )


@pytest.mark.parametrize("way", WAYS)
def test_what_slides_rubs_at_the_first_sample(way):
    figure, contacts = box(mu=0.4)
    rec = simulate(
        figure, contacts=contacts, t1=0.02, rate=100, integrator=way, q0=figure.configuration(body=at(0.1)),
        v0=figure.velocity(body=(0, 0, 0, 1.0, 0, 0)),
    )  # fmt: skip
    np.testing.assert_allclose(rec["contact.force"][0].sum(0), [-0.4 * 2 * G, 2 * G, 0], atol=1e-10)
    assert set(rec["contact.mode"][0].tolist()) == {0, 2}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_in_the_air_is_free_at_the_first_sample(way):
    """It lands within the first step, which is not yet."""
    figure, contacts = box()
    rec = simulate(
        figure, contacts=contacts, t1=0.1, rate=50, step=0.02, integrator=way,
        q0=figure.configuration(body=at(0.101)), v0=figure.velocity(body=(0, 0, 0, 0, -1.0, 0)),
    )  # fmt: skip
    assert not rec["contact.force"][0].any()
    assert not rec["contact.mode"][0].any()
    assert rec["contact.force"][1:].any()


@pytest.mark.parametrize("way", WAYS)
def test_a_limit_carries_at_the_first_sample(way):
    b, bar = FigureBuilder(), Box((0.1, 0.4, 0.1))
    hinge = joints.revolute(Z, limits=(0.0, 1.0))
    b.segment("bar", None, hinge, mass=MassProperties(2.0, (0.3, 0, 0), bar.mass_properties(mass=2.0).inertia))
    rec = simulate(b.build(), contacts=contact.Contacts(), t1=0.02, rate=100, integrator=way, q0=[0.0])
    # time-stepping: that of a first step, in which the bar would fall by h²α = 3e-5 rad; its square is left
    np.testing.assert_allclose(rec["limit.force"][0], [2.0 * G * 0.3], rtol=1e-12 if way != "time-stepping" else 1e-9)
    assert (rec["limit.contact"] == -1).all()


def test_contacts_at_limits_are_those_of_a_bouncing_joint():
    """A wheel between −1 and 1 that starts at 2 rad/s, and stops at the upper limit after half a second."""
    b = FigureBuilder()
    b.segment("wheel", None, joints.revolute(Z, limits=(-1.0, 1.0)), inertia=np.eye(3), mass=1.0)
    b.gravity = (0, 0, 0)
    rec = simulate(b.build(), contacts=contact.Contacts(), t1=1.0, rate=50, v0=[2.0], integrator="dormand-prince")
    t = rec.time("limit.contact")
    assert not rec["limit.contact"][t < 0.499].any()
    assert (rec["limit.contact"][t > 0.501] == 1).all()


def test_how_long_blocks_are_changes_no_bit(monkeypatch):
    """A machine that is slow hands samples on one by one, a fast one all at once."""
    figure, contacts = box(mu=0.5)
    q0, v0 = figure.configuration(body=at(0.1)), figure.velocity(body=(0.3, 0.1, 0.2, 1.0, 0.0, 0.3))
    runs = []
    for most in (False, True):
        monkeypatch.setattr(Pace, "full", lambda self, kept, most=most: most)
        runs.append(simulate(figure, contacts=contacts, t1=0.3, rate=100, q0=q0, v0=v0))
    for name in runs[0]:
        assert runs[0][name].tobytes() == runs[1][name].tobytes(), name
