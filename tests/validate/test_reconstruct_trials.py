"""Real trials read, calibrated and reconstructed: distances that are known to be reachable, and plates that agree."""

import os
from pathlib import Path

import numpy as np
import pytest

import motiform
from motiform.motion.postures import Priors, calibrate

DATA = os.environ.get("MOTIFORM_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="MOTIFORM_DATA is not set: the real trials are not here")
pytestmark = needs_data

PLUG_IN = {  # tag of Human36 on each side, and the marker of the Plug-in gait set that lies nearest to it
    "digit2": "TOE", "calcaneous_post": "HEE", "metatarsal_pha5": "MT5", "lateral_malleolus": "ANK",
    "femoral_lateral_epicn": "KNE", "iliocristale": "FWT", "acromion": "SHO", "humeral_lateral_epicn": "ELB",
    "radial_styloid": "WRA", "dactylion": "FIN",
}  # fmt: skip


def correspondence(figure):
    found = {f"{side.lower()}_{tag}": side + name for tag, name in PLUG_IN.items() for side in "RL"}
    found |= {"substernale": "STRN", "suprasternale": "CLAV", "cervicale": "C7"}
    return {tag: found.get(tag, "-1") for tag in figure.tag_names}


@pytest.fixture(scope="module")
def cmu():
    figure = motiform.figures.human36(height=1.75, mass=75.0)
    markers = motiform.read_markers(Path(DATA) / "mocap" / "cmu_02_05.c3d", up="auto")
    return figure, markers, correspondence(figure)


def test_whole_body_trial(cmu):
    """1854 samples of 120 Hz. Skin moves over bones by some millimetres to 2 cm [Leardini05]: after calibration the
    23 markers lie 5 mm from their tags; before it, on a figure of average size, some centimetres."""
    figure, markers, names = cmu
    before = motiform.reconstruct(figure, markers, correspondence=names)
    sized = calibrate(figure, markers, correspondence=names, priors=Priors(tag_sd=0.03), symmetric=True)
    after = motiform.reconstruct(sized.figure, markers, correspondence=names)
    summary = after.manifest["reconstruct"]
    assert summary["rms"] < 0.007
    assert summary["rms"] < 0.3 * before.manifest["reconstruct"]["rms"]
    assert set(summary["per_marker"]) == {tag for tag, name in names.items() if name != "-1"}
    assert (after["status"] == 0).mean() > 0.99
    assert np.isfinite(after["q"]).all()
    # two limbs: neither knee bends forward by more than rounding of its axis, both bend by a radian somewhere
    for side in ("right", "left"):
        knee = after["q"][:, sized.figure.coordinates.index(f"{side}_knee_extension")]
        assert knee.max() < 0.35
        assert knee.min() < -0.7


@pytest.mark.parametrize("name", ["walking5.c3d", "std_walking.trc"])
def test_files_of_a_laboratory(name):
    """Markers of a known set: a figure without its names gets them, and is calibrated, as by the command."""
    path = Path(DATA) / "mocap" / name
    if not path.exists():
        found = sorted(Path(DATA, "mocap").glob(Path(name).stem + "*" + Path(name).suffix))
        path = found[0]
    markers = motiform.read_markers(path)
    rec = motiform.reconstruct(motiform.figures.human36(), markers)
    assert "markers" in rec.manifest["taken"]
    assert rec.manifest["reconstruct"]["rms"] < 0.008  # skin moves by about as much over bones
    assert not rec.manifest["reconstruct"]["doubts"]
