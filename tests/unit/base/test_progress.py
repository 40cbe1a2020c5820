"""Progress bars."""

import pytest

from motiform.base.progress import bar


def test_quiet_bar_says_nothing(capfd):
    with bar("work", quiet=True) as progress:
        progress(0.5)
    assert capfd.readouterr() == ("", "")


def test_bar_takes_fractions_and_leaves_stdout_alone(capfd):
    with bar("work") as progress:
        for fraction in (0.0, 0.5, 1.0):
            progress(fraction)
    assert capfd.readouterr().out == ""


def test_bar_ends_with_an_exception():
    with pytest.raises(KeyError), bar("work") as progress:  # noqa: PT012
        progress(0.1)
        raise KeyError


def test_without_a_terminal_nothing_is_shown(capfd):
    with bar("work") as progress:
        progress(0.5)
    assert capfd.readouterr().err == ""
