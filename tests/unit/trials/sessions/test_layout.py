"""Which files of a folder are static or gait trials, and of which condition: by names, by TOML, by CSV."""

import pytest

from motiform.base.errors import InputError
from motiform.trials.sessions.layout import GAIT, IGNORED, STATIC, read_layout


def touch(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("PathFileType\t4\n")


def told(layout):
    return {one.place: (one.role, one.condition) for one in layout.files}


def test_folders_are_conditions_and_names_tell_statics(tmp_path):
    touch(tmp_path, "Static_01.trc", "before/walk1.trc", "before/cal.trc", "after/walk1.trc", "after/local walk.trc")
    assert told(read_layout(tmp_path)) == {
        "Static_01.trc": (STATIC, ""), "before/walk1.trc": (GAIT, "before"), "before/cal.trc": (STATIC, "before"),
        "after/walk1.trc": (GAIT, "after"), "after/local walk.trc": (GAIT, "after"),
    }  # fmt: skip
    assert set(read_layout(tmp_path).conditions) == {"before", "after"}


def test_names_without_their_numbers_are_conditions_where_several_share_one(tmp_path):
    touch(tmp_path, "barefoot_01.trc", "barefoot_02.trc", "brace 1.trc", "brace 2.trc", "t-pose.trc")
    found = read_layout(tmp_path)
    assert [one.condition for one in found.of(GAIT)] == ["barefoot", "barefoot", "brace", "brace"]
    assert [one.place for one in found.of(STATIC)] == ["t-pose.trc"]


@pytest.mark.parametrize("names", [("walk1.trc", "walk2.trc"), ("slow.trc", "fast.trc", "usual.trc")])
def test_names_that_tell_no_condition(tmp_path, names):
    touch(tmp_path, *names)
    assert {one.condition for one in read_layout(tmp_path).files} == {""}


def test_a_table_tells_all(tmp_path):
    touch(tmp_path, "a1.trc", "a2.trc", "b1.trc", "s.trc", "rest.trc")
    (tmp_path / "session.toml").write_text(
        'title = "Before the operation"\nsubject = "P7"\nmass = 61.5\nconditions = ["with", "without"]\n'
        "[header]\ndate = 2026-05-04\n[rules]\nduration = 0.4\n"
        '[[trial]]\nfile = "a*.trc"\ncondition = "without"\n[[trial]]\nfile = "b1.trc"\ncondition = "with"\n'
        '[[trial]]\nfile = "s.trc"\nrole = "static"\n'
    )
    found = read_layout(tmp_path)
    assert told(found) == {
        "a1.trc": (GAIT, "without"), "a2.trc": (GAIT, "without"), "b1.trc": (GAIT, "with"), "s.trc": (STATIC, ""),
        "rest.trc": (IGNORED, ""),
    }  # fmt: skip
    assert found.of(IGNORED)[0].why == "no pattern of the table of the session names it"
    assert found.conditions == ("with", "without")
    assert (found.title, found.subject, found.measures) == ("Before the operation", "P7", {"mass": 61.5})
    assert found.header == {"date": "2026-05-04"}
    assert (found.rules.duration, found.rules.outliers) == (0.4, 3.0)


def test_a_table_of_trials_as_csv(tmp_path):
    touch(tmp_path, "a.trc", "x.trc")
    (tmp_path / "session.csv").write_text("# who did what\nfile,condition,role\nx.trc,,static\na.trc,brace,\n")
    assert told(read_layout(tmp_path)) == {"a.trc": (GAIT, "brace"), "x.trc": (STATIC, "")}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("session.toml", 'titel = "x"', "no such key.*Did you mean 'title'"),
        ("session.toml", "title = ", "must be TOML"),
        ("session.toml", 'mass = "heavy"', "the mass must be a number above 0"),
        ("session.toml", '[[trial]]\nfile = "b*.trc"', "a row of the table must name a file"),
        ("session.toml", '[[trial]]\nfile = "a.trc"\nrole = "gate"', "the role of a trial must be known"),
        ("session.toml", "[[trial]]\nrole = 1", "a trial of a session must have a file"),
        ("session.toml", 'conditions = ["brace"]', "conditions must be those of trials"),
        ("session.toml", "[rules]\noutliers = -1", "outliers must be a number from 0"),
        ("session.toml", "trial = 3", "trial must be tables"),
        ("session.csv", "condition,role\nx,y\n", "the table of a session must have its columns"),
    ],
)
def test_tables_that_are_refused(tmp_path, name, text, words):
    touch(tmp_path, "a.trc")
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=words):
        read_layout(tmp_path)


def test_folders_that_are_refused(tmp_path):
    touch(tmp_path, "a/Subject01/walk.trc", "a/Subject02/walk.trc")
    with pytest.raises(InputError, match="a session must be of one subject"):
        read_layout(tmp_path)
    with pytest.raises(InputError, match="a session must be a folder"):
        read_layout(tmp_path / "nothing")
    touch(tmp_path, "b/walk.trc", "b/session.toml", "b/session.csv")
    with pytest.raises(InputError, match="a session must have one table"):
        read_layout(tmp_path / "b")
