"""A trial of the walker: its model file, the figure read from it, and markers."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.reconstruct.model import RATE, walk, write_model
from motiform.motion.tree import Figure
from motiform.record import Recording

__all__ = ["SAMPLES", "Trial", "make_trial"]

SAMPLES = 300
_BESIDE, _NOISE = 0.005, 0.002  # [m]


@dataclass(frozen=True)
class Trial:
    """A model file, the figure read from it, and a trial of its markers."""

    folder: Path
    figure: Figure
    markers: Recording

    def __len__(self) -> int:
        return self.markers.count("markers")

    def distance(self, q: np.ndarray) -> float:
        """Return the root of the mean square distance of all markers [m]."""
        from motiform.motion.tree import tags

        return float(np.sqrt(((tags(self.figure, q) - self.markers["markers"]) ** 2).sum(-1).mean()))


def make_trial(folder: Path, samples: int = SAMPLES, seed: int = 0) -> Trial:
    """Write walker.osim and walk.trc to a folder and return them as read."""
    from motiform.measure import write_trc
    from motiform.motion.tree import tags
    from motiform.motion.tree.read import read_osim
    from motiform.record import Channel

    write_model(folder / "walker.osim")
    figure = read_osim(folder / "walker.osim")
    rng = np.random.default_rng(seed)
    q = figure.neutral() + walk(figure.nv, samples, rng)
    for side in "rl":
        q[:, figure.coordinates.index(f"knee_angle_{side}")] -= 0.6
        q[:, figure.coordinates.index(f"elbow_flex_{side}")] += 0.7
    count = len(figure.tags)
    x = tags(figure, q) + _BESIDE * rng.normal(size=(1, count, 3)) + _NOISE * rng.normal(size=(samples, count, 3))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(count, 3), rate=RATE)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y"}
    markers = Recording.from_arrays([channel], {"markers": x}, manifest=manifest)
    write_trc(markers, folder / "walk.trc")
    return Trial(folder, figure, markers)
