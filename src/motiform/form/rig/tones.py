"""Colors of the triangles of a body, which is cut where one color meets another."""

from typing import Any

import numpy as np

from motiform.spatial.checks import Array

__all__ = ["cut_tones"]


def cut_tones(points: Array, faces: Any, distance: Array) -> tuple[Array, Any, Any]:
    """Return vertices, triangles and the color number of each, cut along the lines between two colors.

    `distance` [m], (points, colors), are the distances of the vertices to what has each color. A vertex has the nearest
    color; on an edge between two, colors meet where their distances are equal by linear interpolation.
    """
    label = distance.argmin(axis=1)
    mixed = (label[faces] != label[faces[:, :1]]).any(axis=1)
    whole = faces[~mixed]
    edges, middle = _crossings(points, faces[mixed], distance, label)
    number = {(int(a), int(b)): len(points) + k for k, (a, b) in enumerate(edges)}
    points, extra = np.concatenate([points, middle]), list[Array]()
    cut: list[tuple[int, int, int]] = []
    tones: list[int] = []
    for corners in faces[mixed].tolist():
        colors = [int(label[c]) for c in corners]
        edge = [number.get((min(a, b), max(a, b))) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        if len(set(colors)) == 3:
            centre = len(points) + len(extra)
            extra.append(points[edge].mean(axis=0))  # type: ignore[index]
        for k in range(3):
            a, into, out = corners[k], edge[k - 1], edge[k]
            if into is not None and out is not None:
                if len(set(colors)) == 3:
                    cut += [(a, out, centre), (a, centre, into)]
                    tones += [colors[k]] * 2
                else:  # the corner alone, and the four-sided rest of the triangle
                    b, c = corners[(k + 1) % 3], corners[(k + 2) % 3]
                    cut += [(a, out, into), (out, b, c), (out, c, into)]
                    tones += [colors[k], *[colors[(k + 1) % 3]] * 2]
    points = np.concatenate([points, np.array(extra).reshape(-1, 3)])
    triangles = np.concatenate([whole, np.array(cut, np.int64).reshape(-1, 3)])
    return points, triangles, np.concatenate([label[whole[:, 0]], np.array(tones, np.int64)])


def _crossings(points: Array, faces: Any, distance: Array, label: Any) -> tuple[Any, Array]:
    """Return the edges between vertices of different colors, (n, 2), and where the colors meet on them [m]."""
    pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    pairs = np.unique(pairs[label[pairs[:, 0]] != label[pairs[:, 1]]], axis=0)
    a, b = pairs.T
    at_a, at_b = (distance[v, label[b]] - distance[v, label[a]] for v in (a, b))  # 0 or more at a, 0 or less at b
    share = np.clip(at_a / np.maximum(at_a - at_b, 1e-300), 0.05, 0.95)[:, None]
    return pairs, (1.0 - share) * points[a] + share * points[b]
