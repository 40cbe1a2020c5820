"""Benchmarks are in the repository: a checkout runs them, an installed package says where they are."""

import pytest
from typer.testing import CliRunner

from motiform.base.errors import InputError
from motiform.cli import benchmarks
from motiform.cli.app import app


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """As of an installed package, beside which there are no benchmarks."""
    monkeypatch.setattr(benchmarks, "_CHECKOUT", tmp_path)


def test_a_checkout_has_them():
    assert "bodies" in benchmarks.load_benchmarks().THEMES


def test_an_installed_package_says_where_they_are(installed):
    with pytest.raises(InputError, match=r"benchmarks are in the repository.*Clone the repository"):
        benchmarks.load_benchmarks()


def test_help_needs_no_checkout(installed):
    done = CliRunner().invoke(app, ["bench", "--help"])
    assert done.exit_code == 0
    assert "those of the repository" in " ".join(done.output.split())
