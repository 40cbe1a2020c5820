"""Limp figures fall on a floor: no step adds energy, whatever their joints do (tests/limp.py runs them in numbers)."""

import numpy as np
import pytest

from limp import ALLOWED, H, books, limp
from motiform import FigureBuilder, contact, figures, joints, simulate
from motiform.motion.tree.singular import fold_armature, gimbal_armature
from motiform.spatial import Transform


@pytest.mark.parametrize("seed", range(2, 8))
def test_a_limp_figure_gains_nothing(seed):
    assert books(seed, seconds=0.8) <= ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_limp_figures_gain_nothing_for_long(seed):
    assert books(seed) <= ALLOWED


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_a_limp_man_without_limits_comes_down(step):
    """The posture in which his shoulders fold is reached after 0.67 s, at joint velocities above 300 rad/s."""
    man = figures.human36(1.8, 80.0)
    ground = contact.Contacts(contact.points_of_tags(man, friction=0.8), contact.floor())
    rec = simulate(man, contacts=ground, t1=0.8, integrator="time-stepping", step=step)
    energy = rec["energy"]
    # each of the steps may add 1e-3 of the kinetic energy; that they do not all do so shows in the sum
    assert (energy - np.minimum.accumulate(energy)).max() <= ALLOWED * rec["energy.kinetic"].max()
    assert any("right_shoulder" in note for note in rec.manifest["notes"])
    assert sum(event.name.startswith("steps in parts") for event in rec.events) == 1


def test_a_step_keeps_its_bound():
    """From sample to sample, a step each: T grows by 1e-3 of itself and of the work of gravity, and by moving apart."""
    figure, ground, q, v = limp(4)
    rec = simulate(figure, contacts=ground, q0=q, v0=v, t1=0.5, rate=1 / H, step=H, integrator="time-stepping")
    energy, kinetic = rec["energy"] - 0.5 * H * rec["momentum"] @ figure.gravity, rec["energy.kinetic"]
    mass = sum(segment.mass for segment in figure.segments)
    apart = mass * 9.81 * np.maximum(-rec["contact.gap"].min(axis=1), 0.0)  # m g δ of all that overlaps, at most
    work = np.abs(np.diff(rec["energy.potential"]))
    allowed = 1e-3 * (kinetic[:-1] + work) + 0.5e-3 * mass * (9.81 * H) ** 2 + apart[:-1]
    assert (np.diff(energy) <= 2 * allowed + 1e-9 * kinetic.max()).all()


def _folding(mass):
    """Two links in a plane with a weight at the end; the first one has the mass that is given."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("cart", None, joints.free(), mass=1.0, inertia=0.01 * np.eye(3))
    b.segment("near", "cart", joints.revolute((0, 0, 1)), mass=mass, inertia=1e-3 * mass * np.eye(3))
    place = Transform(np.eye(3), np.array([0.3, 0.0, 0.0]))
    b.segment(
        "far", "near", joints.revolute((0, 0, 1)), placement=place, mass=0.5, com=(0.2, 0, 0), inertia=1e-4 * np.eye(3)
    )
    return b.build()


class TestArmatures:
    def test_only_massless_segments_that_fold_get_one(self):
        braced, notes = fold_armature(_folding(0.0))
        assert notes == []  # the inertia of the last segment keeps it from vanishing
        assert braced.segment("near").armature == pytest.approx(0.0)
        man, notes = fold_armature(figures.human36(1.8, 80.0))
        left, right = (np.asarray(man.segment(f"{side}_shoulder").armature) for side in ("left", "right"))
        assert "left_shoulder" in notes[0]
        assert np.array_equal(left, right)
        assert 0 < left.max() < 1e-4  # kg m²: less than 1e-3 of what an arm weighs about the shoulder

    def test_angles_of_a_base_get_none(self):
        man = figures.human36(1.8, 80.0)
        braced = gimbal_armature(man)
        assert np.array_equal(braced.segments[0].armature, man.segments[0].armature)
        assert np.all(np.asarray(braced.segment("right_thigh").armature) > 0)
        assert np.all(np.asarray(braced.segment("right_shank").armature) == 0)
