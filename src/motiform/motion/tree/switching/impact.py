"""Impulses of an impact: unilateral along the normals, Coulomb friction across them, Poisson's restitution.

Rows are (vx, vy, vz) of each contact, u their velocities, A what impulses change of them: u₊ = u + A P. Compression
stops what approaches; restitution gives e times the normal impulse of the compression again, with friction.
"""

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.tree.model.joint import Array

__all__ = ["collide"]

_SWEEPS = 10_000  # over all contacts; one contact takes one
_SAME = 1e-14  # share of the largest impulse by which the last sweep may change one
_ANGLES = 72  # directions of slip that are tried


def collide(A: Array, u: Array, mu: Array, restitution: Array, where: str) -> Array:
    """Return the impulses of an impact [N·s], (contacts, 3): two tangents and the normal.

    Where restitution would add energy, as it can with several coefficients, all are lowered together.
    """
    count = len(mu)
    first = _impulses(A, u, mu, np.zeros(count), where)
    given = restitution * first[2::3]
    if not given.any():
        return first.reshape(count, 3)
    share, total = 1.0, first
    for _ in range(60):
        total = first + _impulses(A, u + A @ first, mu, share * given, where)
        gained = float(total @ (u + 0.5 * A @ total))  # T₊ − T₋ = P · (u + u₊)/2
        if gained <= 1e-13 * abs(float(u @ total)):
            return total.reshape(count, 3)
        share *= 0.9
    return first.reshape(count, 3)


def _impulses(A: Array, u: Array, mu: Array, least: Array, where: str) -> Array:
    """Return impulses whose normal parts are at least those given, by sweeps over the contacts."""
    P, count = np.zeros(len(u)), len(mu)
    for _ in range(_SWEEPS):
        before = P.copy()
        for i in range(count):
            own = slice(3 * i, 3 * i + 3)
            free = u[own] + A[own] @ P - A[own, own] @ P[own]
            P[own] = _single(A[own, own], free, float(mu[i]), float(least[i]), where)
        if count == 1 or np.abs(P - before).max() <= _SAME * np.abs(P).max():
            return P
    raise RunError(
        "the impulses of the impact were not found", where=where, got=f"{count} contacts that strike together",
        remedy="Lower friction, or take contact.release_contacts.",
    )  # fmt: skip


def _single(A: Array, u: Array, mu: float, least: float, where: str) -> Array:
    """Return the impulse of one contact: it parts, sticks or slides."""
    if least == 0.0 and u[2] >= 0.0 and np.isfinite(mu):
        return np.zeros(3)
    for stuck in (_held(A, u), _pushed(A, u, least)):
        opens = (u + A @ stuck)[2] >= -1e-12 * abs(u[2])
        if stuck[2] >= least and opens and (np.isinf(mu) or np.hypot(*stuck[:2]) <= mu * stuck[2]):
            return stuck
    return np.zeros(3) if np.isinf(mu) else _sliding(A, u, mu, least, where)


def _held(A: Array, u: Array) -> Array:
    """Return the impulse that leaves no velocity."""
    return -np.linalg.solve(A, u)


def _pushed(A: Array, u: Array, normal: float) -> Array:
    """Return a normal impulse with the tangential one that leaves no slip."""
    return np.append(-np.linalg.solve(A[:2, :2], u[:2] + A[:2, 2] * normal), normal)


def _sliding(A: Array, u: Array, mu: float, least: float, where: str) -> Array:
    """Return the impulse with friction against the slip that it leaves: of its direction d, slip × d = 0."""

    def impulse(angle: float) -> Array:
        d = np.array([np.cos(angle), np.sin(angle)])
        stiff = A[2, 2] - mu * float(A[2, :2] @ d)
        normal = max(least, -u[2] / stiff) if stiff > 0 else np.nan
        return np.append(-mu * normal * d, normal)

    def across(angle: float) -> float:
        slip = (u + A @ impulse(angle))[:2]
        return float(np.cos(angle) * slip[1] - np.sin(angle) * slip[0])

    def along(angle: float) -> float:
        return float(np.array([np.cos(angle), np.sin(angle)]) @ (u + A @ impulse(angle))[:2])

    start = float(np.arctan2(u[1], u[0]))
    straight = abs(across(start)) <= 1e-15 * float(np.hypot(u[0], u[1])) and along(start) >= 0
    if mu == 0.0 or straight:
        return impulse(start)
    from scipy.optimize import brentq

    angles = start + np.linspace(-np.pi, np.pi, _ANGLES + 1)
    values = [across(angle) for angle in angles]
    found = []
    for k in range(_ANGLES):
        if values[k] * values[k + 1] <= 0:
            root = float(brentq(across, angles[k], angles[k + 1], xtol=1e-15))
            if along(root) >= 0 and np.isfinite(impulse(root)).all():
                found.append(root)
    if not found:
        raise RunError(
            "the impact has no impulse with so much friction (Painlevé's paradox)",
            where=where,
            remedy="Lower friction.",
        )
    return impulse(min(found, key=lambda angle: abs(angle - start)))
