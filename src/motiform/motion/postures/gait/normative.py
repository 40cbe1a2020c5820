"""Normative bands: what a laboratory expects of each quantity over the gait cycle, from a table of its own."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError, closest_file
from motiform.base.files import reads_file
from motiform.motion.postures.gait.cycles import POINTS, GaitQuantity
from motiform.motion.tree.model.joint import Array
from motiform.record.files import AnyPath, as_path, disk, new_file, write_file

__all__ = ["Normative", "read_normative", "write_normative"]

_PAIRS = (("mean", "sd"), ("low", "high"))
_OWN = ("side", "cycle", "percent", "time [s]", "doubtful")  # columns of NAME_cycles.csv that are no quantities
_UNITS = {"deg": "°", "degrees": "°", "Nm/kg": "N·m/kg", "N m/kg": "N·m/kg", "N*m/kg": "N·m/kg"}


@dataclass(frozen=True)
class Normative:
    """Bands over the gait cycle."""

    name: str
    """Of the file."""
    source: str
    """What the file's remarks tell of it."""
    bands: Mapping[str, Array] = field(default_factory=dict)
    """Lower and upper border of each quantity at 0 to 100 %, {"knee flexion [°]": (2, points)}."""
    deviations: bool = True
    """Whether the borders are one standard deviation from the mean; else the mean is not known."""

    def of(self, quantity: GaitQuantity) -> Array | None:
        """Return lower and upper border (2, points) for a quantity, None where the table has none."""
        found = self.bands.get(f"{quantity.title} [{quantity.unit}]")
        return self.bands.get(quantity.title) if found is None else found

    def unused(self, quantities: Iterable[GaitQuantity]) -> list[str]:
        """Return the names in the table that are of none of these quantities."""
        known = {name for one in quantities for name in (one.title, f"{one.title} [{one.unit}]")}
        return [name for name in self.bands if name not in known]


@reads_file("normative bands")
def read_normative(path: AnyPath) -> Normative:
    """Read a CSV table with the columns quantity, percent, mean, sd, or quantity, percent, low, high.

    ``quantity`` is a title of the report, such as "knee flexion" or "knee flexion [°]", as the heads of NAME_cycles.csv
    have it; ``percent`` goes from 0 to 100, in any steps. The band is one standard deviation each way, or what lies
    between low and high. Lines that begin with # are remarks: they say where the numbers come from, and are shown.
    """
    place = as_path(path)
    if not place.is_file():
        raise InputError(
            "no such file", where=str(place), allowed="a CSV table of normative bands", remedy=closest_file(place)
        )
    lines = place.read_text("utf-8-sig", "replace").splitlines()
    remarks = [line.lstrip("# ").strip() for line in lines if line.startswith("#")]
    rows = [(n, line) for n, line in enumerate(lines, start=1) if line.strip() and not line.startswith("#")]
    cells = list(csv.reader([line for _, line in rows]))
    if len(cells) != len(rows):
        raise InputError("a cell must lie in one line", where=str(place), remedy="Close its quotes.")
    heads = [cell.strip().lower() for cell in cells[0]] if cells else []
    pair = next((pair for pair in _PAIRS if {"quantity", "percent", *pair} <= set(heads)), None)
    if pair is None:
        allowed = "quantity, percent, mean, sd; or quantity, percent, low, high"
        raise InputError("normative bands need their columns", where=str(place), got=", ".join(heads), allowed=allowed)
    points: dict[str, list[tuple[float, float, float]]] = {}
    for (number, line), row in zip(rows[1:], cells[1:], strict=True):
        name, numbers = _row(dict(zip(heads, row, strict=False)), pair, f"{place}:{number}", line)
        points.setdefault(name, []).append(numbers)
    bands = {name: _band(np.array(own), pair == _PAIRS[0], f"{place}: {name}") for name, own in points.items()}
    return Normative(place.name, "; ".join(remarks), bands, pair == _PAIRS[0])


def _row(row: dict[str, str], pair: tuple[str, str], where: str, line: str) -> tuple[str, tuple[float, float, float]]:
    try:
        percent, first, second = (float(row[key]) for key in ("percent", *pair))
        fine = bool(np.isfinite([first, second]).all() and 0 <= percent <= 100 and row["quantity"].strip())
        fine = fine and (second >= 0 if pair == _PAIRS[0] else second >= first)
    except (KeyError, ValueError):
        fine = False
    if not fine:
        allowed = f"a name, a percentage from 0 to 100, {pair[0]} and {pair[1]}"
        raise InputError("a line of normative bands must be complete", where=where, got=line[:80], allowed=allowed)
    name, _, unit = row["quantity"].strip().partition(" [")
    unit = unit.rstrip("]")
    return f"{name} [{_UNITS.get(unit, unit)}]" if unit else name, (percent, first, second)


def _band(points: Array, deviations: bool, where: str) -> Array:
    """Return lower and upper border at 0 to 100 %, (2, points); nan outside of what the table has."""
    percent, first, second = points[np.argsort(points[:, 0], kind="stable")].T
    if (np.diff(percent) <= 0).any():
        raise InputError("percentages of a normative band must differ", where=where, got="one twice")
    low, high = (first - second, first + second) if deviations else (first, second)
    at = np.linspace(0, 100, POINTS)
    return np.stack([np.interp(at, percent, border, left=np.nan, right=np.nan) for border in (low, high)])


def write_normative(cycles: Iterable[AnyPath], path: AnyPath, *, source: str, overwrite: bool = False) -> None:
    """Write normative bands from tables NAME_cycles.csv, one for each subject: mean and deviation between subjects.

    The cycles of both sides of a subject are averaged first. ``source`` says who was measured and how; it is shown
    wherever the bands are.
    """
    files = [as_path(one) for one in cycles]
    if len(files) < 2:
        raise InputError("normative bands need subjects", got=len(files), allowed="two tables or more, one for each")
    each = [_subject(file) for file in files]
    out = io.StringIO()
    out.write("".join(f"# {line}\n" for line in (*source.splitlines(), f"mean and sd of {len(files)} subjects")))
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["quantity", "percent", "mean", "sd"])
    for name in dict.fromkeys(name for one in each for name in one):
        own = np.array([one[name] for one in each if name in one])
        if len(own) < 2:
            continue
        for percent, values in zip(np.linspace(0, 100, POINTS), own.T, strict=True):
            values = values[np.isfinite(values)]
            if len(values) > 1:
                table.writerow([name, f"{percent:g}", repr(float(values.mean())), repr(float(values.std(ddof=1)))])
    place = new_file(path, overwrite)
    with disk(place):
        write_file(place, out.getvalue().encode())


def _subject(file: Path) -> dict[str, Array]:
    """Return the mean over all cycles of a subject, {quantity: (points,)}."""
    if not file.is_file():
        raise InputError("no such file", got=str(file), allowed="a table NAME_cycles.csv", remedy=closest_file(file))
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    names = [name for name in (rows[0] if rows else {}) if name not in _OWN]
    if not rows or not {"percent", "cycle"} <= set(rows[0]) or len(rows) % POINTS:
        raise InputError(
            "the file must be a table of gait cycles", where=str(file), allowed="NAME_cycles.csv as reconstruct writes"
        )
    found = {}
    for name in names:
        try:
            values = np.array([float(row[name] or "nan") for row in rows]).reshape(-1, POINTS)
        except (TypeError, ValueError) as error:
            raise InputError("a cell must be a number", where=f"{file}: {name}", got=str(error)[:80]) from error
        count = np.isfinite(values).sum(0)
        found[name] = np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)
    return found
