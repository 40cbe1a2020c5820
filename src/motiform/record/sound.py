"""Sound of signals: the quantiser of a converter, and WAV files."""

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.record.files import AnyPath, new_file

if TYPE_CHECKING:
    from motiform.record.recording import Recording

__all__ = ["FADE", "Quantised", "quantise", "write_sound", "write_wav"]

FADE = 0.02  # [s] at the end of sounds: too long for a click, too short to be missed
_BLOCK = 1 << 20  # values that are rounded at once
_HEAD = 64  # bytes before the samples, at most
_PCM, _FLOAT = 1, 3  # codes of WAV formats
_FORMATS = {"int16": (_PCM, 16), "float32": (_FLOAT, 32)}


@dataclass(frozen=True, eq=False)
class Quantised:
    """A signal as a converter gives it."""

    numbers: np.ndarray
    """Whole numbers from −2^(bits − 1) to 2^(bits − 1) − 1, of the signal's shape."""
    step: float
    """Of the signal's unit, from one number to the next: the smallest variation [Habibi97 2.3]."""
    clipped: int
    """Values that were beyond the range."""

    @property
    def values(self) -> np.ndarray:
        """The signal that is heard, in its unit: within half a step where nothing was clipped."""
        return self.numbers * self.step


def quantise(signal: ArrayLike, *, bits: int = 16, peak: float | None = None) -> Quantised:
    """Return a signal rounded to so many bits, computed in 64-bit numbers until then [Habibi97 2.3].

    `peak` is the magnitude of the largest number; without it the largest of the signal. Beyond it values are clipped,
    and counted.

    >>> found = quantise([0.0, 0.5, -1.0], bits=8, peak=1.0)
    >>> found.numbers.tolist(), found.clipped
    ([0, 64, -127], 0)
    """
    values = np.asarray(signal, float)
    if not 2 <= bits <= 32:
        raise InputError("a quantiser must have 2 to 32 bits", got=bits)
    if not np.isfinite(values).all():
        raise InputError("a signal must be finite", where="quantise", got=f"{int((~np.isfinite(values)).sum())} values")
    most = 2 ** (bits - 1) - 1
    top = float(max(values.max(initial=0.0), -values.min(initial=0.0))) if peak is None else float(peak)
    if not np.isfinite(top) or top < 0 or (peak is not None and top == 0):
        raise InputError("a peak must be above 0", where="quantise", got=peak)
    step = top / most if top > 0 else 1.0 / most
    flat, numbers, clipped = values.reshape(-1), np.empty(values.size, np.int32), 0
    for n in range(0, flat.size, _BLOCK):  # a sound may be hours long
        rounded = np.rint(flat[n : n + _BLOCK] / step)
        inside = np.clip(rounded, -most - 1, most)
        numbers[n : n + _BLOCK] = inside
        clipped += int((rounded != inside).sum())
    return Quantised(numbers.reshape(values.shape), step, clipped)


def write_wav(
    signal: ArrayLike,
    path: AnyPath,
    *,
    rate: float,
    form: Literal["int16", "float32"] = "int16",
    peak: float | None = None,
    fade: float = 0.0,
    overwrite: bool = False,
) -> Quantised:
    """Write a signal (samples,) or (samples, channels) as WAV, and return what was heard.

    The largest of the signal, or `peak`, is full scale. `rate` is in samples a second, a whole number. In "float32" the
    signal is divided by it and not clipped; what is returned then has 24 bits, those of such a number. `fade` [s]: the
    end falls to 0 by a raised cosine that long, so that a sound which is cut off does not click.
    """
    values = np.asarray(signal, float)
    if not (np.isfinite(fade) and fade >= 0.0):
        raise InputError("a fade must be 0 s or longer", where="write_wav", got=fade)
    if form not in _FORMATS:
        raise InputError("the form of a WAV file must be known", got=form, allowed=", ".join(_FORMATS))
    if values.ndim not in (1, 2) or not values.size or (values.ndim == 2 and values.shape[1] > 64):
        allowed = "(samples,) or (samples, channels)"
        raise InputError("a sound must be samples of channels", got=f"shape {values.shape}", allowed=allowed)
    if rate != round(rate) or not 1 <= rate < 2**32:
        raise InputError("the rate of a WAV file must be a whole number", got=rate, allowed="samples a second")
    code, bits = _FORMATS[form]
    channels = 1 if values.ndim == 1 else values.shape[1]
    frame = channels * bits // 8
    if max(rate * frame, len(values) * frame + _HEAD) >= 2**32:  # four bytes tell each
        got = f"{len(values)} samples of {frame} bytes, {rate:g} a second"
        raise InputError("a WAV file has less than 4 GiB, and less than 4 GiB a second", got=got)
    values = _faded(values, fade * rate)
    heard = quantise(values, bits=bits if form == "int16" else 24, peak=peak)
    if form == "int16":
        data = heard.numbers.astype("<i2").tobytes()
    else:
        data = (values / (heard.step * (2**23 - 1))).astype("<f4").tobytes()
    head = struct.pack("<HHIIHH", code, channels, int(rate), int(rate) * frame, frame, bits)
    chunks = b"fmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(data)) + data
    new_file(path, overwrite).write_bytes(
        b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks + b"\0" * (len(data) % 2)
    )
    return heard


def _faded(values: np.ndarray, samples: float) -> np.ndarray:
    """Return a signal whose last samples fall to 0, (1 + cos φ)/2 with φ up to π at the last one."""
    count = min(round(min(samples, float(len(values)))), len(values))
    if not count:
        return values
    falls = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, count + 1) / count)
    found = values.copy()
    found[-count:] *= falls.reshape([-1] + [1] * (values.ndim - 1))
    return found


def write_sound(
    recording: "Recording",
    path: AnyPath,
    *,
    form: Literal["int16", "float32"] | None = None,
    peak: float | None = None,
    speed: float = 1.0,
    fade: float = FADE,
    overwrite: bool = False,
) -> Quantised:
    """Write the channel "sound" of a recording as WAV, and return what is heard.

    `form` and `peak` are those of the run where they are not given; `fade` [s] is that of `write_wav`. At a `speed`
    other than 1 it is as much faster and higher.
    """
    if "sound" not in recording:
        raise InputError("the recording must have a sound", got=", ".join(recording.names[:8]), remedy=_LISTEN)
    asked: dict[str, Any] = dict(recording.manifest.get("sound", {}))
    rate = recording.channel("sound").rate
    assert rate is not None
    return write_wav(
        recording["sound"], path, rate=round(rate * speed), form=form or asked.get("form", "int16"),
        peak=asked.get("peak") if peak is None else peak, fade=fade, overwrite=overwrite,
    )  # fmt: skip


_LISTEN = "Give a scene [sound], or simulate(..., sound=matter.Sound(...))."
