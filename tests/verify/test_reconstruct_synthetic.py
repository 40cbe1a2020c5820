"""Postures from synthetic markers of Human36, whose truth is known."""

import numpy as np
import pytest

import motiform
from motiform.base.errors import InputError
from motiform.motion.postures import Fit
from motiform.motion.tree import tag_jacobians
from motiform.record import Channel, Recording

RATE, SAMPLES = 100.0, 150


@pytest.fixture(scope="module")
def figure():
    return motiform.figures.human36()


@pytest.fixture(scope="module")
def truth(figure):
    """A smooth motion well inside the joints' ranges, 1.5 s."""
    limits = motiform.figures.human36(limits="anatomical").limits
    bounded = np.isfinite(limits).all(1)
    middle = np.where(bounded, np.where(bounded[:, None], limits, 0.0).mean(1), 0.0)
    half = np.where(bounded, 0.5 * (np.where(bounded[:, None], limits, 0.0) @ (-1.0, 1.0)), 0.3)
    rng, t = np.random.default_rng(0), np.arange(SAMPLES)[:, None] / RATE
    wave = np.sin(2 * np.pi * rng.uniform(0.2, 1.0, figure.nv) * t + rng.uniform(0, 6, figure.nv))
    return 0.6 * middle + 0.2 * half * wave


def recording(points, names, **manifest):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=RATE)
    return Recording.from_arrays(
        [channel], {"markers": points}, manifest={"labels": {"marker": list(names)}, "up": "y", **manifest}
    )


@pytest.fixture(scope="module")
def exact(figure, truth):
    return motiform.reconstruct(figure, recording(motiform.tags(figure, truth), figure.tag_names), dynamics=False)


def test_exact_markers_give_exact_postures(figure, truth, exact):
    """Off what no tag tells, from the neutral posture, to 1e-9 [rad, m]; rounding is 1e-16 over levers of 4 mm."""
    error = np.abs(exact["q"] - truth)
    for k in range(0, SAMPLES, 10):
        _, sizes, rows = np.linalg.svd(tag_jacobians(figure, truth[k]).reshape(-1, figure.nv))
        null = rows[(sizes > 1e-9 * sizes[0]).sum() :]
        assert exact["nullity"][k] == len(null)
        untouched = (np.abs(null) < 1e-6).all(0)  # coordinates without a part in motions that no tag tells
        assert untouched.sum() >= 39  # all but the head's three
        assert error[k, untouched].max() < 1e-9
    assert np.nanmax(exact["error"]) < 1e-9
    assert (exact["status"] == 0).all()


@pytest.mark.parametrize(("seed", "size", "hidden"), [(2, 0.8, 18), (3, 0.3, 8), (6, 0.3, 18)])
def test_a_sample_that_fits_exactly_is_settled(figure, seed, size, hidden):
    """Exact markers of which many are hidden leave directions that are hardly told: along those steps gain nothing but
    rounding. A fit within 10 nm, far below what cameras tell, is settled all the same."""
    rng, t = np.random.default_rng(seed), np.arange(60)[:, None] / RATE
    q = figure.neutral() + size * np.sin(
        2 * np.pi * rng.uniform(0.2, 1.0, figure.nv) * t + rng.uniform(0, 6, figure.nv)
    )
    points = motiform.tags(figure, q)
    points[:, rng.permutation(28)[:hidden]] = np.nan
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False)
    rms = np.sqrt(np.nanmean(rec["error"] ** 2, axis=1))
    assert (rms < 1e-8).sum() > 20
    assert (rec["status"][rms < 1e-8] == 0).all()


def test_what_no_tag_determines_is_reported_and_stays_at_the_prior(figure, truth, exact):
    """The head's turn about its own axis [HuMAnS 9.6]: the null space of the Jacobian, coordinate by coordinate."""
    for k in range(0, SAMPLES, 25):
        _, sizes, rows = np.linalg.svd(tag_jacobians(figure, exact["q"][k]).reshape(-1, figure.nv))
        null = rows[(sizes > 1e-9 * sizes[0]).sum() :]
        # ε / (λ + ε) of a direction with the lever √λ: what is seen with 4 mm counts 6 % at ε = 1 mm²
        expected = (rows**2 / (1 + np.append(sizes, np.zeros(len(rows) - len(sizes)))[:, None] ** 2 / 1e-6)).sum(0)
        assert exact["unseen"][k] == pytest.approx(expected, abs=1e-6)
        assert np.abs(null @ exact["q"][k]).max() < 0.05  # the neutral posture has zeros; a sample's motion is left


def test_noise_and_hidden_markers(figure, truth):
    """2 mm of noise, 30 % hidden: the noise is found, and standard deviations cover the truth as often as they say.

    Coordinates known to 0.1 rad are counted: beyond that tags are not linear in them. About 4000 independent numbers
    (42 coordinates, 150 samples, 65 % of them) leave 0.7 % of chance on 68 %, and models of noise are not linear.
    """
    rng = np.random.default_rng(1)
    points = motiform.tags(figure, truth) + 0.002 * rng.normal(size=(SAMPLES, 28, 3))
    points[rng.random((SAMPLES, 28)) < 0.3] = np.nan
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False)
    assert rec.manifest["reconstruct"]["marker_sd"] == pytest.approx(0.002, rel=0.03)
    known = rec["std"] < 0.1
    score = np.abs(rec["q"] - truth)[known] / rec["std"][known]
    assert known.mean() > 0.5
    assert 0.62 < (score < 1.0).mean() < 0.75
    assert (score < 1.96).mean() > 0.9
    assert np.isnan(rec["error"]).mean() == pytest.approx(0.3, abs=0.03)


@pytest.mark.slow
def test_smoothing_sees_hidden_markers(figure, truth):
    """Whole-trial smoothing places markers that were hidden better than the noise of those that were seen."""
    rng = np.random.default_rng(2)
    x = motiform.tags(figure, truth)
    points = x + 0.002 * rng.normal(size=x.shape)
    points[rng.random((SAMPLES, 28)) < 0.1] = np.nan
    alone = motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False)
    smooth = motiform.reconstruct(figure, recording(points, figure.tag_names), smooth=50.0, dynamics=False)
    before, after = (np.sqrt(((r["tags"] - x) ** 2).sum(-1).mean()) for r in (alone, smooth))
    assert after < 0.7 * before
    assert after < 0.002 * np.sqrt(3)
    score = np.abs(smooth["q"] - truth) / smooth["std"]
    assert (score[smooth["std"] < 0.1] < 1.96).mean() > 0.9


def test_swapped_and_stray_markers_are_reported(figure, truth):
    points = motiform.tags(figure, truth) + 0.001 * np.random.default_rng(3).normal(size=(SAMPLES, 28, 3))
    points[40:60, [3, 5]] = points[40:60, [5, 3]]
    points[90:95, 10] += 0.5
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False)
    names = [event.name for event in rec.events]
    a, b = figure.tag_names[3], figure.tag_names[5]
    assert f"swapped: {a}, {b}" in names
    assert f"left out: {figure.tag_names[10]}" in names
    assert np.isnan(rec["error"][90:95, 10]).all()
    assert np.nanmax(rec["error"]) < 0.01
    swapped = next(event for event in rec.events if event.name.startswith("swapped"))
    assert (swapped.time, swapped.detail["samples"]) == (pytest.approx(0.4), 20)


def test_markers_that_the_model_fits_badly_stay(figure, truth):
    """An offset of 12 cm, and one that comes and goes over half a second, are the model's: nothing is left out."""
    points = motiform.tags(figure, truth) + 0.001 * np.random.default_rng(3).normal(size=(SAMPLES, 28, 3))
    points[:, 10] += (0.0, 0.0, 0.12)
    points[50:100, 20] += 0.1 * np.sin(np.linspace(0, np.pi, 50))[:, None]
    markers = recording(points, figure.tag_names)
    rec = motiform.reconstruct(figure, markers, dynamics=False)
    same = motiform.reconstruct(figure, markers, fit=Fit(swaps=False), dynamics=False)
    assert not [event.name for event in rec.events if event.name.startswith(("left out", "swapped"))]
    assert np.array_equal(rec["q"], same["q"])
    assert all(row["left_out"] == row["swapped"] == 0 for row in rec.manifest["reconstruct"]["per_marker"].values())


def test_weighted_errors_are_reported(figure, truth):
    """√(Σ w r² / Σ w) beside √(Σ r² / n), of each sample and of the trial."""
    points = motiform.tags(figure, truth[:20]) + 0.003 * np.random.default_rng(3).normal(size=(20, 28, 3))
    w = np.linspace(0.0, 3.0, 28)
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names), weights=w, dynamics=False)
    square = np.linalg.norm(rec["tags"] - points, axis=-1) ** 2
    assert rec["error.rms"] == pytest.approx(np.sqrt(square[:, 1:].mean(1)))
    assert rec["error.weighted"] == pytest.approx(np.sqrt(square @ w / w.sum()))
    summary = rec.manifest["reconstruct"]
    assert summary["rms"] == pytest.approx(np.sqrt(square[:, 1:].mean()))
    assert summary["rms_weighted"] == pytest.approx(np.sqrt((square @ w).mean() / w.sum()))


def test_most_markers_without_a_tag_are_reported(figure, truth):
    points = np.repeat(motiform.tags(figure, truth[:3]), 3, axis=1)
    names = [name for tag in figure.tag_names for name in (tag, f"{tag}_a", f"{tag}_b")]
    rec = motiform.reconstruct(figure, recording(points, names), dynamics=False)
    (note,) = rec.manifest["reconstruct"]["notes"]
    assert note.startswith("only 28 of 84 markers have a tag")
    assert note in [event.name for event in rec.events]


def test_robust_loss_looks_past_a_ghost(figure, truth):
    points = motiform.tags(figure, truth)
    points[:, 8] += 0.2
    rec = motiform.reconstruct(
        figure, recording(points, figure.tag_names), q0=truth[0], fit=Fit(robust=0.02, swaps=False), dynamics=False
    )
    others = np.delete(rec["error"], 8, axis=1)
    assert others.max() < 2e-3  # (scale/(scale² + error²))² of 20 cm pulls with one hundredth of a marker
    assert rec["error"][:, 8].min() > 0.19


def test_same_bits_on_any_number_of_threads(figure, truth):
    from motiform.base.kernels import threads

    points = motiform.tags(figure, truth) + 0.002 * np.random.default_rng(4).normal(size=(SAMPLES, 28, 3))
    found = []
    for count in (1, 2):
        with threads(count):
            found.append(motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False))
    for name in ("q", "std", "unseen", "v"):
        assert np.array_equal(found[0][name], found[1][name])


def test_limits_hold(figure, truth):
    """A knee bent beyond its limit stays at it, and the others make up for it as well as they can."""
    bounded = motiform.figures.human36(limits="anatomical")
    q = truth[:5].copy()
    k = bounded.coordinates.index("right_knee_extension")
    lower, upper = bounded.limits[k]
    q[:, k] = upper + 0.2
    rec = motiform.reconstruct(bounded, recording(motiform.tags(figure, q), figure.tag_names), dynamics=False)
    assert rec["q"][:, k] == pytest.approx(upper, abs=1e-12)
    free = motiform.reconstruct(bounded, recording(motiform.tags(figure, q), figure.tag_names), limits=False)
    assert free["q"][:, k] == pytest.approx(upper + 0.2, abs=1e-9)
    assert (rec["q"] >= bounded.limits[:, 0] - 1e-12).all()
    assert (rec["q"] <= bounded.limits[:, 1] + 1e-12).all()
    assert lower < upper


def test_weights(figure, truth):
    """A marker without weight tells nothing; its distance is not counted."""
    points = motiform.tags(figure, truth[:5])
    points[:, 2] += 1.0
    rec = motiform.reconstruct(
        figure, recording(points, figure.tag_names), weights={figure.tag_names[2]: 0.0}, dynamics=False
    )
    assert np.nanmax(rec["error"]) < 1e-9
    with pytest.raises(InputError, match="weights must be those of tags"):
        motiform.reconstruct(figure, recording(points, figure.tag_names), weights={"nose": 1.0})


@pytest.mark.parametrize("samples", [1, 2])
def test_few_samples(figure, truth, samples):
    rec = motiform.reconstruct(figure, recording(motiform.tags(figure, truth[:samples]), figure.tag_names))
    assert rec["q"].shape == (samples, figure.nq)
    assert np.nanmax(rec["error"]) < 1e-9


def test_eighteen_tags(figure, truth):
    """With 18 tags the arms are free [HuMAnS 9.6.2]: they stay where they begin, and that is told."""
    kept = [k for k, name in enumerate(figure.tag_names) if not any(s in name for s in ("humer", "radial", "dactyl"))]
    points = motiform.tags(figure, truth[:20])
    points = points[:, kept]
    rec = motiform.reconstruct(figure, recording(points, [figure.tag_names[k] for k in kept]), dynamics=False)
    assert np.nanmax(rec["error"]) < 1e-9
    assert (rec["nullity"] >= 10).all()
    wrist = figure.coordinates.index("right_wrist_flexion")
    assert rec["unseen"][:, wrist] == pytest.approx(1.0, abs=1e-9)
    assert np.abs(rec["q"][:, wrist]).max() < 1e-6


def test_bad_input(figure, truth):
    points = motiform.tags(figure, truth[:3])
    with pytest.raises(InputError, match="the marker set is not known"):
        motiform.reconstruct(figure, recording(points, [f"X{k}" for k in range(28)]))
    with pytest.raises(InputError, match="ever seen"):
        motiform.reconstruct(figure, recording(np.full_like(points, np.nan), figure.tag_names))
    with pytest.raises(InputError, match="differ in size"):
        motiform.reconstruct(figure, recording(1000 * points, figure.tag_names))
    with pytest.raises(InputError, match="must have samples"):
        motiform.reconstruct(figure, recording(points[:0], figure.tag_names))
    with pytest.raises(InputError, match="no markers"):
        motiform.reconstruct(figure, Recording.from_arrays([], {}))
    with pytest.raises(InputError, match="prior"):
        motiform.reconstruct(figure, recording(points, figure.tag_names), fit=Fit(prior=np.zeros(3)))


def test_samples_without_markers_are_reported(figure, truth):
    points = motiform.tags(figure, truth[:30])
    points[10:15] = np.nan
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names), dynamics=False)
    assert (rec["status"][10:15] == 2).all()
    assert (np.delete(rec["status"], range(10, 15)) == 0).all()
    assert np.isfinite(rec["q"]).all()
    assert np.nanmax(rec["error"]) < 1e-9


def test_axes_of_a_file_are_turned(figure, truth):
    """A file with z up, such as most C3D files have, gives the same joint angles."""
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # y up to z up
    points = motiform.tags(figure, truth[:3]) @ turn.T
    rec = motiform.reconstruct(figure, recording(points, figure.tag_names, up="z"), dynamics=False)
    assert np.nanmax(rec["error"]) < 1e-9
    assert rec["tags"] == pytest.approx(motiform.tags(figure, truth[:3]), abs=1e-9)


def test_free_joint_and_coupled_coordinates():
    """A root with a quaternion, and a patella that follows a knee: postures come back exactly."""
    from motiform import FigureBuilder, joints
    from motiform.motion.tree.model.functions import Polynomial

    b = FigureBuilder()
    b.segment("root", None, joints.free(), mass=1.0)
    b.segment(
        "shank", "root", joints.revolute((0, 0, 1)), placement=motiform.Transform(np.eye(3), (0, -0.4, 0)), mass=1.0
    )
    b.segment(
        "cap", "root", joints.revolute((0, 0, 1)), placement=motiform.Transform(np.eye(3), (0, -0.4, 0)), mass=1.0
    )
    for n, (segment, at) in enumerate(
        [
            ("root", (0.1, 0, 0)),
            ("root", (0, 0, 0.1)),
            ("root", (0, 0.1, 0)),
            ("shank", (0.05, -0.3, 0)),
            ("cap", (0.06, 0, 0)),
        ]
    ):
        b.tag(f"t{n}", segment, at)
    b.couple("cap", "shank", Polynomial((0.1, 0.5, 0.2)))
    figure = b.build()
    rng = np.random.default_rng(0)
    q = np.array(
        [
            motiform.motion.tree.algorithms.configuration.advance(figure, figure.neutral(), v)
            for v in 0.8 * rng.normal(size=(20, figure.nv))
        ]
    )
    rec = motiform.reconstruct(figure, recording(motiform.tags(figure, q), figure.tag_names), dynamics=False)
    assert np.nanmax(rec["error"]) < 1e-9
    sign = np.sign((rec["q"][:, 3:7] * q[:, 3:7]).sum(1))
    assert rec["q"][:, 3:7] * sign[:, None] == pytest.approx(q[:, 3:7], abs=1e-9)
    assert rec["q"][:, 7:] == pytest.approx(q[:, 7:], abs=1e-9)
