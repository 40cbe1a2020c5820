"""Contact points and contacts: what is made of tags and shapes, and what is refused."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, contact, figures, joints
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Ellipsoid
from motiform.motion.contact.pack import pack_contacts
from motiform.motion.tree.model.segment import SegmentShape

Z = (0.0, 0.0, 1.0)


def two_links(**more):
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute(Z, **more), mass=1.0, shape=Box((0.2, 0.4, 0.6)))
    b.segment("hand", "arm", joints.revolute(Z), placement=Transform.translation_of((0, -0.5, 0)), mass=1.0)
    b.tag("tip", "hand", (0.1, -0.2, 0))
    return b.build()


def test_points_of_tags_have_the_place_of_the_tags():
    figure = two_links()
    (point,) = contact.points_of_tags(figure, ["tip"], radius=0.02, friction=0.4, restitution=0.1)
    assert point == contact.ContactPoint("tip", "hand", (0.1, -0.2, 0), 0.02, "hand", 0.4, 0.1)
    (named,) = contact.points_of_tags(figure, {"palm": ["tip"]})
    assert named.solid == "palm"


def test_points_of_a_figure_with_contact_solids_of_its_own():
    figure = figures.human36()
    points = contact.points_of_tags(figure)
    contacts = contact.Contacts(points, (contact.floor(),))
    assert contacts.solids == tuple(figure.contact_solids)
    assert contacts.point_names == tuple(name for tags in figure.contact_solids.values() for name in tags)
    assert np.abs(contact.contact_gaps(figure, contacts, figure.neutral())).max() < 1e-12
    assert repr(contacts) == "Contacts(8 points of 2 solids, 1 obstacles)"


@pytest.mark.parametrize(
    ("shape", "points"),
    [
        (Ball(0.3), [((0, 0, 0), 0.3)]),
        (Capsule(0.1, 0.6), [((0, 0.3, 0), 0.1), ((0, -0.3, 0), 0.1)]),
        (Box((0.2, 0.4, 0.6)), [((x, y, z), 0) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]),
    ],
)
def test_points_of_shapes(shape, points):
    found = contact.points_of_shape(two_links(), "hand", shape=shape)
    assert [(point.point, point.radius) for point in found] == [
        (pytest.approx(place), pytest.approx(radius)) for place, radius in points
    ]
    assert len({point.name for point in found}) == len(points)


def test_points_of_several_parts_and_of_placed_ones():
    b = FigureBuilder()
    parts = [SegmentShape(Ball(0.1), Transform.translation_of((0, 0.5, 0))), SegmentShape(Ball(0.2))]
    b.segment("doll", None, joints.free(), mass=1.0, shape=parts)
    found = contact.points_of_shape(b.build(), "doll")
    assert [(point.name, point.point, point.radius) for point in found] == [
        ("doll.0", (0, 0.5, 0), 0.1),
        ("doll.1", (0, 0, 0), 0.2),
    ]


def test_friction_and_restitution_of_a_pair():
    """One coefficient that is given counts, of two the geometric mean; of none it does not slide."""
    figure = two_links()
    points = [
        contact.ContactPoint("a", "hand", (0, 0, 0), friction=0.4, restitution=0.2),
        contact.ContactPoint("b", "hand", (0, 0, 0)),
    ]
    ground = [contact.floor(name="rough", friction=0.9, restitution=0.5), contact.floor(name="plain")]
    packed = pack_contacts(figure, contact.Contacts(points, ground))
    assert packed.names == ("a on rough", "a on plain", "b on rough", "b on plain")
    assert packed.friction == pytest.approx([0.6, 0.4, 0.9, np.inf])
    assert packed.restitution == pytest.approx([0.5, 0.2, 0.5, 0.0])


def test_neighbours_do_not_touch_unless_asked():
    figure = two_links()
    points = contact.points_of_tags(figure, ["tip"])
    things = (contact.box((0.2, 0.4, 0.6), name="arm", segment="arm"), contact.floor())
    contacts = contact.Contacts(points, things)
    assert pack_contacts(figure, contacts).names == ("tip on ground",)
    chosen = contacts.replace(pairs=(("tip", "arm"),))
    assert pack_contacts(figure, chosen).names == ("tip on arm",)


def test_limits_are_candidates_with_names():
    figure = two_links(limits=(-1.0, 2.0))
    assert pack_contacts(figure, contact.Contacts()).names == ("arm at its lower limit", "arm at its upper limit")
    assert pack_contacts(figure, contact.Contacts(limits=False)).names == ()


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"point": (0, 0)}, "contact point 'p': point"),
        ({"point": (0, np.nan, 0)}, "contact point 'p': point"),
        ({"point": "here"}, "contact point 'p': point"),
        ({"radius": -1.0}, "radius"),
        ({"radius": np.inf}, "radius"),
        ({"friction": -0.1}, "friction"),
        ({"friction": np.nan}, "friction"),
        ({"restitution": 1.1}, "restitution"),
        ({"restitution": -0.1}, "restitution"),
        ({"restitution": np.nan}, "restitution"),
        ({"friction": "rough"}, "friction"),
        ({"restitution": "soft"}, "restitution"),
    ],
)
def test_impossible_points_are_refused(fields, text):
    with pytest.raises(InputError, match=text):
        contact.ContactPoint(**{"name": "p", "segment": "hand", "point": (0, 0, 0)} | fields)


POINT = contact.ContactPoint("p", "hand", (0, 0, 0))


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"points": (POINT, POINT)}, "every point must have a name of its own"),
        ({"obstacles": (contact.floor(), contact.floor(1.0))}, "every obstacle must have a name of its own"),
        ({"points": ("p",)}, "contact points must be ContactPoint objects"),
        ({"obstacles": ("floor",)}, "obstacles must be Obstacle objects"),
        ({"impact": "elastic"}, "impact must be a known law.*leaving, held"),
        ({"paradox": "ignore"}, "paradox"),
        ({"limit_restitution": 2.0}, "restitution"),
        ({"settle": 0.0}, "settle"),
        ({"settle": np.nan}, "settle"),
        (
            {"points": (POINT,), "obstacles": (contact.floor(),), "pairs": (("q", "ground"),)},
            "no such point or obstacle",
        ),
        ({"points": (POINT,), "obstacles": (contact.floor(),), "pairs": (("p", "grund"),)}, "Did you mean 'ground'"),
    ],
)
def test_impossible_contacts_are_refused(fields, text):
    with pytest.raises(InputError, match=text):
        contact.Contacts(**fields)


def test_unknown_names_are_refused():
    figure = two_links()
    with pytest.raises(InputError, match=r"no such tag.*Did you mean 'tip'"):
        contact.points_of_tags(figure, ["tipp"])
    with pytest.raises(InputError, match="the figure has no contact solids"):
        contact.points_of_tags(figure)
    with pytest.raises(InputError, match="no such segment"):
        contact.points_of_shape(figure, "foot")
    with pytest.raises(InputError, match="has no shape"):
        contact.points_of_shape(figure, "hand")
    with pytest.raises(InputError, match="ball, box, capsule, cylinder, mesh"):
        contact.points_of_shape(figure, "hand", shape=Ellipsoid((0.1, 0.2, 0.3)))
    lost = contact.Contacts((contact.ContactPoint("p", "foot", (0, 0, 0)),), (contact.floor(),))
    with pytest.raises(InputError, match=r"no such segment.*foot"):
        contact.contact_gaps(figure, lost, figure.neutral())
    lost = contact.Contacts((POINT,), (contact.floor(segment="foot"),))
    with pytest.raises(InputError, match=r"no such segment.*foot"):
        contact.contact_gaps(figure, lost, figure.neutral())


def test_obstacles_may_be_one_or_several_or_nested():
    flight = contact.stairs(2, 0.2, 0.3, 1.0)
    contacts = contact.Contacts((POINT,), (flight, contact.floor()))
    assert contacts.obstacle_names == ("stairs.0", "stairs.1", "ground")
    assert contact.Contacts((POINT,), contact.floor()).obstacle_names == ("ground",)


@pytest.mark.parametrize("kind", ["closures", "couplings"])
def test_figures_with_loops_or_couplings_are_refused(kind):
    b = FigureBuilder()
    b.segment("a", None, joints.revolute(Z), mass=1.0, com=(0.2, 0, 0))
    b.segment("b", "a", joints.revolute(Z), placement=Transform.translation_of((0.4, 0, 0)), mass=1.0, com=(0.2, 0, 0))
    if kind == "closures":
        b.close("pin", "b", (0.4, 0, 0), None, (0.4, 0.4, 0), rows="x")
    else:
        b.couple("b", "a", joints.linear(-0.5))
    contacts = contact.Contacts((contact.ContactPoint("p", "b", (0, 0, 0)),), (contact.floor(-2.0),))
    with pytest.raises(InputError, match=f"contacts exclude figures with {kind}"):
        contact.contact_gaps(b.build(), contacts, np.zeros(2 if kind == "closures" else 1))
