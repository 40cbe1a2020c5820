import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.postures import Walker, gait_events, gait_table, plate_events, walker_of
from motiform.motion.postures.dynamics.plates import PlateAssignment, PlateContact
from motiform.motion.postures.feet import Foot
from motiform.record import Event

RATE, SAMPLES = 100.0, 600
T = np.arange(SAMPLES) / RATE
SPEED, CYCLE, SWING, LONG = 1.3, 1.1, 0.3, 0.2  # m/s, s, m, m
W = 2 * np.pi / CYCLE
UP = np.array([0.0, 1.0, 0.0])


def walker(direction=0.0, speed=SPEED):
    """Feet that swing ±0.3 m about the pelvis, the left half a cycle later, towards a direction in the ground [rad].

    The right heel is foremost at CYCLE/4 + n CYCLE; its toes, 0.2 m before it, are hindmost half a cycle later.
    """
    ahead = np.array([np.cos(direction), 0.0, np.sin(direction)])
    pelvis = np.outer(speed * T, ahead) + 0.9 * UP
    heels, toes = {}, {}
    for side, phase in (("r", 0.0), ("l", np.pi)):
        swing = SWING * np.sin(W * T + phase)
        heels[side] = np.outer(speed * T + swing - LONG / 2, ahead) + np.outer(
            0.03 + 0.1 * np.cos(W * T + phase) ** 2, UP
        )
        toes[side] = heels[side] + LONG * ahead
    return Walker(T, heels, toes, pelvis, UP)


def times_of(events, name):
    return np.array([event.time for event in events if event.name == name])


@pytest.mark.parametrize("direction", [0.0, 2.2])
@pytest.mark.parametrize("speed", [SPEED, 0.0])
def test_events_are_where_the_feet_turn_round(direction, speed):
    events = gait_events(walker(direction, speed))
    # The tip of a parabola through three samples of a sine is off by less than h (W h)²; the low-pass leaves the phase
    # of a steady sine alone but within its transient of the ends, of which exp(−34 t) is left.
    exact = 1e-6 + (W / RATE) ** 2 / RATE
    for name, phase in (("r foot strike", 0.25), ("r foot off", 0.75), ("l foot strike", 0.75), ("l foot off", 0.25)):
        expected = np.arange(phase * CYCLE, T[-1], CYCLE)
        found = times_of(events, name)
        assert_allclose(found, expected, atol=0.02)  # all of them, those at the ends less exactly
        assert_allclose(found[1:-1], expected[1:-1], atol=exact)
    assert [e.time for e in events] == sorted(e.time for e in events)
    assert events[0].detail["source"] == "zeni"


def test_strides_steps_and_speed():
    man = walker()
    table = gait_table(man, gait_events(man))
    whole = [s for s in table.strides if np.isfinite([s.stride_time, s.step_time, s.stance]).all()][1:-1]
    assert len(whole) >= 6
    tiny = 3e-5  # s and, times 1.3 m/s, m: twice what an event is off by
    for stride in whole:
        assert stride.stride_time == pytest.approx(CYCLE, abs=tiny)
        assert stride.step_time == pytest.approx(CYCLE / 2, abs=tiny)
        assert stride.stance == pytest.approx(CYCLE / 2, abs=tiny)
        assert stride.cadence == pytest.approx(120 / CYCLE, rel=tiny)
        # Places between samples are on the line between them: off by (h² / 8) 0.3 W².
        line = SWING * W**2 / RATE**2 / 8
        assert stride.stride_length == pytest.approx(SPEED * CYCLE, abs=2 * tiny + 2 * line)
        assert stride.step_length == pytest.approx(2 * SWING, abs=2 * tiny + 2 * line)
        assert stride.speed == pytest.approx(SPEED, rel=1e-3)
    assert table.mean("r")["stride_time"] == pytest.approx(CYCLE, abs=1e-3)
    assert str(table).count("\n") == len(table.strides) + 1
    assert list(table.to_pandas()["side"]) == [s.side for s in table.strides]


@pytest.mark.parametrize("direction", [0.0, 2.2])
@pytest.mark.parametrize("speed", [SPEED, 0.0])
def test_step_width_is_the_distance_between_the_lines_of_the_heels(direction, speed):
    """Heels 6 cm to each side of the way, on the ground and on a treadmill; below zero where they cross."""
    man = walker(direction, speed)
    right = np.cross([np.cos(direction), 0.0, np.sin(direction)], UP)
    for width in (0.12, -0.04):
        heels = {side: man.heels[side] + s * 0.5 * width * right for side, s in (("r", 1.0), ("l", -1.0))}
        toes = {side: man.toes[side] + s * 0.5 * width * right for side, s in (("r", 1.0), ("l", -1.0))}
        own = man._replace(heels=heels, toes=toes)
        found = [s.step_width for s in gait_table(own, gait_events(own)).strides if np.isfinite(s.step_width)]
        assert len(found) >= 6
        assert_allclose(found, width, atol=1e-9)


def test_gaps_have_no_events():
    man = walker()
    hidden = (T > 2.0) & (T < 4.0)
    man.heels["r"][hidden] = np.nan
    found = times_of(gait_events(man), "r foot strike")
    assert not ((found > 1.99) & (found < 4.01)).any()
    assert len(found) >= 3


@pytest.mark.parametrize("method", ["zeni", "velocity"])
def test_a_foot_that_is_never_seen_has_no_events(method):
    man = walker()
    man.heels["l"][:] = np.nan
    events = gait_events(man, method=method)
    assert not [e for e in events if e.name == "l foot strike"]
    assert [e for e in events if e.name.startswith("r")]
    assert np.isnan([s.step_length for s in gait_table(man, events).strides]).all()


def test_the_velocity_of_feet_tells_events_too():
    """A foot that lies, rises with its heel first, swings and sinks: the fastest instants are known."""
    t = T
    phase = (t % CYCLE) / CYCLE
    up, down = 0.5, 0.9  # of the cycle: middle of the rise and of the fall

    def bump(centre, width):
        return 1 / (1 + np.exp(-(phase - centre) / width))

    heel = 0.03 + 0.2 * (bump(up - 0.02, 0.02) - bump(down - 0.08, 0.02)) + 0.02 * (1 - bump(down, 0.01))
    toe = 0.01 + 0.06 * (bump(up, 0.02) - bump(down, 0.02))
    ahead = np.array([1.0, 0, 0])
    place = np.outer(t, ahead)
    man = Walker(
        t, {"r": place + np.outer(heel, UP)}, {"r": place + LONG * ahead + np.outer(toe, UP)}, place + 0.9 * UP, UP
    )
    events = gait_events(man, method="velocity")
    off = times_of(events, "r foot off")
    # The middle of heel and toes rises fastest between the two middles: within 2 % of the cycle, and one sample.
    expected = (np.arange(len(off)) + up - 0.01) * CYCLE
    assert_allclose(off, expected, atol=0.01 * CYCLE + 1 / RATE)
    strike = times_of(events, "r foot strike")
    assert len(strike) >= 4
    assert (np.abs((strike / CYCLE) % 1 - (down - 0.03)) < 0.06).all()


def assignment(*contacts):
    feet = tuple(
        Foot(name, name[0], k, np.zeros(1, int), np.zeros((1, 3))) for k, name in enumerate(("right_foot", "left_foot"))
    )
    nothing = np.zeros((0, 1))
    return PlateAssignment(feet, nothing, nothing, nothing, contacts, nothing)


def test_plates_take_the_place_of_feet():
    man = walker()
    strike = CYCLE / 4 + 2 * CYCLE
    measured = assignment(PlateContact(0, strike + 0.02, strike + 0.6, 0), PlateContact(1, 1.0, 1.5, 1, "the edge"))
    alone, both = gait_events(man), gait_events(man, measured)
    assert len(alone) == len(both)
    (event,) = [e for e in both if e.detail["source"] == "plate" and e.name == "r foot strike"]
    assert event == Event(
        strike + 0.02, "r foot strike", {"side": "r", "kind": "foot strike", "source": "plate", "plate": 0}
    )
    assert [e.name for e in plate_events(measured)] == ["r foot strike", "r foot off"]


def test_a_figure_walks():
    man = human36()
    q = np.zeros((SAMPLES, man.nq))
    q[:, man.coordinates.index("pelvis_forward")] = SPEED * T
    for side, sign in (("right", 1), ("left", -1)):
        q[:, man.coordinates.index(f"{side}_hip_flexion")] = 0.4 * sign * np.sin(W * T)
    q[100] = np.nan
    found = walker_of(man, T, q)
    assert_allclose(found.forward, [1, 0, 0], atol=1e-12)
    assert np.isnan(found.pelvis[100]).all()
    strikes = times_of(gait_events(found), "r foot strike")
    # The heel is foremost where the hip is: the leg is a pendulum, and the sole turns with it.
    for strike in strikes[2:-1]:
        assert abs((strike - CYCLE / 4 + CYCLE / 2) % CYCLE - CYCLE / 2) < 1e-4
    assert gait_table(found, gait_events(found)).mean()["speed"] == pytest.approx(SPEED, rel=1e-3)


def test_wrong_input_is_refused():
    man = human36()
    with pytest.raises(InputError, match="method"):
        gait_events(walker(), method="guess")
    with pytest.raises(InputError, match="q must have one row of nq numbers for each time"):
        walker_of(man, T, np.zeros((3, man.nq)))
    with pytest.raises(InputError, match="no posture"):
        walker_of(man, T, np.full((SAMPLES, man.nq), np.nan))
    still = walker()
    still.toes["r"][:] = still.heels["r"]
    still.toes["l"][:] = still.heels["l"]
    with pytest.raises(InputError, match="the direction of the feet is not known"):
        gait_events(still)


def test_a_contact_that_is_there_from_the_first_sample_on_has_no_strike():
    """What a plate finds loaded, or leaves loaded, tells nothing about when the foot touched or left."""
    foot = Foot("right_foot", "r", 0, np.zeros(1, int), np.zeros((1, 3)))
    contacts = (PlateContact(0, 0.0, 1.0, 0, begins=False), PlateContact(0, 2.0, 3.0, 0, ends=False))
    none = np.zeros((1, 1), np.int8)
    found = plate_events(PlateAssignment((foot,), none, np.zeros((1, 1, 6)), none, contacts, np.zeros(1, bool)))
    assert [(e.time, e.name) for e in found] == [(1.0, "r foot off"), (2.0, "r foot strike")]


@pytest.mark.parametrize(("lift", "early"), [(0.02, 0.0), (0.08, 0.1)])
def test_a_runner_s_foot_is_off_before_it_is_hindmost(lift, early):
    """Toes that rise by ``lift`` in 0.2 s up to the instant at which they are hindmost pass 4 cm half-way, or never."""
    t, period = np.arange(500) / 200.0, 0.8
    phase = np.mod(t / period, 1.0)
    way = 0.4 * np.sin(2 * np.pi * t / period)  # foremost at 0.25, hindmost at 0.75 of the period
    rise = np.clip((phase - 0.75) * period / 0.2 + 1.0, 0.0, 1.0) * np.where(phase < 0.95, 1.0, 0.0)
    toes = np.stack([way, lift * rise, 0 * t], axis=1)
    heels = {s: toes - np.array([0.2, 0, 0]) for s in "rl"}
    walker = Walker(t, heels, dict.fromkeys("rl", toes), np.zeros((len(t), 3)), np.array([0.0, 1.0, 0.0]))
    offs = [event.time for event in gait_events(walker) if event.name == "r foot off"]
    expected = [0.75 * period + k * period - early for k in range(3)]
    assert len(offs) == 3
    assert offs == pytest.approx(expected, abs=0.005)  # a sample; the peak is low-passed


@pytest.mark.parametrize("repeats", [1, 3])
def test_peaks_are_those_of_scipy(repeats):
    """Random walks, also with level stretches, against an implementation of another make."""
    from scipy.signal import find_peaks

    from motiform.motion.postures.gait.events import _tops

    rng = np.random.default_rng(repeats)
    for _ in range(50):
        signal = np.repeat(rng.normal(size=rng.integers(3, 120)).cumsum(), repeats)
        apart, least = int(rng.integers(1, 30)), float(rng.uniform(0.0, 3.0))
        wanted, _ = find_peaks(signal, distance=apart, prominence=least)
        assert _tops(signal, apart, least) == wanted.tolist()
