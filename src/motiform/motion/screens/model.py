"""Screens: regular grids of pins that slide along one axis, and the points that engrave them [Habibi97 §6.4.2]."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry.checks import LEAST, MOST
from motiform.motion.matter.stability.cell import PROTOTYPES, ModeSegment, ScreenLaw, design_screen
from motiform.motion.run import check_number
from motiform.motion.screens.engraver import Engraver
from motiform.motion.screens.pistons import Pistons
from motiform.spatial.checks import as_floats

__all__ = ["Screen"]

_NORMALS = {"x": "y", "y": "x", "z": "y", "xy": "z", "yx": "z", "xz": "y", "zx": "y", "yz": "x", "zy": "x"}
_MOST = 1 << 30  # pins: an index of a row and a column stays exact, and one state takes 8 GB


@dataclass(frozen=True, eq=False, kw_only=True)
class Screen:
    """A grid of pins, each linked to the ground and to its neighbours by springs and dampers.

    m ω̈ + (z_s + z_v A) ω̇ + (k_s + k_v A)(ω − rest) = F, with A the Laplacian of the grid [Habibi97 8.9], stepped by
    central differences [Habibi97 8.21]. Pins move only along ω, a length of its own or the normal of the grid.
    """

    shape: tuple[int, ...]
    """Pins along each axis of the grid, one to three numbers."""
    spacing: float
    """δ, from pin to pin [m]."""
    law: ScreenLaw | ModeSegment | str = "IV"
    """Links [N/m, N s/m]; or the segment of its modes in the plane (K, Z); or the name of a prototype (`PRESETS`)."""
    mass: float = 0.01
    """Of a pin [kg]."""
    frequency: float = 100.0
    """Steps per second [Hz]."""
    edges: Literal["fixed", "free"] = "fixed"
    """Whether the outer pins are linked to fixed points at rest, or to nothing."""
    rest: float = 0.0
    """Height at which the links to the ground are at rest [m]."""
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Place of pin (0, …) at height 0 in the world [m]."""
    axes: str = ""
    """Axes of the world along which the axes of the grid lie, such as "xz"; "x", "xy" or "xyz" if not given."""
    engravers: tuple[Engraver, ...] = ()
    pistons: Pistons | None = None
    """Pistons between pins that conserve the sum of heights; edges are then free."""
    heights: ArrayLike | None = None
    """At the start [m], `shape`; at rest if not given."""
    velocity: ArrayLike | None = None
    """At the start [m/s], `shape`; none if not given."""
    force: ArrayLike | None = None
    """Constant force on each pin along ω [N], `shape`; none if not given."""
    dtype: Literal["float64", "float32"] = "float64"
    """Type of recorded heights; steps are always computed in float64."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "shape", _check_shape(self.shape))
        for key in ("spacing", "mass", "frequency"):
            put(self, key, check_number(getattr(self, key), key, "screen", least=LEAST, most=MOST))
        put(self, "rest", check_number(self.rest, "rest", "screen"))
        _check_choice("edges", self.edges, ("fixed", "free"))
        _check_choice("dtype", self.dtype, ("float64", "float32"))
        put(self, "axes", self.axes or "xyz"[: self.dimensions])
        if len(self.axes) != self.dimensions or len(set(self.axes)) != len(self.axes) or set(self.axes) - set("xyz"):
            allowed = f"{self.dimensions} different letters of x, y and z"
            raise InputError("a screen needs an axis of the world for each of its own", got=self.axes, allowed=allowed)
        put(self, "origin", tuple(as_floats(self.origin, 3, where="screen origin").reshape(3).tolist()))
        put(self, "law", self._links())
        put(self, "engravers", self._check_engravers())
        for key in ("heights", "velocity", "force"):
            if getattr(self, key) is not None:
                put(self, key, self._field(getattr(self, key), key))
        if self.pistons is not None and (self.edges != "free" or self.dimensions == 3):
            got = f"{self.edges} edges, {self.dimensions} dimensions"
            raise InputError(
                "a screen with pistons must have free edges and one or two dimensions",
                got=got, remedy="Give edges='free'.",
            )  # fmt: skip

    def _links(self) -> ScreenLaw:
        """Return the links, from a law, a segment or the name of a prototype."""
        law: Any = self.law
        if isinstance(law, str):
            if law not in PROTOTYPES:
                raise InputError(
                    "unknown prototype of a screen", got=law, allowed=", ".join(PROTOTYPES),
                    remedy=closest(law, PROTOTYPES),
                )  # fmt: skip
            law = PROTOTYPES[law]
        if isinstance(law, ModeSegment):
            law = design_screen(law, mass=self.mass, step=self.step, shape=self.shape, edges=self.edges)
        numbers = as_floats(law, 4, where="law of a screen").reshape(4)
        return ScreenLaw(*numbers.tolist())

    def _check_engravers(self) -> tuple[Engraver, ...]:
        given = (self.engravers,) if isinstance(self.engravers, Engraver) else tuple(self.engravers)
        for one in given:
            if not isinstance(one, Engraver):
                raise InputError("only an Engraver can engrave a screen", got=type(one).__name__, allowed="Engraver")
        names = [one.name for one in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError("two engravers have one name", where="screen", got=twice, remedy="Names must differ.")
        if self.dimensions == 3 and any(one.height is None for one in given):
            raise InputError("an engraver of a screen of three dimensions must have a height", where="screen")
        return given

    def _field(self, given: ArrayLike, key: str) -> np.ndarray:
        found = as_floats(given, where=f"{key} of a screen")
        try:
            return np.array(np.broadcast_to(found, self.shape))
        except ValueError:
            raise InputError(
                f"{key} of a screen must be one or one for each pin", got=found.shape, allowed=f"() or {self.shape}"
            ) from None

    @property
    def links(self) -> ScreenLaw:
        """Links of a pin to the ground and to each neighbour, [N/m] and [N s/m]."""
        return cast(ScreenLaw, self.law)

    @property
    def dimensions(self) -> int:
        """Number of axes of the grid."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """Number of pins."""
        return int(np.prod(self.shape))

    @property
    def step(self) -> float:
        """Time between steps [s]."""
        return 1.0 / self.frequency

    @property
    def normal(self) -> str | None:
        """Axis of the world that heights are drawn along; None in three dimensions."""
        return _NORMALS.get(self.axes)

    def replace(self, **changes: Any) -> "Screen":
        """Return a changed copy."""
        return replace(self, **changes)

    def locate(self, points: ArrayLike) -> np.ndarray:
        """Return where points of the world [m], (..., 3), are on the grid, in pins, (..., dimensions)."""
        p = as_floats(points, 3, where="points")
        return (p - np.array(self.origin))[..., self._columns] / self.spacing

    def above(self, points: ArrayLike) -> np.ndarray:
        """Return how far points of the world [m], (..., 3), are from the grid's plane along its normal [m], (...)."""
        if self.normal is None:
            raise InputError("a screen of three dimensions has no normal")
        column = "xyz".index(self.normal)
        return np.asarray(as_floats(points, 3, where="points")[..., column] - self.origin[column])

    def places(self) -> np.ndarray:
        """Return the places of all pins at height 0 in the world [m], (*shape, 3)."""
        found = np.broadcast_to(np.array(self.origin), (*self.shape, 3)).copy()
        for axis, column in enumerate(self._columns):
            along = np.arange(self.shape[axis]) * self.spacing
            found[..., column] += along.reshape([-1 if k == axis else 1 for k in range(self.dimensions)])
        return found

    @cached_property
    def _columns(self) -> list[int]:
        return ["xyz".index(letter) for letter in self.axes]


def _check_shape(shape: Any) -> tuple[int, ...]:
    given = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    whole = all(isinstance(n, int | np.integer) and n >= 1 for n in given)
    if not whole or not 1 <= len(given) <= 3 or np.prod(given, dtype=float) > _MOST:
        allowed = f"one to three whole numbers of 1 or more, at most {_MOST} pins"
        raise InputError("a screen must have pins along one to three axes", got=shape, allowed=allowed)
    return tuple(int(n) for n in given)


def _check_choice(key: str, got: Any, allowed: tuple[str, ...]) -> None:
    if got not in allowed:
        remedy = closest(str(got), allowed)
        raise InputError(f"unknown {key} of a screen", got=got, allowed=", ".join(allowed), remedy=remedy)
