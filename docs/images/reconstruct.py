"""Make reconstruct.png: a figure, markers measured with 15 mm of noise, and the lines between the two."""

from pathlib import Path

import imageio.v3 as iio
import numpy as np

from motiform import figures, reconstruct
from motiform.form import dress
from motiform.image import Camera, render
from motiform.motion.tree import tags
from motiform.record import Channel, Recording

HERE = Path(__file__).parent
POSTURES = (("right_hip_flexion", 0.5), ("left_knee_extension", -0.6), ("right_shoulder_flexion", 0.7),
            ("right_elbow_flexion", 1.2), ("left_elbow_flexion", 0.9), ("left_shoulder_abduction", 0.5))  # fmt: skip


def main() -> None:
    """Fit the figure to its own tags with noise, and draw three instants."""
    body = figures.human36(1.78, 72.0)
    swing = np.sin(np.linspace(0, np.pi, 61))[:, None]
    q = body.neutral() + swing * body.velocity(**dict(POSTURES))
    seen = tags(body, q) + np.random.default_rng(3).normal(0, 0.015, (len(q), len(body.tags), 3))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=seen.shape[1:], rate=60.0)
    markers = Recording.from_arrays(
        {"markers": (channel, seen)}, manifest={"labels": {"marker": list(body.tag_names)}, "up": "y"}
    )
    form = dress(reconstruct(body, markers))
    pictures = []
    for sample in (0, 15, 30):
        camera = Camera.framing(form, (1.0, 0.25, 0.8), aspect=0.75)
        pictures.append(render(form, sample, camera=camera, size=(330, 440), samples_per_pixel=32))
    iio.imwrite(HERE / "reconstruct.png", np.concatenate(pictures, axis=1))


if __name__ == "__main__":
    main()
