"""Small forms for the tests of pictures."""

import numpy as np

from motiform.form import Form, Part


def part(name, shape, at=(0.0, 0.0, 0.0), turn=(1.0, 0.0, 0.0, 0.0), color=(0.8, 0.4, 0.3), offset=(0.0, 0.0, 0.0)):
    """A part at one sample: `at` (3,) or (count, 3), `turn` (4,) or (count, 4)."""
    at = np.array(at, float).reshape(1, -1, 3)
    turn = np.broadcast_to(np.array(turn, float), (1, at.shape[1], 4))
    return Part(name, shape, np.array(offset, float), np.array(color, float), at, turn)


def still(*parts):
    return Form(tuple(parts), np.zeros(1), "still")


def moving(shape, positions, turns, times, color=(0.8, 0.4, 0.3)):
    """One body: positions (samples, 3), turns (samples, 4), times (samples,)."""
    position, turn = np.array(positions, float)[:, None], np.array(turns, float)[:, None]
    body = Part("body", shape, np.zeros(3), np.array(color), position, turn)
    return Form((body,), np.array(times, float), "moving")
