"""The algorithms on one state, ready to be called with the least work in Python."""

from importlib import import_module
from typing import Any

import numpy as np

from motiform.motion.tree.model import columns as c
from motiform.motion.tree.model.pack import Packed

__all__ = ["Single"]

_ENTRIES = {
    "axes": "single.one_axes",
    "recursive": "single.one_recursive",
    "composite": "single.one_composite",
    "articulated": "single.one_articulated",
    "rate": "state.one_rate",
    "repair": "state.one_repair",
    "contact_force": "state.one_contact_force",
}


class Single:
    """A figure's arrays, a workspace, and the compiled functions of one state, each compiled when first asked for.

    The functions keep Python's lock while they run, so that two threads do not meet in the workspace.
    """

    def __init__(self, packed: Packed) -> None:
        self.ints, self.floats = packed.ints, packed.floats
        self.work = np.zeros(packed.rows)
        self.zeros = np.zeros(int(packed.ints[c.NV]))

    def __getattr__(self, name: str) -> Any:
        if name not in _ENTRIES:
            raise AttributeError(name)
        module, entry = _ENTRIES[name].split(".")
        function = getattr(import_module(f"motiform.motion.tree.kernels.{module}"), entry).function
        setattr(self, name, function)
        return function
