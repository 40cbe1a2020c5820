"""Solving the nodal equations 𝒴 V = F of a network: all velocities, or the reduced equations at a few ports."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.elements import Complex, as_complex, check_spectrum, factors
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.spatial.checks import Array, Words

__all__ = ["check_sources", "reduced", "solve_nodal"]

_DENSE = 128  # masses: up to here all frequencies are solved at once, which is quicker than sparse solves one by one
_BATCH = 1 << 20  # complex numbers in one batch of dense matrices, 16 MB


def solve_nodal(
    matrices: tuple[Any, Any, Any], f: Complex, w: Array, step: float | None, held: Mapping[int, Complex]
) -> Complex:
    """Return V with (y_m M + y_k K + Z) V = f but for the rows of held masses, (frequencies, masses)."""
    from scipy.sparse.linalg import splu

    V = np.zeros(f.shape, complex)
    for k, spectrum in held.items():
        V[:, k] = spectrum
    free = np.array([k for k in range(f.shape[1]) if k not in held], int)
    if not len(free):
        return V
    rows = [matrix.tocsr()[free] for matrix in matrices]
    if len(free) <= _DENSE:
        M, K, Z = (matrix.toarray() for matrix in rows)
        batch = max(1, _BATCH // M.size)
        for part in (slice(start, start + batch) for start in range(0, len(w), batch)):
            y_mass, y_spring = (factor[:, None, None] for factor in factors(w[part], step))
            many = y_mass * M + y_spring * K + Z
            found = _solve(many[:, :, free], f[part][:, free, None] - many @ V[part][..., None])[..., 0]
            V[part, free] = np.where(np.isnan(found), np.inf, found)
        return V
    for n, (y_mass, y_spring) in enumerate(zip(*factors(w, step), strict=True)):
        whole = (y_mass * rows[0] + y_spring * rows[1] + rows[2]).tocsc()
        try:
            V[n, free] = splu(whole[:, free]).solve(f[n, free] - whole @ V[n])
        except RuntimeError:  # exactly singular
            V[n, free] = np.inf
    return V


def reduced(
    network: LinearNetwork, points: Sequence[int | str], w: Array, step: float | None, f: Complex | None,
    imposed: Mapping[int | str, ArrayLike],
) -> tuple[Complex, Complex | None]:  # fmt: skip
    """Return Y (frequencies, ports, ports) and F_eq (frequencies, ports) of the ports, all else eliminated (Schur).

    The complement Y_PP − Y_PI Y_II⁻¹ Y_IP is finite at resonances, where 𝒴 itself cannot be inverted.
    """
    ports = _check_ports(network, points)
    held = {network.index(key): check_spectrum(value, f"velocity of {key}", len(w)) for key, value in imposed.items()}
    both = set(ports) & set(held)
    if both:
        raise InputError("a port must not be an imposed point", got=network.label(min(both)))
    inner = np.array([k for k in network.reached(ports) if k not in held and k not in ports], int)
    solve = _dense if len(inner) <= _DENSE else _sparse
    moved = np.array(sorted(held), int)
    V = np.stack([held[k] for k in moved], axis=1) if held else None
    return solve(network, np.array(ports), inner, w, step, f, moved, V)


def _dense(
    network: LinearNetwork, P: Any, I: Any, w: Array, step: float | None, f: Complex | None, H: Any, V: Complex | None
) -> tuple[Complex, Complex | None]:
    order = np.concatenate([P, I, H])
    matrices = [matrix[order][:, order].toarray() for matrix in network.matrices]
    p, i = len(P), len(I)
    Y, F = np.empty((len(w), p, p), complex), None if f is None else np.empty((len(w), p), complex)
    batch = max(1, _BATCH // len(order) ** 2)
    for start in range(0, len(w), batch):
        part = slice(start, start + batch)
        y_mass, y_spring = (factor[:, None, None] for factor in factors(w[part], step))
        whole = y_mass * matrices[0] + y_spring * matrices[1] + matrices[2]
        load = _loads(whole[:, : p + i, p + i :], order[: p + i], f, V, part)
        right = whole[:, p : p + i, :p] if load is None else np.concatenate([whole[:, p : p + i, :p], load[:, p:]], -1)
        X = _solve(whole[:, p : p + i, p : p + i], right)
        Y[part] = whole[:, :p, :p] - whole[:, :p, p : p + i] @ X[..., :p]
        if F is not None and load is not None:
            F[part] = -(load[:, :p] - whole[:, :p, p : p + i] @ X[..., p:])[..., 0]
    return _poles(Y, F)


def _sparse(
    network: LinearNetwork, P: Any, I: Any, w: Array, step: float | None, f: Complex | None, H: Any, V: Complex | None
) -> tuple[Complex, Complex | None]:
    from scipy.sparse.linalg import splu

    order = np.concatenate([P, I, H])
    M, K, Z = (matrix[order][:, order].tocsc() for matrix in network.matrices)
    p, i = len(P), len(I)
    Y, F = np.empty((len(w), p, p), complex), None if f is None else np.empty((len(w), p), complex)
    for n, (y_mass, y_spring) in enumerate(zip(*factors(w, step), strict=True)):
        whole = (y_mass * M + y_spring * K + Z).tocsc()
        load = _loads(whole[: p + i, p + i :].toarray()[None], order[: p + i], f, V, slice(n, n + 1))
        right = whole[p : p + i, :p].toarray()
        right = right if load is None else np.concatenate([right, load[0, p:]], axis=-1)
        try:
            X = splu(whole[p : p + i, p : p + i]).solve(right)
        except RuntimeError:  # exactly singular
            X = np.full_like(right, np.nan)
        Y[n] = whole[:p, :p].toarray() - whole[:p, p : p + i] @ X[:, :p]
        if F is not None and load is not None:
            F[n] = -(load[0, :p] - whole[:p, p : p + i] @ X[:, p:])[:, 0]
    return _poles(Y, F)


def _loads(tie: Complex, order: Any, f: Complex | None, V: Complex | None, part: slice) -> Complex | None:
    """Return the forces on ports and inner masses, moved ones included, (batch, ports + inner, 1)."""
    if f is None:
        return None
    load = f[part][:, order][..., None]
    return load if V is None else load - tie @ V[part][..., None]


def _solve(A: Complex, right: Complex) -> Complex:
    """Return A⁻¹ right, (batch, n, m); NaN where A is singular and `right` is not in its range."""
    try:
        return np.linalg.solve(A, right)
    except np.linalg.LinAlgError:
        pass
    X = np.empty_like(right)
    for n in range(len(A)):
        X[n] = np.linalg.lstsq(A[n], right[n], rcond=None)[0]
        size = np.abs(A[n]).max() * np.abs(X[n]).max() + np.abs(right[n]).max()
        missed = (
            np.abs(A[n] @ X[n] - right[n]).max(axis=0) > 1e-9 * size
        )  # a pole, and not a mode that the port cannot see
        X[n][:, missed] = np.nan
    return X


def _poles(Y: Complex, F: Complex | None) -> tuple[Complex, Complex | None]:
    """Return Y with infinity for what has no finite value."""
    return np.where(np.isnan(Y), np.inf, Y), None if F is None else np.where(np.isnan(F), np.inf, F)


def _check_ports(network: LinearNetwork, points: Sequence[int | str]) -> list[int]:
    if isinstance(points, str) or not len(points):
        raise InputError("ports are a list of masses", got=points or "nothing", allowed="one or more names or indices")
    ports = [network.index(point) for point in points]
    if len(set(ports)) < len(ports):
        raise InputError("a port is named twice", got=Words(str(list(points))))
    return ports


def check_sources(network: LinearNetwork, forces: ArrayLike, count: int) -> Complex:
    """Return spectra of forces [N] on all masses, (frequencies, masses)."""
    f = as_complex(forces, "forces")
    if f.shape not in ((network.size,), (count, network.size)):
        allowed = f"({network.size},) or ({count}, {network.size})"
        raise InputError("there must be one force for each mass", where="forces", got=f.shape, allowed=allowed)
    return np.broadcast_to(f, (count, network.size))
