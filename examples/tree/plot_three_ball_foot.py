"""How does a foot roll from heel to toe?
======================================

A foot on three balls, one at the heel and two at the toes, is modelled by three figures in sequence. Heel contact: one
contact joint, until the gap under the toes is zero. Flat foot: the toes touch, too, as closures, and nothing can move.
Toe contact: one ball is the joint, the other a contact closure, and together they leave one degree of freedom, rolling.

The leg loads the ankle with 100 N. As the calf moment grows, the load moves from heel to toes; the heel is unloaded
once the moment is (0.18 · 100 + 0.12 · m g) N m. The motion of the ankle is continuous from figure to figure; the
impact of the toes is assumed to be inelastic.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import Transform, joints, surfaces
from motiform.form import dress, strobe
from motiform.geometry import Ball, Box, Compound, MassProperties
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree
from motiform.motion.run import Guard
from motiform.spatial import rotation_about

BALLS = {"heel": (0, 0.03, 0), "left": (0.2, 0.02, -0.04), "right": (0.2, 0.02, 0.04)}  # m, the sole flat
ANKLE, LEG, WEIGHT = np.array([0.02, 0.08, 0]), np.array([0, -100.0, 0]), 1.1 * 9.81  # m, N, N
LIFT = 0.18 * 100 + 0.12 * WEIGHT  # N m
AT = Transform.translation_of
SOLE = [(Box((0.2, 0.01, 0.06)), AT((0.1, 0.03, 0))), (Box((0.03, 0.05, 0.03)), AT((0.02, 0.06, 0)))]
LOOK = Compound((*((Ball(c[1]), AT(c)) for c in BALLS.values()), *SOLE))
UP = Transform(rotation_about("x", -np.pi / 2), (0, 0, 0))
CONTACTS = {
    name: joints.contact(surfaces.plane(), surfaces.sphere(at[1]), pose1=UP, pose2=AT(at)) for name, at in BALLS.items()
}


def foot(first, *others):
    b = mf.FigureBuilder()
    matter = MassProperties(1.1, np.array([0.08, 0.05, 0]), np.diag([0.002, 0.004, 0.005]))
    b.segment("foot", None, CONTACTS[first], mass=matter, shape=LOOK, color=(0.36, 0.55, 0.38))
    b.tag("ankle", "foot", ANKLE)
    for name in others:
        b.close_contact(name, None, "foot", CONTACTS[name])
    return b.build()


def load(figure, q, v, calf):
    """Return what leg, calf (a moment that lifts the heel) and a brake of 1 N m s do to the foot."""
    moment = np.cross(tree.forward_kinematics(figure, q).rotation[0] @ ANKLE, LEG)
    moment[2] -= calf + tree.motion(figure, q, v).twists[0, 2]
    return np.concatenate([moment, LEG])[None]


def gap(figure, q, name):
    return tree.contact_gap(figure, q, None, "foot", CONTACTS[name])


def main(quick=False):
    heel, flat, toes = foot("heel"), foot("heel", "left", "right"), foot("left", "right")
    R, ends = rotation_about("z", 0.4), []
    q = CONTACTS["heel"].touch(Transform(R, BALLS["heel"] - R @ BALLS["heel"]))
    keep = {"then": lambda t, s: ends.append(s) or s, "ends": True}
    land = Guard("toes land", lambda t, s: float(gap(heel, s.q, "left")), "down", **keep)
    run = {"rate": 200, "rtol": 1e-7 if quick else 1e-9, "watch": False}
    first = mf.simulate(heel, q0=q, t1=1.0, guards=land, loads=lambda t, s: load(heel, s.q, s.v, 0.0), **run)
    q, still = tree.close_loops(flat, ends[-1].q)
    calf = np.linspace(0, LIFT, 41)
    press = [tree.closure_forces(flat, q, still, still, load(flat, q, still, m)) for m in calf]
    R, p = tree.forward_kinematics(flat, q)
    start = CONTACTS["left"].touch(Transform(R[0], p[0]))
    last = mf.simulate(toes, q0=start, t1=0.1, loads=lambda t, s: load(toes, s.q, s.v, 1.3 * LIFT), **run)
    ankle = [tree.tags(heel, ends[-1].q)[0], tree.tags(flat, q)[0], last["tags"][0, 0]]
    on_toes = np.array([p["left"][2] + p["right"][2] for p in press])
    return {"heel": first, "toes": last, "figure": toes, "ankle": np.array(ankle), "calf": calf, "on toes": on_toes}


def check(result):
    figure, rec = result["figure"], result["toes"]
    moment = 0.02 * 100 + 0.08 * WEIGHT + result["calf"]  # about the heel
    assert np.allclose(result["on toes"], moment / 0.2, rtol=1e-6)
    assert np.ptp(result["ankle"], axis=0).max() <= 1e-8  # m, from figure to figure
    q, R = rec["q"], tree.forward_kinematics(figure, rec["q"]).rotation[:, 0]
    twist = tree.motion(figure, q, rec["v"]).twists[:, 0]
    for name in ("left", "right"):
        assert np.abs(gap(figure, q, name)).max() <= 1e-12  # m
        arm = R @ BALLS[name] - (0, BALLS[name][1], 0)
        assert np.abs(twist[:, 3:] + np.cross(twist[:, :3], arm)).max() <= 1e-10  # m/s, of the point that touches
    assert gap(figure, q[1:], "heel").min() > 0
    assert [event.name for event in result["heel"].events] == ["toes land"]
    assert all(result[name]["foot.contact_force"][:, 2].min() > 0 for name in ("heel", "toes"))


def draw(result, folder):
    chart = Figure(figsize=(7, 3), layout="constrained")
    left, right = chart.subplots(1, 2)
    for name in ("heel", "toes"):
        left.plot(*result[name]["tags"][:, 0, :2].T, label=f"on the {name}")
    left.plot(*result["ankle"][1, :2], "ko", label="flat")
    left.set(xlabel="x of the ankle [m]", ylabel="its height [m]")
    shares = np.stack([100 + WEIGHT - result["on toes"], result["on toes"]], axis=1)
    right.plot(result["calf"], shares, label=["heel", "toes"])
    right.set(xlabel="moment of the calf, foot flat [N m]", ylabel="normal force [N]")
    for axes in (left, right):
        axes.legend(frameon=False)
    chart.savefig(folder / "ankle.png", dpi=150)
    one, two = strobe(dress(result["heel"]), 1), strobe(dress(result["toes"]), 2)
    form = replace(one, parts=(*one.parts, replace(two.parts[0], color=np.array([0.72, 0.33, 0.24]))))
    camera = Camera((0.25, 0.2, 0.6), (0.1, 0.06, 0), fov=0.5)
    return [picture(form, folder / "foot.png", camera=camera, size=(1000, 560)), folder / "ankle.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
