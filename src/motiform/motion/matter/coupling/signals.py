"""Scales and energy of recorded signals [Habibi97 2.2, 3.2, A]."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.budget import SignalScale
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, Words, as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from motiform.record import Recording

__all__ = ["EnergySpectrum", "contour_band", "energy_spectrum", "signal_scale"]


class EnergySpectrum(NamedTuple):
    """Energy that passes a point, by frequency."""

    frequency: Array
    """From 0 to half of the rate [Hz], (n,)."""
    density: Array
    """Of both senses of frequency together [J/Hz], (n,); its sum over frequency is the work."""

    @property
    def work(self) -> float:
        """The work of the force [J]: Parseval's sum, ∫ f v dt of the samples."""
        width = float(self.frequency[1] - self.frequency[0]) if len(self.frequency) > 1 else 1.0
        return float(self.density.sum()) * width


def energy_spectrum(force: "ArrayLike", velocity: "ArrayLike", rate: float) -> EnergySpectrum:
    """Return the cross spectral density of energy Γ_fv = Re(F V*) of a force and the velocity of its point.

    Parameters
    ----------
    force, velocity : samples [N], [m/s], (n,) or (n, axes); of axes the sum is taken.
    rate : samples per second [Hz].

    A frequency at which it is positive gives energy to the point; one below zero takes it back. [Habibi97 A.13, A.16]
    """
    check_number(rate, "rate", "energy_spectrum", above=0.0)
    f, v = (as_floats(x, where=name) for x, name in ((force, "force"), (velocity, "velocity")))
    if f.shape != v.shape or f.ndim not in (1, 2) or len(f) < 2:
        got = Words(f"{f.shape} and {v.shape}")
        raise InputError("force and velocity must have equal samples", got=got, allowed="(n,) or (n, axes), n ≥ 2")
    f, v = (x.reshape(len(x), -1) for x in (f, v))
    n = len(f)
    density = (np.fft.rfft(f, axis=0) * np.fft.rfft(v, axis=0).conj()).real.sum(axis=1) / rate**2
    density[1 : (n + 1) // 2] *= 2.0  # those of negative frequencies
    return EnergySpectrum(np.asarray(np.fft.rfftfreq(n, 1.0 / rate), float), density)


def signal_scale(recording: "Recording", channel: str, *, share: float = 1e-3) -> SignalScale:
    """Return the scale of a recorded signal: what holds all but a `share` of the energy of its variations.

    Its band lies between the frequencies that leave out half of the share each; its range between the root mean square
    of what is left out and the largest variation; its count is that of the principal components. [Habibi97 2.2.1]
    """
    check_number(share, "share", "signal_scale", above=0.0, most=0.5)
    rate, values = recording.channel(channel).rate, np.asarray(recording[channel], float)
    if rate is None or len(values) < 4:
        got = Words(f"{len(values)} samples" if rate else "its own times")
        raise InputError("a signal must be sampled at a rate", where=channel, got=got, allowed="4 samples or more")
    rows = values.reshape(len(values), -1)
    moving = rows - rows.mean(axis=0)
    energy = (np.abs(np.fft.rfft(moving, axis=0)) ** 2).sum(axis=1)[1:]
    if not (np.isfinite(energy).all() and energy.sum() > 0.0):
        raise InputError("a signal must vary, and be finite", where=channel, remedy="Leave out samples that are NaN.")
    frequency, held = np.fft.rfftfreq(len(rows), 1.0 / rate)[1:], np.cumsum(energy) / energy.sum()
    low, high = (int(np.searchsorted(held, part)) for part in (0.5 * share, 1.0 - 0.5 * share))
    parts = np.linalg.svd(moving, compute_uv=False) ** 2
    count = int(np.searchsorted(np.cumsum(parts) / parts.sum(), 1.0 - share)) + 1
    largest = float(np.ptp(rows, axis=0).max())
    least = min(largest, float(np.sqrt(share * (moving**2).mean())))
    band = float(frequency[low]), float(frequency[min(high, len(frequency) - 1)])
    return SignalScale(channel, time=band, range=(least, largest), count=count)


def contour_band(contour: "ArrayLike", spacing: float, *, share: float = 0.02) -> tuple[float, float]:
    """Return the lowest and the highest spatial frequency of a contour [1/m], which leave out a share each.

    The contour is where a probe feels an object: 1 where the force on it is above what it can tell, 0 elsewhere, on a
    grid of one to three axes that reaches beyond it. Its spectrum |C|² is summed over directions. The lowest frequency
    falls as the object grows, the highest rises as it becomes rough [Habibi97 §5.3.1, fig. 5.5]: in a plane what is
    beyond K is P/(2π² K) of the area, P the perimeter, so that the highest is P/(2π² A share).
    """
    check_number(spacing, "spacing", "contour_band", above=0.0)
    check_number(share, "share", "contour_band", above=0.0, most=0.25)
    c = np.asarray(contour, float)
    if c.ndim not in (1, 2, 3) or not np.isin(c, (0.0, 1.0)).all() or not 0 < c.sum() < c.size:
        got = Words(f"{c.shape}, {c.sum():g} in all")
        raise InputError("a contour must be 1 inside and 0 around it", where="contour", got=got, allowed="both of them")
    wave = np.sqrt(sum(k**2 for k in np.meshgrid(*[np.fft.fftfreq(n, spacing) for n in c.shape], indexing="ij")))
    energy, order = np.abs(np.fft.fftn(c)).ravel() ** 2, wave.argsort(axis=None, kind="stable")
    inside = np.cumsum(energy[order]) / energy.sum()
    low, high = (min(int(n), len(order) - 1) for n in np.searchsorted(inside, (share, 1.0 - share)))
    waves = wave.ravel()[order]
    unit, size = (2.0, np.pi, 4.0 / 3.0 * np.pi)[c.ndim - 1], c.sum() * spacing**c.ndim
    # below the first frequency of the grid |C|² is the square of the size: the ball up to k has unit · kᵈ of it
    lowest = waves[low] if low > 0 else (share / (unit * size)) ** (1.0 / c.ndim)
    return float(lowest), float(waves[high])
