"""How much must arms help two stimulated knees?
==============================================

A man rises from a chair. His knees have no drives but quadriceps under electrical stimulation, and some damping; hips,
ankles and trunk have drives that follow the postures of the scene sit-to-stand. In place of hands on arm rests a force
on the pelvis pushes up, and holds the hips fore and aft.

Checks. With up to 250 N upward he stands with straight knees; with 200 N, or without arms, he falls back. Support is
needed at the start alone: upright his knees carry him. Statics (plot_two_knees.py) ask for 195 N; to be raised in two
seconds takes more. Of the work, drives of the hips do more than half, stimulated knees a fifth; books of energy close
but for what contacts take.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, looks_in
from motiform.image import Camera, render, show_pictures


def main(quick=False):
    limits = (250.0,) if quick else (250.0, 200.0, 0.0)
    return {limit: mf.simulate("fes-sit-to-stand", settings={"figure.man.support.limit": limit}) for limit in limits}


def knee(rec):
    """Extension of the right knee [degrees], (samples,)."""
    return np.degrees(rec["q"][:, rec.manifest["labels"]["coordinate"].index("right_knee_extension")])


def works(rec):
    """Work of those who raise him [J], by the trapezoidal rule over the samples."""
    names, t = rec.manifest["labels"]["coordinate"], rec.time("q")
    power = rec["tau"] * rec["v"]
    parts = {"hips": "hip_", "knees": "knee_", "ankles": "ankle_", "force on the pelvis": "pelvis_"}
    own = {who: [k for k, name in enumerate(names) if part in name] for who, part in parts.items()}
    own["trunk, head, arms"] = [k for k in range(len(names)) if not any(k in mine for mine in own.values())]
    found = {who: float(np.trapezoid(power[:, mine].sum(1), t)) for who, mine in own.items()}
    damping = -3.0 * float(np.trapezoid((rec["v"][:, own["knees"]] ** 2).sum(1), t))
    return found | {"knees": found["knees"] - damping, "damping of the knees": damping}


def check(result):
    rec = result[250.0]
    work, gain = works(rec), rec["energy"][-1] - rec["energy"][0]
    total = sum(work.values())
    assert 0.0 < total - gain < 0.1 * gain  # what seat and soles take
    assert work["hips"] > 0.5 * gain > 2.0 * work["knees"] > 0.0
    later = rec.time("q") > 3.6
    assert rec["center_of_mass"][-1, 1] > 0.95
    assert np.abs(knee(rec)[later]).max() < 3.0
    assert rec["support.force"][later, 1].max() < 25.0  # [N]
    assert rec["stimulation.force"].max() < 500.0  # no more than the muscles have
    assert all(one["center_of_mass"][-1, 1] < 0.8 for limit, one in result.items() if limit < 250.0)


def bare(rec):
    """Its form without thighs, inside which the stimulated muscles are."""
    looks = looks_in(rec)
    parts = {name: look for name, look in looks.parts.items() if "thigh" not in name}
    return dress(rec, replace(looks, parts=parts), skin=False)


def draw(result, folder):
    page = Figure(figsize=(10, 8), layout="constrained")
    above, below = page.subfigures(2, 1, height_ratios=(1.2, 1))
    camera = Camera((2.2, 1.15, 2.5), (0.0, 0.75, 0.0))
    forms = {limit: dress(rec, skin=True) for limit, rec in result.items()}
    whole = [(forms[limit], t, f"{limit:.0f} N, {t} s") for limit, t in ((250.0, 1.2), (250.0, 3.8), (200.0, 2.2))]
    shots = [*whole[:1], (bare(result[250.0]), 1.9, "250 N, 1.9 s: muscles in the thighs"), *whole[1:]]
    for axes, (form, t, title) in zip(above.subplots(1, 4), shots, strict=True):
        axes.imshow(render(form, int(60 * t), camera=camera, size=(300, 440), samples_per_pixel=16))
        axes.set_title(title, fontsize=9)
        axes.set_axis_off()
    plots = below.subplots(1, 3)
    for limit, rec in result.items():
        t = rec.time("q")
        plots[0].plot(t, knee(rec), label=f"{limit:.0f} N")
        plots[1].plot(t, rec["stimulation.force"][:, 0])
        plots[2].plot(t, rec["support.force"][:, 1])
    for axes, title, unit in zip(
        plots, ("right knee", "right quadriceps", "force on the pelvis, upward"), "°NN", strict=True
    ):
        axes.set(xlabel="time [s]", ylabel=unit, title=title)
    plots[0].legend(fontsize=8)
    page.savefig(folder / "stand_up.png", dpi=110)
    return [folder / "stand_up.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
