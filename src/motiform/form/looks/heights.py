"""Surfaces of screens: a channel of heights over a regular grid."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.color import check_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Series, Skin
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["HeightsLook"]

_VERTICES = 1 << 16  # of a surface; larger grids are drawn by every second, third … pin
_RIBBON = 0.06  # width of a line of pins, as a part of its length


@dataclass(frozen=True, eq=False, kw_only=True)
class HeightsLook(PartLook):
    """The surface over a grid of one or two dimensions; a line is drawn as a ribbon."""

    heights: str
    """Channel of heights [m], (n,) or (n, m)."""
    origin: tuple[float, float, float]
    """Place of pin (0, …) at height 0 [m]."""
    axes: str
    """Axes of the world along those of the grid, such as "xz"."""
    normal: str
    """Axis of the world along which heights are drawn."""
    spacing: float
    """From pin to pin [m]."""
    color: tuple[float, float, float]
    """Red, green, blue from 0 to 1."""
    scale: float = 1.0
    """Drawn over recorded heights."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "origin", tuple(float(x) for x in self.origin))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Skin:
        """Return the surface."""
        field: Series = by_samples(lambda block: np.asarray(block, np.float32), recording.samples(self.heights))
        if field.ndim not in (2, 3) or field.ndim - 1 != len(self.axes) or len(field) != samples:
            got, allowed = f"{self.heights!r} of shape {field.shape}", f"({samples}, n) or ({samples}, n, m)"
            raise RecordingError("a channel of heights must have an axis for each of the grid", where=name, got=got,
                                 allowed=allowed)  # fmt: skip
        stride = max(1, int(np.ceil((field[0].size / _VERTICES) ** (1 / (field.ndim - 1)))))
        thin: Series = by_samples(lambda block: _thinned(block, stride), field)
        step = stride * self.spacing
        if min(thin.shape[1:]) < 2:
            raise RecordingError("a surface must have two pins along each axis", where=name, got=thin.shape[1:])
        vertices = by_samples(lambda block: self._vertices(block, step), thin)
        faces = _faces(thin.shape[1], thin.shape[2], flipped=self._flipped())
        return Skin(name, vertices, faces, np.asarray(self.color, float), True, True)

    def _letters(self) -> str:
        """Return the axes of the two directions of the surface, and of heights."""
        across = (
            self.axes if len(self.axes) == 2 else self.axes + next(a for a in "zxy" if a not in self.axes + self.normal)
        )
        return across + self.normal

    def _flipped(self) -> bool:
        """Whether the first axis, the second and that of heights are a left hand."""
        return self._letters() not in ("xyz", "yzx", "zxy")

    def _vertices(self, field: np.ndarray, step: float) -> np.ndarray:
        samples, n, m = field.shape
        first, second, up = ("xyz".index(letter) for letter in self._letters())
        found = np.empty((samples, n, m, 3), np.float32)
        found[...] = np.array(self.origin, np.float32)
        found[..., first] += (np.arange(n) * step)[:, None].astype(np.float32)
        wide = step if len(self.axes) == 2 else _RIBBON * n * step
        found[..., second] += ((np.arange(m) - 0.5 * (len(self.axes) == 1)) * wide).astype(np.float32)
        found[..., up] += np.float32(self.scale) * field
        return found.reshape(samples, n * m, 3)


def _thinned(field: np.ndarray, stride: int) -> np.ndarray:
    """Return every so many pins of a field of one or two dimensions; a line becomes two."""
    thin = field[(slice(None), *(slice(None, None, stride),) * (field.ndim - 1))]
    return np.stack([thin, thin], axis=2) if thin.ndim == 2 else thin


def _faces(n: int, m: int, *, flipped: bool) -> np.ndarray:
    """Return two triangles for each cell of a grid of n by m vertices, (2 (n − 1)(m − 1), 3)."""
    corner = np.arange(n * m).reshape(n, m)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    found = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return found[:, ::-1] if flipped else found
