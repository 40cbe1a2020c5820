"""The journal of a study: a line for each case that is done, with its checksum; the last line of a key holds."""

import json
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from motiform.record.files import disk

__all__ = ["CaseJournal"]

_SYNC = 256  # lines after which the disk is asked to have them


@dataclass
class CaseJournal:
    """Rows of cases by their keys. In memory are only their places in the file."""

    path: Path
    places: dict[str, int] = field(default_factory=dict)
    """Where the line of each case begins [byte]."""
    damaged: int = 0
    """Lines whose checksum is wrong: their cases count as not done."""
    size: int = 0
    """Bytes of whole lines."""
    _file: IO[bytes] | None = None
    _written: int = 0

    @classmethod
    def read(cls, path: Path) -> "CaseJournal":
        """Return a journal to be read; a line that a kill has cut does not count."""
        journal = cls(path)
        with disk(path), open(path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                row = _parse(line)
                journal.damaged += row is None
                if row is not None:
                    journal.places[row["key"]] = journal.size
                journal.size += len(line)
        return journal

    @classmethod
    def open(cls, path: Path) -> "CaseJournal":
        """Open a journal to read and to append; a line that a kill has cut is taken away."""
        with disk(path):
            path.touch()
        journal = cls.read(path)
        with disk(path):
            journal._file = open(path, "r+b")  # noqa: SIM115, it is open as long as the journal
            journal._file.truncate(journal.size)
        return journal

    def __contains__(self, key: object) -> bool:
        return key in self.places

    def append(self, row: dict[str, Any]) -> None:
        """Add the row of a case."""
        assert self._file is not None
        text = json.dumps(row, separators=(",", ":")).encode()
        with disk(self.path):
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(b"%08x %s\n" % (zlib.crc32(text), text))
            self._file.flush()
            self._written += 1
            if self._written % _SYNC == 0:
                os.fsync(self._file.fileno())
        self.places[row["key"]] = place

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the row of a case, None where it is not done."""
        return next(self.rows([key]))

    def rows(self, keys: Iterable[str]) -> Iterator[dict[str, Any] | None]:
        """Walk through the rows of cases."""
        with open(self.path, "rb") as file:
            for key in keys:
                if key not in self.places:
                    yield None
                    continue
                file.seek(self.places[key])
                yield _parse(file.readline())

    def close(self) -> None:
        """End it; what was added is on the disk."""
        if self._file is not None:
            with disk(self.path):
                self._file.flush()
                os.fsync(self._file.fileno())
            self._file.close()
            self._file = None

    def __enter__(self) -> "CaseJournal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the row of a line, None where it is damaged."""
    try:
        if int(line[:8], 16) != zlib.crc32(line[9:-1]):
            return None
        row = json.loads(line[9:-1])
    except ValueError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("key"), str) else None
