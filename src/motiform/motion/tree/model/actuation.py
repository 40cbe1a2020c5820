"""All that acts on a figure as the arrays that compiled steps read.

Each actuator is a row that says where its compiled function stands and which of the numbers are its own: a loop over
the rows is compiled once, whatever acts.
"""

from typing import Any

import numpy as np

from motiform.base.layouts import Floats, Ints, Ints2, NamedTuple
from motiform.motion.tree.model import actuation_columns
from motiform.motion.tree.model.joint import Array

__all__ = ["ACTUATOR", "Actuation", "PackedActuator", "join_actuators"]

_1, _I = "float64[::1]", "int64[::1]"
ACTUATOR = ("int64", "int64", "int64", "float64", _I, _1, _1, _1, _1, _1, _1, _1, _1)
"""Types of the function of an actuator: its status; then what is asked of it (see `actuation_columns`), the number of
an event, t, its integers, its numbers and its workspace, q, v, its states, its memory, forces, and what it writes."""


class PackedActuator(NamedTuple):
    """An actuator as compiled steps take it."""

    function: Any
    """A `typed_entry` of the types `ACTUATOR`."""
    ints: Array
    floats: Array
    work: Array
    limited: bool = False
    """Whether it gives its stiffness and damping at each state: they do not count where it is at a limit."""

    calls: tuple[tuple[int, Any], ...] = ()
    """Entries that its function calls, and at which of its integers it finds their address."""

    def after(
        self, ints: Array, floats: Array, work: Array, calls: tuple[tuple[int, Any], ...] = ()
    ) -> "PackedActuator":
        """Return this with more numbers before its own, and more that it calls."""
        calls = (*calls, *((place + len(ints), function) for place, function in self.calls))
        own = (ints, self.ints), (floats, self.floats), (work, self.work)
        first, second, third = (np.concatenate(pair) for pair in own)
        return self._replace(ints=first.astype(np.int64), floats=second, work=third, calls=calls)


class Actuation(NamedTuple):
    """All that acts on a figure."""

    rows: Ints2
    """Of each actuator, see `actuation_columns`."""
    ints: Ints
    floats: Floats
    work: Floats
    jumps: Floats
    """Instants at which forces jump [s], increasing."""
    stiffness: Floats
    damping: Floats
    """Of all that is never at a limit, (nv,)."""


def join_actuators(
    packed: list[PackedActuator], places: list[tuple[int, ...]], jumps: list[float], gains: tuple[Array, Array]
) -> Actuation:
    """Return actuators as one; `places` are where states, memory and events of each begin and end."""
    from motiform.base.addresses import address_of

    ends = np.cumsum([[0, 0, 0]] + [[len(a) for a in (one.ints, one.floats, one.work)] for one in packed], axis=0)
    rows = [
        (address_of(one.function), *(int(ends[k + j, i]) for i in range(3) for j in range(2)), *own, int(one.limited))
        for k, (one, own) in enumerate(zip(packed, places, strict=True))
    ]
    ints = _joined([one.ints for one in packed], np.int64)
    for (first, _, _), one in zip(ends, packed, strict=False):
        for place, function in one.calls:
            ints[first + place] = address_of(function)
    return Actuation(
        np.array(rows, np.int64).reshape(-1, actuation_columns.ROW),
        ints,
        _joined([one.floats for one in packed], np.float64),
        _joined([one.work for one in packed], np.float64),
        np.unique(np.array(jumps, float)),
        *(np.ascontiguousarray(gain, float) for gain in gains),
    )


def _joined(parts: list[Array], kind: type) -> Array:
    return np.concatenate([np.zeros(0, kind), *parts])
