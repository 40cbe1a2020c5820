"""The table of a batch: a row for each trial, for spreadsheets and statistics."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["TABLE", "trials_csv"]

TABLE = "trials.csv"
_HEADS = {
    "trial": "trial", "condition": "condition", "subject": "subject", "variant": "variant", "status": "status",
    "samples": "samples", "duration": "duration [s]", "markers": "markers", "seen": "seen", "rms": "rms [m]",
    "rms_weighted": "rms_weighted [m]", "worst.tag": "worst_tag", "worst.rms": "worst_rms [m]",
    "residual.force_peak_relative": "residual_force_peak [weight]",
    "residual.moment_peak_relative": "residual_moment_peak [weight x height]",
    "left_out": "left_out", "swapped": "swapped", "not_settled": "not_converged", "lost": "lost",
    "seconds": "seconds", "error": "error", "source": "source",
}  # fmt: skip


def trials_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a CSV table with a row for each trial, in the order of their names; what is not known is blank."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADS.values())
    for row in sorted(rows, key=lambda row: str(row["trial"])):
        writer.writerow([_cell(row, name) for name in _HEADS])
    return text.getvalue()


def _cell(row: Mapping[str, Any], name: str) -> str:
    value: Any = row
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(value, float):
        return "" if value != value else repr(value)
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
