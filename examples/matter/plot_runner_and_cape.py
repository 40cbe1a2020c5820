"""May the cape be simulated after the runner?
===========================================

A runner of 15 masses follows a gait, and a cape of 187 masses hangs on neck and shoulders. If the effect of the cape on
the runner is neglected, the links between them are one-way: they act on the cape only. Then the runner may be simulated
first and recorded, and the cape later, as often as desired [Habibi97 §3.1]. It receives the same positions, and so its
motion is bitwise equal.

What error does the cut cause? With admittances Y (force by velocity) of the runner and of the cape, the relative change
of the runner is the ratio Y_cape/(Y_runner + Y_cape) [Habibi97 3.18]. A cape that is lighter by a factor ε, with all
its forces, moves alike and has an admittance smaller by ε. So half the cape causes half the error, or slightly more:
for r/(1 + r) the ratio is 2 − r to first order. Here r is at most the mass of the cape divided by that of neck and
shoulders, 2 %.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.matter import Signal

RATE, CAPE, SHOULDERS = 1050.0, 0.5, 14.0 + 5.0 + 5.0  # Hz, kg, kg
WEAVE, COLLAR = 4, 5  # links of the scene
SCALES = (1.0, 0.5, 0.25)


def run(duration, acts="second", scale=1.0):
    changed = {"scene.rate": RATE, "scene.duration": duration, f"network.0.link.{COLLAR}.acts": acts}
    changed |= {"network.0.masses.1.total": CAPE * scale, "network.0.masses.1.drag": 6e-3 * scale}
    for n in (WEAVE, COLLAR):
        changed |= {f"network.0.link.{n}.stiffness": 300 * scale, f"network.0.link.{n}.damping": 0.03 * scale}
    return mf.simulate("runner", settings=changed)


def dressed_later(recorded, duration):
    """Return the run of the cape with a runner that is only a recording."""
    network = mf.load_scene("runner").build().model
    runner, *others = network.groups
    gone = {"mass": np.full(runner.count, np.inf), "free": np.zeros(runner.count, np.uint8)}
    played = replace(runner, kind="imposed", motion=Signal(np.array(recorded["runner.position"]), RATE), **gone)
    return mf.simulate(network.replace(groups=(played, *others)), t1=duration, rate=RATE)


def main(quick=False):
    duration = 0.25 if quick else 0.5
    cut = run(duration)
    coupled = {scale: run(duration, "both", scale) for scale in SCALES}
    return {"cut": cut, "later": dressed_later(cut, duration), "coupled": coupled, "film": mf.simulate("runner")}


def errors(result):
    """Return how far the runner is from where it would be without the cape, root mean square [m], (scales,)."""
    free = result["cut"]["runner.position"]
    apart = [np.linalg.norm(rec["runner.position"] - free, axis=-1) for rec in result["coupled"].values()]
    return np.array([np.sqrt((one**2).mean()) for one in apart])


def check(result):
    assert np.array_equal(result["cut"]["cape.position"], result["later"]["cape.position"])  # bit for bit
    found = errors(result)
    missing = 2 - found[:-1] / found[1:]  # r, then r/2
    assert (missing > 0).all()
    assert missing[0] < CAPE / SHOULDERS
    assert missing[1] < missing[0]


def draw(result, folder):
    chart = Figure(figsize=(8, 3.8), layout="constrained")
    left, right = chart.subplots(1, 2)
    time, free = result["cut"].time("runner.position"), result["cut"]["runner.position"]
    for (scale, rec), color in zip(result["coupled"].items(), ("#D55E00", "#E69F00", "#56B4E9"), strict=True):
        apart = np.linalg.norm(rec["runner.position"] - free, axis=-1).max(1)
        left.plot(time, 1000 * apart, color=color, label=f"cape of {1000 * CAPE * scale:g} g")
    left.set(xlabel="time [s]", ylabel="largest change of the runner [mm]")
    left.legend(frameon=False)
    mass, found = 1000 * CAPE * np.array([*SCALES, 0.0]), 1e6 * np.append(errors(result), 0.0)
    right.plot(mass, found[2] * mass / mass[2], color="#30343a", linewidth=1, label="in proportion to the lightest")
    right.plot(mass[:3], found[:3], "o", color="#D55E00", label="measured")
    right.set(xlabel="mass of the cape [g]", ylabel="rms of the runner's change [µm]")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "runner_cut.png", dpi=150)
    path = picture(dress(result["film"]), folder / "runner.png", time=1.2, size=(900, 900))
    return [path, folder / "runner_cut.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
