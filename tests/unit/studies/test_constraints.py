"""Constraints are arithmetic and nothing else."""

import pytest

from motiform.base.errors import InputError
from motiform.studies.constraints import parse_constraint

CASE = {"motion.step": 0.01, "scene.duration": 2, "left-hand.gain": 3, "motion.integrator": "rk4", "on": True}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("motion.step < 0.1 * scene.duration", True),
        ("motion.step * 100 >= 1 and scene.duration != 2", False),
        ("0 < motion.step < scene.duration", True),
        ("0 < motion.step < scene.duration < 1", False),
        ("left-hand.gain - scene.duration == 1", True),
        ("motion.integrator == 'rk4' or motion.step > 1", True),
        ("not (motion.integrator == 'euler')", True),
        ("max(motion.step, scene.duration) ** 2 == 4", True),
        ("sqrt(abs(-scene.duration * 2)) == 2", True),
        ("on", True),
    ],
)
def test_constraints_are_evaluated(text, holds):
    assert parse_constraint(text, list(CASE)).holds(CASE) is holds


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "().__class__", "[x for x in (1,)]", "lambda: 1", "f'{motion.step}'",
        "open('x')", "motion.step.__class__", "scene['duration']", "(motion := 1)", "1 if on else 2", "", "a b", "1 <<",
        "motion.stop < 1", "abs(x=1)", "1 << 100", "x" * 2000, "(" * 500 + "1" + ")" * 500,
    ],
)  # fmt: skip
def test_everything_else_is_refused(text):
    with pytest.raises(InputError, match="constraint"):
        parse_constraint(text, list(CASE))


def test_the_nearest_parameter_is_offered():
    with pytest.raises(InputError, match=r"Did you mean 'motion\.step'"):
        parse_constraint("motion.stop < 1", list(CASE))


@pytest.mark.parametrize(
    "text", ["1 / (scene.duration - 2)", "10 ** 10 ** 10", "sqrt(-1)", "motion.integrator < 1", "'a' * 9"]
)
def test_what_cannot_be_evaluated_names_the_case(text):
    with pytest.raises(InputError, match="cannot be evaluated"):
        parse_constraint(f"({text}) == 1" if "<" not in text else text, list(CASE)).holds(CASE)
