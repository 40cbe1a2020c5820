"""Cases of a study: grids, ranges, zipped lists, samples, tables, files."""

import itertools

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.studies.design import make_design
from motiform.studies.values import parameter_values


def test_the_last_parameter_of_a_grid_varies_fastest():
    given = {"a": [1, 2], "b": ["x", "y", "z"], "c": [[0, 1]]}
    design = make_design(given)
    assert [tuple(case.values()) for case in design] == list(itertools.product(*given.values()))
    assert design.names == ["a", "b", "c"]
    assert design[5] == {"a": 2, "b": "z", "c": [0, 1]}


def test_ranges_hold_both_ends():
    assert parameter_values("a", {"from": 1, "to": 4, "steps": 4}, None) == [1, 2, 3, 4]
    assert parameter_values("a", {"from": 0.0, "to": 0.3, "steps": 3}, None)[-1] == 0.3
    found = parameter_values("a", {"from": 1e-4, "to": 1e-1, "steps": 4, "scale": "log"}, None)
    np.testing.assert_allclose(found, [1e-4, 1e-3, 1e-2, 1e-1], rtol=1e-14)


def test_zipped_parameters_vary_together():
    design = make_design({"a": [1, 2], "b": [5, 6], "c": [7, 8]}, zipped=[["c", "a"]])
    assert [tuple(case[name] for name in "abc") for case in design] == [(1, 5, 7), (1, 6, 7), (2, 5, 8), (2, 6, 8)]


@pytest.mark.parametrize("method", ["random", "sobol", "latin-hypercube"])
def test_samples_lie_in_their_ranges_and_come_again(method):
    given = {"a": {"from": 1.0, "to": 3.0}, "n": [0, 1], "b": {"from": 1e-3, "to": 1.0, "scale": "log"}}
    sample = {"method": method, "count": 16, "seed": 3}
    design = make_design(given, sample=sample)
    assert len(design) == 32
    a, b = (np.array([case[name] for case in design if case["n"] == 0]) for name in "ab")
    assert ((a >= 1) & (a < 3)).all()
    assert ((b >= 1e-3) & (b < 1)).all()
    assert list(make_design(given, sample=sample)) == list(design)
    assert list(make_design(given, sample={**sample, "seed": 4})) != list(design)
    if method == "latin-hypercube":  # one point in each sixteenth of each range
        assert sorted((8 * (a - 1)).astype(int)) == list(range(16))
        assert sorted((16 * (np.log10(b) + 3) / 3).astype(int)) == list(range(16))


def test_more_of_a_sobol_sequence_begins_with_less_of_it():
    given = {"a": {"from": 0.0, "to": 1.0}}
    few, many = (list(make_design(given, sample={"method": "sobol", "count": n, "seed": 1})) for n in (4, 16))
    assert many[:4] == few


def test_a_table_of_cases(tmp_path):
    (tmp_path / "cases.csv").write_text(
        'motion.step,motion.integrator,body.0.spin\n1e-3,rk4,"[0, 1, 0]"\n\n2e-3,euler,x\n'
    )
    design = make_design({}, cases=tmp_path / "cases.csv")
    assert list(design) == [
        {"motion.step": 1e-3, "motion.integrator": "rk4", "body.0.spin": [0, 1, 0]},
        {"motion.step": 2e-3, "motion.integrator": "euler", "body.0.spin": "x"},
    ]


def test_files_of_a_folder(tmp_path):
    for name in ("b.stl", "a.stl", "c.txt", ".hidden.stl"):
        (tmp_path / name).touch()
    assert parameter_values("mesh", {"files": "*.stl"}, tmp_path) == ["a.stl", "b.stl"]
    (tmp_path / "bones").mkdir()
    (tmp_path / "bones" / "d.stl").touch()
    assert parameter_values("mesh", {"files": "bones"}, tmp_path) == ["bones/d.stl"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "must have a value"),
        ({"from": 2, "to": 1, "steps": 3}, "the range is empty"),
        ({"from": 1, "to": 1, "steps": 3}, "the range is empty"),
        ({"from": 1, "to": 2, "steps": 0}, "the range is empty"),
        ({"from": 0, "to": 2, "steps": 3, "scale": "log"}, "must be above 0"),
        ({"from": 0, "to": 2, "step": 3}, "Did you mean 'steps'"),
        ({"from": 0, "to": 2, "steps": 3, "scale": "lag"}, "Did you mean 'log'"),
        ({"from": 0, "to": "x", "steps": 3}, "a number as 'to'"),
        ({"from": 0, "to": 2}, "must have steps"),
        ({"files": "*.none"}, "no such files"),
        ({"files": "../*"}, "must lie in the folder"),
        ([1, 2, 1], "must differ"),
        ([float("nan")], "must be finite"),
        (3, "must have a list"),
        ("abc", "must have a list"),
        ([object()], "must be a number, text"),
    ],
)
def test_parameters_that_are_refused(given, text, tmp_path):
    with pytest.raises(InputError, match=text):
        make_design({"a": given}, folder=tmp_path)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"zipped": [["a", "b"]]}, "must have as many values each"),
        ({"zipped": [["a", "c"]]}, "no such parameter"),
        ({"zipped": ["ab"]}, "list of lists"),
        ({"sample": {"method": "sobol", "count": 4}}, "needs a range"),
        ({"cases": "none.csv"}, "no such table"),
    ],
)
def test_designs_that_are_refused(options, text):
    with pytest.raises(InputError, match=text):
        make_design({"a": [1, 2], "b": [1, 2, 3]}, **options)


@pytest.mark.parametrize(
    ("sample", "text"),
    [
        ({"method": "sobl", "count": 4}, "Did you mean 'sobol'"),
        ({"method": "sobol", "count": 0}, "count"),
        ({"method": "sobol", "count": 4, "seed": -1}, "seed"),
        ({"method": "sobol", "count": 4, "sed": 1}, "Did you mean 'seed'"),
    ],
)
def test_samples_that_are_refused(sample, text):
    with pytest.raises(InputError, match=text):
        make_design({"a": {"from": 0, "to": 1}}, sample=sample)


@pytest.mark.parametrize(
    ("text", "error"), [("a,b\n", "a case"), ("a,b\n1\n", ":2"), ("a,b\n1,2,3\n", ":2"), ("", "a case")]
)
def test_tables_that_are_refused(text, error, tmp_path):
    (tmp_path / "cases.csv").write_text(text)
    with pytest.raises(InputError, match=error):
        make_design({}, cases=tmp_path / "cases.csv")
