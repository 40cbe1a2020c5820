"""Measures of each stride in space and time, as tables of gait have them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from motiform.motion.postures.gait.events import OFF, STRIKE, Walker
from motiform.motion.postures.gait.strides import Stride, gait_table
from motiform.record.channel import Event

__all__ = ["MEASURES", "Measure", "StrideMeasures", "Summary", "stays", "stride_measures", "summarise"]


_STILL = 0.2  # of the speed of the steps: below it there is no progression


class Measure(NamedTuple):
    """One row of the table of strides."""

    title: str
    unit: str
    digits: int


MEASURES = {
    "speed": Measure("walking speed", "m/s", 2),
    "cadence": Measure("cadence", "steps/min", 1),
    "stride_time": Measure("stride time", "s", 3),
    "stride_length": Measure("stride length", "m", 3),
    "step_time": Measure("step time", "s", 3),
    "step_length": Measure("step length", "m", 3),
    "step_width": Measure("step width", "m", 3),
    "stance": Measure("stance", "% of the cycle", 1),
    "swing": Measure("swing", "% of the cycle", 1),
    "single_support": Measure("single support", "% of the cycle", 1),
    "double_support": Measure("double support, both", "% of the cycle", 1),
    "flight": Measure("flight, both", "% of the cycle", 1),
}
"""Measures of `StrideMeasures`: title, unit and digits."""


@dataclass(frozen=True)
class StrideMeasures:
    """Of one stride; nan where an event is missing. Units are those of `MEASURES`."""

    side: str
    """ "r" or "l"."""
    start: float
    """[s] Time of the strike."""
    speed: float
    cadence: float
    stride_time: float
    stride_length: float
    step_time: float
    step_length: float
    step_width: float
    stance: float
    swing: float
    single_support: float
    """From the other foot's off to its strike."""
    double_support: float
    """With both feet on the ground, at the beginning and at the end of the stance; nan of a run."""
    flight: float
    """With none; nan of a walk."""


class Summary(NamedTuple):
    """Mean and standard deviation (n − 1) of a measure."""

    mean: float
    sd: float
    """nan for fewer than two."""
    strides: int


def stride_measures(walker: Walker, events: Iterable[Event]) -> list[StrideMeasures]:
    """Return the measures of the strides that events of `gait_events` bound, in the order of time."""
    steps = sorted(events, key=lambda event: event.time)
    return [_measured(one, steps) for one in gait_table(walker, steps).strides]


def _measured(stride: Stride, steps: Sequence[Event]) -> StrideMeasures:
    own = {name: float(getattr(stride, name)) for name in (
        "start", "speed", "cadence", "stride_time", "stride_length", "step_time", "step_length", "step_width",
    )}  # fmt: skip
    side, whole = stride.side, own["stride_time"]
    stance = 100.0 * stride.stance / whole
    first, last = own["start"], own["start"] + whole
    strike, off = (
        next((e.time - first for e in steps if e.detail.get("kind") == kind and e.detail.get("side") not in (side, None)
              and first < e.time < last), float("nan"))
        for kind in (STRIKE, OFF)
    )  # fmt: skip
    strike, off = 100.0 * strike / whole, 100.0 * off / whole
    # Walking, the other foot leaves after this one strikes, and strikes before this one leaves; running, the reverse.
    both = off + stance - strike
    walks = off < strike
    none = (strike - stance) + (100.0 - off) if off > strike else float("nan")
    return StrideMeasures(
        side, **own, stance=stance, swing=100.0 - stance, single_support=strike - off if walks else float("nan"),
        double_support=both if walks else float("nan"), flight=none,
    )  # fmt: skip


def stays(speed: float, step_length: float, step_time: float) -> bool:
    """Tell whether a body stays where it is while its feet step, as on a treadmill: lengths are in the room then."""
    return abs(speed) < _STILL * step_length / max(step_time, 1e-9)


def summarise(strides: Iterable[StrideMeasures], side: str | None = None) -> dict[str, Summary]:
    """Return mean and standard deviation of each measure over the strides of a side; None: of both."""
    rows = [one for one in strides if side in (None, one.side)]
    found = {}
    for name in (one.name for one in fields(StrideMeasures) if one.name in MEASURES):
        values = np.array([getattr(row, name) for row in rows], float)
        values = values[np.isfinite(values)]
        mean = float(values.mean()) if len(values) else float("nan")
        found[name] = Summary(mean, float(values.std(ddof=1)) if len(values) > 1 else float("nan"), len(values))
    return found
