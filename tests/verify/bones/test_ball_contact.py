"""Contact of bones by the balls of their medial axes: covers, the distance from them, forces and poses of rest."""

from dataclasses import replace

import numpy as np
import pytest

from motiform import wrist
from motiform.base.errors import InputError, ShapeError
from motiform.base.kernels import compiled
from motiform.geometry import Ball, Box, Mesh
from motiform.geometry.maps import ball_pairs
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.contact_kernels import FORCE, surface_curved
from motiform.motion.bones.cover import BLEND
from motiform.motion.bones.pack import neutral_poses, pack_wrist, workspace
from motiform.motion.bones.settle_kernels import evaluate
from motiform.spatial import Transform, exp_rotation
from wrists import COARSE, bones, carpus, energy, moved, unwrapped

VOXEL = 8e-4
ROW = ("scaphoid", "lunate", "triquetrum")


def by_balls(voxels: float = VOXEL) -> wrist.Wrist:
    fine = replace(COARSE, voxels=voxels)
    return wrist.from_meshes(bones(), fineness=fine, contact="balls")


@pytest.fixture(scope="module")
def hand():
    return by_balls()


def test_no_ball_passes_the_surface_and_none_is_missing(hand):
    """Balls lie in the mesh to rounding, and every voxel's centre inside is as near to one as the cover says."""
    for name in ("scaphoid", "capitate"):
        bone, cover = hand.bones[name], hand.bones[name].cover
        surface = np.asarray(bone.tree.data)
        reach = np.linalg.norm(surface[:, None] - cover.centers, axis=2) - cover.radii
        assert reach.min() > -1e-9
        assert reach.min(axis=1).max() <= cover.short + VOXEL  # a point of the surface is so near to a voxel inside


@compiled
def _distances(b, points, spans, grid, shapes, out):
    n, h = (spans[b, 1], spans[b, 2], spans[b, 3]), grid[b, 3]
    for i in range(points.shape[0]):
        u = (points[i, 0] - grid[b, 0]) / h, (points[i, 1] - grid[b, 1]) / h, (points[i, 2] - grid[b, 2]) / h
        d, g, bend = surface_curved(b, n, u, 1.0, spans, grid, shapes)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = d, g[0] / h, g[1] / h, g[2] / h
        for k in range(6):
            out[i, 4 + k] = bend[k] / (h * h)


def test_lists_of_balls_hold_all_that_count(hand):
    """−ε ln Σ exp(−f/ε) over all balls; those that are left out, 6 ε farther, are under e⁻⁶ ε each."""
    packed = hand.packed(hand.bodies())
    spans, grid, shapes = packed.model[:3]
    rng, blend = np.random.default_rng(2), BLEND * VOXEL
    for name in ("scaphoid", "radius"):
        b, bone = packed.bones.index(name), hand.bones[name]
        own = bone.samples[0]
        points = own[rng.integers(0, len(own), 500)] + rng.normal(0.0, 1e-3, (500, 3)) - packed.shift
        found = np.empty((500, 10))
        _distances(b, points, spans, grid, shapes, found)
        centers, radii = bone.cover.centers - packed.shift, bone.cover.radii
        away = points[:, None] - centers
        far = np.linalg.norm(away, axis=2)
        f = far - radii
        least = f.min(axis=1, keepdims=True)
        share = np.exp(-(f - least) / blend)
        d = least[:, 0] - blend * np.log(share.sum(axis=1))
        share /= share.sum(axis=1, keepdims=True)
        u = away / far[..., None]
        g = np.einsum("ij,ijk->ik", share, u)
        left = np.exp(-6.0) * (f < least + 12 * blend).sum(axis=1)
        assert (np.abs(found[:, 0] - d) <= blend * left + 1e-15).all()
        assert (np.abs(found[:, 1:4] - g).max(axis=1) <= 2.0 * left + 1e-12).all()
        H = np.einsum("ij,ijk,ijl->ikl", share / far, -u, u) + np.eye(3) * (share / far).sum(axis=1)[:, None, None]
        H -= (np.einsum("ij,ijk,ijl->ikl", share, u, u) - g[:, :, None] * g[:, None]) / blend
        six = np.stack([H[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], axis=1)
        assert (np.abs(found[:, 4:] - six).max(axis=1) <= 4.0 * left / blend + 1e-6).all()


def test_the_gradient_is_that_of_the_energy(hand):
    """Central differences over 1e-7 of the way: what they leave out bends by 1/ε, rounding is 1e-16/1e-7."""
    packed = unwrapped(hand.packed(hand.bodies()))
    rng, poses = np.random.default_rng(3), neutral_poses(packed)
    scale = np.tile([1.0, 1.0, 1.0, 0.01, 0.01, 0.01], packed.free)
    poses = moved(packed, poses, energy(packed, poses)[3], 0.03 * scale * rng.normal(size=len(scale)))
    value, gradient, hessian, centers = energy(packed, poses)
    assert value > 0.0
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-9 * np.abs(hessian).max())
    size, errors = np.abs(gradient * scale).sum(), []
    for _ in range(12):
        way = scale * rng.normal(size=len(scale))
        ahead, behind = (energy(packed, moved(packed, poses, centers, s * 1e-7 * way))[0] for s in (1, -1))
        errors.append(abs((ahead - behind) / 2e-7 - gradient @ way) / size)
    assert np.median(errors) < 1e-6


UP = np.array([0.0, 1.0, 0.0])
DOWN = -0.5e-3 * UP
BALL = Mesh(Ball(6e-3).to_mesh(48).vertices + 10e-3 * UP, Ball(6e-3).to_mesh(48).faces)  # 1 mm over the block


def pressed(free: Mesh, shift, *, balls: bool, voxels: float = VOXEL, reach: float = 1e-3):
    """Return the force on a body over a block, moved by that, and the two bones."""
    fine = BoneResolution(spacing=4e-4, margin=3e-3, band=2e-3, points=6e-4, voxels=voxels)
    ground = Box((0.02, 0.006, 0.02)).to_mesh()
    pair = {"radius": Bone("radius", ground, fine), "lunate": Bone("lunate", free, fine)}
    packed = pack_wrist(
        pair, (("radius",), (), ("lunate",)), (), {("radius", "lunate"): reach}, np.zeros(3), 1e10, np.inf, 1e-9,
        balls=balls,
    )  # fmt: skip
    poses, space = neutral_poses(packed), workspace(packed)
    poses[2, 9:] = shift
    evaluate(poses, packed.slots, packed.middles, packed.model, packed.settings, *space)
    return space[4][1, FORCE : FORCE + 3] - space[4][0, FORCE : FORCE + 3], pair


@pytest.mark.parametrize("voxels", [8e-4, 4e-4])
def test_a_force_is_that_of_maps_within_the_bound_of_the_covers(voxels):
    """F grows with the depth: by balls it is that of maps at a depth less by what both covers fall short at most, and
    no more than at one more by the blend, ε ln N of N balls that meet."""
    found, pair = pressed(BALL, DOWN, balls=True, voxels=voxels)
    short = sum(bone.cover.short for bone in pair.values())
    more = 2 * BLEND * voxels * np.log(max(len(bone.cover) for bone in pair.values()))
    least, _ = pressed(BALL, DOWN + short * UP, balls=False)
    most, _ = pressed(BALL, DOWN - more * UP, balls=False)
    assert least[1] <= found[1] <= most[1]
    assert found[1] > 0.0


def test_the_raw_sum_grows_with_the_resolution_and_the_weighed_force_does_not():
    """Σ K d over pairs of balls, as in the document, against forces weighed by area: F = ½ Σ k A d of both surfaces."""
    raw, weighed = [], []
    for voxels in (1.2e-3, 6e-4, 3e-4):
        force, pair = pressed(BALL, DOWN, balls=True, voxels=voxels)
        covers = [bone.cover for bone in pair.values()]
        _, depth = ball_pairs(*covers, pose=Transform.translation_of(DOWN), margin=1e-3)
        raw.append(depth.sum())
        weighed.append(force[1])
    assert raw[2] > 4 * raw[1] > 4 * raw[0]
    by_map = pressed(BALL, DOWN, balls=False)[0][1]
    errors = np.abs(np.array(weighed) / by_map - 1)
    assert errors[2] < errors[0]
    assert errors[2] < 0.25


def test_the_neutral_pose_is_one_of_rest(hand):
    rec = hand.settle(flexion=[0.0])
    assert rec["energy"][0] < 1e-20
    for name in ROW:
        np.testing.assert_allclose(rec[f"{name}.position"][0], 0.0, atol=1e-9)


def test_poses_are_those_of_maps_within_the_bound_of_the_covers(hand):
    """A bone is held by others on both sides, whose surfaces are known to `short` of two covers: its points move by no
    more than that, rms."""
    flexion = np.deg2rad([20.0, 40.0])
    one, two = hand.settle(flexion), carpus().settle(flexion)
    assert not [event for event in one.events if event.name == "unsettled"]
    for name in ROW:
        points, bone = np.asarray(hand.bones[name].tree.data), hand.bones[name]
        for i in range(len(flexion)):
            a, b = (_placed(rec, name, i, points) for rec in (one, two))
            assert np.sqrt(((a - b) ** 2).sum(axis=1).mean()) < 2 * bone.cover.short


def _placed(rec, name, i, points):
    from motiform.spatial import rotation_from_quaternion

    return points @ rotation_from_quaternion(rec[f"{name}.orientation"][i]).T + rec[f"{name}.position"][i]


def test_balls_that_touch_are_counted(hand):
    """The ratios of centre distances to sums of radii, cartilage counted, are those of all pairs of balls."""
    rec = hand.settle(flexion=np.deg2rad([0.0, 30.0]))
    assert rec.manifest["contact"]["kind"] == "balls"
    assert rec.manifest["contact"]["covers"]["lunate"]["balls"] == len(hand.bones["lunate"].cover)
    pairs = rec.manifest["labels"]["pair"]
    k = pairs.index("radius_lunate")
    layer = hand.packed(hand.bodies()).model[7][2 * k]
    one, other = hand.bones["radius"].cover, hand.bones["lunate"].cover
    pose = _pose(rec, "radius", 1).inverse() @ _pose(rec, "lunate", 1)
    apart = np.linalg.norm(one.centers[:, None] - pose.point(other.centers), axis=2)
    ratio = apart / (one.radii[:, None] + other.radii + layer)
    assert rec["contact.ball_ratio"][1, k] == pytest.approx(ratio.min(), rel=1e-12)
    assert rec["contact.deep_balls"][1, k] == (ratio[ratio < 1] < 2 / 3).mean()
    touching = (ratio < 1).any(axis=0).mean()
    assert rec["lunate.touching_balls"][1] >= touching > 0
    assert (rec["lunate.touching_balls"][0] <= rec["lunate.touching_balls"][1]).all()


def _pose(rec, name, i):
    from motiform.spatial import rotation_from_quaternion

    return Transform(rotation_from_quaternion(rec[f"{name}.orientation"][i]), rec[f"{name}.position"][i])


def test_a_wrist_lying_elsewhere_moves_alike(hand):
    """Voxels of another lattice cover the bones otherwise: points move by no more than what the covers leave open."""
    turn = exp_rotation([0.3, -0.2, 0.5])
    elsewhere = {name: Mesh(mesh.vertices @ turn.T + [0.1, 0.0, 0.2], mesh.faces) for name, mesh in bones().items()}
    other = wrist.from_meshes(elsewhere, fineness=replace(COARSE, voxels=VOXEL), contact="balls")
    one, two = (model.settle(flexion=np.deg2rad([30.0])) for model in (hand, other))
    for name in ROW:
        points = np.asarray(hand.bones[name].tree.data)
        a = _placed(one, name, 0, points)
        b = _placed(two, name, 0, points @ turn.T + [0.1, 0.0, 0.2])
        gone = np.linalg.norm((b - [0.1, 0.0, 0.2]) @ turn - a, axis=1)
        assert np.sqrt((gone**2).mean()) < 2 * hand.bones[name].cover.short


def test_bones_in_time_come_to_their_rest():
    """A hand that is led to 15° in half a second and then waits: rest and motion end at one pose."""
    model = by_balls()
    times = np.array([0.0, 0.5, 1.0])
    goal = np.deg2rad([0.0, 15.0, 15.0])
    rec = model.simulate(times, flexion=goal, step=2e-3)
    rest = model.settle(flexion=goal[-1:], center="fixed")
    for name in ROW:
        points = np.asarray(model.bones[name].tree.data)
        gone = _placed(rec, name, 2, points) - _placed(rest, name, 0, points)
        assert np.sqrt((gone**2).sum(axis=1).mean()) < model.bones[name].cover.short


def test_wrong_requests_are_refused():
    with pytest.raises(InputError, match="contact must be of a known kind"):
        wrist.from_meshes(bones(), contact="spheres")
    with pytest.raises(ShapeError, match="voxels must be smaller than the bone"):
        by_balls(4e-3).settle(flexion=[0.1])
