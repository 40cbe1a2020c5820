"""Every reader refuses pipes and devices at once: the one waits for a writer, the other never ends."""

import os
import signal

import pytest

import motiform as mf
from motiform import actuation, measure
from motiform.base.errors import MotiformError
from motiform.form import read_rig

READERS = {
    "markers": (mf.read_markers, "trc"),
    "markers of C3D": (mf.read_markers, "c3d"),
    "MJCF": (mf.read_mjcf, "xml"),
    "URDF": (mf.read_urdf, "urdf"),
    "OpenSim": (mf.read_osim, "osim"),
    "mesh": (mf.read_mesh, "stl"),
    "seeds": (measure.read_seeds, "toml"),
    "volume": (measure.read_volume, "nrrd"),
    "table": (mf.record.read_csv, "csv"),
    "trajectory": (actuation.read_traj3, "traj3"),
    "rig": (read_rig, "glb"),
    "scene": (mf.load_scene, "toml"),
    "recording": (mf.open_recording, "mf"),
}


@pytest.fixture
def alarm():
    """End a read that waits."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are Unix's")
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("reader", READERS)
def test_readers_refuse_what_is_no_plain_file(reader, kind, tmp_path, alarm):
    read, ending = READERS[reader]
    place = tmp_path / f"given.{ending}"
    os.mkfifo(place) if kind == "pipe" else os.symlink("/dev/zero", place)
    with pytest.raises(MotiformError):
        read(str(place))
