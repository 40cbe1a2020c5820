r"""What is the contour of a wire mesh?
====================================

An object has no contour of its own: it has one for whoever touches it. Where the force f on a probe is above what the
probe can tell, c(x) = 1, elsewhere 0; the boundary of this is the contour of the object for that probe [Habibi97
§5.3.1]. Wires 2 mm thick and 6 mm apart are a mesh for a needle, and a plate for a finger.

The spectrum of c tells two things of a contour [Habibi97 fig. 5.5]: its lowest frequency falls as it becomes larger,
its highest rises as it becomes rough. Four blobs, small and large, smooth and spiky, have the four spectra of the
figure. The highest is the perimeter P over the area A: what lies beyond K is P/(2π² K) of A. Checked: doubling a blob
halves both; spikes raise the highest alone; a probe that is wider than the gaps closes them.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import label
from scipy.spatial import cKDTree

from motiform.image import show_pictures
from motiform.motion.matter.coupling import contour_band

SIDE, COUNT = 0.24, 600  # m, of the field; points of the grid along it
GAP, WIRE = 6e-3, 2e-3  # m: from wire to wire, across a wire
STIFF, FELT = 2000.0, 0.05  # N/m of the buffer of the probe; N that it can tell
PROBES = {"needle": 2.5e-4, "finger": 8e-3}  # m: radius
SHARE = 0.02
BLOBS = {"a: small, smooth": (0.02, 0.0), "b: small, spiky": (0.02, 0.25), "c: large, smooth": (0.04, 0.0),
         "d: large, spiky": (0.04, 0.25)}  # fmt: skip
SPIKES = 12


def grid():
    x = (np.arange(COUNT) + 0.5) / COUNT * SIDE - 0.5 * SIDE
    return np.stack(np.meshgrid(x, x, indexing="ij"), -1)


def felt(distance, radius):
    """Return where a probe feels an object at a distance from its middle [m]: k (r − d) is above what it can tell."""
    return STIFF * np.maximum(radius - distance, 0.0) > FELT


def to_wires(places):
    """Return the distance to the wires of a mesh of 60 mm × 60 mm [m]."""
    lines = np.arange(-5, 6) * GAP
    points = [(x, y) for x in lines for y in np.linspace(-0.03, 0.03, 601)]
    tree = cKDTree(np.array(points + [(y, x) for x, y in points]))
    return np.maximum(tree.query(places)[0] - 0.5 * WIRE, 0.0)


def blob(radius, spikes):
    """Return where a needle feels a disc of that radius [m] with spikes, as high as a share of it."""
    places = grid()
    r, turn = np.hypot(places[..., 0], places[..., 1]), np.arctan2(places[..., 1], places[..., 0])
    edge = radius * (1 + spikes * np.cos(SPIKES * turn)) / np.sqrt(1 + 0.5 * spikes**2)  # of the same area
    return felt(np.maximum(r - edge, 0.0), PROBES["needle"])


def main(quick=False):
    distance = to_wires(grid())
    return {
        "mesh": {name: felt(distance, radius) for name, radius in PROBES.items()},
        "blobs": {name: blob(*numbers) for name, numbers in BLOBS.items()},
    }


def holes(contour):
    """Return how many pieces the outside has, but for the one all around."""
    return label(~contour)[1] - 1


def check(result):
    assert holes(result["mesh"]["needle"]) == 100  # between 11 wires each way
    assert holes(result["mesh"]["finger"]) == 0  # it is wider than the gaps of 4 mm
    step = SIDE / COUNT
    low, high = np.array([contour_band(c, step, share=SHARE) for c in result["blobs"].values()]).T
    for k in (0, 1):  # the grid tells low frequencies to a step of 1/SIDE
        assert abs(low[k] - 2 * low[k + 2]) < 3 / SIDE
        assert abs(high[k] / high[k + 2] - 2) < 0.15
    assert (high[1::2] > 1.4 * high[::2]).all()
    assert abs(high[2] * np.pi**2 * BLOBS["c: large, smooth"][0] * SHARE - 1) < 0.06  # P/(2π² A s) of a disc


def spectrum(contour):
    """Return frequencies [1/m] and the mean of |C| over directions [m²]."""
    wave = np.hypot(*np.meshgrid(*[np.fft.fftfreq(COUNT, SIDE / COUNT)] * 2))
    size = np.abs(np.fft.fft2(contour)) * (SIDE / COUNT) ** 2
    ring = np.round(wave * SIDE).astype(int)
    rings = np.arange(1, COUNT // 2)
    return rings / SIDE, (np.bincount(ring.ravel(), size.ravel()) / np.bincount(ring.ravel()))[rings]


def draw(result, folder):
    chart = Figure(figsize=(12, 6.4), layout="constrained")
    axes = chart.subplots(2, 4)
    half = 500 * SIDE
    for place, (name, contour) in zip(axes[0], result["blobs"].items(), strict=True):
        place.imshow(contour.T, cmap="Greys", vmax=2, extent=(-half, half, -half, half))
        place.set(title=name, xlim=(-62, 62), ylim=(-62, 62), xlabel="x [mm]")
    for name, contour in result["blobs"].items():
        shown = axes[1, 0] if name[0] in "ac" else axes[1, 1]
        (line,) = shown.loglog(*spectrum(contour), linewidth=1, label=name)
        for edge in contour_band(contour, SIDE / COUNT, share=SHARE):
            shown.axvline(edge, color=line.get_color(), linestyle="--", linewidth=0.8)
    for shown in axes[1, :2]:
        shown.set(xlabel="spatial frequency [1/m]", ylim=(1e-8, 1e-2))
        shown.legend(frameon=False, fontsize=8)
    axes[1, 0].set_ylabel("|C| [m²]")
    for place, (name, contour) in zip(axes[1, 2:], result["mesh"].items(), strict=True):
        place.imshow(contour.T, cmap="Greys", vmax=2, extent=(-half, half, -half, half))
        place.set(title=f"a wire mesh for a {name}", xlim=(-45, 45), ylim=(-45, 45), xlabel="x [mm]")
    chart.savefig(folder / "contours.png", dpi=110)
    return [folder / "contours.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
