"""Energy of links that switch, such as contacts: what one collision gains, and the step that keeps this small.

Let x < 0 be the overlap of a contact with K = k Te²/μ, μ the reduced mass, and samples F … L those in contact. Work
against an undamped link telescopes: kinetic energy changes by (k/2)(|x_L| x_{L+1} − |x_F| x_{F−1}). After the last
force |x_L| + x_{L+1} = v Te, so the gain is at most k (v Te)²/8: a collision multiplies the kinetic energy by at most
1/(1 − K/4), and by at least 1 − K/4, as the scheme is reversible. The mean over all phases of the start is above 1: in
a crowd energy grows by a part of (K/4)² in each collision. A damper with Z ≥ K/8 removes more, for K ≤ 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Network
from motiform.spatial.checks import Array

__all__ = ["GAIN", "Collision", "collision_gains", "energy_growth", "worst_collision"]

GAIN = 1 / 400  # part of its kinetic energy that a collision may gain: 63 steps a period of an undamped contact
_SCAN = 48  # steps looked at between one that is safe for certain and the longest of the linear network


@dataclass(frozen=True)
class Collision:
    """The links of a network whose collisions gain most."""

    links: str
    largest_step: float
    """Longest step at which no collision gains more than GAIN of its kinetic energy [s]."""
    gain: float
    """Largest factor of the kinetic energy at the network's step."""
    growth: float
    """Mean growth of the kinetic energy in a collision, relative; 0 where it falls."""


def collision_gains(K: float, Z: float, phases: int = 256) -> Array:
    """Return by what one collision multiplies the kinetic energy, for even phases of its begin, (phases,); 0: stuck."""
    x = (np.arange(phases) + 0.5) / phases  # the gap in a unit of v Te
    before, found = x + 1.0, np.zeros(phases)
    live = np.ones(phases, bool)
    for _ in range(int(20 + 50 / np.sqrt(K) + 50 * Z / K)):
        x, before = 2 * x - before - np.where(x < 0, K * x + Z * (x - before), 0.0), x
        out = live & (before >= 0) & (x > before)
        found[out] = (x - before)[out] ** 2
        live &= ~out
        if not live.any():
            break
    return found


def energy_growth(K: float, steps: int, contacts: float) -> float:
    """Return by what energy grows at most over steps in the mean, for so many undamped contacts a mass at once."""
    mean = max(float(collision_gains(K, 0.0).mean()) - 1.0, 0.0)
    return float(np.exp(mean * contacts * steps * np.sqrt(K) / np.pi))  # a contact lasts π/√K steps


def worst_collision(network: Network, longest: float) -> Collision | None:
    """Return the links that switch whose collisions allow the shortest step, up to the longest of the linear network.

    None where none switch.
    """
    found = [_assess_law(name, float(k), float(z), network.step, longest) for name, k, z in _switching(network)]
    return min(found, key=lambda one: (one.largest_step, -one.gain), default=None)


def _assess_law(name: str, k: float, z: float, step: float, longest: float) -> Collision:
    """k = stiffness over reduced mass [1/s²], z = damping over reduced mass [1/s]."""
    if not np.isfinite(k * max(step, 1.0) ** 2):
        return Collision(name, 0.0, np.inf, np.inf)  # beyond floats: no step is short enough
    safe = max(np.sqrt(4 * GAIN / (1 + GAIN) / k), min(8 * z / k, 1 / np.sqrt(k)))
    if z > 0 and safe < longest < np.inf:
        for T in np.geomspace(safe, longest, _SCAN):
            if collision_gains(k * T * T, z * T, 64).max() > 1 + GAIN:
                break
            safe = float(T)
    K, Z = k * step**2, z * step
    gain = 1.0 if step <= safe else 1 / (1 - K / 4) if z == 0 and K < 4 else float(collision_gains(K, Z).max())
    mean = float(collision_gains(K, Z).mean()) - 1 if gain > 1 + GAIN and K < 4 else 0.0
    return Collision(name, min(float(safe), longest), gain, max(mean, 0.0))


def _switching(network: Network) -> Iterator[tuple[str, Array, Array]]:
    """Give the links that switch between zones: name, stiffness and damping over reduced mass, the worst of each."""
    inverse = np.where(network.movable, 1 / network.mass, 0.0)
    for bundle in network.bundles:
        a, b = inverse[bundle.pairs].T
        mobility = {"both": a + b, "first": a, "second": b}[bundle.acts]
        yield from _edges(bundle.name, bundle.law, mobility, bundle.every)
    for reach in network.reaches:
        yield from _edges(f"{reach.name} (by range)", reach.law, 2 * inverse[reach.points].max(initial=0.0))
    for solid in network.solids:
        yield from _edges(f"{solid.name} (solid)", solid.law, inverse[solid.points].max(initial=0.0))


def _edges(name: str, law: object, mobility: ArrayLike, every: int = 1) -> Iterator[tuple[str, Array, Array]]:
    """Give the edges between zones of a law at which stiffness changes."""
    if not isinstance(law, ZoneLaw):
        return
    for one, two in zip(law.zones, law.zones[1:], strict=False):
        jump = np.abs(np.asarray(one.stiffness, float) - np.asarray(two.stiffness, float)) * mobility * every**2
        damping = np.where(np.abs(one.stiffness) >= np.abs(two.stiffness), one.damping, two.damping) * mobility * every
        jump, damping = (np.ravel(v) for v in np.broadcast_arrays(jump, damping))
        if jump.max(initial=0.0) > 0:
            safe = jump > 0
            worst = np.flatnonzero(safe)[np.argmin((damping[safe] + 1e-300) / jump[safe])]
            yield name, jump[worst], damping[worst]
            stiffest = int(np.argmax(jump))
            if stiffest != worst:
                yield name, jump[stiffest], damping[stiffest]
