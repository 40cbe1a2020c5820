"""The stage from markers to a motion: names and units of its channels, how it is shown."""

import numpy as np
import pytest

from motiform import figures
from motiform.motion.reconstruct import virtual_markers
from motiform.record.labels import axis_names
from motiform.trials import reconstruct


def test_names_and_units_of_a_reconstruction():
    man = figures.human36(height=1.8)
    q = np.repeat(man.neutral()[None], 5, axis=0)
    rec = reconstruct(man, virtual_markers(man, q, rate=100.0), dynamics=True)
    for name in rec.names:
        channel = rec.channel(name)
        assert None not in axis_names(channel, rec.manifest["labels"]), name
    units = {"q": "rad", "v": "rad/s", "a": "rad/s^2", "std": "rad", "effort": "N m", "power": "W"}
    assert {name: rec.unit(f"{name}.right_knee_extension") for name in units} == units
    assert (rec.unit("a.pelvis_forward"), rec.unit("residual.force_y")) == ("m/s^2", "N")
    assert rec["tags.vertex.y"][0] == pytest.approx(1.8, abs=0.1)
    assert rec["centers_of_mass.whole"].tolist() == rec["center_of_mass"].tolist()
