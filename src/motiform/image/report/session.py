"""The report of a session: one page of all trials, conditions and sides of a subject."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from motiform.image.report.blocks import Bar, Block, Cell, Code, Heading, ReportTable, Text
from motiform.image.report.gait import SIDES
from motiform.image.report.page import CONVENTIONS
from motiform.image.report.session_charts import condition_charts, consistency_chart, side_charts
from motiform.motion.postures.gait.indices import FEATURES, FIDELITY, PROFILE
from motiform.motion.postures.gait.pooled import PooledGait
from motiform.motion.postures.gait.spatial import MEASURES, Summary, summarise

__all__ = ["session_blocks"]

_DASH = "–"
_SMALL = 0.9  # cmc below which cycles are not alike
_WORDS = {side: word for side, (word, _) in SIDES.items()}
_PAIRED = ("speed", "cadence")  # of the walk, not of a side


def session_blocks(gait: PooledGait) -> list[Block]:
    """Return what the report of a session consists of."""
    parts = [
        _head(gait), _trials(gait), _spatio_temporal(gait), _indices(gait), _curves(gait), _conditions(gait),
        _sides(gait), _consistency(gait), _left_out(gait), _method(gait),
    ]  # fmt: skip
    return [block for part in parts for block in part]


def _named(condition: str) -> str:
    return condition or "all trials"


def _number(value: Any, digits: int = 2, signed: bool = False) -> str:
    if value is None or not np.isfinite(value):
        return _DASH
    return (f"{value:+z.{digits}f}" if signed else f"{value:z.{digits}f}").replace("-", "−")


# ---------------------------------------------------------------- head
def _head(gait: PooledGait) -> Iterator[Block]:
    yield Heading(gait.title, 1)
    rows: list[list[Cell]] = [["subject", gait.subject]] if gait.subject else []
    rows += [[key, value] for key, value in gait.header.items()]
    rows += [[key, value] for key, value in _body(gait)]
    walks = [row for row in gait.trials if row["role"] == "gait"]
    done = sum(row["status"] in ("done", "doubtful") for row in walks)
    kept = {side: len(gait.pool.of(None, side)) for side in SIDES}
    rows += [
        ["gait trials", f"{done} of {len(walks)}"],
        ["conditions", ", ".join(map(_named, gait.conditions)) or _DASH],
        ["cycles that count", f"{kept['l']} left, {kept['r']} right, of {len(gait.pool.cycles)}"],
        ["reference", _reference_words(gait)],
    ]
    yield ReportTable(["session", ""], rows)
    yield from (Text(f"{words[:1].upper()}{words[1:]}.", bad=True) for words in gait.warnings)
    if not gait.pool.cycles:
        yield Text("No trial has a whole gait cycle.", bad=True)


def _body(gait: PooledGait) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (note.partition(": ") for note in gait.notes) if name == "mass"]


def _reference_words(gait: PooledGait) -> str:
    own = gait.reference
    if own is None:
        return "none given; none is shipped with motiform"
    people = f", {own.subjects} subject{'s' * (own.subjects != 1)}" if own.subjects else ""
    return f"{own.name}{f' ({own.source})' if own.source else ''}{people}"


def _trials(gait: PooledGait) -> Iterator[Block]:
    heads = ["trial", "role", "condition", "status", "duration [s]", "rms [mm]", "cycles left", "cycles right",
             "residual force [%]", "moment [%]"]  # fmt: skip
    rows: list[list[Cell]] = []
    for row in gait.trials:
        counts = [_of(row.get(f"cycles_{word}"), row.get(f"cycles_found_{word}")) for word in ("left", "right")]
        parts = [_number(100 * row[name], 1) if row.get(name) is not None else _DASH
                 for name in ("residual_force", "residual_moment")]  # fmt: skip
        rms = row.get("rms")
        rows.append([
            str(row["file"]), str(row["role"]), _condition_of(row), str(row["status"]),
            _number(row.get("duration")), _number(None if rms is None else 1e3 * rms, 1), *counts, *parts,
        ])  # fmt: skip
    yield Heading("Trials")
    yield ReportTable(heads, rows)
    if any(row.get("residual_force") is not None for row in gait.trials):
        yield Text(
            "Residuals are peaks of what is left at the root: parts of the weight, and of the weight times the height "
            "of the centre of mass."
        )
    for row in gait.trials:
        if row.get("error"):
            yield Text(f"{row['file']}: {row['error']}", bad=True)
    noted = [[str(row["file"]), note] for row in gait.trials for note in row.get("notes") or ()]
    if noted:
        yield ReportTable(["trial", "note"], noted, folded=f"{len(noted)} notes of trials")


def _condition_of(row: Mapping[str, Any]) -> str:
    return str(row["condition"]) if row["role"] == "gait" else ""


def _of(kept: Any, found: Any) -> str:
    return _DASH if kept is None else str(kept) if kept == found else f"{kept} of {found}"


# ---------------------------------------------------------------- numbers
def _spatio_temporal(gait: PooledGait) -> Iterator[Block]:
    if not any(gait.strides_of(condition) for condition in gait.conditions):
        return
    yield Heading("Spatio-temporal measures")
    for condition in gait.conditions:
        if len(gait.conditions) > 1:
            yield Heading(_named(condition), 3)
        yield ReportTable(["", "left", "right", "both", "asymmetry [%]"], _measure_rows(gait, condition))
    yield Text(
        "Mean ± standard deviation (strides). Asymmetry is 200 (L − R)/(L + R) of the means [Robinson87]. Lengths and "
        "the width are those of the heels; swing, supports and stance are parts of each foot's cycle."
    )
    if len(gait.conditions) > 1:
        yield ReportTable(*_condition_measures(gait))


def _measure_rows(gait: PooledGait, condition: str) -> list[list[Cell]]:
    strides = gait.strides_of(condition)
    both, left, right = (summarise(strides, side) for side in (None, "l", "r"))
    rows: list[list[Cell]] = []
    for name, measure in MEASURES.items():
        if both[name].strides:
            a, b = left[name].mean, right[name].mean
            part = 200 * (a - b) / (a + b) if a + b and name not in _PAIRED else np.nan
            cells = [_spread(one[name], measure.digits) for one in (left, right, both)]
            rows.append([f"{measure.title} [{measure.unit}]", *cells, _number(part, 1, signed=True)])
    return rows


def _spread(one: Summary, digits: int) -> str:
    if not one.strides:
        return _DASH
    sd = f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{_number(one.sd, digits)}" if one.strides > 1 else ""
    return f"{_number(one.mean, digits)}{sd} ({one.strides})"


def _condition_measures(gait: PooledGait) -> tuple[list[str], list[list[Cell]]]:
    first, *others = gait.conditions
    means = {one: summarise(gait.strides_of(one)) for one in gait.conditions}
    rows: list[list[Cell]] = []
    for name, measure in MEASURES.items():
        if means[first][name].strides:
            gaps = [means[one][name].mean - means[first][name].mean for one in others]
            cells = [f"{_number(gap, measure.digits, signed=True)}" for gap in gaps]
            rows.append([f"{measure.title} [{measure.unit}]", _spread(means[first][name], measure.digits), *cells])
    return ["both sides", _named(first), *(f"{_named(one)} less {_named(first)}" for one in others)], rows


def _indices(gait: PooledGait) -> Iterator[Block]:
    found = gait.indices()
    if not found:
        return
    yield Heading("Indices")
    rows: list[list[Cell]] = []
    for one in found:
        index = [_number(one.deviation.get(side), 1) for side in SIDES]
        rows.append([_named(one.condition), *(_number(one.score[side], 1) for side in (*SIDES, "both")), *index])
    yield ReportTable(["condition", "GPS left [°]", "GPS right [°]", "GPS both [°]", "GDI left", "GDI right"], rows)
    most = max((x for one in found for own in one.profile.values() for x in own.values()), default=0.0) or 1.0
    for one in found:
        titles = [title for title in PROFILE if any(title in own for own in one.profile.values())]
        table: list[list[Cell]] = [
            [title, *(cell for side in SIDES for cell in _score(one.profile[side].get(title), most))]
            for title in titles
        ]
        yield Heading(f"Movement Analysis Profile, {_named(one.condition)}", 3)
        yield ReportTable(["Gait Variable Score [°]", "left", "", "right", ""], table)
    missing = [title for title in PROFILE if not any(title in own for one in found for own in one.profile.values())]
    words = (
        "Gait Variable Score: root mean square over the cycle of the difference to the reference's mean; Gait Profile "
        "Score: root mean square of the nine of a side, of both sides of fifteen [Baker09]. "
    )
    if missing:
        words += f"No Gait Profile Score, since these curves are missing: {', '.join(missing)}. "
    flaw = gait.no_deviation_index()
    words += f"No Gait Deviation Index: {flaw}" if flaw else (
        "Gait Deviation Index: 100 is the controls' mean, 10 less one of their standard deviations further from it, in "
        f"{FEATURES} features of the reference [SchwartzRozumalski08]; – where a curve is missing, or where these "
        f"features give back less than {100 * FIDELITY:.0f} % of the curves."
    )  # fmt: skip
    yield Text(words)


def _score(value: float | None, most: float) -> tuple[Cell, Cell]:
    return _number(value, 1), Bar(0.0 if value is None else value / most)


# ---------------------------------------------------------------- curves
def _curves(gait: PooledGait) -> Iterator[Block]:
    for condition in gait.conditions:
        section = ""
        more = f": {_named(condition)}" if len(gait.conditions) > 1 else ""
        for name, title, chart in side_charts(gait, condition):
            if name != section:
                yield Heading(f"{name}{more}")
                yield from _legend(gait, name, condition)
            section = name
            yield Heading(title[:1].upper() + title[1:], 3)
            yield chart
    if gait.pool.cycles and not gait.pool.group("moments"):
        yield Text("No moments and powers: no foot is on a usable plate of its own.")
    if gait.pool.cycles and not gait.pool.group("emg"):
        yield Text("No electromyograms: no analog channel is named as one.")


def _legend(gait: PooledGait, section: str, condition: str) -> Iterator[Block]:
    counts = ", ".join(f"{len(gait.pool.of(condition, side))} {word}" for side, word in _WORDS.items())
    grey = " Grey: the reference, one standard deviation each way." if gait.reference is not None else ""
    if section.startswith("Kinematics: pelvis"):
        words = f"Means of the cycles ({counts}), bands of one standard deviation; dashed: foot off.{grey} "
        yield Text(words + CONVENTIONS[gait.convention])
    elif section.startswith("Kinematics"):
        yield Text(
            "The thorax in the direction of walking; the trunk on the pelvis and the head on the thorax bend to the "
            "side of the cycle, and turn with it forward. Shoulders by flexion, abduction and rotation."
        )
    elif section == "Kinetics":
        kept = _kinetic_counts(gait, condition)
        yield Text(f"Per kilogram of the subject. Cycles whose whole stance is on plates: {kept}.")
    else:
        own = gait.settings["emg"]
        yield Text(
            f"High-passed at {own['high_pass_hz']:g} Hz, rectified, low-passed at {own['low_pass_hz']:g} Hz "
            f"(Butterworth, order {own['order']}, forwards and backwards); 100 % is the largest of the means of all "
            "conditions, of each muscle and side. Sizes of two muscles or sides are not comparable, times are."
        )


def _kinetic_counts(gait: PooledGait, condition: str) -> str:
    title = next((one.title for one in gait.pool.group("moments") if one.title.startswith("knee flexion")), None)
    if title is None:
        return "none"
    return ", ".join(f"{len(gait.pool.curves(title, condition, side))} {word}" for side, word in _WORDS.items())


# ---------------------------------------------------------------- comparisons
_DIFFERENCE = ["mean over the cycle", "95 % interval", "rms", "largest", "at [%]"]


def _difference(row: Mapping[str, Any]) -> list[Cell]:
    interval = f"{_number(row['low'], 2, signed=True)} to {_number(row['high'], 2, signed=True)}"
    return [_number(row["mean"], 2, signed=True), interval if np.isfinite(row["low"]) else _DASH, _number(row["rms"]),
            _number(row["largest"], 2, signed=True), _number(row["percent"], 0)]  # fmt: skip


_WELCH = (
    "The interval is that of the difference of the cycles' means over the cycle, by Welch's t [Welch47], of this "
    "subject's cycles and not of a population; many curves are compared, so that one in twenty intervals misses zero "
    "by chance."
)


def _conditions(gait: PooledGait) -> Iterator[Block]:
    if len(gait.conditions) < 2:
        return
    yield Heading("Condition against condition")
    for word, chart in condition_charts(gait):
        yield Heading(word[:1].upper() + word[1:], 3)
        yield chart
    rows = gait.conditions_compared()
    heads = ["quantity", "side", "condition", *_DIFFERENCE]

    def cells(row: Mapping[str, Any]) -> list[Cell]:
        pair = f"{_named(row['condition'])} less {_named(row['less'])}"
        return [f"{row['title']} [{row['unit']}]", _WORDS[row["side"]], pair, *_difference(row)]

    yield ReportTable(heads, [cells(row) for row in rows if row["title"] in PROFILE])
    yield ReportTable(heads, [cells(row) for row in rows], folded=f"All {len(rows)} differences between conditions")
    yield Text(_WELCH)


def _sides(gait: PooledGait) -> Iterator[Block]:
    rows = gait.sides_compared()
    if not rows:
        return
    heads = ["left less right", *(["condition"] if len(gait.conditions) > 1 else []), *_DIFFERENCE,
             "asymmetry of the range [%]"]  # fmt: skip

    def cells(row: Mapping[str, Any]) -> list[Cell]:
        own = [_named(row["condition"])] if len(gait.conditions) > 1 else []
        asymmetry = _number(row["range_asymmetry"], 1, signed=True)
        return [f"{row['title']} [{row['unit']}]", *own, *_difference(row), asymmetry]

    yield Heading("Left against right")
    yield ReportTable(heads, [cells(row) for row in rows if row["title"] in PROFILE])
    yield ReportTable(heads, [cells(row) for row in rows], folded=f"All {len(rows)} differences between sides")
    yield Text(f"Asymmetry: 200 (L − R)/(L + R) of the ranges of the mean curves [Robinson87]. {_WELCH}")


def _consistency(gait: PooledGait) -> Iterator[Block]:
    rows = gait.consistency()
    if not rows:
        return
    yield Heading("Consistency of the cycles")
    chart = consistency_chart(gait)
    if chart is not None:
        yield chart
        yield Text("Every cycle; grey: left out.")
    heads = ["quantity", "side", *(["condition"] if len(gait.conditions) > 1 else []), "cycles", "CMC",
             "error of a cycle", "of the mean"]  # fmt: skip

    def cells(row: Mapping[str, Any]) -> list[Cell]:
        own = [_named(row["condition"])] if len(gait.conditions) > 1 else []
        numbers = [str(row["cycles"]), _number(row["cmc"]), _number(row["sem"]), _number(row["sem_mean"])]
        return [f"{row['title']} [{row['unit']}]", _WORDS[row["side"]], *own, *numbers]

    yield ReportTable(heads, [cells(row) for row in rows if row["title"] in PROFILE])
    yield ReportTable(heads, [cells(row) for row in rows], folded=f"All {len(rows)} rows")
    few = sorted({str(row["title"]) for row in rows if row["cmc"] < _SMALL})
    yield Text(
        "CMC: coefficient of multiple correlation within a day [Kadaba89], 1 where all cycles are alike; it is low "
        "where a joint hardly moves, and – where cycles differ more among them than over the cycle. Error of a cycle: "
        "root of the mean variance between cycles (standard error of measurement); of the mean: that over the root of "
        "their number."
    )
    if few:
        yield Text(f"CMC below {_SMALL:g}: {', '.join(few)}.")


# ---------------------------------------------------------------- what is left out
def _left_out(gait: PooledGait) -> Iterator[Block]:
    pool = gait.pool
    whole: list[list[Cell]] = [
        [one.trial, _named(one.condition), _WORDS[one.side], str(one.number), f"{one.start:.2f}", one.left_out]
        for one in pool.cycles if one.left_out
    ]  # fmt: skip
    counts: dict[tuple[str, str], int] = {}
    for one in pool.quantities.values():
        for k, why in enumerate(one.left_out):
            if why and why != "not measured" and not pool.cycles[k].left_out:
                counts[one.title, why.partition(":")[0]] = counts.get((one.title, why.partition(":")[0]), 0) + 1
    doubtful = {one.title: sum(bool(words) for words in one.doubtful) for one in pool.quantities.values()}
    yield Heading("What is left out, and what is doubtful")
    if whole:
        yield ReportTable(["trial", "condition", "side", "cycle", "from [s]", "why"], whole)
    else:
        yield Text("No whole cycle is left out.")
    if counts:
        parts: list[list[Cell]] = [[title, why, str(count)] for (title, why), count in counts.items()]
        yield ReportTable(
            ["curve", "why", "cycles"], parts, folded=f"Single curves that are left out ({sum(counts.values())})"
        )
    marked = {title: count for title, count in doubtful.items() if count}
    if marked:
        each: list[list[Cell]] = [[title, str(count)] for title, count in marked.items()]
        words = "Curves that count with a sample that is doubtful: uncertain, at a limit, or with a marker left out"
        yield ReportTable(["curve", "cycles"], each, folded=words)


def _method(gait: PooledGait) -> Iterator[Block]:
    own = gait.settings.get("rules") or {}
    yield Heading("Method and notes")
    if own:
        yield Text(
            f"Cycles are left out whose trial is doubtful, whose duration is {100 * own['duration']:g} % or more from "
            "the median of their condition, and outliers: hip, knee or ankle further from the median curve (mean over "
            f"the cycle [SangeuxPolak15]) than {own['outliers']:g} ranges between the quartiles beyond the upper one, "
            "and 3°. Both rules need five cycles. Samples without a posture, of hidden markers, or with a standard "
            f"deviation above 5° are blank; single curves are left out where more than {100 * own['doubtful']:g} % of "
            "them is, and of moments and powers as outliers. "
            "Cycles are taken at 101 points."
        )
    yield from (Text(f"{words[:1].upper()}{words[1:]}.") for words in gait.notes)
    calibration = gait.settings.get("calibration") or {}
    if calibration:
        yield Text(
            f"One figure for all trials, calibrated by {calibration['by']}: {1e3 * calibration['error_before']:.1f} mm "
            f"before, {1e3 * calibration['error_after']:.1f} mm after, {calibration['samples']} samples of "
            f"{_listed(calibration['trials'])}."
        )
        yield Code(str(calibration["report"]), folded="Lengths and tags")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
