"""Reports as pages and as PDF files: all text from files is text, and nothing is lost."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import motiform
from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError
from motiform.image.report import plots
from motiform.image.report.blocks import Bar, Code, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.chart import Chart, Curve, CurveBand, Heat, Panel, Signs, svg, ticks
from motiform.image.report.html import html_page
from motiform.image.report.page import write_blocks, write_report
from motiform.image.report.pictures import png_of_pixels
from motiform.motion.postures import virtual_markers

EVIL = "<script>alert('x')</script> & \"$x_1$\""


def chart():
    """Return a chart with all that charts have."""
    x = np.arange(4.0)
    one = Panel(title=EVIL, xlabel=EVIL, ylabel=EVIL, zero=True, uprights=[(1.0, "#000000")])
    one.add(
        CurveBand(x, x - 1, x + 1, "#0072B2", label=EVIL),
        Curve(x, np.array([0.0, 1.0, np.nan, 3.0]), "#0072B2", label="b"),
        Signs(x[:2], 0.03, "x", "#0072B2", foot=True), Signs(x, x, "o", "#0072B2"),
    )  # fmt: skip
    map_ = Panel([Heat(np.array([[0.0, np.nan], [1.0, 2.0]]), 0.0, 1.0, 2.0, [EVIL, "b"])], ylim=(1.5, -0.5))
    return Chart([one, map_], EVIL, columns=2, caption=EVIL)


def blocks(count=3):
    png = png_of_pixels(np.full((40, 60, 3), 200, np.uint8))
    return [
        Heading(EVIL, 1), Text(EVIL), Text(EVIL, bad=True), ReportTable([EVIL, "b"], [[EVIL, Bar(0.5)]] * count),
        ReportTable(["a"], [[EVIL]], folded=EVIL), Code(EVIL), Heading("A plot", 3), Picture(png, EVIL, EVIL),
        Strip([Picture(png, EVIL, EVIL, wide=False)] * 7), chart(),
    ]  # fmt: skip


def test_text_is_text():
    page = html_page(blocks())
    assert "<script" not in page
    # title, heading, texts, cells, …; of the chart legend, title, axes, row, what stands for it, caption
    assert page.count("&lt;script&gt;") == 1 + 1 + 2 + 1 + 3 + 2 + 1 + 2 + 2 * 7 + 1 + 1 + 2 + 1 + 1 + 1
    assert page.count("<img") == 1 + 7


def test_a_chart_is_well_formed_and_draws_points_where_they_are():
    """A line across the whole frame goes from corner to corner; where it has a gap it is two lines."""
    ElementTree.fromstring(svg(chart()))
    frame = Panel([Curve((0.0, 1.0), (0.0, 1.0), "#0072B2")], xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    found = ElementTree.fromstring(svg(Chart([frame], "a line", wide=4.0, tall=2.0)))
    box = next(part for part in found.iter("svg") if part is not found)
    x, y, wide, high = (int(box.get(name)) for name in ("x", "y", "width", "height"))
    assert box.find("path").get("d") == f"M{x} {y + high}l{wide} {-high}"
    gap = Panel([Curve(np.arange(5.0), [0.0, 1.0, np.nan, 1.0, 0.0], "#0072B2")])
    path = next(ElementTree.fromstring(svg(Chart([gap], "two"))).iter("svg").__iter__())
    assert [part.get("d").count("M") for part in path.iter("path") if part.get("stroke-linejoin")] == [2]


def test_axes_of_one_scale_and_round_numbers():
    circle = np.linspace(0.0, 2 * np.pi, 20)
    panel = Panel([Curve(np.cos(circle), np.sin(circle), "#0072B2")], equal=True)
    (left, right), (low, high) = panel.limits(300.0, 100.0)
    assert (right - left) / 300.0 == pytest.approx((high - low) / 100.0, rel=1e-12)
    assert max(left, low) < -1
    assert min(right, high) > 1
    for low, high in ((0.0, 10.0), (-0.3, 0.7), (1e-4, 2e-3), (-180.0, 180.0)):
        values = np.array(ticks(low, high))
        assert 2 <= len(values) <= 6
        assert low - 1e-9 <= values[0] < values[-1] <= high + 1e-9
        step = values[1] - values[0]
        np.testing.assert_allclose(values / step, np.rint(values / step), atol=1e-9)


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
    monkeypatch.setattr(plots, "_pages", lambda panels, what: drawn.extend(one.title for one in panels) or iter(()))
    list(plots.effort_plots(rec, arm))
    assert np.abs(rec["effort"][:, 1]).max() > 0
    assert drawn == [f"{arm.coordinates[0]} [N·m]"]
