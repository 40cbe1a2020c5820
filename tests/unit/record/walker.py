"""A small run with everything a recording holds: used in this process and as one to be killed.

python walker.py PATH STEPS: begins or resumes, prints "ready" and goes.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from motiform.record import Channel, Recorder, Recording, open_recording

CHANNELS = [
    Channel("walk", unit="m", dims=("axis",), shape=(3,), rate=100.0, start=1.0),
    Channel("count", rate=50.0, start=1.0, dtype="int32"),
    Channel("turn", unit="rad", description="at times of its own"),
]
STATICS = {"mesh": np.arange(12.0).reshape(4, 3), "seed": np.int64(7)}
MANIFEST = {"title": "walker", "seed": 7, "limit": float("inf")}
CHUNK = 200  # bytes: 8 samples of walk, 25 of turn, 50 of count


def begin(path: Path | None, *, overwrite: bool = False) -> Recorder:
    return Recorder(path, CHANNELS, manifest=MANIFEST, statics=STATICS, overwrite=overwrite, chunk_bytes=CHUNK)


def step(recorder: Recorder, k: int, x: np.ndarray, rng: np.random.Generator) -> None:
    x += rng.normal(size=3)
    blocks = {"walk": x[None], "turn": rng.normal(size=2)}
    if k % 2 == 0:
        blocks["count"] = np.array([k], dtype=np.int32)
    recorder.append(blocks, 1.0 + k / 100 + np.array([0.0, rng.uniform(0, 0.01)]))
    if k % 7 == 3:
        recorder.event(1.0 + k / 100, "mark", k=k)


def go(recorder: Recorder, steps: int, *, every: int = 3, force: bool = True, ready: bool = False) -> Recording:
    """Walk to the end from the recorder's checkpoint, or from the beginning."""
    rng, x, first = np.random.default_rng(7), np.zeros(3), 0
    if recorder.checkpoint is not None:
        first, x = recorder.checkpoint["k"], recorder.checkpoint["x"]
        rng.bit_generator.state = recorder.checkpoint["rng"]
    if ready:
        print("ready", flush=True)
    with recorder:
        for k in range(first, steps):
            step(recorder, k, x, rng)
            if (k + 1) % every == 0:
                recorder.commit({"k": k + 1, "x": x, "rng": rng.bit_generator.state}, force=force)
    return recorder.finish()


def quick_folder() -> tempfile.TemporaryDirectory:
    """A folder in memory where there is one: syncing thousands of small files to a busy disk takes minutes."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)


def content(path: Path) -> dict[str, bytes]:
    """Every file but the commit, whose number tells how often it was written."""
    files = (file for file in sorted(path.rglob("*")) if file.is_file() and file.name != "commit.json")
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


if __name__ == "__main__":
    there = Path(sys.argv[1])
    if there.exists() and open_recording(there).complete:
        print("ready", flush=True)
    else:
        go(Recorder.resume(there, discard=True) if there.exists() else begin(there), int(sys.argv[2]), ready=True)
