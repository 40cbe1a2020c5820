"""Frames of an unfinished film, kept in a folder so that an interrupted film can be resumed."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import RunError
from motiform.image.files import not_written
from motiform.record.samples import Samples, in_blocks

if TYPE_CHECKING:
    from motiform.form import Form, LinkParts, Part, Skin

__all__ = ["FrameFolder", "film_key"]

_MARK = "motiform-film"


def film_key(form: "Form", *settings: Any) -> str:
    """Return a hash of all that the pictures of a film depend on."""
    digest = Digest(settings)
    for part in form.parts:
        mesh = part.shape.to_mesh(8)
        _feed(digest, part.position, part.orientation, part.color, part.offset, mesh.vertices, mesh.faces, part.scales)
        _feed_shades(digest, part)
    for links in form.links:
        _feed(digest, links.first, links.second, links.pairs, links.radius, links.color)
        _feed_shades(digest, links)
    for skin in form.skins:
        _feed(digest, *_places(skin), skin.faces, skin.color)
        digest.add(skin.smooth)
    for surface in form.surfaces:
        _feed(digest, *(one if isinstance(one, Samples) else np.atleast_1d(one) for one in surface.content()))
    return digest.text()


def _feed(digest: Digest, *arrays: Any) -> None:
    """Take in arrays, block by block."""
    for array in arrays:
        digest.add_blocks(in_blocks(array if hasattr(array, "shape") else np.asarray(array)))


def _places(skin: "Skin") -> tuple[Any, ...]:
    """Return all that the places of a skin's vertices depend on."""
    from motiform.form.rig import Posed

    if not isinstance(skin.vertices, Posed):
        return (skin.vertices,)
    rig = skin.vertices.rig
    return rig.vertices, rig.joint, rig.weight, rig.position, skin.vertices.position, skin.vertices.orientation


def _feed_shades(digest: Digest, part: "Part | LinkParts") -> None:
    """Take in all that changing colors depend on."""
    shades = part.shades
    if shades is not None:
        _feed(digest, shades.values)
        digest.add(shades.low, shades.high, shades.ramp)


class FrameFolder:
    """A folder of painted pictures; those of another film are not taken for this one's."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder, mark = folder, folder / _MARK
        try:
            if mark.is_file() and mark.read_text() == key:
                return
            if folder.exists() and any(folder.iterdir()) and not mark.is_file():
                raise RunError(
                    "the folder holds other things", where=str(folder), remedy="Move it, or name another film."
                )
            self.remove()
            folder.mkdir(parents=True)
            mark.write_text(key)
        except OSError as error:
            raise not_written("pictures", folder, error) from error

    @property
    def remedy(self) -> str:
        """The remedy for a failed film."""
        return f"The pictures so far are kept in {str(self.folder)!r}; make room and go on with them (--resume)."

    def get(self, k: int, paint: Callable[[], np.ndarray]) -> np.ndarray:
        """Return picture k: the one kept, or a new one, which is kept."""
        import imageio.v3 as iio

        file = self.folder / f"{k:06d}.png"
        if file.is_file():
            with suppress(Exception):  # one that cannot be read, after a power cut say, is painted anew
                found = np.asarray(iio.imread(file, plugin="pillow"))
                if found.ndim == 3:
                    return found
        pixels = paint()
        half = file.with_suffix(".half.png")
        try:
            iio.imwrite(half, pixels, compress_level=1)
            half.replace(file)  # a picture is there whole or not at all
        except OSError as error:
            half.unlink(missing_ok=True)
            raise not_written("pictures", self.folder, error, self.remedy) from error
        return pixels

    def remove(self) -> None:
        """Remove the folder and its pictures."""
        shutil.rmtree(self.folder, ignore_errors=True)
