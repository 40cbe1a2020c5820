"""Which muscles lift a weight?
============================

An arm with two joints and six muscles lifts a weight of 2 kg in the hand. The triceps wraps the elbow, the long heads
of triceps and biceps cross both joints; an actuator stands for the other muscles of the shoulder. Inverse dynamics
gives the moments of the motion, static optimisation the activations with the least sum of squares that produce them,
and the force that presses the elbow together.

Checks: nothing is left to the reserves; all flexors of the elbow work while it lifts, and no extensor does; the elbow
is pressed by several times the weight.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import muscles as ms
from motiform.form import Form, Part
from motiform.geometry import Capsule
from motiform.geometry.paths import WrapCylinder
from motiform.image import Camera, picture, show_pictures
from motiform.motion.tree import forward_kinematics
from motiform.spatial import quaternion_from_rotation

# points (segment, x, y, z) [m], force [N], fibre and tendon [m]
MUSCLES = {
    "triceps long": ([(None, -0.05, 0.03, 0), ("upper", -0.03, -0.2, 0), ("lower", -0.02, 0.012, 0)], 800, 0.2, 0.12),
    "triceps lateral": ([("upper", -0.02, -0.12, 0.01), ("lower", -0.02, 0.012, 0.005)], 620, 0.11, 0.07),
    "triceps medial": ([("upper", -0.02, -0.16, -0.01), ("lower", -0.02, 0.012, -0.005)], 620, 0.09, 0.06),
    "biceps long": ([(None, 0.03, 0.03, 0), ("upper", 0.035, -0.1, 0), ("lower", 0.008, -0.045, 0)], 620, 0.19, 0.18),
    "biceps short": ([(None, 0.04, 0.0, 0), ("upper", 0.03, -0.12, 0), ("lower", 0.008, -0.045, 0)], 430, 0.18, 0.16),
    "brachialis": ([("upper", 0.012, -0.17, 0), ("lower", 0.006, -0.03, 0)], 980, 0.1, 0.03),
}  # fmt: skip


def arm():
    down = mf.Transform(np.eye(3), np.array([0, -0.3, 0]))
    b = mf.FigureBuilder(name="arm")
    b.segment(
        "upper", None, mf.joints.revolute((0, 0, 1)), mass=2.0, com=(0, -0.15, 0), inertia=np.diag([15, 2, 15]) * 1e-3
    )
    b.segment("lower", "upper", mf.joints.revolute((0, 0, 1)), placement=down, mass=1.5, com=(0, -0.16, 0),
              inertia=np.diag([14, 2, 14]) * 1e-3)  # fmt: skip
    b.segment("weight", "lower", mf.joints.fixed(), placement=down, mass=2.0, inertia=np.eye(3) * 2e-3)
    elbow = ms.WrapObject("elbow", "upper", WrapCylinder("-x", 0.018, 0.1), down)
    found = []
    for name, (points, force, fibre, tendon) in MUSCLES.items():
        wraps = (ms.PathWrap("elbow"),) if name.startswith("triceps") else ()
        path = ms.MusclePath(name, tuple(ms.PathPoint(s, (x, y, z)) for s, x, y, z in points), wraps)
        found.append(ms.Muscle(path, force, fibre, tendon, 0.1, model=ms.Millard()))
    shoulder = ms.CoordinateActuator("shoulder", "upper", 40.0)
    return ms.Muscles(b.build(), tuple(found), (elbow,), actuators=(shoulder,))


def main(quick=False):
    six = arm()
    t = np.linspace(0, 1.5, 31 if quick else 151)
    x, rate = t / t[-1], 1 / t[-1]
    s, ds, dds = (
        x**3 * (10 + x * (6 * x - 15)),
        30 * x**2 * (1 - x) ** 2 * rate,
        60 * x * (1 + x * (2 * x - 3)) * rate**2,
    )
    turns = np.array([0.4, 1.5])  # shoulder, elbow [rad]
    q, v, a = (np.array([0.1, 0.2]) + np.outer(s, turns)), np.outer(ds, turns), np.outer(dds, turns)
    tau = mf.inverse_dynamics(six.figure, q, v, a)
    rec = mf.static_optimization(six, (t, q, v, tau), acceleration=a)
    return {"muscles": six, "q": q, "tau": tau, "run": rec}


def check(result):
    rec, six, tau = result["run"], result["muscles"], result["tau"]
    assert np.abs(rec["reserve"]).max() <= 0.01 * np.abs(tau).max()  # N m
    assert rec.events == []
    made = np.einsum("sm,smk->sk", rec["force"], ms.path_geometry(six.paths, result["q"]).arm) + rec["reserve"]
    assert np.abs(made - tau)[:, 1].max() <= 1e-9  # N m, at the elbow
    lifting = tau[:, 1] > 0.5 * tau[:, 1].max()
    activation = dict(zip(six.names, rec["activation"].T, strict=True))
    for name in ("biceps long", "biceps short", "brachialis"):
        assert activation[name][lifting].min() > 0.01
    assert max(activation[name][lifting].max() for name in six.names if name.startswith("triceps")) < 0.01
    pressed = np.linalg.norm(rec["reaction"][:, 1, 3:], axis=1)
    assert pressed[lifting].min() > 3 * (1.5 + 2.0) * 9.81  # N: more than three times what hangs on the elbow


def rod(name, a, b, radius, color):
    """Return a capsule from a to b."""
    y = (b - a) / np.linalg.norm(b - a)
    x = np.cross(y, [0.3, 0, 1.0])
    x /= np.linalg.norm(x)
    turn = quaternion_from_rotation(np.stack([x, y, np.cross(x, y)], axis=1))
    shape = Capsule(radius, float(np.linalg.norm(b - a)))
    return Part(name, shape, np.zeros(3), np.array(color), ((a + b) / 2)[None, None], turn[None, None])


def draw(result, folder):
    rec, six = result["run"], result["muscles"]
    t = rec.time("activation")
    chart = Figure(figsize=(7, 4.4), layout="constrained")
    panels = chart.subplots(2, 1, sharex=True)
    panels[0].plot(t, rec["activation"], label=six.names)
    panels[1].plot(t, np.linalg.norm(rec["reaction"][:, 1, 3:], axis=1), label="elbow")
    panels[0].set(ylabel="activation")
    panels[1].set(ylabel="joint contact force [N]", xlabel="time [s]")
    for axes in panels:
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, ncols=2, fontsize=8)
    chart.savefig(folder / "activations.png", dpi=150)
    k = len(t) // 2
    p = forward_kinematics(six.figure, result["q"][k]).position
    parts = [rod(f"bone{i}", p[i], p[i + 1], 0.012, (0.92, 0.9, 0.82)) for i in range(2)]
    parts.append(rod("weight", p[2] - [0, 0, 0.06], p[2] + [0, 0, 0.06], 0.045, (0.25, 0.27, 0.3)))
    for name, line, level in zip(
        six.names, ms.path_outlines(six.paths, result["q"][k]), rec["activation"][k], strict=True
    ):
        color = np.array([0.25, 0.3, 0.8]) + min(1.0, 2.0 * level) * np.array([0.65, -0.2, -0.7])
        parts += [rod(f"{name}{i}", line[i], line[i + 1], 0.006, color) for i in range(len(line) - 1)]
    camera = Camera((0.25, -0.1, 1.5), (0.1, -0.2, 0), fov=0.5)
    picture(Form(tuple(parts), np.zeros(1)), folder / "arm.png", camera=camera, size=(1000, 720))
    return [folder / "arm.png", folder / "activations.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
