"""Automata on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``."""

import numpy as np
import pytest

from motiform.base.kernels import get_device
from motiform.motion.matter import presets
from motiform.motion.matter.laws.automaton_law import begin_meter


def cloud(count=500, seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, count)), 1e-3 * rng.normal(size=(3, count)), rng


def run_links(device, law):
    x, _, rng = cloud()
    count = 2000
    ends, others = rng.integers(0, 250, count), rng.integers(250, 500, count)
    axis = rng.integers(-1, 3, count)
    difference = x[:, others] - x[:, ends]
    start = np.where(axis < 0, np.linalg.norm(difference, axis=0), difference[axis, np.arange(count)])
    table = law.rows(count, start)
    arrays = [ends, others, axis, np.arange(count), table]
    kept = [start, np.zeros(count, np.int32), law.begin(count, start), begin_meter(start), np.zeros(count)]
    arrays, (length, state, memory, meter, pull) = map(device.array, arrays), map(device.array, kept)
    arrays = list(arrays)
    for n in range(40):
        moved = device.array(x * (1.0 + 0.3 * np.sin(0.3 * n)))
        device.launch(law.automaton.links_kernel, count, moved, *arrays, 1050.0, length, state, memory, meter, pull, 0)
    return [device.host(a) for a in (state, pull, memory)]


def run_reach(device, law):
    x, _, _ = cloud(60)
    count = x.shape[1]
    neighbours = np.array([[j for j in range(count) if j != i] for i in range(count)]).T
    arrays = [neighbours, np.full(count, count - 1), np.arange(count), np.full(count, 0.2), law.rows(1)]
    neighbours, found, order, radius, table = map(device.array, arrays)
    memory = device.array(np.zeros((law.automaton.planes, count - 1, count)))
    for n in range(40):
        here, before = (0.3 * x * (1.0 + 0.5 * np.sin(0.3 * (n - k))) for k in (0, 1))
        forces = device.array(np.zeros((3, count)))
        device.launch(
            law.automaton.reach_kernel, count, 1, device.array(here), device.array(here - before),
            neighbours, found, order, radius, table, 1050.0, law.cutoff, memory, forces,
        )  # fmt: skip
    return [device.host(memory)[0], device.host(forces), device.host(memory)]


LAWS = {
    "links": (run_links, presets.plasticity(100.0, 7.0, hardening=20.0, ductility=0.6)),
    "reach": (run_reach, presets.capillary_bridge(200.0, 40.0, 0.0, 0.1, damping=0.04)),
}


@pytest.mark.parametrize("name", LAWS)
def test_cpu_and_cuda_agree(name):
    """The GPU contracts a·b + c to one rounding: states are the same, numbers but for roundings."""
    run, law = LAWS[name]
    expected, found = run(get_device("cpu"), law), run(get_device("cuda"), law)
    np.testing.assert_array_equal(found[0], expected[0])
    assert len(np.unique(expected[0])) >= len(law.automaton.states)
    for got, want in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


def test_both_ends_are_opposite_to_the_bit_on_the_gpu():
    device, law = get_device("cuda"), LAWS["reach"][1]
    index = np.array([[1, 0]])
    arrays = [index, np.ones(2, np.int64), np.arange(2), np.array([0.11, 0.17]), law.rows(1), np.zeros((2, 1, 2))]
    neighbours, found, order, radius, table, memory = map(device.array, arrays)
    rng, pulled = np.random.default_rng(2), 0
    places = np.zeros((3, 2))
    for _ in range(200):
        strides = 0.05 * rng.normal(size=(3, 2))
        places, forces = 0.9 * places + strides, device.array(np.zeros((3, 2)))
        device.launch(
            law.automaton.reach_kernel, 2, 1, device.array(places), device.array(strides), neighbours,
            found, order, radius, table, 1050.0, law.cutoff, memory, forces,
        )  # fmt: skip
        both = device.host(forces)
        np.testing.assert_array_equal(both[:, 0], -both[:, 1])
        pulled += np.any(both != 0)
    assert pulled > 10


def test_a_path_on_the_gpu():
    law, path = LAWS["links"][1], 1.0 + np.sin(np.linspace(0, 20, 500))
    found, expected = law.respond(path, device="cuda"), law.respond(path)
    np.testing.assert_array_equal(found.state, expected.state)
    np.testing.assert_allclose(found.tension, expected.tension, atol=1e-11)
