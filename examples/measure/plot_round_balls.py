"""How round is a ball of whole numbers?
=====================================

A chamfer distance counts steps of whole weights to neighbouring voxels. Its balls are polygons and polyhedra that stand
in the grid, and as the bone turns they do not: [Perez94] compares them with Euclid's (fig. 18). Above: discs of 24
pixels, with Euclid's circle in red and the error of each mask. Below: balls in space, and a bone as the balls of its
medial axis and as the balls around the cubes of its octree (5.3.2): red is what passes its surface.

Distances to every pixel and voxel stay within the errors that `ChamferMask.error` derives. The balls of the axis pass
no voxel centre outside the bone; those of the octree pass it by as much as their cover says.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform import measure
from motiform.form import Form, Part
from motiform.geometry import maps
from motiform.image import Camera, render, show_pictures

RADIUS = 24  # voxels
PLANE = ("D4", "D8", "3-4", "5x5", "7x7")
SPACE = "3-4-5"


def far_from_the_middle(n, mask, dimensions):
    """Return distances to the middle of a square or cube of 2 n + 1 voxels along the edge, in voxels."""
    inside = np.ones((2 * n + 1,) * dimensions, bool)
    inside[(n,) * dimensions] = False
    if mask is None:
        return np.sqrt(((np.indices(inside.shape) - n) ** 2).sum(axis=0))
    return maps.chamfer_map(inside, mask=mask, border=False) / maps.MASKS[mask].axis


def main(quick=False):
    n, h = (RADIUS + 8) if quick else RADIUS + 20, 6e-4 if quick else 4e-4
    discs = {mask: far_from_the_middle(n, mask, 2) for mask in (None, *PLANE)}
    balls = {mask: far_from_the_middle(n, mask, 3) for mask in (None, SPACE)}
    mesh = measure.synthetic_bones()["scaphoid"]
    grid = maps.grid_around(*mesh.bounds, h, margin=3e-3)
    inside = maps.mesh_voxels(mesh, grid)
    covers = {"medial axis": maps.cover_labels(inside, grid), "octree": maps.octree_cover(inside, grid)}
    return {"discs": discs, "balls": balls, "mesh": mesh, "grid": grid, "inside": inside, "covers": covers}


def check(result):
    for kind in ("discs", "balls"):
        exact = result[kind][None]
        far = exact > 0
        for mask, found in result[kind].items():
            if mask is not None:
                least, greatest = maps.MASKS[mask].error
                ratio = found[far] / exact[far] - 1
                assert least - 1e-9 <= ratio.min() <= least + 0.01  # some voxel lies in the worst direction, nearly
                assert greatest - 0.02 <= ratio.max() <= greatest + 1e-9
    grid, inside = result["grid"], result["inside"]
    axis, octree = result["covers"].values()
    assert not (axis.voxels(grid) & ~inside).any()
    outside = octree.voxels(grid) & ~inside
    assert outside.sum() > 0.03 * inside.sum()
    assert octree.beyond > 2 * grid.edge


def of_field(field, spacing):
    """Return the surface on which a field on a cube of voxels is zero."""
    grid = maps.Grid(field.shape, spacing, -0.5 * spacing * (np.array(field.shape) - 1))
    return maps.isosurface(field, grid)


def of_cover(cover, spacing):
    """Return the surface of a union of balls."""
    grid = maps.grid_around(*cover.bounds, spacing, margin=2 * spacing)
    field = np.full(grid.shape, np.inf)
    for center, radius in zip(cover.centers, cover.radii, strict=True):
        reach = np.ceil((radius + 2 * spacing) / spacing).astype(int)
        middle = np.rint(grid.index(center)).astype(int)
        low, high = np.maximum(middle - reach, 0), np.minimum(middle + reach + 1, grid.shape)
        box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
        points = grid.points(np.moveaxis(np.indices(high - low), 0, -1) + low)
        field[box] = np.minimum(field[box], np.linalg.norm(points - center, axis=-1) - radius)
    return maps.isosurface(np.minimum(field, 2 * spacing), grid)


def picture_of(*meshes):
    """Return a picture of a mesh, and of another one in red, of which what is outside of the first is seen."""
    still, here = np.array([[[1.0, 0.0, 0.0, 0.0]]]), np.zeros((1, 1, 3))
    parts = tuple(
        Part(f"surface {k}", mesh, np.zeros(3), np.array(color), here, still)
        for k, (mesh, color) in enumerate(zip(meshes, ((0.82, 0.80, 0.74), (0.75, 0.2, 0.15)), strict=False))
    )
    form = Form(parts, np.zeros(1))
    camera = Camera.framing(form, direction=(0.5, 0.35, 1), fov=0.35, aspect=1.0)
    return render(form, 0, camera=camera, size=(480, 480), ground=False)


def titled(mask):
    """Return the name of a distance, with its least and greatest error in per cent."""
    return (
        "Euclid" if mask is None else "{}: {:.0f} to {:+.0f} %".format(mask, *(100 * e for e in maps.MASKS[mask].error))
    )


def draw(result, folder):
    chart = Figure(figsize=(12, 5.3), layout="constrained")
    above, below = chart.subfigures(2, 1, height_ratios=(1, 1.35))
    around = np.linspace(0, 2 * np.pi, 200)
    for panel, (mask, field) in zip(above.subplots(1, 6), result["discs"].items(), strict=True):
        n = len(field) // 2
        part = slice(n - RADIUS - 8, n + RADIUS + 9)
        side = RADIUS + 8.5
        panel.imshow(field[part, part] <= RADIUS, cmap="Greys", vmax=2.2, extent=(-side, side, -side, side))
        panel.plot(RADIUS * np.cos(around), RADIUS * np.sin(around), color="crimson", lw=1)
        panel.set_title(titled(mask), fontsize=10)
        panel.axis("off")
    bone, covers = result["mesh"], result["covers"]
    shown = {titled(None): [of_field(result["balls"][None] - RADIUS, 1e-3)]}
    shown[titled(SPACE)] = [of_field(result["balls"][SPACE] - RADIUS, 1e-3)]
    for name, cover in covers.items():
        shown[f"{len(cover)} balls of the {name}"] = [bone, of_cover(cover, 2.5e-4)]
    for panel, (title, meshes) in zip(below.subplots(1, 4), shown.items(), strict=True):
        panel.imshow(picture_of(*meshes))
        panel.set_title(title, fontsize=10)
        panel.axis("off")
    chart.savefig(folder / "round_balls.png", dpi=150)
    return [folder / "round_balls.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
