"""The frequencies that a model passes on, from the forces that drive it to the motions that are observed."""

from collections.abc import Sequence

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.band import Band, check_threshold, intervals
from motiform.motion.matter.coupling.impedances import velocities
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.motion.matter.coupling.natural_modes import modes

__all__ = ["passband"]

_COUNT = 2000  # of frequencies over the band
_AROUND = np.linspace(-2.0, 2.0, 17)  # half-widths of a resonance at which it is looked at


def passband(
    network: LinearNetwork,
    sources: Sequence[int | str],
    outputs: Sequence[int | str],
    band: Band,
    *,
    level: float = 0.5**0.5,
    step: float | None = None,
) -> list[tuple[float, float]]:
    """Return the intervals [Hz] within a band that a model passes on from its sources to its outputs.

    For a force E_i on each source and the displacement S_k of each output, T_ik = S_k/E_i passes where |T_ik| is at
    least `level` of its largest in the band (−3 dB by default); the intervals are the union of all [Habibi97 §2.2.3.3].
    Edges are between two of some 2000 frequencies, evenly spread in logarithm, and those around the modes.
    """
    check_threshold(level)
    if not len(sources) or not len(outputs):
        raise InputError("a passband must have sources and outputs", got=(len(sources), len(outputs)))
    heard = [network.index(point) for point in outputs]
    special: list[float] = []
    if network.size <= 300:
        found = modes(network, step=step)
        _, _, Z = network.matrices
        width = 0.5 * np.einsum("ik,ik->k", found.shapes, Z @ found.shapes)  # ζ ω of each mode
        special = [float(w) for w in (found.omega[:, None] + width[:, None] * _AROUND).ravel() if np.isfinite(w)]
    omega = band.omega(_COUNT, also=special)
    passed = np.zeros(len(omega), bool)
    for source in sources:
        force = np.zeros(network.size)
        force[network.index(source)] = 1.0
        moved = np.abs(velocities(network, omega, force, step)[:, heard]) / omega[:, None]
        most = moved.max(axis=0)
        passed |= ((moved >= level * most) & (most > 0)).any(axis=1)
    return intervals(omega, passed)
