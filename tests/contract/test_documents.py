"""The table of the documents' items: every file and test that it names exists, and its counts are those of its rows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "documents.md"
STATES = ("done", "differs", "left out")


def tables():
    """Rows of each document's table, by its title, and of the table of counts."""
    found, title = {}, ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ")
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and not set(line) <= set("|-"):
            found.setdefault(title, []).append(cells)
    head = next(iter(found))
    return {name: rows[1:] for name, rows in found.items() if name != head}, found[head][1:]


DOCUMENTS, COUNTS = tables()
ROWS = [(title, *row) for title, rows in DOCUMENTS.items() for row in rows]


def test_counts_are_those_of_the_rows():
    for row in COUNTS:
        states = [cells[2] for cells in DOCUMENTS[row[0].split(" [")[0]]]
        assert [int(number) for number in row[1:]] == [len(states), *(states.count(state) for state in STATES)]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{n}" for n, row in enumerate(ROWS)])
def test_what_a_row_names_exists(row):
    title, _, item, state, _, check, differs = row
    assert state in STATES, item
    assert check or state == "left out", item
    assert differs or state == "done", item
    for code in re.findall("`([^`]+)`", "|".join(row)):
        path, _, name = code.partition("::")
        if re.match(r"(tests|examples|docs|bench)/", path):
            assert (ROOT / path).exists(), (title, item, path)
            assert not name or re.search(rf"^def {name}\(", (ROOT / path).read_text("utf-8"), re.M), (title, item, name)
