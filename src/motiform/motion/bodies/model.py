"""Models of rigid bodies: properties, forces, and initial states."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry.mass import MassProperties

if TYPE_CHECKING:
    from motiform.geometry import Shape
    from motiform.motion.bodies.pack import PackedBodies

__all__ = ["AIR_DENSITY", "Bodies", "BodiesState", "Body", "Drag", "Environment", "Force", "Load", "Spring"]

AIR_DENSITY = 1.204  # [kg/m³] dry air at 20 °C and 101 325 Pa


def check_vectors(values: ArrayLike, what: str, where: str) -> np.ndarray:
    """Return finite vectors (..., 3)."""
    try:
        array = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be a vector", where=where, got=values, allowed="three numbers") from error
    if array.ndim not in (1, 2) or array.shape[-1] != 3 or not np.isfinite(array).all():
        got = values if array.size < 10 else f"an array of shape {array.shape}"
        raise InputError(f"{what} must be a finite vector", where=where, got=got, allowed="three finite numbers")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Drag:
    """How the air holds a body: −½ ρ |u| R D Rᵀ u at the centre of pressure, and −½ ρ |ω| R S Rᵀ ω."""

    area: ArrayLike
    """Drag coefficient times area along each body axis [m²], (3,), or one number for all."""
    center: ArrayLike = (0.0, 0.0, 0.0)
    """Centre of pressure from the centre of mass, body axes [m], (3,)."""
    spin: ArrayLike = 0.0
    """Drag of rotation about each body axis [m⁵], (3,), or one number for all."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, or many identical ones: `position` and other state fields may have a leading axis."""

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
        if not isinstance(self.name, str) or not self.name:
            raise InputError("a body needs a name", got=self.name, allowed="text")
        if not isinstance(self.properties, MassProperties):
            raise InputError(
                "properties must be MassProperties", where=where, got=self.properties,
                allowed="MassProperties(mass, center, inertia), or shape.mass_properties(density=...)",
            )  # fmt: skip
        color = np.array(self.color, float)
        if color.shape != (3,) or not ((color >= 0) & (color <= 1)).all():
            raise InputError(
                "a color must be three numbers from 0 to 1", where=where, got=self.color,
                allowed="red, green, blue from 0 to 1",
            )  # fmt: skip
        for key in ("position", "velocity", "spin"):
            put(self, key, check_vectors(getattr(self, key), key, where))
        try:
            rotation = np.array(self.rotation, float)
        except (TypeError, ValueError):
            rotation = np.empty(0)
        if rotation.ndim not in (2, 3) or rotation.shape[-2:] != (3, 3) or not np.isfinite(rotation).all():
            raise InputError("rotation must be a matrix", where=where, got=self.rotation, allowed="3×3 finite numbers")
        off = np.abs(np.swapaxes(rotation, -1, -2) @ rotation - np.eye(3)).max(initial=0.0)
        if off > 1e-9 or np.any(np.linalg.det(rotation) < 0):
            raise InputError(
                "rotation must be orthonormal", where=where, got=f"|RᵀR − 1| = {off:.2g}",
                allowed="orthonormal, right-handed",
            )  # fmt: skip
        rotation.flags.writeable = False
        put(self, "rotation", rotation)
        if self.pivot is not None:
            pivot = check_vectors(self.pivot, "pivot", where)
            if pivot.ndim != 1:
                raise InputError("pivot must be one point", where=where, got=f"shape {pivot.shape}", allowed="(3,)")
            put(self, "pivot", pivot)
            if np.any(self.velocity):
                raise InputError("a pinned body has no velocity of its own", where=where, remedy="Give spin.")
        given = [(np.asarray(a), n) for a, n in ((self.position, 2), (rotation, 3), (self.velocity, 2), (self.spin, 2))]
        counts = {len(array) for array, dimensions in given if array.ndim == dimensions}
        if len(counts) > 1:
            raise InputError("numbers of copies differ", where=where, got=sorted(counts), allowed="one number, or none")
        if 0 in counts:
            raise InputError("a body must have at least one copy", where=where, got=0, allowed="one or more")
        put(self, "_count", counts.pop() if counts else None)

    @property
    def count(self) -> int:
        """Number of identical bodies."""
        return self._count if self._count is not None else 1  # type: ignore[attr-defined]

    @property
    def many(self) -> bool:
        """Whether the body was given with a leading axis of copies."""
        return self._count is not None  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class BodiesState:
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
    def from_rows(cls, rows: np.ndarray) -> "BodiesState":
        """Read the rows (n, 18) that kernels work on; what it gives cannot be written."""
        rows = rows.view()
        rows.flags.writeable = False
        return cls(rows[:, 0:3], rows[:, 3:12].reshape(-1, 3, 3), rows[:, 12:15], rows[:, 15:18])

    def replace(self, **changes: np.ndarray) -> "BodiesState":
        """Return the state with some of its arrays changed: ``state.replace(momentum=-state.momentum)``."""
        return replace(self, **changes)

    def rows(self) -> np.ndarray:
        """Return the rows (n, 18) that kernels work on."""
        n = len(self.position)
        return np.hstack([self.position, self.rotation.reshape(n, 9), self.momentum, self.angular_momentum])


Force = Callable[[float, BodiesState], tuple[np.ndarray, np.ndarray]]
"""force(t, state) gives forces [N] and torques about the centres of mass [N m], world axes, (n, 3) each."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """Rigid bodies and what acts on them. Frozen; `replace` gives a changed one."""

    bodies: tuple[Body, ...]
    springs: tuple[Spring, ...] = ()
    loads: tuple[Load, ...] = ()
    environment: Environment = field(default_factory=Environment)

    def __post_init__(self) -> None:
        for key, kind in (("bodies", Body), ("springs", Spring), ("loads", Load)):
            given = getattr(self, key)
            found = tuple(given) if isinstance(given, Iterable) else (given,)
            if not all(isinstance(one, kind) for one in found):
                raise InputError(
                    f"{key} must be {kind.__name__} objects", got=given, allowed=f"{kind.__name__}, one or several"
                )
            object.__setattr__(self, key, found)
        if not self.bodies:
            raise InputError("a model must have a body", remedy="Give at least one body.")
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
    def packed(self) -> "PackedBodies":
        """The model as the arrays that kernels take."""
        from motiform.motion.bodies.pack import pack

        return pack(self)

    def initial_state(self) -> BodiesState:
        """Return the state at the start."""
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [_start(body) for body in self.bodies]
        for body, numbers in zip(self.bodies, parts, strict=True):
            if not all(np.isfinite(array).all() for array in numbers):
                raise InputError("the numbers at the start must be finite", where=f"body {body.name!r}")
        return BodiesState(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def find(self, name: str, where: str) -> Body:
        """Return the body of that name."""
        for body in self.bodies:
            if body.name == name:
                return body
        names = [body.name for body in self.bodies]
        raise InputError("unknown body", where=where, got=name, allowed=", ".join(names), remedy=closest(name, names))


def pivot_inertia(body: Body) -> np.ndarray:
    """Return the inertia that belongs to the angular momentum: about the centre of mass, or about the pivot."""
    return body.properties.inertia if body.pivot is None else body.properties.about(body.pivot)


def lever(body: Body) -> np.ndarray:
    """Return the centre of mass from the pivot, body axes [m]."""
    return body.properties.com - np.asarray(body.pivot)


def _start(body: Body) -> tuple[np.ndarray, ...]:
    n = body.count
    rotation = np.broadcast_to(body.rotation, (n, 3, 3))
    position = np.broadcast_to(body.position, (n, 3)) + rotation @ body.properties.com
    spin = np.broadcast_to(body.spin, (n, 3))
    if body.pivot is None:
        velocity = np.broadcast_to(body.velocity, (n, 3))
    else:
        velocity = np.einsum("nij,nj->ni", rotation, np.cross(spin, lever(body)))
    momentum = body.properties.mass * velocity
    return position, rotation, momentum, np.einsum("nij,nj->ni", rotation, spin @ pivot_inertia(body).T)
