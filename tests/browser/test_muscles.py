"""A person moves a slider of a muscle: the scene runs again, and lines, plots and numbers follow."""

import io

import numpy as np
import pytest

from motiform.studio import serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCENE = """
[scene]
title = "Pulled"
duration = 0.3
rate = 100

[[figure]]
name = "arm"

[[figure.segment]]
name = "rod"
joint = { revolute = [0, 0, 1], names = ["flexion"] }
mass = 4
com = [0, -0.2, 0]
inertia = [0.1, 0.01, 0.1]
damping = 1
shape = { parts = [{ capsule = { radius = 0.01, length = 0.4 }, pose = { at = [0, -0.2, 0] } }] }
color = [0.9, 0.9, 0.9]

[[figure.muscle]]
name = "biceps"
points = [{ segment = "world", at = [0.05, 0.25, 0] }, { segment = "rod", at = [0.05, -0.1, 0] }]
max_force = 9000
fibre_length = 0.15
slack_length = 0.2
curves = "millard"
activation = 0.02
excitation = { times = [0], values = [0.0] }

[motion]
rtol = 1e-5

[image]
camera = { from = [0, 0, 1.2], to = [0, 0, 0] }
"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "pulled.toml"
    path.write_text(SCENE, "utf-8")
    studio = serve(scene=path, port=0, open_browser=False, block=False)
    studio.runner.join(300)
    studio.player.pause()
    studio.player.seek(0.3)
    yield studio
    studio.close()


def shares(page):
    """Return how much of the view is red, and how much blue."""
    import imageio.v3 as imageio

    data = page.screenshot(clip={"x": 330, "y": 150, "width": 560, "height": 400})
    red, green, blue = np.moveaxis(imageio.imread(io.BytesIO(data))[..., :3].astype(int), -1, 0)
    return float(((red > 120) & (green < red // 3) & (blue < red // 3)).mean()), float(
        ((blue > 120) & (red < blue // 2)).mean()
    )


def slide(page, label, share):
    """Click on the rail beside a label."""
    beside = page.get_by_text(label, exact=True).bounding_box()
    rails = [rail.bounding_box() for rail in page.locator(".mantine-Slider-trackContainer").all()]
    rail = min(rails, key=lambda box: abs(box["y"] - beside["y"]) + abs(box["x"] - beside["x"]))
    page.mouse.click(rail["x"] + share * (rail["width"] - 1), rail["y"] + rail["height"] / 2)


def until(page, condition):
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail("it did not happen")


def test_a_slider_runs_the_scene_again(page, studio):
    until(page, lambda: shares(page)[1] > 0.002)  # the muscle rests: a blue line
    assert studio.plots.names == ["muscles.activation", "muscles.force", "tau"]
    before = studio.recording
    assert before["muscles.activation"].max() < 0.05
    slide(page, "biceps from 0 s", 1.0)
    until(page, lambda: studio.recording is not before)
    assert studio.recording.manifest["settings"] == {
        "figure.arm.muscle.biceps.excitation.values.0": pytest.approx(1.0, abs=0.02)
    }
    assert studio.recording["muscles.activation"][-1, 0] > 0.95
    assert studio.recording["q"][-1, 0] > before["q"][-1, 0] + 0.1
    studio.player.pause()
    studio.player.seek(0.3)
    studio._wake.set()
    until(page, lambda: shares(page)[0] > 0.002 and shares(page)[1] < 0.001)  # it is red now
    values = page.locator(".motiform-values").first.inner_text().split()
    assert values[0] == "biceps"
