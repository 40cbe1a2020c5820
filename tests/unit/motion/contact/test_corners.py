"""Points that stand for shapes: all corners of a simple mesh, and of one with many some that are spread over it."""

import numpy as np
import pytest

from models import free_body, on_floor
from motiform import Transform, contact, simulate
from motiform.geometry import Ball, Box, Compound, Cylinder, Mesh
from motiform.geometry.touch.hulls import MOST_CORNERS as MOST
from motiform.geometry.touch.hulls import hull_corners as corners_of_mesh

G = 9.81


def places(points):
    return np.array([point.point for point in points])


def test_a_mesh_with_few_corners_has_them_all():
    found = contact.points_of_shape(free_body(Box((0.4, 0.2, 0.3)).to_mesh()), "body")
    assert {tuple(np.sign(place)) for place in places(found)} == {
        (x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)
    }
    np.testing.assert_allclose(np.abs(places(found)), np.tile([0.2, 0.1, 0.15], (8, 1)), rtol=1e-12)
    assert {point.note for point in found} == {""}
    assert [point.name for point in found] == [f"body.{k}" for k in range(8)]


def test_corners_inside_the_hull_do_not_touch():
    """A box whose top is pressed in: the corner in the middle of it is no corner of the hull."""
    box = Box((0.4, 0.2, 0.3)).to_mesh()
    vertices, faces = np.asarray(box.vertices), np.asarray(box.faces)
    top = [face for face in faces if (vertices[face, 1] > 0).all()]
    rest = [face for face in faces if not (vertices[face, 1] > 0).all()]
    pit = [(a, b, len(vertices)) for face in top for a, b in zip(face, np.roll(face, -1), strict=True)]
    inner = {tuple(sorted((a, b))) for a, b, _ in pit if sum({a, b} <= set(face) for face in top) == 2}
    pit = [one for one in pit if tuple(sorted(one[:2])) not in inner]
    mesh = Mesh(np.vstack([vertices, [[0, 0.05, 0]]]), np.vstack([rest, pit]))
    assert len(corners_of_mesh(mesh)[0]) == 8


@pytest.mark.parametrize("detail", [24, 64])
def test_many_corners_are_spread_over_the_hull(detail):
    mesh = Ball(0.5).to_mesh(detail=detail)
    found = contact.points_of_shape(free_body(mesh), "body")
    vertices, chosen = np.asarray(mesh.vertices), places(found)
    assert len(found) == MOST
    off = np.linalg.norm(vertices[:, None] - chosen, axis=-1)
    assert (off.min(0) == 0).all()  # they are corners of the mesh
    assert len(np.unique(off.argmin(0))) == MOST  # each once
    for axis in range(3):
        assert chosen[:, axis].min() == vertices[:, axis].min()
        assert chosen[:, axis].max() == vertices[:, axis].max()
    # Chosen corners are as far from one another as the last one was from all before it: caps of half that angle do not
    # overlap. 64 caps of 2 π (1 − cos ϑ/2) fit on a sphere of 4 π, and the chord is 2 R sin ϑ/2.
    assert off.min(1).max() <= 2 * 0.5 * np.sqrt(1 - (1 - 2 / MOST) ** 2)
    (note,) = {point.note for point in found}
    count = len(np.unique(np.round(vertices, 12), axis=0))
    text = f"64 of {count} corners of its mesh may touch; the others are within {off.min(1).max():.3g} m of them"
    assert note == f"segment 'body': {text}"


def test_the_choice_depends_on_the_mesh_alone():
    mesh = Ball(0.5).to_mesh(detail=40)
    one, two = (contact.points_of_shape(free_body(mesh), "body") for _ in range(2))
    assert one == two


def test_pieces_of_a_compound_keep_their_places_and_names():
    at = Transform.translation_of((0, 1.0, 0))
    shape = Compound([(Ball(0.1), at), (Compound([(Cylinder(0.2, 0.4), at)]), at)])
    found = contact.points_of_shape(free_body(shape), "body")
    assert [point.name for point in found] == ["body.0", *(f"body.1.{k}" for k in range(24))]
    assert found[0].point == (0, 1.0, 0)
    np.testing.assert_allclose(np.unique(places(found[1:])[:, 1].round(12)), [1.8, 2.2])


@pytest.mark.parametrize("way", ["dormand-prince", "time-stepping"])
def test_a_round_mesh_stands_on_what_was_chosen(way):
    """A disk of 100 sides has 200 corners: it starts on its rim, is carried at once and stays where it is."""
    disk = Cylinder(0.3, 0.1).to_mesh(detail=100)
    figure = free_body(disk, 2.0)
    contacts = on_floor(figure, friction=0.5)
    start = figure.configuration(body=(0, 0.05, 0, 1, 0, 0, 0))
    rec = simulate(figure, contacts=contacts, t1=0.2, rate=50, q0=start, integrator=way)
    # time-stepping keeps gaps at zero by its solver, to 1e-9 of weight and step; 1e-9 m covers both
    assert np.abs(rec["q"] - start).max() < 1e-9
    np.testing.assert_allclose(rec["contact.force"].sum(1)[:, 1], 2.0 * G, rtol=1e-9)
    assert rec.manifest["notes"] == [contacts.points[0].note]
    assert "64 of 200 corners" in rec.manifest["notes"][0]
