"""What a step of matter moves through the memory of a GPU, and the rows of its benchmark."""

import numba
import pytest
from scipy.spatial import cKDTree

from bench.matter import gpu as matter_gpu
from bench.matter import ours as matter_ours
from bench.matter.lattice import Lattice
from bench.matter.limits import step_traffic
from bench.matter.ours import memory_limit, ours_heap, ours_lattice
from crowds import pressed


def test_a_grid_on_a_gpu_moves_positions_and_forces():
    traffic = step_traffic(ours_lattice(Lattice((5, 6, 7)), "grid", device="cuda").engine)
    assert traffic.moved == traffic.held == 210 * (4 * 24 + 8) + 6 * 210 + 42 + 7 + 1 + 35 + 6 + 41


def test_a_heap_moves_its_list_and_its_pairs():
    heap = pressed()
    mine = ours_heap(heap, device="cuda")
    mine.advance(1)
    pairs = len(cKDTree(heap.x).query_pairs(1.3 * heap.size))  # with the first skin
    assert pairs > 3 * len(heap.x)
    points, grains = len(heap.x) + 2, len(heap.x)
    # x: neighbours, masses; before: neighbours, masses there and back; forces: cleared, added to, moved by and kept
    of_points = (2 + 3 + 5) * 24 + 8
    # order twice, where listed, places and moves there and back, radius, number of neighbours, first pair
    of_grains = 2 * 8 + 24 + 2 * 48 + 3 * 8
    # neighbours instead of pairs: no first pair, no forces
    assert step_traffic(mine.engine).moved == points * of_points + grains * (of_grains - 8) + pairs * 2 * 4


def test_limit_is_the_part_of_a_copy(monkeypatch):
    mine = ours_lattice(Lattice((5, 6, 7)), "grid", device="cuda")
    monkeypatch.setattr(matter_ours, "copy_bandwidth", lambda device, held: 4e9)
    limit, note = memory_limit(mine, 1e4)
    assert limit == {"memory": pytest.approx(1e4 * step_traffic(mine.engine).moved / 4e9)}
    assert "4 GB/s" in note


def test_rows_of_a_gpu(monkeypatch):
    device = "cuda"
    monkeypatch.setattr(matter_gpu, "_SECONDS", 0.0)
    monkeypatch.setattr(matter_gpu, "_CHUNK", 0.01)
    monkeypatch.setattr(matter_gpu, "ways_of", lambda *problem: {})
    for row in (matter_gpu.lattice_row(Lattice((9, 9, 9)), device), matter_gpu.heap_row(pressed(), device)):
        assert row.case in ("lattice/4k", "heap/150")
        assert (row.device, row.unit) == (device, "steps/s")
        assert set(row.peers) == {f"motiform-cpu-{numba.get_num_threads()}"}
        assert set(row.limit) == {"memory"}
        assert "MB a step" in row.note
