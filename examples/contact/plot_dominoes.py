"""How fast does a row of dominoes fall?
=====================================

Twelve dominoes stand 5 cm apart, each 10 cm high. One row is pushed gently, so that its first domino takes long to
reach the second; another is pushed four times as hard. Each domino is tipped by the previous one and is then pressed by
all those that lean on it. The energy gained by falling is lost in impacts and friction, and the wave becomes
independent of its start: in both rows another domino is hit every 44 or 45 ms in the end, so the wave travels at 1.1
m/s.

Equal boxes touch as solids, the edge of one on the face of the next; impacts and friction are solved step by step, and
energy never increases after the push.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures

DISTANCE, STEP, UNTIL = 0.05, 1e-3, 0.1  # m, s, s
PUSHES = {"soft": 0.25, "hard": 1.0}  # N
LAST = {"soft": (0.30, 0.58), "hard": (0.18, 0.43)}  # s: a little after the last domino is hit, quick or not


def domino(n, count):
    part = n / (count - 1)
    return {
        "name": f"domino_{n + 1}",
        "shape": {"box": [0.012, 0.1, 0.040], "density": 900},
        "pose": {"at": [DISTANCE * n, 0.05, 0]},
        "contact": {"friction": 0.4},
        "color": [0.80 - 0.32 * part, 0.30 + 0.14 * part, 0.22 + 0.32 * part],
    }


def main(quick=False):
    count = 6 if quick else 12
    row = {"body": [domino(n, count) for n in range(count)], "image.plot": ["energy"]}
    row |= {"scene.rate": 1 / STEP, "motion.step": STEP}
    rows = {}
    for name, push in PUSHES.items():
        settings = row | {"force.0.force": [push, 0, 0], "scene.duration": LAST[name][0 if quick else 1]}
        rows[name] = mf.simulate("dominoes", settings=settings)
    return {"rows": rows, "count": count}


def hits(rec, count):
    """Return when each domino but the first is hit [s]: it turns faster than standing ones do by rounding."""
    spin = np.abs(rec["v"].reshape(-1, count, 6)[:, 1:, 2])  # rad/s
    assert (spin > 0.5).any(0).all()
    return rec.time("v")[np.argmax(spin > 0.5, axis=0)]


def check(result):
    rows, count = result["rows"], result["count"]
    for rec in rows.values():
        energy = rec["energy"][rec.time("energy") > UNTIL]
        assert np.diff(energy).max() < 1e-6 * energy[0]  # of what a step may gain, a millionth is the solver's
    between = {name: np.diff(hits(rec, count)) for name, rec in rows.items()}
    apart = np.abs(between["soft"] - between["hard"])
    assert apart[-1] < 0.7 * apart[0]  # the beginning is being forgotten
    if count == 12:
        # Each hit is known to a step, so an interval to one step either way, and a difference of two to two steps.
        assert apart[-1] <= 2 * STEP + 1e-9
        assert all(np.ptp(times[-3:]) <= 2 * STEP + 1e-9 for times in between.values())
        assert apart[0] > 10 * STEP  # they began differently


def draw(result, folder):
    rows, count = result["rows"], result["count"]
    chart = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2)
    for (name, rec), color in zip(rows.items(), ("#0072B2", "#D55E00"), strict=True):
        times = hits(rec, count)
        number = np.arange(2, count + 1)
        left.plot(number, times, "o-", color=color, markersize=4, linewidth=1, label=f"{name} push, {PUSHES[name]:g} N")
        right.plot(number[1:], 1000 * np.diff(times), "o-", color=color, markersize=4, linewidth=1)
    left.set(xlabel="domino", ylabel="time of impact [s]", ylim=(0, None))
    right.set(xlabel="domino", ylabel="time since the one before [ms]", ylim=(0, None))
    left.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "times.png", dpi=150)
    camera = Camera((0.42, 0.30, 0.75), (0.28, 0.04, 0), fov=0.33)
    moment = int(0.8 * rows["soft"].count("q"))
    path = folder / "dominoes.png"
    row = picture(dress(rows["soft"]), path, sample=moment, camera=camera, size=(1100, 420), ground=0.0)
    return [folder / "times.png", row]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
