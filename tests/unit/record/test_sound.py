"""The quantiser and WAV files."""

import wave

import numpy as np
import pytest
from scipy.io import wavfile

from motiform.base.errors import InputError, RecordingError
from motiform.record import Channel, Recording, quantise, write_sound, write_wav


@pytest.mark.parametrize("bits", [12, 16])
def test_noise_of_a_full_sine_is_that_of_so_many_bits(bits):
    """Signal to noise 6.02 bits + 1.76 dB: rounding is even within a step, power step²/12, but where the sine turns."""
    signal = np.sin(2 * np.pi * 0.01234567 * np.arange(200_000))
    found = quantise(signal, bits=bits, peak=1.0)
    noise = found.values - signal
    assert np.abs(noise).max() <= found.step / 2 * (1 + 1e-9)
    decibel = 10 * np.log10((signal**2).mean() / (noise**2).mean())
    assert decibel == pytest.approx(20 * np.log10(2**bits - 2) + 1.76, abs=0.1)  # full scale is 2^(bits − 1) − 1
    assert found.clipped == 0


def test_what_is_beyond_the_peak_is_clipped_and_counted():
    found = quantise([0.0, 2.0, -2.0, 1.0], peak=1.0)
    assert found.numbers.tolist() == [0, 32767, -32768, 32767]
    assert found.clipped == 2
    assert quantise(np.zeros(3)).numbers.tolist() == [0, 0, 0]


def test_files_are_read_by_others(tmp_path):
    signal = np.stack([np.sin(0.1 * np.arange(500)), 0.5 * np.cos(0.03 * np.arange(500))], axis=1)
    heard = write_wav(signal, tmp_path / "a.wav", rate=44100)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 44100, 2)
        data = np.frombuffer(file.readframes(1000), "<i2").reshape(-1, 2)
    assert np.array_equal(data, heard.numbers)
    write_wav(signal[:, 0], tmp_path / "b.wav", rate=1050, form="float32", peak=2.0)
    rate, floats = wavfile.read(tmp_path / "b.wav")
    assert rate == 1050
    with pytest.raises(RecordingError, match="exists already"):
        write_wav(signal, tmp_path / "a.wav", rate=44100)
    assert floats == pytest.approx(signal[:, 0] / 2, abs=2**-24)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: write_wav([[[0.0]]], p, rate=44100), "samples of channels"),
        (lambda p: write_wav([0.0, 1.0], p, rate=44100.5), "whole number"),
        (lambda p: write_wav(np.zeros((2, 2)), p, rate=2**31), "less than 4 GiB a second"),
        (lambda p: write_wav([0.0, np.nan], p, rate=44100), "finite"),
        (lambda p: write_wav([0.0], p, rate=44100, form="mp3"), "known"),
        (lambda p: write_wav([0.0], p, rate=44100, fade=-1.0), "0 s or longer"),
        (lambda p: quantise([0.0], bits=1), "2 to 32 bits"),
        (lambda p: quantise([1.0], peak=0.0), "above 0"),
    ],
)
def test_wrong_sounds_are_refused(tmp_path, call, words):
    with pytest.raises(InputError, match=words):
        call(tmp_path / "x.wav")


@pytest.mark.parametrize("channels", [1, 2])
def test_a_sound_that_is_cut_off_ends_with_a_fade(tmp_path, channels):
    """A tone of full scale: untouched before the fade, (1 + cos φ)/2 of itself in it, 0 at the end."""
    rate, samples = 8000, 4000
    tone = np.cos(0.3 * np.arange(samples))[:, None] * np.ones(channels)
    heard = write_wav(tone, tmp_path / "cut.wav", rate=rate, fade=0.02)
    falls = 0.5 * (1 + np.cos(np.pi * np.arange(1, 161) / 160))
    assert heard.values[:-160] == pytest.approx(tone[:-160], abs=heard.step)
    assert heard.values[-160:] == pytest.approx(tone[-160:] * falls[:, None], abs=heard.step)
    assert not heard.numbers[-1].any()
    short = write_wav(tone[:50], tmp_path / "short.wav", rate=rate, fade=0.02)  # shorter than the fade
    assert not short.numbers[-1].any()


def test_sounds_of_recordings_fade(tmp_path):
    channel = Channel("sound", unit="m/s", dims=("channel",), shape=(1,), rate=8000.0)
    rec = Recording.from_arrays({"sound": (channel, np.ones((4000, 1)))})
    heard = write_sound(rec, tmp_path / "ends.wav")
    assert heard.numbers[-1] == 0
    assert (heard.numbers[:-160] == 32767).all()
    assert (write_sound(rec, tmp_path / "plain.wav", fade=0.0).numbers == 32767).all()
