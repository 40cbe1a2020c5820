"""Electromyograms among analog channels, and envelopes of signals whose envelope is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.measure.emg import emg_channels, emg_envelopes
from motiform.measure.filters import filtered
from motiform.record import Channel, Recording

RATE, SECONDS = 1000.0, 4.0
T = np.arange(round(RATE * SECONDS)) / RATE


def analog(signals, rate=RATE, **manifest):
    values = np.stack(list(signals.values()), axis=1)
    channel = Channel("analog", unit="V", dims=("analog",), shape=(values.shape[1],), rate=rate)
    return Recording.from_arrays(
        {"analog": (channel, values)}, manifest={"labels": {"analog": list(signals)}, **manifest}
    )


@pytest.mark.parametrize(
    ("name", "muscle", "side"),
    [
        ("L_TA", "tibialis anterior", "l"), ("RGAS", "gastrocnemius", "r"), ("Left RectFem", "rectus femoris", "l"),
        ("Voltage.RVL", "vastus lateralis", "r"), ("EMG_L_soleus", "soleus", "l"),
        ("R Gluteus Medius", "gluteus medius", "r"),
        ("LBicepsFemoris", "biceps femoris", "l"), ("EMG5", "5", ""),
    ],
)  # fmt: skip
def test_names_of_muscles(name, muscle, side):
    found = emg_channels(analog({name: np.sin(T)}))
    assert [(one.muscle, one.side) for one in found] == [(muscle, side)]


def test_plates_and_other_signals_are_no_electromyograms():
    signals = {name: np.sin(T) for name in ("Fx1", "Fz1", "Mx2", "Trigger", "Goniometer", "TA", "Channel 3", "Knee")}
    assert emg_channels(analog(signals)) == []
    assert emg_channels(analog({"LTA": np.sin(T)}, plates=[{"channels": [0]}])) == []


def test_envelope_of_a_carrier_is_its_amplitude():
    """A carrier of 150 Hz with a slowly changing amplitude A(t), on an offset and a drift of 0.5 Hz: A(t) 2/π.

    The low pass of order 4 takes 1/2 (f/6 Hz)⁴ of a change of f = 0.5 Hz, which is 2e-5; harmonics of the rectified
    carrier are at 300 Hz; the high pass takes 1/2 (20/150)⁴ of the carrier, 2e-4. The ends are the filters'.
    """
    amplitude = 1.0 + 0.5 * np.sin(2 * np.pi * 0.5 * T)
    signal = amplitude * np.sin(2 * np.pi * 150.3 * T) + 3.0 + np.sin(2 * np.pi * 0.5 * T)
    found = emg_envelopes(analog({"LTA": signal}))
    inside = (T > 0.5) & (T < SECONDS - 0.5)
    assert_allclose(found.values[inside, 0], amplitude[inside] * 2 / np.pi, rtol=5e-3)
    assert found.channels[0].muscle == "tibialis anterior"


def test_what_has_no_envelope_says_why():
    holed = np.sin(40 * T)
    holed[5] = np.nan
    found = emg_envelopes(analog({"EMG1": np.sin(T), "LTA": np.zeros(len(T)), "RTA": holed, "LVL": np.sin(99 * T)}))
    assert [one.name for one in found.channels] == ["LVL"]
    assert found.left_out == (
        "EMG1: its name does not tell the side", "LTA: it never changes", "RTA: it has gaps"
    )  # fmt: skip
    slow = emg_envelopes(analog({"LTA": np.sin(T)}, rate=60.0))
    assert slow.left_out == ("LTA: 60 Hz are too slow, 80 Hz or more are needed",)
    with pytest.raises(InputError, match="the low pass must be below the high pass"):
        emg_envelopes(analog({"LTA": np.sin(T)}), high=5.0)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_high_pass_halves_the_power_at_its_cutoff(order):
    """Both ways, as the low pass does; a constant is gone, and what is far above stays."""
    inside = slice(1500, 2500)
    for frequency, gain in ((20.0, np.sqrt(0.5)), (400.0, 1.0)):
        wave = np.sin(2 * np.pi * frequency * T)
        found = filtered(wave[:, None], 20.0, RATE, order, True, high=True)[inside, 0]
        # the part in phase, over whole periods
        assert 2 * np.mean(found * wave[inside]) == pytest.approx(
            gain, abs=2e-3 + (gain == 1.0) * (20 / 400) ** (2 * order)
        )
    assert np.abs(filtered(np.ones((len(T), 1)), 20.0, RATE, order, True, high=True)[inside]).max() < 1e-9
