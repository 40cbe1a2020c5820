"""Helical axes of bones against screws that are known."""

import numpy as np
import pytest

from motiform import wrist
from motiform.base.errors import InputError
from motiform.record import Channel, Recording
from motiform.spatial import exp_rotation, quaternion_from_rotation

CENTER = np.array([0.01, -0.02, 0.03])


def recording(**poses):
    """Return a recording of bones, each with rotations (n, 3, 3) and translations (n, 3)."""
    data = {}
    for bone, (R, p) in poses.items():
        data[f"{bone}.position"] = (Channel(f"{bone}.position", unit="m", dims=("axis",), shape=(3,)), p)
        q = quaternion_from_rotation(np.asarray(R))
        data[f"{bone}.orientation"] = (Channel(f"{bone}.orientation", dims=("quaternion",), shape=(4,)), q)
    count = len(next(iter(poses.values()))[1])
    return Recording.from_arrays(
        data, times=np.arange(count, dtype=float), manifest={"axes": {"center": CENTER.tolist()}}
    )


def screw(angle, axis, point, shift):
    axis = np.asarray(axis) / np.linalg.norm(axis)
    R = exp_rotation(angle * axis)
    return R, point - R @ point + shift * axis


STILL = np.tile(np.eye(3), (3, 1, 1)), np.zeros((3, 3))


def test_the_axis_of_a_screw_is_found():
    angle, axis, point, shift = 0.7, np.array([1.0, 2.0, -2.0]) / 3.0, np.array([0.02, 0.01, 0.0]), 1.5e-3
    moves = [screw(a * angle, axis, point, a * shift) for a in (0.0, 0.5, 1.0)]
    rec = recording(radius=STILL, lunate=tuple(np.stack(x) for x in zip(*moves, strict=True)))
    found = wrist.helical_axes(rec, "lunate")
    np.testing.assert_allclose(found.angle, [0.0, 0.35, 0.7], atol=1e-12)
    np.testing.assert_allclose(found.shift[1:], [0.5 * shift, shift], atol=1e-12)
    np.testing.assert_allclose(found.direction[1:], [axis, axis], atol=1e-9)
    assert np.isnan(found.point[0]).all()
    nearest = point + ((CENTER - point) @ axis) * axis  # of the axis to the centre
    np.testing.assert_allclose(found.point[1:], [nearest, nearest], atol=1e-12)
    between = wrist.helical_axes(rec, "lunate", since="before")
    np.testing.assert_allclose(between.angle, [0.35, 0.35], atol=1e-12)
    np.testing.assert_allclose(between.point, [nearest, nearest], atol=1e-12)


def test_motion_relative_to_a_bone_does_not_see_what_both_do():
    common, own = screw(0.4, [0, 1, 1], np.array([0.0, 0.01, 0.02]), 1e-3), screw(0.3, [1, 0, 0], np.zeros(3), 0.0)
    R, p = common[0] @ own[0], common[0] @ own[1] + common[1]
    rec = recording(
        radius=STILL, capitate=([common[0]] * 3, np.tile(common[1], (3, 1))), lunate=([R] * 3, np.tile(p, (3, 1)))
    )
    found = wrist.helical_axes(rec, "lunate", relative="capitate")
    np.testing.assert_allclose(found.angle, 0.3, atol=1e-12)
    np.testing.assert_allclose(found.direction, [[1, 0, 0]] * 3, atol=1e-12)
    shares = wrist.rotation_shares(rec, ("lunate", "scaphoid"))
    assert list(shares) == ["lunate"]
    np.testing.assert_allclose(shares["lunate"], wrist.helical_axes(rec, "lunate").angle / 0.4)


def test_wrong_questions_are_refused():
    rec = recording(radius=STILL, lunate=STILL)
    with pytest.raises(InputError, match="no such bone"):
        wrist.helical_axes(rec, "capitate")
    with pytest.raises(InputError, match="since must be"):
        wrist.helical_axes(rec, "lunate", since="after")
