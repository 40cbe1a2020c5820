"""A person uses the studio: looks, plays, scrubs, changes a parameter, runs, takes files away."""

import io
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.browser


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def shown_time(page):
    return float(page.locator("#motiform-time b").inner_text())


def wait_for(page, condition, argument=None):
    # By the clock: frames may be rare without a graphics card.
    page.wait_for_function(condition, arg=argument, polling=100)


def wait_until(page, condition):
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail("it did not happen")


def wait_for_time(page, comparison):
    wait_for(page, f"() => parseFloat(document.querySelector('#motiform-time b').innerText) {comparison}")


def picture(page):
    """Return what the 3-D view shows, (height, width, 3): the middle of the page, above the timeline."""
    import imageio.v3 as imageio

    data = page.screenshot(clip={"x": 330, "y": 150, "width": 560, "height": 400})
    return imageio.imread(io.BytesIO(data))[..., :3].astype(int)


def red_share(image):
    return float(((image[..., 0] > 100) & (image[..., 1] < 0.5 * image[..., 0])).mean())


def test_load(page, studio):
    assert page.title() == "motiform studio"
    assert page.get_by_text("A red box that turns.").is_visible()
    assert page.locator(".uplot canvas").count() == 2
    assert page.get_by_text("sample 1 of 201").is_visible()
    # The box is seen: it fills a good part of the view, and is red.
    wait_until(page, lambda: red_share(picture(page)) > 0.02)


def test_play_and_pause(page, studio):
    before = picture(page)
    button(page, "Play").click()
    wait_for(
        page,
        "() => { const t = document.querySelector('#motiform-time b').innerText;"
        " window.seen = window.seen || new Set(); window.seen.add(t); return window.seen.size >= 5 }",
    )
    button(page, "Pause").click()
    button(page, "Play").wait_for()
    instant, sample = shown_time(page), studio.player.sample
    assert np.abs(picture(page) - before).max() > 50, "the picture did not change"
    page.evaluate("() => new Promise(done => setTimeout(done, 500))")
    assert shown_time(page) == instant
    assert studio.player.sample == sample


def test_space_bar_plays(page, studio):
    page.locator("#motiform-time").click()
    page.keyboard.press("Space")
    button(page, "Pause").wait_for()
    page.keyboard.press("Space")
    button(page, "Play").wait_for()


def test_scrub(page, studio):
    page.get_by_role("button", name="|◀").click()
    wait_for_time(page, "== 0")
    rail = page.locator(".mantine-Slider-trackContainer").first
    box = rail.bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    wait_for_time(page, "> 1.4")
    # A pixel of the rail is some hundredths of a second; the thumb snaps to the nearest step.
    assert shown_time(page) == pytest.approx(1.5, abs=2 * 2.0 / box["width"])
    wait_for(
        page,
        "n => document.querySelector('#motiform-time').innerText.includes(`sample ${n} of`)",
        studio.player.sample + 1,
    )
    # The cursor's values are those of the recording at this sample.
    values = page.locator(".motiform-values").first.inner_text().split()
    shown = [float(text) for text in values if text not in "xyz"]
    expected = studio.recording["box.angular_velocity"][studio.player.sample]
    # Six digits are shown.
    assert shown == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_steps_and_speed(page, studio):
    page.get_by_role("button", name="|◀").click()
    wait_for_time(page, "== 0")
    page.get_by_role("button", name="▶", exact=True).click()
    wait_for(page, "() => document.querySelector('#motiform-time').innerText.includes('sample 2 of')")
    page.get_by_role("combobox", name="Speed").click()
    page.get_by_role("option", name="1/4 ×").click()
    wait_until(page, lambda: studio.player.speed == 0.25)


def test_choose_a_channel_to_plot(page, studio):
    page.get_by_role("combobox", name="Plot 3").click()
    page.get_by_role("option", name="box.orientation").click()
    wait_for(page, "() => document.querySelectorAll('.uplot').length == 3")
    assert studio.plots.names[2] == "box.orientation"
    assert page.locator(".motiform-values").nth(2).inner_text().startswith("w")


def test_change_a_parameter_and_run(page, studio):
    before = studio.recording
    page.get_by_label("duration [s]").fill("1")
    button(page, "Run").click()
    wait_for(page, "() => document.querySelector('#motiform-time').innerText.includes('/ 1.000 s')")
    button(page, "Run").wait_for()
    assert studio.recording is not before
    assert studio.recording.manifest["settings"] == {"scene.duration": 1.0}
    assert studio.recording.duration == pytest.approx(1.0)
    assert studio.plots.names[2] == "box.orientation"  # what was chosen stays
    button(page, "Pause").click()  # a new result plays at once
    button(page, "Play").wait_for()


def test_a_wrong_parameter_is_reported_and_nothing_breaks(page, studio):
    before = studio.recording
    page.get_by_label("duration [s]").fill("-3")
    button(page, "Run").click()
    page.get_by_text("The run failed", exact=True).wait_for()
    text = page.locator("body").inner_text()
    assert "duration" in text
    assert "Traceback" not in text
    assert studio.recording is before
    page.get_by_label("duration [s]").fill("1")
    button(page, "Run").wait_for()


def test_cancel(page, studio):
    before = studio.recording
    page.get_by_label("duration [s]").fill("100000")
    button(page, "Run").click()
    button(page, "Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    button(page, "Run").wait_for()
    assert studio.recording is before
    assert not studio.runner.busy
    page.get_by_role("button", name="Reset to the scene's values").click()
    wait_until(page, lambda: studio.scenes.parameters.changed() == {})


@pytest.mark.parametrize(
    ("label", "magic"), [("glTF", b"glTF"), ("X3D", b"<?xml"), ("Table", b""), ("Picture", b"\x89PNG")]
)
def test_export(page, studio, label, magic):
    if not button(page, "Download").is_visible():
        page.get_by_text("Export", exact=True).click()
    page.get_by_role("combobox", name="Format").click()
    page.get_by_role("option", name=label).click()
    with page.expect_download() as started:
        button(page, "Download").click()
    content = Path(started.value.path()).read_bytes()
    assert started.value.suggested_filename.startswith("browser-test.")
    assert content.startswith(magic)
    assert len(content) > 500


def test_another_scene(page, studio):
    from motiform.scene import load_scene

    page.get_by_role("combobox", name="Built in").click()
    page.get_by_role("option", name=load_scene("top").title).click()
    page.get_by_text(load_scene("top").document.scene.description).wait_for()
    assert page.get_by_label("duration [s]").input_value() == f"{load_scene('top').document.scene.duration:g}"


def test_two_pages_show_the_same(browser, page, studio):
    other = browser.new_page(viewport={"width": 900, "height": 700})
    try:
        other.goto(studio.url)
        other.wait_for_selector("#motiform-time", state="attached")
        studio.player.seek(0.5)
        studio._wake.set()
        for one in (page, other):
            wait_for_time(one, "== 0.5")
    finally:
        other.close()


def test_no_errors_and_no_other_host(watched, studio):
    assert watched.errors == []
    assert any(address.startswith("ws://") for address in watched.addresses)
    assert watched.foreign(studio.url) == []
