"""Rigid bodies as a model: what they are, what acts on them, and where they start."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry.mass import MassProperties

if TYPE_CHECKING:
    from motiform.geometry import Shape

__all__ = ["AIR_DENSITY", "Bodies", "Body", "Drag", "Environment", "Load", "Spring", "State"]

AIR_DENSITY = 1.204  # [kg/m³] dry air at 20 °C and 101 325 Pa


def _vectors(values: ArrayLike, what: str, where: str) -> np.ndarray:
    """Return finite vectors (..., 3)."""
    try:
        array = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is not a vector", where=where, got=values, allowed="three numbers") from error
    if array.ndim not in (1, 2) or array.shape[-1] != 3 or not np.isfinite(array).all():
        got = values if array.size < 10 else f"an array of shape {array.shape}"
        raise InputError(f"{what} is not a finite vector", where=where, got=got, allowed="three finite numbers")
    return array


def _number(value: float, what: str, where: str, *, least: float | None = None, above: float | None = None) -> float:
    if not np.isfinite(value) or (least is not None and value < least) or (above is not None and value <= above):
        bound = f"at least {least}" if least is not None else f"above {above}" if above is not None else "finite"
        raise InputError(f"{what} is out of range", where=where, got=value, allowed=f"a finite number, {bound}")
    return float(value)


@dataclass(frozen=True)
class Drag:
    """How the air holds a body: −½ ρ |u| R D Rᵀ u at the centre of pressure, and −½ ρ |ω| R S Rᵀ ω."""

    area: ArrayLike
    """Drag coefficient times area along each body axis [m²], (3,), or one number for all."""
    center: ArrayLike = (0.0, 0.0, 0.0)
    """Centre of pressure from the centre of mass, body axes [m], (3,)."""
    spin: ArrayLike = 0.0
    """Drag of rotation about each body axis [m⁵], (3,), or one number for all."""


@dataclass(frozen=True)
class Body:
    """A rigid body, or many alike: `position` and its kin may have a leading axis of that many."""

    name: str
    properties: MassProperties
    """Mass, centre of mass and inertia, in the axes of the shape."""
    shape: "Shape | None" = None
    position: ArrayLike = (0.0, 0.0, 0.0)
    """Origin of the shape in the world [m], (3,) or (count, 3)."""
    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))
    """Axes of the shape in the world, (3, 3) or (count, 3, 3)."""
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    """Of the centre of mass, in the world [m/s], (3,) or (count, 3). Not used for a pinned body."""
    spin: ArrayLike = (0.0, 0.0, 0.0)
    """Angular velocity in the axes of the shape [rad/s], (3,) or (count, 3)."""
    pivot: ArrayLike | None = None
    """Point of the shape that is pinned to where it starts [m], shape's frame; None: the body is free."""
    drag: Drag | None = None
    color: ArrayLike = (0.62, 0.68, 0.76)
    """Red, green, blue from 0 to 1."""

    def __post_init__(self) -> None:
        where = f"body {self.name!r}"
        put = object.__setattr__
        for key in ("position", "velocity", "spin"):
            put(self, key, _vectors(getattr(self, key), key, where))
        try:
            rotation = np.array(self.rotation, float)
        except (TypeError, ValueError):
            rotation = np.empty(0)
        if rotation.ndim not in (2, 3) or rotation.shape[-2:] != (3, 3) or not np.isfinite(rotation).all():
            raise InputError("rotation is not a matrix", where=where, got=self.rotation, allowed="3×3 finite numbers")
        off = np.abs(np.swapaxes(rotation, -1, -2) @ rotation - np.eye(3)).max(initial=0.0)
        if off > 1e-9 or np.any(np.linalg.det(rotation) < 0):
            raise InputError(
                "rotation is not a rotation",
                where=where,
                got=f"|RᵀR − 1| = {off:.2g}",
                allowed="orthonormal, right-handed",
            )
        put(self, "rotation", rotation)
        if self.pivot is not None:
            pivot = _vectors(self.pivot, "pivot", where)
            if pivot.ndim != 1:
                raise InputError("pivot is not one point", where=where, got=f"shape {pivot.shape}", allowed="(3,)")
            put(self, "pivot", pivot)
        given = [(np.asarray(a), n) for a, n in ((self.position, 2), (rotation, 3), (self.velocity, 2), (self.spin, 2))]
        counts = {len(array) for array, dimensions in given if array.ndim == dimensions}
        if len(counts) > 1:
            raise InputError("numbers of copies differ", where=where, got=sorted(counts), allowed="one number, or none")
        if 0 in counts:
            raise InputError("a body without copies", where=where, got=0, allowed="one or more")
        put(self, "_count", counts.pop() if counts else None)

    @property
    def count(self) -> int:
        """Number of bodies alike."""
        return self._count if self._count is not None else 1  # type: ignore[attr-defined]

    @property
    def many(self) -> bool:
        """Whether the body was given with a leading axis of copies."""
        return self._count is not None  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Spring:
    """A spring with a damper along it, between points of two bodies, or of a body and the world (None)."""

    a: str | None
    b: str | None
    stiffness: float
    """[N/m]"""
    at_a: ArrayLike = (0.0, 0.0, 0.0)
    """End in the frame of a's shape, or in the world where a is None [m]."""
    at_b: ArrayLike = (0.0, 0.0, 0.0)
    damping: float = 0.0
    """[N s/m]"""
    rest: float | None = None
    """Rest length [m]; None: its length at the start."""


@dataclass(frozen=True)
class Load:
    """A force at a point of a body and a torque, between two instants."""

    body: str
    force: ArrayLike = (0.0, 0.0, 0.0)
    """[N]"""
    torque: ArrayLike = (0.0, 0.0, 0.0)
    """[N m]"""
    at: ArrayLike | None = None
    """Point of the shape's frame at which the force acts [m]; None: the centre of mass."""
    follows: bool = False
    """Whether force and torque turn with the body (True) or keep their direction in the world."""
    start: float = 0.0
    """[s]"""
    until: float = np.inf
    """[s]"""


@dataclass(frozen=True)
class Environment:
    """Gravity and air. Wind: w + g sin(2π (n·x/λ − t/T))."""

    gravity: ArrayLike = (0.0, -9.81, 0.0)
    """[m/s²]"""
    air_density: float = AIR_DENSITY
    """[kg/m³]; bodies without `drag` do not feel the air."""
    wind: ArrayLike = (0.0, 0.0, 0.0)
    """Mean wind w [m/s]."""
    gust: ArrayLike = (0.0, 0.0, 0.0)
    """Amplitude g of the gusts [m/s]."""
    gust_direction: ArrayLike = (1.0, 0.0, 0.0)
    """Direction n in which gusts travel."""
    gust_length: float = 10.0
    """Wavelength λ [m]."""
    gust_period: float = 5.0
    """Period T [s]."""


@dataclass(frozen=True)
class State:
    """The numbers that change: of n bodies, in the order of the model."""

    position: np.ndarray
    """Centres of mass in the world [m], (n, 3)."""
    rotation: np.ndarray
    """Body axes in the world, (n, 3, 3)."""
    momentum: np.ndarray
    """[kg m/s], world, (n, 3)."""
    angular_momentum: np.ndarray
    """About the centre of mass, or about the pivot of a pinned body [kg m²/s], world, (n, 3)."""

    @classmethod
    def from_rows(cls, rows: np.ndarray) -> "State":
        """Read the rows (n, 18) that kernels work on."""
        return cls(rows[:, 0:3], rows[:, 3:12].reshape(-1, 3, 3), rows[:, 12:15], rows[:, 15:18])

    def rows(self) -> np.ndarray:
        """Return the rows (n, 18) that kernels work on."""
        n = len(self.position)
        return np.hstack([self.position, self.rotation.reshape(n, 9), self.momentum, self.angular_momentum])


@dataclass(frozen=True)
class Bodies:
    """Rigid bodies and what acts on them. Frozen; `replace` gives a changed one."""

    bodies: tuple[Body, ...]
    springs: tuple[Spring, ...] = ()
    loads: tuple[Load, ...] = ()
    environment: Environment = field(default_factory=Environment)

    def __post_init__(self) -> None:
        for key in ("bodies", "springs", "loads"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        if not self.bodies:
            raise InputError("a model without bodies", remedy="Give at least one body.")
        names = [body.name for body in self.bodies]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InputError("two bodies have one name", got=twice[0], remedy="Names must differ.")

    def replace(self, **changes: Any) -> "Bodies":
        """Return the model with some fields changed."""
        return replace(self, **changes)

    @property
    def count(self) -> int:
        """Number of bodies, copies counted."""
        return sum(body.count for body in self.bodies)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Rows of each named body in arrays over all of them."""
        ends = np.cumsum([body.count for body in self.bodies]).tolist()
        return {b.name: slice(end - b.count, end) for b, end in zip(self.bodies, ends, strict=True)}

    @cached_property
    def packed(self) -> "Packed":
        """The model as the arrays that kernels take."""
        return pack(self)

    def initial_state(self) -> State:
        """Return the state at the start."""
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [_start(body) for body in self.bodies]
        for body, numbers in zip(self.bodies, parts, strict=True):
            if not all(np.isfinite(array).all() for array in numbers):
                raise InputError("it starts with numbers that are too large", where=f"body {body.name!r}")
        return State(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def find(self, name: str, where: str) -> Body:
        """Return the body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        names = [body.name for body in self.bodies]
        raise InputError("unknown body", where=where, got=name, allowed=", ".join(names), remedy=closest(name, names))


@dataclass(frozen=True)
class Packed:
    """A model as arrays; the columns are those of motion.bodies.kernels."""

    bodies: np.ndarray
    environment: np.ndarray
    load_starts: np.ndarray
    loads: np.ndarray
    ends: np.ndarray
    partners: np.ndarray
    springs: np.ndarray

    @property
    def alone(self) -> bool:
        """Whether no body acts on another and none hangs on a spring."""
        return len(self.partners) == 0


def _about(body: Body) -> np.ndarray:
    """Return the inertia that belongs to the angular momentum: about the centre of mass, or about the pivot."""
    return body.properties.inertia if body.pivot is None else body.properties.about(body.pivot)


def _lever(body: Body) -> np.ndarray:
    """Return the centre of mass from the pivot, body axes [m]."""
    return body.properties.center - np.asarray(body.pivot)


def _start(body: Body) -> tuple[np.ndarray, ...]:
    n = body.count
    rotation = np.broadcast_to(body.rotation, (n, 3, 3))
    position = np.broadcast_to(body.position, (n, 3)) + rotation @ body.properties.center
    spin = np.broadcast_to(body.spin, (n, 3))
    if body.pivot is None:
        velocity = np.broadcast_to(body.velocity, (n, 3))
    else:
        velocity = np.einsum("nij,nj->ni", rotation, np.cross(spin, _lever(body)))
    momentum = body.properties.mass * velocity
    return position, rotation, momentum, np.einsum("nij,nj->ni", rotation, spin @ _about(body).T)


def pack(model: Bodies) -> Packed:
    """Return the model as arrays for kernels, checked."""
    from motiform.motion.bodies import kernels as k

    table = np.zeros((model.count, k.CONSTANTS))
    for body in model.bodies:
        rows = table[model.slices[body.name]]
        inertia = _about(body)
        rows[:, k.MASS] = body.properties.mass
        rows[:, k.INERTIA : k.INERTIA + 9] = inertia.ravel()
        rows[:, k.INVERSE : k.INVERSE + 9] = np.linalg.inv(inertia).ravel()
        if body.pivot is not None:
            rows[:, k.PINNED] = 1.0
            pivot = np.asarray(body.rotation) @ np.asarray(body.pivot)
            rows[:, k.PIVOT : k.PIVOT + 3] = np.asarray(body.position) + pivot
            rows[:, k.LEVER : k.LEVER + 3] = _lever(body)
        if body.drag is not None:
            where = f"drag of body {body.name!r}"
            area, spin = (np.broadcast_to(np.array(a, float), 3) for a in (body.drag.area, body.drag.spin))
            if not (np.isfinite(area).all() and np.isfinite(spin).all() and (area >= 0).all() and (spin >= 0).all()):
                raise InputError(
                    "drag is out of range", where=where, got=body.drag, allowed="finite numbers, at least 0"
                )
            rows[:, k.DRAG : k.DRAG + 3], rows[:, k.SPIN_DRAG : k.SPIN_DRAG + 3] = area, spin
            rows[:, k.PRESSURE : k.PRESSURE + 3] = _vectors(body.drag.center, "centre of pressure", where)
    return Packed(table, _pack_environment(model), *_pack_loads(model), *_pack_springs(model))


def _pack_environment(model: Bodies) -> np.ndarray:
    from motiform.motion.bodies import kernels as k

    given, where = model.environment, "environment"
    env = np.zeros(k.ENVIRONMENT)
    env[k.GRAVITY : k.GRAVITY + 3] = _vectors(given.gravity, "gravity", where)
    if any(body.drag is not None for body in model.bodies):
        env[k.AIR] = _number(given.air_density, "air density", where, least=0.0)
    env[k.WIND : k.WIND + 3] = _vectors(given.wind, "wind", where)
    env[k.GUST : k.GUST + 3] = _vectors(given.gust, "gust", where)
    direction = _vectors(given.gust_direction, "gust direction", where)
    length = _number(given.gust_length, "gust length", where, above=0.0)
    size = _number(float(np.linalg.norm(direction)), "length of the gust direction", where, above=0.0)
    env[k.WAVE : k.WAVE + 3] = 2 * np.pi / length * direction / size
    env[k.PULSE] = 2 * np.pi / _number(given.gust_period, "gust period", where, above=0.0)
    return env


def _rows_by_body(model: Bodies, rows: list[tuple[int, np.ndarray, int]], width: int) -> tuple[np.ndarray, ...]:
    """Sort rows (body, numbers, partner) by body: where each body's begin, the numbers, the partners."""
    order = sorted(range(len(rows)), key=lambda n: rows[n][0])
    starts = np.zeros(model.count + 1, np.int64)
    for body, _, _ in rows:
        starts[body + 1] += 1
    table = np.array([rows[n][1] for n in order], float).reshape(-1, width)
    return np.cumsum(starts), table, np.array([rows[n][2] for n in order], np.int64)


def _pack_loads(model: Bodies) -> tuple[np.ndarray, np.ndarray]:
    from motiform.motion.bodies import kernels as k

    rows = []
    for n, load in enumerate(model.loads):
        where = f"load {n + 1}"
        body = model.find(load.body, where)
        if np.isnan(load.start) or np.isnan(load.until) or load.until <= load.start:
            raise InputError("the load never acts", where=where, got=f"from {load.start} until {load.until} s")
        point = np.zeros(3) if load.at is None else _vectors(load.at, "point", where) - body.properties.center
        force, torque = _vectors(load.force, "force", where), _vectors(load.torque, "torque", where)
        numbers = np.hstack([force, torque, point, float(load.follows), load.start, load.until])
        rows += [(i, numbers, -1) for i in range(*model.slices[body.name].indices(model.count))]
    starts, table, _ = _rows_by_body(model, rows, k.LOAD)
    return starts, table


def _pack_springs(model: Bodies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from motiform.motion.bodies import kernels as k

    start = model.initial_state()
    rows = []
    for n, spring in enumerate(model.springs):
        where = f"spring {n + 1}"
        if spring.a == spring.b:
            raise InputError("a spring needs two different ends", where=where, got=f"{spring.a} and {spring.b}")
        index, points, places = [], [], []
        for name, at in ((spring.a, spring.at_a), (spring.b, spring.at_b)):
            i, point = -1, _vectors(at, "end", where)
            place = point
            if name is not None:
                body = model.find(name, where)
                if body.many:
                    raise InputError("a spring cannot hold many copies at once", where=where, got=name)
                i, point = model.slices[name].start, point - body.properties.center
                place = start.position[i] + start.rotation[i] @ point
            index.append(i)
            points.append(point)
            places.append(place)
        length = float(np.linalg.norm(places[1] - places[0]))
        rest = length if spring.rest is None else _number(spring.rest, "rest length", where, least=0.0)
        law = [
            _number(spring.stiffness, "stiffness", where, least=0.0),
            _number(spring.damping, "damping", where, least=0.0),
            rest,
        ]
        for one, other in ((0, 1), (1, 0)):
            if index[one] >= 0:
                rows.append((index[one], np.hstack([points[one], points[other], law]), index[other]))
    ends, table, partners = _rows_by_body(model, rows, k.SPRING)
    return ends, partners, table
