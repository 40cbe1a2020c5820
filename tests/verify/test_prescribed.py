"""Prescribed motions, obstacles from inside, velocities in the world: against closed forms."""

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

from motiform import FigureBuilder, Transform, contact, joints, simulate, surfaces
from motiform.base.errors import InputError
from motiform.geometry import Ball, Cylinder
from motiform.motion import tree
from motiform.motion.actuation import PrescribedMotion
from motiform.scene.read.load import parse_scene

G = 9.81
Y, X = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)


def slider():
    """A mass of 2 kg on a smooth radial rod that turns about the vertical."""
    b = FigureBuilder()
    b.segment("rod", None, joints.revolute(Y), mass=1.0, inertia=0.3 * np.eye(3))
    b.segment("mass", "rod", joints.prismatic(X), mass=2.0)
    figure = b.build()
    return figure, figure.configuration(mass=0.5)


@pytest.mark.parametrize("integrator", ["dormand-prince", "rk4"])
def test_a_mass_on_a_rod_that_turns(integrator):
    """At a constant speed Ω: r = r₀ cosh Ωt, torque 2 m r ṙ Ω; energy is that of the rod and the mass alone."""
    figure, q = slider()
    speed = 3.0
    rec = simulate(
        figure, q0=q, t1=0.5, rate=100, integrator=integrator, prescribed=PrescribedMotion("rod", speed=speed)
    )
    t = rec.time("q")
    r, dr = 0.5 * np.cosh(speed * t), 0.5 * speed * np.sinh(speed * t)
    np.testing.assert_allclose(rec["q"], np.stack([speed * t, r], axis=1), atol=2e-8)
    np.testing.assert_allclose(rec["drive.effort.rod"], 2 * 2.0 * r * dr * speed, atol=1e-6)
    kinetic = 0.5 * 0.3 * speed**2 + 0.5 * 2.0 * (dr**2 + (r * speed) ** 2)
    np.testing.assert_allclose(rec["energy.kinetic"], kinetic, rtol=1e-7)
    # the work of the drive is the energy that is gained
    work = simpson(rec["drive.effort.rod"] * speed, x=t)
    assert work == pytest.approx(kinetic[-1] - kinetic[0], rel=1e-6)


def test_motions_by_functions_and_through_values():
    figure, q = slider()

    def swing(t):
        return 0.4 * np.sin(5 * t)

    given = simulate(figure, q0=q, t1=0.5, rate=50, prescribed=[PrescribedMotion("rod", swing)])
    t = given.time("q")
    np.testing.assert_allclose(given["q.rod"], swing(t), atol=1e-8)
    found = solve_ivp(
        lambda s, y: [y[1], y[0] * (2.0 * np.cos(5 * s)) ** 2], (0, 0.5), [0.5, 0.0], t_eval=t, rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(given["q.mass"], found.y[0], atol=1e-8)
    way = PrescribedMotion.through("rod", [0.0, 0.2, 0.5], [0.0, 0.3, -0.1])
    rec = simulate(figure, q0=q, t1=0.5, rate=10, prescribed=way)
    np.testing.assert_allclose(rec["q.rod"][[0, 2, 5]], [0.0, 0.3, -0.1], atol=1e-8)
    with pytest.raises(InputError, match="no such coordinate"):
        simulate(figure, t1=0.1, prescribed=PrescribedMotion("rud", swing))
    with pytest.raises(InputError, match="a position or a speed must be given"):
        PrescribedMotion("rod")


def turntable(speed):
    """A table of 0.5 m whose top is at zero, and a ball of 0.05 m that rolls on it."""
    b = FigureBuilder()
    b.segment("table", None, joints.revolute(Y), mass=4.0, inertia=0.5 * np.eye(3), shape=Cylinder(0.5, 0.1))
    ball = Ball(0.05)
    b.segment("ball", None, joints.free(), mass=ball.mass_properties(density=1000), shape=ball)
    figure = b.build()
    contacts = contact.Contacts(
        contact.points_of_shape(figure, "ball", friction=1.0), (contact.plane(segment="table", name="top"),)
    )
    q, v = figure.configuration(ball=[0.2, 0.05, 0, 1, 0, 0, 0]), np.zeros(figure.nv)
    v[figure.places("table", "v")] = speed
    return figure, contacts, q, v


@pytest.mark.parametrize(("integrator", "off"), [("dormand-prince", 1e-8), ("time-stepping", 2e-3)])
def test_a_ball_on_a_turntable(integrator, off):
    """Its velocity turns about the vertical at 2/7 of the table's speed: at rest in the world, it stays there."""
    speed = 3.5
    figure, contacts, q, v = turntable(speed)
    move = PrescribedMotion("table", speed=speed)
    slip = np.cross((0, speed, 0), (0.2, 0, 0))
    spin = np.cross((0, 1.0, 0), -slip) / 0.05
    v = tree.joint_velocity(figure, q, "ball", velocity=(0, 0, 0), spin=spin, v=v)
    rec = simulate(
        figure, contacts=contacts, q0=q, v0=v, t1=0.5, rate=100, integrator=integrator, prescribed=move,
        **({"step": 1e-3} if integrator == "time-stepping" else {}),
    )  # fmt: skip
    np.testing.assert_allclose(rec["q.table"], speed * rec.time("q"), atol=1e-8)
    np.testing.assert_allclose(rec["ball.position"][:, [0, 2]], np.broadcast_to([0.2, 0.0], (51, 2)), atol=off)


@pytest.mark.parametrize(("integrator", "off"), [("dormand-prince", 1e-7), ("time-stepping", 5e-3)])
def test_a_ball_circles_on_a_turntable(integrator, off):
    speed, u = 3.5, 0.1
    figure, contacts, q, v = turntable(speed)
    slip = np.cross((0, speed, 0), (0.2, 0, 0)) - np.array([u, 0, 0])
    spin = np.cross((0, 1.0, 0), -slip) / 0.05
    v = tree.joint_velocity(figure, q, "ball", velocity=(u, 0, 0), spin=spin, v=v)
    rec = simulate(
        figure, contacts=contacts, q0=q, v0=v, t1=1.0, rate=100, integrator=integrator,
        prescribed=PrescribedMotion("table", speed=speed), **({"step": 1e-3} if integrator == "time-stepping" else {}),
    )  # fmt: skip
    w, t = 2 / 7 * speed, rec.time("q")  # v turns about the vertical at 2/7 Ω
    circle = np.stack([0.2 + u / w * np.sin(w * t), -u / w * (1 - np.cos(w * t))], axis=1)
    np.testing.assert_allclose(rec["ball.position"][:, [0, 2]], circle, atol=off)
    # the torque of the drive is the rate of the angular momentum of the ball, whose spin about the vertical stays
    mass = figure.segment("ball").mass
    p, a = circle, np.gradient(np.gradient(circle, t, axis=0), t, axis=0)
    rate = mass * (p[:, 1] * a[:, 0] - p[:, 0] * a[:, 1])
    np.testing.assert_allclose(rec["drive.effort.table"][5:-5], rate[5:-5], atol=2e-3 * np.abs(rate).max() + 40 * off)


def test_a_turntable_of_a_scene():
    text = """
[scene]
title = "Table"
duration = 0.5
rate = 10
[[figure]]
name = "stand"
[[figure.segment]]
name = "table"
joint = { revolute = [0, 1, 0] }
shape = { cylinder = { radius = 0.3, height = 0.1 }, mass = 3 }
[[figure.prescribed]]
coordinate = "table"
times = [0, 0.25, 0.5]
speeds = [0, 2, 0]
"""
    rec = simulate(parse_scene(text))
    # the spline through (0, 2, 0) with level ends is 2 (3 x² − 2 x³) on each half: its mean is 1
    assert rec["q.table"][-1] == pytest.approx(0.5, abs=1e-8)
    assert rec["drive.effort.table"].shape == (6,)


# ---- obstacles that are touched from inside --------------------------------------------------------------------------
def test_a_ball_slides_in_a_tube():
    """Across a level tube, without friction: a pendulum of length R − r."""
    b = FigureBuilder()
    b.segment("ball", None, joints.free(), mass=Ball(0.1).mass_properties(density=100), shape=Ball(0.1))
    figure = b.build()
    along_z = Transform.from_euler((np.pi / 2,), "x")
    tube = contact.tube(0.5, placement=along_z)
    contacts = contact.Contacts(contact.points_of_shape(figure, "ball", friction=0.0), tube)
    angle = 0.8
    q = figure.configuration(ball=[0.4 * np.sin(angle), -0.4 * np.cos(angle), 0, 1, 0, 0, 0])
    rec = simulate(figure, contacts=contacts, q0=q, t1=1.5, rate=50)
    found = solve_ivp(
        lambda t, y: [y[1], -G / 0.4 * np.sin(y[0])], (0, 1.5), [angle, 0.0], t_eval=rec.time("q"), rtol=1e-11,
        atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(rec["ball.position"][:, 0], 0.4 * np.sin(found.y[0]), atol=1e-7)
    assert tube.shape.to_mesh().vertices[:, 0].max() < 1e-12  # half of it is drawn


def test_a_hollow_box_keeps_a_ball_inside():
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("ball", None, joints.free(), mass=Ball(0.1).mass_properties(density=100), shape=Ball(0.1))
    figure = b.build()
    points = contact.points_of_shape(figure, "ball", friction=0.0, restitution=1.0)
    contacts = contact.Contacts(points, contact.hollow_box((1.0, 0.8, 0.6)))
    assert contacts.obstacle_names == tuple(
        f"room.{side}" for side in ("left", "right", "bottom", "top", "back", "front")
    )
    v = tree.joint_velocity(figure, figure.neutral(), "ball", velocity=(1.0, 0.7, -0.45))
    rec = simulate(figure, contacts=contacts, v0=v, t1=4.0, rate=20)
    free = np.array([0.4, 0.3, 0.2])
    way = np.outer(rec.time("q"), (1.0, 0.7, -0.45))
    folded = np.abs((way + free) % (4 * free) - 2 * free) - free  # a zigzag between the walls
    np.testing.assert_allclose(rec["ball.position"], -folded, atol=1e-8)
    open_box = contact.hollow_box((1.0, 0.8, 0.6), open_top=True)
    assert len(open_box) == 5
    sizes = {one.name: one.solid.size for one in open_box if one.name != "room.bottom"}
    for wall in open_box:
        if wall.name in sizes:  # what a wall reaches along its own axes is what it should along the world's
            reach = np.abs(wall.placement.rotation @ (sizes[wall.name][0], 0, sizes[wall.name][1]))
            np.testing.assert_allclose(reach[reach > 1e-9], np.array([1.0, 0.8, 0.6])[reach > 1e-9])


# ---- velocities in the world ----------------------------------------------------------------------------------------
def test_a_ball_that_is_given_a_velocity_rolls():
    b = FigureBuilder()
    rolling = joints.contact(surfaces.plane(), surfaces.sphere(0.2))
    b.segment("ball", None, rolling, mass=1.0, inertia=0.016 * np.eye(3))
    figure = b.build()
    q = figure.neutral()
    up = tree.forward_kinematics(figure, q).position[0] / 0.2
    v = tree.joint_velocity(figure, q, "ball", velocity=np.cross(up, (1.0, 2.0, 3.0)))
    moving = tree.motion(figure, q, v)
    expected = np.cross(up, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(moving.twists[0][3:], expected, atol=1e-12)
    np.testing.assert_allclose(expected + 0.2 * np.cross(up, moving.twists[0][:3]), 0 * up, atol=1e-12)
    with pytest.raises(InputError, match="the joint cannot give its segment this motion"):
        tree.joint_velocity(figure, q, "ball", velocity=up)
