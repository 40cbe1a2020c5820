"""A study that was done: its table, its counts, its recordings."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError
from motiform.record import Recording, open_recording
from motiform.studies.case import run_place
from motiform.studies.design import StudyDesign
from motiform.studies.folder import StudyFolder
from motiform.studies.journal import CaseJournal
from motiform.studies.table import TableColumns, TableRow, data_frame

if TYPE_CHECKING:
    import pandas

__all__ = ["STATES", "Study"]

STATES = ("done", "failed", "skipped", "left")
"""What becomes of a case; skipped: a constraint excludes it; left: it has not run."""


@dataclass(frozen=True)
class Study:
    """Cases in the order of the grid, with what is known of each."""

    title: str
    folder: StudyFolder
    design: StudyDesign
    columns: TableColumns
    keys: list[str | None]
    """What each case is known by; None: a constraint skips it."""
    ran: int = 0
    """Cases that ran in this call."""
    measured: int = 0
    """Cases of which kept recordings were measured in this call."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Of parameters and measures, where they are known before a run."""
    notes: list[str] = field(default_factory=list)
    """What a user should know."""

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self) -> Iterator[TableRow]:
        """Walk through the rows of the table."""
        for number, (key, own) in enumerate(zip(self.keys, self._journal(), strict=True)):
            yield self.columns.row(self.design[number], key, own)

    def warnings(self) -> Counter[str]:
        """Return the warnings that cases have given, with the number of cases."""
        return Counter(text for row in self._journal() if row is not None for text in row["warnings"])

    def _journal(self) -> Iterator[dict[str, Any] | None]:
        """Walk through what the journal has of each case."""
        return CaseJournal.read(self.folder.journal).rows(key or "" for key in self.keys)

    @property
    def table(self) -> "pandas.DataFrame":
        """A row for each case: parameters, measures, status, error, seconds, version and hash."""
        return data_frame(self.columns, self.rows())

    @cached_property
    def count(self) -> dict[str, int]:
        """How many cases are done, failed, skipped and left."""
        found = Counter(str(row["status"]) for row in self.rows())
        return {state: found[state] for state in STATES}

    def recording(self, number: int) -> Recording:
        """Return the kept recording of a case by its number in the table, from 0."""
        key = self.keys[number]
        place = None if key is None else run_place(self.folder.runs, key)
        if place is None or not place.exists():
            raise InputError("the recording of the case is not kept", where=str(self.folder.path), got=number,
                             remedy="Run the study with keep='all'.")  # fmt: skip
        return open_recording(place)

    def summary(self) -> dict[str, Any]:
        """Return what became of the study, as JSON has it."""
        count = {"cases": len(self), **self.count, "ran": self.ran, "measured": self.measured}
        return {"kind": "motiform study", "title": self.title, "out": str(self.folder.path), "count": count,
                "parameters": list(self.columns.parameters), "measures": list(self.columns.measures),
                "notes": self.notes}  # fmt: skip

    def __repr__(self) -> str:
        count = ", ".join(f"{count} {state}" for state, count in self.count.items() if count)
        return f"<Study {self.title!r} in {self.folder.path}: {count}>"
