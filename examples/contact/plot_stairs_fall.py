"""Where does the energy of a fall go?
===================================

A man is pushed at the top of a flight of stairs, tips over the edge and falls headlong onto the steps. Soft springs and
dampers act in his joints, within joint limits. Thirty-two points of feet, limbs, trunk and head may touch the steps,
and all contacts of a step of a millisecond are solved together.

The potential energy that he loses, and the work of the push, become kinetic energy, which is dissipated in three
places:

    −ΔU + W_push = T + what his joints take + what limits take + what the stairs take.

Joints dissipate −Σ h τ·v̄ and limits likewise, with v̄ the mean of the velocities before and after a step; impulses and
friction of the stairs dissipate the rest. Four checks. Without contact the rest is zero but for the turning of the
segments, (hω)² T/3 in a step of h with ω the fastest of them. In contact the stairs supply no more than that, what
moving apart an overlap d lifts, d/5 m (g + ω v), what efforts that balance the contact forces F seem to do on that way,
F d/5, and what limits take at velocities that are known up to their change within a step. The rest equals the work of
the recorded forces at their points of application, to first order, hωT. And no point penetrates a step by more than a
tenth of a millimetre.

A step moves with the velocity at its end, which causes a known energy error of ½ h g·p, with p the momentum; it is
corrected.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, show_pictures
from motiform.spatial import rotate

STEP, G = 1e-3, 9.81  # s, m/s²
PUSH, AT, START, UNTIL = np.array([190.0, 0, 10]), np.array([0, 0.2, 0]), 0.2, 0.5  # N, m on the thorax, s
PLACES = {"stairs": "#D55E00", "joints": "#009E73", "limits": "#CC79A7", "motion": "#0072B2"}


def main(quick=False):
    run = {"scene.duration": 1.45 if quick else 3.0, "scene.rate": round(1 / STEP), "motion.step": STEP}
    rec = mf.simulate("stairs-fall", settings=run)
    return {"rec": rec, **balance(rec)}


def balance(rec):
    """Return what each step brings and takes [J], (steps,); the last step is left out."""
    t, v = rec.time("q"), rec["v"]
    mean = (np.diff(rec["q"], axis=0)[:-1] + STEP * v[:-2]) / 2  # of the velocities on the way and before impulses
    joints = -(rec["tau"][1:-1] * mean).sum(1)  # that acted in the step, springs and dampers as at its end
    limits = -(rec["limit.force"][1:-1] * mean).sum(1)
    point = rec["thorax.position"] + rotate(rec["thorax.orientation"], AT)
    pushed = (t[:-2] > START - STEP / 2) & (t[:-2] < UNTIL - STEP / 2)
    push = np.where(pushed, np.diff(point, axis=0)[:-1] @ PUSH, 0.0)
    energy = rec["energy"] - 0.5 * STEP * G * rec["momentum"][:, 1]
    stairs = push - joints - limits - np.diff(energy)[:-1]
    return {"time": t[1:-1], "push": push, "joints": joints, "limits": limits, "stairs": stairs}


def rates(rec):
    """Return the angular velocity of the fastest segment in each step [rad/s]."""
    turned = [rec[name] for name in rec.names if name.endswith(".orientation")]
    return largest([2 * np.arccos(np.clip(np.abs((q[1:] * q[:-1]).sum(1)), 0, 1)) / STEP for q in turned])[:-1]


def largest(values):
    return np.max(values, axis=0)


def allowed(rec):
    """Return what may be left of the balance of each step [J]: by turning, moving apart, what acts in one step."""
    spin, kinetic = rates(rec), largest([rec["energy.kinetic"][1:-1], rec["energy.kinetic"][:-2]])
    mass = rec["energy.potential"][0] / (G * rec["center_of_mass"][0, 1])
    deep = np.maximum(0.0, -rec["contact.gap"].min(1))[:-2]
    held = np.linalg.norm(rec["contact.force"][1:-1], axis=2).sum(1)
    lifted = deep / 5 * (held + mass * (G + spin * np.sqrt(2 * kinetic / mass)))
    within = (np.abs(rec["limit.force"]) + np.abs(rec["tau"]))[1:-1]
    split = STEP / 2 * (within * np.abs(np.diff(rec["v"], axis=0)[:-1])).sum(1)
    iterated = 1e-10 * np.abs(rec["energy"]).max()  # the way of a step is found to 1e-6 of the velocities
    return (STEP * spin) ** 2 * kinetic / 3 + lifted + split + iterated


def over_ten(values):
    return np.convolve(values, np.ones(10), "valid")


def deepest(rec):
    """Return the longest way of a segment in a step [m]: a step follows planes, and past an edge it enters the next."""
    ways = [np.linalg.norm(np.diff(rec[name], axis=0), axis=1) for name in rec.names if name.endswith(".position")]
    return np.max(ways)


def work_at_points(rec):
    """Return what forces at contact points take in each step [J], (steps,): each times the way of what it acts on."""
    tops = [(-1.4, 0.0, 1.36), *((0.29 * n, 0.29 * n + 0.29, 0.17 * (7 - n)) for n in range(7)), (-9, 9, 0.0)]
    taken = np.zeros(len(rec["v"]) - 2)
    for n, point in enumerate(mf.load_scene("stairs-fall").build().arguments["contacts"].points):
        x, turn = rec[f"{point.segment}.position"], rec[f"{point.segment}.orientation"]
        middle = (x + rotate(turn, point.point))[:-2]
        away = np.array([middle - np.clip(middle, (x0, -1, -0.9), (x1, top, 0.9)) for x0, x1, top in tops])
        far = np.linalg.norm(away, axis=-1)
        nearest = far.argmin(0), np.arange(len(middle))
        normal = away[nearest] / np.maximum(far[nearest], 1e-12)[:, None]
        own = rotate(turn[:-2] * (1, -1, -1, -1), middle - point.radius * normal - x[:-2])  # where it touches
        before = np.maximum(np.arange(len(own)) - 1, 0)
        way = x[1:-1] + rotate(turn[1:-1], own) - x[before] - rotate(turn[before], own)  # of two steps
        taken -= (rec["contact.force"][1:-1, n] * way).sum(1) / 2
    return taken


def check(result):
    rec, stairs = result["rec"], result["stairs"]
    bound = allowed(rec)
    flying = (rec["contact.mode"][1:-1] == 0).all(1)
    assert flying.sum() > 200
    assert (np.abs(stairs[flying]) <= bound[flying]).all()
    assert (result["limits"][flying] >= -bound[flying]).all()
    # Where a step has an impact that limits or joints take up, velocities do not tell who takes how much: in 10 ms.
    assert (over_ten(stairs + result["limits"]) >= -over_ten(bound)).all()
    taken = np.cumsum(stairs)
    assert taken[-1] > 500  # J
    first_order = (STEP * rates(rec) * rec["energy.kinetic"][1:-1]).max()
    assert np.abs(np.cumsum(work_at_points(rec)) - taken).max() <= first_order
    assert rec["contact.gap"].min() > -deepest(rec)
    if rec.time("q")[-1] > 2.9:
        assert rec["energy.kinetic"][-1] < 0.1  # J: he lies still
        assert rec["center_of_mass"][0, 1] - rec["center_of_mass"][-1, 1] > 1.8  # m


def chosen(form, instants):
    """Return a form of these instants [s] only."""
    own = np.searchsorted(form.times, np.array(instants) - STEP / 2)
    parts = [replace(part, position=part.position[own], orientation=part.orientation[own]) for part in form.parts]
    return replace(form, parts=tuple(parts), times=form.times[own])


def draw(result, folder):
    rec, t = result["rec"], result["time"]
    potential = rec["energy.potential"][1:-1]
    given = rec["energy.potential"][0] + np.cumsum(result["push"])
    parts = {name: np.cumsum(result[name]) for name in ("stairs", "joints", "limits")}
    chart = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    left.plot(t, potential, color="#555555", label="height")
    left.plot(t, rec["energy.kinetic"][1:-1], color=PLACES["motion"], label="motion")
    left.plot(t, potential + rec["energy.kinetic"][1:-1], color="black", linewidth=0.8, label="both")
    left.axvspan(START, UNTIL, color="#999999", alpha=0.2, linewidth=0)
    left.text((START + UNTIL) / 2, 110, "push", ha="center", color="#555555")
    left.legend(frameon=False)
    bottom = 0 * t
    for name, values in {**parts, "motion": rec["energy.kinetic"][1:-1]}.items():
        right.fill_between(t, bottom, bottom + values, color=PLACES[name], alpha=0.75, linewidth=0, label=name)
        bottom = bottom + values
    right.plot(t, given - potential, color="black", linewidth=0.8, label="given")
    right.legend(frameon=False, loc="upper left", fontsize=9)
    for axes in (left, right):
        axes.set(xlabel="time [s]", ylabel="energy [J]")
        axes.grid(alpha=0.25)
    chart.savefig(folder / "energy.png", dpi=150)
    camera = Camera((2.6, 2.5, 6.6), (0.6, 1.42, 0.0), fov=0.58)
    man = strobe(chosen(dress(rec), [0.0, 0.8, 1.0, 1.17, 1.36, rec.time("q")[-1]]), 6)
    return [folder / "energy.png", picture(man, folder / "man.png", camera=camera, size=(1100, 760), ground=0.0)]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
