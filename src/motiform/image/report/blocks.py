"""What a report consists of: headings, text, tables and pictures. Texts are plain; writers escape them."""

from collections.abc import Sequence
from dataclasses import dataclass

from motiform.image.report.chart import Chart

__all__ = ["Bar", "Block", "Cell", "Code", "Heading", "Picture", "ReportTable", "Strip", "Text"]


@dataclass(frozen=True)
class Heading:
    """A title of a section; level 1 is that of the report."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """A paragraph; ``bad``: what a reader must not overlook."""

    text: str
    bad: bool = False


@dataclass(frozen=True)
class Bar:
    """A cell of a table that shows a part of the largest, 0 to 1."""

    part: float


Cell = str | Bar


@dataclass(frozen=True)
class ReportTable:
    """Rows under heads; ``folded`` is the line that unfolds it on a page, and it is not printed."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    folded: str | None = None


@dataclass(frozen=True)
class Code:
    """Lines that keep their blanks."""

    text: str
    folded: str | None = None


@dataclass(frozen=True)
class Picture:
    """A picture (PNG) with what is below it and what stands for it where it cannot be seen."""

    png: bytes
    alt: str
    caption: str = ""
    wide: bool = True
    """Whether it must keep its width to be read: a plot."""


@dataclass(frozen=True)
class Strip:
    """Small pictures side by side."""

    pictures: Sequence[Picture]


Block = Heading | Text | ReportTable | Code | Picture | Strip | Chart
