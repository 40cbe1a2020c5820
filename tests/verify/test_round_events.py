"""Round solids in event-driven runs: rolling, rocking, standing, collisions, against closed forms and other paths."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from models import Stop, stop_after
from motiform import Body, Transform, contact, simulate
from motiform.geometry import Box, Cone, Cylinder, Ellipsoid, Torus
from motiform.spatial import rotation_from_euler
from verify.test_solid_events import G, body, built, run

LYING = (np.pi / 2, 0.0, 0.0)


def pendulum(t, angle, square):
    """Return the angles of θ̈ = −square sin θ from rest."""
    found = solve_ivp(
        lambda _, y: [y[1], -square * np.sin(y[0])], (0, t[-1]), [angle, 0.0], t_eval=t, rtol=1e-12, atol=1e-13
    )
    return found.y[0]


def test_a_drum_rolls_down_a_slope_at_two_thirds():
    """x = g sin α t²/3 of a full cylinder that does not slip."""
    slope = contact.slope(0.3)
    rec = run([body("drum", Cylinder(0.08, 0.2), 0.08 * slope.placement.rotation[:, 1], LYING)], slope, 0.6, friction=1)
    way = np.linalg.norm(rec["drum.position"] - rec["drum.position"][0], axis=1)
    np.testing.assert_allclose(way, G * np.sin(0.3) * rec.time("q") ** 2 / 3, atol=2e-9)  # 1e-9 of rtol, 1 m
    assert not rec.events


def test_an_egg_rocks_on_the_floor():
    """In a plane: (I + m (h² + h'²)) θ̈ + m (h h' + h' h'') θ̇² + m g h' = 0 with the height h(θ) of its centre."""
    a, b, start = 0.12, 0.07, 0.5

    def height(t):
        h = np.sqrt((a * np.sin(t)) ** 2 + (b * np.cos(t)) ** 2)
        slope = (a * a - b * b) * np.sin(t) * np.cos(t) / h
        return h, slope, ((a * a - b * b) * np.cos(2 * t) - slope**2) / h

    def rates(_, y):
        h, d, dd = height(y[0])
        return [y[1], -d * (G + (h + dd) * y[1] ** 2) / ((a * a + b * b) / 5 + h * h + d * d)]

    rec = run([body("egg", Ellipsoid((a, b, 0.1)), (0, height(start)[0], 0), (0, 0, start))], contact.floor(), 1.0)
    t, q = rec.time("q"), rec["egg.orientation"]
    found = solve_ivp(rates, (0, 1.0), [start, 0.0], t_eval=t, rtol=1e-11, atol=1e-12).y[0]
    np.testing.assert_allclose(2 * np.arctan2(q[:, 3], q[:, 0]), found, atol=3e-8)  # rtol 1e-9 over some ten radians
    small = np.sqrt(G * (a * a / b - b) / ((a * a + b * b) / 5 + b * b))  # of rocking about its lowest place
    tiny = run([body("egg", Ellipsoid((a, b, 0.1)), (0, height(1e-4)[0], 0), (0, 0, 1e-4))], contact.floor(), 1.0)
    angle = 2 * np.arctan2(tiny["egg.orientation"][:, 3], tiny["egg.orientation"][:, 0])
    np.testing.assert_allclose(angle, 1e-4 * np.cos(small * t), atol=1e-4 * 1e-5)  # θ² of the angle, and rtol


def on_peg(**more):
    """Return a ring that hangs on a peg at 0.5 rad, and the square of the frequency of its rolling on it.

    The centre is l = R − r − b from that of the peg; without slip the ring turns by l/(R − r) of the angle of that way.
    """
    ring, peg = Torus(0.1, 0.02), 0.03
    mass, inner = ring.mass_properties(density=500.0), 0.08
    at = (inner - peg) * np.array([np.sin(0.5), -np.cos(0.5), 0.0])
    figure, q, v = built([Body("ring", mass, ring, at, rotation_from_euler(LYING, "xyz"))])
    lying = Transform(rotation_from_euler(LYING, "xyz"), np.zeros(3))
    contacts = contact.Contacts(
        contact.solids_of_shape(figure, "ring", friction=2.0), (contact.cylinder(peg, placement=lying),)
    )
    square = G / ((inner - peg) * (1 + np.asarray(mass.inertia)[1, 1] / (mass.mass * inner**2)))
    return figure, {"contacts": contacts, "q0": q, "v0": v, "rate": 100.0, "rtol": 1e-10, **more}, square


def test_a_ring_swings_on_a_peg_as_a_pendulum():
    figure, given, square = on_peg(t1=1.0)
    rec = simulate(figure, **given)
    p = rec["ring.position"]
    np.testing.assert_allclose(np.arctan2(p[:, 0], -p[:, 1]), pendulum(rec.time("q"), 0.5, square), atol=2e-9)
    assert not rec.events


def test_an_interrupted_run_of_round_solids_goes_on_with_the_same_bits(tmp_path):
    figure, given, _ = on_peg(t1=0.4)
    whole = simulate(figure, **given)
    with pytest.raises(Stop):
        simulate(figure, **given, out=tmp_path / "run", progress=stop_after(0.5, Stop))
    again = simulate(figure, **given, out=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(again["ring.position"], whole["ring.position"])


def test_a_cone_rolls_about_its_point():
    """It touches the floor along a line, which is at rest: its axis goes round at a constant rate."""
    cone, rate = Cone(0.1, 0.2), 1.5
    lean = np.arctan2(0.1, 0.2)
    R = rotation_from_euler((0, 0, np.pi / 2 + lean), "xyz")
    at = -0.1 * R[:, 1]  # its point is at the origin, its wall along x
    spin = np.array([-rate / np.tan(lean), 0.0, 0.0])
    mass = cone.mass_properties(density=500.0)
    centre = at + R @ np.asarray(mass.com)
    rec = run([Body("cone", mass, cone, at, R, velocity=np.cross(spin, centre), spin=R.T @ spin)], contact.floor(), 2.0)
    t, far = rec.time("q"), centre[0]
    path = np.stack([far * np.cos(rate * t), np.full(len(t), centre[1]), -far * np.sin(rate * t)], axis=1)
    np.testing.assert_allclose(rec["cone.position"], path, atol=2e-9)
    assert not rec.events


def test_a_coin_rolls_as_its_rim_alone():
    """A thin cylinder as a solid, and the circle of its rim as a contact point."""
    coin, tilt = Cylinder(0.05, 0.004), 0.4
    at = (0, 0.05 * np.sin(tilt) + 0.002 * np.cos(tilt), 0)
    one = Body("coin", coin.mass_properties(density=8000.0), coin, at, rotation_from_euler((tilt, 0, 0), "xyz"),
               spin=(0.3, 4.0, 0.5))  # fmt: skip
    figure, q, v = built([one])
    rim = contact.ring_point("rim", "coin", (0, -0.002, 0), 0.05, (0, 1, 0))
    both = contact.solid_contacts(figure, contact.floor()), contact.Contacts((rim,), (contact.floor(),))
    paths = [simulate(figure, contacts=one, q0=q, v0=v, t1=0.3, rate=100.0, rtol=1e-9) for one in both]
    np.testing.assert_allclose(paths[0]["coin.position"], paths[1]["coin.position"], atol=1e-9)


def test_drums_stand_on_one_another():
    """On ends of different sizes, a box on top: each carries those above, and nothing moves."""
    low, high, box = Cylinder(0.1, 0.2), Cylinder(0.06, 0.1), Box((0.1, 0.1, 0.1))
    bodies = [body("low", low, (0, 0.1, 0)), body("high", high, (0.03, 0.25, 0)), body("box", box, (0.02, 0.35, 0.02))]
    rec = run(bodies, contact.floor(), 0.2, friction=0.5)
    weights = 500.0 * G * np.array([low.volume, high.volume, box.volume])
    np.testing.assert_allclose(rec["contact.force"][-1, :, 1], np.cumsum(weights[::-1])[::-1], rtol=1e-10)
    assert not rec.events
    for name in ("low", "high", "box"):
        assert np.abs(rec[f"{name}.position"] - rec[f"{name}.position"][0]).max() < 1e-12


def test_three_logs_lie_on_one_another():
    R = 0.05
    places = [(-1.01 * R, R, 0), (1.01 * R, R, 0), (0, R * (1 + (4 - 1.01**2) ** 0.5), 0)]
    rec = run([body(f"log{k}", Cylinder(R, 0.3), at, LYING) for k, at in enumerate(places)], contact.floor(), 0.2,
              friction=0.6)  # fmt: skip
    weight = 500.0 * G * Cylinder(R, 0.3).volume
    np.testing.assert_allclose(rec["contact.force"][-1, :, 1], weight * np.array([1.5, 1.5, 1.0]), rtol=1e-9)
    for k in range(3):
        assert np.abs(rec[f"log{k}.position"] - rec[f"log{k}.position"][0]).max() < 1e-12


def test_a_plank_goes_on_rollers_at_twice_their_speed():
    roller, plank, u = Cylinder(0.05, 0.3), Box((0.9, 0.04, 0.2)), 0.2
    spin = (0.0, -u / 0.05, 0.0)  # about the rollers' own axis, which is along z
    bodies = [
        body(f"r{k}", roller, (x, 0.05, 0), LYING, velocity=(u, 0, 0), spin=spin) for k, x in enumerate((-0.2, 0.2))
    ]
    rec = run([*bodies, body("plank", plank, (0, 0.12, 0), velocity=(2 * u, 0, 0))], contact.floor(), 0.4, friction=0.5)
    t = rec.time("q")
    np.testing.assert_allclose(rec["plank.position"][:, 0], 2 * u * t, atol=1e-9)
    np.testing.assert_allclose(rec["r0.position"][:, 0], u * t - 0.2, atol=1e-9)
    np.testing.assert_allclose(rec["plank.position"][:, 1], 0.12, atol=1e-12)


def test_eggs_collide_without_loss():
    bodies = [
        body("a", Ellipsoid((0.12, 0.07, 0.09)), (0, 0, 0), (0.3, 0.2, 0.5), spin=(1, 2, 3)),
        body("b", Ellipsoid((0.06, 0.1, 0.08)), (0.03, 0.3, 0.02), (1, 0.5, 0.1), velocity=(0, -2, 0)),
    ]
    rec = run(bodies, t1=0.2, gravity=(0, 0, 0), friction=0.0, restitution=1.0)
    assert [event.name for event in rec.events] == ["impact: b on a.solid.1"]
    np.testing.assert_allclose(rec["energy.kinetic"], rec["energy.kinetic"][0], rtol=1e-9)
    for what in ("momentum", "angular_momentum"):
        size = np.abs(rec[what]).max()
        np.testing.assert_allclose(rec[what], np.broadcast_to(rec[what][0], rec[what].shape), atol=1e-9 * size)


@pytest.mark.slow
def test_a_drum_rocks_to_rest_as_in_time_stepping():
    """On the rim of its end, flat, over to the other side, until it stands: impacts lose the same energy."""
    start = body("drum", Cylinder(0.1, 0.4), (0, 0.2 * np.cos(0.05) + 0.1 * np.sin(0.05), 0), (0, 0, 0.05))
    exact, rough = (run([start], contact.floor(), 1.0, friction=1.0, integrator=name)
                    for name in ("dormand-prince", "time-stepping"))  # fmt: skip
    # of first order: it walks 10 mm, at 0.2 m/s, and each of some ten impacts may be a step of 1 ms late
    np.testing.assert_allclose(exact["drum.position"][-1], rough["drum.position"][-1], atol=1e-4)
    total = exact["energy.kinetic"] + exact["energy.potential"]
    assert np.diff(total).max() < 1e-8 * total[0]
    assert np.abs(exact["drum.orientation"][-1, 1:]).max() < 1e-12
