"""Synthetic markers of a known motion."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, tags
from motiform.record import Channel, Recording
from motiform.spatial import up_name
from motiform.spatial.checks import as_floats, generator

__all__ = ["virtual_markers"]


def virtual_markers(
    figure: Figure, q: ArrayLike, *, rate: float, noise: float = 0.0, hidden: float = 0.0, seed: int = 0
) -> Recording:
    """Return the markers of a figure's tags along a motion q (samples, nq), as `motiform.read_markers` would.

    rate [Hz]; ``noise`` is the standard deviation of each coordinate [m], ``hidden`` the part of all markers that is
    not seen, taken at random with the seed.
    """
    where = "virtual_markers"
    check_number(rate, "rate", where, above=0.0)
    check_number(noise, "noise", where, least=0.0)
    if not 0.0 <= check_number(hidden, "hidden", where, least=0.0) < 1.0:
        raise InputError("hidden must be a fraction", where=where, got=hidden, allowed="from 0 to below 1")
    qs = as_floats(q, where=f"{where}, q", finite=False)
    if qs.ndim != 2 or qs.shape[1] != figure.nq:
        raise InputError(
            "q must have nq numbers on its last axis", where=where, got=f"shape {qs.shape}",
            allowed=f"(samples, {figure.nq})",
        )  # fmt: skip
    if not figure.tags:
        raise InputError("a figure must have tags", where=repr(figure), remedy="Add tags where the markers are.")
    rng = generator(seed, where="virtual markers, seed")
    points = tags(figure, qs)
    points = points + noise * rng.normal(size=points.shape)
    points[rng.random(points.shape[:2]) < hidden] = np.nan
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=rate)
    up = up_name(figure.up)
    manifest = {"labels": {"marker": list(figure.tag_names), "axis": ["x", "y", "z"]}, "up": up, "source": "virtual"}
    return Recording.from_arrays([channel], {"markers": points}, manifest={**manifest, "gravity": list(figure.gravity)})
