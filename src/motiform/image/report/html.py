"""A report as one page of HTML that needs no other file and no network."""

import base64
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from motiform.base.markup import Html, escape, html, join, page
from motiform.image.report.blocks import Bar, Block, Cell, Code, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.chart import Chart, svg

__all__ = ["html_page"]


def html_page(blocks: Sequence[Block]) -> str:
    """Return the page; its title is the first heading."""
    title = next((one.text for one in blocks if isinstance(one, Heading)), "report")
    return page(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{}</title>'
        '<meta name="viewport" content="width=device-width"><style>{}</style></head><body>{}</body></html>\n',
        title, Html(_style()), join(map(_block, blocks)),
    )  # fmt: skip


def _style() -> str:
    return files("motiform.image.report").joinpath("page.css").read_text("utf-8").replace("\n", "")


def _block(one: Block) -> Html:
    if isinstance(one, Heading):
        return html("<h{level}>{text}</h{level}>", level=one.level, text=one.text)
    if isinstance(one, Text):
        return html("<p class=bad>{}</p>" if one.bad else "<p>{}</p>", one.text)
    if isinstance(one, ReportTable):
        return _folded(_table(one), one.folded)
    if isinstance(one, Code):
        return _folded(html("<pre>{}</pre>", one.text), one.folded)
    if isinstance(one, Strip):
        return html('<div class="strip">{}</div>', join(map(_picture, one.pictures)))
    if isinstance(one, Chart) and one.flow:
        return _flowing(one)
    if isinstance(one, Chart):
        return html('<div class="plot"><figure>{}{}</figure></div>', svg(one), _caption(one.caption))
    return html('<div class="plot">{}</div>', _picture(one)) if one.wide else _picture(one)


def _flowing(one: Chart) -> Html:
    """Return the panels of a chart, each by itself: three abreast on a desk, one on a phone."""
    keys = join(
        html('<span><i style="background:{};opacity:{}"></i>{}</span>', item.color, item.alpha, label)
        for label, item in reversed(one.legend().items())
    )
    alone = (replace(one, panels=[panel], columns=1, wide=one.wide / one.columns) for panel in one.panels)
    panels = join(svg(each, with_legend=False) for each in alone)
    return html('<figure><div class="keys">{}</div><div class="panels">{}</div>{}</figure>', keys, panels,
                _caption(one.caption))  # fmt: skip


def _folded(inner: Html, line: str | None) -> Html:
    return inner if line is None else html("<details><summary>{}</summary>{}</details>", line, inner)


def _picture(one: Picture) -> Html:
    data = base64.b64encode(one.png).decode()
    below = _caption(one.caption)
    return html('<figure><img src="data:image/png;base64,{}" alt="{}">{}</figure>', Html(data), one.alt, below)


def _caption(words: str) -> Html:
    return html("<figcaption>{}</figcaption>", words) if words else Html()


def _table(one: ReportTable) -> Html:
    top = join(html("<th>{}</th>", head) for head in one.heads)
    body = join(html("<tr>{}</tr>", join(map(_td, row))) for row in one.rows)
    return html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", top, body)


def _td(cell: Cell) -> Html:
    if isinstance(cell, Bar):
        return html('<td class="left"><span class="bar" style="width:{:.0f}px"></span></td>', 80 * cell.part)
    return html("<td>{}</td>", escape(cell))
