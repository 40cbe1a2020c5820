r"""How far do clothes lag behind a dancer?
=======================================

A puppet of 14 points dances because its two feet are moved; stiff and elastic links transmit the steps up to its head.
It wears a tunic, sleeves and trousers, sheets and tubes of cloth. Six light masses, bobbles of the clothes, are each
coupled one-way by a spring and a damper to an elbow or a knee, and so is the cloth: the motion of the puppet is bitwise
independent of its clothes. With two-way links it is not.

Once the dance is periodic, the motion of a bobble is that of its elbow or knee, filtered by its cell: at the
frequency of the steps, with :math:`q = e^{iωT_e}`, :math:`K = kT_e²/m` and :math:`Z = zT_e/m`,

.. math:: H = \frac{K + Z(1 - q^{-1})}{q - 2 + q^{-1} + K + Z(1 - q^{-1})}.

This is the response of the discrete scheme, not that of a continuous cell, so only rounding and the sampling of the
recording remain: bobbles have 1.35 times the amplitude of the elbows, and lag by 8°.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

MASS, STIFFNESS, DAMPING = 0.01, 2.0, 0.1  # kg, N/m, N s/m
STEPS, RATE, FILM = 1.25, 1050.0, 70.0  # Hz
PERIOD = round(FILM / STEPS)  # samples
BODY = ("legs", "arms", "head")


def main(quick=False):
    heavy = {"network.0.masses.3.mass": 1000 * MASS, "scene.duration": 2.0}
    both = {f"network.0.link.{n}.acts": "both" for n in (2, 3)} | {"scene.duration": 2.0}
    runs = {"worn": {"scene.duration": 8.0} if quick else {}, "heavy": heavy, "both ways": both}
    return {name: mf.simulate("dancing-puppet", settings=settings) for name, settings in runs.items()}


def motions(rec):
    """Return the motions of elbows and knees, and of the clothes on them, over the last step, (samples, 6, 2)."""
    arms, legs = rec["arms.position"], rec["legs.position"]
    worn_by = np.concatenate([arms[:, [1, 2]], legs[:, [0, 0, 1, 1]]], axis=1)
    return worn_by[-PERIOD:, :, :2], rec["clothes.position"][-PERIOD:, :, :2]


def response():
    step = 1 / RATE
    K, Z, q = STIFFNESS * step**2 / MASS, DAMPING * step / MASS, np.exp(2j * np.pi * STEPS * step)
    return (K + Z * (1 - 1 / q)) / (q - 2 + 1 / q + K + Z * (1 - 1 / q))


def check(result):
    rec = result["worn"]
    for name in BODY:
        bare = rec[f"{name}.position"]
        assert np.array_equal(result["heavy"][f"{name}.position"], bare[: result["heavy"].count(f"{name}.position")])
    n = result["both ways"].count("head.position")
    assert not np.array_equal(result["both ways"]["head.position"], rec["head.position"][:n])
    body, cloth = (np.fft.rfft(motion, axis=0) for motion in motions(rec))
    # Harmonics above 35 Hz are folded onto those below; they are weaker than the last ones that are seen, of which
    # there are two on each side. Starts have died out: the slowest decays by exp(−z/2m · 7 s), to rounding.
    folded = (np.abs(cloth[-4:]).max(axis=0) + np.abs(response()) * np.abs(body[-4:]).max(axis=0)) / np.abs(body[1])
    assert (np.abs(cloth[1] / body[1] - response()) < 4 * folded).all()
    assert folded.max() < 1e-3  # so the phase is held to a thousandth of a radian


def draw(result, folder):
    rec = result["worn"]
    body, cloth = motions(rec)
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2)
    t = np.arange(PERIOD) / FILM
    left.plot(t, body[:, 0, 0] - body[:, 0, 0].mean(), color="#E69F00", label="elbow")
    left.plot(t, cloth[:, 0, 0] - cloth[:, 0, 0].mean(), color="#0072B2", label="sleeve")
    left.set(xlabel="time in a step [s]", ylabel="sideways [m]")
    left.legend(frameon=False)
    ratio = np.fft.rfft(cloth, axis=0)[1] / np.fft.rfft(body, axis=0)[1]
    right.plot(
        np.degrees(np.angle(ratio)).ravel(), np.abs(ratio).ravel(), "o", color="#0072B2", label="six pieces, x and y"
    )
    right.plot(np.degrees(np.angle(response())), np.abs(response()), "+", color="k", markersize=14, label="cell")
    right.set(xlabel="phase [°]", ylabel="gain", xlim=(-12, 0), ylim=(1, 1.6))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "lag.png", dpi=150)
    return [picture(dress(rec), folder / "puppet.png", sample=1029, size=(900, 1000)), folder / "lag.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
