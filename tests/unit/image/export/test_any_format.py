"""The door of all formats: by suffix, atomically, never over another file."""

import errno

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.geometry import Ball
from motiform.image.export import SUFFIXES, export
from motiform.image.files import new_file
from motiform.record import Channel, Recording, read_csv
from motiform.spatial import exp_quaternion


def recording(samples=50):
    times = np.arange(samples) / 100
    position = np.stack([times, times**2, 0 * times], axis=1)
    orientation = exp_quaternion(times[:, None] * np.array([0.0, 3.0, 0.0]))
    return Recording.from_arrays(
        {
            "ball.position": (Channel("ball.position", "m", ("axis",), (3,), 100.0), position),
            "ball.orientation": (Channel("ball.orientation", "", ("quaternion",), (4,), 100.0), orientation),
        },
        manifest={
            "title": "Ball",
            "form": {
                "ball": {
                    "shape": Ball(0.2).describe(),
                    "position": "ball.position",
                    "orientation": "ball.orientation",
                    "offset": [0, 0, 0],
                    "color": [0.1, 0.2, 0.3],
                }
            },
        },
    )


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".x3d", ".csv", ".GLB"])
def test_recordings_are_dressed_and_files_never_replaced_unasked(tmp_path, suffix):
    path = tmp_path / f"ball{suffix}"
    assert export(recording(), str(path)) == path
    first = path.read_bytes()
    with pytest.raises(InputError, match=r"exists.*overwrite"):
        export(recording(20), path)
    assert path.read_bytes() == first
    export(recording(20), path, overwrite=True)
    assert len(path.read_bytes()) < len(first)
    assert list(tmp_path.iterdir()) == [path]


def test_csv_holds_the_channels_at_the_rate(tmp_path):
    rec = recording()
    back = read_csv(export(rec, tmp_path / "all.csv"))
    np.testing.assert_array_equal(back["ball.position"], rec["ball.position"])
    fewer = read_csv(export(rec, tmp_path / "few.csv", rate=10))
    # 0 to 0.49 s at 10 Hz
    np.testing.assert_allclose(fewer["ball.position"][:, 0], np.arange(5) / 10, atol=1e-12)


def test_wrong_input_is_reported(one, tmp_path):
    with pytest.raises(InputError, match=r"unknown format.*Did you mean '\.glb'"):
        export(recording(), tmp_path / "a.glbb")
    with pytest.raises(InputError, match=", ".join(SUFFIXES).replace(".", r"\.")):
        export(recording(), tmp_path / "a")
    with pytest.raises(InputError, match="Recording or a Form"):
        export([1, 2], tmp_path / "a.glb")
    with pytest.raises(InputError, match="Export the recording"):
        export(one(Ball(1)), tmp_path / "a.csv")
    with pytest.raises(InputError, match="folder"):
        export(recording(), tmp_path / "none" / "a.glb")
    (tmp_path / "b.glb").mkdir()
    with pytest.raises(InputError, match="folder of this name"):
        export(recording(), tmp_path / "b.glb", overwrite=True)


def interrupted(path, error):
    with new_file(path, overwrite=True) as temporary:
        temporary.write_bytes(b"half")
        raise error


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.glb"
    path.write_bytes(b"old")
    with pytest.raises(RunError, match="No space left"):
        interrupted(path, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(KeyboardInterrupt):
        interrupted(path, KeyboardInterrupt())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def overtaken(path):
    with new_file(path) as temporary:
        temporary.write_bytes(b"mine")
        path.write_bytes(b"theirs")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    path = tmp_path / "a.glb"
    with pytest.raises(InputError, match="exists"):
        overtaken(path)
    assert path.read_bytes() == b"theirs"


def test_a_missing_shape_is_reported(tmp_path):
    rec = Recording.from_arrays({"x": (Channel("x", rate=1.0), [1.0])})
    with pytest.raises(InputError, match="no shapes"):
        export(rec, tmp_path / "a.glb")
    assert not list(tmp_path.iterdir())
