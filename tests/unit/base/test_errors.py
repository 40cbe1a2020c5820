"""Errors say where, what was got, what is allowed, what to do."""

import pytest

from motiform.base.errors import InputError, MotiformError, RecordingError, RunError, SceneError, ShapeError, closest


def test_all_of_the_text():
    error = InputError("bad", where="leg.toml:41 joint 'knee'", got="x", allowed="y", remedy="Do z.")
    assert str(error) == "leg.toml:41 joint 'knee': bad (got 'x'; allowed: y). Do z."
    assert (error.where, error.got, error.allowed, error.remedy, error.problem) == (
        "leg.toml:41 joint 'knee'",
        "x",
        "y",
        "Do z.",
        "bad",
    )


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, "bad"),
        ({"got": 0}, "bad (got 0)"),
        ({"got": False}, "bad (got False)"),
        ({"allowed": "y"}, "bad (allowed: y)"),
        ({"remedy": "Do z."}, "bad. Do z."),
        ({"where": "here"}, "here: bad"),
    ],
)
def test_parts_of_the_text(facts, text):
    assert str(MotiformError("bad", **facts)) == text


def test_wrong_input_ends_with_two_and_failed_work_with_one():
    assert {kind.exit_code for kind in (InputError, SceneError, ShapeError, RecordingError)} == {2}
    assert (RunError.exit_code, MotiformError.exit_code) == (1, 1)
    assert issubclass(SceneError, InputError)
    assert not issubclass(RunError, InputError)


def test_closest_name():
    assert closest("handel", ["handle", "top"]) == "Did you mean 'handle'?"
    assert closest("zzz", ["handle", "top"]) is None
    assert closest("x", []) is None


def test_control_characters_of_names_do_not_reach_the_terminal():
    text = str(InputError("no such file", where="a\x1b]0;title\x07\x9b31m\u202e.toml", got="b\x1b[31m"))
    assert text == r"a\x1b]0;title\x07\x9b31m\u202e.toml: no such file (got 'b\x1b[31m')"
    assert str(InputError("10\u00a0mm, één\tµ\nα → β")) == "10\u00a0mm, één\tµ\nα → β"


def test_the_command_line_writes_control_characters_out(capsys):
    from motiform.cli.shared import print_line

    print_line("wrote a\x1b[31m.mf")
    assert capsys.readouterr().out == "wrote a\\x1b[31m.mf\n"


@pytest.mark.parametrize("of", ["position", "speed"])
def test_splines_through_numbers_near_the_ends_of_floats_are_refused(of):
    from motiform.motion.tree.prescribed import PrescribedMotion

    with pytest.raises(InputError, match="slopes of a spline must be finite"):
        PrescribedMotion.through("knee", [0.0, 0.05, 0.1], [0.0, 1e308, 0.0], of=of)
