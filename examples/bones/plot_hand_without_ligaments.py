"""What happens to a wrist without ligaments?
===========================================

The metacarpals of a hand are led to the ulna by 20° and to the back by 40°, in a second each, and the bones of the
carpus move in time under contact alone, as in the document whose wrist had no ligaments [Perez94 8.2]; below with them.
Its account is met: as the hand goes to the ulna the hamate pushes the capitate as it should, and the column of the
thumb's side, trapezium and trapezoid, is left where it was. As the hand bends back the rows tilt over one another, and
pisiform and triquetrum are left. With ligaments every bone comes along.

The bones are smooth shapes, not measured ones; what is seen is the way that they go, not how far.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, looks_of
from motiform.image import Camera, render, show_pictures

COARSE = mf.wrist.BoneResolution(spacing=8e-4, points=2e-3, margin=5e-3, band=2e-3)
MOTIONS = {"to the ulna": {"deviation": np.deg2rad(20.0)}, "to the back": {"flexion": -np.deg2rad(40.0)}}
SAMPLES = 11


def main(quick=False):
    whole = mf.wrist.from_meshes(mf.wrist.synthetic_bones(), **({"fineness": COARSE} if quick else {}))
    wrists = {"without": replace(whole, ligaments=()), "with": whole}
    times = np.linspace(0.0, 1.0, SAMPLES)
    found = {}
    for motion, (angle, most) in ((name, next(iter(given.items()))) for name, given in MOTIONS.items()):
        for kind, wrist in wrists.items():
            found[motion, kind] = wrist.simulate(times, driven="metacarpals", **{angle: most * times})
    return {"wrists": wrists, "recs": found}


def share(result, motion, kind, bone):
    """Return by how much of the hand's angle a bone has turned in the end."""
    w = abs(result["recs"][motion, kind][f"{bone}.orientation"][-1, 0])
    return 2 * np.arccos(min(1.0, w)) / abs(next(iter(MOTIONS[motion].values())))


def check(result):
    for bone in ("hamate", "capitate"):
        for motion in MOTIONS:
            assert share(result, motion, "without", bone) > 0.7
    for bone in ("trapezium", "trapezoid"):
        assert share(result, "to the ulna", "without", bone) < 0.15
        assert share(result, "to the ulna", "with", bone) > 0.45
    back = {kind: {bone: share(result, "to the back", kind, bone) for bone in ("lunate", "triquetrum", "pisiform")}
            for kind in ("without", "with")}  # fmt: skip
    assert back["without"]["lunate"] < 0.4 < share(result, "to the back", "without", "capitate")
    assert back["without"]["pisiform"] < 0.2 < back["with"]["pisiform"]
    assert back["without"]["triquetrum"] < 0.3 < back["with"]["triquetrum"]
    for kind in ("without", "with"):  # a slow hand: nothing is thrown out
        for motion in MOTIONS:
            rec = result["recs"][motion, kind]
            assert not [event for event in rec.events if event.name == "dislocated"]
            assert rec["energy.kinetic"].max() < 1e-4  # J


def draw(result, folder):
    axes = result["wrists"]["with"].axes
    middle = axes.center - 0.004 * axes.distal
    views = {
        "to the ulna": Camera(tuple(middle + 0.2 * axes.palmar), tuple(middle), up=tuple(axes.distal), fov=0.46),
        "to the back": Camera(tuple(middle - 0.2 * axes.radial), tuple(middle), up=tuple(axes.distal), fov=0.46),
    }
    chart = Figure(figsize=(11, 6.2), layout="constrained")
    panels = chart.subplots(2, 4)
    for row, (motion, camera) in zip(panels, views.items(), strict=True):
        degrees = abs(np.rad2deg(next(iter(MOTIONS[motion].values()))))
        shown = [("without", 0), ("without", SAMPLES // 2), ("without", SAMPLES - 1), ("with", SAMPLES - 1)]
        for panel, (kind, k) in zip(row, shown, strict=True):
            form = dress(result["recs"][motion, kind], looks_of(result["wrists"][kind]))
            panel.imshow(render(form, k, camera=camera, size=(460, 500), ground=False))
            panel.set_title(f"{degrees * k / (SAMPLES - 1):.0f}° {motion}, {kind} ligaments", fontsize=9)
            panel.axis("off")
    chart.savefig(folder / "without_ligaments.png", dpi=150)
    return [folder / "without_ligaments.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
