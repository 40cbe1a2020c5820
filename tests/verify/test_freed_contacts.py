"""Contact joints that become contacts: a ball that rolls off a dome leaves it where it must, flies, and lands."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, contact, joints, simulate, surfaces
from motiform.base.errors import InputError
from motiform.geometry import Ball

R, RADIUS, G = 1.0, 0.1, 9.81
UP = Transform.rotation_of([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # a surface's z along the world's y


def ball_on_dome(friction=None):
    b = FigureBuilder()
    shape = Ball(RADIUS)
    joint = joints.contact(surfaces.sphere(R), surfaces.sphere(RADIUS), friction=friction)
    b.segment("ball", None, joint, mass=shape.mass_properties(mass=1.0), shape=shape)
    return b.build()


def start_at(figure, angle):
    """The ball at rest at an angle from the top, found by the joint itself."""
    joint = figure.segments[0].joint
    centre = (R + RADIUS) * np.array([np.sin(angle), np.cos(angle), 0])
    return joint.touch(Transform(np.eye(3), centre))


def test_state_of_the_freed_figure_is_that_of_the_joint():
    from motiform.motion.tree import energy, poses

    figure = ball_on_dome()
    q, v = start_at(figure, 0.3), np.array([0.4, -0.7, 0.9])
    freed = contact.free_contacts(figure, q, v)
    for a, b in zip(poses(figure, q), poses(freed.figure, freed.q), strict=True):
        assert a == pytest.approx(b, abs=1e-12)
    assert energy(figure, q, v).kinetic == pytest.approx(energy(freed.figure, freed.q, freed.v).kinetic, rel=1e-12)
    assert abs(contact.contact_gaps(freed.figure, freed.contacts, freed.q)[0]) < 1e-12


def test_ball_leaves_the_dome_flies_and_lands():
    """V6: it leaves at cos φ = (10/17) cos φ0; the joint's own run ends at the same instant."""
    figure = ball_on_dome()
    q = start_at(figure, 0.3)
    ended = simulate(figure, t1=3.0, rate=200, q0=q, rtol=1e-11, atol=1e-13)
    freed = contact.free_contacts(figure, q)
    ground = contact.floor(height=-1.0)
    with_ground = freed.contacts.replace(
        obstacles=(*freed.contacts.obstacles, ground), pairs=(*freed.contacts.pairs, ("ball", ground.name))
    )
    rec = simulate(freed.figure, contacts=with_ground, t1=3.0, rate=200, q0=freed.q, v0=freed.v, rtol=1e-11, atol=1e-13)
    left = next(event for event in rec.events if event.name.startswith("leaves"))
    assert left.time == pytest.approx(ended.events[-1].time, abs=1e-8)
    place = rec["ball.position"]
    t = rec.time("q")
    before, after = place[t < left.time][-1], place[t > left.time][0]
    cosine = np.interp(left.time, [t[t < left.time][-1], t[t > left.time][0]], [before[1], after[1]]) / (R + RADIUS)
    assert cosine == pytest.approx(10 / 17 * np.cos(0.3), abs=1e-4)  # between two samples 5 ms apart
    assert any(event.name == "impact: ball on ground" for event in rec.events)
    assert place[-1, 1] == pytest.approx(-1.0 + RADIUS, abs=1e-9)


def test_what_cannot_be_freed_is_said():
    b = FigureBuilder()
    b.segment("egg", None, joints.contact(surfaces.plane(), surfaces.ellipsoid((0.1, 0.1, 0.2))), mass=1.0)
    with pytest.raises(InputError, match="sphere"):
        contact.free_contacts(b.build())
    plain = FigureBuilder()
    plain.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0)
    with pytest.raises(InputError, match="nothing to free"):
        contact.free_contacts(plain.build())
