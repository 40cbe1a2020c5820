"""Can two stimulated knees stand a man up?
========================================

Quadriceps and hamstrings of both knees are stimulated, as strongly as can be; hips, ankles and trunk are held by
someone else. A man rises slowly along the postures of the scene sit-to-stand. What must his knees give, and what can
they?

Statics above the knees: the moment is the weight there times the way by which its centre is behind the knees. A muscle
that is held at a strain and stimulated without end pulls with F_m (1 - (strain/0.4)^2).

Checks. The moment agrees with the efforts that hold the whole figure on its feet. Knees alone cannot do it: at the
moment of leaving the seat they give a third of what is needed. Arms that push down beside the hips, with up to a third
of the weight, make up for it.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import actuation as act
from motiform.image import show_pictures
from motiform.motion.tree import centers_of_mass, forward_kinematics

SEAT_OFF, STANDS = 1.15, 3.1  # [s] of the scene


def main(quick=False):
    built = mf.load_scene("sit-to-stand").build()
    man, way = built.model, built.arguments["controls"][0].posture
    times = np.linspace(SEAT_OFF, STANDS, 9 if quick else 60)
    q = np.array([way(t)[0] for t in times])
    below = [man.index(f"{side}_{part}") for side in ("right", "left") for part in ("shank", "foot")]
    mass = np.array([segment.mass for segment in man.segments])
    mass[below] = 0.0
    com, p = centers_of_mass(man, q)[:, :-1], forward_kinematics(man, q).position
    knee = p[:, man.index("right_shank"), 0]
    weight = 9.81 * mass.sum()
    needed = weight * (knee - com[..., 0] @ mass / mass.sum())
    held = [
        act.standing_effort(man, built.arguments["contacts"], one, ["right_foot", "left_foot"]).tau for one in q[::4]
    ]
    at = [man.coordinates.index(f"{side}_knee_extension") for side in ("right", "left")]
    given = [knees(man, one) for one in q]
    behind = knee - p[:, man.index("right_thigh"), 0]  # hands push beside the hips
    support = np.where(needed > given, (needed - given) / behind, 0.0)
    return {"times": times, "needed": needed, "held": np.array(held)[:, at].sum(1), "given": np.array(given),
            "support": support / (9.81 * man.mass)}  # fmt: skip


def knees(man, q):
    """Greatest extending moment of both knees at a posture [N m]."""
    geometry = act.KneeGeometry(man, "right_knee_extension", sign=-1.0)
    lengths, arms = geometry(q)
    strain = lengths[0] / act.QUADRICEPS.length - 1.0
    force = act.QUADRICEPS.force * max(1.0 - (strain / 0.4) ** 2, 0.0)
    return 2.0 * force * float(arms[0, man.coordinates.index("right_knee_extension")])


def check(result):
    needed, given = result["needed"], result["given"]
    np.testing.assert_allclose(result["held"], needed[::4], atol=1e-3 * needed.max())  # two roads
    assert given.max() < 0.4 * needed.max(), (given.max(), needed.max())
    assert 0.2 < result["support"].max() < 0.4, result["support"].max()
    assert result["support"][-1] == 0.0  # knees alone carry the upright man


def draw(result, folder):
    page = Figure(figsize=(7, 5), layout="constrained")
    moment, share = page.subplots(2, 1, sharex=True)
    moment.plot(result["times"], result["needed"], label="needed")
    moment.plot(result["times"], result["given"], label="stimulated quadriceps, most")
    moment.set_ylabel("both knees [N·m]")
    moment.legend(fontsize=8)
    share.plot(result["times"], 100 * result["support"])
    share.set(xlabel="time [s]", ylabel="arms [% of the weight]")
    page.savefig(folder / "two_knees.png", dpi=130)
    return [folder / "two_knees.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
