"""What do the bones of a wrist do when the hand bends?
=====================================================

No muscle pulls at the proximal row of the carpus: scaphoid, lunate and triquetrum lie between the radius and the distal
row, and go where cartilage and ligaments let them. The capitate is bent by 40° to both sides; the others come to rest.

Both bones turn with the hand, by a part of its angle; the two do not turn alike, and the ligament between them holds
them together. Without it they turn apart further. The bones are smooth shapes, not measured ones, so that the numbers
are those of no person.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, looks_of
from motiform.image import Camera, render, show_pictures
from motiform.spatial import log_rotation, rotation_from_quaternion

COARSE = mf.wrist.BoneResolution(spacing=8e-4, points=2e-3, margin=5e-3, band=2e-3)


def angle(rec, bone, axis, base=None):
    """Return how far a bone has turned about the axis, relative to the radius or to another bone [deg]."""
    R = rotation_from_quaternion(rec[f"{bone}.orientation"])
    if base is not None:
        R = np.swapaxes(rotation_from_quaternion(rec[f"{base}.orientation"]), -1, -2) @ R
    return np.rad2deg(log_rotation(R) @ axis)


def main(quick=False):
    wrist = mf.wrist.from_meshes(mf.wrist.synthetic_bones(), side="right", **({"fineness": COARSE} if quick else {}))
    half = np.deg2rad(np.arange(0, 41, 20 if quick else 5))
    runs = {}
    for name, model in {"whole": wrist, "cut": wrist.cut("scapholunate")}.items():
        runs[name] = [model.settle(flexion=sign * half) for sign in (1, -1)]  # both from the neutral pose
    axis = np.cross(wrist.axes.distal, wrist.axes.palmar)
    return {"wrist": wrist, "runs": runs, "half": np.rad2deg(half), "axis": axis}


def check(result):
    axis = result["axis"]
    for rec in result["runs"]["whole"]:
        assert not rec.events, rec.events
        hand = angle(rec, "capitate", axis)[-1]
        for bone in ("scaphoid", "lunate"):
            assert 0.1 < angle(rec, bone, axis)[-1] / hand < 1.0, bone
    apart = {name: np.abs(angle(runs[0], "scaphoid", axis, "lunate")[-1]) for name, runs in result["runs"].items()}
    assert apart["cut"] > apart["whole"] + 1.0, apart  # degrees


def draw(result, folder):
    wrist, runs, half = result["wrist"], result["runs"]["whole"], result["half"]
    form = [dress(rec, looks_of(wrist)) for rec in runs]
    axes = wrist.axes
    side = axes.center + 0.16 * axes.radial - 0.02 * axes.distal
    camera = Camera(tuple(side), tuple(axes.center), up=tuple(axes.distal), fov=0.62)
    front = Camera(tuple(axes.center + 0.2 * axes.palmar), tuple(axes.center), up=tuple(axes.distal), fov=0.62)
    pictures = [
        render(form[1], -1, camera=camera, size=(420, 520), ground=False),
        render(form[0], 0, camera=front, size=(420, 520), ground=False),
        render(form[0], -1, camera=camera, size=(420, 520), ground=False),
    ]
    chart = Figure(figsize=(10.5, 3.8), layout="constrained")
    panels = chart.subplots(1, 4, width_ratios=(1, 1, 1, 1.5))
    for panel, picture, title in zip(panels, pictures, ("40° extended", "neutral, palm", "40° flexed"), strict=False):
        panel.imshow(picture)
        panel.set(title=title)
        panel.axis("off")
    hand = np.r_[-half[:0:-1], half]
    for bone in ("scaphoid", "lunate", "triquetrum"):
        values = [angle(rec, bone, result["axis"]) for rec in runs]
        panels[3].plot(hand, np.r_[values[1][:0:-1], values[0]], label=bone)
    for name, style in (("whole", "k-"), ("cut", "k--")):
        values = [angle(rec, "scaphoid", result["axis"], "lunate") for rec in result["runs"][name]]
        panels[3].plot(hand, np.r_[values[1][:0:-1], values[0]], style, lw=1, label=f"scaphoid on lunate, {name}")
    panels[3].set(xlabel="flexion of the capitate [°]", ylabel="flexion of the bone [°]")
    panels[3].grid(alpha=0.25)
    panels[3].legend(frameon=False, fontsize=8)
    chart.savefig(folder / "wrist_bends.png", dpi=150)
    return [folder / "wrist_bends.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
