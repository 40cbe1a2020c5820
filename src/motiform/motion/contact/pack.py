"""Contacts as two arrays, of integers and of floats, that kernels read (see `columns`)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.touch.columns import MOST
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.obstacles import Obstacle
from motiform.motion.contact.points import ContactPoint, Contacts
from motiform.motion.contact.solid_pack import MirroredPairs, expanded, pack_solids, touch_as_solids
from motiform.motion.tree import Figure
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array

__all__ = ["PackedContacts", "column_tree", "pack_contacts"]


@dataclass(frozen=True, eq=False)
class PackedContacts:
    """The arrays of contacts on a figure."""

    ints: np.ndarray
    floats: Array
    before: np.ndarray
    """The next column toward the root of each column, −1 at the root."""
    pairs: int
    solids: int
    """How many pairs of solids there are; their points are the last of the pairs."""
    names: tuple[str, ...]
    """Of all candidates: "point on obstacle", then "coordinate at its lower limit"."""
    friction: Array
    """Of every pair; inf: it does not slide."""
    restitution: Array
    """Of every candidate."""
    point_of: np.ndarray
    """Point of every pair."""
    obstacle_of: np.ndarray
    limit_coordinates: np.ndarray
    """Place in v of every limit."""
    limit_places: np.ndarray
    """Place in q of every limit."""
    limit_sides: np.ndarray
    """1 of a lower limit, −1 of an upper one."""
    limit_bounds: Array

    @property
    def count(self) -> int:
        """Number of candidates."""
        return len(self.names)


def _friction(point: ContactPoint, other: float | None) -> float:
    """Return the coefficient of a pair: the one that is given, the geometric mean of two, none: it does not slide."""
    given = [value for value in (point.friction, other) if value is not None]
    return float(np.sqrt(np.prod(given))) if len(given) == 2 else given[0] if given else np.inf


def _may_touch(figure: Figure, contacts: Contacts) -> list[tuple[int, int]]:
    if contacts.pairs is not None:
        points, obstacles = contacts.point_names, contacts.obstacle_names
        return [(points.index(a), obstacles.index(b)) for a, b in contacts.pairs]
    parents = {segment.name: segment.parent for segment in figure.segments}
    twins = MirroredPairs(figure, contacts)
    found = []
    for n, point in enumerate(contacts.points):
        for m, obstacle in enumerate(contacts.obstacles):
            joined = obstacle.segment is not None and (
                obstacle.segment in (point.segment, parents[point.segment])
                or parents.get(obstacle.segment) == point.segment
            )
            if not joined and not twins.twin_touches(n, m):
                found.append((n, m))
    return found


def pairs_by_name(
    figure: Figure, contacts: Contacts, allowed: Callable[[ContactPoint, Obstacle], bool]
) -> tuple[tuple[str, str], ...]:
    """Return the names of the pairs that may touch and are allowed to."""
    found = ((contacts.points[n], contacts.obstacles[m]) for n, m in _may_touch(figure, contacts))
    return tuple((point.name, obstacle.name) for point, obstacle in found if allowed(point, obstacle))


def pack_contacts(figure: Figure, contacts: Contacts) -> PackedContacts:
    """Return contacts as arrays; those that tell where solids touch are written to."""
    found = _packed(figure, contacts)
    return replace(found, ints=found.ints.copy(), floats=found.floats.copy())


@lru_cache(maxsize=8)
def _packed(figure: Figure, contacts: Contacts) -> PackedContacts:
    if figure.single is None:
        kind = "closures" if figure.closures else "couplings" if figure.couplings else "joints written in Python"
        raise InputError(
            f"contacts exclude figures with {kind}",
            where=repr(figure),
            allowed="figures whose joints are all motiform's own, without couplings and closures",
        )
    for carrier in (*(p.segment for p in contacts.points), *(o.segment for o in contacts.obstacles)):
        if carrier is not None:
            figure.index(carrier)
    plain, solid = list[tuple[int, int]](), list[tuple[int, int]]()
    for n, m in _may_touch(figure, contacts):
        (solid if touch_as_solids(contacts.points[n], contacts.obstacles[m]) else plain).append((n, m))
    pairs = plain + expanded(solid)
    limits = _limits(figure) if contacts.limits else []
    blocks = [
        [number for point in contacts.points for number in (figure.index(point.segment), point.kind)],
        [],
        [number for pair in pairs for number in pair],
        [number for limit in limits for number in limit[:3]],
        _last_columns(figure),
        [],
    ]
    floats = [
        [number for point in contacts.points for number in point.numbers],
        [
            number
            for obstacle in contacts.obstacles
            for number in (*obstacle.placement.rotation.ravel(), *obstacle.placement.translation)
        ],
        [],
        [number for limit in limits for number in (limit[3], contacts.limit_restitution)],
    ]
    friction = [_friction(contacts.points[n], contacts.obstacles[m].friction) for n, m in pairs]
    bounce = [_restitution(contacts.points[n], contacts.obstacles[m].restitution) for n, m in pairs]
    floats[2] = [number for pair in zip(friction, bounce, strict=True) for number in pair]
    starts = np.cumsum([0, *map(len, floats)])
    numbers: list[float] = []
    for obstacle in contacts.obstacles:
        number = -1 if obstacle.segment is None else figure.index(obstacle.segment)
        blocks[1] += [number, obstacle.number, int(starts[-1]) + len(numbers)]
        numbers += obstacle.sizes.tolist()
    solids = pack_solids(contacts, solid, int(starts[-1]) + len(numbers))
    blocks[5] = solids.ints
    numbers += solids.numbers
    at = contact_columns.HEADER + np.cumsum([0, *map(len, blocks)])
    ints = np.zeros(int(at[-1]), np.int64)
    ints[[contact_columns.POINTS, contact_columns.OBSTACLES, contact_columns.PAIRS, contact_columns.LIMITS]] = (
        len(contacts.points),
        len(contacts.obstacles),
        len(pairs),
        len(limits),
    )
    ints[[contact_columns.FIRST_SLOT, contact_columns.SOLIDS, contact_columns.AT_SOLIDS]] = (
        len(plain),
        len(solid),
        at[5],
    )
    ints[
        [
            contact_columns.AT_POINTS,
            contact_columns.AT_OBSTACLES,
            contact_columns.AT_PAIRS,
            contact_columns.AT_LIMITS,
            contact_columns.AT_LAST,
        ]
    ] = at[:5]
    ints[
        [
            contact_columns.FLOAT_POINTS,
            contact_columns.FLOAT_OBSTACLES,
            contact_columns.FLOAT_PAIRS,
            contact_columns.FLOAT_LIMITS,
        ]
    ] = starts[:4]
    ints[contact_columns.HEADER :] = [number for block in blocks for number in block]
    names = [f"{contacts.points[n].name} on {contacts.obstacles[m].name}" for n, m in pairs]
    names[len(plain) :] = [f"{name}.{k % MOST + 1}" for k, name in enumerate(names[len(plain) :])]
    names += [f"{figure.coordinates[v]} at its {'lower' if side > 0 else 'upper'} limit" for _, _, side, _, v in limits]
    packed, columns = figure.packed.ints, int(figure.packed.ints[tree_columns.COLUMNS])
    first = int(packed[tree_columns.AT_COLUMNS])
    return PackedContacts(
        ints,
        np.array([*(number for block in floats for number in block), *numbers]),
        packed[[first + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE for k in range(columns)]].copy(),
        len(pairs),
        len(solid),
        tuple(names),
        np.array(friction, float),
        np.array([*bounce, *[contacts.limit_restitution] * len(limits)], float),
        np.array([n for n, _ in pairs], np.int64),
        np.array([m for _, m in pairs], np.int64),
        np.array([limit[4] for limit in limits], np.int64),
        np.array([limit[1] for limit in limits], np.int64),
        np.array([limit[2] for limit in limits], np.int64),
        np.array([limit[3] for limit in limits], float),
    )


def _restitution(point: ContactPoint, other: float | None) -> float:
    """Return the coefficient of a pair: the larger of what is given."""
    return point.restitution if other is None else max(point.restitution, other)


def _limits(figure: Figure) -> list[tuple[int, int, int, float, int]]:
    """Return (column, place in q, side, bound, place in v) of every finite limit."""
    packed = figure.packed.ints
    found = []
    for k in range(int(packed[tree_columns.COLUMNS])):
        at = int(packed[tree_columns.AT_COLUMNS]) + k * tree_columns.COLUMN_INTS
        v, q = int(packed[at + tree_columns.COLUMN_V]), int(packed[at + tree_columns.COLUMN_Q])
        for side, bound in zip((1, -1), figure.limits[v], strict=True):
            if np.isfinite(bound):
                found.append((k, q, side, float(bound), v))
    return found


def _last_columns(figure: Figure) -> list[int]:
    """Return the last column on the way from the root to each segment, −1 where there is none."""
    packed = figure.packed.ints
    last: list[int] = []
    for n in range(len(figure.segments)):
        at = tree_columns.HEADER + n * tree_columns.SEGMENT_INTS
        parent, first, count = (
            int(packed[at + k]) for k in (tree_columns.PARENT, tree_columns.FIRST, tree_columns.COUNT)
        )
        last.append(first + count - 1 if count else last[parent] if parent >= 0 else -1)
    return last


def column_tree(figure: Figure) -> np.ndarray:
    """Return the next column toward the root, then the place in v, of every column."""
    kept = figure.__dict__.get("_column_tree")
    if kept is None:
        ints = figure.packed.ints
        at = int(ints[tree_columns.AT_COLUMNS]) + tree_columns.COLUMN_INTS * np.arange(int(ints[tree_columns.COLUMNS]))
        kept = np.concatenate([ints[at + tree_columns.BEFORE], ints[at + tree_columns.COLUMN_V]])
        figure.__dict__["_column_tree"] = kept
    return kept
