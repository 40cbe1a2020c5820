"""COLLADA files: the same box by every kind of face and transform, units, and what other readers see in it."""

import importlib
from itertools import pairwise

import numpy as np
import pytest

from motiform.base.errors import MotiformError, ShapeError
from motiform.geometry import check_closed, read_mesh

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [triangle for a, b, c, d in QUADS for triangle in ((a, b, c), (a, c, d))]


def text(rows):
    return " ".join(f"{corner} {number}" for number, row in enumerate(rows) for corner in row)  # with a normal each


INPUTS = '<input semantic="NORMAL" source="#n" offset="1"/><input semantic="VERTEX" source="#v" offset="0"/>'
AXES = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
STRIPS = "".join(f"<p>{text([(a, b, d, c)])}</p>" for a, b, c, d in QUADS)
FACES = {
    "triangles": f'<triangles count="12">{INPUTS}<p>{text(TRIANGLES)}</p></triangles>',
    "polylist": f'<polylist count="6">{INPUTS}<vcount>{"4 " * 6}</vcount><p>{text(QUADS)}</p></polylist>',
    "polygons": f'<polygons count="6">{INPUTS}{"".join(f"<p>{text([quad])}</p>" for quad in QUADS)}</polygons>',
    "trifans": f'<trifans count="6">{INPUTS}{"".join(f"<p>{text([quad])}</p>" for quad in QUADS)}</trifans>',
    "tristrips": f'<tristrips count="6">{INPUTS}{STRIPS}</tristrips>',
    "two parts": f'<triangles count="6">{INPUTS}<p>{text(TRIANGLES[:6])}</p></triangles><lines/>'
    f'<polylist count="3">{INPUTS}<vcount>4 4 4</vcount><p>{text(QUADS[3:])}</p></polylist>',
}


def document(
    faces=FACES["triangles"], *, nodes='<node><instance_geometry url="#g"/></node>', asset="", more="", scene=True
):
    sources = []
    for name, rows in (("p", CORNERS), ("n", np.tile((0.0, 0.0, 1.0), (12, 1)))):
        sources.append(
            f'<source id="{name}"><float_array id="{name}a" count="{rows.size}">{" ".join(map(str, rows.ravel()))}'
            f'</float_array><technique_common><accessor source="#{name}a" count="{len(rows)}" stride="3">'
            f"{AXES}</accessor></technique_common></source>"
        )
    vertices = '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
    shown = '<scene><instance_visual_scene url="#s"/></scene>' if scene else ""
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset><library_geometries><geometry id="g"><mesh>{"".join(sources)}{vertices}
{faces}</mesh></geometry></library_geometries>{more}
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>{shown}</COLLADA>"""


def read(folder, content):
    path = folder / "a.dae"
    path.write_text(content)
    return read_mesh(path)


@pytest.mark.parametrize("kind", FACES)
def test_every_kind_of_face_gives_the_box(tmp_path, kind):
    mesh = read(tmp_path, document(FACES[kind]))
    assert check_closed(mesh) == pytest.approx(6.0, rel=1e-15)  # closed, outward, 1 × 2 × 3
    np.testing.assert_array_equal(np.sort(mesh.vertices, axis=0), np.sort(CORNERS, axis=0))


@pytest.mark.parametrize(
    ("transforms", "bounds"),
    [
        ("<translate>1 2 3</translate>", [(1, 2, 3), (2, 4, 6)]),
        ("<scale>2 1 -1</scale>", [(0, 0, -3), (2, 2, 0)]),
        ("<rotate>0 0 2 90</rotate>", [(-2, 0, 0), (0, 1, 3)]),  # x to y, y to −x
        ("<translate>1 0 0</translate><rotate>0 0 1 90</rotate>", [(-1, 0, 0), (1, 1, 3)]),
        ("<rotate>0 0 1 90</rotate><translate>1 0 0</translate>", [(-2, 1, 0), (0, 2, 3)]),
        ("<matrix>0 0 1 5  1 0 0 0  0 1 0 0  0 0 0 1</matrix>", [(5, 0, 0), (8, 1, 2)]),
        ("<lookat>1 0 0  2 0 0  0 0 1</lookat>", [(-2, -1, 0), (1, 0, 2)]),  # −z looks along x, y is up: x to −y
    ],
)
def test_transforms_of_nodes_act_in_their_order(tmp_path, transforms, bounds):
    mesh = read(tmp_path, document(nodes=f'<node>{transforms}<instance_geometry url="#g"/></node>'))
    np.testing.assert_allclose([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)], bounds, atol=1e-15)
    assert check_closed(mesh) > 0  # mirrored ones are turned outward again


def test_nodes_hang_from_nodes_and_are_used_again(tmp_path):
    more = (
        '<library_nodes><node id="b"><translate>0 10 0</translate><instance_geometry url="#g"/></node></library_nodes>'
    )
    nodes = ('<node><scale>2 2 2</scale><node><translate>5 0 0</translate><instance_geometry url="#g"/>'
             '<instance_node url="#b"/></node></node>')  # fmt: skip
    mesh = read(tmp_path, document(nodes=nodes, more=more))
    assert check_closed(mesh) == pytest.approx(2 * 8 * 6.0, rel=1e-14)
    np.testing.assert_allclose([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)], [(10, 0, 0), (12, 24, 6)])


def test_skins_are_read_as_they_are_bound(tmp_path):
    more = ('<library_controllers><controller id="c"><skin source="#g">'
            '<bind_shape_matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller>'
            '</library_controllers>')  # fmt: skip
    mesh = read(tmp_path, document(nodes='<node><instance_controller url="#c"/></node>', more=more))
    assert mesh.vertices[:, 0].min() == 7.0


@pytest.mark.parametrize(("asset", "metre"), [("", 1.0), ('<unit name="inch" meter="0.0254"/>', 0.0254)])
def test_lengths_are_metres(tmp_path, asset, metre):
    for scene in (True, False):  # without a scene all geometries are there as they are
        mesh = read(tmp_path, document(asset=asset, scene=scene))
        np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), np.array([1, 2, 3]) * metre, rtol=1e-15)


def test_axes_are_the_files_own_as_for_a_reader_of_robots(tmp_path):
    """Coal, which Pinocchio reads the meshes of robots with, does not turn by <up_axis> either (nor heed the unit)."""
    coal = pytest.importorskip("coal", reason="coal has no wheels for this platform")
    nodes = '<node><translate>4 5 6</translate><instance_geometry url="#g"/></node>'
    for up in ("X_UP", "Y_UP", "Z_UP"):
        content = document(asset=f"<up_axis>{up}</up_axis>", nodes=nodes)
        mesh = read(tmp_path, content)
        model = coal.MeshLoader(coal.NODE_TYPE.BV_OBBRSS).load(str(tmp_path / "a.dae"), np.ones(3))
        seen = np.array(model.vertices())
        np.testing.assert_allclose(mesh.vertices.min(axis=0), seen.min(axis=0), atol=1e-6)  # float32 there
        np.testing.assert_allclose(mesh.vertices.max(axis=0), seen.max(axis=0), atol=1e-6)


def test_pycollada_sees_the_same_triangles(tmp_path):
    collada = pytest.importorskip("collada", reason="pycollada is not installed")
    nodes = ('<node><rotate>0.6 0 0.8 40</rotate><translate>1 2 3</translate><scale>1 2 1</scale>'
             '<instance_geometry url="#g"/></node>')  # fmt: skip
    for faces in FACES.values():
        mesh = read(tmp_path, document(faces.replace("<lines/>", ""), nodes=nodes))
        triangles = []
        for geometry in importlib.import_module("collada").Collada(str(tmp_path / "a.dae")).scene.objects("geometry"):
            for part in geometry.primitives():
                table = part.triangleset() if hasattr(part, "triangleset") else part
                if hasattr(table, "vertex_index") and len(table.vertex_index) and np.shape(table.vertex_index)[1] == 3:
                    triangles += list(table.vertex[table.vertex_index].reshape(-1, 9))
        if "tri" in faces[1:9] and "triangles" not in faces:
            continue  # it reads no strips and fans
        own = mesh.vertices[mesh.faces].reshape(-1, 9)
        assert len(own) == len(triangles)
        order = [sorted(map(tuple, np.round(one, 4))) for one in (own, triangles)]
        np.testing.assert_allclose(*order, atol=2e-4)
    assert collada


USED = '<instance_node url="#n{}"/>'
BOMB = [f'<node id="n{a}">{USED.format(b) * 10}</node>' for a, b in pairwise(range(9))]
BAD = {
    "not xml": "solid",
    "another root": "<robot/>",
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>',
    "no such corner": document(FACES["triangles"].replace("<p>0 ", "<p>99 ")),
    "negative": document(FACES["triangles"].replace("<p>0 ", "<p>-1 ")),
    "cut": document(FACES["polylist"].replace("<vcount>4", "<vcount>5")),
    "words": document().replace("0.0 0.0 0.0", "a b c"),
    "elsewhere": document(nodes='<node><instance_geometry url="other.dae#g"/></node>'),
    "nothing": document(nodes='<node><instance_geometry url="#h"/></node>'),
    "circle": document(nodes='<node id="o"><instance_node url="#o"/></node>'),
    "bomb": document(nodes="".join(BOMB)),
    "empty": "<COLLADA/>",
    "holes": document(f'<polygons count="1">{INPUTS}<ph><p>0 0 1 1 2 2</p></ph></polygons>'),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_damaged_and_hostile_files_are_refused(tmp_path, kind):
    with pytest.raises(ShapeError):
        read(tmp_path, BAD[kind])


def test_every_cut_of_a_file_is_read_or_refused(tmp_path):
    whole = document(FACES["polylist"])
    for end in range(0, len(whole), 37):
        with pytest.raises(MotiformError):
            read(tmp_path, whole[:end])
