"""A journal keeps every whole line, whatever happens to the last one or to others."""

import pytest

from motiform.studies.journal import CaseJournal

ROWS = [{"key": f"k{n}", "status": "done", "measures": {"a": n / 3}} for n in range(4)]


@pytest.fixture
def path(tmp_path):
    with CaseJournal.open(tmp_path / "cases.jsonl") as journal:
        for row in ROWS:
            journal.append(row)
    return tmp_path / "cases.jsonl"


def test_rows_come_back_with_the_same_bits(path):
    journal = CaseJournal.read(path)
    assert list(journal.rows(["k3", "k0", "none"])) == [ROWS[3], ROWS[0], None]
    assert "k1" in journal
    assert journal.get("k1") == ROWS[1]


def test_the_last_row_of_a_key_holds(path):
    with CaseJournal.open(path) as journal:
        journal.append({**ROWS[0], "status": "failed"})
        assert journal.get("k0")["status"] == "failed"
    assert CaseJournal.read(path).get("k0")["status"] == "failed"


def test_a_line_cut_anywhere_is_taken_away(path):
    whole = path.read_bytes()
    begun = whole.rindex(b"\n", 0, len(whole) - 1) + 1
    for end in range(begun, len(whole)):
        path.write_bytes(whole[:end])
        with CaseJournal.open(path) as journal:
            assert set(journal.places) == {"k0", "k1", "k2"}
            assert journal.damaged == 0
            journal.append(ROWS[3])
        assert path.read_bytes() == whole


def test_a_damaged_line_counts_as_not_done(path):
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    journal = CaseJournal.read(path)
    assert journal.damaged == 1
    assert len(journal.places) == 3
