"""The lattice and the heap of the matter bench by motiform, and the part of the memory's bandwidth that it uses."""

from typing import Any, Literal

import numpy as np

from bench.matter.heap import Heap
from bench.matter.lattice import GRAVITY, OFFSETS, RATE, Lattice
from bench.matter.limits import copy_bandwidth, step_traffic
from motiform.motion.matter import Network

__all__ = ["Ours", "memory_limit", "ours_heap", "ours_lattice"]


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
    from motiform.motion.matter.model.topology import GridLinks

    b = NetworkBuilder(gravity=GRAVITY, frequency=RATE)
    b.masses("lattice", lattice.x, lattice.mass, held=lattice.free == 0)
    if way == "graph":
        i, j, material = lattice.links
        pairs: Any = np.stack((i, j), -1)
    else:
        pairs = GridLinks(np.arange(len(lattice.x)).reshape(lattice.shape), OFFSETS)
        material = np.repeat(np.arange(6), [len(pairs.pairs_along(offset)) for offset in OFFSETS])
    law = links.spring(lattice.stiffness[material], rest=lattice.rest[material], damping=lattice.viscosity[material])
    b.link("links", pairs, law)
    return Ours(b.build(), len(lattice.x), device)


def ours_heap(heap: Heap, *, device: str = "cpu", spin: bool = False) -> Ours:
    """Return motiform on the heap, whose grains may rotate."""
    from motiform.motion.matter import Friction, NetworkBuilder, links

    b = NetworkBuilder(gravity=(0, -heap.gravity, 0), frequency=1 / heap.step)
    rotation: Any = {"radius": heap.size / 2, "inertia": "ball"} if spin else {}
    grains = b.masses("grains", heap.x, heap.mass, velocity=(heap.x - heap.before) / heap.step, **rotation)
    rub = Friction(heap.friction, stiffness=heap.hold if spin else 0.0, damping=heap.slide)
    range_ = 0.0 if spin else heap.size
    law = links.visco_elastic_buffer(heap.stiffness, range_, damping=heap.viscosity)
    b.reach("touch", grains, law=law, friction=rub)
    wall = links.visco_elastic_buffer(heap.stiffness, heap.size / 2, damping=heap.viscosity)
    low, high = b.fixed("low", [0, 0, 0]), b.fixed("high", [heap.box[0], 0, heap.box[1]])
    b.link("west", (low, grains), wall, axis="x")
    b.link("floor", (low, grains), wall, axis="y")
    b.link("north", (low, grains), wall, axis="z")
    b.link("east", (grains, high), wall, axis="x")
    b.link("south", (grains, high), wall, axis="z")
    return Ours(b.build(), len(heap.x), device)


def memory_limit(mine: Ours, rate: float) -> tuple[dict[str, float], str]:
    """Return which part of a copy's bandwidth so many steps per second use, and how that was counted."""
    traffic = step_traffic(mine.engine)
    bandwidth = copy_bandwidth(mine.engine.device, traffic.held)
    return {"memory": rate * traffic.moved / bandwidth}, traffic.note(bandwidth)
