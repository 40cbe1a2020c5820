"""A screen whose law changes while it runs, and which a pointer engraves."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.screens import PRESETS, Engraver, ModeSegment, Screen, ScreenEngine, ScreenLaw
from motiform.record import open_recording
from motiform.studio.live_screen import PRESSED, SHARES, STIFFEST, LiveScreen
from motiform.studio.screen_room import ScreenRoom, picture_of_pin, pin_of_picture

EPS = np.finfo(float).eps


def live_screen(law="S", **more):
    return LiveScreen(Screen(shape=(24, 20), spacing=0.01, axes="xz", law=law, **more))


def engraved(live):
    live.press(12.0, 9.0)
    live.advance(40)
    live.lift()
    live.advance(40)
    return live.heights()


def test_a_law_that_is_changed_counts_from_the_next_step_on():
    """At S each pin stays where it is left, at C it is back at rest after one sample [Habibi97 8.21]."""
    live = live_screen("S")
    marked = engraved(live)
    assert marked.min() < -0.005
    live.advance(100)
    np.testing.assert_array_equal(live.heights(), marked)
    live.shape("C")
    np.testing.assert_array_equal(live.heights(), marked)
    live.advance(1)
    np.testing.assert_array_equal(live.heights(), np.zeros((24, 20)))


def test_the_pointer_presses_as_deep_as_its_buffer_and_the_ground_balance():
    live = live_screen("C")
    live.press(12.0, 9.0)
    live.advance(100)
    K = SHARES[0] * (4 - 3)  # of what the point C, K + 2Z = 3, leaves
    depth = K * (1 - PRESSED) * live.reach / (1 + K)  # K_M (S − h − u) = u
    assert live.heights()[12, 9] == pytest.approx(-depth, rel=1e-9)
    live.lift()
    live.advance(60)
    live.press(12.0, 9.0, below=True)
    live.advance(100)
    assert live.heights()[12, 9] == pytest.approx(depth, rel=1e-9)


def test_a_stroke_begins_where_it_is_put_down():
    """What is between two strokes is not engraved."""
    live = live_screen("S")
    for place in ((5.0, 9.0), (19.0, 9.0)):
        live.press(*place)
        live.advance(30)
        live.lift()
        live.advance(30)
    found = live.heights()
    assert found[5, 9] < -0.005
    assert found[19, 9] < -0.005
    assert found[12, 9] == 0.0


def test_a_segment_outside_the_triangle_is_refused_and_changes_nothing():
    live = live_screen("IV")
    with pytest.raises(InputError, match=r"the free screen diverges"):
        live.shape(ModeSegment((0.0, 0.0), (3.0, 1.0)))
    assert live.segment == PRESETS["IV"]
    live.advance(5)


@pytest.mark.parametrize("law", list(PRESETS))
def test_no_prototype_diverges_under_the_pointer(law):
    live = live_screen()
    live.shape(law)
    live.press(12.0, 9.0)
    live.advance(300)
    # A pin that is held is not further away than the buffer reaches. One that nothing holds gets at most the energy of
    # the buffer, k (S − h)²/2, which the scheme turns into m v² (1 − K/4)/2, and flies.
    fast = np.sqrt(STIFFEST / (1 - STIFFEST / 4)) * (1 - PRESSED) * live.reach  # [m] in a step
    assert np.abs(live.heights()).max() < (300 * fast if PRESETS[law].start == (0.0, 0.0) else 1.5 * live.reach)


def test_a_screen_without_room_has_a_pointer_without_force():
    s = Screen(shape=(8, 8), spacing=0.01, axes="xz", mass=0.01)
    k = 4 * s.mass * s.frequency**2
    live = LiveScreen(s.replace(law=ScreenLaw(k, 0, 0, 0)))
    live.press(4.0, 4.0)
    live.advance(20)
    assert not live.heights().any()


@pytest.mark.parametrize("axes", ["xz", "zx", "xy", "yx", "yz"])
def test_a_picture_is_clicked_where_its_pin_is_drawn(axes):
    from motiform.image.screens import upright_field

    screen = Screen(shape=(7, 5), spacing=0.1, axes=axes)
    field = np.zeros((7, 5))
    field[2, 3] = 1.0
    y, x = np.argwhere(upright_field(field, axes))[0]
    assert pin_of_picture(screen, x, y) == (2, 3)
    np.testing.assert_array_equal(picture_of_pin(screen, np.array([2.0, 3.0])), [x, y])


def test_what_a_page_gets():
    room = ScreenRoom()
    try:
        assert isinstance(room.handle({"about": True}), str)
        room.handle({"run": False})
        found = room.handle({"law": "V", "operator": "laplacian"})
        assert isinstance(found, bytes)
        assert room.live.segment == PRESETS["V"]
        rows, columns = room.live.screen.shape[::-1]
        length = int.from_bytes(found[:4], "little")
        assert len(found) == 4 + length + rows * columns * (4 + 3)
        with pytest.raises(InputError, match="unknown operator"):
            room.handle({"operator": "laplacien"})
        with pytest.raises(InputError, match="no such scene with a screen"):
            room.handle({"scene": "riples"})
    finally:
        room.close()


def test_a_motion_that_begins_anew_leaves_the_screen_as_it_is():
    from motiform.scene import load_scene

    scene = load_scene("ripples")
    live = LiveScreen(scene.build().model, seconds=0.1)
    live.advance(52)  # at 525 Hz just before
    before = live.heights()
    live.advance(1)
    assert live.network.sample == 0
    assert np.abs(live.heights() - before).max() < 0.01


def test_strokes_are_repeated(tmp_path, monkeypatch):
    """The places of the pointer at every step: an engraver that repeats them leaves the same marks."""
    room = ScreenRoom()
    monkeypatch.chdir(tmp_path)
    try:
        room.open("a bare screen")
        room.handle({"run": False})
        live = room.live
        live.begin()
        live.press(60.0, 50.0)
        live.advance(10)
        live.press(90.0, 70.0)
        live.advance(20)
        live.lift()
        live.advance(10)
        assert room.save().name == "a-bare-screen-strokes.mf"
    finally:
        room.close()
    kept, pointer = open_recording(tmp_path / "a-bare-screen-strokes.mf"), live.engine.screen.engravers[-1]
    again = Engraver.recorded(kept, "pointer.position", stiffness=pointer.stiffness, reach=pointer.reach, height=None)
    engine = ScreenEngine(live.screen.replace(engravers=(again,)))
    engine.advance(40)
    assert live.heights().min() < -0.02
    # times are multiples of a step to rounding: a sample is met to some eps of what the pointer moves in a step
    assert np.abs(engine.heights() - live.heights()).max() < 1e-12
