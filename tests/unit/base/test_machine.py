"""What does not fit is counted and refused before it is built."""

import numpy as np
import pytest

from motiform.base import machine
from motiform.base.errors import InputError
from motiform.base.machine import check_memory, memory
from motiform.geometry import MassProperties
from motiform.motion.bodies import Body, scatter
from motiform.motion.matter import NetworkBuilder, links, topology

GIB = 2.0**30
HUGE = np.arange(10**6)


@pytest.fixture
def small(monkeypatch):
    """A machine with a gibibyte."""
    monkeypatch.setattr(machine, "memory", lambda: GIB)


def test_memory_is_that_of_the_machine_or_less():
    assert 2.0**28 < memory() < 2.0**50
    check_memory(0.4 * memory(), "this", got="", remedy="")
    with pytest.raises(InputError, match=r"this must fit into half of the memory \(got '2 things, .* GB of .* GB'\)"):
        check_memory(0.6 * memory(), "this", got="2 things", remedy="Less.")


def test_memory_in_use_is_not_there(monkeypatch):
    monkeypatch.setattr(machine, "available", lambda: 1e8)
    check_memory(0.9e8, "this", got="", remedy="")
    with pytest.raises(
        InputError, match=r"this must fit into the memory that is free \(got '2 things, 0.2 GB of 0.1 GB'"
    ):
        check_memory(2e8, "this", got="2 things", remedy="Less.")


def near_all():
    return topology.near(np.arange(20_000), np.random.default_rng(0).random((20_000, 3)), 10.0)


def links_together():
    builder = NetworkBuilder(frequency=1000.0)
    dust = builder.masses("dust", np.random.default_rng(0).random((1400, 3)), mass=1.0)
    for name in ("first", "second"):  # each of them fits
        builder.link(name, topology.agglomerate(dust), links.spring(1.0))
    return builder


def wide_reach():
    builder = NetworkBuilder(frequency=1000.0)
    builder.masses("dust", np.random.default_rng(0).random((20_000, 3)), mass=1.0)
    builder.reach("all", "dust", law=links.elastic_buffer(1.0, 5.0))
    return builder.build()


TOO_LARGE = {
    "agglomerate": lambda: topology.agglomerate(HUGE),
    "cross": lambda: topology.cross(HUGE, HUGE),
    "near": near_all,
    "grid": lambda: topology.grid(np.arange(9 * 10**6), (3000, 3000)).pairs(),
    "plate": lambda: topology.plate(HUGE, (1000, 1000)),
    "points of a grid": lambda: topology.block_positions((3000, 3000), 0.01),
    "line": lambda: topology.line_positions((0, 0, 0), (1, 0, 0), 10**9),
    "two agglomerates": links_together,
    "wide reach": wide_reach,
    "copies": lambda: scatter(Body("b", MassProperties(0.5, np.zeros(3), np.eye(3))), 10**9, (1, 1, 1)),
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_built(small, what):
    with pytest.raises(InputError, match=r"must fit into half of the memory \(got '.*GB of 1.07 GB'\)\. .+"):
        TOO_LARGE[what]()


def test_contacts_with_too_many_candidates_are_refused(small):
    from motiform.motion.contact.memory_checks import check_candidates

    check_candidates(1500)  # 3 · 8 · 4500² bytes
    with pytest.raises(InputError, match=r"1600 candidates, 0\.553 GB of 1\.07 GB"):
        check_candidates(1600)


def test_a_scene_that_is_too_large_is_refused():
    from motiform.base.errors import SceneError
    from motiform.scene import load_scene, parse_scene

    with pytest.raises(SceneError, match="half of the memory"):
        parse_scene(load_scene("balloon").text.replace("count = 6", "count = 1000000"), name="balloon").build()


def test_copies_that_touch_are_counted_before_they_get_names():
    from motiform.base.errors import SceneError
    from motiform.scene import parse_scene

    body = '[[body]]\nname = "b"\nshape = { ball = 0.1, mass = 1 }\ncontact = {}\n'
    copies = "copies = { count = 10000000, box = [1, 1, 1] }\n"
    with pytest.raises(SceneError, match=r"a:4: .*60000000 degrees of freedom, .* GB of .* GB"):
        parse_scene(f'[scene]\ntitle = "a"\nduration = 1\n{body}{copies}', name="a")
