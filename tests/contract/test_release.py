"""What a release consists of: one version, one set of requirements, and files that build, install and publish it."""

import re
import tomllib
from pathlib import Path

import pytest

import motiform

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def read(path):
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_the_version_is_the_same_everywhere():
    """It stands in the package; what cannot read it there repeats it."""
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/motiform/__init__.py"
    version = motiform.__version__
    assert read("CITATION.cff")["version"] == version
    assert read("conda/recipe.yaml")["context"]["version"] == version
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first, second, *_ = re.findall(r"^## \[(.*?)\](?: – (.*))?$", changes, flags=re.MULTILINE)
    assert first == ("Unreleased", "")
    assert second == (version, str(read("CITATION.cff")["date-released"]))


def test_conda_requires_what_the_wheel_requires():
    def plain(requirement):
        return requirement.partition(";")[0].replace(" ", "").replace("matplotlib-base", "matplotlib")

    required = {plain(one) for one in PROJECT["project"]["dependencies"] if "== 'darwin'" not in one}
    run = read("conda/recipe.yaml")["requirements"]["run"]
    assert {plain(one) for one in run} == required | {f"python{PROJECT['project']['requires-python']}"}


def test_pythons_are_those_of_the_workflow():
    classifiers = PROJECT["project"]["classifiers"]
    named = [one.rpartition(" ")[2] for one in classifiers if re.search(r":: 3\.\d+$", one)]
    assert named == PYTHONS
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.15"
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert jobs["install"]["strategy"]["matrix"]["python"] == [PYTHONS[0], PYTHONS[-1]]


def test_nothing_is_published_before_all_else_is_done():
    jobs = read(".github/workflows/ci.yml")["jobs"]
    waiting, needed = ["publish"], set()
    while waiting:
        of = jobs[waiting.pop()].get("needs", [])
        waiting += [of] if isinstance(of, str) else of
        needed |= {of} if isinstance(of, str) else set(of)
    assert needed == set(jobs) - {"publish"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"


def test_targets_of_the_workflow_are_those_of_make():
    made = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    steps = [step for job in read(".github/workflows/ci.yml")["jobs"].values() for step in job["steps"]]
    asked = re.findall(r"\bmake ([a-z-]+)", "\n".join(step.get("run", "") for step in steps))
    assert {"check", "coverage", "docs", "test-slow"} <= set(asked) <= set(made)


def test_ruff_before_a_commit_is_the_locked_one():
    (locked,) = re.findall(r"^ruff==([\d.]+)", (ROOT / "requirements.lock").read_text("utf-8"), flags=re.MULTILINE)
    revisions = {repo["repo"]: repo["rev"] for repo in read(".pre-commit-config.yaml")["repos"]}
    assert revisions["https://github.com/astral-sh/ruff-pre-commit"] == f"v{locked}"
