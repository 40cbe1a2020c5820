"""Prototypes and deviations of recorded motions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import main_prototypes, rigid_prototypes
from motiform.spatial import exp_rotation

RNG = np.random.default_rng(8)
SHAPE = RNG.normal(size=(20, 3))
T = np.linspace(0, 2, 80)
TURN = np.stack([np.sin(T), 0.5 * np.cos(2 * T), 0.3 * T], axis=1)
CENTER = np.stack([T, T**2, np.sin(3 * T)], axis=1)
RIGID = np.einsum("ncd,pd->npc", exp_rotation(TURN), SHAPE) + CENTER[:, None]


def test_rigid_body_is_six_prototypes():
    """δ = 0 to rounding: positions up to 8 m, 1e-15 of them."""
    found = rigid_prototypes(RIGID)
    assert found.count == 6
    assert np.abs(found.deviations).max() < 1e-13
    assert found.share == pytest.approx(1, abs=1e-15)
    assert_allclose(found.signals[:, 3:], RIGID.mean(axis=1), atol=1e-13)
    back = np.einsum("ncd,pd->npc", exp_rotation(found.signals[:, :3]), found.shapes) + found.signals[:, None, 3:]
    assert_allclose(back, RIGID, atol=1e-13)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e-2])
def test_quasi_rigid_body_has_small_deviations(size):
    """Noise σ on each coordinate leaves σ²(3N − 6) of 3N per sample, less what the mean shape takes."""
    noise = size * np.random.default_rng(9).normal(size=RIGID.shape)
    found = rigid_prototypes(RIGID + noise)
    left = (found.deviations**2).sum()
    free = (80 - 1) * (3 * 20 - 6)  # degrees of freedom of the sum of squares
    # 4 standard deviations of a χ² with that many degrees, sqrt(2/free); curvature adds O(size).
    assert left / (size**2 * free) == pytest.approx(1, abs=4 * np.sqrt(2 / free) + 2 * size)
    assert found.bits_saved(RIGID + noise) > np.log2(1 / (20 * size))
    assert 1 - found.share == pytest.approx(left / ((RIGID + noise - (RIGID + noise).mean(0)) ** 2).sum())


def test_masses_weigh_the_fit():
    """A point that strays and weighs nothing does not turn the body."""
    stray = RIGID.copy()
    stray[40:, 0] += 1.0
    found = rigid_prototypes(stray, mass=np.r_[0.0, np.ones(19)])
    assert np.abs(found.deviations[:, 1:]).max() < 1e-13
    assert np.abs(rigid_prototypes(stray).deviations[:, 1:]).max() > 0.05


def test_main_motions_tell_all_that_there_is():
    """Three separate motions of 60 coordinates: three prototypes, and each energy its own."""
    a = np.linalg.qr(RNG.normal(size=(60, 3)))[0]
    s = np.linalg.qr(np.random.default_rng(10).normal(size=(80, 3)) - 0)[0]
    s -= s.mean(axis=0)
    x = (5 + s * [3.0, 2.0, 0.1] @ a.T).reshape(80, 20, 3)
    assert main_prototypes(x, share=1.0).count == 3
    found = main_prototypes(x, count=2)
    sizes = np.linalg.svd(s * [3.0, 2.0, 0.1], compute_uv=False)
    assert found.share == pytest.approx((sizes[:2] ** 2).sum() / (sizes**2).sum(), rel=1e-12)
    assert main_prototypes(x, share=found.share - 1e-9).count == 2
    reconstructed = np.einsum("nk,kpc->npc", found.signals, found.shapes) + x.mean(axis=0)
    assert_allclose(reconstructed + found.deviations, x, atol=1e-13)


def test_rigid_and_main_prototypes_differ_in_large_turns():
    """A turn about a wandering axis is six rigid prototypes, but not six linear ones."""
    assert main_prototypes(RIGID, count=6).share < rigid_prototypes(RIGID).share
    assert main_prototypes(RIGID, count=12).share == pytest.approx(1, abs=1e-12)  # nine entries of R and the centre


def test_rest_and_text():
    rest = np.broadcast_to(SHAPE, (5, 20, 3))
    assert rigid_prototypes(rest).share == 1
    assert main_prototypes(rest, share=0.5).count == 0
    found = rigid_prototypes(RIGID + 1e-3 * RNG.normal(size=RIGID.shape))
    assert str(found).startswith("6 rigid prototypes of 60 signals tell 100 % of the motion; deviations up to")
    assert json.loads(json.dumps(found.as_dict()))["prototypes"] == 6
    assert main_prototypes(RIGID, count=12).bits_saved(RIGID) > 30


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rigid_prototypes(np.zeros((5, 3))), "recorded points must have"),
        (lambda: rigid_prototypes(np.zeros((5, 4, 2))), "the array has the wrong shape"),
        (lambda: rigid_prototypes(np.full((5, 4, 3), np.nan)), r"not finite|must be finite"),
        (lambda: rigid_prototypes(np.outer(np.arange(4.0), [1, 1, 1])[None]), "no pose fits the points"),
        (lambda: rigid_prototypes(RIGID, mass=[1, 2]), "mass: there must be one mass for each point"),
        (lambda: main_prototypes(RIGID), "how many prototypes is not clear"),
        (lambda: main_prototypes(RIGID, count=100), "count: no such number"),
        (lambda: main_prototypes(RIGID, share=1.5), "share: the share must be at most 1"),
    ],
)
def test_bad_recordings_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call()
