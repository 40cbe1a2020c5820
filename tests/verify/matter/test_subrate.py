"""A module at a sub-rate moves as it would alone at that rate, with gravity, drag, wind and pushes."""

import numpy as np
import pytest

from motiform.motion.matter import Engine, NetworkBuilder, links, motions, topology

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
