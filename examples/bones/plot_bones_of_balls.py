"""What if bones were balls?
=========================

A bone may be covered by the balls of its medial axis, and two bones touch where balls of both overlap [Perez94]. Left:
the carpus as its balls, from voxels of 1 mm and of 0.5 mm. Right: how hard the bones of a hand that is bent to the back
by 40° press on one another, by the sum of K d over all pairs of balls, and weighed by the area that each ball stands
for beside the force that signed maps give. The sum grows with the number of balls, so that K would have to be found
anew for each resolution; the weighed force comes to that of the maps.

The bones stay within what the covers leave open of where maps put them. They are smooth shapes, not measured ones.
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
SHOWN = ("radius", "scaphoid", "lunate", "triquetrum", "trapezium", "trapezoid", "capitate", "hamate")
ROW = ("scaphoid", "lunate", "triquetrum")
FLEXION = np.deg2rad([0.0, 40.0, -40.0])
VOXELS = (1e-3, 7e-4, 5e-4, 3.5e-4)  # m


def main(quick=False):
    bones, fine = mf.wrist.synthetic_bones(), COARSE if quick else mf.wrist.BoneResolution()
    hands = {
        voxels: mf.wrist.from_meshes(bones, fineness=replace(fine, voxels=voxels), contact="balls")
        for voxels in VOXELS[: 3 if quick else None]
    }
    by_map = mf.wrist.from_meshes(bones, fineness=fine)
    rests = {voxels: hand.settle(FLEXION) for voxels, hand in hands.items()}
    return {"hands": hands, "rests": rests, "by_map": by_map.settle(FLEXION)}


def apart(result, voxels, bone, sample):
    """Return how far the points of a bone are from where maps put them [m], rms."""
    points = np.asarray(result["hands"][voxels].bones[bone].tree.data)
    placed = [
        points @ rotation_from_quaternion(rec[f"{bone}.orientation"][sample]).T + rec[f"{bone}.position"][sample]
        for rec in (result["rests"][voxels], result["by_map"])
    ]
    return np.sqrt(((placed[0] - placed[1]) ** 2).sum(axis=1).mean())


def check(result):
    for voxels, hand in result["hands"].items():
        for bone in ROW:
            assert apart(result, voxels, bone, 0) < 1e-8  # m: the neutral pose is one of rest for both
            for sample in (1, 2):
                # both surfaces of a contact are short by so much, and points lie twice as far out as contacts do
                assert apart(result, voxels, bone, sample) < 4 * hand.bones[bone].cover.short
    raw, weighed = sums(result)
    assert (raw[1:] > 1.5 * raw[:-1]).all()  # with voxels of some 0.7 of those before
    off = np.abs(weighed - 1)  # errors of areas fall with the voxels
    assert (np.diff(off) < 0).all()
    assert off[-1] < 0.1


def sums(result):
    """Return Σ d of all pairs of balls [m], and the weighed forces as shares of those by maps, the hand bent back."""
    rests = result["rests"].values()
    forces = np.array([rec["contact.force"][2].sum() for rec in rests])
    return np.array([rec["contact.ball_depth"][2].sum() for rec in rests]), forces / result["by_map"]["contact.force"][
        2
    ].sum()


def seen(result, voxels):
    """Return the wrist as balls, from the palm."""
    hand, rec = result["hands"][voxels], result["rests"][voxels]
    looks = looks_of(hand, *(hand.bones[name].cover for name in SHOWN))
    form = dress(rec, looks)
    return replace(form, parts=tuple(part for part in form.parts if part.name.endswith(".balls")), links=())


def draw(result, folder):
    axes = result["hands"][5e-4].axes
    eye = axes.center + 0.16 * axes.palmar - 0.012 * axes.distal
    camera = Camera(tuple(eye), tuple(axes.center - 0.012 * axes.distal), up=tuple(axes.distal), fov=0.42)
    chart = Figure(figsize=(11, 3.6), layout="constrained")
    panels = chart.subplots(1, 3, width_ratios=(1, 1, 1.25))
    for panel, voxels in zip(panels, (1e-3, 5e-4), strict=False):
        hand = result["hands"][voxels]
        count = sum(len(hand.bones[name].cover) for name in SHOWN)
        panel.imshow(render(seen(result, voxels), 0, camera=camera, size=(520, 520), ground=False))
        panel.set_title(f"{count} balls from voxels of {1e3 * voxels:g} mm", fontsize=9)
        panel.axis("off")
    raw, weighed = sums(result)
    mm = 1e3 * np.array(list(result["hands"]))
    panels[2].loglog(mm, raw / raw[0], "o-", label="Σ K d over pairs of balls, from 1 on")
    panels[2].loglog(mm, weighed, "s-", label="weighed by area, beside maps")
    panels[2].axhline(1.0, color="0.6", lw=0.8)
    panels[2].set_xticks(mm, [f"{x:g}" for x in mm])
    panels[2].minorticks_off()
    panels[2].invert_xaxis()
    panels[2].set_xlabel("voxels (mm)")
    panels[2].set_ylabel("force, relative")
    panels[2].legend(fontsize=8)
    chart.savefig(folder / "bones_of_balls.png", dpi=150)
    return [folder / "bones_of_balls.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
