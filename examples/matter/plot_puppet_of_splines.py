r"""What do six more masses change in a puppet of laths?
====================================================

A puppet of 14 masses is moved by its feet. Its arms, legs, trunk and head are drawn as laths: cubic splines whose
control points are the masses [Habibi97 5.5.2.2]. Such a dress has no motion of its own. It looks like light taut laths,
because that is what points placed by geometry behave like.

Then six light masses are added, one to each arm and two to each leg, that the puppet drives one-way, and the splines of
arms and legs go through these instead of elbows and knees [Habibi97 5.5.2.4]. The laths become softer: they swing
further than the puppet and lag behind it.

The spline of the masses :math:`P_i` is :math:`\sum_i B_i(s) P_i` with weights of a uniform cubic B-spline, which are
positive and have the sum 1: it lies within the hull of its control points. Once the dance is periodic, an added mass
moves as its elbow filtered by its cell, :math:`H`, at the frequency of the steps; a place of the dressed arm moves as

.. math:: \sum_i B_i H_i P_i, \qquad H_i = H \text{ for the added masses and 1 for the others.}
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import LinksLook, Looks, PointsLook, SplineLook, dress, spline_weights
from motiform.image import Camera, render, show_pictures

MASS, STIFFNESS, DAMPING = 0.01, 2.0, 0.1  # kg, N/m, N s/m: of an added mass
STEPS, RATE, FILM = 1.25, 1050.0, 70.0  # Hz
PERIOD = round(FILM / STEPS)  # samples
WOOD, CLOTH, RED = (0.84, 0.62, 0.36), (0.20, 0.34, 0.52), (0.78, 0.34, 0.20)
POINTS = {"foot_left": 1, "foot_right": 1, "legs": 3, "arms": 5, "head": 4, "clothes": 6}
RODS = [
    (("foot_left.position", "legs.position"), [(0, 0)]), (("foot_right.position", "legs.position"), [(0, 1)]),
    (("legs.position", "legs.position"), [(0, 2), (1, 2)]), (("legs.position", "arms.position"), [(2, 0)]),
    (("arms.position", "arms.position"), [(0, 1), (1, 3), (0, 2), (2, 4)]),
    (("arms.position", "head.position"), [(0, 0)]),
    (("head.position", "head.position"), [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)]),
]  # fmt: skip
FIRST = dict(zip(POINTS, np.cumsum([0, *POINTS.values()]).tolist(), strict=False))


def numbers(*names):
    return [FIRST[group] + n for group, n in names]


SHOULDER, HIP = ("arms", 0), ("legs", 2)  # taken twice: the spline comes nearer to them
TRUNK = numbers(HIP, SHOULDER, ("head", 0))
HEAD = numbers(("head", 0), ("head", 1), ("head", 3), ("head", 2))
BARE = {
    "arms": numbers(("arms", 3), ("arms", 1), SHOULDER, SHOULDER, ("arms", 2), ("arms", 4)),
    "legs": numbers(("foot_left", 0), ("legs", 0), HIP, HIP, ("legs", 1), ("foot_right", 0)),
}
DRESSED = {
    "arms": numbers(("arms", 3), ("clothes", 0), SHOULDER, SHOULDER, ("clothes", 1), ("arms", 4)),
    "legs": numbers(("foot_left", 0), *[("clothes", n) for n in (3, 2)], HIP, HIP, *[("clothes", n) for n in (4, 5)],
                    ("foot_right", 0)),
}  # fmt: skip


def main(quick=False):
    return mf.simulate("dancing-puppet", settings={"scene.duration": 5.0 if quick else 8.0})


def places(rec):
    """Return the 14 masses and the six others, (samples, 20, 3)."""
    found = [np.asarray(rec[f"{name}.position"]) for name in POINTS]
    return np.concatenate([x.reshape(len(x), -1, 3) for x in found], axis=1)


def response():
    step = 1 / RATE
    K, Z, q = STIFFNESS * step**2 / MASS, DAMPING * step / MASS, np.exp(2j * np.pi * STEPS * step)
    return (K + Z * (1 - 1 / q)) / (q - 2 + 1 / q + K + Z * (1 - 1 / q))


def check(rec):
    x = places(rec)
    ways = np.random.default_rng(0).normal(size=(3, 200))
    for pick in (*BARE.values(), *DRESSED.values()):
        control, curve = x[:, pick], spline_weights(len(pick))[0] @ x[:, pick]
        assert ((curve @ ways).max(axis=1) <= (control @ ways).max(axis=1) + 1e-14).all()  # within the hull
    weights = spline_weights(6)[0]
    bare, dressed = (np.fft.rfft(x[-PERIOD:, own["arms"], :2], axis=0) for own in (BARE, DRESSED))
    filtered = np.where(np.isin(np.arange(6), (1, 4))[:, None], response(), 1.0) * bare[1]
    # Harmonics above 35 Hz are folded onto those below; they are weaker than the last ones that are seen, of which
    # there are two on each side. Starts have died out: the slowest decays by exp(−z/2m · 4 s), 2e-9.
    folded = 4 * (np.abs(dressed[-4:]).max(axis=(0, 1)) + 2 * np.abs(bare[-4:]).max(axis=(0, 1))) + 1e-7
    assert (np.abs(weights @ dressed[1] - weights @ filtered) <= folded).all()
    elbow = [8, 32]  # places of the curve beside both elbows: 8 in each span
    ratio = (weights @ dressed[1])[elbow] / (weights @ bare[1])[elbow]
    assert (np.abs(ratio) > 1.1).all()  # further …
    assert (np.degrees(np.angle(ratio)) < -3.0).all()  # … and later


def looks(kind):
    """Return the looks of the puppet: "masses", "splines" or "dressed"."""
    names = list(POINTS)[: 6 if kind == "dressed" else 5]
    tones = {name: CLOTH if name == "clothes" else RED if "foot" in name else WOOD for name in names}
    points = {
        f"{name} points": PointsLook(points=f"{name}.position", radius=0.02, color=tone) for name, tone in tones.items()
    }
    if kind == "masses":
        rods = {f"rods {n}": LinksLook(links=ends, pairs=pairs, radius=0.007) for n, (ends, pairs) in enumerate(RODS)}
        return Looks(points | rods)
    given = {"spline": tuple(f"{name}.position" for name in POINTS), "width": 0.012, "thickness": 0.045}
    laths = {
        name: SplineLook(pick=pick, color=CLOTH if kind == "dressed" else WOOD, **given)
        for name, pick in (BARE if kind == "splines" else DRESSED).items()
    }
    laths["trunk"] = SplineLook(pick=TRUNK, color=WOOD, **given)
    laths["face"] = SplineLook(pick=HEAD, closed=True, kind="catmull-rom", color=WOOD, **given)
    return Looks(points | laths)


def draw(rec, folder):
    x = places(rec)[-PERIOD:]
    apart = np.linalg.norm(x[:, DRESSED["arms"]] - x[:, BARE["arms"]], axis=2).max(axis=1)
    sample = len(rec["arms.position"]) - PERIOD + int(apart.argmax())  # where sleeves are furthest from elbows
    titles = {"masses": "14 masses", "splines": "splines that they control", "dressed": "limbs through six masses more"}
    chart, camera = Figure(figsize=(10, 4.6), layout="constrained"), Camera((0, 0.85, 2.9), (0, 0.6, 0), fov=0.58)
    for axes, (kind, title) in zip(chart.subplots(1, 3), titles.items(), strict=True):
        axes.imshow(render(dress(rec, looks(kind)), sample=sample, camera=camera, size=(520, 640)))
        axes.set_title(title)
        axes.set_axis_off()
    chart.savefig(folder / "laths.png", dpi=150)
    return [folder / "laths.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
