"""Matter and figures in closed form: momentum exchanged to rounding, and figures that are what masses are."""

import numpy as np
import pytest

from models import WEIGHTLESS, free_body
from motiform import FigureBuilder, joints
from motiform.geometry import Ball, Box
from motiform.motion.coupled import Attachment, SegmentSolid
from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, topology
from motiform.motion.run import RunOptions
from motiform.spatial import Transform, exp_rotation
from runs import simulate_coupled, simulate_figure

EPS = np.finfo(float).eps
BOX = Box((0.4, 0.2, 0.3))
AT = (0.0, 0.03, 0.0, 1.0, 0.0, 0.0, 0.0)


def options(duration, rate=1050.0):
    return RunOptions(duration, rate=rate, integrator="central-difference")


def box(gravity=WEIGHTLESS):
    return free_body(BOX, 2.0, gravity=gravity)


def thrown(gravity=(0.0, 0.0, 0.0)):
    """A handful of sand that pushes its own grains apart, and a rope on the body: all kinds of links at once.

    Grains do not rub one another: that has a moment which masses without a spin have no place for.
    """
    rng = np.random.default_rng(0)
    b = NetworkBuilder(gravity=gravity)
    place = np.array([0.5, 0, 0]) + rng.uniform(-0.1, 0.1, (40, 3))
    grains = b.masses("sand", place, 0.02, radius=0.02, velocity=[-3, 0.3, 0])
    hook = b.fixed("hook", [0.0, -0.07, 0.0])
    rope = b.masses("rope", [[0.0, -0.07 - 0.05 * n, 0.0] for n in range(1, 6)], 0.03)
    b.link("strand", topology.chain(hook + rope), links.spring(300.0, damping=0.2))
    b.reach("grains", grains, law=links.visco_elastic_buffer(300.0, 0.0, damping=0.1))
    return b.build()


def two_parts(gravity=(0.0, 0.0, 0.0)):
    """A body with an arm that swings on it, its free joint in a frame of its own."""
    b = FigureBuilder(gravity=gravity)
    frame = Transform(exp_rotation(np.array([0.3, -0.5, 0.2])), np.array([0.0, 0.03, 0.0]))
    b.segment("body", None, joints.free(), mass=BOX.mass_properties(mass=2.0), placement=frame)
    rod = Box((0.05, 0.3, 0.05)).mass_properties(mass=0.4)
    b.segment("arm", "body", joints.revolute((0, 0, 1), point=(0.2, 0.1, 0)), mass=rod, damping=0.01, armature=0.002)
    return b.build()


@pytest.mark.parametrize("gravity", [(0.0, -9.81, 0.0), pytest.param((0.0, 0.0, 0.0), marks=pytest.mark.slow)])
@pytest.mark.parametrize("figure", [box, two_parts])
def test_momentum_goes_over_to_rounding(figure, gravity):
    """All forces between matter and figure are equal and opposite: linear and angular momentum are kept, step by step.

    A step rounds each of 45 masses and 2 segments a few times, numbers below 3 kg m/s: 1000 steps of 50 · 3 · 4 eps.
    Gravity adds M g t, and its moment about the origin is M c × g, c the centre of all.
    """
    model = figure(gravity=gravity)
    body = SegmentSolid(
        "skin", "body", BOX, "sand", links.visco_elastic_buffer(500.0, 0.0, damping=0.5), Friction(0.5, 100.0)
    )
    rope = Attachment("grip", "body", "hook")
    held = Attachment("band", "body", [0], places=(0.2, 0.1, 0.0), law=links.spring(3.0, rest=0.1, damping=0.1))
    v0 = np.zeros(model.nv)
    v0[:6] = 0.5, 1.0, 2.0, 0.3, 0.0, 0.0
    q0 = AT if figure is box else None
    parts = {"contacts": [body], "attachments": [rope, held]}
    found = simulate_coupled(thrown(gravity), model, options(0.9), **parts, q0=q0, v0=v0)
    t, mass = found.time("momentum"), model.mass + 40 * 0.02 + 5 * 0.03
    bound = 1000 * 50 * 3 * 4 * EPS
    p, spin = found["momentum"], found["angular_momentum"]
    exchanged = np.abs(found["figure.momentum"] - found["figure.momentum"][0] - model.mass * np.outer(t, gravity)).max()
    assert exchanged > 0.5
    np.testing.assert_allclose(p - mass * np.outer(t, gravity), np.tile(p[0], (len(t), 1)), atol=bound)
    points = found["sand.position"].sum(1) * 0.02 + found["rope.position"].sum(1) * 0.03
    center = points + model.mass * found["center_of_mass"]  # times the mass
    pulls = np.cumsum(np.cross(center, gravity), axis=0) / 1050.0
    turned = spin[0] + np.concatenate([np.zeros((1, 3)), pulls[:-1]])
    np.testing.assert_allclose(spin, turned, atol=bound)
    way = center[0] + np.cumsum(np.concatenate([np.zeros((1, 3)), p[1:]]), axis=0) / 1050.0
    np.testing.assert_allclose(center, way, atol=bound)


def test_a_free_segment_is_what_a_mass_is():
    """A ball on a spring to a chain: as a segment with a free joint and as one more mass, the same numbers.

    1000 steps that round places below 1 m and a pull of 40 N in 3 kg/1050²; springs do not let differences grow faster
    than n² of them.
    """
    chain = [[0.0, -0.1 * n, 0.02 * n] for n in range(1, 6)]
    law = links.spring(400.0, rest=0.09, damping=0.3)
    given = {"gravity": (0.0, -9.81, 0.0)}

    b = NetworkBuilder(**given)
    masses = b.masses("chain", chain, 0.05)
    b.link("strand", topology.chain(masses), law)
    held = Attachment("hold", "body", [0], places=(0.0, 0.0, 0.0), law=law)
    found = simulate_coupled(
        b.build(), free_body(Ball(0.05), 0.3, **given), options(0.9), attachments=[held], v0=(0, 0, 0, 1.0, 2.0, 0.5)
    )

    b = NetworkBuilder(**given)
    ball = b.masses("ball", [0, 0, 0], 0.3, velocity=(1.0, 2.0, 0.5))
    masses = b.masses("chain", chain, 0.05)
    b.link("strand", topology.chain(ball + masses), law)
    engine = Engine(b.build())
    bound = 4 * EPS * 1000**2
    for n in range(1, 946):
        engine.advance()
        x = engine.state().position
        np.testing.assert_allclose(found["body.position"][n], x[0], atol=bound)
        np.testing.assert_allclose(found["chain.position"][n], x[1:], atol=bound)


def test_elastic_collision_with_a_free_ball():
    """While in touch the gap is a cell of the reduced mass, e_{n+1} = (2 − K) e_n − e_{n−1}; then both go their ways.

    The last approach per step is what the recurrence ends with; the centre of mass goes on as before.
    """
    small, large, k, speed, radius = 0.1, 0.7, 2000.0, 1.3, 0.2
    b = NetworkBuilder(gravity=(0, 0, 0))
    b.masses("shot", [0.5, 0, 0], small, velocity=(-speed, 0, 0), radius=0.03)
    ball = SegmentSolid("ball", "body", Ball(radius), "shot", links.elastic_buffer(k, 0.0))
    found = simulate_coupled(
        b.build(), free_body(Ball(radius), large, gravity=WEIGHTLESS), options(0.6), contacts=[ball]
    )
    te = 1 / 1050
    K = k * te**2 * (1 / small + 1 / large)
    gap, before = 0.5 - radius - 0.03, 0.5 - radius - 0.03 + speed * te
    for _ in range(len(found["q"]) - 1):
        gap, before = gap + (gap - before) - (K * gap if gap < 0 else 0.0), gap
    apart = (gap - before) / te
    assert apart > 0.9 * speed
    center = -small * speed / (small + large)
    # 600 steps of roundings of 0.5 m, over Te.
    bound = 600 * 4 * EPS * 0.5 / te
    assert found["figure.momentum"][-1, 0] == pytest.approx(
        large * (center - small / (small + large) * apart), abs=bound
    )
    assert found["matter.momentum"][-1, 0] == pytest.approx(
        small * (center + large / (small + large) * apart), abs=bound
    )
    assert np.abs(found["v"][-1, :3]).max() == 0.0


@pytest.mark.slow
def test_spring_turns_a_wheel():
    """θ″ = −k r² θ/I: steps of a cell with K = k r² Te²/I, whose angle per step is arccos(1 − K/2).

    The spring runs along x to a nail 1 m away: sin θ and the turn of its line change the pull by θ²/2 and r θ²/2.
    """
    inertia, r, k, swing = 0.02, 0.1, 30.0, 1e-4
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("wheel", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, 0, 0), inertia=inertia * np.eye(3))
    b.tag("rim", "wheel", (0.0, r, 0.0))
    n = NetworkBuilder(gravity=(0, 0, 0))
    nail = n.fixed("nail", [1.0, r, 0.0])
    held = Attachment("spring", "wheel", nail, places="rim", law=links.spring(k, rest=1.0))
    found = simulate_coupled(n.build(), b.build(), options(3.0), attachments=[held], q0=[swing])
    K = k * r**2 / inertia / 1050**2
    angle = np.arccos(1 - K / 2)
    steps = np.arange(len(found["q"]))
    # x_n = A cos(n a + f) with x₀ = swing and x₁ = (1 − K) swing, as the start is at rest one step before.
    f = np.arctan2(np.cos(angle) - (1 - K), np.sin(angle))
    expected = swing * np.cos(steps * angle + f) / np.cos(f)
    np.testing.assert_allclose(found["q"][:, 0], expected, atol=4 * swing**2 * 3.0)
    np.testing.assert_allclose(
        found["matter.wrench"][:-1, 0, 2][1:], -k * r**2 * found["q"][:-2, 0], atol=k * r * swing**2
    )


@pytest.mark.slow
def test_a_body_alone_tumbles_as_the_equations_say():
    """Without matter that touches it: second order, so half the step quarters the error; momentum kept to rounding."""
    figure = free_body(Box((0.4, 0.1, 0.25)), gravity=WEIGHTLESS)
    v0 = (1.0, 4.0, 0.5, 0.4, 0.1, -0.3)
    exact = simulate_figure(figure, RunOptions(1.0, rate=105, integrator="dormand-prince"), q0=AT, v0=v0)
    errors = []
    for rate in (1050.0, 2100.0, 4200.0):
        b = NetworkBuilder(gravity=(0, 0, 0), frequency=rate)
        b.masses("dust", [10.0, 0, 0], 1.0)
        found = simulate_coupled(b.build(), figure, options(1.0, 105.0), q0=AT, v0=v0)
        errors.append(np.abs(found["body.orientation"] - exact["body.orientation"]).max())
        for name in ("momentum", "angular_momentum"):
            own = found[f"figure.{name}"]
            np.testing.assert_allclose(own, np.tile(own[0], (len(own), 1)), atol=rate * 50 * EPS)
        np.testing.assert_allclose(found["body.position"], exact["body.position"], atol=rate * 4 * EPS)
    assert errors[0] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.1)
