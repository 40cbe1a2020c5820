"""Integrators by name, and their coefficients."""

import warnings

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.geometry import MassProperties
from motiform.motion.run import CASH_KARP, DORMAND_PRINCE, EULER, METHODS, RK4, get_method
from motiform.motion.run.kinds import StepWarning

TABLEAUX = [EULER, RK4, CASH_KARP, DORMAND_PRINCE]


def test_unknown_integrator_offers_the_nearest():
    with pytest.raises(
        InputError, match=r"unknown integrator \(got 'rk5'; allowed: euler, .*\)\. Did you mean 'rk4'\?"
    ):
        get_method("rk5")


@pytest.mark.parametrize("name", METHODS)
def test_method_is_found_by_its_own_name(name):
    assert get_method(name).name == name
    assert get_method(name).text


@pytest.mark.parametrize("tableau", TABLEAUX, ids=lambda tableau: tableau.name)
def test_tableau_is_explicit_and_has_the_order_of_its_method(tableau):
    assert np.all(np.triu(tableau.a) == 0)
    assert tableau.order == METHODS[tableau.name].order
    assert (tableau.error is not None) == METHODS[tableau.name].adaptive


def trees(tableau, b):
    """Order conditions Σ b Φ(t) − 1/γ(t) up to order 4 [Hairer93 II.2]."""
    a, c = tableau.a, tableau.c
    return {
        1: [b.sum() - 1],
        2: [b @ c - 1 / 2],
        3: [b @ c**2 - 1 / 3, b @ (a @ c) - 1 / 6],
        4: [b @ c**3 - 1 / 4, b @ (c * (a @ c)) - 1 / 8, b @ (a @ c**2) - 1 / 12, b @ (a @ (a @ c)) - 1 / 24],
        5: [
            b @ c**4 - 1 / 5,
            b @ (a @ (a @ (a @ c))) - 1 / 120,
            b @ (c**2 * (a @ c)) - 1 / 10,
            b @ (a @ c) ** 2 - 1 / 20,
        ],
    }


@pytest.mark.parametrize("tableau", TABLEAUX, ids=lambda tableau: tableau.name)
def test_order_conditions(tableau):
    for order, residuals in trees(tableau, tableau.b).items():
        if order <= tableau.order:
            assert residuals == pytest.approx([0] * len(residuals), abs=1e-15)
        elif order == tableau.order + 1:
            assert np.abs(residuals).max() > 1e-3


@pytest.mark.parametrize("tableau", [CASH_KARP, DORMAND_PRINCE], ids=lambda tableau: tableau.name)
def test_embedded_solution_is_of_order_four_exactly(tableau):
    other = trees(tableau, tableau.b - tableau.error)
    for order in range(1, 5):
        assert other[order] == pytest.approx([0] * len(other[order]), abs=1e-15)
    assert np.abs(other[5]).max() > 1e-5


def test_dense_output_ends_with_the_step_and_is_smooth():
    dense = DORMAND_PRINCE.dense
    assert dense.sum(axis=1) == pytest.approx(DORMAND_PRINCE.b, abs=1e-14)
    slope = dense @ np.arange(1, 5)  # at θ = 1 the slope is the rate there, which is the last stage
    assert slope == pytest.approx([0, 0, 0, 0, 0, 0, 1], abs=1e-13)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
def test_dense_output_is_of_order_four(theta):
    b = DORMAND_PRINCE.dense @ theta ** np.arange(1, 5)
    a, c = DORMAND_PRINCE.a, DORMAND_PRINCE.c
    assert [
        b.sum(),
        b @ c,
        b @ c**2,
        b @ (a @ c),
        b @ c**3,
        b @ (c * (a @ c)),
        b @ (a @ c**2),
        b @ (a @ (a @ c)),
    ] == pytest.approx(
        [theta, theta**2 / 2, theta**3 / 3, theta**3 / 6, theta**4 / 4, theta**4 / 8, theta**4 / 12, theta**4 / 24],
        abs=1e-14,
    )


def test_a_step_longer_than_a_sample_is_reported():
    ball = mf.Bodies((mf.Body("ball", MassProperties(1.0, np.zeros(3), np.eye(3))),))
    with pytest.warns(StepWarning, match=r"step 2 s is longer than from sample to sample, 0\.05 s at 20 Hz: steps of"):
        mf.simulate(ball, t1=0.2, rate=20.0, step=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mf.simulate(ball, t1=0.2, rate=20.0, step=0.05)
        mf.simulate(ball, t1=0.01, rate=2000.0)  # the step that nobody gave
        mf.simulate(ball, t1=0.2, rate=20.0, step=2.0, integrator="dormand-prince")  # has steps of its own
