"""Who does the work when a paraplegic man stands up?
==================================================

A man whose legs are paralysed rises from a chair (scene fes-sit-to-stand). Pulses stimulate his quadriceps; his arms
push on two rests, which his hands touch; trunk and head are his own, too. Hips and ankles have no drives, and no force
acts on him from elsewhere. Every step is kept, and the work of each who acts is summed over the steps:

    W = Σ F · Δx,

with the force of a step and the way at its mean velocity: muscles by force and length, joints by effort and angle,
contacts by wrench and motion of their segment.

Checks. The works add up to the change of his energy. He leaves the seat, and stands with straight knees for a second
and more. Hands carry between 30 and 60 % of his weight at most, in the order of what is reported of paraplegics;
without stimulation the same arms do not raise him.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, render, show_pictures

WEIGHT = 72.0 * 9.81  # [N]
RATE = 500  # [1/s] every step
JOINTS = {
    "drives of shoulders, elbows, wrists": ("shoulder_", "elbow_", "forearm_", "wrist_"),
    "drives of the shoulder girdle": ("clavicle_",),
    "drives of trunk and head": ("thorax_", "head_"),
    "tissue of hips (no drives)": ("hip_",),
    "tissue of ankles (no drives)": ("ankle_",),
}
CONTACTS = {"hands on rests": "hand", "seat": "seat", "soles": "foot"}
HANDS, SEAT, SOLES = ("palm",), ("trochanterion",), ("digit", "calcaneous", "metatarsal")  # contact points


def main(quick=False):
    rec = mf.simulate("fes-sit-to-stand", settings={"scene.rate": RATE, "scene.duration": 1.6 if quick else 5.0})
    limp = None if quick else mf.simulate("fes-sit-to-stand", settings={"figure.man.stimulation.strength": 0.01})
    return {"rec": rec, "limp": limp}


def column(rec, channel, *parts):
    """Return the numbers of a channel whose names contain one of some words, (samples, numbers)."""
    names = rec.manifest["labels"]["coordinate"]
    return rec[channel][:, [k for k, name in enumerate(names) if any(part in name for part in parts)]]


def works(rec):
    """Return the work of all who act [J] by name, and how much of it is open."""
    found, labels = {}, rec.manifest["labels"]
    x = rec["stimulation.length"]
    for k, name in enumerate(labels["stimulation"]):
        found[f"{name} (muscle)"] = summed(rec["stimulation.force"][:, [k]], -np.diff(x[:, [k]], axis=0))
    for who, parts in JOINTS.items():
        found[who] = summed(column(rec, "tau", *parts), np.diff(column(rec, "q", *parts), axis=0), exact=True)
    speed = column(rec, "v", "knee_")
    found["tissue of knees (no drives)"] = summed(-0.4 * speed, np.diff(column(rec, "q", "knee_"), axis=0))
    found["stops of knees, hips, ankles"] = summed(rec["limit.force"], np.diff(rec["q"], axis=0), exact=True)
    for who, part in CONTACTS.items():
        mine = [(k, name) for k, name in enumerate(labels["solid"]) if part in name]
        parts = [summed(rec["solid.wrench"][:, k], moved(rec, name.replace("seat", "thigh"))) for k, name in mine]
        found[who] = tuple(np.sum(parts, axis=0))
    return found


def summed(force, step, exact=False):
    """Return Σ F · Δx with forces of the steps, and what is open of it: half of the change of F in a step times Δx.

    A step moves by its last velocity; work is done at the mean of its first and its last one, that of the step before.
    Nothing is open where the force is the mean over the step.
    """
    mean = 0.5 * (step + np.vstack([0.0 * step[:1], step[:-1]]))
    change = 0.0 if exact else 0.5 * np.abs(np.diff(force, axis=0) * mean).sum()
    return float((force[1:] * mean).sum()), float(change)


def moved(rec, segment):
    """Return the rotation vectors and displacements of a segment from sample to sample, (samples - 1, 6)."""
    turns = Rotation.from_quat(rec[f"{segment}.orientation"][:, [1, 2, 3, 0]])
    return np.hstack([(turns[1:] * turns[:-1].inv()).as_rotvec(), np.diff(rec[f"{segment}.position"], axis=0)])


def upward(rec, *parts):
    """Return the force upward on contact points over the weight, mean over 20 ms, (samples,)."""
    names, wide = rec.manifest["labels"]["point"], RATE // 50
    impulse = rec["contact.impulse"][:, [k for k, name in enumerate(names) if any(one in name for one in parts)], 1]
    gained = impulse.sum(1)[wide:] - impulse.sum(1)[:-wide]
    return np.append(np.full(wide, gained[0]), gained) * RATE / wide / WEIGHT


def table(rec):
    """Return the lines of a table of works."""
    lines = [f"{who:40s} {work:8.1f} J" for who, (work, _) in works(rec).items()]
    gain = [rec[f"energy.{kind}"][-1] - rec[f"energy.{kind}"][0] for kind in ("potential", "kinetic")]
    total = sum(work for work, _ in works(rec).values())
    return [*lines, f"{'in all':40s} {total:8.1f} J",
            f"{'gain of potential, of kinetic energy':40s} {gain[0]:8.1f} J, {gain[1]:.1f} J"]  # fmt: skip


def check(result):
    rec, found = result["rec"], works(result["rec"])
    total, gain = sum(work for work, _ in found.values()), rec["energy"][-1] - rec["energy"][0]
    # efforts and stops are means over a step; forces of muscles are known at its end, wrenches about where it ends
    assert abs(total - gain) < sum(open_ for _, open_ in found.values()), (total, gain)
    hands, t = upward(rec, *HANDS), rec.time("q")
    assert 0.3 < hands.max() < 0.6
    assert (upward(rec, *SEAT)[t > 1.45] == 0.0).all()
    if result["limp"] is None:
        return
    last = t > 3.6
    assert np.degrees(np.abs(column(rec, "q", "knee_")[last])).max() < 1.0
    assert rec["center_of_mass"][last, 1].min() > 0.95  # [m]
    assert np.abs(rec["v"][t > 4.5]).max() < 0.1  # [rad/s, m/s]: he stands
    assert 0.15 < hands[-1] < 0.35
    assert result["limp"]["center_of_mass"][-1, 1] < 0.75


def draw(result, folder):
    rec = result["rec"]
    page = Figure(figsize=(12, 7), layout="constrained")
    above, below = page.subfigures(2, 1, height_ratios=(1.1, 1))
    camera, form, t = Camera((2.1, 1.2, 2.6), (-0.05, 0.74, 0.0), fov=0.6), dress(rec), rec.time("q")
    for axes, instant in zip(above.subplots(1, 5), (0.0, 1.3, 2.1, 2.8, 4.9), strict=True):
        sample = min(int(RATE * instant), len(t) - 1)
        axes.imshow(render(form, sample, camera=camera, size=(300, 440), samples_per_pixel=16))
        axes.text(0.04, 0.97, f"{t[sample]:.1f} s", transform=axes.transAxes, va="top", fontsize=9)
        axes.set_axis_off()
    load, force, work = below.subplots(1, 3)
    for name, parts in {"hands": HANDS, "seat": SEAT, "feet": SOLES}.items():
        load.plot(t, 100 * upward(rec, *parts), linewidth=1, label=name)
    load.set(xlabel="time [s]", ylabel="share of the weight [%]", ylim=(0, 120))
    force.plot(t, rec["stimulation.force"][:, 0], label="right quadriceps [N]")
    force.plot(t, 10 * np.degrees(column(rec, "q", "right_knee")[:, 0]), label="right knee [0.1°]")
    force.set(xlabel="time [s]")
    found = [(who, value) for who, (value, _) in works(rec).items() if abs(value) >= 0.1][::-1]
    work.barh([who for who, _ in found], [value for _, value in found], color="#0072B2")
    work.tick_params(axis="y", labelsize=6)
    work.set_xlabel("work [J]")
    for axes in (load, force):
        axes.legend(fontsize=8)
    page.savefig(folder / "stand_up.png", dpi=110)
    return [folder / "stand_up.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    print("\n".join(table(result["rec"])))
    show_pictures(draw(result, Path(mkdtemp())))
