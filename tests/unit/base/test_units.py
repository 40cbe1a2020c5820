"""Units at the doors."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError
from motiform.base.units import quantity


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("40 deg", "rad", math.radians(40)),
        ("40°", "rad", math.radians(40)),
        ("-5deg", "rad", -math.radians(5)),
        ("15 mm", "m", 0.015),
        ("1.5e1mm", "m", 0.015),
        ("3 cm^2", "m^2", 3e-4),
        ("3 cm²", "m^2", 3e-4),
        ("3 cm**2", "m^2", 3e-4),
        ("7.8 g/cm^3", "kg/m^3", 7800),
        ("36 km/h", "m/s", 10),
        ("90 rpm", "rad/s", 3 * math.pi),
        ("1 m/s/s", "m/s^2", 1),
        ("2 N·m", "N m", 2),
        ("50 1/s", "Hz", 50),
        ("20 degC", "K", 293.15),
        ("5 %", "", 0.05),
        ("3", "", 3),
        ("1_000 m", "m", 1000),
        (2, "m", 2),
        (2.5, "rad", 2.5),
    ],
)
def test_quantities_come_in_si(text, unit, number):
    assert quantity(text, unit) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("3", "m", r"a text must have a unit \(got '3'\)\. Write a plain number in m, or add the unit"),
        ("3 s", "m", r"the unit has the wrong dimension \(got '3 s'; allowed: a unit like m\)"),
        ("3 m", "", r"the unit has the wrong dimension \(got '3 m'; allowed: a unit like none\)"),
        (
            "three m",
            "m",
            r"a quantity must be a number \(got 'three m'; allowed: a number in m, or text such as '3 m'\)",
        ),
        ("3 parsnips", "m", r"a quantity must be a number \(got '3 parsnips'"),
        ("m", "m", "a quantity must be a number"),
        ("", "m", "a quantity must be a number"),
        (True, "m", r"a quantity must be a number \(got True; allowed: a number in m"),
        (None, "m", "a quantity must be a number"),
        ([1], "m", "a quantity must be a number"),
        (float("nan"), "m", r"the number must be finite \(got nan; allowed: a finite number in m\)"),
        (float("inf"), "", r"the number must be finite \(got inf; allowed: a finite number\)"),
        ("1e999 m", "m", r"the number must be finite \(got '1e999 m'"),
        (10**400, "m", r"the number must be finite \(got inf"),
        ("nan m", "m", "a quantity must be a number"),
    ],
)
def test_what_is_no_quantity_is_reported(value, unit, text):
    with pytest.raises(InputError, match=text):
        quantity(value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9 m",
        "1 m^9^9^9^9",
        "1 m**9**9**9**9",
        "1 m^9²²²²²²²²²²",
        "2*3 m",
        "[1] m",
        "1 " + "a" * 50_000,
        "(" * 20_000,
        "__import__('os').getcwd()",
        "lambda: 1",
    ],
    ids=lambda text: text[:20],
)
def test_text_is_not_an_expression(text):
    """Neither evaluated nor chewed on: all of these come back at once."""
    with pytest.raises(InputError, match="a quantity must be a number"):
        quantity(text, "m")


LIKELY = st.text(alphabet="0123456789.eE+-*/^²() mskgradNdegu%°", max_size=30)


@settings(max_examples=200, deadline=None)
@given(st.one_of(LIKELY, st.text(max_size=20), st.floats(), st.integers()), st.sampled_from(["m", "rad", "", "kg/m^3"]))
def test_any_value_is_a_finite_number_or_an_input_error(value, unit):
    try:
        number = quantity(value, unit)
    except InputError:
        return
    assert math.isfinite(number)
