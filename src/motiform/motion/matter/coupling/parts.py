"""A part of a network as a separate network, whose neighbours replay their recordings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.model.network import Bundle, Group, Network, Reach, Signal
from motiform.record import Recording
from motiform.spatial.checks import Words

__all__ = ["NetworkPart", "part_of", "played"]

_BLOCK = 512  # samples of a recording that are read at once


@dataclass(frozen=True, eq=False)
class NetworkPart:
    """Some masses of a network with all that acts on them."""

    whole: Network
    own: np.ndarray
    """Indices in the whole of the masses that the part moves, rising."""
    needs: np.ndarray
    """Indices in the whole of the masses whose motion it must be given."""
    still: np.ndarray
    """Indices in the whole of the fixed and imposed points that it takes along."""
    drivers: np.ndarray
    """Indices in the whole of the masses that may act on it by range."""

    def network(self, motion: Mapping[str, Any] | None = None) -> Network:
        """Return the network; motion: samples (samples, points, 3) at its frequency of the masses that it needs.

        They are given by group, in the order of `needs`.
        """
        missing = sorted({g.name for g in self.whole.groups if len(_within(self.needs, g))} - set(motion or {}))
        if missing:
            raise InputError(
                "the motion of all driving points is needed", got=Words("nothing of " + ", ".join(missing))
            )
        groups, index = self._groups(motion or {})
        new = np.full(self.whole.count, -1)
        new[index] = np.arange(len(index))
        links = [(bundle, _acted(self.whole, bundle, self.own)) for bundle in self.whole.bundles]
        bundles = [found for bundle, mine in links if (found := _bundle(bundle, mine, new))]
        return self.whole.replace(
            groups=groups,
            bundles=tuple(bundles),
            pistons=tuple(
                replace(p, pairs=new[p.pairs[rows]], law=p.law.taken(rows))
                for p in self.whole.pistons
                if (rows := self._mine(p.pairs.reshape(p.count, -1)).any(axis=1)).any()
            ),
            reaches=tuple(near for reach in self.whole.reaches if (near := self._reach(reach, new))),
            solids=tuple(
                replace(s, points=new[s.points[rows]])
                for s in self.whole.solids
                if (rows := self._mine(s.points)).any()
            ),
            inputs=tuple(
                replace(i, points=new[i.points[rows]], signal=_signal(i.signal, rows))
                for i in self.whole.inputs
                if (rows := self._mine(i.points)).any()
            ),
            exposed={name: new[points] for name, points in self.whole.exposed.items() if (new[points] >= 0).all()},
        )

    def order(self) -> np.ndarray:
        """Return the index in the whole of each point of the part's network, (points,)."""
        return self._groups({}, blank=True)[1]

    def _mine(self, points: np.ndarray) -> np.ndarray:
        return np.isin(points, self.own)

    def _groups(self, motion: Mapping[str, Any], blank: bool = False) -> tuple[tuple[Group, ...], np.ndarray]:
        groups: list[Group] = []
        index: list[np.ndarray] = []
        for group in self.whole.groups:
            for points, kind in ((self.own, "own"), (self.still, "still"), (self.needs, "needs")):
                mine = _within(points, group)
                if not len(mine):
                    continue
                first = sum(len(some) for some in index)
                index.append(mine + group.first)
                if blank:
                    continue
                found = _some(group, mine, first)
                if kind == "needs":
                    found = _imposed(found, motion[group.name], self.whole.frequency, mixed=len(mine) < group.count)
                groups.append(found)
        return tuple(groups), np.concatenate(index)

    def _reach(self, reach: Reach, new: np.ndarray) -> Reach | None:
        if not self._mine(reach.points).any():
            return None
        kept = np.isin(reach.points, np.concatenate([self.own, self.still, self.drivers]))
        points = new[reach.points[kept]]
        order = np.argsort(points)
        body = reach.body[kept][order]
        return replace(reach, points=points[order], role=reach.role[kept][order], body=body)


def part_of(network: Network, own: np.ndarray, drivers: np.ndarray) -> NetworkPart:
    """Return some masses of a network with what acts on them; drivers: other masses that may act on them by range."""
    needed = [np.zeros(0, int)]
    for bundle in network.bundles:
        needed.append(bundle.pairs[_acted(network, bundle, own)].ravel())
    for piston in network.pistons:
        needed.append(piston.pairs[np.isin(piston.pairs, own).any(axis=(1, 2))].ravel())
    for reach in network.reaches:
        if np.isin(reach.points, own).any():
            _check_rotation(network, reach, drivers)
            needed.append(reach.points[np.isin(reach.points, drivers) | ~network.movable[reach.points]])
    others = np.setdiff1d(np.concatenate(needed), own)
    moves = network.movable[others]
    return NetworkPart(network, np.unique(own), others[moves], others[~moves], np.unique(drivers))


def _check_rotation(network: Network, reach: Reach, drivers: np.ndarray) -> None:
    """Refuse balls that rotate and rub others from outside of a part: recorded are places, not rotations."""
    turning = reach.points[np.isin(reach.points, drivers) & (network.inertia[reach.points] > 0)]
    if len(turning) and reach.friction is not None and reach.friction.acts:
        raise InputError(
            "a rotating ball must not rub the points of another part", where=f"reach {reach.name!r}",
            got=network.point_name(int(turning[0])), remedy="Keep them in one part, or give them no inertia.",
        )  # fmt: skip


def played(rec: Recording, name: str) -> "_Played":
    """Return a channel as samples that are read from the recording when they are asked for."""
    return _Played(rec, name)


class _Played:
    """Samples of a channel, a block of them in memory."""

    def __init__(self, rec: Recording, name: str) -> None:
        self.rec, self.name, self.count = rec, name, rec.count(name)
        self.first, self.block = 0, rec.read(name, 0, _BLOCK)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, n: int) -> np.ndarray:
        if not self.first <= n < self.first + len(self.block):
            self.first = n
            self.block = self.rec.read(self.name, n, n + _BLOCK)
        return np.asarray(self.block[n - self.first])


def _acted(network: Network, bundle: Bundle, own: np.ndarray) -> np.ndarray:
    """Return which links act on masses of a part; all where the others act on nothing, so that grids stay whole."""
    ends = np.zeros((bundle.count, 2), bool)
    for k, side in enumerate(("first", "second")):
        if bundle.acts in ("both", side):
            ends[:, k] = network.movable[bundle.pairs[:, k]]
    mine = np.asarray((ends & np.isin(bundle.pairs, own)).any(axis=1))
    return np.ones(bundle.count, bool) if mine.any() and (mine | ~ends.any(axis=1)).all() else mine


def _within(points: np.ndarray, group: Group) -> np.ndarray:
    """Return the numbers within a group of those of some points that are of it."""
    return points[(points >= group.first) & (points < group.first + group.count)] - group.first


_ROWS = ("position", "velocity", "mass", "free", "drag", "radius", "inertia", "angular_velocity")


def _some(group: Group, mine: np.ndarray, first: int) -> Group:
    if len(mine) == group.count:
        return replace(group, first=first)
    keys = [key for key in _ROWS if getattr(group, key) is not None]
    rows = np.isin(np.arange(group.count), mine)
    motion = None if group.motion is None else _signal(group.motion, rows)
    return replace(group, first=first, motion=motion, **{key: getattr(group, key)[mine] for key in keys})


def _imposed(group: Group, values: Any, rate: float, mixed: bool) -> Group:
    shape = (group.count, 3)
    if not len(values) or np.shape(values[0]) != shape:
        got = Words(f"{len(values)} samples of shape {np.shape(values[0]) if len(values) else ()}")
        raise InputError(
            "the motion must be that of the points of the group", where=group.name, got=got,
            allowed=f"samples of {shape}",
        )  # fmt: skip
    return replace(
        group, name=f"{group.name}.played" if mixed else group.name, kind="imposed", mass=np.full(group.count, np.inf),
        free=np.zeros(group.count, np.uint8), drag=np.zeros(group.count), motion=Signal(values, rate), inertia=None,
        angular_velocity=None,
    )  # fmt: skip


def _signal(signal: Signal, rows: np.ndarray) -> Signal:
    """Return the signal of some of its points; one vector for all stays so."""
    if rows.all():
        return signal
    values = signal.values
    if callable(values):
        return Signal(
            lambda t: value if (value := np.asarray(values(t), float)).ndim == 1 else value[rows], signal.rate
        )
    return signal if values.ndim == 2 or values.shape[1] == 1 else Signal(values[:, rows], signal.rate)


def _bundle(bundle: Bundle, mine: np.ndarray, new: np.ndarray) -> Bundle | None:
    if not mine.any():
        return None
    if not mine.all():
        return replace(bundle, pairs=new[bundle.pairs[mine]], law=bundle.law.taken(mine), grid=None)
    grid = None if bundle.grid is None else replace(bundle.grid, points=new[bundle.grid.points])
    return replace(bundle, pairs=new[bundle.pairs], grid=grid)
