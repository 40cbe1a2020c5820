"""Volumes and labels to files."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import load_library
from motiform.measure.volume.volume import Labels, Volume
from motiform.record.files import new_file
from motiform.spatial.checks import Words

__all__ = ["write_volume"]

_WRITABLE = (".nii", ".nii.gz", ".nrrd", ".mha", ".tif", ".tiff")


def write_volume(volume: Volume | Labels, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a volume or labels as NIfTI, NRRD, MetaImage or TIFF, and return the path.

    Grey values are float32, labels the smallest whole numbers. NRRD keeps names and side of labels; TIFF keeps neither
    spacing nor frame.
    """
    SimpleITK = load_library("SimpleITK")

    place = new_file(path, overwrite)
    if not place.name.lower().endswith(_WRITABLE):
        raise InputError("volume files of this kind cannot be written", where=str(place), allowed=", ".join(_WRITABLE))
    if not isinstance(volume, Volume | Labels):
        raise InputError(
            "what is written must be a Volume or Labels", where="write_volume", got=Words(type(volume).__name__),
            allowed="Volume, Labels",
        )  # fmt: skip
    values: Any = volume.values
    if isinstance(volume, Labels):
        values = values.astype(np.uint8 if values.max(initial=0) < 256 else np.uint16)
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(values.T))
    image.SetSpacing((1e3 * volume.grid.spacing).tolist())
    image.SetOrigin((1e3 * volume.grid.origin).tolist())
    image.SetDirection(volume.grid.axes.ravel().tolist())
    if isinstance(volume, Labels):
        for n, (number, name) in enumerate(volume.names.items()):
            image.SetMetaData(f"Segment{n}_LabelValue", str(number))
            image.SetMetaData(f"Segment{n}_Name", name)
        if volume.side:
            image.SetMetaData("motiform_side", volume.side)
    try:
        SimpleITK.WriteImage(image, str(place), useCompression=not place.name.lower().endswith((".tif", ".tiff")))
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1][-200:]
        raise RunError("the file cannot be written", where=str(place), got=Words(reason)) from error
    return place
