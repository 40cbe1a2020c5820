"""Networks of the engine as linear networks along an axis: every kind of link, at a state."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.geometry import Ball
from motiform.motion.matter import Engine, Friction, NetworkBuilder, NetworkState, links, topology
from motiform.motion.matter.coupling import GROUND, Port, cell, impedance, impedance_of, influence, linearise
from motiform.motion.matter.engine.columns import CUTS
from motiform.motion.matter.engine.meters import potential_energy
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.model.points import find_points
from motiform.spatial import Transform, exp_rotation


def row(**options):
    b = NetworkBuilder(gravity=(0, 0, 0))
    wall = b.fixed("wall", [0, 0, 0])
    beads = b.masses("beads", [[1.0, 0, 0], [2.0, 0, 0]], [1.0, 3.0], **options)
    b.link("string", topology.chain(wall + beads), links.spring([10.0, 20.0], damping=[1.0, 2.0]))
    return b


def test_a_chain_keeps_masses_links_and_names():
    found = linearise(row().build())
    assert found.names == ("beads[0]", "beads[1]")
    assert found.mass.tolist() == [1.0, 3.0]
    assert (found.a.tolist(), found.b.tolist()) == ([GROUND, 0], [0, 1])
    assert found.stiffness.tolist() == [10.0, 20.0]
    assert found.damping.tolist() == [1.0, 2.0]


def test_links_across_the_axis_do_nothing():
    assert linearise(row().build(), axis="y").links == 0


def test_an_oblique_link_is_projected():
    b = NetworkBuilder()
    nail, bead = b.fixed("nail", [0, 0, 0]), b.masses("bead", [3.0, 4.0, 0], 1.0)
    b.link("rod", (nail, bead), links.spring(25.0, damping=50.0))
    net = b.build()
    for axis, share in (("x", 9 / 25), ("y", 16 / 25), ("z", 0.0), ((3, 4, 0), 1.0), ((4, -3, 0), 0.0)):
        found = linearise(net, axis=axis)
        k = found.matrices[1].toarray()[0, 0]
        assert k == pytest.approx(25 * share, abs=1e-12)  # rounding of the direction
        assert found.matrices[2].toarray()[0, 0] == pytest.approx(50 * share, abs=1e-12)


def tangle(seed=3):
    """A network of slack and taut springs in space, with links along axes and links by range."""
    rng = np.random.default_rng(seed)
    b = NetworkBuilder(gravity=(0, 0, 0))
    nails = b.fixed("nails", rng.normal(0, 1, (3, 3)))
    beads = b.masses("beads", rng.normal(0, 1, (6, 3)), rng.uniform(1, 2, 6), radius=0.3)
    b.link("web", topology.agglomerate(beads.indices), links.spring(rng.uniform(5, 9, 15), rest=0.8))
    b.link("ties", (nails, beads[:3]), links.spring(12.0, rest=2.0))
    b.link("up", topology.chain(beads.indices), links.spring(3.0, rest=0.1), axis="y")
    b.reach("touch", beads, law=links.elastic_buffer(40.0, 0.5))
    return b.build()


@pytest.mark.parametrize("axis", ["x", "y", (1.0, -2.0, 0.5)])
def test_stiffness_is_the_second_derivative_of_the_energy(axis):
    """K of all masses against differences of the potential energy, with what tension does across links."""
    net = tangle()
    state = net.initial_state()
    found = linearise(net, axis=axis, geometric=True).matrices[1].toarray()
    e = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.array(axis) / np.linalg.norm(axis)
    h, beads = 1e-4, net.group("beads").indices

    def energy(*moves):
        x = state.position.copy()
        for bead, by in moves:
            x[beads[bead]] += by * e
        return potential_energy(net, NetworkState(x, x))

    for i in range(6):
        for j in range(6):
            signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
            second = sum(s * t * energy((i, s * h), (j, t * h)) for s, t in signs) / (4 * h * h)
            # energies of some 100 J are rounded to 1e-14, over 4h² = 4e-8; the next term is h² d⁴E of order 1e-6
            assert second == pytest.approx(found[i, j], abs=1e-4)


def turned_web(R, seed=5):
    """Springs and dampers in space between three nails and four beads, turned by R, with drag."""
    rng = np.random.default_rng(seed)
    nails, beads = rng.normal(0, 1, (3, 3)) @ R.T, rng.normal(0, 1, (4, 3)) @ R.T
    b = NetworkBuilder(gravity=(0, 0, 0))
    held = b.fixed("nails", nails)
    free = b.masses("beads", beads, rng.uniform(1, 2, 4), drag=0.3)
    b.link("web", topology.agglomerate(free.indices), links.spring(rng.uniform(5, 9, 6), rest=0.8, damping=0.2))
    b.link("ties", (held, free[:3]), links.spring(12.0, rest=2.0))
    return b.build()


W = np.array([0.3, 1.0, 3.0, 10.0])


@pytest.mark.parametrize("geometric", [False, True])
@pytest.mark.parametrize("step", [None, 1e-3])
def test_the_impedance_in_space_turns_with_the_network(geometric, step):
    R = exp_rotation(np.array([0.4, -1.0, 0.7]))
    options = {"axis": "xyz", "geometric": geometric, "step": step}
    plain, turned = (impedance_of(turned_web(Q), "beads[2]", W, **options) for Q in (np.eye(3), R))
    # a solution of twelve equations with a condition number below 1e4 or so: 1e-10
    assert_allclose(turned, R @ plain @ R.T, rtol=0, atol=1e-10 * np.abs(plain).max())
    assert_allclose(plain, np.swapaxes(plain, 1, 2), rtol=0, atol=1e-10 * np.abs(plain).max())
    along = [impedance_of(turned_web(Q), "beads[2]", W, axis="x") for Q in (np.eye(3), R)]
    assert np.abs(along[0] / along[1] - 1).max() > 0.1  # along one axis of the world it does not


def test_the_impedance_in_space_is_the_matrix_of_the_energy():
    """jω M + K/jω + Z, K the second derivatives of the energy, reduced to the point."""
    net = turned_web(np.eye(3))
    state, beads, h = net.initial_state(), net.group("beads").indices, 1e-4

    def energy(*moves):
        x = state.position.copy()
        for (bead, k), by in moves:
            x[beads[bead], k] += by
        return potential_energy(net, NetworkState(x, x))

    dofs = [(bead, k) for bead in range(4) for k in range(3)]
    signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    K = np.array([[sum(s * t * energy((i, s * h), (j, t * h)) for s, t in signs) / (4 * h * h) for j in dofs]
                  for i in dofs])  # fmt: skip
    undamped = net.replace(
        groups=tuple(replace(g, drag=0 * np.asarray(g.drag)) for g in net.groups),
        bundles=tuple(replace(one, law=links.spring(one.law.rows(one.count, np.zeros(one.count))[:, CUTS], rest=rest))
                      for one, rest in zip(net.bundles, (0.8, 2.0), strict=True)),
    )  # fmt: skip
    mass = np.repeat(np.asarray(net.mass)[beads], 3)
    for w in W:
        inverse = np.linalg.inv(1j * w * np.diag(mass) + K / (1j * w))
        wanted = np.linalg.inv(inverse[6:9, 6:9])
        found = impedance_of(undamped, "beads[2]", w, axis="xyz", geometric=True)
        assert_allclose(found, wanted, rtol=1e-3, atol=1e-3 * np.abs(wanted).max())


def test_the_verdict_in_space_does_not_depend_on_the_axes():
    """A heavy web and a light one that meet at a point, in two frames. [Habibi97 3.23]"""
    R, found = exp_rotation(np.array([0.4, -1.0, 0.7])), []
    for Q in (np.eye(3), R):
        heavy, light = (impedance_of(turned_web(Q, seed), "beads[2]", W, axis="xyz") for seed in (5, 6))
        found.append(influence(Port(W, heavy), Port(W, 1e-3 * light)))
    assert_allclose(found[0].on_a, found[1].on_a, rtol=1e-8)
    assert_allclose(found[0].on_b, found[1].on_b, rtol=1e-8)
    assert found[0].verdict == found[1].verdict == "a drives b"
    same = np.tile(np.eye(3), (4, 1, 1))
    assert_allclose(influence(Port(W, 4.0 * same), Port(W, same)).on_b, 4.0)
    with pytest.raises(InputError, match="a matrix for each frequency"):
        Port(W, same, np.ones(4))
    with pytest.raises(InputError, match="a matrix for each frequency"):
        Port(W, same[:2])
    with pytest.raises(InputError, match="or both in space"):
        influence(Port(W, same), Port(W, np.ones(4)))


def test_a_guided_mass_cannot_be_moved_across():
    b = NetworkBuilder(gravity=(0, 0, 0))
    nail, bead = b.fixed("nail", [0, 0, 0]), b.masses("bead", [3.0, 4.0, 0], 2.0, axes="xy")
    b.link("rod", (nail, bead), links.spring(25.0, damping=5.0))
    found = impedance_of(b.build(), "bead", 2.0, axis="xyz")
    u = np.array([0.6, 0.8])
    assert_allclose(found[:2, :2], 2j * 2.0 * np.eye(2) + (25.0 / 2j + 5.0) * np.outer(u, u), atol=1e-12)
    assert np.isinf(found[2, 2])
    assert (found[2, :2] == 0).all()
    assert np.isinf(impedance_of(b.build(), "nail", 2.0, axis="xyz").diagonal()).all()


def buffer():
    b = NetworkBuilder(gravity=(0, 0, 0))
    nail, bead = b.fixed("nail", [0, 0, 0]), b.masses("bead", [1.0, 0, 0], 1.0)
    b.link("stop", (nail, bead), links.visco_elastic_buffer(100.0, 0.5, damping=4.0))
    return b.build()


def at(net, x):
    position = net.initial_state().position.copy()
    position[-1] = x
    return NetworkState(position, position)


def test_zones_follow_the_state_or_what_is_given():
    net = buffer()
    assert linearise(net).links == 0
    inside = linearise(net, at(net, (0.3, 0, 0)))
    assert inside.stiffness.tolist() == [100.0]
    assert inside.damping.tolist() == [4.0]
    assert linearise(net, active={"stop": 0}).stiffness.tolist() == [100.0]
    assert linearise(net, active="strongest").stiffness.tolist() == [100.0]
    assert linearise(net, at(net, (0.3, 0, 0)), active={"stop": [1]}).links == 0
    assert linearise(net, at(net, (0.3, 0, 0)), active={"stop": False}).links == 0


def test_links_along_axes_and_masses_that_stay_on_one():
    b = NetworkBuilder()
    nail = b.fixed("nail", [0, 0, 0])
    free, guided = b.masses("free", [1.0, 0, 0], 1.0), b.masses("guided", [2.0, 0, 0], 2.0, axes="y")
    b.link("a", (nail, free), links.spring(5.0), axis="x")
    b.link("b", (free, guided), links.spring(7.0))
    along = linearise(b.build())
    assert along.names == ("free",)
    assert_allclose(sorted(along.stiffness), [5.0, 7.0])  # the guided mass is ground for it
    assert linearise(b.build(), axis="y").names == ("free", "guided")
    assert linearise(b.build(), axis=(1, 1, 0)).names == ("free",)  # the other cannot go that way


@pytest.mark.parametrize(("acts", "felt"), [("both", (0, 1)), ("first", (0, GROUND)), ("second", (GROUND, 1))])
def test_a_link_that_acts_one_way_is_tied_to_the_ground_there(acts, felt):
    b = NetworkBuilder()
    one, two = b.masses("one", [0.0, 0, 0], 1.0), b.masses("two", [1.0, 0, 0], 1.0)
    b.link("pull", (one, two), links.spring(5.0), acts=acts)
    found = linearise(b.build())
    assert (found.a[0], found.b[0]) == felt


def test_a_piston_is_one_spring_of_the_sum_of_its_lengths():
    b = NetworkBuilder()
    points = b.masses("points", [[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]], 1.0)
    pairs = (points[:1], points[1:2]), (points[1:2], points[2:])
    b.piston("pump", pairs, ["x", "x"], stiffness=6.0, damping=2.0, rest=2.0)
    b.piston("bent", pairs, ["x", "y"], stiffness=5.0, rest=1.0)
    found = linearise(b.build())
    g, h = np.array([-1.0, 0, 1]), np.array([-1.0, 1, 0])  # how lengths change with each point along x
    assert_allclose(found.matrices[1].toarray(), 6 * np.outer(g, g) + 5 * np.outer(h, h), atol=1e-12)
    assert_allclose(found.matrices[2].toarray(), 2 * np.outer(g, g), atol=1e-12)


def test_reach_friction_solids_and_drag():
    b = NetworkBuilder()
    balls = b.masses("balls", [[0.0, 0, 0], [0.9, 0, 0], [5.0, 0, 0]], 1.0, radius=0.5, drag=0.25)
    b.reach("touch", balls, law=links.visco_elastic_buffer(100.0, 0.0, damping=3.0), friction=Friction(0.5, 40.0, 1.0))
    b.solid("stone", Ball(1.0), Transform(np.eye(3), (-1.45, 0, 0)), balls, law=links.elastic_buffer(70.0, 0.0))
    net = b.build()
    along, across = linearise(net), linearise(net, axis="y")
    K, Z = (matrix.toarray() for matrix in along.matrices[1:])
    assert_allclose(K, [[170.0, -100, 0], [-100, 100, 0], [0, 0, 0]], atol=1e-12)
    assert_allclose(Z, [[3.25, -3, 0], [-3, 3.25, 0], [0, 0, 0.25]], atol=1e-12)
    assert_allclose(across.matrices[1].toarray(), [[40.0, -40, 0], [-40, 40, 0], [0, 0, 0]], atol=1e-12)


BREAKING = """
    parameters stiffness, limit
    memory rest = start
    state whole: stiffness, 2, rest
    state broken final: free
    whole -> broken when d > limit
"""


def test_automata_are_in_the_state_that_an_engine_has():
    b = NetworkBuilder(gravity=(0, 0, 0))
    nail = b.fixed("nail", [0, 0, 0])
    bead = b.masses("bead", [[1.0, 0, 0], [0.6, 0.8, 0]], 1.0, velocity=[[3.0, 0, 0], [0, 0, 0]])
    b.link("thread", (nail, bead), Automaton("breaking", BREAKING).law(stiffness=9.0, limit=1.2))
    net = b.build()
    assert_allclose(linearise(net).matrices[1].diagonal(), [9.0, 3.24])
    assert_allclose(linearise(net, active={"thread": "broken"}).matrices[1].diagonal(), 0)
    engine = Engine(net)
    engine.advance(200)  # the first bead is 0.2 m farther after 0.07 s
    assert_allclose(linearise(net, engine).matrices[1].diagonal(), [0.0, 3.24], atol=1e-12)
    with pytest.raises(InputError, match=r"no such state .*Did you mean 'broken'"):
        linearise(net, active={"thread": "brokn"})


def test_impedance_of_a_point_is_that_of_the_cell():
    b = NetworkBuilder(gravity=(0, 0, 0))
    nail, bead = b.fixed("nail", [0, 0, 0]), b.masses("bead", [0, 1.0, 0], 2.0)
    b.link("tie", (nail, bead), links.spring(50.0, damping=3.0))
    b.expose("top", bead)
    net, w = b.build(), np.geomspace(0.1, 1000, 50)
    for point in ("bead", "top", "bead[0]", 1):
        for step in (None, net.step):
            assert_allclose(impedance_of(net, point, w, axis="y", step=step), impedance(cell(2, 50, 3), 0, w, step))
    assert np.isinf(impedance_of(net, "nail", w)).all()


def test_points_are_found_by_name_number_and_list():
    net = tangle()
    assert find_points(net, ["beads[2]", "nails"]).tolist() == [0, 1, 2, 5]
    assert find_points(net, [4, 3, 4]).tolist() == [3, 4]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda n: linearise(n, axis="w"), "axis .*got 'w'"),
        (lambda n: linearise(n, axis=(0, 0, 0)), "axis"),
        (lambda n: linearise(n, active={"wbe": 0}), "no such links .*Did you mean 'web'"),
        (lambda n: linearise(n, active={"web": 1}), "no such zone or state"),
        (lambda n: linearise(n, active={"web": [0, 0]}), "no such zone or state"),
        (lambda n: linearise(n, active="all"), "active"),
        (
            lambda n: linearise(n, NetworkState(np.zeros((2, 3)), np.zeros((2, 3)))),
            "the state must have the points of the network",
        ),
        (lambda n: impedance_of(n, "bead[0]", 1.0), "no such points .*Did you mean 'beads'"),
        (lambda n: impedance_of(n, "beads[6]", 1.0), r"no such point .*beads\[0\] to beads\[5\]"),
        (lambda n: impedance_of(n, "beads", 1.0), "a single point is needed"),
        (lambda n: impedance_of(n, 99, 1.0), "no such point"),
        (lambda n: find_points(n, []), "points must be names or indices"),
        (lambda n: find_points(n, 1.5), "points must be names or indices"),
    ],
)
def test_bad_questions_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call(tangle())


def test_a_network_that_cannot_move_is_reported():
    b = NetworkBuilder()
    b.masses("bead", [0, 0, 0], 1.0, axes="y")
    with pytest.raises(InputError, match="no mass moves along the axis"):
        linearise(b.build())
