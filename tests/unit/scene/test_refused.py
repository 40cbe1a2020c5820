"""A run that is refused leaves nothing on disk and loses nothing there, whatever is simulated and whoever refuses."""

import numpy as np
import pytest

from models import free_body, on_floor
from models import two_links as arm
from motiform import FigureBuilder, NetworkBuilder, Transform, actuation, joints, simulate
from motiform.base.errors import InputError, MotiformError, RecordingError
from motiform.geometry import Ball, Box, MassProperties
from motiform.motion.bodies import Bodies, Body
from motiform.motion.matter import links
from motiform.motion.run import Guard, RunOptions
from motiform.record import Channel, Recorder, compare, open_recording
from motiform.scene import parse_scene
from runs import simulate_coupled

SHORT = {"t1": 0.1, "rate": 20}


def two_bodies():
    matter = MassProperties(1.0, np.zeros(3), np.eye(3))
    return Bodies((Body("a", matter), Body("b", matter, position=(1, 0, 0))))


def rope(**changes):
    b = NetworkBuilder()
    nail = b.fixed("nail", [0, 0, 0])
    bob = b.masses("bob", [[0.1, 0, 0], [0.2, 0, 0]], mass=0.1)
    b.link("spring", (nail, bob[0]), links.spring(stiffness=10.0))
    if "imposed" in changes:
        b.imposed("hand", changes["imposed"])
    if "push" in changes:
        b.push("wind", bob, changes["push"])
    if "solid" in changes:
        law = links.elastic_buffer(10.0, 0.0)
        b.solid("ball", Ball(0.1), Transform.identity(), bob, law=law, motion=changes["solid"])
    return b.build()


def after(first, later):
    """Return a function that gives one thing when it is first asked, as the model is made, and then another."""
    answers = [first]
    return lambda t: answers.pop() if answers else later


def figure_with_contacts(height=0.1):
    figure = free_body(Box((0.4, 0.2, 0.3)), 2.0, "box")
    return {
        "what": figure,
        "contacts": on_floor(figure, friction=0.4),
        "q0": figure.configuration(box=(0, height, 0, 1, 0, 0, 0)),
    }


def commands(answer):
    """Return a control whose law, asked at instants, gives this."""
    return actuation.CommandedControl(figure_with_contacts()["what"], lambda t, state: answer, 0.01)


def coupled(out, overwrite=False, controls=None, **options):
    """A rope and an arm that do not touch, in one run."""
    run = RunOptions(0.1, rate=25, integrator="central-difference")
    return simulate_coupled(rope(**options), arm(), run, controls=controls, out=out, overwrite=overwrite)


SCENE = """
[scene]
title = "a crate"
duration = 0.1
rate = 20
[[body]]
name = "crate"
shape = {{ box = [0.4, 0.2, 0.3], density = 500 }}
pose = {{ at = [0, {height}, 0] }}
[[obstacle]]
name = "ground"
floor = 0
"""


def stepped(what, **options):
    return lambda out, overwrite: simulate(what, out=out, overwrite=overwrite, **SHORT | options)


def matter(**changes):
    """Return the run of a rope, made anew each time from functions that make what is changed."""

    def run(out, overwrite):
        made = {key: make() for key, make in changes.items()}
        return simulate(rope(**made), t1=0.1, rate=25, out=out, overwrite=overwrite)

    return run


def run_scene(height):
    return lambda out, overwrite: simulate(parse_scene(SCENE.format(height=height)), out=out, overwrite=overwrite)


EVENTS = {"integrator": "dormand-prince"}
ONE = Transform.identity()
#: What refuses at the first instant, and the same put right.
CASES = {
    "scene inside the floor": (run_scene(0.05), run_scene(0.1)),
    "figure inside the floor": (
        lambda out, overwrite: simulate(**figure_with_contacts(0.05), **SHORT, out=out, overwrite=overwrite),
        lambda out, overwrite: simulate(**figure_with_contacts(), **SHORT, out=out, overwrite=overwrite),
    ),
    "forces of one body for two": (
        stepped(two_bodies(), forces=lambda t, state: (np.zeros(3), np.zeros((2, 3)))),
        stepped(two_bodies(), forces=lambda t, state: (np.zeros((2, 3)), np.zeros((2, 3)))),
    ),
    "torques that are one number": (
        stepped(two_bodies(), forces=lambda t, state: (np.zeros((2, 3)), 0.0)),
        stepped(two_bodies(), forces=lambda t, state: (np.zeros((2, 3)), np.zeros((2, 3)))),
    ),
    "forces of bodies, adaptive": (
        stepped(two_bodies(), forces=lambda t, state: np.zeros((2, 3)), **EVENTS),
        stepped(two_bodies(), **EVENTS),
    ),
    "guard of bodies with two numbers": (
        stepped(two_bodies(), guards=Guard("g", lambda t, state: state.position[:, 0]), **EVENTS),
        stepped(two_bodies(), guards=Guard("g", lambda t, state: state.position[0, 0] - 1), **EVENTS),
    ),
    "one control for two joints": (
        stepped(arm(), controls=lambda t, s: 0.0), stepped(arm(), controls=lambda t, s: [0.0, 0.0])
    ),
    "controls in a column": (stepped(arm(), controls=lambda t, s: [[0.0], [0.0]]), stepped(arm())),
    "controls of text": (stepped(arm(), controls=lambda t, s: ["0", "0"]), stepped(arm())),
    "controls of complex numbers": (stepped(arm(), controls=lambda t, s: np.zeros(2, complex)), stepped(arm())),
    "controls, fixed steps": (
        stepped(arm(), controls=lambda t, s: 0.0, integrator="rk4"), stepped(arm(), integrator="rk4")
    ),
    "one load for two segments": (
        stepped(arm(), loads=lambda t, s: np.zeros((1, 6))), stepped(arm(), loads=lambda t, s: np.zeros((2, 6)))
    ),
    "loads that are not finite": (stepped(arm(), loads=lambda t, s: np.full((2, 6), np.inf)), stepped(arm())),
    "loads that fail": (stepped(arm(), loads=lambda t, s: 1 / 0), stepped(arm())),
    "guard of a figure that is not finite": (
        stepped(arm(), guards=Guard("g", lambda t, s: np.inf)), stepped(arm(), guards=Guard("g", lambda t, s: 1.0))
    ),
    "controls with contacts": (
        stepped(**figure_with_contacts(), controls=lambda t, s: 0.0), stepped(**figure_with_contacts())
    ),
    "loads with contacts, stepped": (
        stepped(**figure_with_contacts(), integrator="time-stepping", loads=lambda t, s: 0.0),
        stepped(**figure_with_contacts(), integrator="time-stepping", loads=lambda t, s: np.zeros(6)),
    ),
    "commands with contacts": (
        stepped(**figure_with_contacts(), controls=commands(0.0)),
        stepped(**figure_with_contacts(), controls=commands(np.zeros(6))),
    ),
    "guard with contacts": (
        stepped(**figure_with_contacts(), guards=Guard("g", lambda t, s: s.q)), stepped(**figure_with_contacts())
    ),
    "imposed points at one place": (
        matter(imposed=lambda: after(np.eye(3)[:2], np.zeros(3))), matter(imposed=lambda: lambda t: np.eye(3)[:2])
    ),
    "imposed points that fail": (matter(imposed=lambda: lambda t: 1 / 0), matter()),
    "pushes of other points": (
        matter(push=lambda: lambda t: np.zeros((3, 3))), matter(push=lambda: lambda t: np.zeros(3))
    ),
    "pushes that fail": (matter(push=lambda: lambda t: 1 / 0), matter()),
    "solid that is nowhere": (matter(solid=lambda: lambda t: np.eye(4)), matter(solid=lambda: lambda t: ONE)),
    "matter that would diverge": (
        lambda out, overwrite: simulate(stiff(1e9), t1=0.1, rate=25, out=out, overwrite=overwrite),
        lambda out, overwrite: simulate(stiff(10.0), t1=0.1, rate=25, out=out, overwrite=overwrite),
    ),
    "controls of a figure with matter": (
        lambda out, overwrite: coupled(out, overwrite, controls=lambda t, s: 0.0), coupled
    ),
    "pushes beside a figure": (
        lambda out, overwrite: coupled(out, overwrite, push=lambda t: [0.0]), coupled
    ),
}  # fmt: skip


def stiff(stiffness):
    b = NetworkBuilder()
    pair = b.masses("pair", [[0, 0, 0], [0.1, 0, 0]], mass=0.1)
    b.link("spring", (pair[0], pair[1]), links.spring(stiffness=stiffness))
    return b.build()


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_left_and_what_is_put_right_runs(tmp_path, case):
    wrong, right = CASES[case]
    out = tmp_path / "new" / "x.mf"
    with pytest.raises(MotiformError) as caught:
        wrong(out, False)
    assert any(word in str(caught.value) for word in ("(got", "(allowed", "failed"))
    assert list(tmp_path.iterdir()) == []
    assert right(out, False).complete


@pytest.mark.parametrize("case", CASES)
def test_what_was_to_be_replaced_is_still_there(tmp_path, case):
    old = simulate(stiff(1.0), t1=0.1, rate=25, out=tmp_path / "x.mf")
    with pytest.raises(MotiformError):
        CASES[case][0](tmp_path / "x.mf", True)
    assert compare(open_recording(tmp_path / "x.mf"), old).identical
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.mf"]


# ---- what is wrong later ----------------------------------------------------------------------------------------
EVENT = {
    "bodies": (two_bodies(), EVENTS, lambda t, state: state.replace(momentum=np.zeros(3))),
    "figure": (arm(), {}, lambda t, state: type(state)(state.q[:1], state.v)),
    "contacts": (figure_with_contacts(), {}, lambda t, state: type(state)(state.q, np.zeros(3))),
    "not a state": (figure_with_contacts(), {}, lambda t, state: state.q),
    "not finite": (arm(), {}, lambda t, state: type(state)(state.q * np.nan, state.v)),
    "fails": (arm(), {}, lambda t, state: 1 / 0),
}


@pytest.mark.parametrize("case", EVENT)
def test_events_that_give_another_state_are_named(case):
    what, options, then = EVENT[case]
    given = what if isinstance(what, dict) else {"what": what}
    text = r"guard 'g' at t = 0\.05 s: an event('s \w+)? (returned|failed)"
    with pytest.raises(MotiformError, match=text):
        simulate(**given, **SHORT, **options, guards=Guard("g", lambda t, state: t - 0.05, then=then))


def test_of_one_the_axis_may_be_left_out():
    """One joint takes a number, one body a vector: nothing else can be meant."""
    b, bar = FigureBuilder(), Box((0.1, 0.4, 0.1))
    b.segment("bar", None, joints.revolute((0, 0, 1)), mass=bar.mass_properties(mass=1.0))
    figure = b.build()
    for short, full in ((0.5, [0.5]), (np.float64(0.5), np.array([0.5]))):
        runs = [simulate(figure, **SHORT, controls=lambda t, s, a=answer: a) for answer in (short, full)]
        assert compare(*runs).identical
    load = np.arange(6.0)
    assert compare(*(simulate(figure, **SHORT, loads=lambda t, s, a=a: a) for a in (load, load[None]))).identical
    body = Bodies((Body("a", MassProperties(1.0, np.zeros(3), np.eye(3))),))
    push = np.array([1.0, 2.0, 3.0])
    runs = [simulate(body, **SHORT, forces=lambda t, s, a=a: (a, 0 * a)) for a in (push, push[None])]
    assert compare(*runs).identical


# ---- recordings without a sample --------------------------------------------------------------------------------
def leftover(path):
    """What a process leaves that was killed after it had made a recording and before it had a sample to commit."""
    recorder = Recorder(path, [Channel("x", rate=1.0)], manifest={"key": "of another run"})
    recorder.commit(force=True)
    recorder._sink.release()


@pytest.mark.parametrize("resume", [False, True])
def test_a_recording_without_samples_is_begun_anew(tmp_path, resume):
    leftover(tmp_path / "x.mf")
    rec = simulate(two_bodies(), **SHORT, out=tmp_path / "x.mf", resume=resume)
    assert rec.complete
    assert rec.count("a.position") == 3


def test_a_run_is_resumed_or_overwritten(tmp_path):
    with pytest.raises(InputError, match="a run is resumed or overwritten"):
        simulate(two_bodies(), **SHORT, out=tmp_path / "x.mf", resume=True, overwrite=True)


def test_a_recording_that_is_there_is_refused_before_anything_is_computed(tmp_path):
    simulate(stiff(1.0), t1=0.1, rate=25, out=tmp_path / "x.mf")
    asked = []
    with pytest.raises(RecordingError, match="there is a recording already"):
        simulate(arm(), **SHORT, out=tmp_path / "x.mf", controls=lambda t, s: asked.append(t))
    assert asked == []
