"""A network that runs while a hand pushes it, without a page: time, gestures, replays."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError
from motiform.motion.matter import Engine, NetworkBuilder, links, topology
from motiform.record import open_recording
from motiform.scene import parse_scene, simulate
from motiform.scene.build.matter import build_networks
from motiform.studio.live import HAND, LiveNetwork, network_with_hand, replayed
from motiform.studio.live_panel import LivePanel

SCENE = """
[scene]
title = "Rope"
duration = {duration}
rate = 1050
[[network]]
name = "rope"
[[network.masses]]
name = "rope"
line = {{ from = [-0.4, 0, 0], to = [0.4, 0, 0], count = 9 }}
mass = 0.02
radius = 0.04
[[network.imposed]]
name = "hand"
radius = 0.1
{hand}
[[network.link]]
name = "strands"
chain = "rope"
law = "spring"
stiffness = 200
damping = 0.3
[[network.reach]]
name = "touch"
points = "hand"
others = "rope"
law = "visco_elastic_buffer"
stiffness = 300
damping = 0.2
[environment]
gravity = [0, 0, 0]
"""
STILL = "at = [0, 0.3, 0]\nmotion = { path = { times = [0, 9], points = [[0, 0, 0], [0, 0, 0]] } }"


def rope():
    return parse_scene(SCENE.format(duration=1, hand=STILL))


def pushed(live):
    """Let a hand go down through the rope and aside."""
    for target in ((0, 0.2, 0), (0.1, 0.0, 0.02), (0.3, -0.2, 0.0)):
        live.move(target)
        live.advance(70)
    return live


def test_the_hand_follows_and_pushes():
    live = pushed(LiveNetwork(build_networks(rope())))
    assert live.seconds == pytest.approx(0.2)
    # Two low passes of 25 ms after 67 ms: (1 + t/τ) e^{−t/τ} = 26 % of the last move is still to go.
    assert np.linalg.norm(live.hand - [0.3, -0.2, 0]) < 0.3 * np.hypot(0.2, 0.2) + 0.1
    assert np.abs(live.engine.state().position[:9, 1]).max() > 1e-3


def test_a_gesture_replays_to_the_same_bits():
    live = pushed(LiveNetwork(build_networks(rope())))
    again = Engine(replayed(build_networks(rope()), live.gesture()))
    again.advance(live.engine.sample)
    np.testing.assert_array_equal(again.state().position, live.engine.state().position)
    np.testing.assert_array_equal(again.state().previous, live.engine.state().previous)


def test_a_scene_replays_a_gesture_to_the_same_bits(tmp_path):
    live = pushed(LiveNetwork(build_networks(rope())))
    live.gesture(tmp_path / "gesture.mf")
    assert open_recording(tmp_path / "gesture.mf").complete
    hand = 'motion = { recording = { file = "gesture.mf", channel = "hand.position" } }'
    text = SCENE.format(duration=live.engine.sample / 1050, hand=hand)
    rec = simulate(parse_scene(text, folder=tmp_path))
    np.testing.assert_array_equal(rec["rope.position"][-1], live.engine.state().position[:9])
    np.testing.assert_array_equal(rec["hand.position"], live.gesture()["hand.position"])


def test_it_begins_anew():
    live = LiveNetwork(build_networks(rope()))
    start = live.engine.state().position
    pushed(live).reset()
    np.testing.assert_array_equal(live.engine.state().position, start)
    assert live.gesture().count("hand.position") == 1


def test_time_goes_on_in_a_thread_and_is_held():
    frames, seen = [], threading.Event()

    def on_frame(frame):
        frames.append(frame["rope.position"])
        if len(frames) > 3:
            seen.set()

    live = LiveNetwork(build_networks(rope()), on_frame=on_frame)
    live.start()
    assert live.running
    assert seen.wait(60)
    live.pause()
    live.close()
    assert not live.running
    sample = live.engine.sample
    assert sample >= 3 * live.steps
    time.sleep(0.1)
    assert live.engine.sample == sample


def test_a_run_that_diverges_is_reported_and_held():
    ended = threading.Event()
    b = NetworkBuilder(gravity=(0, 0, 0))
    ends = b.masses("ends", [[0, 0, 0], [1.0, 0, 0]], mass=1e-6, velocity=[[1.0, 0, 0], [-1.0, 0, 0]])
    b.link("stiff", topology.chain(ends), links.spring(1e6))
    live = LiveNetwork(b.build(), on_end=lambda error: ended.set() if isinstance(error, MotiformError) else None)
    live.start()
    assert ended.wait(60)
    assert not live._running.is_set()
    live.close()


def test_a_network_without_a_hand_gets_one_above_it():
    b = NetworkBuilder()
    b.masses("grains", [[0, 0, 0], [1, 0, 0], [0, 2, 0]], mass=0.01, radius=0.1)
    network = network_with_hand(b.build())
    hand = network.group(HAND)
    assert hand.position[0, 1] > 2.1 + hand.radius[0]
    live = LiveNetwork(b.build())
    live.move([0.0, 2.0, 0.0])  # into the grain at the top
    live.advance(200)
    assert live.engine.state().position[2, 1] < 2.0 - 9.81 * (200 / 1050) ** 2 / 2 * 1.01  # faster than it falls


@pytest.mark.parametrize("count", [0, 2])
def test_what_is_no_hand_is_refused(count):
    b = NetworkBuilder()
    if count:
        b.masses(HAND, np.eye(3)[:count], mass=1.0)
    else:
        b.fixed("nail", [0, 0, 0])
    with pytest.raises(InputError, match=r"hand|the network must have movable masses"):
        LiveNetwork(b.build())


def test_a_place_that_is_none_is_refused():
    with pytest.raises(InputError, match="finite"):
        LiveNetwork(build_networks(rope())).move([np.nan, 0, 0])


@pytest.mark.parametrize(
    "name", ["../../outside", "/tmp/outside", "a/b", "..", "", "\\\\host\\share", "x" * 300, "<b>\0"]
)
def test_a_gesture_is_saved_in_the_folder_whatever_the_scene_is_called(name, tmp_path, monkeypatch):
    here = tmp_path / "deep" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    live, said = pushed(LiveNetwork(build_networks(rope()))), []
    panel = SimpleNamespace(_running=lambda: live, _scene=SimpleNamespace(name=name, title=name), _say=said.append)
    path = LivePanel.save(panel)
    assert [entry.resolve() for entry in here.iterdir()] == [path.resolve()]
    assert list(tmp_path.iterdir()) == [tmp_path / "deep"]
    assert open_recording(path).count(f"{HAND}.position") > 0
