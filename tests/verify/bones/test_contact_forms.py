"""Contact of bones with closed forms: an elastic foundation under balls, a plane and a socket.

Both bones carry half of the law: F = ½ k ∫ p n dA over each surface. The mesh of a ball is inscribed by
R (1 − cos(π/sides)), and areas of surface points are sums of triangles that stand for the nearest point, so that the
rim of the contact is known to about half the distance s of the points: relative errors of a few s/(2 a), a the radius
of the contact, which alternate along the rim and nearly cancel: 10 % for areas here. The pressure is zero at the rim,
so that forces feel its square; 3 % bounds them.
"""

import numpy as np
import pytest
from scipy.integrate import quad

from motiform.geometry import Ball, Box, Mesh
from motiform.motion.bones.contact_kernels import AREA, BLOCK, BLOCK_END, BODY, ENERGY, FORCE, GAP
from motiform.motion.bones.pack import neutral_poses, workspace
from motiform.motion.bones.pressure_kernels import press_points
from motiform.motion.bones.settle_kernels import evaluate, settle
from wrists import two_bones

K, SIDES = 1e10, 96


def contact(packed, shift=(0.0, 0.0, 0.0)):
    """Return (force on the free body, area, energy, gap, gradient) with the free body moved by that."""
    poses, space = neutral_poses(packed), workspace(packed)
    poses[2, 9:] = shift
    evaluate(poses, packed.slots, packed.middles, packed.model, packed.settings, *space)
    sums = space[4]  # rows: points of the fixed body in the free one's map, and the other way round
    force = sums[1, FORCE : FORCE + 3] - sums[0, FORCE : FORCE + 3]
    return force, sums[:, AREA].sum(), sums[:, ENERGY].sum(), sums[:, GAP].min(), space[1]


def moved(mesh: Mesh, shift) -> Mesh:
    return Mesh(mesh.vertices + np.asarray(shift), mesh.faces)


def test_ball_on_plane():
    """½ k π R δ² from the ball's surface and ½ k π (R + g) δ² from the plane's, δ = t − g."""
    R, t, gap = 8e-3, 1e-3, 0.4e-3
    ground = moved(Box((0.03, 0.004, 0.03)).to_mesh(), (0.0, -0.002, 0.0))
    ball = moved(Ball(R).to_mesh(SIDES), (0.0, R + gap, 0.0))
    force, area, energy, least, gradient = contact(two_bones(ground, ball, t))
    delta = t - gap
    assert force[1] == pytest.approx(0.5 * K * np.pi * delta**2 * (2 * R + gap), rel=0.03)
    assert np.abs(force[[0, 2]]).max() < 0.01 * force[1]
    assert area == pytest.approx(0.5 * (2 * np.pi * R * delta + np.pi * ((R + t) ** 2 - (R + gap) ** 2)), rel=0.1)
    # E = ∫ F dδ at constant R + t: ½ k π (R δ³/3 + (R + t) δ³/3 − δ⁴/4)
    assert energy == pytest.approx(0.5 * K * np.pi * ((2 * R + t) * delta**3 / 3 - delta**4 / 4), rel=0.03)
    assert least == pytest.approx(gap, abs=2e-5)
    np.testing.assert_allclose(gradient[3:], -force, rtol=1e-9, atol=1e-9)  # what pushes is minus the slope


def ball_on_ball(r, other, distance, t):
    """Return the force from the surface of a ball of radius r in the map of another: ½ k ∫ p cos dA."""

    def slice_(s):  # points of the first ball at the distance s from the other's centre: dA = 2π r s ds / D
        cos = (s * s + distance**2 - r * r) / (2 * s * distance)
        return (t + other - s) * cos * 2 * np.pi * r * s / distance

    return 0.5 * K * quad(slice_, distance - r, other + t)[0]


def test_two_balls():
    a, b, t, gap = 6e-3, 9e-3, 1e-3, 0.5e-3
    along = np.array([0.48, 0.6, 0.64])
    first = Ball(a).to_mesh(SIDES)
    second = moved(Ball(b).to_mesh(SIDES), (a + b + gap) * along)
    force, *_ = contact(two_bones(first, second, t))
    expected = ball_on_ball(a, b, a + b + gap, t) + ball_on_ball(b, a, a + b + gap, t)
    # Inscribed by R (π/sides)²/3 in the mean, the balls are that much farther apart: F goes with δ².
    inscribed = 2 * (a + b) * (np.pi / SIDES) ** 2 / 3 / (t - gap)
    assert np.linalg.norm(force) == pytest.approx(expected, rel=inscribed + 0.02)
    np.testing.assert_allclose(force / np.linalg.norm(force), along, atol=0.01)


def shell(inner: float, outer: float) -> Mesh:
    """A ball with a ball-shaped cavity."""
    a, b = Ball(inner).to_mesh(SIDES), Ball(outer).to_mesh(SIDES)
    faces = np.concatenate([b.faces, a.faces[:, ::-1] + len(b.vertices)])
    return Mesh(np.concatenate([b.vertices, a.vertices]), faces)


def in_socket(R, S, e, t):
    """Force on a ball of radius R, e off the centre of a socket of radius S: from its surface and from the socket's."""

    def ball(s):  # points of the ball at the distance s from the socket's centre
        return max(t - (S - s), 0.0) * (s * s + e * e - R * R) / (2 * s * e) * 2 * np.pi * R * s / e

    def socket(s):  # points of the socket at the distance s from the ball's centre
        return max(t + R - s, 0.0) * (S * S - e * e - s * s) / (2 * s * e) * 2 * np.pi * S * s / e

    parts = [quad(ball, max(R - e, S - t), R + e)[0], quad(socket, S - e, min(S + e, R + t))[0]]
    return 0.5 * K * sum(parts)


@pytest.mark.slow
def test_ball_in_socket_is_pushed_back_to_its_middle():
    R, S, t, e = 7e-3, 8e-3, 0.8e-3, 0.5e-3
    packed = two_bones(shell(S, 0.012), moved(Ball(R).to_mesh(SIDES), (e, 0.0, 0.0)), t)
    force, *_ = contact(packed)
    assert -force[0] == pytest.approx(in_socket(R, S, e, t), rel=0.04)
    tight = two_bones(shell(S, 0.012), moved(Ball(R).to_mesh(SIDES), (e, 0.0, 0.0)), 1.4e-3)
    rest = settled(tight)
    # Equilibrium is concentric; uneven points shift it by some s²/R = 0.05 mm, also where maps are exact everywhere.
    np.testing.assert_allclose(rest[9:], [-e, 0.0, 0.0], atol=2 * 6e-4**2 / R)


def settled(packed):
    poses, size = neutral_poses(packed), 6 * packed.free
    spare, space = workspace(packed), (*workspace(packed), np.zeros((size, size)), np.zeros(size))
    settle(poses, packed.slots, packed.middles, packed.model, packed.settings, 300, np.empty_like(poses), spare, space)
    return poses[2]


def test_hardening_follows_its_law():
    """Pressure k p (1 + 2 p²/s²) between two plates: all points are pressed alike."""
    lower, upper = Box((0.02, 0.004, 0.02)).to_mesh(), moved(Box((0.01, 0.004, 0.01)).to_mesh(), (0.0, 0.0046, 0.0))
    p, s = 0.4e-3, 2e-4
    linear = contact(two_bones(lower, upper, 1e-3))[0][1]
    hard = contact(two_bones(lower, upper, 1e-3, hardening=s))[0][1]
    # The rim of the smaller plate feels other depths, equally in both: their ratio is that of the middle within 10 %.
    assert hard / linear == pytest.approx(1 + 2 * p**2 / s**2, rel=0.1)


def test_the_map_of_pressures_follows_the_law_and_adds_up_to_the_force():
    """Between plates all points away from the rim have k p (1 + 2 p²/s²), and half of the sum over both is the force.

    Map and points are those of the force. Points beside the rim push aslant, which the force counts by its part across.
    """
    lower, upper = Box((0.02, 0.004, 0.02)).to_mesh(), moved(Box((0.01, 0.004, 0.01)).to_mesh(), (0.0, 0.0046, 0.0))
    p, s = 0.4e-3, 2e-4
    packed = two_bones(lower, upper, 1e-3, hardening=s)
    spans, points, poses = packed.model[0], packed.model[5], neutral_poses(packed)
    total, clusters = 0.0, packed.model[4]
    for own, other in ((0, 1), (1, 0)):
        blocks = clusters[spans[own, BLOCK] : spans[own, BLOCK_END]]
        runs = clusters[int(blocks[0, 4]) : int(blocks[-1, 5])]
        mine = points[int(runs[0, 4]) : int(runs[-1, 5])]
        found = np.zeros(len(mine))
        press_points(mine, spans[own, BODY], other, 1e-3, poses, packed.model, packed.settings, found)
        across = np.abs(mine[:, 1] - 0.0023) < 0.4e-3
        facing = across & (np.abs(mine[:, [0, 2]]) < 0.004).all(axis=1)
        np.testing.assert_allclose(found[facing], K * p * (1 + 2 * p**2 / s**2), rtol=0.03)
        total += 0.5 * (found * mine[:, 3])[across].sum()
    assert contact(packed)[0][1] == pytest.approx(total, rel=0.1)


@pytest.mark.slow
def test_forces_converge_with_the_spacing_of_map_and_points():
    """From 1 mm to 0.25 mm the error falls at least as fast as the spacing."""
    R, t, gap = 8e-3, 1e-3, 0.4e-3
    ground = moved(Box((0.03, 0.004, 0.03)).to_mesh(), (0.0, -0.002, 0.0))
    ball = moved(Ball(R).to_mesh(192), (0.0, R + gap, 0.0))
    exact = 0.5 * K * np.pi * (t - gap) ** 2 * (2 * R + gap)
    errors = [
        abs(contact(two_bones(ground, ball, t, spacing=h, points=h))[0][1] / exact - 1) for h in (1e-3, 0.5e-3, 0.25e-3)
    ]
    assert errors[2] < 0.01, errors
    assert errors[2] < max(0.5 * errors[0], 0.005)
