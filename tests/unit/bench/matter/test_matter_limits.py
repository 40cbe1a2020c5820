"""Bytes that a step of the matter bench moves, counted by hand, and the rows that they are told in."""

import numba
import numpy as np
import pytest
from scipy.spatial import cKDTree

from bench import register
from bench.matter import cases as matter
from bench.matter import gpu as matter_gpu
from bench.matter import ours as matter_ours
from bench.matter.lattice import Lattice
from bench.matter.limits import copy_bandwidth, step_traffic
from bench.matter.ours import memory_limit, ours_heap, ours_lattice
from bench.matter.rates import ways_of
from crowds import pressed
from motiform.base.errors import InputError, RunError
from motiform.base.kernels import cuda_device_name, get_device


def test_a_grid_moves_what_its_kernels_read_and_write():
    traffic = step_traffic(ours_lattice(Lattice((5, 6, 7)), "grid").engine)
    masses, places = 210, 6 * 210 + 42 + 7 + 1 + 35 + 6 + 41  # a direction begins with as many zeros as its offset
    # x is read twice, the positions before are read and replaced, forces written, mobility read
    of_masses = (2 + 2 + 1) * 24 + 8
    # whether it is there is read; distances are read and written; pulls are written, then read
    of_links = 1 + 2 * 8 + 2 * 8
    assert traffic.moved == masses * of_masses + places * of_links
    assert traffic.held == masses * (3 * 24 + 8) + places * (1 + 8 + 8)


def test_a_graph_moves_its_tables_too():
    lattice = Lattice((5, 6, 7))
    masses, links = len(lattice.x), len(lattice.links[0])
    traffic = step_traffic(ours_lattice(lattice, "graph").engine)
    # two ends, material, distance there and back, pull there and back; other end and link of two arms
    of_links = 4 + 4 + 4 + 2 * 8 + 2 * 8 + 2 * (4 + 4)
    assert traffic.moved == pytest.approx(masses * (5 * 24 + 8 + 2 * 4) + links * of_links, abs=16)


def test_a_copy_is_whole():
    from bench.matter.limit_kernels import copy_run

    values, copied = np.arange(1000.0), np.full(1000, -1.0)
    get_device("cpu").launch(copy_run, 8, 128, values, copied)
    assert np.array_equal(copied, values)
    assert copy_bandwidth(get_device("cpu"), 1 << 20) > 0


def test_cases_of_a_gpu_are_as_large_as_they_say():
    x, y, z = matter_gpu.SHAPE
    links = (x - 1) * y * z * 3 + (x - 1) * (y - 1) * z * 3
    assert (x * y * z, links) == (1_685_159, 9_983_862)
    assert matter_gpu._short(links) == "10M"
    assert matter_gpu._short(20_000 * matter_gpu.TILES[0] * matter_gpu.TILES[1]) == "1M"


def test_peers_of_a_gpu_are_asked_to_work_there(monkeypatch):
    monkeypatch.setattr(register, "usable", lambda library: True)
    for made in (ways_of("lattice", Lattice((5, 6, 7)), 1, "cuda"), ways_of("heap", pressed(), 1, "cuda")):
        assert "warp" in made
        assert all(arguments[-1] == "cuda" for arguments in made.values())
        assert not set(made) & {"numpy", "scipy", "lammps"}


def test_devices_that_are_not_there_are_reported():
    with pytest.raises(InputError, match="unknown device"):
        matter.measure(device="tpu", progress=lambda part: None)
    if cuda_device_name() is None:
        with pytest.raises(RunError, match="no CUDA device"):
            matter.measure(device="cuda", progress=lambda part: None)


def test_a_heap_moves_its_list_and_its_pairs():
    heap = pressed()
    mine = ours_heap(heap)
    mine.advance(1)
    pairs = len(cKDTree(heap.x).query_pairs(1.3 * heap.size))  # with the first skin
    assert pairs > 3 * len(heap.x)
    points, grains = len(heap.x) + 2, len(heap.x)
    # x: neighbours, masses; before: neighbours, masses there and back; forces: cleared, added to, moved by and kept
    of_points = (2 + 3 + 5) * 24 + 8
    # order twice, where listed, places and moves there and back, radius, number of neighbours, first pair
    of_grains = 2 * 8 + 24 + 2 * 48 + 3 * 8
    of_pairs = 3 * 4 + 2 * 24
    assert step_traffic(mine.engine).moved == points * of_points + grains * of_grains + 8 + pairs * of_pairs


def test_limit_is_the_part_of_a_copy(monkeypatch):
    mine = ours_lattice(Lattice((5, 6, 7)), "grid")
    monkeypatch.setattr(matter_ours, "copy_bandwidth", lambda device, held: 4e9)
    limit, note = memory_limit(mine, 1e4)
    assert limit == {"memory": pytest.approx(1e4 * step_traffic(mine.engine).moved / 4e9)}
    assert "4 GB/s" in note


def test_rows_of_a_gpu(monkeypatch):
    device = "cpu"
    monkeypatch.setattr(matter_gpu, "_SECONDS", 0.0)
    monkeypatch.setattr(matter_gpu, "_CHUNK", 0.01)
    monkeypatch.setattr(matter_gpu, "ways_of", lambda *problem: {})
    for row in (matter_gpu.lattice_row(Lattice((9, 9, 9)), device), matter_gpu.heap_row(pressed(), device)):
        assert row.case in ("lattice/4k", "heap/150")
        assert (row.device, row.unit) == (device, "steps/s")
        assert set(row.peers) == {f"motiform-cpu-{numba.get_num_threads()}"}
        assert set(row.limit) == {"memory"}
        assert "MB a step" in row.note
