"""Signed distance to solids: against closed forms, other ways to tell inside from outside, and trimesh."""

import numpy as np
import pytest
import trimesh

from motiform.base.errors import InputError, ShapeError
from motiform.base.kernels import kernel, threads
from motiform.geometry import Ball, Box, Capsule, Compound, Cylinder, Hollow, Mesh, Particles, Plane
from motiform.geometry.search.closest import pack_solids, pose_rows, signed_distance
from motiform.spatial import Transform, random_rotation

EPS = np.finfo(float).eps
HERE = Transform.identity()
POSE = Transform(random_rotation(np.random.default_rng(5), 1)[0], (0.3, -0.4, 0.2))
# Coordinates up to 8 m; turning a point into the frame, the distance and turning the normal back take some 40
# operations, each rounding at most half an ulp of 8 m.
CLOSE = 40 * 8 * EPS / 2


def cloud(count=2000, width=1.0, seed=1):
    return np.random.default_rng(seed).normal(size=(count, 3)) * width


def one(shape, points, pose=HERE, **options):
    distance, normal, solid = signed_distance(pack_solids([(shape, pose)]), points, **options)
    assert set(solid.tolist()) <= {0, -1}
    return distance, normal


def bumpy(subdivisions=2):
    ball = trimesh.creation.icosphere(subdivisions=subdivisions)
    radius = 1.0 + 0.3 * np.sin(5.0 * ball.vertices[:, :1]) * np.cos(4.0 * ball.vertices[:, 1:2])
    return Mesh(ball.vertices * radius, ball.faces)


def tetrahedron():
    """A thin one with angles far from right ones, where a face's own normal tells the wrong side past its edges."""
    vertices = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.9, 0.2, 0.3], [1.8, -0.2, 0.4]])
    return Mesh(vertices, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))


def winding(mesh, points):
    """Return how often the mesh goes around each point: the solid angles of its triangles over 4π."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces][None] - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    triple = np.einsum("pfi,pfi->pf", a, np.cross(b, c))
    below = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return np.arctan2(triple, below).sum(axis=1) / (2.0 * np.pi)


# ---------------------------------------------------------------- closed forms, written another way
def box_form(p, size):
    q = np.abs(p) - np.array(size) / 2
    return np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)


def cylinder_form(p, radius, height):
    q = np.stack([np.hypot(p[:, 0], p[:, 2]) - radius, np.abs(p[:, 1]) - height / 2], axis=1)
    return np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)


def capsule_form(p, radius, height):
    foot = np.clip(p[:, 1], -height / 2, height / 2)
    return np.linalg.norm(p - foot[:, None] * [0.0, 1.0, 0.0], axis=1) - radius


FORMS = {
    "plane": (Plane(), lambda p: p[:, 1]),
    "ball": (Ball(0.8), lambda p: np.linalg.norm(p, axis=1) - 0.8),
    "box": (Box((1.0, 2.0, 0.6)), lambda p: box_form(p, (1.0, 2.0, 0.6))),
    "capsule": (Capsule(0.5, 1.2), lambda p: capsule_form(p, 0.5, 1.2)),
    "cylinder": (Cylinder(0.9, 1.4), lambda p: cylinder_form(p, 0.9, 1.4)),
}


@pytest.mark.parametrize("name", FORMS)
def test_primitives_follow_their_formulas_in_any_pose(name):
    shape, form = FORMS[name]
    points = cloud()
    distance, normal = one(shape, points, POSE)
    inner = POSE.inverse().point(points)
    np.testing.assert_allclose(distance, form(inner), rtol=0, atol=CLOSE)
    assert (distance < 0).sum() > 100
    assert (distance > 0).sum() > 100
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=8 * EPS)
    # The foot is on the surface; its rounding is that of the point.
    feet = POSE.inverse().point(points - distance[:, None] * normal)
    np.testing.assert_allclose(form(feet), 0.0, rtol=0, atol=2 * CLOSE)


@pytest.mark.parametrize("name", FORMS)
def test_the_normal_is_the_gradient(name):
    shape, form = FORMS[name]
    points, step = cloud(500, seed=2), 1e-6
    _, normal = one(shape, points)
    slope = np.stack([(form(points + step * e) - form(points - step * e)) / (2 * step) for e in np.eye(3)], axis=1)
    # Central differences: rounding EPS · 8 m / step, plus step²/6 times the third derivative, up to 2/r² at r from a
    # centre, axis or edge. None of these points is nearer than 0.01 m to one, nor a step from where two faces are
    # equally near.
    np.testing.assert_allclose(normal, slope, rtol=0, atol=8 * EPS / step + 2 * 1e4 * step**2 / 6)


@pytest.mark.parametrize("name", ["ball", "box", "capsule", "cylinder"])
def test_hollow_is_the_other_side(name):
    shape, points = FORMS[name][0], cloud(500)
    solid, out = one(shape, points, POSE)
    hollow, back = one(Hollow(shape), points, POSE, reach=0.5)
    near = -solid <= 0.5
    np.testing.assert_array_equal(hollow, np.where(near, -solid, np.inf))
    np.testing.assert_array_equal(back[near], -out[near])


def test_centres_axes_faces_and_corners_have_a_normal():
    origin = np.zeros((1, 3))
    for shape, depth, direction in [
        (Ball(2.0), -2.0, (0.0, 1.0, 0.0)),
        (Capsule(0.5, 1.0), -0.5, (1.0, 0.0, 0.0)),
        (Cylinder(0.5, 4.0), -0.5, (1.0, 0.0, 0.0)),
        (Cylinder(0.5, 1.0), -0.5, (0.0, 1.0, 0.0)),  # wall and ends equally near: the end
        (Box((2.0, 2.0, 2.0)), -1.0, (0.0, 1.0, 0.0)),  # all faces equally near: y
    ]:
        distance, normal = one(shape, origin)
        assert distance[0] == depth
        assert tuple(normal[0]) == direction
    distance, normal = one(Box((2.0, 2.0, 2.0)), np.array([[1.0, 1.0, 1.0], [1.0 + 1e-15, 0.0, 0.0], [2.0, 2.0, 2.0]]))
    assert distance[0] == 0.0
    assert tuple(normal[1]) == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(normal[2], np.full(3, 3**-0.5), rtol=4 * EPS)


# ---------------------------------------------------------------- meshes
@pytest.mark.parametrize("make", [bumpy, tetrahedron, lambda: Box((1.0, 2.0, 0.6)).to_mesh()])
def test_meshes_agree_with_trimesh_and_the_winding_number(make):
    mesh, points = make(), cloud(400, seed=3)
    points = np.concatenate([points, mesh.bounds.mean(axis=0) + 0.3 * np.ptp(mesh.bounds, axis=0) * points])
    distance, normal = one(mesh, points)
    inside = winding(mesh, points) > 0.5
    assert inside.sum() > 5
    # trimesh.proximity.signed_distance needs rtree; its naive search does not, and has no sign.
    plain = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    foot, expected, _ = trimesh.proximity.closest_point_naive(plain, points)
    # trimesh's places in a triangle are differences of products up to (8 m · 2 m)², divided by the square of twice its
    # area, at least 0.02 m²: EPS · 256/0.0016 of an edge of 2 m is 7e-11 m for the foot, and so for the distance.
    np.testing.assert_allclose(np.abs(distance), expected, rtol=0, atol=1e-10)
    clear = expected > 1e-9
    np.testing.assert_array_equal((distance < 0)[clear], inside[clear])
    # Where two triangles are equally near, either foot is right.
    mine = points - distance[:, None] * normal
    alone = np.linalg.norm(mine - foot, axis=1) < 1e-7
    assert alone.mean() > 0.98
    back = trimesh.proximity.closest_point_naive(plain, mine)[1]
    np.testing.assert_allclose(back, 0.0, rtol=0, atol=1e-10)


def test_a_mesh_of_a_box_is_the_box():
    box, points = Box((1.0, 2.0, 0.6)), cloud()
    mesh, _ = one(box.to_mesh(), points, POSE)
    exact, _ = one(box, points, POSE)
    np.testing.assert_allclose(mesh, exact, rtol=0, atol=2 * CLOSE)


def test_a_mesh_of_a_ball_is_within_its_sagitta():
    ball = Ball(0.8)
    mesh, points = ball.to_mesh(24), cloud()
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    across = np.cross(b - a, c - a)
    planes = np.einsum("ij,ij->i", a, across) / np.linalg.norm(across, axis=1)
    sagitta = 0.8 - planes.min()  # the mesh is inside the ball and holds the ball that touches its nearest plane
    excess = one(mesh, points)[0] - one(ball, points)[0]
    assert excess.min() >= -CLOSE
    assert sagitta / 2 < excess.max() <= sagitta + CLOSE


@pytest.mark.parametrize("make", [bumpy, tetrahedron])
def test_points_on_corners_edges_and_faces(make):
    mesh = make()
    corner = mesh.vertices[mesh.faces]
    middles = 0.5 * (corner + np.roll(corner, 1, axis=1)).reshape(-1, 3)
    points = np.concatenate([mesh.vertices, middles, corner.mean(axis=1)])
    distance, normal = one(mesh, points)
    np.testing.assert_allclose(distance, 0.0, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=8 * EPS)
    # Along the normal one leaves the mesh, by a step far above rounding. Against it one enters at a face; at an edge
    # sharper than a right angle one may come out on the other side.
    step = 1e-7
    assert (winding(mesh, points + step * normal) < 0.5).all()
    assert (winding(mesh, points - step * normal) > 0.5)[-len(corner) :].all()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_sign_past_sharp_edges(seed):
    """Points over edges and corners of a sharp mesh, where single face normals contradict one another."""
    mesh, rng = tetrahedron(), np.random.default_rng(seed)
    corner = mesh.vertices[mesh.faces]
    along = rng.uniform(size=(len(mesh.faces), 3, 1))
    edges = (along * corner + (1 - along) * np.roll(corner, 1, axis=1)).reshape(-1, 3)
    points = np.repeat(np.concatenate([mesh.vertices, edges]), 200, axis=0)
    points = points + 0.02 * rng.normal(size=points.shape)
    distance, _ = one(mesh, points)
    clear = np.abs(distance) > 1e-9
    np.testing.assert_array_equal((distance < 0)[clear], (winding(mesh, points) > 0.5)[clear])


@pytest.mark.parametrize("reach", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("side", ["solid", "hollow", "two-sided"])
def test_a_reach_finds_what_the_full_search_finds(side, reach):
    mesh, points = bumpy(), cloud(1500, seed=4)
    if side == "two-sided":
        mesh = Mesh(mesh.vertices, mesh.faces[10:])
    shape = Hollow(mesh) if side == "hollow" else mesh
    full, out = one(shape, points, POSE)
    found, normal = one(shape, points, POSE, reach=reach)
    near = full <= reach
    assert (~near).sum() > 50
    np.testing.assert_array_equal(found, np.where(near, full, np.inf))
    np.testing.assert_array_equal(normal[near], out[near])
    assert np.isnan(normal[~near]).all()


def test_open_meshes_have_two_sides_or_one():
    square = Mesh([[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]], [[0, 1, 2], [0, 2, 3]])  # normal +y
    points = np.array([[0.5, 0.2, 0.5], [0.5, -0.2, 0.5], [2.0, 0.0, 0.5], [0.3, 0.0, 0.3], [0.5, -3.0, 0.5]])
    both = signed_distance(pack_solids([(square, HERE)]), points)
    np.testing.assert_allclose(both[0], [0.2, 0.2, 1.0, 0.0, 3.0], rtol=4 * EPS)
    up, down = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)
    np.testing.assert_allclose(both[1], [up, down, (1.0, 0.0, 0.0), up, down], rtol=0, atol=4 * EPS)
    single = pack_solids([(square, HERE)], open_meshes="one-sided")
    behind = signed_distance(single, points)
    np.testing.assert_allclose(behind[0], [0.2, -0.2, 1.0, 0.0, -3.0], rtol=4 * EPS)
    np.testing.assert_allclose(behind[1][1], up, rtol=0, atol=4 * EPS)
    np.testing.assert_array_equal(signed_distance(single, points, reach=1.5)[2], [0, 0, 0, 0, -1])


def test_doubled_corners_are_joined():
    mesh = bumpy(1)
    soup = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))
    points = cloud(300)
    np.testing.assert_allclose(one(soup, points)[0], one(mesh, points)[0], rtol=0, atol=CLOSE)


# ---------------------------------------------------------------- several solids
def scene():
    rng = np.random.default_rng(8)
    mesh = bumpy(1)
    parts = ((Box((0.4, 0.4, 0.4)), Transform.translation_of((0.5, 0.0, 0.0))), (Ball(0.3), POSE))
    dust = Particles(rng.normal(size=(5, 3)), 1.0, 0.2)
    shapes = [Plane(), Ball(0.3), mesh, Compound(parts), Cylinder(0.4, 0.7), Capsule(0.2, 0.5), mesh, dust]
    return list(zip(shapes, placed(len(shapes), 9), strict=True))


def placed(count, seed):
    rng = np.random.default_rng(seed)
    return [Transform(R, p) for R, p in zip(random_rotation(rng, count), 3 * rng.normal(size=(count, 3)), strict=True)]


def test_the_nearest_of_several_is_the_least_of_each():
    pairs, points = scene(), cloud(1000, 3.0)
    distance, normal, solid = signed_distance(pack_solids(pairs), points)
    each = [one(shape, points, pose) for shape, pose in pairs]
    table = np.stack([d for d, _ in each])
    np.testing.assert_array_equal(distance, table.min(axis=0))
    np.testing.assert_array_equal(solid, table.argmin(axis=0))
    assert len(set(solid.tolist())) > 3
    np.testing.assert_array_equal(normal, np.stack([n for _, n in each])[solid, np.arange(len(points))])


def test_the_pieces_of_a_compound_and_of_particles_are_one_solid():
    pairs, points = scene(), cloud(500, 3.0)
    for shape, pose in (pairs[3], pairs[7]):
        if isinstance(shape, Compound):
            loose = [(part, pose @ at) for part, at in shape.parts]
        else:
            loose = [(Ball(0.2), pose @ Transform.translation_of(point)) for point in shape.points]
        whole, _, solid = signed_distance(pack_solids([(shape, pose)]), points)
        np.testing.assert_allclose(whole, signed_distance(pack_solids(loose), points)[0], rtol=0, atol=4 * CLOSE)
        assert (solid == 0).all()


def test_of_equal_ones_the_first():
    solids = pack_solids([(Ball(0.5), Transform.translation_of((x, 0.0, 0.0))) for x in (1.0, -1.0, 1.0)])
    assert signed_distance(solids, [[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])[2].tolist() == [0, 0]


def test_new_poses_are_as_packing_again():
    pairs, points = scene(), cloud(300, 3.0)
    moves = placed(len(pairs), 10)
    packed = pack_solids(pairs)
    moved = packed.with_poses(moves)
    again = pack_solids([(shape, move) for (shape, _), move in zip(pairs, moves, strict=True)])
    for a, b in zip(signed_distance(moved, points), signed_distance(again, points), strict=True):
        np.testing.assert_array_equal(a, b)
    assert moved.triangles is packed.triangles
    batch = Transform(np.stack([m.rotation for m in moves]), np.stack([m.translation for m in moves]))
    np.testing.assert_array_equal(packed.with_poses(batch).poses, moved.poses)


def test_no_solids_are_near_nothing():
    empty = pack_solids([])
    distance, normal, solid = signed_distance(empty.with_poses([]), np.zeros((2, 3)))
    assert distance.tolist() == [np.inf, np.inf]
    assert np.isnan(normal).all()
    assert solid.tolist() == [-1, -1]
    assert [len(a) for a in signed_distance(empty, np.zeros((0, 3)))] == [0, 0, 0]


def test_threads_do_not_matter():
    solids, points = pack_solids(scene()), cloud(1000, 3.0)
    with threads(1):
        alone = signed_distance(solids, points)
    for a, b in zip(alone, signed_distance(solids, points), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.slow
def test_kernels_take_the_functions_and_points_are_carried():
    from motiform.geometry.search.closest_kernels import carried_point, nearest_solid, solid_distance
    from motiform.spatial.algebra import load3

    @kernel
    def ask(i, x, before, out, poses, spans, codes, pieces, boxes, links, triangles, features):
        solids = spans, codes, pieces, boxes, links, triangles, features
        p = load3(x, i)
        d, _, s = nearest_solid(p, 0.5, poses, solids)
        out[i, 0] = d
        out[i, 1] = s
        if s >= 0:
            out[i, 2] = solid_distance(s, p, 0.5, poses, solids)[0]
            out[i, 3], out[i, 4], out[i, 5] = carried_point(poses, before, s, p)

    pairs, points = scene(), cloud(200, 3.0)
    points[7] = np.nan  # a mass that ran away is near nothing, and the walk ends
    packed, moves = pack_solids(pairs), placed(8, 12)
    before, out = np.array(pose_rows(moves)), np.zeros((200, 6))
    ask.cpu(200, 1, points, before, out, *(np.array(a) for a in packed.arrays))
    assert out[7, :2].tolist() == [np.inf, -1.0]
    points[7] = 100.0, 100.0, 100.0
    distance, _, solid = signed_distance(packed, np.delete(points, 7, axis=0), reach=0.5)
    rest = np.delete(out, 7, axis=0)
    np.testing.assert_array_equal(rest[:, 0], distance)
    np.testing.assert_array_equal(rest[:, 1], solid)
    for i in np.flatnonzero(out[:, 1] >= 0):
        assert out[i, 2] == out[i, 0]
        s = int(out[i, 1])
        was = moves[s].point(pairs[s][1].inverse().point(points[i]))
        np.testing.assert_allclose(out[i, 3:], was, rtol=0, atol=2 * CLOSE)


# ---------------------------------------------------------------- wrong input
FOLD = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]], [[0, 1, 2], [1, 0, 3], [0, 1, 4]])
TWISTED = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2][::-1]])


@pytest.mark.parametrize(
    ("shapes", "options", "text"),
    [
        ([(Ball(1.0), HERE), (Ball(1.0), "here")], {}, r"solid 1: a solid must be a shape and its single pose"),
        ([(Ball(1.0), Transform.translation_of(np.zeros((2, 3))))], {}, "single pose"),
        (Ball(1.0), {}, "must be pairs"),
        ([("ball", HERE)], {}, r"got \(str, Transform\)"),
        ([(Mesh(bumpy(0).vertices, bumpy(0).faces[:, ::-1]), HERE)], {}, "solid 0: the mesh is inside out"),
        ([(FOLD, HERE)], {"open_meshes": "one-sided"}, "1 edges with more than two faces"),
        ([(TWISTED, HERE)], {"open_meshes": "one-sided"}, "winding is inconsistent"),
        ([(Ball(1.0), HERE)], {"open_meshes": "none"}, "'two-sided', 'one-sided'"),
        ([(Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]), HERE)], {}, "solid 0: 1 face has no area"),
    ],
)
def test_wrong_solids_are_named(shapes, options, text):
    with pytest.raises(InputError, match=text):
        pack_solids(shapes, **options)


def test_hollow_takes_what_has_one_inside():
    with pytest.raises(ShapeError, match="cannot be hollow"):
        Hollow(Compound(((Ball(1.0), HERE),)))
    with pytest.raises(ShapeError, match="solid 0: an open mesh has no inside"):
        pack_solids([(Hollow(FOLD), HERE)])


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([[0.0, np.nan, 0.0]], r"the number at index \[0, 1\]"),
        ([[0.0, 0.0, np.inf]], r"the number at index \[0, 2\]"),
        ([0.0, 0.0, 0.0], "the array has the wrong shape"),
        ([[0.0, 0.0]], "the array has the wrong shape"),
        ([["a", "b", "c"]], "must be an array of numbers"),
        ([[1e31, 0.0, 0.0]], "too far away"),
    ],
)
def test_wrong_points_are_named(points, text):
    with pytest.raises(InputError, match=text):
        signed_distance(pack_solids([(Ball(1.0), HERE)]), points)


def test_other_wrong_arguments_are_named():
    solids = pack_solids([(Ball(1.0), HERE)])
    for reach in (-1.0, np.nan, "far", [1.0]):
        with pytest.raises(InputError, match="reach"):
            signed_distance(solids, np.zeros((1, 3)), reach=reach)
    with pytest.raises(InputError, match="pack_solids"):
        signed_distance([(Ball(1.0), HERE)], np.zeros((1, 3)))
    with pytest.raises(InputError, match="unknown device"):
        signed_distance(solids, np.zeros((1, 3)), device="abacus")
    with pytest.raises(InputError, match="there must be one pose for each solid"):
        solids.with_poses([HERE, HERE])
    with pytest.raises(InputError, match="solid 0: the pose must be"):
        solids.with_poses([1.0])
