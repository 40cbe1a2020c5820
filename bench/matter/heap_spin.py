"""The heap of grains that rotate: friction at their surfaces with its history, after [Cundall79].

Across the line of centres the force is k_t h + z_t v_t up to μ |F_n|, h the slip since the contact began; torques act
at the contact. LAMMPS takes radii for the arms of velocities and torques, motiform the distances to the contact, which
keeps angular momentum; each is checked against plain code with its own arms.
"""

from dataclasses import replace

import numpy as np

from bench.matter.heap import Heap, PlainHeap, settled_heap

__all__ = ["SPIN_NOTE", "PlainSpinHeap", "resting_heap"]

SPIN_NOTE = "grains rotate, friction at their surfaces with its history; floor and walls smooth"


def resting_heap() -> Heap:
    """Return the settled heap with all its grains at rest: contacts begin without history."""
    heap = settled_heap()
    return replace(heap, before=heap.x)


class PlainSpinHeap(PlainHeap):
    """The heap of grains that rotate, pair by pair on one core; `radii`: whether arms are radii, as in LAMMPS."""

    def __init__(self, heap: Heap, *, radii: bool = False) -> None:
        super().__init__(replace(heap, skin=0.3 * heap.size))
        self.radii, self.spin = radii, np.zeros_like(heap.x)
        self.held = np.zeros((len(self.candidates()), 3))

    def forces(self) -> np.ndarray:
        """Return the forces of contacts, floor and walls [N], (grains, 3), and turn the grains."""
        from bench.matter.heap_kernels import add_spin_contacts

        h, v = self.heap, (self.x - self.before) / self.heap.step
        f, torque = self._walls(v), np.zeros_like(v)
        law = h.size, h.stiffness, h.viscosity, h.hold, h.slide, h.friction, h.step, self.radii
        self.contacts = add_spin_contacts(self.candidates(), self.x, v, self.spin, self.held, *law, f, torque)
        self.spin = self.spin + h.step / h.inertia * torque
        return f
