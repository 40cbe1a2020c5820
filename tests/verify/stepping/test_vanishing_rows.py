"""Contacts of joints that cannot move in all directions: rows vanish or depend on others. Impulses at the start."""

import numpy as np
import pytest

from models import WEIGHTLESS, G
from motiform import FigureBuilder, Transform, contact, joints, simulate
from motiform.spatial import exp_rotation

WAYS = ["dormand-prince", "time-stepping"]
FRICTIONS = [None, 0.0, 0.3]
EVERY = pytest.mark.parametrize("way", WAYS)
WITH_ANY_FRICTION = pytest.mark.parametrize("mu", FRICTIONS)


def piston(*places, mu=None, **more):
    b = FigureBuilder()
    b.segment("piston", None, joints.prismatic((0, 1, 0)), mass=1.0)
    points = [contact.ContactPoint(f"p{n}", "piston", place, friction=mu) for n, place in enumerate(places)]
    return b.build(), contact.Contacts(points, contact.floor(), **more)


@EVERY
@WITH_ANY_FRICTION
@pytest.mark.parametrize("count", [1, 3])
def test_a_piston_lands_and_is_carried(way, mu, count):
    """Both tangential rows are zero; several points are redundant besides."""
    places = [(0.1 * np.cos(a), 0.0, 0.1 * np.sin(a)) for a in 2 * np.pi * np.arange(count) / count]
    figure, contacts = piston(*places, mu=mu)
    rec = simulate(figure, contacts=contacts, q0=[0.05], t1=0.3, rate=100, integrator=way)
    assert rec["q"][-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert rec["contact.force"][-1] == pytest.approx(np.tile([0, G / count, 0], (count, 1)), abs=1e-6)


@EVERY
@WITH_ANY_FRICTION
@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_an_arm_leans_on_the_floor(way, mu, turned):
    """One equation, N cos a + T sin a = ½ m g cos a, for three rows of which one is zero and two depend on each other.

    The least forces are along (cos a, sin a), or on the edge of their cone where that is outside: T = μ N.
    """
    b, hang = FigureBuilder(), Transform(exp_rotation(np.array([0.0, turned, 0.0])), np.zeros(3))
    arm = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": np.diag([0, 1 / 12, 1 / 12])}
    b.segment("arm", None, joints.revolute((0, 0, 1)), placement=hang, **arm)
    tip = contact.ContactPoint("tip", "arm", (1, 0, 0), friction=mu)
    rec = simulate(
        b.build(), contacts=contact.Contacts([tip], contact.floor(-0.5)), q0=[0.0], t1=1.0, rate=10, integrator=way
    )
    a, along = np.pi / 6, np.array([np.cos(turned), 0.0, -np.sin(turned)])
    assert rec["q"][-1, 0] == pytest.approx(-a, abs=1e-6)
    slope = min(np.tan(a), np.inf if mu is None else mu)
    N = 0.5 * G * np.cos(a) / (np.cos(a) + slope * np.sin(a))
    assert rec["contact.force"][-1, 0] == pytest.approx(slope * N * along + (0, N, 0), abs=1e-5)
    assert rec["contact.mode"][-1, 0] == (2 if mu == 0 else 1)


@EVERY
def test_a_piston_rubs_on_a_belt(way):
    """Nothing holds the piston along the belt, but the belt feels its friction: (F − μ m g)/M, from rest."""
    b = FigureBuilder()
    b.segment("belt", None, joints.prismatic((1, 0, 0)), mass=2.0)
    b.segment("piston", None, joints.prismatic((0, 1, 0)), mass=1.0)
    figure = b.build()
    point = contact.ContactPoint("p", "piston", (0, 0, 0), friction=0.3)
    contacts = contact.Contacts([point], [contact.plane(point=(0, 0, 0), normal=(0, 1, 0), segment="belt")])
    force = np.array([10.0, 0.0])
    rec = simulate(
        figure, contacts=contacts, controls=lambda t, state: force, q0=[0, 0], t1=0.2, rate=100, integrator=way
    )
    speed = (10.0 - 0.3 * G) / 2.0 * rec.time("v")
    assert rec["v"][:, 0] == pytest.approx(speed, abs=1e-6)
    assert rec["contact.force"][-1, 0] == pytest.approx((0.3 * G, G, 0), abs=1e-6)
    assert rec["contact.mode"][-1, 0] == 2


@EVERY
@WITH_ANY_FRICTION
@pytest.mark.parametrize("joint", [joints.prismatic((1, 0, 0)), joints.planar((0, 0, 1)), joints.free()])
def test_touching_without_load(way, mu, joint):
    """Two balls side by side where nothing pulls them: no force, no motion."""
    b = FigureBuilder(gravity=WEIGHTLESS)
    for name in "ab":
        b.segment(name, None, joint, mass=1.0, inertia=np.eye(3) * 1e-3)
    figure = b.build()
    q = figure.neutral()
    q[figure.nq // 2] = 0.1
    point = contact.ContactPoint("p", "a", (0, 0, 0), radius=0.05, friction=mu)
    rec = simulate(
        figure, contacts=contact.Contacts([point], contact.ball(0.05, segment="b")), q0=q, t1=0.02, rate=100,
        integrator=way,
    )  # fmt: skip
    assert not rec["contact.force"].any()
    assert np.array_equal(rec["q"][-1], q)


# ---- impulses at the start ------------------------------------------------------------------------------------------
@EVERY
@pytest.mark.parametrize(
    ("e", "v0", "points"), [(0.0, (0.2, -1.0), 2), (0.5, (0.2, -1.0), 0), (0.0, (1.0, 0.0), 1)],
    ids=["rests", "bounces", "tips"],
)  # fmt: skip
def test_an_impulse_at_the_start_is_reported(way, e, v0, points):
    """What was given and what the first sample has differ by the loss of the event, also where only friction acts."""
    b = FigureBuilder()
    b.segment("block", None, joints.planar((0, 0, 1)), mass=1.0, inertia=np.eye(3) * 0.01)
    feet = [contact.ContactPoint(f"p{n}", "block", (x, -0.1, 0), restitution=e) for n, x in enumerate((-0.3, 0.3))]
    rec = simulate(
        b.build(), contacts=contact.Contacts(feet, contact.floor()), q0=[0, 0.1, 0], v0=[*v0, 0], t1=0.02, rate=100,
        integrator=way,
    )  # fmt: skip
    given = 0.5 * (v0[0] ** 2 + v0[1] ** 2)
    assert [event.time for event in rec.events if event.name.startswith("impact")] == [0.0]
    assert rec["energy.kinetic"][0] == pytest.approx(given - rec.events[0].detail["lost"], abs=1e-12)
    assert rec.events[0].detail["lost"] > 0
    forces = rec["contact.force"][0]
    assert np.count_nonzero(forces.any(-1)) == points  # on those that touch after it
    assert rec["solid.wrench"][0, :, 3:].sum(0) == pytest.approx(forces.sum(0))
    if points == 2:
        assert forces.sum(0) == pytest.approx((0, G, 0), abs=1e-9)
