"""The algorithms on one state, ready to be called with the least work in Python."""

from functools import cached_property
from typing import Any

import numpy as np

from motiform.motion.tree import columns as c
from motiform.motion.tree.pack import Packed

__all__ = ["Single"]


class Single:
    """A figure's arrays, a workspace, and the compiled functions of one state.

    The functions keep Python's lock while they run, so that two threads do not meet in the workspace.
    """

    def __init__(self, packed: Packed) -> None:
        self.ints, self.floats = packed.ints, packed.floats
        self.work = np.zeros(packed.rows)
        self.zeros = np.zeros(int(packed.ints[c.NV]))

    @cached_property
    def axes(self) -> Any:
        from motiform.motion.tree.single_kernels import one_axes

        return one_axes.function

    @cached_property
    def recursive(self) -> Any:
        from motiform.motion.tree.single_kernels import one_recursive

        return one_recursive.function

    @cached_property
    def composite(self) -> Any:
        from motiform.motion.tree.single_kernels import one_composite

        return one_composite.function

    @cached_property
    def articulated(self) -> Any:
        from motiform.motion.tree.single_kernels import one_articulated

        return one_articulated.function

    @cached_property
    def rate(self) -> Any:
        from motiform.motion.tree.state_kernels import one_rate

        return one_rate.function

    @cached_property
    def repair(self) -> Any:
        from motiform.motion.tree.state_kernels import one_repair

        return one_repair.function

    @cached_property
    def contact_force(self) -> Any:
        from motiform.motion.tree.state_kernels import one_contact_force

        return one_contact_force.function
