"""Reports as pages and as PDF files: all text from files is text, and nothing is lost."""

import re

import numpy as np
import pytest

import motiform
from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError
from motiform.image.report import plots
from motiform.image.report.blocks import Bar, Code, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.html import html_page
from motiform.image.report.page import write_blocks, write_report
from motiform.image.report.pictures import png_of_pixels
from motiform.motion.postures import virtual_markers

EVIL = "<script>alert('x')</script> & \"$x_1$\""


def blocks(count=3):
    png = png_of_pixels(np.full((40, 60, 3), 200, np.uint8))
    return [
        Heading(EVIL, 1), Text(EVIL), Text(EVIL, bad=True), ReportTable([EVIL, "b"], [[EVIL, Bar(0.5)]] * count),
        ReportTable(["a"], [[EVIL]], folded=EVIL), Code(EVIL), Heading("A plot", 3), Picture(png, EVIL, EVIL),
        Strip([Picture(png, EVIL, EVIL, wide=False)] * 7),
    ]  # fmt: skip


def test_text_is_text():
    page = html_page(blocks())
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 1 + 1 + 2 + 1 + 3 + 2 + 1 + 2 + 2 * 7  # title, heading, texts, cells, …
    assert page.count("<img") == 1 + 7


def test_pdf_without_a_browser(tmp_path):
    """Pages of A4, the same bytes every time; a table of many rows goes on from page to page."""
    write_blocks(blocks(80), tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    # 80 rows of 0.15 inch are 12 inch, a page has 10.4: two pages at least, and the rest
    assert 2 <= len(re.findall(rb"/Type /Page\b", data)) <= 3
    for name in ("b.pdf", "c.pdf"):
        write_blocks(blocks(1), tmp_path / name)
    assert (tmp_path / "b.pdf").read_bytes() == (tmp_path / "c.pdf").read_bytes()
    with pytest.raises(InputError, match="exists"):
        write_blocks(blocks(), tmp_path / "a.pdf")


def test_a_report_is_a_page_or_a_pdf(tmp_path):
    with pytest.raises(InputError, match=r"\.html, \.pdf"):
        write_report(None, None, None, tmp_path / "report.docx")


def test_lines_of_a_pdf_stay_on_the_page():
    """The widest line of wrapped prose, and the captions of pictures at foot strikes, fit in their room."""
    from matplotlib.textpath import TextPath

    from motiform.image.report import pdf

    prose = "Angles by the recommendations of the ISB, the pelvis by rotation, obliquity and tilt in the direction. "
    longest = (prose * 9)[: pdf._LETTERS]
    assert TextPath((0, 0), longest, size=9.0).get_extents().width < 72 * pdf._WIDE
    assert len("right foot strike, 12.34 s") <= int(72 * pdf._WIDE / pdf._ACROSS / (pdf._BROAD * 5.5))


def test_efforts_that_no_marker_determines_are_not_drawn(monkeypatch):
    """Of an arm with markers on its upper part alone the elbow has no plot; a coordinate that is seen has one."""
    b = FigureBuilder()
    b.segment("upper", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.1, 0))
    elbow = Transform(np.eye(3), (0, -0.3, 0))
    b.segment("fore", "upper", joints.revolute((0, 0, 1)), placement=elbow, mass=1.0, com=(0, -0.1, 0))
    b.tag("a", "upper", (0.0, -0.1, 0.0))
    b.tag("b", "upper", (0.1, -0.2, 0.0))
    arm = b.build()
    q = np.column_stack([np.sin(np.arange(50) / 10.0), np.zeros(50)])
    rec = motiform.reconstruct(arm, virtual_markers(arm, q, rate=50.0), dynamics=True)
    drawn = []
    monkeypatch.setattr(plots, "_pages", lambda names, draw: drawn.extend(names) or iter(()))
    list(plots.effort_plots(rec, arm))
    assert np.abs(rec["effort"][:, 1]).max() > 0
    assert drawn == [f"{arm.coordinates[0]} [N·m]"]
