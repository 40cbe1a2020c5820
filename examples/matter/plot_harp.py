"""Which tones does a hand pluck from five strings?
================================================

A hand goes down and up across five strings, one above the other. It holds a string within 0.4 mm of its height and lets
it go beyond, as a plectrum does. A string of n masses m and n + 1 springs k has the lowest tone

    sin(π f Te) = Te √(k/m) sin(π/(2(n + 1))),

exact for the scheme at steps of Te = 1/44 100 s [Habibi97 1.6]. The strings are tuned by their masses. The check: each
tone is in the sound where the formula has it, to the width of a bin, and is above all that is between them.

`motiform view --live harp` lets the user move the hand by mouse, MIDI or OSC, and hear the strings.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

RATE, STIFFNESS, COUNT = 44100.0, 10000.0, 40  # Hz, N/m, masses of a string


def main(quick=False):
    return mf.simulate("harp", settings={"scene.duration": 1.6 if quick else 2.4})


def tones():
    """Return the lowest tones of the strings [Hz]."""
    mass = np.array([one.mass for one in mf.load_scene("harp").document.network[0].masses])
    return RATE / np.pi * np.arcsin(np.sqrt(STIFFNESS / mass) / RATE * np.sin(np.pi / (2 * (COUNT + 1))))


def spectrum(rec):
    """Return frequencies [Hz] and magnitudes of the sound."""
    heard = rec["sound"][:, 0]
    return np.fft.rfftfreq(len(heard), 1 / RATE), np.abs(np.fft.rfft(heard * np.hanning(len(heard))))


def check(rec):
    frequency, size = spectrum(rec)
    width, expected = frequency[1], tones()
    assert np.allclose(expected, (146.8, 185.0, 220.0, 277.2, 329.6), rtol=2e-3)  # d, f sharp, a, c sharp, e
    for tone in expected:
        near = np.abs(frequency - tone) < 12
        # Hann's window is two bins wide to each side, and a string is plucked twice: its phases move the top by a bin
        assert abs(frequency[near][np.argmax(size[near])] - tone) < 2 * width
    between = 0.5 * (expected[1:] + expected[:-1])
    quiet = [size[np.abs(frequency - one) < 5].max() for one in between]
    loud = [size[np.abs(frequency - one) < 5].max() for one in expected]
    assert max(quiet) < 0.2 * min(loud)


def draw(rec, folder):
    path = picture(dress(rec), folder / "harp.png", time=0.5, size=(1200, 800))
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    axes = chart.subplots()
    frequency, size = spectrum(rec)
    axes.plot(frequency, size / size.max(), color="#0072B2", linewidth=0.8, label="sound")
    for tone in tones():
        axes.axvline(tone, color="#D55E00", linewidth=1, linestyle="--", label="formula" if tone < 150 else None)
    axes.set(xlabel="frequency [Hz]", ylabel="magnitude", xlim=(100, 700))
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    chart.savefig(folder / "harp_tones.png", dpi=150)
    return [path, folder / "harp_tones.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
