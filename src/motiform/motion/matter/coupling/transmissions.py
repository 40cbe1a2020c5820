"""When a link may be rigid, and when a mass may be placed geometrically [Habibi97 ch. 4]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.band import Band, check_threshold, intervals
from motiform.motion.matter.coupling.elements import Complex, link_impedance, mass_impedance
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.motion.run.options import check_number
from motiform.record.plain import to_plain
from motiform.spatial.checks import Array, Words, as_floats

__all__ = [
    "Condition", "TwoPort", "constant_length", "follows_neighbours", "length_change", "non_dynamic",
    "spring_transmission", "stiff_enough", "transmission", "two_port",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Condition:
    """A ratio that must be small over a band."""

    name: str
    omega: Array
    """[rad/s], (frequencies,)."""
    ratio: Array
    """(frequencies,)"""
    threshold: float

    @property
    def worst(self) -> float:
        """Largest ratio in the band."""
        return float(self.ratio.max())

    @property
    def holds(self) -> bool:
        """Whether the ratio is at most the threshold everywhere."""
        return bool(self.worst <= self.threshold)

    def as_dict(self) -> dict[str, Any]:
        """Return the condition and its numbers as plain values."""
        found = {
            "condition": self.name,
            "holds": self.holds,
            "threshold": self.threshold,
            "worst": self.worst,
            "at": float(self.omega[np.argmax(self.ratio)] / (2 * np.pi)),
            "where": intervals(self.omega, self.ratio <= self.threshold),
        }
        plain: dict[str, Any] = to_plain(found, "condition")
        return plain

    def __str__(self) -> str:
        f = self.omega / (2 * np.pi)
        state = "holds" if self.holds else "does not hold"
        return (
            f"{self.name} {state} from {f[0]:.4g} to {f[-1]:.4g} Hz: at most {self.worst:.3g} "
            f"(at {f[np.argmax(self.ratio)]:.4g} Hz), threshold {self.threshold:g}"
        )


@dataclass(frozen=True, eq=False)
class TwoPort:
    """What passes through a model I between two others, A and B, per frequency."""

    V1: Complex
    V2: Complex
    F1: Complex
    """Force into I at A's side [N]."""
    F2: Complex

    @property
    def gamma1(self) -> Complex:
        """Energy that enters at A's side, V1 F1* [Habibi97 4.2]."""
        return self.V1 * np.conj(self.F1)

    @property
    def gamma2(self) -> Complex:
        """Energy that enters at B's side, V2 F2* [Habibi97 4.3]."""
        return self.V2 * np.conj(self.F2)

    @property
    def gamma(self) -> Complex:
        """Energy that stays, Γ1 + Γ2 [Habibi97 4.4]."""
        return self.gamma1 + self.gamma2

    @property
    def ratio(self) -> Array:
        """Larger of |Γ/Γ1| and |Γ/Γ2| [Habibi97 4.5]; infinite where one side gets nothing."""
        least = np.minimum(np.abs(self.gamma1), np.abs(self.gamma2))
        return np.where(least == 0, np.inf, np.abs(self.gamma) / np.where(least == 0, 1, least))


def two_port(
    Y: ArrayLike,
    *,
    impedance_a: ArrayLike | None,
    impedance_b: ArrayLike | None,
    velocity_a: ArrayLike = 0.0,
    velocity_b: ArrayLike = 0.0,
    forces: ArrayLike = (0.0, 0.0),
) -> TwoPort:
    """Return velocities and forces at both ends of a two-port [Habibi97 4.13-4.20, corrected].

    Y, (..., 2, 2): [F1, F2] = Y [V1, V2] + forces [Habibi97 4.1]. A and B give F = Y_A (V_A − V) [4.8]; None for an
    impedance is an ideal source of velocity, V1 = V_A, which the thesis writes Y_A = 0 (corrected: its 1/Y_A is 0).
    """
    y = np.asarray(Y, complex)
    if y.shape[-2:] != (2, 2):
        raise InputError(
            "a two-port must have matrices of the shape (2, 2)", where="Y", got=y.shape, allowed="(..., 2, 2)"
        )
    V_A, V_B = (np.broadcast_to(np.asarray(v, complex), y.shape[:-2]) for v in (velocity_a, velocity_b))
    E1, E2 = np.moveaxis(np.broadcast_to(np.asarray(forces, complex), (*y.shape[:-2], 2)), -1, 0)
    if impedance_a is None and impedance_b is None:
        V1, V2 = V_A, V_B  # off-diagonal terms of §4.1.4.4 restored below
    elif impedance_a is None:
        Y_B = np.asarray(impedance_b, complex)
        V1, V2 = V_A, (Y_B * V_B - E2 - y[..., 1, 0] * V_A) / _solvable(y[..., 1, 1] + Y_B)  # [Habibi97 4.18]
    elif impedance_b is None:
        Y_A = np.asarray(impedance_a, complex)
        V1, V2 = (Y_A * V_A - E1 - y[..., 0, 1] * V_B) / _solvable(y[..., 0, 0] + Y_A), V_B
    else:
        V1, V2 = _between(y, np.asarray(impedance_a, complex), np.asarray(impedance_b, complex), V_A, V_B, E1, E2)
    F1 = y[..., 0, 0] * V1 + y[..., 0, 1] * V2 + E1
    F2 = y[..., 1, 0] * V1 + y[..., 1, 1] * V2 + E2
    return TwoPort(V1, V2, F1, F2)


def _between(
    y: Complex, Y_A: Complex, Y_B: Complex, V_A: Complex, V_B: Complex, E1: Complex, E2: Complex
) -> tuple[Complex, Complex]:
    """Return V1 and V2 between two sources of finite impedance [Habibi97 4.13, 4.14]."""
    f1, f2 = Y_A * V_A - E1, Y_B * V_B - E2
    det = _solvable((y[..., 0, 0] + Y_A) * (y[..., 1, 1] + Y_B) - y[..., 0, 1] * y[..., 1, 0])
    V1 = ((y[..., 1, 1] + Y_B) * f1 - y[..., 0, 1] * f2) / det
    return V1, (-y[..., 1, 0] * f1 + (y[..., 0, 0] + Y_A) * f2) / det


def _solvable(det: Complex) -> Complex:
    if (det == 0).any():
        remedy = "Move the frequency a little, or give a damper."
        raise InputError("the two-port is singular at a resonance", where="two_port", got=Words("Δ = 0"), remedy=remedy)
    return det


def transmission(Y: ArrayLike, omega: ArrayLike, *, threshold: float = 0.01, **ends: Any) -> Condition:
    """Return whether a two-port transmits forces unchanged [Habibi97 4.5]; `ends` as for two_port."""
    w = np.atleast_1d(as_floats(omega, where="omega"))
    ratio = np.broadcast_to(two_port(Y, **ends).ratio, w.shape)
    return Condition("transmission", w, ratio, check_threshold(threshold))


def spring_transmission(mass: float, stiffness: float, omega: ArrayLike) -> tuple[Array, Array]:
    """Return |Γ/Γ1| = mω²/|k − mω²| and |Γ/Γ2| = mω²/k of a spring that pulls a mass [Habibi97 4.29-4.33]."""
    w = as_floats(omega, where="omega")
    m, k = check_number(mass, "mass", "spring", above=0.0), check_number(stiffness, "stiffness", "spring", above=0.0)
    left = np.abs(k - m * w**2)
    return np.where(left == 0, np.inf, m * w**2 / np.where(left == 0, 1, left)), m * w**2 / k


def stiff_enough(mass: float, omega_max: float, *, loss: float = 0.01) -> float:
    """Return the stiffness [N/m] at which a spring moves a mass like a rod: 100 m ω² for 1 % [Habibi97 §4.1.5.3]."""
    m = check_number(mass, "mass", "spring", above=0.0)
    return m * check_number(omega_max, "omega_max", "spring", above=0.0) ** 2 / check_threshold(loss)


def constant_length(V1: ArrayLike, V2: ArrayLike, omega: ArrayLike, *, threshold: float = 0.01) -> Condition:
    """Return whether the ends of a link move alike: |V1 − V2| ≪ |V1|, |V2| [Habibi97 4.35]; then it may be rigid."""
    w = np.atleast_1d(as_floats(omega, where="omega"))
    one, two = np.asarray(V1, complex), np.asarray(V2, complex)
    least = np.broadcast_to(np.minimum(np.abs(one), np.abs(two)), w.shape)
    ratio = np.where(least == 0, np.inf, np.abs(one - two) / np.where(least == 0, 1, least))
    return Condition("constant length", w, ratio, check_threshold(threshold))


def length_change(a: ArrayLike, b: ArrayLike) -> float:
    """Return the largest relative change of the distance between two recorded points (samples, axes) [m]."""
    one, two = as_floats(a, where="a"), as_floats(b, where="b")
    if one.shape != two.shape or one.ndim != 2 or len(one) == 0:
        raise InputError(
            "two recorded points must have the same shape (samples, axes)",
            got=Words(f"{one.shape}, {two.shape}"),
            allowed="(samples, axes) twice",
        )
    length = np.linalg.norm(two - one, axis=1)
    if length.mean() == 0:
        raise InputError("the two points are always at one place", where="length_change", got=0.0)
    return float(np.abs(length / length.mean() - 1).max())


def non_dynamic(
    mass: float,
    *,
    links: int,
    stiffness: float,
    damping: float = 0.0,
    band: Band,
    threshold: float = 0.01,
    step: float | None = None,
) -> Condition:
    """Return whether a mass on n like links is its neighbours' mean: mω ≪ n|z + k/jω| [Habibi97 4.48, 4.49]."""
    n = check_number(links, "links", "non_dynamic", least=1)
    m = check_number(mass, "mass", "non_dynamic", above=0.0)
    w = band.omega()
    Y = n * link_impedance(stiffness, damping, w, step)
    ratio = np.where(Y == 0, np.inf, np.abs(mass_impedance(m, w, step)) / np.where(Y == 0, 1, np.abs(Y)))
    return Condition("non-dynamic dependence", w, ratio, check_threshold(threshold))


def follows_neighbours(network: LinearNetwork, band: Band, *, step: float | None = None, count: int = 100) -> Array:
    """Return for each mass the largest |jmω|/|ΣY of its links| in the band, (masses,): small where geometry would do.

    [Habibi97 4.48] for links that differ; compare with a threshold. A mass without links has infinity.
    """
    w = band.omega(count)
    _, K, Z = network.matrices
    Y = link_impedance(K.diagonal(), Z.diagonal(), w[:, None], step)
    M = np.abs(mass_impedance(network.mass, w[:, None], step))
    ratio = np.where(Y == 0, np.where(M == 0, 0.0, np.inf), M / np.where(Y == 0, 1, np.abs(Y)))
    return np.asarray(ratio.max(axis=0))
