"""A man walks from a slab onto sand: what carries him, and what the sand keeps."""

import itertools

import numpy as np
import pytest
from scipy.ndimage import label

import motiform as mf
from motiform.record import Recording

RATE, STRIDE, PERIOD = 350.0, 1.05, 1.2  # Hz, m, s of two steps
WEIGHT = 75 * 9.81  # N
SHAPE, SPACING, HARDENING, YIELD, STIFFNESS = (110, 24), 0.018, 350.0, 4.0, 9000.0


@pytest.fixture(scope="module")
def walk() -> Recording:
    return mf.simulate("sand-walk", settings={"scene.rate": RATE})


@pytest.mark.slow
def test_the_sand_lies_until_it_is_stepped_on(walk: Recording) -> None:
    depth = -walk["top.position"][: int(0.9 * RATE), :, 1]
    assert depth.max() <= 0.03 * 9.81 / STIFFNESS * 2.01  # its own weight, twice as it is let go
    assert np.abs(walk["matter.wrench"][: int(0.9 * RATE)]).max() == 0.0


@pytest.mark.slow
def test_slab_then_sand_carry_him(walk: Recording) -> None:
    """Over a stride what carries him is his weight and the change of his momentum."""
    soil = walk["matter.wrench"][:, :, 4].sum(axis=1)
    slab, momentum = walk["contact.force"][:, :, 1].sum(axis=1), walk["figure.momentum"][:, 1]
    for begin, end, carries, rests in ((0.02, 0.9, slab, soil), (1.7, 1.7 + PERIOD, soil, slab)):
        a, b = int(begin * RATE), int(end * RATE)
        impulse, time = np.trapezoid(carries[a : b + 1]) / RATE, (b - a) / RATE
        # forces of a landing change within 20 ms; of seven samples the trapezoid misses at most a part in (1/7)²/2
        assert impulse == pytest.approx(WEIGHT * time + momentum[b] - momentum[a], rel=0.01)
        assert np.abs(rests[a:b]).max() == 0.0


@pytest.mark.slow
def test_prints_stay(walk: Recording) -> None:
    depth = -walk["top.position"][:, :, 1].reshape(-1, *SHAPE)
    prints, count = label(depth[-1] > 0.015)
    places = [np.argwhere(prints == n + 1) for n in range(count)]
    feet = sorted((p.mean(axis=0) for p in places if len(p) > 20), key=lambda at: at[0])
    assert len(feet) >= 3
    sides = [np.sign(at[1] - 11.5) for at in feet]
    assert all(a != b for a, b in itertools.pairwise(sides))  # left, right, left
    for one, next_one in zip(feet, feet[2:], strict=False):
        # a foot that rolls over a soft ground leaves its mark up to half a foot away from where it stood
        assert SPACING * (next_one[0] - one[0]) == pytest.approx(STRIDE, abs=0.13)
    # what was left before 2.4 s: the first print; it springs back by no more than the force that made it over k
    first = prints == 1 + int(np.argmin([p.mean(axis=0)[0] for p in places]))
    deepest = depth[:, first].max(axis=0)
    back = (YIELD + HARDENING * deepest) / STIFFNESS
    assert (deepest - depth[-1][first] <= back + 40 * 4 * deepest / STIFFNESS).all()  # and by what the crust pulls
    still = depth[int(2.6 * RATE) :, first]
    assert np.ptp(still, axis=0).max() < 1e-4
