"""What does explicit Euler do to a box?
=====================================

Explicit Euler updates the rotation by R ← R + h [ω]× R. The new matrix is not a rotation: each step stretches it by √(1
+ h²ω²) perpendicular to the axis, and the box grows. Here all six integrators run with a step of 10 ms (the adaptive
ones choose their own, at rtol 1e-9) on a box that tumbles without load, and on one that falls while it spins.

All of them conserve momentum and angular momentum to rounding. Only Euler loses orthogonality, and it gains energy. The
energy error of symplectic Euler is bounded where the motion is bounded; in free fall its error ½ h g·P grows with the
momentum. Only the energy–momentum method, lie-midpoint, conserves all four. A recording stores orientations as unit
quaternions, which cannot show the growth, so Euler's matrix is recomputed below and drawn as the red box.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import Form, Part
from motiform.geometry import Box, Mesh
from motiform.image import Camera, compare_plot, picture, show_pictures
from motiform.motion.bodies import Environment
from motiform.motion.run import METHODS, integrators_of

BOX, SPIN, STEP = Box((0.4, 0.1, 0.25)), np.array([0.1, 0.1, 3.0]), 0.01  # m; rad/s, z is the intermediate axis; s
BODIES = integrators_of("bodies")
MATTER = BOX.mass_properties(density=500)


def run(integrator, gravity, t1):
    body = mf.Body("box", MATTER, BOX, position=(0, 30, 0), spin=SPIN)
    model = mf.Bodies((body,), environment=Environment(gravity=(0, gravity, 0)))
    return mf.simulate(model, t1=t1, rate=20, integrator=integrator, step=STEP)


def main(quick=False):
    tumbling = {name: run(name, 0.0, 5.0 if quick else 10.0) for name in BODIES}
    return {"tumbling": tumbling, "falling": {name: run(name, -9.81, 2.0) for name in BODIES}}


def euler_matrix(t1):
    R, L = np.eye(3), MATTER.inertia @ SPIN
    for _ in range(round(t1 / STEP)):
        w = R @ np.linalg.solve(MATTER.inertia, R.T @ L)
        R = R + STEP * np.cross(w, R, axisb=0, axisc=0)
    return R


def check(result):
    for name, kept in ((name, METHODS[name].conserves) for name in BODIES):
        rec, falling = result["tumbling"][name], result["falling"][name]
        rounding = 1e-15 * 1000  # a few units in the last place at each of 1000 steps
        L = rec["angular_momentum"]
        assert np.ptp(L, axis=0).max() <= rounding * np.abs(L).max()
        assert (rec["orthogonality"].max() < rounding) == ("orthogonality" in kept)
        for energy in (rec["energy"], falling["energy"]) if "energy" in kept else ():
            assert np.ptp(energy) <= rounding * energy[0]
    euler, R = result["tumbling"]["euler"], euler_matrix(result["tumbling"]["euler"].duration)
    assert np.isclose(np.linalg.norm(R.T @ R - np.eye(3)), euler["orthogonality"][-1], rtol=1e-9)
    assert np.linalg.det(R) > 1.2  # the volume has grown by more than a fifth
    assert euler["energy"][-1] > 1.01 * euler["energy"][0]


def draw(result, folder):
    mesh, parts = BOX.to_mesh(), []
    for n, (name, rec) in enumerate(result["tumbling"].items()):
        R, color = mf.spatial.rotation_from_quaternion(rec["box.orientation"][-1]), (0.24, 0.47, 0.65)
        if name == "euler":
            R, color = euler_matrix(rec.duration), (0.72, 0.30, 0.22)
        pose = np.array([[[0.55 * n, 0.4, 0.0]]]), np.array([[[1.0, 0.0, 0.0, 0.0]]])
        parts.append(Part(name, Mesh(mesh.vertices @ R.T, mesh.faces), np.zeros(3), np.array(color), *pose))
    form = Form(tuple(parts), np.zeros(1))
    camera = Camera.framing(form, direction=(0, 0.3, 1), fov=0.25, aspect=3.0)
    paths = [picture(form, folder / "boxes.png", camera=camera, size=(1200, 400))]
    for plot in ("tumbling orthogonality", "tumbling energy", "tumbling angular_momentum", "falling energy"):
        case, name = plot.split()
        paths.append(folder / f"{case}-{name}.png")
        how = {"drift": name != "orthogonality", "log": name != "angular_momentum"}  # its drift is nothing at all
        compare_plot(result[case], name, title=f"{name} of the {case} box", path=paths[-1], **how)
    return paths


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
