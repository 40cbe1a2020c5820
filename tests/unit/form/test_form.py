import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.form import dress, strobe
from motiform.geometry import Ball, Mesh
from motiform.record import Channel, Recording
from motiform.scene import simulate


@pytest.fixture(scope="module")
def mobile():
    return simulate("mobile", settings={"scene.duration": 0.2})


def test_shapes_ride_on_their_bodies():
    recording = simulate("particles", settings={"scene.duration": 0.1})
    form = dress(recording)
    mesh = form.parts[0]
    assert isinstance(mesh.shape, Mesh)
    assert mesh.shape.volume == pytest.approx(544e-6, rel=1e-12)  # 200×40×40 + 140×40×40 mm³
    # The origin of the shape starts where the scene put it: x + R offset.
    assert np.allclose(mesh.position[0, 0] + mesh.offset, [-1.2, 0.6, -0.35], atol=1e-15)
    assert form.times[-1] == pytest.approx(0.1)


def test_a_spring_is_beads_from_end_to_end(mobile):
    beads = next(part for part in dress(mobile).parts if part.name == "spring 1")
    assert isinstance(beads.shape, Ball)
    assert np.allclose(beads.position[:, 0], [0, 1.9, 0])  # its end in the world
    assert np.allclose(beads.position[:, -1], mobile["bar.position"])  # its end at the middle of the bar
    assert np.allclose(np.diff(beads.position, n=2, axis=1), 0, atol=1e-15)  # evenly between


def test_strobe_shows_many_instants_at_once(mobile):
    form = dress(mobile)
    flashes = strobe(form, 4)
    bar = flashes.parts[0]
    assert len(flashes.times) == 1
    assert bar.count == 4
    assert np.array_equal(bar.position[0, 0], form.parts[0].position[0, 0])
    assert np.array_equal(bar.position[0, -1], form.parts[0].position[-1, 0])
    with pytest.raises(MotiformError, match="flashes"):
        strobe(form, 0)


def test_hidden_segments_are_not_drawn(mobile):
    names = [part.name for part in dress(mobile).parts]
    image = {**mobile.manifest.get("image", {}), "hide": ["bar"]}
    bare = Recording.from_arrays(
        {name: (mobile.channel(name), mobile[name]) for name in mobile}, manifest={**mobile.manifest, "image": image}
    )
    assert "bar" in names
    assert [part.name for part in dress(bare).parts] == [name for name in names if name != "bar"]


def test_nothing_to_wear():
    recording = Recording.from_arrays({"a": (Channel("a", rate=1.0), np.zeros(3))})
    with pytest.raises(MotiformError, match="no shapes to draw"):
        dress(recording)
