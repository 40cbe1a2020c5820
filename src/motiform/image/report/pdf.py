"""A report as a PDF file, laid out and written by matplotlib: no browser is needed."""

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiform.image.report.blocks import Bar, Block, Code, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.chart import Chart
from motiform.image.report.plots import DPI, WIDE
from motiform.image.report.print_chart import chart_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_pdf"]

_PAGE = (8.27, 11.69)  # inch, A4
_LEFT, _TOP, _BOTTOM = 0.6, 0.6, 0.65
_WIDE = _PAGE[0] - 2 * _LEFT
_LINE, _ROW = 0.165, 0.15  # inch, of text and of tables
_SIZES = {1: 16.0, 2: 12.5, 3: 10.0}  # points, of headings
_LETTERS = 96  # in a line of 9 points: a mean letter is 0.56 of its size wide
_BROAD = 0.56
_RED, _GREY, _BLUE = "#b3261e", "#59636e", "#0072B2"
_ACROSS = 6  # small pictures side by side

_Printed = Heading | Text | ReportTable | Code | Picture | Strip


def write_pdf(blocks: Sequence[Block], path: Path) -> None:
    """Write what a page prints: folded tables are left out."""
    from matplotlib.backends.backend_pdf import PdfPages

    title = next((one.text for one in blocks if isinstance(one, Heading)), "report")
    metadata = {"Title": title, "Creator": "motiform", "CreationDate": None}  # the same report is the same bytes
    with PdfPages(path, metadata=metadata) as pages:
        paper = _Paper(pages, title)
        printed = [chart_picture(one) if isinstance(one, Chart) else one for one in blocks]
        for k, block in enumerate(printed):
            if not getattr(block, "folded", None):
                paper.put(block, printed[k + 1 :])
        paper.turn()


class _Paper:
    """Pages that are filled from the top."""

    def __init__(self, pages: Any, title: str) -> None:
        self._pages, self._title, self._number = pages, title, 0
        self._page: Figure | None = None
        self._y = 0.0

    def turn(self) -> None:
        """End a page."""
        if self._page is not None:
            self._number += 1
            foot = f"{textwrap.shorten(self._title, 90)}   ·   {self._number}"
            self._page.text(0.5, 0.3 / _PAGE[1], foot, fontsize=7, color=_GREY, ha="center", parse_math=False)
            self._pages.savefig(self._page)
        self._page = None

    def page_with(self, tall: float) -> "Figure":
        """Return a page with that much room [inch] below what is there."""
        from matplotlib.figure import Figure

        if self._page is not None and self._y + tall > _PAGE[1] - _BOTTOM:
            self.turn()
        if self._page is None:
            self._page, self._y = Figure(figsize=_PAGE), _TOP
        return self._page

    def text(self, words: str, x: float = _LEFT, size: float = 9.0, **style: Any) -> None:
        """Put a line below the last one, without going on."""
        page = self.page_with(0.0)
        at = (x / _PAGE[0], 1 - (self._y + size / 72) / _PAGE[1])
        page.text(*at, words, fontsize=size, va="baseline", parse_math=False, **style)

    def put(self, block: _Printed, after: Sequence[_Printed]) -> None:
        """Put a block on the page, or on the next, where a heading stays with what is after it."""
        if isinstance(block, Heading):
            self._heading(block, after)
        elif isinstance(block, Text):
            self._lines(textwrap.wrap(block.text, _LETTERS) or [""], color=_RED if block.bad else "#1d232a")
        elif isinstance(block, Code):
            lines = [part for line in block.text.splitlines() for part in textwrap.wrap(line, 100) or [""]]
            self._lines(lines, family="monospace", size=7.5)
        elif isinstance(block, ReportTable):
            self._table(block)
        elif isinstance(block, Picture):
            self._pictures([block], 1)
        else:
            for first in range(0, len(block.pictures), _ACROSS):
                self._pictures(block.pictures[first : first + _ACROSS], _ACROSS)

    def _heading(self, block: Heading, after: Sequence[_Printed]) -> None:
        size = _SIZES[block.level]
        heads = next((k for k, one in enumerate(after) if not isinstance(one, Heading)), len(after))
        first = after[heads] if heads < len(after) else None
        needed = 0.65 + 0.45 * heads + (_height(first, 1) if isinstance(first, Picture) else 0.8)
        self.page_with(min(needed, 6.0))
        self._y += 0.0 if block.level == 1 or self._y <= _TOP else 0.14
        for line in textwrap.wrap(block.text, round(_LETTERS * 8 / size)):
            self.text(line, size=size, weight="bold")
            self._y += 1.55 * size / 72
        self._y += 0.04

    def _lines(self, lines: Sequence[str], *, size: float = 9.0, **style: Any) -> None:
        for line in lines:
            self.page_with(_LINE)
            self.text(line, size=size, **style)
            self._y += _LINE
        self._y += 0.07

    def _table(self, block: ReportTable) -> None:
        texts = [[cell if isinstance(cell, str) else "" for cell in row] for row in block.rows]
        longest = [max(len(head), *(len(row[k]) for row in texts), 8 * _has_bar(block, k)) if texts else len(head)
                   for k, head in enumerate(block.heads)]  # fmt: skip
        letter = min(0.065, _WIDE / max(sum(longest) + 2 * len(longest), 1))
        size = letter / 0.065 * 7.5
        ends, x = [], _LEFT
        for n in longest:
            x += letter * (n + 2)
            ends.append(x)
        self.page_with(3 * _ROW)
        self._row(list(block.heads), longest, ends, letter, size, weight="bold")
        for row in block.rows:
            if self._y + _ROW > _PAGE[1] - _BOTTOM:
                self.page_with(1e3)
                self._row(list(block.heads), longest, ends, letter, size, weight="bold")
            self._row(list(row), longest, ends, letter, size)
        self._y += 0.1

    def _row(
        self, cells: list[Any], longest: list[int], ends: list[float], letter: float, size: float, **style: Any
    ) -> None:
        page = self.page_with(_ROW)
        for k, (cell, end) in enumerate(zip(cells, ends, strict=True)):
            if isinstance(cell, Bar):
                self._bar(page, end - letter * longest[k], letter * longest[k] * cell.part)
            elif k == 0:
                self.text(cell, _LEFT, size, **style)
            else:
                self.text(cell, end - letter, size, ha="right", **style)
        self._y += _ROW

    def _bar(self, page: "Figure", x: float, wide: float) -> None:
        from matplotlib.patches import Rectangle

        corner = (x / _PAGE[0], 1 - (self._y + 0.11) / _PAGE[1])
        size = (wide / _PAGE[0], 0.07 / _PAGE[1])
        page.add_artist(Rectangle(corner, *size, color=_BLUE, linewidth=0, transform=page.transFigure))

    def _pictures(self, pictures: Sequence[Picture], across: int) -> None:
        tall = max(_height(one, across) for one in pictures)
        page, wide = self.page_with(tall + 0.2), _WIDE / across
        for k, one in enumerate(pictures):
            pixels = _pixels(one.png)
            high = min(_height(one, across), tall)
            low = 1 - (self._y + high) / _PAGE[1]
            own = high * pixels.shape[1] / pixels.shape[0]
            axes = page.add_axes(((_LEFT + k * wide) / _PAGE[0], low, own / _PAGE[0], high / _PAGE[1]))
            axes.imshow(pixels, aspect="equal", interpolation="none")  # all pixels go into the file
            axes.set_axis_off()
        self._y += tall
        if any(one.caption for one in pictures):
            for k, one in enumerate(pictures):
                size = 8.0 if across == 1 else 5.5
                words = textwrap.shorten(one.caption, int(72 * wide / (_BROAD * size)), placeholder="…")
                self.text(words, _LEFT + k * wide, size, color=_GREY)
            self._y += 0.18
        self._y += 0.05


def _has_bar(block: ReportTable, k: int) -> bool:
    return any(isinstance(row[k], Bar) for row in block.rows)


def _pixels(png: bytes) -> Any:
    from matplotlib.image import imread

    return imread(io.BytesIO(png), format="png")


def _height(one: Picture, across: int) -> float:
    """Return how high a picture is [inch] where so many share the width; no higher than a page."""
    rows, columns = _pixels(one.png).shape[:2]
    wide = min(1.0, columns / (WIDE * DPI)) if across == 1 else 0.97 / across
    return float(min(wide * _WIDE * rows / columns, _PAGE[1] - _TOP - _BOTTOM - 0.6))
