"""`FigureBuilder`: construction of a figure segment by segment."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry import MassProperties, Shape
from motiform.geometry.surfaces import Surface
from motiform.motion.tree.contact_joints.closure import ContactClosure
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.closure import AnyClosure, Closure
from motiform.motion.tree.model.coupling import Coupling
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.joint import Joint
from motiform.motion.tree.model.layout import as_names
from motiform.motion.tree.model.segment import Segment, SegmentShape, SegmentSurface, Tag, velocity_names
from motiform.spatial import Transform, check_rotation
from motiform.spatial.checks import as_floats

__all__ = ["FigureBuilder"]


class FigureBuilder:
    """Collects segments, tags, surfaces, couplings and closures; `build` gives the figure.

    >>> from motiform import FigureBuilder, joints
    >>> b = FigureBuilder()
    >>> b.segment("arm", None, joints.revolute((0, 0, 1)), mass=2.0, com=(0, -0.2, 0))
    >>> b.tag("elbow", "arm", (0, -0.4, 0))
    >>> b.build()
    Figure('': 1 segments, 1 freedoms, 1 tags, 2 kg)
    """

    def __init__(
        self, gravity: ArrayLike = (0.0, -9.81, 0.0), name: str = "", *, vertical: str | ArrayLike = "y"
    ) -> None:
        self.gravity, self.name = gravity, name
        self.vertical = vertical
        """Direction that is up where there is no gravity: an axis by name, or a vector."""
        self.segments: list[Segment] = []
        self.tags: list[Tag] = []
        self.surfaces: list[SegmentSurface] = []
        self.couplings: list[Coupling] = []
        self.closures: list[AnyClosure] = []
        self.notes: list[str] = []
        self._orders: list[tuple[int, int, list[str]]] = []

    def segment(
        self,
        name: str,
        parent: str | None,
        joint: Joint,
        *,
        placement: Transform | None = None,
        mass: float | MassProperties = 0.0,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        armature: ArrayLike = 0.0,
        damping: ArrayLike = 0.0,
        shape: Shape | SegmentShape | Sequence[SegmentShape] | None = None,
        color: tuple[float, float, float] | None = None,
    ) -> None:
        """Add a segment.

        Parameters
        ----------
        placement
            The joint's frame in the parent's frame, in the world's where the parent is None.
        mass, com, inertia
            [kg], [m], [kg·m²] about the centre of mass, in the segment's frame; or `MassProperties` as mass.
        armature, damping
            Of the joint's velocities: one number, or one each.
        shape, color
            What the segment is drawn as.

        """
        if isinstance(mass, MassProperties):
            com, inertia, mass = mass.com, mass.inertia, mass.mass
        if shape is not None and not isinstance(shape, Shape | SegmentShape | list | tuple):
            allowed = "a Shape, a Part, or several Parts"
            raise InputError(
                "shape must be a Shape or Parts", where=f"segment {name!r}", got=repr(shape), allowed=allowed
            )
        parts = (
            ()
            if shape is None
            else (SegmentShape(shape, color=color),)
            if isinstance(shape, Shape)
            else (shape,)
            if isinstance(shape, SegmentShape)
            else tuple(shape)
        )
        self.segments.append(
            Segment(
                name,
                parent,
                joint,
                Transform.identity() if placement is None else placement,
                mass,
                com,  # type: ignore[arg-type]
                np.zeros((3, 3)) if inertia is None else inertia,  # type: ignore[arg-type]
                armature,  # type: ignore[arg-type]
                damping,  # type: ignore[arg-type]
                parts,
            )
        )

    def tag(self, name: str, segment: str, point: ArrayLike) -> None:
        """Name a point of a segment [m]."""
        self.tags.append(Tag(name, segment, _point(point, f"tag {name!r}")))

    def surface(self, name: str, segment: str, surface: Surface, placement: Transform | None = None) -> None:
        """Give a segment a surface for contacts."""
        placed = Transform.identity() if placement is None else placement
        if not isinstance(surface, Surface) or not isinstance(placed, Transform):
            allowed = "a surface of motiform.surfaces, and a Transform"
            raise InputError(
                "a surface must be a Surface with its placement", where=f"surface {name!r}",
                got=f"{surface!r}, {placed!r}", allowed=allowed,
            )  # fmt: skip
        self.surfaces.append(SegmentSurface(name, segment, surface, placed))

    def couple(self, dependent: str, leading: str, function: CoordinateFunction) -> None:
        """Make a coordinate a function of another one; it is then no longer in q."""
        self.couplings.append(Coupling(dependent, leading, function))

    def close(
        self,
        name: str,
        a: str | None,
        point_a: ArrayLike,
        b: str | None,
        point_b: ArrayLike,
        rows: str = "xyz",
        *,
        length: float = 0.0,
        turn: ArrayLike | None = None,
        axis: ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        """Hold a point of one segment to a point of another (None: the world); see `Closure`."""
        where = f"closure {name!r}"
        turns = rows in ("weld", "revolute", "prismatic", "cylindrical")
        rotation = (np.eye(3) if turn is None else check_rotation(turn, where=where)) if turns else None
        ends = (a, _point(point_a, where), b, _point(point_b, where))
        self.closures.append(Closure(name, *ends, rows, _length(length, where), rotation, _point(axis, where)))

    def close_contact(self, name: str, a: str | None, b: str, joint: ContactJoint) -> None:
        """Add a contact closure between two segments (a None: the world), with the surfaces of a `joints.contact`.

        Surface 1 is placed in a by its pose1, surface 2 in b by its pose2. What the joint leaves free stays free, what
        it does not is held; see `ContactClosure`. Where the surfaces touch is found from the poses of a and b alone.
        Along a line or on a face the point that may not slide, and about which b spins, is fixed in the cylinder (its
        z = 0), or on a face in b (the origin of surface 2).
        """
        self.closures.append(ContactClosure(name, a, b, joint))

    def add(self, figure: Figure, prefix: str = "") -> None:
        """Add all of another figure, its names after a prefix: several figures are simulated as one.

        Gravity is the builder's. The order of the figure's coordinates is kept.
        """
        first = len(self.segments)
        for segment in figure.segments:
            joint: Any = segment.joint
            if prefix and joint.named:
                joint = copy(joint)
                joint.names = tuple(prefix + name for name in joint.names)
            parent = None if segment.parent is None else prefix + segment.parent
            self.segments.append(replace(segment, name=prefix + segment.name, parent=parent, joint=joint))
        self.tags += [replace(tag, name=prefix + tag.name, segment=prefix + tag.segment) for tag in figure.tags]
        self.surfaces += [replace(s, name=prefix + s.name, segment=prefix + s.segment) for s in figure.surfaces]
        self.couplings += [
            replace(c, dependent=prefix + c.dependent, leading=prefix + c.leading) for c in figure.couplings
        ]
        for closure in figure.closures:
            ends: Any = {k: None if (end := getattr(closure, k)) is None else prefix + end for k in ("a", "b")}
            self.closures.append(replace(closure, name=prefix + closure.name, **ends))  # type: ignore[type-var]
        self.notes += figure.notes
        self.vertical = figure.vertical
        if figure.order is not None:
            self._orders.append((first, len(self.segments), [prefix + name for name in figure.order]))

    def _order(self) -> list[str] | None:
        """Return the order of the coordinates where an added figure has one of its own."""
        names, end = list[str](), 0
        for first, last, order in self._orders:
            names += [*block_names(self.segments[end:first]), *order]
            end = last
        return [*names, *block_names(self.segments[end:])] if self._orders else None

    def build(self, coordinates: Sequence[str] | None = None) -> Figure:
        """Return the figure; `coordinates` names their order in q and v if it is not that of the segments.

        Coordinates of joints that are not plain (quaternions, contacts) go together under their segment's name.
        """
        coordinates = self._order() if coordinates is None else coordinates
        gravity: Any = self.gravity
        vertical: Any = self.vertical
        return Figure(
            tuple(self.segments), tuple(self.tags), tuple(self.surfaces), tuple(self.couplings), tuple(self.closures),
            gravity, self.name, as_names(coordinates), tuple(self.notes), vertical,
        )  # fmt: skip


def block_names(segments: Sequence[Segment]) -> list[str]:
    """Return what `build` calls the coordinates of segments, in their order."""
    found: list[str] = []
    for segment in segments:
        if segment.joint.plain:
            found += velocity_names(segment)
        elif segment.joint.nq:
            found.append(segment.name)
    return found


def _length(length: float, where: str) -> float:
    found = as_floats(length, where=where)
    if found.ndim:
        raise InputError("the length must be a single number", where=where, got=repr(length), allowed="one number [m]")
    return float(found)


def _point(point: ArrayLike, where: str) -> tuple[float, float, float]:
    try:
        found = np.asarray(point, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise InputError("the point must be finite", where=where, got=repr(point), allowed="three finite numbers [m]")
    return (float(found[0]), float(found[1]), float(found[2]))
