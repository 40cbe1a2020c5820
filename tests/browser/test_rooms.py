"""A person opens a scene from the gallery, engraves its screen by mouse, and drags its modal segment."""

import numpy as np
import pytest

from motiform.motion.screens import PRESETS
from motiform.scene import list_scenes
from motiform.studio import Studio

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def rooms():
    with Studio(port=0) as studio:
        yield studio


@pytest.fixture(scope="module")
def page(browser, rooms):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(30_000)
    page.errors = []
    page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    return page


def wait_for(page, condition):
    page.wait_for_function(f"() => {{ const s = motiformScreen; return s.head && {condition}; }}", timeout=30_000)


def on_plane(page, K, Z):
    """Return where a point of the plane (K, Z) is on the page, as its script draws it."""
    box = page.locator("#plane").bounding_box()
    x, y = page.evaluate(f"onPlane([{K}, {Z}])")
    scale = box["width"] / page.evaluate("PLANE.width")
    return box["x"] + x * scale, box["y"] + y * scale


def test_the_gallery_shows_all_scenes_and_opens_one(page, rooms):
    page.goto(rooms.access.url("gallery"))
    assert page.locator("article").count() == len(list_scenes())
    page.locator("#find").fill("ripples")
    assert page.locator("article:visible").count() == 1
    picture = page.locator("article:visible img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    page.locator("article:visible").get_by_role("button", name="Engrave").click()
    page.wait_for_url("**/screen")
    wait_for(page, "s.about.scene === 'ripples' && s.head.points === 8 && s.head.time > 0")
    assert rooms.screens.live.name == "water"


def test_dragging_an_end_of_the_segment_changes_the_screen(page, rooms):
    live = rooms.screens.live
    K, Z = live.segment[1]
    page.mouse.move(*on_plane(page, K, Z))
    page.mouse.down()
    page.mouse.move(*on_plane(page, 0.8, 0.3), steps=5)
    wait_for(page, "Math.hypot(s.head.segment[1][0] - 0.8, s.head.segment[1][1] - 0.3) < 0.02")
    page.mouse.move(*on_plane(page, 3.0, 1.5), steps=5)  # outside: it stays in the triangle
    wait_for(page, "Math.abs(s.head.segment[1][0] + 2 * s.head.segment[1][1] - 4) < 1e-9")
    page.mouse.up()
    page.get_by_role("button", name="IV", exact=True).click()
    wait_for(page, "s.head.segment[0][1] === 1 && s.head.segment[1][0] === 1")
    assert rooms.screens.live is live
    assert live.segment == PRESETS["IV"]
    assert live.running


def test_the_mouse_engraves_all_three_views(page, rooms):
    page.locator("#scene").select_option("a bare screen")
    wait_for(page, "s.about.scene === 'a bare screen' && s.head.points === 0")
    page.get_by_role("button", name="S", exact=True).click()
    wait_for(page, "s.head.segment[1][0] === 0")
    box = page.locator("#image").bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"], steps=12)
    page.wait_for_timeout(400)
    page.mouse.up()
    wait_for(page, "Math.min(...s.heights) < -0.02")
    marked = np.argwhere(rooms.screens.live.heights() < -0.01)  # x, z
    # within a reach, 5 of 160 × 120 pins, of the stroke from a quarter to three quarters of the width
    assert marked[:, 0].min() == pytest.approx(40, abs=6)
    assert marked[:, 0].max() == pytest.approx(120, abs=6)
    assert np.abs(marked[:, 1] - 60).max() <= 6
    dark = page.evaluate(
        "() => { const c = document.getElementById('form');"
        " const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        " const seen = new Set(); for (let k = 0; k < p.length; k += 4) seen.add(p[k]); return seen.size; }"
    )
    assert dark > 20  # slopes have many shades; a level screen has three: it, its rim and the ground
    assert not page.errors
