"""Impacts on small problems: restitution, friction, several points, limits, and energy."""

import numpy as np
import pytest

from models import free_body, on_floor
from motiform import Body, FigureBuilder, Transform, contact, joints
from motiform.geometry import Ball, Box
from motiform.motion import tree
from motiform.motion.stepping import add_body, start_bodies

Z = (0.0, 0.0, 1.0)


def ball(e=0.0, mu=None, radius=0.1):
    figure = free_body(Ball(radius), name="ball")
    return figure, on_floor(figure, mu, e), figure.configuration(ball=(0, radius, 0, 1, 0, 0, 0))


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_ball_straight_down(e):
    figure, contacts, q = ball(e)
    found = contact.contact_impact(figure, contacts, q, [0, 0, 0, 0, -2.0, 0])
    assert found.velocity == pytest.approx([0, 0, 0, 0, 2 * e, 0], abs=1e-13)
    assert found.impulses[0] == pytest.approx([0, 2 * (1 + e), 0], abs=1e-13)
    assert found.lost == pytest.approx(2 * (1 - e * e), abs=1e-13)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_oblique_ball_that_grips(e):
    """Slip u stops by an impulse 2/7 m u; it fits the cone of all the normal impulse."""
    figure, contacts, q = ball(e, 0.5)
    u, w = 1.0, 2.0
    found = contact.contact_impact(figure, contacts, q, [0, 0, 0, u, -w, 0])
    assert found.impulses[0] == pytest.approx([-2 * u / 7, w * (1 + e), 0], abs=1e-12)
    assert found.velocity == pytest.approx([0, 0, -5 * u / 7 / 0.1, 5 * u / 7, e * w, 0], abs=1e-11)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_oblique_ball_that_skids(e):
    figure, contacts, q = ball(e, 0.1)
    u, w = 3.0, 2.0
    found = contact.contact_impact(figure, contacts, q, [0, 0, 0, 0.6 * u, -w, 0.8 * u])
    N = w * (1 + e)
    assert found.impulses[0] == pytest.approx([-0.06 * N, N, -0.08 * N], abs=1e-10)


def test_ball_that_grips_in_the_second_half_of_the_impact():
    """Friction of the compression alone is not enough: with that of restitution it is; slip ends and stays zero."""
    figure, contacts, q = ball(0.8, 0.1)
    w = 2.0
    u = 3.5 * 0.1 * w * 1.5  # stopped by μ times 1.5 w, between w and 1.8 w
    found = contact.contact_impact(figure, contacts, q, [0, 0, 0, u, -w, 0])
    slip = contact.contact_rows(figure, contacts, q).jacobian[0, 0] @ found.velocity
    assert slip == pytest.approx(0, abs=1e-10)
    assert found.impulses[0, :2] == pytest.approx([-2 * u / 7, 1.8 * w], abs=1e-10)


def test_what_parts_is_left_alone():
    figure, contacts, q = ball(0.5, 0.3)
    v = [0, 0, 1.0, 0.2, 0.1, 0]
    found = contact.contact_impact(figure, contacts, q, v)
    assert found.velocity == pytest.approx(v, abs=1e-14)
    assert found.lost == 0


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_box_that_lands_flat(e):
    """Four points share the impulse; it does not turn."""
    figure = free_body(Box((0.4, 0.2, 0.3)), 2.0, "box")
    contacts = on_floor(figure, 0.4, e)
    q = figure.configuration(box=(0, 0.1, 0, 1, 0, 0, 0))
    found = contact.contact_impact(figure, contacts, q, [0, 0, 0, 0, -1.5, 0])
    assert found.velocity == pytest.approx([0, 0, 0, 0, 1.5 * e, 0], abs=1e-10)
    assert found.impulses.sum(0) == pytest.approx([0, 3 * (1 + e), 0], abs=1e-10)


def test_chain_of_balls_newtons_cradle_of_two():
    """Equal balls, e = 1: the first stops, the second goes."""
    b = FigureBuilder(gravity=(0, 0, 0))
    for name in "ab":
        b.segment(name, None, joints.prismatic((1, 0, 0)), mass=1.0)
    figure = b.build()
    point = contact.ContactPoint("b", "b", (0, 0, 0), 0.1, restitution=1.0)
    contacts = contact.Contacts((point,), (contact.ball(0.1, name="a", segment="a"),))
    found = contact.contact_impact(figure, contacts, [0.0, 0.2], [1.0, 0.0])
    assert found.velocity == pytest.approx([0, 1], abs=1e-12)


def test_limit_and_point_at_once():
    """A hanging two-link arm whose tip hits a wall while its elbow is at its stop: no part approaches after."""
    b = FigureBuilder()
    b.segment("upper", None, joints.revolute(Z), mass=1.0, com=(0, -0.2, 0), inertia=np.eye(3) * 0.01)
    b.segment(
        "fore",
        "upper",
        joints.revolute(Z, limits=(0.0, 2.0)),
        placement=Transform.translation_of((0, -0.4, 0)),
        mass=1.0,
        com=(0, -0.2, 0),
        inertia=np.eye(3) * 0.01,
    )
    figure = b.build()
    wall = contact.plane(name="wall", normal=(-1, 0, 0))
    contacts = contact.Contacts((contact.ContactPoint("tip", "fore", (0, -0.4, 0), friction=0.0),), (wall,))
    q, v = np.zeros(2), np.array([3.0, -1.0])
    found = contact.contact_impact(figure, contacts, q, v)
    tip = contact.contact_rows(figure, contacts, q).jacobian[0, 1] @ found.velocity
    assert tip >= -1e-12
    assert found.velocity[1] >= -1e-12
    assert found.impulses[0, 0] < 0
    kinetic = [tree.energy(figure, q, u).kinetic for u in (v, found.velocity)]
    assert kinetic[0] - kinetic[1] == pytest.approx(found.lost, abs=1e-12)
    assert found.lost > 0


def test_energy_never_grows_with_friction_and_restitution():
    """Kane's double pendulum: with Newton's law and friction its energy would grow; Poisson's does not let it."""
    b = FigureBuilder()
    rod = {"mass": 1.0, "com": (0, -0.5, 0), "inertia": np.diag([1 / 12, 1e-3, 1 / 12])}
    b.segment("upper", None, joints.revolute(Z), placement=Transform.translation_of((0, 0, 0)), **rod)
    b.segment("lower", "upper", joints.revolute(Z), placement=Transform.translation_of((0, -1, 0)), **rod)
    figure = b.build()
    q = np.array([np.radians(20), np.radians(10)])
    end = contact.ContactPoint("end", "lower", (0, -1, 0), friction=0.7, restitution=0.7)
    height = -np.cos(q[0]) - np.cos(q.sum())
    contacts = contact.Contacts((end,), (contact.floor(height),))
    for rates in ((-0.1, -0.2), (-0.3, -0.4), (-1.0, 0.5), (-0.5, -2.0)):
        found = contact.contact_impact(figure, contacts, q, rates)
        assert found.lost >= -1e-12
        assert np.hypot(found.impulses[0, 0], found.impulses[0, 2]) <= 0.7 * found.impulses[0, 1] + 1e-12


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_what_takes_no_part_moves_by_rounding_only(seed):
    """A ball strikes the floor beside a stack that slides: rows of the stack are rounding, which breaks no law."""
    flat, round_, speed = Box((0.12, 0.02, 0.03)), Ball(0.02), 2e-3
    bodies = [
        Body(
            f"b{k}", flat.mass_properties(density=500.0), flat, (0, 0.01 + 0.02 * k, 0), velocity=(0.1 + 0.05 * k, 0, 0)
        )
        for k in range(3)
    ]
    mass = round_.mass_properties(density=500.0)
    bodies.append(Body("ball", mass, round_, (0.5, 0.02, 0), velocity=(0.1, -speed, 0)))
    b = FigureBuilder()
    for body in bodies:
        add_body(b, body)
    figure = b.build()
    q, v = start_bodies(figure, bodies)
    v = v + 1e-17 * np.random.default_rng(seed).normal(size=len(v))
    found = contact.contact_impact(figure, contact.solid_contacts(figure, contact.floor(), friction=0.4), q, v)
    np.testing.assert_allclose(found.velocity[:-6], v[:-6], atol=1e-14)
    pressed = mass.mass * speed  # and friction takes μ times as much
    np.testing.assert_allclose(found.impulses[-1], (-0.4 * pressed, pressed, 0), atol=1e-9 * pressed)


@pytest.mark.parametrize("mu", [None, 5.0, 1.0])
def test_a_ball_rolls_up_a_kerb_and_is_not_wedged(mu):
    """Moments about the edge: m u (R − h) + 2/5 m R u before, 7/5 m R u' after; the floor is left without an impulse.

    Above μ = cot(γ/2), cos γ = 1 − h/R, here 2.65, to stop dead between the floor and the edge obeys the laws too.
    """
    R, h, u = 0.2, 0.05, 1.2
    kerb = contact.box((1.0, h, 1.0), placement=Transform.translation_of((0.5, h / 2, 0)), name="kerb")
    x = -np.sqrt(R * R - (R - h) ** 2)
    ball = Body(
        "ball", Ball(R).mass_properties(density=1e3), Ball(R), (x, R, 0), velocity=(u, 0, 0), spin=(0, 0, -u / R)
    )
    b = FigureBuilder()
    add_body(b, ball)
    figure = b.build()
    q, v = start_bodies(figure, [ball])
    contacts = contact.solid_contacts(figure, (contact.floor(), kerb), friction=mu)
    found = contact.contact_impact(figure, contacts, q, v)
    after = u * (1 - 5 * h / (7 * R))
    assert found.velocity[2] == pytest.approx(-after / R, rel=1e-12)
    np.testing.assert_allclose(found.velocity[3:], after / R * np.array([R - h, -x, 0]), atol=1e-12)
