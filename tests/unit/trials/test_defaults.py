"""Trials with nothing told: the marker set, the size and the mass come from the file, or the file is refused."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.figures import human36
from motiform.motion.figures.marker_sets import MARKER_SETS, find_marker_set, read_sites, site_spreads
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.trials.defaults import find_size, settle_defaults
from motiform.trials.figure import FigureSpec
from motiform.trials.trial import TrialOptions


def markers_of(figure, names=None, **manifest):
    """Markers of a figure whose joints all move a little, under their names or others."""
    chosen = [k for k, tag in enumerate(figure.tag_names) if names is None or tag in names]
    t = np.arange(50)[:, None] / 50.0
    q = figure.neutral() + 0.2 * np.sin(2 * np.pi * t + np.arange(figure.nq))
    x = tags(figure, q)[:, chosen]
    labels = {"marker": [figure.tag_names[k] for k in chosen]}
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=50.0)
    return Recording.from_arrays({"markers": (channel, x)}, manifest={"labels": labels, "up": "y", **manifest})


@pytest.mark.parametrize("name", MARKER_SETS)
def test_every_set_is_recognised_by_its_own_names(name):
    assert find_marker_set(list(MARKER_SETS[name]))[1] == len(MARKER_SETS[name])
    rec = markers_of(human36(1.75, markers=name), MARKER_SETS[name])
    options, told, _ = settle_defaults(TrialOptions(), rec, None)
    assert MARKER_SETS[options.figure.measures["markers"]].keys() >= {*MARKER_SETS[name]} - {""}
    assert options.calibrate
    assert told["markers"][0].startswith(f"recognised by {len(MARKER_SETS[name])} of")


@pytest.mark.parametrize("height", [1.1, 1.6, 1.95])
def test_size_by_distances_of_markers(height):
    """Distances are those of the body itself: every ratio is that of the heights."""
    rec = markers_of(human36(height, markers="plug-in-gait"), MARKER_SETS["plug-in-gait"])
    size = find_size(human36(1.75, markers="plug-in-gait"), rec)
    assert size == pytest.approx(height / 1.75, rel=1e-2)  # of joints that turn by 0.2 rad between two tags
    options, told, _ = settle_defaults(TrialOptions(), rec, None)
    assert options.figure.measures["height"] == pytest.approx(height, rel=1e-2)
    assert told["height"][0] == "distances of markers"


def test_what_is_told_stays():
    body = human36(1.75, markers="plug-in-gait")
    rec = markers_of(body, MARKER_SETS["plug-in-gait"], body={"mass": 61.0, "height": 1.6})
    options, told, notes = settle_defaults(TrialOptions(), rec, None)
    assert (options.figure.measures["mass"], options.figure.measures["height"]) == (61.0, 1.6)
    assert not notes
    given = TrialOptions(FigureSpec("human36", {"mass": 80.0, "height": 1.8}), calibrate=False)
    options, told, _ = settle_defaults(given, rec, None)
    assert (options.figure.measures["mass"], options.figure.measures["height"]) == (80.0, 1.8)
    assert options.calibrate is False
    assert "mass" not in told
    native = markers_of(human36(1.75))  # tags of the figure itself
    options, told, _ = settle_defaults(TrialOptions(), native, None)
    assert options.calibrate is None
    assert not told


def test_feet_with_two_markers_do_not_roll():
    rec = markers_of(human36(1.75, markers="plug-in-gait"), MARKER_SETS["plug-in-gait"])
    options, _, _ = settle_defaults(TrialOptions(), rec, None)
    assert set(options.reconstruct["tasks"]) == {"right_ankle_eversion", "left_ankle_eversion"}
    rec = markers_of(human36(1.75, markers="rizzoli"), MARKER_SETS["rizzoli"])
    options, _, _ = settle_defaults(TrialOptions(), rec, None)
    assert "tasks" not in options.reconstruct  # four markers on each


def test_unknown_names_are_refused_and_a_table_of_sites_helps(tmp_path):
    body = human36(1.75, markers={"K1": "r_lateral_knee", "A1": "r_lateral_malleolus", "H1": "r_heel"})
    rec = markers_of(body, ("K1", "A1", "H1"))
    with pytest.raises(InputError, match=r"the marker set is not known.*K1.*--markers CSV"):
        settle_defaults(TrialOptions(), rec, None)
    (tmp_path / "sites.csv").write_text("marker,site\nK1,r_lateral_knee\nA1,r_lateral_malleolus # ankle\n")
    sites = read_sites(tmp_path / "sites.csv")
    assert sites == {"K1": "r_lateral_knee", "A1": "r_lateral_malleolus"}
    options, _, _ = settle_defaults(TrialOptions(FigureSpec("human36", {"markers": sites})), rec, None)
    assert options.calibrate


def test_spreads_of_sites():
    spreads = site_spreads(MARKER_SETS["plug-in-gait"])
    assert spreads["LTHI"] > 4 * spreads["LKNE"]
    assert site_spreads({"X": ("left_thigh", (0.0, 0.0, 0.0))}) == {}
