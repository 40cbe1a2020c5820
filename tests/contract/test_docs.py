"""The documentation keeps up with the code: keys of scenes, integrators, public names, verbs, imports."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def sections(page):
    """Return the tables of a page by the anchors of their headings: rows by the keys in their first cells."""
    found, anchor, fenced = {}, "", False
    for line in (DOCS / page).read_text("utf-8").splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            anchor = re.sub(r"[^a-z0-9]+", "-", line.lower()).strip("-")
            found[anchor] = {}
        elif line.startswith("|`") and not fenced:
            found[anchor] |= dict.fromkeys(re.findall(r"`(\w+)`", line.split("|")[1]), line)
    return found


def quoted(row):
    """Return the words that a row of a table has between backticks."""
    return {word for code in re.findall(r"`([^`]*)`", row) for word in re.findall(r"\w+", code)}


def undescribed(table, anchor, pages, seen):
    """Yield the keys of a table that the table of its section lacks; those of a table inside it follow a link.

    Without a link they are in the row of their owner. Numbers of laws are in the table of laws.
    """
    from motiform.scene.read.load import _table_in
    from motiform.scene.tables.law import LawKeys

    if (table, anchor) in seen:
        return
    seen.add((table, anchor))
    laws = LawKeys.own if issubclass(table, LawKeys) else ()
    for key, field in table.model_fields.items():
        name, inner = field.alias or key, _table_in(field.annotation)
        if key in laws:
            row = next((row for row in pages["laws-of-links"].values() if name in quoted(row)), None)
        else:
            row = pages[anchor].get(name)
        if row is None:
            yield f"{table.__name__}.{name} in #{anchor}"
        elif inner is not None and issubclass(inner, BaseModel):
            links = [link for link in re.findall(r"\]\(#([\w-]+)\)", row) if pages.get(link)]
            if links:
                yield from undescribed(inner, links[0], pages, seen)
            else:
                yield from (f"{inner.__name__}.{one} in {row}" for one in own_keys(inner) - quoted(row))


def own_keys(table):
    """Return the keys of a table and of all tables inside it."""
    from motiform.scene.read.load import _table_in

    found = set()
    for key, field in table.model_fields.items():
        inner = _table_in(field.annotation)
        found |= {field.alias or key} | (own_keys(inner) if inner is not None and inner is not table else set())
    return found


def test_every_key_of_a_scene_is_in_the_table_of_its_section():
    from motiform.scene.read.load import _table_in
    from motiform.scene.tables.schema import SceneFile

    pages, seen = sections("scenes.md"), set()
    for key, field in SceneFile.model_fields.items():
        missing = list(undescribed(_table_in(field.annotation), {"contact": "laws"}.get(key, key), pages, seen))
        assert not missing, "\n".join(missing)


def test_a_key_in_the_wrong_section_is_missed():
    from motiform.scene.tables.schema import ForceTable

    pages = sections("scenes.md")
    assert not list(undescribed(ForceTable, "force", pages, set()))
    assert list(undescribed(ForceTable, "spring", pages, set()))


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


def test_every_argument_of_a_model_is_in_the_table_of_its_kind():
    import inspect

    from motiform.motion.run import RunArguments
    from motiform.scene.simulate import KINDS

    text = (DOCS / "api.md").read_text("utf-8")

    def rows(name):
        table = re.search(rf"^\*\*.*\(`{name}`\).*\n\n((?:\|.*\n)+)", text, flags=re.MULTILINE)
        return {word for row in table[1].splitlines() for word in re.findall(r"`(\w+)`", row.split("|")[1])}

    assert rows("RunArguments") == set(RunArguments.__annotations__)
    for kind in KINDS:
        name = kind.arguments.__name__
        assert set(kind.takes) == set(inspect.signature(kind.system).parameters) - {
            *list(inspect.signature(kind.system).parameters)[:2]
        }
        if name != "LeavingArguments":
            assert rows(name) == set(kind.takes), name


PACKAGES = (
    "spatial",
    "geometry",
    "geometry.maps",
    "geometry.surfaces",
    "record",
    "measure",
    "motion.actuation",
    "motion.bodies",
    "motion.bones",
    "motion.contact",
    "motion.figures",
    "motion.run",
    "motion.matter",
    "motion.matter.coupling",
    "motion.matter.laws.links",
    "motion.matter.laws.presets",
    "motion.matter.model.topology",
    "motion.matter.motions",
    "motion.postures",
    "motion.screens",
    "motion.tree",
    "motion.tree.joints",
    "motion.tree.read",
    "motion.tree.read.tables",
    "scene",
    "form",
    "image",
    "image.chroma",
    "image.screens",
    "studies",
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


def test_every_listed_name_exists():
    """The documentation is built from this list; a name that has moved would break it."""
    for name in re.findall(r"^   ([A-Za-z_][\w.]*)$", (DOCS / "api.md").read_text("utf-8"), flags=re.MULTILINE):
        home, _, last = f"motiform.{name}".rpartition(".")
        try:
            module = importlib.import_module(home)
        except ModuleNotFoundError:  # of a class
            home, _, kind = home.rpartition(".")
            module = getattr(importlib.import_module(home), kind)
        assert hasattr(module, last), name


def test_tables_from_the_code_have_their_page():
    tables = (DOCS / "conf.py").read_text("utf-8").partition("\nTABLES = {")[2]
    known = set(re.findall(r'^    "([\w ]+)": \(', tables, flags=re.MULTILINE))
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
