"""Balls that rotate: rolling, sliding, spinning, and the books of momentum and energy, against closed forms.

Contacts are springs: a ball sinks by δ = N/k, so its arm is r − δ instead of r, which changes results by about δ/r.
"""

from typing import Any

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.geometry import Plane
from motiform.motion.matter import Engine, Friction, NetworkBuilder, assess_network, links, motions
from motiform.motion.matter.engine import meters
from motiform.spatial import Transform, rotation_about

G, R, M, K, RATE = 9.81, 0.1, 1.0, 1e6, 20000.0
SINK = M * G / K
"""δ [m] of a ball on the level."""
SOFT = 2e4
"""[N/m] where a solid is moved by a function, which is slow to ask."""


def ball_on_plane(
    *, gravity: Any = (0, -G, 0), friction: Friction, velocity: Any = 0.0, spin: Any = 0.0, motion: Any = None,
    rate: float = RATE, stiffness: float = K,
) -> Engine:  # fmt: skip
    b = NetworkBuilder(gravity=gravity, frequency=rate)
    at = (0.0, R + M * gravity[1] / stiffness, 0.0)
    ball = b.masses("ball", at, mass=M, radius=R, inertia="ball", velocity=velocity, angular_velocity=spin)
    law = links.visco_elastic_buffer(stiffness, 0.0, damping=400.0 * np.sqrt(stiffness / K))
    b.solid("floor", Plane(), Transform.identity(), ball, law=law, friction=friction, motion=motion)
    return Engine(b.build())


def rub(limit: float, k: float = K, **more: float) -> Friction:
    return Friction(limit, stiffness=2 / 7 * k, damping=200.0 * np.sqrt(k / K), **more)


def slope(angle: float) -> tuple[float, float, float]:
    return (G * np.sin(angle), -G * np.cos(angle), 0.0)


def speed(engine: Engine) -> np.ndarray:
    return np.asarray(engine.state().velocity(engine.network.frequency)[0])


def spin(engine: Engine) -> np.ndarray:
    found = engine.state().angular_velocity
    assert found is not None
    return np.asarray(found[0])


@pytest.mark.parametrize(("degrees", "limit"), [(20, 0.5), (60, 0.55), (60, 0.4)])
def test_a_ball_rolls_down_a_slope_or_slides(degrees: float, limit: float) -> None:
    """5/7 g sin α where tan α ≤ 7/2 μ; else it slides with g (sin α − μ cos α), spun by 5/2 μ g cos α/r."""
    angle, T = np.radians(degrees), 0.4
    engine = ball_on_plane(gravity=slope(angle), friction=rub(limit))
    engine.advance(int(T * RATE))
    rolls = np.tan(angle) <= 3.5 * limit
    pace = 5 / 7 * G * np.sin(angle) if rolls else G * (np.sin(angle) - limit * np.cos(angle))
    turn = pace / R if rolls else 2.5 * limit * G * np.cos(angle) / R
    # arms are shorter by δ/r = 1e-4; friction acts in full when its spring is stretched by µN/k_t, after
    # √(2 µN/(k_t g sin α)) ≈ 1.3 ms of 0.4 s
    assert speed(engine)[0] == pytest.approx(pace * T, rel=4e-3)
    assert spin(engine)[2] == pytest.approx(-turn * T, rel=4e-3)


def test_rolling_friction_slows_a_ball_and_holds_it_where_the_slope_is_less() -> None:
    angle, T = np.radians(20), 0.4
    engine = ball_on_plane(gravity=slope(angle), friction=rub(0.5, rolling=0.1))
    engine.advance(int(T * RATE))
    # couple 0.1 r N: m a = 5/7 (m g sin α − couple/r); its spring needs 1.6 ms of 0.4 s to be stretched
    assert speed(engine)[0] == pytest.approx(5 / 7 * G * (np.sin(angle) - 0.1 * np.cos(angle)) * T, rel=4e-3)
    held = ball_on_plane(gravity=slope(angle), friction=rub(0.5, rolling=0.4))  # tan 20° = 0.364
    held.advance(int(T * RATE))
    assert np.abs(speed(held)).max() < 1e-6  # the swing of its springs has decayed


@pytest.mark.parametrize("kind", ["spun", "thrown"])
def test_a_ball_spun_or_thrown_comes_to_roll(kind: str) -> None:
    """Angular momentum about the contact is kept: v = 2/7 ω₀ r, or 5/7 v₀, after 2/7 of the slip at µ g."""
    limit, first = 0.3, 3.0  # [m/s] of the surface
    start: Any = {"spin": (0, 0, -first / R)} if kind == "spun" else {"velocity": (first, 0, 0)}
    engine = ball_on_plane(friction=rub(limit), **start)
    until = 2 / 7 * first / (limit * G)
    engine.advance(int(0.98 * until * RATE))
    assert abs(speed(engine)[0] + spin(engine)[2] * R) > 0.01 * first  # still slides
    engine.advance(int(0.5 * until * RATE))
    assert speed(engine)[0] == pytest.approx((2 if kind == "spun" else 5) / 7 * first, rel=1e-3)
    assert speed(engine)[0] == pytest.approx(-spin(engine)[2] * R, rel=1e-3)


def test_a_turn_takes_a_ball_as_far_as_its_surface_is_long() -> None:
    """Rolling one turn: the distance is 2π (r − δ), and the orientation is the first again."""
    v = 2.0
    engine = ball_on_plane(friction=rub(0.5), velocity=(v, 0, 0), spin=(0, 0, -v / (R - SINK)))
    steps = round(2 * np.pi * (R - SINK) / v * RATE)
    engine.advance(steps)
    state = engine.state()
    assert state.orientation is not None
    angle = 2 * np.arccos(np.clip(abs(state.orientation[0, 0]), 0, 1))
    assert state.position[0, 0] == pytest.approx(2 * np.pi * (R - SINK), rel=1e-4)  # half a step of 3100
    assert angle < 2e-3  # the same, in radians, and what the settling of the ball costs


def test_torsional_friction_stops_a_spinning_top() -> None:
    """Couple µ_t r m g: ω decays by 5/2 µ_t g/r, and the ball stays in place."""
    first, limit = 40.0, 0.1
    engine = ball_on_plane(friction=rub(0.5, torsion=limit), spin=(0, first, 0))
    T = 0.5 * first / (2.5 * limit * G / R)
    engine.advance(int(T * RATE))
    assert spin(engine)[1] == pytest.approx(first / 2, rel=1e-3)
    assert np.abs(speed(engine)).max() < 1e-9
    free = ball_on_plane(friction=rub(0.5), spin=(0, first, 0))
    free.advance(2000)
    assert spin(free)[1] == first  # nothing turns it


def test_a_ball_on_a_belt_gains_two_sevenths_of_its_acceleration() -> None:
    pull = 2.0

    def belt(t: float) -> Transform:
        return Transform(np.eye(3), np.array([0.5 * pull * t * t, 0.0, 0.0]))

    engine = ball_on_plane(friction=rub(0.5, SOFT), motion=belt, rate=2000.0, stiffness=SOFT)
    engine.advance(800)
    assert speed(engine)[0] == pytest.approx(2 / 7 * pull * 0.4, rel=1e-2)  # δ/r = 0.5 %, and half a step of 800


def test_a_ball_on_a_turntable_goes_round_in_circles() -> None:
    """A ball that rolls on a table turning by Ω moves on a circle, by 2/7 Ω [Weckesser, Am. J. Phys. 65 (1997) 736]."""
    turn, v = 20.0, 0.3
    table = motions.MovedSolid(Transform.identity(), [motions.Spin(turn, axis=(0, 1, 0))])
    start: Any = {"velocity": (v, 0, 0), "spin": (0, 0, -v / (R - M * G / SOFT))}  # rolls, where the table is at rest
    engine = ball_on_plane(friction=rub(0.9, SOFT), motion=table, rate=2000.0, stiffness=SOFT, **start)
    engine.advance(round(np.pi / (2 / 7 * turn) * 2000))  # half a circle: a diameter aside, and back
    aside = 2 * v / (2 / 7 * turn)
    place = engine.state().position[0]
    assert place[[0, 2]] == pytest.approx([0, -aside], abs=2e-2 * aside)  # δ/r = 0.5 % of the rate, over π radians
    assert speed(engine)[[0, 2]] == pytest.approx([-v, 0], abs=2e-2 * v)


def collide(limit: float, first: float, slip: float) -> tuple[np.ndarray, np.ndarray]:
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=200000.0)
    place = [[-R - 1e-4, 0, 0], [R + 1e-4, 0, 0]]
    balls = b.masses(
        "balls", place, mass=M, radius=R, inertia="ball", velocity=[[first, 0, 0], [-first, 0, 0]],
        angular_velocity=[[0, 0, slip / R], [0, 0, slip / R]],
    )  # fmt: skip
    b.reach("touch", balls, law=links.elastic_buffer(K, 0.0), friction=Friction(limit, damping=1e4))
    engine = Engine(b.build())
    engine.advance(1400)
    state = engine.state()
    assert state.angular_velocity is not None
    return state.velocity(200000.0), state.angular_velocity


def test_spinning_balls_throw_one_another_aside() -> None:
    """Two balls that meet head-on and spin alike: gross slip gives µ times the normal impulse 2 m v to each."""
    limit, first, slip = 0.2, 1.0, 4.0
    velocity, spin = collide(limit, first, slip)
    push = limit * 2 * first  # of the velocity across, and 5/2 of it from the surface's; slip ends at 7/2 push < slip
    assert velocity[:, 0] == pytest.approx([-first, first], rel=5e-3)  # sinking by v √(m/2k) = 0.7 mm = 0.7 % of r
    assert np.abs(velocity[:, 1]) == pytest.approx([push, push], rel=1e-2)
    assert velocity[0, 1] == -velocity[1, 1]
    assert spin[:, 2] == pytest.approx([(slip - 2.5 * push) / R] * 2, rel=1e-2)


def test_slow_spin_is_used_up_by_a_collision() -> None:
    """Where friction suffices, the surfaces roll on one another at the end: each has 2/7 of its surface's speed."""
    velocity, spin = collide(0.5, 1.0, 0.5)
    assert np.abs(velocity[:, 1]) == pytest.approx([0.5 * 2 / 7] * 2, rel=2e-2)
    assert spin[:, 2] == pytest.approx([2 / 7 * 0.5 / R] * 2, rel=2e-2)


def crowd(rolling: float = 0.0, damping: float = 0.0) -> Any:
    rng = np.random.default_rng(3)
    x = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), -1).reshape(-1, 3) * 0.085
    r = rng.uniform(0.03, 0.042, len(x))
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=8000.0)
    toward = 3 * (x.mean(0) - x) + rng.normal(0, 0.3, x.shape)
    balls = b.masses(
        "balls", x, mass=1000 * r**3, radius=r, inertia="ball", velocity=toward,
        angular_velocity=rng.normal(0, 20, x.shape),
    )  # fmt: skip
    law = links.visco_elastic_buffer(5e3, 0.0, damping=damping)
    friction = Friction(0.4, stiffness=1.4e3, damping=0.05, rolling=rolling, torsion=rolling / 2)
    b.reach("touch", balls, law=law, friction=friction)
    return b.build()


@pytest.mark.parametrize("rolling", [0.0, 0.3])
def test_pairs_keep_momentum_and_angular_momentum(rolling: float) -> None:
    network = crowd(rolling)
    engine = Engine(network)
    begun = engine.state()
    engine.advance(1200)
    ended = engine.state()
    # a thousand steps round positions of 0.3 m by eps/2 each; a velocity is their difference over a step of 1/8000 s
    size = float(network.mass.sum()) * 0.3 * np.finfo(float).eps * 8000 * np.sqrt(1200 * 64)
    assert np.abs(meters.momentum(network, ended) - meters.momentum(network, begun)).max() < size
    before, after = (meters.angular_momentum(network, state) for state in (begun, ended))
    assert np.abs(after - before).max() < size
    assert np.abs(before).max() > 1e6 * size  # there was something to keep
    assert ended.friction_loss > 0.1 * meters.kinetic_energy(network, begun)  # and friction was at work


def test_friction_takes_what_energy_loses() -> None:
    """Energy and what friction took are one sum, but for the scheme's ω Te of the energy in contact."""
    network = crowd()
    engine = Engine(network)
    begun = engine.state()
    engine.advance(1600)  # until all have parted
    ended = engine.state()
    first, last = (meters.kinetic_energy(network, s) + meters.potential_energy(network, s) for s in (begun, ended))
    lost = first - last
    assert lost > 0.2 * first
    # forces work over a step at its first velocity: each contact's impulse J counts J²/2m of its own too much, a part
    # Te ω/2 = (1/8000) √(2k/m)/2 ≈ 2 % of what slipping took
    assert ended.friction_loss == pytest.approx(lost, rel=0.04)


@pytest.mark.parametrize("rolling", [0.0, 0.3])
def test_resumed_and_threaded_runs_have_the_same_bits(rolling: float) -> None:
    network = crowd(rolling, damping=0.5)
    with threads(1):
        whole = Engine(network)
        whole.advance(500)
        kept = whole.checkpoint()
        whole.advance(300)
    with threads(2):
        again = Engine.resume(network, kept)
        again.advance(300)
    for key in ("position", "previous", "angular_velocity", "orientation", "friction_loss"):
        assert np.array_equal(getattr(whole.state(), key), getattr(again.state(), key)), key


def test_a_solid_feels_what_turns_a_ball() -> None:
    """Force and moment on the floor are opposite to those on the ball, about any point."""
    engine = ball_on_plane(friction=rub(0.3, rolling=0.05, torsion=0.05), velocity=(1, 0, 0.5), spin=(3, 4, 5))
    engine._solids.wrenches = True
    before = engine.state()
    engine.advance(1)
    felt, after = engine._solids.solid_wrenches()[0], engine.state()
    assert before.angular_velocity is not None
    assert after.angular_velocity is not None
    force = M * (after.velocity(RATE) - before.velocity(RATE))[0] * RATE - M * np.array([0, -G, 0])
    couple = 0.4 * M * R**2 * (after.angular_velocity - before.angular_velocity)[0] * RATE
    assert felt[3:] == pytest.approx(-force, abs=1e-7)  # differences of positions over a step twice: eps r m/Te²
    assert felt[:3] == pytest.approx(-np.cross(before.position[0], force) - couple, abs=1e-7)


def test_a_ball_held_by_friction_is_stable_up_to_the_step_that_counts_its_rotation() -> None:
    """Across the contact both mass and inertia give way: K = k_t Te² (1/m + r²/I) = 7/2 k_t Te²/m, at most 4."""
    found = {}
    for frequency in (1.0, 0.97):
        b = NetworkBuilder(gravity=(0, 0, 0), frequency=frequency * np.sqrt(3.5 * K / M / 4) * 1.01)
        ball = b.masses("ball", [0, R - 1e-3, 0], mass=M, radius=R, inertia="ball")
        b.solid("floor", Plane(), Transform.identity(), ball, law=links.elastic_buffer(1e3, 0.0),
                friction=Friction(1e9, stiffness=K))  # fmt: skip
        network = b.build()
        exact = 2 / np.sqrt(3.5 * K / M)
        bound = assess_network(network).largest_step
        assert 0.9 * exact < bound <= exact
        engine = Engine(network, state=network.initial_state())
        state = engine.state()
        engine.place(mf.matter.NetworkState(state.position, state.previous - [1e-9, 0, 0]))
        engine.advance(300)
        found[frequency] = np.abs(engine.state().position[0, 0])
    assert found[1.0] < 1e-6 < found[0.97]


def test_a_recording_has_rotations_and_their_books() -> None:
    b = NetworkBuilder(frequency=1050)
    ball = b.masses("ball", [0, R, 0], mass=M, radius=R, inertia="ball", angular_velocity=(0, 0, -10))
    b.solid("floor", Plane(), Transform.identity(), ball, law=links.visco_elastic_buffer(2e4, 0.0, damping=60.0),
            friction=Friction(0.4, stiffness=5e3, damping=20.0))  # fmt: skip
    rec = mf.simulate(b.build(), t1=1.0)
    turned = rec["ball.angular_velocity"][:, 0, 2]
    assert rec["ball.orientation"].shape == (26, 1, 4)
    assert rec["energy.rotation"] == pytest.approx(0.5 * 0.4 * M * R**2 * turned**2)
    assert rec["energy.friction"][-1] > 0
    assert (rec["energy.rotation"] <= rec["energy.kinetic"]).all()


def test_a_turned_module_turns_its_balls() -> None:
    inner = NetworkBuilder()
    inner.masses("ball", [0, 0, 0], mass=1.0, radius=0.1, inertia="ball", angular_velocity=(0, 0, 5))
    outer = NetworkBuilder()
    outer.add("part", inner, turn=rotation_about("x", np.pi / 2))
    rate = outer.build().initial_state().angular_velocity
    assert rate is not None
    assert rate[0] == pytest.approx([0, -5, 0])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inertia": "cube", "radius": 0.1}, "inertia must be a number or one of the allowed words"),
        ({"inertia": "ball"}, "a rotating ball must have a radius"),
        ({"inertia": 0.0, "radius": 0.1}, "inertia must be above 0"),
        ({"angular_velocity": (1, 0, 0)}, "only balls with inertia"),
    ],
)
def test_wrong_rotations_are_refused(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        NetworkBuilder().masses("ball", [0, 0, 0], mass=1.0, **options)


def test_rolling_friction_of_points_that_do_not_rotate_is_refused() -> None:
    b = NetworkBuilder()
    balls = b.masses("balls", [[0, 0, 0], [1, 0, 0]], mass=1.0, radius=0.1)
    b.reach("touch", balls, law=links.elastic_buffer(100.0, 0.0), friction=Friction(0.5, stiffness=10.0, rolling=0.1))
    with pytest.raises(InputError, match="need balls that rotate"):
        b.build()
