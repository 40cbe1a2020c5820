"""Balls carried by a body: where they are, how they are written and read, and covers of bones."""

from dataclasses import replace

import numpy as np
import pytest

from motiform import wrist
from motiform.base.errors import RecordingError
from motiform.form import BallsLook, Looks, dress, looks_in, looks_of
from motiform.image import Camera, cast_form, render
from motiform.record import Channel, Recording, open_recording
from motiform.spatial import exp_rotation, quaternion_from_rotation
from wrists import COARSE, bones

BALLS = np.array([[0.5, 0.0, 0.0, 0.2], [-0.5, 0.0, 0.0, 0.1]])
COLORS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture
def turning():
    """A body that is lifted and turned about z by a right angle."""
    place = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    turn = quaternion_from_rotation(exp_rotation([[0.0, 0.0, 0.0], [0.0, 0.0, np.pi / 2]]))
    data = {
        "box.position": (Channel("box.position", unit="m", dims=("axis",), shape=(3,), rate=10.0), place),
        "box.orientation": (Channel("box.orientation", dims=("quaternion",), shape=(4,), rate=10.0), turn),
    }
    return Recording.from_arrays(data)


def carried(**changes):
    given = {"balls": BALLS, "color": COLORS, "position": "box.position", "orientation": "box.orientation"}
    return BallsLook(**{**given, **changes})


def test_balls_move_with_their_body(turning):
    (part,) = dress(turning, Looks({"balls": carried()})).parts
    np.testing.assert_allclose(np.asarray(part.position[1]), [[0.0, 1.5, 0.0], [0.0, 0.5, 0.0]], atol=1e-15)
    np.testing.assert_allclose(part.scales * part.shape.radius, BALLS[:, 3])
    np.testing.assert_array_equal(part.color, COLORS)
    assert not part.fixed


def test_a_ray_meets_the_ball_that_is_nearest(turning):
    form = dress(turning, Looks({"balls": carried()}))
    distance, bodies, normals = cast_form(form, 1, np.array([[0.0, 1.5, 2.0]]), np.array([[0.0, 0.0, -1.0]]))
    assert distance[0] == pytest.approx(2.0 - 0.2, abs=1e-12)
    np.testing.assert_array_equal(bodies[0], [0, 0])
    np.testing.assert_allclose(normals[0], [0.0, 0.0, 1.0], atol=1e-12)


def test_balls_without_a_body_stay(turning):
    (part,) = dress(turning, Looks({"balls": carried(position=None, orientation=None)})).parts
    assert part.fixed
    np.testing.assert_array_equal(np.asarray(part.position[0]), BALLS[:, :3])


def test_what_is_written_is_read(turning, tmp_path):
    looks = Looks({"balls": carried()})
    names = ("box.position", "box.orientation")
    rec = Recording.from_arrays(
        {name: (turning.channel(name), turning[name]) for name in names},
        manifest=looks.manifest(), statics=looks.statics(),
    )  # fmt: skip
    rec.save(tmp_path / "a.mf")
    read = looks_in(open_recording(tmp_path / "a.mf")).parts["balls"]
    np.testing.assert_array_equal(read.balls, BALLS)
    assert read.position == "box.position"


@pytest.mark.parametrize("balls", [np.zeros((2, 3)), np.zeros((0, 4)), [[0.0, 0.0, 0.0, 0.0]], [[0, 0, 0, np.nan]]])
def test_wrong_balls_are_refused(balls):
    with pytest.raises(RecordingError, match="centres and radii above 0"):
        carried(balls=balls)
    with pytest.raises(RecordingError, match="must have `position` and `orientation`, or neither"):
        carried(orientation=None)


@pytest.mark.slow
def test_the_cover_of_a_bone_moves_with_it():
    own = {name: bones()[name] for name in ("radius", "lunate", "capitate")}
    hand = wrist.from_meshes(own, fineness=replace(COARSE, voxels=8e-4), contact="balls")
    rec, cover = hand.settle(flexion=[0.0, 0.3]), hand.bones["capitate"].cover
    form = dress(rec, looks_of(hand, cover))
    part = next(part for part in form.parts if part.name == "capitate.balls")
    np.testing.assert_allclose(np.asarray(part.position[0]), cover.centers, atol=1e-12)
    assert np.linalg.norm(np.asarray(part.position[1]) - cover.centers, axis=1).max() > 1e-3
    (alone,) = looks_of(cover).parts.values()
    assert alone.position is None
    middle = cover.centers.mean(axis=0)
    camera = Camera((middle[0], middle[1], middle[2] + 0.1), tuple(middle))
    assert render(form, 1, camera=camera, size=(60, 60)).std() > 1.0
