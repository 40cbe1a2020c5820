"""How many triangles does a surface need?
=======================================

As many as a tolerance asks for. A chord of a surface that bends with a radius r is h²/8r off it over a length h, so
that a large drop may have large triangles and the fine spray around it must have small ones. With cells of one size the
smallest droplet chooses for all. With a tolerance, cells are divided only where triangles are further off the surface
than that, and the surface stays closed where large cells meet small ones.

On the left is a drop with its spray, balls of known radii: the distance of the triangles from them is measured at many
places of each triangle, and compared with cells of one size that come as near. On the right is a stem with twigs that
melt into it.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from motiform.form import Form, LinkParts, Part
from motiform.form.implicit import Implicit
from motiform.geometry import Mesh
from motiform.image import Camera, picture, show_pictures

TOLERANCE = 2e-3  # m


def spray(count):
    """Return the places and radii [m] of a drop and of droplets around it, so far from one another that none blend."""
    draw, places, radii = np.random.default_rng(4), [np.zeros(3)], [1.0]
    while len(places) < count:
        way, radius = draw.normal(size=3), draw.uniform(0.02, 0.06)
        place = draw.uniform(2.1, 2.4) * way / np.linalg.norm(way)
        if all(np.linalg.norm(place - x) > 2.0 * (radius + r) for x, r in zip(places, radii, strict=True)):
            places.append(place)
            radii.append(radius)
    return np.array(places), np.array(radii)


def off(mesh, places, radii):
    """Return the largest distance of triangles from balls [m], at 21 places of each triangle."""
    weight = np.array([(i, j, 5 - i - j) for i in range(6) for j in range(6 - i)]) / 5.0
    at = np.einsum("wk,nkc->wnc", weight, mesh.vertices[mesh.faces])
    nearest = np.abs(np.linalg.norm(mesh.vertices[mesh.faces[:, 0]][:, None] - places, axis=2) - radii).argmin(axis=1)
    return np.abs(np.linalg.norm(at - places[nearest], axis=2) - radii[nearest]).max()


def euler(mesh):
    """Return corners less edges plus triangles."""
    ends = np.sort(np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    _, used = np.unique(ends, axis=0, return_counts=True)
    assert (used == 2).all()  # watertight
    return len(np.unique(mesh.faces)) - len(used) + len(mesh.faces)


def main(quick=False):
    places, radii = spray(10 if quick else 40)
    field = Implicit(places, size=2.0 * radii, level=0.5)  # Wyvill's field is a half at half of its radius
    several = field.to_mesh(0.02, tolerance=TOLERANCE)
    allowed = off(several, places, radii)
    for spacing in 0.02 * 0.85 ** np.arange(12):
        one = field.to_mesh(spacing)
        one = Mesh(field.onto(one.vertices, most=spacing), one.faces)
        if off(one, places, radii) <= allowed:
            break
    ends = np.array(
        [[(0, -1, 0), (0, 1, 0)], *[[(0, y, 0), twig(n, y)] for n, y in enumerate(np.linspace(-0.7, 0.7, 9))]]
    )
    stem = Implicit(ends[:, 0], ends[:, 1], size=np.array([0.5, *[0.12] * 9]), level=0.5)
    return {"balls": (places, radii), "several": several, "one": one, "spacing": spacing,
            "stem": stem.to_mesh(0.03, tolerance=TOLERANCE)}  # fmt: skip


def twig(n, y):
    return 0.6 * np.cos(2.4 * n), y + 0.25, 0.6 * np.sin(2.4 * n)


def check(result):
    places, radii = result["balls"]
    several, one = result["several"], result["one"]
    assert off(several, places, radii) <= TOLERANCE
    assert euler(several) == 2 * len(radii)
    assert euler(result["stem"]) == 2
    # Chords are inside, so that the volume is too small, by the tolerance times the area at most.
    area, volume = 4.0 * np.pi * radii**2, 4.0 / 3.0 * np.pi * radii**3
    assert 0.0 < volume.sum() - several.volume < TOLERANCE * area.sum()
    assert len(one.faces) > 10 * len(several.faces)
    print(f"triangles off by {1e3 * off(several, places, radii):.2f} mm at most: {len(several.faces)}")
    print(f"cells of one size, {1e3 * result['spacing']:.1f} mm: {len(one.faces)}")


def shown(name, mesh, spot, color):
    """Return a mesh and its edges, at a place."""
    still = np.array([[[1.0, 0.0, 0.0, 0.0]]])
    ends = np.unique(
        np.sort(np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1), axis=0
    )
    points = (mesh.vertices + spot)[None]
    links = LinkParts(f"{name} edges", points, points, ends, np.full(len(ends), 0.0015), np.array([0.1, 0.12, 0.15]))
    return Part(name, mesh, np.zeros(3), np.array(color), np.array([[spot]]), still), links


def draw(result, folder):
    pairs = [
        shown("several", result["several"], (-1.4, 0.0, 0.0), (0.35, 0.55, 0.75)),
        shown("stem", result["stem"], (2.0, 0.0, 0.0), (0.45, 0.65, 0.40)),
    ]
    form = Form(tuple(part for part, _ in pairs), np.zeros(1), links=tuple(links for _, links in pairs))
    camera = Camera((-0.4, 0.6, 9.0), (-0.4, 0.0, 0.0), fov=0.42)
    return [picture(form, folder / "cells.png", camera=camera, size=(1400, 760), samples_per_pixel=8)]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
