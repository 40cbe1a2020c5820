import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.measure import Subject, read_subjects, write_subjects
from motiform.motion.figures import human36
from motiform.motion.figures.marker_sets import MARKER_SETS, SITES
from motiform.motion.tree import tags


@pytest.mark.parametrize("name", MARKER_SETS)
def test_every_set_lies_on_the_body(name):
    """Sites of both sides mirror one another; a marker of the left is on the left, and none is beside the body."""
    body = human36(1.8, 75.0, markers=name)
    at = dict(zip(body.tag_names, tags(body, body.neutral()), strict=True))
    assert len(at) == 28 + len(MARKER_SETS[name])
    for marker, site in MARKER_SETS[name].items():
        assert site in SITES
        x, y, z = at[marker]
        assert -0.2 < x < 0.25
        assert 0.0 <= y <= 1.8 + 1e-9
        assert abs(z) < 0.35
        if site.startswith("l_") and "medial" not in site:
            assert z < 0
            twin = next(m for m, s in MARKER_SETS[name].items() if s == "r_" + site[2:])
            assert_allclose(at[twin], [x, y, -z], atol=1e-12)


def test_spines_of_the_pelvis_lie_as_published():
    """Hip joints 14 % medial, 30 % below and 22 % behind of the spines, of their distance [Bell90]."""
    body = human36(1.8, 75.0, markers="plug-in-gait")
    at = dict(zip(body.tag_names, tags(body, body.neutral()), strict=True))
    wide = np.linalg.norm(at["RASI"] - at["LASI"])
    hip = body.lengths["L3"] / 2
    assert_allclose(at["RASI"][2] - hip, 0.14 * wide, rtol=1e-12)


def test_sets_grow_with_the_body_and_can_be_moved():
    body = human36(1.8, 75.0, markers="plug-in-gait")
    longer = body.replace(lengths={"L6": 0.6})
    k = body.tag_names.index("RKNE")
    assert longer.tags[k].point[1] == -0.6
    moved = body.replace(tags={"RKNE": (0.01, -0.4, 0.05)})
    assert moved.tags[k].point == (0.01, -0.4, 0.05)
    with pytest.raises(InputError, match=r"no such marker set .*plug-in-gait"):
        human36(markers="plug-in-gate")


def test_markers_of_ones_own(tmp_path):
    place = ("left_thigh", (0.0, -0.2, -0.1))
    body = human36(1.8, 75.0, markers={"LTHI": place, "X1": "r_asis"})
    assert (body.tags[-2].segment, body.tags[-2].point) == place
    for wrong, words in (({"A": "r_asi"}, "no such site"), ({"A": ("leg", (0, 0, 0))}, "no such segment"),
                         ({"A": 3}, "a site, or a segment"), ({"vertex": "vertex"}, "names of tags")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            human36(markers=wrong)
    subject = Subject("01", tags={"left_thigh:LTHI": (0.0, -0.2, -0.1), "r_digit2": (0.2, -0.04, 0.0)}, height=1.8)
    write_subjects([subject], tmp_path / "s.csv")
    measures = read_subjects(tmp_path / "s.csv")["01"].measures
    assert measures["markers"] == {"LTHI": place}
    assert human36(**measures).tags[-1].segment == "left_thigh"
