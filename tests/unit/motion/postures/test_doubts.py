"""Postures that must not be trusted are told from those that may be."""

import numpy as np
import pytest

from motiform.measure.names import choose_markers
from motiform.motion.figures import human36
from motiform.motion.postures import virtual_markers
from motiform.motion.postures.doubts import find_doubts
from motiform.trials import reconstruct
from motiform.trials.stage import DoubtfulWarning

BODY = human36(1.8, 75.0)


def bent(name, degrees, count=4):
    q = np.repeat(BODY.neutral()[None], count, axis=0)
    q[:, BODY.coordinates.index(name)] = np.deg2rad(degrees)
    return virtual_markers(BODY, q, rate=50.0)


def doubts_of(rec, figure=BODY, **options):
    with pytest.warns(DoubtfulWarning):
        return reconstruct(figure, rec, **options).manifest["reconstruct"]["doubts"]


@pytest.mark.filterwarnings("error")
def test_a_body_that_stands_or_sits_is_not_doubted():
    for name, degrees in (("right_knee_extension", -100), ("right_knee_extension", 15), ("left_hip_flexion", 100)):
        assert reconstruct(BODY, bent(name, degrees)).manifest["reconstruct"]["doubts"] == []


def test_a_knee_bent_backwards_is_doubted():
    (words,) = doubts_of(bent("left_knee_extension", 24))
    assert words.startswith("left_knee_extension must be within -135 to 10°: it is at 24° in 100 %")


@pytest.mark.parametrize(("samples", "told"), [(8, True), (4, False)])
def test_a_knee_that_is_bent_backwards_for_a_moment_is_doubted(samples, told):
    """For 0.14 s of 6 s, a fiftieth of the samples; three intervals of 20 ms are a glitch."""
    q = np.repeat(BODY.neutral()[None], 300, axis=0)
    q[:, 0] = np.linspace(0.0, 0.1, 300)
    q[100 : 100 + samples, BODY.coordinates.index("left_knee_extension")] = np.deg2rad(24)
    found = reconstruct(BODY, virtual_markers(BODY, q, rate=50.0)).manifest["reconstruct"]["doubts"]
    words = "left_knee_extension must be within -135 to 10°: it is at 24° between 2.00 and 2.14 s"
    assert [one for one in found if "knee" in one] == ([words] if told else [])


def test_a_pelvis_without_markers_is_doubted():
    arms = [name for name in BODY.tag_names if not any(part in name for part in ("iliocristale", "troch", "epicn"))]
    rec = choose_markers(bent("left_knee_extension", -20), arms)
    assert any("pelvis" in words or "lower trunk" in words for words in doubts_of(rec))


def test_few_matched_markers_are_doubted_unless_they_are_named():
    rec = bent("left_knee_extension", -20)
    legs = [name for name in BODY.tag_names if name.startswith("r_") or "trunk" in name]
    names = {name if name in legs[:10] else f"P{k}": name for k, name in enumerate(BODY.tag_names)}
    few = choose_markers(rec, names)
    assert any(words.startswith("most markers of the file must be on the figure: 10 of 28") for words in doubts_of(few))
    with pytest.warns(DoubtfulWarning):
        found = reconstruct(BODY, few)
    assert not any("most markers" in words for words in find_doubts(BODY, found, {"vertex": "P27"}))


def test_markers_far_from_their_tags_are_doubted():
    rec = virtual_markers(BODY, np.repeat(BODY.neutral()[None], 4, axis=0), rate=50.0, noise=0.08, seed=3)
    assert any("must be those of the figure" in words for words in doubts_of(rec))


def test_a_knee_that_is_bent_as_far_as_it_goes_is_not_doubted():
    found = reconstruct(BODY, bent("right_knee_extension", -148))
    assert not any("knee" in words for words in found.manifest["reconstruct"]["doubts"])
    assert any("left_elbow_flexion must be within" in words for words in doubts_of(bent("left_elbow_flexion", -25)))
