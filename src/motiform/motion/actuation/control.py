"""Controls of figures: springs and dampers toward a posture, gravity compensation, commands given now and then."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError, closest
from motiform.motion.contact import Contacts, contact_rows
from motiform.motion.run import check_number
from motiform.motion.tree import Control, Figure, FigureState, gravity_effects, inertia_matrix
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import asked
from motiform.spatial.checks import as_floats

__all__ = [
    "CommandedControl",
    "PostureControl",
    "StandingEffort",
    "posture_control",
    "posture_trajectory",
    "standing_effort",
]

Posture = Callable[[float], tuple[Array, Array]]
"""posture(t) gives a configuration (nq,) and its rates (nv,)."""


class PostureControl:
    """tau = K (q* − q) + D (v* − v) + feedforward on plain coordinates.

    `stiffness` K [N·m/rad or N/m] and `damping` D are (nv,), zero where nothing drives; `limit` bounds |tau|.
    Time-stepping takes K and D at the end of each step, which keeps stiff ones stable.
    """

    def __init__(
        self,
        figure: Figure,
        posture: Posture,
        stiffness: ArrayLike,
        damping: ArrayLike,
        *,
        feedforward: Control | None = None,
        limit: ArrayLike | None = None,
    ) -> None:
        self.figure, self.posture, self.feedforward = figure, posture, feedforward
        self.q_places, self.v_places = plain_places(figure)
        self.stiffness = _gains(figure, stiffness, "stiffness", self.v_places)
        self.damping = _gains(figure, damping, "damping", self.v_places)
        self.limit = None if limit is None else _gains(figure, limit, "limit", self.v_places)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces at an instant, (nv,)."""
        q, v = self.posture(t)
        tau = np.zeros(self.figure.nv)
        own, at = self.v_places, self.q_places
        tau[own] = self.stiffness[own] * (q[at] - state.q[at]) + self.damping[own] * (v[own] - state.v[own])
        if self.feedforward is not None:
            tau = tau + asked(self.feedforward, t, state, (self.figure.nv,), "feedforward")
        return tau if self.limit is None else np.clip(tau, -self.limit, self.limit)


def plain_places(figure: Figure) -> tuple[np.ndarray, np.ndarray]:
    """Return the places in q and in v of what joints drive: plain coordinates, but for a root's free motion."""
    at_q: list[int] = []
    at_v: list[int] = []
    for n, segment in enumerate(figure.segments):
        floats = segment.parent is None and segment.joint.nv == 6
        if segment.joint.plain and not floats:
            at_q += [int(k) for k in figure.layout.q[n]]
            at_v += [int(k) for k in figure.layout.v[n]]
    return np.array(at_q, np.int64), np.array(at_v, np.int64)


def _gains(figure: Figure, values: ArrayLike, name: str, driven: np.ndarray) -> Array:
    found = as_floats(values, where=f"posture control, {name}")
    if found.shape not in ((), (figure.nv,)) or (found < 0).any():
        raise InputError(
            name, where="posture control", got=repr(values), allowed=f"one number or {figure.nv}, not below 0"
        )
    out = np.zeros(figure.nv)
    out[driven] = np.broadcast_to(found, (figure.nv,))[driven]
    return out


def posture_trajectory(figure: Figure, times: Sequence[float], postures: ArrayLike) -> Posture:
    """Return a smooth way through postures (n, nq) at instants: cubic splines, at rest at both ends and beyond."""
    from scipy.interpolate import CubicSpline

    t = as_floats(times, where="posture trajectory, times")
    q = as_floats(postures, where="posture trajectory, postures")
    if t.ndim != 1 or len(t) < 2 or (np.diff(t) <= 0).any():
        raise InputError("times", where="posture trajectory", got=repr(times), allowed="two or more, increasing")
    if q.shape != (len(t), figure.nq):
        raise InputError(
            "postures", where="posture trajectory", got=f"shape {q.shape}", allowed=f"({len(t)}, {figure.nq})"
        )
    if figure.nq != figure.nv:
        raise InputError(
            "postures with quaternions", where=repr(figure), remedy="Trajectories go through plain coordinates."
        )
    spline = CubicSpline(t, q, bc_type="clamped")
    rate = spline.derivative()

    def posture(at: float) -> tuple[Array, Array]:
        inside = t[0] < at < t[-1]
        return spline(np.clip(at, t[0], t[-1])), rate(at) if inside else np.zeros(figure.nv)

    return posture


def posture_control(
    figure: Figure,
    posture: ArrayLike | Posture,
    *,
    frequency: float = 3.0,
    ratio: float = 1.0,
    stiffness: ArrayLike | None = None,
    damping: ArrayLike | None = None,
    feedforward: Control | ArrayLike | None = None,
    limit: ArrayLike | None = None,
) -> PostureControl:
    """Return springs and dampers toward a posture, or a trajectory of postures.

    Where stiffness and damping are not given, each coordinate alone, with all that it carries at the posture, would
    swing at `frequency` [Hz] with the damping `ratio` (1: just not swinging). `feedforward` is a control or numbers
    (nv,) that are added, such as `standing_effort(...).tau`.
    """
    if callable(posture):
        way: Posture = posture
        q = as_floats(way(0.0)[0], where="posture")
    else:
        q = as_floats(posture, where="posture")
        still = np.zeros(figure.nv)

        def way(at: float) -> tuple[Array, Array]:
            return q, still

    if q.shape != (figure.nq,):
        raise InputError("posture", got=f"shape {q.shape}", allowed=f"({figure.nq},)")
    carried = np.diag(inertia_matrix(figure, q))
    omega = 2 * np.pi * check_number(frequency, "frequency", "posture control", above=0.0)
    K = omega**2 * carried if stiffness is None else stiffness
    D = 2 * check_number(ratio, "ratio", "posture control", least=0.0) * omega * carried if damping is None else damping
    forward: Control | None
    if feedforward is None or callable(feedforward):
        forward = feedforward
    else:
        numbers = as_floats(feedforward, where="feedforward")

        def forward(t: float, state: FigureState) -> Array:
            return numbers

    return PostureControl(figure, way, K, D, feedforward=forward, limit=limit)


class StandingEffort(NamedTuple):
    """Efforts of the joints that hold a posture at rest on contacts."""

    tau: Array
    """(nv,); zero on a floating base."""
    forces: Array
    """Of the contact points along (tangent 1, normal, tangent 2) [N], (points, 3)."""


def standing_effort(
    figure: Figure, contacts: Contacts, q: ArrayLike, points: Sequence[str] | None = None
) -> StandingEffort:
    """Return the efforts that hold a posture at rest on contact points, with the least contact forces that press.

    Of a figure that floats, contact forces must balance its weight; what is left is for the joints. Points are those
    that touch, or the ones that are named.
    """
    from scipy.optimize import lsq_linear

    posture = as_floats(q, where="standing effort, q")
    rows = contact_rows(figure, contacts, posture)
    names = contacts.point_names
    for name in points or ():
        if name not in names:
            allowed = ", ".join(names)
            raise InputError("no such contact point", got=name, allowed=allowed, remedy=closest(str(name), names))
    chosen = np.flatnonzero(rows.gaps <= 1e-6) if points is None else np.array([names.index(p) for p in points])
    weight = gravity_effects(figure, posture)
    driven = plain_places(figure)[1]
    free = np.setdiff1d(np.arange(figure.nv), driven)
    J = rows.jacobian[chosen].reshape(-1, figure.nv)
    forces = np.zeros((len(names), 3))
    if len(free):
        lower = np.tile([-np.inf, 0.0, -np.inf], len(chosen))
        small = 1e-6 * np.eye(len(J))  # of all forces that balance the weight the least
        found = lsq_linear(
            np.vstack([J[:, free].T, small]), np.concatenate([weight[free], np.zeros(len(J))]), (lower, np.inf)
        )
        left = np.abs(J[:, free].T @ found.x - weight[free]).max() if len(J) else np.abs(weight[free]).max()
        if left > 1e-3 * max(1.0, np.abs(weight[free]).max()):
            raise RunError(
                "the posture cannot stand on its contacts",
                where=", ".join(names[k] for k in chosen[:6]) or "no contact point touches",
                got=f"{left:.4g} N or N m of the weight is not carried",
                remedy="Bring the centre of mass above the points that touch, or name others.",
            )
        forces[chosen] = found.x.reshape(-1, 3)
    tau = weight - J.T @ forces[chosen].ravel()
    tau[free] = 0.0
    return StandingEffort(tau, forces)


class CommandedControl:
    """A control law that is asked every `period` [s] and whose command holds, from `delay` [s] later, until the next.

    law(t, state) gives generalised forces (nv,).  [HuMAnS 6.3]
    """

    def __init__(self, figure: Figure, law: Control, period: float, delay: float = 0.0) -> None:
        self.law, self.nv = law, figure.nv
        self.period = check_number(period, "period", "commanded control", above=0.0)
        self.delay = check_number(delay, "delay", "commanded control", least=0.0)
        self.calls = 0
        self.command = np.zeros(figure.nv)
        self.waiting: list[tuple[float, Array]] = []

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the command that holds."""
        if self.calls == 0:
            self.tick(t, state)
        return self.command

    def next_tick(self, t: float) -> float:
        """Return the next instant at which the law is asked or a command takes hold."""
        instants = [self.calls * self.period, *(when for when, _ in self.waiting)]
        return min((when for when in instants if when > t), default=np.inf)

    def tick(self, t: float, state: FigureState) -> None:
        """Ask the law if it is time to, and let commands take hold."""
        while self.calls * self.period <= t:
            asked_for = asked(self.law, t, state, (self.nv,), "control law")
            self.waiting.append((self.calls * self.period + self.delay, asked_for))
            self.calls += 1
        while self.waiting and self.waiting[0][0] <= t:
            self.command = self.waiting.pop(0)[1]

    def keep(self) -> Array:
        """Return what a later run needs to go on."""
        waiting = [np.concatenate([[when], command]) for when, command in self.waiting]
        return np.concatenate([[self.calls], self.command, *waiting])

    def restore(self, kept: ArrayLike) -> None:
        """Go on from what was kept."""
        numbers = np.asarray(kept, float)
        self.calls, self.command = int(numbers[0]), numbers[1 : 1 + self.nv].copy()
        rest = numbers[1 + self.nv :].reshape(-1, 1 + self.nv)
        self.waiting = [(float(row[0]), row[1:].copy()) for row in rest]
