"""A person clicks into a bone of a CT: the mark is where the click was, and the bone is segmented."""

import numpy as np
import pytest

from motiform import geometry, measure
from motiform.spatial import Transform
from motiform.studio import serve_volume

MIDDLE = 330 + (1280 - 330) // 2  # [pixels] of the view beside the panel
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def marking():
    bones = {
        name: geometry.Ellipsoid((5e-3, 4e-3, 5e-3)).to_mesh(24).moved(Transform(np.eye(3), (x, 0.0, 0.0)))
        for name, x in (("lunate", -7e-3), ("scaphoid", 7e-3))
    }
    ct, _ = measure.synthetic_ct(bones, spacing=(0.6e-3, 0.6e-3, 1e-3))
    page = serve_volume(ct, port=0, open_browser=False, block=False)
    yield page
    page.close()


def test_a_click_marks_the_bone_under_it(browser, marking):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(120_000)
    page.goto(marking.url)
    page.get_by_role("button", name="Segment").wait_for()
    page.wait_for_function("() => (window.ticks = (window.ticks || 0) + 1) > 20", polling="raf")
    middle = marking.volume.grid.points(0.5 * (np.array(marking.volume.grid.shape) - 1.0))
    for _ in range(40):  # until the picture of the slice has come
        page.mouse.click(MIDDLE, 430)
        page.wait_for_timeout(500)
        if marking.seeds.bones:
            break
    (place,) = marking.seeds.bones["radius"][:1]
    # The camera looks at the middle of the volume: 1 mm is some 20 pixels.
    np.testing.assert_allclose(place[:2], middle[:2], atol=2e-4)
    while marking.seeds.bones:
        page.get_by_role("button", name="Take the last mark back").click()
        page.wait_for_timeout(200)
    for right in (-120, 120):
        page.mouse.click(MIDDLE + right, 430)
        page.wait_for_timeout(800)
    left, right = marking.seeds.bones["radius"]
    assert right[0] - left[0] > 5e-3  # x to the right, as the picture has it
    np.testing.assert_allclose([left[1], right[1]], middle[1], atol=2e-4)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the marks").click()
    assert measure.read_seeds(download.value.path()).bones["radius"] == pytest.approx(np.array([left, right]), abs=1e-7)
