"""Files of a session: JSON for programs, tables for statistics, and the page."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from motiform import __version__
from motiform.base.errors import InputError
from motiform.motion.postures.gait.pooled import PooledGait
from motiform.motion.postures.gait.reference import SESSION_KIND, VERSION
from motiform.motion.postures.gait.spatial import MEASURES, summarise
from motiform.record.files import disk, make_folder, write_file
from motiform.trials.batch import SESSION
from motiform.trials.sessions.figure import SessionFigure
from motiform.trials.trial import plain

__all__ = ["check_place", "session_json", "write_session"]

_DIGITS = 6  # significant ones of curves: more than any marker tells
_WORDS = {"l": "left", "r": "right"}


def check_place(out: Path) -> None:
    """Refuse a folder in which another program's session.json is."""
    place = out / SESSION
    if not place.exists():
        return
    try:
        kind = json.loads(place.read_text("utf-8")).get("kind")
    except (OSError, ValueError, AttributeError):
        kind = None
    if kind != SESSION_KIND:
        raise InputError("the folder holds other things", where=str(place), got=repr(kind)[:40],
                         remedy="Move it, or give another --out.")  # fmt: skip


def write_session(gait: PooledGait, figure: SessionFigure, out: Path, *, report: bool, pdf: bool) -> tuple[Path, ...]:
    """Write the files of a session and return their paths; those of an earlier run are made anew."""
    texts = {
        "session_cycles.csv": _table(_cycle_rows(gait)), "session_means.csv": _table(_mean_rows(gait)),
        "session_strides.csv": _table(_stride_rows(gait)),
    }  # fmt: skip
    files = []
    with disk(out):
        make_folder(out)
        for name, text in texts.items():
            write_file(out / name, text.encode())
            files.append(out / name)
    if report or pdf:
        from motiform.image.report.page import write_blocks
        from motiform.image.report.session import session_blocks

        blocks = session_blocks(gait)
        for ending in ["html"] * report + ["pdf"] * pdf:
            write_blocks(blocks, out / f"session.{ending}", overwrite=True)
            files.append(out / f"session.{ending}")
    with disk(out):
        write_file(out / SESSION, (json.dumps(session_json(gait, figure)) + "\n").encode())
    return (out / SESSION, *files)


def session_json(gait: PooledGait, figure: SessionFigure) -> dict[str, Any]:
    """Return all that a session tells, as JSON has it; nan is null. docs/session.md describes it."""
    found = {
        "kind": SESSION_KIND, "version": VERSION, "motiform": __version__, "title": gait.title,
        "subject": gait.subject, "header": dict(gait.header), "convention": gait.convention,
        "conditions": list(gait.conditions), "notes": list(gait.notes), "warnings": list(gait.warnings),
        "settings": dict(gait.settings), "figure": dict(figure.options.figure.measures), "trials": list(gait.trials),
        "cycles": [one._asdict() for one in gait.pool.cycles],
        "strides": [
            {"trial": one.trial, "condition": one.condition, **asdict(one.measures), "left_out": one.left_out}
            for one in gait.strides
        ],
        "spatio_temporal": [
            {"condition": condition, "side": side, "measure": name, "unit": MEASURES[name].unit, **row._asdict()}
            for condition in gait.conditions for side in (None, "l", "r")
            for name, row in summarise(gait.strides_of(condition), side).items()
        ],
        "means": [
            {"condition": condition, "side": side, "group": one.group, "title": one.title, "unit": one.unit,
             "cycles": len(curves), "mean": _rounded(gait.mean(one.title, condition, side).mean),
             "sd": _rounded(gait.mean(one.title, condition, side).sd)}
            for one, condition, side, curves in gait.sets()
        ],
        "curves": [
            {"condition": condition, "side": side, "group": one.group, "title": one.title, "unit": one.unit,
             "cycles": [k for k in gait.pool.of(condition, side) if not one.left_out[k]],
             "curves": [_rounded(curve) for curve in curves]}
            for one, condition, side, curves in gait.sets()
        ],
        "left_out": [
            {"cycle": k, "title": one.title, "why": why}
            for one in gait.pool.quantities.values() for k, why in enumerate(one.left_out)
            if why and why != "not measured" and not gait.pool.cycles[k].left_out
        ],
        "consistency": gait.consistency(), "left_less_right": gait.sides_compared(),
        "conditions_compared": gait.conditions_compared(), "indices": [one._asdict() for one in gait.indices()],
        "no_deviation_index": gait.no_deviation_index(),
        "reference": None if gait.reference is None else {
            "name": gait.reference.name, "source": gait.reference.source, "subjects": gait.reference.subjects,
        },
    }  # fmt: skip
    made = plain(found)
    assert isinstance(made, dict)
    return made


def _rounded(curve: np.ndarray) -> list[float]:
    return [float(f"{x:.{_DIGITS}g}") for x in curve.tolist()]


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    listed = list(rows)
    heads = list(dict.fromkeys(key for row in listed for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, heads, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in listed)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return "" if value != value else f"{value:.{_DIGITS}g}"
    return value


def _cycle_rows(gait: PooledGait) -> Iterable[dict[str, Any]]:
    """Yield a row for each point of each cycle; curves that do not count are blank, and left_out says why."""
    pool = gait.pool
    for k, cycle in enumerate(pool.cycles):
        flaws = [f"{one.title}: {one.left_out[k]}" for one in pool.quantities.values()
                 if one.left_out[k] not in ("", "not measured")]  # fmt: skip
        why = cycle.left_out or "; ".join(flaws)
        kept = {} if cycle.left_out else {
            f"{one.title} [{one.unit}]": one.values[k] for one in pool.quantities.values() if not one.left_out[k]
        }  # fmt: skip
        for percent in range(101):
            yield {
                "condition": cycle.condition, "trial": cycle.trial, "side": _WORDS[cycle.side], "cycle": cycle.number,
                "percent": percent, "time [s]": cycle.start + (cycle.end - cycle.start) * percent / 100,
                "left_out": why, **{title: float(curve[percent]) for title, curve in kept.items()},
            }  # fmt: skip


def _mean_rows(gait: PooledGait) -> Iterable[dict[str, Any]]:
    for one, condition, side, curves in gait.sets():
        found = gait.mean(one.title, condition, side)
        for percent, (mean, sd) in enumerate(zip(found.mean.tolist(), found.sd.tolist(), strict=True)):
            yield {
                "condition": condition, "side": _WORDS[side], "quantity": one.title, "unit": one.unit,
                "percent": percent, "cycles": len(curves), "mean": mean, "sd": sd,
            }  # fmt: skip


def _stride_rows(gait: PooledGait) -> Sequence[dict[str, Any]]:
    return [
        {"condition": one.condition, "trial": one.trial, "side": _WORDS[one.measures.side],
         "start [s]": one.measures.start,
         **{f"{name} [{measure.unit}]": getattr(one.measures, name) for name, measure in MEASURES.items()},
         "left_out": one.left_out}
        for one in gait.strides
    ]  # fmt: skip
