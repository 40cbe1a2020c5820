"""What moves in the 3-D view, and what is sent of it for a sample: places in single precision, changing colors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.record.samples import in_blocks

if TYPE_CHECKING:
    from motiform.form import AnimatedSurface, LinkParts, Part
    from motiform.form.parts import Series
    from motiform.form.rig import Posed

__all__ = [
    "Changing", "Deforming", "MovingPart", "Stretching", "line_colors", "linear_rgb", "moves", "rgb", "segments",
    "shown_sizes", "surface_mesh",
]  # fmt: skip


@dataclass(frozen=True)
class MovingPart:
    """The bodies of a part."""

    part: "Part"
    handle: Any

    def draw(self, sample: int) -> None:
        """Send what is new at a sample."""
        position, orientation = self.part.position[sample], self.part.orientation[sample]
        shown = shown_sizes(self.part, sample)
        if self.part.count == 1:
            if self.handle.visible != bool(shown[0]):
                self.handle.visible = bool(shown[0])
            if shown[0]:
                self.handle.position, self.handle.wxyz = position[0], orientation[0]
            if self.part.shades is not None:
                self.handle.color = tuple(rgb(self.part.shades.at(sample)[0]).tolist())
        else:
            self.handle.batched_positions = np.nan_to_num(np.ascontiguousarray(position, dtype=np.float32))
            if not self.part.points:  # balls do not turn
                self.handle.batched_wxyzs = np.ascontiguousarray(orientation, dtype=np.float32)
            if not np.array_equal(shown, self.handle.batched_scales):
                self.handle.batched_scales = shown
            if self.part.shades is not None:
                self.handle.batched_colors = linear_rgb(self.part.shades.at(sample))


@dataclass(frozen=True)
class Stretching:
    """Links as lines."""

    links: "LinkParts"
    handle: Any

    def draw(self, sample: int) -> None:
        """Send what is new at a sample."""
        self.handle.points = segments(self.links, sample)
        if self.links.shades is not None:
            self.handle.colors = line_colors(self.links, sample)


@dataclass
class Deforming:
    """The triangles of one color of a skin."""

    places: "Series | Posed"
    """Of the skin's vertices [m], (samples, points, 3)."""
    source: np.ndarray
    """Which of them each vertex of the mesh is."""
    faces: np.ndarray
    handle: Any = None

    def at(self, sample: int) -> tuple[np.ndarray, np.ndarray]:
        """Return vertices and faces at a sample; triangles that are not there shrink to one vertex."""
        vertices = np.asarray(self.places[sample], np.float32)[self.source]
        sound = np.isfinite(vertices).all(1)
        if sound.all():
            return vertices, self.faces
        return np.nan_to_num(vertices), np.where(sound[self.faces].all(1)[:, None], self.faces, 0)

    def draw(self, sample: int) -> None:
        """Send what is new at a sample."""
        vertices, faces = self.at(sample)
        self.handle.vertices = vertices
        if not np.array_equal(faces, self.handle.faces):
            self.handle.faces = faces.astype(np.uint32)


@dataclass(frozen=True)
class Changing:
    """A surface whose triangles are found anew at each sample, in one color."""

    surface: "AnimatedSurface"
    handle: Any

    def draw(self, sample: int) -> None:
        """Send its triangles at a sample."""
        vertices, faces = surface_mesh(self.surface, sample)
        self.handle.vertices, self.handle.faces = vertices, faces


def surface_mesh(surface: "AnimatedSurface", sample: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and triangles of a surface at a sample; where it is not there, one triangle without area."""
    shell = surface.shell(sample)
    if not len(shell.faces):
        return np.zeros((3, 3), np.float32), np.array([[0, 1, 2]], np.uint32)
    return shell.vertices.astype(np.float32), shell.faces.astype(np.uint32)


def segments(links: "LinkParts", sample: int) -> np.ndarray:
    """Return the ends of all links at a sample [m], (links, 2, 3); those that are not there have no length."""
    ends = links.ends(sample).astype(np.float32)
    lost = ~np.isfinite(ends).all(axis=(1, 2))
    ends[lost] = 0.0 if lost.all() else ends[~lost][0, 0]
    return ends


def line_colors(links: "LinkParts", sample: int) -> np.ndarray:
    """Return the colors of both ends of all links, (links, 2, 3)."""
    color = links.color if links.shades is None else links.shades.at(sample)
    return np.repeat(linear_rgb(np.broadcast_to(color, (links.count, 3)))[:, None], 2, axis=1)


def shown_sizes(part: "Part", sample: int) -> np.ndarray:
    """Return the size of each body relative to its shape, (count,): 0 where its place is not known."""
    return (np.isfinite(part.position[sample]).all(-1) * part.scales).astype(np.float32)


def moves(values: "Series | Posed") -> bool:
    """Return whether numbers (samples, count, n) change over time, or are not there at times."""
    from motiform.form.rig import Posed

    if isinstance(values, Posed):
        return moves(values.position) or moves(values.orientation)
    first = values[:1]
    return any(((x != first) & ~(np.isnan(x) & np.isnan(first))).any() for x in in_blocks(values))


def rgb(color: np.ndarray) -> np.ndarray:
    """Return colours 0…255 from 0…1."""
    return np.asarray(np.clip(np.asarray(color, dtype=float), 0, 1) * 255).round().astype(np.uint8)


def linear_rgb(color: np.ndarray) -> np.ndarray:
    """Return linear intensities 0…255 from sRGB 0…1: what viser takes for lines and for many meshes at once."""
    from motiform.image.look import linear_from_srgb

    return rgb(linear_from_srgb(color))
