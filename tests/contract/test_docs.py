"""The documentation keeps up with the code: keys of scenes, integrators, public names, verbs, imports."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def tables(model, seen):
    """Yield a table of the schema and all tables inside it, each once."""
    from motiform.scene.read.load import _table_in

    if model in seen:
        return
    seen.add(model)
    yield model
    for field in model.model_fields.values():
        inner = _table_in(field.annotation)
        if inner is not None and issubclass(inner, BaseModel):
            yield from tables(inner, seen)


def test_every_key_of_a_scene_is_described():
    from motiform.scene.tables.schema import SceneFile

    text = (DOCS / "scenes.md").read_text("utf-8")
    for table in tables(SceneFile, set()):
        for key, field in table.model_fields.items():
            assert re.search(rf"\b{field.alias or key}\b", text), f"{table.__name__}.{key}"


def test_every_integrator_is_described():
    from motiform.motion.run import METHODS

    bodies, scenes = ((DOCS / page).read_text("utf-8") for page in ("bodies.md", "scenes.md"))
    names = {"momentum": "P", "free_angular_momentum": "L of a free body", "angular_momentum": "L of all"}
    names |= {"orthogonality": "rotations", "energy": "energy"}
    for name, method in METHODS.items():
        row = re.search(rf"^\|`{name}`\|(.*?)\|.*\|(.*?)\|$", bodies, flags=re.MULTILINE)
        assert row, name
        assert row[1].startswith(str(method.order))
        assert set(row[2].split(", ")) == {names[kept] for kept in method.conserves}
        assert f"`{name}`" in scenes


def test_every_verb_is_described():
    from motiform.cli.app import app

    text = (DOCS / "cli.md").read_text("utf-8")
    for command in app.registered_commands:
        assert f"**`{command.name}" in text, command.name


PACKAGES = (
    "spatial",
    "geometry",
    "geometry.surfaces",
    "record",
    "measure",
    "motion.actuation",
    "motion.bodies",
    "motion.contact",
    "motion.figures",
    "motion.run",
    "motion.matter",
    "motion.matter.coupling",
    "motion.matter.laws.links",
    "motion.matter.laws.presets",
    "motion.matter.model.topology",
    "motion.reconstruct",
    "motion.tree",
    "motion.tree.joints",
    "motion.tree.read",
    "motion.tree.read.tables",
    "scene",
    "form",
    "image",
    "studio",
    "trials",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_listed(package):
    listed = (DOCS / "api.md").read_text("utf-8")
    modules = {name: importlib.import_module(f"motiform.{name}") for name in PACKAGES}
    for name in modules[package].__all__:
        value = getattr(modules[package], name)
        if callable(value) and getattr(value, "__module__", "").startswith("motiform"):
            homes = [home for home, module in modules.items() if getattr(module, name, None) is value]  # listed once
            assert any(f"\n   {home}.{name}\n" in listed for home in homes), f"{package}.{name}"


def test_tables_from_the_code_have_their_page():
    known = set(re.findall(r'^    "([\w ]+)": \($', (DOCS / "conf.py").read_text("utf-8"), flags=re.MULTILINE))
    asked = [name for page in PAGES for name in re.findall(r"<!-- table: ([\w ]+) -->", page.read_text("utf-8"))]
    assert "marker formats" in known
    assert sorted(asked) == sorted(known)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_blocks_compile(page):
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL):
        ast.parse(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_imports_of_python_blocks_exist(page):
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("motiform"):
                module = importlib.import_module(node.module)
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{page.name}: {node.module}.{alias.name}"
