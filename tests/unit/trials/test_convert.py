"""The conversion inside the command: gaps, frame, filter, with the bits of the functions; limits of the search."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motiform import open_recording, reconstruct
from motiform.base.errors import InputError
from motiform.measure import change_frame, fill_gaps, low_pass, read_markers, write_markers_csv
from motiform.motion.figures import human36
from motiform.motion.postures import Fit
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.trials.convert import change_to_frame, check_conversion, fill_trial
from motiform.trials.figure import FigureSpec
from motiform.trials.trial import MarkerTrial, TrialOptions, run_trial, trial_key

RATE, SAMPLES = 100.0, 40
LEGS = [k for k in range(28) if k not in range(18, 28)]  # tags 1 to 18, those that HuMAnS uses


def measured(path=None, noise=5e-4):
    """A body that moves a little, turned and away from the origin, some markers hidden for a while."""
    man = human36()
    t = np.arange(SAMPLES) / RATE
    size = np.random.default_rng(3).uniform(-0.1, 0.1, man.nq)
    q = man.neutral() + size * np.sin(4 * t)[:, None]
    x = tags(man, q)[:, LEGS]
    turn = np.array([[0.96, 0.0, 0.28], [0.0, 1.0, 0.0], [-0.28, 0.0, 0.96]])
    x = x @ turn.T + (1.5, 0.0, -0.7) + noise * np.random.default_rng(4).normal(size=x.shape)
    x[10:15, 2] = np.nan
    x[22:32, 7] = np.nan
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=RATE)
    names = [man.tag_names[k] for k in LEGS]
    rec = Recording.from_arrays({"markers": (channel, x)}, manifest={"labels": {"marker": names}, "up": "y"})
    if path is not None:
        write_markers_csv(rec, path)
    return rec


def run(path, folder, options):
    found = run_trial(MarkerTrial(str(path), str(folder), trial_key(path, options), options), lambda part: None)
    assert found["status"] == "done", found
    return found, open_recording(folder / f"{folder.name}.mf")


@pytest.mark.slow
def test_the_command_has_the_bits_of_the_functions(tmp_path):
    measured(tmp_path / "a.csv")
    options = TrialOptions(
        report=False, fill={"longest": 0.2}, frame={"to": "model", "face": True}, filter={"cutoff": 8.0, "order": 2},
        reconstruct={"max_iterations": 50},
    )  # fmt: skip
    found, rec = run(tmp_path / "a.csv", tmp_path / "out", options)
    taken = fill_gaps(read_markers(tmp_path / "a.csv"), longest=0.2, count_as_seen=True)
    taken = low_pass(change_frame(taken, face=True), 8.0)
    own = reconstruct(human36(), taken, fit=Fit(max_iterations=50))
    for name in ("markers", "q", "std", "status", "iterations"):
        np.testing.assert_array_equal(rec[name], own[name], err_msg=name)
    assert np.isfinite(rec["markers"][:, LEGS]).all()
    assert found["iterations"]["limit"] == 50
    with open(tmp_path / "out" / "convergence.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["iterations"]) for row in rows] == own["iterations"].tolist()
    assert [float(row["rms [m]"]) for row in rows] == own["error.rms"].tolist()
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["options"]["filter"]["cutoff"] == 8.0


def test_gaps_that_do_not_count_as_seen_are_not_fitted():
    """HuMAnS's InterpBool: they help the filter, and the search takes them for hidden."""
    rec = measured()
    for counted in (True, False):
        options = TrialOptions(fill={"longest": None, "count_as_seen": counted})
        found = reconstruct(human36(), fill_trial(rec, options))
        assert np.isfinite(found["markers"][10:15, LEGS[2]]).all() == counted
    assert not np.isfinite(found["error"][22:32, LEGS[7]]).any()


def test_nearest_to_the_zero_position_is_the_least_squares_frame():
    rec, man = measured(noise=0.0), human36()
    moved = change_to_frame(rec, TrialOptions(frame={"to": "pose", "samples": 1}), None)
    own = tags(man, man.neutral())[LEGS]
    # centred as the first sample is, and not to be turned nearer: a rotation vector of zero torque
    x = np.asarray(moved["markers"])[0]
    np.testing.assert_allclose(x.mean(0), own.mean(0), atol=1e-14)
    torque = np.cross(own - own.mean(0), x - x.mean(0)).sum(0)
    assert np.abs(torque).max() < 1e-13  # m², of sums of 18 products of 1 m²


def test_ankles_and_hips_are_those_of_a_marker_set_or_a_correspondence():
    rec = measured()
    names = [f"M{k}" for k in range(len(LEGS))]
    named = Recording.from_arrays(
        {"markers": (rec.channel("markers"), rec["markers"])}, manifest={**rec.manifest, "labels": {"marker": names}}
    )
    tag_names = [human36().tag_names[k] for k in LEGS]
    by_names = TrialOptions(
        frame={"to": "model"}, reconstruct={"correspondence": dict(zip(tag_names, names, strict=True))}
    )
    expected = change_frame(rec)["markers"]
    np.testing.assert_array_equal(change_to_frame(named, by_names, None)["markers"], expected)
    own = {"RMAL": "r_lateral_malleolus", "LMAL": "l_lateral_malleolus", "RTRO": "r_trochanter", "LTRO": "l_trochanter"}
    at = {"RMAL": 4, "LMAL": 12, "RTRO": 6, "LTRO": 14}
    few = Recording.from_arrays(
        {"markers": (replace(rec.channel("markers"), shape=(4, 3)), rec["markers"][:, list(at.values())])},
        manifest={**rec.manifest, "labels": {"marker": list(at)}},
    )
    given = TrialOptions(frame={"to": "model", "ankles": "M4,M12", "hips": ["M6", "M14"]})
    given = replace(given, reconstruct=by_names.reconstruct)
    np.testing.assert_array_equal(change_to_frame(named, given, None)["markers"], expected)
    by_sites = TrialOptions(FigureSpec(measures={"markers": own}), frame={"to": "model"})
    np.testing.assert_array_equal(change_to_frame(few, by_sites, None)["markers"], expected[:, list(at.values())])
    with pytest.raises(InputError, match="both ankles and both hips"):
        change_to_frame(
            few, replace(by_sites, figure=FigureSpec(measures={"markers": dict(list(own.items())[:3])})), None
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"frame": {"to": "lab"}}, "no such frame"),
        ({"frame": {"to": "model", "hips": "R1,L1,L2"}}, "hips must be two markers"),
        ({"filter": {"cutoff": 0.0}}, "a cutoff must be above 0"),
        ({"filter": {"cutoff": 8.0, "ordr": 4}}, "Did you mean 'order'"),
        ({"fill": {"longest": 0.1, "seen": True}}, "no such option"),
    ],
)
def test_conversions_without_a_meaning_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        check_conversion(TrialOptions(**options))


def test_keys_of_results_without_a_conversion_are_as_before(tmp_path):
    """So that nothing is done again."""
    (tmp_path / "a.trc").write_text("x")
    plain = trial_key(tmp_path / "a.trc", TrialOptions())
    others = [TrialOptions(**{name: {}}) for name in ("fill", "filter", "frame")]
    assert len({plain, *(trial_key(tmp_path / "a.trc", one) for one in others)}) == 4


def test_a_search_ends_at_its_limit_or_its_threshold():
    rec, man = measured(), human36()
    full = reconstruct(man, rec)
    assert full.manifest["reconstruct"]["iterations"]["at_limit"] == 0
    assert (full["status"] == 0).all()
    short = reconstruct(man, rec, fit=Fit(max_iterations=2))
    assert short["iterations"].max() == 2
    assert short.manifest["reconstruct"]["iterations"]["at_limit"] == (short["status"] == 1).sum() > 0
    coarse = reconstruct(man, rec, fit=Fit(threshold=0.02))
    assert (coarse["status"] == 0).all()
    assert coarse["error.rms"].max() < 0.02
    assert coarse["iterations"].sum() < full["iterations"].sum()
    for wrong in ({"max_iterations": 0}, {"threshold": -1.0}):
        with pytest.raises((InputError, ValueError)):
            Fit(**wrong)


def test_files_that_are_named_alike_in_summary(tmp_path):
    measured(tmp_path / "a.csv")
    found, rec = run(tmp_path / "a.csv", tmp_path / "one", TrialOptions(report=False))
    assert set(found["iterations"]) == {
        "limit", "mean", "most", "at_limit", "accuracy", "threshold", "rounding", "worst_rms",
    }  # fmt: skip
    assert "convergence.csv" in {path.name for path in Path(tmp_path / "one").iterdir()}
    assert rec["status"].max() == 0
