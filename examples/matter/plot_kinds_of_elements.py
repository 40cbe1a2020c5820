r"""Of what can an implicit surface be made?
========================================

Balls are not all: an element of a field may have radii of its own along three axes, an exponent, and more corners than
one [Habibi97 9.1.2, 9.2.2]. Above, from the left: a ball, an ellipsoid, an ellipsoid with exponent 4, one with exponent
12 that is nearly a box, and two of these that melt together. The field of one is :math:`N(Q)` with

.. math:: Q = \sum_i |ξ_i / r_i|^e,

:math:`ξ` the place in its own axes, so that the surface is exactly the superellipsoid of its radii, of volume
:math:`8 r_1 r_2 r_3 Γ(1 + 1/e)^3 / Γ(1 + 3/e)`.

Below: a chain of masses that hangs from two points, as one smooth tube along its links; a triangle as a sheet with
round edges; a tetrahedron. What is within :math:`r` of one has by Steiner's formula the volume :math:`V + A r + M r^2 +
4 π r^3/3`, with the area :math:`A` and, of edges of length :math:`l` and dihedral angle :math:`θ`, :math:`M = \sum l
(π - θ)/2`.
"""

import math
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import Form, Part, SurfaceLook, dress, looks_in
from motiform.form.implicit import Implicit
from motiform.geometry import Mesh
from motiform.image import Camera, picture, show_pictures
from motiform.motion.matter import links, topology

RADII, TURN, EDGE = np.array([0.55, 0.3, 0.2]), (math.cos(0.2), 0.0, 0.0, math.sin(0.2)), 0.8  # m, 1, m
CORNERS = EDGE / math.sqrt(8) * np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])
HALF = 0.12  # m: what is drawn around chain, triangle and tetrahedron
BEADS = 15


def ellipsoids(exponent, places=((0, 0, 0),)):
    size = 2.0 ** (2.0 / exponent)  # Wyvill's kernel is one half where Q is a quarter of R^e
    return Implicit(np.array(places, float), size=size, radii=RADII, turn=TURN, exponent=exponent)


def simplex(count):
    a, b, c, d = (CORNERS[[min(n, count - 1)]] for n in range(4))
    return Implicit(a, b, third=c, fourth=d, size=2 * HALF)


def main(quick=False):
    h = 0.03 if quick else 0.015
    found = {"ball": Implicit([(0, 0, 0)], size=0.8).to_mesh(h)}
    found |= {f"e = {e:g}": ellipsoids(e).to_mesh(h) for e in (2.0, 4.0, 12.0)}
    found["two"] = ellipsoids(4.0, [(-0.45, -0.1, 0), (0.35, 0.25, 0.1)]).to_mesh(h)
    found |= {"triangle": simplex(3).to_mesh(h), "tetrahedron": simplex(4).to_mesh(h)}
    b = mf.NetworkBuilder(gravity=(0, -9.81, 0))
    b.fixed("ends", [[-1, 0, 0], [1, 0, 0]])
    b.masses("beads", topology.line_positions((-0.875, 0, 0), (0.875, 0, 0), BEADS), mass=0.02, drag=0.2)
    pairs = [(0, 2), *((n, n + 1) for n in range(2, BEADS + 1)), (BEADS + 1, 1)]  # the ends are the first two points
    b.link("links", topology.graph(pairs), links.spring(300.0, damping=0.2, rest=0.15))
    rec = mf.simulate(b.build(), t1=2.0, rate=25)
    names, tone = ("ends.position", "beads.position"), (0.75, 0.45, 0.35)
    tube = SurfaceLook(surface=names, radius=HALF, pairs=pairs, color=tone, cell=HALF / 6)
    chain = dress(rec, looks_in(rec).covered("tube", tube))
    return {"meshes": found, "h": h, "chain": chain, "pairs": pairs, "rec": rec}


def check(result):
    meshes, h = result["meshes"], result["h"]
    turn = np.array([[math.cos(0.4), -math.sin(0.4), 0], [math.sin(0.4), math.cos(0.4), 0], [0, 0, 1]])
    for e in (2.0, 4.0, 12.0):
        mesh = meshes[f"e = {e:g}"]
        length = (np.abs(mesh.vertices @ turn / RADII) ** e).sum(axis=1) ** (1 / e)
        assert np.abs(length - 1).max() <= 1e-4 * h / RADII.min()  # vertices are within 1e-4 cells of the surface
        exact = 8 * RADII.prod() * math.gamma(1 + 1 / e) ** 3 / math.gamma(1 + 3 / e)
        # What lacks is (a² + b² + c²)/8 by the curvature, which is up to e − 1 times that of an ellipsoid.
        assert 0 < 1 - mesh.volume / exact < 0.5 * (e - 1) * (h / RADII.min()) ** 2
    area, r = math.sqrt(3) / 4 * EDGE**2, HALF
    sheet = 2 * area * r + 3 * EDGE * math.pi / 2 * r**2 + 4 / 3 * math.pi * r**3
    body = EDGE**3 / (6 * math.sqrt(2)) + 4 * area * r + 6 * EDGE * (math.pi - math.acos(1 / 3)) / 2 * r**2
    for name, exact in (("triangle", sheet), ("tetrahedron", body + 4 / 3 * math.pi * r**3)):
        assert 0 < 1 - meshes[name].volume / exact < 0.5 * (h / r) ** 2
    rec, places = result["rec"], result["chain"].surfaces[0].shell(50).vertices
    points = np.concatenate([rec["ends.position"][50], rec["beads.position"][50]])
    a, b = (points[[pair[k] for pair in result["pairs"]]][:, None] for k in (0, 1))
    t = np.clip(((places - a) * (b - a)).sum(-1) / ((b - a) ** 2).sum(-1), 0, 1)
    far = np.linalg.norm(places - a - t[..., None] * (b - a), axis=-1).min(axis=0)
    assert np.abs(far - HALF).max() <= 2e-4 * HALF / 6  # the tube is as thick as it should be, everywhere


def draw(result, folder):
    still, meshes = np.array([[[1.0, 0.0, 0.0, 0.0]]]), result["meshes"]
    spots = [(x, 1.5, 0) for x in (-2.75, -1.55, -0.2, 1.15, 2.85)] + [(0.55, 0.1, 0), (2.1, 0.1, 0)]
    colors = [(0.35, 0.55, 0.75)] * 4 + [(0.45, 0.62, 0.45), (0.80, 0.70, 0.50), (0.80, 0.70, 0.50)]
    parts = [
        Part(name, mesh, np.zeros(3), np.array(color), np.array([[spot]]), still)
        for (name, mesh), color, spot in zip(meshes.items(), colors, spots, strict=True)
    ]
    shell = result["chain"].surfaces[0].shell(50)
    tube = Mesh(shell.vertices, shell.faces)
    parts.append(Part("tube", tube, np.zeros(3), shell.color, np.array([[(-1.55, 0.55, 0.0)]]), still))
    camera = Camera((0.45, 1.2, 8.4), (0.45, 0.75, 0), fov=0.41)
    form = Form(tuple(parts), np.zeros(1))
    return [picture(form, folder / "elements.png", camera=camera, size=(1200, 560), ground=-0.75)]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
