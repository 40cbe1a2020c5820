"""Peak memory of what shows a large recording, each in a process of its own.

python tests/soak/memory.py [--size MB] [--points N] [--task NAME] [--json]

The recording is of points that move, of a body, and of links between points. It is written block by block.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TASKS = {
    "nothing": "pass",
    "picture": "picture(dress(rec), out / 'a.png', size=(320, 180), samples_per_pixel=1)",
    "film": "film(dress(rec), out / 'a.mp4', size=(320, 180), samples_per_pixel=1, frames=out / 'f', speed=n / 500)",
    "strobe": "picture(strobe(dress(rec), 5), out / 'b.png', size=(320, 180), samples_per_pixel=1)",
    ".glb": "export(rec, out / 'a.glb')",
    ".gltf": "export(rec, out / 'a.gltf')",
    ".x3d": "export(rec, out / 'a.x3d')",
    ".x3d, 30 Hz": "export(rec, out / 'a30.x3d', rate=30)",
    ".usdc, 30 Hz": "export(rec, out / 'a30.usdc', rate=30)",
    ".csv": "export(rec, out / 'a.csv')",
    "studio": "studio = Studio(port=0); studio.begin(rec, None); [studio.view.draw(k) for k in range(0, n, n // 50)]",
    "whole": "[np.asarray(rec[name], float) for name in rec]",
}
"""What is done with a recording; the last one shows what it takes to hold it."""

_CHILD = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
from motiform.form import dress, strobe
from motiform.image import film, picture
from motiform.image.export import export
from motiform.record import open_recording
{more}
rec, out = open_recording(sys.argv[1]), Path(sys.argv[2])
n, begun = rec.count("grains"), time.process_time()
{task}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([peak * (1 if sys.platform == "darwin" else 1024), time.process_time() - begun]))
"""


def write(path: Path, size: float, points: int = 400, rate: float = 500.0) -> None:
    """Write a recording of so many bytes."""
    from motiform.form import Looks
    from motiform.form.looks import ColorBy, LinksLook, PointsLook, ShapeLook
    from motiform.geometry import Box
    from motiform.record import Channel, Recorder

    pairs = np.stack([np.arange(0, 20), np.arange(1, 21)], axis=1)
    looks = Looks({
        "grains": PointsLook(points="grains", radius=0.05, color=ColorBy(channel="grains", axis=1), matter=True),
        "links": LinksLook(links=("grains", "grains"), pairs=pairs, radius=0.02),
        "box": ShapeLook(
            shape=Box((1, 1, 1)), color=(0.5, 0.5, 0.5), position="box.position", orientation="box.orientation"
        ),
    })  # fmt: skip
    shapes = {"grains": (points, 3), "box.position": (3,), "box.orientation": (4,)}
    channels = [
        Channel(name, unit="m", dims=("point", "axis")[-len(shape) :], shape=shape, rate=rate)
        for name, shape in shapes.items()
    ]
    count = int(size / sum(channel.sample_bytes for channel in channels))
    draw = np.random.default_rng(7)
    at = draw.uniform(0, 5, (points, 3))
    with Recorder(path, channels, manifest={"title": "large", **looks.manifest()}, statics=looks.statics()) as recorder:
        for first in range(0, count, 500):
            time = np.arange(first, min(first + 500, count)) / rate
            wave = 0.3 * np.sin(time[:, None, None] + at)
            turn = np.stack([np.cos(time), np.sin(time), 0 * time, 0 * time], axis=1)
            recorder.append({"grains": at + wave, "box.position": wave[:, 0], "box.orientation": turn})


def measure(path: Path, task: str) -> tuple[float, float]:
    """Return the peak of the memory of a task [byte] and its processor time [s]."""
    more = "from motiform.studio import Studio" if task == "studio" else ""
    code = _CHILD.format(task=TASKS[task], more=more)
    with tempfile.TemporaryDirectory(dir=path.parent) as out:
        ran = subprocess.run([sys.executable, "-c", code, path, out], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    last = next(line for line in reversed(ran.stdout.splitlines()) if line.startswith("["))
    peak, seconds = json.loads(last)
    return peak, seconds


def main() -> None:
    """Print the peak of each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=700.0, help="of the recording [MB]")
    parser.add_argument("--points", type=int, default=400)
    parser.add_argument("--task", choices=TASKS, action="append")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        path = Path(folder) / "large.mf"
        write(path, 1e6 * given.size, given.points)
        for task in given.task or TASKS:
            peak, seconds = found[task] = measure(path, task)
            if not given.json:
                print(f"{task:14} {peak / 1e6:7.0f} MB {seconds:7.1f} s", flush=True)
    if given.json:
        print(json.dumps({"MB": given.size, "peak": found}))


if __name__ == "__main__":
    main()
