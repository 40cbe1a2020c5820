"""Which of two coupled models drives the other: criteria of influence, with a band and a threshold.

Two models meet at a point. With F = F_eqA + Y_A V on one side and F_eqB + Y_B V on the other, the influence of B on A
is |F|/|Y_A V|, that of A on B is |F|/|Y_B V| [Habibi97 3.15-3.19]. The first is also the relative error of A's velocity
when A runs without B: the free velocity is −F_eqA/Y_A, which differs from V by F/Y_A.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.band import Band, check_threshold, intervals
from motiform.motion.matter.coupling.elements import Complex, check_pulsations
from motiform.motion.matter.coupling.impedances import Port, port_impedance, velocities
from motiform.motion.matter.coupling.linear import LinearNetwork, without_links
from motiform.motion.matter.coupling.natural_modes import modes
from motiform.motion.matter.coupling.nodal import check_sources, solve_nodal
from motiform.record.plain import to_plain
from motiform.spatial.checks import Array, Words

__all__ = ["Influence", "Verdict", "cut_error", "influence", "influence_of_parts", "influences"]

Verdict = Literal["independent", "a drives b", "b drives a", "both kept"]


@dataclass(frozen=True, eq=False)
class Influence:
    """What two models do to one another at their connection, over a band."""

    a: str
    b: str
    omega: Array
    """[rad/s], (frequencies,)."""
    on_a: Array
    """Influence of b on a, (frequencies,): the relative error of a's velocity if a ignores b."""
    on_b: Array
    """Influence of a on b, (frequencies,)."""
    threshold: float
    """ε: what is at most this is negligible. The thesis gives none."""

    @property
    def verdict(self) -> Verdict:
        """Return what may be cut: [Habibi97 3.20] independent, [3.22, 3.23] one drives the other, [3.12] both kept."""
        free_a, free_b = self.worst_a <= self.threshold, self.worst_b <= self.threshold
        if free_a and free_b:
            return "independent"
        return "a drives b" if free_a else "b drives a" if free_b else "both kept"

    @property
    def worst_a(self) -> float:
        """Largest influence of b on a in the band."""
        return float(self.on_a.max())

    @property
    def worst_b(self) -> float:
        """Largest influence of a on b in the band."""
        return float(self.on_b.max())

    @property
    def connections(self) -> tuple[tuple[str, str], ...]:
        """Directed connections that stay: (from, to)."""
        kept = {"independent": (), "a drives b": ((self.a, self.b),), "b drives a": ((self.b, self.a),)}
        return kept.get(self.verdict, ((self.a, self.b), (self.b, self.a)))

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict and its numbers as plain values."""
        found: dict[str, Any] = {"a": self.a, "b": self.b, "verdict": self.verdict, "threshold": self.threshold}
        found["band"] = [self.omega[0] / (2 * np.pi), self.omega[-1] / (2 * np.pi)]
        for key, ratio in (("a", self.on_a), ("b", self.on_b)):
            found[f"on_{key}"] = {
                "worst": float(ratio.max()),
                "at": float(self.omega[np.argmax(ratio)] / (2 * np.pi)),
                "least": float(ratio.min()),
                "negligible": intervals(self.omega, ratio <= self.threshold),
            }
        plain: dict[str, Any] = to_plain(found, "influence")
        return plain

    def __str__(self) -> str:
        summary = {
            "independent": f"{self.a} and {self.b} are independent: cut both ways",
            "a drives b": f"{self.a} drives {self.b}: cut {self.b} → {self.a}",
            "b drives a": f"{self.b} drives {self.a}: cut {self.a} → {self.b}",
            "both kept": f"{self.a} and {self.b} move one another: keep both ways",
        }
        f = self.omega / (2 * np.pi)
        lines = [f"{summary[self.verdict]} ({f[0]:.4g} to {f[-1]:.4g} Hz, threshold {self.threshold:g})"]
        for one, other, ratio in ((self.b, self.a, self.on_a), (self.a, self.b, self.on_b)):
            spans = ", ".join(f"{low:.3g}-{high:.3g}" for low, high in intervals(self.omega, ratio <= self.threshold))
            lines.append(
                f"  {one} on {other}: at most {ratio.max():.3g} (at {f[np.argmax(ratio)]:.4g} Hz), "
                + (f"negligible at {spans} Hz" if spans else f"at least {ratio.min():.3g}, nowhere negligible")
            )
        return "\n".join(lines)


def influence(a: Port, b: Port, *, threshold: float = 0.1, names: tuple[str, str] = ("a", "b")) -> Influence:
    """Return the influence of two models on one another at the point where they meet.

    Where neither has a known source, each is taken as the one that is excited: |Y_B/Y_A|, |Y_A/Y_B| [Habibi97 3.23].
    In space these are the largest stretches of Y_A⁻¹ Y_B and of Y_B⁻¹ Y_A, which do not turn with the axes.
    """
    if a.omega.shape != b.omega.shape or not np.array_equal(a.omega, b.omega):
        raise InputError(
            "the two models are not known at the same frequencies", where="influence", got=Words("two lists")
        )
    if a.impedance.ndim != b.impedance.ndim:
        raise InputError("both models must be known along one axis, or both in space", where="influence")
    if a.impedance.ndim == 3:
        on_a, on_b = _stretch(a.impedance, b.impedance), _stretch(b.impedance, a.impedance)
        return Influence(*names, a.omega, on_a, on_b, check_threshold(threshold))
    q = _ratio(b.impedance, a.impedance)  # Y_B/Y_A, finite or infinite
    silent = np.zeros(len(a.omega), complex)
    F_a, F_b = silent if a.force is None else a.force, silent if b.force is None else b.force
    quiet = (F_a == 0) & (F_b == 0)
    total = np.abs(F_a + F_b)
    # |Y_A F_B − Y_B F_A| over |Y_A (F_A + F_B)| and over |Y_B (F_A + F_B)| [Habibi97 3.20-3.23]
    on_a = _over(np.abs(F_b - _times(q, F_a)), total)
    on_b = _over(np.abs(_times(_ratio(a.impedance, b.impedance), F_b) - F_a), total)
    size = np.abs(q)
    back = np.abs(_ratio(a.impedance, b.impedance))
    return Influence(
        *names, a.omega, np.where(quiet, size, on_a), np.where(quiet, back, on_b), check_threshold(threshold)
    )


def influence_of_parts(
    network: LinearNetwork,
    a: Sequence[int | str],
    b: Sequence[int | str],
    band: Band,
    *,
    threshold: float = 0.1,
    step: float | None = None,
    names: tuple[str, str] = ("a", "b"),
    count: int = 400,
) -> Influence:
    """Return the influence of two sets of masses on one another through all the links between them.

    To ask whether a may ignore b, the links belong to b, for it is their force on a that a cut drops. With several
    links impedances are matrices, and the influence on a is the largest stretch of Y_A⁻¹ Y_B: the error of a's
    velocities at its points is at most that part of them, whatever excites a. Masses of neither set are once left
    out and once held; the larger influence counts.
    """
    first, second = ([network.index(point) for point in points] for points in (a, b))
    if set(first) & set(second):
        raise InputError("a mass is in both parts", got=network.label(min(set(first) & set(second))))
    crossing = _crossing(network, first, second)
    if not crossing.any():
        raise InputError("no link joins the two parts", got=Words(f"{names[0]} and {names[1]}"))
    special = modes(network, step=step).omega if network.size <= 300 else ()
    omega = band.omega(count, also=[w for w in special if np.isfinite(w)])
    on_a, on_b = (
        np.maximum(*(_reaction(network, one, two, crossing, omega, step, others) for others in ("free", "held")))
        for one, two in ((first, second), (second, first))
    )
    return Influence(*names, omega, on_a, on_b, check_threshold(threshold))


def influences(
    network: LinearNetwork,
    models: Mapping[str, Sequence[int | str]],
    band: Band,
    *,
    threshold: float = 0.1,
    step: float | None = None,
) -> list[Influence]:
    """Return the influence of every two models that links join; a model is a name and its masses."""
    names = list(models)
    sets = [[network.index(point) for point in models[name]] for name in names]
    found = []
    for i, j in combinations(range(len(names)), 2):
        if _crossing(network, sets[i], sets[j]).any():
            pair = (names[i], names[j])
            found.append(
                influence_of_parts(network, sets[i], sets[j], band, threshold=threshold, step=step, names=pair)
            )
    return found


def cut_error(
    network: LinearNetwork,
    driver: Sequence[int | str],
    driven: Sequence[int | str],
    omega: ArrayLike,
    forces: ArrayLike,
    step: float | None = None,
) -> Array:
    """Return the relative error of the driver's velocities when it ignores the driven part, (frequencies,).

    Both networks are solved whole, coupled and cut, under the forces [N] given, (masses,) or (frequencies, masses).
    """
    A, B = ([network.index(point) for point in points] for points in (driver, driven))
    w = np.atleast_1d(check_pulsations(omega, step))
    mine = np.isin(np.arange(network.size), A).astype(float)
    apart = without_links(network, _crossing(network, A, B)).matrices
    cut = [_rows(mine, one, other) for one, other in zip(apart, network.matrices, strict=True)]  # the driver's rows
    coupled = velocities(network, w, forces, step)[:, A]
    alone = solve_nodal((cut[0], cut[1], cut[2]), check_sources(network, forces, len(w)), w, step, {})[:, A]
    return _over(np.linalg.norm(alone - coupled, axis=1), np.linalg.norm(coupled, axis=1))


def _rows(mask: Array, one: Any, other: Any) -> Any:
    """Return a sparse matrix with the rows of `one` where the mask is 1, of `other` where it is 0."""
    from scipy.sparse import diags_array

    return (diags_array(mask) @ one + diags_array(1 - mask) @ other).tocsc()


def _crossing(network: LinearNetwork, one: Sequence[int], two: Sequence[int]) -> np.ndarray:
    in_one, in_two = np.zeros(network.size + 1, bool), np.zeros(network.size + 1, bool)  # the last is the ground
    in_one[list(one)] = True
    in_two[list(two)] = True
    found: np.ndarray = (in_one[network.a] & in_two[network.b]) | (in_two[network.a] & in_one[network.b])
    return found


def _reaction(
    network: LinearNetwork, one: Sequence[int], two: Sequence[int], crossing: np.ndarray, omega: Array,
    step: float | None, others: str,
) -> Array:  # fmt: skip
    """Return the largest stretch of Y_one⁻¹ Y_two at the points of `one` that the links touch, (frequencies,)."""
    ends = np.concatenate([network.a[crossing], network.b[crossing]])
    points = sorted(set(ends.tolist()) & set(one))
    rest = without_links(network, crossing)
    Y_one = port_impedance(rest.part(one, others=others), [list(one).index(p) for p in points], omega, step)
    # The other side: `two` with the links, whose ends at `one` are bare.
    place = {mass: k for k, mass in enumerate([*two, *points])}
    inner = rest.part(two, others=others)
    a, b = ([place[int(m)] for m in end[crossing]] for end in (network.a, network.b))
    beyond = LinearNetwork(
        np.concatenate([inner.mass, np.zeros(len(points))]), np.concatenate([inner.a, a]).astype(int),
        np.concatenate([inner.b, b]).astype(int), np.concatenate([inner.stiffness, network.stiffness[crossing]]),
        np.concatenate([inner.damping, network.damping[crossing]]),
    )  # fmt: skip
    return _stretch(Y_one, port_impedance(beyond, range(len(two), len(two) + len(points)), omega, step))


def _stretch(Y_one: Complex, Y_two: Complex) -> Array:
    """Return the 2-norm of Y_one⁻¹ Y_two, (frequencies,); infinite where `one` is free or `two` stuck."""
    if Y_one.shape[-1] == 1:
        return np.abs(_ratio(Y_two[:, 0, 0], Y_one[:, 0, 0]))
    stretch = np.full(len(Y_one), np.inf)
    for n in range(len(Y_one)):
        if np.isfinite(Y_two[n]).all() and np.isfinite(Y_one[n]).all() and np.linalg.cond(Y_one[n]) < 1e15:
            stretch[n] = np.linalg.norm(np.linalg.solve(Y_one[n], Y_two[n]), 2)
    return stretch


def _ratio(top: Complex, bottom: Complex) -> Complex:
    """Return top/bottom with 0/0 and ∞/∞ as infinite: nothing can be said there, so nothing may be cut."""
    fast, stuck = np.isinf(top), np.isinf(bottom)
    plain = np.where(fast | stuck, 1, top) / np.where((bottom == 0) | stuck, 1, bottom)
    return np.where(fast | ((bottom == 0) & ~stuck), np.inf, np.where(stuck, 0, plain))


def _times(q: Complex, force: Complex) -> Complex:
    return np.where(force == 0, 0, np.where(np.isinf(q), np.inf, np.where(np.isinf(q), 1, q) * force))


def _over(top: Array, bottom: Array) -> Array:
    """Return top/bottom, infinite over zero, zero where nothing is exchanged."""
    return np.where(top == 0, 0.0, np.where(bottom == 0, np.inf, top / np.where(bottom == 0, 1, bottom)))
