"""Implicit Runge–Kutta steps for stiff systems: Radau IIA with simplified Newton iterations.  [Hairer96 IV.8]

With stages z = (z₁, z₂, z₃) beside y, A⁻¹ z = h f(y + z). In the eigenvectors of A⁻¹ this falls apart into a real
system and a complex one, (λ/h − J) Δw = …, of the size of the state.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError
from motiform.motion.run.explicit import ExplicitStep, Rate
from motiform.motion.run.guards import Solution
from motiform.motion.run.integrators import RADAU

__all__ = ["ImplicitStep"]

_POWERS = np.linalg.inv(RADAU.c[:, None] ** np.arange(1, 4))  # z(θ) = Σ θᵖ (powers z)ₚ
_ESTIMATE = np.array([-13 - 7 * 6**0.5, -13 + 7 * 6**0.5, -1]) / 3  # of the error, from the stages [Hairer96 IV.8]
_MOST = 7  # iterations of Newton's method
_SLOW = 1e-3  # rate of convergence above which the Jacobian is renewed
_LEAST = 1e-3  # of a number of the state, for the differences of the Jacobian


def _split() -> tuple[float, complex, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the real eigenvalue of A⁻¹ and one of the others, their eigenvectors, and their rows of the inverse."""
    values, vectors = np.linalg.eig(np.linalg.inv(RADAU.a))
    real, pair = int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))
    vectors[:, real] /= vectors[2, real]
    inverse = np.linalg.inv(np.column_stack([vectors[:, real], vectors[:, pair], vectors[:, pair].conj()]))
    return (
        float(values[real].real), complex(values[pair]), vectors[:, real].real, vectors[:, pair], inverse[0].real,
        inverse[1],
    )  # fmt: skip


_REAL, _PAIR, _REAL_VECTOR, _PAIR_VECTOR, _REAL_ROW, _PAIR_ROW = _split()


class ImplicitStep(ExplicitStep):
    """Radau IIA on one system. The Jacobian, by differences, is kept from step to step, also over events.

    What comes after the `counted` numbers is a sum of what is on the way: nothing depends on it.
    """

    power = 0.25

    def __init__(
        self, rate: Rate, *, size: int, repair: Callable[[np.ndarray], None] | None = None, rtol: float = 1e-9,
        atol: float = 1e-12, counted: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(RADAU, rate, size=size, repair=repair, rtol=rtol, atol=atol, counted=counted)
        self.n = size if counted is None else counted
        self.jacobian: np.ndarray | None = None
        """∂f/∂y of what is integrated, (n, n)."""
        self.evaluations = 0
        """Of the rate, since the beginning."""
        self._fresh = False  # whether the Jacobian is that of the present state
        self._renew = False
        self._factors: tuple[float, Any, Any] | None = None
        self._before = (np.nan, 0.0, np.zeros((3, size)))  # end and length of the last good step, its polynomial
        self._last = self._before  # of the last one, good or not
        self._slope, self._z = np.zeros(self.n), np.zeros((3, size))

    @property
    def adaptive(self) -> bool:
        """It estimates its errors."""
        return True

    @property
    def lands(self) -> bool:
        """Its dense output is as good as its steps."""
        return False

    def keep(self) -> dict[str, Any]:
        """Return the data that a resumed run needs."""
        end, h, polynomial = self._last
        jacobian = np.zeros((0, self.n)) if self.jacobian is None else self.jacobian
        return {"jacobian": jacobian, "polynomial": polynomial, "last": [end, h], "renew": int(self._renew)}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from what was kept."""
        if not kept:
            return
        jacobian = np.asarray(kept["jacobian"], float)
        self.jacobian = jacobian.reshape(self.n, self.n) if jacobian.size else None
        end, h = (float(number) for number in kept["last"])
        self._last = end, h, np.asarray(kept["polynomial"], float).reshape(3, -1)
        self._renew = bool(kept["renew"])

    def renew(self) -> None:
        """Find the Jacobian anew in the next step."""
        self._renew = True

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        out = np.empty_like(y)
        self.rate(min(t, self.latest), y, out)
        self.evaluations += 1
        return out

    def _differentiate(self, t: float, y: np.ndarray, slope: np.ndarray) -> None:
        """Find the Jacobian by differences."""
        slope = slope[: self.n]
        found = np.empty((self.n, self.n))
        for k in range(self.n):
            moved = y.copy()
            moved[k] += np.sqrt(np.finfo(float).eps) * max(abs(y[k]), _LEAST)
            found[:, k] = (self._rates(t, moved)[: self.n] - slope) / (moved[k] - y[k])
        self.jacobian, self._factors, self._fresh, self._renew = found, None, True, False

    def _factorize(self, h: float) -> tuple[Any, Any]:
        """Return the factors of λ/h − J for both eigenvalues."""
        from scipy.linalg import lu_factor

        if self._factors is None or self._factors[0] != h:
            one = np.eye(self.n)
            assert self.jacobian is not None
            self._factors = h, lu_factor(_REAL / h * one - self.jacobian), lu_factor(_PAIR / h * one - self.jacobian)
        return self._factors[1:]

    def step(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        """Return the state at t + h, NaN where the iterations do not converge."""
        self._check(y)
        if abs(self._last[0] - t) <= 1e-12 * max(1.0, abs(t)):
            self._before = self._last
        self._slope, self._fresh = self._rates(t, y), False
        if self.jacobian is None or self._renew:
            self._differentiate(t, y, self._slope)
        while True:
            z = self._stages(t, y, h)
            if z is not None or self._fresh:
                break
            self._differentiate(t, y, self._slope)
        if z is None:
            return np.full_like(y, np.nan)
        self._z, end = z, y.copy()
        end += z[2]
        self._last = t + h, h, _POWERS @ z
        return end

    def _guess(self, t: float, h: float) -> np.ndarray:
        """Return stages to begin with: the last step's polynomial, which is continued."""
        end, before, polynomial = self._before
        if abs(end - t) > 1e-12 * max(1.0, abs(t)) or before == 0.0:
            return np.zeros((3, self.n))
        polynomial = polynomial[:, : self.n]
        theta = 1.0 + RADAU.c * h / before
        return np.asarray((theta[:, None] ** np.arange(1, 4) - 1.0) @ polynomial)

    def _stages(self, t: float, y: np.ndarray, h: float) -> np.ndarray | None:
        """Return the stages beside y, (3, size), by simplified Newton iterations, or None."""
        from scipy.linalg import lu_solve

        real, pair = self._factorize(h)
        scale = self.atol + self.rtol * np.abs(y[: self.n])
        tolerance = max(10 * np.finfo(float).eps / self.rtol, min(0.03, self.rtol**0.5))
        z, before, at = self._guess(t, h), None, y.copy()
        w, u = _REAL_ROW @ z, _PAIR_ROW @ z
        rates = np.empty((3, len(y)))
        slopes = rates[:, : self.n]
        for k in range(_MOST):
            try:
                for i in range(3):
                    at[: self.n] = y[: self.n] + z[i]
                    rates[i] = self._rates(t + RADAU.c[i] * h, at)
            except MotiformError:  # beyond where the rate is defined
                return None
            if not np.isfinite(slopes).all():
                return None
            dw = lu_solve(real, _REAL_ROW @ slopes - _REAL / h * w)
            du = lu_solve(pair, _PAIR_ROW @ slopes - _PAIR / h * u)
            change = np.outer(_REAL_VECTOR, dw) + 2.0 * np.outer(_PAIR_VECTOR, du).real
            size = float(np.sqrt(np.mean((change / scale) ** 2)))
            ratio = None if not before else size / before
            if ratio is not None and (ratio >= 1 or ratio ** (_MOST - k) / (1 - ratio) * size > tolerance):
                return None
            w, u, z = w + dw, u + du, z + change
            if size == 0 or (ratio is not None and ratio / (1 - ratio) * size < tolerance):
                self._renew = ratio is not None and ratio > _SLOW and k > 1
                return np.hstack([z, h * RADAU.a @ rates[:, self.n :]])
            before = size
        return None

    def error(self, y: np.ndarray, end: np.ndarray, h: float) -> float:
        """Return the error of the last step over the one allowed."""
        from scipy.linalg import lu_solve

        n = self.n
        estimate = lu_solve(self._factorize(h)[0], self._slope[:n] + _ESTIMATE @ self._z[:, :n] / h)
        scale = self.atol + self.rtol * np.maximum(np.abs(y[:n]), np.abs(end[:n]))
        return float(np.sqrt(np.mean((estimate / scale) ** 2)))

    def solution(self, t: float, y: np.ndarray, end: np.ndarray, h: float) -> Solution:
        """Return the solution inside the last step: the polynomial of collocation."""
        polynomial = self._last[2]

        def at(instant: float) -> np.ndarray:
            if instant == t + h:
                return end.copy()
            theta, state = (instant - t) / h, y.copy()
            state += theta * (polynomial[0] + theta * (polynomial[1] + theta * polynomial[2]))
            if self.repair is not None:
                self.repair(state)
            return state

        return at
