"""Mesh files and closed meshes: every defect is named with its count and place; no file breaks the reader."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from motiform.base.errors import InputError, MotiformError, RunError, ShapeError
from motiform.geometry import Ball, Box, Mesh, check_closed, merge_vertices, read_mesh, write_mesh

SUFFIXES = ["stl", "obj", "ply", "off", "glb"]
BOX = Box((1.0, 2.0, 3.0)).to_mesh()
ASCII_STL = """solid corner
facet normal 0 0 -1\n outer loop\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n endloop\nendfacet
facet normal 0 -1 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\nendfacet
facet normal -1 0 0\n outer loop\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n endloop\nendfacet
facet normal 1 1 1\n outer loop\n vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n endloop\nendfacet
endsolid corner
"""


# ------------------------------------------------------------------ files


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_round_trip(suffix: str, tmp_path: Path) -> None:
    ball = Ball(0.7).to_mesh(16)
    back = read_mesh(write_mesh(ball, tmp_path / f"ball.{suffix}"))
    assert len(back.vertices) == len(ball.vertices)
    assert len(back.faces) == len(ball.faces)
    # obj and off keep all digits; the others round coordinates to float32 (6e-8 relative), three of them in a volume
    rel = 1e-14 if suffix in ("obj", "off") else 3 * 6e-8
    assert check_closed(back) == pytest.approx(ball.volume, rel=rel)


def test_an_ascii_stl_in_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "corner.STL"
    path.write_text(ASCII_STL)
    mesh = read_mesh(path, scale=1e-3)
    assert mesh.vertices.shape == (4, 3)  # corners joined
    assert mesh.volume == pytest.approx(1e-9 / 6, rel=1e-14)


def test_objects_of_one_file_come_together(tmp_path: Path) -> None:
    path = tmp_path / "two.obj"
    path.write_text(
        "mtllib elsewhere.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        "o a\nusemtl red\nf 1 3 2\nf 1 2 4\no b\nf 1 4 3\nf 2 3 4\n"
    )
    assert read_mesh(path).volume == pytest.approx(1 / 6)


def test_a_gltf_reads_buffers_of_its_folder_alone(tmp_path: Path) -> None:
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    (tmp_path / "secret.bin").write_bytes(positions)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a b.bin").write_bytes(positions)

    def document(uri: str) -> str:
        return json.dumps(
            {
                "asset": {"version": "2.0"},
                "scene": 0,
                "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
                "bufferViews": [{"buffer": 0, "byteLength": 36}],
                "buffers": [{"uri": uri, "byteLength": 36}],
            }
        )

    place = tmp_path / "own" / "a.gltf"
    for inside in ("data:application/octet-stream;base64," + base64.b64encode(positions).decode(), "a%20b.bin"):
        place.write_text(document(inside))
        assert read_mesh(place).faces.shape == (1, 3)
    place.write_text(document("../secret.bin"))
    with pytest.raises(InputError, match="a mesh can read its own folder only"):
        read_mesh(place)
    place.write_text(document("none.bin"))
    with pytest.raises(InputError, match="no such buffer"):
        read_mesh(place)


def test_unused_corners_and_repeated_ones_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "loose.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0.0 0 0\nv 9 9 9\nf 1 2 3\nf 1 4 2\n")
    mesh = read_mesh(path)
    assert mesh.vertices.shape == (3, 3)
    assert mesh.faces.shape == (1, 3)


def test_existing_files_are_kept_unless_overwrite_is_given(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    path.write_bytes(b"precious")
    with pytest.raises(InputError, match=r"the file exists already.*overwrite=True"):
        write_mesh(BOX, path)
    assert path.read_bytes() == b"precious"
    write_mesh(BOX, path, overwrite=True)
    assert read_mesh(path).volume == pytest.approx(6.0)
    assert [p.name for p in tmp_path.iterdir()] == ["box.stl"]


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.stl: the file cannot be read: No such file"):
        read_mesh(tmp_path / "missing.stl")
    with pytest.raises(InputError, match="cannot be read"):
        read_mesh("nul\0.stl")
    with pytest.raises(InputError, match=r"allowed: \.stl, \.obj"):
        read_mesh(tmp_path / "scene.blend")
    with pytest.raises(InputError, match="of this kind cannot be written"):
        write_mesh(BOX, tmp_path / "box.txt")
    with pytest.raises(RunError, match="cannot be written"):
        write_mesh(BOX, tmp_path / "no" / "folder" / "box.stl")
    with pytest.raises(ShapeError, match="scale must be positive"):
        read_mesh(tmp_path / "missing.stl", scale=0)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_truncation_gives_a_mesh_or_a_reason(suffix: str, tmp_path: Path) -> None:
    path = write_mesh(BOX, tmp_path / f"box.{suffix}")
    whole = path.read_bytes()
    for length in sorted({*range(0, 100, 7), *range(0, len(whole), max(len(whole) // 40, 1))}):
        path.write_bytes(whole[:length])
        try:
            mesh = read_mesh(path)
        except MotiformError:
            continue
        assert np.isfinite(mesh.vertices).all()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MotiformError, match=rf"box\.{suffix}|open"):  # half of it is never the body
        check_closed(read_mesh(path))


@pytest.mark.parametrize("suffix", [*SUFFIXES, "gltf"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_bytes_give_a_mesh_or_a_reason(suffix: str, data: Any, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz.{suffix}"
    path.write_bytes(data.draw(st.binary(max_size=300) | st.text(max_size=100).map(str.encode)))
    try:
        mesh = read_mesh(path)
    except MotiformError:
        return
    assert len(mesh.faces) > 0


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_damaged_file_gives_a_mesh_or_a_reason(suffix: str, data: Any, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.getbasetemp() / f"damaged.{suffix}"
    content = bytearray(write_mesh(BOX, path, overwrite=True).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        body = read_mesh(path).mass_properties(density=1.0)
    except MotiformError:
        return
    assert body.mass > 0


def test_a_damaged_file_says_it_once(tmp_path: Path, capfd: Any, caplog: Any) -> None:
    path = tmp_path / "bad.stl"
    path.write_text(ASCII_STL.replace("normal 0 0 -1", "normal 0 x -1"))
    assert read_mesh(path).volume == pytest.approx(1 / 6)  # normals are not used
    path.write_text(ASCII_STL.replace("vertex 0 0 0", "vertex 0 x 0"))
    with pytest.raises(ShapeError, match=r"bad\.stl: the stl file cannot be read"):
        read_mesh(path)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_nan_in_a_binary_stl(tmp_path: Path) -> None:
    path = write_mesh(BOX, tmp_path / "box.stl")
    content = bytearray(path.read_bytes())
    content[84 + 12 : 84 + 16] = np.array([np.nan], "<f4").tobytes()  # the first corner of the first triangle
    path.write_bytes(content)
    with pytest.raises(ShapeError, match=r"box\.stl: vertices: the number at index"):
        read_mesh(path)


# ------------------------------------------------------------------ closed or not


def test_a_sound_mesh_gives_its_volume() -> None:
    assert check_closed(BOX) == pytest.approx(6.0, rel=1e-15)


@pytest.mark.parametrize(
    ("mesh", "text"),
    [
        (
            Mesh(BOX.vertices, BOX.faces[1:]),
            r"mesh: the mesh is open: 3 edges have no partner \(got the first from corner",
        ),
        (Mesh(BOX.vertices, BOX.faces[:1]), "3 edges have no partner"),
        (Mesh(BOX.vertices, BOX.faces[:, ::-1]), r"inside out \(got volume -6 m³"),
        (
            Mesh(BOX.vertices, np.concatenate([BOX.faces[1:], BOX.faces[:1, ::-1]])),
            "winding is inconsistent at 3 edges .*Flip the faces on one side",
        ),
        (
            Mesh(BOX.vertices, np.concatenate([BOX.faces, [[0, 0, 1]]])),
            r"1 face repeats a corner \(got face 12 = \[0, 0, 1\]",
        ),
        (Mesh(BOX.vertices * (1, 1, 0), BOX.faces), r"faces have no area"),
        (Mesh(BOX.vertices[:3], [[0, 1, 2], [0, 2, 1]]), "encloses no volume"),
        (Mesh(np.zeros((3, 3)), [[0, 1, 2], [0, 2, 1]]), "2 faces have no area"),
    ],
    ids=["hole", "one face", "inside out", "twisted", "repeated", "flat", "folded", "point"],
)
def test_defects_are_named_counted_and_placed(mesh: Mesh, text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        check_closed(mesh)
    with pytest.raises(ShapeError):
        mesh.mass_properties(density=1.0)


def test_slivers_add_nothing_to_the_integrals() -> None:
    """A face of a box split at the middle of one edge, and the gap closed by a triangle without area."""
    middle = len(BOX.vertices)
    a, b, c = BOX.faces[0]
    vertices = np.concatenate([BOX.vertices, [(BOX.vertices[a] + BOX.vertices[b]) / 2]])
    faces = np.concatenate([BOX.faces[1:], [[a, middle, c], [middle, b, c], [a, b, middle]]])
    mesh = Mesh(vertices, faces)
    assert_allclose(
        mesh.mass_properties(density=2.0).inertia, BOX.mass_properties(density=2.0).inertia, rtol=1e-14, atol=1e-14
    )
    with pytest.raises(ShapeError, match="1 face has no area"):
        check_closed(mesh)


def test_bodies_that_touch_along_an_edge_and_hollow_bodies_are_closed() -> None:
    cube = Box((1, 1, 1)).to_mesh()
    shifted = Mesh(cube.vertices + np.array([1, 1, 0]), cube.faces)
    touching = merge_vertices(
        Mesh(np.concatenate([cube.vertices, shifted.vertices]), np.concatenate([cube.faces, shifted.faces + 8]))
    )
    assert len(touching.vertices) == 14
    assert check_closed(touching) == pytest.approx(2.0)
    hollow = Mesh(
        np.concatenate([cube.vertices, cube.vertices / 2]), np.concatenate([cube.faces, cube.faces[:, ::-1] + 8])
    )
    assert check_closed(hollow) == pytest.approx(1 - 1 / 8)


def test_merge_vertices_joins_what_is_near() -> None:
    soup = Mesh(BOX.vertices[BOX.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    with pytest.raises(ShapeError, match=r"36 edges have no partner.*merge_vertices"):
        check_closed(soup)
    assert merge_vertices(soup).vertices.shape == (8, 3)
    rough = Mesh(soup.vertices + np.random.default_rng(0).uniform(-1e-9, 1e-9, (36, 3)) + 2e-9, soup.faces)
    assert check_closed(merge_vertices(rough, 1e-6)) == pytest.approx(6.0, rel=1e-7)
    with pytest.raises(ShapeError, match="every face repeats a corner"):
        merge_vertices(BOX, 100.0)
    with pytest.raises(ShapeError, match="tolerance must not be negative"):
        merge_vertices(BOX, -1.0)


@pytest.mark.parametrize("name", ["empty.stl", "empty.obj", "cut.stl", "points.obj"])
def test_a_file_without_triangles_says_so(name: str, tmp_path: Path) -> None:
    text = {"cut.stl": ASCII_STL[:60], "points.obj": "v 0 0 0\nv 1 0 0\n"}.get(name, "")
    (tmp_path / name).write_text(text)
    with pytest.raises(ShapeError, match=rf"{name}: the file holds no triangles \(got {len(text)} bytes\)"):
        read_mesh(tmp_path / name)


def test_what_is_neither_a_path_nor_a_mesh(tmp_path: Path) -> None:
    wrong: Any = None
    with pytest.raises(InputError, match="the path must be text"):
        read_mesh(wrong)
    with pytest.raises(InputError, match="the path must be text"):
        write_mesh(BOX, wrong)
    shape: Any = Box((1.0, 1.0, 1.0))
    with pytest.raises(InputError, match=r"must be a Mesh .*to_mesh\(\)"):
        write_mesh(shape, tmp_path / "q.stl")
    assert list(tmp_path.iterdir()) == []
