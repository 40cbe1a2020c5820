"""How the parts of a network are drawn."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import as_floats

__all__ = ["GroupLook"]

_DRAW = ("balls", "skin", "links", "none")
_SHOWN = ("speed", "height", "tension")


@dataclass(frozen=True, eq=False)
class GroupLook:
    """How a group of points, a bundle of links or a solid is drawn; what is None is chosen by the model.

    >>> Look(draw="skin", color=(0.7, 0.3, 0.2)).draw
    'skin'
    """

    draw: Literal["balls", "skin", "links", "none"] | None = None
    """Points as "balls" or as the corners of a "skin"; links as "links"; "none": nothing."""
    color: ArrayLike | None = None
    """Red, green, blue from 0 to 1, (3,), or a row for each thing, (n, 3); or by what is shown: "speed" or "height" of
    points, "tension" of links."""
    map: tuple[float, float] | None = None
    """Values at the first and at the last color [m/s, m or N]; None: nearly the least and the greatest recorded."""
    radius: ArrayLike | None = None
    """Of balls, one or (points,), or of links [m]."""
    width: float | None = None
    """Diameter of links [m]."""
    faces: ArrayLike | None = None
    """Corners of each triangle of a skin, by their numbers in the group, (triangles, 3)."""

    def __post_init__(self) -> None:
        if self.draw is not None and self.draw not in _DRAW:
            raise _broken("draw", f"one of {', '.join(map(repr, _DRAW))}", self.draw)
        if self.color is not None:
            object.__setattr__(self, "color", _check_color(self.color))
        if self.map is not None:
            low, high = _check_numbers(self.map, "map", (2,)).tolist()
            if low == high:
                raise _broken("map", "two different numbers", self.map)
            object.__setattr__(self, "map", (low, high))
        for name in ("radius", "width"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _check_size(getattr(self, name), name))
        if self.faces is not None:
            found = np.asarray(self.faces)
            if found.ndim != 2 or found.shape[1] != 3 or found.dtype.kind not in "iu":
                raise _broken("faces", "whole numbers of shape (triangles, 3)", f"shape {found.shape}, {found.dtype}")
            object.__setattr__(self, "faces", found)


def _broken(name: str, rule: str, got: object) -> InputError:
    return InputError(f"`{name}` must be {rule}", where="look", got=got)


def _check_numbers(given: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    found = as_floats(given, *shape, where=f"look `{name}`")
    if found.shape != shape:
        raise _broken(name, f"numbers of shape {shape}", f"shape {found.shape}")
    return found


def _check_color(given: Any) -> Any:
    if isinstance(given, str):
        if given not in _SHOWN:
            raise _broken("color", f"numbers or one of {', '.join(map(repr, _SHOWN))}", given)
        return given
    found = as_floats(given, 3, where="look `color`")
    if found.ndim > 2 or not ((found >= 0) & (found <= 1)).all():
        raise _broken("color", "red, green and blue from 0 to 1, (3,) or (n, 3)", given)
    return found if found.ndim == 2 else tuple(found.tolist())


def _check_size(given: Any, name: str) -> Any:
    found = as_floats(given, where=f"look `{name}`")
    if found.ndim > (1 if name == "radius" else 0) or (found < 0).any():
        raise _broken(name, "0 m or more", given)
    return found if found.ndim else float(found)
