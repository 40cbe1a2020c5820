"""May the cape be simulated after the runner?
===========================================

A man runs on a treadmill, in a cape. His legs and arms follow a gait in which each foot goes with the belt while it is
on it; his thorax and head are held by springs. The cape of 330 masses hangs on his nape, and meets his back, his arms
and his thighs: without these contacts it goes through him.

If the effect of the cape on the runner is neglected, he may be simulated first and recorded, and the cape later, as
often as desired [Habibi97 §3.1]. It receives the same positions, and so its motion is bitwise equal.

What error does this cause? With impedances Y (force by velocity) of the runner and of the cape, the relative change
of the runner is the ratio Y_cape/(Y_runner + Y_cape) [Habibi97 3.18]. A cape that is lighter by a factor ε, with all
its forces, moves alike and has an impedance smaller by ε. So half the cape causes half the error: for r/(1 + r) the
ratio is 2 − r to first order. Here r is at most the mass of the cape divided by that of what is held by springs,
thorax, arms and head: 2 %.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.geometry.search.closest import pack_solids, signed_distance
from motiform.image import picture, show_pictures
from motiform.spatial import Transform

RATE, BELT = 1050.0, 2.6  # Hz, m/s
CAPE, RADIUS, HELD = 0.5, 0.012, 24.6  # kg, m of its balls, kg of thorax, arms and head
SCALES = (1.0, 0.5, 0.25)
MEETS = ("thorax", "lower_trunk", "head", "right_upper_arm", "left_upper_arm", "right_thigh", "left_thigh")


def lighter(scale):
    """Return the settings of a cape that is lighter with all its forces."""
    found = {"network.0.masses.0.total": CAPE * scale, "network.0.masses.0.drag": 3e-3 * scale}
    for n, (stiffness, damping) in enumerate(((120, 0.02), (2, 0.004), (120, 0.02))):
        found |= {f"network.0.link.{n}.stiffness": stiffness * scale, f"network.0.link.{n}.damping": damping * scale}
    for n in range(len(MEETS)):
        found |= {f"network.0.solid.{n}.stiffness": 120 * scale, f"network.0.solid.{n}.damping": 0.03 * scale}
        found[f"network.0.solid.{n}.friction"] = {"limit": 0.05 * scale, "damping": 0.02 * scale}
    return found


def main(quick=False):
    short = {"scene.rate": RATE, "scene.duration": 0.1 if quick else 0.3}
    cut = mf.simulate("runner", settings=short | {"motion.two_way": False})
    scene = mf.load_scene("runner", settings={"motion.two_way": False})
    later = mf.simulate(scene.build().model, t1=short["scene.duration"], rate=RATE, motion=cut)
    coupled = {scale: mf.simulate("runner", settings=short | lighter(scale)) for scale in SCALES}
    film = {"scene.duration": 1.0} if quick else {}
    through = mf.simulate("runner", settings=film | {"network.0.solid": []})
    found = {"cut": cut, "later": later, "coupled": coupled, "through": through}
    return found | {"film": mf.simulate("runner", settings=film)}


def errors(result):
    """Return how far the head is from where it would be without the cape, root mean square [m], (scales,)."""
    apart = [rec["head.position"] - result["cut"]["head.position"] for rec in result["coupled"].values()]
    return np.array([np.sqrt((one**2).sum(axis=-1).mean()) for one in apart])


def deepest(rec):
    """Return how deep the balls of the cape are in the body, at each sample [m]."""
    figure, found = mf.load_scene("runner").build().model.figure, []
    parts = [(name, part) for name in MEETS for part in figure.segment(name).parts]
    solids = pack_solids([(part.shape, part.placement) for _, part in parts])
    for n, cape in enumerate(rec["cape.position"]):
        frames = {
            name: Transform.from_quaternion(rec[f"{name}.orientation"][n], rec[f"{name}.position"][n]) for name in MEETS
        }
        placed = solids.with_poses([frames[name] @ part.placement for name, part in parts])
        found.append(RADIUS - signed_distance(placed, cape)[0].min())
    return np.array(found)


def soles(rec):
    """Return how high the lowest point of each foot is above the belt [m], (samples, feet)."""
    figure, found = mf.load_scene("runner").build().model.figure, []
    for name in ("right_foot", "left_foot"):
        parts = figure.segment(name).parts
        points = np.concatenate([part.placement.point(part.shape.to_mesh().vertices) for part in parts])
        frames = Transform.from_quaternion(rec[f"{name}.orientation"], rec[f"{name}.position"])
        found.append((points @ np.swapaxes(frames.rotation, 1, 2))[..., 1].min(axis=1) + frames.translation[:, 1])
    return np.stack(found, axis=1)


def check(result):
    assert np.array_equal(result["cut"]["cape.position"], result["later"]["cape.position"])  # bit for bit
    found = errors(result)
    missing = 2 - found[:-1] / found[1:]  # r, then r/2
    assert (np.abs(missing) < CAPE / HELD).all()
    # a ball of the cape touches the body by at most its radius: its centre stays outside
    assert deepest(result["film"]).max() < RADIUS
    assert deepest(result["through"]).max() > 2 * RADIUS
    height = soles(result["film"])
    assert height.min() > -0.005
    assert 0.6 < (height.min(axis=1) < 0.005).mean() < 0.8  # on one foot or the other for 0.25 s of 0.36 s


def draw(result, folder):
    chart = Figure(figsize=(8, 3.8), layout="constrained")
    left, right = chart.subplots(1, 2)
    for name, label, color in (("film", "with contacts", "#0072B2"), ("through", "without", "#D55E00")):
        rec = result[name]
        left.plot(rec.time("cape.position"), 1000 * deepest(rec), color=color, label=label)
    left.axhline(1000 * RADIUS, color="#30343a", linewidth=1, linestyle="--", label="radius of a ball")
    left.set(xlabel="time [s]", ylabel="balls of the cape in the body [mm]")
    left.legend(frameon=False)
    time, height = result["film"].time("cape.position"), soles(result["film"])
    for n, (side, color) in enumerate((("right", "#0072B2"), ("left", "#D55E00"))):
        right.plot(time, 1000 * height[:, n], color=color, label=f"{side} foot")
    right.set(xlabel="time [s]", ylabel="lowest point above the belt [mm]", ylim=(-20, 290))
    right.legend(frameon=False, ncols=2, loc="upper center")
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "runner_meets.png", dpi=150)
    path = picture(dress(result["film"]), folder / "runner.png", time=1.36, size=(1200, 900))
    return [path, folder / "runner_meets.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
