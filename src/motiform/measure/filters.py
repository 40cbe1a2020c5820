"""Low-pass filters that preserve gaps."""

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import changed
from motiform.measure.gaps import runs
from motiform.record.recording import Recording, check_recording

__all__ = ["low_pass"]


def low_pass(
    rec: Recording,
    cutoff: float = 8.0,
    *,
    order: int = 2,
    zero_phase: bool = True,
    names: Iterable[str] = ("markers",),
) -> Recording:
    """Return the recording with channels low-pass filtered by a Butterworth filter, by default 8 Hz and order 2.

    ``zero_phase=True`` runs the filter forwards and backwards: no delay, and twice the order. Two passes would bring
    the cutoff down; each is therefore set higher, by (√2 − 1)^(−1/(2 order)) (1.247 for order 2) [Winter09 3.4], on
    the warped axis of the bilinear transform, so that the whole halves the power at ``cutoff`` [Hz] exactly.
    ``zero_phase=False`` is one pass, as in HuMAnS [HuMAnS 9.6.4]: causal, with a delay; it starts as if the first
    value had always been there.

    Gaps stay gaps: each stretch of samples without nan is filtered by itself.
    """
    check_recording(rec)
    if not (isinstance(order, int) and 1 <= order <= 10):
        raise InputError("order is out of range", got=order, allowed="a whole number from 1 to 10")
    data = {}
    for name in names:
        channel = rec.channel(name)
        if channel.rate is None:
            raise InputError(
                "a filter needs even times", where=f"channel {name!r}", remedy="Use resample(rec, rate=…) first."
            )
        if not (isinstance(cutoff, (int, float)) and 0 < cutoff < channel.rate / 2):
            raise InputError(
                "cutoff must be below half the rate",
                where=f"channel {name!r}",
                got=cutoff,
                allowed=f"0 to {channel.rate / 2:g} Hz",
            )
        flat = rec[name].reshape(rec.count(name), math.prod(channel.shape)).astype(np.float64)
        data[name] = (channel, filtered(flat, cutoff, channel.rate, order, zero_phase).reshape(-1, *channel.shape))
    entry = {"cutoff": float(cutoff), "order": order, "zero_phase": zero_phase, "channels": list(data)}
    return changed(rec, data, manifest={"low_pass": [*rec.manifest.get("low_pass", []), entry]})


def butterworth(cutoff: float, rate: float, order: int, passes: int) -> Any:
    """Return second-order sections of a filter that halves the power at the cutoff after so many passes."""
    return _designed(float(cutoff), float(rate), order, passes).copy()


@lru_cache(maxsize=64)
def _designed(cutoff: float, rate: float, order: int, passes: int) -> Any:
    from scipy.signal import butter

    shrink = (2.0 ** (1.0 / passes) - 1.0) ** (1.0 / (2 * order))  # [Winter09 3.4]
    warped = math.tan(math.pi * cutoff / rate) / shrink
    return butter(order, 2.0 / math.pi * math.atan(warped), output="sos")


def filtered(flat: np.ndarray, cutoff: float, rate: float, order: int, zero_phase: bool) -> np.ndarray:
    """Return columns (samples, n) filtered; columns with the same gaps go together."""
    sections = butterworth(cutoff, rate, order, 2 if zero_phase else 1)
    seen = np.isfinite(flat)
    found = flat.copy()
    groups: dict[bytes, list[int]] = {}
    for k in range(flat.shape[1]):
        groups.setdefault(np.packbits(seen[:, k]).tobytes(), []).append(k)
    for columns in groups.values():
        for first, last in runs(seen[:, columns[0]]):
            block = flat[first:last, columns]
            found[first:last, columns] = _pass(sections, block, math.ceil(2.0 * rate / cutoff), zero_phase)
    return found


def _pass(sections: Any, block: np.ndarray, reach: int, zero_phase: bool) -> np.ndarray:
    """Filter a block without gaps; `reach` are samples after which the filter has forgotten what it began with."""
    from scipy.signal import sosfilt, sosfilt_zi, sosfiltfilt

    if zero_phase:
        # Turned about its end points, so that a ramp stays one; one sample alone stays as it is.
        pad = min(len(block) - 1, reach)
        return np.asarray(sosfiltfilt(sections, block, axis=0, padlen=pad)) if len(block) > 1 else block
    start = sosfilt_zi(sections)[:, :, None] * block[0]
    return np.asarray(sosfilt(sections, block, axis=0, zi=start)[0])
