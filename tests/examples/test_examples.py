"""Every example runs, in its quick size, and its claim holds."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("plot_*.py"))


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_claim_holds(path):
    example = load(path)
    example.check(example.main(quick=True))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_header_asks_a_question(path):
    title = load(path).__doc__.strip().splitlines()[0]
    assert title.endswith("?"), f"{path.name}: the title {title!r} is not a question"
