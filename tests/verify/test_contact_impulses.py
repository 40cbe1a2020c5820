"""Books of momentum from the recording alone: p − p₀ = m g t + Σ contact.impulse, through impacts, slip and rest."""

import numpy as np
import pytest

import motiform as mf
from models import free_body, on_floor, stop_after
from motiform import contact
from motiform.spatial import exp_rotation, quaternion_from_rotation

G = np.array([0.0, -9.81, 0.0])
MANNERS = {"time-stepping": {"step": 1e-3}, "dormand-prince": {}}


def thrown_box():
    """A box that lands on a corner, bounces, slides and comes to rest."""
    figure = free_body(mf.geometry.Box((0.2, 0.1, 0.3)), mass=2.0)
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.15, 0.15)]
    points = [contact.ContactPoint(f"c{k}", "body", p, friction=0.4, restitution=0.3) for k, p in enumerate(corners)]
    q, v = figure.neutral(), np.zeros(6)
    q[:7] = *(0.0, 0.5, 0.0), *quaternion_from_rotation(exp_rotation(np.array([0.3, 0.1, 0.2])))
    v[[0, 3]] = 2.0, 1.0
    return figure, {"q0": q, "v0": v, "contacts": contact.Contacts(points, (contact.floor(),))}


def misses(rec, mass):
    """Return what the books lack, (samples, 3), and the momentum that went through them, both [N·s]."""
    t, p, J = rec.time("momentum")[:, None], rec["momentum"], rec["contact.impulse"].sum(1)
    return p - p[0] - mass * G * t - J, np.abs(J).max() + mass * 9.81 * t[-1, 0]


@pytest.mark.parametrize("manner", MANNERS)
def test_momentum_closes_through_impacts_and_rest(manner):
    """Each of 1500 steps rounds momenta: 1500 · 2⁻⁵² of what goes through them, ten terms each. Event-driven, each of
    some thousand steps and events may err by the tolerance of 1e-9 of positions and velocities."""
    figure, given = thrown_box()
    rec = mf.simulate(figure, t1=1.5, rate=100, integrator=manner, **given, **MANNERS[manner])
    left, gone = misses(rec, 2.0)
    assert np.abs(left).max() < (1500 * 10 * 2.0**-52 if manner == "time-stepping" else 1e-6) * gone
    force = rec["contact.force"].sum(1)
    through = np.trapezoid(force, rec.time("momentum"), axis=0)
    assert np.abs(through - rec["contact.impulse"][-1].sum(0)).max() > 0.1  # what samples of forces cannot tell


def test_impulses_of_a_bounce():
    """A ball dropped from h bounces with e: (1 + e) m √(2 g h) at its first impact, exactly; none before it."""
    e, h, m = 0.6, 0.5, 1.5
    figure = free_body(mf.geometry.Ball(0.1), mass=m)
    q = figure.neutral()
    q[1] = 0.1 + h
    point = contact.ContactPoint("ball", "body", (0.0, 0.0, 0.0), radius=0.1, restitution=e)
    rec = mf.simulate(figure, q0=q, contacts=contact.Contacts([point], (contact.floor(),)), t1=0.5, rate=200)
    J, t = rec["contact.impulse"][:, 0, 1], rec.time("q")
    fall = np.sqrt(2 * h / 9.81)
    assert (J[t < fall] == 0).all()
    np.testing.assert_allclose(J[t > fall], (1 + e) * m * 9.81 * fall, rtol=1e-9)


@pytest.mark.parametrize("manner", MANNERS)
def test_what_rests_carries_from_the_first_sample_on(manner):
    figure = free_body(mf.geometry.Box((0.2, 0.1, 0.3)), mass=2.0)
    q = figure.neutral()
    q[1] = 0.05 if manner == "dormand-prince" else 0.05 + 1e-7  # not to rounding: within a step it is down
    ground = on_floor(figure, friction=0.5)
    rec = mf.simulate(figure, q0=q, contacts=ground, t1=0.05, rate=100, integrator=manner, **MANNERS[manner])
    first = rec["contact.force"][0].sum(0)
    assert first[1] == pytest.approx(2.0 * 9.81, rel=0.011)  # 1e-7 m in 1 ms are 1 % of 9.81 m/s² · 1 ms
    np.testing.assert_allclose(rec["contact.impulse"][0], 0.0)


@pytest.mark.parametrize("manner", MANNERS)
def test_resumed_runs_have_the_same_impulses(manner, tmp_path):
    figure, given = thrown_box()
    options = {"t1": 1.0, "rate": 50, "integrator": manner, **given, **MANNERS[manner]}
    whole = mf.simulate(figure, **options)
    with pytest.raises(KeyboardInterrupt):
        mf.simulate(figure, out=tmp_path / "run.mf", progress=stop_after(0.6), **options)
    again = mf.simulate(figure, out=tmp_path / "run.mf", resume=True, **options)
    np.testing.assert_array_equal(again["contact.impulse"], whole["contact.impulse"])
