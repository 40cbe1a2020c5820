"""What makes a reconstruction doubtful: a pelvis that nothing tells, few matched markers, joints no living body has."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.measure.gaps import runs
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.figures.human36_table import RANGES
from motiform.motion.tree import Figure
from motiform.record import Recording

__all__ = ["find_doubts"]

_UNSEEN = 0.5  # part of a coordinate that markers do not determine, beyond which it is not known
_OFTEN, _HELD = 0.1, 0.5  # share of the samples in which a hinge is beyond its range, and another joint
_LASTS = 0.1  # [s] a hinge that is bent backwards for longer is no glitch of a sample
_HINGES = {"knee_extension": 1, "elbow_flexion": -1}  # and the side to which they are bent backwards
_BEYOND = np.deg2rad(8.0)  # zeros of calibrated angles err by some degrees
_OTHERS = np.deg2rad(14.9)  # limits of trials are 15° beyond the ranges: at its limit
_HALF = 0.5  # of the markers of a file that must be on the figure, where they do not mark the legs
_STILL, _MOVED = 1e-6, 0.05  # [m] by which markers change a coordinate: none of them, or one at least
_FAR = 0.05  # [m, rms] markers that lie so far from their tags are not those of the figure


def find_doubts(figure: Figure, rec: Recording, correspondence: Any = None) -> list[str]:
    """Return in words why the postures of a reconstruction must not be trusted; none where nothing speaks against them.

    The recording is one of `reconstruct`, before or after it is described.
    """
    metadata = rec.manifest["reconstruct"]
    found = [*_root(figure, rec), *_share(figure, metadata, correspondence)]
    if isinstance(figure, Human36):
        found += [*_joints(figure, rec), *_plane(rec)]
    if metadata["rms"] > _FAR:
        found.append(
            f"markers lie {1e3 * metadata['rms']:.0f} mm from their tags (rms): they must be those of the figure"
        )
    return found


def _root(figure: Figure, rec: Recording) -> list[str]:
    """The root must be known in most samples: the pelvis, in space."""
    columns = [int(k) for n in figure.roots for k in np.ravel(figure.layout.v[n])]
    unseen = np.asarray(rec["unseen"])
    columns = [k for k in columns if k < unseen.shape[1]]
    if len(columns) < 6 or figure.coupled is not None:  # a root that is fixed to the ground, in part or as a whole
        return []
    unknown = (unseen[:, columns].max(1) > _UNSEEN) | (np.asarray(rec["status"]) == 2)
    known = 1.0 - float(unknown.mean())
    name = figure.names[figure.roots[0]].replace("_", " ")
    if known < _HALF:
        return [f"markers must determine the {name}: they do in {100 * known:.0f} % of the samples"]
    if isinstance(figure, Human36) and _pelvis_points(figure, rec) < 2:
        return ["markers must determine the pelvis: it needs two of hips and spines at least"]
    return []


def _pelvis_points(figure: Human36, rec: Recording) -> int:
    """Return how many points of the pelvis are seen: markers on it, and on the hip joints and trochanters."""
    found = 0
    seen = np.isfinite(np.asarray(rec["error"])).mean(0)
    for k, tag in enumerate(figure.tags):
        near = tag.segment.endswith("_thigh") and np.linalg.norm(tag.point) < 0.12
        found += bool(seen[k] > _OFTEN and (tag.segment == "lower_trunk" or near))
    thighs = {tag.segment for k, tag in enumerate(figure.tags) if tag.segment.endswith("_thigh") and seen[k] > _OFTEN}
    clusters = [name for name in thighs if sum(t.segment == name and s > _OFTEN
                                               for t, s in zip(figure.tags, seen, strict=True)) > 2]  # fmt: skip
    return found + len(clusters)


def _share(figure: Figure, metadata: Mapping[str, Any], correspondence: Any) -> list[str]:
    """Most markers of the file must be on the figure, or mark its legs; a correspondence says that others are meant."""
    used, left = len(metadata["per_marker"]), int(metadata.get("unmatched", 0))
    if correspondence is not None or used >= _HALF * (used + left) or _marks_legs(figure, metadata["per_marker"]):
        return []
    return [f"most markers of the file must be on the figure: {used} of {used + left} are"]


def _marks_legs(figure: Figure, used: Mapping[str, Any]) -> bool:
    segments = {tag.segment for tag in figure.tags if tag.name in used}
    legs = {f"{side}_{part}" for side in ("right", "left") for part in ("thigh", "shank", "foot")}
    return {"lower_trunk", *legs} <= segments


def _joints(figure: Human36, rec: Recording) -> list[str]:
    """Joints must be within what living ones do: hinges that are bent backwards are another marker set's."""
    q, unseen, times = np.asarray(rec["q"]), np.asarray(rec["unseen"]), rec.time("q")
    found = []
    for k, name in enumerate(figure.coordinates):
        if name not in RANGES or k >= unseen.shape[1]:
            continue
        low, high = np.deg2rad(RANGES[name])
        known = (unseen[:, k] < _UNSEEN) & (np.asarray(rec["status"]) != 2)
        back = next((side for hinge, side in _HINGES.items() if name.endswith(hinge)), 0)
        for side, beyond in ((1, q[:, k] - high), (-1, low - q[:, k])):
            margin, often = (_BEYOND, _OFTEN) if side == back else (_OTHERS, _HELD)
            share = float(((beyond > margin) & known).sum() / known.sum()) if known.any() else 0.0
            first, end = max(runs(known & (beyond > margin)), key=lambda run: run[1] - run[0], default=(0, 1))
            lasts = times[end - 1] - times[first]
            if share > often:
                at = np.rad2deg(np.median(q[known & (beyond > margin), k]))
                when = f"in {100 * share:.0f} % of the samples"
            elif side == back and lasts >= _LASTS:
                at = np.rad2deg(q[first:end, k][np.argmax(beyond[first:end])])
                when = f"between {times[first]:.2f} and {times[end - 1]:.2f} s"
            else:
                continue
            allowed = f"{RANGES[name][0]:.0f} to {RANGES[name][1]:.0f}°"
            found.append(f"{name} must be within {allowed}: it is at {at:.0f}° {when}")
    return found


def _plane(rec: Recording) -> list[str]:
    """Markers must move in space: at depths that never change they are those of one camera, put there by a program."""
    points = np.asarray(rec["markers"])
    points = points[:, np.isfinite(points[..., 0]).any(0)]
    moved = np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    still = [axis for k, axis in enumerate("xyz") if moved[:, k].max() < _STILL]
    if not still or moved.max() < _MOVED:
        return []
    return [
        f"markers must move in space: {still[0]} of each never changes, so angles out of the plane are not measured"
    ]
