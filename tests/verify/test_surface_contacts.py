"""Contact by maps: closed forms of balls and planes, convergence with voxels, potential, invariance, exact culling."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from motiform.base.errors import MotiformError
from motiform.base.kernels import threads
from motiform.geometry import Ball, Box
from motiform.geometry.maps import (
    Cover,
    SurfaceContacts,
    ball_pairs,
    contact_body,
    cover_labels,
    grid_around,
    label_surface,
    mesh_voxels,
    reduce_cover,
    signed_map,
    surface_elements,
)
from motiform.spatial import Transform

K, T = 1e10, 0.5e-3  # N/m³; layer of 0.5 mm on each body


def poses(*places):
    found = np.tile(np.eye(4), (len(places), 1, 1))
    found[:, :3, 3] = places
    return found


def body(mesh, spacing=0.3e-3, h=0.5e-3):
    return contact_body(mesh, signed_map(mesh, h, margin=2.5e-3, band=2e-3), spacing=spacing)


BALL = Ball(8e-3).to_mesh(96)
SMALL = Ball(5e-3).to_mesh(96)
ONE = Cover([[0, 0, 0]], [1e-3])
BALLS = [body(BALL), body(SMALL)]


def cap_force(R1, R2, d, margin):
    """Return ∫ K (margin − s) dA along the line of centres, over ball 1, s the distance to ball 2 at d."""

    def ring(angle):
        x, y = R1 * np.cos(angle), R1 * np.sin(angle)
        far = np.hypot(d - x, y)
        return 2 * np.pi * R1**2 * np.sin(angle) * K * max(margin - (far - R2), 0) * (d - x) / far

    last = np.arccos(np.clip((R1**2 + d**2 - (R2 + margin) ** 2) / (2 * R1 * d), -1, 1))
    return quad(ring, 0, last)[0]


@pytest.mark.parametrize("gap", [0.7e-3, 0.2e-3, -0.3e-3])
def test_two_balls(gap):
    d = 13e-3 + gap
    found = SurfaceContacts(BALLS, thickness=T, stiffness=K).press(poses((0, 0, 0), (d, 0, 0)))
    expected = 0.5 * (cap_force(8e-3, 5e-3, d, 2 * T) + cap_force(5e-3, 8e-3, d, 2 * T))
    # The mesh of 96 sides is inside its ball by R (1 − cos(π/96)) = 4 µm; with its map that is 8 µm of a depth of
    # 0.3 to 1.3 mm, and the force goes as its square: 5 % to 1.2 %. Elements of 0.3 mm sag by 0.3²/(24 R): below 1 µm.
    depth = 2 * T - gap
    assert -found.force[0, 0] == pytest.approx(expected, rel=2 * 9e-6 / depth + 0.005)
    assert np.abs(found.force[0, 1:]).max() < 0.01 * expected
    assert found.depth[0] == pytest.approx(depth, abs=15e-6)
    # moment about the origin: the force passes through both centres
    assert np.abs(found.moment).max() < 1e-3 * expected * d


def test_ball_on_plane_is_kπRδ2():
    R, gap = 8e-3, 0.4e-3
    plane = Box((30e-3, 30e-3, 8e-3)).to_mesh()
    found = SurfaceContacts([BALLS[0], body(plane)], thickness=T, stiffness=K).press(
        poses((0, 0, R + gap + 4e-3), (0, 0, 0))
    )
    d = 2 * T - gap
    far = R + gap

    def ring(r):
        return 2 * np.pi * r * K * (2 * T - (np.hypot(r, far) - R)) * far / np.hypot(r, far)

    over_plane = quad(ring, 0, np.sqrt((R + 2 * T) ** 2 - far**2))[0]
    expected = 0.5 * (K * np.pi * R * d**2 + over_plane)
    assert found.force[0, 2] == pytest.approx(expected, rel=2 * 4e-6 / d + 0.005)
    # areas of the two caps: 2πR·(d) on the ball, π ρ² on the plane, with elements of 0.3 mm in or out at the rim
    rim = np.sqrt((R + 2 * T) ** 2 - far**2)
    area = 0.5 * (2 * np.pi * R * d + np.pi * rim**2)
    assert found.area[0] == pytest.approx(area, rel=0.3e-3 / rim)


@pytest.mark.slow
def test_forces_of_voxels_converge():
    """Two balls from label maps of 1, 0.5 and 0.25 mm: surfaces, maps and elements all come from the voxels."""
    d, expected, errors = 13.2e-3, 0.0, []
    expected = 0.5 * (cap_force(8e-3, 5e-3, d, 2 * T) + cap_force(5e-3, 8e-3, d, 2 * T))
    for h in (1e-3, 0.5e-3, 0.25e-3):
        bodies = []
        for R in (8e-3, 5e-3):
            grid = grid_around([-R] * 3, [R] * 3, h, margin=2 * h)
            points = grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))
            mesh = label_surface((points**2).sum(-1) < R**2, grid)
            bodies.append(body(mesh, spacing=h, h=max(h, 0.3e-3)))
        found = SurfaceContacts(bodies, thickness=T, stiffness=K).press(poses((0, 0, 0), (d, 0, 0)))
        errors.append(abs(-found.force[0, 0] / expected - 1))
    # The surface of a label is known to a quarter of a voxel or so: two of them change the depth of 0.8 mm by h/2, and
    # the force, which goes as its square, by 1.25 h/mm.
    for h, error in zip((1.0, 0.5, 0.25), errors, strict=True):
        assert error < 1.25 * h, errors
    assert errors[2] < 0.25 * errors[0], errors


def turned(pose, R, t):
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = R, t
    return motion @ pose


def test_force_is_the_derivative_of_the_energy():
    field = SurfaceContacts(BALLS, thickness=T, stiffness=K)
    start, step = poses((0, 0, 0), (7.6e-3, 6.1e-3, 8.7e-3)), 1e-6
    at = field.press(start)
    for axis in range(3):
        energy = []
        for sign in (1, -1):
            moved = start.copy()
            moved[0, axis, 3] += sign * step
            energy.append(field.press(moved).energy[0])
        slope = -(energy[0] - energy[1]) / (2 * step)
        # float32 coefficients round by 1e-9 m of a depth of about 0.5 mm; step² / depth² is 4e-6
        assert at.force[0, axis] == pytest.approx(slope, abs=1e-3 * np.linalg.norm(at.force))


def test_moving_both_bodies_moves_forces_with_them():
    field = SurfaceContacts(BALLS, thickness=T, stiffness=K)
    start = poses((0, 0, 0), (7.6e-3, 6.1e-3, 8.7e-3))
    R, t = Rotation.from_rotvec([0.4, -1.1, 0.6]).as_matrix(), np.array([0.1, -0.2, 0.3])
    one, two = field.press(start), field.press(turned(start, R, t))
    force = R @ one.force[0]
    np.testing.assert_allclose(two.force[0], force, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(two.moment[0], R @ one.moment[0] + np.cross(t, force), rtol=1e-8, atol=1e-9)
    assert two.energy[0] == pytest.approx(one.energy[0], rel=1e-9)


def test_culling_loses_nothing():
    field, rng = SurfaceContacts(BALLS, thickness=T, stiffness=K), np.random.default_rng(3)
    for _ in range(6):
        way = rng.normal(size=3)
        R = Rotation.random(random_state=rng).as_matrix()
        pose = poses((0, 0, 0), way / np.linalg.norm(way) * rng.uniform(11e-3, 14e-3))
        pose[1, :3, :3] = R
        found, energy = field.press(pose), 0.0
        for own, other, T_other_own in ((0, 1, np.linalg.inv(pose[1])), (1, 0, pose[1])):
            points = BALLS[own].elements[:, :3] @ T_other_own[:3, :3].T + T_other_own[:3, 3]
            distance = BALLS[other].map.distance(points)[0]
            depth = np.maximum(2 * T - distance, 0)
            energy += 0.25 * K * (BALLS[own].elements[:, 3] * depth**2).sum()
        assert found.energy[0] == pytest.approx(energy, rel=1e-10)
    assert SurfaceContacts(BALLS).press(poses((0, 0, 0), (1, 0, 0))).area[0] == 0


def test_forces_do_not_depend_on_threads():
    field = SurfaceContacts(BALLS, thickness=T)
    found = []
    for count in (1, 2):
        with threads(count):
            found.append(field.press(poses((0, 0, 0), (12.9e-3, 1e-3, 0))))
    assert np.array_equal(found[0].force, found[1].force)
    assert np.array_equal(found[0].moment, found[1].moment)


def test_elements_keep_the_area():
    mesh = Ball(5e-3).to_mesh(96)
    for spacing in (0.2e-3, 0.5e-3, 1.2e-3):
        elements = surface_elements(mesh, spacing)
        assert elements[:, 3].sum() == pytest.approx(mesh.area, rel=1e-9)
        # means of points within a cell sink by at most (√3 h)²/(8 R)
        assert (5e-3 - np.linalg.norm(elements[:, :3], axis=1)).max() < 3 * spacing**2 / (8 * 5e-3) + 5e-6
    grid = grid_around(*mesh.bounds, 0.25e-3, margin=1e-3)
    few = reduce_cover(mesh_voxels(mesh, grid), grid, error=0.4e-3)
    area = surface_elements(few, 0.4e-3)[:, 3].sum()
    # The cover is h/2 + 0.4 mm short of the ball at most; points of spheres count as hidden or not as a whole.
    assert area == pytest.approx(4 * np.pi * 25e-6, rel=2 * 0.525 / 5 + 0.05)


@pytest.mark.parametrize("margin", [0.0, 0.8e-3])
def test_pairs_of_balls_by_brute_force(margin):
    grids, covers, maps = [], [], []
    for mesh in (BALL, SMALL):
        grid = grid_around(*mesh.bounds, 0.8e-3, margin=2e-3)
        covers.append(cover_labels(mesh_voxels(mesh, grid), grid))
        maps.append(signed_map(mesh, 0.8e-3, margin=3e-3))
        grids.append(grid)
    R = Rotation.from_rotvec([0.3, 0.2, 0.9]).as_matrix()
    pose = Transform(R, (8e-3, 6e-3, 7e-3))
    one, other = covers
    far = np.linalg.norm(one.centers[:, None] - pose.point(other.centers), axis=-1)
    over = one.radii[:, None] + other.radii + margin - far
    expected = np.argwhere(over > 0)
    assert len(expected) > 5
    for given in ({}, {"map": maps[0], "other_map": maps[1]}):
        found, depth = ball_pairs(one, other, pose=pose, margin=margin, **given)
        # balls reach the surfaces of the meshes to within a voxel: with the maps' cull nothing is lost that overlaps
        assert np.array_equal(found, expected)
        np.testing.assert_allclose(depth, over[over > 0], rtol=1e-12, atol=1e-15)
    apart, _ = ball_pairs(one, other, pose=Transform(R, (1, 0, 0)))
    assert apart.shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: SurfaceContacts(BALLS, thickness=2e-3), "reach beyond its body"),
        (lambda: SurfaceContacts(BALLS, pairs=[(0, 2)]), "numbers of bodies"),
        (lambda: SurfaceContacts(BALLS, pairs=[(1, 1)]), "numbers of bodies"),
        (lambda: SurfaceContacts(BALLS).press(np.eye(4)), "must have a pose"),
        (lambda: ball_pairs(ONE, ONE, margin=-1), "must not be negative"),
    ],
)  # fmt: skip
def test_wrong_input(call, text):
    with pytest.raises(MotiformError, match=text):
        call()
