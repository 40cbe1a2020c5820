"""Points of a network by name."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.matter.model.network import Network
from motiform.spatial.checks import Words

__all__ = ["find_points"]

_NAMED = re.compile(r"(.+)\[(\d+)\]")


def find_points(network: Network, what: Any) -> np.ndarray:
    """Return indices of points, rising and each once: of a group, "group[3]", what a module shows, or several such."""
    if isinstance(what, str):
        return np.unique(_named_points(network, what))
    if isinstance(what, bool) or not np.size(what):
        raise InputError(
            "points must be names or indices", got=Words(repr(what)), allowed="names of groups, or indices of points"
        )
    if isinstance(what, Sequence) and any(isinstance(one, str) for one in what):
        return np.unique(np.concatenate([find_points(network, one) for one in what]))
    found = np.atleast_1d(np.asarray(getattr(what, "indices", what)))
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError(
            "points must be names or indices",
            got=Words(repr(what)[:80]),
            allowed="names of groups, or indices of points",
        )
    if found.min() < 0 or found.max() >= network.count:
        bad = int(found[(found < 0) | (found >= network.count)][0])
        raise InputError("no such point", got=bad, allowed=f"0 to {network.count - 1}")
    return np.unique(found)


def _named_points(network: Network, name: str) -> np.ndarray:
    split = _NAMED.fullmatch(name)
    known = [*(group.name for group in network.groups), *network.exposed]
    base, number = (split[1], int(split[2])) if split and name not in known else (name, None)
    if base not in known:
        shown = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
        raise InputError("no such points", got=name, allowed=shown, remedy=closest(base, known))
    found = network.points(base)
    if number is not None and number >= len(found):
        raise InputError("no such point", got=name, allowed=f"{base}[0] to {base}[{len(found) - 1}]")
    return found if number is None else found[[number]]
