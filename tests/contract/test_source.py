"""Rules that hold for all of the source: layers, citations, docstrings, nothing of one machine."""

import ast
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import motiform
from motiform.base.references import REFERENCES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "motiform"
FILES = sorted(SOURCE.rglob("*.py"))
MODULES = [m.name for m in pkgutil.walk_packages(motiform.__path__, "motiform.") if not m.name.endswith("__main__")]


def layers() -> list[list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [contract["layers"] for contract in project["tool"]["importlinter"]["contracts"]]


def packages(folder: Path) -> set[str]:
    dotted = ".".join(folder.relative_to(SOURCE.parent).parts)
    return {f"{dotted}.{path.parent.name}" for path in folder.glob("*/__init__.py")}


def test_every_package_has_its_layer():
    contract, *_ = layers()
    named = {name.strip() for layer in contract for name in layer.split("|")}
    assert (packages(SOURCE) - {"motiform.motion"}) | packages(SOURCE / "motion") | {"bench"} == named


def test_every_folder_of_source_is_a_package_with_content():
    for folder in {path.parent for path in FILES}:
        assert (folder / "__init__.py").is_file(), folder
        assert any(path.stat().st_size for path in folder.glob("*.py")), folder


def words(path: Path) -> list[str]:
    """Comments and docstrings of a file: where equations are cited."""
    text = path.read_text("utf-8")
    found = COMMENT.findall(text)
    todo: list[ast.AST] = [ast.parse(text)]
    while todo:
        node = todo.pop()
        found.append(ast.get_docstring(node) or "")
        todo += [part for part in node.body if isinstance(part, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    return [re.sub(r"^\s*(>>>|\.\.\.).*$", "", text, flags=re.MULTILINE) for text in found]  # examples are code


COMMENT = re.compile(r"(?:^|\s)# .*$", re.MULTILINE)
CITATION = re.compile(r"\[([A-Z][A-Za-z]{3,}\d{0,2})\b[^\]\[]*\]")
MANY = re.compile(r"\b([A-Z][A-Za-z]{3,}\d{2})\b")


def test_every_citation_is_in_the_references():
    unknown, cited = [], set()
    for path in FILES:
        if not CITATION.search(path.read_text("utf-8")):
            continue
        for text in words(path):
            for match in CITATION.finditer(text):
                keys = {match[1], *MANY.findall(match[0])}
                cited |= keys & set(REFERENCES)
                unknown += [f"{path.name}: [{key}]" for key in keys - set(REFERENCES)]
    assert unknown == []
    assert {"Zara", "SimoWong91", "DormandPrince80", "CashKarp90", "Hairer93"} <= cited


def public(module_name: str) -> list[tuple[str, object]]:
    module = importlib.import_module(module_name)
    listed = [(name, getattr(module, name)) for name in getattr(module, "__all__", ())]
    return [(name, value) for name, value in listed if inspect.isclass(value) or inspect.isfunction(value)]


@pytest.mark.parametrize("module_name", MODULES)
def test_public_names_exist_and_are_documented(module_name):
    assert importlib.import_module(module_name).__doc__, "the module has no docstring"
    for name, value in public(module_name):
        assert (value.__doc__ or "").strip(), name
        assert not (value.__doc__ or "").startswith(f"{name}("), f"{name} has only the docstring that dataclass makes"


@pytest.mark.parametrize("module_name", [name for name in MODULES if name.count(".") == 1])
def test_packages_say_what_is_public(module_name):
    module = importlib.import_module(module_name)
    if list(Path(module.__file__).parent.glob("*/__init__.py")) and not hasattr(module, "__all__"):
        return  # a package of packages
    assert module_name == "motiform.base" or module.__all__


def test_a_public_class_name_has_one_meaning():
    places = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_has_the_name_of_what_is_beside_it():
    """`motiform.record.resample` is a function: a module or folder of that name would hide it, or be hidden."""
    hidden = []
    for path in FILES:
        *parent, name = (
            (path.parent if path.stem == "__init__" else path.with_suffix("")).relative_to(SOURCE.parent).parts
        )
        if parent and not inspect.ismodule(getattr(importlib.import_module(".".join(parent)), name, inspect)):
            hidden.append(f"{'.'.join(parent)}.{name}")
    assert hidden == ["motiform.scene.simulate"]  # of old, with the function that it is there for


PLACES = [
    SOURCE,
    ROOT / "tests",
    ROOT / "docs",
    ROOT / "examples",
    ROOT / "README.md",
    ROOT / "pyproject.toml",
    ROOT / "Makefile",
]
TEXT = {".py", ".md", ".toml", ".rst", ".txt", ".cff", ""}
# Absolute paths of a machine, and folders that are not part of the project.
FOREIGN = re.compile(r"(?<![\w.~])/(?:root|home|work|Users)/\w|(?<!\w)\.notes\b|(?<![\w/])\.\./shared\b")


def test_nothing_of_one_machine_is_in_the_project():
    found = []
    for place in PLACES:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            generated = {"_build", "gallery", "api", "__pycache__"} & set(
                path.relative_to(ROOT).parts[:-1]
            ) and "docs" in path.parts
            if path.is_file() and path.suffix in TEXT and not generated and path != Path(__file__):
                found += [
                    f"{path.relative_to(ROOT)}: {m[0]}" for m in FOREIGN.finditer(path.read_text("utf-8", "ignore"))
                ]
    assert found == []


MARKUP = re.compile(r"</?(a|b|body|div|figcaption|figure|h[1-6]|head|html|img|p|pre|span|style|t[dhr]|table|title)\b")


def test_pages_are_made_in_one_place_that_escapes():
    """Markup is filled by `base.markup.html`, which takes what it is filled with for text."""
    for path in FILES:
        text, name = path.read_text("utf-8"), path.relative_to(SOURCE).as_posix()
        if name == "base/markup.py":
            continue
        assert "from html import" not in text, f"{name}: use motiform.base.markup"
        if not MARKUP.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.JoinedStr):
                fixed = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
                assert not MARKUP.search(fixed), f"{name}:{node.lineno}: fill markup by html(template, …)"
