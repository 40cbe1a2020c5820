"""Coupled coordinates: q and v of the whole tree from the independent ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.layout import CoordinateLayout

__all__ = ["Coupled", "Coupling"]


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate that is a function of another one, and so is not in q."""

    dependent: str
    leading: str
    function: CoordinateFunction


class Coupled:
    """How the dependent coordinates of a figure follow: v_all = G(q) v, with rows of G for them holding f'."""

    def __init__(self, layout: CoordinateLayout, couplings: Sequence[Coupling]) -> None:
        self._functions = [coupling.function for coupling in couplings]
        gone_q = [int(layout.places_q[coupling.dependent][0]) for coupling in couplings]
        gone_v = [int(layout.places_v[coupling.dependent][0]) for coupling in couplings]
        self.kept_q = np.setdiff1d(np.arange(layout.nq), gone_q)
        self.kept_v = np.setdiff1d(np.arange(layout.nv), gone_v)
        self._gone_q, self._gone_v = gone_q, gone_v
        self._nq, self._nv = layout.nq, layout.nv
        # where the leading coordinates are among the free ones
        self._leads_q = [int(np.searchsorted(self.kept_q, layout.places_q[c.leading][0])) for c in couplings]
        self._leads_v = [int(np.searchsorted(self.kept_v, layout.places_v[c.leading][0])) for c in couplings]

    def expand(self, q: Array) -> Array:
        """Return all coordinates, (..., nq of the tree)."""
        out = np.empty((*q.shape[:-1], self._nq))
        out[..., self.kept_q] = q
        for function, gone, lead in zip(self._functions, self._gone_q, self._leads_q, strict=True):
            out[..., gone] = function.derivatives(q[..., lead])[0]
        return out

    def matrix(self, q: Array) -> Array:
        """Return G, (..., nv of the tree, nv)."""
        G = np.zeros((*q.shape[:-1], self._nv, len(self.kept_v)))
        G[..., self.kept_v, np.arange(len(self.kept_v))] = 1.0
        for function, gone, lead_q, lead_v in self._each():
            G[..., gone, lead_v] = function.derivatives(q[..., lead_q])[1]
        return G

    def _each(self):  # type: ignore[no-untyped-def]
        return zip(self._functions, self._gone_v, self._leads_q, self._leads_v, strict=True)

    def expand_velocity(self, q: Array, v: Array) -> Array:
        """Return all velocities, (..., nv of the tree)."""
        return self.expand_motion(q, v, np.zeros_like(v))[1]

    def expand_motion(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Return all coordinates, velocities and accelerations: G a + dG/dt v."""
        velocities, accelerations = (np.empty((*v.shape[:-1], self._nv)) for _ in range(2))
        velocities[..., self.kept_v], accelerations[..., self.kept_v] = v, a
        for function, gone, lead_q, lead_v in self._each():
            _, first, second = function.derivatives(q[..., lead_q])
            velocities[..., gone] = first * v[..., lead_v]
            accelerations[..., gone] = first * a[..., lead_v] + second * v[..., lead_v] ** 2
        return self.expand(q), velocities, accelerations

    def reduce(self, q: Array, tau: Array) -> Array:
        """Return the forces on the free coordinates, Gᵀ tau."""
        out = tau[..., self.kept_v].copy()
        for function, gone, lead_q, lead_v in self._each():
            out[..., lead_v] += function.derivatives(q[..., lead_q])[1] * tau[..., gone]
        return out
