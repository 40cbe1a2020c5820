"""The report of a reconstructed trial: one self-contained page with tables, plots and pictures."""

import base64
import io
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.files import new_file
from motiform.image.report.plots import angle_plots, effort_plots, error_plot, seen_plot

if TYPE_CHECKING:
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["write_report"]

_PICTURES = 5
_SIZE = (300, 420)
_STILL = 0.2  # of the speed of the steps: slower than that nobody walks through the room
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:1.5rem auto;padding:0 1rem;color:#1d232a;"
    "background:#fff}h1{margin:.2rem 0}h2{margin:2rem 0 .4rem;border-bottom:1px solid #d5dae0}p{margin:.4rem 0}"
    "img{max-width:100%;height:auto}.strip figure{width:19%}"
    "figure{display:inline-block;margin:0 .3rem .4rem 0}figcaption{font-size:.85em;"
    "color:#59636e}table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}th,td{padding:.12rem"
    " .7rem;text-align:right;border-bottom:1px solid #e8ebee}th:first-child,td:first-child{text-align:left}"
    "th{font-weight:600;background:#f5f7f9}.bar{display:inline-block;height:.7em;background:#0072B2;border-radius:2px}"
    ".bad{color:#b3261e;font-weight:600}pre{background:#f5f7f9;padding:.6rem;overflow-x:auto;font-size:.85em}"
    "details>summary{cursor:pointer;color:#0057a0}h3{margin:1rem 0 .2rem;font-size:1rem}table{display:block;overflow-x:"
    "auto;max-width:100%}@media print{body{max-width:none;margin:0}figure,table{break-inside:avoid}"
    "details{display:none}h2{break-after:avoid}}@media(max-width:40rem){.strip figure{width:45%}"
    ".plot{overflow-x:auto}.plot img{max-width:none;width:46rem}}"
)


def write_report(
    rec: "Recording",
    figure: "Figure",
    markers: "Recording | None",
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Path:
    """Write a page about a trial and return its path: errors, gaps, angles, efforts, gait and pictures.

    Parameters
    ----------
    rec : what `reconstruct` gave for the markers.
    markers : as they were read: all of them, with their gaps; None: those of the tags.
    path : file to write (.html). It needs no other file and no network.
    """
    parts = [
        _head(rec), _gait(rec, figure, markers), _pictures(rec), _errors(rec), _gaps(rec, markers), _calibration(rec),
        _angles(rec, figure), _efforts(rec, figure), _events(rec), _origin(rec, markers),
    ]  # fmt: skip
    title = escape(str(rec.manifest.get("title") or rec.manifest.get("source") or "trial"))
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{title}</h1>{''.join(parts)}</body></html>\n"
    )
    path = Path(path)
    with new_file(path, overwrite=overwrite) as part:
        part.write_text(page, "utf-8")
    return path


# ---------------------------------------------------------------- pieces of a page
def _image(pixels: Any, caption: str, alt: str) -> str:
    """Return a picture (array or PNG bytes) inside of the page."""
    if not isinstance(pixels, bytes):
        import imageio.v3 as iio

        stream = io.BytesIO()
        iio.imwrite(stream, pixels, extension=".png")
        pixels = stream.getvalue()
    data = base64.b64encode(pixels).decode()
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="data:image/png;base64,{data}" alt="{escape(alt)}">{below}</figure>'


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are HTML."""
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _mm(value: float | None) -> str:
    return "–" if value is None or not np.isfinite(value) else f"{1e3 * value:.2f}"


def _number(value: float, digits: int = 3) -> str:
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


# ---------------------------------------------------------------- sections
def _head(rec: "Recording") -> str:
    told, subject = rec.manifest["reconstruct"], rec.manifest.get("subject")
    count, matched = told["samples"], len(told["per_marker"])
    facts = [
        f"{escape(str(rec.manifest.get('source') or 'markers'))}, {count} samples over {rec.duration:.3f} s",
        f"figure {escape(str(rec.manifest.get('figure')))}" + (f" of {escape(str(subject))}" if subject else ""),
        f"{matched} markers; error <b>{_mm(told['rms'])} mm</b> (root mean square, all markers alike"
        + (f"; {_mm(told['rms_weighted'])} mm weighted)" if told["rms_weighted"] != told["rms"] else ")"),
    ]
    facts += [f'<span class="bad">{escape(note)}</span>' for note in told["notes"]]
    for name, words in (("left_out", "left out"), ("swapped", "put right after an exchange")):
        count_of = {tag: row[name] for tag, row in told["per_marker"].items() if row[name]}
        if count_of:
            each = ", ".join(f"{escape(tag)} in {number}" for tag, number in count_of.items())
            facts.append(f'<span class="bad">markers {words}: {each} samples</span>')
    for name, words in (("not_settled", "not settled"), ("lost", "without a marker")):
        if told.get(name):
            facts.append(f'<span class="bad">{told[name]} samples {words}</span>')
    return f"<p>{'; '.join(facts)}.</p>"


def _pictures(rec: "Recording") -> str:
    """Return pictures of the figure with its markers at a few samples, made by casting rays."""
    from motiform.form import dress
    from motiform.image.camera import Camera
    from motiform.image.cast.raycast import render

    times = rec.time("q")
    seen = np.isfinite(rec["markers"][..., 0]).sum(axis=1)
    well = np.flatnonzero(seen >= 0.5 * seen.max())  # where there is something to compare
    shown = []
    for k in np.unique(well[np.linspace(0, len(well) - 1, _PICTURES).round().astype(int)]):
        form = dress(rec.slice(times[k], times[k]))
        camera = Camera.framing(form, (1.0, 0.3, 0.9), aspect=_SIZE[0] / _SIZE[1])
        pixels = render(form, 0, camera=camera, size=_SIZE, samples_per_pixel=4)
        shown.append(_image(pixels, f"{times[k]:.2f} s", "figure and markers"))
    key = "Blue: markers as measured. Orange: tags of the figure. Black: what lies between the two of a pair."
    return f"<h2>Figure and markers</h2><div class='strip'>{''.join(shown)}</div><p>{key}</p>"


def _errors(rec: "Recording") -> str:
    rows, told = [], rec.manifest["reconstruct"]["per_marker"]
    most = max((row["rms"] or 0.0 for row in told.values()), default=0.0) or 1.0
    for tag, row in told.items():
        bar = f'<span class="bar" style="width:{80 * (row["rms"] or 0.0) / most:.0f}px"></span>'
        cells = [escape(tag), escape(str(row["marker"])), f"{100 * row['seen']:.1f}", _mm(row["rms"])]
        rows.append([*cells, _mm(row["largest"]), str(row["left_out"] or ""), str(row["swapped"] or ""), bar])
    none = [tag for tag in rec.manifest.get("labels", {}).get("tag", []) if tag not in told]
    left = f"<p>Tags without a marker: {escape(', '.join(none))}.</p>" if none else ""
    table = _table(["tag", "marker", "seen [%]", "rms [mm]", "largest [mm]", "left out", "exchanged", ""], rows)
    plot = _image(error_plot(rec), "Error of each sample: root mean square, and the largest of a marker.", "errors")
    return f"<h2>Errors of markers</h2>{plot}{table}{left}"


def _gaps(rec: "Recording", markers: "Recording | None") -> str:
    plot = _image(seen_plot(rec), "When each marker was seen (dark), and where it was not (white).", "gaps")
    if markers is None:
        return f"<h2>Gaps</h2>{plot}"
    from motiform.measure import find_gaps

    gaps = find_gaps(markers)
    missing, rows = gaps.missing, []
    for name in gaps.markers:
        own = gaps.of(name)
        if own:
            longest = max(own, key=lambda gap: gap.length)
            cells = [str(len(own)), str(longest.length), _number(longest.duration), f"{100 * missing[name]:.1f}"]
            rows.append([escape(name), *cells])
    table = _table(["marker", "gaps", "longest [samples]", "[s]", "not seen [%]"], rows) if rows else "<p>No gap.</p>"
    return (
        f"<h2>Gaps</h2>{plot}<details><summary>{len(gaps)} gaps of all markers of the file</summary>{table}</details>"
    )


def _calibration(rec: "Recording") -> str:
    found = rec.manifest.get("calibration")
    if not found:
        return ""
    change = f"{_mm(found['error_before'])} mm before, {_mm(found['error_after'])} mm after"
    text = escape(found["report"])
    return (
        f"<h2>Calibration</h2><p>{change}.</p><details><summary>Lengths and tags</summary><pre>{text}</pre></details>"
    )


def _angles(rec: "Recording", figure: "Figure") -> str:
    plots = [_image(png, "", f"coordinates {n + 1}") for n, png in enumerate(angle_plots(rec, figure))]
    words = (
        "Lines: coordinates as fitted. Bands: two standard deviations each way, from the residuals. Grey: samples in "
        "which no marker tells the coordinate."
    )
    return f"<h2>Coordinates</h2><p>{words}</p>{''.join(plots)}"


def _efforts(rec: "Recording", figure: "Figure") -> str:
    if "effort" not in rec:
        return ""
    left = rec.manifest["reconstruct"].get("residual") or {}
    rows = [
        [what, *(_number(left.get(f"{key}_{size}", np.nan), 1) for size in ("rms", "peak")),
         *(_number(100 * left.get(f"{key}_{size}_relative", np.nan), 1) for size in ("rms", "peak"))]
        for what, key in (("force [N]", "force"), ("moment [N·m]", "moment"))
    ]  # fmt: skip
    words = (
        f"Over {int(left.get('samples', 0))} samples in which all feet that stand are on usable plates; parts of the "
        "weight, and of the weight times the height of the centre of mass."
    )
    table = _table(["left at the root", "rms", "peak", "rms [%]", "peak [%]"], rows)
    plots = "".join(_image(png, "", "efforts") for png in effort_plots(rec, figure))
    return f"<h2>Efforts and residuals</h2>{table}<p>{words}</p>{plots}"


def _gait(rec: "Recording", figure: "Figure", markers: "Recording | None") -> str:
    """Return curves over the gait cycle, forces of the ground and the table of steps; nothing where nobody walks."""
    from motiform.image.report.gait import curve_pages, force_plots, spatio_temporal, walk_of
    from motiform.motion.reconstruct import gait_table
    from motiform.motion.reconstruct.gait.cycles import gait_curves

    steps = [event for event in rec.events if (event.detail or {}).get("kind") in ("foot strike", "foot off")]
    walker = walk_of(rec, figure) if steps else None
    if walker is None:
        return ""
    table = gait_table(walker, steps)
    if not table.strides:
        return f"<h2>Gait</h2><p>{len(steps)} events of feet, no whole stride.</p>"
    heads = ["side", "start [s]", "stride [s]", "stride [m]", "step [s]", "step [m]", "stance [s]", "speed [m/s]",
             "cadence [1/min]"]  # fmt: skip
    rows = [[escape(str(s.side)), *(_number(value) for value in list(vars(s).values())[1:])] for s in table.strides]
    each = f"<details><summary>{len(rows)} strides</summary>{_table(heads, rows)}</details>"
    curves = gait_curves(rec, figure, walker)
    words = (
        "Angles by the ISB [Wu02], the pelvis in the direction of walking. From strike to strike of a foot; thin: each "
        "cycle, thick: their mean, band: one standard deviation, dashed: foot off. Squares at the foot of a plot: "
        "samples that were not fitted, or in which hidden markers leave a coordinate of the leg open. Moments are "
        "those of muscles, positive in the direction named."
    )
    shown = [*curve_pages(curves), *force_plots(rec, figure, markers, walker)]
    plots = "".join(f"<h3>{escape(title)}</h3><div class=plot>{_image(png, '', title)}</div>" for title, png in shown)
    mean = table.mean()
    if abs(mean["speed"]) < _STILL * mean["step_length"] / max(mean["step_time"], 1e-9):
        words += " The body stays where it is while its feet step, as on a treadmill: stride length and speed are in "
        words += "the room."
    return f"<h2>Gait</h2>{_table(*spatio_temporal(table))}{each}{f'<p>{words}</p>' if curves.cycles else ''}{plots}"


def _events(rec: "Recording") -> str:
    if not rec.events:
        return ""
    rows = []
    for event in rec.events[:200]:
        detail = ", ".join(f"{key} {value}" for key, value in (event.detail or {}).items())
        rows.append([f"{event.time:.3f}", escape(event.name), escape(detail)])
    more = f"<p>… and {len(rec.events) - 200} more.</p>" if len(rec.events) > 200 else ""
    table = _table(["time [s]", "event", ""], rows)
    return f"<h2>Events</h2><details><summary>{len(rec.events)} events</summary>{table}{more}</details>"


def _origin(rec: "Recording", markers: "Recording | None") -> str:
    """Return how the page came about."""
    lines = [f"motiform {rec.manifest.get('version', '')}"]
    if markers is not None:
        names = ("format", "units", "up", "up_by")
        lines += [f"{name}: {markers.manifest.get(name)}" for name in names if markers.manifest.get(name) is not None]
        lines += [str(note) for note in markers.manifest.get("notes") or []]
    return f"<h2>Origin</h2><pre>{escape(chr(10).join(lines))}</pre>"
