"""Matter: a lattice of 590 225 visco-elastic links and a heap of 20 000 grains, in steps per second.

Cases are lattice (as a regular grid), lattice/graph (the same links as any graph), heap, heap/spin (its grains rotate),
and small networks: string/44k, string/10 and string/slow. All contenders step the
same law in float64 from the same positions, and are checked against plain code before they are timed. A peer is made of
(problem, threads, device) and gives its `Ways`, of which the fastest counts; each is a process. On a GPU both are
larger: see gpu.py.
"""

from collections.abc import Iterator

from bench.matter.gpu import on_gpu
from bench.matter.heap import HEAP_NOTE, Heap, PlainHeap, heap_tolerance, settled_heap
from bench.matter.heap_spin import SPIN_NOTE, PlainSpinHeap, resting_heap
from bench.matter.lattice import Lattice, lattice_tolerance
from bench.matter.ours import memory_limit, ours_heap, ours_lattice
from bench.matter.peers.arrays import reference_lattice
from bench.matter.rates import CHECKED, UNIT, best_of_kind, checked_rates, ways_of
from bench.matter.strings import string_rows
from bench.register import peer_notes
from bench.report import Report, Result
from motiform.base.progress import Progress

__all__ = ["measure"]


def measure(*, device: str, progress: Progress) -> Report:
    """Measure the lattice with all cores, and the heap with one core and with all; on a GPU larger ones."""
    import numba

    from motiform.base.kernels import get_device

    if get_device(device).name == "cuda":
        return Report("matter", tuple(on_gpu(progress)))

    most = int(numba.get_num_threads())
    rows = list(_lattice_rows(Lattice(), most))
    progress(0.4)
    heap = settled_heap()
    for threads in sorted({1, most}):
        rows.append(_heap_row(heap, threads))
        rows.append(_spin_row(threads))
    progress(0.9)
    rows += string_rows()
    progress(1.0)
    return Report("matter", tuple(rows))


def _lattice_rows(lattice: Lattice, threads: int) -> Iterator[Result]:
    """Yield the grid and the graph: one run of turns, so that a peer that serves both is timed once."""
    mine = {"ours": ours_lattice(lattice, "grid"), "ours graph": ours_lattice(lattice, "graph")}
    tolerance = lattice_tolerance(lattice.x, CHECKED)
    ways = {case: ways_of(case, lattice, threads) for case in ("lattice", "lattice/graph")}
    every = {way: how for own in ways.values() for way, how in own.items()}
    found = checked_rates("lattice", reference_lattice(lattice, CHECKED), tolerance, mine, every)
    own = {name: found.pop(name) for name in mine}
    notes = f"{len(lattice.x)} masses, {len(lattice.links[0])} links of six materials"
    for case, name in (("lattice", "ours"), ("lattice/graph", "ours graph")):
        best = best_of_kind({way: rate for way, rate in found.items() if way in ways[case]})
        limit, reason = memory_limit(mine[name], own[name])
        note = "; ".join([notes, *peer_notes("matter", case, best), reason])
        yield Result(case, "cpu", threads, UNIT, "higher", own[name], best, limit, note)


def _heap_row(heap: Heap, threads: int) -> Result:
    from motiform.base.kernels import threads as on_threads

    plain = PlainHeap(heap)
    plain.advance(CHECKED)
    with on_threads(threads):
        mine, peers = {"ours": ours_heap(heap)}, ways_of("heap", heap, threads)
        found = checked_rates("heap", plain.positions(), heap_tolerance(heap, CHECKED), mine, peers)
        own = found.pop("ours")
        limit, reason = memory_limit(mine["ours"], own)
    notes = [f"{len(heap.x)} grains, {plain.contacts} contacts", HEAP_NOTE, *peer_notes("matter", "heap", found)]
    return Result("heap", "cpu", threads, UNIT, "higher", own, found, limit, "; ".join([*notes, reason]))


def _spin_row(threads: int) -> Result:
    """Time the heap whose grains rotate; each contender is checked against plain code with its own arms."""
    from motiform.base.kernels import threads as on_threads

    heap = resting_heap()
    plain, theirs = PlainSpinHeap(heap), PlainSpinHeap(heap, radii=True)
    for one in (plain, theirs):
        one.advance(CHECKED)
    with on_threads(threads):
        mine, peers = {"ours": ours_heap(heap, spin=True)}, ways_of("heap/spin", heap, threads)
        tolerance = heap_tolerance(heap, CHECKED)
        found = checked_rates("heap/spin", plain.x, tolerance, mine, peers, of_peers=theirs.x)
    notes = [f"{len(heap.x)} grains, {plain.contacts} contacts", SPIN_NOTE, *peer_notes("matter", "heap/spin", found)]
    return Result("heap/spin", "cpu", threads, UNIT, "higher", found.pop("ours"), found, {}, "; ".join(notes))
