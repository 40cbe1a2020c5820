"""Links with a memory along closed paths: the area of a loop is the energy that it takes, in closed form.

Tensions are piecewise linear in the distance, so the rule of trapezia is exact where the corners are samples. Numbers
with few binary digits make all sums exact; for others the bound is said beside the test.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform import simulate
from motiform.base.errors import InputError
from motiform.motion.matter import Automaton, NetworkBuilder, presets

DENSE = 1 / 64  # [m] between samples
DT = 1 / 1024


def along(*corners, step=DENSE):
    """A path through corners in steps of one size."""
    legs = [np.arange(round(abs(b - a) / step)) * np.sign(b - a) * step + a for a, b in pairwise(corners)]
    return np.concatenate([*legs, corners[-1:]])


def taken(response, samples):
    """Work over the last samples of a path [J]."""
    return response.work[-1] - response.work[-1 - samples]


def cycle(law, mean, amplitude, step=DENSE, dt=DT):
    """The response of a link from rest to one closed cycle, and the samples of that."""
    high, low = mean + amplitude, mean - amplitude
    path = along(mean, high, low, high, step=step)
    return law.respond(path, dt, start=mean), 2 * round((high - low) / step)


@pytest.mark.parametrize("amplitude", [0.5, 1.0, 2.0])
def test_dry_friction_takes_what_iwan_says(amplitude):
    """4 f (a − f/k) a cycle [Iwan66]; it slips both ways, within ± the limit."""
    found, samples = cycle(presets.dry_friction(8.0, 2.0), 3.0, amplitude)
    assert taken(found, samples) == 4 * 2.0 * (amplitude - 2.0 / 8.0)
    assert np.abs(found.tension).max() == 2.0
    assert found.visited == ["stick", "slip"] * 3
    # The tension comes back, so the next cycle is the same one.
    assert found.tension[-1] == found.tension[-1 - samples]


def test_dry_friction_below_its_limit_is_a_spring():
    found, samples = cycle(presets.dry_friction(8.0, 2.0), 3.0, 0.25)
    assert taken(found, samples) == 0.0
    assert found.visited == ["stick"]
    np.testing.assert_array_equal(found.tension, 8.0 * (found.distance - 3.0))


@settings(max_examples=40, deadline=None)
@given(st.floats(1.0, 1e4), st.floats(0.01, 2.0), st.floats(0.02, 1.0))
def test_dry_friction_of_any_numbers(stiffness, slack, amplitude):
    """Corners between samples: each of two cuts off a triangle of at most h · k h/2 from the loop's area."""
    limit, step = stiffness * slack, amplitude / 256
    found, samples = cycle(presets.dry_friction(stiffness, limit), 1.0, amplitude, step)
    expected = max(0.0, 4 * limit * (amplitude - slack))
    rounding = 1e-9 * stiffness * amplitude * (amplitude + slack)
    assert abs(taken(found, samples) - expected) <= stiffness * step**2 + rounding


def test_a_damper_beside_dry_friction_adds_its_own():
    """z v · path for a triangular motion of speed v, but for the two turns."""
    alone, samples = cycle(presets.dry_friction(8.0, 2.0), 3.0, 1.0)
    damped, _ = cycle(presets.dry_friction(8.0, 2.0, damping=0.5), 3.0, 1.0)
    speed = DENSE / DT
    # At each of the two turns the trapezium before the turn is whole, the one after it half one way and half the other.
    assert taken(damped, samples) - taken(alone, samples) == 0.5 * speed * (4.0 - 2 * DENSE)
    np.testing.assert_array_equal(damped.memory["slid"], alone.memory["slid"])


@pytest.mark.parametrize(("hardening", "amplitude"), [(0.0, 1.0), (0.0, 2.0), (8.0, 1.0), (24.0, 2.0)])
def test_plasticity_takes_the_work_of_yielding(hardening, amplitude):
    """4 Y p with p = (k a − Y)/(k + h), how far the rest length moves either way; hardening gives back what it took."""
    law = presets.plasticity(8.0, 2.0, rest=3.0, hardening=hardening)
    found, samples = cycle(law, 3.0, amplitude)
    moved = (8.0 * amplitude - 2.0) / (8.0 + hardening)
    # A few units in the last place: 1/(k + h) is not always a binary fraction.
    assert taken(found, samples) == pytest.approx(4 * 2.0 * moved, rel=1e-13)
    assert found.memory["moved"].max() == pytest.approx(moved, rel=1e-13)
    assert found.memory["moved"].min() == pytest.approx(-moved, rel=1e-13)
    assert found.visited == ["elastic", "yielding"] * 3
    # Beyond the yield force the slope is k h/(k + h).
    first = slice(0, round(amplitude / DENSE) + 1)
    slope = np.gradient(found.tension[first], DENSE)[-2]
    assert slope == pytest.approx(8.0 * hardening / (8.0 + hardening), abs=1e-11)


def test_unloading_leaves_the_moved_length():
    """Pulled by 1 m and let go: the tension is zero at the moved rest length, a − Y/k."""
    found = presets.plasticity(8.0, 2.0, rest=3.0).respond(along(3.0, 4.0, 3.75))
    assert found.tension[-1] == 0.0
    assert found.memory["moved"][-1] == 0.75
    assert found.visited == ["elastic", "yielding", "elastic"]


def test_plasticity_breaks_when_it_has_moved_too_far():
    """One sample after the rest length has moved by more than the ductility, and never again whole."""
    found = presets.plasticity(8.0, 2.0, rest=3.0, ductility=0.5).respond(along(3.0, 5.0, 3.0))
    assert found.visited == ["elastic", "yielding", "broken"]
    last = np.flatnonzero(found.state == 1)[-1]
    assert found.memory["moved"][last] == 0.5 + DENSE
    assert not found.tension[last + 1 :].any()
    # What it took: elastic and plastic work up to the break; the last trapezium falls to nothing.
    assert found.work[-1] == pytest.approx(2.0**2 / 16 + 2.0 * (0.5 + DENSE) + 0.5 * 2.0 * DENSE, rel=1e-13)


def test_rupture_by_length_or_by_force():
    for law in (presets.rupture(8.0, rest=3.0, length=4.0), presets.rupture(8.0, rest=3.0, strength=8.0)):
        found = law.respond(along(3.0, 2.0, 5.0, 3.0))
        whole = found.state == 0
        last = np.flatnonzero(whole)[-1]
        assert found.distance[last] == 4.0
        np.testing.assert_array_equal(found.tension, np.where(whole, 8.0 * (found.distance - 3.0), 0.0))
        assert found.visited == ["whole", "broken"]
        # The energy of the spring at its end is lost: k s²/2, and half a step more for the last trapezium.
        assert found.work[-1] == 0.5 * 8.0 + 0.5 * 8.0 * DENSE


def test_rupture_starts_at_rest_and_bears_being_pushed():
    found = presets.rupture(8.0, strength=1.0).respond(along(3.0, 1.0))
    assert found.visited == ["whole"]
    assert found.tension[0] == 0.0
    assert found.tension[-1] == -16.0


def test_healing_with_the_old_rest_takes_the_difference_of_two_energies():
    """k ((b − r)² − (h − r)²)/2 a cycle, but for the two jumps: it breaks at b + step, heals at h − step."""
    law = presets.healing(8.0, 5.0, 4.0, rest=3.0)
    path = along(3.5, 5.5, 3.5)
    found = law.respond(np.concatenate([path, path[1:]]))
    assert found.visited == ["whole", "broken", "whole", "broken", "whole"]
    jumps = 0.5 * DENSE * 8.0 * (5.0 - 3.0) - 0.5 * DENSE * 8.0 * (4.0 - DENSE - 3.0)  # half a trapezium each
    inner = 0.5 * 8.0 * ((5.0 - 3.0) ** 2 - (4.0 - DENSE - 3.0) ** 2)
    assert taken(found, len(path) - 1) == inner + jumps
    # With denser samples it is the formula: what is left falls with the step.
    for step in (1 / 256, 1 / 1024):
        fine = along(3.5, 5.5, 3.5, step=step)
        exact = 0.5 * 8.0 * ((5.0 - 3.0) ** 2 - (4.0 - 3.0) ** 2)
        assert abs(law.respond(fine).work[-1] - exact) <= 8.0 * (5.0 - 3.0) * step


def test_healing_with_a_new_rest_heals_without_force():
    found = presets.healing(8.0, 5.0, 4.0, rest=3.0, new_rest=True).respond(along(3.5, 5.5, 3.5))
    healed = np.flatnonzero(np.diff(found.state) == -1)[0] + 1
    assert found.distance[healed] == 4.0 - DENSE
    assert found.tension[healed] == 0.0
    assert found.memory["present"][-1] == 4.0 - DENSE
    assert found.tension[-1] == 8.0 * (3.5 - (4.0 - DENSE))


def test_fatigue_counts_loads_and_weakens():
    """Three loads are borne, each with less stiffness; the fourth breaks it. Small stretches do not count."""
    law = presets.fatigue(8.0, 0.5, 3, rest=3.0, weakening=0.75)
    found = law.respond(along(3.0, 3.25, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0, 3.0))
    assert found.visited == ["slack", "loaded"] * 3 + ["slack", "broken"]
    assert found.memory["worn"].max() == 3
    peaks = np.flatnonzero(found.distance == 4.0)
    assert found.tension[peaks].tolist() == [8.0 * 0.75, 8.0 * 0.5, 8.0 * 0.25, 0.0]
    assert [float(v) for v in law.strongest()] == [8.0, 0.0]


def test_a_bridge_forms_at_contact_and_holds_farther_out():
    """a (s2 − s1)²/2 to make and break it; continuous at s1 and zero at s2; nothing is felt on the way in."""
    stiffness, attraction, inner, outer = 16.0, 4.0, 1.0, 2.0
    law = presets.capillary_bridge(stiffness, attraction, inner, outer)
    found = law.respond(along(3.0, 0.5, 3.0))
    assert found.visited == ["apart", "pressed", "bridged", "apart"]
    coming = slice(0, round(2.5 / DENSE) + 1)
    out = found.distance >= inner
    assert not found.tension[coming][out[coming]].any()
    going = slice(coming.stop - 1, None)
    d = found.distance[going]
    rest = inner - attraction * (outer - inner) / stiffness
    expected = np.where(d < inner, stiffness * (d - rest), np.where(d <= outer, attraction * (outer - d), 0.0))
    np.testing.assert_array_equal(found.tension[going], expected)
    # On the way in the last step to s1 lacks its half: the tension jumps from nothing to that just inside.
    first = stiffness * (inner - DENSE - rest)
    peak = attraction * (outer - inner)
    missing = -0.5 * DENSE * first + 0.5 * DENSE * (first + peak)
    assert found.work[-1] == attraction * (outer - inner) ** 2 / 2 + missing
    assert law.cutoff == outer


def test_a_bond_of_paste_yields_breaks_and_forms_anew():
    """2 F a − 5/2 F²/k to push two points together by a and to part them, as often as one likes; never above F."""
    stiffness, yield_force, outer, a = 16.0, 2.0, 2.0, 1.5
    law = presets.paste_bond(stiffness, yield_force, outer)
    found = law.respond(along(3.0, outer - a, 3.0, outer - a, 3.0))
    assert found.visited[:4] == ["apart", "bonded", "yielding", "bonded"]
    assert np.abs(found.tension).max() <= yield_force
    assert not found.tension[found.distance > outer].any()
    taken = 2 * yield_force * a - 2.5 * yield_force**2 / stiffness
    # The bond forms and breaks within a step, and turns once: each changes the sum by a step times the largest force.
    assert abs(found.work[-1] - 2 * taken) < 2 * 3 * DENSE * yield_force
    assert law.cutoff == outer


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: presets.dry_friction(0.0, 1.0),
        lambda: presets.dry_friction(1.0, -1.0),
        lambda: presets.plasticity(1.0, 1.0, hardening=-0.5),
        lambda: presets.plasticity(1.0, 1.0, ductility=0.0),
        lambda: presets.plasticity(1.0, "much"),
        lambda: presets.rupture(1.0),
        lambda: presets.rupture(1.0, length=2.0, damping=-1.0),
        lambda: presets.healing(1.0, 2.0, 2.0),
        lambda: presets.fatigue(1.0, 0.1, 0),
        lambda: presets.fatigue(1.0, 0.1, 5, weakening=1.5),
        lambda: presets.capillary_bridge(1.0, 1.0, 2.0, 1.0),
        lambda: presets.capillary_bridge(0.0, 1.0, 1.0, 2.0),
        lambda: presets.paste_bond(1.0, -1.0, 2.0),
        lambda: presets.paste_bond(1.0, 1.0, 0.0),
    ],
)
def test_numbers_without_sense_are_refused(wrong):
    with pytest.raises(InputError):
        wrong()


class TestMeters:
    FEEDER = """
    parameters stiffness, way
    memory rest = start
    state shorter: stiffness, 0, rest - way
    state longer: stiffness, 0, rest + way
    shorter -> longer when speed > 0
    longer -> shorter when speed < 0
    """

    def run(self, law, speed=0.1, t1=2.0):
        b = NetworkBuilder(gravity=(0, 0, 0))
        nail, mass = b.fixed("nail", [0, 0, 0]), b.masses("mass", [1.0, 0, 0], 0.5, velocity=(speed, 0, 0))
        b.link("tie", (nail, mass), law, record=True)
        return simulate(b.build(), t1=t1, rate=105.0)

    def test_work_is_the_change_of_kinetic_energy(self):
        """½ m v² changes by −t (d₊ − d₋)/2 in each step: to the rounding of 2100 of them."""
        for law in (Automaton("feeder", self.FEEDER).law(stiffness=80.0, way=0.01), presets.dry_friction(80.0, 0.2)):
            found = self.run(law)
            joules = found["energy.kinetic"]
            np.testing.assert_allclose(found["tie.work"][:, 0], joules - joules[0], atol=2100 * 4e-16 * joules.max())

    def test_what_feeds_is_named_and_what_does_not_is_not(self):
        fed = self.run(Automaton("feeder", self.FEEDER).law(stiffness=80.0, way=0.01))
        assert [event.name for event in fed.events] == ["feeds energy: links 'tie'"]
        assert fed.events[0].time < 2 * np.pi * np.sqrt(0.5 / 80.0)  # within a period
        for law in (
            presets.dry_friction(80.0, 0.2),
            presets.healing(80.0, 1.02, 1.01),
            presets.plasticity(80.0, 0.2),
            presets.rupture(80.0, length=1.005),
        ):
            assert not self.run(law).events
