"""A person opens a file of markers, launches the reconstruction by a click, and takes the table of the subject."""

import numpy as np
import pytest

from motiform.measure import read_subjects, write_markers_csv
from motiform.motion.figures import human36
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.studio import serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PATIENCE = 240_000  # [ms]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    body = human36()
    t = np.arange(30)[:, None] / 50.0
    x = tags(body, body.neutral() + 0.1 * np.sin(5 * t) * np.random.default_rng(1).uniform(-1, 1, body.nq))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=50.0)
    names = ["HEAD" if name == "vertex" else name for name in body.tag_names]
    rec = Recording.from_arrays({"markers": (channel, x)}, manifest={"labels": {"marker": names}, "up": "y"})
    path = tmp_path_factory.mktemp("trial") / "sway.csv"
    write_markers_csv(rec, path)
    studio = serve(markers=path, port=0, open_browser=False, block=False)
    yield studio
    studio.close()


def test_launch_by_a_click(browser, opened):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(PATIENCE)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(opened.url)
    button = page.get_by_role("button", name="Launch the reconstruction")
    button.wait_for()
    assert "27 of 28 tags have a marker" in page.inner_text("body")
    opened.trial._marker["vertex"].value = "HEAD"
    button.click()
    page.wait_for_function("() => (document.querySelector('#motiform-trial') || {}).innerText?.startsWith('rms')")
    text = page.inner_text("#motiform-trial")
    assert "0 of 30 samples not converged" in text
    found = opened.recording
    assert len(found.manifest["reconstruct"]["per_marker"]) == 28
    np.testing.assert_allclose(
        found["measured"] - found["markers"], np.broadcast_to([0, 0, 0.8], (30, 28, 3)), atol=1e-12
    )
    assert {"measured markers", "measured lines"} <= set(opened.view.parts)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the table of subjects").click()
    (subject,) = read_subjects(download.value.path()).values()
    assert (subject.name, len(subject.lengths), len(subject.tags)) == ("01", 31, 28)
    assert not errors
    page.close()
