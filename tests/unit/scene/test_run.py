"""`simulate`: scenes and models to recordings, and what happens where a recording is already."""

from dataclasses import replace

import numpy as np
import pytest

from models import Stop, stop_after
from motiform import simulate
from motiform.base.errors import InputError, MotiformError, RecordingError
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body
from motiform.motion.run import Guard
from motiform.record import compare, open_recording
from motiform.scene import list_scenes, load_scene, parse_scene

BALL = """
[scene]
title = "A ball"
duration = 0.5
rate = 20
[[body]]
name = "ball"
shape = { ball = 0.5, density = 1000 }
velocity = [1, 2, 0]
spin = [1, 2, 3]
[motion]
step = 0.01
"""
QUICK = {"scene.duration": 0.05, "scene.rate": 40, "motion.step": 0.0125}


LONG = ("arm-reach", "jump")  # kernels of muscles that no other quick test has


@pytest.mark.parametrize(
    "name", [pytest.param(one.name, marks=[pytest.mark.slow] * (one.name in LONG)) for one in list_scenes()]
)
def test_gallery_scenes_run(name):
    few = {"body.leaves.copies.count": 40} if name == "flock" else {}
    quick = {"scene.duration": 0.08, "scene.rate": 25} if load_scene(name).document.network else QUICK
    rec = simulate(name, settings=quick | few)
    assert rec.complete
    assert rec.count("energy") == 3
    bare = {"zmp", "solid.center_of_pressure"}  # NaN where nothing carries
    assert all(np.isfinite(rec[channel]).all() for channel in rec if channel not in bare)
    assert rec.manifest["scene"] == name
    document = load_scene(name).document
    if document.network:
        return  # how networks look is tested on its own
    drawn = {body.name for body in document.body}
    drawn |= {segment.name for figure in document.figure for segment in figure.segment if segment.shape is not None}
    drawn |= {"muscles" for figure in document.figure if figure.muscle}
    drawn |= {"stimulation" for figure in document.figure if figure.stimulation}
    drawn |= {f"obstacle {obstacle.name}" for obstacle in document.obstacle if obstacle.stairs is None}
    found = set(rec.manifest["form"])
    if any(figure.model for figure in document.figure):
        assert found > drawn  # and all shapes of the model
    else:
        assert found == drawn


def test_manifest_tells_how_it_was_made():
    rec = simulate(parse_scene(BALL), settings={"motion.integrator": "rk4"})
    assert rec.manifest["title"] == "A ball"
    assert rec.manifest["motion"]["integrator"] == "rk4"
    assert rec.manifest["motion"]["steps_per_sample"] == 5
    assert rec.manifest["settings"] == {"motion.integrator": "rk4"}
    assert rec.manifest["scene_text"] == BALL
    assert {"version", "machine", "seed", "key"} <= set(rec.manifest)


def test_scene_from_text_file_name_and_object_are_one(tmp_path):
    (tmp_path / "scene.toml").write_text(BALL)
    runs = [simulate(what) for what in (parse_scene(BALL), tmp_path / "scene.toml", str(tmp_path / "scene.toml"))]
    assert compare(runs[0], runs[1]).identical
    assert compare(runs[0], runs[2]).identical


def test_model_takes_its_options():
    model = Bodies((Body("b", MassProperties(1.0, np.zeros(3), np.eye(3))),))
    assert simulate(model, t1=0.5, rate=10, integrator="rk4").count("b.position") == 6
    with pytest.raises(InputError, match=r"the end of the run must be given\. Give t1, in seconds"):
        simulate(model)
    with pytest.raises(TypeError, match="unexpected keyword argument 'dt'"):
        simulate(model, t1=1, dt=0.1)
    with pytest.raises(InputError, match=r"t1.*long"):
        simulate(model, t1="long")
    with pytest.raises(InputError, match=r"a scene has its own options \(got 'step'\)\. Use settings="):
        simulate(parse_scene(BALL), step=0.1)


def test_forces_and_guards_reach_a_scene():
    def lift(t, state):
        return np.array([[0, 9.81, 0]]) * 1000 * 4 / 3 * np.pi * 0.125, np.zeros((1, 3))

    rec = simulate(parse_scene(BALL), forces=[lift])
    assert rec["ball.velocity"] == pytest.approx(np.tile([1, 2, 0], (11, 1)), abs=1e-12)
    top = Guard("top", lambda t, state: state.momentum[0, 1], "down")
    rec = simulate(parse_scene(BALL), settings={"motion.integrator": "dormand-prince"}, guards=[top])
    assert [event.time for event in rec.events] == pytest.approx([2 / 9.81], abs=1e-12)
    other = simulate(
        parse_scene(BALL), settings={"motion.integrator": "dormand-prince"}, guards=[replace(top, name="up")]
    )
    assert "<lambda>" in rec.manifest["key"]  # the names of functions are in the key
    assert rec.manifest["key"] != other.manifest["key"]


# ---- where a recording is already ----------------------------------------------------------------


def test_finished_recording_of_the_same_scene_is_opened(tmp_path):
    out = tmp_path / "run.mf"
    first = simulate(parse_scene(BALL), out=out)
    fractions = []
    again = simulate(parse_scene(BALL), out=out, progress=fractions.append)
    assert fractions == []  # nothing was computed
    assert compare(first, again).identical


def test_recording_of_another_scene_is_never_overwritten_unasked(tmp_path):
    out = tmp_path / "run.mf"
    simulate(parse_scene(BALL), out=out)
    other = parse_scene(BALL, settings={"body.ball.spin": [0, 0, 0]})
    with pytest.raises(RecordingError, match=r"run\.mf: there is a recording already\. Overwrite it"):
        simulate(other, out=out)
    with pytest.raises(RecordingError, match=r"it holds another run and cannot be resumed by this one"):
        simulate(other, out=out, resume=True)
    assert np.all(open_recording(out)["ball.angular_velocity"][0] == (1, 2, 3))
    simulate(other, out=out, overwrite=True)
    assert np.all(open_recording(out)["ball.angular_velocity"] == 0)


def test_anything_else_in_the_way_is_left_alone(tmp_path):
    out = tmp_path / "notes.mf"
    out.write_text("mine")
    for more in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(InputError):
            simulate(parse_scene(BALL), out=out, **more)
    assert out.read_text() == "mine"


def test_cancelled_scene_resumes_to_the_same_bits(tmp_path):
    out, calls = tmp_path / "run.mf", []

    def cancel(fraction):
        calls.append(fraction)
        raise Stop

    with pytest.raises(Stop):
        simulate(parse_scene(BALL), out=out, progress=cancel)
    assert not open_recording(out).complete
    with pytest.raises(RecordingError, match=r"there is a recording already\. Resume it"):
        simulate(parse_scene(BALL), out=out)
    resumed = simulate(parse_scene(BALL), out=out, resume=True)
    assert resumed.complete
    assert compare(simulate(parse_scene(BALL)), resumed).identical


def test_resume_begins_where_there_is_nothing_yet(tmp_path):
    assert simulate(parse_scene(BALL), out=tmp_path / "new.mf", resume=True).complete


def test_runs_are_not_mixed(tmp_path):
    """A recording goes on with the model that began it, or not at all."""

    def model(mass):
        return Bodies((Body("b", MassProperties(mass, np.zeros(3), np.eye(3))),))

    stop = stop_after(0.3)
    out = tmp_path / "a.mf"
    with pytest.raises(KeyboardInterrupt):
        simulate(model(1.0), t1=200, rate=100, out=out, progress=stop)
    for other in ({"t1": 200, "rate": 50}, {"t1": 200, "rate": 100, "step": 1e-2}):
        with pytest.raises(MotiformError, match="another run"):
            simulate(model(1.0), out=out, resume=True, **other)
    with pytest.raises(MotiformError, match="another run"):
        simulate(model(2.0), t1=200, rate=100, out=out, resume=True)
    assert simulate(model(1.0), t1=200, rate=100, out=out, resume=True).complete


def test_a_new_title_or_camera_needs_no_new_run(tmp_path):
    out = tmp_path / "ball.mf"
    first = simulate(parse_scene(BALL), out=out)
    again = simulate(parse_scene(BALL.replace("A ball", "The ball") + "[image]\nground = false\n"), out=out)
    assert (again.manifest["title"], again.manifest["image"]["ground"]) == ("The ball", False)
    assert open_recording(out).manifest["title"] == "The ball"
    assert (again["energy"] == first["energy"]).all()


def test_what_cannot_be_run_is_named():
    model = Bodies((Body("b", MassProperties(1.0, np.zeros(3), np.eye(3))),))
    short = {"t1": 0.1, "rate": 10}
    with pytest.raises(InputError, match="only a scene or a model can be simulated"):
        simulate(None)
    with pytest.raises(InputError, match="settings belong to scenes"):
        simulate(model, settings={"motion.step": 1}, **short)
    with pytest.raises(InputError, match="not a function of the run"):
        simulate(model, forces=[3], **short)
    with pytest.raises(InputError, match="not a function of the run"):
        simulate(model, guards=["x"], **short)
    with pytest.raises(InputError, match="must fit into half of the memory"):
        simulate(model, t1=0.5, rate=1e9, step=1.0)
    with pytest.raises(MotiformError, match="a force function failed: ZeroDivisionError"):
        simulate(model, forces=lambda t, state: 1 / 0, **short)
    with pytest.raises(MotiformError, match="numbers that are not finite"):
        simulate(model, forces=lambda t, state: (state.position * np.nan, state.position), **short)
    with pytest.raises(MotiformError, match="a guard returned a wrong value"):
        simulate(model, guards=Guard("g", lambda t, state: None), integrator="dormand-prince", **short)
    fall = Guard("g", lambda t, state: state.position[0, 1] + 0.01, "down", then=lambda t, state: None)
    with pytest.raises(InputError, match="an event returned a wrong value"):
        simulate(model, guards=fall, integrator="dormand-prince", **short)
