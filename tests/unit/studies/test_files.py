"""Study files from anyone: each is a study, or is refused with an error of motiform."""

import copy
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import study_models
from motiform.base.errors import MotiformError
from motiform.studies.files import _study, built_in_studies, read_study
from motiform.studies.planning import plan_study

RAW = {
    "study": {
        "model": "study_models:numbers",
        "title": "t",
        "keep": "all",
        "zip": [["a", "b"]],
        "constraints": ["a < b"],
    },
    "set": {"y": 3},
    "parameters": {"a": [1, 2], "b": [3, 4], "c": {"from": 0, "to": 1, "steps": 2}, "d": {"from": 1, "to": 2}},
    "sample": {"method": "sobol", "count": 4, "seed": 1},
    "measures": {"m": ["root", "final"], "p": ["sum", "percentile 50"]},
}
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 2**70), st.floats(), st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.sampled_from(["from", "to", "steps", "files", "x"]), st.one_of(st.integers(), st.text())),
    st.sampled_from([[], {}, [[]], [{}], "max", "module:none", "a.b:c", "/", "..", "*", "\0"]),
)  # fmt: skip


def places(raw, path=()):
    for key in raw if isinstance(raw, dict) else range(len(raw)):
        yield (*path, key)
        if isinstance(raw[key], dict | list):
            yield from places(raw[key], (*path, key))


def plan(raw, folder):
    """Return the plan that a file of these tables gives."""
    found = _study(raw, folder / "s.toml", "s.toml")
    return plan_study(found.model, **{**found.arguments, "folder": folder})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("studies")
    (place / "study_models.py").write_text(Path(study_models.__file__).read_text())
    return place


def test_the_file_that_is_changed_is_right(folder):
    found = plan(RAW, folder)
    assert len(found.design) == 2 * 2 * 4
    assert list(found.columns.measures) == ["m", "p"]


@pytest.mark.slow
@settings(max_examples=300)
@given(place=st.sampled_from(list(places(RAW))), junk=JUNK)
def test_junk_anywhere(folder, place, junk):
    raw = copy.deepcopy(RAW)
    here = raw
    for key in place[:-1]:
        here = here[key]
    here[place[-1]] = junk
    with suppress(MotiformError):
        plan(raw, folder)


def test_built_in_studies_can_be_planned():
    assert "orders" in built_in_studies()
    for name in built_in_studies():
        found = read_study(name)
        assert len(plan_study(found.model, **found.arguments).design) > 1
