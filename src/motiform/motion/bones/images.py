"""Wrists from label maps and from images."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from motiform.base.errors import InputError
from motiform.measure import Labels, Seeds, Volume, label_meshes, read_labels, read_volume, segment_bones
from motiform.motion.bones.names import BONES, bone_name
from motiform.motion.bones.wrist import Wrist, from_meshes
from motiform.spatial.checks import Words

__all__ = ["from_labels", "from_volume"]

Path = str | os.PathLike[str]


def from_labels(
    volume: Labels | Path, names: Mapping[Any, str] | None = None, *, side: Literal["right", "left"] | None = None,
    smooth: float = 1.0, **options: Any,
) -> Wrist:  # fmt: skip
    """Return a wrist from a label map: `from_meshes` of the surfaces of its bones, smoothed by so many voxels.

    Parameters
    ----------
    volume : labels, or the path of a file of them (`measure.read_labels`).
    names : bone of each label, {number: name} or {name so far: name}; without it labels are named after bones already.
        Labels that are no bone of the wrist are left out, with a note.
    side : "right" or "left"; by default that of the labels, else "right". The bones decide where they show another one.
    options : cartilage, fineness, erode, ligaments, contact of `from_meshes`.
    """
    labels = read_labels(volume) if isinstance(volume, str | os.PathLike) else volume
    if not isinstance(labels, Labels):
        raise InputError(
            "the labels must be a label map", where="from_labels", got=Words(type(volume).__name__),
            allowed="Labels, a path",
        )  # fmt: skip
    labels = labels.renamed(names) if names else labels
    others = [name for name in labels.names.values() if bone_name(name) is None]
    if len(others) == len(labels.names):
        raise InputError(
            "labels must be named after bones", where="from_labels", got=Words(", ".join(others[:5]) or "no label"),
            allowed=", ".join(BONES),
            remedy="Pass names={number: bone} (--label NUMBER=BONE), or segment with seeds by name.",
        )  # fmt: skip
    meshes = {name: mesh for name, mesh in label_meshes(labels, smooth=smooth).items() if name not in others}
    wrist = from_meshes(meshes, side=side or labels.side or "right", unit="m", **options)
    left = (f"Labels that are no bone of a wrist were left out: {', '.join(others)}.",) if others else ()
    return replace(wrist, notes=(*labels.notes, *left, *wrist.notes))


def from_volume(
    path: Volume | Path, *, seeds: Seeds | Path | None = None, names: Mapping[Any, str] | None = None,
    side: Literal["right", "left"] | None = None, spacing: Any = None, series: str | None = None,
    voxel: float | None = None, low: float | None = None, high: float | None = None, **options: Any,
) -> Wrist:  # fmt: skip
    """Return a wrist from an image: read, segmented, and made of the surfaces of its bones.

    Parameters
    ----------
    path : a volume, or what `read_volume` reads with `spacing` and `series`.
    seeds : points inside each bone by name, or the file of them (`measure.read_seeds`). They name the bones and tell
        those apart that touch. Without them `names` says which bone is which, "bone 1" being the largest.
    voxel : edge of the voxels [m] that bones are segmented on; `low` and `high` thresholds (`segment_bones`).
    side, options : as in `from_labels`.
    """
    if seeds is None and names is None:
        raise InputError(
            "bones of an image must be named", where="from_volume", allowed="seeds= or names=",
            remedy="Pass seeds= with a point inside each bone, {name: points} in a small TOML file.",
        )  # fmt: skip
    volume = path if isinstance(path, Volume) else read_volume(path, spacing=spacing, series=series)
    labels = segment_bones(volume, seeds=seeds, side=side, spacing=voxel, low=low, high=high)
    return from_labels(labels, names, side=side, **options)
