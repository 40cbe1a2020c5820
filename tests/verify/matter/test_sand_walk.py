"""A man walks from a slab onto sand: what carries him, and what the sand keeps."""

import itertools

import numpy as np
import pytest
from scipy.ndimage import label

import motiform as mf
from motiform.record import Recording

RATE, STRIDE, PERIOD = 150.0, 1.05, 1.2  # Hz, m, s of two steps
WEIGHT = 75 * 9.81  # N
SHAPE, SPACING, HARDENING, YIELD, STIFFNESS = (110, 24), 0.018, 220.0, 7.0, 9000.0


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
    """Over a stride on sand what carries him is his weight and the change of his momentum."""
    soil = walk["matter.wrench"][:, :, 4].sum(axis=1)
    slab, momentum = walk["contact.force"][:, :, 1].sum(axis=1), walk["figure.momentum"][:, 1]
    assert (slab[int(0.1 * RATE) : int(0.9 * RATE)] > 0).all()
    a, b = int(1.7 * RATE), int((1.7 + PERIOD) * RATE)
    assert np.abs(slab[a:]).max() == 0.0
    impulse, time = np.trapezoid(soil[a : b + 1]) / RATE, (b - a) / RATE
    # sand gives way by centimetres: forces change within 50 ms and more, of which the trapezoid of 7 ms misses
    # (2π 7/50)²/12 of what changes, at most half of the weight, at four landings of 50 ms in 1.2 s
    assert impulse == pytest.approx(WEIGHT * time + momentum[b] - momentum[a], rel=0.01)


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
    # Bounds that move along by h p let the sand come back where h p is above its yield force: it keeps yield/h at most,
    # 32 mm, and all of a print not so deep but what its spring gives back, (yield + h p)/k; the crust pulls too.
    edge = min(at[0] for at in feet) + 12
    first = (prints > 0) & (np.arange(SHAPE[0])[:, None] < edge)
    deepest, kept = depth[:, first].max(axis=0), depth[-1][first]
    assert kept.max() <= YIELD / HARDENING + (YIELD + 4 * 40 * deepest.max()) / STIFFNESS
    assert kept.max() > 0.02
    assert np.ptp(depth[int(2.6 * RATE) :, first], axis=0).max() < 1e-4
