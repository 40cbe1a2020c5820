"""A person pushes matter: starts a live scene, drags the hand, holds, saves, replays."""

import numpy as np
import pytest

from motiform.motion.matter import Engine
from motiform.record import open_recording
from motiform.studio.live import replayed

from .conftest import PATIENCE

pytestmark = pytest.mark.browser

SCENE = """
[scene]
title = "Soft bar"
duration = 1
rate = 50

[[network]]
name = "bar"

[[network.masses]]
name = "bar"
grid = { shape = [6, 2, 2], spacing = 0.1, at = [-0.25, 0.05, -0.05] }
mass = 0.02
radius = 0.05
color = [0.9, 0.05, 0.05]

[[network.imposed]]
name = "hand"
at = [0, 0.6, 0]
radius = 0.12
color = [0.05, 0.05, 0.9]
motion = { wave = { amplitude = 0, frequency = 1 } }

[[network.link]]
name = "flesh"
grid = "bar"
law = "spring"
stiffness = 60
damping = 0.2

[[network.reach]]
name = "touch"
points = "hand"
others = "bar"
law = "visco_elastic_buffer"
stiffness = 400
damping = 0.3

[[network.solid]]
name = "table"
floor = 0
points = "bar"
law = "visco_elastic_buffer"
stiffness = 400
damping = 0.3

[image]
camera = { from = [0, 0.7, 2.2], to = [0, 0.4, 0] }
"""


@pytest.fixture(scope="module")
def live_studio(tmp_path_factory):
    from motiform.studio import serve

    path = tmp_path_factory.mktemp("live") / "bar.toml"
    path.write_text(SCENE, "utf-8")
    studio = serve(scene=path, port=0, open_browser=False, block=False, live=True)
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def live_page(browser, live_studio):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(PATIENCE)
    page.goto(live_studio.url)
    page.wait_for_selector("#motiform-time", state="attached")
    page.wait_for_function("() => (window.ticks = (window.ticks || 0) + 1) > 20", polling="raf", timeout=PATIENCE)
    return page


def wait_until(page, condition):
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail("it did not happen")


def pixel(page, studio, point):
    """Return where a point of the world [m] is on the page, by the camera that the page told of."""
    (client,) = studio.server.get_clients().values()
    camera = client.camera
    forward = np.array(camera.look_at) - camera.position
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    seen = np.asarray(point) - camera.position
    scale = 1 / (np.tan(camera.fov / 2) * (seen @ forward))
    box = page.locator("canvas").first.bounding_box()
    x = box["x"] + box["width"] / 2 + 0.5 * box["height"] * scale * (seen @ right)
    return x, box["y"] + box["height"] / 2 - 0.5 * box["height"] * scale * (seen @ up)


def test_time_goes_on(live_page, live_studio):
    wait_until(live_page, lambda: live_studio.live.live.seconds > 0.2)
    live_page.locator("#motiform-live").wait_for(state="attached")


def test_the_hand_is_dragged_and_pushes(live_page, live_studio, tmp_path, monkeypatch):
    page, live = live_page, live_studio.live.live
    wait_until(page, lambda: len(live_studio.server.get_clients()) == 1)
    before = live.engine.state().position
    start = live.hand
    # The upright arrow of the hand's handle begins at the hand and is 3.5 radii long.
    x, y = pixel(page, live_studio, start + np.array([0, 0.25, 0]))
    to_x, to_y = pixel(page, live_studio, start - np.array([0, 0.25, 0]))
    page.mouse.move(x, y)
    page.wait_for_timeout(500)
    page.mouse.down()
    for part in np.linspace(0, 1, 12):
        page.mouse.move(x + part * (to_x - x), y + part * (to_y - y))
        page.wait_for_timeout(60)
    page.mouse.up()
    wait_until(page, lambda: live.hand[1] < start[1] - 0.3)
    assert abs(live.hand[0] - start[0]) < 0.05  # along its arrow alone
    wait_until(page, lambda: np.abs(live.engine.state().position - before)[:-1].max() > 0.01)

    page.get_by_text("Live", exact=True).first.click()  # the folder
    page.get_by_role("button", name="Hold", exact=True).click()
    page.get_by_role("button", name="Go on", exact=True).wait_for()
    monkeypatch.chdir(tmp_path)
    page.get_by_role("button", name="Save the gesture").click()
    wait_until(page, lambda: (tmp_path / "bar-gesture.mf").exists() and _complete(tmp_path / "bar-gesture.mf"))
    gesture = open_recording(tmp_path / "bar-gesture.mf")
    assert gesture["hand.position"].shape == (live.engine.sample + 1, 1, 3)
    assert gesture["hand.position"][:, 0, 1].min() < start[1] - 0.3

    at_the_end, sample = live.engine.state().position, live.engine.sample
    page.get_by_role("button", name="Replay the gesture").click()
    wait_until(page, lambda: live_studio.live.live is None and live_studio.recording is not None)
    rec = live_studio.recording
    again = Engine(replayed(live.network, gesture))
    again.advance((rec.count("bar.position") - 1) * round(live.network.frequency / rec.channel("bar.position").rate))
    np.testing.assert_array_equal(rec["bar.position"][-1], again.state().position[:24])
    again.advance(sample - again.sample)
    np.testing.assert_array_equal(again.state().position, at_the_end)
    page.get_by_text(f"of {rec.count('bar.position')}").wait_for(state="attached")


def _complete(path):
    try:
        return open_recording(path).complete
    except Exception:
        return False
