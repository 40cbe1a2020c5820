"""Muscles that can hardly be meant so: points inside surfaces that they wrap, lines through joints."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.actuation.muscles.muscle_set import Muscles
from motiform.motion.actuation.muscles.paths.geometry import path_geometry

__all__ = ["muscle_warnings"]

_NO_ARM = 1e-9  # [m], rounding of lengths of a metre, and more


def muscle_warnings(muscles: Muscles, q: ArrayLike) -> tuple[str, ...]:
    """Return what is doubtful of muscles in a posture q (nq,), a sentence each."""
    found = path_geometry(muscles.paths, np.asarray(q, float))
    texts = [f"{text}: the path does not wrap next to it" for text in muscles.paths.buried]
    for name, inside, arms in zip(muscles.names, found.inside, found.arm, strict=True):
        if inside and not any(f"path {name!r}" in text for text in texts):
            texts.append(f"muscle {name!r} starts with a point inside a surface that it wraps: it does not wrap it")
        if np.abs(arms).max(initial=0.0) < _NO_ARM:
            texts.append(
                f"muscle {name!r} starts without a moment arm: its line goes through the joints that it crosses, or "
                "none of them moves"
            )
    return tuple(texts)
