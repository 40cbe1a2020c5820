"""Where does the cartilage of a wrist carry?
============================================

Two bones press on one another where they are nearer than their cartilage is thick; the pressure at a point follows from
how far it is pressed in. In the neutral pose nothing is pressed. The distal row is left out of the pictures, so that
the faces of scaphoid, lunate and triquetrum are seen from the fingers, with the pressure on them in colours.

A hand bent to the back presses on the back of the lunate, one that is bent to the palm on its palmar side. The bones
are smooth shapes, not measured ones, so that the numbers are those of no person.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, looks_of
from motiform.image import Camera, render, show_pictures
from motiform.spatial import rotation_from_quaternion

COARSE = mf.wrist.BoneResolution(spacing=8e-4, points=2e-3, margin=5e-3, band=2e-3)
POSES = {"40° extended": (-40, 0), "neutral": (0, 0), "40° flexed": (40, 0), "15° to the ulna": (0, 15)}
SEEN = ("radius", "ulna", "scaphoid", "lunate", "triquetrum", "contact")


def main(quick=False):
    wrist = mf.wrist.from_meshes(mf.wrist.synthetic_bones(), side="right", **({"fineness": COARSE} if quick else {}))
    bent = np.deg2rad(np.array(list(POSES.values()), float))
    return {"wrist": wrist, "rec": wrist.settle(flexion=bent[:, 0], deviation=bent[:, 1])}


def center(result, bone, sample):
    """Return the centre of pressure on a bone, in its own axes in the neutral pose [m]."""
    rec = result["rec"]
    own = np.array([name.startswith(bone) for name in rec.manifest["labels"]["contact_point"]])
    pressure, place = rec["contact.pressure"][sample, own], np.nan_to_num(rec["contact.point"][sample, own])
    R = rotation_from_quaternion(rec[f"{bone}.orientation"][sample])
    return (pressure @ place / pressure.sum() - rec[f"{bone}.position"][sample]) @ R


def check(result):
    wrist, rec = result["wrist"], result["rec"]
    extended, neutral, flexed, _ = range(4)
    highest = rec["contact.pressure"].max(axis=1)
    # The neutral pose is free of pressure at the points that carry. Between points 2 mm apart on a bone of 5 mm radius
    # the surface stands out by 0.1 mm, which is 3 MPa; 0.04 mm with the usual points.
    assert highest[neutral] <= 3e6, highest
    for sample in (extended, flexed):
        pressed = rec["contact.area"][sample] > 0
        assert (rec["contact.force"][sample][pressed] > 0).all()
    palmar = [center(result, "lunate", sample) @ wrist.axes.palmar for sample in (extended, flexed)]
    assert palmar[0] < palmar[1], palmar


def draw(result, folder):
    wrist, rec, axes = result["wrist"], result["rec"], result["wrist"].axes
    form = dress(rec, looks_of(wrist))
    form = replace(form, parts=tuple(part for part in form.parts if part.name in SEEN), links=())
    eye = axes.center + 0.11 * axes.distal + 0.03 * axes.palmar
    camera = Camera(tuple(eye), tuple(axes.center - 0.006 * axes.distal), up=tuple(-axes.palmar), fov=0.42)
    chart = Figure(figsize=(10.5, 3.0), layout="constrained")
    for k, (panel, title) in enumerate(zip(chart.subplots(1, 4), POSES, strict=True)):
        panel.imshow(render(form, k, camera=camera, size=(420, 420), ground=False))
        panel.set_title(f"{title}: {1e6 * rec['contact.area'][k].sum():.0f} mm² pressed", fontsize=9)
        panel.axis("off")
    chart.savefig(folder / "contact_pressure.png", dpi=150)
    return [folder / "contact_pressure.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
