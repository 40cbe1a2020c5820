"""The page that `motiform demo` ends with: pictures, films and plots by part, and links."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from motiform.base.markup import Html, html, join

if TYPE_CHECKING:
    from motiform.cli.demo import Shown

_PARTS = {
    "measure": "Measure: postures from markers",
    "bodies": "Motion: rigid bodies",
    "tree": "Motion: articulated figures and contact joints",
    "contact": "Motion: contacts, impacts and friction",
    "matter": "Motion: deformable matter",
}
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{margin-bottom:.2rem}h2{border-bottom:1px solid #ccc;margin-top:2.5rem}h3{margin-bottom:0}
.shown{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:.75rem;align-items:start}
img,video{width:100%;border-radius:4px;border:1px solid #ddd}
pre{background:#f4f4f4;padding:.75rem;border-radius:4px;overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}img,video{border-color:#444}}
"""


def page(shown: list["Shown"], out: Path) -> str:
    """Return the page in HTML. It refers to files of its own folder only."""
    parts = [*_PARTS, *sorted({one.part for one in shown} - set(_PARTS))]
    body = join(_section(part, [one for one in shown if one.part == part]) for part in parts)
    return html(
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        "<title>motiform demo</title><style>{}</style><h1>motiform</h1>"
        "<p>From measurement to motion, form and image. Every result on this page was computed on this machine.</p>"
        "{}{}</html>",
        Html(_STYLE), body, _way_on(out),
    )  # fmt: skip


def _section(part: str, rows: list["Shown"]) -> Html:
    if not rows:
        return Html()
    return html("<h2>{}</h2>{}", _PARTS.get(part, part.capitalize()), join(map(_row, rows)))


def _row(row: "Shown") -> Html:
    given = {kind: path.name for kind, path in row.files.items()} | {"title": row.title, "text": row.text}
    first = '<img src="{picture}" alt="{title}: picture">'
    if "film" in row.files:  # its poster is the picture
        first = '<video src="{film}" poster="{picture}" controls loop muted playsinline></video>'
    plot = '<img src="{plot}" alt="{title}: plot">' if "plot" in row.files else ""
    return html('<h3>{title}</h3><p>{text}</p><div class="shown">' + first + plot + "</div>", **given)


def _way_on(out: Path) -> Html:
    motiform = "motiform" if shutil.which("motiform") else sys.argv[0]  # the command of an environment not on the path
    rows = {
        f"view {out}/handle.mf": "the studio: 3-D view, timeline, plots, parameters",
        "list": "all built-in scenes",
        "run pendulum": "run one; --set motion.step=5e-4 changes a parameter",
        "film pendulum.mf": "its film",
        "demo --all": "the whole gallery",
        "reconstruct walk.c3d": "postures from your own markers",
    }
    width = max(map(len, rows))
    lines = "\n".join(f"{motiform} {call:<{width}}   # {what}" for call, what in rows.items())
    return html(
        "<h2>The way on</h2><pre>{}</pre>"
        "<p>The README shows the same in Python. The folder docs/ has a page for each part.</p>",
        lines,
    )
