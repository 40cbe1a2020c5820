"""Networks as arrays for kernels: stencils, links, and the arms by which each mass gathers its forces."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.motion.matter.engine.columns import CUTS, ROW
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.network import Bundle, Network, NetworkState, Piston

__all__ = [
    "Arms", "PackedLinks", "Stencils", "distances", "pack_arms", "pack_stencils", "pack_table", "piston_lengths",
    "split_bundles",
]  # fmt: skip

_ALIKE = 1e-12  # rest lengths of a grid's direction that differ by less than this part are one


def distances(x: np.ndarray, pairs: np.ndarray, axis: int) -> np.ndarray:
    """Return the distances of pairs of points [m] as kernels work them out, to the bit: signed along an axis."""
    a, b = pairs[:, 0], pairs[:, 1]
    if axis >= 0:
        return x[b, axis] - x[a, axis]
    dx, dy, dz = (x[b, k] - x[a, k] for k in range(3))
    return np.sqrt(dx * dx + dy * dy + dz * dz)


def piston_lengths(piston: Piston, x: np.ndarray) -> np.ndarray:
    """Return the sums of lengths that pistons feel [m], (pistons,), in the order in which kernels add them."""
    total = np.zeros(piston.count)
    for p, axis in enumerate(piston.axes):
        total = total + distances(x, piston.pairs[:, p], int(axis))
    return total


@dataclass
class Stencils:
    """Links of regular grids, a row for each direction."""

    bundles: list[tuple[Bundle, int]]
    """The bundle and the number of the direction of each row."""
    whole: np.ndarray
    """First mass, end, offset, and what to add to a mass to get its link, (rows, 4); masses count with the pad."""
    real: np.ndarray
    """Stiffness, damping by step, rest length, (rows, 3)."""
    there: np.ndarray
    """Whether a link is there, (links,)."""
    pad: int

    @property
    def size(self) -> int:
        """Number of places for links."""
        return len(self.there)


def stencil_rows(bundle: Bundle, start: np.ndarray) -> list[np.ndarray] | None:
    """Return the one law of each direction of a grid; None where it has several, or zones."""
    if bundle.grid is None or not isinstance(bundle.law, ZoneLaw) or len(bundle.law.zones) != 1 or bundle.record:
        return None
    rows = bundle.law.rows(bundle.count, start)[:, CUTS : CUTS + 3]
    found, first = [], 0
    for offset in bundle.grid.offsets:
        count = len(bundle.grid.pairs_along(offset))
        mine = rows[first : first + count]
        first += count
        if count and (np.ptp(mine, axis=0) > _ALIKE * np.abs(mine[0])).any():
            return None
        found.append(mine[0] if count else np.zeros(3))
    return found


def pack_stencils(network: Network, start: np.ndarray) -> tuple[Stencils, list[Bundle]]:
    """Return the grids whose directions each have one law, and the other bundles. `start` are positions (points, 3)."""
    bundles, rest, whole, real, masks, pad, size = [], [], [], [], [], 0, 0
    for bundle in network.bundles:
        rows = stencil_rows(bundle, distances(start, bundle.pairs, bundle.axis))
        if rows is None:
            rest.append(bundle)
            continue
        assert bundle.grid is not None
        points = bundle.grid.points
        first, count = int(points.flat[0]), points.size
        strides = np.array([points.shape[1] * points.shape[2], points.shape[2], 1])
        for n, (offset, row) in enumerate(zip(bundle.grid.offsets, rows, strict=True)):
            jump = int(np.dot(offset, strides))
            mask = np.zeros(jump + count, np.uint8)
            mask[jump + bundle.grid.pairs_along(offset)[:, 0] - first] = 1
            bundles.append((bundle, n))
            whole.append((first, first + count, jump, size + jump - first))
            real.append((row[0], row[1] * network.frequency, row[2]))
            masks.append(mask)
            size, pad = size + len(mask), max(pad, jump)
    table = np.array(whole, np.int64).reshape(-1, 4)
    table[:, :2] += pad
    table[:, 3] -= pad
    there = np.concatenate(masks) if masks else np.zeros(0, np.uint8)
    return Stencils(bundles, table, np.array(real).reshape(-1, 3), there, pad), rest


@dataclass
class Floors:
    """Links with one law along an axis, from a point that never moves to masses side by side: floors and walls."""

    whole: np.ndarray
    """First mass, end (with the pad), axis, and 1 or −1 where masses are the second or the first ends, (rows, 4)."""
    place: np.ndarray
    """Where the point is along the axis [m], (rows,)."""
    laws: np.ndarray
    """(rows, ROW)"""


def pack_floors(network: Network, bundles: list[Bundle], start: np.ndarray, pad: int) -> tuple[Floors, list[Bundle]]:
    """Return the bundles that are floors, and the others."""
    still = ~network.movable
    for group in network.groups:
        if group.motion is not None:
            still[group.indices] = False
    rest, whole, place, laws = [], [], [], []
    for bundle in bundles:
        found = _floor(bundle, still, start)
        if found is None:
            rest.append(bundle)
            continue
        first, side, ground, law = found
        whole.append((first + pad, first + pad + bundle.count, bundle.axis, side))
        place.append(start[ground, bundle.axis])
        laws.append(law)
    return Floors(np.array(whole, np.int64).reshape(-1, 4), np.array(place), np.array(laws).reshape(-1, ROW)), rest


def _floor(bundle: Bundle, still: np.ndarray, start: np.ndarray) -> tuple[int, int, int, np.ndarray] | None:
    if not isinstance(bundle.law, ZoneLaw) or bundle.axis < 0 or bundle.every > 1 or bundle.record or not bundle.count:
        return None
    for ground, side, acts in ((0, 1, "second"), (1, -1, "first")):
        one, many = bundle.pairs[:, ground], bundle.pairs[:, 1 - ground]
        if (one == one[0]).all() and still[one[0]] and (np.diff(many) == 1).all() and bundle.acts in ("both", acts):
            rows = bundle.law.rows(bundle.count, distances(start, bundle.pairs, bundle.axis))
            if (rows == rows[0]).all():
                return int(many[0]), side, int(one[0]), rows[0]
    return None


def split_bundles(bundles: list[Bundle]) -> tuple[list[Bundle], list[Bundle], list[Bundle]]:
    """Return the bundles of zone laws along lines, those along axes, and the automata."""
    zone = [b for b in bundles if isinstance(b.law, ZoneLaw)]
    return [b for b in zone if b.axis < 0], [b for b in zone if b.axis >= 0], [b for b in bundles if b not in zone]


@dataclass
class PackedLinks:
    """Links of several bundles one after another, and their laws as rows that many share."""

    pairs: np.ndarray
    """With the pad counted, (links, 2)."""
    axis: np.ndarray
    material: np.ndarray
    table: np.ndarray
    length: np.ndarray
    """At the sample before [m], (links,)."""

    @property
    def count(self) -> int:
        """Number of links."""
        return len(self.pairs)


def pack_table(bundles: list[Bundle], start: np.ndarray, state: NetworkState, pad: int) -> PackedLinks:
    """Return the links of bundles; `start` are the positions that rest lengths not given are taken from."""
    rows = [b.law.rows(b.count, distances(start, b.pairs, b.axis)) for b in bundles]
    lengths = [distances(state.previous, b.pairs, b.axis) for b in bundles]
    pairs = [b.pairs for b in bundles]
    table, material = _shared(np.concatenate(rows) if rows else np.zeros((0, 1)))
    axis = np.concatenate([np.full(b.count, b.axis, np.int32) for b in bundles]) if bundles else np.zeros(0, np.int32)
    joined = np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64)
    return PackedLinks(
        (joined + pad).astype(np.int32), axis, material, table, np.concatenate(lengths) if lengths else np.zeros(0)
    )


def _shared(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows of a table and which of them each row is: a material index."""
    if not len(rows):
        return rows, np.zeros(0, np.int32)
    varying = ~(rows == rows[0]).all(axis=0)
    if not varying.any():
        return rows[:1].copy(), np.zeros(len(rows), np.int32)
    _, first, which = np.unique(rows[:, varying], axis=0, return_index=True, return_inverse=True)
    return rows[first], which.ravel().astype(np.int32)


@dataclass
class Arms:
    """What each mass gathers: rows of (other end or axis, link), those along lines ahead of those along axes."""

    starts: np.ndarray
    radial: np.ndarray
    arms: np.ndarray
    signs: np.ndarray


def pack_arms(count: int, pad: int, parts: list[tuple[np.ndarray, np.ndarray, str, int]]) -> Arms:
    """Return the arms of so many masses; parts are pairs without pad, axes, who is acted on, and the first link."""
    if not parts:
        none = np.zeros(0, np.int32)
        return Arms(none, none, np.zeros((0, 2), np.int32), np.zeros(0))
    owner, other, link, sign, axial = ([np.zeros(0, np.int64)] for _ in range(5))
    for pairs, axis, acts, first in parts:
        number = first + np.arange(len(pairs))
        along = axis >= 0
        for k, (side, way) in enumerate((("first", 1), ("second", -1))):
            if acts in ("both", side):
                owner.append(pairs[:, k])
                other.append(np.where(along, axis, pairs[:, 1 - k] + pad))
                link.append(number)
                sign.append(np.full(len(pairs), way))
                axial.append(along.astype(np.int64))
    joined: list[Any] = [np.concatenate(values) for values in (owner, other, link, sign, axial)]
    order = np.lexsort((joined[2], joined[4], joined[0]))
    who, whom, which, way, axis = (values[order] for values in joined)
    starts = np.searchsorted(who, np.arange(count + 1)).astype(np.int32)
    lines = np.bincount(who[axis == 0], minlength=count)[:count]
    return Arms(
        starts, (starts[:-1] + lines).astype(np.int32), np.stack((whom, which), -1).astype(np.int32), way.astype(float)
    )
