"""How many balls make a bone?
============================

A synthetic CT shows a wrist of fifteen smooth bones, 0.8 mm apart: thinner than a slice. Two thresholds find bone,
seeds tell touching bones apart, and each becomes a union of balls: those of its medial axis, or fewer with a stated
error.

The union of all balls of the axis is the bone, voxel by voxel. A cover that falls short by no more than half a voxel
and a fraction more needs a small part of them: the number falls as the allowed error grows, roughly as its inverse.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import measure
from motiform.geometry import maps
from motiform.image import show_pictures

ERRORS = (0.1e-3, 0.2e-3, 0.4e-3, 0.8e-3)  # m


def main(quick=False):
    h = 0.7e-3 if quick else 0.4e-3
    bones = measure.synthetic_bones(gap=0.8e-3, distal="z")
    ct, _ = measure.synthetic_ct(bones, spacing=(h, h, max(h, 0.8e-3)))
    centers = {name: mesh.mass_properties(density=1.0).com[None] for name, mesh in bones.items()}
    labels = mf.segment_bones(ct, seeds=measure.Seeds(centers, side="right"))
    names = ["scaphoid", "lunate", "capitate"]
    counts = {}
    for name in names:
        inside = labels.inside(name)
        whole = maps.cover_labels(inside, labels.grid)
        few = [maps.reduce_cover(inside, labels.grid, error=error) for error in ERRORS]
        counts[name] = [int(inside.sum()), len(whole), *map(len, few)]
    volumes = {name: labels.inside(name).sum() * labels.grid.voxel / mesh.volume for name, mesh in bones.items()}
    return {"ct": ct, "labels": labels, "counts": counts, "volumes": volumes, "few": few[2], "last": names[-1]}


def check(result):
    assert len(result["labels"].names) == 15
    assert all(0.75 < ratio < 1.25 for ratio in result["volumes"].values()), result["volumes"]
    for voxels, whole, *few in result["counts"].values():
        assert whole < 0.6 * voxels
        assert few[-1] < few[0] < 0.5 * whole
        assert few[-1] < 60


def draw(result, folder):
    ct, labels = result["ct"], result["labels"]
    chart = Figure(figsize=(10, 3.8), layout="constrained")
    left, middle, right = chart.subplots(1, 3, width_ratios=(1, 1, 1.1))
    plane = round(ct.grid.index((0, 0, 0))[1])
    corners = 1e3 * ct.grid.points([(0, 0, 0), np.array(ct.grid.shape) - 1])
    size = [corners[0, 0], corners[1, 0], corners[0, 2], corners[1, 2]]
    left.imshow(ct.values[:, plane].T, cmap="gray", origin="lower", extent=size, vmin=-200, vmax=1500)
    cut = np.ma.masked_equal(labels.values[:, round(labels.grid.index((0, 0, 0))[1])].T, 0)
    middle.imshow(cut, cmap="tab20", origin="lower", extent=size, interpolation="nearest", vmin=1, vmax=20)
    left.set(title="a slice of the CT", xlabel="x [mm]", ylabel="z [mm]")
    middle.set(title="bones", xlabel="x [mm]")
    for name, (_, whole, *few) in result["counts"].items():
        right.loglog([1e3 * error for error in ERRORS], few, "o-", label=f"{name}: axis {whole}")
    right.set(title="balls of a reduced cover", xlabel="allowed error [mm]", ylabel="balls")
    right.set_xticks([1e3 * error for error in ERRORS], [f"{1e3 * error:g}" for error in ERRORS])
    right.set_xticks([], minor=True)
    right.legend(frameon=False)
    right.grid(alpha=0.25)
    chart.savefig(folder / "how_many_balls.png", dpi=150)
    return [folder / "how_many_balls.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
