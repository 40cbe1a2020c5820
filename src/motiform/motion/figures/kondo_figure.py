"""Kondo KHR-1: a walking robot of 17 motors, 340 mm high.  [HuMAnS 4]"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.figures import kondo_table as kondo_table
from motiform.motion.figures.limits import named_limits
from motiform.motion.figures.recipe import (
    Lengths,
    MadeFigure,
    Recipe,
    assemble,
    length_name,
    named_lengths,
    named_numbers,
    positive,
)

__all__ = ["Kondo", "KondoRecipe", "kondo"]

Triple = tuple[float, float, float]
_SERVOS = dict.fromkeys(kondo_table.COORDINATES[:17], (-90.0, 90.0))  # degrees: a model servo turns half round


def _kind(segment: str) -> str:
    return segment.removeprefix("right_").removeprefix("left_")


@dataclass(frozen=True, eq=False)
class KondoRecipe(Recipe):
    """The parameters of a Kondo; see `kondo`."""

    height: float = kondo_table.HEIGHT
    mass: float = kondo_table.MASS
    lengths: Any = None
    masses: Any = None
    tags: Any = None
    limits: Any = None
    elbows: str = "sagittal"
    gravity: Any = (0.0, -9.81, 0.0)
    name: str = "kondo"

    def __post_init__(self) -> None:
        if self.elbows not in ("sagittal", "frontal"):
            remedy = closest(str(self.elbows), ("sagittal", "frontal"))
            raise InputError(
                "elbows must be in an allowed plane", where="kondo", got=self.elbows, allowed="sagittal, frontal",
                remedy=remedy,
            )  # fmt: skip
        checked = {
            "height": positive(self.height, "height", "kondo"),
            "mass": positive(self.mass, "mass", "kondo"),
            "lengths": named_lengths(self.lengths, len(kondo_table.LENGTHS), "kondo"),
            "masses": named_numbers(self.masses, kondo_table.SEGMENTS, None, "masses", "kondo", least=0.0),
            "tags": named_numbers(self.tags, kondo_table.TAGS, 3, "tags", "kondo"),
            "limits": named_limits(self.limits, kondo_table.COORDINATES, _SERVOS, "kondo", word="servos"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def keyed(self, name: str, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return a mapping by full names: L5 for 5."""
        return (
            {length_name(key, len(kondo_table.LENGTHS)): x for key, x in value.items()} if name == "lengths" else value
        )

    def all_lengths(self) -> dict[str, float]:
        """Return L1 to L24 [m]: those given, the others in proportion to the height."""
        scale = self.height / kondo_table.HEIGHT
        return {name: self.lengths.get(name, scale * value) for name, (value, _) in kondo_table.LENGTHS.items()}

    def all_masses(self) -> dict[str, float]:
        """Return the mass of each segment [kg]."""
        return {
            name: self.masses.get(name, kondo_table.MASSES[_kind(name)] / 100 * self.mass)
            for name in kondo_table.SEGMENTS
        }

    def make(self) -> "Kondo":
        """Return the figure."""
        from motiform.motion.figures.kondo_look import kondo_parts

        L = self.all_lengths()
        tags = {
            name: (segment, self.tags.get(name, point)) for name, (segment, point) in kondo_table.tag_points(L).items()
        }
        return assemble(Kondo, self, self._rows(L), tags, kondo_table.COORDINATES, kondo_parts(L))

    def _rows(self, L: Mapping[str, float]) -> list[Any]:
        from motiform.motion.tree.read.tables import CardanRow

        masses, edges, found = self.all_masses(), kondo_table.boxes(L), []
        for name, parent, translation, rotation in kondo_table.rows(self.elbows):
            m, (a, b, c), part = masses[name], edges[_kind(name)], kondo_table.CENTERS[_kind(name)]
            side = -1.0 if name.startswith("left_") else 1.0
            center = (part[0] * a, part[1] * b, side * part[2] * c)
            inertia = (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12)  # [HuMAnS 4.3.3]
            found.append(CardanRow(name, parent, translation, rotation, m, center, inertia, "center"))  # type: ignore[arg-type]
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Kondo(MadeFigure):
    """A small walking robot: 18 segments, 23 coordinates, 34 tags. Made by `kondo`; `replace` takes its arguments."""

    @property
    def height(self) -> float:
        """Height [m] that the lengths were parts of."""
        return self.recipe.height

    @property
    def body_mass(self) -> float:
        """Mass [kg] that the segments' masses were parts of."""
        return self.recipe.mass

    @cached_property
    def lengths(self) -> Lengths:
        """L1 to L24 [m], (24,), read-only: `lengths["L5"]` or `lengths[4]`."""
        return Lengths(self.recipe.all_lengths().values())

    @property
    def hanim(self) -> dict[str, str]:
        """Names of tags in the manner of H-Anim."""
        return dict(kondo_table.HANIM)

    @property
    def contact_solids(self) -> dict[str, tuple[str, ...]]:
        """Tags that carry the robot, by the segment that they belong to."""
        return dict(kondo_table.CONTACTS)


def kondo(
    height: float = kondo_table.HEIGHT,
    mass: float = kondo_table.MASS,
    *,
    lengths: Mapping[str | int, float] | Sequence[float] | None = None,
    masses: Mapping[str, float] | None = None,
    tags: Mapping[str, ArrayLike] | None = None,
    limits: str | Mapping[str, tuple[float, float]] | None = None,
    elbows: str = "sagittal",
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "kondo",
) -> Kondo:
    """Return the robot Kondo KHR-1, standing at q = 0 with its feet flat on the ground.

    Parameters
    ----------
    height, mass
        [m], [kg]; lengths and masses are parts of them.
    lengths
        [m] {"L3": 0.07} or {3: 0.07}, or all 24.
    masses, tags
        By segment [kg]; by name, a point of the tag's segment [m].
    limits
        "servos" for a quarter turn both ways, or {"right_knee": (0, 1.5)} [rad]; None: no limits.
    elbows
        Plane in which they bend: "sagittal" or "frontal".

    >>> from motiform.motion.figures import kondo
    >>> kondo()
    Figure('kondo': 18 segments, 23 freedoms, 34 tags, 1.3 kg)

    """
    return KondoRecipe(height, mass, lengths, masses, tags, limits, elbows, gravity, name).make()
