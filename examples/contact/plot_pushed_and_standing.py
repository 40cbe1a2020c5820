"""What ground forces act on a man who is pushed?
==============================================

A man stands on eight points, four under each foot, held by springs and dampers in his joints and by the efforts that
his posture needs. For a fifth of a second he is pushed at the chest, forward and to his right. He sways and returns;
the only other external forces are those of the ground.

Four checks. Before the push each foot carries half of the weight. The ground force minus the weight is the rate of
change of the vertical momentum, at each step and in total. The zero-moment point does not leave the feet; where it
reaches the edge of one, points on the other side lift by a millimetre or two, and the spikes are their impacts. Finally
he stands as before.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import actuation, contact, figures
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures

PUSH, START, UNTIL = np.array([50.0, 0.0, 60.0]), 0.2, 0.4  # N, s
RATE = 1000  # 1/s: each step is kept


def main(quick=False):
    man = figures.human36(1.78, 75.0)
    stance = man.configuration(right_shoulder_abduction=0.14, left_shoulder_abduction=0.14)
    contacts = contact.Contacts(contact.points_of_tags(man, friction=0.8), contact.floor())
    stand = actuation.standing_effort(man, contacts, stance)
    hold = actuation.posture_control(man, stance, stiffness=900, damping=40, feedforward=stand.tau)
    chest = man.index("thorax")

    def push(t, state):
        wrenches = np.zeros((len(man.segments), 6))
        if START <= t < UNTIL:
            wrenches[chest, 3:] = PUSH
        return wrenches

    options = {"t1": 0.6 if quick else 1.5, "rate": RATE, "integrator": "time-stepping"}
    rec = mf.simulate(man, contacts=contacts, q0=stance, controls=hold, loads=push, **options)
    return {"rec": rec, "weight": 9.81 * man.mass, "soles": mf.tags(man, stance)[sole_tags(man)]}


def sole_tags(man):
    return [man.tag_names.index(tag) for solid in man.contact_solids.values() for tag in solid]


def check(result):
    rec, weight, soles = result["rec"], result["weight"], result["soles"]
    feet = rec["solid.wrench"][1:, :, 3:]  # the first sample is before the first step
    given = feet[:, :, 1].sum(1) - weight
    change = np.diff(rec["momentum"][:, 1]) * RATE
    assert np.abs(given - change).max() <= 5e-3 * weight  # a step of 1 ms is good to its first order
    assert abs((given - change).sum()) / RATE <= 1e-2  # N s
    assert np.abs(feet[100, :, 1] - weight / 2).max() <= 1e-2 * weight
    zmp = rec["zmp"][1:]
    assert (zmp[:, [0, 2]] >= soles.min(0)[[0, 2]] - 1e-3).all()
    assert (zmp[:, [0, 2]] <= soles.max(0)[[0, 2]] + 1e-3).all()
    assert np.ptp(feet[:, 0, 1] - feet[:, 1, 1]) > 0.2 * weight  # the push is felt
    assert rec["contact.gap"].min() > -1e-4  # m
    if rec.time("q")[-1] > 1.0:
        assert np.abs(rec["center_of_mass"][-1] - rec["center_of_mass"][0]).max() <= 0.02  # m


def draw(result, folder):
    rec, soles = result["rec"], result["soles"]
    t, feet, zmp, center = rec.time("zmp"), rec["solid.wrench"], rec["zmp"], rec["center_of_mass"]
    chart = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    for n, (name, color) in enumerate((("right foot", "#0072B2"), ("left foot", "#D55E00"))):
        left.plot(t[1:], feet[1:, n, 4], color=color, label=name)
    left.plot(t[1:], feet[1:, :, 4].sum(1), color="#555555", linewidth=0.8, label="both")
    left.axvspan(START, UNTIL, color="#999999", alpha=0.2, linewidth=0)
    left.set(xlabel="time [s]", ylabel="upward force [N]")
    left.legend(frameon=False, loc="upper left")
    for sole in (soles[:4], soles[4:]):
        middle = sole.mean(0)
        order = np.argsort(np.arctan2(*(sole - middle)[:, [0, 2]].T))
        right.fill(100 * sole[order, 2], 100 * sole[order, 0], color="#999999", alpha=0.3, linewidth=0)
    right.plot(100 * zmp[1:, 2], 100 * zmp[1:, 0], color="#D55E00", linewidth=1, label="zero-moment point")
    right.plot(100 * center[:, 2], 100 * center[:, 0], color="#0072B2", label="centre of mass")
    right.set(xlabel="to the right [cm]", ylabel="forward [cm]", aspect="equal")
    right.legend(frameon=False, loc="upper center", fontsize=8)
    left.grid(alpha=0.25)
    chart.savefig(folder / "feet.png", dpi=150)
    camera = Camera((2.9, 1.3, 1.5), (0.05, 0.87, 0.0), fov=0.6)
    most = int(np.argmax(center[:, 2]))
    man = picture(dress(rec), folder / "man.png", sample=most, camera=camera, size=(700, 800), ground=0.0)
    return [folder / "feet.png", man]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
