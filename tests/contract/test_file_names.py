"""Names that the system refuses, and places that cannot be written: each ends with an error of motiform."""

import os

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import MotiformError
from motiform.geometry import Mesh, write_mesh
from motiform.geometry.maps import Grid
from motiform.measure import Volume, read_correspondence, read_sto, read_subjects, write_markers, write_volume
from motiform.motion.postures import read_normative
from motiform.record import Channel, Recording, open_recording, read_csv

READERS = (open_recording, read_csv, read_sto, read_subjects, read_correspondence, read_normative, mf.read_markers,
           mf.read_mesh, mf.read_volume, mf.read_urdf, mf.read_osim, mf.load_scene)  # fmt: skip


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["a" * 300, "x/" * 3000, "\ud800", "\0", "", "file/x", "loop"])
def test_names_that_cannot_be_read(tmp_path, monkeypatch, read, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    os.symlink("loop", tmp_path / "loop")
    for ending in ("", ".csv", ".obj", ".nii"):
        with pytest.raises(MotiformError):
            read(name + ending)


def writers():
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = Mesh(corners, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(4, 3), rate=10.0)
    rec = Recording.from_arrays({"markers": (channel, corners[None])}, manifest={"labels": {"marker": list("abcd")}})
    volume = Volume(np.ones((2, 2, 2)), Grid(origin=np.zeros(3), spacing=np.full(3, 1e-3), shape=(2, 2, 2)))
    return {
        ".stl": lambda path: write_mesh(mesh, path), ".trc": lambda path: write_markers(rec, path),
        ".nrrd": lambda path: write_volume(volume, path), ".csv": lambda path: mf.export(rec, path),
        ".mf": rec.save,
    }  # fmt: skip


@pytest.mark.parametrize("ending", writers())
@pytest.mark.parametrize("name", ["a" * 300, "\ud800", "\0", "file/x", "loop/x", "/proc/x"])
def test_places_that_cannot_be_written(tmp_path, monkeypatch, ending, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    os.symlink("loop", tmp_path / "loop")
    with pytest.raises(MotiformError):
        writers()[ending](name + ending)
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


@pytest.mark.parametrize("read", [mf.read_markers, read_subjects, read_correspondence, read_normative, read_csv])
def test_cells_beyond_the_limit_of_tables(tmp_path, read):
    (tmp_path / "a.csv").write_text('time [s],"' + "a" * 200_000 + '",b,c\n0,1,2,3\n')
    with pytest.raises(MotiformError):
        read(tmp_path / "a.csv")
