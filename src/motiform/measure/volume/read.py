"""Volumes from files: DICOM series, NIfTI, NRRD, MetaImage, TIFF.

Files are read by SimpleITK, but for TIFF, by Pillow: damaged pages make ITK write past its memory.
"""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, closest_file
from motiform.base.files import plain_file, reads_file
from motiform.base.libraries import load_library
from motiform.base.machine import check_memory
from motiform.geometry.maps import Grid
from motiform.measure.volume.apart import read_apart
from motiform.measure.volume.dicom import read_series
from motiform.measure.volume.dicom_head import check_dicom
from motiform.measure.volume.headers import check_head
from motiform.measure.volume.volume import Labels, Side, Volume
from motiform.spatial.checks import Words, as_floats

__all__ = ["VOLUME_SUFFIXES", "read_labels", "read_volume"]

VOLUME_SUFFIXES = (".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd", ".tif", ".tiff", ".dcm")
_PLAIN = (".tif", ".tiff")
_MM = 1e-3
_READERS = {".nii": "NiftiImageIO", ".gz": "NiftiImageIO", ".nrrd": "NrrdImageIO", ".nhdr": "NrrdImageIO",
            ".mha": "MetaImageIO", ".mhd": "MetaImageIO", ".dcm": "GDCMImageIO"}  # fmt: skip
"""ITK's reader by the ending: what the head was checked for is what reads it."""


@reads_file("a volume")
def read_volume(path: str | os.PathLike[str], *, spacing: Any = None, series: str | None = None) -> Volume:
    """Return the volume of a file, of a folder with one DICOM series, or of a folder with TIFF slices.

    Lengths in files are millimetres and become metres. Axes are the patient's (x left, y back, z up) for DICOM, NIfTI,
    NRRD and MetaImage. Slices are sorted by position; missing slices and a tilted gantry are repaired as `notes` say,
    or refused.

    Parameters
    ----------
    path : .nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd, .tif, .dcm, or a folder.
    spacing : [m], one number or (3,) along x, y, z; needed for TIFF, which does not keep it. For other files it
        replaces the file's.
    series : the series of a DICOM folder that has several, by its UID, number or description.

    """
    place = _place(path)
    given = None if spacing is None else _spacing(spacing, place)
    if not place.is_dir() and not place.is_file():
        raise InputError("there is no such file or folder", where=str(place), remedy=closest_file(place))
    if _is_compressed(place):
        return read_apart(place, given, series)
    return read_here(place, given, series)


def read_here(place: Path, spacing: Any, series: str | None) -> Volume:
    """Return the volume of a file or folder, read in this process."""
    return _read_folder(place, spacing, series) if place.is_dir() else _read_file(place, spacing)


def _is_compressed(place: Path) -> bool:
    """Return whether pixels of DICOM files need a decoder."""
    if place.is_file():
        return place.name.lower().endswith(".dcm") and check_dicom(place) == "compressed"
    files = [p for p in place.iterdir() if p.is_file() and not p.name.startswith(".")]
    if any(p.suffix.lower() in _PLAIN for p in files):
        return False
    return any(check_dicom(p) == "compressed" for p in sorted(files))


@reads_file("a label map")
def read_labels(
    path: str | os.PathLike[str], *, names: dict[int, str] | None = None, side: Side | None = None, spacing: Any = None
) -> Labels:
    """Return the label map of a file of whole numbers.

    Names are those given, or those kept in an NRRD file: as `write_volume` and 3D Slicer do, Segment0_Name for
    Segment0_LabelValue.
    """
    place = _place(path)
    volume = read_volume(place, spacing=spacing)
    values = np.rint(volume.values)
    if np.abs(values - volume.values).max() > 0 or values.min() < 0:
        raise InputError(
            "a label map must hold whole numbers", where=str(place), got=Words(f"values from {volume.values.min():g}"),
            allowed="0, 1, 2, …", remedy="For grey values use read_volume and segment_bones.",
        )  # fmt: skip
    kept, kept_side = _utf8_names(place)
    return Labels(values.astype(np.int32), volume.grid, names or kept, side or kept_side, volume.notes)


def _read_folder(place: Path, spacing: Any, series: str | None) -> Volume:
    slices = sorted(p for p in place.iterdir() if p.suffix.lower() in _PLAIN)
    if slices:
        if spacing is None:
            raise _no_spacing(place)
        layers = [_read_tiff(p) for p in slices]
        if len({layer.shape for layer in layers}) > 1 or layers[0].ndim != 2:
            raise InputError("TIFF slices must be images of one size", where=str(place))
        values = np.stack(layers, axis=-1)
        return Volume(values, Grid(values.shape, spacing))
    return read_series(place, series=series, spacing=spacing)


def _read_file(place: Path, spacing: Any) -> Volume:
    name = place.name.lower()
    if not name.endswith(VOLUME_SUFFIXES):
        raise InputError(
            "volume files of this kind cannot be read", where=str(place), allowed=", ".join(VOLUME_SUFFIXES)
        )
    if name.endswith(_PLAIN) and spacing is None:
        raise _no_spacing(place)
    if name.endswith(_PLAIN):
        values = _read_tiff(place)
        _check_dimensions(values.shape, place)
        return Volume(values, Grid(values.shape, spacing))
    image = _read(place)
    _check_dimensions(image.GetSize(), place)
    return from_image(_array(image, place), image, spacing, where=str(place))


def _check_dimensions(size: tuple[int, ...], place: Path) -> None:
    if len(size) != 3 or min(size) < 2:
        remedy = "Give the folder of the series instead." if place.name.lower().endswith(".dcm") else None
        got = Words(" × ".join(map(str, size)))
        raise InputError("a volume must have three dimensions", where=str(place), got=got, remedy=remedy)


def _read_tiff(place: Path) -> Any:
    """Return the pages of a file as (nx, ny, nz), one page as (nx, ny)."""
    from PIL import Image

    try:
        with warnings.catch_warnings(action="ignore"), Image.open(plain_file(place), formats=("TIFF",)) as file:
            pages, layers = int(getattr(file, "n_frames", 1)), []
            needed = 4.0 * pages * file.width * file.height
            check_memory(needed, "the volume", got=f"{pages} pages", remedy="Check the size that the file tells.")
            for number in range(pages):
                file.seek(number)
                layers.append(np.asarray(file).T)
    except MotiformError:
        raise
    except Exception as error:  # what a library says of a damaged file is of many kinds
        raise _unreadable(place, f"{type(error).__name__}: {error}") from error
    if len({layer.shape for layer in layers}) != 1 or layers[0].ndim != 2 or layers[0].dtype.kind not in "fiub":
        allowed = "images of one size, with one number a pixel"
        raise InputError("pages of a TIFF file must be grey images", where=str(place), allowed=allowed)
    values = layers[0] if len(layers) == 1 else np.stack(layers, axis=-1)
    if not np.isfinite(values).all():
        raise InputError("pixels must be finite numbers", where=str(place))
    return values


def _unreadable(place: Path, reason: str) -> InputError:
    return InputError(
        "the file cannot be read as a volume", where=str(place), got=Words(reason[-200:]),
        remedy="It may be cut short, or hold another format than its name says.",
    )  # fmt: skip


def from_image(values: Any, image: Any, spacing: Any, *, where: str) -> Volume:
    """Return a volume with the frame of an image; axes that mirror are turned round."""
    axes = np.array(image.GetDirection(), float).reshape(3, 3)
    h = np.array(image.GetSpacing()) * _MM if spacing is None else spacing
    origin = np.array(image.GetOrigin()) * _MM
    notes: tuple[str, ...] = ()
    if not np.isfinite(values).all():
        notes += (f"{int((~np.isfinite(values)).sum())} voxels without a number were set to the least value",)
        values = np.where(np.isfinite(values), values, np.nanmin(values[np.isfinite(values)], initial=0))
    if np.linalg.det(axes) < 0:  # a mirrored frame would mirror the bones
        origin = origin + axes[:, 2] * h[2] * (values.shape[2] - 1)
        values, axes = values[:, :, ::-1], axes * (1, 1, -1)
    try:
        return Volume(values, Grid(values.shape, h, origin, axes), notes)
    except InputError as error:
        raise InputError(str(error), where=where) from error


def _read(place: Path) -> Any:
    SimpleITK = load_library("SimpleITK")

    check_head(place)
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
    try:
        return SimpleITK.ReadImage(str(place), imageIO=_READERS[place.suffix.lower()])
    except RuntimeError as error:
        raise _unreadable(place, str(error).strip().splitlines()[-1]) from error


def _array(image: Any, place: Path) -> Any:
    """Return the values as (nx, ny, nz)."""
    SimpleITK = load_library("SimpleITK")

    if image.GetNumberOfComponentsPerPixel() > 1:
        got = Words(f"{image.GetNumberOfComponentsPerPixel()} numbers")
        raise InputError("a voxel must have one value", where=str(place), got=got, allowed="grey values or labels")
    return SimpleITK.GetArrayFromImage(image).T


def _utf8_names(place: Path) -> tuple[dict[int, str], Side | None]:
    if not place.is_file() or not place.name.lower().endswith((".nrrd", ".nhdr")):
        return {}, None
    SimpleITK = load_library("SimpleITK")
    reader = SimpleITK.ImageFileReader()
    reader.SetImageIO("NrrdImageIO")
    reader.SetFileName(str(place))
    reader.ReadImageInformation()
    kept = {key: reader.GetMetaData(key) for key in reader.GetMetaDataKeys()}
    names = {}
    for key, value in kept.items():
        number = kept.get(key.replace("_LabelValue", "_Name"))
        if key.endswith("_LabelValue") and number is not None and value.strip().isdigit():
            names[int(value)] = number
    side = kept.get("motiform_side")
    return names, side if side in ("left", "right") else None


def _spacing(value: Any, place: Path) -> Any:
    spacing = as_floats(value, where=f"spacing of {place.name}")
    if spacing.shape not in ((), (3,)) or not (spacing > 0).all():
        raise InputError(
            "spacing must be lengths above 0", where=str(place), got=Words(str(value)),
            allowed="one number or three, in m",
        )  # fmt: skip
    if spacing.max() > 0.05:
        raise InputError(
            "spacing is in metres", where=str(place), got=Words(f"{spacing.max():g} m"), allowed="up to 0.05 m",
            remedy="Divide millimetres by 1000.",
        )  # fmt: skip
    return np.broadcast_to(spacing, 3)


def _no_spacing(place: Path) -> InputError:
    return InputError(
        "a TIFF does not keep the size of its voxels", where=str(place),
        remedy="Pass spacing=(x, y, z) in metres, e.g. spacing=(0.25e-3, 0.25e-3, 1e-3).",
    )  # fmt: skip


def _place(path: Any) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise InputError(
            "the path must be text or a Path", where="volume", got=Words(repr(path)[:80]), allowed="text or a Path"
        ) from None
