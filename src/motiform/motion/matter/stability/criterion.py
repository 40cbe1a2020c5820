"""Stability criterion of networks of masses and links.

With unit-mass coordinates y = √M x a linear network steps as y(n+1) = (2 − B − A) y(n) − (1 − B) y(n−1), where
A = Te² M^-½ K M^-½ and B = Te M^-½ Z M^-½ are symmetric and, without negative links, not negative. A root r with
its (complex) shape y, |y| = 1, satisfies r² − (2 − b − a) r + (1 − b) = 0 with a = y*Ay and b = y*By: it is a root of
the cell (a, b), and a + 2b ≤ λ, the largest eigenvalue of A + 2B. Hence no motion grows if λ ≤ 4. If λ > 4, the
symmetric matrix r² − (2 − B − A) r + (1 − B) is indefinite at r = −1 and positive far below: a root r < −1 exists.
**The network is bounded if and only if λ(A + 2B) ≤ 4**, whatever its dampers; the same triangle as for one cell.

λ is bounded row by row. The signs aside, M⁻¹(Te² K + 2 Te Z) is a positive matrix, and for any weights v > 0
λ ≤ max over masses i of (K_i + 2Z_i), K_i = Te²/m_i Σ k (1 + v_j/v_i), Z_i = Te/m_i Σ z (1 + v_j/v_i) over its links
(Gershgorin's discs of the matrix scaled by v; an end that cannot move has v_j = 0 and counts once). v = 1 counts each
movable neighbour twice; v = m^-½ is the symmetric form 1/m_i + 1/√(m_i m_j). The lower of the two maxima is taken,
and where it is above 4, sweeps v ← v + Qv/max lower it further (Collatz and Wielandt: it never rises).

Fewer active links only lower λ (A and B shrink in Loewner's order), so all links that can be active are the worst
case. In space a link's stiffness is k uuᵀ + (tension/distance)(1 − uuᵀ), which is not above k as long as the rest
length is not negative: the bound for motions along one axis holds. Not covered: growth that is physical (negative
stiffness, a compressed link that buckles). Energy that links gain when they switch is for `switching`.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.matter.stability.cell import regime
from motiform.spatial.checks import Array, as_floats

__all__ = ["Stability", "assess", "one_step", "spectral_radius"]

_EDGE = 1e-12  # rounding of sums over up to a thousand links, in units of K + 2Z
_SWEEPS = 32
_DENSE = 600  # masses whose eigenvalues are found without iteration
_LOOSE = 1e-5  # relative error of those of more masses


@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of a network at a step [s]; ``print`` it, ``check`` it or use ``to_dict``.

    ``stiffest`` and ``ground`` are (masses, 2): the worst-case (K, Z) of each mass, and the part of it that links to
    the ground give; the modes that a mass takes part in lie between them. Masses that cannot move have zeros.
    """

    verdict: str
    """stable; stable at the start (in the directions that links have there); marginal (something never decays);
    gains energy (collisions do, no mode grows); may be unstable (a bound says so); unstable (certain)."""
    step: float
    stiffest: Array
    ground: Array
    movable: np.ndarray
    bound: float
    """Upper bound of K + 2Z over all modes; the allowed is 4."""
    largest: float | None
    """K + 2Z of the worst mode itself, where ``exact`` was asked."""
    mass: int | None
    """The mass nearest to or farthest over the limit."""
    link: int | None
    """The link that gives most to that mass."""
    largest_step: float
    """Longest step at which no motion grows, links in any direction, and collisions gain next to nothing [s]."""
    stiffness_factor: float | None
    """Factor on the stiffness of the link, and of all of its name, that brings the bound to 4; None: not enough."""
    damping_factor: float | None
    notes: tuple[str, ...]
    mass_name: str = ""
    link_name: str = ""
    grows: bool = False
    """Whether links of negative stiffness make motion grow at the start, at any step: physics, not the step's fault."""

    @property
    def bounded(self) -> bool:
        """Whether no mode grows."""
        return self.verdict in ("stable", "stable at the start", "marginal", "gains energy")

    @property
    def regimes(self) -> np.ndarray:
        """Regime of the worst case of each mass; "fixed" where it cannot move."""
        names = np.asarray(regime(self.stiffest[:, 0], self.stiffest[:, 1]), dtype=object)
        names[~self.movable] = "fixed"
        return names

    def _facts(self) -> tuple[str, str]:
        """Return where the worst is and what it amounts to."""
        if self.mass is None:
            return "network", "K + 2Z = 0, no stiffness above 0 and no damping act on a mass that moves"
        K, Z = self.stiffest[self.mass].tolist()
        where = self.mass_name + (f", {self.link_name}" if self.link is not None else "")
        exact = f", {self.largest:.6g} in its worst mode" if self.largest is not None else ""
        return where, f"K = {K:.4g}, Z = {Z:.4g}, K + 2Z = {K + 2 * Z:.6g} at worst{exact}"

    @property
    def remedy(self) -> str:
        """What brings the network into the triangle."""
        if not self.largest_step > 0.0:  # beyond what a float holds
            return "No step is short enough: look at masses, stiffness and damping."
        step, rate = f"{self.largest_step:.6g} s (now {self.step:.6g} s)", 1 / self.largest_step
        ways = [f"a step up to {step}, that is {rate:.6g} Hz or more"]
        for factor, what in ((self.stiffness_factor, "stiffness"), (self.damping_factor, "damping")):
            if factor is not None and factor < 1:
                ways.append(f"the {what} of {self.link_name} times {factor:.4g} or less")
        return "Take " + ", or ".join(ways) + "."

    def __str__(self) -> str:
        where, got = self._facts()
        text = f"{self.verdict}: {where}: {got} (allowed: up to 4). "
        longest = f"The largest safe step is {self.largest_step:.6g} s."
        longest = longest if np.isfinite(self.largest_step) else "Links do not limit the step."
        text += longest if self.bounded else self.remedy
        return " ".join([text, *self.notes])

    def check(self) -> "Stability":
        """Return itself if no mode can grow; otherwise raise an error with the remedy."""
        if not self.bounded:
            where, got = self._facts()
            problem = "the network diverges" if self.verdict == "unstable" else "the network may diverge"
            raise InputError(f"{problem}: {got}", where=where, allowed="K + 2Z up to 4", remedy=self.remedy)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and its numbers, without the arrays, ready for JSON."""
        worst = None if self.mass is None else dict(zip("KZ", self.stiffest[self.mass].tolist(), strict=True))
        regimes = Counter(self.regimes.tolist())
        return {
            "verdict": self.verdict,
            "step": self.step,
            "bound": self.bound,
            "allowed": 4.0,
            "largest": self.largest,
            "largest_step": self.largest_step if np.isfinite(self.largest_step) else None,
            "mass": self.mass_name or None,
            "link": self.link_name or None,
            "worst": worst,
            "stiffness_factor": self.stiffness_factor,
            "damping_factor": self.damping_factor,
            "regimes": dict(sorted(regimes.items())),
            "notes": list(self.notes),
        }


class _Net(NamedTuple):
    """Links as two ends, the ground as one more mass that cannot move; 1/m is 0 where nothing moves."""

    inverse: Array
    a: np.ndarray
    b: np.ndarray
    k: Array
    z: Array
    least: Array


def assess(
    mass: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    stiffness: ArrayLike,
    damping: ArrayLike,
    step: float,
    *,
    names: Sequence[str] | None = None,
    link_names: Sequence[str] | None = None,
    movable: ArrayLike | None = None,
    least_stiffness: ArrayLike | None = None,
    dimensions: int = 3,
    exact: bool = False,
) -> Stability:
    """Return the stability of a network, from the links that can be active.

    Parameters
    ----------
    mass : (n,) [kg]; infinite masses do not move.
    a, b : (links,) numbers of the masses at both ends; −1 is the ground.
    stiffness, damping : (links,) the largest of any zone or state of the link [N/m, N·s/m]. Where a zone pulls at a
        distance below half its rest length, give tension over distance if that is larger.
    names, link_names : for the words of the verdict; links of one name are one law and are changed together.
    movable : (n,) of bool; False for fixed and imposed points.
    least_stiffness : (links,) the lowest of any zone or state; negative ones are reported, not rejected [N/m].
    dimensions : of the motion. Along one axis ``exact`` is a certain verdict, in space it is a sharper bound.
    exact : find K + 2Z of the worst mode itself, by eigenvalues.
    """
    net = _net(mass, a, b, stiffness, damping, movable, least_stiffness)
    T = _step(step)
    weights, rows = _rows_of(net, T)
    sums = _plane(rows, T) @ (1.0, 2.0)
    bound, longest = float(sums.max(initial=0.0)), _longest(rows)
    if bound > 4.0 + _EDGE:
        finer = _swept(net, T, weights)
        rows_finer = _rows(net, finer)
        bound = min(bound, float((_plane(rows_finer, T) @ (1.0, 2.0)).max()))
        longest = max(longest, _longest(rows_finer))
        if bound <= 4.0 + _EDGE:  # the worst cases of single masses must say the same
            weights, rows = finer, rows_finer
            sums = _plane(rows, T) @ (1.0, 2.0)
    largest = None
    if exact:
        largest, longest = _exact(net, T, longest)
        largest = min(largest, bound)
    i = int(np.argmax(sums)) if bound > 0 else None
    link = None if i is None else _heaviest(net, T, weights, i)
    same = _same_name(link, link_names, len(net.a))
    factors = [_factor(net, T, weights, sums, same, of) for of in ("k", "z")] if same.any() else [None, None]
    return Stability(
        verdict=_verdict(net, T, rows, bound, largest, dimensions), step=T, stiffest=_plane(rows, T),
        ground=_plane(_rows(net, weights, ground_only=True), T), movable=net.inverse[:-1] > 0, bound=bound,
        largest=largest, mass=i, link=link, largest_step=longest, stiffness_factor=factors[0],
        damping_factor=factors[1], notes=tuple(_notes(net, T, rows, weights, link_names)),
        mass_name="" if i is None else _name("mass", i, names),
        link_name="" if link is None else _name("link", link, link_names),
    )  # fmt: skip


def _step(step: float) -> float:
    if not (np.ndim(step) == 0 and np.isfinite(step) and step > 0):
        raise InputError("step must be > 0 s", where="step", got=step, allowed="above 0 [s]")
    return float(step)


def _net(mass: ArrayLike, a: ArrayLike, b: ArrayLike, k: ArrayLike, z: ArrayLike, movable: Any, least: Any) -> _Net:
    m = as_floats(mass, where="mass", finite=False)
    if m.ndim != 1:
        raise InputError("masses must be a row of numbers", where="mass", got=m.shape, allowed="(n,)")
    if not (m > 0).all():  # NaN too
        i = int(np.argmin(m > 0))
        raise InputError("a mass must be positive", where=f"mass {i}", got=m[i], allowed="above 0, or infinite [kg]")
    moves = np.ones(len(m), bool) if movable is None else np.asarray(movable, bool)
    if moves.shape != m.shape:
        raise InputError(
            "the array must have one entry for each mass", where="movable", got=np.shape(movable),
            allowed=f"({len(m)},)",
        )  # fmt: skip
    ends = [_ends(value, len(m), where) for value, where in ((a, "a"), (b, "b"))]
    count = len(ends[0])
    laws = [as_floats(value, where=where) for value, where in ((k, "stiffness"), (z, "damping"))]
    low = laws[0] if least is None else np.minimum(laws[0], as_floats(least, where="least_stiffness"))
    for value, where in ((ends[1], "b"), (laws[0], "stiffness"), (laws[1], "damping"), (low, "least_stiffness")):
        if value.shape != (count,):
            raise InputError(
                "the array must have one entry for each link", where=where, got=value.shape,
                allowed=f"({count},) as of a",
            )  # fmt: skip
    if (ends[0] == ends[1]).any():
        link = int(np.argmax(ends[0] == ends[1]))
        raise InputError("both ends are the same", where=f"link {link}", got=int(ends[0][link]), allowed="two masses")
    if (laws[1] < 0).any():
        link = int(np.argmax(laws[1] < 0))
        raise InputError(
            "damping must not be negative", where=f"link {link}", got=laws[1][link], allowed="0 or more [N·s/m]"
        )
    inverse = np.append(np.where(moves, 1.0 / m, 0.0), 0.0)
    return _Net(inverse, ends[0] % (len(m) + 1), ends[1] % (len(m) + 1), np.maximum(laws[0], 0), laws[1], low)


def _ends(value: ArrayLike, count: int, where: str) -> np.ndarray:
    ends = np.asarray(value)
    if ends.ndim != 1 or (ends.size and ends.dtype.kind not in "iu"):
        raise InputError(
            "links must be given by numbers of masses", where=where, got=str(ends.dtype), allowed="(links,) of int"
        )
    wrong = (ends < -1) | (ends >= count)
    if wrong.any():
        link = int(np.argmax(wrong))
        allowed = f"0 to {count - 1}, or -1 for the ground"
        raise InputError(
            "the end of a link must be an existing mass", where=f"link {link}, end {where}", got=int(ends[link]),
            allowed=allowed,
        )  # fmt: skip
    return ends.astype(np.intp)


def _shares(net: _Net, v: Array, *, ground_only: bool = False) -> tuple[Array, Array]:
    """Return what a link's k = 1 gives to the row of each of its ends, (1 + v_j/v_i)/m_i, (links,) [1/kg]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        out = []
        for i, j in ((net.a, net.b), (net.b, net.a)):
            share = (1.0 + v[j] / v[i]) * net.inverse[i]
            if ground_only:
                share = np.where(net.inverse[j] > 0, 0.0, share)
            out.append(np.where(net.inverse[i] > 0, share, 0.0))
    return out[0], out[1]


def _rows(net: _Net, v: Array, *, ground_only: bool = False) -> Array:
    """Return Σ k (1 + v_j/v_i)/m_i and the same of z for each mass, (n, 2) [1/s², 1/s]."""
    at_a, at_b = _shares(net, v, ground_only=ground_only)
    return np.stack([_summed(net, c * at_a, c * at_b) for c in (net.k, net.z)], axis=-1)


def _summed(net: _Net, at_a: Array, at_b: Array) -> Array:
    size = len(net.inverse)
    return np.add(np.bincount(net.a, at_a, size), np.bincount(net.b, at_b, size), dtype=float)[:-1]


def _plane(rows: Array, T: float) -> Array:
    """Return (K, Z) of rows, (n, 2)."""
    return rows * (T * T, T)


def _rows_of(net: _Net, T: float) -> tuple[Array, Array]:
    """Return the weights of the lower maximum, v = 1 or m^-½, and their rows."""
    tries = [(v, _rows(net, v)) for v in (np.where(net.inverse > 0, 1.0, 0.0), np.sqrt(net.inverse))]
    return min(tries, key=lambda t: (_plane(t[1], T) @ (1.0, 2.0)).max(initial=0.0))


def _swept(net: _Net, T: float, v: Array) -> Array:
    """Return weights after sweeps towards the positive eigenvector: the highest row falls, or stays."""
    for _ in range(_SWEEPS):
        sums = _plane(_rows(net, v), T) @ (1.0, 2.0)
        if sums.max() <= 4.0:
            break
        v = v * np.append(0.5 + 0.5 * sums / sums.max(), 0.0)
        v = v / v.max()
    return v


def _longest(rows: Array) -> float:
    """Return the step at which the first row reaches the edge, the root of k Te² + 2 z Te = 4 [s]."""
    k, z = rows.T
    with np.errstate(divide="ignore"):
        return float(np.min(4.0 / (z + np.sqrt(z * z + 4.0 * k)), initial=np.inf))


def _heaviest(net: _Net, T: float, v: Array, i: int) -> int:
    """Return the link that gives most to the row of mass i."""
    at_a, at_b = _shares(net, v)
    weight = (T * T * net.k + 2.0 * T * net.z) * (at_a * (net.a == i) + at_b * (net.b == i))
    return int(np.argmax(weight))


def _same_name(link: int | None, names: Sequence[str] | None, count: int) -> np.ndarray:
    """Return which links are changed together with a link."""
    if link is None or names is None:
        return np.arange(count) == (-1 if link is None else link)
    return np.fromiter((name == names[link] for name in names), bool, count)


def _factor(net: _Net, T: float, v: Array, sums: Array, same: np.ndarray, of: str) -> float | None:
    """Return the factor on k or z of some links that brings every row to 4 or below, 1 if all are, None if none can."""
    at_a, at_b = _shares(net, v)
    law = np.where(same, T * T * net.k if of == "k" else 2.0 * T * net.z, 0.0)
    part, excess = _summed(net, law * at_a, law * at_b), sums - 4.0
    over = excess > _EDGE
    if not over.any():
        return 1.0
    if (part[over] <= excess[over]).any():
        return None
    return float(np.min(1.0 - excess[over] / part[over]))


def _verdict(net: _Net, T: float, rows: Array, bound: float, largest: float | None, dimensions: int) -> str:
    worst = bound if largest is None else largest
    alone = (T * T * net.k + 2.0 * T * net.z) * (net.inverse[net.a] + net.inverse[net.b])
    if worst > 4.0 + _EDGE:
        # One taut link alone is a cell along its direction; a whole network is exact along one axis only.
        sure = alone.max(initial=0.0) > 4.0 + _EDGE or (largest is not None and dimensions == 1)
        return "unstable" if sure else "may be unstable"
    undamped = (rows[:, 1] == 0) & (net.inverse[:-1] > 0)
    return "marginal" if undamped.any() or worst >= 4.0 - _EDGE else "stable"


def _notes(net: _Net, T: float, rows: Array, v: Array, link_names: Sequence[str] | None) -> list[str]:
    """Return the remarks, which never refuse a run."""
    moves = net.inverse[:-1] > 0
    notes = []
    links = np.bincount(np.concatenate([net.a, net.b]), minlength=len(net.inverse))[:-1]  # rows lack negative ones
    swinging, loose = moves & (rows[:, 1] == 0) & (rows[:, 0] > 0), moves & (links == 0)
    if swinging.any():
        notes.append(f"{_count(swinging, 'mass')} no damping: undamped springs swing for ever.")
    if loose.any():
        notes.append(f"{_count(loose, 'mass')} no link: free motion, never at rest by itself.")
    negative = net.least < 0
    if negative.any():
        at_a, at_b = _shares(net, v)
        k = np.maximum(-net.least, 0.0)
        K = T * T * _summed(net, k * at_a, k * at_b).max()
        time = T / np.log1p(0.5 * (K + np.sqrt(K * (K + 4.0)))) if K > 0 else np.inf  # larger root of the cell (−K, 0)
        name = _name("link", int(np.argmin(net.least)), link_names)
        notes.append(
            f"{_count(negative, 'link')} a zone of negative stiffness, down to {net.least.min():.4g} N/m ({name}): "
            f"locally unstable on purpose, growing e-fold in no less than {time:.3g} s until the zone is left."
        )
    return notes


def _count(chosen: np.ndarray, what: str) -> str:
    n = int(chosen.sum())
    plural = {"mass": "masses", "link": "links"}[what]
    return f"1 {what} has" if n == 1 else f"{n} {plural} have"


def _name(what: str, i: int, names: Sequence[str] | None) -> str:
    return f"{what} {i}" if names is None else f"{what} {names[i]!r}"


def _matrices(net: _Net) -> tuple[Any, Any]:
    """Return M^-½ K M^-½ and M^-½ Z M^-½ of the masses that move, sparse, for motions along one axis."""
    from scipy.sparse import coo_array

    size, root = len(net.inverse), np.sqrt(net.inverse)
    at = np.concatenate([net.a, net.b, net.a, net.b]), np.concatenate([net.a, net.b, net.b, net.a])
    moves = np.flatnonzero(net.inverse)
    out = []
    for c in (net.k, net.z):
        values = np.concatenate([c, c, -c, -c]) * root[at[0]] * root[at[1]]
        out.append(coo_array((values, at), shape=(size, size)).tocsr()[moves][:, moves])
    return out[0], out[1]


def _top(A: Any, start: Array | None = None) -> tuple[float, Array]:
    """Return the largest eigenvalue of a symmetric matrix and its vector; of many masses on the high side, by 1e-5."""
    if A.shape[0] <= _DENSE:
        values, vectors = np.linalg.eigh(A.toarray())
        return float(values[-1]), vectors[:, -1]
    from scipy.sparse.linalg import ArpackError, eigsh

    if start is None:
        start = np.random.default_rng(0).standard_normal(A.shape[0])  # the same bits at every call
    try:
        values, vectors = eigsh(A, k=1, which="LA", v0=start, tol=_LOOSE)
    except ArpackError as error:
        raise RunError("the worst mode was not found", remedy="Ask without exact: the bound holds.") from error
    y = vectors[:, 0]
    return float(values[0] + np.linalg.norm(A @ y - values[0] * y)), y


def _exact(net: _Net, T: float, safe: float) -> tuple[float, float]:
    """Return K + 2Z of the worst mode, and the longest step [s] at which it is 4."""
    if not net.inverse.any() or not np.isfinite(safe):
        return 0.0, safe
    K, Z = _matrices(net)
    near = 1e-12 if K.shape[0] <= _DENSE else _LOOSE
    largest, y = _top(T * T * K + 2.0 * T * Z)
    longest = safe
    for _ in range(30):
        # The mode of one step reaches 4 at a step that is never too short; it falls to the longest one.
        _, y = _top(longest * longest * K + 2.0 * longest * Z, y)
        k, z = max(float(y @ (K @ y)), 0.0), max(float(y @ (Z @ y)), 0.0)
        last, longest = longest, 4.0 / (z + math.sqrt(z * z + 4.0 * k))
        if abs(longest - last) <= near * last:
            break
    return largest, max(longest * (1.0 - near), safe)


def one_step(
    mass: ArrayLike, a: ArrayLike, b: ArrayLike, stiffness: ArrayLike, damping: ArrayLike, step: float, *,
    movable: ArrayLike | None = None,
) -> Array:  # fmt: skip
    """Return the matrix of one step of a small linear network along one axis, (2n, 2n), on (√m x(n), √m x(n−1))."""
    T = _step(step)
    net = _net(mass, a, b, stiffness, damping, movable, None)
    net = net._replace(k=net.least)  # negative springs are part of the linear network
    K, Z = (matrix.toarray() for matrix in _matrices(net))
    A, B, one = T * T * K, T * Z, np.eye(len(K))
    return np.block([[2.0 * one - A - B, B - one], [one, 0.0 * one]])


def spectral_radius(
    mass: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    stiffness: ArrayLike,
    damping: ArrayLike,
    step: float,
    *,
    movable: ArrayLike | None = None,
) -> float:
    """Return the largest factor by which one step of a small linear network multiplies a mode; 0 if nothing moves.

    A double root, such as that of free drift, is known to the square root of the rounding only: about 1e-8.
    """
    matrix = one_step(mass, a, b, stiffness, damping, step, movable=movable)
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))
