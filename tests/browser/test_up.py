"""The studio shows a world with z up as it does one with y up, and changes from one to the other."""

import io

import numpy as np
import pytest

pytestmark = pytest.mark.browser


def column(up):
    """A tall red box that stands on the ground: along its own y, in a world with y or z up."""
    from motiform.record import Channel, Recording

    turn = {"y": [1.0, 0.0, 0.0, 0.0], "z": [0.5**0.5, 0.5**0.5, 0.0, 0.0]}[up]
    place = {"y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}[up]
    data = {}
    for name, value, dims in (("position", place, "axis"), ("orientation", turn, "quaternion")):
        channel = Channel(f"box.{name}", dims=(dims,), shape=(len(value),), rate=10.0)
        data[channel.name] = (channel, np.tile(value, (3, 1)))
    box = {"shape": {"kind": "box", "size": [0.3, 2.0, 0.5]}, "offset": [0.0, 0.0, 0.0], "color": [0.9, 0.05, 0.05]}
    form = {"box": {**box, "position": "box.position", "orientation": "box.orientation"}}
    return Recording.from_arrays(data, manifest={"form": form, "title": "column", "up": up, "image": {"paths": False}})


@pytest.fixture(scope="module")
def shown(browser):
    from motiform.studio import serve

    studio = serve(column("z"), port=0, open_browser=False, block=False)
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(120_000)
    page.goto(studio.url)
    page.wait_for_selector("#motiform-time", state="attached")
    page.wait_for_function("() => (window.ticks = (window.ticks || 0) + 1) > 20", polling="raf", timeout=120_000)
    yield studio, page
    studio.close()


def outline(page):
    """Return the box around all red pixels of the view: left, upper, right, lower; None where there are few."""
    import imageio.v3 as imageio

    data = page.screenshot(clip={"x": 330, "y": 10, "width": 600, "height": 600})
    image = imageio.imread(io.BytesIO(data))[..., :3].astype(int)
    rows, columns = np.nonzero((image[..., 0] > 90) & (image[..., 1:].max(-1) < 0.3 * image[..., 0]))
    return None if len(rows) < 500 else np.array([columns.min(), rows.min(), columns.max(), rows.max()])


def steady(page):
    """Return the outline when two looks half a second apart agree."""
    before = None
    for _ in range(120):
        page.evaluate("() => new Promise(done => setTimeout(done, 500))")
        now = outline(page)
        if now is not None and before is not None and (now == before).all():
            return now
        before = now
    raise AssertionError(f"the picture does not settle: {before}")


def test_a_column_stands_whichever_axis_is_up(shown):
    studio, page = shown
    first = steady(page)
    left, upper, right, lower = first
    assert lower - upper > 2 * (right - left)  # 2 m tall, 0.58 m across at most
    for up in ("y", "z"):  # and after a change of axes, in which the box has another orientation
        studio.show(column(up))
        studio.view.set_cameras(studio.view._form)
        # The edges of a triangle may fall into the next pixel.
        assert np.abs(steady(page) - first).max() <= 2


def test_a_page_that_became_narrow_is_widened(shown):
    from motiform.studio.view import widened

    studio, _ = shown
    [client] = studio.server.get_clients().values()
    assert client.camera.aspect < 1.2  # panels take their place beside the view
    wanted = widened(studio.server.initial_camera.fov, client.camera.aspect)
    assert client.camera.fov == pytest.approx(wanted, rel=1e-6)
