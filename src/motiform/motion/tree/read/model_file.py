"""What a model file holds beside its figure: solids that touch, actuators, springs, postures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from motiform.geometry import Solid
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read.shared import orient, turn_up
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["FileActuator", "FilePosture", "FileSolid", "FileSpring", "ModelFile", "orient_file"]


@dataclass(frozen=True, eq=False)
class FileSolid:
    """A solid of a model that may touch others.

    Two touch if `kinds` of one and `meets` of the other have a bit in common, and no exclusion names their segments.
    """

    name: str
    segment: str | None
    """None: the world."""
    solid: Solid
    placement: Transform
    """Its frame in the segment's."""
    friction: float
    """Coulomb's coefficient; of a pair the greater one counts."""
    kinds: int = 1
    meets: int = 1

    def may_touch(self, other: "FileSolid") -> bool:
        """Whether the bits of two solids let them touch."""
        return bool(self.kinds & other.meets or other.kinds & self.meets)


@dataclass(frozen=True)
class FileActuator:
    """A force along some joints: gain · command + bias₀ + bias₁ length + bias₂ rate, with length = Σ gear · coordinate.

    Each coordinate gets gear times the force.
    """

    name: str
    joints: tuple[tuple[str, float], ...]
    """Coordinates and their gear."""
    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    damping_ratio: float = 0.0
    """Where it is above zero the rate is damped by this ratio at the neutral posture, beside the bias."""
    commands: tuple[float, float] = (-np.inf, np.inf)
    forces: tuple[float, float] = (-np.inf, np.inf)
    """[N or N·m]"""


class FileSpring(NamedTuple):
    """A spring of a joint: −stiffness (coordinate − target)."""

    coordinate: str
    stiffness: float
    """[N·m/rad or N/m]"""
    target: float
    """[rad or m]"""


class FilePosture(NamedTuple):
    """A posture of the file, with the commands of its actuators."""

    q: Array
    """(nq,)"""
    command: Array
    """(actuators,)"""


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A figure, and what else its file holds."""

    figure: Figure
    solids: tuple[FileSolid, ...] = ()
    excluded: frozenset[frozenset[str]] = frozenset()
    """Pairs of segments that do not touch; "world" is the world."""
    paired: tuple[tuple[str, str, float], ...] = ()
    """Names of solids that touch in any case, and the friction between them."""
    actuators: tuple[FileActuator, ...] = ()
    springs: tuple[FileSpring, ...] = ()
    postures: Mapping[str, FilePosture] = field(default_factory=dict)
    lifted: Mapping[str, float] = field(default_factory=dict)
    """Share of the weight of some segments that is compensated."""
    step: float = 2e-3
    """Time step that the file is made for [s]."""


def orient_file(file: ModelFile, up: str | None) -> ModelFile:
    """Return a model turned so that the axis `up` points up; None keeps the axes of the file."""
    if up is None:
        return file
    turn = turn_up(file.figure, up)
    solids = tuple(
        solid if solid.segment is not None else replace(solid, placement=turn @ solid.placement)
        for solid in file.solids
    )
    return replace(file, figure=orient(file.figure, up), solids=solids)
