"""What does a broken scaphoid do, and what does a screw?
======================================================

The scaphoid bridges both rows of the carpus. Broken at its waist, its distal half follows the distal row and its
proximal half the lunate: in flexion it bends. A screw is a fusion of the halves, which then move as the whole bone did.

Tendons press the hand on the forearm. Under 50 N the radius bears scaphoid and lunate; without the scapholunate
ligament the scaphoid flexes away from the lunate, and takes load from it.

The bones are smooth shapes, not measured ones. Checked: the halves bend apart and the screw brings them back; the load
goes from the lunate to the scaphoid, and their angle widens.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress, looks_of
from motiform.image import Camera, render, show_pictures

HALVES = ("scaphoid_proximal", "scaphoid_distal")
BENT = np.deg2rad([0.0, 40.0])
LOAD = 50.0  # N


def main(quick=False):
    whole = mf.wrist.from_meshes(mf.wrist.synthetic_bones())
    broken = whole.fracture("scaphoid", 0.5)
    hands = {"whole": whole, "broken": broken, "screwed": broken.fuse(*HALVES)}
    loaded = {"all ligaments": whole, "scapholunate cut": whole.cut("scapholunate")}
    return {
        "hands": hands, "rests": {name: hand.settle(BENT) for name, hand in hands.items()},
        "loaded": {name: (hand, hand.settle(np.deg2rad([0.0, 30.0]), load=LOAD)) for name, hand in loaded.items()},
    }  # fmt: skip


def flexed(rec, bone):
    """Return the flexion of a bone with the hand bent by 40° [deg]."""
    return float(np.rad2deg(mf.wrist.bone_angles(rec, bone)[1, 0]))


def borne(hand, rec):
    """Return what radius and scaphoid, radius and lunate press on one another [N], and the scapholunate angle [deg]."""
    labels = rec.manifest["labels"]["pair"]
    force = [float(rec["contact.force"][0, labels.index(f"radius_{bone}")]) for bone in ("scaphoid", "lunate")]
    return *force, float(np.rad2deg(mf.wrist.carpal_angles(hand, rec).scapholunate[1]))


def table(result):
    """Return the numbers as text."""
    rests = result["rests"]
    rows = [("whole", "scaphoid", flexed(rests["whole"], "scaphoid"))]
    rows += [(name, half, flexed(rests[name], half)) for name in ("broken", "screwed") for half in HALVES]
    lines = [f"{name:<10}{bone:<20}{angle:6.1f}° of 40°" for name, bone, angle in rows]
    for name, (hand, rec) in result["loaded"].items():
        scaphoid, lunate, angle = borne(hand, rec)
        lines.append(f"{name:<18}radius: scaphoid {scaphoid:5.1f} N, lunate {lunate:5.1f} N; angle {angle:5.1f}°")
    return lines


def check(result):
    rests = result["rests"]
    whole = flexed(rests["whole"], "scaphoid")
    proximal, distal = (flexed(rests["broken"], half) for half in HALVES)
    assert distal > proximal + 3.0
    assert distal > whole > proximal
    for half in HALVES:
        assert abs(flexed(rests["screwed"], half) - whole) < 0.25 * (distal - proximal)
    (scaphoid, lunate, angle), (more, less, wider) = (borne(*one) for one in result["loaded"].values())
    assert more > 1.2 * scaphoid
    assert less < 0.7 * lunate
    assert wider > angle + 2.0


def draw(result, folder):
    chart = Figure(figsize=(11.5, 4.2), layout="constrained")
    places = chart.subplots(1, 4, width_ratios=(3, 3, 3, 4))
    for axes, (name, hand) in zip(places, result["hands"].items(), strict=False):
        middle, own = hand.axes.center, hand.axes
        camera = Camera(
            tuple(middle + 0.17 * own.radial + 0.06 * own.palmar), tuple(middle), up=tuple(own.distal), fov=0.36
        )
        form = dress(result["rests"][name], looks_of(hand))
        axes.imshow(render(form, 1, camera=camera, size=(420, 560), ground=False))
        axes.set_title(f"{name}, 40° of flexion", fontsize=10)
        axes.set_axis_off()
    axes, names = places[3], list(result["loaded"])
    forces = np.array([borne(*one)[:2] for one in result["loaded"].values()])
    for n, (bone, color) in enumerate((("scaphoid", "#D66B54"), ("lunate", "#5C8CC7"))):
        axes.bar(np.arange(2) + 0.36 * (n - 0.5), forces[:, n], 0.34, color=color, label=bone)
    axes.set(xticks=[0, 1], xticklabels=names, ylabel="pressed on the radius [N]")
    axes.set_title(f"under {LOAD:g} N, straight", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    chart.savefig(folder / "broken_scaphoid.png", dpi=110)
    return [folder / "broken_scaphoid.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    print(*table(result), sep="\n")
    show_pictures(draw(result, Path(mkdtemp())))
