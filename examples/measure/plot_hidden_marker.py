"""How long may a marker be occluded?
==================================

A man swings his legs and arms once a second, and cameras record a marker on his right ankle a hundred times a second,
but for a while it is occluded. A cubic spline through the measured samples fills the gap. Between two samples h apart
its error is at most

    h⁴/384 max|x⁗|

if its slopes at both ends are known, which the samples around a long gap determine. So a gap twice as long has sixteen
times the error: here a tenth of a second costs a quarter of a millimetre, half a second a decimetre.

The trial is written to a file in millimetres with z up, as in many laboratories, and read back.
"""

import tempfile
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import figures, measure
from motiform.image import show_pictures
from motiform.record import Channel, Recording

RATE, SECONDS = 100, 4  # 1/s, s
GAPS = (5, 9, 12, 18, 26, 38, 49)  # samples
MARKER = "r_lateral_malleolus"


def swing(man, t):
    """Return the markers of a man who swings his limbs (samples, markers, 3) [m]."""
    w = 2 * np.pi * t
    moves = {"right_hip_flexion": 0.5 * np.sin(w), "right_knee_extension": -0.5 - 0.4 * np.sin(w + 1)}
    moves |= {"left_hip_flexion": -0.5 * np.sin(w), "left_shoulder_flexion": 0.4 * np.sin(w)}
    q = np.zeros((len(t), len(man.coordinates)))
    for name, values in moves.items():
        q[:, man.coordinates.index(name)] = values
    return mf.tags(man, q)


def as_recording(points, names):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], rate=RATE)
    return Recording.from_arrays({"markers": (channel, points)}, manifest={"labels": {"marker": list(names)}})


def main(quick=False):
    man = figures.human36()
    t = np.arange(SECONDS * RATE) / RATE
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "swing.trc"
        y_up = as_recording(swing(man, t), man.tag_names)
        measure.write_trc(measure.move(y_up, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], np.zeros(3), up="z"), file)
        rec = measure.read_markers(file, up="auto")
    truth = rec["markers"][:, measure.marker_names(rec).index(MARKER)]
    starts = range(100, 200, 10 if quick else 2)
    worst, examples = [], {}
    for gap in GAPS:
        copies = np.repeat(truth[:, None], len(starts), axis=1)
        for k, start in enumerate(starts):
            copies[start : start + gap, k] = np.nan
        filled = measure.fill_gaps(as_recording(copies, [f"at {k}" for k in starts]), longest=1.0)
        errors = np.abs(filled["markers"] - truth[:, None]).max((0, 2))
        worst.append(errors.max())
        examples[gap] = starts[errors.argmax()], filled["markers"][:, errors.argmax()]
    return {"rec": rec, "t": t, "truth": truth, "worst": np.array(worst), "examples": examples}


def bound(truth):
    """Return h⁴/384 max|x⁗| for each gap [m], the fourth derivative by Fourier: the motion has a period of a second."""
    second = truth[:RATE]
    w = 2 * np.pi * np.fft.fftfreq(RATE, 1 / RATE)
    w[np.abs(w) > 2 * np.pi * 15] = 0.0  # nothing but rounding is there
    fourth = np.fft.ifft(w[:, None] ** 4 * np.fft.fft(second, axis=0), axis=0).real
    return ((np.array(GAPS) + 1) / RATE) ** 4 / 384 * np.abs(fourth).max()


def check(result):
    assert result["rec"].manifest["turned_from"] == "z"
    assert measure.find_gaps(result["rec"]).rows == ()
    worst, most = result["worst"], bound(result["truth"])
    long = np.array(GAPS) >= 12  # the samples beside it are then 13 times closer than its ends
    assert (worst[long] <= 1.1 * most[long]).all()
    assert (worst[long] >= 0.3 * most[long]).all()  # the bound is no idle one
    slope = np.polyfit(np.log(np.array(GAPS) + 1), np.log(worst), 1)[0]
    assert 3.5 < slope < 4.2
    assert 0.2e-3 < worst[GAPS.index(9)] < 0.3e-3  # m, of a tenth of a second
    assert 0.08 < worst[GAPS.index(49)] < 0.11  # m, of half a second


def draw(result, folder):
    chart = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    t, truth, gap = result["t"], result["truth"], GAPS[-2]
    start, filled = result["examples"][gap]
    left.plot(t, 100 * truth[:, 0], color="#0072B2", label="ankle")
    hidden = slice(start - 1, start + gap + 1)
    left.plot(t[hidden], 100 * filled[hidden, 0], color="#D55E00", linestyle="--", label="filled")
    left.axvspan(t[start - 1], t[start + gap], color="#999999", alpha=0.2, linewidth=0, label="hidden")
    left.set(xlabel="time [s]", ylabel="forward [cm]", xlim=(0.7, 2.7))
    right.loglog((np.array(GAPS) + 1) / RATE, 1000 * result["worst"], "o", color="#D55E00", label="largest error")
    right.loglog((np.array(GAPS) + 1) / RATE, 1000 * bound(truth), color="#555555", linewidth=1, label="h⁴/384 max|x⁗|")
    right.set(xlabel="length of the gap [s]", ylabel="error [mm]")
    right.set_xticks([0.06, 0.1, 0.2, 0.3, 0.5], ["0.06", "0.1", "0.2", "0.3", "0.5"])
    right.set_xticks([], minor=True)
    for axes in (left, right):
        axes.legend(frameon=False)
        axes.grid(alpha=0.25)
    chart.savefig(folder / "hidden_marker.png", dpi=150)
    return [folder / "hidden_marker.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
