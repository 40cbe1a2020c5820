"""An articulated system: segments, joints, tags, surfaces. Immutable; `replace` returns a modified copy."""

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.tree.model.check import (
    check_closures,
    check_couplings,
    check_gravity,
    check_known,
    check_once,
    check_segments,
    check_tags,
)
from motiform.motion.tree.model.closure import AnyClosure
from motiform.motion.tree.model.coupling import Coupled, Coupling
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.layout import CoordinateLayout, assign_coordinates
from motiform.motion.tree.model.pack import PackedFigure, Workspace, pack
from motiform.motion.tree.model.segment import Segment, SegmentSurface, Tag
from motiform.spatial import up_against, up_vector

__all__ = ["Figure"]


@dataclass(frozen=True, eq=False)
class Figure:
    """Segments carried by joints, from the world outward. Made by `FigureBuilder`."""

    segments: tuple[Segment, ...]
    tags: tuple[Tag, ...] = ()
    surfaces: tuple[SegmentSurface, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    closures: tuple[AnyClosure, ...] = ()
    gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)
    name: str = ""
    order: tuple[str, ...] | None = None
    """Order of the coordinates in q and v; None: that of the segments."""
    notes: tuple[str, ...] = ()
    """What a reader left out."""
    vertical: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Direction that is up where there is no gravity, in the world's axes."""
    unchanging: ClassVar[bool] = True
    """Whether all numbers in it are frozen: what is found from them once holds."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", check_gravity(self.gravity))
        object.__setattr__(self, "vertical", tuple(up_vector(self.vertical).tolist()))
        check_segments(self.segments)
        for what, parts in (("tag", self.tags), ("surface", self.surfaces), ("closure", self.closures)):
            check_once((part.name for part in parts), what)
        check_tags(self.tags, self.names)
        for surface in self.surfaces:
            check_known(self.names, surface.segment, f"surface {surface.name!r}")
        check_closures(self.closures, self.names)
        check_couplings(self.couplings, self.segments)
        self.layout  # noqa: B018, its checks belong here

    # ---------------------------------------------------------------- sizes and names
    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the segments."""
        return tuple(segment.name for segment in self.segments)

    @cached_property
    def layout(self) -> CoordinateLayout:
        """Which numbers of q and v belong to which joint, dependent coordinates included."""
        return assign_coordinates(self.segments, self.order, f"figure {self.name!r}" if self.name else "figure")

    @cached_property
    def coupled(self) -> Coupled | None:
        """How dependent coordinates follow the others, or None."""
        return Coupled(self.layout, self.couplings) if self.couplings else None

    @cached_property
    def nq(self) -> int:
        """Numbers of a configuration."""
        return self.layout.nq - len(self.couplings)

    @cached_property
    def nv(self) -> int:
        """Freedoms, before loops are closed."""
        return self.layout.nv - len(self.couplings)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the velocities, in the order of v."""
        gone = {coupling.dependent for coupling in self.couplings}
        return tuple(name for name in self.layout.names if name not in gone)

    @cached_property
    def tag_names(self) -> tuple[str, ...]:
        """Names of the tags."""
        return tuple(tag.name for tag in self.tags)

    @property
    def up(self) -> Array:
        """Unit vector against gravity, `vertical` where there is none, (3,), in the world's axes."""
        return up_against(self.gravity, self.vertical)

    @property
    def mass(self) -> float:
        """Mass of all segments [kg]."""
        return float(sum(segment.mass for segment in self.segments))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Numbers of the segments that the world carries."""
        return tuple(n for n, segment in enumerate(self.segments) if segment.parent is None)

    @cached_property
    def floating(self) -> frozenset[str]:
        """Names of the segments whose joints are the free motion of a root: a joint of six, or a chain of frames.

        Such a chain has six freedoms in all, three of them slides, and no mass before its last segment.
        """
        children: dict[str | None, list[Segment]] = {}
        for segment in self.segments:
            children.setdefault(segment.parent, []).append(segment)
        found: set[str] = set()
        for root in children[None]:
            chain, count = [root], root.joint.nv
            while count < 6 and not chain[-1].mass and len(children.get(chain[-1].name, ())) == 1:
                chain += children[chain[-1].name]
                count += chain[-1].joint.nv
            slides = sum((segment.joint.units or ()).count("m") for segment in chain)
            if count == 6 and (len(chain) == 1 or slides == 3):  # six hinges are an arm
                found |= {segment.name for segment in chain}
        return frozenset(found)

    @cached_property
    def limits(self) -> Array:
        """Lower and upper value of each plain coordinate, (nv, 2); −∞ and ∞ where there is none."""
        found = np.full((self.layout.nv, 2), (-np.inf, np.inf))
        for n, segment in enumerate(self.segments):
            if segment.joint.limits is not None:
                found[self.layout.v[n]] = segment.joint.limits
        return found if self.coupled is None else found[self.coupled.kept_v]

    # ---------------------------------------------------------------- parts
    def index(self, name: str) -> int:
        """Return the number of a segment."""
        if name not in self.names:
            raise InputError(
                "no such segment", got=name, allowed=", ".join(self.names), remedy=closest(str(name), self.names)
            )
        return self.names.index(name)

    def segment(self, name: str) -> Segment:
        """Return a segment by its name."""
        return self.segments[self.index(name)]

    def _check_number(self, n: int) -> None:
        if not 0 <= n < len(self.segments):
            raise InputError("a segment must be one of the figure", got=n, allowed=f"0 to {len(self.segments) - 1}")

    def parent_index(self, n: int) -> int:
        """Return the number of the parent of segment n, −1 for the world."""
        self._check_number(n)
        parent = self.segments[n].parent
        return -1 if parent is None else self.names.index(parent)

    def coordinate_slices(self, name: str) -> tuple[Array, Array]:
        """Return where in q and in v the numbers of a segment's joint are (all coordinates, none left out)."""
        n = self.index(name)
        return self.layout.q[n], self.layout.v[n]

    # ---------------------------------------------------------------- configurations
    def neutral(self) -> Array:
        """Return a configuration to begin with, (nq,): zeros, unit quaternions, contacts at their start."""
        q = np.zeros(self.layout.nq)
        for n, segment in enumerate(self.segments):
            q[self.layout.q[n]] = segment.joint.neutral()
        return q if self.coupled is None else q[self.coupled.kept_q]

    def configuration(self, **values: ArrayLike) -> Array:
        """Return the neutral configuration with some coordinates, or the whole q of some segments' joints, changed.

        >>> q = arm.configuration(shoulder=0.3, elbow=1.2)        # doctest: +SKIP
        """
        return self._filled(self.neutral(), values, "q")

    def velocity(self, **values: ArrayLike) -> Array:
        """Return zero velocities with some, or those of some segments' joints, changed."""
        return self._filled(np.zeros(self.nv), values, "v")

    def _filled(self, out: Array, values: dict[str, Any], which: Literal["q", "v"]) -> Array:
        for name, value in values.items():
            where = self.places(name, which)
            try:
                found = np.asarray(value, float)
            except (TypeError, ValueError):
                found = np.empty((0, 0))
            if found.shape not in ((), (len(where),)) or not np.isfinite(found).all():
                raise InputError(
                    "a coordinate must get all of its numbers", where=name, got=repr(value),
                    allowed=f"{len(where)} finite numbers",
                )  # fmt: skip
            out[where] = found
        return out

    def places(self, name: str, which: Literal["q", "v"]) -> Array:
        """Return where in q or v the numbers of a coordinate are, or those of a segment's joint."""
        places = self.layout.places_q if which == "q" else self.layout.places_v
        if name not in places:
            raise InputError("no such coordinate", got=name, allowed=", ".join(places), remedy=closest(name, places))
        if self.coupled is None:
            return places[name]
        kept = list(self.coupled.kept_q if which == "q" else self.coupled.kept_v)
        if any(k not in kept for k in places[name]):
            raise InputError("the coordinate must not follow another", got=name, remedy="Give the one that leads it.")
        return np.array([kept.index(k) for k in places[name]])

    def free_places(self, n: int) -> tuple[Array, Array]:
        """Return where in q and in v the numbers of segment n's joint are, without those that follow others."""
        self._check_number(n)
        at_q, at_v = self.layout.q[n], self.layout.v[n]
        if self.coupled is None:
            return at_q, at_v
        kept_q, kept_v = self.coupled.kept_q, self.coupled.kept_v
        return (
            np.searchsorted(kept_q, at_q[np.isin(at_q, kept_q)]),
            np.searchsorted(kept_v, at_v[np.isin(at_v, kept_v)]),
        )

    def plain_places(self, segments: Collection[str]) -> tuple[Array, Array]:
        """Return where in q and in v the plain coordinates of some segments' joints are, without those that follow."""
        own = [n for n, s in enumerate(self.segments) if s.joint.plain and s.name in segments]
        places = [self.free_places(n) for n in own]
        at_q, at_v = (np.concatenate([np.zeros(0, np.int64), *(pair[k] for pair in places)]) for k in (0, 1))
        return at_q, at_v

    def replace(self, **changes: Any) -> Self:
        """Return a figure with some fields changed; `segments` may be a dict of changes by segment name.

        >>> heavier = arm.replace(segments={"hand": {"mass": 1.2}})        # doctest: +SKIP
        """
        segments = changes.pop("segments", None)
        if isinstance(segments, dict):
            for name, own in segments.items():
                self.index(name)
                for key in own:
                    _known_field(key, Segment, f"segment {name!r}")
            segments = tuple(replace(s, **segments.get(s.name, {})) for s in self.segments)
        if segments is not None:
            changes["segments"] = tuple(segments)
        for name in changes:
            _known_field(name, Figure, "figure")
        return replace(self, **changes)

    # ---------------------------------------------------------------- for the algorithms
    @cached_property
    def packed(self) -> PackedFigure:
        """The figure as arrays that kernels read."""
        parents = [self.parent_index(n) for n in range(len(self.segments))]
        of_tags = [self.index(tag.segment) for tag in self.tags]
        points = [tag.point for tag in self.tags]
        return pack(self.segments, parents, self.layout, self.gravity, of_tags, points)

    @cached_property
    def single(self) -> Workspace | None:
        """Arrays and a workspace for compiled functions of one state; None where Python must help with every state."""
        simple = not self.couplings and not self.closures and self.packed.kernel_only
        return Workspace(self.packed) if simple else None

    @cached_property
    def opened(self) -> "Figure":
        """The figure without its closures."""
        return self.replace(closures=()) if self.closures else self

    @cached_property
    def carried(self) -> Array:
        """1 where a velocity moves a segment, (segments, nv of the whole tree)."""
        found = np.zeros((len(self.segments), self.layout.nv))
        for n, own in enumerate(self.layout.v):
            parent = self.parent_index(n)
            if parent >= 0:
                found[n] = found[parent]
            found[n, own] = 1.0
        return found

    @cached_property
    def closure_sizes(self) -> Array:
        """Size that each row of the closures is measured by: that of the linkage [m], or 1 for turns, (rows,)."""
        lengths = [float(np.linalg.norm(s.placement.translation)) for s in self.segments if s.parent is not None]
        lengths += [length for closure in self.closures for length in closure.lengths]
        size = max(lengths, default=0.0) or 1.0
        return np.array([1.0 if turns else size for closure in self.closures for turns in closure.turns])

    def repacked(self, packed: PackedFigure) -> Self:
        """Return the figure with other numbers for the kernels, for kinematics alone: its segments stay as they are."""
        found = copy(self)
        for derived in ("packed", "single", "opened"):
            vars(found).pop(derived, None)
        object.__setattr__(found, "packed", packed)
        return found

    def __repr__(self) -> str:
        return (
            f"Figure({self.name!r}: {len(self.segments)} segments, {self.nv} freedoms, {len(self.tags)} tags, "
            f"{self.mass:.4g} kg)"
        )


def _known_field(name: str, kind: Any, where: str) -> None:
    known = tuple(kind.__dataclass_fields__)
    if name not in known:
        raise InputError(
            "no such field", where=where, got=name, allowed=", ".join(known), remedy=closest(str(name), known)
        )
