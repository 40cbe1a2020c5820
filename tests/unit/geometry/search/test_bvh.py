"""Trees of boxes: every item is found, and rays meet what they meet without the tree."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from trimesh.ray.ray_triangle import ray_triangle_id

from motiform.base.errors import InputError, MotiformError
from motiform.base.kernels import threads
from motiform.geometry import Mesh
from motiform.geometry.search.bvh import build_bvh, cast_rays, mesh_tree

EPS = np.finfo(float).eps


def boxes_around(centers, half):
    return np.hstack([centers - half, centers + half])


def check_tree(tree, boxes, leaf):
    """Every item sits in one last node, every node holds what is under it."""
    assert sorted(tree.order) == list(range(len(boxes)))
    slots = np.zeros(len(boxes), int)
    for node, (parent, first, count, axis) in enumerate(tree.links):
        low, high = tree.boxes[node, :3], tree.boxes[node, 3:]
        if count < 0:
            assert first % 2 == 1
            assert axis in (0, 1, 2)
            for child in (first, first + 1):
                assert tree.links[child, 0] == node
                assert (tree.boxes[child, :3] >= low).all()
                assert (tree.boxes[child, 3:] <= high).all()
        else:
            assert count <= leaf
            items = tree.order[first : first + count]
            slots[first : first + count] += 1
            assert (boxes[items, :3] >= low).all()
            assert (boxes[items, 3:] <= high).all()
        assert (parent == -1) == (node == 0)
    assert (slots == 1).all()


@pytest.mark.parametrize("leaf", [1, 2, 4])
@pytest.mark.parametrize("kind", ["cloud", "line", "same place", "one", "none"])
def test_every_box_is_in_the_tree_once(kind, leaf):
    rng = np.random.default_rng(3)
    centers = {
        "cloud": rng.normal(size=(300, 3)),
        "line": np.arange(100.0)[:, None] * [1.0, 0.0, 0.0],
        "same place": np.ones((50, 3)),
        "one": np.zeros((1, 3)),
        "none": np.zeros((0, 3)),
    }[kind]
    boxes = boxes_around(centers, 0.1)
    check_tree(build_bvh(boxes, leaf=leaf), boxes, leaf)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.floats(width=32)] * 6), max_size=20))
def test_any_boxes_give_a_tree_or_an_error(rows):
    boxes = np.array(rows, float).reshape(-1, 6)
    try:
        tree = build_bvh(boxes)
    except MotiformError:
        assert not (np.isfinite(boxes).all() and (boxes[:, :3] <= boxes[:, 3:]).all())
    else:
        check_tree(tree, boxes, 2)


def test_the_same_boxes_give_the_same_tree():
    boxes = boxes_around(np.random.default_rng(1).normal(size=(1000, 3)), 0.05)
    a, b = build_bvh(boxes), build_bvh(boxes)
    assert a.boxes.tobytes() == b.boxes.tobytes()
    assert a.links.tobytes() == b.links.tobytes()
    assert a.order.tobytes() == b.order.tobytes()


class AllTriangles:
    """Stands for trimesh's search tree: every triangle is a candidate for every ray."""

    bounds = (-9.0, -9.0, -9.0, 9.0, 9.0, 9.0)

    def __init__(self, count):
        self.count = count

    def intersection(self, bounds):
        return range(self.count)


def trimesh_first_hits(mesh, origins, directions):
    """Distance to the first hit of each ray by trimesh, inf where there is none; directions of length one."""
    triangles = mesh.vertices[mesh.faces]
    _, ray, place = ray_triangle_id(triangles, origins, directions, tree=AllTriangles(len(triangles)))
    distance = np.full(len(origins), np.inf)
    np.minimum.at(distance, ray, np.linalg.norm(place - origins[ray], axis=1))
    return distance


def bumpy(subdivisions=2):
    ball = trimesh.creation.icosphere(subdivisions=subdivisions)
    radius = 1.0 + 0.3 * np.sin(5.0 * ball.vertices[:, :1]) * np.cos(4.0 * ball.vertices[:, 1:2])
    return Mesh(ball.vertices * radius, ball.faces)


def test_rays_meet_what_trimesh_says():
    mesh, rng = bumpy(), np.random.default_rng(7)
    origins = rng.normal(size=(300, 3)) * 2.0
    directions = rng.normal(size=(300, 3)) - 0.5 * origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    distance, face = cast_rays(mesh, origins, directions)
    expected = trimesh_first_hits(mesh, origins, directions)
    assert 50 < np.isfinite(expected).sum() < 250  # both cases are there
    assert (np.isfinite(distance) == np.isfinite(expected)).all()
    hit = np.isfinite(distance)
    # Both divide a triple product by another, each of a few roundings of lengths |o| up to 8, and trimesh adds the
    # distance to its plane: an angle of 1e-4 rad to the plane is the worst of 300 random rays.
    np.testing.assert_allclose(distance[hit], expected[hit], rtol=0, atol=8 * 8 * EPS / 1e-4)
    # The point lies in the plane of the face that is named.
    corner = mesh.vertices[mesh.faces[face[hit]]]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    point = origins[hit] + distance[hit, None] * directions[hit]
    assert np.abs(np.einsum("ij,ij->i", point - corner[:, 0], normal)).max() < 64 * EPS / 1e-4
    assert (face[~hit] == -1).all()


def test_rays_along_the_axes_and_through_edges_of_a_box():
    mesh = Mesh(*(lambda b: (b.vertices, b.faces))(trimesh.creation.box(extents=(2.0, 4.0, 6.0))))
    for axis, half in enumerate((1.0, 2.0, 3.0)):
        for sign in (-1.0, 1.0):
            direction = np.zeros((1, 3))
            direction[0, axis] = sign
            # From a plane of the box's sides (0 · ∞ in a careless slab test), through the diagonal of the face.
            distance, face = cast_rays(mesh, -10.0 * direction, direction)
            assert distance[0] == 10.0 - half
            assert face[0] >= 0
    along_edge = np.array([[1.0, 2.0, -10.0]])
    for off, expected in ((-1e-9, 7.0), (1e-9, np.inf)):
        assert cast_rays(mesh, along_edge + np.array([off, off, 0.0]), np.array([[0.0, 0.0, 1.0]]))[0][0] == expected


def test_no_ray_slips_into_a_closed_mesh_unseen():
    # Rays aimed exactly at the vertices and the middles of edges, where two or more triangles meet.
    mesh = bumpy(1)
    edges = 0.5 * (mesh.vertices[mesh.faces] + np.roll(mesh.vertices[mesh.faces], 1, axis=1)).reshape(-1, 3)
    targets = np.concatenate([mesh.vertices, edges])
    distance, _ = cast_rays(mesh, 3.0 * targets, -targets)
    # The surface is star-shaped about the origin, so the ray from 3 p to 0 meets it at p: two lengths on.
    assert distance == pytest.approx(np.full(len(targets), 2.0), abs=1e-12)


def test_distances_count_in_lengths_of_the_direction_and_threads_do_not_matter():
    held, rng = mesh_tree(bumpy()), np.random.default_rng(2)
    origins, directions = rng.normal(size=(500, 3)) * 3.0, rng.normal(size=(500, 3))
    with threads(1):
        one, face = cast_rays(held, origins, directions)
    many, again = cast_rays(held, origins, directions)
    assert one.tobytes() == many.tobytes()
    assert face.tobytes() == again.tobytes()
    twice, _ = cast_rays(held, origins, 2.0 * directions)  # scaling by two is exact
    np.testing.assert_array_equal(twice, one / 2.0)


@pytest.mark.parametrize(
    ("boxes", "text"),
    [
        (np.zeros((3, 5)), r"shape \(3, 5\)"),
        ([[0, 0, 0, 1, 1, np.nan]], "box 0 of 1"),
        ([[0, 0, 0, 1, 1, 1], [2, 0, 0, 1, 1, 1]], "box 1 of 2"),
    ],
)
def test_wrong_boxes_are_named(boxes, text):
    with pytest.raises(InputError, match=text):
        build_bvh(np.array(boxes, float))
