"""Eigenfrequencies of a network without its dampers."""

from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, Words

__all__ = ["Modes", "modes"]

_DENSE_FIRST = 300  # masses: below, the full eigenproblem is as quick as the sparse one
_MOST = 3000  # masses: a full eigenproblem takes a few seconds there


@dataclass(frozen=True, eq=False)
class Modes:
    """How an undamped network swings, slowest first."""

    squared: Array
    """ω² of each mode in continuous time [rad²/s²], (modes,); below zero: the mode grows instead of swinging."""
    shapes: Array
    """Column per mode, (masses, modes), with shapesᵀ M shapes = 1."""
    step: float | None = None
    """Step of the scheme [s], or None for continuous time."""

    @property
    def omega(self) -> Array:
        """Pulsation of each mode [rad/s], (modes,); NaN where it does not swing.

        The scheme swings at sin(ωTe/2) = ω₀Te/2, faster than the continuous mode, and not at all above ω₀Te = 2.
        """
        with np.errstate(invalid="ignore"):
            rooted = np.sqrt(self.squared)
            return rooted if self.step is None else 2 / self.step * np.arcsin(rooted * self.step / 2)

    @property
    def frequency(self) -> Array:
        """Frequency of each mode [Hz], (modes,)."""
        return self.omega / (2 * np.pi)


def modes(network: LinearNetwork, *, count: int | None = None, step: float | None = None) -> Modes:
    """Return the modes of the network without its dampers: all, or the `count` slowest; for the scheme with a step [s].

    Bare ends of links (masses of zero) follow their neighbours and have no mode of their own.
    """
    from scipy.linalg import eigh

    if step is not None:
        check_number(step, "step", "modes", above=0.0)
    n = network.size
    if count is not None and (isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 < count <= n):
        raise InputError("no such number of modes", where="count", got=count, allowed=f"1 to {n}")
    heavy, bare = np.flatnonzero(network.mass > 0), np.flatnonzero(network.mass == 0)
    if not len(heavy):
        raise InputError("a network without mass has no modes", where="mass", got=0.0, allowed="some above zero")
    if count is not None and count < len(heavy) and n > _DENSE_FIRST and not len(bare):
        return Modes(*_slowest(network, count), step)
    if n > _MOST:
        remedy = "Ask for a few: modes(network, count=20)."
        raise InputError("too many masses for all modes", got=n, allowed=f"up to {_MOST}", remedy=remedy)
    K = network.matrices[1].toarray()
    follow = _static(K, heavy, bare, network)
    stiff = K[np.ix_(heavy, heavy)] + K[np.ix_(heavy, bare)] @ follow
    squared, columns = eigh(stiff, np.diag(network.mass[heavy]))
    shapes = np.empty((n, len(heavy)))
    shapes[heavy], shapes[bare] = columns, follow @ columns
    return Modes(squared[:count], shapes[:, :count], step)


def _slowest(network: LinearNetwork, count: int) -> tuple[Array, Array]:
    from scipy.sparse.linalg import eigsh

    M, K, _ = network.matrices
    # Shifted below zero, so that a network that is not tied to the ground can be factored, too.
    top = float(np.max(K.diagonal() / network.mass))
    squared, shapes = eigsh(K, count, M, sigma=-1e-6 * top if top else -1.0, which="LM")
    order = np.argsort(squared)
    return squared[order], shapes[:, order]


def _static(K: Array, heavy: np.ndarray, bare: np.ndarray, network: LinearNetwork) -> Array:
    """Return how bare ends follow the masses, (bare, heavy)."""
    own = K[np.ix_(bare, bare)]
    if len(bare) and np.linalg.cond(own) > 1e12:
        loose = bare[int(np.argmin(np.abs(np.diag(own))))]
        got = Words(f"end {network.label(int(loose))}")
        raise InputError("a bare end must be held by a spring", got=got, remedy="Give it a mass or a spring.")
    follow: Array = -np.linalg.solve(own, K[np.ix_(bare, heavy)]) if len(bare) else np.zeros((0, len(heavy)))
    return follow
