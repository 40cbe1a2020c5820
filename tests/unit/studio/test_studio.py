"""The studio without a browser: what its parts do to the server's state."""

import threading

import numpy as np
import pytest

from motiform.base.errors import RunError
from motiform.form import dress
from motiform.record import Channel, Recording
from motiform.studio import Studio
from motiform.studio.panels import scene_of
from motiform.studio.plots import first_channels
from motiform.studio.timeline import readout
from motiform.studio.view import View, grid_cell, paths_of


@pytest.fixture
def studio():
    with Studio(port=0) as studio:
        yield studio


def test_many_bodies_are_one_batch_and_move_together(server, recording):
    view, form = View(server), dress(recording)
    view.show(form)
    view.draw(20)
    boxes, balls = view._moving
    assert boxes.handle.position == pytest.approx(form.parts[0].position[20, 0])
    assert boxes.handle.wxyz == pytest.approx(form.parts[0].orientation[20, 0])
    # The page gets single precision.
    np.testing.assert_array_equal(balls.handle.batched_positions, form.parts[1].position[20].astype(np.float32))
    view.show(None)
    assert view._moving == []


def test_what_stands_still_is_not_sent_again(server, recording):
    form = dress(recording)
    part = form.parts[0]
    still = type(part)(
        part.name,
        part.shape,
        part.offset,
        part.color,
        part.position[:1].repeat(9, 0),
        part.orientation[:1].repeat(9, 0),
    )
    view = View(server)
    view.show(type(form)((still,), np.arange(9.0)))
    assert view._moving == []


def test_shows_a_recording_and_plots_what_its_scene_asks_for(studio, recording):
    studio.show(recording)
    assert studio.plots.names == ["box.angular_velocity", "energy"]
    assert studio.player.end == pytest.approx(0.5)


def test_coordinates_are_offered_by_name_and_parts_may_be_asked_for(studio):
    names = [f"hip_{k}" for k in range(9)] + ["<b>knee</b>"]
    channel = Channel("q", dims=("coordinate",), shape=(10,), rate=10.0, units=("rad",) * 9 + ("m",))
    manifest = {"labels": {"coordinate": names}, "image": {"plot": ["q", "q.hip_3", "q.none"]}}
    rec = Recording.from_arrays([channel], {"q": np.arange(50.0).reshape(5, 10)}, manifest=manifest)
    studio.show(rec)
    first, second, third = studio.plots._slots
    assert studio.plots.names == ["q.hip_0", "q.hip_3"]  # what has many shows its first; what is not there is left out
    assert (first._named.visible, first._named.options) == (True, tuple(names))
    assert (second._named.visible, second._element.visible, third._picker.value) == (False, False, "(none)")
    first._named.value = names[-1]
    studio.show(rec)
    assert studio.plots.names == ["q.<b>knee</b>", "q.hip_3"]
    assert first._curves.label == "m"
    assert "<b>" not in first._values.content


def test_a_recording_without_shapes_is_still_plotted(studio):
    channel = Channel("marker", unit="m", rate=10.0)
    studio.show(Recording.from_arrays({"marker": (channel, np.arange(5.0))}))
    assert studio.plots.names == ["marker"]
    assert studio.view._moving == []


def test_a_recording_of_no_scene_is_told_and_one_instant_is_short(studio, recording):
    channel = Channel("marker", unit="m", rate=10.0)
    studio.begin(Recording.from_arrays({"marker": (channel, np.arange(1.0))}), None)
    assert "of no scene" in studio.scenes._status.content
    assert "0.000 s" in readout(studio.player)
    studio.begin(recording, None)
    assert "of no scene" not in studio.scenes._status.content


def test_a_run_with_changed_parameters_replaces_what_is_shown(studio, scene):
    studio.scenes.choose(scene)
    studio.scenes.parameters._inputs["scene.duration"][1].value = 0.25
    studio.run()
    studio.runner.join(120)
    assert studio.recording.duration == pytest.approx(0.25)
    assert studio.recording.manifest["settings"] == {"scene.duration": 0.25}


def test_a_failed_run_keeps_what_is_shown(studio, scene, recording):
    studio.scenes.choose(scene)
    studio.show(recording)
    studio.scenes.parameters._inputs["scene.duration"][1].value = -1.0
    studio.run()
    studio.runner.join(120)
    assert studio.recording is recording


def test_an_action_that_fails_never_raises(studio):
    def fail():
        raise ZeroDivisionError

    studio.guard(fail)()


def test_a_recording_knows_its_scene_and_settings(scene):
    from motiform.scene import simulate

    made = simulate(scene, settings={"scene.duration": 0.1})
    own, changed = scene_of(made)
    assert own.document.scene.duration == 0.5
    assert changed.document.scene.duration == 0.1
    assert scene_of(Recording.from_arrays({"a": (Channel("a", rate=1.0), np.zeros(2))})) is None


def test_plots_keep_what_was_chosen():
    names = ["a.position", "a.velocity", "energy"]
    assert first_channels(names, ["", "", ""], []) == ["energy", "a.velocity", ""]
    assert first_channels(names, ["", "", ""], ["a.position", "gone"]) == ["a.position", "energy", ""]
    assert first_channels(names, ["a.velocity", "gone", ""], ["energy"]) == ["a.velocity", "", ""]
    assert first_channels([], ["", ""], []) == ["", ""]


def test_grid_cells_are_round_numbers():
    for size in np.logspace(-3, 4, 50):
        cell = grid_cell(size)
        assert round(cell / 10.0 ** np.floor(np.log10(cell) + 1e-9), 6) in (1, 2, 5)
        # The nearest of 1, 2, 5 is never further than half the widest gap, a factor √2.5.
        assert size / 10 / 2.5**0.5 <= cell * 1.000001
        assert cell <= size / 10 * 2.5**0.5 * 1.000001


def test_paths_are_short_and_end_where_the_body_does():
    line = np.cumsum(np.random.default_rng(0).normal(size=(5000, 3)), axis=0)
    (path,) = paths_of(line[:, None])
    assert len(path) <= 600
    np.testing.assert_array_equal(path[[0, -1]], line[[0, -1]])
    assert paths_of(np.ones((10, 1, 3))) == [None]


def test_a_recording_without_samples_is_shown_with_a_notice(studio, recording):
    said = []
    studio.notify = lambda *text: said.append(text[0])
    empty = {name: (recording.channel(name), recording[name][:0]) for name in recording.names}
    studio.begin(Recording.from_arrays(empty, manifest=recording.manifest, statics=dict(recording.statics)), None)
    assert said == ["No samples yet"]
    assert studio._notice[0] == "No samples yet"  # for the pages that open later
    studio._draw()
    assert studio.plots.names == []
    studio.show(recording)
    assert studio._notice == ("", "")


def test_run_pressed_twice_keeps_the_state_of_the_run_under_way(studio, scene):
    go = threading.Event()
    studio.scenes.choose(scene)
    studio.runner.start(lambda progress: go.wait(10) / 0, on_start=studio.scenes.busy)
    with pytest.raises(RunError, match="under way"):
        studio.run()
    assert studio.scenes._cancel.visible
    assert studio.scenes._bar.visible
    go.set()
    studio.runner.join(10)
    assert studio.scenes._run.visible
