"""Points against solids in closed form: bounce, sliding, sticking, belts, turntables, containers."""

import warnings

import numpy as np
import pytest

from motiform.geometry import Box, Compound, Cylinder, Hollow, Plane
from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, topology
from motiform.motion.matter.engine.engine import PassedWarning
from motiform.spatial import Transform, rotation_about

G = 9.81
HERE = Transform.identity()
EPS = np.finfo(float).eps


def paths(network, steps):
    """Return the positions at all samples, (steps + 1, points, 3)."""
    engine = Engine(network)
    found = [engine.state().position]
    for _ in range(steps):
        engine.advance()
        found.append(engine.state().position)
    return np.array(found)


# ---- bouncing --------------------------------------------------------------------------------------------------------


def flight(e0, move, g, count):
    """Return gaps of free flight: e_n = e₀ + n V − g n (n + 1)/2, `move` the last one before e₀, all per step."""
    n = np.arange(count)
    return e0 + n * move - g * n * (n + 1) / 2


def touch(e0, e1, K, Z, g, count):
    """Return gaps while in touch: e_{n+1} = (2 − K − Z) e_n − (1 − Z) e_{n−1} − g, a sum of two powers and −g/K."""
    roots = np.roots([1.0, -(2 - K - Z), 1 - Z]).astype(complex)
    rest = -g / K
    parts = np.linalg.solve(np.array([[1, 1], roots]), np.array([e0 - rest, e1 - rest]))
    n = np.arange(count)[:, None]
    return rest + (parts * roots**n).sum(1).real


def bounced(height, mass, k, z, te, steps):
    """Return gaps of a ball dropped from a height on a buffer: flight and touch by turns, each in closed form."""
    K, Z, g = k * te**2 / mass, z * te / mass, G * te**2
    found, move = [height], 0.0
    while len(found) <= steps:
        fall = flight(found[-1], move, g, steps + 2)
        down = int(np.argmax(fall[1:] < 0)) + 1 if (fall[1:] < 0).any() else steps + 1
        found += list(fall[1 : down + 1])
        if len(found) > steps:
            break
        press = touch(found[-2], found[-1], K, Z, g, steps + 2)
        # In touch from the first gap below zero on, which is press[1].
        up = next((n for n in range(2, len(press)) if press[n] >= 0), steps + 1)
        found += list(press[2 : up + 1])
        move = found[-1] - found[-2]
    return np.array(found[: steps + 1])


@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_bounce_is_flight_and_cell_by_turns(radius):
    mass, k, z, height, steps = 0.2, 3000.0, 2.0, 0.3, 1200
    b = NetworkBuilder()
    ball = b.masses("ball", [0, height + radius, 0], mass, radius=radius)
    b.solid("ground", Plane(), HERE, ball, law=links.visco_elastic_buffer(k, 0.0, damping=z))
    network = b.build()
    gaps = paths(network, steps)[:, 0, 1] - radius
    expected = bounced(height, mass, k, z, network.step, steps)
    touches = np.diff((expected < 0).astype(int))
    assert (touches == 1).sum() >= 3  # several bounces are in it
    # Each step rounds numbers below 0.4 m three times; what it is off by then goes on like a velocity, so that n steps
    # add up to n²/2 of them.
    np.testing.assert_allclose(gaps, expected, atol=3 * 0.4 * EPS * steps**2 / 2)


def test_bounce_height_of_one_contact():
    """A weak push: the height after the bounce is e² of that before, e = exp(−ζ π/√(1 − ζ²)) of a linear damper.

    Touch ends where the gap is zero again, not the force, and gravity acts in it; the rest is of first order in Te. The
    bound of 2 % holds both: G √(m/k)/v = 2 % of the speed at k = 3e4 N/m, and ω Te = 16 % damps no bounce by itself.
    """
    mass, k, height = 0.2, 3e4, 0.5
    zeta = 0.1
    z = 2 * zeta * np.sqrt(k * mass)
    b = NetworkBuilder(frequency=10500.0)
    ball = b.masses("ball", [0, height, 0], mass)
    b.solid("ground", Plane(), HERE, ball, law=links.visco_elastic_buffer(k, 0.0, damping=z))
    y = paths(b.build(), 6500)[:, 0, 1]
    low = int(np.argmin(y))
    e = np.exp(-zeta * np.pi / np.sqrt(1 - zeta**2))
    assert np.sqrt(y[low:].max() / height) == pytest.approx(e, rel=0.02)


# ---- sliding and sticking --------------------------------------------------------------------------------------------

MASS, K = 0.5, 5000.0


def raft(velocity, friction, pose=HERE, gravity=(0.0, -G, 0.0), press=MASS * G, motion=None, where=(0.0, 0.0)):
    """Return four linked masses on a plane, pressed in by as much as they weigh on it."""
    b = NetworkBuilder(gravity=gravity)
    flat = np.array([[x + where[0], -press / K, z + where[1]] for x in (0.0, 0.2) for z in (0.0, 0.2)])
    points = b.masses("raft", pose.point(flat), MASS, velocity=pose.vector(np.array(velocity, float)))
    b.link("frame", topology.agglomerate(points), links.spring(2000.0, damping=2.0))
    law = links.visco_elastic_buffer(K, 0.0, damping=20.0)
    b.solid("plane", Plane(), pose, points, law=law, friction=friction, motion=motion)
    return b.build()


def test_sliding_block_held_by_springs_stops():
    """It stops after v²/2μg, within what the springs that hold it stretch and what moves in a step.

    The springs pull less than μ m g over their first stretch s = μ m g/k_t: half of it is slid more. At the end they
    pull it back, around the place where they are slack, by at most 2 s; a step moves it v Te.
    """
    mu, v, kt = 0.4, 1.5, 20_000.0
    network = raft((v, 0, 0), Friction(mu, stiffness=kt, damping=30.0))
    x = paths(network, 1500)[:, :, 0]
    slid, stretch, step = x - x[0], mu * MASS * G / kt, v * network.step
    expected = v**2 / (2 * mu * G)
    assert slid[-1].max() <= expected + 0.5 * stretch + step
    assert slid[-1].min() >= expected - 1.5 * stretch - step
    assert np.abs(x[-1] - x[-100]).max() < 1e-9  # it has stopped


def test_sliding_block_with_viscous_limit_creeps_to_a_stop():
    """Friction μ m g down to the speed v₁ = μ m g/c, then c v: (v² − v₁²)/2μg + m v₁/c, and one step's way."""
    mu, v, c = 0.3, 1.2, 25.0
    network = raft((0, 0, v), Friction(mu, damping=c))
    z = paths(network, 1500)[:, :, 2]
    slow = mu * MASS * G / c
    expected = (v**2 - slow**2) / (2 * mu * G) + MASS * slow / c
    np.testing.assert_allclose(z[-1] - z[0], expected, atol=v * network.step)


@pytest.mark.parametrize("share", [0.5, 0.85])
def test_sticks_on_a_slope_below_its_limit(share):
    """It comes to rest where the springs hold it: m g sin α/k_t down the slope."""
    mu, kt = 0.6, 8000.0
    angle = np.arctan(share * mu)
    pose = Transform.rotation_of(rotation_about("z", -angle))
    kept = MASS * G * np.cos(angle)
    # Critical damping: while it swings in, the force is at most 1 + e⁻² = 1.14 of what holds it in the end.
    friction = Friction(mu, stiffness=kt, damping=2 * np.sqrt(kt * MASS))
    network = raft((0, 0, 0), friction, pose, press=kept)
    x = paths(network, 2000)
    down = pose.vector(np.array([1.0, 0.0, 0.0]))
    moved = (x[-1] - x[0]) @ down
    # What is not yet at rest after 2000 steps is e^(−ω t) of it, far below rounding of the 0.3 m that places are.
    np.testing.assert_allclose(moved, MASS * G * np.sin(angle) / kt, atol=1e-11)


def test_slides_on_a_slope_above_its_limit():
    """First held by its springs, x″ = g sin α − k_t x/m up to μ N, then x″ = g (sin α − μ cos α).

    The scheme is late by half a step: 2 v Te bounds that, and the turn from one to the other within a step.
    """
    mu, kt, steps = 0.3, 4000.0, 500
    angle = np.arctan(2 * mu)
    pose = Transform.rotation_of(rotation_about("z", -angle))
    kept = MASS * G * np.cos(angle)
    network = raft((0, 0, 0), Friction(mu, stiffness=kt), pose, press=kept)
    x = paths(network, steps)
    moved = (x - x[0]) @ pose.vector(np.array([1.0, 0.0, 0.0]))
    w, reach = np.sqrt(kt / MASS), MASS * G * np.sin(angle) / kt
    limit = mu * kept / kt
    t1 = np.arccos(1 - limit / reach) / w
    v1, a = reach * w * np.sin(w * t1), G * (np.sin(angle) - mu * np.cos(angle))
    t = np.arange(steps + 1) / network.frequency - t1
    expected, speed = limit + v1 * t + a * t**2 / 2, v1 + a * t
    late = t > 0
    assert late.sum() > 400
    assert (np.abs(moved[late] - expected[late, None]) < 2 * speed[late, None] * network.step).all()


# ---- moving solids ---------------------------------------------------------------------------------------------------


def test_belt_takes_points_along():
    """Below the limit the slip is V_n = V₀ (1 − c Te/m)ⁿ: c only acts on what moves against the belt."""
    u, c, steps = 0.8, 5.0, 400
    belt = lambda t: Transform.translation_of((u * t, 0.0, 0.0))  # noqa: E731
    network = raft((0, 0, 0), Friction(2.0, damping=c), motion=belt)
    x = paths(network, steps)[:, :, 0]
    speed = np.diff(x, axis=0) * network.frequency
    n = np.arange(1, steps + 1)[:, None]
    expected = u - u * (1 - c / (MASS * network.frequency)) ** n
    # Differences of places below 1 m: 4 roundings a step, summed over the steps of the decay, m rate/c = 105.
    np.testing.assert_allclose(speed, np.broadcast_to(expected, speed.shape), atol=4 * EPS * network.frequency * 105)


def test_lift_carries_points_without_changing_the_gap():
    u, steps = 0.7, 600
    lift = lambda t: Transform.translation_of((0.0, u * t, 0.0))  # noqa: E731
    network = raft((0, u, 0), None, motion=lift)
    y = paths(network, steps)[:, :, 1]
    t = np.arange(steps + 1)[:, None] / network.frequency
    np.testing.assert_allclose(y - u * t, np.full_like(y, -MASS * G / K), atol=1e-13 * steps)


def test_turntable_carries_points_around():
    """Held by springs that turn with the table: out by m w² r/k_t, and at the table's angle.

    The way into this state is bent aside by 2 w/√(k_t/m) = 3 % of the stretch at most, Coriolis's share against that of
    the springs, which then pull it straight.
    """
    w, kt, radius = 2.0, 8000.0, 0.3
    b = NetworkBuilder()
    speed = [0, 0, -w * radius]
    point = b.masses("coin", [radius, -MASS * G / K, 0], MASS, velocity=speed)
    turn = lambda t: Transform.rotation_of(rotation_about("y", w * t))  # noqa: E731
    rub = Friction(1.0, stiffness=kt, damping=2 * np.sqrt(kt * MASS))
    b.solid(
        "table", Plane(), HERE, point, law=links.visco_elastic_buffer(K, 0.0, damping=20.0), friction=rub, motion=turn
    )
    network = b.build()
    x = paths(network, 2100)[:, 0]
    r, t = np.hypot(x[-1, 0], x[-1, 2]), 2100 / network.frequency
    stretch = MASS * w**2 * radius / kt  # 7.5e-5 m
    angle = np.arctan2(-x[-1, 2], x[-1, 0])
    assert abs(r - radius - stretch) < 0.03 * stretch
    assert abs(np.angle(np.exp(1j * (angle - w * t)))) * radius < 0.03 * stretch


# ---- shapes ----------------------------------------------------------------------------------------------------------


def test_a_mesh_does_what_its_shape_does():
    """The same faces by triangles: paths of points that fall on a box agree to rounding that bounces grow."""
    rng = np.random.default_rng(5)
    start = np.column_stack([rng.uniform(-0.4, 0.4, 200), rng.uniform(0.3, 0.5, 200), rng.uniform(-0.4, 0.4, 200)])
    pose = Transform(rotation_about("z", 0.2), np.zeros(3))
    found = []
    box = Box((0.7, 0.2, 0.6))
    for shape in (box, box.to_mesh()):
        b = NetworkBuilder()
        points = b.masses("rain", start, 0.02, radius=0.02)
        b.solid(
            "box",
            shape,
            pose,
            points,
            law=links.visco_elastic_buffer(300.0, 0.0, damping=0.2),
            friction=Friction(0.3, damping=0.2),
        )
        found.append(paths(b.build(), 400))
    assert (found[0][:, :, 1].min(0) > -0.5).any()
    # A difference of 1e-15 m is multiplied at every bounce by the flight after it over the touch, some 30, less than
    # three times; at the round edge around a corner by 1/radius more.
    assert np.abs(found[0] - found[1]).max() < 1e-15 * 30**3 * 50


@pytest.mark.parametrize("shape", [Box((1.0, 0.8, 1.2)), Cylinder(0.5, 1.0)])
def test_cloud_stays_in_its_container(shape):
    """Nothing goes deeper into the wall than its energy allows, and the energy is kept.

    Without damping ½ k p² ≤ ½ m v² at depth p; the scheme's swing is larger by 1/√(1 − K/4) and by one step's way.
    """
    rng = np.random.default_rng(6)
    count, mass, k, radius = 300, 0.01, 200.0, 0.02
    b = NetworkBuilder(gravity=(0, 0, 0))
    place = rng.uniform(-0.25, 0.25, (count, 3))
    velocity = rng.normal(size=(count, 3))
    points = b.masses("gas", place, mass, velocity=velocity, radius=radius)
    b.solid("walls", Hollow(shape), HERE, points, law=links.elastic_buffer(k, 0.0))
    network = b.build()
    x = paths(network, 3000)
    speed = np.linalg.norm(velocity, axis=1)
    K = k * network.step**2 / mass
    depth = speed * np.sqrt(mass / k) / np.sqrt(1 - K / 4) + speed * network.step
    from motiform.geometry.search.closest import pack_solids, signed_distance

    out = signed_distance(pack_solids([(shape, HERE)]), x.reshape(-1, 3))[0].reshape(x.shape[:2]) + radius
    assert out.max() > 0
    assert (out <= depth * (1 + 1e-9)).all()
    assert (np.abs(x[-1] - x[0]) > 0.01).any(axis=1).all()


@pytest.mark.parametrize("thickness", [2e-3, 1e-5, 1e-8])
def test_no_plate_is_too_thin_to_be_passed_unseen(thickness):
    """At 300 m/s and 1050 Hz a point moves by 286 mm; above an edge and between walls nothing is told."""
    b = NetworkBuilder(gravity=(0, 0, 0))
    places = [[-0.5, 0, 0], [-0.5, 0.501, 0], [-0.5, 1.99999, 0.0]]
    points = b.masses("points", places, mass=0.01, velocity=[[300, 0, 0], [300, 0, 0], [300, 0.05, 0]])
    law = links.elastic_buffer(100.0, 0.0)
    for name, k, at in (("plate", 0, (0, 0, 0)), ("edge", 1, (0, 0, 0))):
        b.solid(name, Box((thickness, 1.0, 1.0)), Transform(np.eye(3), np.array(at)), points[k], law=law)
    walls = [(Box((9.0, thickness, 1.0)), Transform(np.eye(3), np.array([0.0, y, 0.0]))) for y in (1.995, 2.005)]
    b.solid("walls", Compound(tuple(walls)), HERE, points[2], law=law)
    engine = Engine(b.build())
    with pytest.warns(PassedWarning):
        engine.advance(4)
    assert engine.passed == {"plate": 2}


@pytest.mark.parametrize("moves", ["point", "plate"])
def test_a_point_that_passes_through_a_thin_plate_is_reported(moves):
    """A plate of 2 mm: at 10 m/s and 1000 Hz a point moves by 10 mm a step; with a ball of 20 mm it bounces."""

    def run(radius, speed=10.0):
        b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
        own = -speed if moves == "point" else 0.0
        ball = b.masses("ball", [[0.5, 0.255, 0], [3.0, 0.255, 0]], mass=0.01, radius=radius, velocity=(0, own, 0))
        lift = None if moves == "point" else lambda t: Transform(np.eye(3), np.array([0.0, speed * t, 0.0]))
        law = links.elastic_buffer(10000.0, 0.0)
        b.solid("plate", Box((2.0, 0.002, 2.0)), Transform.identity(), ball, law=law, motion=lift)
        return Engine(b.build())

    fast = run(0.0)
    with pytest.warns(PassedWarning, match="'plate', t = 0.026 s"):  # between 5 mm before and 5 mm behind its middle
        fast.advance(60)
    assert fast.passed == {"plate": 26}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        thick = run(0.02)
        thick.advance(60)
    relative = thick.state().velocity(1000.0)[0, 1] - (0.0 if moves == "point" else 10.0)
    assert relative > 0  # it came back


@pytest.mark.parametrize("frequency", [5000.0, 100_000.0])
@pytest.mark.parametrize("radius", [0.0, 0.005])
@pytest.mark.parametrize(("share", "passes"), [(0.9, False), (1.1, True)])
def test_a_point_that_a_plate_is_too_soft_for_is_reported(share, passes, radius, frequency):
    """A spring of stiffness k over r + h/2, to the middle of the plate, takes up m v²/2 where m v² = k (r + h/2)².

    A step is at most 0.02 of the period of the contact: the scheme's depth is that of a spring to 2e-4.
    """
    k, mass, thickness = 10_000.0, 0.01, 0.02
    speed = share * np.sqrt(k / mass) * (radius + thickness / 2)
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=frequency)
    ball = b.masses("ball", [[0.0, 0.1, 0.0]], mass=mass, radius=radius, velocity=(0.01, -speed, 0))
    b.solid("plate", Box((1.0, thickness, 1.0)), HERE, ball, law=links.elastic_buffer(k, 0.0))
    engine = Engine(b.build())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        engine.advance(round(0.05 * frequency))
    assert [one.category for one in caught] == [PassedWarning] * passes
    assert list(engine.passed) == ["plate"] * passes
    assert (engine.state().position[0, 1] < 0) == passes


def test_points_that_rest_slide_and_cross_seams_do_not_pass():
    """A floor of tiles: points slide over it, some of them inside by some millimetres."""
    b = NetworkBuilder(gravity=(0, -9.81, 0), frequency=2000.0)
    x = np.linspace(-0.4, 0.4, 9)
    points = b.masses("points", np.stack([x, 0 * x, 0.01 * x], axis=1), mass=0.01, velocity=(0.7, 0, 0.3))
    tiles = [(Box((0.1, 0.1, 4.0)), Transform(np.eye(3), np.array([0.1 * n, -0.05, 0.0]))) for n in range(-9, 10)]
    law = links.elastic_buffer(100.0, 0.0)
    b.solid("floor", Compound(tuple(tiles)), HERE, points, law=law)
    engine = Engine(b.build())
    engine.advance(600)
    assert engine.passed == {}
    assert engine.state().position[:, 1].max() < 0  # they are inside, as the law is soft
