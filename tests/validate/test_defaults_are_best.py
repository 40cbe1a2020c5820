"""Real trials with default options: no other options find postures nearer to the markers."""

import os
from pathlib import Path

import numpy as np
import pytest

from motiform import figures, read_markers, reconstruct
from motiform.measure import marker_names
from motiform.motion.postures import Fit, calibrate
from motiform.record import Recording

DATA = os.environ.get("MOTIFORM_DATA")
pytestmark = [
    pytest.mark.skipif(not DATA, reason="MOTIFORM_DATA is not set: the real trials are not here"),
    pytest.mark.slow,
]
SITES = {
    "ASI": "asis", "PSI": "psis", "LFC": "lateral_knee", "MFC": "medial_knee", "LMAL": "lateral_malleolus",
    "MMAL": "medial_malleolus", "CAL": "heel", "MT1": "metatarsal1", "MT2": "metatarsal5", "MT5": "metatarsal5",
    "TOE": "metatarsal1", "TH1": "thigh", "TH2": "thigh", "TH3": "thigh_front", "TB1": "shank", "TB2": "shank",
    "TB3": "shank_front", "ACR": "acromion", "LEL": "lateral_elbow", "MEL": "medial_elbow",
}  # fmt: skip
TRUNK = {"C7": "c7", "T10": "t10", "CLAV": "clavicle", "STRN": "sternum"}
FILES = ("cmu_02_05.c3d", "dataWithBlanksForMissingMarkers.trc", "dataWithNaNsWithSpaces.trc",
         "std_walking2_markers.trc", "std_walking5_markers.trc", "walking5.c3d")  # fmt: skip
NEAR = 1e-4  # m: a tenth of what cameras tell; postures of one minimum agree to far less


def sites_of(names):
    """Return where the markers of a file are: the set of CMU, or one of those above."""
    if "RFWT" in names:
        return "cmu-41"
    sided = {f"{s}{name}": f"{s.lower()}_{site}" for s in "RL" for name, site in SITES.items()}
    return {name: site for name, site in (sided | TRUNK).items() if name in names}


def turned_round(rec):
    """Return the trial from its end to its beginning."""
    own = rec.channel("markers")
    times = (
        None if own.rate is not None else rec.time("markers")[-1] - rec.time("markers")[::-1] + rec.time("markers")[0]
    )
    return Recording.from_arrays({"markers": (own, rec["markers"][::-1])}, times=times, manifest=rec.manifest)


@pytest.mark.parametrize("name", FILES)
def test_no_option_fits_better(name):
    """Without the search for exchanges, and from the end to the beginning, which begins every sample elsewhere."""
    rec = read_markers(Path(DATA) / "mocap" / name, up="auto")
    seen = np.isfinite(rec["markers"][..., 0]).sum(1)
    times = rec.time("markers")
    good = np.flatnonzero(seen >= 0.5 * seen.max())[:300]
    rec = rec.slice(times[good[0]], times[good[-1]])
    figure = figures.human36(height=1.78, mass=72.0, markers=sites_of(marker_names(rec)))
    figure = calibrate(figure, rec, frames=15).figure
    found = reconstruct(figure, rec)
    kept = found["status"] == 0
    for event in found.events:  # what was put right is not what the others see
        if event.name.startswith(("swapped: ", "left out: ")):
            kept &= ~((found.time("q") >= event.time - 1e-9) & (found.time("q") <= event.detail["until"] + 1e-9))
    plain = reconstruct(figure, rec, fit=Fit(swaps=False))["error.rms"]
    back = reconstruct(figure, turned_round(rec))["error.rms"][::-1]
    assert kept.mean() > 0.9
    for other in (plain, back):
        assert (found["error.rms"][kept] - other[kept]).max() < NEAR
