"""Many signals as few prototypes and small deviations: s_i = f_i(σ_1 … σ_n) + δs_i [Habibi97 §2.4.2]."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run.options import check_number
from motiform.record.plain import to_plain
from motiform.spatial import log_rotation, nearest_rotation
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Prototypes", "main_prototypes", "rigid_prototypes"]


@dataclass(frozen=True, eq=False)
class Prototypes:
    """A recorded motion as few wide signals and many narrow ones."""

    kind: str
    """"rigid" or "main"."""
    signals: Array
    """Prototypes, (samples, prototypes): rotation vector [rad] and centre [m], or amplitudes of main motions [m]."""
    shapes: Array
    """Rigid: points in the body's axes, (points, 3) [m]. Main: motion of unit amplitude, (prototypes, points, 3)."""
    deviations: Array
    """What prototypes do not represent, (samples, points, 3) [m]; in the world, as the signals themselves."""
    energy: float
    """Sum of squares of the motion about its mean [m²]."""

    @property
    def count(self) -> int:
        """Number of prototypes."""
        return self.signals.shape[1]

    @property
    def share(self) -> float:
        """Part of the energy that the prototypes represent, 0 to 1; 1 for a body at rest."""
        return 1 - float((self.deviations**2).sum() / self.energy) if self.energy else 1.0

    def bits_saved(self, recorded: ArrayLike) -> float:
        """Return by how many bits per sample deviations are narrower than signals: log2 of ranges [Habibi97 2.3]."""
        whole, left = (np.ptp(as_floats(x, where="recorded"), axis=0).max() for x in (recorded, self.deviations))
        return float("inf") if left == 0 else float(np.log2(whole / left))

    def as_dict(self) -> dict[str, Any]:
        """Return kind, numbers and shares as plain values."""
        largest = float(np.linalg.norm(self.deviations, axis=-1).max())
        found = {"kind": self.kind, "prototypes": self.count, "signals": self.deviations[0].size}
        plain: dict[str, Any] = to_plain(found | {"share": self.share, "largest_deviation": largest}, "prototypes")
        return plain

    def __str__(self) -> str:
        facts = self.as_dict()
        return (
            f"{facts['prototypes']} {self.kind} prototypes of {facts['signals']} signals tell {100 * self.share:.4g} % "
            f"of the motion; deviations up to {1e3 * facts['largest_deviation']:.4g} mm"
        )


def rigid_prototypes(recorded: ArrayLike, *, mass: ArrayLike | None = None, rounds: int = 20) -> Prototypes:
    """Return the six prototypes of a quasi-rigid body, and its deviations, from points (samples, points, 3) [m].

    The pose of each sample fits the body's mean shape by least squares, weighted by masses [kg], (points,), if given;
    shape and poses are found in turns.
    """
    x = _check_recorded(recorded)
    w = _weights(mass, x.shape[1])
    center = np.einsum("p,npc->nc", w, x)
    local = x - center[:, None]
    shape = local[0]
    R = np.broadcast_to(np.eye(3), (len(x), 3, 3))
    for _ in range(max(1, int(rounds))):
        R = _fit(local, shape, w)
        new = np.einsum("ncd,npc->pd", R, local) / len(x)  # mean of Rᵀ local
        done = np.abs(new - shape).max() <= 1e-14 * max(np.abs(shape).max(), 1e-300)
        shape = new
        if done:
            break
    deviations = local - np.einsum("ncd,pd->npc", R, shape)
    signals = np.concatenate([log_rotation(R), center], axis=1)
    return Prototypes("rigid", signals, shape, deviations, _energy(x))


def main_prototypes(recorded: ArrayLike, *, count: int | None = None, share: float | None = None) -> Prototypes:
    """Return the main motions of points (samples, points, 3) [m]: `count`, or as many as tell a `share` (0 to 1).

    They are the principal components of the motion about its mean: no other `count` linear prototypes tell more.
    """
    x = _check_recorded(recorded)
    if (count is None) == (share is None):
        raise InputError("how many prototypes is not clear", where="prototypes", allowed="either count or share")
    flat = x.reshape(len(x), -1)
    moving = flat - flat.mean(axis=0)
    U, sizes, Vt = np.linalg.svd(moving, full_matrices=False)
    n = _how_many(sizes if _energy(x) else 0 * sizes, count, share)
    reconstructed = (U[:, :n] * sizes[:n]) @ Vt[:n]
    return Prototypes(
        "main", U[:, :n] * sizes[:n], Vt[:n].reshape(n, x.shape[1], 3), (moving - reconstructed).reshape(x.shape),
        _energy(x),
    )  # fmt: skip


def _how_many(sizes: Array, count: int | None, share: float | None) -> int:
    if count is not None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count <= len(sizes):
            raise InputError("no such number of prototypes", where="count", got=count, allowed=f"0 to {len(sizes)}")
        return int(count)
    wanted = check_number(share, "share", "prototypes", above=0.0)  # type: ignore[arg-type]
    if wanted > 1:
        raise InputError("the share must be at most 1", where="share", got=wanted, allowed="above 0, at most 1")
    energy = np.cumsum(sizes**2)
    return int(np.searchsorted(energy, wanted * energy[-1] * (1 - 1e-15))) + 1 if energy[-1] else 0


def _fit(local: Array, shape: Array, w: Array) -> Array:
    """Return rotations R with R shape nearest to local, (samples, 3, 3)."""
    tie = np.einsum("p,npc,pd->ncd", w, local, shape)
    try:
        return nearest_rotation(tie)
    except InputError as error:
        remedy = "Take points that do not lie on one line, or main_prototypes."
        raise InputError("no pose fits the points", where="rigid_prototypes", remedy=remedy) from error


def _energy(x: Array) -> float:
    energy = float(((x - x.mean(axis=0)) ** 2).sum())
    rounding = x.size * (8 * np.finfo(float).eps * np.abs(x).max()) ** 2
    return energy if energy > rounding else 0.0  # a body at rest moves by rounding alone


def _check_recorded(recorded: ArrayLike) -> Array:
    x = as_floats(recorded, 3, where="recorded")
    if x.ndim != 3 or 0 in x.shape:
        raise InputError(
            "recorded points must have the shape (samples, points, 3)", where="recorded", got=x.shape,
            allowed="(samples, points, 3)",
        )  # fmt: skip
    return x


def _weights(mass: ArrayLike | None, points: int) -> Array:
    if mass is None:
        return np.full(points, 1 / points)
    m = as_floats(mass, where="mass")
    if m.shape != (points,) or (m < 0).any() or m.sum() == 0:
        got = Words(f"shape {m.shape}")
        raise InputError(
            "there must be one mass for each point", where="mass", got=got,
            allowed=f"({points},), zero or more, not all zero",
        )  # fmt: skip
    return m / m.sum()
