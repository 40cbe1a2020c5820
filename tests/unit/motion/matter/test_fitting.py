"""Networks whose arrays do not fit one another are refused: compiled functions that take them check no bounds."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import Plane
from motiform.motion.matter import NetworkBuilder, links, topology
from motiform.spatial import Transform

BUFFER = links.elastic_buffer(10.0, 0.05)


def network():
    b = NetworkBuilder()
    cloth = b.masses("cloth", topology.block_positions((3, 4), 0.1), 0.1)
    dust = b.masses("dust", [[0, 1, 0], [0, 2, 0]], 0.1, radius=0.02)
    b.link("threads", topology.grid(cloth, (3, 4)), links.spring(10.0, rest=0.1))
    b.piston("pump", [[(0, 12)], [(1, 13)]], "xy", stiffness=1.0, rest=0.0)
    b.reach("bounce", cloth, dust, law=BUFFER)
    b.solid("ground", Plane(), Transform.identity(), dust, law=BUFFER)
    b.push("push", dust, (0, 1, 0))
    b.expose("end", dust[:1])
    return b.build()


def changed(part, key, value):
    """The network with one field of the first of its groups, bundles, … changed."""
    one = network()
    first, *others = getattr(one, part)
    return replace(one, **{part: (replace(first, **{key: value(getattr(first, key))}), *others)})


def beyond(points):
    found = points.copy()
    found.flat[-1] = 14
    return found


def below(points):
    found = points.copy()
    found.flat[0] = -1
    return found


def test_what_the_builder_makes_fits():
    assert network().count == 14


@pytest.mark.parametrize("key", ["velocity", "mass", "free", "drag", "radius"])
@pytest.mark.parametrize("value", [lambda x: x[:-1], lambda x: x[None], lambda x: np.concatenate([x, x[-1:]])])
def test_groups_have_a_row_for_each_point(key, value):
    with pytest.raises(InputError, match=f"group 'cloth': {key} has the wrong shape"):
        changed("groups", key, value)


@pytest.mark.parametrize(
    ("part", "key", "value", "text"),
    [
        ("groups", "first", lambda n: n + 1, "groups must follow one another"),
        ("bundles", "pairs", beyond, "bundle 'threads': pairs is out of range .*0 to 14.* from 0 to 13"),
        ("bundles", "pairs", below, "pairs is out of range"),
        ("bundles", "pairs", lambda x: x.astype(float), "pairs is out of range"),
        ("bundles", "pairs", lambda x: x[:-1], "a grid must be of the links of its bundle"),
        ("bundles", "grid", lambda g: replace(g, points=g.points + 3), "points of the grid is out of range"),
        ("bundles", "grid", lambda g: replace(g, points=g.points[::-1]), "a grid must be of the links"),
        ("pistons", "pairs", beyond, "piston 'pump': pairs is out of range"),
        ("pistons", "axes", lambda x: x[:-1], "pairs has the wrong shape"),
        ("pistons", "axes", lambda x: x + 2, "axes is out of range"),
        ("reaches", "role", lambda x: x[:-1], "reach 'bounce': role has the wrong shape"),
        ("reaches", "body", lambda x: x[:0], "body has the wrong shape"),
        ("reaches", "points", beyond, "points is out of range"),
        ("reaches", "points", lambda x: x[::-1], "points must rise"),
        ("solids", "points", beyond, "solid 'ground': points is out of range"),
        ("inputs", "points", below, "input 'push': points is out of range"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(part, key, value, text):
    with pytest.raises(InputError, match=text):
        changed(part, key, value)


def test_exposed_points_are_there():
    with pytest.raises(InputError, match="exposed points 'end': points is out of range"):
        replace(network(), exposed={"end": np.array([20])})
