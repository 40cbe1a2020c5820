"""Pictures, plots and films that were cut or damaged are not taken for those that were made."""

import subprocess

import numpy as np
import pytest

from motiform.image import plot_channels
from motiform.image.exr import write_exr
from motiform.image.films import encoder
from motiform.image.png import write_png
from motiform.image.stamp import NAME, append_checksum, read_stamp
from motiform.record import Channel, Recording

KEY = "0123456789abcdef" * 4
PIXELS = np.linspace(0, 255, 16 * 16 * 3).reshape(16, 16, 3).astype(np.uint8)


def made(path):
    """Write a file of a kind with a key."""
    if path.suffix == ".png":
        write_png(PIXELS, path, key=KEY)
    elif path.suffix == ".exr":
        write_exr(PIXELS / 255.0, path, notes={NAME: KEY})
        append_checksum(path)
    elif path.suffix == ".mp4":
        with encoder(path, (16, 16), 10, key=KEY) as send:
            for _ in range(3):
                send(PIXELS)
    else:
        channel = Channel("x", unit="m", dims=(), shape=(), rate=10.0)
        plot_channels(Recording.from_arrays({"x": (channel, np.arange(3.0))}), ["x"], path=path)
    return path


@pytest.mark.parametrize("ending", ["png", "exr", "svg", "pdf", "mp4"])
def test_a_damaged_file_has_no_key(tmp_path, ending):
    path = made(tmp_path / f"a.{ending}")
    assert len(read_stamp(path)) == 64
    data, draw = path.read_bytes(), np.random.default_rng(3)
    places = [8, len(data) // 2, len(data) - 3, *draw.integers(8, len(data), 8).tolist()]
    damaged = [b"", data[:9], data[: len(data) // 2], data[:-1]]
    damaged += [data[:k] + bytes([data[k] ^ 4]) + data[k + 1 :] for k in places]
    for other in damaged:
        path.write_bytes(other)
        assert read_stamp(path) is None
    path.write_bytes(data)
    assert len(read_stamp(path)) == 64


def test_a_film_with_its_checksum_is_whole_for_ffmpeg(tmp_path):
    from imageio_ffmpeg import get_ffmpeg_exe

    path = made(tmp_path / "a.mp4")
    command = [get_ffmpeg_exe(), "-v", "warning", "-i", str(path), "-f", "null", "-"]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    assert not done.stderr
