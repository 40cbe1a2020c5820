"""The figure of a trial: ready ones by name, those of files, and what is refused."""

from pathlib import Path

import pytest

import motiform.scene
from motiform.base.errors import InputError
from motiform.trials.figure import FigureSpec, make_figure

GALLERY = Path(motiform.scene.__file__).parent / "gallery"


def test_a_ready_figure_has_the_measures_of_the_subject():
    spec = FigureSpec("human36", {"mass": 60.0}, {"A": {"height": 1.6, "mass": 80.0}})
    figure = make_figure(spec, "A")
    assert figure.mass == pytest.approx(60.0, rel=1e-12)  # what is told goes before the table
    assert figure.name == make_figure(FigureSpec("human36"), None).name


def test_the_figure_of_a_scene():
    figure = make_figure(FigureSpec(str(GALLERY / "pendulum.toml")), None)
    assert figure.nv == 2
    heavier = make_figure(FigureSpec(str(GALLERY / "pendulum.toml"), {"mass": 2 * figure.mass}), None)
    assert heavier.mass == pytest.approx(2 * figure.mass, rel=1e-12)


def test_what_has_no_figure_is_refused():
    with pytest.raises(InputError, match=r"handle\.toml: the scene has no figure"):
        make_figure(FigureSpec(str(GALLERY / "handle.toml")), None)
    with pytest.raises(InputError, match="Did you mean 'human36'"):
        make_figure(FigureSpec("human63"), None)
    with pytest.raises(InputError, match=r"measures must suit pendulum\.toml"):
        make_figure(FigureSpec(str(GALLERY / "pendulum.toml"), {"height": 1.8}), None)
