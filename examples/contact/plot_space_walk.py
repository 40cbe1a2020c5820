"""Can one turn round with nothing to push against?
================================================

A man floats freely without external forces. Springs in his joints move arms, legs and trunk through a closed cycle: he
begins and ends in the same posture, at rest. His momentum and his angular momentum are zero at the start, and stay zero
at every instant.

Nevertheless he is rotated in the end, by 29 degrees. Zero angular momentum does not mean zero rotation: extended arms
have more inertia about the long axis than arms held close, so the trunk rotates back by less than it rotated forward.
The angle depends on the path through the postures. A falling cat uses the same effect.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, strobe
from motiform.image import Camera, picture, show_pictures

ATOL, MASS = 1e-8, 73  # the scene's tolerance [rad/s, m/s], and the man's mass [kg]
POSTURE = dict.fromkeys(("right_elbow_flexion", "left_elbow_flexion"), "15 deg")
POSTURE |= dict.fromkeys(("right_shoulder_abduction", "left_shoulder_abduction"), "10 deg")  # as the scene ends


def main(quick=False):
    settings = {
        "figure.man.start.q": {"pelvis_upward": 0.3, **POSTURE},
        "figure.man.posture.key.0.q": POSTURE,
        "scene.rate": 20 if quick else 60,
    }
    return {"rec": mf.simulate("space-walk", settings=settings)}


def turned(rec):
    """Return the angle between the trunk and the trunk at the start, over time [degrees]."""
    return 2 * np.degrees(np.arccos(np.clip(np.abs(rec["lower_trunk.orientation"][:, 0]), 0, 1)))


def check(result):
    rec = result["rec"]
    joints = [k for k, name in enumerate(rec.manifest["labels"]["coordinate"]) if not name.startswith("pelvis")]
    posture = np.degrees(rec["q"][-1, joints] - rec["q"][0, joints])
    assert np.abs(posture).max() < 0.1  # springs of 4 Hz have come to rest half a second after the last key
    assert np.abs(rec["momentum"]).max() < ATOL * MASS  # kg m/s: speeds are good to ATOL
    assert np.abs(rec["angular_momentum"]).max() < ATOL * MASS  # kg m²/s: no part is as far as a metre away
    assert np.ptp(rec["center_of_mass"], axis=0).max() < 1e-6  # m: the centre of mass stays
    assert rec["energy.kinetic"].max() > 10  # J: he does move
    assert turned(rec)[-1] > 25  # degrees


def draw(result, folder):
    rec = result["rec"]
    t = rec.time("q")
    chart = Figure(figsize=(8, 4.6), layout="constrained")
    top, bottom = chart.subplots(2, 1, sharex=True)
    top.plot(t, turned(rec), color="#0072B2")
    top.axhline(turned(rec)[-1], color="#555555", linewidth=0.8, linestyle="--")
    top.set(ylabel="trunk turned by [°]")
    for name, color in (("momentum", "#D55E00"), ("angular_momentum", "#009E73")):
        size = np.linalg.norm(rec[name], axis=1)
        unit = "kg m/s" if name == "momentum" else "kg m²/s"
        bottom.semilogy(t[1:], size[1:], color=color, label=f"{name.replace('_', ' ')} [{unit}]")
    bottom.axhline(ATOL * MASS, color="#555555", linewidth=0.8, linestyle="--", label="tolerance")
    bottom.set(xlabel="time [s]", ylabel="size")
    bottom.legend(frameon=False, ncols=3, fontsize=8, loc="lower right")
    for axes in (top, bottom):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "turn.png", dpi=150)
    flashes = side_by_side(strobe(dress(rec), 7), 7, 1.5)
    camera = Camera((16.0, 3.0, 0.0), (0.0, 1.2, 0.0), fov=0.16)
    man = picture(flashes, folder / "man.png", camera=camera, size=(1500, 360), ground=False)
    return [folder / "turn.png", man]


def side_by_side(form, count, distance):
    """Return a strobe whose flashes stand next to one another, so many metres apart along z, the first at the left."""
    parts = []
    for part in form.parts:
        flash = np.arange(part.position.shape[1]) // (part.position.shape[1] // count)
        shift = np.outer((count - 1) / 2 - flash, (0.0, 0.0, distance))
        parts.append(replace(part, position=part.position + shift))
    return replace(form, parts=tuple(parts))


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
