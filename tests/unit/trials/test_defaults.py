"""Trials with nothing told: the marker set, the size and the mass come from the file, or the file is refused."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.measure import match_names, write_trc
from motiform.motion.figures import human36
from motiform.motion.figures.marker_sets import MARKER_SETS, find_marker_set, read_sites, site_spreads
from motiform.motion.postures import efforts
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.trials.defaults import find_mass, find_size, settle_defaults, settle_mass
from motiform.trials.figure import FigureSpec
from motiform.trials.trial import MarkerTrial, TrialOptions, run_trial


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
    options, taken = settle_defaults(TrialOptions(), rec, None)
    assert MARKER_SETS[options.figure.measures["markers"]].keys() >= {*MARKER_SETS[name]} - {""}
    assert options.calibrate
    assert taken["markers"][0].startswith(f"recognised by {len(MARKER_SETS[name])} of")


@pytest.mark.parametrize("height", [1.1, 1.6, 1.95])
def test_size_by_distances_of_markers(height):
    """Distances are those of the body itself: every ratio is that of the heights."""
    rec = markers_of(human36(height, markers="plug-in-gait"), MARKER_SETS["plug-in-gait"])
    size = find_size(human36(1.75, markers="plug-in-gait"), rec)
    assert size == pytest.approx(height / 1.75, rel=1e-2)  # of joints that turn by 0.2 rad between two tags
    options, taken = settle_defaults(TrialOptions(), rec, None)
    assert options.figure.measures["height"] == pytest.approx(height, rel=1e-2)
    assert taken["height"][0] == "distances of markers"


def test_what_is_given_stays():
    body = human36(1.75, markers="plug-in-gait")
    rec = markers_of(body, MARKER_SETS["plug-in-gait"], body={"mass": 61.0, "height": 1.6})
    options, taken = settle_defaults(TrialOptions(), rec, None)
    assert (options.figure.measures["mass"], options.figure.measures["height"]) == (61.0, 1.6)
    given = TrialOptions(FigureSpec("human36", {"mass": 80.0, "height": 1.8}), calibrate=False)
    options, taken = settle_defaults(given, rec, None)
    assert (options.figure.measures["mass"], options.figure.measures["height"]) == (80.0, 1.8)
    assert options.calibrate is False
    assert "mass" not in taken
    native = markers_of(human36(1.75))  # tags of the figure itself
    options, taken = settle_defaults(TrialOptions(), native, None)
    assert options.calibrate is None
    assert not taken


def test_feet_with_two_markers_do_not_roll():
    rec = markers_of(human36(1.75, markers="plug-in-gait"), MARKER_SETS["plug-in-gait"])
    options, _ = settle_defaults(TrialOptions(), rec, None)
    assert set(options.reconstruct["tasks"]) == {"right_ankle_eversion", "left_ankle_eversion"}
    rec = markers_of(human36(1.75, markers="rizzoli"), MARKER_SETS["rizzoli"])
    options, _ = settle_defaults(TrialOptions(), rec, None)
    assert "tasks" not in options.reconstruct  # four markers on each


def test_unknown_names_are_refused_and_a_table_of_sites_helps(tmp_path):
    body = human36(1.75, markers={"K1": "r_lateral_knee", "A1": "r_lateral_malleolus", "H1": "r_heel"})
    rec = markers_of(body, ("K1", "A1", "H1"))
    with pytest.raises(InputError, match=r"the marker set is not known.*K1.*--markers CSV"):
        settle_defaults(TrialOptions(), rec, None)
    (tmp_path / "sites.csv").write_text("marker,site\nK1,r_lateral_knee\nA1,r_lateral_malleolus # ankle\n")
    sites = read_sites(tmp_path / "sites.csv")
    assert sites == {"K1": "r_lateral_knee", "A1": "r_lateral_malleolus"}
    options, _ = settle_defaults(TrialOptions(FigureSpec("human36", {"markers": sites})), rec, None)
    assert options.calibrate


def test_names_in_other_letters_are_recognised_by_their_sites():
    """R_ASIS, L_Lateral_Knee: of no set as a whole, but each says its site."""
    parts = ("asis", "psis", "lateral_knee", "medial_knee", "medial_malleolus", "heel", "metatarsal5")
    sites = {f"{side.upper()}_{site.title()}": f"{side}_{site}" for side in "rl" for site in parts}
    rec = markers_of(human36(1.75, markers=sites), sites)
    options, taken = settle_defaults(TrialOptions(), rec, None)
    assert options.figure.measures["markers"] == sites
    assert taken["markers"] == ("recognised by 14 of 14 names", "sites by names")


def test_names_that_differ_by_letters_alone_share_no_tag():
    """L_toe is both LTOE and L.Toe of the same set: one of them has it."""
    names = ["R.ASIS", "L.ASIS", "V.Sacral", "L.Knee", "R.Knee", "L.Ankle", "R.Ankle", "L.Toe", "R.Toe"]
    body = human36(1.75, markers="helen-hayes")
    rec = markers_of(body, names)
    rec.manifest["labels"]["marker"] = [name.replace(".", "_").lower() for name in rec.manifest["labels"]["marker"]]
    options, _ = settle_defaults(TrialOptions(), rec, None)
    assert options.figure.measures["markers"] == "helen-hayes"
    matched = [name for name in match_names(rec, body.tag_names).markers if name is not None]
    assert sorted(matched) == sorted(rec.manifest["labels"]["marker"])


def test_an_unknown_set_leaves_a_table_of_likely_sites(tmp_path):
    """The message names it; a second run does not write over what a person corrected."""
    body = human36(1.75, markers={"KneeX": "r_lateral_knee", "Q1": "r_lateral_malleolus", "Rt Heel B": "r_heel"})
    write_trc(markers_of(body, ("KneeX", "Q1", "Rt Heel B")), tmp_path / "a.trc")
    trial = MarkerTrial(str(tmp_path / "a.trc"), str(tmp_path / "out" / "a"), "k", TrialOptions())
    table = tmp_path / "out" / "a_markers.csv"
    for _ in range(2):
        found = run_trial(trial, lambda part: None)
        assert found["status"] == "failed"
        assert found["input"]
        assert str(table) in found["error"]
    assert read_sites(table) == {"Rt Heel B": "r_heel"}


def test_legs_are_recognised_among_many_other_points():
    """A file that also holds points of its laboratory's own; a trunk among as many is none of the set."""
    body = human36(1.75, markers=MARKER_SETS["plug-in-gait"] | {f"AXIS{k}": "c7" for k in range(60)})
    legs = ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")
    names = [f"{side}{name}" for side in "LR" for name in legs]
    rec = markers_of(body, [*names, *(f"AXIS{k}" for k in range(60))])
    options, taken = settle_defaults(TrialOptions(), rec, None)
    assert options.figure.measures["markers"] == "plug-in-gait"
    assert taken["markers"][0] == "recognised by 16 of 76 names"
    rec = markers_of(body, ["C7", "CLAV", "STRN", "T10", *(f"AXIS{k}" for k in range(60))])
    with pytest.raises(InputError, match="the marker set is not known"):
        settle_defaults(TrialOptions(), rec, None)


def test_spreads_of_sites():
    spreads = site_spreads(MARKER_SETS["plug-in-gait"])
    assert spreads["LTHI"] > 4 * spreads["LKNE"]
    assert site_spreads({"X": ("left_thigh", (0.0, 0.0, 0.0))}) == {}


@pytest.mark.parametrize("mass", [14.5, 61.3, 130.0])
def test_mass_by_the_force_of_plates(mass):
    """A body that bends and jumps: the ground gives m (a + g), which a body of another mass does not need."""
    subject, mean = human36(1.6, mass), human36(1.6)
    t = np.arange(80)[:, None] / 100.0
    wave = np.sin(2 * np.pi * t + np.arange(mean.nq))
    speed = 2 * np.pi * np.cos(2 * np.pi * t + np.arange(mean.nq))
    motion = mean.neutral() + 0.2 * wave, 0.2 * speed, -0.2 * (2 * np.pi) ** 2 * wave
    ground = efforts(subject, t[:, 0], *motion).residual
    left = efforts(mean, t[:, 0], *motion).residual - ground
    left[60:, 4] += 500.0  # beside the plates
    known = np.repeat(np.arange(80)[:, None] < 60, 2, axis=1)
    arrays = dict(zip("qva", motion, strict=True)) | {"residual": left, "effort.known": known.astype("int8")}
    data = {n: (Channel(n, shape=v.shape[1:], dims=("k",), rate=100.0, dtype=str(v.dtype)), v)
            for n, v in arrays.items()}  # fmt: skip
    rec = Recording.from_arrays(data)
    assert find_mass(mean, rec) == pytest.approx(mass, abs=0.05)  # rounded to 0.1 kg
    assert settle_mass(TrialOptions(), None, mean, rec) == (find_mass(mean, rec), [])
    assert settle_mass(TrialOptions(FigureSpec("human36", {"mass": 50.0})), None, mean, rec) == (None, [])
    few = rec.slice(0.45, 0.79)
    none, notes = settle_mass(TrialOptions(), None, mean, few)
    assert none is None
    assert "--mass" in notes[0]
