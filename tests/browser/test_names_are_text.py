"""A file with markup in its names is opened in the studio, and a page is written of it: nothing in it runs."""

import numpy as np
import pytest

pytestmark = pytest.mark.browser
BAD = 'B<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
SCENE = f"""
[scene]
title = '{BAD}'
description = '{BAD}'
duration = 0.1
rate = 50

[[body]]
name = "box"
shape = {{ ball = 0.4, density = 500 }}

[motion]
step = 1e-2
"""


def measured(folder):
    """Read markers with such names from a C3D file."""
    from motiform.measure import read_markers, write_markers
    from motiform.record import Channel, Recording

    places = np.linspace(0.0, 1.0, 60).reshape(10, 2, 3)
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(2, 3), rate=50.0)
    made = Recording.from_arrays({"markers": (channel, places)}, manifest={"labels": {"marker": [BAD, "b"]}})
    write_markers(made, folder / "bad.c3d")
    found = read_markers(folder / "bad.c3d")
    odd = Channel(BAD, unit="<b>", dims=("which",), shape=(2,), rate=50.0, description=BAD)
    data = {name: (found.channel(name), found[name]) for name in found}
    labels = {**found.manifest["labels"], "which": [BAD, "<u>b</u>"]}
    manifest = {**found.manifest, "labels": labels, "title": BAD, "image": {"plot": [BAD, "markers"]}}
    return Recording.from_arrays({**data, BAD: (odd, np.ones((10, 2)))}, manifest=manifest)


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(120_000)
    yield page
    page.close()


def test_names_from_files_are_shown_and_not_run(page, tmp_path):
    from motiform.studio import serve

    (tmp_path / "bad.toml").write_text(SCENE, "utf-8")
    recording = measured(tmp_path)
    assert BAD in recording.manifest["labels"]["marker"]
    studio = serve(recording, scene=tmp_path / "bad.toml", port=0, open_browser=False, block=False)
    try:
        page.goto(studio.url)
        page.wait_for_selector(".motiform-values", state="attached")
        assert studio.plots.names == [BAD, f"markers.{BAD}"]
        studio.notify(BAD, BAD)
        studio.scenes.idle(BAD)
        page.wait_for_function("bad => document.querySelector('#motiform-status').innerText == bad", arg=BAD)
        page.get_by_text(BAD).first.wait_for()
        shown = page.locator(".motiform-values").first.inner_text()
        assert BAD in shown
        assert "<u>b</u>" in shown
        page.get_by_role("combobox", name="Plot 3").click()
        page.get_by_role("option", name=BAD).first.wait_for()
        page.wait_for_timeout(300)  # an image that fails to load says so a moment later
        assert page.evaluate("window.ran") is None
        assert page.locator('img[src="x"]').count() == 0
    finally:
        studio.close()


def test_a_written_page_does_not_run_names(page, tmp_path):
    from motiform.cli.demo import Shown
    from motiform.cli.demo_page import page as demo_page
    from motiform.image.report.blocks import Bar, Code, Heading, Picture, ReportTable, Strip, Text
    from motiform.image.report.html import html_page

    picture = Picture(b"", BAD, BAD)
    blocks = [Heading(BAD, 1), Text(BAD, bad=True), ReportTable([BAD], [[BAD, Bar(0.5)]], BAD), Code(BAD, BAD), picture,
              Strip([picture])]  # fmt: skip
    files = {"picture": tmp_path / BAD.replace("/", ""), "plot": tmp_path}
    shown = demo_page([Shown(BAD, "bodies", BAD, files)], tmp_path)
    for text, least in ((html_page(blocks), 8), (shown, 2)):
        file = tmp_path / "page.html"
        file.write_text(text, "utf-8")
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.inner_text("body").count(BAD) >= least
        page.wait_for_timeout(300)
        assert page.evaluate("window.ran") is None
