"""Inventor, VRML and VTK files."""

import numpy as np
import pytest

from motiform.base.errors import ShapeError
from motiform.geometry import Box, read_mesh

BOX = Box((0.2, 0.3, 0.4)).to_mesh()
POINTS = ",\n".join(" ".join(map(repr, row)) for row in BOX.vertices.tolist())
FACES = ",".join(f"{a},{b},{c},-1" for a, b, c in BOX.faces.tolist())
SQUARE = "0 0 0, 1 0 0, 1 1 0, 0 1 0"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.iv", f"#Inventor V2.1 ascii\nSeparator {{ # a [box]\n Coordinate3 {{ point [ {POINTS} ] }}\n"
                 f" IndexedFaceSet {{ coordIndex [ {FACES} ] }} }}\n"),
        ("a.wrl", f"#VRML V2.0 utf8\nShape {{ geometry IndexedFaceSet {{ coord Coordinate {{ point [\n{POINTS}\n] }}\n"
                  f"coordIndex [ {FACES} ] }} }}"),
        ("a.vtk", "# vtk DataFile Version 3.0\nbox\nASCII\nDATASET POLYDATA\n"
                  f"POINTS {len(BOX.vertices)} double\n{POINTS.replace(',', ' ')}\n"
                  f"POLYGONS {len(BOX.faces)} {4 * len(BOX.faces)}\n"
                  + "\n".join(f"3 {a} {b} {c}" for a, b, c in BOX.faces.tolist()) + "\n"),
    ],
)  # fmt: skip
def test_a_box_is_read_as_it_was_written(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_mesh(tmp_path / name)
    assert found.integrals()[0] == pytest.approx(0.2 * 0.3 * 0.4, rel=1e-12)
    np.testing.assert_allclose(found.bounds, BOX.bounds)


def test_binary_polygons_of_version_5(tmp_path):
    corners = BOX.faces.astype(">i8")
    offsets = (3 * np.arange(len(corners) + 1)).astype(">i8")
    head = b"# vtk DataFile Version 5.1\nbox\nBINARY\nDATASET POLYDATA\n"
    points = b"POINTS %d float\n" % len(BOX.vertices) + BOX.vertices.astype(">f4").tobytes()
    polygons = b"\nPOLYGONS %d %d\nOFFSETS vtktypeint64\n" % (len(offsets), corners.size) + offsets.tobytes()
    (tmp_path / "a.vtk").write_bytes(head + points + polygons + b"\nCONNECTIVITY vtktypeint64\n" + corners.tobytes())
    assert read_mesh(tmp_path / "a.vtk").integrals()[0] == pytest.approx(0.024, rel=1e-6)  # float32


def test_polygons_become_fans(tmp_path):
    (tmp_path / "a.wrl").write_text(f"#VRML V1.0 ascii\npoint [ {SQUARE} ] coordIndex [ 0, 1, 2, 3, -1 ]")
    found = read_mesh(tmp_path / "a.wrl")
    assert (len(found.faces), found.area) == (2, 1.0)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.iv", "#Inventor V2.1 binary\n\0\1", "must begin with"),
        ("a.iv", f"#Inventor V2.1 ascii\npoint [ {SQUARE} ] coordIndex [ 0,1,9,-1 ]", "corner 9 is not among 4"),
        ("a.iv", f"#Inventor V2.1 ascii\npoint [ {SQUARE} ]", "as many sets, not 1 and 0"),
        ("a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_GRID\n", "POLYDATA"),
        ("a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 9 float\n1 2 3\n", "must not end"),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(ShapeError, match=problem):
        read_mesh(tmp_path / name)
