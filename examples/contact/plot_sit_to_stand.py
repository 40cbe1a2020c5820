"""When does a rising man lose contact with his chair?
===================================================

A man sits on a chair, his feet on the ground. He leans forward, and the load moves from the seat to his feet; when they
carry all of it the seat contact opens, and hips and knees extend. Springs and dampers in his joints follow a trajectory
through six postures. The instant of seat-off is not prescribed: contact forces are compressive, and the contact opens
where the force of the seat would become tensile.

Four checks. The forces of feet and seat satisfy Newton's law,

    Σ F = ṗ − m g,

in all three directions and at every step, with p the recorded momentum. The force of the seat falls to zero once, 1.13
s after the start, and stays zero. At that instant the zero-moment point lies within his feet, and the centre of mass,
behind his heels while sitting, is above them. From then on neither leaves the feet.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures

MASS, G = 72.0, 9.81  # kg, m/s²
ROUNDING = 1e-9  # N
SEAT = 2  # of the contact solids: right foot, left foot, seat
COLORS = {"feet": "#0072B2", "seat": "#D55E00", "together": "#555555"}


def main(quick=False):
    rate = 125 if quick else 500  # 1/s: each step is kept
    run = {"scene.duration": 1.2 if quick else 4.0, "scene.rate": rate, "motion.step": 1 / rate}
    rec = mf.simulate("sit-to-stand", settings=run)
    names = rec.manifest["labels"]
    feet = [names["tag"].index(name) for name in names["point"][:8]]
    force = rec["solid.wrench"][1:, :, 3:]  # the first sample is before the first step
    off = 2 + int(np.flatnonzero(force[:, SEAT, 1] > ROUNDING)[-1])  # first sample without the seat
    return {"rec": rec, "rate": rate, "force": force, "off": off, "feet": rec["tags"][:, feet]}


def over(points, feet, margin=0.0):
    """Return whether points, (samples, 3), lie over the feet, from the hindmost point to the foremost."""
    return (points[:, 0] > feet[..., 0].min(1) - margin) & (points[:, 0] < feet[..., 0].max(1) + margin)


def check(result):
    rec, force, off, feet = (result[key] for key in ("rec", "force", "off", "feet"))
    total, center, zmp = force.sum(1), rec["center_of_mass"], rec["zmp"]
    newton = np.diff(rec["momentum"], axis=0) * result["rate"] + (0, MASS * G, 0)
    # a step is of first order: forces are those of its beginning or its end, which differ by their change in a step
    change = np.abs(np.diff(total, axis=0)).max()
    assert change < 0.04 * MASS * G
    assert np.abs(total - newton).max() < change
    let_go = rec.time("q")[off]
    assert force[rec.time("q")[1:] < let_go - 0.01, SEAT, 1].min() > 0
    assert np.abs(force[off - 1 :, SEAT]).max() <= ROUNDING
    assert abs(let_go - 1.128) < 0.01  # s: an event-driven run finds 1.128; some steps of first order
    assert not over(center[:1], feet[:1])
    assert over(center[off:], feet[off:]).all()
    assert over(zmp[off:], feet[off:], 1e-3).all()  # m
    assert rec["contact.gap"].min() > -1e-6  # m
    if rec.time("q")[-1] > 3.5:
        assert center[-1, 1] - center[0, 1] > 0.3  # m: he stands


def row(form, chosen, distance):
    """Return a form of one sample that shows instants side by side, each with its chair."""
    shift = np.arange(len(chosen))[:, None, None] * (distance, 0.0, 0.0)
    parts = []
    for part in form.parts:
        position = (part.position[chosen] + shift).reshape(1, -1, 3)
        turned = part.orientation[chosen].reshape(1, -1, 4)
        color = np.tile(np.broadcast_to(part.color, (part.count, 3)), (len(chosen), 1))
        parts.append(replace(part, position=position, orientation=turned, color=color, fixed=False))
    return replace(form, parts=tuple(parts), times=form.times[:1])


def draw(result, folder):
    rec, force, off, feet = (result[key] for key in ("rec", "force", "off", "feet"))
    t, center, zmp = rec.time("q"), rec["center_of_mass"], rec["zmp"]
    chart = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = chart.subplots(1, 2)
    shown = {"feet": force[:, :SEAT, 1].sum(1), "seat": force[:, SEAT, 1], "together": force[:, :, 1].sum(1)}
    for name, values in shown.items():
        left.plot(t[1:], values, color=COLORS[name], linewidth=0.8 if name == "together" else 1.5, label=name)
    left.set(xlabel="time [s]", ylabel="upward force [N]", ylim=(0, None))
    right.fill_between(t, 100 * feet[..., 0].min(1), 100 * feet[..., 0].max(1), color="#999999", alpha=0.3, linewidth=0)
    right.text(t[-1], 100 * feet[-1, :, 0].max() - 1, "feet ", ha="right", va="top", color="#555555")
    right.plot(t, 100 * center[:, 0], color="#0072B2", label="centre of mass")
    right.plot(t[1:], 100 * zmp[1:, 0], color="#009E73", linewidth=1, label="zero-moment point")
    right.set(xlabel="time [s]", ylabel="forward [cm]")
    for axes in (left, right):
        axes.axvline(t[off], color="#D55E00", linestyle="--", linewidth=1, label=f"off the seat, {t[off]:.2f} s")
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        axes.grid(alpha=0.25)
    chart.savefig(folder / "forces.png", dpi=150)
    instants = [0.0, 0.7, t[off], 1.6, 2.1, min(3.5, t[-1])]
    chosen = [min(round(instant * result["rate"]), len(t) - 1) for instant in instants]
    camera = Camera((3.3, 1.3, 8.8), (2.74, 0.82, 0.0), fov=0.29)
    man = picture(row(dress(rec), chosen, 1.15), folder / "man.png", camera=camera, size=(1300, 480), ground=0.0)
    return [folder / "forces.png", man]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
