"""Joint ranges given to a finished list of segments."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from math import radians
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.tree.model.joint import as_limits
from motiform.motion.tree.model.segment import Segment

__all__ = ["limit_joints", "named_limits"]

Limits = dict[str, tuple[float, float]]


def named_limits(
    value: Any, coordinates: Iterable[str], ranges: Mapping[str, tuple[float, float]], where: str, *,
    word: str | None = "anatomical",
) -> Limits:  # fmt: skip
    """Return limits by coordinate, those of `ranges` [°] for one word; q5 is the fifth coordinate."""
    names = tuple(coordinates)
    if value is None:
        return {}
    if isinstance(value, str) and value == word:
        return {name: (radians(low), radians(high)) for name, (low, high) in ranges.items()}
    if not isinstance(value, Mapping):
        allowed = (f"'{word}', " if word else "") + "None, or a mapping of coordinates to (lowest, highest)"
        raise InputError("limits must be a mapping", where=where, got=repr(value), allowed=allowed)
    return {_coordinate(key, names, where): _pair(key, x, where) for key, x in value.items() if x is not None}


def _coordinate(key: Any, names: tuple[str, ...], where: str) -> str:
    numbers = {f"q{n + 1}": name for n, name in enumerate(names)}
    if key not in names and key not in numbers:
        raise InputError(
            "no such coordinate", where=f"{where}, limits", got=key,
            allowed=f"q1 to q{len(names)}, or " + ", ".join(names), remedy=closest(str(key), names),
        )  # fmt: skip
    return numbers.get(key, key)


def _pair(key: Any, bounds: Any, where: str) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in bounds)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low <= high:  # NaN included
        raise InputError(
            f"limits of {key!r} must be in order", where=where, got=repr(bounds),
            allowed="(lowest, highest) [rad or m]", remedy="Put the lower bound first.",
        )  # fmt: skip
    return low, high


def limit_joints(segments: Iterable[Segment], limits: Limits) -> list[Segment]:
    """Return the segments with limits on the coordinates named."""
    found = []
    for segment in segments:
        joint: Any = segment.joint
        if any(name in limits for name in joint.names):
            bounds = [limits.get(name, (-np.inf, np.inf)) for name in joint.names]
            joint = copy(joint)
            joint.limits = as_limits(bounds, joint.nv, f"joint of {segment.name}")
            segment = replace(segment, joint=joint)
        found.append(segment)
    return found
