"""The heap of the matter bench: grains that touch, settled in a box, and what each contact does.

Law of a contact, v the velocity of one grain as the other sees it: along the line of centres k (S − d) − z v_n, and
across it −min(μ |F_n|, z_t |v_t|) v_t/|v_t|; grains do not spin. The floor and the four walls press with the same k and
z and are smooth. Velocities are (x − x_before)/Te, so that the scheme is that of `motiform.matter`, and of LAMMPS'
``gran/hooke`` with ``fix nve``, which asks forces with the velocities of the half step.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

__all__ = ["COUNT", "HEAP_NOTE", "Heap", "PlainHeap", "heap_tolerance", "settled_heap", "tiled_heap"]

COUNT = 20_000
HEAP_NOTE = "contacts with friction, no spin; floor and walls smooth"
_RATE = 1050.0  # [Hz]
_SIZE = 0.05  # [m]
_FALLING_SKIN = 0.3 * _SIZE  # [m] for grains that move
_LOOSE = 1.05  # sizes between grains before they fall
_FALL, _REST = 1200, 300  # steps: grains fall and slide without friction, then come to rest with it


@dataclass(frozen=True)
class Heap:
    """Grains in a box, their material, and where they are and were."""

    x: np.ndarray
    """Positions [m], (grains, 3), y up."""
    before: np.ndarray
    """Positions a step before [m], (grains, 3)."""
    box: tuple[float, float]
    """Where its walls are along x and z [m], the others at 0; the floor is y = 0, and it is open."""
    friction: float = 0.5
    """μ"""
    size: float = _SIZE
    """S [m], the diameter."""
    mass: float = 1.0
    """[kg]"""
    gravity: float = 9.81
    """[m/s²]"""
    skin: float = 0.05 * _SIZE
    """How much farther than S peers look for candidates [m]: what is fastest for grains at rest."""

    @property
    def step(self) -> float:
        """Te [s]."""
        return 1 / _RATE

    @property
    def stiffness(self) -> float:
        """k [N/m]."""
        return 0.1 * self.mass * _RATE**2

    @property
    def viscosity(self) -> float:
        """z [N s/m], along the line of centres."""
        return 0.04 * self.mass * _RATE

    @property
    def slide(self) -> float:
        """z_t [N s/m], across it."""
        return 0.04 * self.mass * _RATE

    @property
    def hold(self) -> float:
        """k_t [N/m], across it, of grains that rotate."""
        return 2 / 7 * self.stiffness

    @property
    def inertia(self) -> float:
        """[kg m²], of grains that rotate."""
        return 0.4 * self.mass * (self.size / 2) ** 2


class PlainHeap:
    """The heap pair by pair on one core: settles it, and is what peers are checked against."""

    def __init__(self, heap: Heap) -> None:
        self.heap, self.x, self.before = heap, heap.x.copy(), heap.before.copy()
        self.contacts = 0
        self._pairs, self._looked = np.empty((0, 2), np.int64), np.full_like(heap.x, np.inf)

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        h = self.heap
        for _ in range(steps):
            f = self.forces()
            f[:, 1] -= h.mass * h.gravity
            self.x, self.before = 2 * self.x - self.before + h.step**2 / h.mass * f, self.x

    def positions(self) -> np.ndarray:
        """Return the positions now [m], (grains, 3)."""
        return self.x

    def candidates(self) -> np.ndarray:
        """Return the pairs of grains that may touch, (pairs, 2)."""
        from scipy.spatial import cKDTree

        h = self.heap
        moved = self.x - self._looked
        if not np.einsum("ij,ij->i", moved, moved).max() < (h.skin / 2) ** 2:
            self._pairs = cKDTree(self.x).query_pairs(h.size + h.skin, output_type="ndarray")
            self._looked = self.x.copy()
        return self._pairs

    def forces(self) -> np.ndarray:
        """Return the forces of contacts, floor and walls [N], (grains, 3)."""
        from bench.matter.heap_kernels import add_contacts

        h, v = self.heap, (self.x - self.before) / self.heap.step
        f = self._walls(v)
        law = h.size, h.stiffness, h.viscosity, h.slide, h.friction
        self.contacts = add_contacts(self.candidates(), self.x, v, *law, f)
        return f

    def _walls(self, v: np.ndarray) -> np.ndarray:
        h = self.heap
        low = h.size / 2 - self.x
        high = self.x - np.array([h.box[0], np.inf, h.box[1]]) + h.size / 2
        pressed = np.where(low > 0, h.stiffness * low - h.viscosity * v, 0.0)
        return pressed - np.where(high > 0, h.stiffness * high + h.viscosity * v, 0.0)


@cache
def settled_heap(count: int = COUNT, wide: int = 38) -> Heap:
    """Return grains that were dropped loosely, so many along a wall, into a box and came to rest.

    Their order is that of small cells, column by column, which spares every contender's caches.
    """
    n, apart = np.arange(count), _LOOSE * _SIZE
    x = (np.stack([n % wide, n // wide**2, n // wide % wide], axis=1) + 0.5) * apart
    x += np.random.default_rng(1).uniform(-0.2, 0.2, (count, 3)) * _SIZE
    box = (wide * apart, wide * apart)
    smooth = PlainHeap(Heap(x, x, box, friction=0.0, skin=_FALLING_SKIN))
    smooth.advance(_FALL)
    run = PlainHeap(Heap(smooth.x, smooth.before, box))
    run.advance(_REST)
    order = _by_cells(run.x)
    return Heap(run.x[order], run.before[order], box)


def _by_cells(x: np.ndarray) -> np.ndarray:
    cell = np.floor(x / (2 * _SIZE)).astype(int)
    return np.lexsort((cell[:, 1], cell[:, 2], cell[:, 0]))


def tiled_heap(heap: Heap, along_x: int, along_z: int) -> Heap:
    """Return copies of a heap side by side in one box, the walls between them gone: at rest but for their seams."""
    shifts = [np.array([heap.box[0] * a, 0.0, heap.box[1] * b]) for a in range(along_x) for b in range(along_z)]
    x, before = (np.concatenate([y + shift for shift in shifts]) for y in (heap.x, heap.before))
    order = _by_cells(x)
    return replace(heap, x=x[order], before=before[order], box=(heap.box[0] * along_x, heap.box[1] * along_z))


def heap_tolerance(heap: Heap, steps: int) -> float:
    """Return how far roundings may drive two ways of computing the positions apart [m].

    As on the lattice a step rounds by a few eps |x| and errors are summed twice; velocities are differences of
    positions, so that a rounding returns as a force, too: (k + 2 z/Te + …) Te²/m < 1 for each of at most 12 contacts.
    """
    return 2 * 12 * steps**2 * float(np.finfo(float).eps * np.abs(heap.x).max())
