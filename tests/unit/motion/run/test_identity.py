"""A run is known by what it is made of."""

from dataclasses import dataclass

import numpy as np

from motiform.motion.run.identity import identify
from motiform.record import Channel, Recording, open_recording


@dataclass(frozen=True)
class Part:
    size: tuple[float, ...]
    weights: np.ndarray


def push(t, state):
    return 0.0


class Held:
    def __call__(self, t, state):
        return 0.0


def recorded(last=3.0):
    return Recording.from_arrays({"x": (Channel("x", unit="m", rate=10.0), [0.0, 1.0, last])})


def test_equal_parts_have_one_digest_and_others_another():
    one, two, other = (Part((1.0, 2.0), np.array([1.0, w])) for w in (2.0, 2.0, np.nextafter(2.0, 3.0)))
    assert identify(one, {"q0": [0.1]}) == identify(two, {"q0": [0.1]})
    assert identify(one) != identify(other)
    assert identify(one, {"q0": [0.1]}) != identify(one, {"v0": [0.1]})


def test_functions_are_known_by_their_names():
    assert identify(push, {"loads": Held()}, push)[1] == ["push", "Held"]
    assert identify(Part((1.0,), np.ones(1)))[1] == []


def test_a_recording_is_known_by_its_samples(tmp_path):
    recorded().save(tmp_path / "x.mf")
    assert identify(recorded()) == identify(open_recording(tmp_path / "x.mf"))
    assert identify(recorded()) != identify(recorded(last=4.0))
