"""Low-pass filters that preserve gaps."""

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import changed
from motiform.measure.gaps import runs
from motiform.record.recording import Recording, check_recording

__all__ = ["low_pass"]


def low_pass(
    rec: Recording, cutoff: float = 8.0, *, order: int = 2, zero_phase: bool = True, names: Iterable[str] = ("markers",)
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
                "cutoff must be below half the rate", where=f"channel {name!r}", got=cutoff,
                allowed=f"0 to {channel.rate / 2:g} Hz",
            )  # fmt: skip
        flat = rec[name].reshape(rec.count(name), math.prod(channel.shape)).astype(np.float64)
        data[name] = (channel, filtered(flat, cutoff, channel.rate, order, zero_phase).reshape(-1, *channel.shape))
    entry = {"cutoff": float(cutoff), "order": order, "zero_phase": zero_phase, "channels": list(data)}
    return changed(rec, data, manifest={"low_pass": [*rec.manifest.get("low_pass", []), entry]})


def butterworth(cutoff: float, rate: float, order: int, passes: int, high: bool = False) -> np.ndarray:
    """Return second-order sections of a filter that halves the power at the cutoff after so many passes.

    It passes what is below the cutoff, or, ``high``, above.
    """
    return _designed(float(cutoff), float(rate), order, passes, high).copy()


@lru_cache(maxsize=64)
def _designed(cutoff: float, rate: float, order: int, passes: int, high: bool) -> np.ndarray:
    """Return rows (b₀, b₁, b₂, 1, a₁, a₂), one for each pair of poles s² + c s + 1, by the bilinear transform.

    A high pass is the low pass with 1/s for s: K and 1/K change places.
    """
    shrink = (2.0 ** (1.0 / passes) - 1.0) ** (1.0 / (2 * order))  # [Winter09 3.4]
    K = math.tan(math.pi * cutoff / rate) * (shrink if high else 1.0 / shrink)
    first, second = ((1.0, -1.0, 0.0), (1.0, -2.0, 1.0)) if high else ((K, K, 0.0), (K * K, 2.0 * K * K, K * K))
    rows = [(*first, 1.0 + K, K - 1.0, 0.0)] if order % 2 else []
    for k in range(order // 2):
        c = 2.0 * math.sin((2 * k + 1) * math.pi / (2 * order))
        rows.append((*second, 1.0 + c * K + K * K, 2.0 * (K * K - 1.0), 1.0 - c * K + K * K))
    return np.array([np.divide(row, row[3]) for row in rows])


def filter_both_ways(sections: np.ndarray, block: np.ndarray, pad: int) -> np.ndarray:
    """Return columns (samples, n) filtered forwards and backwards, turned about their end points over `pad` samples."""
    before, after = 2.0 * block[0] - block[pad:0:-1], 2.0 * block[-1] - block[-2 : -pad - 2 : -1]
    return _run(sections, np.concatenate([before, block, after]), True)[pad : pad + len(block)]


def _run(sections: np.ndarray, block: np.ndarray, both_ways: bool) -> np.ndarray:
    """Return columns (samples, n) filtered; each pass begins as if its first value had always been there."""
    from motiform.base.kernels import get_device
    from motiform.measure.filter_kernels import filter_column

    out = np.ascontiguousarray(block.T)
    get_device("cpu").launch(filter_column, len(out), sections, both_ways, out)
    return np.ascontiguousarray(out.T)


def filtered(
    flat: np.ndarray, cutoff: float, rate: float, order: int, zero_phase: bool, high: bool = False
) -> np.ndarray:
    """Return columns (samples, n) filtered; columns with the same gaps go together."""
    sections = butterworth(cutoff, rate, order, 2 if zero_phase else 1, high)
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


def _pass(sections: np.ndarray, block: np.ndarray, reach: int, zero_phase: bool) -> np.ndarray:
    """Filter a block without gaps; `reach` are samples after which the filter has forgotten what it began with."""
    if zero_phase:
        # Turned about its end points, so that a ramp stays one; one sample alone stays as it is.
        return filter_both_ways(sections, block, min(len(block) - 1, reach)) if len(block) > 1 else block
    return _run(sections, block, False)
