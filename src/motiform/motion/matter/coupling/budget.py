"""Information of signals and models, and the benefit of models at several scales [Habibi97 ch. 2]."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from motiform.base.errors import InputError
from motiform.motion.run.options import check_number
from motiform.record.plain import to_plain
from motiform.spatial.checks import Words

__all__ = ["ModelScale", "Row", "ScaleComparison", "SignalScale", "bits_for", "budget_table", "compare"]


@dataclass(frozen=True)
class SignalScale:
    """What signals hold: bands in time and space, and a range of values."""

    name: str
    time: tuple[float, float]
    """Lowest and highest frequency [Hz]."""
    space: tuple[float, float] = (1.0, 1.0)
    """Lowest and highest spatial frequency [1/m]; equal for a signal of time alone."""
    range: tuple[float, float] = (1.0, 2.0**16)
    """Smallest and largest variation, in one unit."""
    count: int = 1
    """Independent signals of this kind."""

    def __post_init__(self) -> None:
        where = f"signal {self.name!r}"
        for key in ("time", "space", "range"):
            given = getattr(self, key)
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise InputError(
                    f"{key} must be a range", where=where, got=Words(repr(given)), allowed="(lowest, highest)"
                )
            low, high = (check_number(v, key, where, above=0.0) for v in given)
            if high < low:
                raise InputError(
                    f"{key} is empty", where=where, got=Words(f"{low:g} to {high:g}"), remedy="Swap the bounds."
                )
            object.__setattr__(self, key, (low, high))
        check_number(self.count, "count", where, least=1)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Sides in time, space, bits and number: Fmax/Fmin twice, log2 of the range, count [Habibi97 §2.3.2]."""
        (t0, t1), (x0, x1), (s0, s1) = self.time, self.space, self.range
        return t1 / t0, x1 / x0, math.log2(s1 / s0), float(self.count)

    @property
    def information(self) -> float:
        """Upper bound of the information carried [bit]: the volume of the box [Habibi97 2.5, 2.6]."""
        return math.prod(self.box)


@dataclass(frozen=True)
class ModelScale:
    """The output of a model: samples in time and space, bits, and number of independent signals."""

    name: str
    rate: float
    """Samples per second [Hz]."""
    bits: int = 64
    """Per sample."""
    points: float = 1.0
    """Samples over space, the product of both directions of an image; 1 for signals of time alone."""
    count: int = 1
    """Independent signals (degrees of freedom)."""
    duration: float = 1.0
    """[s]"""

    def __post_init__(self) -> None:
        where = f"model {self.name!r}"
        for key in ("rate", "duration"):
            check_number(getattr(self, key), key, where, above=0.0)
        for key in ("bits", "points", "count"):
            check_number(getattr(self, key), key, where, least=1)

    @property
    def information(self) -> float:
        """Information that the model can make over its duration [bit] [Habibi97 2.7]."""
        return self.count * self.points * self.rate * self.duration * self.bits

    @property
    def bit_rate(self) -> float:
        """[bit/s]"""
        return self.information / self.duration

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Sides in time, space, bits and number: halves of the samples, for Fmax is half the rate [Habibi97 §2.3.2].

        A signal of time alone has the side 1 in space.
        """
        return self.rate * self.duration / 2, self.points / 2 if self.points > 1 else 1.0, float(self.bits), self.count

    @property
    def bytes_per_minute(self) -> float:
        """Information per minute [byte], by the half of the samples that the box has in time [Habibi97 §5.2.1]."""
        return self.count * self.points * self.rate / 2 * 60 * self.bits / 8

    def spectrum(self) -> dict[str, tuple[float, float]]:
        """Return the bands a model can hold: time [Hz], space in waves over its extent, values [Habibi97 2.1-2.4]."""
        space = (1.0, self.points / 2) if self.points > 1 else (1.0, 1.0)
        return {"time": (1 / self.duration, self.rate / 2), "space": space, "range": (1.0, 2.0**self.bits - 1)}

    def holds(self, signal: SignalScale) -> bool:
        """Return whether the box of a signal fits into the model's; both bounds of time count, widths of the others."""
        low, high = self.spectrum()["time"]
        _, space, bits, count = signal.box
        fits = space <= self.box[1] and bits <= self.bits and count <= self.count
        return fits and low <= signal.time[0] and signal.time[1] <= high


def bits_for(smallest: float, largest: float) -> int:
    """Return the bits that a range of variations needs, E(log2(max/min)) + 1 [Habibi97 2.3]."""
    low = check_number(smallest, "smallest", "bits", above=0.0)
    return math.floor(math.log2(check_number(largest, "largest", "bits", least=low) / low)) + 1


@dataclass(frozen=True)
class ScaleComparison:
    """One model for all scales against several coupled ones [Habibi97 §2.4.3]."""

    mono: ModelScale
    multi: tuple[ModelScale, ...]
    carried: float | None = None
    """Information of the signals wanted [bit], over the same duration."""

    @property
    def ratio(self) -> float:
        """Information that the one model makes over what the several make."""
        return self.mono.information / sum(model.information for model in self.multi)

    @property
    def waste(self) -> tuple[float, float] | None:
        """Information made and not carried [bit], by the one model and by the several."""
        if self.carried is None:
            return None
        return self.mono.information - self.carried, sum(m.information for m in self.multi) - self.carried

    @property
    def advice(self) -> str:
        """Return "multi" or "mono": what makes least beyond what is carried."""
        return "multi" if self.ratio > 1 else "mono"

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        made = {model.name: model.information for model in (self.mono, *self.multi)}
        found = {"advice": self.advice, "ratio": self.ratio, "bits": made, "carried": self.carried, "waste": self.waste}
        plain: dict[str, Any] = to_plain(found, "budget")
        return plain

    def __str__(self) -> str:
        lines = [f"{m.name:<24}{_amount(m.information):>14}" for m in (self.mono, *self.multi)]
        lines += [f"{'signals carry':<24}{_amount(self.carried):>14}"] if self.carried is not None else []
        return "\n".join([*lines, f"one model makes {self.ratio:.4g} times as much: {self.advice}-scale"])


def compare(mono: ModelScale, multi: Sequence[ModelScale], signals: Sequence[SignalScale] = ()) -> ScaleComparison:
    """Return what one model for all costs against several; the one must be able to hold every signal."""
    if not multi:
        raise InputError("a comparison needs a model", where="budget", got=Words("no models"), allowed="one or more")
    other = next((m for m in multi if not math.isclose(m.duration, mono.duration)), None)
    if other:
        got = Words(f"{mono.duration:g} s and {other.duration:g} s")
        raise InputError(
            "all models must have the same duration", where="budget", got=got, allowed="one duration for all"
        )
    unfit = next((s for s in signals if not mono.holds(s)), None)
    if unfit:
        got = Words(f"{unfit.name!r}")
        raise InputError(
            "the one model cannot hold a signal", where=f"model {mono.name!r}", got=got, remedy="Widen it."
        )
    return ScaleComparison(mono, tuple(multi), sum(s.information for s in signals) if signals else None)


@dataclass(frozen=True)
class Row:
    """A published number and the same computed again."""

    item: str
    unit: str
    thesis: float
    value: float
    note: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        note = f"  ({self.note})" if self.note else ""
        return f"{self.item:<36}{self.thesis:>10.4g}{self.value:>12.4g}{unit}{note}"


def budget_table(chapter: int) -> list[Row]:
    """Return the thesis's budgets, as printed and as its own formula gives them: chapter 2 or 5.

    Chapter 2 prints bits as bytes ("Moctets"), corrected here; its sound at 64 bits is ten times too much.
    """
    if chapter not in (2, 5):
        raise InputError("the chapter has no budgets", where="chapter", got=chapter, allowed="2 or 5")
    return _senses() if chapter == 2 else _movement_and_image()


def _senses() -> list[Row]:
    image = ModelScale("image", 25, 24, points=768 * 576)
    image_made = ModelScale("image, made", 25, 32, points=768 * 576)
    sound, sound_made = ModelScale("sound", 44100, 16, count=4), ModelScale("sound, made", 44100, 64, count=4)
    hand, hand_made = ModelScale("hand", 1050, 16, count=16), ModelScale("hand, made", 1050, 64, count=16)
    mono = ModelScale("all", 44100, 64, points=768 * 576)
    seen = ModelScale("motion and image", 1000, 64, points=768 * 576)
    several = image_made.bit_rate + sound_made.bit_rate + hand_made.bit_rate

    def moving(n: int) -> float:
        return seen.bit_rate / (image_made.bit_rate + ModelScale("motion", 1000, 64, count=3 * n).bit_rate)

    return [
        Row("image, 24 bits", "bit/s", 265e6, image.bit_rate),
        Row("sound, four channels of 16 bits", "bit/s", 2.8e6, sound.bit_rate),
        Row("hand, 16 coordinates of 16 bits", "bit/s", 256e3, hand.bit_rate, "256 k at 1000 Hz; 1050 Hz is said"),
        Row("image, 32 bits", "bit/s", 354e6, image_made.bit_rate),
        Row("sound, 64 bits", "bit/s", 113e6, sound_made.bit_rate, "a slip by ten"),
        Row("hand, 64 bits", "bit/s", 1e6, hand_made.bit_rate),
        Row("separate models", "bit/s", 468e6, several, "follows from the sound"),
        Row("one model", "bit/s", 1.25e12, mono.bit_rate),
        Row("one over image alone", "", 3500, mono.bit_rate / image_made.bit_rate),
        Row("one over separate models", "", 3500, mono.bit_rate / several, "said of the sum, true of the image"),
        Row("moving image, one model", "bit/s", 28.3e6, seen.bit_rate, "M for G"),
        Row("moving image, one mass", "", 80, moving(1)),
        Row("moving image, 5000 masses", "", 40, moving(5000), "40 is right for 1840 masses"),
    ]


def _movement_and_image() -> list[Row]:
    motion = ModelScale("motion", 1e3, 64, count=1000).bytes_per_minute
    image = ModelScale("image", 25, 32, points=1e5).bytes_per_minute
    mono = ModelScale("one model", 1e4, 64, points=1e5).bytes_per_minute
    optics = ModelScale("optics", 1e4, 32, points=1e5).bytes_per_minute
    steady = ModelScale("optics, steady", 1e3, 32, points=1e5).bytes_per_minute
    return [
        Row("motion, 1000 coordinates", "byte/min", 240e6, motion), Row("image, 25 Hz", "byte/min", 300e6, image),
        Row("one model", "byte/min", 240e9, mono), Row("motion and optics", "byte/min", 120e9, motion + optics),
        Row("one over motion and optics", "", 2, mono / (motion + optics)),
        Row("motion and steady optics", "byte/min", 12.2e9, motion + steady),
        Row("one over motion and steady optics", "", 20, mono / (motion + steady)),
        Row("motion and its image as a dressing", "byte/min", 540e6, motion + image),
        Row("one over motion and dressing", "", 460, mono / (motion + image), "444 exactly"),
    ]  # fmt: skip


def _amount(bits: float) -> str:
    for size, unit in ((1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit")):
        if abs(bits) >= size:
            return f"{bits / size:.4g} {unit}"
    return f"{bits:.4g} bit"
