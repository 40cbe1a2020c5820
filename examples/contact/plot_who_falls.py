"""Who falls, of a hundred men who are pushed?
===========================================

A hundred copies of a man stand in a field. The springs of their joints differ from row to row, the push on the trunk
from column to column: `simulate_many` runs them side by side on all cores, and returns one recording with an axis for
the copy. A picture of it shows them all; `take_copy` is the recording of one.

Three checks. Where the springs of both ankles are weaker than the weight tips him, 2 K < m g h, he falls under every
push. No one stands a push above m ω d, with ω = √(g/h) and d the way to his toes: beyond it the ankles of a pendulum
cannot stop him [Hof05]. And each copy has the bits of a run of its own.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import actuation, contact, figures
from motiform.image import Camera, picture, show_pictures

G, START, LASTS = 9.81, 0.1, 0.2  # m/s², s, s
RADII = {"dactylion": 0.02, "femoral_lateral_epicn": 0.04, "humeral_lateral_epicn": 0.03, "trochanterion": 0.05}


def standing_man():
    """Return a man, his posture, all of him that may touch the floor, and the law that holds him."""
    man = figures.human36(1.78, 75.0)
    stance = man.configuration(right_shoulder_abduction=0.14, left_shoulder_abduction=0.14)
    points = contact.points_of_tags(man, friction=0.8)
    for tag, radius in [*((f"{side}_{tag}", r) for tag, r in RADII.items() for side in "rl"), ("vertex", 0.02)]:
        points += contact.points_of_tags(man, [tag], radius=radius, friction=0.8)
    contacts = contact.Contacts(points, contact.floor())
    efforts = actuation.EffortTrajectory([0.0], [actuation.standing_effort(man, contacts, stance).tau])
    return man, stance, contacts, actuation.posture_control(man, stance, feedforward=efforts)


def main(quick=False):
    man, stance, contacts, hold = standing_man()
    stiffness = np.array([300.0, 900.0]) if quick else np.geomspace(250, 1500, 8)  # N m/rad
    impulses = np.array([4.0, 20.0, 56.0]) if quick else np.linspace(4, 60, 12)  # N s
    K, J = (grid.ravel() for grid in np.meshgrid(stiffness, impulses, indexing="ij"))
    starts = np.tile(stance, (len(K), 1))
    row, column = np.divmod(np.arange(len(K)), len(impulses))
    starts[:, man.places("pelvis_forward", "q")[0]] += 2.2 * row  # m, each has a place of his own
    starts[:, man.places("pelvis_rightward", "q")[0]] += 1.1 * column
    until = START + LASTS
    pushes = [actuation.SegmentPush("lower_trunk", (j / LASTS, 0, 0), start=START, until=until) for j in J]
    options = {"contacts": contacts, "controls": hold, "t1": 3.0, "rate": 50.0}
    rec = mf.simulate_many(
        man,
        len(K),
        q0=starts,
        loads=mf.Each([actuation.SegmentPushes(man, [push]) for push in pushes]),
        stiffness=K,
        damping=2 * np.sqrt(K),
        record=["q", "v", "center_of_mass"] if quick else None,
        **options,
    )
    center = mf.centers_of_mass(man, stance)[-1]
    soles = mf.tags(man, stance)[[man.tag_names.index(tag) for solid in man.contact_solids.values() for tag in solid]]
    height = rec["center_of_mass"][-1, :, 1] / center[1]
    return {
        "rec": rec,
        "stiffness": stiffness,
        "impulses": impulses,
        "fallen": (height < 0.7).reshape(len(stiffness), -1),
        "height": height.reshape(len(stiffness), -1),
        "tips": man.mass * G * center[1] / 2,
        "capture": man.mass * np.sqrt(G / center[1]) * (soles[:, 0].max() - center[0]),
        "starts": starts,
        "one": (len(K) // 2, actuation.SegmentPushes(man, [pushes[len(K) // 2]]), K[len(K) // 2], hold, man, options),
    }


def check(result):
    fallen, rec = result["fallen"], result["rec"]
    assert fallen[result["stiffness"] < result["tips"]].all()
    assert fallen[:, result["impulses"] > result["capture"]].all()
    assert not fallen[result["stiffness"] > 1.5 * result["tips"], 0].any()  # a light push is no matter
    k, push, stiffness, hold, man, options = result["one"]
    own = actuation.PostureControl(man, hold.posture, stiffness, 2 * np.sqrt(stiffness), hold.feedforward)
    alone = mf.simulate(
        man, loads=push, q0=result["starts"][k], integrator="time-stepping", **options | {"controls": own}
    )
    assert np.array_equal(alone["q"], mf.take_copy(rec, k)["q"])


def draw(result, folder):
    rec, stiffness, impulses = result["rec"], result["stiffness"], result["impulses"]
    chart = Figure(figsize=(7.5, 4), layout="constrained")
    axes = chart.subplots()
    mesh = axes.pcolormesh(impulses, stiffness, 100 * result["height"], cmap="cividis", shading="nearest")
    axes.set(xlabel="push [N s]", ylabel="stiffness of each joint [N m/rad]", yscale="log")
    axes.axhline(result["tips"], color="white", linestyle="--", linewidth=1)
    axes.axvline(result["capture"], color="white", linestyle=":", linewidth=1.2)
    axes.text(impulses[-1], result["tips"] * 1.03, "m g h / 2", color="white", ha="right", va="bottom")
    axes.text(result["capture"] - 0.4, stiffness[-1], "m ω d", color="white", ha="right", va="top")
    chart.colorbar(mesh, label="height of his centre of mass after 3 s [%]")
    chart.savefig(folder / "falls.png", dpi=150)
    field = Camera((-9.0, 9.5, -7.5), (8.0, 0.3, 6.4), fov=0.5)
    men = picture(rec, folder / "field.png", time=1.4, camera=field, size=(1100, 700), ground=0.0)
    return [folder / "falls.png", men]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
