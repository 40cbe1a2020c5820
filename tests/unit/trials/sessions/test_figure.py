"""The one figure of a session: what it is made from, and when it is taken again."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.measure import turn
from motiform.motion.figures import human36
from motiform.motion.postures import virtual_markers
from motiform.trials.figure import FigureSpec, make_figure
from motiform.trials.sessions import figure as figures
from motiform.trials.sessions.figure import FIGURE, settle_figure, still_trials
from motiform.trials.sessions.layout import GAIT, STATIC, read_layout
from motiform.trials.trial import TrialOptions
from walkers import RATE, standing, walking, write_walk

OPTIONS = TrialOptions(FigureSpec(measures={"height": 1.75, "mass": 70.0}), report=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("session")
    man = human36(1.75, 70.0)
    standing(man, path / "static.trc", 0.4)
    write_walk(man, path / "walk.trc", seconds=0.4)
    return path


def test_a_figure_is_found_once_and_taken_again(folder, tmp_path, monkeypatch):
    layout = read_layout(folder)
    first = settle_figure(layout, OPTIONS, tmp_path)
    assert first.calibration["by"] == "static trials"
    assert (first.options.static, first.options.calibrate) == (None, False)
    # 0.2 mm of noise and none in standing: the lengths are those of the body
    made, given = make_figure(first.options.figure, None), human36(1.75, 70.0)
    assert_allclose(np.asarray(made.lengths), np.asarray(given.lengths), atol=1e-3)
    assert made.mass == pytest.approx(70.0)

    def refused(*_, **__):
        raise AssertionError("it is known")

    monkeypatch.setattr(figures, "calibrated", refused)
    again = settle_figure(layout, OPTIONS, tmp_path)
    assert again == first
    taller = replace(OPTIONS, figure=FigureSpec(measures={"height": 1.8, "mass": 70.0}))
    with pytest.raises(AssertionError, match="it is known"):  # other options are another figure
        settle_figure(layout, taller, tmp_path)
    (tmp_path / FIGURE).write_text(json.dumps({"kind": "motiform session figure", "key": "x"}))
    with pytest.raises(AssertionError, match="it is known"):  # and so is one of other files
        settle_figure(layout, OPTIONS, tmp_path)


def test_a_figure_of_its_own_kind_is_made_by_the_first_static(folder):
    found = settle_figure(read_layout(folder), TrialOptions(FigureSpec("bip")), folder / "nothing")
    assert found.options.static == str((folder / "static.trc").absolute())
    assert found.calibration == {}
    assert not (folder / "nothing").exists()


def test_who_stands_and_who_walks(folder):
    layout = read_layout(folder)
    everything = replace(layout, files=tuple(replace(one, role=GAIT) for one in layout.files))
    assert still_trials(everything, OPTIONS) == ["static.trc"]
    assert [one.role for one in everything.with_static(["static.trc"], "").files] == [STATIC, GAIT]


def test_samples_of_trials_are_pooled_upright_with_all_their_markers():
    man = human36(1.75, 70.0)
    one = virtual_markers(man, walking(man, seconds=0.2), rate=RATE)
    other = turn(one, up="y", forward="x")
    other.manifest["labels"]["marker"] = [*other.manifest["labels"]["marker"][:-1], "another"]
    found = figures._pooled([one, other])
    names = found.manifest["labels"]["marker"]
    assert len(names) == 29
    points, count = np.asarray(found["markers"]), one.count("markers")
    assert points.shape == (2 * count, 29, 3)
    assert_allclose(points[:count, :28], one["markers"], atol=1e-12)
    assert np.isnan(points[:count, names.index("another")]).all()
    assert_allclose(points[count:, names.index("another")], other["markers"][:, -1], atol=1e-12)
