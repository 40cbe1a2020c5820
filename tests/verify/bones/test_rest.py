"""Poses of rest of a synthetic wrist: derivatives, uniqueness, neutral pose, invariance."""

from dataclasses import replace

import numpy as np
import pytest

from motiform import wrist
from motiform.motion.bones.settle import settle_path
from motiform.spatial import Transform, exp_rotation, log_rotation, random_rotation, rotation_from_quaternion
from wrists import bones, carpus, energy, moved, unwrapped

ROW = ("scaphoid", "lunate", "triquetrum")


def turned(rec, name, i):
    return rotation_from_quaternion(rec[f"{name}.orientation"][i])


def angle(a, b):
    return np.rad2deg(np.linalg.norm(log_rotation(a.T @ b)))


@pytest.fixture(scope="module")
def bent():
    """A packed wrist and poses away from rest: contact, straight and wrapped fibres all act."""
    model = carpus()
    packed = model.packed(model.bodies())
    rest = settle_path(packed, Transform.rotation_of(exp_rotation([[0.5, 0.0, 0.1]])))
    return packed, rest.poses[0]


@pytest.mark.parametrize(("wraps", "bound"), [(False, 1e-6), (True, 2e-3)])
def test_the_gradient_is_that_of_the_energy(bent, wraps, bound):
    """Central differences with steps of 1e-5 err by 1e-10 relative, and by rounding of 1e-16/1e-5.

    Nodes of wrapped fibres are pushed out along ∇φ by the value of φ. That is the nearest point where φ is the exact
    distance; the map's |∇φ| is one to about a thousandth at 0.8 mm, and so exact is the force on the bone.
    """
    packed, poses = bent
    packed = packed if wraps else unwrapped(packed)
    rng = np.random.default_rng(3)
    scale = np.tile([1.0, 1.0, 1.0, 0.01, 0.01, 0.01], packed.free)
    poses = moved(packed, poses, energy(packed, poses)[3], 0.02 * scale * rng.normal(size=len(scale)))
    _, gradient, _, centers = energy(packed, poses)
    size = np.abs(gradient * scale).sum()
    for _ in range(12):
        way = scale * rng.normal(size=len(scale))
        ahead, behind = (energy(packed, moved(packed, poses, centers, s * 1e-5 * way))[0] for s in (1, -1))
        assert abs((ahead - behind) / 2e-5 - gradient @ way) < bound * size


def test_the_hessian_is_that_of_the_gradient(bent):
    """Differences of the gradient over 1e-7, without wrapped fibres, whose bending is left out of the Hessian.

    Rounding makes them err by 1e-16/1e-7 relative. A point that comes under pressure, or a fibre that becomes taut,
    between them makes them err by more, the less the nearer they are: medians.
    """
    packed, poses = unwrapped(bent[0]), bent[1]
    _, _, hessian, centers = energy(packed, poses)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-9 * np.abs(hessian).max())
    rng, errors = np.random.default_rng(4), []
    scale = np.tile([1.0, 1.0, 1.0, 0.01, 0.01, 0.01], packed.free)
    for _ in range(9):
        way, step = scale * rng.normal(size=len(scale)), 1e-7
        behind, ahead = (energy(packed, moved(packed, poses, centers, s * step * way))[1] for s in (-1, 1))
        errors.append(abs((ahead - behind) @ way / (2 * step) / (way @ hessian @ way) - 1))
    assert np.median(errors) < 1e-5


def test_the_neutral_pose_is_one_of_rest():
    rec = carpus().settle(flexion=[0.0])
    assert rec["energy"][0] < 1e-20  # rounding of lengths of 1e-17 m
    for name in ROW:
        np.testing.assert_allclose(rec[f"{name}.position"][0], 0.0, atol=1e-9)
        np.testing.assert_allclose(rec[f"{name}.orientation"][0], [1, 0, 0, 0], atol=1e-9)


def test_rest_does_not_depend_on_the_way_to_it():
    """Other ways and small steps end in one pose of the proximal row within 0.2°."""
    model = carpus()
    straight = model.settle(flexion=np.deg2rad([30.0]), deviation=np.deg2rad([8.0]))
    around = model.settle(flexion=np.deg2rad([10.0, 35.0, 30.0]), deviation=np.deg2rad([-8.0, 0.0, 8.0]))
    for name in ROW:
        assert angle(turned(straight, name, 0), turned(around, name, 2)) < 0.2


def test_forces_between_bones_cancel():
    """With all bodies free, moving them together changes nothing: gradients about one point add up to zero."""
    model = carpus()
    packed = model.packed((("radius", "ulna"), (), *((n,) for n in model.bones if n not in ("radius", "ulna"))))
    rng = np.random.default_rng(5)
    inner = packed.model[6]  # pairs that do not touch the forearm
    kept = ~np.isin(inner, [list(packed.bones).index(n) for n in ("radius", "ulna")]).any(axis=1)
    fibres = packed.model[8]
    own = (fibres[:, :2] > 1).all(axis=1)
    over = np.where(np.isin(fibres[:, 2:], [0, 1]), -1, fibres[:, 2:])
    ends = np.concatenate([fibres[:, :2], over], axis=1)[own]
    packed = replace(packed, model=(*packed.model[:6], inner[kept], packed.model[7][kept], ends, packed.model[9][own]))
    poses = np.tile([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], (len(packed.bodies), 1))
    centers = energy(packed, poses)[3]
    poses = moved(packed, poses, centers, 0.5e-3 * rng.normal(size=6 * packed.free))
    _, gradient, _, centers = energy(packed, poses)
    rows = gradient.reshape(-1, 6)
    force = rows[:, 3:].sum(axis=0)
    moment = (rows[:, :3] + np.cross(centers[2:], rows[:, 3:])).sum(axis=0)
    assert np.abs(force).max() < 1e-9 * np.abs(rows[:, 3:]).sum()
    # Nodes of wrapped fibres push along the map's normal only up to how well they are found.
    assert np.abs(moment).max() < 1e-4 * np.abs(rows[:, :3]).sum()


@pytest.mark.slow
def test_a_wrist_lying_elsewhere_moves_alike():
    """Turned and shifted meshes give the same poses in the turned axes, but for another grid of the maps: 1.5°."""
    turn = Transform(random_rotation(np.random.default_rng(2)), np.array([0.3, -0.2, 1.1]))
    here, there = wrist.from_meshes(bones()), wrist.from_meshes({n: m.moved(turn) for n, m in bones().items()})
    np.testing.assert_allclose(there.axes.forearm, here.axes.forearm @ turn.rotation.T, atol=1e-6)
    a, b = (w.settle(flexion=np.deg2rad([25.0])) for w in (here, there))
    for name in ROW:
        assert angle(turn.rotation @ turned(a, name, 0) @ turn.rotation.T, turned(b, name, 0)) < 1.5


def test_the_same_input_gives_the_same_bits():
    a, b = (carpus().settle(flexion=np.deg2rad([15.0, -15.0])) for _ in range(2))
    assert all(np.array_equal(a[name], b[name], equal_nan=True) for name in a)


def test_the_carpus_moves_as_one_does():
    """Signs that a wrist must show: rows share the motion, ulnar deviation extends the scaphoid, radial flexes it."""
    model = carpus()
    rec = model.settle(flexion=np.deg2rad([35.0, -35.0, 0.0, 0.0]), deviation=np.deg2rad([0.0, 0.0, 12.0, -12.0]))
    e = np.cross(model.axes.distal, model.axes.palmar)
    bent = {name: [np.rad2deg(log_rotation(turned(rec, name, i)) @ e) for i in range(4)] for name in ROW}
    for name in ROW:
        assert 5.0 < bent[name][0] < 35.0
        assert -35.0 < bent[name][1] < -5.0
    assert bent["scaphoid"][2] < -2.0 < 2.0 < bent["scaphoid"][3]
    assert not rec.events


def test_cutting_dissociates_and_fusing_does_not():
    model, goal = carpus(), {"flexion": np.deg2rad([-35.0])}
    apart = []
    for one in (model, model.cut("scapholunate"), model.fuse("scaphoid", "lunate")):
        rec = one.settle(**goal)
        apart.append(angle(turned(rec, "scaphoid", 0), turned(rec, "lunate", 0)))
    assert apart[1] > apart[0] + 4.0
    assert apart[2] < 1e-6


def test_the_wrist_bends_through_its_whole_range():
    """±40° of flexion and ±15° of deviation, without a bone out of place or deep in another."""
    d = np.deg2rad
    rec = carpus().settle(flexion=d([40, -40, 0, 0]), deviation=d([0, 0, 15, -15]))
    assert not rec.events
    assert rec["contact.gap"].min() > 0.4e-3


def test_without_ligaments_the_carpus_dislocates():
    """As in [Perez94]: the column of the trapezium breaks away, bones of the proximal row and the pisiform are lost.

    Bones that nothing holds have no pose of their own: how far they go depends on rounding, so that bounds are far
    below what was seen with angles that differ by 1e-9 to 1e-5 rad on three kinds of processors (lunate 7 to 23 and 19
    to 39 mm, trapezium 5 to 7 mm, pisiform 3 to 14 mm, capitate 2 to 8 mm, a third of the lunate at most). With
    ligaments joints of the bones that are pushed alone open by no more than 1.5 mm.
    """
    model, goal = carpus(), {"flexion": np.deg2rad([-40.0, 40.0]), "driven": "metacarpals", "center": "fixed"}
    held, loose = model.settle(**goal), replace(model, ligaments=()).settle(**goal)
    shift = {name: apart(held, loose, model, name) for name in ("lunate", "trapezium", "pisiform", "capitate")}
    assert shift["trapezium"][0] > 3e-3
    assert shift["lunate"].min() > 4e-3
    assert shift["lunate"][1] > 10e-3
    assert shift["pisiform"][1] > 3e-3
    assert shift["capitate"].max() < 0.5 * shift["lunate"].max()  # the metacarpals and the hamate push it the right way
    assert not held.events
    for pair in ("scaphoid_trapezium", "triquetrum_pisiform", "radius_scaphoid", "scaphoid_lunate"):
        assert held[f"contact.gap.{pair}"].max() < 2.5e-3  # from 1 mm of the neutral pose


def apart(a, b, model, name):
    """Return how far apart the centres of a bone are in two recordings [m], (n,)."""
    center = model.bones[name].center
    x, y = (rotation_from_quaternion(r[f"{name}.orientation"]) @ center + r[f"{name}.position"] for r in (a, b))
    return np.linalg.norm(x - y, axis=1)
