"""The description of a marker file format; the register is in register.py."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from motiform.measure.raw import Raw
from motiform.record.files import AnyPath
from motiform.record.recording import Recording

__all__ = ["MarkerFormat", "MarkerWriter", "ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """Options of a caller for a file; a format uses those it needs."""

    rate: float | None = None
    """Samples per second [Hz], for files that hold neither times nor a rate."""
    partial: bool = False
    """Whether the whole samples of a file that is cut short are kept."""
    residuals: bool = True
    """Whether a negative residual means that a marker was not seen."""


class MarkerWriter(Protocol):
    """Writes the markers of a recording to a file."""

    def __call__(self, rec: Recording, path: AnyPath, *, units: str = ..., overwrite: bool = False) -> None:
        """Write the file in a unit of length; replace an existing one only where told to."""


@dataclass(frozen=True)
class MarkerFormat:
    """One format of marker files."""

    name: str
    """As ``read_markers(format=…)`` takes it."""
    title: str
    """As errors, ``--help`` and the documentation write it."""
    endings: tuple[str, ...]
    """Endings of its files, with the dot, in lower case."""
    about: str
    """What is read, for the documentation."""
    recognises: Callable[[bytes], bool]
    """Whether the first 4096 bytes of a file show that it has this format."""
    read: Callable[[Path, ReadOptions], Raw]
    """Read a file in its own units and axes."""
    write: MarkerWriter | None = None
    ending_suffices: bool = True
    """Whether a file of a folder is taken by its ending alone. False: only if its content is recognised."""
