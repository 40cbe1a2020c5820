"""An articulated system: segments, joints, tags, surfaces. Frozen; `replace` gives a changed one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry import Shape
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.joint import Array, Joint
from motiform.spatial import Transform, up_against

if TYPE_CHECKING:
    from motiform.geometry.surfaces import Surface
    from motiform.motion.tree.algorithms.single import Single
    from motiform.motion.tree.contact_joints.joint import ContactJoint
    from motiform.motion.tree.model.coupling import Coupled
    from motiform.motion.tree.model.pack import Packed

__all__ = ["Closure", "ContactClosure", "Coupling", "Figure", "Part", "Segment", "SegmentSurface", "Tag"]

_FLAT = 1e-9  # allowed excess over the triangle inequality of the moments, and asymmetry: rounding of printed numbers


@dataclass(frozen=True, eq=False)
class Part:
    """A shape that a segment wears in pictures."""

    shape: Shape
    placement: Transform = field(default_factory=Transform.identity)
    color: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Segment:
    """A rigid part of a figure and the joint that carries it.

    Attributes
    ----------
    placement : the joint's frame in the parent's (the world's for a root).
    mass : [kg]; a segment may have none, and no inertia then.
    com : centre of mass [m], in the segment's frame.
    inertia : [kg·m²], (3, 3), about the centre of mass, in the segment's axes.
    armature : inertia of the drive of each velocity [kg·m² or kg], added to the diagonal of the inertia matrix.
    damping : of each velocity [N·m·s or N·s/m].
    """

    name: str
    parent: str | None
    joint: Joint
    placement: Transform = field(default_factory=Transform.identity)
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    armature: Array | float = 0.0
    damping: Array | float = 0.0
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        where = f"segment {self.name!r}"
        if not isinstance(self.name, str) or not self.name:
            raise InputError("name of a segment", got=repr(self.name), allowed="a text that is not empty")
        if not isinstance(self.joint, Joint):
            raise InputError("no joint", where=where, got=repr(self.joint), allowed="a joint of motiform.joints")
        if not isinstance(self.placement, Transform) or self.placement.batch:
            raise InputError("placement", where=where, got=repr(self.placement), allowed="one Transform")
        self.joint.check(where)
        mass, inertia = _floats(self.mass, (), "mass", where), _floats(self.inertia, (3, 3), "inertia", where)
        if mass < 0:
            raise InputError("mass", where=where, got=float(mass), allowed="zero or more")
        _check_inertia(inertia, where)
        if mass == 0 and inertia.any():
            raise InputError("inertia without mass", where=where, got=inertia.tolist(), remedy="Give a mass.")
        per_velocity = {
            name: _floats(np.broadcast_to(getattr(self, name), (self.joint.nv,)), (self.joint.nv,), name, where)
            if _shape(getattr(self, name)) in ((), (self.joint.nv,))
            else _wrong_size(name, getattr(self, name), self.joint.nv, where)
            for name in ("armature", "damping")
        }
        for name, value in per_velocity.items():
            if (value < 0).any():
                raise InputError(name, where=where, got=value.tolist(), allowed="zero or more")
        fields: dict[str, Any] = {
            "mass": float(mass),
            "com": _floats(self.com, (3,), "com", where),
            "inertia": inertia,
            **per_velocity,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return np.shape(value)
    except ValueError:
        return None  # lists of unequal lengths


def _wrong_size(name: str, value: Any, nv: int, where: str) -> Array:
    raise InputError(name, where=where, got=value, allowed=f"a number, or {nv} of them: one for each velocity")


def _floats(value: Any, shape: tuple[int, ...], name: str, where: str) -> Array:
    try:
        found = np.array(value, float)
    except (TypeError, ValueError):
        raise InputError(name, where=where, got=repr(value), allowed=f"numbers of shape {shape}") from None
    if found.shape != shape or not np.isfinite(found).all():
        raise InputError(name, where=where, got=found.tolist(), allowed=f"finite numbers of shape {shape}")
    found.setflags(write=False)
    return found


def _check_inertia(inertia: Array, where: str) -> None:
    """Refuse moments that no matter has; zero moments are a rod's or a point's."""
    size = np.abs(inertia).max()
    if size == 0:
        return
    if np.abs(inertia - inertia.T).max() > _FLAT * size:
        raise InputError("inertia", where=where, got=inertia.tolist(), allowed="a symmetric matrix")
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -_FLAT * size or moments[2] > (1 + _FLAT) * (moments[0] + moments[1]):
        raise InputError(
            "impossible inertia",
            where=where,
            got=f"principal moments {moments.tolist()}",
            allowed="none below zero, none above the sum of the two others",
            remedy="It is about the centre of mass, in the segment's axes, in kg·m².",
        )


@dataclass(frozen=True)
class Tag:
    """A named point of a segment [m]."""

    name: str
    segment: str
    point: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class SegmentSurface:
    """A named surface of a segment, for contacts."""

    name: str
    segment: str
    surface: "Surface"
    placement: Transform


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate that is a function of another one, and so is not in q."""

    dependent: str
    leading: str
    function: CoordinateFunction


@dataclass(frozen=True)
class Closure:
    """Two segments held together beside the tree: it closes a loop.

    `rows` are the directions, in the axes of segment a (the world's where a is None), along which the two points
    coincide; "distance" keeps their distance; "weld" holds the axes together too.
    """

    name: str
    a: str | None
    point_a: tuple[float, float, float]
    b: str | None
    point_b: tuple[float, float, float]
    rows: str = "xyz"
    length: float = 0.0
    """Distance that is kept [m], for "distance"."""
    turn: Any = None
    """Rotation of b in a, (3, 3), for "weld"."""

    @property
    def count(self) -> int:
        """Number of its rows."""
        return {"distance": 1, "weld": 6}.get(self.rows, len(self.rows))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places, not velocities alone."""
        return (True,) * self.count


@dataclass(frozen=True, eq=False)
class ContactClosure:
    """Two segments that touch beside the tree, by the surfaces of a contact joint.

    Its rows are those of (wx, wy, wz, vx, vy, vz), the motion of b relative to a at the contact point in the contact
    frame, that the joint does not leave free; vz, along the normal, is always the last.  [ContactJoints 5]
    """

    name: str
    a: str | None
    b: str
    joint: "ContactJoint"

    @cached_property
    def components(self) -> tuple[int, ...]:
        """Which of (wx, wy, wz, vx, vy, vz) its rows are."""
        return tuple(k for k in range(6) if k not in self.joint.columns)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of its rows."""
        return tuple(("wx", "wy", "wz", "vx", "vy", "vz")[k] for k in self.components)

    @property
    def count(self) -> int:
        """Number of its rows."""
        return len(self.components)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds places: the gap, and the tilt of lines and faces; the others hold velocities alone."""
        return tuple(k == 5 or k in self.joint.pair.forbidden for k in self.components)


@dataclass(frozen=True, eq=False)
class Figure:
    """Segments carried by joints, from the world outward. Made by `FigureBuilder`."""

    segments: tuple[Segment, ...]
    tags: tuple[Tag, ...] = ()
    surfaces: tuple[SegmentSurface, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    closures: tuple[Closure | ContactClosure, ...] = ()
    gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)
    name: str = ""
    order: tuple[str, ...] | None = None
    """Order of the coordinates in q and v; None: that of the segments."""
    notes: tuple[str, ...] = ()
    """What a reader left out."""
    vertical: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Direction that is up where there is no gravity, in the world's axes."""

    def __post_init__(self) -> None:
        from motiform.motion.tree.model.check import check_figure

        check_figure(self)

    # ---------------------------------------------------------------- sizes and names
    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the segments."""
        return tuple(segment.name for segment in self.segments)

    @cached_property
    def layout(self) -> "Layout":
        """Which numbers of q and v belong to which joint, dependent coordinates included."""
        return lay_out(self)

    @cached_property
    def coupled(self) -> "Coupled | None":
        """How dependent coordinates follow the others, or None."""
        from motiform.motion.tree.model.coupling import Coupled

        return Coupled(self) if self.couplings else None

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

    def parent_index(self, n: int) -> int:
        """Return the number of the parent of segment n, −1 for the world."""
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
            if found.shape not in ((), (len(where),)):
                raise InputError("value of a coordinate", where=name, got=repr(value), allowed=f"{len(where)} numbers")
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
            raise InputError("a coordinate that follows another", got=name, remedy="Give the one that leads it.")
        return np.array([kept.index(k) for k in places[name]])

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
    def packed(self) -> "Packed":
        """The figure as arrays that kernels read."""
        from motiform.motion.tree.model.pack import pack

        return pack(self)

    @cached_property
    def single(self) -> "Single | None":
        """Compiled functions of one state with their workspace, or None where Python must help with every state."""
        from motiform.motion.tree.algorithms.single import Single

        simple = not self.couplings and not self.closures and self.packed.kernel_only
        return Single(self.packed) if simple else None

    @cached_property
    def opened(self) -> "Figure":
        """The figure without its closures."""
        return self.replace(closures=()) if self.closures else self

    @cached_property
    def carried(self) -> Array:
        """1 where a velocity moves a segment, (segments, nv of the whole tree)."""
        from motiform.motion.tree.algorithms.kinematics import carried_by

        return carried_by(self)

    def __repr__(self) -> str:
        return (
            f"Figure({self.name!r}: {len(self.segments)} segments, {self.nv} freedoms, {len(self.tags)} tags, "
            f"{self.mass:.4g} kg)"
        )


@dataclass(frozen=True)
class Layout:
    """Where the numbers of each joint are."""

    nq: int
    nv: int
    q: tuple[Array, ...]
    """Places in q of each segment's joint."""
    v: tuple[Array, ...]
    names: tuple[str, ...]
    """Names of the velocities, in their order."""
    places_q: dict[str, Array]
    """Places in q by the name of a plain coordinate, or of a segment."""
    places_v: dict[str, Array]


def _known_field(name: str, kind: Any, where: str) -> None:
    known = tuple(kind.__dataclass_fields__)
    if name not in known:
        raise InputError(
            "no such field", where=where, got=name, allowed=", ".join(known), remedy=closest(str(name), known)
        )


def velocity_names(segment: Segment) -> list[str]:
    """Return the names of a segment's velocities in the figure."""
    joint = segment.joint
    if joint.named:
        return list(joint.names)
    return [segment.name] if joint.nv == 1 else [f"{segment.name}.{name}" for name in joint.names]


def lay_out(figure: Figure) -> Layout:
    """Give every coordinate its place: in the order of the segments, or in the order told."""
    plain = {name for segment in figure.segments if segment.joint.plain for name in velocity_names(segment)}
    blocks: dict[str, tuple[int, list[int]]] = {}  # a plain coordinate alone, other joints as a whole
    for n, segment in enumerate(figure.segments):
        if segment.joint.plain:
            blocks |= {name: (n, [k]) for k, name in enumerate(velocity_names(segment))}
        elif segment.joint.nq:
            key = f"{segment.name}/joint" if segment.name in plain else segment.name
            blocks[key] = (n, list(range(segment.joint.nv)))
    order = list(blocks) if figure.order is None else list(figure.order)
    if sorted(map(str, order)) != sorted(blocks):
        wrong = [name for name in order if name not in blocks] or [name for name in blocks if name not in order]
        raise InputError(
            "order of coordinates",
            where=f"figure {figure.name!r}" if figure.name else "figure",
            got=", ".join(map(str, wrong)) or ", ".join(map(str, order)),
            allowed="each of " + ", ".join(blocks) + " once",
        )
    q = [np.zeros(s.joint.nq, np.int64) for s in figure.segments]
    v = [np.zeros(s.joint.nv, np.int64) for s in figure.segments]
    nq = nv = 0
    names: list[str] = []
    for block in order:
        n, which = blocks[block]
        joint, labels = figure.segments[n].joint, velocity_names(figure.segments[n])
        many = len(which) if joint.plain else joint.nq
        q[n][which if joint.plain else slice(None)] = np.arange(nq, nq + many)
        v[n][which] = np.arange(nv, nv + len(which))
        names += [labels[k] for k in which]
        nq, nv = nq + many, nv + len(which)
    places_q: dict[str, Array] = {}
    places_v: dict[str, Array] = {}
    for n, segment in enumerate(figure.segments):
        labels = velocity_names(segment)
        places_v |= {name: v[n][k : k + 1] for k, name in enumerate(labels)}
        if segment.joint.plain:
            places_q |= {name: q[n][k : k + 1] for k, name in enumerate(labels)}
        key = f"{segment.name}/joint" if segment.name in plain and not segment.joint.plain else segment.name
        places_q.setdefault(key, q[n])
        places_v.setdefault(key, v[n])
    return Layout(nq, nv, tuple(q), tuple(v), tuple(names), places_q, places_v)


def as_names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names as a tuple."""
    if names is not None and (isinstance(names, str) or not hasattr(names, "__iter__")):
        raise InputError("order of coordinates", got=repr(names), allowed="a sequence of names")
    return None if names is None else tuple(names)
