r"""What do four screens make of one motion?
========================================

A soft square of 25 masses flies from left to right, turns, and bounces off two posts. Its motion is computed once.
Four screens of 141 × 91 pins read it, each with a law and markers of its own [Habibi97 8.5, figs. 8.9–8.11]:

* **persistent** (near S): each mass leaves a groove, which fades in z/k = 5 s;
* **soft markers** on the same screen: buffers of a fortieth of the stiffness have no time to mark as deep;
* **no memory** (C): the shape is that of the markers now, as an implicit surface would be;
* **waves** (near I, held and damped a little): what was touched goes on as waves, no faster than a pin a sample.

Checked: the groove under the first mass falls by :math:`e^{-t/τ}` once the body has passed; the screen without memory
is at rest beyond the reach of the markers of that instant; no wave is ahead of its front.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.image import show_pictures
from motiform.motion.matter import links
from motiform.motion.screens import Engraver, ModeSegment, Screen, ScreenLaw, Screens

SIDE, EDGE, MASS, FLIGHT, SPIN = 5, 0.06, 0.01, 0.6, 2.0  # masses, m, kg, m/s, rad/s
POSTS = [[0.56, 0.65, 0.0], [0.86, 0.15, 0.0]]
SHAPE, GRID, RATE, REACH, DEPTH = (141, 91), 0.01, 105.0, 0.045, -0.02  # pins, m, Hz, m, m
END, SEEN = 2.0, 1.6  # s
PIN, TAU = 0.01, 5.0  # kg, s
VISCOUS = 0.01 * 105.0  # z_s of a pin at Z = 1 [N s/m]
WAVES = ModeSegment((0.01, 0.01), (1.0, 0.12))
STYLES = {  # law, stiffness of the markers
    "persistent": (ScreenLaw(VISCOUS / TAU, VISCOUS, 0.0, 0.0), 40.0),
    "soft markers": (ScreenLaw(VISCOUS / TAU, VISCOUS, 0.0, 0.0), 1.0),
    "no memory": ("C", 20.0),
    "waves": (WAVES, 6.0),
}


def flight(until):
    """Return the motion of the soft square, in the plane xy."""
    at = EDGE * (np.stack(np.meshgrid(*[np.arange(SIDE)] * 2), -1).reshape(-1, 2) - (SIDE - 1) / 2)
    turned = np.stack([-at[:, 1], at[:, 0]], axis=1) * SPIN
    place, speed = np.zeros((SIDE**2, 3)), np.zeros((SIDE**2, 3))
    place[:, :2], speed[:, :2] = at + np.array([0.22, 0.42]), turned + np.array([FLIGHT, 0.0])
    b = mf.NetworkBuilder(frequency=1050, gravity=(0, 0, 0))
    body, posts = b.masses("body", place, MASS, velocity=speed), b.fixed("posts", POSTS)
    i, j = np.triu_indices(SIDE**2, 1)
    near = np.linalg.norm(at[i] - at[j], axis=1) < 1.5 * EDGE
    rest = np.linalg.norm(at[i] - at[j], axis=1)[near]
    for length in np.unique(rest.round(9)):
        these = np.flatnonzero(near)[np.isclose(rest, length)]
        b.link(f"mesh{length:.3f}", (body[i[these]], body[j[these]]), links.spring(30.0, rest=length, damping=0.02))
    b.reach("bumps", body, posts, law=links.elastic_buffer(150.0, 0.1))
    return mf.simulate(b.build(), t1=until, rate=RATE)


def main(quick=False):
    until = 0.8 if quick else END
    motion = flight(until)
    screens = {}
    for name, (law, stiffness) in STYLES.items():
        tip = Engraver.recorded(motion, "body.position", stiffness=stiffness, reach=REACH, height=DEPTH)
        screens[name] = Screen(shape=SHAPE, spacing=GRID, law=law, mass=PIN, frequency=RATE, engravers=(tip,))
    return {"motion": motion, "dresses": mf.simulate(Screens(screens), t1=until, rate=RATE)}


def check(result):
    motion, rec = result["motion"], result["dresses"]
    heights = {name: np.asarray(rec[f"{name}.heights"]) for name in STYLES}
    path = motion["body.position"][..., :2]
    pins = GRID * np.stack(np.meshgrid(*map(np.arange, SHAPE), indexing="ij"), -1)
    nearest = np.stack([np.linalg.norm(pins[..., None, :] - now, axis=-1).min(-1) for now in path])
    last = len(nearest) - 1
    gone = (nearest[last // 2 :] > REACH).all(0) & (nearest[: last // 2] < 0.5 * REACH).any(0)
    assert gone.sum() > 100  # pins that the body has left behind
    then, now = (heights["persistent"][k][gone] for k in (last // 2, last))
    step = 1 - (1 / RATE) / TAU  # of a viscous cell: its slow root but for (Te/τ)²
    assert np.abs(now / then - step ** (last - last // 2)).max() < 1e-3
    assert np.abs(heights["soft markers"]).max() < 0.6 * np.abs(heights["persistent"]).max()
    away = nearest[last - 1] > REACH
    assert np.abs(heights["no memory"][last][away]).max() < 1e-12
    assert np.abs(heights["persistent"][last][away]).max() > 0.01
    first = nearest[0] < REACH
    far = np.array([np.abs(pins - pins[first][k]).max(-1) for k in range(first.sum())]).min(0)
    wide = np.abs(heights["waves"]) > 0
    reached = [far[now].max() for now in wide[1:60]]  # pins hear of their neighbours at each step: a pin a sample
    sped = np.linalg.norm(np.diff(path, axis=0), axis=-1).max() * RATE
    assert (reached <= (GRID * RATE + sped) * np.arange(1, 60) / RATE + 2 * REACH).all()
    assert wide[-1][away].mean() > 0.5


def draw(result, folder):
    rec, motion = result["dresses"], result["motion"]
    k = min(round(SEEN * RATE), len(motion["body.position"]) - 1)
    chart = Figure(figsize=(10.4, 6.2), layout="constrained")
    for axes, name in zip(chart.subplots(2, 2).flat, STYLES, strict=True):
        shown = np.asarray(rec[f"{name}.heights"][k]).T
        most = 1e3 * np.abs(shown).max()
        drawn = axes.imshow(
            1e3 * shown, origin="lower", cmap="RdBu_r", vmin=-most, vmax=most,
            extent=(0, GRID * (SHAPE[0] - 1), 0, GRID * (SHAPE[1] - 1)),
        )  # fmt: skip
        axes.plot(*motion["body.position"][k, :, :2].T, "k.", markersize=2)
        axes.plot(*np.array(POSTS)[:, :2].T, "o", color="0.3", markersize=6, fillstyle="none")
        axes.set(title=name, xlabel="x [m]", ylabel="y [m]")
        chart.colorbar(drawn, ax=axes, label="height [mm]", shrink=0.8)
    chart.savefig(folder / "one_motion.png", dpi=110)
    return [folder / "one_motion.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
