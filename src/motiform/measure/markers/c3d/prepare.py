"""What of a recording goes into a C3D file, and what a C3D file cannot hold."""

from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import marker_names
from motiform.measure.detect import unit_symbol
from motiform.record.recording import Recording

__all__ = ["Analog", "C3dTrial", "Computed", "float32", "known_residuals", "prepare_trial"]

_WORD = 65535  # what 16 bits can count to
_LONGEST = 2**32 - 1  # number of the last sample: two words
_STEPS = 255  # a residual is one byte
_INTEGERS = 32000  # steps from zero to the largest coordinate, where a program converts them to 16 bits
_TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class Analog:
    """Analog channels."""

    names: list[str]
    units: list[str]
    """As the file states them."""
    factors: np.ndarray
    """(channels,) from SI to these units."""
    baseline: np.ndarray
    """(channels,) of empty force plates, in SI, which is taken off."""
    rate: float
    """[Hz], in 32 bits."""
    subframes: int
    """Analog samples with each sample of the markers."""
    skipped: int = 0
    """Analog samples before the first of the markers."""


@dataclass(frozen=True, eq=False)
class Computed:
    """Quantities that are kept among the points, as Plug-in Gait does: angles, moments, powers."""

    kind: str
    """The list of names in POINT: "ANGLES", "MOMENTS", "POWERS"."""
    unit: str
    """As the file states it: "deg", "Nmm/kg", "W/kg"."""
    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    values: np.ndarray
    """(samples, names, 3) in the unit; nan where it is not known."""


@dataclass(frozen=True)
class C3dTrial:
    """What is written."""

    rec: Recording
    names: list[str]
    unit: str
    length: float
    """Size of the unit [m]."""
    rate: float
    """[Hz]"""
    samples: int
    first: int
    """Number of the first sample, from 1."""
    delay: float
    """By which times in the file are later than in the recording [s]."""
    step: float
    """Of the residuals, in the unit."""
    analog: Analog | None
    computed: tuple[Computed, ...] = ()

    @property
    def points(self) -> list[str]:
        """Names of all points: markers, then what is computed."""
        return [*self.names, *(name for one in self.computed for name in one.names)]

    @property
    def last(self) -> int:
        """Number of the last sample."""
        return self.first + self.samples - 1

    @property
    def subframes(self) -> int:
        """Analog samples with each sample of the markers, 0 where there is none."""
        return self.analog.subframes if self.analog else 0

    @property
    def measurements(self) -> int:
        """Analog numbers with each sample of the markers."""
        return self.subframes * len(self.analog.names) if self.analog else 0


def prepare_trial(rec: Recording, length: float, computed: tuple[Computed, ...] = ()) -> C3dTrial:
    """Return what is written of a recording with markers, in the unit of that length [m]."""
    channel, where = rec.channel("markers"), rec._where
    if channel.rate is None:
        raise InputError("a C3D file needs even times", where=where, remedy="Use resample(rec, rate=…) first.")
    if not rec.count("markers"):
        raise InputError("the recording has no sample", where=where)
    if not float32(np.asarray(channel.rate), where) > 0:
        raise InputError(
            "the rate is too low for a C3D file", where=where, got=channel.rate, allowed=f"from {_TINY:.2g}"
        )
    first = max(0, round(channel.start * channel.rate)) + 1
    delay = (first - 1) / channel.rate - channel.start
    delay = 0.0 if abs(delay) * channel.rate < 1e-6 else delay  # rounding of start · rate
    analog, samples = _analog(rec, channel.rate, length) if "analog" in rec else None, rec.count("markers")
    if analog is not None:  # the last sample of a slice may lack some of its analog samples: then it is not whole
        samples = min(samples, (rec.count("analog") - analog.skipped) // analog.subframes)
    trial = C3dTrial(
        rec, marker_names(rec), unit_symbol(length), length, channel.rate, samples, first, delay,
        _residual_step(rec, length), analog, computed,
    )  # fmt: skip
    _check_counts(trial)
    _check_computed(trial)
    return trial


def _check_computed(trial: C3dTrial) -> None:
    for one in trial.computed:
        if one.values.shape != (trial.rec.count("markers"), len(one.names), 3):
            raise InputError(
                "computed points need the samples of 'markers'", where=trial.rec._where, got=f"shape {one.values.shape}"
            )
    double = [name for name in trial.points if trial.points.count(name) > 1]
    if trial.computed and double:
        raise InputError("points of a C3D file must have different names", where=trial.rec._where, got=double[0])


def _check_counts(trial: C3dTrial) -> None:
    for what, got, most in (
        ("points", len(trial.points), _WORD),
        ("analog numbers with each sample of the markers", trial.measurements, _WORD),
        ("samples, counted from time 0", trial.last, _LONGEST),
    ):
        if got > most:
            raise InputError(
                f"too many {what} for a C3D file", where=trial.rec._where, got=got, allowed=f"up to {most}"
            )


def _analog(rec: Recording, rate: float, length: float) -> Analog:
    channel, samples = rec.channel("analog"), rec.count("analog")
    ratio = (channel.rate or 0.0) / rate
    early = (rec.channel("markers").start - channel.start) * (channel.rate or 0.0)  # samples before the markers'
    skipped = max(round(early), 0)
    whole = (samples - skipped) // max(round(ratio), 1)
    if round(ratio) < 1 or abs(ratio - round(ratio)) > 1e-9 or not 0 <= rec.count("markers") - whole <= 1 or whole < 1:
        raise InputError(
            "analog channels need a whole number of samples for each of the markers", where=rec._where,
            got=f"{ratio:g} times the rate, {samples} samples for {rec.count('markers')}",
            remedy="Resample the markers or the analog channels.",
        )  # fmt: skip
    if abs(early - skipped) > 1e-3 * ratio:
        got = f"{channel.start:g} s and {rec.channel('markers').start:g} s"
        raise InputError("analog channels and markers do not start together", where=rec._where, got=got)
    count, symbol = channel.shape[0], unit_symbol(length)
    names = list(rec.manifest.get("labels", {}).get("analog") or ())
    units = list(rec.manifest.get("analog_units") or channel.units)
    units = units if len(units) == count else [channel.unit] * count
    return Analog(
        names if len(names) == count else [f"A{k + 1}" for k in range(count)],
        [{"m": symbol, "N m": f"N{symbol}"}.get(unit, unit) for unit in units],  # readers expect the markers' unit
        np.array([1.0 / length if unit in ("m", "N m") else 1.0 for unit in units]),
        _baseline(rec, count), _analog_rate(rate, round(ratio)), round(ratio), skipped,
    )  # fmt: skip


def _baseline(rec: Recording, count: int) -> np.ndarray:
    found = np.zeros(count)
    for plate in rec.manifest.get("plates", []):
        found[plate["channels"]] = plate.get("baseline", 0.0)
    return found


def _analog_rate(rate: float, subframes: int) -> float:
    """Return the analog rate in 32 bits, not below the product: some readers cut off the ratio of the two rates."""
    product = float(np.float32(rate)) * subframes
    near = np.float32(product)
    return float(near if float(near) >= product else np.nextafter(near, np.float32(np.inf)))


def known_residuals(rec: Recording, first: int, count: int, length: float) -> np.ndarray:
    """Return residuals (samples, markers) in the unit of that length [m]; 0 where none is known, as in filled gaps."""
    residuals = rec.read("residuals", first, first + count)
    if residuals.shape != (count, rec.channel("markers").shape[0]):
        got = f"{rec.count('residuals')} samples of shape {residuals.shape[1:]}"
        raise InputError("residuals need the samples and markers of 'markers'", where=rec._where, got=got)
    return np.where(np.isfinite(residuals) & (residuals > 0), residuals / length, 0.0)


def _residual_step(rec: Recording, length: float) -> float:
    """Return the step of the residuals, in the unit of that length [m].

    It is the largest of which all residuals are multiples, up to 255 steps; else 1/255 of the largest residual. Without
    residuals it is the step of the coordinates in 16 bits, for programs that convert them.
    """
    largest, distinct = 0.0, np.zeros(1)
    for first, points in rec.blocks("markers"):
        seen = np.isfinite(points).all(-1)
        largest = max(largest, float(np.abs(points[seen]).max(initial=0.0)) / length)
        if "residuals" in rec:
            residuals = np.where(seen, known_residuals(rec, first, len(points), length), 0.0)
            # More than 255 different ones are not multiples of one step: then only the largest counts.
            distinct = np.union1d(distinct, residuals if len(distinct) <= _STEPS + 1 else residuals.max())
    if distinct[-1] > 0:
        last = float32(distinct[-1:], rec._where)[0]
        return _common_step(distinct[distinct > 0]) or max(float(last) / _STEPS, _TINY)
    return max(float(float32(np.asarray(largest), rec._where)) / _INTEGERS, _TINY) if largest else 1.0


def _common_step(values: np.ndarray) -> float | None:
    """Return the 32-bit step of which up to 255 give each of these residuals, in order, to 32 bits; or None.

    The nearest one, and of equally near ones the largest.
    """
    steps = (values[0] / np.arange(1, _STEPS + 1)).astype(np.float32).astype(np.float64)
    steps = steps[steps >= _TINY]
    if len(values) > _STEPS or not len(steps):
        return None
    multiples = np.rint(values / steps[:, None])
    errors = np.abs(multiples * steps[:, None] / values - 1).max(1)
    errors[multiples[:, -1] > _STEPS] = np.inf
    best = errors.min()
    return float(steps[np.argmax(errors <= best + 1e-12)]) if best < 2.0**-23 else None


def float32(values: np.ndarray, where: str) -> np.ndarray:
    """Return numbers in 32 bits, or say that one is too large."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    if (np.isinf(found) & np.isfinite(values)).any():
        raise InputError("a number is too large for a C3D file", where=where, allowed="up to 3.4e38, in its units")
    return found
