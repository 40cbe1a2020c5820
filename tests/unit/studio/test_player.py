import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motiform.base.errors import InputError
from motiform.studio.player import HOLD, Player


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def player(clock):
    return Player(np.linspace(0.0, 2.0, 21), clock=clock)


def test_stands_at_the_beginning_until_played(player, clock):
    clock.now += 1.0
    player.tick()
    assert (player.time, player.sample, player.playing) == (0.0, 0, False)


def test_plays_in_real_time_and_pauses(player, clock):
    player.play()
    clock.now += 0.52
    player.tick()
    assert player.time == pytest.approx(0.52)
    assert player.sample == 5
    player.pause()
    clock.now += 1.0
    player.tick()
    assert player.time == pytest.approx(0.52)


def test_speed_counts_from_when_it_is_set(player, clock):
    player.play()
    clock.now += 0.5
    player.set_speed(0.25)
    clock.now += 1.0
    player.tick()
    assert player.time == pytest.approx(0.5 + 0.25)


def test_loop_wraps_and_without_it_stops_at_the_end(player, clock):
    player.play()
    clock.now += 2.5
    player.tick()
    assert player.time == pytest.approx(0.5)
    player.loop = False
    clock.now += 5.0
    player.tick()
    assert (player.time, player.playing, player.sample) == (2.0, False, 20)
    player.play()
    assert player.time == 0.0


def test_seek_clips_and_holds_the_clock(player, clock):
    player.seek(7.0)
    assert player.time == 2.0
    player.play()
    player.seek(1.0, hold=True)
    clock.now += HOLD
    player.tick()
    assert player.time == 1.0
    clock.now += 0.1
    player.tick()
    assert player.time == pytest.approx(1.1)


def test_step_pauses_and_stays_inside(player):
    player.play()
    player.step(3)
    assert (player.sample, player.playing) == (3, False)
    player.step(-10)
    assert player.sample == 0
    player.step(10**12)
    assert player.sample == 20


def test_one_sample_does_not_play():
    player = Player([3.0])
    player.play()
    assert (player.playing, player.time, player.sample) == (False, 3.0, 0)


@pytest.mark.parametrize("times", [[], [0.0, np.nan], [1.0, 0.5], [[0.0]]])
def test_wrong_times_are_refused(times):
    with pytest.raises(InputError):
        Player(times)


@pytest.mark.parametrize("speed", [0, -1.0, np.inf, np.nan])
def test_wrong_speed_is_refused(player, speed):
    with pytest.raises(InputError):
        player.set_speed(speed)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.lists(st.tuples(st.sampled_from(["play", "pause", "seek", "step", "wait"]), st.floats(-1e3, 1e3)), max_size=20),
)
def test_whatever_is_pressed_it_stays_inside_the_recording(times, presses):
    clock = Clock()
    player = Player(sorted(times), clock=clock)
    for press, number in presses:
        if press == "seek":
            player.seek(number, hold=number > 0)
        elif press == "step":
            player.step(int(number))
        elif press == "wait":
            clock.now += abs(number)
        else:
            getattr(player, press)()
        player.tick()
        assert player.start <= player.time <= player.end
        # The sample shown is the nearest one.
        assert abs(player.times[player.sample] - player.time) == np.abs(player.times - player.time).min()
