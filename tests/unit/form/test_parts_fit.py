"""Forms and rigs whose arrays do not fit one another are refused: painters and kernels check no bounds."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.form import Form, LinkParts, Part, Rig, Skin
from motiform.geometry import Ball

GREY = np.full(3, 0.5)
TURNS = np.tile([1.0, 0.0, 0.0, 0.0], (2, 4, 1))
PART = Part("balls", Ball(0.1), np.zeros(3), GREY, np.zeros((2, 4, 3)), TURNS)
LINKS = LinkParts("rods", np.zeros((2, 4, 3)), np.zeros((2, 5, 3)), np.array([[3, 4], [0, 1]]), np.full(2, 0.01), GREY)
SKIN = Skin("sheet", np.zeros((2, 4, 3)), np.array([[0, 1, 2], [1, 2, 3]]), GREY)
RIG = Rig.bind(np.eye(3), [(0, 1, 2)], {"arm": ((0, 0, 0), (1, 0, 0, 0))}, {"arm": [1.0] * 3})
CASES = [
    (PART, "position", np.zeros((2, 4)), "balls: position has the wrong shape"),
    (PART, "orientation", TURNS[:, :3], "balls: orientation has the wrong shape"),
    (PART, "orientation", TURNS[:1], "orientation has the wrong shape"),
    (PART, "scale", np.ones(3), "scale has the wrong shape"),
    (PART, "color", np.zeros((3, 3)), r"color has the wrong shape .*allowed: \(3,\) or \(4, 3\)"),
    (LINKS, "pairs", np.array([[3, 5], [0, 1]]), "rods: pairs is out of range .*1 to 5.*0 to 4"),
    (LINKS, "pairs", np.array([[4, 4], [0, 1]]), "pairs is out of range"),
    (LINKS, "pairs", np.array([[0.0, 1.0], [0.0, 1.0]]), "pairs is out of range"),
    (LINKS, "radius", np.ones(3), "radius has the wrong shape"),
    (SKIN, "faces", np.array([[0, 1, 4]]), "sheet: faces is out of range"),
    (SKIN, "faces", np.array([[0, -1, 2]]), "faces is out of range"),
    (SKIN, "faces", np.array([0, 1, 2]), "faces has the wrong shape"),
    (SKIN, "vertices", np.zeros((4, 3)), "vertices has the wrong shape"),
    (SKIN, "color", np.zeros((4, 3)), "color has the wrong shape"),
]


def form(*parts):
    kinds = {kind: tuple(one for one in parts if isinstance(one, kind)) for kind in (Part, LinkParts, Skin)}
    return Form(kinds[Part], np.arange(2.0), links=kinds[LinkParts], skins=kinds[Skin])


def test_what_fits_is_taken():
    assert not form(PART, LINKS, SKIN).empty


@pytest.mark.parametrize(("one", "key", "value", "text"), CASES)
def test_parts_that_do_not_fit_are_refused(one, key, value, text):
    with pytest.raises(InputError, match=text):
        form(replace(one, **{key: value}))


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("joint", np.full((3, 4), 1), "joint is out of range .*0 to 0"),
        ("joint", np.zeros((2, 4), int), "joint has the wrong shape"),
        ("weight", np.ones((3, 3)), "weight has the wrong shape"),
        ("faces", np.array([[0, 1, 3]]), "faces is out of range"),
        ("position", np.zeros((2, 3)), "position has the wrong shape"),
    ],
)
def test_rigs_that_do_not_fit_are_refused(key, value, text):
    with pytest.raises(InputError, match=f"Rig: {text}"):
        replace(RIG, **{key: value})
