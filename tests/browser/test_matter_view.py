"""The studio shows matter: a skin that crosses the view, and a link that stretches with it."""

import io

import numpy as np
import pytest

pytestmark = pytest.mark.browser


def crossing():
    """A red sheet left of the middle, then right of it; a green link from a point above the middle to its corner."""
    from motiform.record import Channel, Recording

    sheet = np.array([[-1.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [-0.3, 1.2, 0.0], [-1.3, 1.2, 0.0]])
    places = {"sheet": np.stack([sheet, sheet * [-1.0, 1.0, 1.0]]), "nail": np.tile([[[0.0, 1.8, 0.0]]], (2, 1, 1))}
    data = {}
    for name, values in places.items():
        channel = Channel(name, unit="m", dims=("point", "axis"), shape=values.shape[1:], rate=1.0)
        data[name] = (channel, values)
    form = {
        "sheet": {"skin": "sheet", "faces": [[0, 1, 2], [0, 2, 3]], "color": [1.0, 0.0, 0.0]},
        "rope": {"links": ["nail", "sheet"], "pairs": [[0, 2]], "radius": 0.05, "color": [0.0, 0.7, 0.0]},
        "nail": {"points": "nail", "radius": 0.08, "color": [0.2, 0.2, 0.2]},
    }
    camera = {"from": [0.0, 1.0, 5.0], "to": [0.0, 1.0, 0.0]}
    return Recording.from_arrays(data, manifest={"form": form, "title": "sheet", "image": {"camera": camera}})


@pytest.fixture(scope="module")
def shown(browser):
    from motiform.studio import serve

    studio = serve(crossing(), port=0, open_browser=False, block=False)
    studio.player.pause()
    studio.player.seek(0.0)
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(120_000)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: said.type == "error" and problems.append(said.text))
    page.goto(studio.url)
    page.wait_for_selector("#motiform-time", state="attached")
    yield studio, page, problems
    studio.close()


def counted(page):
    """Return how many pixels of the left and of the right half of the view are red, and how many are green."""
    import imageio.v3 as imageio

    data = page.screenshot(clip={"x": 330, "y": 150, "width": 606, "height": 440})
    image = imageio.imread(io.BytesIO(data))[..., :3].astype(int)
    found = []
    for color, other in ((0, 1), (1, 0)):
        mask = (image[..., color] > 90) & (image[..., other] < 0.3 * image[..., color])  # the orange of notes is none
        found += [int(mask[:, :303].sum()), int(mask[:, 303:].sum())]
    return found


def wait_until(page, condition):
    for _ in range(600):
        if condition(*counted(page)):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"it did not happen: {counted(page)}")


def test_skins_and_links_move_with_time(shown):
    studio, page, problems = shown

    def left(red_left, red_right, green_left, green_right):
        # The round end of the link reaches a little past the middle.
        return red_left > 5000 and red_right < 20 and green_left > 500 and green_right < 100

    wait_until(page, left)
    studio.player.seek(1.0)
    studio._wake.set()
    wait_until(page, lambda a, b, c, d: left(b, a, d, c))
    studio.player.seek(0.0)
    studio._wake.set()
    wait_until(page, left)
    assert problems == []
