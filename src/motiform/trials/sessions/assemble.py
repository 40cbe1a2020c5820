"""The gait of a session: what its trials, its figure and its reference give together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from motiform.measure.emg import HIGH, LOW, ORDER
from motiform.motion.postures.gait.pool import CyclePool, TrialCycles, pool_cycles
from motiform.motion.postures.gait.pooled import PooledGait, PooledStride, normalise_emg, pool_strides
from motiform.motion.postures.gait.reference import GaitReference
from motiform.motion.postures.gait.spatial import stays, summarise
from motiform.trials.batch import TrialBatch
from motiform.trials.sessions.figure import SessionFigure
from motiform.trials.sessions.layout import GAIT, SessionFile, SessionLayout
from motiform.trials.stage import FAR

__all__ = ["assemble"]


def assemble(
    layout: SessionLayout, figure: SessionFigure, batch: TrialBatch, trials: Sequence[TrialCycles],
    reference: GaitReference | None,
) -> PooledGait:  # fmt: skip
    """Return the gait of a session; every file of its folder has a row."""
    pool = pool_cycles(trials, layout.conditions, layout.rules)
    convention = str(figure.options.reconstruct.get("angles", "isb"))
    rows = {str(row["source"]): row for row in batch.rows}
    cycles = {one.trial: one for one in trials}
    table = tuple(_row(one, rows.get(str(one.path.absolute())), cycles, pool) for one in layout.files)
    subject = layout.subject or next((str(row["subject"]) for row in batch.rows if row.get("subject")), "")
    strides = pool_strides(trials, pool)
    return PooledGait(
        layout.title or f"Gait analysis of {subject or layout.folder.resolve().name}", subject, layout.header, table,
        normalise_emg(pool), strides, convention, reference,
        (*figure.notes, *_undetermined(trials), *_uncertain(pool)),
        (*figure.warnings, *_warnings(table, batch, reference, convention), *_still(pool, strides)),
        _settings(layout, figure, pool),
    )  # fmt: skip


def _row(
    one: SessionFile, row: Mapping[str, Any] | None, cycles: Mapping[str, TrialCycles], pool: CyclePool
) -> dict[str, Any]:
    """Return what became of one file."""
    found: dict[str, Any] = {"file": one.place, "role": one.role, "condition": one.condition, "why": one.why}
    if one.role != GAIT or row is None:
        return {**found, "status": "used" if one.role != GAIT and one.role != "ignore" else "left out"}
    own = cycles.get(str(row["trial"]))
    of = [cycle for cycle in pool.cycles if cycle.trial == row["trial"]]
    count = {side: sum(not c.left_out for c in of if c.side == side) for side in ("l", "r")}
    whole = {side: sum(c.side == side for c in of) for side in ("l", "r")}
    notes = [*(row.get("doubts") or ()), *(row.get("residual_beyond") or ()), *(own.notes if own is not None else ())]
    residual = row.get("residual") or {}
    status = "done" if row["status"] == "skipped" else row["status"]
    return {
        **found, "trial": row["trial"], "status": status, "error": row.get("error"), "samples": row.get("samples"),
        "duration": row.get("duration"), "rms": row.get("rms"), "markers_left_out": row.get("left_out"),
        "residual_force": residual.get("force_peak_relative"), "residual_moment": residual.get("moment_peak_relative"),
        "cycles_left": count["l"], "cycles_right": count["r"], "cycles_found_left": whole["l"],
        "cycles_found_right": whole["r"], "notes": notes,
    }  # fmt: skip


def _still(pool: CyclePool, strides: Sequence[PooledStride]) -> list[str]:
    """Return in which conditions the body stays where it is, as on a treadmill."""
    found = []
    for condition in pool.conditions:
        own = summarise(one.measures for one in strides if one.condition == condition and not one.left_out)
        if own["speed"].strides and stays(*(own[name].mean for name in ("speed", "step_length", "step_time"))):
            found.append(condition or "all trials")
    words = "the body stays where it is while its feet step, as on a treadmill: stride length and speed are in the room"
    return [f"{words} ({', '.join(found)})"] if found else []


def _undetermined(trials: Sequence[TrialCycles]) -> list[str]:
    """Return which quantities the markers never determine, and in how many trials."""
    counts = Counter(title for one in trials for title in one.undetermined)
    some = [title if count == len(trials) else f"{title} (in {count} trials)" for title, count in counts.items()]
    return [f"not told, because the markers do not determine it: {', '.join(some)}"] if some else []


def _uncertain(pool: CyclePool) -> list[str]:
    titles = [one.title for one in pool.quantities.values() if one.uncertain]
    return (
        [f"told although their standard deviation is above 5° most of the time: {', '.join(titles)}"] if titles else []
    )


def _warnings(
    table: Sequence[Mapping[str, Any]], batch: TrialBatch, reference: GaitReference | None, convention: str
) -> list[str]:
    found = []
    failed = [str(row["file"]) for row in table if row["status"] == "failed"]
    if failed:
        found.append(f"{len(failed)} of the trials failed: {', '.join(failed)}")
    doubtful = [str(row["file"]) for row in table if row["status"] == "doubtful"]
    if doubtful:
        found.append(f"trials whose postures are doubtful do not count: {', '.join(doubtful)}")
    far = [str(row["file"]) for row in table if (row.get("rms") or 0.0) > FAR]
    if far:
        words = (
            f"markers lie more than {1e3 * FAR:.0f} mm from the figure (rms), as those of another subject or set would"
        )
        found.append(f"{words}: {', '.join(far)}")
    beyond = [row for row in batch.rows if row.get("residual_beyond")]
    if beyond:
        found.append(
            f"efforts of {len(beyond)} of {len(batch.rows)} trials are uncertain, the residual at the root is beyond "
            "5 % of the weight or 1 % of the weight times the height of the centre of mass"
        )
    if reference is not None and reference.convention not in ("", convention):
        found.append(f"the reference has angles of {reference.convention}, the session of {convention}")
    return found


def _settings(layout: SessionLayout, figure: SessionFigure, pool: CyclePool) -> dict[str, Any]:
    found: dict[str, Any] = {"rules": asdict(layout.rules), "calibration": dict(figure.calibration)}
    if pool.group("emg"):
        found["emg"] = {"high_pass_hz": HIGH, "low_pass_hz": LOW, "order": ORDER, "passes": 2, "rectified": "full wave"}
    return found
