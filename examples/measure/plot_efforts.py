"""Which joints lift a man out of a squat?
=======================================

A man squats and rises on two force plates. Joint efforts and powers are computed from his postures, 100 in a second
with errors of a tenth of a degree, and from the plates, sampled 1000 times in a second with a noise of 2 N.

Four checks. With exact postures there is no residual at the pelvis, where no joint acts. With noisy ones, low-pass
filtered at 6 Hz, the residual is less than 2 % of the weight; without the filter it is more than the weight. Each plate
is assigned to its foot all the time. And the powers of all joints add up to the rate of change of the body's energy,
because the ground does no work.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform import Recording
from motiform.image import show_pictures
from motiform.motion import tree
from motiform.motion.figures import human36
from motiform.motion.postures import efforts, velocities
from motiform.record import Channel

RATE, FAST = 100.0, 10  # Hz, and plates so many times as fast
SHANK, THIGH, TRUNK = -0.55, 1.35, -0.85  # rad, turned about the right axis at the deepest: forward is negative
NOISE = np.radians(0.1)  # rad, of each joint
COLORS = {"hip_flexion": "#0072B2", "knee_extension": "#D55E00", "ankle_dorsiflexion": "#009E73"}


def squat(man, t):
    """Return postures whose feet stay where they are, (samples, 42)."""
    u = 0.5 - 0.5 * np.cos(2 * np.pi * t / t[-1])
    shank, thigh, trunk = (x * u for x in (SHANK, THIGH, TRUNK))
    q = np.zeros((len(t), man.nq))

    def put(name, value):
        q[:, [k for k, full in enumerate(man.coordinates) if full.endswith(name)]] = value[:, None]

    put("ankle_dorsiflexion", -shank)
    put("knee_extension", shank - thigh)
    put("hip_flexion", thigh - trunk)
    put("pelvis_backward_tilt", trunk)
    put("shoulder_flexion", u)
    foot = tree.forward_kinematics(man, q).position[:, man.index("right_foot")]
    put("pelvis_forward", -foot[:, 0])
    put("pelvis_upward", foot[0, 1] - foot[:, 1])
    return q


def plates(man, t, q, noise):
    """Return a recording of two plates that hold him up, each with half of the force, under its own foot."""
    moved = velocities(man, t, q, cutoff=None)
    rest = efforts(man, t, *moved).residual
    p = tree.forward_kinematics(man, q).position
    force = rest[:, 3:] / 2
    half = (rest[:, :3] + np.cross(p[:, 0], rest[:, 3:])) / 2  # about the world's origin
    aside = [np.cross([0.0, 0.0, p[0, man.index(f"{side}_foot"), 2]], force) for side in ("right", "left")]
    shape = {"dims": ("plate", "axis"), "shape": (2, 3), "rate": RATE * FAST}
    pair = {
        "plate.force": np.stack([force, force], axis=1),
        "plate.moment": np.stack([half + m for m in aside], axis=1),
    }
    rng = np.random.default_rng(1)
    data = {
        name: (
            Channel(name, unit="N" if name.endswith("force") else "N m", **shape),
            x + noise * rng.normal(size=x.shape),
        )
        for name, x in pair.items()
    }
    return Recording.from_arrays(data)


def main(quick=False):
    man = human36(1.78, 75.0)
    fine = np.arange(round((2.0 if quick else 3.0) * RATE * FAST) + 1) / (RATE * FAST)
    t = fine[::FAST]
    exact, ground = squat(man, fine), plates(man, fine, squat(man, fine), 2.0)
    clean = efforts(man, fine, *velocities(man, fine, exact, cutoff=None), plates(man, fine, exact, 0.0), cutoff=None)
    q = exact[::FAST] + NOISE * np.random.default_rng(2).normal(size=(len(t), man.nq)) * (np.arange(man.nq) < 36)
    found = {
        cutoff: efforts(man, t, *velocities(man, t, q, cutoff=cutoff), ground, cutoff=cutoff) for cutoff in (6.0, None)
    }
    return {"man": man, "fine": fine, "clean": clean, "exact": exact, "t": t, "found": found}


def check(result):
    man, fine, clean, found = (result[key] for key in ("man", "fine", "clean", "found"))
    assert clean.report["force_peak_relative"] <= 1e-9  # rounding of derivatives, the same on both sides
    assert found[6.0].report["force_rms_relative"] <= 0.02
    assert found[None].report["force_rms_relative"] >= 1.0
    assert (found[6.0].foot_of_plate == [0, 1]).all()
    moved = velocities(man, fine, result["exact"], cutoff=None)
    energy = tree.energy(man, moved.q, moved.v).total
    work = np.concatenate([[0.0], np.cumsum((clean.powers[1:] + clean.powers[:-1]).sum(1) / 2 * np.diff(fine))])
    # the rule of trapezoids errs by h²/12 T times the second rate of the power, about (2 · 2π/T)² of 200 W
    bound = (fine[1] ** 2) / 12 * fine[-1] * (4 * np.pi / fine[-1]) ** 2 * 400
    assert np.abs(work - (energy - energy[0])).max() <= bound  # J


def draw(result, folder):
    man, t, found, fine, clean = (result[key] for key in ("man", "t", "found", "fine", "clean"))
    chart = Figure(figsize=(9, 3.4), layout="constrained")
    left, middle, right = chart.subplots(1, 3)
    for name, color in COLORS.items():
        k = man.coordinates.index(f"right_{name}")
        words = name.replace("_", " ")
        left.plot(fine, clean.effort[:, k], color=color, linewidth=3, alpha=0.3)
        left.plot(t, found[6.0].effort[:, k], color=color, linewidth=1, label=words)
        middle.plot(t, found[6.0].powers[:, k], color=color, linewidth=1, label=words)
    for cutoff, color, words in ((None, "#BBBBBB", "as differentiated"), (6.0, "#D55E00", "low-passed at 6 Hz")):
        size = np.linalg.norm(found[cutoff].residual[:, 3:], axis=1) / found[6.0].report["weight"]
        right.semilogy(t, 100 * size, color=color, linewidth=1, label=words)
    left.set(xlabel="time [s]", ylabel="effort of the right leg [N m]")
    middle.set(xlabel="time [s]", ylabel="power [W]")
    right.set(xlabel="time [s]", ylabel="left at the pelvis [% of the weight]")
    for axes in (left, middle, right):
        axes.grid(alpha=0.25)
    middle.legend(frameon=False, fontsize=8)
    right.legend(frameon=False, fontsize=8)
    chart.savefig(folder / "efforts.png", dpi=150)
    return [folder / "efforts.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
