"""Gaps of markers: found, reported, filled by cubic splines."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.base.libraries import load_library
from motiform.base.splines import cubic_spline
from motiform.measure.changes import changed, check_markers, marker_names
from motiform.record.channel import Channel
from motiform.record.recording import Recording

if TYPE_CHECKING:
    import pandas

__all__ = ["Gap", "MarkerGaps", "fill_gaps", "find_gaps"]

_NOT = "not seen"


@dataclass(frozen=True)
class Gap:
    """Samples first to last (both inside) in which a marker is not seen."""

    marker: str
    first: int
    last: int
    length: int
    """Number of samples."""
    start: float
    """Time of the first of them [s]."""
    duration: float
    """Time between the samples on either side [s]; to the end of the trial where it reaches it."""
    inside: bool
    """The marker is seen before and after it."""


@dataclass(frozen=True)
class MarkerGaps:
    """The gaps of a recording in the order of its markers; ``str()`` is a table by marker."""

    rows: tuple[Gap, ...]
    markers: tuple[str, ...]
    samples: int

    def __iter__(self) -> Iterator[Gap]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, marker: str) -> tuple[Gap, ...]:
        """Return the gaps of one marker."""
        if marker not in self.markers:
            raise InputError("no such marker", got=marker, allowed=", ".join(self.markers))
        return tuple(gap for gap in self.rows if gap.marker == marker)

    @property
    def missing(self) -> dict[str, float]:
        """Part of the samples in which each marker is not seen, 0 to 1."""
        counts = dict.fromkeys(self.markers, 0)
        for gap in self.rows:
            counts[gap.marker] = counts.get(gap.marker, 0) + gap.length
        return {name: count / max(1, self.samples) for name, count in counts.items()}

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each gap."""
        pandas = load_library("pandas")
        return pandas.DataFrame([asdict(gap) for gap in self.rows], columns=list(Gap.__dataclass_fields__))

    def __str__(self) -> str:
        lines = [f"{'marker':<24} {'gaps':>5} {'longest':>8} {_NOT:>9}"]
        missing = self.missing
        for name in self.markers:
            mine = self.of(name)
            if mine:
                longest = max(gap.length for gap in mine)
                lines.append(f"{name:<24} {len(mine):>5} {longest:>8} {100 * missing[name]:>8.1f}%")
        return "\n".join(lines) if len(lines) > 1 else "no gap"


def find_gaps(rec: Recording) -> MarkerGaps:
    """Return where each marker is not seen."""
    points, names = check_markers(rec), marker_names(rec)
    times, hidden = rec.time("markers"), np.isnan(points).any(-1)
    rows = []
    for k, name in enumerate(names):
        for first, last in runs(hidden[:, k]):
            before, after = times[max(0, first - 1)], times[min(len(times) - 1, last)]
            inside = first > 0 and last < len(times)
            duration = float(after - before)
            rows.append(Gap(name, first, last - 1, last - first, float(times[first]), duration, inside))
    return MarkerGaps(tuple(rows), tuple(names), len(points))


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return first and end (excluded) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def fill_gaps(
    rec: Recording, *, longest: float | None = 0.25, count_as_seen: bool = False, markers: Iterable[str] | None = None
) -> Recording:
    """Return the recording with gaps filled by cubic splines through the measured samples, each coordinate separately.

    A gap is filled when the marker is seen before and after it, no more than ``longest`` [s] apart (None: however
    long). Longer gaps stay, and cut the spline. Nothing is extrapolated. The channel ``seen`` (samples, markers) tells
    what was measured; ``count_as_seen=True`` counts what is filled too, as HuMAnS does [HuMAnS 9.6.4].
    """
    points, names = check_markers(rec), marker_names(rec)
    if longest is not None and not longest >= 0:
        raise InputError("longest must not be negative", got=longest, allowed="a time [s], 0 or more, or None")
    chosen = list(names) if markers is None else list(markers)
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise InputError("no such marker", where=rec._where, got=", ".join(unknown), allowed=", ".join(names))
    times, filled = rec.time("markers"), np.array(points)
    seen = ~np.isnan(points).any(-1)
    for k in (names.index(name) for name in chosen):
        _fill(times, filled[:, k], seen[:, k], np.inf if longest is None else longest)
    measured = rec["seen"] if "seen" in rec else seen  # noqa: SIM401, a recording has no get
    after = ~np.isnan(filled).any(-1)
    kept = after if count_as_seen else measured & after
    channel = rec.channel("markers")
    about = "True where the marker was measured" + (", or filled in" if count_as_seen else "")
    mask = Channel(
        "seen", dims=("marker",), shape=(len(names),), rate=channel.rate, start=channel.start, dtype="bool",
        description=about,
    )  # fmt: skip
    return changed(rec, {"markers": (channel, filled), "seen": (mask, kept)})


def _fill(times: np.ndarray, points: np.ndarray, seen: np.ndarray, longest: float) -> None:
    """Fill the gaps of one marker in place."""
    # A time is a difference of two rounded ones.
    slack = 4 * np.finfo(float).eps * float(np.abs(times[[0, -1]]).max()) if len(times) else 0.0
    here = np.flatnonzero(seen)
    if len(here) < 2:
        return
    wide = times[here[1:]] - times[here[:-1]] > longest + slack
    cuts = np.flatnonzero(wide & (np.diff(here) > 1)) + 1
    for part in np.split(here, cuts):
        inside = np.arange(part[0], part[-1] + 1)
        gap = inside[~seen[inside]]
        if len(gap):
            points[gap] = cubic_spline(times[part], points[part])(times[gap])
