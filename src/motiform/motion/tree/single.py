"""The algorithms on one state, ready to be called with the least work in Python."""

from importlib import import_module
from typing import Any

import numpy as np

from motiform.motion.tree import columns as c
from motiform.motion.tree.pack import Packed

__all__ = ["Single"]

_ENTRIES = {
    "axes": "single_kernels.one_axes",
    "recursive": "single_kernels.one_recursive",
    "composite": "single_kernels.one_composite",
    "articulated": "single_kernels.one_articulated",
    "rate": "state_kernels.one_rate",
    "repair": "state_kernels.one_repair",
    "contact_force": "state_kernels.one_contact_force",
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
        function = getattr(import_module(f"motiform.motion.tree.{module}"), entry).function
        setattr(self, name, function)
        return function
