"""Anatomical axes of segments by the bony landmarks that markers are at."""

from collections.abc import Collection

import numpy as np

from motiform.motion.figures.human36_figure import Human36
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["landmark_frames"]

_PELVIS = "lower_trunk"
_LEAST = 0.02  # [m] landmarks that lie nearer to one line tell no plane


def landmark_frames(figure: Figure, marked: Collection[str] | None = None) -> dict[str, Array]:
    """Return anatomical axes of segments, {segment: (3, 3)} in its own: of a Human36 with markers at its iliac spines.

    The pelvis has z from the left to the right anterior spine, and x forward in the plane of both and of the middle of
    the posterior ones, or of the sacrum [Wu02 2.1], as Plug-in Gait has it. Its tilt is then that of the measured
    landmarks, wherever a calibration has put them in the segment. ``marked`` names the tags that have a marker; None:
    all. Nothing of another figure, or without such markers.
    """
    if not isinstance(figure, Human36):
        return {}
    points = _landmarks(figure, marked)
    behind = [points[name] for name in ("r_psis", "l_psis") if name in points]
    behind = behind if len(behind) == 2 else [points[name] for name in ("sacrum",) if name in points]
    if not behind or not {"r_asis", "l_asis"} <= points.keys():
        return {}
    right, left, back = points["r_asis"], points["l_asis"], np.mean(behind, axis=0)
    across = right - left
    wide = float(np.linalg.norm(across))
    if wide < _LEAST:
        return {}
    z = across / wide
    ahead = (right + left) / 2 - back
    ahead -= (ahead @ z) * z
    deep = float(np.linalg.norm(ahead))
    if deep < _LEAST:
        return {}
    x = ahead / deep
    return {_PELVIS: np.stack([x, np.cross(z, x), z], axis=1)}


def _landmarks(figure: Human36, marked: Collection[str] | None) -> dict[str, Array]:
    """Return the points of the pelvis that markers are at [m], by their sites; the mean of several at one."""
    sites = figure.recipe.markers
    found: dict[str, list[Array]] = {}
    for tag in figure.tags:
        site = sites.get(tag.name)
        if isinstance(site, str) and tag.segment == _PELVIS and (marked is None or tag.name in marked):
            found.setdefault(site, []).append(np.asarray(tag.point, float))
    return {site: np.mean(own, axis=0) for site, own in found.items()}
