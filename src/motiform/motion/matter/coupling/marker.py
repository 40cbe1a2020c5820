"""A heavy point that pushes a cell through a visco-elastic buffer: the worked case of the thesis, in closed form."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.matter.coupling.band import Band
from motiform.motion.matter.coupling.elements import Complex, link_impedance, mass_impedance, parallel, series
from motiform.motion.matter.coupling.impedances import Port
from motiform.motion.matter.coupling.influence_criteria import Influence, influence
from motiform.motion.matter.coupling.linear import GROUND, LinearNetwork
from motiform.motion.run.options import check_number
from motiform.record.plain import to_plain
from motiform.spatial.checks import Array

__all__ = ["MarkerOnCell"]


@dataclass(frozen=True, kw_only=True)
class MarkerOnCell:
    """A marker of mass M in contact (K, Z) with a cell (m, k, z) [Habibi97 §3.2.5]."""

    marker_mass: float
    """M [kg]."""
    contact_stiffness: float
    """K of the buffer [N/m]."""
    contact_damping: float = 0.0
    """Z of the buffer [N s/m]."""
    cell_mass: float
    """m [kg]."""
    cell_stiffness: float
    """k [N/m]."""
    cell_damping: float = 0.0
    """z [N s/m]."""

    def __post_init__(self) -> None:
        for key in self.__dataclass_fields__:
            positive = not key.endswith("damping")
            bounds: dict[str, float] = {"above": 0.0} if positive else {"least": 0.0}
            object.__setattr__(self, key, check_number(getattr(self, key), key, "marker on a cell", **bounds))

    def network(self) -> LinearNetwork:
        """Return both in contact, as masses "marker" and "cell"."""
        return LinearNetwork(
            np.array([self.marker_mass, self.cell_mass]), np.array([0, 1]), np.array([1, GROUND]),
            np.array([self.contact_stiffness, self.cell_stiffness]),
            np.array([self.contact_damping, self.cell_damping]), ("marker", "cell"),
        )  # fmt: skip

    def marker_impedance(self, omega: ArrayLike, step: float | None = None) -> Complex:
        """Return Y_A of the marker seen through its buffer [Habibi97 3.24]."""
        buffer = link_impedance(self.contact_stiffness, self.contact_damping, omega, step)
        return series(mass_impedance(self.marker_mass, omega, step), buffer)

    def cell_impedance(self, omega: ArrayLike, step: float | None = None) -> Complex:
        """Return Y_B of the cell [Habibi97 3.32]."""
        tie = link_impedance(self.cell_stiffness, self.cell_damping, omega, step)
        return parallel(mass_impedance(self.cell_mass, omega, step), tie)

    def marker_asymptotes(self, omega: ArrayLike) -> Array:
        """Return |Y_A| by its straight pieces: Mω, K/ω, Z; only Mω, Z when Z² > MK [Habibi97 3.26-3.31, corrected]."""
        w = np.asarray(omega, float)
        M, K, Z = self.marker_mass, self.contact_stiffness, self.contact_damping
        beyond = np.full_like(w, Z) if Z**2 >= M * K else np.maximum(K / w, Z)
        return np.minimum(M * w, beyond)

    def cell_asymptotes(self, omega: ArrayLike) -> Array:
        """Return |Y_B| by its straight pieces: k/ω, mω [Habibi97 3.33, 3.34 corrected], and z between when z² > mk."""
        w = np.asarray(omega, float)
        return np.maximum(np.maximum(self.cell_stiffness / w, self.cell_mass * w), self.cell_damping)

    @property
    def omega_min(self) -> float:
        """Below this pulsation [rad/s] the spring of a light cell moves the marker: √(k/M) [Habibi97 3.36]."""
        return float(np.sqrt(self.cell_stiffness / self.marker_mass))

    @property
    def omega_max(self) -> float:
        """Above this pulsation [rad/s] the cell's inertia moves the marker: Z/m, or √(K/m) if Z = 0 [Habibi97 3.36]."""
        if self.contact_damping:
            return self.contact_damping / self.cell_mass
        return float(np.sqrt(self.contact_stiffness / self.cell_mass))

    @property
    def longest(self) -> float:
        """Longest run [s] by the thesis, π√(M/k) [Habibi97 3.37]: half of 2π/ω_min, which strict inclusion gives."""
        return float(np.pi / self.omega_min)

    @property
    def fastest(self) -> float:
        """Highest rate [Hz] by the thesis, Z/(πm) or √(K/m)/π [Habibi97 3.37]. See `stable`."""
        return self.omega_max / np.pi

    def reduced(self, rate: float) -> tuple[float, float]:
        """Return K̂ = (k + K)Te²/m and Ẑ = (z + Z)Te/m of the cell in contact at a rate [Hz]."""
        Te = 1 / check_number(rate, "rate", "marker on a cell", above=0.0)
        m = self.cell_mass
        return (
            (self.cell_stiffness + self.contact_stiffness) * Te**2 / m,
            (self.cell_damping + self.contact_damping) * Te / m,
        )

    def stable(self, rate: float) -> bool:
        """Return whether the scheme holds the cell in contact with a held marker: K̂ + 2Ẑ < 4.

        The condition on the rate in [Habibi97 3.37] means Ẑ > π, or K̂ > π² without damping, so that no stable run meets
        it: the influence must be judged over the band that is really excited.
        """
        K, Z = self.reduced(rate)
        return K + 2 * Z < 4

    def influence(self, band: Band, *, threshold: float = 0.1, step: float | None = None) -> Influence:
        """Return the influence at the cell, with the buffer on the marker's side, as the thesis has it."""
        omega = band.omega()
        a = Port(omega, self.marker_impedance(omega, step), np.ones(len(omega), complex))
        b = Port(omega, self.cell_impedance(omega, step), np.zeros(len(omega), complex))
        return influence(a, b, threshold=threshold, names=("marker", "cell"))

    def as_dict(self, rate: float = 1050.0) -> dict[str, Any]:
        """Return the closed forms as plain values, and the stability at a rate [Hz]."""
        found = {key: getattr(self, key) for key in ("omega_min", "omega_max", "longest", "fastest")}
        K, Z = self.reduced(rate)
        plain: dict[str, Any] = to_plain(
            found | {"rate": rate, "K": K, "Z": Z, "stable": self.stable(rate)}, "marker on a cell"
        )
        return plain

    def __str__(self) -> str:
        low, high = self.omega_min / (2 * np.pi), self.omega_max / (2 * np.pi)
        return (
            f"the marker drives the cell well within {low:.4g} to {high:.4g} Hz; by the thesis in runs up to "
            f"{self.longest:.4g} s at rates up to {self.fastest:.5g} Hz.\nNo stable run has a rate that low: judge the "
            "influence over the band that is excited, and keep runs five times shorter for errors below 10 %."
        )
