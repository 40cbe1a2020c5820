"""The digital cell, one mass on a fixed spring and damper as the scheme steps it, and the screens made of such cells.

All that a cell does follows from two numbers, K = k Te²/m and Z = z Te/m [Habibi97 8.22]. Its free motion is
x(n+1) = (2 − Z − K) x(n) − (1 − Z) x(n−1) [Habibi97 8.21], bounded inside the triangle K ≥ 0, Z ≥ 0, K + 2Z ≤ 4.
A regular screen of linked cells is a sum of independent cells, one for each mode, on a segment of the plane (K, Z).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, as_floats

__all__ = [
    "CARDINAL", "PROTOTYPES", "REGIMES", "Cell", "ModeSegment", "Prototype", "ScreenLaw", "axis_eigenvalues",
    "critical_damping", "design_screen", "free_response", "grid_eigenvalues", "grid_modes", "grid_response",
    "modal_segment", "regime", "roots",
]  # fmt: skip

REGIMES = ("oscillating", "critical", "overdamped", "without a continuous counterpart", "marginal", "unstable")
# (K, Z): O swings for ever, L is a free mass, S stays where it is left, C is back after one sample. [Habibi97 §8.3.4]
CARDINAL = {"O": (1.0, 0.0), "L": (0.0, 0.0), "S": (0.0, 1.0), "C": (1.0, 1.0)}
_EDGES = ("fixed", "free")
_EDGE = 64 * np.finfo(float).eps  # K and Z come from three roundings each: on the edge K + 2Z = 4 within these


class _Polar(NamedTuple):
    """The two roots in real numbers: accurate near double roots, slow decays and r = 0."""

    waving: np.ndarray  # complex pair, else two real roots
    sign: Array  # of the larger root; of the cosine of a pair
    log_big: Array  # log of the larger modulus
    log_ratio: Array  # log of smaller over larger modulus, ≤ 0
    same: np.ndarray  # real roots of one sign
    angle: Array  # of a pair, from the nearer of +1 and −1 [rad]
    nil: np.ndarray  # both roots are 0: the point C


def _polar(K: Array, Z: Array) -> _Polar:
    total, s, product = Z + K, 2.0 - Z - K, 1.0 - Z
    size, soft = np.abs(s), 2.0 * np.sqrt(np.maximum(K, 0.0))
    # s² − 4(1 − Z), by factors near L and as it stands near C: whichever loses less to rounding.
    factors = np.where(K > 0, (total - soft) * (total + soft), total**2 - 4.0 * K)
    square = np.where(8 * np.abs(K) < s**2 + 4 * np.abs(product) + 2 * size, factors, s**2 - 4.0 * product)
    gap = np.sqrt(np.abs(square))
    nil, waving, sign = (size == 0) & (gap == 0), square < 0, np.where(s < 0, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(total > 0, 2.0 * K / (total + gap), 0.5 * (total - gap))  # 1 − r of the larger root, s > 0
        slow = (s > 1) & (gap + np.abs(total) > 0)
        log_real = np.where(slow, np.log1p(-below), np.log(0.5 * (size + gap)))
        log_big = np.where(waving, 0.5 * np.log1p(-Z), log_real)
        near = np.minimum(size, gap) / np.maximum(size, gap)
        log_ratio = np.where(near < 0.5, -2.0 * np.arctanh(near), np.log(np.abs(product)) - 2.0 * log_big)
        log_ratio = np.where(waving, 0.0, log_ratio)
    return _Polar(waving, sign, log_big, log_ratio, Z <= 1, np.arctan2(gap, size), nil)


def _unit_response(p: _Polar, n: Array) -> Array:
    """Return h(n) of h(−1) = 0, h(0) = 1: the sum of r₁ʲ r₂ⁿ⁻ʲ over j, for n ≥ −1."""
    odd = np.abs(n % 2) == 1
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        wave = np.sin((n + 1) * p.angle) / np.sin(p.angle)
        alike = np.where(p.log_ratio == 0, n + 1, np.expm1((n + 1) * p.log_ratio) / np.expm1(p.log_ratio))
        small = np.where(odd, -np.expm1((n + 1) * p.log_ratio), 1.0 + np.exp((n + 1) * p.log_ratio))
        real = np.where(p.same, alike, small / (1.0 + np.exp(p.log_ratio)))
        h = np.where(odd, p.sign, 1.0) * np.exp(n * p.log_big) * np.where(p.waving, wave, real)
    h = np.where(n == 0, 1.0, np.where(p.nil, 0.0, h))
    return np.where(n < 0, 0.0, h)


def free_response(K: ArrayLike, Z: ArrayLike, n: ArrayLike, x0: ArrayLike, x_prev: ArrayLike) -> Array:
    """Return x(n) of the free cell from x(0) and x(−1), in closed form and every regime.

    Arguments broadcast; n counts samples from 0. The forms are [Habibi97 8.23, 8.24, 8.26] with their constants.
    """
    K, Z, n = np.asarray(K, float), np.asarray(Z, float), _samples(n)
    now, before, p = np.asarray(x0, float), np.asarray(x_prev, float), _polar(K, Z)
    with np.errstate(over="ignore", invalid="ignore"):
        x: Array = _unit_response(p, n) * now - (1.0 - Z) * _unit_response(p, n - 1) * before
    return x


def _samples(n: ArrayLike) -> Array:
    n = as_floats(n, where="samples")
    if (n < 0).any() or (n != np.floor(n)).any():
        raise InputError("counts of samples must be >= 0", where="samples", got=n.min(), allowed="whole numbers from 0")
    return n


def roots(K: ArrayLike, Z: ArrayLike) -> np.ndarray:
    """Return the roots of r² − (2 − Z − K) r + (1 − Z), (…, 2) complex, the larger modulus first."""
    K, Z = np.broadcast_arrays(np.asarray(K, float), np.asarray(Z, float))
    p = _polar(K, Z)
    with np.errstate(invalid="ignore"):
        big = np.where(p.nil, 0.0, p.sign * np.exp(p.log_big))
        small = np.where(p.nil, 0.0, np.where(p.same, big, -big) * np.exp(p.log_ratio))
    turn = np.where(p.waving, np.exp(1j * p.angle), 1.0)
    return np.stack([np.where(p.waving, big * turn, big), np.where(p.waving, big * turn.conj(), small)], axis=-1)


def critical_damping(K: ArrayLike) -> Array:
    """Return the Z of the curve (C), 2√K − K, on which both roots are 1 − √K [Habibi97 8.25]."""
    K = np.asarray(K, float)
    return 2.0 * np.sqrt(K) - K


def regime(K: ArrayLike, Z: ArrayLike) -> np.ndarray:
    """Return the name of the regime of each point, one of ``REGIMES``.

    The edges of the triangle are marginal: nothing decays, nothing grows faster than linearly. On the rest:
    oscillating below the curve (C), critical on it and overdamped above it up to K = 1 and Z = 1; beyond these lies
    what no continuous oscillator does, such as swinging at half the sampling rate.
    """
    K, Z = np.broadcast_arrays(np.asarray(K, float), np.asarray(Z, float))
    soft = 2.0 * np.sqrt(np.maximum(K, 0.0))
    above = Z + K - soft
    end = K + 2.0 * Z - 4.0
    chosen = [
        ~((K >= 0) & (Z >= 0) & (end <= _EDGE)), (K == 0) | (Z == 0) | (end >= -_EDGE),
        (np.abs(above) <= 8 * np.finfo(float).eps * soft) & (K <= 1), above < 0, (K <= 1) & (Z <= 1),
    ]  # fmt: skip
    names = ["unstable", "marginal", "critical", "oscillating", "overdamped"]
    return np.select(chosen, names, default="without a continuous counterpart")


@dataclass(frozen=True, eq=False)
class Cell:
    """A mass [kg] on a fixed spring [N/m] and damper [N·s/m], sampled every ``step`` [s]. Arrays broadcast.

    Positions are from rest, of any one unit; times are in seconds, counts in samples.
    """

    mass: Any
    stiffness: Any
    damping: Any
    step: Any

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "damping", "step"):
            value = as_floats(getattr(self, name), where=f"cell {name}")
            if name in ("mass", "step") and not (value > 0).all():
                raise InputError(f"{name} must be > 0", where=f"cell {name}", got=value.min(), allowed="above 0")
            object.__setattr__(self, name, value)

    @classmethod
    def at(cls, K: ArrayLike, Z: ArrayLike, *, mass: ArrayLike = 1.0, step: ArrayLike = 1.0) -> "Cell":
        """Return the cell of the point (K, Z)."""
        m, T = np.asarray(mass, float), np.asarray(step, float)
        return cls(m, np.asarray(K, float) * m / T**2, np.asarray(Z, float) * m / T, T)

    @property
    def K(self) -> Array:
        """k Te²/m, without unit [Habibi97 8.22]."""
        return np.asarray(self.stiffness * self.step**2 / self.mass)

    @property
    def Z(self) -> Array:
        """z Te/m, without unit [Habibi97 8.22]."""
        return np.asarray(self.damping * self.step / self.mass)

    @property
    def roots(self) -> np.ndarray:
        """The two characteristic roots, (…, 2) complex."""
        return roots(self.K, self.Z)

    @property
    def regime(self) -> np.ndarray:
        """The name of the regime, one of ``REGIMES``."""
        return regime(self.K, self.Z)

    @property
    def time_constants(self) -> Array:
        """Time in which the part of each root falls e-fold [s], (…, 2); inf where it stays, negative where it grows."""
        p = _polar(*np.broadcast_arrays(self.K, self.Z))
        logs = np.stack(np.broadcast_arrays(p.log_big, p.log_big + p.log_ratio), axis=-1)
        logs[p.nil] = -np.inf
        logs[np.isnan(logs)] = -np.inf
        with np.errstate(divide="ignore"):
            return np.where(logs == 0, np.inf, -self.step[..., None] / logs)

    @property
    def period(self) -> Array:
        """Time of one swing [s]: 2π Te/θ, two samples where the larger root is negative, inf where nothing swings."""
        p = _polar(self.K, self.Z)
        turn = np.where(p.waving, np.where(p.sign > 0, p.angle, np.pi - p.angle), np.where(p.sign > 0, 0.0, np.pi))
        with np.errstate(divide="ignore"):
            return np.where(p.nil, np.inf, 2.0 * np.pi * self.step / np.where(p.nil, 1.0, turn))

    def free(self, n: ArrayLike, x0: ArrayLike, x_prev: ArrayLike) -> Array:
        """Return the position after n samples without force, from x(0) and x(−1)."""
        return free_response(self.K, self.Z, n, x0, x_prev)

    def forced(self, n: ArrayLike, force: ArrayLike, x0: ArrayLike = 0.0, x_prev: ArrayLike = 0.0) -> Array:
        """Return the position after n samples under a constant force [N] from sample 0 on.

        A spring ends at F/k; without one a damper ends at the speed F/z, and a free mass falls by n(n+1)/2 Te² F/m.
        """
        n, K, Z = _samples(n), self.K, self.Z
        push = np.asarray(force, float) * self.step**2 / self.mass
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.where(K == 0, 0.0, push / K)
            drift = np.where((K == 0) & (Z != 0), push / Z, 0.0)
        fall = np.where((K == 0) & (Z == 0), push, 0.0) * n * (n + 1) / 2
        free: Array = free_response(K, Z, n, np.asarray(x0) - rest, np.asarray(x_prev) - rest + drift)
        return rest + drift * n + fall + free

    def steady(self, force: ArrayLike) -> Array:
        """Return where a constant force [N] holds the cell in the end, F/k; inf without a spring."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.asarray(force, float) / self.stiffness)

    def invariant(self, x: ArrayLike, x_prev: ArrayLike) -> Array:
        """Return m/(2Te²) (x² − (2 − Z − K) x x₋ + (1 − Z) x₋²) [J], which each free sample multiplies by 1 − Z.

        It is (x − r₁x₋)(x − r₂x₋) up to a factor, and each bracket is multiplied by the other root. Undamped it is
        the energy m v²/2 + k x x₋/2, kept exactly.
        """
        x, x_prev, K, Z = np.asarray(x, float), np.asarray(x_prev, float), self.K, self.Z
        change = x - x_prev
        return self.mass / (2 * self.step**2) * (change**2 + (K * x + Z * change) * x_prev)


class ModeSegment(NamedTuple):
    """The modes of a screen in the plane: from the fundamental (K₀, Z₀) to the highest (K_N, Z_N) of its grid."""

    start: tuple[float, float]
    end: tuple[float, float]

    def at(self, t: ArrayLike) -> Array:
        """Return points (…, 2) of the segment, t from 0 (fundamental) to 1 (highest)."""
        t = np.asarray(t, float)[..., None]
        return (1.0 - t) * np.array(self.start) + t * np.array(self.end)

    def shifted(self, K: float, Z: float) -> "ModeSegment":
        """Return the segment of the screen while markers add (K, Z) to each pin [Habibi97 §8.4.2.3]."""
        return ModeSegment((self.start[0] + K, self.start[1] + Z), (self.end[0] + K, self.end[1] + Z))

    @property
    def regimes(self) -> tuple[str, str]:
        """Regimes of the fundamental and of the highest mode."""
        return str(regime(*self.start)), str(regime(*self.end))

    @property
    def bounded(self) -> bool:
        """Whether no mode grows: the triangle is convex, so both ends decide."""
        return "unstable" not in self.regimes


class Prototype(ModeSegment):
    """A behaviour whatever the size of a screen: the ends that the modes of large screens approach [Habibi97 §8.4.3].

    Pins have the links of the ground alone at its start, λ = 0; of the grid's modes none is there with fixed edges.
    """

    __slots__ = ()


# What the fundamental and the highest mode are: the four points, and five ways between them. [Habibi97 §8.4.3]
PROTOTYPES = {
    **{name: Prototype(point, point) for name, point in CARDINAL.items()},
    "I": Prototype(CARDINAL["L"], CARDINAL["O"]),
    "II": Prototype(CARDINAL["L"], CARDINAL["S"]),
    "III": Prototype(CARDINAL["O"], CARDINAL["C"]),
    "IV": Prototype(CARDINAL["S"], CARDINAL["C"]),
    "V": Prototype(CARDINAL["L"], CARDINAL["C"]),
}


class ScreenLaw(NamedTuple):
    """Links of a regular screen: each pin to the ground and to each neighbour, [N/m] and [N·s/m]."""

    ground_stiffness: float
    ground_damping: float
    neighbour_stiffness: float
    neighbour_damping: float


def _highest(dimensions: int) -> float:
    if dimensions not in (1, 2, 3):
        raise InputError("a screen must have one to three dimensions", got=dimensions, allowed="1, 2 or 3")
    return 4.0 * dimensions


def modal_segment(
    ks: float, zs: float, kv: float, zv: float, mass: float, step: float, dimensions: int = 1
) -> Prototype:
    """Return the segment on which all modes of a screen lie, for ground links (ks, zs) and neighbour links (kv, zv).

    Modes have the stiffness ks + λ kv with λ from 0 to 4, 8, 12 in 1, 2, 3 dimensions, which large screens approach.
    """
    top = _highest(dimensions)
    ends = Cell(mass, [ks, ks + top * kv], [zs, zs + top * zv], step)
    K, Z = ends.K.tolist(), ends.Z.tolist()
    return Prototype((K[0], Z[0]), (K[1], Z[1]))


def design_screen(
    segment: ModeSegment,
    *,
    mass: float,
    step: float,
    dimensions: int | None = None,
    shape: int | Sequence[int] | None = None,
    edges: str = "fixed",
) -> ScreenLaw:
    """Return the links that give a screen the wanted segment.

    With the `shape` of its grid, pins along each axis, its lowest and highest mode are the ends of the segment: for λ
    of these, k_v = m (K_N − K₀)/((λ_N − λ₀) Te²) and k_s = m K₀/Te² − λ₀ k_v, likewise z. With fixed edges λ₀ is above
    0, and k_s may come out negative. Without a shape, and for a `Prototype`, λ is from 0 to 4, 8, 12 in 1, 2, 3
    dimensions, which large screens approach: the inverse of ``modal_segment``. Neighbour links come out negative where
    the highest mode is to be softer than the fundamental: that is allowed. `dimensions` (1 without a shape) must be
    those of the shape.
    """
    (K0, Z0), (KN, ZN) = segment
    if not (mass > 0 and step > 0 and math.isfinite(mass) and math.isfinite(step)):
        raise InputError(
            "mass and step must be > 0", where="mass and step of a screen", got=(mass, step), allowed="above 0"
        )
    _check_edges(edges)
    k, z = mass / step**2, mass / step
    counts = None if shape is None else _counts(shape)
    if counts is not None and dimensions not in (None, len(counts)):
        remedy = "Leave out dimensions."
        raise InputError(
            "dimensions must be those of the shape", got=dimensions, allowed=str(len(counts)), remedy=remedy
        )
    if counts is None or isinstance(segment, Prototype):
        low, high = 0.0, _highest((1 if dimensions is None else dimensions) if counts is None else len(counts))
    else:
        along = [axis_eigenvalues(n, edges) for n in counts]
        low, high = sum(float(own[0]) for own in along), sum(float(own[-1]) for own in along)
    if high == low and segment.start != segment.end:
        remedy = "Give a segment with equal ends."
        raise InputError("a screen of one pin must have one mode", where="segment", got=tuple(segment), remedy=remedy)
    span = high - low or 1.0
    kv, zv = k * (KN - K0) / span, z * (ZN - Z0) / span
    return ScreenLaw(k * K0 - low * kv, z * Z0 - low * zv, kv, zv)


def axis_eigenvalues(count: int, edges: str) -> Array:
    """Return λ of the modes along one axis: 4 sin²(φ/2), φ = jπ/(n+1) with fixed edges, (j−1)π/n with free ones."""
    _check_edges(edges)
    # 2 − 2cos φ without cancellation at low modes
    j = np.arange(1, count + 1) / (count + 1) if edges == "fixed" else np.arange(count) / count
    return np.asarray(4.0 * np.sin(0.5 * np.pi * j) ** 2)


def _check_edges(edges: str) -> None:
    if edges not in _EDGES:
        raise InputError("edges of a screen must be known", got=edges, allowed=" or ".join(_EDGES))


def _counts(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return the pins along each axis."""
    counts = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    _highest(len(counts))
    if not all(isinstance(n, int | np.integer) and n >= 1 for n in counts):
        allowed = "a whole number of pins along each axis, at least 1"
        raise InputError("a screen must have pins along each axis", got=shape, allowed=allowed)
    return tuple(int(n) for n in counts)


def grid_eigenvalues(shape: int | Sequence[int]) -> Array:
    """Return λ of the modes of a grid with held edges, (n), (n, m) or (n, m, p), in order of their numbers.

    [Habibi97 8.13–8.15]; the range of 8.15 is corrected to 0…12.
    """
    total: Array = np.zeros(())
    for n in _counts(shape):
        total = np.add.outer(total, axis_eigenvalues(n, "fixed"))
    return total


def grid_modes(field: ArrayLike) -> Array:
    """Return the amplitudes of the modes of a field on a grid with held edges; the same again gives the field back.

    Mode shapes are products of sin(ijπ/(n+1)), normed: this is the discrete sine transform of type I.
    """
    from scipy.fft import dstn

    modes: Array = dstn(np.asarray(field, float), type=1, norm="ortho")
    return modes


def grid_response(law: ScreenLaw, n: int, field: ArrayLike, previous: ArrayLike, *, mass: float, step: float) -> Array:
    """Return the free screen after n samples from two fields, each mode in closed form [Habibi97 8.17, 8.18]."""
    field = np.asarray(field, float)
    lam = grid_eigenvalues(field.shape)
    k, z = law.ground_stiffness + lam * law.neighbour_stiffness, law.ground_damping + lam * law.neighbour_damping
    return grid_modes(Cell(mass, k, z, step).free(n, grid_modes(field), grid_modes(previous)))
