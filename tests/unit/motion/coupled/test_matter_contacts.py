"""Figures with contacts, limits and posture control among matter: as they are alone, and what matter adds."""

import numpy as np
import pytest

from models import free_body
from motiform import FigureBuilder, contact, joints, simulate
from motiform.base.errors import InputError, RunError
from motiform.geometry import Box, Ellipsoid
from motiform.motion.actuation import posture_control
from motiform.motion.coupled import Attachment, FigureInMatter, SegmentSolid
from motiform.motion.coupled.stability import assess_figure
from motiform.motion.matter import NetworkBuilder, links
from motiform.motion.run import RunOptions
from runs import simulate_coupled

BOX = Box((0.4, 0.2, 0.3))
FREQUENCY = 1050.0
OWN = ("q", "v", "energy", "energy.kinetic", "energy.potential", "momentum", "angular_momentum")


def dust(place=(10.0, 0.0, 0.0), **given):
    b = NetworkBuilder(frequency=FREQUENCY, **given)
    b.masses("dust", [place], 0.1, radius=0.02)
    return b


def options(duration, rate=105.0):
    return RunOptions(duration, rate=rate, integrator="central-difference")


def alone(figure, duration, **given):
    return simulate(figure, t1=duration, rate=105.0, integrator="time-stepping", step=1 / FREQUENCY, **given)


def same(coupled, found):
    for name in found.names:
        mine = f"figure.{name}" if name in OWN[2:] else name
        assert np.array_equal(coupled[mine], found[name], equal_nan=True), name


def arm(limits=True):
    b = FigureBuilder()
    rod = Box((0.05, 0.3, 0.05)).mass_properties(mass=0.4)
    joint = joints.revolute((0, 0, 1), point=(0, 0.15, 0), limits=(-0.5, 0.5) if limits else None)
    b.segment("arm", None, joint, mass=rod, damping=0.01)
    return b.build()


def touching():
    figure = free_body(BOX, 2.0)
    points = contact.points_of_shape(figure, "body", shape=BOX, friction=0.3)
    return figure, contact.Contacts(tuple(points), (contact.floor(),))


class TestAsAlone:
    """Matter that touches nothing: the figure moves as `simulate` moves it by time-stepping, to the bit."""

    def test_on_the_ground(self):
        figure, contacts = touching()
        start = {"q0": (0, 0.2, 0, 1, 0, 0, 0), "v0": (1.0, 0.5, -2.0, 1.5, 0, 0)}
        given = {"contacts": contacts, **start}
        coupled = simulate(FigureInMatter(figure, dust().build()), t1=0.5, rate=105.0, **given)
        found = alone(figure, 0.5, **given)
        same(coupled, found)
        assert (coupled["contact.mode"][-1] > 0).any()

    def test_at_a_limit(self):
        given = {"contacts": contact.Contacts(), "v0": [8.0]}
        coupled = simulate(FigureInMatter(arm(), dust().build()), t1=0.5, rate=105.0, **given)
        same(coupled, alone(arm(), 0.5, **given))
        assert coupled["q"].max() <= 0.5 + 1e-6
        assert "limit.force" in coupled
        free = simulate(FigureInMatter(arm(), dust().build()), t1=0.5, rate=105.0, v0=[8.0])
        assert free["q"].max() > 0.6  # limits act where contacts are asked for

    def test_held_by_stiff_gains(self):
        """K Te²/I = 60: an explicit step would multiply an error by 58 in each step."""
        inertia = 0.4 * (0.3**2 / 3 + 0.05**2 / 12)
        K = 60 * inertia * FREQUENCY**2
        held = posture_control(arm(False), [0.3], stiffness=K, damping=0.02 * K)
        given = {"controls": held, "q0": [0.1], "contacts": contact.Contacts()}
        coupled = simulate(FigureInMatter(arm(False), dust().build()), t1=0.3, rate=105.0, **given)
        same(coupled, alone(arm(False), 0.3, **given))
        assert abs(coupled["q"][-1, 0] - 0.3) < 1e-3

    def test_resumed_run_has_the_same_bits(self, tmp_path):
        figure, contacts = touching()
        given = {"contacts": contacts, "q0": (0, 0.12, 0, 1, 0, 0, 0), "v0": (0, 0, -2.0, 1.5, 0, 0)}
        model, out = FigureInMatter(figure, dust().build()), tmp_path / "run.mf"
        whole = simulate(model, t1=0.3, rate=105.0, **given)

        def stop(done):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            simulate(model, t1=0.3, rate=105.0, **given, out=out, progress=stop)
        again = simulate(model, t1=0.3, rate=105.0, **given, out=out, resume=True)
        for name in whole.names:
            assert np.array_equal(whole[name], again[name], equal_nan=True), name


def test_floor_and_matter_carry_the_weight_together():
    """A box at rest on the floor with a spring that pulls it up: floor force = weight − k (length − rest)."""
    figure, contacts = touching()
    b = NetworkBuilder(frequency=FREQUENCY)
    nail = b.fixed("nail", [0.0, 1.1, 0.0])
    held = Attachment("rope", "body", nail, places=(0, 0.1, 0), law=links.spring(20.0, rest=0.5, damping=4.0))
    model = FigureInMatter(figure, b.build(), (), (held,))
    found = simulate(model, t1=2.0, rate=105.0, contacts=contacts, q0=(0, 0.1, 0, 1, 0, 0, 0))
    floor = found["contact.force"][-1].sum(0)
    pull = 20.0 * (1.1 - 0.2 - 0.5)
    # At rest: what is left of the start decays by 4/(2·2) per second on the rope, but the floor holds the box at once.
    np.testing.assert_allclose(floor, [0.0, 2.0 * 9.81 - pull, 0.0], atol=1e-6)
    np.testing.assert_allclose(found["matter.wrench"][-1, 0, 3:], [0.0, pull, 0.0], atol=1e-9)


def test_an_ellipsoid_is_a_solid():
    """A ball at rest on top of an ellipsoid that is held: m g/k deep."""
    b = FigureBuilder()
    foot = Ellipsoid((0.15, 0.04, 0.05))
    b.segment("foot", None, joints.prismatic((0, 1, 0)), mass=foot.mass_properties(mass=1.0), shape=foot)
    n = NetworkBuilder(frequency=FREQUENCY)
    n.masses("ball", [0.0, 0.06, 0.0], 0.1, radius=0.02)
    law = links.visco_elastic_buffer(500.0, 0.0, damping=6.0)
    model = FigureInMatter(b.build(), n.build(), (SegmentSolid("sole", "foot", foot, "ball", law),))
    found = simulate(model, t1=1.0, rate=105.0, motion=lambda t: [0.0])
    # z/2m = 30/s: e^-30 of 2 mm is left.
    assert found["ball.position"][-1, 0, 1] == pytest.approx(0.06 - 0.1 * 9.81 / 500, abs=1e-14)


class TestStability:
    def wheel(self, k, z=0.0, r=0.1, inertia=0.02):
        b = FigureBuilder(gravity=(0, 0, 0))
        b.segment("wheel", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, 0, 0), inertia=inertia * np.eye(3))
        b.tag("rim", "wheel", (0.0, r, 0.0))
        n = NetworkBuilder(gravity=(0, 0, 0), frequency=FREQUENCY)
        nail = n.fixed("nail", [1.0, r, 0.0])
        held = Attachment("spring", "wheel", nail, places="rim", law=links.spring(k, rest=1.0, damping=z))
        return FigureInMatter(b.build(), n.build(), (), (held,))

    @pytest.mark.parametrize("z", [0.0, 500.0])
    def test_the_limit_is_exact(self, z):
        """K + 2Z = 4 with K = k r² Te²/I, Z = z r² Te/I: below it runs, above it is refused and diverges."""
        per = 0.1**2 / 0.02
        k = (4 - 2 * z * per / FREQUENCY) * FREQUENCY**2 / per
        found = simulate(self.wheel(0.999 * k, z), t1=0.5, rate=105.0, q0=[1e-6])
        assert np.abs(found["q"]).max() < 1e-3
        assert found.manifest["figure_stability"]["largest"] == pytest.approx(4.0, rel=2e-3)
        with pytest.raises(InputError, match=r"links .spring., coordinate .wheel.: the figure would diverge"):
            simulate(self.wheel(1.001 * k, z), t1=0.5, rate=105.0, q0=[1e-6])
        wild = simulate(self.wheel(1.01 * k, z), t1=0.2, rate=105.0, q0=[1e-9], unstable=True)
        assert np.abs(wild["q"][-1]) > 1e-6

    def test_controls_are_counted_and_named(self):
        figure, inertia = arm(False), 0.4 * (0.3**2 / 3 + 0.05**2 / 12)
        K = 5 * inertia * FREQUENCY**2
        stiff = lambda t, state: -K * state.q  # noqa: E731
        with pytest.raises(InputError, match=r"controls, .*the figure would diverge.*PostureControl"):
            simulate_coupled(dust().build(), figure, options(1.0), controls=stiff, q0=[0.01])
        wild = simulate_coupled(dust().build(), figure, options(1.0), controls=stiff, q0=[0.01], unstable=True)
        assert np.abs(wild["q"]).max() > 0.1

    def test_points_that_may_press(self):
        """On a body of mass M one point of stiffness k: λ = k Te²/M, so 4 M/(k Te²) of them."""
        figure, k = free_body(BOX, 2.0), 500.0
        solid = SegmentSolid("skin", "body", BOX, "dust", links.elastic_buffer(k, 0.0))
        from motiform.motion.coupled.system import CoupledSystem

        system = CoupledSystem(FigureInMatter(figure, dust().build(), (solid,)), options(1.0))
        count = 4 * 2.0 * FREQUENCY**2 / k
        assert system.facts["figure_stability"]["skin"] == pytest.approx(count, rel=1e-12)
        stability = assess_figure(None, system.contacts.equations, system.moved.y, FREQUENCY)
        assert stability.largest == 0.0
        assert stability.stable

    def test_a_figure_without_inertia_is_reported(self):
        b = FigureBuilder(name="ghost")
        b.segment("slide", None, joints.prismatic((1, 0, 0)), mass=0.0)
        with pytest.raises(RunError, match=r"figure 'ghost': the inertia matrix must be invertible"):
            simulate_coupled(dust().build(), b.build(), options(1.0))
