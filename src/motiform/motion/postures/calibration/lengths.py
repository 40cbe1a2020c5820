"""A first estimate of lengths from one standing pose: distances of markers against those of tags."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.measure.names import Correspondence
from motiform.motion.postures.calibration.parameters import make_parameters
from motiform.motion.postures.calibration.samples import tag_points
from motiform.motion.postures.settings import Priors
from motiform.motion.tree.algorithms.kinematics import tags
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["measured_lengths"]


def measured_lengths(
    figure: Figure,
    static: Any,
    *,
    correspondence: Correspondence = None,
    posture: ArrayLike | None = None,
    symmetric: bool = False,
    priors: Priors | None = None,
    distance_sd: float = 0.01,
) -> dict[str, float]:
    """Return factors of the lengths of a figure (of a Human36) or of its segments, from a static trial.

    Mean distances of markers on the same segment or on neighbours are compared with those of their tags in the
    `posture` (nq,), neutral if not told; what they do not tell follows from the whole size, then stays 1. Give them to
    `scale_figure`, or let `calibrate` begin there.

    Parameters
    ----------
    static : recording of markers, or (samples, tags, 3) [m].
    priors : of lengths.
    distance_sd : [m] error of a distance: placing of markers and posture.
    """
    points, _ = tag_points(figure, static, correspondence, "static trial")
    q = figure.neutral() if posture is None else np.asarray(posture, float)
    model = make_parameters(figure, priors, tags=False, symmetric=symmetric)
    a, b = _pairs(figure, np.asarray(np.isfinite(points[..., 0]).any(axis=0)))
    apart = points[:, a] - points[:, b]
    measured = _mean(np.linalg.norm(apart, axis=-1))
    known = np.isfinite(measured)
    if not known.any():
        raise InputError(
            "no two markers on one segment or on neighbours are seen together",
            where="static trial",
            got=f"{int(np.isfinite(points[..., 0]).any(axis=0).sum())} markers",
        )
    a, b, measured = a[known], b[known], measured[known]
    D = model.derivatives(q[None])[0]
    at_rest = tags(figure, q)
    p = np.zeros(model.count)
    for _ in range(10):  # Gauss–Newton: distances bend little with p
        place = at_rest + D @ p
        apart = place[a] - place[b]
        d = np.linalg.norm(apart, axis=-1)
        J = np.einsum("ki,kip->kp", apart / np.maximum(d, 1e-9)[:, None], D[a] - D[b]) / distance_sd
        step = np.linalg.solve(J.T @ J + model.prior, J.T @ ((measured - d) / distance_sd) - model.prior @ p)
        p = np.maximum(p + step, -0.9)
    return {name: 1.0 + float(p[k]) for k, group in enumerate(model.groups) for name in group}


def _pairs(figure: Figure, seen: Array) -> tuple[Array, Array]:
    """Return pairs of tags on the same segment or on neighbours, both seen."""
    near = []
    for i, j in combinations(np.flatnonzero(seen).tolist(), 2):
        m, n = int(figure.packed.tags[i]), int(figure.packed.tags[j])
        if m == n or figure.parent_index(m) == n or figure.parent_index(n) == m:
            near.append((i, j))
    return np.array([i for i, _ in near], int), np.array([j for _, j in near], int)


def _mean(values: Array) -> Array:
    """Return the mean over samples, nan where there is none."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    return np.where(count, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
