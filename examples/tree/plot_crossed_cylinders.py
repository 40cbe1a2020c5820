"""Is rolling in space rolling in two planes?
==========================================

In a plane, the motion of a contact point on two contours follows from their two curvatures. In space it is tempting to
apply this twice: in the planes of the larger and of the smaller principal curvature of each body, which treats each as
a torus. Two crossed cylinders show the error of this rule. Curvature is a matrix, K₁ of one body and K₂ of the other,
and

    ṡ₁ = (K₁ + K₂)⁻¹ (w + K₂ v)

uses the full matrices. With the axes at 45 degrees the matrices do not commute: the principal planes of one body are
not those of the other, and the terms that the torus rule neglects are not small. Halving the step does not help: the
rule converges, but to a different motion. The exact equations converge with the order of the integration method, and
for parallel and perpendicular axes the torus rule is correct, too.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform import Transform, joints, surfaces
from motiform.form import Form, Part
from motiform.geometry import Compound, Cylinder
from motiform.image import Camera, picture, show_pictures
from motiform.spatial import quaternion_from_rotation, rotation_about

V = np.array([0.9, 0.7, 0.5])  # rad/s in the contact frame: rolling, rolling, spin
ORDERS = {"torus": 0, "exp": 1, "expmid": 2, "rk4": 4, "rkmk4": 4}
JOINT = joints.contact(surfaces.cylinder(0.5), surfaces.cylinder(0.3))
START = JOINT.configuration((0.5, 0, 0), (-0.3, 0, 0), yaw=np.pi / 4)


def roll(method, steps, joint=JOINT, q=START, v=V):
    """Return the configuration after a second."""
    for _ in range(steps):
        q = joint.repair(joint.advance(q, v, 1.0 / steps, method))
    return q


def march(*how):
    return JOINT.transform(roll(*how)).translation


def main(quick=False):
    right = march("rkmk4", 640)
    steps = [10, 20, 40, 80] if quick else [5, 10, 20, 40, 80, 160, 320]
    return {m: {1 / n: np.linalg.norm(march(m, n) - right) for n in steps} for m in ORDERS}


def check(result):
    for method, order in ORDERS.items():
        coarse, fine = list(result[method].values())[-2:]
        if order:
            assert order - 0.3 < np.log2(coarse / fine) < order + 0.3
        else:
            assert fine > 0.03  # m, after a path of about half a metre
            assert abs(coarse - fine) < 0.05 * fine  # and settled on that
    square = JOINT.configuration((0.5, 0, 0), (-0.3, 0, 0), yaw=np.pi / 2)
    still = joints.contact(*JOINT.surfaces, spin=False)
    apart = march("torus", 10, still, square, V[:2]) - march("exp", 1, still, square, V[:2])
    assert np.abs(apart).max() < 1e-14


def upper(name, T, color):
    """Return a picture's part: the upper cylinder in a pose, its surface along z, its shape along y."""
    shape = Compound(((Cylinder(0.3, 1.2), Transform.rotation_of(rotation_about("x", np.pi / 2))),))
    T = Transform(rotation_about("z", np.pi / 2), (0, 0.5, 0)) @ T  # the lower surface's x is up
    pose = T.translation.reshape(1, 1, 3), quaternion_from_rotation(T.rotation).reshape(1, 1, 4)
    return Part(name, shape, np.zeros(3), np.array(color), *pose)


def draw(result, folder):
    chart = Figure(figsize=(7, 4), layout="constrained")
    axes = chart.subplots()
    for n, (method, errors) in enumerate(result.items()):
        axes.loglog(errors.keys(), errors.values(), "o-", color=f"C{(3, 1, 2, 0, 4)[n]}", label=method)
    axes.set(xlabel="step [s]", ylabel="error of the place after 1 s [m]")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    chart.savefig(folder / "errors.png", dpi=150)
    lower = Compound(((Cylinder(0.5, 1.6), Transform.rotation_of(rotation_about("x", np.pi / 2))),))
    still = np.array([[[0.0, 0.5, 0.0]]]), np.array([[[1.0, 0.0, 0.0, 0.0]]])
    parts = [Part("lower", lower, np.zeros(3), np.array((0.75, 0.72, 0.66)), *still)]
    parts.append(upper("exact", JOINT.transform(roll("rkmk4", 40)), (0.24, 0.47, 0.65)))
    parts.append(upper("torus", JOINT.transform(roll("torus", 40)), (0.72, 0.33, 0.24)))
    form = Form(tuple(parts), np.zeros(1))
    camera = Camera.framing(form, direction=(0.7, 0.75, 1), fov=0.5)
    return [picture(form, folder / "cylinders.png", camera=camera), folder / "errors.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
