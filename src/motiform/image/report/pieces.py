"""Pieces of report pages: pictures, tables, and the page that holds them."""

import base64
import io
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from motiform.image.files import new_file

__all__ = ["image_tag", "number", "table_tag", "write_page"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:1.5rem auto;padding:0 1rem;color:#1d232a;"
    "background:#fff}h1{margin:.2rem 0}h2{margin:2rem 0 .4rem;border-bottom:1px solid #d5dae0}p{margin:.4rem 0}"
    "img{max-width:100%;height:auto}.strip figure{width:19%}"
    "figure{display:inline-block;vertical-align:top;margin:0 .3rem .4rem 0}figcaption{font-size:.85em;"
    "color:#59636e}table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}th,td{padding:.12rem"
    " .7rem;text-align:right;border-bottom:1px solid #e8ebee}th:first-child,td:first-child{text-align:left}"
    "th{font-weight:600;background:#f5f7f9}.bar{display:inline-block;height:.7em;background:#0072B2;border-radius:2px}"
    ".bad{color:#b3261e;font-weight:600}pre{background:#f5f7f9;padding:.6rem;overflow-x:auto;font-size:.85em}"
    "details>summary{cursor:pointer;color:#0057a0}h3{margin:1rem 0 .2rem;font-size:1rem}table{display:block;overflow-x:"
    "auto;max-width:100%}@media print{body{max-width:none;margin:0}figure,table{break-inside:avoid}"
    "details{display:none}h2{break-after:avoid}}@media(max-width:40rem){.strip figure{width:45%}"
    ".plot{overflow-x:auto}.plot img{max-width:none;width:46rem}}"
)


def write_page(title: str, parts: Iterable[str], path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write parts (HTML) as one page that needs no other file and no network, and return its path."""
    name = escape(title)
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{name}</h1>{''.join(parts)}</body></html>\n"
    )
    path = Path(path)
    with new_file(path, overwrite=overwrite) as part:
        part.write_text(page, "utf-8")
    return path


def image_tag(pixels: Any, caption: str, alt: str) -> str:
    """Return a picture (array or PNG bytes) inside of the page."""
    if not isinstance(pixels, bytes):
        import imageio.v3 as iio

        stream = io.BytesIO()
        iio.imwrite(stream, pixels, extension=".png")
        pixels = stream.getvalue()
    data = base64.b64encode(pixels).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="data:image/png;base64,{data}" alt="{escape(alt)}">{below}</figure>'


def table_tag(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are HTML."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many digits after the point, a dash where there is none."""
    return "–" if value is None or not np.isfinite(value) else f"{round(float(value), digits) + 0.0:.{digits}f}"
