"""A source and a licence stand beside every file of data in the package."""

import re
from fnmatch import fnmatch
from pathlib import Path

import motiform
from motiform.base.references import REFERENCES

SOURCE = Path(motiform.__file__).parent
TABLES = sorted(SOURCE.rglob("SOURCES.md"))


def data_files():
    for path in sorted(SOURCE.rglob("*")):
        code = path.suffix in (".py", ".pyc") or path.name in ("py.typed", "SOURCES.md")
        if path.is_file() and not code and "__pycache__" not in path.parts:
            yield path


def rows(table):
    """Give the names of the first column of a table, with the other cells of their row."""
    for line in table.read_text("utf-8").splitlines():
        if line.startswith("|`"):
            names, *cells = line.strip("|").split("|")
            yield from ((name, cells) for name in re.findall(r"`([^`]+)`", names))


def test_every_file_of_data_has_a_source_and_a_licence():
    for path in data_files():
        found = [
            cells
            for table in TABLES
            for name, cells in rows(table)
            if path.is_relative_to(table.parent) and fnmatch(path.relative_to(table.parent).as_posix(), name)
        ]
        assert len(found) == 1, path
        assert len(found[0]) == 3, path
        assert all(cell.strip() for cell in found[0]), path
        assert found[0][-1] == "Apache-2.0", path


def test_every_row_is_of_a_file():
    for table in TABLES:
        for name, _ in rows(table):
            assert list(table.parent.glob(name)), f"{table}: {name}"


def test_documents_of_tables_are_references():
    for part in ("figures", "bones"):
        for name, cells in rows(SOURCE / "motion" / part / "SOURCES.md"):
            keys = re.findall(r"\b[A-Z][A-Za-z]+\d\d\b|\bHuMAnS\b", cells[1])
            assert keys, name
            assert set(keys) <= set(REFERENCES), name
