"""Export: recordings and forms as files that other programs read."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.image.files import check_new, new_file

if TYPE_CHECKING:
    from motiform.form import Form
    from motiform.record import Recording

__all__ = ["SUFFIXES", "export"]

#: What is written for each suffix.
SUFFIXES = {
    ".glb": "glTF 2.0 with animation, binary",
    ".gltf": "glTF 2.0 with animation, text",
    ".x3d": "X3D 4.0 with animation",
    ".csv": "table of the channels",
    ".usd": "USD, binary",
    ".usda": "USD, text",
    ".usdc": "USD, binary",
}


def export(
    source: "Recording | Form", path: str | os.PathLike[str], *, overwrite: bool = False, rate: float | None = None
) -> Path:
    """Write a recording or form in the format that the suffix of ``path`` names, and return the path.

    The file appears whole or not at all, and an existing one is replaced only with ``overwrite``.

    Parameters
    ----------
    source : a recording, or a form (which has no channels, so no .csv).
    rate : samples per second to keep [Hz]; all samples when None. A rate above the recording's changes nothing in
        animated files.

    Units are SI and the world is y up, as glTF, X3D and USD expect.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            "unknown format", where=str(path), got=suffix, allowed=", ".join(SUFFIXES), remedy=closest(suffix, SUFFIXES)
        )
    path = check_new(path, overwrite=overwrite)
    if suffix == ".csv":
        _write_table(source, path, overwrite, rate)
        return path
    form = _form(source)
    with new_file(path, overwrite=overwrite) as temporary:
        if suffix in (".glb", ".gltf"):
            from motiform.image.export.gltf import write_gltf

            write_gltf(form, temporary, rate=rate)
        elif suffix == ".x3d":
            from motiform.image.export.x3d import write_x3d

            write_x3d(form, temporary, rate=rate)
        else:
            from motiform.image.export.usd import write_usd

            write_usd(form, temporary, rate=rate)
    return path


def _form(source: "Recording | Form") -> "Form":
    from motiform.form import Form, dress
    from motiform.record import Recording

    if isinstance(source, Form):
        return source
    if isinstance(source, Recording):
        return _without_gaps(dress(source))
    raise InputError("cannot export this", got=type(source).__name__, allowed="a Recording or a Form")


def _without_gaps(form: "Form") -> "Form":
    """Return the form less the points that are not known throughout: these formats cannot hide what they animate."""
    parts = []
    for part in form.parts:
        known = np.isfinite(part.position).all(axis=(0, 2))
        if part.points and not known.all():
            if not known.any():
                continue
            part = replace(part, position=part.position[:, known], orientation=part.orientation[:, known])
        parts.append(part)
    return replace(form, parts=tuple(parts))


def _write_table(source: "Recording | Form", path: Path, overwrite: bool, rate: float | None) -> None:
    from motiform.record import Recording, write_csv
    from motiform.record.resample import resample

    if not isinstance(source, Recording):
        raise InputError(
            "a table holds channels",
            where=str(path),
            got=type(source).__name__,
            allowed="a Recording",
            remedy="Export the recording.",
        )
    write_csv(source if rate is None else resample(source, rate=rate), path, overwrite=overwrite)
