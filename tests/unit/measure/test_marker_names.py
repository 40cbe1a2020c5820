import numpy as np
import pytest
from marker_files import motion, recording

from motiform.base.errors import InputError
from motiform.measure import choose_markers, marker_names, match_names, read_correspondence

TAGS = ("r_digit2", "l_digit2", "vertex", "c7")


def rec(*names):
    return recording(motion(5, len(names)), names)


def test_names_match_without_prefix_capitals_and_underscores():
    found = match_names(rec("Anna:R_Digit2", "L DIGIT2", "elbow", "Vertex"), TAGS)
    assert found.indices.tolist() == [0, 1, 3, -1]
    assert found.markers == ("Anna:R_Digit2", "L DIGIT2", "Vertex", None)
    assert found.unmatched_tags == ("c7",)
    assert found.unmatched_markers == ("elbow",)
    assert "3 of 4 tags" in str(found)


def test_an_exact_name_comes_first():
    assert match_names(rec("A:vertex", "vertex", "x", "y"), ("vertex",)).indices.tolist() == [1]


def test_exact_names_win_over_names_alike_of_other_tags():
    found = match_names(rec("RKNE", "r_kne", "V"), ("r_kne", "RKNE", "R KNE", "v"))
    assert found.indices.tolist() == [1, 0, -1, 2]
    assert match_names(rec("RKNE", "x"), ("r_kne", "RKNE")).indices.tolist() == [-1, 0]


def test_mapping_overrules_and_may_leave_out():
    given = {"vertex": "HEAD", "r_digit2": None, "l_digit2": "absent in this trial"}
    found = match_names(rec("r_digit2", "l_digit2", "head", "C7"), TAGS, given)
    assert found.indices.tolist() == [-1, -1, 2, 3]


def test_vector_of_the_seed():
    found = match_names(rec("M1", "M2", "M3", "M4"), TAGS, [4, -1, 1])
    assert found.indices.tolist() == [3, -1, 0, -1]
    for wrong, words in (([5], "1 to 4"), ([1, 1], "one tag at most"), ([1, 2, 3, 4, 4], "too long")):
        with pytest.raises(InputError, match=words):
            match_names(rec("M1", "M2", "M3", "M4"), TAGS, wrong)


@pytest.mark.parametrize(
    "text", ["tag,marker\nvertex,HEAD\nc7,\n", "# mine\nvertex;HEAD\nc7;-1\n", '"vertex"\t"HEAD"\nc7\t-1\n']
)
def test_file_of_correspondence(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert read_correspondence(path)["vertex"] == "HEAD"
    found = match_names(rec("HEAD", "C7", "r_digit2", "e"), TAGS, path)
    assert found.indices.tolist() == [2, -1, 0, -1]


@pytest.mark.parametrize(
    ("text", "words"), [("vertex\n", "a.csv:1"), ("c7,A\nc7,B\n", "a.csv:2"), ("nose,A\n", "nose"), ("", "empty")]
)
def test_broken_correspondence(text, words, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        match_names(rec("A", "C7", "d", "e"), TAGS, path)


def test_no_common_marker():
    with pytest.raises(InputError, match="correspondence"):
        match_names(rec("A", "B", "C", "D"), TAGS)
    with pytest.raises(InputError, match="no such file"):
        match_names(rec("A", "B", "C", "D"), TAGS, "none.csv")
    with pytest.raises(InputError, match="must stand for one marker"):
        match_names(rec("A:vertex", "B:vertex", "C", "D"), TAGS)


def test_choosing_keeps_what_belongs_to_the_markers():
    from motiform.measure import fill_gaps

    points = motion(9)
    points[3, 1] = np.nan
    chosen = choose_markers(fill_gaps(recording(points)), {"a": "C7", "b": "RASI"})
    assert marker_names(chosen) == ["a", "b"]
    assert chosen["seen"].shape == (9, 2)
    assert not chosen["seen"][3, 1]
    with pytest.raises(InputError):
        choose_markers(recording(), [])
