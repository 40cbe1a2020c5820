"""Which numbers of q and v belong to which joint."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import Segment, velocity_names

__all__ = ["CoordinateLayout", "as_names", "assign_coordinates"]


@dataclass(frozen=True)
class CoordinateLayout:
    """Where the numbers of each joint are."""

    nq: int
    nv: int
    q: tuple[Array, ...]
    """Places in q of each segment's joint."""
    v: tuple[Array, ...]
    names: tuple[str, ...]
    """Names of the velocities, in their order."""
    places_q: dict[str, Array]
    """Places in q by the name of a plain coordinate, or of a segment."""
    places_v: dict[str, Array]


def assign_coordinates(segments: Sequence[Segment], asked: Sequence[str] | None, where: str) -> CoordinateLayout:
    """Give every coordinate its place: in the order of the segments, or in the order told."""
    plain = {name for segment in segments if segment.joint.plain for name in velocity_names(segment)}
    blocks: dict[str, tuple[int, list[int]]] = {}  # a plain coordinate alone, other joints as a whole
    for n, segment in enumerate(segments):
        if segment.joint.plain:
            blocks |= {name: (n, [k]) for k, name in enumerate(velocity_names(segment))}
        elif segment.joint.nq:
            key = f"{segment.name}/joint" if segment.name in plain else segment.name
            blocks[key] = (n, list(range(segment.joint.nv)))
    order = list(blocks if asked is None else asked)
    if sorted(map(str, order)) != sorted(blocks):
        wrong = [name for name in order if name not in blocks] or [name for name in blocks if name not in order]
        raise InputError(
            "the order must name every coordinate once",
            where=where,
            got=", ".join(map(str, wrong)) or ", ".join(map(str, order)),
            allowed="each of " + ", ".join(blocks) + " once",
        )
    q = [np.zeros(s.joint.nq, np.int64) for s in segments]
    v = [np.zeros(s.joint.nv, np.int64) for s in segments]
    nq = nv = 0
    names: list[str] = []
    for block in order:
        n, which = blocks[block]
        joint, labels = segments[n].joint, velocity_names(segments[n])
        many = len(which) if joint.plain else joint.nq
        q[n][which if joint.plain else slice(None)] = np.arange(nq, nq + many)
        v[n][which] = np.arange(nv, nv + len(which))
        names += [labels[k] for k in which]
        nq, nv = nq + many, nv + len(which)
    places_q: dict[str, Array] = {}
    places_v: dict[str, Array] = {}
    for n, segment in enumerate(segments):
        labels = velocity_names(segment)
        places_v |= {name: v[n][k : k + 1] for k, name in enumerate(labels)}
        if segment.joint.plain:
            places_q |= {name: q[n][k : k + 1] for k, name in enumerate(labels)}
        key = f"{segment.name}/joint" if segment.name in plain and not segment.joint.plain else segment.name
        places_q.setdefault(key, q[n])
        places_v.setdefault(key, v[n])
    return CoordinateLayout(nq, nv, tuple(q), tuple(v), tuple(names), places_q, places_v)


def as_names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names as a tuple."""
    if names is not None and (isinstance(names, str) or not hasattr(names, "__iter__")):
        raise InputError("the order of coordinates must be a sequence", got=repr(names), allowed="a sequence of names")
    return None if names is None else tuple(names)
