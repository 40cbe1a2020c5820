"""Rigid bodies as segments with contacts, many alike at random, and balls that touch one another once."""

from dataclasses import replace

import numpy as np
import pytest

from motiform import Body, FigureBuilder, Transform, contact, simulate
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Compound
from motiform.motion.bodies import Drag, scatter
from motiform.motion.contact.pack import pack_contacts
from motiform.motion.stepping import add_body, body_segments, start_bodies
from motiform.spatial import rotation_from_euler

SHAPE = Compound(((Box((0.2, 0.1, 0.3)), Transform.translation_of((0.1, 0.2, 0.0))),))
TURN = rotation_from_euler([0.3, 0.4, 0.5], "xyz")


def box(**changes):
    given = {"position": (1, 2, 3), "rotation": TURN, "velocity": (1, 0, 2), "spin": (3, 1, 0)}
    return Body("box", SHAPE.mass_properties(density=100), SHAPE, **{**given, **changes})


def built(*bodies, gravity=(0, -9.81, 0)):
    b = FigureBuilder(gravity=gravity)
    for body in bodies:
        add_body(b, body)
    return b.build()


def test_a_body_flies_as_a_segment():
    """The centre of mass moves on a straight line and the angular momentum stays, as of a free body."""
    body = box()
    figure = built(body, gravity=(0, 0, 0))
    q, v = start_bodies(figure, [body])
    center = np.array([1, 2, 3]) + TURN @ [0.1, 0.2, 0.0]
    np.testing.assert_allclose(q[:3], center, rtol=1e-15)
    rec = simulate(figure, t1=0.5, rate=10.0, q0=q, v0=v)
    np.testing.assert_allclose(rec["box.position"][-1], center + 0.5 * np.array([1, 0, 2]), atol=1e-8)


def test_many_bodies_are_drawn_about_one():
    many = scatter(box(), 50, (0.4, 0.0, 0.2), turned=True, velocity=0.5, spin=0.1, rng=4)
    assert (many.count, body_segments(many)[1]) == (50, "box.2")
    off = many.position - np.array([1, 2, 3])
    assert (np.abs(off) <= [0.2, 0.0, 0.1]).all()
    assert np.ptp(off[:, 0]) > 0.2
    assert (np.abs(many.velocity - np.array([1, 0, 2])) <= 0.5).all()
    same, other = (scatter(box(), 50, (0.4, 0.0, 0.2), turned=True, velocity=0.5, spin=0.1, rng=n) for n in (4, 5))
    np.testing.assert_array_equal(many.rotation, same.rotation)
    assert (many.position != other.position).any()
    figure = built(many)
    q, _ = start_bodies(figure, [many])
    assert q.shape == (50 * 7,)
    with pytest.raises(InputError, match="a single body is scattered"):
        scatter(many, 2, (1, 1, 1))


def test_what_contacts_do_not_take():
    with pytest.raises(InputError, match="has no drag"):
        built(replace(box(), drag=Drag(0.1)))
    with pytest.raises(InputError, match="spherical joint"):
        built(box(pivot=(0, 0, 0), velocity=(0, 0, 0)))


def test_two_balls_touch_once():
    balls = [Body(name, Ball(0.1).mass_properties(density=1000), Ball(0.1)) for name in "ab"]
    figure = built(*balls, box())
    points = [p for name in "ab" for p in contact.points_of_shape(figure, name)]
    obstacles = [o for name in ("a", "b", "box") for o in contact.obstacles_of_shape(figure, name)]
    assert [o.name for o in obstacles] == ["a.solid", "b.solid", "box.solid"]
    names = pack_contacts(figure, contact.Contacts(points, obstacles)).names
    assert names == ("a on b.solid", "a on box.solid", "b on box.solid")
    # a ball that is no contact point of its own segment is touched from both sides
    bare = contact.Contacts([p for p in points if p.name == "b"], obstacles)
    assert pack_contacts(figure, bare).names == ("b on a.solid", "b on box.solid")


def test_a_ring_is_the_rim_of_a_wheel():
    rim = contact.ring_point("rim", "box", (0, 0.1, 0), 0.3, axis=(2, 0, 0), tube=0.05)
    np.testing.assert_allclose(np.array(rim.rotation)[:, 2], [1, 0, 0], atol=1e-15)
    assert (rim.surface.ring, rim.surface.tube) == (0.3, 0.05)
    assert contact.ring_point("rim", "box", (0, 0, 0), 0.3).surface.radius == 0.3
    with pytest.raises(InputError, match="length above 0"):
        contact.ring_point("rim", "box", (0, 0, 0), 0.3, axis=(0, 0, 0))
