"""The report of a reconstructed trial: one page with tables, plots and pictures, and the same as a PDF file."""

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.image.files import new_file
from motiform.image.report.blocks import Bar, Block, Code, Heading, ReportTable, Strip, Text
from motiform.image.report.chart import Chart
from motiform.image.report.plots import angle_plots, effort_plots, error_plot, residual_map

if TYPE_CHECKING:
    from motiform.motion.postures.gait.normative import Normative
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["CONVENTIONS", "report_blocks", "write_blocks", "write_report"]

_TURNED = np.deg2rad(30.0)
_EVENTS, _TAGS, _STEPS = 200, 12, 8  # shown
CONVENTIONS = {
    "isb": "Angles by the recommendations of the ISB [Wu02], the pelvis by rotation, obliquity and tilt [Baker01] in "
    "the direction of walking. Moments are internal, those of muscles.",
    "plug-in-gait": "Angles in the sequences and signs of Plug-in Gait, of the segments' own axes; pelvis and feet in "
    "the direction of walking. Moments are external, those that muscles balance.",
}
_TAKEN = {
    "mass": "mass [kg]", "height": "height [m]", "markers": "marker set", "calibrate": "calibrated by",
    "tasks": "kept near 0:", "limits": "limits:",
}  # fmt: skip
_MEANS = {
    "not fitted": "no posture was found",
    "hidden": "hidden markers leave a coordinate of the joint open",
    "uncertain": "a standard deviation above 5°",
    "limit": "a joint is at its limit",
    "left out": "a marker of its segments is left out or exchanged",
}


def write_report(
    rec: "Recording", figure: "Figure", markers: "Recording | None", path: str | os.PathLike[str], *,
    normative: "Normative | None" = None, overwrite: bool = False,
) -> Path:  # fmt: skip
    """Write a report of a trial and return its path: gait, errors, gaps, angles, efforts and pictures.

    Parameters
    ----------
    rec : what `reconstruct` gave for the markers.
    markers : as they were read: all of them, with their gaps; None: those of the tags.
    path : file to write: .html, a page that needs no other file and no network; or .pdf.
    normative : bands that are drawn behind the curves over the gait cycle, of `read_normative`.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (".html", ".htm", ".pdf"):
        raise InputError("a report must be a page or a PDF file", got=path.name, allowed=".html, .pdf")
    blocks = report_blocks(rec, figure, markers, normative)
    write_blocks(blocks, path, overwrite=overwrite)
    return path


def write_blocks(blocks: list[Block], path: Path, *, overwrite: bool = False) -> None:
    """Write a report as a page or as PDF, by the ending of its name."""
    from motiform.image.report.html import html_page
    from motiform.image.report.pdf import write_pdf

    with new_file(path, overwrite=overwrite) as part:
        if path.suffix.lower() == ".pdf":
            write_pdf(blocks, part)
        else:
            part.write_text(html_page(blocks), "utf-8")


def report_blocks(
    rec: "Recording", figure: "Figure", markers: "Recording | None", normative: "Normative | None" = None
) -> list[Block]:
    """Return what a report of a trial consists of."""
    from motiform.image.report.gait import find_walker
    from motiform.image.report.muscles import muscle_blocks

    walker = find_walker(rec, figure)
    parts = [
        _head(rec), _file(markers), _gait(rec, figure, markers, walker, normative), _pictures(rec, figure, walker),
        _errors(rec), _gaps(markers), _calibration(rec), _angles(rec, figure), _efforts(rec, figure),
        muscle_blocks(rec), _events(rec), _origin(rec, markers),
    ]  # fmt: skip
    return [block for part in parts for block in part]


def _mm(value: float | None) -> str:
    return "–" if value is None or not np.isfinite(value) else f"{1e3 * value:.2f}"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}f}"


def _short(value: Any) -> str:
    """Return a value as a person writes it: of numbers four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


# ---------------------------------------------------------------- sections
def _head(rec: "Recording") -> list[Block]:
    summary, subject = rec.manifest["reconstruct"], rec.manifest.get("subject")
    title = str(rec.manifest.get("title") or rec.manifest.get("source") or "trial")
    weighted = f"; {_mm(summary['rms_weighted'])} mm weighted" if summary["rms_weighted"] != summary["rms"] else ""
    facts = (
        f"{rec.manifest.get('source') or 'markers'}, {summary['samples']} samples over {rec.duration:.3f} s; figure "
        f"{rec.manifest.get('figure')}{f' of {subject}' if subject else ''}; {len(summary['per_marker'])} markers; "
        f"error {_mm(summary['rms'])} mm (root mean square, all markers alike{weighted})."
    )
    found: list[Block] = [Heading(title, 1), Text(facts), *_filter(summary)]
    taken = rec.manifest.get("taken") or {}
    if taken:
        each = "; ".join(f"{_TAKEN.get(name, name)} {_short(value)} ({why})" for name, (value, why) in taken.items())
        found.append(Text(f"Assumed where nothing was given: {each}."))
    found += [Text(str(note), bad=True) for note in summary["notes"]]
    for name, words in (("left_out", "left out"), ("swapped", "exchanged and corrected")):
        count = {tag: row[name] for tag, row in summary["per_marker"].items() if row[name]}
        if count:
            each = ", ".join(f"{tag} in {number}" for tag, number in count.items())
            found.append(Text(f"Markers {words}: {each} samples.", bad=True))
    for name, words in (("not_settled", "not settled"), ("lost", "without a marker")):
        if summary.get(name):
            found.append(Text(f"{summary[name]} samples {words}.", bad=True))
    held = sorted({event.name.partition(": ")[2] for event in rec.events if event.name.startswith("at its limit: ")})
    if held:
        found.append(Text(f"At a limit of its range for a while: {', '.join(held)}."))
    return found


def _filter(summary: dict[str, Any]) -> list[Block]:
    """Return what was smoothed before derivatives were taken, and by how much."""
    moved = summary.get("filtered")
    if moved is None:
        return []
    if summary["cutoff"] is None:
        return [Text("Velocities and accelerations are those of the fitted postures, without a low-pass filter.")]
    words = (
        f"Velocities, accelerations, efforts and forces of plates are low-passed at {summary['cutoff']:g} Hz "
        f"(Butterworth, order 2, forwards and backwards), which moves tags by {_mm(moved['rms'])} mm (rms; "
        f"{_mm(moved['largest'])} mm at {moved['tag']})."
    )
    return [Text(words)]


def _file(markers: "Recording | None") -> list[Block]:
    """Return what a person should know of how the file was read."""
    notes = [] if markers is None else [str(note) for note in markers.manifest.get("notes") or []]
    return [Text(f"The file: {'; '.join(notes)}.")] if notes else []


def _gait(
    rec: "Recording", figure: "Figure", markers: "Recording | None", walker: Any, normative: "Normative | None"
) -> list[Block]:
    """Return curves over the gait cycle, forces of the ground and the table of steps; nothing without gait."""
    from motiform.image.report.forces import force_plots
    from motiform.image.report.gait import curve_pages, spatio_temporal
    from motiform.motion.postures import gait_curves, gait_table

    steps = [event for event in rec.events if (event.detail or {}).get("kind") in ("foot strike", "foot off")]
    if walker is None:
        return []
    table = gait_table(walker, steps)
    whole = sum(np.isfinite(stride.stride_time) or np.isfinite(stride.stance) for stride in table.strides)
    if not whole:
        return [*_over_time(rec, figure, walker, steps), *_shown(force_plots(rec, figure, markers, walker))]
    curves = gait_curves(rec, figure, walker)
    sources = dict.fromkeys(str(event.detail.get("source", "")) for event in steps)
    words = {"file": "the file", "plate": "force plates", "zeni": "the feet", "velocity": "the feet"}
    found: list[Block] = [Heading("Gait"), ReportTable(*spatio_temporal(table)), _strides(table)]
    found.append(Text(f"Events of {', '.join(dict.fromkeys(words.get(one, one) for one in sources))}."))
    found += [*_notes(table), *_turned(rec, figure), *_stances_off_plates(rec, table)]
    if curves.cycles:
        found += _legend(curves, normative)
    return found + _shown([*curve_pages(curves, normative), *force_plots(rec, figure, markers, walker)])


def _stances_off_plates(rec: "Recording", table: Any) -> list[Block]:
    """Return why a side has no moments over its stance, where it has none."""
    from motiform.motion.postures.gait.series import load_known

    if "effort.known" not in rec:
        return []
    times, found = rec.time("q"), list[Block]()
    for side, word in (("l", "left"), ("r", "right")):
        stances = [(s.start, s.start + s.stance) for s in table.strides if s.side == side and np.isfinite(s.stance)]
        known = load_known(rec, side)
        whole = [bool(known[(times >= first) & (times <= last)].all()) for first, last in stances]
        if stances and not any(whole):
            words = f"None of the {len(stances)} stances of the {word} foot is on a usable plate of its own: "
            found.append(Text(words + "moments and powers of this side are those of the swing."))
    return found


def _over_time(rec: "Recording", figure: "Figure", walker: Any, steps: list[Any]) -> list[Block]:
    """Return angles, moments and powers over time, where no stride is whole."""
    from motiform.image.report.gait import marks_in, series_pages
    from motiform.motion.postures import joint_series

    found = joint_series(rec, figure, walker, rec.manifest["reconstruct"]["angles"])
    each = ", ".join(f"{one.name} {one.time:.3f} s" for one in steps[:_STEPS]) + ", …" * (len(steps) > _STEPS)
    listed = f" {len(steps)} event{'s' * (len(steps) != 1)} of feet: {each}." if steps else ""
    words = f"No whole stride: over time, not over the gait cycle.{listed} {CONVENTIONS[found.convention]}"
    words += _signs(marks_in(kind for one in found.series for kind in one.marks))
    return [
        Heading("Joints"), Text(words), *_turned(rec, figure), *_undetermined_note(found.undetermined),
        *_shown(series_pages(found)),
    ]  # fmt: skip


def _signs(marks: dict[str, str]) -> str:
    each = "; ".join(f"{sign} {_MEANS[kind]}" for kind, sign in marks.items())
    return f" At the foot of a plot: {each}." if marks else ""


def _undetermined_note(names: "tuple[str, ...]") -> list[Block]:
    return [Text(f"Not drawn, because the markers do not determine it: {', '.join(names)}.")] if names else []


def _turned(rec: "Recording", figure: "Figure") -> list[Block]:
    from motiform.image.report.gait import turned_by

    turned = turned_by(rec, figure)
    if turned <= _TURNED:
        return []
    words = f"The subject turns by {np.rad2deg(turned):.0f}° in this trial: angles of pelvis and feet in the "
    return [Text(words + "direction of walking, and lengths of steps, hold for straight walking only.", bad=True)]


def _shown(plots: list[tuple[str, Chart]]) -> list[Block]:
    return [block for title, chart in plots for block in (Heading(title, 3), chart)]


def _strides(table: Any) -> ReportTable:
    heads = ["side", "start [s]", "stride [s]", "stride [m]", "step [s]", "step [m]", "stance [s]", "speed [m/s]",
             "cadence [1/min]", "flight [s]", "step width [m]"]  # fmt: skip
    rows = [[str(s.side), *(_number(value) for value in list(vars(s).values())[1:])] for s in table.strides]
    return ReportTable(heads, rows, folded=f"{len(rows)} strides")


def _notes(table: Any) -> list[Block]:
    from motiform.motion.postures.gait.spatial import stays

    mean, found = table.mean(), list[Block]()
    if stays(mean["speed"], mean["step_length"], mean["step_time"]):
        words = "The body stays where it is while its feet step, as on a treadmill: "
        found.append(Text(words + "stride length and speed are in the room."))
    return found


def _legend(curves: Any, normative: "Normative | None") -> list[Block]:
    from motiform.image.report.gait import marks_in

    words = (
        f"{CONVENTIONS[curves.convention]} From strike to strike of a foot; thin: each cycle, thick: their mean, "
        "band: one standard deviation, dashed: foot off. Moments and powers where the force on the foot is known, per "
        "kilogram."
    )
    marked = marks_in(kind for one in curves.quantities for own in one.marks.values() for kind in own)
    found: list[Block] = [Text(words + _signs(marked)), *_undetermined_note(curves.undetermined)]
    if normative is not None:
        source = f" ({normative.source})" if normative.source else ""
        found.append(Text(f"Grey: normative bands of {normative.name}{source}."))
        unused = normative.unused(curves.quantities)
        if unused:
            known = ", ".join(f"{one.title} [{one.unit}]" for one in curves.quantities[:4])
            words = (
                f"The normative table has names of no quantity of this report: {', '.join(unused)}; "
                f"the report has {known}, …"
            )
            found.append(Text(words, bad=True))
    return found


def _pictures(rec: "Recording", figure: "Figure", walker: Any) -> list[Block]:
    from motiform.image.report.pictures import event_pictures

    key = "Blue: markers as measured. Orange: tags of the figure. Both are drawn over the body, so that none is hidden."
    return [Heading("Figure and markers"), Strip(event_pictures(rec, figure, walker)), Text(key)]


def _errors(rec: "Recording") -> list[Block]:
    rows, per_marker = list[list[Any]](), rec.manifest["reconstruct"]["per_marker"]
    most = max((row["rms"] or 0.0 for row in per_marker.values()), default=0.0) or 1.0
    for tag, row in per_marker.items():
        cells = [tag, str(row["marker"]), f"{100 * row['seen']:.1f}", _mm(row["rms"]), _mm(row["largest"])]
        rows.append([*cells, str(row["left_out"] or ""), str(row["swapped"] or ""), Bar((row["rms"] or 0.0) / most)])
    heads = ["tag", "marker", "seen [%]", "rms [mm]", "largest [mm]", "left out", "exchanged", ""]
    kept = [k for k in range(len(heads)) if any(row[k] for row in rows) and (k != 1 or any(r[0] != r[1] for r in rows))]
    heads, rows = [heads[k] for k in kept], [[row[k] for k in kept] for row in rows]
    found: list[Block] = [
        Heading("Residuals of markers"), error_plot(rec), residual_map(rec), ReportTable(heads, rows),
    ]  # fmt: skip
    none = [tag for tag in rec.manifest.get("labels", {}).get("tag", []) if tag not in per_marker]
    some = ", ".join(none[:_TAGS]) + (f" and {len(none) - _TAGS} more" if len(none) > _TAGS else "")
    return [*found, Text(f"Tags without a marker: {some}.")] if none else found


def _gaps(markers: "Recording | None") -> list[Block]:
    if markers is None:
        return []
    from motiform.measure import find_gaps

    gaps = find_gaps(markers)
    missing, rows = gaps.missing, []
    for name in gaps.markers:
        own = gaps.of(name)
        if own:
            longest = max(own, key=lambda gap: gap.length)
            cells = [str(len(own)), str(longest.length), _number(longest.duration), f"{100 * missing[name]:.1f}"]
            rows.append([name, *cells])
    if not rows:
        return [Heading("Gaps"), Text("No marker of the file has a gap.")]
    heads = ["marker", "gaps", "longest [samples]", "[s]", "not seen [%]"]
    longest = max((gap for name in gaps.markers for gap in gaps.of(name)), key=lambda gap: gap.duration)
    words = f"{len(gaps)} gaps in {len(rows)} markers of the file, the longest {longest.duration:.3f} s."
    return [Heading("Gaps"), Text(words), ReportTable(heads, rows, folded="Gaps of each marker")]


def _calibration(rec: "Recording") -> list[Block]:
    found = rec.manifest.get("calibration")
    if not found:
        return []
    change = f"{_mm(found['error_before'])} mm before, {_mm(found['error_after'])} mm after."
    return [Heading("Calibration"), Text(change), Code(str(found["report"]), folded="Lengths and tags")]


def _angles(rec: "Recording", figure: "Figure") -> list[Block]:
    plots, left = angle_plots(rec, figure)
    words = (
        "Lines: coordinates as fitted. Bands: two standard deviations each way, from the residuals. Grey: samples in "
        "which the markers do not determine the coordinate. Red at the foot: at its limit."
    )
    found: list[Block] = [Heading("Coordinates"), Text(words)]
    found += plots
    if left:
        found.append(
            Text(f"Not drawn, because the markers do not determine them or they do not move: {', '.join(left)}.")
        )
    return found


def _efforts(rec: "Recording", figure: "Figure") -> list[Block]:
    if "effort" not in rec:
        return []
    left = rec.manifest["reconstruct"].get("residual") or {}
    rows = [
        [what, *(_number(left.get(f"{key}_{size}", np.nan), 1) for size in ("rms", "peak")),
         *(_number(100 * left.get(f"{key}_{size}_relative", np.nan), 1) for size in ("rms", "peak"))]
        for what, key in (("force [N]", "force"), ("moment [N·m]", "moment"))
    ]  # fmt: skip
    words = (
        f"Over {int(left.get('samples', 0))} samples in which all feet that stand are on usable plates; parts of the "
        "weight, and of the weight times the height of the centre of mass. Elsewhere the residual holds what the "
        "ground does."
    )
    found: list[Block] = [Heading("Efforts and residuals")]
    if left.get("samples"):
        found += [ReportTable(["left at the root", "rms", "peak", "rms [%]", "peak [%]"], rows), Text(words)]
    else:
        found.append(
            Text("In no sample all feet that stand are on usable plates: efforts of the trunk are not known.", bad=True)
        )
    return [*found, *effort_plots(rec, figure)]


def _events(rec: "Recording") -> list[Block]:
    if not rec.events:
        return []
    rows = []
    for event in rec.events[:_EVENTS]:
        detail = ", ".join(f"{key} {value}" for key, value in (event.detail or {}).items())
        rows.append([f"{event.time:.3f}", event.name, detail])
    more = [Text(f"… and {len(rec.events) - _EVENTS} more.")] if len(rec.events) > _EVENTS else []
    kinds = Counter(event.name for event in rec.events)
    words = ", ".join(f"{name} ({count})" for name, count in kinds.most_common(12)) + (", …" if len(kinds) > 12 else "")
    return [
        Heading("Events"), Text(f"{words}."), ReportTable(["time [s]", "event", ""], rows, folded="All events"), *more,
    ]  # fmt: skip


def _origin(rec: "Recording", markers: "Recording | None") -> list[Block]:
    """Return how the report came about."""
    lines = [f"motiform {rec.manifest.get('version', '')}"]
    if markers is not None:
        names = ("format", "units", "up", "up_by")
        lines += [f"{name}: {markers.manifest.get(name)}" for name in names if markers.manifest.get(name) is not None]
    return [Heading("Origin"), Code("\n".join(lines))]
