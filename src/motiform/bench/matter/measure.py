"""Matter: a lattice of 590 225 visco-elastic links and a heap of 20 000 grains, in steps per second.

Cases are lattice (as a regular grid), lattice/graph (the same links as any graph) and heap. All contenders step the
same law in float64 from the same positions, and are checked against plain code before they are timed. Peers: taichi
(the fastest of its layouts that know as much as ours; see `matter_lattice_taichi`), warp, numpy and scipy on the
lattice; lammps, taichi and warp on the heap. Each peer is a process; turns are short, because machines are shared. On a
GPU both are larger: see `matter_gpu`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from motiform.base.errors import RunError
from motiform.base.libraries import usable
from motiform.base.progress import Progress
from motiform.bench.matter.heap import Heap, PlainHeap, heap_tolerance, settled_heap
from motiform.bench.matter.heap_peers import lammps_heap, taichi_heap, warp_heap
from motiform.bench.matter.lattice import GRAVITY, OFFSETS, RATE, Lattice, lattice_tolerance, reference_lattice
from motiform.bench.matter.lattice_peers import numpy_lattice, scipy_lattice, warp_lattice
from motiform.bench.matter.lattice_taichi import GRAPH_LAYOUTS, GRID_LAYOUTS
from motiform.bench.matter.limits import copy_bandwidth, step_traffic
from motiform.bench.matter.process import Advance, Stepper, best_rates, peer_processes, timed
from motiform.bench.report import Report, Result
from motiform.motion.matter import Network

__all__ = [
    "HEAP_NOTE",
    "UNIT",
    "Ours",
    "Peers",
    "best_of_kind",
    "check_positions",
    "checked_rates",
    "heap_peers",
    "lattice_peers",
    "measure",
    "memory_limit",
    "ours_heap",
    "ours_lattice",
]

_CHECKED = 30  # steps that are compared
_SECONDS = 20.0  # of turns
UNIT = "steps/s"
_NOTES = {
    "taichi": "taichi: the fastest of its layouts, on the grid with SIMD lanes",
    "warp": "warp: one thread on the CPU",
    "numpy": "numpy and scipy: one thread",
}
HEAP_NOTE = "contacts with friction, no spin; floor and walls smooth"
_HEAP_NOTES = {
    "lammps": "lammps: gran/hooke with fix nve, more threads by its OpenMP package",
    "taichi": "taichi: a list of neighbours of its own",
    "warp": "warp: its hash grid at each step, one thread",
}

Peers = dict[str, tuple[Any, ...]]


class Ours:
    """A network of ours, to advance."""

    def __init__(self, network: Network, count: int, device: str) -> None:
        from motiform.motion.matter import Engine

        self.engine, self.count = Engine(network, device=device), count

    def advance(self, steps: int) -> None:
        """Take so many steps, and return when they are done."""
        self.engine.advance(steps)
        self.engine.device.synchronize()

    def positions(self) -> np.ndarray:
        """Return the positions now [m], (n, 3)."""
        return self.engine.state().position[: self.count]


def ours_lattice(lattice: Lattice, way: Literal["grid", "graph"], *, device: str = "cpu") -> Ours:
    """Return motiform on the lattice, as a regular grid or as any graph."""
    from motiform.motion.matter import NetworkBuilder, links
    from motiform.motion.matter.model.topology import Grid

    b = NetworkBuilder(gravity=GRAVITY, rate=RATE)
    b.masses("lattice", lattice.x, lattice.mass, held=lattice.free == 0)
    if way == "graph":
        i, j, material = lattice.links
        pairs: Any = np.stack((i, j), -1)
    else:
        pairs = Grid(np.arange(len(lattice.x)).reshape(lattice.shape), OFFSETS)
        material = np.repeat(np.arange(6), [len(pairs.pairs_along(offset)) for offset in OFFSETS])
    tables = (lattice.stiffness[material], lattice.rest[material], lattice.viscosity[material])
    b.link("links", pairs, links.spring(*tables))
    return Ours(b.build(), len(lattice.x), device)


def ours_heap(heap: Heap, *, device: str = "cpu") -> Ours:
    """Return motiform on the heap."""
    from motiform.motion.matter import Friction, NetworkBuilder, links

    b = NetworkBuilder(gravity=(0, -heap.gravity, 0), rate=1 / heap.step)
    grains = b.masses("grains", heap.x, heap.mass, velocity=(heap.x - heap.before) / heap.step)
    rub = Friction(heap.friction, damping=heap.slide)
    b.reach("touch", grains, law=links.visco_elastic_buffer(heap.stiffness, heap.size, heap.viscosity), friction=rub)
    wall = links.visco_elastic_buffer(heap.stiffness, heap.size / 2, heap.viscosity)
    low, high = b.fixed("low", [0, 0, 0]), b.fixed("high", [heap.box[0], 0, heap.box[1]])
    b.link("west", (low, grains), wall, axis="x")
    b.link("floor", (low, grains), wall, axis="y")
    b.link("north", (low, grains), wall, axis="z")
    b.link("east", (grains, high), wall, axis="x")
    b.link("south", (grains, high), wall, axis="z")
    return Ours(b.build(), len(heap.x), device)


def lattice_peers(lattice: Lattice, threads: int, device: str = "cpu") -> Peers:
    """Return how the installed peers are made, taichi once for each layout; on a GPU only for those of a grid."""
    peers: Peers = {"numpy": (numpy_lattice, lattice), "scipy": (scipy_lattice, lattice)} if device == "cpu" else {}
    if usable("taichi"):
        layouts = GRAPH_LAYOUTS | GRID_LAYOUTS if device == "cpu" else GRID_LAYOUTS
        peers |= {f"taichi {name}": (make, lattice, threads, device) for name, make in layouts.items()}
    return peers | ({"warp": (warp_lattice, lattice, device)} if usable("warp") else {})


def heap_peers(heap: Heap, threads: int, device: str = "cpu") -> Peers:
    """Return how the installed peers are made."""
    peers: Peers = {}
    if usable("lammps") and device == "cpu":
        peers["lammps"] = (lammps_heap, heap, threads)
    if usable("taichi"):
        peers["taichi"] = (taichi_heap, heap, threads, device)
    return peers | ({"warp": (warp_heap, heap, device)} if usable("warp") and threads == 1 else {})


def measure(*, device: str, progress: Progress) -> Report:
    """Measure the lattice with all cores, and the heap with one core and with all; on a GPU larger ones."""
    import numba

    from motiform.base.kernels import get_device

    if get_device(device).name == "cuda":
        from motiform.bench.matter.gpu import on_gpu

        return Report("matter", tuple(on_gpu(progress)))

    most = int(numba.get_num_threads())
    rows = list(_lattice_rows(Lattice(), most))
    progress(0.4)
    heap = settled_heap()
    for threads in sorted({1, most}):
        rows.append(_heap_row(heap, threads))
    progress(1.0)
    return Report("matter", tuple(rows))


def check_positions(
    case: str, expected: np.ndarray, tolerance: float, contenders: Mapping[str, Any], *, steps: int = _CHECKED
) -> None:
    """Advance all contenders and refuse to time one that does not come to the expected positions [m]."""
    for name, contender in contenders.items():
        contender.advance(steps)
        far = float(np.abs(contender.positions() - expected).max())
        if not far < tolerance:
            where, got = f"bench matter, {case}, {name}", f"{far:.2g} m away"
            raise RunError("a peer does other work", where=where, got=got, allowed=f"{tolerance:.2g} m")


def _lattice_rows(lattice: Lattice, threads: int) -> Iterator[Result]:
    """Yield the grid and the graph: one run of turns, so that a peer that serves both is timed once."""
    mine = {"ours": ours_lattice(lattice, "grid"), "ours graph": ours_lattice(lattice, "graph")}
    tolerance = lattice_tolerance(lattice.x, _CHECKED)
    peers = lattice_peers(lattice, threads)
    found = checked_rates("lattice", reference_lattice(lattice, _CHECKED), tolerance, mine, peers)
    own = {name: found.pop(name) for name in mine}
    of_grid = {name: found.pop(name) for name in [f"taichi {layout}" for layout in GRID_LAYOUTS] if name in found}
    notes = f"{len(lattice.x)} masses, {len(lattice.links[0])} links of six materials"
    for case, name, rates in (("lattice", "ours", found | of_grid), ("lattice/graph", "ours graph", found)):
        best = best_of_kind(rates)
        limit, told = memory_limit(mine[name], own[name])
        note = "; ".join([notes, *(_NOTES[peer] for peer in best if peer in _NOTES), told])
        yield Result(case, "cpu", threads, UNIT, "higher", own[name], best, limit, note)


def best_of_kind(rates: Mapping[str, float]) -> dict[str, float]:
    """Return the best rate of each library: a name is the library and, after a space, the way it was used."""
    best: dict[str, float] = {}
    for name, rate in rates.items():
        library = name.split()[0]
        best[library] = max(rate, best.get(library, 0.0))
    return best


def _heap_row(heap: Heap, threads: int) -> Result:
    from motiform.base.kernels import threads as on_threads

    plain = PlainHeap(heap)
    plain.advance(_CHECKED)
    with on_threads(threads):
        mine, peers = {"ours": ours_heap(heap)}, heap_peers(heap, threads)
        found = checked_rates("heap", plain.positions(), heap_tolerance(heap, _CHECKED), mine, peers)
        own = found.pop("ours")
        limit, told = memory_limit(mine["ours"], own)
    notes = [f"{len(heap.x)} grains, {plain.contacts} contacts", HEAP_NOTE] + [_HEAP_NOTES[name] for name in found]
    return Result("heap", "cpu", threads, UNIT, "higher", own, found, limit, "; ".join([*notes, told]))


def memory_limit(mine: Ours, rate: float) -> tuple[dict[str, float], str]:
    """Return which part of a copy's bandwidth so many steps per second use, and how that was counted."""
    traffic = step_traffic(mine.engine)
    bandwidth = copy_bandwidth(mine.engine.device, traffic.held)
    return {"memory": rate * traffic.moved / bandwidth}, traffic.note(bandwidth)


def checked_rates(
    case: str, expected: np.ndarray, tolerance: float, mine: Mapping[str, Stepper], peers: Peers, *,
    steps: int = _CHECKED, seconds: float = _SECONDS, chunk: float = 0.1,
) -> dict[str, float]:  # fmt: skip
    """Return the steps per second of all, each checked, timed in turn: the best of chunks of so many seconds."""
    with peer_processes(peers) as theirs:
        check_positions(case, expected, tolerance, {**mine, **theirs}, steps=steps)
        turns: dict[str, Advance] = {name: timed(stepper) for name, stepper in mine.items()}
        turns |= {name: peer.advance for name, peer in theirs.items()}
        return best_rates(turns, seconds=seconds, chunk=chunk)
