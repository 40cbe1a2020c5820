"""Small networks: a string of 200 masses at 44.1 kHz recorded at one point, and the step of ten masses."""

import numpy as np

from bench.agreement import check_same
from bench.register import peers_of
from bench.report import Result
from bench.turns import repeated, take_turns
from motiform.motion.matter import Engine, Network, NetworkBuilder, links, topology

__all__ = ["DAMPING", "MASS", "RATE", "STIFFNESS", "STRETCH", "string", "string_and_cloth", "string_rows"]

RATE = 44_100.0
STIFFNESS, DAMPING, MASS, STRETCH = 5e3, 1e-5, 5e-6, 0.9  # N/m, N s/m, kg; rest length over that at the start
_SAMPLES = 4410
_SLOW = 42  # 44.1 kHz over 1050 Hz


def string(count: int) -> Network:
    """Return a stretched string between two nails, 1 m long, plucked by the velocities of its first half."""
    return _builder(count).build()


def _builder(count: int) -> NetworkBuilder:
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    x = np.linspace(0, 1, count + 2)
    nails = b.fixed("nails", [[0, 0, 0], [1, 0, 0]])
    speed = np.stack([0 * x, np.maximum(np.sin(2 * np.pi * x), 0), 0 * x], axis=1)[1:-1]
    masses = b.masses("string", np.stack([x, 0 * x, 0 * x], axis=1)[1:-1], MASS, velocity=speed)
    law = links.spring(STIFFNESS, damping=DAMPING, rest=STRETCH / (count + 1))
    b.link("wire", topology.grid(masses.indices, (count,)), law)
    b.link("ends", [(0, int(masses.indices[0])), (int(masses.indices[-1]), 1)], law)
    assert nails.indices.tolist() == [0, 1]
    return b


def string_and_cloth(every: int) -> Network:
    """Return the string of 200 masses beside a cloth of 400 whose steps are so many times longer."""
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    b.add("played", _builder(200))
    b.add("seen", _cloth(RATE / every))
    return b.build()


def _cloth(rate: float) -> NetworkBuilder:
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=rate)
    sheet = b.masses("sheet", topology.block_positions((20, 20), 0.02), 1e-3, velocity=(0, 0, 0.1))
    b.link("weave", topology.grid(sheet.indices, (20, 20)), links.spring(20.0, damping=0.01))
    return b


def string_rows(seconds: float = 10.0) -> list[Result]:
    """Return the string as a multiple of real time, and a step of ten masses [µs], with NumPy's beside them."""
    from motiform.motion.matter.system import NetworkSystem
    from motiform.motion.run import RunOptions, record

    network, point = string(200), ["string[60].position"]
    (peer,) = peers_of("matter", "string/44k")
    make = peer.load()

    def ours() -> object:
        options = RunOptions(_SAMPLES / RATE, rate=RATE, integrator="central-difference")
        return record(NetworkSystem(network, options, False, point))[point[0]]

    def theirs() -> list[np.ndarray]:
        one, found = make(200), []
        for _ in range(_SAMPLES):
            one.step()
            found.append(one.x[61].copy())
        return found

    # A step rounds to 1e-16 m, 4410 steps of a bounded motion at most add up.
    far = float(np.abs(np.asarray(ours())[1:] - theirs()).max())
    check_same("matter, string/44k, numpy", far, 1e-16 * _SAMPLES**1.5, " m")
    times = take_turns({"ours": repeated(ours), "numpy": repeated(theirs)}, seconds=seconds)
    real = {name: _SAMPLES / RATE / time.cpu for name, time in times.items()}
    note = "200 masses, every step of one point recorded; multiple of real time; numpy: the same step on arrays"
    few, ten = Engine(string(10)), make(10)
    steps = take_turns({"ours": repeated(lambda: few.advance(1000)), "numpy": repeated(ten.step)}, seconds=seconds / 2)
    own, other = steps["ours"].cpu / 1000 * 1e6, steps["numpy"].cpu * 1e6
    slow, full = Engine(string_and_cloth(_SLOW)), Engine(string_and_cloth(1))
    calls = {"slow": repeated(lambda: slow.advance(840)), "full": repeated(lambda: full.advance(840))}
    both = {name: time.cpu / 840 * 1e6 for name, time in take_turns(calls, seconds=seconds / 2).items()}
    text = f"a step of the string beside a cloth of 400 masses at 1/{_SLOW} of its rate, and at its rate"
    return [
        Result("string/slow", "cpu", 1, "us", "lower", both["slow"], {"full-rate": both["full"]}, {}, text),
        Result("string/44k", "cpu", 1, "x real time", "higher", real["ours"], {"numpy": real["numpy"]}, {}, note),
        Result("string/10", "cpu", 1, "us", "lower", own, {"numpy": other}, {}, "a step of 10 masses and 11 links"),
    ]
