"""Energy and momentum of a network, and the exact invariant of the scheme."""

from typing import Any

import numpy as np

from motiform.motion.matter.engine.columns import CUTS, ZONES
from motiform.motion.matter.engine.pack import distances, piston_lengths
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Bundle, Network, NetworkState, Piston, Reach

__all__ = [
    "angular_momentum", "invariant", "kinetic_energy", "momentum", "potential_energy", "rotation_energy",
    "stored_energy",
]  # fmt: skip


def momentum(network: Network, state: NetworkState) -> np.ndarray:
    """Return the momentum of all masses [kg m/s], (3,)."""
    m = np.where(network.movable, network.mass, 0.0)
    return m @ state.velocity(network.frequency)


def angular_momentum(network: Network, state: NetworkState) -> np.ndarray:
    """Return the angular momentum about the world's origin [kg m²/s], (3,): Σ m X_n × V_n + Σ I ω of all masses."""
    m = np.where(network.movable, network.mass, 0.0)
    orbits = m @ np.cross(state.position, state.velocity(network.frequency))
    return orbits if state.angular_velocity is None else orbits + network.inertia @ state.angular_velocity


def kinetic_energy(network: Network, state: NetworkState) -> float:
    """Return ½ Σ m V² + ½ Σ I ω² of all masses [J], with the velocities of the half step that led here."""
    m = np.where(network.movable, network.mass, 0.0)
    return float(0.5 * m @ (state.velocity(network.frequency) ** 2).sum(axis=1)) + rotation_energy(network, state)


def rotation_energy(network: Network, state: NetworkState) -> float:
    """Return ½ Σ I ω² of all balls that rotate [J]."""
    if state.angular_velocity is None:
        return 0.0
    return float(0.5 * network.inertia @ (state.angular_velocity**2).sum(axis=1))


def potential_energy(network: Network, state: NetworkState) -> float:
    """Return the energy of gravity (from the origin) and of all springs [J]; that of automata is not known."""
    m = np.where(network.movable, network.mass, 0.0)
    total = -float(m @ (state.position @ np.array(network.gravity)))
    for thing, rows in _laws(network):
        length = piston_lengths(thing, state.position) if isinstance(thing, Piston) else _lengths(thing, state.position)
        total += float(stored_energy(rows, length).sum())
    for reach in network.reaches:
        if isinstance(reach.law, ZoneLaw):
            gaps = _gaps(network, reach, state.position)
            total += float(stored_energy(reach.law.rows(len(gaps), np.zeros(len(gaps))), gaps).sum())
    return total


def stored_energy(rows: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Return the energy of zone laws at distances [J]: the integral of their tension, 0 where they are at rest.

    Within a zone it is ½ k (d − d0)²; from zone to zone it goes on without a jump. Zero is where the first zone is at
    rest, or for a law without stiffness in its first zone where the first one with a stiffness is.
    """
    cuts, zone = rows[:, :CUTS], CUTS + 3 * (distance[:, None] >= rows[:, :CUTS]).sum(1)
    row = np.arange(len(rows))

    def at(column: Any, d: np.ndarray) -> np.ndarray:
        return 0.5 * rows[row, column] * (d - rows[row, column + 2]) ** 2

    total = at(zone, distance)
    for n in range(ZONES - 1):  # jumps of ½ k (d − d0)² at the cuts that were passed are taken back
        passed = (zone > CUTS + 3 * n) & np.isfinite(cuts[:, n])
        edge = np.where(passed, cuts[:, n], 0.0)
        here, there = (np.full(len(rows), CUTS + 3 * k) for k in (n, n + 1))
        total += np.where(passed, at(here, edge) - at(there, edge), 0.0)
    return total


def _gaps(network: Network, reach: Reach, position: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree

    place, radius = position[reach.points], network.radius[reach.points]
    pairs = cKDTree(place).query_pairs(reach.law.cutoff + 2 * radius.max(initial=0.0), output_type="ndarray")
    a, b = pairs[:, 0], pairs[:, 1]
    role, body = reach.role, reach.body
    fits = (((role[a] & 1) & (role[b] >> 1)) | ((role[a] >> 1) & (role[b] & 1))).astype(bool)
    fits &= (body[a] < 0) | (body[a] != body[b])
    a, b = a[fits], b[fits]
    return np.linalg.norm(place[b] - place[a], axis=1) - radius[a] - radius[b]


def invariant(network: Network, state: NetworkState) -> float:
    """Return the exact invariant of the scheme for an undamped network of springs along axes [J].

    ½ Σ m V² + ½ Σ k e_n e_{n−1}, e the stretch of a spring at this sample and at the one before, less gravity's work
    m g · (X_n + X_{n−1})/2: the scheme's own energy, kept to rounding [derived from Habibi97 1.6].
    """
    m = np.where(network.movable, network.mass, 0.0)
    middle = 0.5 * (state.position + state.previous)
    total = kinetic_energy(network, state) - float(m @ (middle @ np.array(network.gravity)))
    for thing, rows in _laws(network):
        if isinstance(thing, Bundle):
            k, rest = rows[:, CUTS], rows[:, CUTS + 2]
            now, then = (_lengths(thing, x) - rest for x in (state.position, state.previous))
            total += float(0.5 * (k * now * then).sum())
    return total


def _lengths(bundle: Bundle, x: np.ndarray) -> np.ndarray:
    return distances(x, bundle.pairs, bundle.axis)


def _laws(network: Network) -> list[tuple[Bundle | Piston, np.ndarray]]:
    """Return the bundles and pistons with zone laws, and the laws of their links; worked out once for a network."""
    found: list[tuple[Bundle | Piston, np.ndarray]] | None = network.__dict__.get("_laws")
    if found is None:
        start, found = network.initial_state().position, []
        for bundle in network.bundles:
            if isinstance(bundle.law, ZoneLaw):
                found.append((bundle, bundle.law.rows(bundle.count, _lengths(bundle, start))))
        found += [(one, one.law.rows(one.count, piston_lengths(one, start))) for one in network.pistons]
        network.__dict__["_laws"] = found
    return found
