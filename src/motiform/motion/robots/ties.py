"""Couplings and closures held by forces, for runs whose figures can have neither."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.motion.run import check_number
from motiform.motion.tree import Figure, FigureState, constraint, inertia_matrix
from motiform.motion.tree.model.joint import Array

__all__ = ["TieControl"]


@dataclass(frozen=True, eq=False)
class TieControl:
    """tau = Jᵀ (J M⁻¹ Jᵀ)⁺ (−ω² e − 2 ω ė): errors e of couplings and closures die out, critically damped.

    A load that would move the tie apart with the acceleration a holds it apart by a / ω².
    """

    figure: Figure
    """The figure with its couplings and closures; the control is for the one without, whose q has all coordinates."""
    frequency: float = 30.0
    """ω / 2π [Hz]; a run with steps of h [s] takes up to 0.1 / h."""

    def __post_init__(self) -> None:
        check_number(self.frequency, "frequency", "tie control", above=0.0)

    @cached_property
    def tree(self) -> Figure:
        """The figure that is driven: without couplings and closures."""
        return self.figure.replace(couplings=(), closures=())

    @cached_property
    def _closed(self) -> Figure | None:
        return self.figure.replace(couplings=()) if self.figure.closures else None

    def rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return how far the ties are from holding [rad or m], (rows,), and their Jacobian, (rows, nv)."""
        layout, couplings = self.tree.layout, self.figure.couplings
        errors, J = np.zeros(len(couplings)), np.zeros((len(couplings), self.tree.nv))
        for n, coupling in enumerate(couplings):
            value, slope, _ = coupling.function.derivatives(q[layout.places_q[coupling.leading][0]])
            errors[n] = q[layout.places_q[coupling.dependent][0]] - value
            J[n, layout.places_v[coupling.dependent][0]] = 1.0
            J[n, layout.places_v[coupling.leading][0]] -= slope
        if self._closed is None:
            return errors, J
        more = constraint(self._closed, q, v)
        return np.concatenate([errors, more.value]), np.concatenate([J, more.jacobian])

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the forces at an instant, (nv,)."""
        errors, J = self.rows(state.q, state.v)
        omega = 2 * np.pi * self.frequency
        wanted = -(omega**2) * errors - 2 * omega * (J @ state.v)
        A = J @ np.linalg.solve(inertia_matrix(self.tree, state.q), J.T)
        tau: Array = J.T @ (np.linalg.pinv(A, rcond=1e-10, hermitian=True) @ wanted)
        return tau
