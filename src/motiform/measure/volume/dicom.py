"""DICOM series: slices in order, missing slices, tilted gantries."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.libraries import load_library
from motiform.geometry.maps import Grid
from motiform.measure.volume.dicom_head import check_dicom
from motiform.measure.volume.volume import Volume
from motiform.spatial.checks import Array, Words

__all__ = ["read_series"]

_MM = 1e-3
MOST_MISSING = 2  # neighbouring slices that are interpolated where they are missing
_UNEVEN = 0.02  # of the distance between slices: rounding of positions printed in millimetres with two decimals
_SHEAR = 0.1  # pixels that the last slice is off a straight stack, above which a gantry counts as tilted
POSITION, ORIENTATION, UID = "0020|0032", "0020|0037", "0020|000e"
NUMBER, DESCRIPTION, MODALITY = "0020|0011", "0008|103e", "0008|0060"


@dataclass(frozen=True)
class _Slice:
    path: Path
    size: tuple[int, ...]
    spacing: tuple[float, float]  # [mm] along columns' index x, rows' index y
    position: Array  # [mm]
    axes: Array  # (3, 2): directions of x and y
    tags: dict[str, str]


def read_series(place: Path, *, series: str | None, spacing: Any) -> Volume:
    """Return the volume of the slices of one series in a folder."""
    slices = _chosen(_slices(place), series, place)
    first = slices[0]
    for one in slices[1:]:
        if one.size != first.size or not np.allclose(one.spacing, first.spacing, rtol=1e-3):
            raise _unlike("size or pixel spacing", one, place)
        if np.abs(one.axes - first.axes).max() > 1e-3:
            raise _unlike("orientation", one, place)
    normal = np.cross(first.axes[:, 0], first.axes[:, 1])
    slices = sorted(slices, key=lambda one: float(one.position @ normal))
    heights = np.array([one.position @ normal for one in slices])
    if len(slices) < 2:
        raise InputError("a series must have slices", where=str(place), got=Words("1 slice"), allowed="2 or more")
    step, index, notes = _steps(heights, slices, place)
    values = _values(slices, index, place)
    start = slices[0].position
    values, start, tilt = _straightened(values, slices, index, normal, start)
    h = np.array([*first.spacing, step]) * _MM if spacing is None else spacing
    axes = np.column_stack([first.axes, normal])
    return Volume(values.astype(np.float32), Grid(values.shape, h, start * _MM, axes), tuple(notes + tilt))


def _slices(place: Path) -> list[_Slice]:
    SimpleITK = load_library("SimpleITK")

    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    reader = SimpleITK.ImageFileReader()
    reader.SetImageIO("GDCMImageIO")
    found = []
    for path in sorted(p for p in place.iterdir() if p.is_file() and not p.name.startswith(".")):
        if not check_dicom(path):
            continue  # folders hold notes and indices, too
        reader.SetFileName(str(path))
        try:
            reader.ReadImageInformation()
        except RuntimeError:
            continue  # without an image
        tags = {key: reader.GetMetaData(key).strip() for key in reader.GetMetaDataKeys()}
        if POSITION not in tags or ORIENTATION not in tags:
            continue  # a report, a dose table, a scout without a place
        try:
            position = np.array([float(x) for x in tags[POSITION].split("\\")]).reshape(3)
            axes = np.array([float(x) for x in tags[ORIENTATION].split("\\")]).reshape(2, 3).T
        except ValueError as error:
            raise InputError("a slice must have a place", where=str(path), got=Words(str(error))) from error
        found.append(_Slice(path, reader.GetSize()[:2], reader.GetSpacing()[:2], position, axes, tags))
    if not found:
        raise InputError(
            "the folder holds no DICOM slice", where=str(place), allowed="files with an image position and orientation",
            remedy="Give the folder that holds the slices themselves.",
        )  # fmt: skip
    return found


def _chosen(slices: list[_Slice], series: str | None, place: Path) -> list[_Slice]:
    """Return the slices of one series."""
    groups: dict[str, list[_Slice]] = {}
    for one in slices:
        groups.setdefault(one.tags.get(UID, ""), []).append(one)
    if series is not None:
        wanted = {uid: g for uid, g in groups.items() if series in (uid, *_called(g[0]))}
    else:
        wanted = groups
    if len(wanted) != 1:
        known = "; ".join(f"{' '.join(_called(g[0])) or uid} ({len(g)} slices)" for uid, g in groups.items())
        raise InputError(
            "the folder holds several series" if series is None else "exactly one series must have this name",
            where=str(place), got=series, allowed=known, remedy="Pass series= with a UID, number or description.",
        )  # fmt: skip
    return next(iter(wanted.values()))


def _called(one: _Slice) -> tuple[str, ...]:
    return tuple(one.tags[tag] for tag in (NUMBER, DESCRIPTION) if one.tags.get(tag))


def _unlike(what: str, one: _Slice, place: Path) -> InputError:
    return InputError(
        f"slices of a series must have one {what}", where=str(place), got=Words(one.path.name),
        remedy="Move slices of other views out of the folder.",
    )  # fmt: skip


def _steps(heights: Array, slices: list[_Slice], place: Path) -> tuple[float, Any, list[str]]:
    """Return the distance between slices [mm], the index of each, and what is missing."""
    gaps = np.diff(heights)
    if gaps.min() <= 1e-3:
        n = int(gaps.argmin())
        raise InputError(
            "two slices have the same position", where=str(place),
            got=Words(f"{slices[n].path.name} and {slices[n + 1].path.name}"),
            remedy="Remove the copies, or choose one series.",
        )  # fmt: skip
    step = float(np.median(gaps))
    counts = np.rint(gaps / step).astype(int)
    uneven = np.abs(gaps - counts * step) > _UNEVEN * step * np.maximum(counts, 1)
    if uneven.any() or (counts == 0).any():
        n = int((uneven | (counts == 0)).argmax())
        raise InputError(
            "slices must be evenly spaced", where=str(place),
            got=Words(f"{gaps[n]:.4g} mm between {slices[n].path.name} and {slices[n + 1].path.name}"),
            allowed=f"{step:.4g} mm, or a multiple where slices are missing",
        )  # fmt: skip
    if counts.max() > MOST_MISSING + 1:
        n = int(counts.argmax())
        raise InputError(
            f"{counts[n] - 1} slices are missing", where=str(place),
            got=Words(f"between {slices[n].path.name} and {slices[n + 1].path.name}"),
            allowed=f"up to {MOST_MISSING} in a row, which are interpolated", remedy="Copy the whole series.",
        )  # fmt: skip
    missing = int((counts - 1).sum())
    index = np.concatenate([[0], np.cumsum(counts)])
    step = float((heights[-1] - heights[0]) / index[-1])
    notes = [f"{missing} missing slices were interpolated linearly"] if missing else []
    return step, index, notes


def _values(slices: list[_Slice], index: Any, place: Path) -> Array:
    """Return (nx, ny, nz); missing slices lie linearly between their neighbours."""
    SimpleITK = load_library("SimpleITK")

    values = np.empty((*slices[0].size, index[-1] + 1), np.float32)
    for one, k in zip(slices, index, strict=True):
        try:
            image = SimpleITK.ReadImage(str(one.path), SimpleITK.sitkFloat32, "GDCMImageIO")
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1][-200:]
            raise InputError("a slice cannot be read", where=str(one.path), got=Words(reason)) from error
        values[:, :, k] = SimpleITK.GetArrayFromImage(image).reshape(one.size[::-1]).T
    for low, high in itertools.pairwise(index):
        for k in range(low + 1, high):
            t = (k - low) / (high - low)
            values[:, :, k] = (1 - t) * values[:, :, low] + t * values[:, :, high]
    return values


def _straightened(
    values: Array, slices: list[_Slice], index: Any, normal: Array, start: Array
) -> tuple[Array, Array, list[str]]:
    """Shift slices in their planes until they stand on one another, where the gantry was tilted [cubic splines]."""
    from scipy.ndimage import shift

    first = slices[0]
    ways = np.array([one.position - start for one in slices])
    slide = ways @ first.axes / first.spacing  # (slices, 2) [pixels]
    slope = (index @ slide) / (index @ index)  # pixels per slice
    if np.abs(slide - np.outer(index, slope)).max() > 0.5:
        raise InputError("slices must lie in a straight row", where=str(first.path.parent), remedy="Choose one series.")
    if np.abs(slope * index[-1]).max() <= _SHEAR:
        return values, start, []
    far = slope * np.arange(values.shape[2])[:, None]  # the plane moves by this many pixels, the image the other way
    low = np.floor(far.min(axis=0)).astype(int)
    room = (np.ceil(far.max(axis=0)) - low).astype(int)
    wide = np.full((values.shape[0] + room[0], values.shape[1] + room[1], values.shape[2]), values.min(), values.dtype)
    wide[: values.shape[0], : values.shape[1]] = values
    for k in range(wide.shape[2]):
        wide[:, :, k] = shift(wide[:, :, k], far[k] - low, order=3, mode="constant", cval=float(values.min()))
    tilt = np.degrees(np.arctan2(np.linalg.norm(slope * first.spacing), abs(ways[-1] @ normal) / index[-1]))
    moved = start + first.axes @ (low * first.spacing)
    return wide, moved, [f"the gantry was tilted by {tilt:.1f}°: slices were shifted onto a straight grid"]
