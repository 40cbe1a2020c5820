"""The rules by which networks are built, and what is refused."""

import numpy as np
import pytest

import motiform
from models import stop_after
from motiform.base.errors import InputError, RunError
from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, topology
from motiform.record import open_recording


def rope(n=3):
    b = NetworkBuilder()
    points = b.masses("rope", [[0, -0.1 * k, 0] for k in range(n)], mass=0.1)
    b.link("strand", topology.chain(points), links.spring(200.0, damping=0.2))
    return b, points


def refused(match):
    return pytest.raises(InputError, match=match)


def test_masses_meet_links_and_nothing_else():
    b, points = rope()
    end = b.open_link("hook", points[0], links.spring(50.0, rest=0.1))
    other = b.open_link("other", points[2], links.spring(50.0, rest=0.1))
    nail = b.fixed("nail", [0, 0.1, 0])
    with refused("two M points"):
        b.connect(nail, points[0])
    with refused("two L points"):
        b.connect(end, other)
    with refused("a link cannot be linked with a link"):
        b.link("wrong", (end, nail), links.spring(1.0))
    b.connect(end, nail)
    with refused("takes one mass"):
        b.connect(end, points[1])
    with refused("both ends of a link must be connected.*other"):
        b.build()
    b.connect(points[0], other)
    network = b.build()
    assert [bundle.name for bundle in network.bundles] == ["strand", "hook", "other"]
    np.testing.assert_array_equal(network.bundle("hook").pairs, [[0, 3]])


def test_modules_nest_and_show_points():
    arm = NetworkBuilder()
    chain = arm.masses("chain", [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], mass=0.1)
    arm.link("bones", topology.chain(chain), links.spring(100.0))
    arm.expose("hand", chain[-1])
    grip = arm.open_link("grip", chain[0], links.spring(80.0, rest=0.1))
    arm.expose("shoulder", grip)
    body = NetworkBuilder()
    trunk = body.masses("trunk", [[0, 0, 0]], mass=1.0)
    turn = np.array([[-1.0, 0, 0], [0, 1, 0], [0, 0, -1]])
    left, right = body.add("left", arm, at=[0.1, 0, 0]), body.add("right", arm, at=[-0.1, 0, 0], turn=turn)
    for side in (left, right):
        body.connect(side["shoulder"], trunk)
    man = NetworkBuilder()
    placed = man.add("man", body, at=[0, 1, 0])
    network = man.build()
    assert [g.name for g in network.groups] == ["man.trunk", "man.left.chain", "man.right.chain"]
    np.testing.assert_allclose(network.group("man.right.chain").position[-1], [-0.3, 1, 0])
    np.testing.assert_array_equal(network.bundle("man.right.shoulder").pairs, [[4, 0]])
    np.testing.assert_array_equal(network.bundle("man.right.bones").pairs, [[4, 5], [5, 6]])
    with refused("has no such point"):
        placed["foot"]
    np.testing.assert_array_equal(right["hand"].indices, [6])


def test_module_is_a_network_of_its_own():
    b, _ = rope()
    alone = Engine(b.build())
    whole = NetworkBuilder()
    whole.add("part", b)
    nested = Engine(whole.build())
    for engine in (alone, nested):
        engine.advance(40)
    np.testing.assert_array_equal(alone.state().position, nested.state().position)


def test_bad_points_are_refused():
    b = NetworkBuilder()
    with refused("above 0.*0.0 kg at .1.*fixed or imposed"):
        b.masses("zero", [[0, 0, 0], [1, 0, 0]], mass=[1.0, 0.0])
    with refused("not finite.*nan at"):
        b.masses("nan", [[0, np.nan, 0]], mass=1.0)
    with refused("shape"):
        b.masses("flat", [[0, 1]], mass=1.0)
    with refused("letters of 'xyz'"):
        b.masses("axes", [[0, 0, 0]], mass=1.0, axes="w")
    with refused("along the axes of motion"):
        b.masses("side", [[0, 0, 0]], mass=1.0, axes="y", velocity=[1, 0, 0])
    b.masses("one", [0, 0, 0], mass=1.0)
    with refused("two things have one name"):
        b.masses("one", [0, 0, 0], mass=1.0)
    with refused("the rate of samples must be positive"):
        b.imposed("moved", np.zeros((5, 1, 3)))
    with refused("must have points"):
        NetworkBuilder().build()


def test_bad_links_are_refused():
    b, points = rope()
    with refused("a link must end at existing points.*ropes.*Did you mean 'rope'"):
        b.link("a", ("ropes", points), links.spring(1.0))
    with refused("a link must end at existing points.*point 9"):
        b.link("a", [[0, 9]], links.spring(1.0))
    with refused("must be different points"):
        b.link("a", [[1, 1]], links.spring(1.0))
    with refused("the law must be one of"):
        b.link("a", [[0, 1]], "spring")
    with refused("2 numbers for 1 links"):
        b.link("a", [[0, 1]], links.spring([1.0, 2.0]))
    with refused("damping must not be negative"):
        links.damper(-1.0)
    with refused("zones must be in order of distance"):
        links.zones((1.0, 0.0, 0.1, 0.5), (2.0, 0.0, 0.1, 0.2))
    with refused("the range of the law must be finite"):
        b.reach("r", points, law=links.spring(1.0))
    with refused("friction must have stiffness or damping"):
        Friction(0.5)
    with refused("no distance of rest"):
        links.cohesion(1.0, 10.0, 0.1, 0.5)
    other, theirs = rope()
    with refused("must belong to this network"):
        other.link("mixed", (theirs, points), links.spring(1.0))
    b.masses("twin", [0, 0, 0], mass=1.0)
    b.link("flat", (points[0], "twin"), links.spring(1.0, rest=0.1))
    with refused(r"no length has no direction.*rope\[0\] and twin"):
        b.build()


def test_grid_finds_its_links():
    b = NetworkBuilder()
    points = b.masses("block", topology.block_positions((3, 4, 5), 0.1), mass=1.0)
    grid = topology.grid(points, (3, 4, 5))
    pairs = grid.pairs()
    place = points.position
    lengths = np.linalg.norm(place[pairs[:, 1]] - place[pairs[:, 0]], axis=1)
    # along the axes, and across the six diagonals of faces
    axes = 2 * 4 * 5 + 3 * 3 * 5 + 3 * 4 * 4
    faces = 2 * (2 * 3 * 5 + 2 * 4 * 4 + 3 * 3 * 4)
    assert (np.isclose(lengths, 0.1)).sum() == axes
    assert (np.isclose(lengths, 0.1 * np.sqrt(2))).sum() == faces
    assert len(pairs) == axes + faces == len(np.unique(np.sort(pairs), axis=0))
    with refused("product is 60"):
        topology.grid(points, (3, 4))
    near = topology.near(points, place, 0.1 * np.sqrt(2) + 1e-9)
    np.testing.assert_array_equal(topology.graph(pairs), near)
    assert len(topology.agglomerate(points)) == 60 * 59 // 2
    np.testing.assert_array_equal(topology.loop(points[:3]), [[0, 1], [1, 2], [2, 0]])
    assert len(topology.cross(points[:3], points[5:9])) == 12


def test_imposed_points_follow_their_samples():
    path = np.cumsum(np.random.default_rng(0).normal(0, 1e-3, (40, 2, 3)), axis=0)
    b = NetworkBuilder(gravity=(0, 0, 0))
    b.imposed("hand", path, rate=1050)
    b.imposed("slow", path[:4], rate=105)
    b.imposed("turning", lambda t: [np.cos(t), np.sin(t), 0.0])
    engine = Engine(b.build())
    engine.advance(13)
    place = engine.state().position
    np.testing.assert_array_equal(place[:2], path[13])
    np.testing.assert_allclose(place[2:4], 0.7 * path[1] + 0.3 * path[2], atol=1e-15)
    np.testing.assert_array_equal(place[4], [np.cos(13 / 1050), np.sin(13 / 1050), 0])
    engine.advance(100)
    np.testing.assert_array_equal(engine.state().position[:2], path[-1])


def test_pushes_and_drag_reach_their_closed_forms():
    b = NetworkBuilder(gravity=(0, 0, 0), wind=(2.0, 0, 0))
    leaf = b.masses("leaf", [0, 0, 0], mass=0.01, drag=0.05)
    stone = b.masses("stone", [1, 0, 0], mass=2.0)
    b.push("shove", stone, [0, 3.0, 0])
    engine = Engine(b.build())
    engine.advance(3000)
    speed = engine.state().velocity(1050)
    assert speed[0, 0] == pytest.approx(2 * (1 - (1 - 0.05 / 1050 / 0.01) ** 3000), rel=1e-10)
    assert speed[1, 1] == pytest.approx(3 / 2 * 3000 / 1050, rel=1e-10)
    del leaf


def test_run_that_diverges_stops_and_keeps_its_recording(tmp_path):
    b, points = rope()
    b.fixed("nail", [0, 0.1, 0])
    b.link("hang", ("nail", points[0]), links.spring(1e9))
    network = b.build()
    with refused("hang"):
        motiform.simulate(network, t1=1.0, rate=105)
    with pytest.raises(RunError, match=r"diverged.*|step \d+"):
        motiform.simulate(network, t1=1.0, rate=105, unstable=True, out=tmp_path / "run.mf")
    kept = open_recording(tmp_path / "run.mf")
    assert not kept.complete
    assert np.isfinite(kept["rope.position"]).all()
    assert kept.count("rope.position") >= 1


def test_samples_fall_on_steps():
    b, _ = rope()
    with refused("divides the steps.*Take"):
        motiform.simulate(b.build(), t1=1.0, rate=100)


def test_recording_resumes_to_the_same_bits(tmp_path):
    b, points = rope(8)
    b.reach("self", points, law=links.visco_elastic_buffer(500.0, 0.05, damping=0.1), friction=0.3)
    network = b.build()
    whole = motiform.simulate(network, t1=0.4, rate=105)

    stop = stop_after(0.4)
    from motiform.motion.run import blocks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_PACE", 0.0)
        with pytest.raises(KeyboardInterrupt):
            motiform.simulate(network, t1=0.4, rate=105, out=tmp_path / "run.mf", progress=stop)
    resumed = motiform.simulate(network, t1=0.4, rate=105, out=tmp_path / "run.mf", resume=True)
    assert resumed.complete
    np.testing.assert_array_equal(resumed["rope.position"], whole["rope.position"])


def test_one_way_links_leave_their_driver_alone():
    def pair(acts):
        b = NetworkBuilder()
        heavy = b.masses("heavy", [0, 0, 0], mass=1.0, velocity=[1, 2, 0])
        light = b.masses("light", [0.1, 0, 0], mass=0.5)
        b.link("tie", (heavy, light), links.spring(300.0, damping=1.0), acts=acts)
        engine = Engine(b.build())
        engine.advance(100)
        return engine.state().position

    alone = NetworkBuilder()
    alone.masses("heavy", [0, 0, 0], mass=1.0, velocity=[1, 2, 0])
    engine = Engine(alone.build())
    engine.advance(100)
    np.testing.assert_array_equal(pair("second")[0], engine.state().position[0])
    assert np.abs(pair("both")[0] - pair("second")[0]).max() > 0.01


def test_one_way_reach_leaves_its_drivers_alone():
    def run(acts, with_light=True):
        b = NetworkBuilder(gravity=(0, 0, 0))
        heavy = b.masses("heavy", [[0, 0, 0], [0.2, 0, 0]], mass=1.0, velocity=[0, 0.5, 0], radius=0.05)
        if with_light:
            light = b.masses("light", [[0, 0.12, 0], [0.2, 0.12, 0.01]], mass=0.3, radius=0.05)
            b.reach(
                "push", heavy, light, law=links.visco_elastic_buffer(400.0, 0.0, damping=1.0), acts=acts, friction=0.3
            )
        engine = Engine(b.build())
        engine.advance(150)
        return engine.state().position

    np.testing.assert_array_equal(run("second")[:2], run("both", with_light=False))
    assert np.abs(run("second")[2:] - [[0, 0.12, 0], [0.2, 0.12, 0.01]]).max() > 0.01
    assert np.abs(run("both")[:2] - run("second")[:2]).max() > 1e-3
    b = NetworkBuilder()
    both = b.masses("both", [[0, 0, 0], [1, 0, 0]], mass=1.0)
    with refused("of two sets"):
        b.reach("self", both, law=links.elastic_buffer(1.0, 0.1), acts="second")
    with refused("must not overlap"):
        b.reach("self", both, both[1:], law=links.elastic_buffer(1.0, 0.1), acts="second")


def test_volume_is_filled():
    from motiform.geometry import Ball, fill_points

    places = fill_points(Ball(0.5), spacing=0.1)
    assert np.linalg.norm(places, axis=1).max() <= 0.5
    # cells are inside by their centres: off by at most half of those that the surface cuts
    assert abs(len(places) - 4 / 3 * np.pi * 0.5**3 / 0.1**3) < 0.5 * 4 * np.pi * 0.5**2 / 0.1**2
    pairs = topology.near(np.arange(len(places)), places, 0.1001)
    np.testing.assert_allclose(np.linalg.norm(places[pairs[:, 1]] - places[pairs[:, 0]], axis=1), 0.1, rtol=1e-9)


def test_signal_that_fails_is_reported_with_its_instant():
    b = NetworkBuilder()
    b.imposed("hand", lambda t: [0.0, np.nan if t > 0.01 else 0.0, 0.0])
    engine = Engine(b.build())
    with pytest.raises(RunError, match=r"t = 0.0104762 s: a signal returned numbers that are not finite"):
        engine.advance(20)
    b = NetworkBuilder()
    b.imposed("hand", lambda t: [0.0, 0.0, 0.0] if t < 0.01 else [0.0])
    with refused(r"a signal returned a wrong value .got .0\.0."):
        Engine(b.build()).advance(20)


def test_cohesion_that_collapses_is_reported():
    from motiform.motion.matter import assess_network

    def notes(attraction, outer):
        b = NetworkBuilder()
        drop = b.masses("drop", topology.block_positions((4, 4), (0.02, 0.02)), mass=0.01, axes="xy")
        b.reach("cohere", drop, law=links.cohesion(200.0, attraction, 0.0212, outer))
        return str(assess_network(b.build()))

    assert "attracts more than it repels" in notes(24.0, 0.038)
    assert "attracts more than it repels" not in notes(2.0, 0.03)


def test_modules_and_options_that_do_not_fit_are_refused():
    b, points = rope()
    with refused("another NetworkBuilder"):
        b.add("self", b)
    with refused("another NetworkBuilder"):
        b.add("built", rope()[0].build())
    with refused("a rotation matrix"):
        b.add("stretched", rope()[0], turn=np.diag([2.0, 1, 1]))
    along = NetworkBuilder()
    ball = along.masses("ball", [0, 0, 0], mass=1.0)
    along.push("shove", ball, [1.0, 0, 0])
    with refused("axes of the world.*shove"):
        b.add("turned", along, turn=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    with refused("must act at some distance"):
        b.reach("touch", points, law=links.elastic_buffer(1.0, 0.0))
    with refused("three numbers each"):
        NetworkBuilder(wind=(1.0,))
    with refused("position"):
        b.masses("text", "x", mass=1.0)
    with refused("step of a network is its own"):
        motiform.simulate(rope()[0].build(), t1=0.1, step=0.1)


def test_grains_at_one_place_are_refused():
    b = NetworkBuilder()
    b.masses("grains", [[0, 0, 0], [1, 0, 0], [0, 0, 0]], 1.0, radius=0.1)
    b.reach("touch", "grains", law=links.elastic_buffer(10.0, 0.0))
    with refused(r"different places.*grains\[0\] and grains\[2\] at one place"):
        b.build()
    c = NetworkBuilder()  # those of one body do not meet, nor do fixed points
    two, nails = c.masses("two", [[0, 0, 0], [0, 0, 0]], 1.0, radius=0.1), c.fixed("nails", [[1, 0, 0], [1, 0, 0]])
    c.reach("touch", two + nails, law=links.elastic_buffer(10.0, 0.0), apart=[two])
    c.build()


def test_a_filled_ring_is_even_and_numbered_by_angle():
    place = topology.ring_positions(2.0, 3000, (1, 0, 0), (0, 0, 1), inner=1.0) - (1, 0, 0)
    r, angle = np.hypot(place[:, 0], place[:, 1]), np.arctan2(place[:, 1], place[:, 0]) % (2 * np.pi)
    assert (r > 1.0).all()
    assert (r < 2.0).all()
    turn = np.unwrap(angle)
    assert (np.diff(turn) >= 0).all() or (np.diff(turn) <= 0).all()
    share = np.histogram(r**2, 10, (1, 4))[0]  # equal areas
    assert np.ptp(share) <= 1
    with pytest.raises(InputError, match="inner radius of a ring must be below"):
        topology.ring_positions(1.0, 5, inner=1.0)
