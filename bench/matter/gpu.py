"""The matter bench on a GPU: a lattice of ten million links and a heap of a million grains.

All arrays stay on the card while steps are taken; the network is built and brought there before the clock starts.
Peers: motiform on all cores, and those of the register that work on the card.
"""

import numpy as np

from bench.matter.heap import HEAP_NOTE, Heap, PlainHeap, heap_tolerance, settled_heap, tiled_heap
from bench.matter.lattice import Lattice, lattice_tolerance
from bench.matter.ours import Ours, memory_limit, ours_heap, ours_lattice
from bench.matter.peers.arrays import reference_lattice
from bench.matter.rates import UNIT, Ways, best_of_kind, checked_rates, ways_of
from bench.report import Result
from motiform.base.progress import Progress

__all__ = ["SHAPE", "TILES", "heap_row", "lattice_row", "on_gpu"]

SHAPE = (119, 119, 119)
"""Masses of the lattice along x, y, z: 1 685 159 masses, 9 983 862 links."""
TILES = (10, 5)
"""Heaps of 20 000 grains side by side along x and z."""
_CHECKED = 10  # steps that are compared: plain code takes a second for each
_SECONDS = 10.0  # of turns
_CHUNK = 0.5  # [s] lists of neighbours, one in some 50 steps, belong into each


def on_gpu(progress: Progress) -> list[Result]:
    """Time both, and say which part of the card's bandwidth they use."""
    rows = [lattice_row(Lattice(SHAPE))]
    progress(0.5)
    rows.append(heap_row(tiled_heap(settled_heap(), *TILES)))
    progress(1.0)
    return rows


def lattice_row(lattice: Lattice, device: str = "cuda") -> Result:
    """Time a lattice as a regular grid."""
    mine, cpu = ours_lattice(lattice, "grid", device=device), ours_lattice(lattice, "grid")
    tolerance = lattice_tolerance(lattice.x, _CHECKED)
    case, expected = f"lattice/{_short(len(lattice.links[0]))}", reference_lattice(lattice, _CHECKED)
    note = f"{len(lattice.x)} masses, {len(lattice.links[0])} links of six materials"
    return _row(case, expected, tolerance, mine, cpu, ways_of("lattice", lattice, 1, device), note)


def heap_row(heap: Heap, device: str = "cuda") -> Result:
    """Time a heap."""
    plain = PlainHeap(heap)
    plain.advance(_CHECKED)
    mine, cpu = ours_heap(heap, device=device), ours_heap(heap)
    case, tolerance = f"heap/{_short(len(heap.x))}", heap_tolerance(heap, _CHECKED)
    note = f"{len(heap.x)} grains, {plain.contacts} contacts; {HEAP_NOTE}"
    return _row(case, plain.positions(), tolerance, mine, cpu, ways_of("heap", heap, 1, device), note)


def _short(count: int) -> str:
    """Return a count in words of a case: 10M, 20k."""
    for size, word in ((10**6, "M"), (10**3, "k")):
        if count >= 0.95 * size:
            return f"{round(count / size)}{word}"
    return str(count)


def _row(case: str, expected: np.ndarray, tolerance: float, mine: Ours, cpu: Ours, peers: Ways, note: str) -> Result:
    import numba

    cores = f"motiform-cpu-{numba.get_num_threads()}"
    contenders = {"ours": mine, cores: cpu}
    found = checked_rates(case, expected, tolerance, contenders, peers, steps=_CHECKED, seconds=_SECONDS, chunk=_CHUNK)
    own = found.pop("ours")
    limit, reason = memory_limit(mine, own)
    return Result(
        case, mine.engine.device.name, 1, UNIT, "higher", own, best_of_kind(found), limit, f"{note}; {reason}"
    )
