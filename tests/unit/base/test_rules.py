"""Rules that functions of several packages state for the numbers that they are given."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.base.machine import check_steps
from motiform.geometry import Box
from motiform.geometry.meshes.pieces import small_triangles
from motiform.image import CameraPath, Ground, Lighting
from motiform.measure import synthetic_ct
from motiform.motion.bones import Cartilage
from motiform.motion.contact import solve_contacts
from motiform.motion.run import Guard
from motiform.motion.screens import lattice_response
from motiform.scene.read.load import image_hints
from motiform.spatial.checks import generator


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mf.FigureBuilder("arm").segment(3, None, None), "segment"),
        (lambda: Cartilage(thickness=10**30), "Cartilage: thickness is out of range"),
        (lambda: solve_contacts(np.eye(2), np.zeros(3), *[np.zeros(0)] * 4), "the matrices must fit together"),
        (lambda: synthetic_ct(blur=1e3), "blurred over less than its size"),
        (lambda: CameraPath.from_hints({}), "must have keys with times"),
        (lambda: mf.figures.human36().recipe.changed({"a": 1}), "no such measure"),
        (lambda: small_triangles(Box((1, 1, 1)).to_mesh(), 1e-5), "a surface is cut into too many pieces"),
        (lambda: image_hints({"a": np.eye(2)}, {}), "tables, texts and numbers"),
        (lambda: mf.figures.human36().velocity(thorax=None), "a coordinate must get all of its numbers"),
        (lambda: lattice_response(1.0, 1.0, 1, extent=-1), "a response must have a width"),
        (lambda: Lighting(exposure="bright"), "Look.exposure: the values must be an array of numbers"),
        (lambda: Lighting(sun=(1.0, 2.0)), "Look.sun: the array has the wrong shape"),
        (lambda: Ground(tones=3), "Ground.tones: the array has the wrong shape"),
        (lambda: Guard("low", 3), "guard 'low': `zero` and `then` must be functions"),
        (lambda: check_steps(10**30), "steps at once must be few enough to end"),
    ],
)
def test_the_rule_is_stated(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_exceptions_of_callers_functions_pass():
    def field(points):
        raise ValueError("mine")

    from motiform.form.implicit import polygonise

    with pytest.raises(ValueError, match="mine"):
        polygonise(field, np.array([[[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]]), spacing=0.5)


def test_seeds_are_whole_numbers_from_0():
    assert generator(3).random() == np.random.default_rng(3).random()
    for seed in (-1, 1.5, True):
        with pytest.raises(InputError, match="a seed must be a whole number from 0"):
            generator(seed)
