"""Bip: a walking robot of 15 motors as high as a man, by modified Denavit–Hartenberg frames.  [HuMAnS 2]"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from motiform.motion.figures import bip_table as bip_table
from motiform.motion.figures.limits import named_limits
from motiform.motion.figures.recipe import MadeFigure, Recipe, assemble, named_numbers, positive

__all__ = ["Bip", "BipRecipe", "bip"]

_SEGMENTS = tuple(frame.name for frame in bip_table.FRAMES)


@dataclass(frozen=True, eq=False)
class BipRecipe(Recipe):
    """The parameters of a Bip; see `bip`."""

    lengths: Any = None
    masses: Any = None
    tags: Any = None
    limits: Any = None
    gravity: Any = (0.0, -9.81, 0.0)
    name: str = "bip"

    def __post_init__(self) -> None:
        lengths = named_numbers(self.lengths, bip_table.LENGTHS, None, "lengths", "bip")
        lengths = {name: positive(x, f"length {name!r}", "bip") for name, x in lengths.items()}
        object.__setattr__(self, "lengths", lengths)
        checked = {
            "masses": named_numbers(self.masses, self.bodies(), None, "masses", "bip", least=0.0),
            "tags": named_numbers(self.tags, bip_table.TAGS, 3, "tags", "bip"),
            "limits": named_limits(self.limits, bip_table.COORDINATES, {}, "bip", word=None),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def all_lengths(self) -> dict[str, float]:
        """Return the lengths [m]: those given, the others as they are."""
        return {name: self.lengths.get(name, value) for name, (value, _) in bip_table.LENGTHS.items()}

    def all_tags(self) -> dict[str, tuple[str, tuple[float, float, float]]]:
        """Return the tags in their order: name → (segment, point [m]); those of a sole are as deep as the foot."""
        sole = self.all_lengths()["foot"]
        found = dict[str, tuple[str, tuple[float, float, float]]]()
        for name, (segment, (x, y, z)) in bip_table.TAGS.items():
            point = (sole if segment.endswith("_foot") else x, y, z)
            found[name] = (segment, self.tags.get(name, point))
        return found

    def bodies(self) -> Mapping[str, bip_table.SegmentInertia]:
        """Return masses, centres and inertias of the segments that have some, before any is changed."""
        return bip_table.BODIES

    def make(self) -> "Bip":
        """Return the figure."""
        from motiform.motion.figures.bip_look import bip_parts

        return assemble(Bip, self, self.rows(), self.all_tags(), bip_table.COORDINATES, bip_parts(self.all_lengths()))

    def rows(self) -> list[Any]:
        """Return the rows; another mass keeps the centre and the shape, and so scales the inertia."""
        import numpy as np

        from motiform.motion.tree.read.tables import DHRow

        found, bodies = [], self.bodies()
        for row in bip_table.frames():
            body = bodies.get(row["name"])
            if body is not None:
                m = self.masses.get(row["name"], body.mass)
                inertia = np.array(body.inertia) * (m / body.mass)
                row |= {"mass": m, "com": body.center, "inertia": inertia, "about": body.about}
            found.append(DHRow(**row))
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Bip(MadeFigure):
    """A walking robot: 21 frames, 21 coordinates, 25 tags. Made by `bip`; `replace` takes its arguments."""

    @cached_property
    def lengths(self) -> dict[str, float]:
        """Lengths by name [m]."""
        return self.recipe.all_lengths()

    @property
    def contact_solids(self) -> dict[str, tuple[str, ...]]:
        """Tags that carry the robot, by the segment that they belong to."""
        return dict(bip_table.CONTACTS)

    @property
    def suspension(self) -> tuple[str, ...]:
        """Tags of the trunk by which the robot can hang."""
        return bip_table.SUSPENSION


def bip(
    *,
    lengths: Mapping[str, float] | None = None,
    masses: Mapping[str, float] | None = None,
    tags: Mapping[str, ArrayLike] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "bip",
) -> Bip:
    """Return the robot Bip, standing at q = 0 with its feet flat on the ground.

    Parameters
    ----------
    lengths
        [m] any of foot, shank, thigh, hip, lumbar; the pelvis is as high as foot, shank and thigh together.
    masses, tags
        By segment [kg]; by name, a point of the tag's segment [m].
    limits
        {"right_knee": (0, 2)} [rad]; None: no limits.

    >>> from motiform.motion.figures import bip
    >>> bip()
    Figure('bip': 21 segments, 21 freedoms, 25 tags, 105 kg)

    """
    return BipRecipe(lengths, masses, tags, limits, gravity, name).make()
