"""Linearisation of a network at a state, along one axis: from the engine's masses and links to impedances.

Each link gives the stiffness and damping of the zone, or of the automaton's state, that it is in, projected on the
axis: k (u·e)² and z (u·e)², u along the link. Points that links do not move are the ground.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.coupling.elements import Complex
from motiform.motion.matter.coupling.impedances import impedance, port_impedance
from motiform.motion.matter.coupling.linear import GROUND, LinearNetwork
from motiform.motion.matter.engine.columns import CUTS
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.engine.pack import distances
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Network, NetworkState, Reach
from motiform.motion.matter.model.points import find_points
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["ENDS", "Active", "direction", "impedance_of", "linearise", "links_along", "reach_pairs"]

Active = Mapping[str, Any] | Literal["strongest"] | None
#: First end, second end, stiffness, damping of some links, and on which ends they act: bits 1 and 2.
Pieces = Iterator[tuple[np.ndarray, np.ndarray, Array, Array, np.ndarray | int]]

ENDS = {"first": 1, "second": 2, "both": 3}
"""On which ends links act: bits 1 and 2."""


def linearise(
    network: Network,
    state: NetworkState | Engine | None = None,
    axis: str | ArrayLike = "x",
    active: Active = None,
    *,
    geometric: bool = False,
) -> LinearNetwork:
    """Return the network of masses and links along an axis at a state; at the start where none is given.

    Parameters
    ----------
    state : where the points are. An engine also knows in which state its automata are; otherwise these are in their
        first.
    axis : "x", "y", "z" or a direction (3,).
    active : which zone or state links are in, by name of bundle or reach: its number or name, one for each link, False
        for links that do nothing, or "strongest". "strongest" alone is for all. What is not named is as the state has
        it.
    geometric : add what tension does across a link, t/d (1 − (u·e)²).

    Masses keep their names. A link that acts on one end only is tied to the ground there: its other end moves as if
    nothing held it. Links by range are those in range; a solid that is touched is ground. Friction by range counts as
    holding.
    """
    e = direction(axis)
    given, engine = _checked_state(network, state, active)
    a, b, k, z, acts = links_along(network, given, e, active, geometric, engine)
    a, b = np.where(acts & 1, a, network.count), np.where(acts & 2, b, network.count)
    moves = network.movable & _free(network, e)
    place = np.append(np.where(moves, np.cumsum(moves) - 1, GROUND), GROUND)  # the last is the ground's own
    a, b = place[a], place[b]
    kept = (a != b) & ((k != 0) | (z != 0))
    names = tuple(name for name, free in zip(_names(network), moves, strict=True) if free)
    if not names:
        raise InputError("no mass moves along the axis", where="linearise", got=Words(str(axis)))
    return LinearNetwork(network.mass[moves], a[kept], b[kept], k[kept], z[kept], names)


def _checked_state(
    network: Network, state: NetworkState | Engine | None, active: Active
) -> tuple[NetworkState, Engine | None]:
    """Return where the points are, and the engine that knows the states of links."""
    engine = state if isinstance(state, Engine) else None
    given = network.initial_state() if state is None else state.state() if isinstance(state, Engine) else state
    if given.position.shape != (network.count, 3):
        got = Words(f"{len(given.position)} points")
        raise InputError(
            "the state must have the points of the network", where="state", got=got, allowed=f"{network.count} points"
        )
    _check_active(network, active)
    things: list[Any] = [*network.reaches, *network.solids]
    rubbed = [thing for thing in things if thing.friction is not None and thing.friction.acts]
    if any(network.inertia[thing.points].any() for thing in rubbed):
        raise InputError(
            "a linear network has no rotations", where="linearise", got="balls that rotate and rub",
            remedy="Linearise the network with masses without inertia.",
        )  # fmt: skip
    return given, engine


def links_along(
    network: Network, state: NetworkState, e: Array, active: Active, geometric: bool, engine: Engine | None
) -> tuple[np.ndarray, np.ndarray, Array, Array, np.ndarray]:
    """Return all links at a state, seen along a direction: ends, stiffness, damping, bits of the ends acted on.

    Each is (links,). Ends are points of the network, its count for the ground.
    """
    look = _LinearLinks(network, state, e, active, geometric, engine)
    pieces = [*look.bundles(), *look.pistons(), *look.reaches(), *look.solids(), *look.drag()]
    ends = [np.concatenate([piece[n] for piece in pieces]).astype(int) for n in (0, 1)]
    k, z = (np.concatenate([piece[n] for piece in pieces]) for n in (2, 3))
    acts = np.concatenate([np.broadcast_to(piece[4], len(piece[0])) for piece in pieces])
    return ends[0], ends[1], k, z, acts


def impedance_of(
    network: Network,
    point: int | str,
    omega: ArrayLike,
    *,
    axis: str | ArrayLike = "x",
    state: NetworkState | Engine | None = None,
    active: Active = None,
    geometric: bool = False,
    step: float | None = None,
) -> Complex:
    """Return Y(ω) = F/V of a point of a network along an axis [N s/m], of the shape of omega [rad/s].

    The point is "group", "group[3]", the name of a point that a module shows, or an index. In continuous time, or for
    the scheme with a step [s]: `network.step` for what the engine does. Infinite where the point cannot move.

    Of axis="xyz" it is the matrix of all three axes, (..., 3, 3), where the other masses move in space too; along one
    axis they move along it only. It turns with the network, Y → R Y Rᵀ. [Habibi97 3.23]
    """
    found = find_points(network, point)
    if len(found) != 1:
        raise InputError(
            "a single point is needed", got=Words(f"{point} has {len(found)}"), remedy=f"Take one, such as {point}[0]."
        )
    if isinstance(axis, str) and axis == "xyz":
        return _impedance_in_space(network, int(found[0]), omega, state, active, geometric, step)
    linear = linearise(network, state, axis, active, geometric=geometric)
    name = network.point_name(int(found[0]))
    if name not in linear.names:
        return np.full(np.shape(omega), np.inf, complex)
    return impedance(linear, name, omega, step)


def _impedance_in_space(
    network: Network, point: int, omega: ArrayLike, state: NetworkState | Engine | None, active: Active,
    geometric: bool, step: float | None,
) -> Complex:  # fmt: skip
    """Return the matrix Y(ω) of a point [N s/m], (..., 3, 3); infinite along axes that it cannot move along."""
    bits = np.concatenate([group.free for group in network.groups])
    moves = network.movable[:, None] & ((bits[:, None] >> np.arange(3)) & 1).astype(bool)
    own = moves[point]
    w = np.asarray(omega, float)
    found = np.zeros((*w.shape, 3, 3), complex)
    found[..., range(3), range(3)] = np.where(own, 0.0, np.inf)
    if own.any():
        linear, place = _in_space(network, *_checked_state(network, state, active), active, geometric, moves)
        dofs = [int(place[point, k]) for k in np.flatnonzero(own)]
        found[..., *np.ix_(own, own)] = port_impedance(linear, dofs, omega, step)
    return found


def _in_space(
    network: Network, state: NetworkState, engine: Engine | None, active: Active, geometric: bool, moves: np.ndarray
) -> tuple[LinearNetwork, np.ndarray]:
    """Return a linear network whose masses are the coordinates that are free, and the number of each (points, 3).

    Links are blocks B (3, 3) with eᵀ B e what `links_along` gives along e: six directions tell them. A symmetric matrix
    K is one of scalar links −K_ij between coordinates and of their sums to the ground.
    """
    if any(len(set(piston.axes)) > 1 for piston in network.pistons):
        raise InputError("pistons must be along one axis", where="impedance_of", remedy="Ask along one axis.")
    blocks: list[Array] = [np.zeros(0)] * 2
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    for i, j in pairs:
        e = direction(np.eye(3)[i] + np.eye(3)[j])
        a, b, *along, acts = links_along(network, state, e, active, geometric, engine)
        for n, value in enumerate(along):
            if (i, j) == (0, 0):
                blocks[n] = np.zeros((len(value), 3, 3))
            blocks[n][:, i, j] = value if i == j else value - 0.5 * (blocks[n][:, i, i] + blocks[n][:, j, j])
            blocks[n][:, j, i] = blocks[n][:, i, j]
    place = np.where(moves, (np.cumsum(moves) - 1).reshape(moves.shape), GROUND)
    place = np.vstack([place, np.full((1, 3), GROUND)])  # the last is the ground's
    ends = np.where(acts & 1, a, network.count), np.where(acts & 2, b, network.count)
    size = int(moves.sum())
    (a, b, k), (c, d, z) = (_scalar_links(block, place[ends[0]], place[ends[1]], size) for block in blocks)
    k, z = np.concatenate([k, np.zeros(len(z))]), np.concatenate([np.zeros(len(k)), z])
    mass = np.repeat(network.mass, 3)[moves.ravel()]
    return LinearNetwork(mass, np.concatenate([a, c]), np.concatenate([b, d]), k, z), place


def _scalar_links(block: Array, one: np.ndarray, other: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, Array]:
    """Return the scalar links, ends and weights, that make the matrix of blocks between coordinates (links, 3)."""
    from scipy.sparse import coo_array, triu

    rows, columns, values = [], [], []
    for row, column, sign in ((one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)):
        kept = (row[:, :, None] != GROUND) & (column[:, None, :] != GROUND)
        rows.append(np.broadcast_to(row[:, :, None], block.shape)[kept])
        columns.append(np.broadcast_to(column[:, None, :], block.shape)[kept])
        values.append(sign * block[kept])
    where = np.concatenate(rows), np.concatenate(columns)
    matrix = coo_array((np.concatenate(values), where), shape=(size, size)).tocsr()
    apart, own = triu(matrix, 1).tocoo(), np.arange(size)
    weights = np.concatenate([-apart.data, matrix.sum(axis=1)])
    return np.concatenate([apart.row, own]), np.concatenate([apart.col, np.full(size, GROUND)]), weights


def direction(axis: str | ArrayLike) -> Array:
    """Return the unit vector (3,) of an axis."""
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            raise InputError(
                "axis must be a letter or a vector that is not zero", where="linearise", got=axis,
                allowed='"x", "y", "z" or a direction (3,)',
            )  # fmt: skip
        return np.eye(3)["xyz".index(axis)]
    e = as_floats(axis, where="axis")
    if e.shape != (3,) or not e.any():
        raise InputError(
            "axis must be a letter or a vector that is not zero", where="linearise", got=Words(str(axis)),
            allowed='"x", "y", "z" or a direction (3,)',
        )  # fmt: skip
    return e / np.linalg.norm(e)


def reach_pairs(network: Network, reach: Reach, position: Array) -> tuple[np.ndarray, Array]:
    """Return the pairs of points (pairs, 2) that a reach joins at positions [m], and their gaps [m], (pairs,)."""
    from scipy.spatial import cKDTree

    place, radius = position[reach.points], network.radius[reach.points]
    near = cKDTree(place).query_pairs(reach.law.cutoff + 2 * radius.max(initial=0.0), output_type="ndarray")
    a, b = near[np.lexsort((near[:, 1], near[:, 0]))].T
    role, body = reach.role, reach.body
    fits = (((role[a] & 1) & (role[b] >> 1)) | ((role[a] >> 1) & (role[b] & 1))).astype(bool)
    fits &= (body[a] < 0) | (body[a] != body[b])
    a, b = a[fits], b[fits]
    gap = np.linalg.norm(place[b] - place[a], axis=1) - radius[a] - radius[b]
    inside = gap < reach.law.cutoff
    return np.stack((reach.points[a], reach.points[b]), -1)[inside], gap[inside]


def _names(network: Network) -> Iterator[str]:
    for group in network.groups:
        yield from [group.name] if group.count == 1 else [f"{group.name}[{n}]" for n in range(group.count)]


def _free(network: Network, e: Array) -> np.ndarray:
    """Return whether points may move along a direction, (points,)."""
    free = np.concatenate([group.free for group in network.groups])
    needed = sum(1 << k for k in range(3) if e[k])
    found: np.ndarray = (free & needed) == needed
    return found


def _check_active(network: Network, active: Active) -> None:
    if active is None or active == "strongest":
        return
    if not isinstance(active, Mapping):
        raise InputError(
            'active must be a mapping or "strongest"', where="linearise", got=Words(repr(active)),
            allowed='{name: zone or state}, "strongest"',
        )  # fmt: skip
    known = [thing.name for kind in (network.bundles, network.reaches) for thing in kind]
    for name in active:
        if name not in known:
            allowed = ", ".join(known) or "no links"
            raise InputError("no such links", where="active", got=name, allowed=allowed, remedy=closest(name, known))


class _LinearLinks:
    """A network at positions, seen along a direction: links as (first end, second end, stiffness, damping)."""

    def __init__(
        self, network: Network, state: NetworkState, e: Array, active: Active, geometric: bool, engine: Engine | None
    ) -> None:
        self.network, self.e, self.active, self.geometric, self.engine = network, e, active, geometric, engine
        self.x, self.time = state.position, state.sample / network.frequency
        self.start = network.initial_state().position

    def bundles(self) -> Pieces:
        """Give the links between given pairs."""
        for bundle in self.network.bundles:
            d = distances(self.x, bundle.pairs, bundle.axis)
            begin = distances(self.start, bundle.pairs, bundle.axis)
            found = self._law(bundle.name, bundle.law, d, begin)
            if found is None or not bundle.count:
                continue
            k, z, rest = found
            if bundle.axis >= 0:
                c = np.full(bundle.count, self.e[bundle.axis] ** 2)
            else:
                c = self._along(bundle.pairs, d)
            k, z = self._projected(k, z, rest, d, c, bundle.axis < 0)
            yield *bundle.pairs.T, k, z, ENDS[bundle.acts]

    def pistons(self) -> Pieces:
        """Give pistons as links between all their ends: k g gᵀ of the ends' signs g has rows that sum to zero."""
        for piston in self.network.pistons:
            rows = piston.law.rows(piston.count, np.zeros(piston.count))
            ends = [(p, side) for p in range(piston.pairs.shape[1]) for side in (0, 1)]
            sign = [(2 * side - 1) * self.e[piston.axes[p]] for p, side in ends]
            for s, t in combinations(range(len(ends)), 2):
                share = -sign[s] * sign[t]
                (p, one), (q, two) = ends[s], ends[t]
                k, z = share * rows[:, CUTS], share * rows[:, CUTS + 1]
                yield piston.pairs[:, p, one], piston.pairs[:, q, two], k, z, 3

    def reaches(self) -> Pieces:
        """Give the links between points in range."""
        for reach in self.network.reaches:
            pairs, gap = reach_pairs(self.network, reach, self.x)
            found = self._law(reach.name, reach.law, gap, np.zeros(len(gap))) if len(pairs) else None
            if found is None:
                continue
            d = distances(self.x, pairs, -1)
            c = self._along(pairs, d)
            k, z = self._projected(found[0], found[1], found[2] + d - gap, d, c, True)
            rub, on = reach.friction, (found[0] != 0) | (found[1] != 0)
            if rub is not None and rub.limit > 0:  # a pair that touches is taken to stick
                k, z = k + on * (1 - c) * rub.stiffness, z + on * (1 - c) * rub.damping
            felt = np.isin(pairs, reach.acted)
            yield pairs[:, 0], pairs[:, 1], k, z, felt[:, 0] + 2 * felt[:, 1]

    def solids(self) -> Pieces:
        """Give solids that are touched as ground: where a moving one is, is given."""
        from motiform.geometry.search.closest import pack_solids, signed_distance

        for solid in self.network.solids:
            pose = solid.placement if solid.motion is None else solid.motion(self.time)
            far, normal, _ = signed_distance(pack_solids([(solid.shape, pose)]), self.x[solid.points])
            gap = far - self.network.radius[solid.points]
            k, z, _ = _zones(solid.law.rows(len(gap), np.zeros(len(gap))), gap, None)
            on, c = (k != 0) | (z != 0), (normal @ self.e) ** 2
            k, z = c * k, c * z
            if solid.friction is not None and solid.friction.limit > 0:
                k, z = k + on * (1 - c) * solid.friction.stiffness, z + on * (1 - c) * solid.friction.damping
            yield solid.points, np.full(len(gap), self.network.count), k, z, 3

    def drag(self) -> Pieces:
        """Give drag as dampers to the air, which is ground."""
        drag = np.concatenate([group.drag for group in self.network.groups])
        found = np.flatnonzero(drag)
        yield found, np.full(len(found), self.network.count), np.zeros(len(found)), drag[found], 3

    def _along(self, pairs: np.ndarray, d: Array) -> Array:
        """Return (u·e)² of links, (links,); 0 where the ends coincide."""
        gap = (self.x[pairs[:, 1]] - self.x[pairs[:, 0]]) @ self.e
        return (gap / np.where(d == 0, 1, d)) ** 2

    def _projected(self, k: Array, z: Array, rest: Array, d: Array, c: Array, line: bool) -> tuple[Array, Array]:
        across = k * (d - rest) / np.where(d == 0, np.inf, d) * (1 - c) if self.geometric and line else 0.0
        return c * k + across, c * z

    def _law(self, name: str, law: Any, d: Array, begin: Array) -> tuple[Array, Array, Array] | None:
        """Return stiffness, damping and rest length of links, each (links,); None where they do nothing."""
        chosen = self.active.get(name) if isinstance(self.active, Mapping) else self.active
        if chosen is False:
            return None
        if isinstance(chosen, str) and chosen == "strongest":
            k, z = (np.broadcast_to(v, d.shape) for v in law.strongest())
            return k, z, d
        rows = law.rows(len(d), begin)
        if isinstance(law, ZoneLaw):
            return _zones(rows, d, None if chosen is None else _numbers(chosen, name, len(d), len(law.zones)))
        return self._automaton(name, law, rows, begin, chosen)

    def _automaton(self, name: str, law: Any, rows: Array, begin: Array, chosen: Any) -> tuple[Array, Array, Array]:
        from motiform.motion.matter.laws.expressions import evaluate

        auto, memory = law.automaton, law.begin(len(rows), begin)
        at = np.zeros(len(rows), int)
        if self.engine is not None and any(bundle.name == name for bundle in self.network.bundles):
            at, memory = self.engine.link_states(name)
        if chosen is not None:
            known = [state.name for state in auto.states]
            if isinstance(chosen, str) and chosen not in known:
                allowed = ", ".join(known)
                raise InputError(
                    "no such state", where=name, got=chosen, allowed=allowed, remedy=closest(chosen, known)
                )
            at = _numbers(known.index(chosen) if isinstance(chosen, str) else chosen, name, len(rows), len(known))
        values = {key: rows[:, n] for n, key in enumerate(auto.parameters)}
        values |= {key: memory[n] for n, key in enumerate(auto.memory)} | {"start": begin}
        found = np.zeros((3, len(rows)))
        for n, state in enumerate(auto.states):
            for q, tree in enumerate((state.stiffness, state.damping, state.rest)):
                found[q] = np.where(at == n, evaluate(tree, values), found[q])
        return found[0], found[1], found[2]


def _numbers(chosen: Any, name: str, count: int, most: int) -> np.ndarray:
    found = np.asarray(chosen)
    good = found.dtype.kind in "iu" and found.shape in ((), (count,)) and found.size
    if not good or found.min() < 0 or found.max() >= most:
        allowed = f"0 to {most - 1}, one for all or one for each of {count} links"
        raise InputError("no such zone or state", where=name, got=Words(repr(chosen)[:80]), allowed=allowed)
    return np.broadcast_to(found, (count,))


def _zones(rows: Array, d: Array, zone: np.ndarray | None) -> tuple[Array, Array, Array]:
    at = (d[:, None] >= rows[:, :CUTS]).sum(1) if zone is None else zone
    row = np.arange(len(rows))
    k, z, rest = (rows[row, CUTS + 3 * at + n] for n in range(3))
    return k, z, rest
