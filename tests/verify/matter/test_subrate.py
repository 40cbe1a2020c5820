"""A module at a sub-rate moves as it would alone at that rate, with gravity, drag, wind and pushes."""

import numpy as np
import pytest

from motiform.motion.matter import Engine, NetworkBuilder, links, motions, topology
from motiform.motion.matter.engine.sleep import sleeping_masses

RATE = 4200.0
WIND = motions.Gusts((2.0, 0, 0), (1.0, 0, 0.5), period=0.3)


def chain(frequency: float, **more: object) -> NetworkBuilder:
    b = NetworkBuilder(frequency=frequency, **more)  # type: ignore[arg-type]
    nail = b.fixed("nail", [0, 1, 0])
    rope = b.masses("rope", [[0.1 * n, 1, 0] for n in range(1, 9)], 0.02, velocity=(0.1, 0, 0.3), drag=0.005)
    b.link("strand", topology.chain(nail + rope), links.spring(60.0, damping=0.02))
    b.push("shove", rope[7], motions.Push((0.0, 0.1, 0.2), frequency=3.0))
    return b


@pytest.mark.parametrize("ratio", [1, 2, 4, 7])
def test_a_module_moves_as_alone(ratio: int) -> None:
    alone = Engine(chain(RATE / ratio, wind=WIND).build())
    host = NetworkBuilder(frequency=RATE, wind=WIND)
    host.masses("other", [5, 0, 0], 1.0)  # falls at the full rate
    host.add("module", chain(RATE / ratio))
    both = Engine(host.build())
    for _ in range(5):
        alone.advance(60)
        both.advance(60 * ratio)
        moved = both.state().position[2:]
        # rounding of places of 1 m over 300 steps: eps for each, errors of a chain grow at most with the steps' square
        assert np.abs(moved - alone.state().position[1:]).max() < 300**2 * np.finfo(float).eps
    t = both.sample / RATE
    assert both.state().position[0, 1] == pytest.approx(-9.81 * t * (t + 1 / RATE) / 2, rel=1e-9)


def test_it_resumes_with_the_same_bits() -> None:
    host = NetworkBuilder(frequency=RATE, wind=WIND)
    host.add("module", chain(RATE / 4))
    network = host.build()
    whole = Engine(network)
    whole.advance(333)
    again = Engine.resume(network, whole.checkpoint())
    for engine in (whole, again):
        engine.advance(200)
    assert np.array_equal(whole.state().position, again.state().position)


def test_masses_sleep_between_their_turns() -> None:
    host = NetworkBuilder(frequency=RATE, wind=WIND)
    other = host.masses("other", [5, 0, 0], 1.0)
    module = host.add("module", chain(RATE / 7))
    host.link("touched", [(int(other.indices[0]), int(module.points["rope"].indices[0]))], links.spring(1.0))
    network = host.build()
    every = sleeping_masses(network)
    assert every.tolist() == [1, 1, 1] + [7] * 7  # the nail does not move; a link at the full rate wakes its end
    engine = Engine(network)
    assert engine._sleepers is not None
    runs = [engine._sleepers.awake(sample)[0] for sample in (0, 1)]
    assert [int((r[:, 1] - r[:, 0]).sum()) for r in runs] == [10, 3]


def test_they_are_seen_on_their_way() -> None:
    """Between its turns a mass moves on evenly; the other way is to wake all, which a push from outside does."""
    host = NetworkBuilder(frequency=RATE, wind=WIND)
    host.add("module", chain(RATE / 4))
    network = host.build()
    asleep, awake = Engine(network), Engine(network)
    awake.push(np.array([1]), np.zeros((1, 3)))
    assert awake._sleepers is None
    for n in range(50):
        asleep.advance(1)
        awake.advance(1)
        one, two = asleep.state(), awake.state()
        far = np.abs([one.position - two.position, one.previous - two.previous]).max()
        assert far < 50**2 * np.finfo(float).eps, n
        if n == 21:  # between turns: put there, and woken
            asleep.place(one)
            again = asleep.state()
            # far − left δ twice: a rounding each of places of 1 m
            assert np.abs(again.position - one.position).max() < 8 * np.finfo(float).eps
    asleep.push(np.array([1]), np.zeros((1, 3)))
    asleep.advance(10)
    awake.advance(10)
    assert np.abs(asleep.state().position - awake.state().position).max() < 60**2 * np.finfo(float).eps


def instrument(every: int) -> NetworkBuilder:
    """Return a string at the full rate, plucked by a hand at a sub-rate, beside a chain that sleeps."""
    host = NetworkBuilder(frequency=RATE, wind=(0.5, 0, 0.2))
    string = host.masses("string", [[5 + 0.1 * n, 0, 0] for n in range(6)], 0.01, drag=0.001)
    host.link("wire", topology.grid(string, (6,)), links.spring(200.0, damping=0.01))
    hand = host.add("hand", chain(RATE / every))
    host.link("pick", [(int(string.indices[2]), int(hand.points["rope"].indices[0]))], links.spring(5.0))
    host.link("slack", (string[:2], string[4:]), links.spring(3.0, damping=0.01), every=every)
    host.push("taps", string[1], motions.Push((0, 0.1, 0), frequency=9.0))
    return host


@pytest.mark.parametrize("every", [2, 3, 6, 7])
def test_steps_between_turns_are_taken_together_to_the_same_bits(every: int) -> None:
    network = instrument(every).build()
    many, single = Engine(network), Engine(network)
    assert many.small
    points = np.array([2, 7, 14])  # of the string, and of the chain: the end that a link wakes, and one that sleeps
    assert sleeping_masses(network)[points].tolist() == [1, 1, every]
    for samples, steps in ((3, 1), (2, 5), (30, 4), (1, 77)):
        found = many.watch(samples, steps, points)
        for n in range(samples):
            for _ in range(steps):
                single._step()
            np.testing.assert_array_equal(found[n], single.places(points))
        for key in ("position", "previous"):
            np.testing.assert_array_equal(getattr(many.state(), key), getattr(single.state(), key))
