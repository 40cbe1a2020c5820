"""Solids that points push against: forces against the plain formula, masks, wrenches, memory, what is refused."""

import numpy as np
import pytest

from crowds import BUFFER, HERE, cloud, crowd, moved
from motiform.base.errors import InputError, RunError
from motiform.base.kernels import get_device, threads
from motiform.geometry import Ball, Box, Capsule, Compound, Hollow, Plane
from motiform.geometry.search.closest import pack_solids, signed_distance
from motiform.motion.matter import Engine, Friction, NetworkBuilder, Zone, links
from motiform.motion.matter.laws.links import ZoneLaw
from motiform.motion.matter.model.solids import DeviceSolids
from motiform.spatial import Transform, random_rotation

EPS = np.finfo(float).eps


def act(network, wrenches=True):
    """Return the solids after one act at the start, and the forces (points, 3)."""
    device = get_device("cpu")
    solids = DeviceSolids(device, network, 0, wrenches=wrenches)
    state = network.initial_state()
    forces = np.zeros((3, network.count))
    solids.act(0, np.ascontiguousarray(state.position.T), np.ascontiguousarray(state.previous.T), forces)
    return solids, forces.T


def shapes(rng):
    parts = Compound(((Ball(0.3), HERE), (Box((0.2, 0.9, 0.2)), Transform.translation_of((0.2, 0.3, 0)))))
    found = [Plane(), Ball(0.7), Box((0.8, 0.5, 1.1)), Capsule(0.3, 0.8), Box((0.7, 0.9, 0.8)).to_mesh(), parts]
    found.append(Hollow(Ball(1.2)))
    return [
        (shape, Transform(R, 0.2 * rng.normal(size=3))) for shape, R in zip(found, random_rotation(rng, 7), strict=True)
    ]


class TestForces:
    @pytest.mark.parametrize("n", range(7))
    def test_follow_from_gap_and_rate(self, n):
        """−t n, t the law of the gap and of the relative velocity along n: a few roundings of numbers below 1 m."""
        shape, pose = shapes(np.random.default_rng(2))[n]
        b, points = cloud(1500)
        b.solid("solid", shape, pose, points, law=BUFFER)
        network = b.build()
        _, forces = act(network)
        state = network.initial_state()
        d, normal, found = signed_distance(pack_solids([(shape, pose)]), state.position)
        assert (found == 0).all()
        gap, rate = d - network.radius, (state.velocity(network.frequency) * normal).sum(1)
        expected = -BUFFER.tension(gap, rate)[:, None] * normal
        assert (np.abs(expected) > 0).any(axis=1).sum() > 20
        # Stiffness times a distance that 100 roundings of at most 2 m made, damping times a speed likewise.
        bound = 100 * EPS * (400.0 * 2 + 3.0 * 2 * network.frequency)
        np.testing.assert_allclose(forces, expected, atol=bound, rtol=0)

    def test_solid_that_moves_counts_its_own_velocity(self):
        """Rate and slip are those against the place of the solid that is where the point is."""
        b, points = cloud()
        box = Box((1.0, 1.2, 0.9))
        law, rub = links.zones(Zone(0.0, 5.0, 0.0, 0.0), Zone()), Friction(1e9, damping=2.0)
        b.solid("box", box, HERE, points, law=law, friction=rub, motion=moved)
        network = b.build()
        _, forces = act(network)
        state, te = network.initial_state(), network.step
        d, normal, _ = signed_distance(pack_solids([(box, moved(0.0))]), state.position)
        was = moved(-te).point(moved(0.0).inverse().point(state.position))
        slip = (was - state.previous) / te
        along = (slip * normal).sum(1, keepdims=True) * normal
        inside = (d - network.radius < 0)[:, None]
        expected = np.where(inside, -5.0 * along - 2.0 * (slip - along), 0.0)
        assert inside.sum() > 50
        np.testing.assert_allclose(forces, expected, atol=100 * EPS * 2 * 7.0 * network.frequency, rtol=0)

    def test_only_points_of_a_solid_meet_it(self):
        b = NetworkBuilder(gravity=(0, 0, 0))
        points = b.masses("p", np.tile([0.0, -0.1, 0.0], (4, 1)) + np.eye(4, 3) * 0.01, 1.0)
        b.solid("one", Plane(), HERE, points[[0, 1]], law=links.elastic_buffer(100.0, 0.0))
        b.solid(
            "two", Plane(), Transform.translation_of((0, 0.1, 0)), points[[1, 2]], law=links.elastic_buffer(10.0, 0.0)
        )
        solids, forces = act(b.build())
        assert forces[:, 1] == pytest.approx([10.0, 9.0 + 1.9, 2.0, 0.0], rel=1e-12)
        assert not forces[:, [0, 2]].any()
        assert solids.contact_forces()[:, :, 1] == pytest.approx(np.array([[10, 9, 0], [0, 1.9, 2]]), rel=1e-12)
        assert list(solids.points) == [0, 1, 2]

    def test_wrenches_are_the_sums(self):
        rng = np.random.default_rng(4)
        b, points = cloud(3000)
        for n, (shape, pose) in enumerate(shapes(rng)):
            b.solid(f"s{n}", shape, pose, points, law=BUFFER, friction=Friction(0.4, damping=1.0))
        network = b.build()
        solids, forces = act(network)
        own, felt = solids.contact_forces(), solids.solid_wrenches()
        np.testing.assert_allclose(own.sum(0), forces[solids.points], atol=1e-11)
        arms = network.initial_state().position[None] - solids.poses[:, None, 9:]
        # 3000 terms of at most 400 N and 400 N · 4 m: 3000 roundings of the largest partial sum.
        bound = 3000 * EPS * np.abs(own).sum((1, 2)).max() * 4
        np.testing.assert_allclose(felt[:, 3:], -own.sum(1), atol=bound)
        np.testing.assert_allclose(felt[:, :3], -np.cross(arms, own).sum(1), atol=bound)
        assert (np.abs(felt) > 0).all()

    def test_wrenches_are_kept_only_where_asked(self):
        b, points = cloud(5)
        b.solid("s", Plane(), HERE, points, law=BUFFER)
        solids, _ = act(b.build(), wrenches=False)
        with pytest.raises(InputError, match="were not kept"):
            solids.solid_wrenches()


def test_the_same_bits_on_any_number_of_threads():
    states, felt = [], []
    for count in (1, 2):
        with threads(count):
            engine = Engine(crowd())
            engine._solids.wrenches = True
            engine.advance(200)
            states.append(engine.state().position)
            felt.append(engine._solids.solid_wrenches())
    assert np.array_equal(*states)
    assert np.array_equal(*felt)
    assert np.abs(felt[0]).min() > 0


def test_goes_on_from_a_checkpoint_to_the_same_bits():
    network = crowd()
    whole, first = Engine(network), Engine(network)
    whole.advance(150)
    first.advance(90)
    kept = first.checkpoint()
    assert np.abs(kept["solids"]["memory"]).max() > 0
    again = Engine.resume(network, kept)
    again.advance(60)
    assert np.array_equal(again.state().position, whole.state().position)


class TestRefused:
    def ball(self, **given):
        b = NetworkBuilder()
        points = b.masses("p", [0, 1, 0], 1.0)
        b.solid("ground", Plane(), HERE, points, **{"law": BUFFER, **given})
        return b.build()

    def test_law_with_many_numbers(self):
        law = ZoneLaw("many", (Zone([1.0, 2.0], until=0.0), Zone()))
        with pytest.raises(InputError, match=r"solid 'ground': .*one number of each kind"):
            Engine(self.ball(law=law))

    @pytest.mark.parametrize("pose", [None, np.eye(4), Transform(np.array([np.eye(3)] * 2), np.zeros((2, 3)))])
    def test_motion_that_gives_no_pose(self, pose):
        with pytest.raises(InputError, match=r"motion of solid 'ground', t = .*single Transform"):
            Engine(self.ball(motion=lambda t: pose)).advance()

    def test_motion_that_fails(self):
        with pytest.raises(RunError, match="ZeroDivisionError"):
            Engine(self.ball(motion=lambda t: 1 / 0)).advance()
