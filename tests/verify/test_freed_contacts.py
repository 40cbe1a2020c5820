"""Contact joints that become contacts: a ball that rolls off a dome leaves it where it must, flies, and lands."""

import numpy as np
import pytest

from models import free_body
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
    from motiform.motion.tree import energy, forward_kinematics

    figure = ball_on_dome()
    q, v = start_at(figure, 0.3), np.array([0.4, -0.7, 0.9])
    freed = contact.release_contacts(figure, q, v)
    for a, b in zip(forward_kinematics(figure, q), forward_kinematics(freed.figure, freed.q), strict=True):
        assert a == pytest.approx(b, abs=1e-12)
    assert energy(figure, q, v).kinetic == pytest.approx(energy(freed.figure, freed.q, freed.v).kinetic, rel=1e-12)
    assert abs(contact.contact_gaps(freed.figure, freed.contacts, freed.q)[0]) < 1e-12


def test_ball_leaves_the_dome_flies_and_lands():
    """V6: it leaves at cos φ = (10/17) cos φ0; the joint's own run ends at the same instant."""
    figure = ball_on_dome()
    q = start_at(figure, 0.3)
    ended = simulate(figure, t1=3.0, rate=200, q0=q, rtol=1e-11, atol=1e-13)
    freed = contact.release_contacts(figure, q)
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


FACES = {
    "torus": surfaces.torus(0.2, 0.05),
    "circle": surfaces.circle(0.25),
    "ellipsoid": surfaces.ellipsoid((0.2, 0.15, 0.1)),
    "sphere": surfaces.sphere(0.2),
}


def rolling(face, friction=None):
    """A body with three different moments, tilted, on the plane of the ground; it rolls, and turns in its place."""
    b = FigureBuilder()
    joint = joints.contact(surfaces.plane(), face, friction=friction)
    b.segment("wheel", None, joint, placement=UP, mass=1.0, com=(0.01, 0, 0), inertia=np.diag([0.01, 0.011, 0.02]))
    figure = b.build()
    tilt = np.array([0.8, 0.5, 0.1, 0.3])
    pose = Transform.from_quaternion(tilt / np.linalg.norm(tilt), (0, 0, 0.2))
    return figure, figure.segments[0].joint.touch(pose, tolerance=0.5), np.array([0.5, 2.0, 1.0])


@pytest.mark.parametrize("name", FACES)
def test_freed_surfaces_roll_as_the_joint_does(name):
    """The joint has other coordinates and other equations: the same motion to what the tolerances of both add up to."""
    figure, q, v = rolling(FACES[name])
    rec = simulate(figure, t1=0.3, rate=100, q0=q, v0=v, rtol=1e-11, atol=1e-13)
    freed = contact.release_contacts(figure, q, v)
    other = simulate(
        freed.figure, contacts=freed.contacts, t1=0.3, rate=100, q0=freed.q, v0=freed.v, rtol=1e-11, atol=1e-13
    )
    for channel in ("wheel.position", "wheel.orientation"):
        one, two = rec[channel], other[channel]
        if channel.endswith("orientation"):  # q and −q are one rotation
            two = two * np.sign(np.sum(one * two, axis=1))[:, None]
        assert one == pytest.approx(two, abs=1e-9)
    assert np.abs(other["contact.gap"]).max() < 1e-11


def test_plane_of_a_segment_on_a_ball_of_another():
    """A plate on a ball that hangs: roles are exchanged, the state stays."""
    b = FigureBuilder()
    b.segment("ball", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.5, 0))
    joint = joints.contact(surfaces.sphere(0.3), surfaces.plane())
    b.segment("plate", "ball", joint, placement=UP, mass=0.2, com=(0, 0, 0.01), inertia=1e-3 * np.eye(3))
    figure = b.build()
    q = np.concatenate([[0.1], figure.segments[1].joint.touch(Transform(np.diag([1.0, -1, -1]), (0, 0, 0.3)))])
    v = np.array([0.2, 0.5, -0.3, 0.1])
    freed = contact.release_contacts(figure, q, v)
    assert abs(contact.contact_gaps(freed.figure, freed.contacts, freed.q)[0]) < 1e-12
    rec = simulate(figure, t1=0.1, rate=100, q0=q, v0=v, rtol=1e-11, atol=1e-13)
    other = simulate(
        freed.figure, contacts=freed.contacts, t1=0.1, rate=100, q0=freed.q, v0=freed.v, rtol=1e-11, atol=1e-13
    )
    assert rec["plate.position"] == pytest.approx(other["plate.position"], abs=1e-9)


def test_an_egg_that_is_dropped_lands_slides_and_sticks():
    """It lands when its lowest point has fallen (V13's fall), and never goes below the ground; energy only falls."""
    figure = free_body(name="egg", inertia=(0.01, 0.012, 0.02))
    egg = contact.ContactPoint("egg", "egg", (0, 0, 0), friction=0.3, surface=surfaces.ellipsoid((0.2, 0.15, 0.1)))
    contacts = contact.Contacts((egg,), (contact.floor(),))
    q0, v0 = figure.neutral(), np.zeros(6)
    q0[:7] = (0, 1.15, 0, np.cos(0.3), 0, 0, np.sin(0.3))
    v0[3:] = Transform.from_quaternion(q0[3:7]).rotation.T @ (4.0, 0.0, 0.4)
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=200, q0=q0, v0=v0)
    down = np.array([0.2 * np.sin(0.6), 0.15 * np.cos(0.6)])  # half axes times the vertical in the egg's frame
    landed = np.sqrt(2 * (1.15 - np.linalg.norm(down)) / G)
    impact = next(event for event in rec.events if event.name.startswith("impact"))
    assert impact.time == pytest.approx(landed, abs=1e-9)
    assert rec["contact.gap"].min() > -1e-9
    energy = rec["energy"] if rec["energy"].ndim == 1 else rec["energy"].sum(axis=1)
    assert np.diff(energy).max() < 1e-6 * energy[0]
    assert (rec["contact.mode"] == 2).any()


def test_a_wheel_against_a_box_is_refused():
    b = FigureBuilder()
    b.segment("wheel", None, joints.free(), mass=1.0)
    figure = b.build()
    wheel = contact.ContactPoint("rim", "wheel", (0, 0, 0), surface=surfaces.circle(0.3))
    with pytest.raises(InputError, match="planes only"):
        simulate(figure, contacts=contact.Contacts((wheel,), (contact.box((1, 1, 1)),)), t1=0.1)
    with pytest.raises(InputError, match="from outside"):
        contact.ContactPoint("rim", "wheel", (0, 0, 0), surface=surfaces.cylinder(0.3))


def test_what_cannot_be_freed_is_said():
    b = FigureBuilder()
    b.segment("log", None, joints.contact(surfaces.plane(), surfaces.cylinder(0.1)), mass=1.0)
    with pytest.raises(InputError, match="cylinder on plane"):
        contact.release_contacts(b.build())
    plain = FigureBuilder()
    plain.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0)
    with pytest.raises(InputError, match="nothing to free"):
        contact.release_contacts(plain.build())
