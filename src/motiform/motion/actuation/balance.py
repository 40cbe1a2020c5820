"""Balance: efforts that keep a standing figure upright against pushes.

At each call the accelerations a and the forces f of the soles are sought that come nearest to what tasks ask for,

    min Σ w² (H a + h − Q̈)²,  Q̈ = ω² (Q* − Q) − 2 ζ ω dQ/dt,

Q being the centre of mass, the turn of the trunk and the posture, under the laws that nobody can break: the soles
press, within friction pyramids, where they touch; undriven coordinates get what contact forces give; feet stay. While
the centre of pressure is inside the feet the centre of mass is served by the ankles alone; at the edge of the feet
forces are exhausted, and what is left is done by the angular momentum of trunk and arms.  [Horak86, Herzog16]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.actuation.commands import SampledLaw
from motiform.motion.actuation.motors import TorqueDrives, velocity_places
from motiform.motion.actuation.tasks import CenterTask, OrientationTask, PostureTask, TagTask, TaskFunction, TaskValues
from motiform.motion.run import check_number
from motiform.motion.tree import ActuatorChannel, Figure, FigureState, inertia_matrix, inverse_dynamics
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["BALANCE_QUANTITIES", "BalanceDrives", "BalanceLaw", "capture_impulse"]

BALANCE_QUANTITIES = ("effort", "center", "capture")
"""Quantities that are recorded."""
_SMALL = 1e-4  # weight of the size of contact forces [m/s²/N] beside that of accelerations
_TOUCH = 2e-3  # [m] above its place at the start up to which a point of a sole can press
_RANK = 1e-8
_FALLEN = 0.7  # of the height of the centre of mass at the start: below it the joints go limp


def capture_impulse(mass: float, height: float, reach: float, gravity: float = 9.81) -> float:
    """Return the largest impulse [N·s] at the centre of mass that ankles alone can stand: m ω₀ d, ω₀² = g/height.

    Of an inverted pendulum whose centre of pressure moves by `reach` [m] at most: c + ċ/ω₀ must stay above it. [Hof05]
    """
    for name, value in (("mass", mass), ("height", height), ("reach", reach), ("gravity", gravity)):
        check_number(value, name, "capture_impulse", above=0.0)
    return float(mass * np.sqrt(gravity / height) * reach)


class _Wanted(NamedTuple):
    """Rows of the tasks at a state: weighted H and Q̈ − h."""

    rows: Array
    drawn: Array


@dataclass(frozen=True, eq=False)
class BalanceLaw:
    """Efforts of the driven coordinates that keep a figure standing, for `SampledLaw`; of one that has fallen, none."""

    figure: Figure
    driven: Sequence[str]
    """Coordinates with drives."""
    soles: Sequence[str]
    """Tags that touch level ground at the start."""
    q0: ArrayLike
    """Posture to keep, (nq,); its centre of mass is the place to go back to."""
    frequency: float = 0.6
    """ω/2π of the centre of mass [Hz]"""
    posture_frequency: float = 1.0
    """ω/2π of trunk and posture [Hz]"""
    ratio: float = 1.0
    """ζ"""
    friction: float = 0.5
    """Of the soles; a pyramid inside Coulomb's cone."""
    weights: tuple[float, float, float] = (10.0, 1.0, 0.5)
    """Of the centre of mass, the trunk's turn, and each coordinate of the posture."""

    def __post_init__(self) -> None:
        for name in ("frequency", "posture_frequency", "friction"):
            check_number(getattr(self, name), name, "balance", above=0.0)
        check_number(self.ratio, "ratio", "balance", least=0.0)
        if len(self.weights) != 3 or not all(np.isfinite(w) and w > 0 for w in self.weights):
            raise InputError("weights must be three numbers above 0", where="balance", got=repr(self.weights))
        for name in ("driven", "soles"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        unknown = [tag for tag in self.soles if tag not in self.figure.tag_names]
        if unknown or len(self.soles) < 3:
            got, near = (unknown[0], closest(unknown[0], self.figure.tag_names)) if unknown else (self.soles, None)
            raise InputError("soles must be three tags or more", where="balance", got=got, remedy=near)
        q = as_floats(self.q0, where="balance, q0")
        if q.shape != (self.figure.nq,):
            raise InputError("q0 must be a posture", where="balance", got=q.shape, allowed=f"({self.figure.nq},)")
        object.__setattr__(self, "q0", q)
        self._places, self.function  # noqa: B018, their checks belong here

    @cached_property
    def _places(self) -> np.ndarray:
        return velocity_places(self.figure, self.driven, "balance")

    @cached_property
    def function(self) -> TaskFunction:
        """Centre of mass, turn of the root, posture."""
        root = next(segment.name for segment in self.figure.segments if segment.mass)
        return TaskFunction(self.figure, [CenterTask(), OrientationTask(root), PostureTask(tuple(self.driven))])

    @cached_property
    def _gains(self) -> tuple[Array, Array]:
        """Weight and ω of each number of the task function."""
        slow, fast = 2 * np.pi * self.frequency, 2 * np.pi * self.posture_frequency
        size = len(self.driven)
        weights = np.repeat(np.array(self.weights), (3, 3, size))
        return weights, np.repeat([slow, fast, fast], (3, 3, size))

    @cached_property
    def _target(self) -> Array:
        return self.function(self.q0)

    @cached_property
    def _feet(self) -> TaskFunction:
        """Places of the soles."""
        return TaskFunction(self.figure, [TagTask(tag) for tag in self.soles])

    @cached_property
    def _heights(self) -> Array:
        """Of the soles at the start [m], (soles,)."""
        return np.asarray(self._feet(self.q0).reshape(-1, 3) @ self.figure.up)

    @cached_property
    def _lowest(self) -> float:
        """Height of the centre of mass at which the figure has fallen [m]."""
        ground = self._heights.min()
        return float(ground + _FALLEN * (self._target[:3] @ self.figure.up - ground))

    def _tasks(self, found: TaskValues) -> _Wanted:
        weights, omega = self._gains
        drawn = omega**2 * (self._target - found.value) - 2 * self.ratio * omega * found.rate - found.bias
        return _Wanted(weights[:, None] * found.jacobian, weights * drawn)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the efforts, (driven,)."""
        q, v = state.q, state.v
        found = self.function.at(q, v)
        if found.value[:3] @ self.figure.up < self._lowest:
            return np.zeros(len(self.driven))
        feet = self._feet.at(q, v)
        lifted = feet.value.reshape(-1, 3) @ self.figure.up - self._heights
        a, f, G = self._solved(self._tasks(found), self._held(feet, lifted), feet, lifted < _TOUCH, q, v)
        return np.asarray((inverse_dynamics(self.figure, q, v, a) - G @ f)[self._places])

    def _held(self, feet: TaskValues, lifted: Array) -> tuple[Array, Array]:
        """Return the rows of the soles and the accelerations that keep them, or bring them back to the ground."""
        w = 2 * np.pi * 4.0  # [rad/s]
        back = np.outer(lifted, self.figure.up).ravel()
        return feet.jacobian, -feet.bias - 2 * w * feet.rate - w**2 * back

    def _solved(
        self, tasks: _Wanted, held: tuple[Array, Array], feet: TaskValues, touch: Array, q: Array, v: Array
    ) -> tuple[Array, Array, Array]:
        """Return accelerations, forces along the edges of the friction pyramids ≥ 0, and what these do, (nv, edges).

        a = a₀ + Z y keeps the feet; y = P (G f − r) + N w gives undriven coordinates what forces give them; of these
        the nearest to the tasks: w by least squares, f by non-negative least squares on what w leaves.
        """
        from scipy.optimize import nnls

        figure = self.figure
        free = np.setdiff1d(np.arange(figure.nv), self._places)
        pressing = feet.jacobian.reshape(-1, 3, figure.nv)[touch]
        G = np.einsum("pik,ij->kpj", pressing, self._rays).reshape(figure.nv, -1)
        a0, Z = _general(*held)
        M = inertia_matrix(figure, q)[free]
        r = inverse_dynamics(figure, q, v, a0)[free]
        P, N = _inverse(M @ Z)
        a1, A = a0 - Z @ (P @ r), Z @ P @ G[free]
        T, b, W = tasks.rows, tasks.drawn, Z @ N
        seen = T @ W
        U, sizes, Vt = np.linalg.svd(seen, full_matrices=False)
        large = sizes > _RANK * sizes.max(initial=1e-300)
        U, sizes, Vt = U[:, large], sizes[large], Vt[large]
        left, miss = T @ A, b - T @ a1
        left, miss = left - U @ (U.T @ left), miss - U @ (U.T @ miss)
        if G.shape[1]:
            rows = np.vstack([left, _SMALL * np.eye(G.shape[1])])
            f = nnls(rows, np.concatenate([miss, np.zeros(G.shape[1])]), maxiter=30 * G.shape[1])[0]
        else:
            f = np.zeros(0)
        a = a1 + A @ f
        return a + W @ (Vt.T @ (U.T @ (b - T @ a) / sizes)), f, G

    @cached_property
    def _rays(self) -> Array:
        """Edges of the friction pyramid, (3, 4)."""
        up = self.figure.up
        across = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
        across /= np.linalg.norm(across)
        sides = [across, np.cross(up, across)]
        return np.stack([up + s * self.friction * side for side in sides for s in (1.0, -1.0)], axis=1)


def _general(J: Array, b: Array) -> tuple[Array, Array]:
    """Return x₀ and Z of all x = x₀ + Z y that are nearest to J x = b."""
    P, Z = _inverse(J)
    return P @ b, Z


def _inverse(J: Array) -> tuple[Array, Array]:
    """Return the pseudo-inverse of a matrix and a basis of its null space."""
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > _RANK * s.max(initial=1e-300)).sum())
    return Vt[:rank].T @ (U[:, :rank].T / s[:rank, None]), Vt[rank:].T


@dataclass(frozen=True, eq=False)
class BalanceDrives(TorqueDrives):
    """Torque drives of the joints that a `BalanceLaw` commands every `period`, applied `delay` later.

    Recorded beside the efforts: ``center`` of mass along the ground, and ``capture``, c + ċ/ω₀ with ω₀² = g/height, the
    place above which the body would come to rest [Hof05].
    """

    coordinates: Sequence[str] = field(init=False)
    law: BalanceLaw = field(kw_only=True)
    period: float = field(kw_only=True, default=0.005)
    """[s]"""
    delay: float = field(kw_only=True, default=0.0)
    """[s]"""
    passive: float = field(kw_only=True, default=0.5)
    """Damping of the joints themselves, also of one that has fallen [N·m·s/rad]."""

    def __post_init__(self) -> None:
        if self.law.figure is not self.figure:
            raise InputError("the law must be of the figure of the drives", where=self.name)
        check_number(self.passive, "passive", self.name, least=0.0)
        object.__setattr__(self, "coordinates", self.law.driven)
        object.__setattr__(self, "command", SampledLaw(self.law, self.period, self.delay))
        super().__post_init__()

    @cached_property
    def damping(self) -> Array:  # type: ignore[override]
        """Of the joints, (nv,)."""
        out = np.zeros(self.figure.nv)
        out[self._places] = self.passive
        return out

    @cached_property
    def packed(self) -> PackedActuator | None:
        """The drives, with the damping of the joints."""
        return self._pack(self.damping[self._places])

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:
        """Return efforts less the damping of the joints, (nv,)."""
        efforts, rates = super().act(t, state)
        return np.asarray(efforts) - self.damping * state.v, rates

    @cached_property
    def _level(self) -> tuple[Array, tuple[str, ...]]:
        """Two axes along the ground, and their names."""
        n = int(np.argmax(np.abs(self.figure.up)))
        own = [k for k in range(3) if k != n]
        return np.eye(3)[own], tuple("xyz"[k] for k in own)

    @cached_property
    def _center(self) -> TaskFunction:
        return TaskFunction(self.figure, [CenterTask()])

    @property
    def quantities(self) -> Sequence[ActuatorChannel]:  # type: ignore[override]
        """Efforts, centre of mass, capture point."""
        names = self._level[1]
        more = (
            ActuatorChannel("center", "m", names, "centre of mass along the ground"),
            ActuatorChannel("capture", "m", names, "place above which the body would come to rest"),
        )
        return (*super().quantities, *more)

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:
        """Return the values of `quantities`."""
        axes = self._level[0]
        center = self._center.at(state.q, state.v)
        height = max(float(center.value @ self.figure.up), 1e-3)
        omega = np.sqrt(np.linalg.norm(self.figure.gravity) / height)
        place = axes @ center.value
        return {**super().measure(t, state), "center": place, "capture": place + axes @ center.rate / omega}
