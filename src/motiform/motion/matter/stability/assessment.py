"""Stability of a network before its first step, with all links that can be active, including those by range."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motiform.base.errors import MotiformWarning
from motiform.motion.matter.engine.meters import stored_energy
from motiform.motion.matter.laws.links import Friction, ZoneLaw
from motiform.motion.matter.model.network import Network, Reach
from motiform.motion.matter.stability.criterion import Stability, assess
from motiform.motion.matter.stability.switching import worst_collision

__all__ = ["StabilityWarning", "assess_network"]

_CONTACTS = {1: 2, 2: 6, 3: 12}  # equal balls that touch one, in so many dimensions
_LIMIT = 4.0
_SLACK = 1e-6  # of the stiffest link: an eigenvalue below zero by no more is zero
_STILL = 1e-3  # [rad] that links may turn by within a step


class StabilityWarning(MotiformWarning):
    """A network runs, but its collisions gain energy, or its links have negative stiffness that nothing holds."""


@dataclass
class _Worst:
    """Links at their worst: ends (−1 is the ground), stiffness, damping, least stiffness, names, directions."""

    a: list[np.ndarray] = field(default_factory=list)
    b: list[np.ndarray] = field(default_factory=list)
    k: list[np.ndarray] = field(default_factory=list)
    z: list[np.ndarray] = field(default_factory=list)
    least: list[np.ndarray] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    axes: list[np.ndarray] = field(default_factory=list)
    """Direction at the start (links, 3); zero: any."""

    def add(self, name: str, a: Any, b: Any, k: Any, z: Any, least: Any, axes: np.ndarray | None = None) -> None:
        count = len(a)
        self.a.append(np.asarray(a, int))
        self.b.append(np.broadcast_to(np.asarray(b, int), count))
        for values, one in ((self.k, k), (self.z, z), (self.least, least)):
            values.append(np.broadcast_to(np.asarray(one, float), count))
        self.names += [name] * count
        self.axes.append(np.zeros((count, 3)) if axes is None else axes)

    def joined(self, key: str) -> np.ndarray:
        values = getattr(self, key)
        return np.concatenate(values) if values else np.zeros(0, int if key in "ab" else float)


def assess_network(network: Network, *, exact: bool = False) -> Stability:
    """Return the stability of a network, from the links that can be active [Habibi97 8.3.2].

    A point by range is taken to touch as many others as equal balls can, from all sides; a point that meets a solid,
    the solid. Where the bound, which holds for links in any direction, is passed, the directions at the start decide,
    and the verdict says so. ``largest_step`` is for all directions, and keeps what collisions gain below 1/400.
    """
    worst = _Worst()
    _add_bundles(worst, network)
    negative = _negative_note(network, worst)
    for reach in network.reaches:
        _add_reach(worst, network, reach)
    for solid in network.solids:
        points = solid.points[network.movable[solid.points]]
        k, z = _with_friction(solid.law.strongest(), solid.friction, 1.0, 1.0, _rolls(network, points), 1.0)
        worst.add(f"{solid.name} (solid)", points, -1, k, z, _least(solid.law))
    _add_drag(worst, network)
    a, b, damping = worst.joined("a"), worst.joined("b"), worst.joined("z")
    stiffness = np.maximum(worst.joined("k"), 0.0)
    mass = np.where(network.movable, network.mass, np.inf)
    names: Any = _Names(network)
    found = assess(
        mass, a, b, stiffness, damping, network.step, names=names, link_names=worst.names,
        least_stiffness=worst.joined("least"), dimensions=_dimensions(network), exact=exact,
    )  # fmt: skip
    draws = "attracts more than it repels: a crowd of such points draws together without end."
    crowds = tuple(f"Reach {reach.name!r} {draws}" for reach in network.reaches if _collapses(network, reach))
    found = replace(found, notes=(*found.notes, *crowds))
    if not found.bounded and len(a):
        weight = network.step**2 * stiffness + 2 * network.step * damping
        largest = _largest(_directed(network, a, b, weight, np.concatenate(worst.axes)))
        if largest <= _LIMIT:
            note = (
                f"In the directions that links have at the start K + 2Z = {largest:.4g}, and no motion grows up to a "
                f"step of {network.step * np.sqrt(_LIMIT / largest):.6g} s; if links turn against one another, it may."
            )
            found = replace(found, verdict="stable at the start", largest=largest, notes=(*found.notes, note))
    found = _with_collisions(_with_turning(found, network), network)
    return replace(found, grows=True, notes=(*found.notes, negative)) if negative else found


def _negative_note(network: Network, worst: _Worst) -> str:
    """Return what is to be said of links of negative stiffness that no other link holds; "" where all are held.

    Stencils of plates have negative springs in a stiffness matrix that is positive. A mode of K below zero grows,
    e-fold in 1/√−λ. Links by range and solids are not counted: they may not touch.
    """
    k = worst.joined("k")
    if not (k < 0).any():
        return ""
    from scipy.sparse import eye_array

    A = _directed(network, worst.joined("a"), worst.joined("b"), network.step**2 * k, np.concatenate(worst.axes))
    shift = float(
        np.abs(A).sum(axis=1).max()
    )  # above all eigenvalues, so that the lowest is an end that iteration finds
    lowest = shift - _largest(shift * eye_array(A.shape[0], format="csr") - A, tolerance=0.01 * _SLACK)
    if not lowest < -_SLACK * shift:
        return ""
    names = sorted({repr(name) for name, one in zip(worst.names, k, strict=True) if one < 0})
    return (
        f"Links {', '.join(names)} have negative stiffness, down to {k.min():.4g} N/m, which no other link holds: "
        f"motion grows e-fold in {network.step / np.sqrt(-lowest):.3g} s at the start."
    )


def _with_turning(found: Stability, network: Network) -> Stability:
    """Return the stability that heeds links that turn at the start.

    Modes are those of links that keep their directions. Where these turn by an angle within a step, stiffness comes and
    goes by twice that part, and K + 2Z up to 4 (1 − 2 angle) is taken as the limit: a rule that trials confirm, no
    theorem.
    """
    rate, name = _turning(network)
    longest = found.largest_step
    if not found.bounded or not rate * longest > _STILL or not np.isfinite(longest):
        return found
    turned = rate * longest
    longest *= np.sqrt(1.0 + turned**2) - turned  # (T/T₀)² = 1 − 2 rate T
    if network.step <= longest * (1 + 1e-12):
        return replace(found, largest_step=longest)
    note = (
        f"Links {name!r} turn by {rate * network.step:.3g} rad within a step at the start: a motion near the limit may "
        f"grow. Up to a step of {longest:.6g} s none did in trials."
    )
    return replace(found, verdict="stable at the start", largest_step=longest, notes=(*found.notes, note))


def _turning(network: Network) -> tuple[float, str]:
    """Return the largest rate at which a link along a line turns at the start [rad/s], and the name of its bundle."""
    state, best = network.initial_state(), (0.0, "")
    velocity = (state.position - state.previous) * network.frequency
    for bundle in network.bundles:
        if bundle.axis >= 0 or not bundle.count:
            continue
        a, b = bundle.pairs.T
        line, speed = state.position[b] - state.position[a], velocity[b] - velocity[a]
        square = (line**2).sum(axis=1)
        across = np.linalg.norm(np.cross(line, speed), axis=1)
        rate = float(np.divide(across, square, out=np.zeros_like(square), where=square > 0).max())
        best = max(best, (rate, bundle.name))
    return best


def _with_collisions(found: Stability, network: Network) -> Stability:
    """Return the stability that heeds the energy of links that switch."""
    collision = worst_collision(network, found.largest_step)
    if collision is None:
        return found
    longest = min(found.largest_step, collision.largest_step)
    if not found.bounded or network.step <= longest * (1 + 1e-12):
        return replace(found, largest_step=longest)
    note = (
        f"Links {collision.links!r} switch: one collision may multiply its kinetic energy by {collision.gain:.4g}, and "
        f"adds {collision.growth:.2g} of it in the mean. Damping of k Te/8 prevents it."
    )
    return replace(found, verdict="gains energy", largest_step=longest, notes=(*found.notes, note))


class _Names:
    """Names of points, made when asked for."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def __len__(self) -> int:
        return self.network.count

    def __getitem__(self, index: int) -> str:
        return self.network.point_name(index)


def _dimensions(network: Network) -> int:
    free = int(np.bitwise_or.reduce(np.concatenate([group.free for group in network.groups])))
    return max(1, free.bit_count())


def _least(law: Any) -> Any:
    if not isinstance(law, ZoneLaw):
        return 0.0
    return np.min(np.broadcast_arrays(*[np.asarray(zone.stiffness, float) for zone in law.zones]), axis=0)


def _add_bundles(worst: _Worst, network: Network) -> None:
    place = network.initial_state().position
    for bundle in network.bundles:
        a, b = bundle.pairs.T
        axes = np.tile(np.eye(3)[bundle.axis], (bundle.count, 1))
        if bundle.axis < 0:
            line = place[b] - place[a]
            length = np.linalg.norm(line, axis=1, keepdims=True)
            axes = np.divide(line, length, out=np.zeros_like(line), where=length > 0)  # of no length: any direction
        if bundle.acts != "both":  # the end that is not acted on is like the ground
            a, b = (b if bundle.acts == "second" else a), np.full(bundle.count, -1)
        # a link that works seldom pushes that much longer, and its damper feels a longer step
        k, z = (np.asarray(v) * bundle.every**n for v, n in zip(bundle.law.strongest(), (2, 1), strict=True))
        worst.add(bundle.name, a, b, k, z, _least(bundle.law), axes)
    for piston in network.pistons:
        k, z = (np.asarray(value) * piston.pairs.shape[1] for value in piston.law.strongest())
        for p, axis in enumerate(piston.axes):  # k (Σ e)² ≤ pairs · k Σ e²
            a, b = piston.pairs[:, p].T
            worst.add(piston.name, a, b, k, z, 0.0, np.tile(np.eye(3)[axis], (piston.count, 1)))


def _add_reach(worst: _Worst, network: Network, reach: Reach) -> None:
    """Add what the neighbours of a point by range can do at most, as a link to the ground that counts both ends."""
    n = _dimensions(network)
    share = _CONTACTS[n] / n  # of balls on all sides, so much acts along any one axis
    points = reach.points[network.movable[reach.points]]
    r, widest = network.radius[points], float(network.radius[reach.points].max(initial=0.0))
    arm = widest / np.maximum(r + widest, 1e-300)  # of the couple that resists rolling, over the radius
    k, z = _with_friction(reach.law.strongest(), reach.friction, share, share * (n - 1), _rolls(network, points), arm)
    crowd = 1.0
    if isinstance(reach.law, ZoneLaw):
        first, size = reach.law.zones[0], 2 * float(np.median(network.radius[reach.points]))
        rest = size + (0.0 if first.rest is None else float(np.max(np.asarray(first.rest))))
        damped = [float(np.max(np.asarray(one.until))) for one in reach.law.zones if np.any(np.asarray(one.damping))]
        if damped and rest > 0:
            crowd = max(1.0, ((size + max(damped)) / rest) ** n)
    text = f"{reach.name} (by range, {_CONTACTS[n]} neighbours at once)"
    worst.add(text, points, -1, 2 * k, 2 * z * crowd, _least(reach.law))


def _collapses(network: Network, reach: Reach) -> bool:
    """Return whether a law by range attracts more than it repels: ∫ φ rⁿ⁻¹ dr < 0, φ a pair's energy [Ruelle69]."""
    if not isinstance(reach.law, ZoneLaw):
        return False
    size, n = 2 * float(np.median(network.radius[reach.points])), _dimensions(network)
    r = np.linspace(0.0, size + reach.law.cutoff, 2001)[1:]
    energy = stored_energy(reach.law.rows(len(r), np.zeros(len(r))), r - size)
    return float(((energy - energy[-1]) * r ** (n - 1)).sum()) < -1e-9 * float(np.abs(energy).max() * r[-1] ** (n - 1))


def _rolls(network: Network, points: np.ndarray) -> np.ndarray:
    """Return m r²/I of points, 0 where they do not rotate."""
    inertia = network.inertia[points]
    turned = network.mass[points] * network.radius[points] ** 2
    return np.divide(turned, inertia, out=np.zeros(len(points)), where=inertia > 0)


def _with_friction(
    law: tuple[Any, Any], friction: Friction | None, along: float, across: float, rolls: np.ndarray, arm: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and damping of points along one axis, of a law and of the friction across it.

    Of balls that rotate, friction couples displacement x and the turned arc y = r θ: (x + y)² ≤ (1 + c) x² + (1 + 1/c)
    y² for any c > 0. The c at which both rows are equal gives the lowest bound of this kind.
    """
    found = []
    for one, held in zip(law, (0.0, 0.0) if friction is None else (friction.stiffness, friction.damping), strict=True):
        normal, slide = along * float(np.max(one)), across * held if friction is not None and friction.limit else 0.0
        roll = (along + across) * held * np.asarray(arm) ** 2 if friction is not None and friction.resists else 0.0
        found.append(_both_rows(normal, slide, rolls * roll, rolls))
    return found[0], found[1]


def _both_rows(normal: float, slide: float, roll: Any, q: np.ndarray) -> np.ndarray:
    """Return the value of n + (1 + c) s = (1 + 1/c) q s + roll, (points,); n + s where q is 0."""
    if slide == 0:
        return np.maximum(normal, roll) * np.ones(len(q))
    half = 0.5 * (normal + slide - q * slide - roll) / slide
    return np.asarray(normal + np.where(q > 0, slide * (1 + np.sqrt(half**2 + q) - half), slide))


def _add_drag(worst: _Worst, network: Network) -> None:
    drag = np.concatenate([group.every * group.drag for group in network.groups])
    held = np.flatnonzero((drag > 0) & network.movable)
    if len(held):
        worst.add("drag", held, -1, 0.0, drag[held], 0.0)


def _directed(network: Network, a: np.ndarray, b: np.ndarray, weight: np.ndarray, axes: np.ndarray) -> Any:
    """Return M^-½ K M^-½ of links of stiffness `weight` along their directions at the start, sparse."""
    from scipy.sparse import coo_array

    root = np.sqrt(np.where(network.movable, 1 / network.mass, 0.0))
    bits = np.concatenate([group.free for group in network.groups]).astype(int)
    free = np.stack([(bits >> axis) & 1 for axis in range(3)], axis=-1)
    along = axes[:, :, None] * axes[:, None, :]
    known = (axes != 0).any(axis=1).reshape(-1, 1, 1)
    block = np.where(known, along, np.eye(3)) * weight[:, None, None]
    rows, columns, values = [], [], []
    for one, other, sign in ((a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)):
        there = (one >= 0) & (other >= 0)
        i, j = one[there], other[there]
        part = sign * block[there] * (root[i] * root[j])[:, None, None] * free[i][:, :, None] * free[j][:, None, :]
        rows.append(np.broadcast_to(3 * i[:, None, None] + np.arange(3)[:, None], part.shape).ravel())
        columns.append(np.broadcast_to(3 * j[:, None, None] + np.arange(3), part.shape).ravel())
        values.append(part.ravel())
    size = 3 * network.count
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return coo_array(entries, (size, size)).tocsr()


def _largest(matrix: Any, tolerance: float = 1e-4) -> float:
    """Return the largest eigenvalue, on the high side by ten times the tolerance; infinite where it is not found."""
    from scipy.sparse.linalg import ArpackError, eigsh

    size = matrix.shape[0]
    if not np.isfinite(matrix.data).all():
        return np.inf
    if size <= 300:
        return float(np.linalg.eigvalsh(matrix.toarray()).max())
    start = np.random.default_rng(0).normal(size=size)
    try:
        found = eigsh(matrix, k=1, which="LA", v0=start, tol=tolerance, return_eigenvectors=False)[0]
        return float(found) * (1 + 10 * tolerance)
    except ArpackError:
        return np.inf
