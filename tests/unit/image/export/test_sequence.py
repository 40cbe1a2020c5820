"""Sequences of PLY and OBJ files, read back by other libraries: places, triangles, colors and velocities."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from motiform.base.errors import InputError
from motiform.form import Form, LinkParts, MatterSurface, Part, Skin
from motiform.geometry import Ball, Box
from motiform.image.export import export
from motiform.image.export.instants import slopes, triangles_at

TIMES = np.array([0.0, 0.1, 0.25, 0.4])
START, SPEED, FALL = np.array([0.3, 1.0, -0.2]), np.array([1.0, 2.0, 0.5]), np.array([0.0, -9.81, 0.0])


def thrown(times):
    return START + SPEED * times[:, None] + 0.5 * FALL * times[:, None] ** 2


@pytest.fixture(scope="module")
def form():
    """A thrown box, three masses of which one is not there at the end, a link between two of them, a cloth."""
    path, turn = thrown(TIMES)[:, None], np.tile([1.0, 0.0, 0.0, 0.0], (4, 1, 1))
    box = Part("box", Box((0.2, 0.4, 0.6)), np.zeros(3), np.array([0.8, 0.2, 0.1]), path, turn)
    places = path + np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0]])
    places[3, 2] = np.nan
    balls = Part("masses", Ball(0.1), np.zeros(3), np.eye(3), places, np.tile(turn, (1, 3, 1)), points=True)
    rod = LinkParts("rod", places, places, np.array([[0, 1]]), np.array([0.02]), np.array([0.2, 0.2, 0.2]))
    cloth = Skin("cloth", places + 2.0, np.array([[0, 1, 2]]), np.array([0.0, 0.6, 0.0]))
    return Form((box, balls), TIMES, "throw", links=(rod,), skins=(cloth,))


def test_velocities_are_exact_for_constant_acceleration():
    # The parabola through three samples is the motion itself; only rounding is left, ε x/h.
    found = slopes(TIMES, thrown(TIMES)[:, None], TIMES)[:, 0]
    exact = SPEED + FALL * TIMES[:, None]
    assert np.abs(found[1:-1] - exact[1:-1]).max() < 64 * np.finfo(float).eps / 0.1
    ends = 0.5 * 9.81 * np.array([0.1, 0.15])  # a line: the velocity in its middle
    assert np.abs(found[[0, -1]] - exact[[0, -1]]).max(axis=1) == pytest.approx(ends)


def test_ply_of_triangles(form, tmp_path):
    plyfile = pytest.importorskip("plyfile")
    first = export(form, tmp_path / "throw.ply")
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"throw_{k}.ply" for k in ("0001", "0002", "0003", "0004")]
    assert first == files[0]
    for k, file in enumerate(files):
        parts = triangles_at(form, TIMES[k])
        mesh = trimesh.load(file, process=False)
        expected = np.concatenate([part.vertices for part in parts])
        assert np.abs(mesh.vertices - expected).max() < 4e-7 * 4  # 24 bits of numbers below 4 m
        assert len(mesh.faces) == sum(len(part.faces) for part in parts)
        assert mesh.visual.vertex_colors[0].tolist() == [204, 51, 26, 255]
    assert len(trimesh.load(files[3]).faces) < len(trimesh.load(files[2]).faces)  # a mass and the cloth are gone
    rows = plyfile.PlyData.read(files[1])["vertex"]
    speed = np.stack([rows[name] for name in ("vx", "vy", "vz")], axis=1)
    assert np.abs(speed[: len(parts[0].vertices)] - (SPEED + FALL * TIMES[1])).max() < 1e-5
    box = trimesh.load(files[0], process=False).split(only_watertight=True)
    assert max(one.volume for one in box) == pytest.approx(0.2 * 0.4 * 0.6, rel=1e-5)


def test_ply_of_points(form, tmp_path):
    plyfile = pytest.importorskip("plyfile")
    export(form, tmp_path / "m.ply", points=True, rate=5)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3  # 0, 0.2, 0.4 s
    rows = plyfile.PlyData.read(files[1])["vertex"]
    assert len(rows) == 3
    assert [p.name for p in rows.properties] == ["x", "y", "z", "vx", "vy", "vz", "radius", "red", "green", "blue"]
    middle = (thrown(TIMES)[2] - thrown(TIMES)[1]) / 0.15  # between samples points move on lines
    assert [float(rows[name][0]) for name in ("vx", "vy", "vz")] == pytest.approx(middle, rel=1e-5)
    assert rows["radius"].tolist() == pytest.approx([0.1] * 3)
    assert [rows[name].tolist() for name in ("red", "green")] == [[255, 0, 0], [0, 255, 0]]
    assert len(plyfile.PlyData.read(files[2])["vertex"]) == 2
    assert trimesh.load(files[0]).vertices.shape == (3, 3)


def test_obj(form, tmp_path):
    export(form, tmp_path / "throw.obj", rate=2.5)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["throw.mtl", "throw_0001.obj", "throw_0002.obj"]
    scene = trimesh.load(tmp_path / "throw_0001.obj", split_object=True, group_material=False, process=False)
    parts = triangles_at(form, 0.0)
    assert sum(len(mesh.faces) for mesh in scene.geometry.values()) == sum(len(part.faces) for part in parts)
    text = (tmp_path / "throw.mtl").read_text()
    assert "newmtl ccc331a\nKd 0.800000 0.200000 0.101961\n" in text
    assert {line[7:] for line in text.splitlines() if line.startswith("newmtl")} >= {"cff0000", "c009900", "c333333"}


def test_a_surface_moves_as_its_points_and_z_up_is_turned(tmp_path):
    plyfile = pytest.importorskip("plyfile")
    places = np.array([[[0.0, 0, 1], [3.0, 0, 1]], [[0.0, 0, 2], [3.0, 0, 3]]])
    water = MatterSurface("water", places, np.full(2, 0.2), 2.0, 0.1, np.array([0.1, 0.3, 0.8]))
    form = Form((), np.array([0.0, 1.0]), up=(0.0, 0.0, 1.0), surfaces=(water,))
    export(form, tmp_path / "w.ply")
    rows = plyfile.PlyData.read(tmp_path / "w_0001.ply")["vertex"]
    far = rows["x"] > 1.5
    assert set(rows["vy"][far].tolist()) == {2.0}
    assert set(rows["vy"][~far].tolist()) == {1.0}
    assert abs(rows["y"].mean() - 1.0) < 0.05
    assert len(plyfile.PlyData.read(export(form, tmp_path / "p.ply", points=True))["vertex"]) == 2


def test_what_is_refused(form, tmp_path):
    (tmp_path / "throw_0002.ply").write_bytes(b"precious")
    with pytest.raises(InputError, match="exists already"):
        export(form, tmp_path / "throw.ply")
    assert [file.name for file in tmp_path.iterdir()] == ["throw_0002.ply"]
    with pytest.raises(InputError, match="points need a PLY file"):
        export(form, tmp_path / "a.obj", points=True)
    with pytest.raises(InputError, match="no points"):
        export(replace(form, parts=form.parts[:1]), tmp_path / "a.ply", points=True)
    export(form, tmp_path / "throw.ply", overwrite=True)
    assert (tmp_path / "throw_0002.ply").read_bytes().startswith(b"ply\n")
