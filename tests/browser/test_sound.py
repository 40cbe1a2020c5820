"""A person plays strings: hears them in the page, and keeps gesture and sound."""

import wave

import numpy as np
import pytest

from motiform.record import open_recording
from motiform.scene import simulate
from motiform.studio.live import replayed

from .conftest import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def harp():
    from motiform.studio import serve

    studio = serve(scene="harp", port=0, open_browser=False, block=False, live=True)
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def harp_page(browser, harp):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(PATIENCE)
    page.goto(harp.url)
    page.wait_for_function("() => window.motiformSound", timeout=PATIENCE)
    page.mouse.click(640, 120)  # browsers are silent until a person does something
    page.wait_for_function("() => window.motiformSound.blocks > 5", timeout=PATIENCE)
    return page


def test_strings_are_heard_with_a_stated_latency(harp_page, harp):
    page, live = harp_page, harp.live.live
    assert page.evaluate("() => window.motiformSound.context.sampleRate") == 44100
    for n in range(100):
        harp.live.instrument.osc("/hand/y", -0.15 if n % 2 else 0.03)  # down and up across the strings
        page.wait_for_timeout(200)
        if page.evaluate("() => window.motiformSound.loudest") > 0.05:  # of blocks that were played to their end
            break
    else:
        pytest.fail("nothing was heard")
    assert np.abs(live.heard()).max() > 0.1
    page.get_by_text("ms after the hand").wait_for(state="attached")
    latency = page.evaluate("() => window.motiformSound.latency")
    assert 0.01 + 0.06 <= latency < 0.01 + 1.3 + 0.2  # a block, the least and longest wait in the page, and the device


def test_gesture_and_sound_are_kept_and_replayed_to_the_same_bits(harp, tmp_path, monkeypatch):
    live = harp.live.live
    live.pause()
    monkeypatch.chdir(tmp_path)
    path = harp.live.save()
    gesture, heard = open_recording(path), live.heard()
    with wave.open(str(tmp_path / "harp-gesture.wav")) as file:
        assert (file.getframerate(), file.getnframes()) == (44100, len(heard))
    rate = 100.0
    t1 = np.floor(live.engine.sample / 44100 * rate) / rate
    again = simulate(
        replayed(live.network, gesture), t1=t1, rate=rate, record=["hand.position"], sound=live.listener.sound
    )
    np.testing.assert_array_equal(again["sound"], heard[: len(again["sound"])])


def test_the_sound_ends_with_the_live_run(harp_page, harp):
    harp.live.end()
    harp_page.wait_for_function("() => !window.motiformSound", timeout=PATIENCE)
