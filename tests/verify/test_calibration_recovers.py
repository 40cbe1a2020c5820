"""Calibration finds a subject that was made up: exactly without noise, within its own error bars with it.

Scaling is that of OpenSim.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motiform.motion.figures import human36
from motiform.motion.postures import Priors, calibrate
from motiform.motion.postures.calibration.parameters import make_parameters
from motiform.motion.postures.calibration.scale import scale_figure
from motiform.motion.tree import tag_jacobians, tags
from motiform.motion.tree.model.segment import Tag
from motiform.motion.tree.read import read_osim

NOISE = 0.002  # m, of each coordinate of a marker


def smooth_postures(rng, count):
    """Four sines for each coordinate, about 0.6 rad in all."""
    t = np.linspace(0, 1, count)[:, None]
    sines = [rng.normal(0, 0.3, 42) * np.sin(2 * np.pi * (1.3 * k * t + rng.random(42))) for k in range(1, 5)]
    return np.sum(sines, axis=0)


def subject(rng, *, shift):
    """Lengths ±8 % off those of the mean body, tags ±`shift` [m] off their landmarks."""
    body = human36()
    lengths = {f"L{n}": float(body.lengths[n - 1] * (1 + rng.uniform(-0.08, 0.08))) for n in range(1, 32)}
    found = body.replace(lengths=lengths)
    if not shift:
        return found
    return found.replace(tags={t.name: np.array(t.point) + rng.uniform(-shift, shift, 3) for t in found.tags})


def test_lengths_are_found_exactly_where_tags_are_known():
    rng = np.random.default_rng(3)
    truth = subject(rng, shift=0.0)
    q = smooth_postures(rng, 200)
    priors = Priors(length_sd=0.5, size_sd=0.0, marker_sd=1e-5, posture_sd=1e3)
    found = calibrate(human36(), tags(truth, q), frames=30, tags=False, priors=priors)
    # Without noise the priors W alone draw the estimate from the truth, by Σ W δ with the covariance Σ ≤ W⁻¹: no number
    # by more than its standard deviation times √(δᵀ W δ), what the truth costs under them. The iteration ends at gains
    # below 1e-4 of a unit of cost; with steps that shrink by 0.8, 1e-4 / 0.2 may remain, 0.022 standard deviations.
    # Of 30 × 36 joint angles, each within π of where it began, the cost is below 1080 (π / 1000)² = 0.011.
    pull = np.sqrt((((truth.lengths / human36().lengths - 1) / 0.5) ** 2).sum() + 0.011)
    for n in range(1, 27):
        name = f"L{n}"
        assert abs(found.lengths[name] - truth.lengths[n - 1]) < (pull + 0.022) * found.std[name] < 2e-4
        assert found.determined[name] > 0.999
    assert found.error_after < 1e-6 < 0.005 < found.error_before
    for n in (27, 28, 29, 30, 31):  # lengths of hands, head, feet carry no tag: nothing is told, nothing changes
        assert found.determined[f"L{n}"] < 1e-9
        assert abs(found.lengths[f"L{n}"] - human36().lengths[n - 1]) < 1e-12


@cache
def noisy(seed):
    rng = np.random.default_rng(seed)
    truth = subject(rng, shift=0.015)
    points = tags(truth, smooth_postures(rng, 300))
    points += rng.normal(0, NOISE, points.shape)
    points[rng.random(points.shape[:2]) < 0.1] = np.nan
    # uniform in ±a has the standard deviation a/√3: the priors are those of the subjects
    priors = Priors(length_sd=0.08 / 3**0.5, size_sd=0.0, tag_sd=0.015 / 3**0.5, marker_sd=NOISE)
    found = calibrate(human36(), points, frames=40, priors=priors)
    return truth, found


def _scores(seed):
    """Return errors over their standard deviations, of lengths and of tags."""
    truth, found = noisy(seed)
    lengths = [(found.lengths[f"L{n}"] - truth.lengths[n - 1]) / found.std[f"L{n}"] for n in range(1, 32)]
    plain = truth.replace(tags=dict.fromkeys(truth.tag_names))
    shifts = {t.name: np.subtract(t.point, p.point) for t, p in zip(truth.tags, plain.tags, strict=True)}
    shift = np.concatenate([(found.tag_offsets[n] - shifts[n]) / found.std[n] for n in truth.tag_names])
    return np.concatenate([lengths, shift])


def test_errors_are_covered_by_their_standard_deviations():
    z = np.concatenate([_scores(seed) for seed in (1, 2)])
    # 230 scores, correlated, of unit variance: an effective number of 50 gives the mean square a spread of 0.2
    assert 0.4 < np.mean(z**2) < 1.6
    # 95 % lie within 1.96; with 50 independent ones the spread of that part is 3 %: three of these
    assert np.mean(np.abs(z) < 1.96) > 0.86
    assert np.abs(z).max() < 5.0


def test_residuals_are_those_of_the_noise():
    for seed in (1, 2):
        _, found = noisy(seed)
        assert found.settled
        # 40 samples of 25 markers, 42 coordinates each: 3000 − 1680 − 115 = 1200 freedoms, spread √(2/1200) = 4 %
        assert abs(found.variance - 1.0) < 4 * 0.04
        assert found.error_after < 3**0.5 * NOISE < found.error_before / 3


def test_what_is_determined_is_what_the_jacobian_sees():
    """The directions that change no marker in any posture are those of which the posterior keeps the prior."""
    body = human36()
    rng = np.random.default_rng(0)
    q = smooth_postures(rng, 12)
    model = make_parameters(body, Priors(size_sd=0.0))
    Jp = model.derivatives(q) * model.prior_std
    free = []  # motions of the tags that no posture makes; one coordinate, the head's turn, makes none
    for J in tag_jacobians(body, q):
        U, size, _ = np.linalg.svd(J.reshape(84, 42))
        free.append(U[:, int((size > 1e-9).sum()) :])
    seen = np.concatenate([U.T @ J.reshape(84, -1) for U, J in zip(free, Jp, strict=True)])
    values = np.linalg.svd(seen)[1]
    priors = Priors(size_sd=0.0, marker_sd=1e-5, posture_sd=1e4)
    found = calibrate(body, tags(body, q), q0=q, frames=12, priors=priors)
    determined = np.concatenate([np.ravel(found.determined[n]) for n in (*found.lengths, *found.tag_offsets)])
    # Independent priors: what is told sums to Σ s² / (s² + σ²) over the singular values s. Those of the smallest size,
    # 1e-5 m, feel postures known to 1e4 rad and the rounding of a basis, 1e-16 / 1e-13 · 1 m.
    expected = (values**2 / (values**2 + 1e-5**2)).sum()
    assert (values < 1e-9).sum() > 5
    assert abs(determined.sum() - expected) < 0.01


# ---------------------------------------------------------------- scaling as OpenSim does it
LEG = Path(__file__).parents[1] / "unit/motion/tree/read/leg.osim"


def scaled_by_opensim(osim, factors, mass):
    osim.Logger.setLevelString("off")
    model = osim.Model(str(LEG))
    scales = osim.ScaleSet()
    for name, three in factors.items():
        scale = osim.Scale()
        scale.setSegmentName(name)
        scale.setScaleFactors(osim.Vec3(*(float(x) for x in three)))
        scale.setApply(True)
        scales.cloneAndAppend(scale)
    model.scale(model.initSystem(), scales, True, mass)
    return model, model.initSystem()


@pytest.mark.parametrize("uniform", [True, False])
def test_a_model_is_scaled_as_by_opensim(uniform):
    """A spline knee, offset joints, other factors for every bone: the same markers, masses, centres, moments."""
    osim = pytest.importorskip("opensim")
    leg, rng = read_osim(LEG), np.random.default_rng(0)
    factors = {name: rng.uniform(0.8, 1.2) * np.ones(3) if uniform else rng.uniform(0.8, 1.2, 3) for name in leg.names}
    model, state = scaled_by_opensim(osim, factors, 60.0)
    ours = scale_figure(leg, factors, mass=60.0)
    for _ in range(3):
        q = leg.neutral() + rng.normal(0, 0.3, leg.nq)
        for name, value in zip(leg.coordinates, q, strict=True):
            model.getCoordinateSet().get(name).setValue(state, float(value), False)
        model.realizePosition(state)
        places = [model.getMarkerSet().get(name).getLocationInGround(state) for name in leg.tag_names]
        theirs = [[place.get(k) for k in range(3)] for place in places]
        np.testing.assert_allclose(tags(ours, q), theirs, atol=1e-13)  # a hundred roundings of numbers near 1 m
    for segment in ours.segments:
        body = model.getBodySet().get(segment.name)
        assert segment.mass == pytest.approx(body.getMass(), rel=1e-13)
        np.testing.assert_allclose(segment.com, [body.getMassCenter().get(k) for k in range(3)], atol=1e-13)
        # OpenSim takes a bone that is not scaled alike in all directions for a cylinder; the moments of the toes in the
        # file break the triangle inequality and are changed when they are read
        if uniform and segment.name != "toes_r":
            moments = body.getInertia().getMoments()
            np.testing.assert_allclose(np.diag(segment.inertia), [moments.get(k) for k in range(3)], rtol=1e-12)


def test_an_opensim_model_is_calibrated():
    leg = read_osim(LEG)
    rng = np.random.default_rng(0)
    more = [
        Tag(f"{s}{k}", s, tuple(rng.uniform(-0.1, 0.1, 3))) for s in ("pelvis", "femur_r", "tibia_r") for k in (1, 2)
    ]
    leg = leg.replace(tags=(*leg.tags, *more))
    truth = scale_figure(leg, {"pelvis": 1.06, "femur_r": 0.95, "tibia_r": 1.04, "calcn_r": 1.05})
    q = leg.neutral() + rng.normal(0, 0.3, (40, leg.nq))
    priors = Priors(length_sd=0.5, marker_sd=1e-5, posture_sd=1e3)
    found = calibrate(leg, tags(truth, q), frames=25, tags=False, priors=priors)
    for name, value in (("pelvis", 1.06), ("femur_r", 0.95), ("tibia_r", 1.04)):
        assert abs(found.lengths[name] - value) < found.std[name] < 1e-3  # the priors cost the truth less than 1
    assert found.error_after < 1e-6 < found.error_before
