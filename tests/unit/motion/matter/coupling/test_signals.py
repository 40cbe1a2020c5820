"""Energy of recorded signals by frequency, and their scales."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import contour_band, energy_spectrum, signal_scale
from motiform.record import Channel, Recording

RATE, COUNT = 200.0, 800


def times(count=COUNT):
    return np.arange(count) / RATE


@pytest.mark.parametrize("count", [800, 801, 2])
@pytest.mark.parametrize("axes", [(), (3,)])
def test_its_sum_is_the_work(count, axes):
    """Parseval: Σ Γ Δf = Σ f v Δt, to rounding."""
    rng = np.random.default_rng(count)
    f, v = rng.normal(size=(2, count, *axes))
    found = energy_spectrum(f, v, RATE)
    assert found.work == pytest.approx((f * v).sum() / RATE, rel=1e-12, abs=1e-13)
    assert found.frequency[-1] <= RATE / 2


@pytest.mark.parametrize(("phase", "part"), [(0.0, 1.0), (np.pi / 2, 0.0), (np.pi, -1.0), (np.pi / 3, 0.5)])
def test_a_tone_passes_its_power_by_the_phase(phase, part):
    """½ F V cos φ T, all of it at the tone: 5 Hz over 4 s are whole periods."""
    t = times()
    found = energy_spectrum(3.0 * np.cos(2 * np.pi * 5 * t + phase), 0.2 * np.cos(2 * np.pi * 5 * t), RATE)
    k = np.argmin(np.abs(found.frequency - 5.0))
    assert found.density[k] * 0.25 == pytest.approx(0.5 * 3.0 * 0.2 * part * 4.0, abs=1e-12)
    rest = np.delete(found.density, k)
    assert np.abs(rest).max() < 1e-12


def test_an_oscillator_takes_energy_at_its_own_frequency():
    """A damped mass driven by noise: what is given is what the damper takes, most of it near its resonance."""
    m, k, z, rate = 1.0, (2 * np.pi * 6.0) ** 2, 1.5, 4000.0
    rng = np.random.default_rng(4)
    force = rng.normal(size=40_000)
    x, v, taken = 0.0, 0.0, 0.0
    speeds = np.empty(len(force))
    for i, f in enumerate(force):
        before = v
        v += (f - k * x - z * v) / (m * rate)
        x += v / rate
        speeds[i] = 0.5 * (v + before)
        taken += z * before * speeds[i] / rate
    found = energy_spectrum(force, speeds, rate)
    # the steps are of first order and of a hundredth of a radian: energies err by some hundredths
    left = 0.5 * m * v**2 + 0.5 * k * x**2
    assert found.work == pytest.approx(taken + left, rel=0.05)
    near = (found.frequency > 4.0) & (found.frequency < 8.0)
    assert found.density[near].sum() > 0.6 * found.density.sum()


def recorded(values, rate=RATE):
    channel = Channel("x", unit="m", dims=("axis",), shape=values.shape[1:], rate=rate)
    return Recording.from_arrays({"x": (channel, values)})


def test_the_scale_of_two_tones():
    """3 Hz of 1 m and 40 Hz of 5 cm in three axes: the band holds both, two components, and the range their sizes."""
    t = times()
    slow, fast = np.sin(2 * np.pi * 3 * t), 0.05 * np.sin(2 * np.pi * 40 * t)
    rec = recorded(np.stack([1.0 + slow, 2.0 + fast, 3.0 + slow + fast], axis=1))
    found = signal_scale(rec, "x", share=1e-4)
    assert found.time == pytest.approx((3.0, 40.0))
    assert found.count == 2
    assert found.range[1] == pytest.approx(2.1, rel=0.02)
    assert found.range[0] == pytest.approx(np.sqrt(1e-4 * (2 * 0.5 + 2 * 0.05**2 / 2) / 3), rel=1e-3)
    # the fast tone has 0.25 % of the energy: a scale that leaves out one per cent does without it
    coarse = signal_scale(rec, "x", share=1e-2)
    assert coarse.time == pytest.approx((3.0, 3.0))
    assert coarse.count == 1
    assert coarse.information < found.information


def test_wrong_signals_are_refused():
    with pytest.raises(InputError, match="equal samples"):
        energy_spectrum(np.zeros(4), np.zeros(5), RATE)
    with pytest.raises(InputError, match="must vary"):
        signal_scale(recorded(np.ones((20, 3))), "x")
    with pytest.raises(InputError, match="must vary, and be finite"):
        signal_scale(recorded(np.full((20, 3), np.nan)), "x")
    with pytest.raises(InputError, match="share"):
        signal_scale(recorded(np.ones((20, 3))), "x", share=0.0)


def disc(radius, size=1200, extent=12.0):
    x = (np.arange(size) + 0.5) / size * extent - 0.5 * extent
    return np.hypot(*np.meshgrid(x, x)) < radius, extent / size


@pytest.mark.parametrize("radius", [0.25, 0.5, 1.0, 2.0])
def test_the_frequencies_of_a_disc(radius):
    """P/(2π² A s) = 1/(π² R s) and √(s/π)/(√π R): |C|² is A² for k ≪ 1/R; ripples of the spectrum are s of the tail."""
    low, high = contour_band(*disc(radius), share=0.02)
    assert high == pytest.approx(1 / (np.pi**2 * radius * 0.02), rel=0.06)
    assert low == pytest.approx(np.sqrt(0.02) / (np.pi * radius), abs=1 / 12.0)  # the grid is 12 m wide


def test_rough_contours_have_high_frequencies():
    """A comb of the area of a disc: its highest frequency is in the ratio of the perimeters."""
    x = (np.arange(1200) + 0.5) * 1e-2 - 6.0
    bars = (np.abs(x) < 2.0) & (np.floor((x + 2.0) / 0.25) % 2 == 0)  # eight bars of 0.25 m
    comb = np.outer(bars, np.abs(x) < 0.8)
    area, perimeter = 8 * 0.25 * 1.6, 8 * 2 * (0.25 + 1.6)
    assert comb.sum() * 1e-4 == pytest.approx(area, rel=0.02)
    # the mean over directions hides that a comb has most of its spectrum along one
    assert contour_band(comb, 1e-2, share=0.02)[1] == pytest.approx(perimeter / (2 * np.pi**2 * area * 0.02), rel=0.25)


def test_a_contour_that_is_no_contour_is_refused():
    for wrong in (np.ones((4, 4)), np.zeros((4, 4)), np.full((4, 4), 0.5), np.zeros((0,))):
        with pytest.raises(InputError, match="must be 1 inside and 0 around"):
            contour_band(wrong, 1.0)
    with pytest.raises(InputError, match="share"):
        contour_band(disc(1.0, 50)[0], 1.0, share=0.5)
