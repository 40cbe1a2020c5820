r"""Which contour does a floor see of a brick of masses?
====================================================

Four bricks of 45 masses (3 × 3 × 5) fall on a floor and on one another [Habibi97 5.5.2.2]. Within a brick there are
springs and dampers; bricks push one another and the floor pushes them by visco-elastic buffers, which act at a distance
:math:`r` from the masses. None of the masses is on the contour that the floor sees, which lies :math:`r` further out.

The first dress puts points on it: barycentres of an outer mass :math:`P` and its neighbour :math:`P_a` within the
brick, of weights :math:`1 + r/h` and :math:`-r/h`, with the distance :math:`h` of masses; one for each side that the
mass is on. The second joins them: with the ways :math:`u_a = r (P - P_a)/h` a mass of an edge has the arc :math:`P +
\cos φ\, u_a + \sin φ\, u_b`, a part of a cylinder, or of an elliptic one where the brick is deformed; a mass of a
corner has a part of an ellipsoid; the rest are polygons. All are barycentres of masses, with weights that never change:
the dress has no motion of its own, and an affine motion of the masses moves it by the same affine map. At rest its
volume is, for a brick of edges :math:`l`, that of Steiner's formula, :math:`V + A r + π r^2 \sum l + 4 π r^3/3`.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import Looks, PointsLook, SkinLook, dress
from motiform.geometry import Plane
from motiform.image import Camera, render, show_pictures
from motiform.motion.matter import Friction, links, topology
from motiform.record import Channel, Recording
from motiform.spatial import Transform, rotation_from_quaternion

SHAPE, H, R, MASS = (3, 3, 5), 0.05, 0.025, 0.03  # masses, m, m: reach of buffers, kg
K, FLOOR = 1500.0, 3000.0  # N/m
STEPS = 4  # of an arc on either side of its middle
COLORS = ((0.72, 0.30, 0.22), (0.55, 0.27, 0.22), (0.62, 0.36, 0.26), (0.78, 0.45, 0.30))
AT = ((-0.13, R + 0.05, 0), (0.13, R + 0.05, 0), (0.0, 0.30, 0.02), (0.06, 0.5, 0.1))  # middles [m]
TURNS = ((1, 0, 0, 0), (1, 0, 0, 0), (np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0), (0.95, 0.1, 0.28, 0.06))
INDEX = np.arange(45).reshape(SHAPE)


def contour():
    """Return weights of the 45 masses for all points of the second dress, its triangles, and which the first has."""
    weights, faces, first = [], [], []
    for axis in range(3):
        for side in (0, -1):
            others = [k for k in range(3) if k != axis]
            rows = [_line(SHAPE[k]) for k in others]
            index = np.arange(len(rows[0]) * len(rows[1])).reshape(len(rows[0]), len(rows[1])) + len(weights)
            for i, (place, lean) in enumerate(rows[0]):
                for j, (other, tilt) in enumerate(rows[1]):
                    at, way = [0, 0, 0], np.zeros(3)
                    at[axis], way[axis] = (0 if side == 0 else SHAPE[axis] - 1), (-1.0 if side == 0 else 1.0)
                    at[others[0]], at[others[1]], way[others[0]], way[others[1]] = place, other, lean, tilt
                    weights.append(_barycentre(at, way / np.linalg.norm(way)))
                    if lean == tilt == 0.0:
                        first.append(index[i, j])
            a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
            own = np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], -2).reshape(-1, 3)
            faces.append(own if (side == -1) == (axis != 1) else own[:, ::-1])
    return np.array(weights), np.concatenate(faces), np.array(first)


def _line(count):
    """Return the masses along an axis and how far a way outward leans: by up to 45° beyond the first and the last."""
    lean = np.tan(np.linspace(0.0, np.pi / 4, STEPS + 1))[1:]
    return [(0, -s) for s in lean[::-1]] + [(n, 0.0) for n in range(count)] + [(count - 1, s) for s in lean]


def _barycentre(at, way):
    """Return weights of masses: of P + Σ |way_a| u_a, u_a from the neighbour of P within the brick, r long at rest."""
    weights = np.zeros(45)
    for axis, share in enumerate(way):
        if share:
            inner = list(at)
            inner[axis] += -1 if share > 0 else 1
            weights[INDEX[tuple(at)]] += abs(share) * R / H
            weights[INDEX[tuple(inner)]] -= abs(share) * R / H
    weights[INDEX[tuple(at)]] += 1.0
    return weights


WEIGHTS, FACES, FIRST = contour()


def main(quick=False):
    b = mf.NetworkBuilder(frequency=2100.0)
    block = topology.block_positions(SHAPE, H, at=(-H, -H, -2 * H))
    bricks = []
    for n, (at, turn) in enumerate(zip(AT, TURNS, strict=True)):
        start = block @ rotation_from_quaternion(turn).T + at
        bricks.append(b.masses(f"brick-{n}", start, mass=MASS, radius=R, color=COLORS[n]))
        near = topology.near(bricks[-1].indices, start, 1.75 * H)  # 26 neighbours
        b.link(f"inside-{n}", near, links.spring(K, damping=1.5))
    rub = Friction(limit=0.6, stiffness=400.0, damping=0.4)
    law = links.visco_elastic_buffer(K, 0.0, damping=4.0)
    b.reach("between", bricks[0] + bricks[1] + bricks[2] + bricks[3], law=law, friction=rub, apart=bricks)
    ground = links.visco_elastic_buffer(FLOOR, 0.0, damping=3.0)
    b.solid(
        "floor", Plane(), Transform.identity(), bricks[0] + bricks[1] + bricks[2] + bricks[3], law=ground, friction=rub
    )
    return mf.simulate(b.build(), t1=2.0, rate=50)


def check(rec):
    np.testing.assert_allclose(WEIGHTS.sum(axis=1), 1.0, rtol=1e-14)
    block = topology.block_positions(SHAPE, H)
    assert abs(_volume(WEIGHTS @ block) / _steiner() - 1) < _lacks()
    affine = np.random.default_rng(0).normal(size=(3, 3))
    assert abs(_volume(WEIGHTS @ (block @ affine.T)) / np.linalg.det(affine) / _volume(WEIGHTS @ block) - 1) < 1e-9
    assert len(FIRST) == 2 * (9 + 15 + 15)
    outward = (WEIGHTS @ block)[FIRST] - np.clip((WEIGHTS @ block)[FIRST], 0, block.max(axis=0))
    np.testing.assert_allclose(np.linalg.norm(outward, axis=1), R, rtol=1e-12)  # on the contour, r from the masses
    for n in range(2):  # two of them stand on the floor at the beginning: their contour touches it
        assert abs((WEIGHTS @ rec[f"brick-{n}.position"][0])[:, 1].min()) < 1e-15
    weight = 4 * 45 * MASS * 9.81
    for n in range(4):  # in the end no mass is nearer to the floor than the weight of all would press one alone …
        assert rec[f"brick-{n}.position"][-1][:, 1].min() >= R - weight / FLOOR
        bent = np.linalg.svd(_strain(rec[f"brick-{n}.position"][-1]))[1]
        assert np.abs(bent - 1).max() < weight / (15 * K * H)  # … or the 15 upright links of one layer


def _volume(vertices):
    a, b, c = np.moveaxis(vertices[FACES], 1, 0)
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def _steiner():
    edges = (np.array(SHAPE) - 1) * H
    area = 2 * (edges[0] * edges[1] + edges[1] * edges[2] + edges[2] * edges[0])
    return edges.prod() + area * R + np.pi * R**2 * edges.sum() + 4 / 3 * np.pi * R**3


def _lacks():
    """Return the largest part of the volume that chords of arcs of 45°/STEPS leave out: less than of a whole ball."""
    return (np.pi / 4 / STEPS) ** 2 / 2


def _strain(places):
    """Return the affine map that takes the brick as it was built to its masses, by least squares, (3, 3)."""
    block = topology.block_positions(SHAPE, H)
    block = block - block.mean(axis=0)
    return np.linalg.lstsq(block, places - places.mean(axis=0), rcond=None)[0]


def dressed(rec, kind):
    """Return the form of the bricks: "masses", "barycentres" or "contour"."""
    channels, parts = {}, {}
    chosen = {"masses": np.eye(45), "barycentres": WEIGHTS[FIRST], "contour": WEIGHTS}[kind]
    for n, color in enumerate(COLORS):
        places = chosen @ rec[f"brick-{n}.position"]
        name = f"{kind}-{n}"
        channels[name] = Channel(name, unit="m", dims=("point", "axis"), shape=places.shape[1:], rate=50.0), places
        if kind == "contour":
            parts[name] = SkinLook(skin=name, faces=FACES, color=color, two_sided=False)
        else:
            parts[name] = PointsLook(points=name, radius=0.012 if kind == "masses" else 0.006, color=color)
    looks = Looks(parts)
    return dress(Recording.from_arrays(channels, manifest=looks.manifest(), statics=looks.statics()))


def draw(rec, folder):
    chart, camera = Figure(figsize=(10, 6.2), layout="constrained"), Camera((1.0, 0.7, 1.4), (0, 0.25, 0.12), fov=0.54)
    titles = {"masses": "4 × 45 masses", "barycentres": "barycentres on the contour", "contour": "joined by patches"}
    for row, (sample, time) in zip(chart.subplots(2, 3), ((0, "t = 0"), (100, "t = 2 s")), strict=True):
        for axes, (kind, title) in zip(row, titles.items(), strict=True):
            axes.imshow(render(dressed(rec, kind), sample=sample, camera=camera, size=(520, 460), ground=0.0))
            axes.set_title(f"{title}, {time}")
            axes.set_axis_off()
    chart.savefig(folder / "dresses.png", dpi=150)
    return [folder / "dresses.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
