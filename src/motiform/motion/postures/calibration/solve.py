"""Joint least-squares fit of many postures and the parameters of the figure, with an arrowhead matrix.

The normal equations of the postures v_f of samples f and the parameters p,

    [ A_f  B_f ] [v_f]   [a_f]
    [ B_fᵀ  C  ] [ p ] = [ c ]        C = Σ_f J_pᵀ W J_p + prior,

couple samples through p alone; eliminating the v_f leaves S p = c − Σ B_fᵀ A_f⁻¹ a_f with the Schur complement
S = C − Σ B_fᵀ A_f⁻¹ B_f, whose inverse is the covariance of p.  [Triggs00 6]
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.base.progress import Progress
from motiform.motion.postures.calibration.parameters import FigureParameters
from motiform.motion.postures.calibration.postures import fit_postures, held, inside, posture_places, retry_postures
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.kinematics import tag_jacobians, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["CalibrationProblem", "Loss", "Solution", "solve_alternating", "solve_joint"]

_FLOOR = 1e-13  # of the largest diagonal entry of A_f: postures that nothing determines, to which p is not coupled
_TURN = 0.5  # [rad or m] longest step of a coordinate in one iteration
_INNER = 10  # iterations of the postures alone in one step
_GAIN = 1e-4  # of the cost, which is in units of variances: less moves no number by 0.01 standard deviations
_RANK = 1e-13  # of the largest singular value: motions that nothing determines


@dataclass(frozen=True)
class Loss:
    """How much a squared distance counts: itself, or less where it is long."""

    kind: str | None = None
    scale: float = 0.03
    """[m] From which distance on a marker counts less."""

    def value(self, d2: Array) -> Array:
        """Return the loss [m²] of squared distances."""
        c = self.scale
        if self.kind == "huber":
            return np.where(d2 <= c * c, d2, 2 * c * np.sqrt(d2) - c * c)
        return d2 * c * c / (c * c + d2) if self.kind else d2

    def weight(self, d2: Array) -> Array:
        """Return its derivative: the weight of the marker in the normal equations."""
        c = self.scale
        if self.kind == "huber":
            return np.minimum(1.0, c / np.sqrt(np.maximum(d2, 1e-300)))
        return (c * c / (c * c + d2)) ** 2 if self.kind else np.ones_like(d2)


@dataclass(frozen=True, eq=False)
class CalibrationProblem:
    """Observed points (samples, tags, 3) [m] without gaps, their weights (0: not seen), and what is sought."""

    parameters: FigureParameters
    points: Array
    weights: Array
    marker_sd: float
    loss: Loss
    posture: Array
    """About which joint coordinates are assumed to lie, (samples, nq): where the figure given had them."""
    posture_sd: Array
    """[rad or m] how far, (plain coordinates,)."""

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """Where in q and v these coordinates are."""
        return posture_places(self.parameters.figure)

    def residuals(self, q: Array, p: Array) -> Array:
        """Return point − tag (samples, tags, 3) [m]."""
        return self.points - tags(self.parameters.moving_at(p), q)

    def pulls(self, q: Array) -> Array:
        """Return how far coordinates are from where they are assumed, (samples, plain coordinates)."""
        return (self.posture - q)[:, self.places[0]]

    def costs(self, q: Array, p: Array) -> Array:
        """Return the sum of squares over variances of each sample."""
        d2 = (self.residuals(q, p) ** 2).sum(axis=-1)
        own = ((self.pulls(q) / self.posture_sd) ** 2).sum(axis=1)
        return np.asarray((self.weights * self.loss.value(d2)).sum(axis=1) / self.marker_sd**2 + own)

    def cost(self, q: Array, p: Array) -> float:
        """Return the sum over all samples, and that of the parameters."""
        return float(self.costs(q, p).sum() + p @ self.parameters.prior @ p)

    def loss_weights(self, r: Array) -> Array:
        """Return the weights of the markers (samples, tags) under the loss."""
        return np.asarray(self.weights * self.loss.weight((r**2).sum(axis=-1)))

    def refit(self, q: Array, p: Array, iterations: int) -> Array:
        """Return better postures at the same parameters."""
        w, hold = self.loss_weights(self.residuals(q, p)), self.marker_sd / self.posture_sd
        moving = self.parameters.moving_at(p)
        return fit_postures(
            moving, self.points, q, weights=w, hold=hold, toward=self.posture, max_iterations=iterations
        )

    def retry(self, q: Array, p: Array) -> Array:
        """Return postures where samples in a wrong minimum left it; q itself where there is none."""
        w, hold = self.loss_weights(self.residuals(q, p)), self.marker_sd / self.posture_sd
        points = np.where(self.weights[..., None] > 0, self.points, np.nan)
        return retry_postures(self.parameters.moving_at(p), points, q, w, hold=hold, toward=self.posture)

    def rows(self, q: Array, p: Array) -> tuple[Array, Array, Array]:
        """Return derivatives of the markers to postures and parameters, and residuals, over standard deviations.

        (samples, rows, nv), (samples, rows, count), (samples, rows, 1); of tags that a marker shows in some sample.
        """
        used, n = (self.weights > 0).any(axis=0), len(q)
        r = self.residuals(q, p)
        scale = np.repeat(np.sqrt(self.loss_weights(r)[:, used]) / self.marker_sd, 3, axis=1)[..., None]
        Jq = tag_jacobians(self.parameters.moving_at(p), q)[:, used].reshape(n, -1, self.parameters.figure.nv)
        Jp = self.parameters.derivatives(q)[:, used].reshape(n, -1, self.parameters.count)
        r = r[:, used]
        return scale * Jq, scale * Jp, scale * r.reshape(n, -1, 1)

    def blocks(self, q: Array, p: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return A, B, C, a, c of the normal equations."""
        Jq, Jp, e = self.rows(q, p)
        left, flat, prior = np.swapaxes(Jq, -1, -2), Jp.reshape(-1, len(p)), self.parameters.prior
        A, a = left @ Jq, (left @ e)[..., 0]
        at = self.places[1]
        A[:, at, at] += self.posture_sd**-2
        a[:, at] += self.pulls(q) / self.posture_sd**2
        B, stuck = left @ Jp, held(self.parameters.figure, q, a)
        A = np.where(stuck[:, :, None] | stuck[:, None], np.eye(A.shape[-1]) * stuck[:, None], A)
        a, B = np.where(stuck, 0.0, a), np.where(stuck[:, :, None], 0.0, B)
        return A, B, flat.T @ flat + prior, a, flat.T @ e.ravel() - prior @ p


@dataclass(frozen=True, eq=False)
class Solution:
    """Postures, parameters and how well they are known."""

    q: Array
    p: Array
    covariance: Array
    iterations: int
    settled: bool
    variance: float
    """Sum of squares of the markers over its degrees of freedom: 1 where marker_sd is right."""


def solve_joint(problem: CalibrationProblem, q: Array, p: Array, max_iterations: int, progress: Progress) -> Solution:
    """Return the least-squares postures and parameters: Levenberg–Marquardt on all at once.

    Each step of p is followed by a few of the postures alone, for which the valley of the joint problem is narrow.
    """
    damping, settled, k, cost = 1e-3, False, 0, problem.cost(q, p)
    for k in range(1, max_iterations + 1):
        progress(k / max_iterations)
        blocks = problem.blocks(q, p)
        while True:
            v, dp = _arrow_step(*blocks, damping)
            tried_q, tried_p = _tried(problem, q, p, v, dp)
            new = problem.cost(tried_q, tried_p)
            if new <= cost or damping > 1e6:
                break
            damping *= 10
        if not new <= cost:
            settled = True
            break
        gain, cost = cost - new, new
        q, p = tried_q, tried_p
        damping = max(damping / 10, 1e-12)
        if gain <= _GAIN:
            settled = True
            break
    return _finished(problem, q, p, k, settled)


def _tried(problem: CalibrationProblem, q: Array, p: Array, v: Array, dp: Array) -> tuple[Array, Array]:
    """Return postures and parameters after a step; samples for which their part of it is bad go on from before."""
    new_p = _changed(problem, p, dp)
    v = v * np.minimum(1.0, _TURN / np.maximum(np.abs(v).max(axis=1), 1e-300))[:, None]
    moved = inside(problem.parameters.figure, advance(problem.parameters.figure, q, v))
    worse = problem.costs(moved, new_p) > problem.costs(q, new_p)
    moved[worse] = q[worse]
    return problem.refit(moved, new_p, _INNER), new_p


def _changed(problem: CalibrationProblem, p: Array, dp: Array) -> Array:
    """Return the parameters after a step; a length keeps at least a tenth of itself."""
    n, new = len(problem.parameters.groups), p + dp
    new[:n] = np.maximum(new[:n], -0.9)
    return new


def _eliminated(A: Array, B: Array, C: Array, damping: float) -> tuple[Array, Array]:
    """Return A⁻¹ of each sample and the Schur complement S, damped."""
    size = np.einsum("...ii->...i", A).max(axis=-1)
    A = A + (_FLOOR * size + 1e-300)[:, None, None] * np.eye(A.shape[-1])
    inverse = np.linalg.inv(A)
    return inverse, C + damping * np.diag(np.diag(C)) - np.einsum("fvp,fvr->pr", B, inverse @ B, optimize=True)


def _arrow_step(A: Array, B: Array, C: Array, a: Array, c: Array, damping: float) -> tuple[Array, Array]:
    inverse, S = _eliminated(A, B, C, damping)
    if not len(C):
        return (inverse @ a[..., None])[..., 0], np.zeros(0)
    own = (inverse @ a[..., None])[..., 0]
    dp = np.linalg.solve(S, c - np.einsum("fvp,fv->p", B, own))
    return own - (inverse @ (B @ dp)[..., None])[..., 0], dp


def solve_alternating(
    problem: CalibrationProblem, q: Array, p: Array, max_iterations: int, progress: Progress
) -> Solution:
    """Return them by turns: postures at given parameters, then parameters at given postures. Sure but slow."""
    settled, k, cost = False, 0, np.inf
    for k in range(1, max_iterations + 1):
        progress(k / max_iterations)
        q = problem.refit(q, p, _INNER)
        _, _, C, _, c = problem.blocks(q, p)
        if len(C):
            p = _changed(problem, p, np.linalg.solve(C, c))
        new = problem.cost(q, p)
        if cost - new <= _GAIN:
            settled = True
            break
        cost = new
    return _finished(problem, q, p, k, settled)


def _finished(problem: CalibrationProblem, q: Array, p: Array, iterations: int, settled: bool) -> Solution:
    """Return the solution with the covariance of p: what is left of J_p where no posture can answer."""
    Jq, Jp, e = problem.rows(q, p)
    at = problem.places[1]
    assumed = np.zeros((len(q), len(at), Jq.shape[-1]))
    assumed[:, np.arange(len(at)), at] = 1 / problem.posture_sd
    # an orthonormal basis loses half the digits that the difference C − Bᵀ A⁻¹ B of the Schur complement would
    U, size, _ = np.linalg.svd(np.concatenate([Jq, assumed], axis=1), full_matrices=False)
    U = U * (size > _RANK * size[:, :1])[:, None, :]
    U_seen = U[:, : Jq.shape[1]]
    known = np.swapaxes(U_seen, -1, -2) @ Jp
    left = np.concatenate([Jp - U_seen @ known, -U[:, Jq.shape[1] :] @ known], axis=1).reshape(-1, len(p))
    covariance = np.linalg.inv(left.T @ left + problem.parameters.prior)
    determined = len(p) - float(np.trace(covariance @ problem.parameters.prior))
    count = 3 * int((problem.loss_weights(problem.residuals(q, p)) > 1e-3).sum())
    free = count - float((U_seen**2).sum()) - determined
    return Solution(q, p, covariance, iterations, settled, float((e**2).sum()) / free if free > 0.5 else np.nan)
