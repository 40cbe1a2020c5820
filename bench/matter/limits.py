"""How many bytes a step of a network has to move, and how fast a device copies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.turns import best_times

if TYPE_CHECKING:
    from motiform.base.kernels import Device
    from motiform.motion.matter import Engine

__all__ = ["LIMIT_NOTE", "Traffic", "copy_bandwidth", "step_traffic"]

LIMIT_NOTE = "memory limit: {} MB a step, each array once for each kernel that reads or writes it, at a copy's {} GB/s"

_NUMBER, _VECTOR = 8, 24  # [B] of float64, alone and three of them
_WIDTH = 1 << 14  # numbers of an element on the CPU
_ON_GPU = 1 << 30  # [B] far more than its caches hold
_QUEUED = 8  # copies on a GPU that are waited for at once: asking for one takes a fifth of its time


@dataclass(frozen=True)
class Traffic:
    """What a step moves."""

    moved: int
    """[B] Each array that a kernel leaves to another, once for each kernel that reads it and for each that writes it.

    Not counted: what a kernel writes and reads itself, what caches miss, and the making of lists of neighbours.
    """
    held: int
    """[B] The same arrays, each once."""

    def note(self, bandwidth: float) -> str:
        """Return what the limit is made of, the bandwidth in B/s."""
        return LIMIT_NOTE.format(f"{self.moved / 1e6:.4g}", f"{bandwidth / 1e9:.4g}")


def step_traffic(engine: "Engine") -> Traffic:
    """Return what a step of an engine moves: grids, links by zone laws, floors, and grains that do not stick."""
    uses = [*_mass_uses(engine), *_link_uses(engine)]
    for one in engine._ranges:
        uses += _range_uses(one)
    return Traffic(int(sum(size * times for size, times in uses)), int(sum(size for size, _ in uses)))


def _mass_uses(engine: "Engine") -> Iterator[tuple[int, int]]:
    """Yield the sizes of arrays [B] and how often they pass, for what masses do."""
    n = engine.network.count
    if engine._alone:  # x, before, after, forces, mobility, each once
        yield 4 * _VECTOR * n + _NUMBER * n, 1
        return
    links = bool(engine._stencils.bundles) + len(engine._tables)
    yield _VECTOR * n, 1 + links + len(engine._ranges)  # x: links, neighbours and masses read it
    yield _VECTOR * n, 2 + len(engine._ranges)  # the positions before, which the next ones replace
    # forces: masses write them; where there are neighbours, they are cleared, added to and read first
    yield _VECTOR * n, 1 + (2 + 2 * len(engine._ranges) if engine._ranges else 0)
    yield _NUMBER * n, 1  # mobility
    if not engine._masses.plain:
        yield engine._masses.drag.nbytes + engine._masses.free.nbytes, 1


def _link_uses(engine: "Engine") -> Iterator[tuple[int, int]]:
    if engine._stencils.bundles:
        yield engine._there.nbytes, 1
        if engine._alone:
            return
        yield engine._length.nbytes, 2
    for table in engine._tables:
        yield table.ends.nbytes + table.others.nbytes + table.material.nbytes, 1
        yield table.length.nbytes, 2
    if engine._tables:
        masses = engine._masses
        starts, arms, radial = masses.starts, masses.arms, masses.radial
        yield starts.nbytes + arms.nbytes + radial.nbytes, 1
    if engine._tables or engine._stencils.bundles:
        yield engine._pull.nbytes, 2


def _range_uses(one: Any) -> Iterator[tuple[int, int]]:
    yield one.order.nbytes, 2  # lined up, gathered
    yield one.listed.nbytes, 1
    yield one.places.nbytes + one.strides.nbytes, 2  # written, read by pairs
    yield one.radius.nbytes + one.found.nbytes, 1
    if one.alone:
        yield int(one.device.host(one.found).sum()) * one.neighbours.dtype.itemsize, 1
        return
    yield one.firsts.nbytes, 1
    yield one.pair_count * 3 * one.ends.dtype.itemsize, 1  # their ends, and their numbers for the second ends
    yield one.pair_count * _VECTOR, 2  # their forces


def copy_bandwidth(device: "Device", held: int) -> float:
    """Measure the bytes per second that a device reads and writes when it copies.

    On the CPU half of as many bytes as a step holds is copied to the other half: what fits into caches may use them.
    """
    from bench.matter.limit_kernels import copy_run

    count = max(held if device.name == "cpu" else 2 * _ON_GPU, 1 << 16) // (2 * _NUMBER)
    values, copied = device.array(np.zeros(count)), device.array(np.zeros(count))

    def on_cpu() -> None:
        device.launch(copy_run, -(-count // _WIDTH), _WIDTH, values, copied, least=4)

    def on_gpu() -> None:
        for _ in range(_QUEUED):
            copied.copy_to_device(values)
        device.synchronize()

    copies, call = (1, on_cpu) if device.name == "cpu" else (_QUEUED, on_gpu)
    return 2 * _NUMBER * count * copies / best_times({"copy": call}, rounds=7, chunk=0.1)["copy"]
