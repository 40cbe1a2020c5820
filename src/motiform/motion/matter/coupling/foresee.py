"""Errors of cuts foreseen from linear runs in which all that excites the network acts [Habibi97 3.22].

The engine takes its steps while the masses are held where they are. What each mass would move in a step is the source
on it: motors, imposed points, weight, wind, solids that move, links that are not at rest. With K and Z of the links at
that place, deviations u obey the scheme u₊ = 2u − u₋ + s − Te²/m (K u + Z (u − u₋)/Te), coupled and cut alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.motion.matter.coupling.linearise import links_along
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.laws.automaton_law import AutomatonLaw
from motiform.motion.matter.model.network import Network, NetworkState
from motiform.spatial.checks import Array

__all__ = ["Foreseen", "foresee"]

_LOOKS = 12  # instants at which the linear run is held against the engine
_NONLINEAR = 0.25  # part by which forces may differ there; errors are then foreseen to well within a factor of two
_SILENT = 1e-10  # displacements below this part of the network's size are rounding


@dataclass(frozen=True)
class Foreseen:
    """The errors of one cut network over a run."""

    errors: Mapping[int, float | None]
    """Relative L2 error ‖x_cut − x‖/‖x − x₀‖ of each model by its number; None for one that nothing moves."""
    moves: Mapping[int, bool]
    """Whether each model moves in the cut network."""
    pulled: Mapping[int, bool]
    """Whether the links that are cut pull at each model while nothing moves."""
    doubt: str = ""
    """Why the errors cannot be foreseen; empty where they can."""


def foresee(
    network: Network,
    cuts: Sequence[Network],
    label: np.ndarray,
    duration: float,
    state: NetworkState | Engine | None = None,
) -> list[Foreseen]:
    """Return the errors of models in each of some cut networks over a duration [s] from a state.

    label: number of the model of each point, (points,), −1 for points that links do not move.
    """
    begin, kept = _begin(network, state)
    whole, parts = _Run(network, begin, kept), [_Run(cut, begin, kept) for cut in cuts]
    runs, doubt = (whole, *parts), ""
    steps = max(2, round(duration * network.frequency))
    looks = set(np.linspace(steps / _LOOKS, steps - 1, _LOOKS).astype(int).tolist())
    pulls = [(part.source - whole.source) ** 2 for part in parts]
    scale = whole.source**2
    moved, off, alone = whole.u**2, [part.u**2 for part in parts], [part.u**2 for part in parts]
    if not all(run.is_still for run in runs):
        for n in range(steps):
            before = whole.state() if n in looks else None
            for run in runs:
                run.step()
            moved += whole.u**2
            for k, part in enumerate(parts):
                off[k] += (part.u - whole.u) ** 2
                alone[k] += part.u**2
            doubt = whole.doubt(before) if before is not None else ""
            if doubt:
                break

    def by_model(values: Array) -> Array:
        return np.asarray(np.bincount(np.tile(label, 3) + 1, values, label.max() + 2)[1:], float)

    size = max(np.ptp(begin.position, axis=0).max(), np.sqrt(moved.max() / steps))
    least, pull_least = steps * network.count * (_SILENT * size) ** 2, _SILENT * by_model(scale)
    return [
        Foreseen(
            _errors(by_model(moved), by_model(error), least),
            dict(enumerate(by_model(own) > least)),
            dict(enumerate(by_model(pull) > pull_least)),
            doubt,
        )
        for error, own, pull in zip(off, alone, pulls, strict=True)
    ]


def _begin(network: Network, state: NetworkState | Engine | None) -> tuple[NetworkState, dict[str, Any]]:
    """Return where a run begins, and what links remember there."""
    if isinstance(state, Engine):
        return state.state(), state.checkpoint()
    return state or network.initial_state(), {}


def _errors(moved: Array, off: Array, least: float) -> dict[int, float | None]:
    """Return the error of each model; infinite where only the cut run moves."""
    found: dict[int, float | None] = {}
    for n, (size, error) in enumerate(zip(moved, off, strict=True)):
        still = not size > least
        found[n] = (np.inf if error > least else None) if still else float(np.sqrt(error / size))
    return found


class _Run:
    """A linear run about a place: an engine whose masses are held there, and their deviations, axis by axis."""

    def __init__(self, network: Network, begin: NetworkState, kept: dict[str, Any]) -> None:
        from scipy.sparse import diags_array, eye_array, hstack

        self.network, self.begin, self.kept = network, begin, kept
        self.movable = network.movable[:, None]
        free = np.concatenate([group.free for group in network.groups])
        self.free = ((free >> np.arange(3)[:, None]) & 1).ravel().astype(bool) & np.tile(network.movable, 3)
        inertia = np.tile(np.where(network.movable, network.mass, 1.0), 3) * network.frequency**2  # m/Te² [N/m]
        self.inertia = inertia[self.free]
        held = NetworkState(begin.position, np.where(self.movable, begin.position, begin.previous), begin.sample)
        self.engine = self._engine(held)
        K, Z = _matrices(network, begin, self.engine)
        self.pull = hstack([K + Z * network.frequency, -Z * network.frequency]).tocsr()  # of (u, u₋) [N]
        one, gain = eye_array(3 * network.count), diags_array(np.where(self.free, 1 / inertia, 0.0))
        self.advance = (hstack([2 * one, -one]) - gain @ self.pull).tocsr()
        self.u = np.zeros(3 * network.count)
        self.before = np.where(self.free, (begin.previous - begin.position).T.ravel(), 0.0)
        self.steady = _is_steady(network)
        self.source = np.zeros(3 * network.count)
        self.hold()

    @property
    def is_still(self) -> bool:
        """Whether nothing moves, ever."""
        return self.steady and not self.source.any() and not self.before.any()

    def _engine(self, state: NetworkState) -> Engine:
        if not self.kept:
            return Engine(self.network, state=state)
        place = {"position": state.position, "previous": state.previous, "sample": state.sample}
        return Engine.resume(self.network, self.kept | place)

    def hold(self) -> None:
        """Let the engine take a step, note what the held masses would move [m], and put them back."""
        self.held = at = self.engine.state()
        self.engine.advance(1)
        then = self.engine.state().position
        self.source = np.where(self.free, (then - at.position).T.ravel(), 0.0)
        back = np.where(self.movable, self.begin.position, then)
        self.engine.place(NetworkState(back, np.where(self.movable, back, at.position), self.engine.sample))

    def step(self) -> None:
        """Take a step."""
        u = self.advance @ np.concatenate([self.u, self.before]) + self.source
        self.u, self.before = np.where(self.free, u, 0.0), self.u
        if not self.steady:
            self.hold()

    def state(self) -> NetworkState:
        """Return where the points are now."""
        now, then = (self.begin.position + u.reshape(3, -1).T for u in (self.u, self.before))
        at, before = (np.where(self.movable, x, y) for x, y in ((now, self.held.position), (then, self.held.previous)))
        return NetworkState(at, before, self.held.sample)

    def doubt(self, before: NetworkState) -> str:
        """Return why the last step, from a state, is not what the network itself does; empty where it is."""
        if not np.abs(self.u).max() < 1e6:
            return "the linear network diverges"
        engine = self._engine(before)
        engine.advance(1)
        there = (engine.state().position - self.begin.position).T.ravel()
        then = [(x - self.begin.position).T.ravel() for x in (before.position, before.previous)]
        pull = (self.pull @ np.where(np.tile(self.free, 2), np.concatenate(then), 0.0))[self.free]
        scale = np.linalg.norm(pull) + np.linalg.norm(self.source[self.free] * self.inertia)
        if np.linalg.norm((there - self.u)[self.free] * self.inertia) <= _NONLINEAR * scale:
            return ""
        return f"links leave their linear range by t = {(before.sample + 1) / self.network.frequency:.3g} s"


def _is_steady(network: Network) -> bool:
    """Return whether nothing that acts on held masses changes over time."""
    moving = [group.motion for group in network.groups] + [solid.motion for solid in network.solids]
    wind = network.wind.values
    steady_wind = not callable(wind) and len(wind) == 1
    laws = [thing.law for kind in (network.bundles, network.reaches) for thing in kind]
    plain = all(b.every == 1 for b in network.bundles) and not any(isinstance(law, AutomatonLaw) for law in laws)
    return steady_wind and plain and not network.inputs and all(motion is None for motion in moving)


def _matrices(network: Network, state: NetworkState, engine: Engine) -> tuple[Any, Any]:
    """Return K and Z of all points and axes at a state, (3 points, 3 points), axis by axis.

    Along a direction e links have eᵀ K e: the three axes and the three diagonals between them give all of K.
    """
    from scipy.sparse import block_array

    def along(*axes: int) -> list[Any]:
        e = np.eye(3)[list(axes)].sum(0) / np.sqrt(len(axes))
        return _directed(network.count, *links_along(network, state, e, None, True, engine))

    own = [along(axis) for axis in range(3)]
    cross = {(i, j): along(i, j) for i, j in ((0, 1), (0, 2), (1, 2))}

    def block(n: int, i: int, j: int) -> Any:
        return own[i][n] if i == j else cross[min(i, j), max(i, j)][n] - (own[i][n] + own[j][n]) / 2

    stiffness, damping = (
        block_array([[block(n, i, j) for j in range(3)] for i in range(3)], format="csr") for n in (0, 1)
    )
    return stiffness, damping


def _directed(count: int, a: np.ndarray, b: np.ndarray, k: Array, z: Array, acts: np.ndarray) -> list[Any]:
    """Return stiffness and damping (points, points): a row for each end that a link acts on; the ground has none."""
    from scipy.sparse import coo_array

    on_a, on_b = (acts & 1) != 0, (acts & 2) != 0
    rows = np.concatenate([a[on_a], a[on_a], b[on_b], b[on_b]])
    cols = np.concatenate([a[on_a], b[on_a], b[on_b], a[on_b]])
    found = []
    for weight in (k, z):
        values = np.concatenate([weight[on_a], -weight[on_a], weight[on_b], -weight[on_b]])
        kept = (rows < count) & (cols < count)
        found.append(coo_array((values[kept], (rows[kept], cols[kept])), shape=(count, count)).tocsr())
    return found
