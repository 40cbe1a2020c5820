"""Parts of a form: rigid parts, links of varying length, deformable skins."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from motiform.base.errors import InputError
from motiform.form.colors import Shades
from motiform.record.samples import Samples
from motiform.spatial.checks import check_indices, check_shape
from motiform.spatial.up_axis import up_vector

if TYPE_CHECKING:
    from motiform.form.rig import Posed
    from motiform.form.surfaces import AnimatedSurface
    from motiform.geometry import Shape

__all__ = ["Form", "FormWriter", "LinkParts", "Part", "Series", "Skin"]

Series = np.ndarray | Samples
"""Numbers over samples: an array, or what reads them from a large recording when they are used."""


@dataclass(frozen=True)
class Part:
    """One shape, carried by one or many moving bodies."""

    name: str
    shape: "Shape"
    """In the frame of the body."""
    offset: np.ndarray
    """Origin of the shape in the frame of the body [m], (3,)."""
    color: np.ndarray
    """Red, green, blue from 0 to 1, (3,) or (count, 3)."""
    position: Series
    """Origin of the body in the world [m], (samples, count, 3)."""
    orientation: Series
    """Axes of the body in the world as quaternions (w, x, y, z), (samples, count, 4)."""
    fixed: bool = False
    """Whether it never moves: it stands there once, whatever the instants that a picture shows."""
    points: bool = False
    """Whether it marks points of a channel, which are not there where that is nan."""
    scale: np.ndarray | None = None
    """Size of each body relative to the shape, at most 1, (count,); None: all as the shape."""
    shades: Shades | None = None
    """Colors that change; `color` is then that of the first sample."""
    ghost: bool = False
    """Whether it only marks what was measured: a camera need not see it where there is something else."""

    @property
    def count(self) -> int:
        """Number of bodies that carry the shape."""
        return self.position.shape[1]

    @property
    def scales(self) -> np.ndarray:
        """Size of each body relative to the shape, (count,)."""
        return np.ones(self.count) if self.scale is None else self.scale


@dataclass(frozen=True)
class LinkParts:
    """Straight links between moving points, which stretch with them."""

    name: str
    first: Series
    """Points at one end [m], (samples, points, 3)."""
    second: Series
    """Points at the other end [m], (samples, points, 3)."""
    pairs: np.ndarray
    """Which point of the one and which of the other, (count, 2); not drawn while one of them is nan."""
    radius: np.ndarray
    """[m], (count,)"""
    color: np.ndarray
    """Red, green, blue from 0 to 1, (3,) or (count, 3)."""
    shades: Shades | None = None
    """Colors that change; `color` is then that of the first sample."""

    @property
    def count(self) -> int:
        """Number of links."""
        return len(self.pairs)

    def ends(self, sample: int) -> np.ndarray:
        """Return the ends of all links at a sample [m], (count, 2, 3)."""
        return self.between(self.first[sample], self.second[sample])

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the ends of all links [m], (count, 2, 3), where the points are (points, 3)."""
        return np.stack((first[self.pairs[:, 0]], second[self.pairs[:, 1]]), axis=1).astype(float)


@dataclass(frozen=True)
class Skin:
    """A surface of triangles whose vertices move."""

    name: str
    vertices: "Series | Posed"
    """[m], (samples, points, 3), or `Posed`, which computes those that are asked for; triangles with a vertex that is
    nan are not there."""
    faces: np.ndarray
    """Vertices of each triangle, counter-clockwise seen from outside, (triangles, 3)."""
    color: np.ndarray
    """Red, green, blue from 0 to 1, (3,) or (triangles, 3)."""
    two_sided: bool = True
    """Whether it is seen from behind; pictures by rays show both sides of all."""
    smooth: bool = True
    """Whether triangles shade into one another, but for sharp edges of the first sample; else each is flat."""

    @property
    def tones(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Colors (3,) and the triangles that have them (n,), one pair for each color."""
        if self.color.ndim == 1:
            return [(self.color, np.arange(len(self.faces)))]
        colors, number = np.unique(self.color, axis=0, return_inverse=True)
        return [(color, np.flatnonzero(number.ravel() == k)) for k, color in enumerate(colors)]


@dataclass(frozen=True)
class Form:
    """The geometry of a recording: parts over time."""

    parts: tuple[Part, ...]
    times: np.ndarray
    """Instants of the samples [s], (samples,)."""
    title: str = ""
    image: dict[str, Any] = field(default_factory=dict)
    """Hints of the scene for pictures: camera, plots."""
    links: tuple[LinkParts, ...] = ()
    skins: tuple[Skin, ...] = ()
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Unit vector that points up, in the world's axes; an axis by name or a vector of any length may be given."""
    surfaces: "tuple[AnimatedSurface, ...]" = ()
    """Those whose triangles are found anew at each instant."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "up", tuple(up_vector(self.up).tolist()))
        for part in self.parts:
            _check_part(part)
        for link in self.links:
            _check_links(link)
        for skin in self.skins:
            _check_skin(skin)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not (self.parts or self.links or self.skins or self.surfaces)

    def write_to(self, writer: "FormWriter") -> None:
        """Give a writer all that the form has, one after the other."""
        for part in self.parts:
            writer.add_part(part)
        for links in self.links:
            writer.add_links(links)
        for skin in self.skins:
            writer.add_skin(skin)
        for surface in self.surfaces:
            writer.add_surface(surface)


class FormWriter(Protocol):
    """What a form is written to, or shown on."""

    def add_part(self, part: Part) -> None: ...  # noqa: D102
    def add_links(self, links: LinkParts) -> None: ...  # noqa: D102
    def add_skin(self, skin: Skin) -> None: ...  # noqa: D102
    def add_surface(self, surface: "AnimatedSurface") -> None: ...  # noqa: D102


def _check_part(part: Part) -> None:
    _check_series(part.position, 3, "position", part.name)
    _check_series(part.orientation, 4, "orientation", part.name)
    check_shape(part.orientation, (*part.position.shape[:2], 4), "orientation", part.name)
    check_shape(part.scales, (part.count,), "scale", part.name)
    _check_color(part.color, part.count, part.name)


def _check_links(links: LinkParts) -> None:
    check_shape(links.pairs, (links.count, 2), "pairs", links.name)
    for k, (key, points) in enumerate((("first", links.first), ("second", links.second))):
        _check_series(points, 3, key, links.name)
        check_indices(links.pairs[:, k], points.shape[1], "pairs", links.name)
    check_shape(links.radius, (links.count,), "radius", links.name)
    _check_color(links.color, links.count, links.name)


def _check_skin(skin: Skin) -> None:
    _check_series(skin.vertices, 3, "vertices", skin.name)
    check_shape(skin.faces, (len(skin.faces), 3), "faces", skin.name)
    check_indices(skin.faces, skin.vertices.shape[1], "faces", skin.name)
    _check_color(skin.color, len(skin.faces), skin.name)


def _check_series(values: Any, columns: int, key: str, where: str) -> None:
    if len(values.shape) != 3 or values.shape[2] != columns:
        allowed = f"(samples, count, {columns})"
        raise InputError(f"{key} has the wrong shape", where=where, got=values.shape, allowed=allowed)


def _check_color(color: np.ndarray, count: int, where: str) -> None:
    if color.shape not in ((3,), (count, 3)):
        raise InputError("color has the wrong shape", where=where, got=color.shape, allowed=f"(3,) or ({count}, 3)")
