"""Matter with figures: what is recorded, one way and both, resumed, refused."""

import numpy as np
import pytest

from motiform import FigureBuilder, joints
from motiform.base.errors import InputError, MotiformError, RunError
from motiform.geometry import Box
from motiform.motion.actuation import SegmentPush, SegmentPushes
from motiform.motion.coupled import Attachment, SegmentSolid
from motiform.motion.matter import Friction, NetworkBuilder, links, topology
from motiform.motion.run import RunOptions
from motiform.motion.tree import tags
from motiform.record import open_recording
from motiform.spatial import Transform
from runs import simulate_coupled, simulate_figure

BOX = Box((0.4, 0.2, 0.3))
LAW = links.visco_elastic_buffer(500.0, 0.0, damping=0.5)
AT = (0.0, 0.03, 0.0, 1.0, 0.0, 0.0, 0.0)
SPIN = (0.5, 1.0, 2.0, 0.3, 0.0, 0.0)


def options(duration=0.3, rate=105.0, **given):
    return RunOptions(duration, rate=rate, integrator="central-difference", **given)


def body(gravity=(0.0, 0.0, 0.0)):
    b = FigureBuilder(gravity=gravity)
    b.segment("box", None, joints.free(), mass=BOX.mass_properties(mass=2.0), shape=BOX)
    b.tag("ring", "box", (0.2, 0.0, 0.0))
    return b.build()


def sand(count=40, gravity=(0.0, 0.0, 0.0), mass=0.02):
    rng = np.random.default_rng(0)
    b = NetworkBuilder(gravity=gravity)
    place = np.array([0.6, 0, 0]) + rng.uniform(-0.1, 0.1, (count, 3))
    b.masses("sand", place, mass, radius=0.02, velocity=[-3, 0.3, 0])
    return b.build()


def skin(points="sand", **given):
    return SegmentSolid("skin", "box", BOX, points, **{"law": LAW, "friction": Friction(0.5, stiffness=100.0), **given})


def hit(**given):
    usual = {"network": sand(), "figure": body(), "options": options(), "contacts": [skin()], "q0": AT, "v0": SPIN}
    return simulate_coupled(**usual | given)


def same(one, two, names=None):
    for name in names or one.names:
        assert np.array_equal(one[name], two[name], equal_nan=True), name


class TestRecorded:
    def test_channels_of_both(self):
        found = hit()
        for name in ("q", "v", "box.position", "box.orientation", "tags", "sand.position", "matter.wrench"):
            assert name in found
        for name in ("momentum", "angular_momentum", "energy", "energy.kinetic", "energy.potential"):
            np.testing.assert_array_equal(found[name], found[f"figure.{name}"] + found[f"matter.{name}"])
        assert found.count("q") == found.count("sand.position") == 32
        assert np.abs(found["matter.wrench"]).max() > 1
        assert not found["matter.wrench"][0].any()
        assert found.manifest["network"]["solids"] == ["skin"]

    def test_pushes_of_the_figure_are_recorded(self):
        box = body()
        pushes = SegmentPushes(box, [SegmentPush("box", (0, 5, 0), at=(0.2, 0, 0), start=0.1, until=0.2)])
        found = hit(figure=box, loads=pushes)
        t = found.time("q")
        np.testing.assert_array_equal(found["push.force"][:, 0, 1], np.where((t >= 0.1) & (t < 0.2), 5.0, 0.0))
        np.testing.assert_allclose(found["push.point"][:, 0], found["tags"][:, 0], atol=1e-15)

    def test_progress_is_reported(self):
        seen = []
        hit(progress=seen.append)
        assert seen[-1] == 1.0

    def test_attached_places_are_recorded_and_follow_the_segment(self):
        held = Attachment("rope", "box", [0], places="ring", law=links.spring(20.0, rest=0.1), record=True)
        found = hit(attachments=[held], figure=body((0, -9.81, 0)))
        np.testing.assert_allclose(found["rope.position"], found["tags"], atol=1e-15)
        assert found["rope.length"].shape == (32, 1)
        assert found["rope.tension"].max() > 1


class TestOneWay:
    def test_without_reaction_the_figure_moves_as_if_alone(self):
        """To the bit: the wrenches are there, but nothing of them is in its motion."""
        far = sand().replace(gravity=(0.0, 0.0, 0.0))
        hits = hit(reaction=False)
        alone = hit(network=far, contacts=[skin(points=[0], law=links.elastic_buffer(1.0, -10.0))], reaction=True)
        same(hits, alone, ("q", "v", "box.position", "box.orientation"))
        assert np.abs(hits["matter.wrench"]).max() > 1
        assert not np.array_equal(hits["sand.position"], alone["sand.position"])
        assert not np.array_equal(hits["q"], hit()["q"])

    @pytest.mark.parametrize("rate", [1050.0, 105.0])
    def test_follows_a_recording_to_the_bit(self, rate):
        figure = body()
        played = simulate_figure(figure, RunOptions(0.3, rate=rate, integrator="dormand-prince"), q0=AT, v0=SPIN)
        found = hit(figure=figure, motion=played, q0=None, v0=None)
        every = round(rate / 105)
        np.testing.assert_array_equal(found["q"], played["q"][::every])
        np.testing.assert_array_equal(found["v"], played["v"][::every])
        assert np.abs(found["matter.wrench"]).max() > 1

    def test_between_samples_of_a_recording_it_goes_smoothly(self):
        """A cubic between samples h apart is off by h⁴/384 of the fourth derivative: 4 rad/s to the fourth, 1/35 s."""
        figure = body()
        fine, coarse = (
            simulate_figure(figure, RunOptions(0.4, rate=rate, integrator="dormand-prince"), q0=AT, v0=SPIN)
            for rate in (105.0, 35.0)
        )
        found = hit(figure=figure, motion=coarse, q0=None, v0=None)
        np.testing.assert_allclose(found["q"], fine["q"][:32], atol=4**4 / 35**4 / 384)

    def test_after_the_end_of_a_recording_it_rests(self):
        figure = body()
        played = simulate_figure(figure, RunOptions(0.1, rate=105.0, integrator="dormand-prince"), q0=AT, v0=SPIN)
        found = hit(figure=figure, motion=played, q0=None, v0=None)
        np.testing.assert_array_equal(found["q"][12:], np.tile(played["q"][-1], (20, 1)))

    def test_follows_a_function_and_tells_its_velocities(self):
        w = 3.0

        def turning(t):
            return np.array([0.2 * t, 0.0, 0.0, np.cos(w * t / 2), 0.0, np.sin(w * t / 2), 0.0])

        found = hit(motion=turning, q0=None, v0=None)
        t = found.time("q")
        np.testing.assert_array_equal(found["q"], [turning(s) for s in t])
        slide = np.stack([0.2 * np.cos(w * t), 0 * t, 0.2 * np.sin(w * t)], axis=1)
        expected = np.concatenate([np.tile([0, w, 0], (len(t), 1)), slide], axis=1)
        # Difference over 1e-5 s forth and back: w³ · 1e-10/6, and roundings of 1 over 2e-5 s.
        np.testing.assert_allclose(found["v"], expected, atol=5e-10)

    def test_carried_points_drive_matter(self):
        b = NetworkBuilder()
        hand = b.fixed("hand", [0.2, 0.0, 0.0])
        rope = b.masses("rope", [[0.2, -0.1 * n, 0] for n in range(1, 6)], 0.01)
        b.link("strand", topology.chain(hand + rope), links.spring(200.0, damping=0.1))
        shake = lambda t: np.array([0.1 * np.sin(9 * t), 0, 0, 1, 0, 0, 0])  # noqa: E731
        held = Attachment("grip", "box", hand)
        found = hit(network=b.build(), contacts=[], attachments=[held], motion=shake, q0=None, v0=None)
        np.testing.assert_allclose(found["hand.position"][:, 0] - [0.2, 0, 0], found["q"][:, :3], atol=1e-15)
        assert np.abs(found["rope.position"][-1, :, 0] - 0.2).max() > 1e-3


class TestGoesOn:
    class Stop(Exception):
        pass

    def test_resumed_run_has_the_same_bits(self, tmp_path):
        held = Attachment("rope", "box", [0, 1], places=[[0.2, 0, 0], [0.2, 0.1, 0]], law=links.spring(20.0))
        whole = hit(attachments=[held])

        def stop(done):
            raise self.Stop

        out = tmp_path / "run.mf"
        with pytest.raises(self.Stop):
            hit(attachments=[held], out=out, progress=stop, options=options(0.3))
        short = open_recording(out)
        assert not short.complete
        same(whole, hit(attachments=[held], out=out, resume=True))

    def test_from_the_middle(self):
        """An engine that goes on from a checkpoint makes the same samples."""
        from motiform.motion.coupled import system as module

        engines = []

        class Kept(module.CoupledEngine):
            def __init__(self, *given, **named):
                super().__init__(*given, **named)
                engines.append((self, given, named))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "CoupledEngine", Kept)
            hit(options=options(0.15))
        engine, given, named = engines[0]
        kept = engine.checkpoint()
        engine.advance(40)
        again = module.CoupledEngine(given[0], given[1], **(named | {"checkpoint": kept}))
        assert again.sample == kept["sample"]
        again.advance(40)
        assert np.array_equal(again.matter.state().position, engine.matter.state().position)
        assert np.array_equal(again.wrenches, engine.wrenches)

    def test_a_run_that_diverges_keeps_its_samples(self, tmp_path):
        out = tmp_path / "run.mf"
        held = Attachment("rope", "box", [0], places="ring", law=links.spring(1e9, rest=0.1))
        with pytest.raises(RunError, match="the run has diverged"):
            hit(attachments=[held], out=out, options=options(1.0), unstable=True)
        found = open_recording(out)
        assert not found.complete
        assert 1 <= found.count("q") < 106
        assert np.isfinite(found["q"]).all()


class TestRefused:
    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ({"contacts": [SegmentSolid("s", "bxo", BOX, "sand", LAW)]}, "no such segment.*Did you mean 'box'"),
            ({"contacts": [skin(points="snad")]}, "snad.*Did you mean 'sand'"),
            ({"contacts": [skin(points=[99])]}, "no such point"),
            ({"contacts": [skin(points=[0.5])]}, "allowed: a group's name"),
            ({"contacts": [skin(law=links.spring(1.0, rest=0.0))]}, "ends at some distance"),
            ({"contacts": [skin(), skin()]}, "one name"),
            ({"contacts": [SegmentSolid("sand", "box", BOX, "sand", LAW)]}, "one name"),
            ({"contacts": ["skin"]}, "SegmentSolid"),
            ({"attachments": [Attachment("a", "box", [0])]}, "a mass cannot be carried.*sand"),
            ({"attachments": [Attachment("a", "box", [0], "rin", LAW)]}, "Did you mean 'ring'"),
            ({"attachments": [Attachment("a", "box", [0], [[0, 0]], LAW)]}, "places does not fit"),
            ({"attachments": [Attachment("a", "box", [0], law=3)]}, "not a law"),
            ({"options": RunOptions(0.3, rate=105, integrator="rk4")}, "for matter with a figure .*central-difference"),
            ({"options": options(rate=100.0)}, "must fall on steps"),
            ({"motion": lambda t: AT}, "both a motion and forces"),
            ({"motion": 3, "q0": None, "v0": None}, "a function of time"),
            ({"motion": lambda t: (1, 2), "q0": None, "v0": None}, "a motion returned a wrong value"),
            ({"motion": lambda t: [np.nan] * 7, "q0": None, "v0": None}, r"not finite|must be finite"),
            ({"motion": lambda t: 1 / 0, "q0": None, "v0": None}, "ZeroDivisionError"),
            ({"controls": 3}, "controls must be functions"),
            ({"network": None}, "a Figure and a Network"),
            ({"resume": True}, "only a recording on disk"),
        ],
    )
    def test_wrong_input(self, given, text):
        with pytest.raises(MotiformError, match=text):
            hit(**given)

    def test_a_group_named_as_a_segment(self):
        b = NetworkBuilder()
        b.masses("box", [1, 0, 0], 1.0)
        with pytest.raises(InputError, match="one name"):
            hit(network=b.build(), contacts=[skin(points="box")])

    def test_a_point_that_two_segments_carry(self):
        b = NetworkBuilder()
        b.fixed("nail", [1, 0, 0])
        twice = [Attachment(name, "box", "nail") for name in "ab"]
        with pytest.raises(InputError, match=r"one segment at most.*nail"):
            hit(network=b.build(), contacts=[], attachments=twice)

    def test_recording_of_another_figure(self):
        b = FigureBuilder()
        b.segment("arm", None, joints.revolute((0, 0, 1)), mass=BOX.mass_properties(mass=1.0))
        played = simulate_figure(b.build(), RunOptions(0.1, rate=100, integrator="dormand-prince"))
        with pytest.raises(InputError, match="q does not fit"):
            hit(motion=played, q0=None, v0=None)


def test_placement_of_a_segment_solid():
    """A plane on top of a segment: points rest on it where they would on the ground there."""
    b = FigureBuilder()
    b.segment("box", None, joints.prismatic((0, 1, 0)), mass=BOX.mass_properties(mass=2.0))
    from motiform.geometry import Plane

    n = NetworkBuilder()
    n.masses("ball", [0.0, 0.5, 0.0], 0.1, radius=0.05)
    top = SegmentSolid("top", "box", Plane(), "ball", links.visco_elastic_buffer(500.0, 0.0, damping=3.0),
                       placement=Transform.translation_of((0, 0.1, 0)))  # fmt: skip
    found = simulate_coupled(n.build(), b.build(), options(3.0), contacts=[top], motion=lambda t: [0.2])
    # At rest where the spring carries the weight: after 3 s e^(−z/2m · t) = e^(−45) of the bounce is left.
    assert found["ball.position"][-1, 0, 1] == pytest.approx(0.2 + 0.1 + 0.05 - 0.1 * 9.81 / 500, abs=1e-12)
    assert found["matter.wrench"][-1, 0, 4] == pytest.approx(-0.1 * 9.81, abs=1e-9)
    assert tags(b.build(), [0.2]).shape == (0, 3)
