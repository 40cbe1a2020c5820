"""The studio shows a reconstructed trial: figure, markers and tags, and no marker where none was seen."""

import io

import numpy as np
import pytest

pytestmark = pytest.mark.browser
BLUE = [0.0, 0.0, 1.0]


def trial():
    """A grey box and two large markers, one of which is not seen in the second half of ten samples."""
    from motiform.record import Channel, Recording

    count = 10
    markers = np.tile([[-0.6, 1.0, 0.4], [0.6, 1.0, 0.4]], (count, 1, 1))
    markers[5:, 1] = np.nan
    places = {"markers": markers, "tags": np.nan_to_num(markers, nan=1.0) + np.array([0.0, 0.3, 0.0])}
    data = {}
    for name, values in places.items():
        data[name] = (Channel(name, unit="m", dims=("tag", "axis"), shape=(2, 3), rate=10.0), values)
    for name, value, dims in (("position", [0.0, 0.5, 0.0], "axis"), ("orientation", [1.0, 0, 0, 0], "quaternion")):
        channel = Channel(f"box.{name}", dims=(dims,), shape=(len(value),), rate=10.0)
        data[channel.name] = (channel, np.tile(value, (count, 1)))
    box = {"shape": {"kind": "box", "size": [2.0, 0.2, 0.5]}, "offset": [0.0, 0.0, 0.0], "color": [0.6, 0.6, 0.6]}
    form = {
        "box": {**box, "position": "box.position", "orientation": "box.orientation"},
        "markers": {"points": "markers", "radius": 0.2, "color": BLUE},
        "tags": {"points": "tags", "radius": 0.05, "color": [1.0, 0.5, 0.0]},
        "errors": {"lines": ["markers", "tags"], "radius": 0.02, "color": [0.1, 0.1, 0.1]},
    }
    camera = {"from": [0.0, 1.2, 5.0], "to": [0.0, 1.0, 0.0]}
    return Recording.from_arrays(data, manifest={"form": form, "title": "trial", "image": {"camera": camera}})


@pytest.fixture(scope="module")
def shown(browser):
    from motiform.studio import serve

    studio = serve(trial(), port=0, open_browser=False, block=False)
    studio.player.pause()
    studio.player.seek(0.0)
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(120_000)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(studio.url)
    page.wait_for_selector("#motiform-time", state="attached")
    yield studio, page, problems
    studio.close()


def blue(page):
    """Return how many pixels of the left and of the right half of the view are blue."""
    import imageio.v3 as imageio

    data = page.screenshot(clip={"x": 330, "y": 100, "width": 600, "height": 480})
    image = imageio.imread(io.BytesIO(data))[..., :3].astype(int)
    mask = (image[..., 2] > 100) & (image[..., 0] < 0.5 * image[..., 2])
    return int(mask[:, :300].sum()), int(mask[:, 300:].sum())


def wait_until(page, condition):
    for _ in range(600):
        if condition(blue(page)):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"it did not happen: {blue(page)}")


def test_markers_are_there_when_they_were_seen(shown):
    studio, page, problems = shown
    wait_until(page, lambda found: min(found) > 200)
    studio.player.seek(0.8)
    studio._wake.set()
    wait_until(page, lambda found: found[0] > 200 and found[1] < 20)
    studio.player.seek(0.1)
    studio._wake.set()
    wait_until(page, lambda found: min(found) > 200)
    assert problems == []
