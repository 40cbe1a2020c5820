"""What is lost if the axes of a contact stay where they are?
==========================================================

Three ways to move bodies that hang together, and what each one loses. [ContactJoints 2, 3]

**Absolute coordinates.** Each body is moved by its own velocity. A joint between two of them opens, by half of h ω² t r
with Euler's step: r times the size of (1 + i h ω)ⁿ − exp(i n h ω) in closed form. In joint coordinates it cannot open.

**Fixed axes.** A contact is rolled by a turn about an axis through the contact point, fixed during the step. On a way s
the body then sinks in by K s²/2: the error is proportional to the curvature K, and a circle has it too.

**Moving contact.** The contact frame moves in both bodies, about their centres of curvature. The error is K′ s³/6,
proportional to the variation of curvature: a circle has none.

The last step is what a *virtual mechanism* would do: an arm from one centre of curvature to the other, with a hinge at
either end (a slide on a plane, whose centre is infinitely far), and gears for rolling. It gives the same pose, but with
two unknowns and an equation where the contact joint has one unknown, and it must be built anew at each step, because
the centres of curvature move.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import Transform, joints, surfaces
from motiform.image import show_pictures
from motiform.motion.tree import forward_kinematics
from motiform.spatial import rotation_about

WAY = 2e-3  # m, of one step of rolling
SPEED = 1.3  # rad/s of the arm
ELLIPSES = [(0.3, 0.3), (0.15, 0.15), (0.3, 0.25), (0.2, 0.1), (0.35, 0.15), (0.12, 0.1)]  # half axes, m
PLACES = np.radians([20.0, 40.0, 60.0])


def curvature(a, b, u):
    """Return K of an ellipse and its first and second derivative along the contour."""
    bend = lambda u: a * b / (a**2 * np.sin(u) ** 2 + b**2 * np.cos(u) ** 2) ** 1.5  # noqa: E731
    speed = lambda u: np.sqrt(a**2 * np.sin(u) ** 2 + b**2 * np.cos(u) ** 2)  # noqa: E731
    slope = lambda u: (bend(u + 1e-4) - bend(u - 1e-4)) / 2e-4 / speed(u)  # noqa: E731
    return bend(u), slope(u), (slope(u + 1e-3) - slope(u - 1e-3)) / 2e-3 / speed(u)


def roll(a, b, u, s):
    """Roll an ellipse on a plane over a way s: return how far fixed axes and a moving contact come off the plane."""
    joint = joints.contact(surfaces.plane(), surfaces.ellipsoid((a, b, 1.0)))
    along = np.array([-a * np.sin(u), b * np.cos(u), 0.0])
    q = joint.configuration((0, 0, 0), (a * np.cos(u), b * np.sin(u), 0), direction=along)
    K = curvature(a, b, u)[0]
    T_1_L = joint.frames(q)[0]
    turned = T_1_L @ Transform.rotation_of(rotation_about("y", K * s)) @ T_1_L.inverse() @ joint.transform(q)
    depth = np.linalg.norm(turned.rotation[2] * (a, b, 1.0)) - turned.translation[2]
    moved = joint.advance(q, [0, K * s, 0], 1.0, "exp")
    return depth, joint.gaps(moved)[2], joint.transform(moved), mechanism(joint, q, K, s)


def mechanism(joint, q, K, s):
    """Return the pose by the gears: a slide along the plane, and a hinge at the other centre of curvature."""
    T_1_L, T_2_L = joint.frames(q)
    b = mf.FigureBuilder()
    b.segment("arm", None, joints.prismatic((1, 0, 0), name="slide"), placement=T_1_L, mass=1.0)
    hinge = Transform.translation_of((0, 0, 1 / K))
    b.segment("body", "arm", joints.revolute((0, 1, 0), name="turn"), placement=hinge, mass=1.0)
    figure = b.build()
    R, p = forward_kinematics(figure, figure.configuration(slide=s, turn=K * s))  # the equation of the gears
    return Transform(R[1], p[1]) @ hinge.inverse() @ T_2_L.inverse()


def drift(n, turns=1.0):
    """Move an arm of two links for a second in n steps: return how far the joint between them opens, twice."""
    h, b = turns / n, mf.FigureBuilder()
    b.segment("upper", None, joints.revolute((0, 0, 1), name="one"), mass=1.0)
    b.segment("lower", "upper", joints.revolute((0, 0, 1), name="two"), placement=Transform.translation_of((1, 0, 0)),
              mass=1.0)  # fmt: skip
    figure, place, angle = b.build(), np.array([1.0, 0.0]), 0.0
    for _ in range(n):
        place = place + h * SPEED * np.array([-place[1], place[0]])
        angle += h * SPEED
    R, p = forward_kinematics(figure, figure.configuration(one=angle, two=0.3))
    end = R[0] @ (1, 0, 0)
    return np.linalg.norm(place - end[:2]), np.linalg.norm(p[1] - end)


def main(quick=False):
    steps = [10, 100, 1000] if quick else [10, 30, 100, 300, 1000, 3000]
    shapes = [(a, b, u) for a, b in ELLIPSES for u in PLACES]
    return {"drift": {n: drift(n) for n in steps}, "roll": {shape: roll(*shape, WAY) for shape in shapes}}


def check(result):
    for n, (absolute, joint) in result["drift"].items():
        exact = abs((1 + 1j * SPEED / n) ** n - np.exp(1j * SPEED))
        assert abs(absolute - exact) <= 1e-15 * n  # rounding of each step
        assert joint <= 1e-15
    for (a, b, u), (fixed, moving, pose, gears) in result["roll"].items():
        K, slope, second = curvature(a, b, u)
        # next terms: the curvature that is met on the way, and the fourth power of the turn
        assert abs(fixed - 0.5 * K * WAY**2) <= 1.1 * abs(slope) * WAY**3 / 2 + K**3 * WAY**4
        rest = 1.1 * (abs(second) * WAY**4 / 24 + K**2 * abs(slope) * WAY**5) + 1e-15
        assert abs(moving - abs(slope) * WAY**3 / 6) <= rest
        assert a != b or moving <= 1e-15
        assert np.abs(pose.translation - gears.translation).max() <= 1e-14
        assert np.abs(pose.rotation - gears.rotation).max() <= 1e-14


def draw(result, folder):
    chart = Figure(figsize=(10, 3.4), layout="constrained")
    left, middle, right = chart.subplots(1, 3)
    steps = np.array(list(result["drift"]))
    opened = np.array([found[0] for found in result["drift"].values()])
    left.loglog(1 / steps, opened, "o-", color="#D55E00", label="absolute coordinates")
    closed = np.maximum([found[1] for found in result["drift"].values()], 1e-17)
    left.loglog(1 / steps, closed, "s-", color="#0072B2", label="joint coordinates")
    left.set(xlabel="step [s]", ylabel="the joint opens by [m]", ylim=(1e-18, 10))
    bends = np.array([curvature(*shape) for shape in result["roll"]])
    fixed, moving = (np.array([found[k] for found in result["roll"].values()]) for k in (0, 1))
    line = np.array([bends[:, 0].min(), bends[:, 0].max()])
    middle.loglog(line, 0.5 * line * WAY**2, color="#999999", linewidth=1)
    middle.loglog(bends[:, 0], fixed, "o", color="#D55E00", label="fixed axes")
    middle.loglog(bends[:, 0], np.maximum(moving, 1e-17), "o", color="#0072B2", label="moving contact")
    middle.set(xlabel="curvature K [1/m]", ylabel=f"off the surface after {1e3 * WAY:g} mm [m]", ylim=(1e-18, 1e-2))
    middle.set_xticks([2, 4, 8], labels=["2", "4", "8"])
    middle.xaxis.set_minor_formatter("")
    middle.text(5, 1e-15, "circles", color="#0072B2", ha="center")
    bent = np.abs(bends[:, 1]) > 1e-6
    line = np.array([np.abs(bends[bent, 1]).min(), np.abs(bends[bent, 1]).max()])
    right.loglog(line, line * WAY**3 / 6, color="#999999", linewidth=1)
    right.loglog(np.abs(bends[bent, 1]), fixed[bent], "o", color="#D55E00")
    right.loglog(np.abs(bends[bent, 1]), moving[bent], "o", color="#0072B2")
    right.set(xlabel="variation of curvature |K′| [1/m²]", ylim=(1e-18, 1e-2))
    for axes in (left, middle, right):
        axes.grid(alpha=0.25)
    left.legend(frameon=False, loc="center right")
    middle.legend(frameon=False, loc=(0.4, 0.42))
    chart.savefig(folder / "axes.png", dpi=150)
    return [folder / "axes.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
