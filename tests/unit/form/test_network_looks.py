"""How networks look: balls, rods, skins and solids, by default and as they say themselves."""

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError
from motiform.form import dress, looks_of
from motiform.form.models.faces import grid_faces, hull_faces
from motiform.geometry import Ball, Box, Capsule, Cylinder, Hollow, Plane
from motiform.image import render
from motiform.motion.matter import GroupLook, NetworkBuilder, links, topology
from motiform.motion.matter.laws.automaton import Automaton
from motiform.record import Channel, Recording
from motiform.spatial import Transform, rotation_from_euler

FLOOR = links.visco_elastic_buffer(100.0, 0.0)


def at_start(network, samples=2, extra=()):
    """A recording of a network that stays where it starts."""
    looks = looks_of(network)
    data = {}
    for group in network.groups:
        name = f"{group.name}.position"
        channel = Channel(name, unit="m", dims=("point", "axis"), shape=(group.count, 3), rate=10.0)
        data[name] = channel, np.broadcast_to(group.position, (samples, group.count, 3))
    for name, values in extra:
        channel = Channel(name, dims=tuple(f"n{k}" for k in range(values.ndim - 1)), shape=values.shape[1:], rate=10.0)
        data[name] = channel, values
    return Recording.from_arrays(data, manifest=looks.manifest(), statics=looks.statics())


def cloth(n=4, m=5):
    b = NetworkBuilder()
    points = b.masses("cloth", topology.block_positions((n, m), (0.1, 0.1), at=(0, 1, 0)), mass=0.01)
    nails = b.fixed("nails", [[0, 1.1, 0], [0, 1.1, 0.4]], radius=0.03)
    b.link("weave", topology.grid(points, (n, m)), links.spring(10.0))
    b.link("hold", (nails, points[[0, m - 1]]), links.spring(10.0))
    return b


def test_a_cloth_is_a_skin_and_its_own_links_are_not_drawn():
    form = dress(at_start(cloth().build()))
    [skin], [hold] = form.skins, form.links
    assert (skin.name, len(skin.faces)) == ("cloth", 2 * 3 * 4)
    assert len(skin.tones) == 2  # a checkerboard
    assert hold.name == "links hold"
    assert hold.pairs.tolist() == [[0, 0], [1, 4]]
    [nails] = form.parts
    assert (nails.name, nails.shape.radius) == ("nails", 0.03)
    assert render(form, 0, size=(64, 48)).std() > 5


def test_faces_of_a_sheet_cover_it_once():
    place = topology.block_positions((4, 5), (1.0, 1.0))
    faces, tones = grid_faces(np.arange(20).reshape(4, 5))
    a, b, c = np.moveaxis(place[faces], 1, 0)
    area = 0.5 * np.cross(b - a, c - a)
    np.testing.assert_allclose(area, np.broadcast_to(area[0], area.shape))  # none turned over
    assert np.abs(area).sum() == pytest.approx(3 * 4)
    assert set(tones) == {0, 1}


def test_faces_around_a_block_close_it():
    place = topology.block_positions((3, 4, 5), 1.0)
    faces, _ = hull_faces(np.arange(60).reshape(3, 4, 5))
    a, b, c = np.moveaxis(place[faces], 1, 0)
    # The theorem of Gauss: the volume, from outward faces.
    assert (np.cross(a, b) * c).sum() / 6 == pytest.approx(2 * 3 * 4)


def test_a_block_is_balls_unless_it_is_declared_a_skin():
    b = NetworkBuilder()
    points = b.masses("brick", topology.block_positions((3, 3, 5), 0.1), mass=0.1)
    b.link("inside", topology.grid(points, (3, 3, 5)), links.spring(10.0))
    form = dress(at_start(b.build()))
    assert form.parts[0].count == 45
    assert form.links[0].count == len(topology.grid(points, (3, 3, 5)).pairs())
    b.look("brick", draw="skin", color=(0.7, 0.3, 0.2))
    form = dress(at_start(b.build()))
    assert len(form.skins[0].faces) == 2 * 2 * (2 * 2 + 2 * 4 + 2 * 4)
    assert form.skins[0].color.tolist() == [0.7, 0.3, 0.2]
    assert not form.parts  # the points and links inside are not seen
    assert not form.links


def test_points_beside_a_cloth_are_balls():
    b = NetworkBuilder()
    places = np.concatenate([topology.block_positions((3, 4), (0.1, 0.1)), [[0.0, 0.0, 1.0]]])
    points = b.masses("cloth", places, mass=0.01, radius=0.02)
    b.link("weave", topology.grid(points[:12], (3, 4)), links.spring(10.0))
    b.link("string", (points[0], points[12]), links.spring(10.0))
    form = dress(at_start(b.build()))
    assert (form.parts[0].name, form.parts[0].count) == ("cloth points", 1)
    np.testing.assert_array_equal(form.parts[0].position[0], places[12:])
    assert [some.name for some in form.links] == ["links string"]


def test_radii_and_colors_of_points():
    b = NetworkBuilder()
    b.masses("grains", [[0, 0, 0], [1, 0, 0]], mass=1.0, radius=[0.1, 0.2])
    b.look("grains", color="height", map=[0.0, 1.0])
    [part] = dress(at_start(b.build())).parts
    np.testing.assert_allclose(part.scales * part.shape.radius, [0.1, 0.2])
    assert part.shades is not None
    assert not part.ghost


def test_links_between_groups_and_their_tensions():
    b = NetworkBuilder()
    nail = b.fixed("nail", [0, 1, 0])
    rope = b.masses("rope", [[0, 0.9, 0], [0, 0.8, 0]], mass=0.01)
    b.link("strand", topology.chain(nail + rope), links.spring(10.0), record=True)
    b.look("strand", color="tension", width=0.02)
    tension = np.array([[0.0, 1.0], [2.0, 3.0]])
    form = dress(at_start(b.build(), extra=[("strand.tension", tension)]))
    assert [(some.name, some.count) for some in form.links] == [("links strand", 1), ("links strand 2", 1)]
    assert [some.shades.values[:, 0].tolist() for some in form.links] == [[0.0, 2.0], [1.0, 3.0]]
    assert form.links[0].radius.tolist() == [0.01]


@pytest.mark.parametrize("record", [True, False])
def test_broken_links_are_not_drawn_where_their_states_are_recorded(record):
    text = "parameters k, limit\nstate whole: k, 0, 0.1\nstate broken final: free\nstate stuck final: k, 0, 0.2\n"
    text += "whole -> broken when d > limit\nwhole -> stuck when d < 0.01"
    b = NetworkBuilder()
    nail = b.fixed("nail", [0, 1, 0])
    rope = b.masses("rope", [[0, 0.9, 0], [0, 0.8, 0], [0, 0.7, 0]], mass=0.01)
    law = Automaton("thread", text).law(k=10.0, limit=0.2)
    b.link("strand", topology.chain(nail + rope), law, record=record)
    state = np.array([[0, 0, 0], [0, 1, 2], [1, 1, 2]], np.int32)
    form = dress(at_start(b.build(), samples=3, extra=[("strand.state", state)] if record else []))
    drawn = [np.isfinite(np.concatenate([some.ends(n) for some in form.links])).all(axis=(1, 2)) for n in range(3)]
    assert np.array_equal(drawn, state != 1 if record else np.full((3, 3), True))
    assert form.links[1].ends(1)[1].tolist() == [[0, 0.8, 0], [0, 0.7, 0]]
    assert render(form, 2, size=(64, 48)).std() > 5


def test_very_many_links_are_not_drawn():
    b = NetworkBuilder()
    rng = np.random.default_rng(0)
    points = b.masses("cloud", rng.normal(size=(90, 3)), mass=1.0)
    b.link("all", topology.agglomerate(points), links.spring(1.0))  # 4005 links
    assert not dress(at_start(b.build())).links
    b.look("all", draw="links")
    assert dress(at_start(b.build())).links[0].count == 4005


def test_what_is_not_to_be_drawn_is_not():
    b = cloth()
    b.look("nails", draw="none")
    form = dress(at_start(b.build()))
    assert not form.parts
    assert not form.links  # a link to what is not seen would end in the air


def test_a_floor_is_the_ground_and_a_table_stands_on_it():
    b = NetworkBuilder()
    points = b.masses("grain", [[0, 1, 0], [0.2, 1, 0]], mass=1.0, radius=0.05)
    b.solid("floor", Box((10, 0.2, 10)), Transform.translation_of(np.array([0, 0.3, 0])), points, law=FLOOR)
    b.solid("ball", Ball(0.2), Transform.translation_of(np.array([0, 0.5, 0])), points, law=FLOOR)
    form = dress(at_start(b.build()))
    assert form.image["ground_height"] == pytest.approx(0.4)
    assert [part.name for part in form.parts if part.fixed] == ["solid ball"]
    b = NetworkBuilder()
    points = b.masses("grain", [[0, 1, 0], [0.2, 1, 0]], mass=1.0, radius=0.05)
    b.solid("table", Box((0.4, 0.2, 0.4)), Transform.translation_of(np.array([0, -0.1, 0])), points, law=FLOOR)
    form = dress(at_start(b.build()))
    assert form.image["ground_height"] == pytest.approx(-0.2)  # not at 0, where the table's top is
    assert form.parts[1].name == "solid table"


@pytest.mark.parametrize("shape", [Box((1, 2, 3)), Ball(0.5), Cylinder(0.5, 2.0), Capsule(0.5, 2.0)])
def test_a_container_is_wires_on_its_surface(shape):
    b = NetworkBuilder()
    points = b.masses("grain", [[0, 0, 0], [0.1, 0, 0]], mass=1.0, radius=0.05)
    b.solid("glass", Hollow(shape), Transform.identity(), points, law=FLOOR)
    glass = dress(at_start(b.build())).parts[1]
    wire = glass.shape.parts[0][0].radius
    for rod, pose in glass.shape.parts:
        ends = pose.point(np.array([[0, -0.5, 0], [0, 0.5, 0]]) * rod.length)
        reach = np.abs(ends) - 0.5 * np.ptp(shape.bounds, axis=0)
        assert reach.max() < 1e-12  # no end is outside
        assert wire < 0.02
    np.testing.assert_allclose(np.ptp(glass.shape.bounds, axis=0), np.ptp(shape.bounds, axis=0) + 2 * wire, atol=1e-12)


def test_a_level_plane_is_the_ground_and_a_slope_is_a_slab():
    level, lean = Transform.translation_of(np.array([0, 0.3, 0])), np.deg2rad(30)
    slope = Transform(rotation_from_euler((0.0, 0.0, lean)), np.zeros(3))
    b = NetworkBuilder()
    points = b.masses("grain", [[0, 1, 0], [0.5, 1, 0]], mass=1.0, radius=0.05)
    b.solid("ground", Plane(), level, points, law=FLOOR)
    b.solid("slope", Plane(), slope, points, law=FLOOR)
    form = dress(at_start(b.build()))
    assert form.image["ground_height"] == 0.3
    [slab] = [part for part in form.parts if part.fixed]
    assert slab.shape.bounds[1][1] == pytest.approx(0.0, abs=1e-15)  # its top is the plane
    assert slab.shape.bounds[1][0] == pytest.approx(0.75)


def test_a_moving_solid_follows_its_channels_where_there_are_some():
    b = NetworkBuilder()
    points = b.masses("grain", [0, 1, 0], mass=1.0, radius=0.05)
    start = Transform.translation_of(np.array([0.0, 0.5, 0.0]))
    b.solid("pusher", Ball(0.2), start, points, law=FLOOR, motion=lambda t: start)
    places = np.array([[0.0, 0.5, 0.0], [0.3, 0.5, 0.0]])
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    extra = [("pusher.position", places), ("pusher.orientation", turns)]
    pusher = dress(at_start(b.build(), extra=extra)).parts[1]
    assert not pusher.fixed
    np.testing.assert_array_equal(pusher.position[:, 0], places)
    pusher = dress(at_start(b.build())).parts[1]
    assert pusher.fixed
    np.testing.assert_array_equal(pusher.position[:, 0], places[[0, 0]])


def test_each_thing_has_its_own_color_and_radius():
    b = NetworkBuilder()
    places = np.concatenate([topology.block_positions((2, 2), (0.1, 0.1)), [[0, 0, 1.0], [0, 0, 2.0]]])
    points = b.masses("net", places, mass=0.01)
    nail = b.fixed("nail", [0, 1, 0])
    b.link("weave", topology.grid(points[:4], (2, 2)), links.spring(10.0))
    b.link("strand", topology.chain(nail + points[4:]), links.spring(10.0))
    tones = np.linspace(0, 1, 18).reshape(6, 3)
    b.look("net", color=tones, radius=[1, 2, 3, 4, 5, 6.0], faces=[[0, 1, 2]])
    with pytest.raises(MotiformError, match=r"\(3,\) or \(1, 3\)"):
        dress(at_start(b.build()))  # one for each point is not one for each triangle
    b.look("net", draw="balls")
    b.look("strand", color=[[1.0, 0, 0], [0, 1.0, 0]], radius=[0.1, 0.2])
    form = dress(at_start(b.build()))
    np.testing.assert_array_equal(form.parts[0].color, tones)
    np.testing.assert_allclose(form.parts[0].scales * form.parts[0].shape.radius, [1, 2, 3, 4, 5, 6])
    other, to_nail = form.links[-2:]
    assert (to_nail.radius.tolist(), to_nail.color.tolist()) == ([0.1], [[1, 0, 0]])
    assert (other.radius.tolist(), other.color.tolist()) == ([0.2], [[0, 1, 0]])


def test_looks_are_said_bit_by_bit_and_move_with_a_module():
    module = NetworkBuilder()
    module.masses("grains", [[0, 0, 0], [1, 0, 0]], mass=1.0)
    module.look("grains", color="height")
    module.look("grains", radius=0.1)
    b = NetworkBuilder()
    b.add("one", module)
    look = b.build().looks["one.grains"]
    assert (look.color, look.radius, look.draw) == ("height", 0.1, None)


@pytest.mark.parametrize(
    ("look", "text"),
    [
        ({"draw": "cubes"}, "`draw` must be one of 'balls', 'skin'"),
        ({"color": "beauty"}, "`color` must be numbers or one of 'speed'"),
        ({"color": (1.0, 0.0, 2.0)}, "from 0 to 1"),
        ({"color": (1.0, 0.0)}, "`color`"),
        ({"map": (1.0, 1.0)}, "two different numbers"),
        ({"map": (1.0, 2.0, 3.0)}, "`map`"),
        ({"radius": -1.0}, "`radius` must be 0 m or more"),
        ({"width": [0.1, 0.2]}, "`width` must be"),
        ({"width": np.nan}, r"not finite|must be finite"),
        ({"faces": [[0.0, 1.0, 2.0]]}, "`faces` must be whole numbers"),
    ],
)
def test_a_wrong_look_is_refused_where_it_is_said(look, text):
    with pytest.raises(InputError, match=text):
        GroupLook(**look)


@pytest.mark.parametrize(
    ("name", "look", "text"),
    [
        ("grains", {"draw": "skin"}, "a skin must have faces"),
        ("grains", {"color": "tension"}, "'speed' or 'height'"),
        ("grains", {"color": "speed"}, "keep_velocity"),
        ("grains", {"radius": [0.1, 0.2, 0.3]}, "one for each"),
        ("strand", {"color": "height"}, "'tension'"),
        ("strand", {"color": "tension"}, "record=True"),
        ("ball", {"color": "speed"}, "must be numbers"),
        ("grain", {"radius": 0.1}, "Did you mean 'grains'"),
    ],
)
def test_a_look_must_fit_what_it_is_of(name, look, text):
    b = NetworkBuilder()
    points = b.masses("grains", [[0, 0, 0], [1, 0, 0]], mass=1.0)
    b.link("strand", (points[0], points[1]), links.spring(1.0))
    b.solid("ball", Ball(0.1), Transform.identity(), points, law=FLOOR)
    b.look(name, **look)
    with pytest.raises(InputError, match=text):
        looks_of(b.build())
