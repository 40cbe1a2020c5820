"""Looks as typed values: what a manifest keeps of them, and what models have."""

import numpy as np
import pytest

from motiform import contact
from motiform.base.errors import InputError, MotiformError
from motiform.form import (
    ColorBy,
    HideBy,
    LinesLook,
    LinksLook,
    Looks,
    PointsLook,
    ShapeLook,
    SkinLook,
    SpringLook,
    dress,
    looks_in,
    looks_of,
    marker_looks,
)
from motiform.form.looks.spring import SpringEnd
from motiform.geometry import Ball, Box, Mesh, Particles
from motiform.motion.bodies import Bodies, Body, Spring
from motiform.motion.coupled.parts import SegmentSolid
from motiform.motion.matter import NetworkBuilder, links
from motiform.motion.tree import FigureBuilder, SegmentShape, joints
from motiform.record import Channel, Recording, open_recording
from motiform.spatial import Transform, rotation_from_euler

RED, STILL = (1.0, 0.0, 0.0), {"at": (0.0, 1.0, 0.0), "turn": (1.0, 0.0, 0.0, 0.0)}
FACES, PAIRS = np.array([[0, 1, 2]]), np.array([[0, 2], [1, 1]], np.int32)
ALL = Looks(
    {
        "mesh": ShapeLook(shape=Box((1, 2, 3)).to_mesh(), color=RED, **STILL, ground=0.5),
        "box": ShapeLook(shape=Box((1, 2, 3)), color=RED, position="b.position", orientation="b.orientation", **STILL),
        "sheet": SkinLook(skin="points", faces=FACES, color=np.array([RED]), two_sided=False),
        "dots": PointsLook(points="points", radius=np.array([0.1, 0.2]), color=RED, pick=np.array([2, 0]), matter=True),
        "speeds": PointsLook(
            points="points",
            radius=0.1,
            color=ColorBy(channel="speed", map=(0.0, 1.0), pick=np.array([1, 1, 0]), colors=np.eye(3)),
        ),
        "heights": PointsLook(points="points", radius=0.1, color=ColorBy(channel="points", axis=0)),
        "rods": LinksLook(
            links=("points", "points"),
            pairs=PAIRS,
            radius=0.1,
            color=ColorBy(channel="speed", pick=np.array([0, 1])),
            gone=HideBy(channel="state", values=(1,), pick=np.array([1, 0])),
        ),
        "lines": LinesLook(lines=("points", "points"), radius=0.1, color=RED, beads=3),
    },
    {"spring 1": SpringLook(ends=(SpringEnd(body=None, at=(0.0, 1.0, 0.0)), SpringEnd(body="b", at=RED)), radius=0.1)},
)


def recording(looks):
    points = np.arange(18.0).reshape(2, 3, 3)
    data = {
        "points": (Channel("points", unit="m", dims=("point", "axis"), shape=(3, 3), rate=10.0), points),
        "speed": (Channel("speed", unit="m/s", dims=("point",), shape=(3,), rate=10.0), points[..., 0]),
        "state": (Channel("state", dims=("link",), shape=(2,), rate=10.0), np.array([[0, 0], [0, 1]])),
        "b.position": (Channel("b.position", unit="m", dims=("axis",), shape=(3,), rate=10.0), points[:, 0]),
        "b.orientation": (
            Channel("b.orientation", dims=("quaternion",), shape=(4,), rate=10.0),
            np.tile([1.0, 0, 0, 0], (2, 1)),
        ),
    }
    return Recording.from_arrays(data, manifest=looks.manifest(), statics=looks.statics())


def drawn(form):
    """All arrays and names of a form."""
    found = [form.times, form.image]
    for part in form.parts:
        found += [part.name, part.shape.describe(), part.offset, part.color, part.position, part.orientation]
        found += [part.fixed, part.points, part.scales, part.ghost]
    for some in form.links:
        found += [some.name, some.first, some.second, some.pairs, some.radius, some.color]
    for skin in form.skins:
        found += [skin.name, skin.vertices, skin.faces, skin.color, skin.two_sided, skin.smooth]
    for some in (*form.parts, *form.links):
        found += (
            [] if some.shades is None else [some.shades.values, some.shades.low, some.shades.high, some.shades.ramp]
        )
    return found


def same(one, other):
    np.testing.assert_equal(drawn(one), drawn(other))


def test_every_look_comes_back_from_a_file(tmp_path):
    rec = recording(ALL)
    rec.save(tmp_path / "a.mf")
    back = looks_in(open_recording(tmp_path / "a.mf"))
    assert back.manifest() == ALL.manifest()
    np.testing.assert_equal(back.statics(), ALL.statics())
    same(dress(open_recording(tmp_path / "a.mf")), dress(rec, ALL))
    rods = dress(rec).links[0]
    assert np.isnan(rods.ends(1)[0]).any()  # column 1 of the states is that of rod 0
    assert not np.isnan(rods.ends(1)[1]).any()


def test_a_manifest_keeps_the_keys_that_it_had():
    form = ALL.manifest()["form"]
    assert form["dots"] == {
        "points": "points", "matter": True, "color": [1, 0, 0], "radius": {"static": "dots.radius"},
        "pick": {"static": "dots.pick"},
    }  # fmt: skip
    assert form["mesh"]["shape"] == {
        "kind": "mesh", "vertices": {"static": "mesh.vertices"}, "faces": {"static": "mesh.faces"}
    }  # fmt: skip
    assert form["box"] == {
        "shape": {"kind": "box", "size": [1, 2, 3]}, "offset": [0, 0, 0], "color": [1, 0, 0], "at": [0, 1, 0],
        "turn": [1, 0, 0, 0], "position": "b.position", "orientation": "b.orientation",
    }  # fmt: skip
    assert form["sheet"]["color"] == {"static": "sheet.colors"}
    assert form["rods"]["color"] == {"channel": "speed", "pick": {"static": "rods.pick"}}
    # Another array has another name.
    assert form["rods"]["gone"] == {"channel": "state", "values": [1], "pick": {"static": "rods.gone.pick"}}
    assert form["heights"]["color"] == {"channel": "points", "axis": 0}
    assert ALL.manifest()["links"] == [
        {"name": "spring 1", "ends": [{"body": None, "at": [0, 1, 0]}, {"body": "b", "at": [1, 0, 0]}], "radius": 0.1}
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"points": "points", "color": [1, 0, 0]}, "thing: `radius` must be given"),
        ({"radius": 0.1, "color": [1, 0, 0]}, "thing: a look must have the key of its kind"),
        ({"shape": {"kind": "bal", "radius": 1}, "color": [1, 0, 0], "at": [0, 0, 0]}, "Did you mean 'ball'"),
        ({"shape": {"kind": "ball", "radius": 1}, "color": [1, 0, 0], "at": [0, 0, 0]}, "`at` and `turn`"),
        ({"points": "points", "radius": 0.1, "color": "red"}, "colors must be three numbers"),
        (
            {"skin": "points", "faces": [[0, 1, 2]], "color": {"channel": "speed"}},
            "`color`: a value must have its type",
        ),
    ],
)
def test_a_wrong_entry_of_a_manifest_is_refused_by_name(entry, text):
    rec = Recording.from_arrays(
        {"points": (Channel("points", unit="m", dims=("point", "axis"), shape=(3, 3), rate=1.0), np.zeros((1, 3, 3)))},
        manifest={"form": {"thing": entry}},
    )
    with pytest.raises(MotiformError, match=text):
        dress(rec)


def test_a_part_that_is_no_look_is_refused():
    with pytest.raises(InputError, match="looks of 'a': a part must have a look"):
        Looks({"a": {"points": "points"}})


def test_the_later_of_two_looks_of_one_name_counts():
    other = Looks({"box": PointsLook(points="points", radius=0.3, color=RED)})
    both = ALL | other
    assert list(both.parts) == list(ALL.parts)
    assert both.parts["box"] is other.parts["box"]
    assert both.springs == ALL.springs


# ---------------------------------------------------------------- models
def test_bodies_are_drawn_about_their_centre_of_mass():
    grains = Particles([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [1, 1, 2])
    body = Body("b", grains.mass_properties(), grains, color=RED)
    looks = looks_of(Bodies((body,), (Spring(None, "b", 10.0, (0, 2, 0), (0, 0, 0)),)))
    look = looks.parts["b"]
    assert (look.position, look.orientation, look.color) == ("b.position", "b.orientation", RED)
    assert look.offset == pytest.approx([-0.25, -0.5, 0])
    assert looks.statics()["b.points"].shape == (3, 3)
    assert looks.springs["spring 1"].ends[1].at == pytest.approx([-0.25, -0.5, 0])


@pytest.fixture
def figure():
    turned = Transform(rotation_from_euler((0.0, 0.0, 0.5)), np.array([0.0, 1.0, 0.0]))
    b = FigureBuilder()
    b.segment("ball", None, joints.free(), mass=1.0, inertia=0.1 * np.eye(3), shape=Ball(0.1), color=RED)
    parts = [
        SegmentShape(Box((1, 1, 1)), Transform.translation_of(np.array([0.0, 0.2, 0.0]))),
        SegmentShape(Ball(0.1), turned),
    ]
    b.segment("arm", "ball", joints.revolute(axis=(0, 0, 1)), mass=1.0, inertia=0.1 * np.eye(3), shape=parts)
    b.segment("bare", "arm", joints.revolute(axis=(0, 0, 1)), mass=1.0, inertia=0.1 * np.eye(3))
    b.tag("tip", "arm", (0.0, 0.3, 0.0))
    b.tag("root", "ball", (0.0, 0.0, 0.0))
    return b.build()


def test_parts_of_a_figure_are_on_its_segments(figure):
    parts = looks_of(figure).parts
    assert list(parts) == ["ball", "arm.1", "arm.2"]
    assert parts["ball"].color == RED
    assert parts["arm.1"].offset == (0.0, 0.2, 0.0)
    assert parts["arm.2"].offset == (0.0, 0.0, 0.0)  # placed in a compound, as it is turned
    assert parts["arm.2"].shape.kind == "compound"
    assert {parts[name].position for name in ("arm.1", "arm.2")} == {"arm.position"}


def test_obstacles_are_drawn_with_their_figure(figure):
    ball = contact.ball(0.3, name="bump", placement=Transform.translation_of(np.array([1.0, 0.0, 0.0])), color=RED)
    shown, bare = (contact.ball(0.1, name=name, segment=name) for name in ("ball", "bare"))
    contacts = contact.Contacts(obstacles=(contact.floor(0.2), ball, shown, bare))
    parts = looks_of(figure, contacts).parts
    assert list(parts)[3:] == ["obstacle ground", "obstacle bump", "obstacle bare"]  # the ball has a shape already
    assert parts["obstacle ground"].ground == pytest.approx(0.2)
    assert (parts["obstacle bump"].at, parts["obstacle bump"].color) == ((1.0, 0.0, 0.0), RED)
    assert parts["obstacle bare"].position == "bare.position"
    with pytest.raises(InputError, match="looks_of\\(figure, contacts\\)"):
        looks_of(contacts)


def test_solids_of_segments_are_drawn_where_they_have_a_color(figure):
    b = NetworkBuilder()
    points = b.masses("grain", [0, 1, 0], mass=1.0, radius=0.05)
    law = links.visco_elastic_buffer(100.0, 0.0)
    solids = [
        SegmentSolid(name, "arm", Ball(0.2), points, law, color=color) for name, color in (("a", RED), ("b", None))
    ]
    assert list(looks_of(figure, b.build(), *solids).parts) == ["ball", "arm.1", "arm.2", "grain", "solid a"]


def test_markers_are_drawn_beside_tags(figure):
    looks = marker_looks(figure)
    assert list(looks.parts) == ["markers", "tags", "errors"]
    assert looks.parts["errors"].lines == ("markers", "tags")
    b = FigureBuilder()
    b.segment("a", None, joints.free(), mass=1.0, inertia=0.1 * np.eye(3))
    b.segment("b", "a", joints.revolute(axis=(0, 0, 1)), mass=1.0, inertia=0.1 * np.eye(3))
    with pytest.raises(InputError, match="must have tags"):
        marker_looks(b.build())
    b.tag("tip", "b", (0.0, 0.3, 0.0))
    assert marker_looks(b.build()).parts["stick b"].lines == ("a.position", "b.position")


def test_what_has_no_looks_is_refused():
    with pytest.raises(InputError, match=r"this type has no looks \(got 'int'; allowed: Bodies, Figure"):
        looks_of(3)


def test_a_mesh_comes_back_as_it_was():
    mesh = looks_in(recording(ALL)).parts["mesh"].shape
    assert isinstance(mesh, Mesh)
    np.testing.assert_array_equal(mesh.vertices, ALL.parts["mesh"].shape.vertices)
