"""Networks: point masses and the links between them, as a model and as a state."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws.links import Friction, ZoneLaw
from motiform.motion.matter.model.fitting import check_group, check_network
from motiform.motion.matter.model.look import GroupLook
from motiform.motion.matter.model.topology import GridLinks
from motiform.motion.run.functions import call, check_numbers
from motiform.spatial.checks import Words

if TYPE_CHECKING:
    from motiform import geometry
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw
    from motiform.spatial import Transform

__all__ = [
    "FREQUENCY", "Bundle", "Group", "Input", "Network", "NetworkSolid", "NetworkState", "Piston", "Reach", "Signal",
]  # fmt: skip

FREQUENCY = 1050.0  # [Hz] 42 × 25 film frames, and 44100 = 42 × 1050 [Habibi97 2.4]
GRAVITY = (0.0, -9.81, 0.0)


@dataclass(frozen=True, eq=False)
class Signal:
    """Vectors over time for some points: samples at a rate, or a function of time."""

    values: Any
    """Samples (samples, points, 3) or (samples, 3), or a function of time [s] that gives (points, 3) or (3,)."""
    rate: float | None = None
    """Of the samples [Hz]; between them the values change linearly, after the last they stay."""

    def at(self, n: int, rate: float, count: int, *, spread: bool = True) -> np.ndarray:
        """Return the vectors (count, 3) at step n of a network's frequency; at a rate of its own exactly the samples.

        One vector is that of all points, unless it may not be `spread`: places of several points differ.
        """
        if callable(self.values):
            where = f"t = {n / rate:.6g} s"
            answer = call(self.values, n / rate, what="a signal", where=where)
            one = spread and np.shape(answer) == (3,)
            allowed = f"(3,) or ({count}, 3)" if spread else f"({count}, 3)"
            found = check_numbers(answer, (3,) if one else (count, 3), what="a signal", where=where, allowed=allowed)
        elif self.rate == rate:
            found = self.values[min(n, len(self.values) - 1)]
        else:
            place = min(n * (self.rate / rate), len(self.values) - 1.0)  # type: ignore[operator]
            low = min(int(place), max(len(self.values) - 2, 0))
            high, part = min(low + 1, len(self.values) - 1), place - low
            found = self.values[low] * (1 - part) + self.values[high] * part
        if found.shape not in ((3,), (count, 3)):
            got, allowed = f"shape {found.shape}", f"(3,) or ({count}, 3)"
            raise InputError("a signal must give one vector, or one for each point", got=got, allowed=allowed)
        return np.broadcast_to(found, (count, 3))

    def over(self, first: int, steps: int, rate: float, count: int, *, spread: bool = True) -> np.ndarray:
        """Return the vectors (steps, count, 3) from step `first` on, each as `at` gives it."""
        number = range(first, first + steps)
        found = np.zeros(0)
        if callable(self.values):
            with suppress(Exception):  # whatever is wrong with an answer, `at` says it
                found = np.array([self.values(n / rate) for n in number], float)
        elif self.rate == rate and isinstance(self.values, np.ndarray):
            found = self.values[np.minimum(number, len(self.values) - 1)]
        if found.shape in ((steps, 3), (steps, count, 3)) and np.isfinite(found).all() and (spread or found.ndim == 3):
            return np.broadcast_to(found.reshape(steps, -1, 3), (steps, count, 3))
        vectors = [self.at(n, rate, count, spread=spread) for n in number]
        return np.stack(vectors) if vectors else np.empty((0, count, 3))


@dataclass(frozen=True, eq=False)
class Group:
    """A group of points: masses, fixed points, or points with prescribed motion."""

    name: str
    kind: Literal["masses", "fixed", "imposed"]
    first: int
    """Index of its first point among all."""
    position: np.ndarray
    """At the start [m], (points, 3)."""
    velocity: np.ndarray
    """At the start [m/s], (points, 3)."""
    mass: np.ndarray
    """[kg], (points,); infinite for points that links do not move."""
    free: np.ndarray
    """Axes along which each point moves, bits 1, 2, 4 for x, y, z, (points,)."""
    drag: np.ndarray
    """Force by speed through the air [N s/m], (points,)."""
    radius: np.ndarray
    """Of the ball that a point stands for [m], (points,): drawn so, and gaps by range are between such balls."""
    color: tuple[float, float, float] = (0.62, 0.68, 0.76)
    motion: Signal | None = None
    """Where imposed points are."""
    inertia: np.ndarray | None = None
    """Moments of inertia of balls that rotate [kg m²], (points,), the same about all axes; None: they do not."""
    angular_velocity: np.ndarray | None = None
    """At the start [rad/s], (points, 3), world axes, of balls that rotate."""
    every: int = 1
    """Steps from one working of gravity and drag to the next: a sub-rate, as of links."""

    def __post_init__(self) -> None:
        check_group(self)

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.position)

    @property
    def indices(self) -> np.ndarray:
        """Indices of its points among all, (points,)."""
        return np.arange(self.first, self.first + self.count)


@dataclass(frozen=True, eq=False)
class Bundle:
    """Links with one law, between pairs of points."""

    name: str
    pairs: np.ndarray
    """Indices of their ends, (links, 2)."""
    law: "ZoneLaw | AutomatonLaw"
    axis: int = -1
    """The axis along which distances and forces are; −1: along the line between the ends."""
    acts: Literal["both", "first", "second"] = "both"
    """Whose motion the links act on: a link that acts on its second end only lets the first drive it."""
    grid: GridLinks | None = None
    """The regular grid that the links are of, whose kernels are faster."""
    record: bool = False
    """Whether lengths, tensions and states are kept."""
    every: int = 1
    """Steps from one working of the links to the next: a sub-rate, at which they push that much longer at a time."""

    @property
    def count(self) -> int:
        """Number of links."""
        return len(self.pairs)


@dataclass(frozen=True, eq=False)
class Piston:
    """Pistons: one tension for several pairs, of the sum of their lengths along axes [Habibi97 7.64]."""

    name: str
    pairs: np.ndarray
    """(pistons, pairs, 2)"""
    axes: np.ndarray
    """Axis of each pair, (pairs,)."""
    law: ZoneLaw

    @property
    def count(self) -> int:
        """Number of pistons."""
        return len(self.pairs)


@dataclass(frozen=True, eq=False)
class Reach:
    """Links between all points of two sets that come within range of one another."""

    name: str
    points: np.ndarray
    """Indices of the points of both sets, rising, (points,)."""
    role: np.ndarray
    """Bit 1: in the first set, bit 2: in the second, (points,)."""
    body: np.ndarray
    """Points of one body (a number that is not −1) do not act on one another, (points,)."""
    law: "ZoneLaw | AutomatonLaw"
    friction: Friction | None = None
    acts: Literal["both", "first", "second"] = "both"
    """Whose motion the links act on: those that act on the second set only let the first drive it."""

    @property
    def acted(self) -> np.ndarray:
        """Indices of the points that are acted on."""
        if self.acts == "both":
            return self.points
        return self.points[(self.role & (1 if self.acts == "first" else 2)) != 0]


@dataclass(frozen=True, eq=False)
class NetworkSolid:
    """A shape that points push against: static, or moved from outside."""

    name: str
    shape: "geometry.Solid"
    placement: "Transform"
    points: np.ndarray
    """Indices of the points that it meets, (points,)."""
    law: ZoneLaw
    """Of the gap between a point's ball and the surface."""
    friction: Friction | None = None
    color: tuple[float, float, float] | None = None
    motion: Callable[[float], "Transform"] | None = None
    """Its placement as a function of time [s], asked from one step before the start on."""


@dataclass(frozen=True, eq=False)
class Input:
    """Forces given to points from outside."""

    name: str
    points: np.ndarray
    signal: Signal
    """[N]"""
    every: int = 1
    """Steps from one working to the next, so much stronger: a sub-rate, as of links."""


@dataclass(frozen=True, eq=False)
class NetworkState:
    """Where the points are, at this sample and at the one before it: velocity is their difference [Habibi97 1.2]."""

    position: np.ndarray
    """[m], (points, 3)"""
    previous: np.ndarray
    """[m], (points, 3)"""
    sample: int = 0
    angular_velocity: np.ndarray | None = None
    """Of the step that led here [rad/s], (points, 3), world axes; None where no ball rotates."""
    orientation: np.ndarray | None = None
    """Quaternions (w, x, y, z), (points, 4), the identity at the start; None where no ball rotates."""
    friction_loss: float = 0.0
    """Energy that friction has taken from balls that rotate since the start [J]."""

    def velocity(self, frequency: float) -> np.ndarray:
        """Return the velocities (X_n − X_{n−1})/Te [m/s], (points, 3)."""
        return (self.position - self.previous) * frequency


@dataclass(frozen=True, eq=False)
class Network:
    """Point masses, links between them, and what acts from outside. Made by `NetworkBuilder.build`."""

    groups: tuple[Group, ...]
    bundles: tuple[Bundle, ...] = ()
    pistons: tuple[Piston, ...] = ()
    reaches: tuple[Reach, ...] = ()
    solids: tuple[NetworkSolid, ...] = ()
    inputs: tuple[Input, ...] = ()
    frequency: float = FREQUENCY
    """Steps a second [Hz]."""
    gravity: tuple[float, float, float] = GRAVITY
    """[m/s²]"""
    wind: Signal = field(default_factory=lambda: Signal(np.zeros((1, 3)), None))
    """Of the air that points with drag feel [m/s]."""
    exposed: dict[str, np.ndarray] = field(default_factory=dict)
    """Points that a module shows to others, by name."""
    keep_velocity: bool = False
    """Whether velocities of all points are recorded."""
    looks: dict[str, GroupLook] = field(default_factory=dict)
    """How groups, bundles and solids are drawn, by name."""

    def __post_init__(self) -> None:
        check_network(self)

    @property
    def step(self) -> float:
        """Time of a step Te [s]."""
        return 1.0 / self.frequency

    @cached_property
    def count(self) -> int:
        """Number of points."""
        return sum(group.count for group in self.groups)

    @cached_property
    def mass(self) -> np.ndarray:
        """[kg], (points,); infinite for points that links do not move."""
        return self._joined("mass")

    @cached_property
    def movable(self) -> np.ndarray:
        """Whether links move a point, (points,)."""
        return np.isfinite(self.mass)

    @cached_property
    def radius(self) -> np.ndarray:
        """[m], (points,)"""
        return self._joined("radius")

    @cached_property
    def inertia(self) -> np.ndarray:
        """Moments of inertia [kg m²], (points,); 0 for points that do not rotate."""
        none = [group.inertia if group.inertia is not None else np.zeros(group.count) for group in self.groups]
        return np.where(self.movable, np.concatenate(none), 0.0)

    @cached_property
    def spins(self) -> bool:
        """Whether any ball rotates."""
        return bool(self.inertia.any())

    @cached_property
    def link_count(self) -> int:
        """Number of links that are always there."""
        return sum(bundle.count for bundle in self.bundles) + sum(piston.count for piston in self.pistons)

    def _joined(self, key: str) -> np.ndarray:
        return np.concatenate([getattr(group, key) for group in self.groups])

    def initial_state(self) -> NetworkState:
        """Return the state at the start: X₋₁ = X₀ − V₀ Te."""
        position = self._joined("position")
        before = position - self._joined("velocity") * self.step
        if not self.spins:
            return NetworkState(position, before)
        rates = [g.angular_velocity if g.angular_velocity is not None else np.zeros((g.count, 3)) for g in self.groups]
        identity = np.tile([1.0, 0.0, 0.0, 0.0], (self.count, 1))
        rate = np.where(self.inertia[:, None] > 0, np.concatenate(rates), 0.0)
        return NetworkState(position, before, angular_velocity=rate, orientation=identity)

    def group(self, name: str) -> Group:
        """Return a group of points by name."""
        return _named(self.groups, name, "group of points")

    def bundle(self, name: str) -> Bundle:
        """Return a bundle of links by name."""
        return _named(self.bundles, name, "bundle of links")

    def points(self, name: str) -> np.ndarray:
        """Return the indices of a group, or of points that a module shows."""
        return self.exposed[name] if name in self.exposed else self.group(name).indices

    def point_name(self, index: int) -> str:
        """Return the name of a point: its group and its index in it."""
        group = next((g for g in self.groups if g.first <= index < g.first + g.count), None)
        if group is None:
            raise InputError("a point must be one of the network", got=index, allowed=f"0 to {self.count - 1}")
        return group.name if group.count == 1 else f"{group.name}[{index - group.first}]"

    def replace(self, **changes: Any) -> "Network":
        """Return a changed network."""
        return replace(self, **changes)


def _named(things: Any, name: str, kind: str) -> Any:
    for thing in things:
        if thing.name == name:
            return thing
    names = [thing.name for thing in things]
    raise InputError(f"no such {kind}", got=name, allowed=", ".join(names) or "none", remedy=closest(name, names))


def check_array(values: ArrayLike, what: str, where: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return finite numbers spread to a shape."""
    try:
        array = np.asarray(values, float)
        spread = np.array(np.broadcast_to(array, shape))
    except (TypeError, ValueError, OverflowError) as error:
        got = f"an array of shape {values.shape}" if isinstance(values, np.ndarray) else repr(values)[:80]
        raise InputError(
            f"{what} does not fit", where=where, got=Words(got), allowed=f"numbers of shape {shape}"
        ) from error
    if not np.isfinite(spread).all():
        at = np.argwhere(~np.isfinite(spread))[0].tolist()
        raise InputError(
            f"{what} is not finite", where=where, got=f"{spread[tuple(at)]} at {at}", allowed="finite numbers"
        )
    spread.flags.writeable = False
    return spread
