"""A report as one page of HTML that needs no other file and no network."""

import base64
from collections.abc import Sequence
from dataclasses import replace

from motiform.base.markup import Html, escape, html, join, page
from motiform.image.report.blocks import Bar, Block, Cell, Code, Heading, Picture, ReportTable, Strip, Text
from motiform.image.report.chart import Chart, svg

__all__ = ["html_page"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:1.5rem auto;padding:0 1rem;color:#1d232a;"
    "background:#fff}h1{margin:.2rem 0;overflow-wrap:anywhere}h2{margin:2rem 0 .4rem;border-bottom:1px solid #d5dae0}"
    "h3{margin:1rem 0 .2rem;font-size:1rem}p{margin:.4rem 0;max-width:60rem}figure{margin:0 0 .4rem}"
    "img,svg{max-width:100%;height:auto;display:block}figure>svg{font-family:system-ui,sans-serif}"
    ".strip{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.4rem;max-width:66rem}"
    ".panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:.3rem}"
    ".panels>svg{width:100%!important;font-family:system-ui,sans-serif}"
    ".keys{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85em;color:#3c4650}"
    ".keys i{display:inline-block;width:1.4em;height:.35em;margin-right:.4em;vertical-align:middle}"
    "figcaption{font-size:.85em;color:#59636e}table{border-collapse:collapse;margin:.5rem 0;display:block;"
    "overflow-x:auto;max-width:100%;font-variant-numeric:tabular-nums}th,td{padding:.12rem .7rem;text-align:right;"
    "border-bottom:1px solid #e8ebee;white-space:nowrap}th:first-child,td:first-child{text-align:left;"
    "white-space:normal}th{font-weight:600;white-space:normal;vertical-align:bottom;"
    "background:#f5f7f9}.bar{display:inline-block;height:.7em;background:#0072B2;border-radius:2px;"
    "print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    ".left{text-align:left}.bad{color:#b3261e;font-weight:600}pre{background:#f5f7f9;padding:.6rem;overflow-x:auto;font-size:.85em}"
    "details>summary{cursor:pointer;color:#0057a0}"
    "@media(max-width:40rem){table{font-size:.85em}th,td{padding:.15rem .35rem;white-space:normal}"
    ".plot{overflow-x:auto}.plot img,.plot figure>svg{max-width:none;width:46rem!important}}"
    "@page{size:A4;margin:14mm}@media print{body{max-width:none;margin:0;padding:0;font-size:11px}"
    "figure,tr{break-inside:avoid}table{display:table;font-size:9.5px}th,td{padding:.05rem .45rem}"
    "details{display:none}h2,h3{break-after:avoid}.plot{overflow:visible}.plot img,.plot figure>svg{width:100%}"
    ".strip{grid-template-columns:repeat(6,1fr)}.panels{grid-template-columns:repeat(3,1fr)}.panels>svg{break-inside:avoid}}"
)


def html_page(blocks: Sequence[Block]) -> str:
    """Return the page; its title is the first heading."""
    title = next((one.text for one in blocks if isinstance(one, Heading)), "report")
    return page(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{}</title>'
        '<meta name="viewport" content="width=device-width"><style>{}</style></head><body>{}</body></html>\n',
        title, Html(_STYLE), join(map(_block, blocks)),
    )  # fmt: skip


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
