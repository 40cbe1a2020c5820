"""Impedances Y = F/V at points of a network, in continuous time and for the discrete scheme.

The convention is the thesis's [Habibi97 3.1]: a large Y is hard to move (the thesis says admittance). At a
point, F = F_eq + Y V is the force that the outside must give for the velocity V [Habibi97 3.5]; a network that nothing
excites has F_eq = 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.elements import Complex, as_complex, check_pulsations, check_spectrum, factors
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.motion.matter.coupling.nodal import check_sources, reduced, solve_nodal
from motiform.spatial.checks import Array, Words

__all__ = ["Port", "impedance", "nodal_matrix", "open_velocity", "port_impedance", "seen_from", "velocities"]


def nodal_matrix(network: LinearNetwork, omega: ArrayLike, step: float | None = None) -> Complex:
    """Return 𝒴(ω) with 𝒴 V = F for the forces on the masses, (..., masses, masses); the ground has no row."""
    w = check_pulsations(omega, step)
    y_mass, y_spring = (factor[..., None, None] for factor in factors(w, step))
    M, K, Z = (matrix.toarray() for matrix in network.matrices)
    return np.asarray(y_mass * M + y_spring * K + Z)


@dataclass(frozen=True, eq=False)
class Port:
    """Impedance and source of a network at one point, over frequency."""

    omega: Array
    """[rad/s], (frequencies,)."""
    impedance: Complex
    """Y = F/V [N s/m], (frequencies,); infinite where the point cannot be moved. Or matrices (frequencies, 3, 3) of a
    point in space that no source is known of."""
    force: Complex | None = None
    """F_eq [N], (frequencies,), spectrum in any unit that all ports share; None: no source is known."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "omega", np.atleast_1d(check_pulsations(self.omega)))
        if np.ndim(self.impedance) == 3:
            put(self, "impedance", _check_blocks(self.impedance, len(self.omega), self.force is None))
            return
        for key in ("impedance", "force"):
            if getattr(self, key) is not None:
                put(self, key, check_spectrum(getattr(self, key), key, len(self.omega)))

    @property
    def open_velocity(self) -> Complex:
        """Velocity of the point that nothing holds, −F_eq/Y [m/s]; infinite at Y = 0, NaN where Y is infinite."""
        Y, F = self.impedance, np.zeros_like(self.impedance) if self.force is None else self.force
        plain = (Y != 0) & np.isfinite(Y)
        V = -F / np.where(plain, Y, 1)
        return np.where(F == 0, 0, np.where(plain, V, np.where(Y == 0, np.inf, np.nan)))


def _check_blocks(value: ArrayLike, count: int, silent: bool) -> Complex:
    """Return matrices (frequencies, 3, 3)."""
    found = as_complex(value, "impedance")
    if found.shape != (count, 3, 3) or not silent:
        got = Words(f"{found.shape}" + ("" if silent else " and a force"))
        raise InputError(
            "impedances in space must be a matrix for each frequency, without a source", where="impedance", got=got,
            allowed=f"({count}, 3, 3)",
        )  # fmt: skip
    return found


def impedance(network: LinearNetwork, point: int | str, omega: ArrayLike, step: float | None = None) -> Complex:
    """Return Y(ω) = 1/[𝒴⁻¹]_NN of a point [N s/m], of the shape of omega [rad/s]; infinite at a pole."""
    return port_impedance(network, [point], omega, step)[..., 0, 0]


def port_impedance(
    network: LinearNetwork, points: Sequence[int | str], omega: ArrayLike, step: float | None = None
) -> Complex:
    """Return the matrix Y(ω) with F = Y V at several points at once, the rest free, (..., points, points)."""
    w = check_pulsations(omega, step)
    Y = reduced(network, points, w.ravel(), step, None, {})[0]
    return Y.reshape(*w.shape, len(points), len(points))


def open_velocity(
    network: LinearNetwork,
    point: int | str,
    omega: ArrayLike,
    forces: ArrayLike,
    step: float | None = None,
    *,
    imposed: Mapping[int | str, ArrayLike] | None = None,
) -> Complex:
    """Return the velocity [𝒴⁻¹ f]_N of a point that nothing holds [m/s], of the shape of omega."""
    w = check_pulsations(omega, step)
    return velocities(network, w, forces, step, imposed=imposed)[..., network.index(point)]


def velocities(
    network: LinearNetwork,
    omega: ArrayLike,
    forces: ArrayLike,
    step: float | None = None,
    *,
    imposed: Mapping[int | str, ArrayLike] | None = None,
) -> Complex:
    """Return the velocities 𝒴⁻¹ f of all masses [m/s], (..., masses), of a network that nothing else holds.

    forces: spectra [N] on all masses, (masses,) or (frequencies, masses). imposed: spectra [m/s] of masses whose motion
    is given, each one number or (frequencies,). Infinite at a resonance that no damper bounds.
    """
    w = check_pulsations(omega, step)
    many = np.atleast_1d(w).ravel()
    f = check_sources(network, forces, len(many))
    given = (imposed or {}).items()
    held = {network.index(key): check_spectrum(v, f"velocity of {key}", len(many)) for key, v in given}
    V = solve_nodal(network.matrices, f, many, step, held)
    return V.reshape(*w.shape, network.size)


def seen_from(
    network: LinearNetwork,
    point: int | str,
    omega: ArrayLike,
    step: float | None = None,
    *,
    forces: ArrayLike | None = None,
    imposed: Mapping[int | str, ArrayLike] | None = None,
) -> Port:
    """Return impedance and equivalent source of the network at a point [Habibi97 3.5].

    forces and imposed as for `velocities`.
    """
    w = np.atleast_1d(check_pulsations(omega, step))
    known = forces is not None or bool(imposed)
    f = check_sources(network, np.zeros(network.size) if forces is None else forces, len(w)) if known else None
    Y, F = reduced(network, [point], w, step, f, imposed or {})
    return Port(w, Y[:, 0, 0], None if F is None else F[:, 0])
