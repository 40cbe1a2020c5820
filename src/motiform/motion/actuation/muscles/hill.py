"""Hill-type muscles: a fibre with fixed width, and a tendon in series.

The fibre's angle α to the tendon keeps the muscle's width, l sin α = l₀ sin α₀. With F₀ the greatest isometric force
the fibre pulls along the tendon with  F₀ (a f_l(l) f_v(v) + f_p(l) + β v) cos α.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation.muscles.curves.degroote import DeGrooteFregly
from motiform.motion.actuation.muscles.curves.model import MuscleModel
from motiform.motion.actuation.muscles.paths.paths import MusclePath
from motiform.spatial.checks import Array, as_floats

__all__ = [
    "FibreForces",
    "Muscle",
    "activation_rate",
    "fibre_equilibrium",
    "fibre_forces",
    "fibre_speed",
    "muscle_force",
]

_TINY, _HUGE = 1e-9, 1e9  # sizes beyond which products of them overflow
_STEEPEST = 0.1  # cosine of the greatest pennation angle


@dataclass(frozen=True, eq=False)
class Muscle:
    """A muscle: its path, its sizes and its curves.

    Attributes
    ----------
    max_force : greatest isometric force F₀ [N].
    fibre_length : optimal length of the fibre l₀ [m].
    slack_length : of the tendon [m]; 0 where there is none.
    pennation : angle of the fibre to the tendon at the optimal length α₀ [rad].
    max_speed : greatest shortening speed [optimal fibre lengths per second].
    rigid_tendon : whether the tendon keeps its slack length.
    activation_time, deactivation_time : of the activation [s].
    activations : least and greatest activation.
    smoothing : b of [DeGroote16 2], which blends both times (0.1 in the paper and in OpenSim); None: they switch.

    """

    path: MusclePath
    max_force: float
    fibre_length: float
    slack_length: float
    pennation: float = 0.0
    max_speed: float = 10.0
    model: MuscleModel = field(default_factory=DeGrooteFregly)
    rigid_tendon: bool = False
    activation_time: float = 0.015
    deactivation_time: float = 0.060
    activations: tuple[float, float] = (0.0, 1.0)
    smoothing: float | None = None

    def __post_init__(self) -> None:
        where = f"muscle {self.name!r}"
        for name in ("max_force", "fibre_length", "max_speed", "activation_time", "deactivation_time"):
            value = _number(getattr(self, name), name, where)
            if not _TINY <= value <= _HUGE:
                allowed = f"a number above 0, from {_TINY:g} to {_HUGE:g}"
                raise InputError(f"{name} must be above 0", where=where, got=value, allowed=allowed)
        if _number(self.slack_length, "slack_length", where) < 0.0:
            raise InputError("slack_length must not be negative", where=where, got=self.slack_length, allowed="≥ 0 m")
        if not 0.0 <= _number(self.pennation, "pennation", where) < np.arccos(_STEEPEST):
            raise InputError("pennation is out of range", where=where, got=self.pennation, allowed="0 to 1.47 rad")
        low, high = self.activations
        if not 0.0 <= low < high <= 1.0:
            raise InputError("activations are out of range", where=where, got=self.activations, allowed="0 ≤ a < b ≤ 1")
        if self.smoothing is not None and not _number(self.smoothing, "smoothing", where) > 0.0:
            raise InputError("smoothing must be above 0, or None", where=where, got=self.smoothing)
        if not isinstance(self.model, MuscleModel):
            raise InputError("unknown muscle model", where=where, got=repr(self.model))

    @property
    def name(self) -> str:
        """That of its path."""
        return self.path.name

    @property
    def width(self) -> float:
        """Distance between its tendons [m], which stays as it is."""
        return self.fibre_length * float(np.sin(self.pennation))

    @property
    def shortest(self) -> float:
        """Fibre length at which it goes slack [m]."""
        return max(self.model.shortest * self.fibre_length, self.width / np.sqrt(1.0 - _STEEPEST**2))


def _number(value: Any, name: str, where: str) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = np.nan
    if not np.isfinite(found):
        raise InputError(f"{name} must be a finite number", where=where, got=repr(value))
    return found


class FibreForces(NamedTuple):
    """What muscles can do at some lengths and speeds, with a tendon that keeps its slack length."""

    active: Array
    """Force along the tendon at full activation [N], (..., muscles)."""
    passive: Array
    """Force of the stretched and damped fibre along the tendon [N], (..., muscles); below 0 while it shortens fast."""
    length: Array
    """Fibre length, in optimal lengths, (..., muscles)."""
    speed: Array
    """Fibre speed, in greatest shortening speeds, lengthening positive, (..., muscles)."""
    slack: np.ndarray
    """Whether the path is too short for the fibre, which then does not pull, (..., muscles) bool."""


def _alike(muscles: Sequence[Muscle]) -> Iterator[tuple[MuscleModel, np.ndarray]]:
    """Yield the models and the numbers of the muscles that have them."""
    groups: dict[MuscleModel, list[int]] = {}
    for k, muscle in enumerate(muscles):
        groups.setdefault(muscle.model, []).append(k)
    for model, members in groups.items():
        yield model, np.array(members)


def _sizes(muscles: Sequence[Muscle], *names: str) -> list[Array]:
    return [np.array([getattr(muscle, name) for muscle in muscles], float) for name in names]


def _of_muscles(muscles: Sequence[Muscle], *values: ArrayLike) -> list[Array]:
    found = [as_floats(x, where="muscles", finite=False) for x in values]
    for x in found:
        if x.ndim == 0 or x.shape[-1] != len(muscles):
            raise InputError(
                "there must be one number for each muscle", got=f"shape {x.shape}", allowed=f"(…, {len(muscles)})"
            )
    return [np.array(x) for x in np.broadcast_arrays(*found)]


def fibre_forces(
    muscles: Sequence[Muscle], length: ArrayLike, speed: ArrayLike, activation: ArrayLike | float = 1.0
) -> FibreForces:
    """Return active and passive forces at path lengths [m] and lengthening speeds [m/s] (..., muscles).

    The tendon keeps its slack length. `activation` matters to the shape of Thelen's force by speed alone.
    """
    L, v = _of_muscles(muscles, length, speed)
    a = np.broadcast_to(np.asarray(activation, float), L.shape)
    F, l0, ls, width, shortest, vmax = _sizes(
        muscles, "max_force", "fibre_length", "slack_length", "width", "shortest", "max_speed"
    )
    along = L - ls
    fibre = np.hypot(width, along)
    slack = (along <= 0.0) | (fibre <= shortest)
    cosine = np.where(slack, 0.0, along / np.where(fibre > 0, fibre, 1.0))
    l, w = np.where(slack, shortest, fibre) / l0, v * cosine / (l0 * vmax)
    active, passive = np.zeros_like(L), np.zeros_like(L)
    for model, k in _alike(muscles):
        active[..., k] = model.active(l[..., k])[0] * model.speed(w[..., k], a[..., k])[0]
        passive[..., k] = model.passive(l[..., k])[0] + model.damping * w[..., k]
    pull = F * cosine
    return FibreForces(np.maximum(active, 0.0) * pull, passive * pull, l, w, slack)


def muscle_force(
    muscles: Sequence[Muscle],
    activation: ArrayLike,
    length: ArrayLike,
    speed: ArrayLike,
    fibre_length: ArrayLike | None = None,
) -> Array:
    """Return the forces of muscles [N], (..., muscles), at activations, path lengths [m] and lengthening speeds [m/s].

    With `fibre_length` [m] the tendon is elastic and its stretch gives the force; else it keeps its slack length.
    """
    a, L, v = _of_muscles(muscles, activation, length, speed)
    if fibre_length is None:
        found = fibre_forces(muscles, L, v, a)
        return np.maximum(a * found.active + found.passive, 0.0)  # fibres do not push
    (fibre,) = _of_muscles(muscles, fibre_length)
    return _tendon_force(muscles, L, fibre)[0]


def _cosine(muscles: Sequence[Muscle], fibre: Array) -> Array:
    (width,) = _sizes(muscles, "width")
    return np.sqrt(np.maximum(1.0 - (width / np.maximum(fibre, 1e-300)) ** 2, 0.0))


def _tendon_force(muscles: Sequence[Muscle], L: Array, fibre: Array) -> tuple[Array, Array]:
    """Return the force of the tendon [N] and the cosine of the fibre's angle."""
    F, ls = _sizes(muscles, "max_force", "slack_length")
    if not (ls > 0.0).all():
        name = muscles[int(np.argmin(ls))].name
        raise InputError(
            "an elastic tendon must have a length",
            where=f"muscle {name!r}",
            remedy="Give the muscle rigid_tendon=True.",
        )
    cosine = _cosine(muscles, fibre)
    stretch = (L - fibre * cosine) / ls
    force = np.zeros_like(stretch)
    for model, k in _alike(muscles):
        force[..., k] = model.tendon(stretch[..., k])[0]
    return F * force, cosine


def fibre_equilibrium(muscles: Sequence[Muscle], activation: ArrayLike, length: ArrayLike) -> Array:
    """Return the fibre lengths [m] at which fibre and tendon pull alike while nothing moves, (..., muscles).

    Where a fibre on its descending limb has several, the search halves the range between the slack fibre and the slack
    tendon. Fibres that are slack stay at their shortest length.
    """
    a, L = _of_muscles(muscles, activation, length)
    F, l0, ls, width, shortest = _sizes(muscles, "max_force", "fibre_length", "slack_length", "width", "shortest")
    low = np.broadcast_to(shortest, L.shape).copy()
    high = np.maximum(np.hypot(width, np.maximum(L - ls, 0.0)), low)

    def excess(fibre: Array) -> Array:
        tendon, cosine = _tendon_force(muscles, L, fibre)
        own = np.zeros_like(L)
        for model, k in _alike(muscles):
            l = fibre[..., k] / l0[k]
            own[..., k] = a[..., k] * model.active(l)[0] * model.speed(np.zeros(1))[0] + model.passive(l)[0]
        return own * cosine - tendon / F

    return _root(excess, low, high)


_ROUNDING = 1e-15  # of forces over the greatest isometric one


def _root(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return where a function crosses zero from below between bounds; the bound where it does not.

    Regula falsi with Illinois' rule (an end that stays twice counts half), and the middle where two steps have not
    halved the range: some ten evaluations where the function is smooth. Its values are of the size of one.
    """
    below, above = function(low), function(high)
    low, high = np.where(above < 0, high, low), np.where(below > 0, low, high)
    side, width = np.zeros(np.shape(low)), [np.inf * np.ones(np.shape(low))] * 2
    for _ in range(200):
        if (high - low <= 4e-16 * np.maximum(np.abs(low), np.abs(high))).all():
            break
        gap = above - below
        share = np.where(gap > 0, -below / np.where(gap > 0, gap, 1.0), 0.5)
        share = np.where(high - low > 0.5 * width[0], 0.5, np.clip(share, 0.0, 1.0))
        width = [width[1], high - low]
        x = low + share * (high - low)
        value = function(x)
        rises = value < 0
        above = np.where(rises, np.where(side < 0, 0.5, 1.0) * above, value)
        below = np.where(rises, value, np.where(side > 0, 0.5, 1.0) * below)
        found = np.abs(value) <= _ROUNDING
        low, high = np.where(rises | found, x, low), np.where(rises & ~found, high, x)
        side = np.where(rises, -1.0, 1.0)
    return np.asarray(0.5 * (low + high))


def fibre_speed(muscles: Sequence[Muscle], activation: ArrayLike, length: ArrayLike, fibre_length: ArrayLike) -> Array:
    """Return the fibre speeds [m/s] at which fibre and elastic tendon pull alike, lengthening positive.

    It solves a f_l f_v(v) + f_p + β v = f_t/cos α for v between −1.2 and 1.5 greatest speeds; beyond, it stays there.
    """
    a, L, fibre = _of_muscles(muscles, activation, length, fibre_length)
    F, l0, vmax = _sizes(muscles, "max_force", "fibre_length", "max_speed")
    tendon, cosine = _tendon_force(muscles, L, fibre)
    asked = tendon / (F * np.maximum(cosine, 1e-9))
    active, passive = np.zeros_like(L), np.zeros_like(L)
    for model, k in _alike(muscles):
        l = fibre[..., k] / l0[k]
        active[..., k], passive[..., k] = a[..., k] * model.active(l)[0], model.passive(l)[0]

    def excess(w: Array) -> Array:
        own = np.zeros_like(L)
        for model, k in _alike(muscles):
            own[..., k] = active[..., k] * model.speed(w[..., k], a[..., k])[0] + model.damping * w[..., k]
        return own + passive - asked

    return _root(excess, np.full(L.shape, -1.2), np.full(L.shape, 1.5)) * l0 * vmax


def activation_rate(muscles: Sequence[Muscle], activation: ArrayLike, excitation: ArrayLike) -> Array:
    """Return da/dt [1/s], (..., muscles): (u − a)/τ with τ = τ_a (½ + 3a/2) rising, τ_d/(½ + 3a/2) falling.

    [Thelen03 1, 2]; with smoothing b both are blended, the first with the share ½ + ½ tanh b(u − a)  [DeGroote16 1, 2].
    """
    a, u = _of_muscles(muscles, activation, excitation)
    up, down = _sizes(muscles, "activation_time", "deactivation_time")
    level = 0.5 + 1.5 * a
    blend = np.array([np.inf if one.smoothing is None else one.smoothing for one in muscles])
    switch = np.isinf(blend)
    share = np.where(switch, u > a, 0.5 + 0.5 * np.tanh(np.where(switch, 0.0, blend) * (u - a)))
    return (u - a) * (share / (up * level) + (1.0 - share) * level / down)
