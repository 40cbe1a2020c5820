"""Solids in event-driven runs: gaps, standing, tipping, collisions, against closed forms and time-stepping."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from models import Stop, stop_after
from motiform import Body, FigureBuilder, contact, simulate
from motiform.geometry import Ball, Box, Capsule, Mesh
from motiform.motion.contact.columns import FLAT, GAP, LINE, POINT, SLIP
from motiform.motion.stepping import add_body, start_bodies
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.tree.model.acting import Acting
from motiform.spatial import quaternion_from_rotation, rotation_from_euler, rotation_from_quaternion

G = 9.81


def built(bodies, gravity=(0, -G, 0)):
    """Return the figure of free bodies, its configuration and its velocities."""
    b = FigureBuilder(gravity=gravity)
    for body in bodies:
        add_body(b, body)
    figure = b.build()
    return figure, *start_bodies(figure, bodies)


def run(bodies, obstacles=(), t1=0.1, gravity=(0, -G, 0), rate=100.0, integrator="dormand-prince", **law):
    figure, q, v = built(bodies, gravity)
    contacts = contact.solid_contacts(figure, obstacles, **law)
    more = {"step": 1e-3} if integrator == "time-stepping" else {}
    return simulate(figure, contacts=contacts, q0=q, v0=v, t1=t1, rate=rate, integrator=integrator, **more)


def body(name, shape, at, turn=(0.0, 0.0, 0.0), density=500.0, **more):
    return Body(name, shape.mass_properties(density=density), shape, at, rotation_from_euler(turn, "xyz"), **more)


BOX = Box((0.2, 0.1, 0.2))
ROD = Capsule(0.05, 0.3)
LOW = 0.05 * 2**0.5  # of a box of 0.1 m on an edge
BEAM = Box((0.1, 0.1, 0.6))
PLACES = {  # two bodies each, and the kinds of what touches
    "corner on face": (BOX, (0, 0.2, 0), (0.5, 0.3, 0.7), BOX, (0, 0, 0), (0, 0, 0), (POINT, FLAT)),
    "face on corner": (BOX, (0, 0.1, 0), (0, 0, 0), BOX, (0, -0.15, 0.02), (0.7, 0.2, 0.6), (FLAT, POINT)),
    "edge on edge": (
        BEAM, (0, 2 * LOW, 0), (0, 1.0, np.pi / 4), BEAM, (0, 0, 0), (0, 0, np.pi / 4), (LINE, LINE)
    ),
    "end of a rod on a face": (ROD, (0, 0.25, 0), (0.4, 0.0, 0.3), BOX, (0, 0, 0), (0, 0, 0), (POINT, FLAT)),
    "rod across an edge": (
        ROD, (0.13, 0.12, 0), (np.pi / 2, 0.3, 0.4), BOX, (0, 0, 0), (0, 0.2, 0.1), (LINE, LINE)
    ),
    "end of a rod at an edge": (
        ROD, (0.25, 0.2, 0.02), (0.0, 0.0, -1.0), BOX, (0, 0, 0), (0, 0, 0), (POINT, LINE)
    ),
    "rods end to end": (ROD, (0.0, 0.42, 0.02), (0.1, 0.0, 0.1), ROD, (0, 0, 0), (0, 0, 0), (POINT, POINT)),
}  # fmt: skip


def along(figure, q, v, t):
    """Return the configuration after a time t at constant velocities in the axes of the bodies."""
    out = q.copy()
    for name in ("a", "b"):
        at, move = figure.places(name, "q"), v[figure.places(name, "v")]
        w, x, y, z = q[at][3:]
        R = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ])  # fmt: skip
        T, twist = np.eye(4), np.zeros((4, 4))
        T[:3, :3], T[:3, 3] = R, q[at][:3]
        o = move[:3]
        twist[:3] = np.array([[0, -o[2], o[1], move[3]], [o[2], 0, -o[0], move[4]], [-o[1], o[0], 0, move[5]]])
        T = T @ expm(t * twist)
        out[at] = [*T[:3, 3], *quaternion_from_rotation(T[:3, :3])]
    return out


@pytest.mark.parametrize("case", PLACES)
def test_gaps_of_features_have_their_second_derivative(case):
    """gap¨ of the rows against differences of the gap along a motion, with the solids touching."""
    shape, at, turn, other, there, tilt, kinds = PLACES[case]
    figure, q, _ = built([body("b", other, there, tilt), body("a", shape, at, turn)], (0, 0, 0))
    system = ContactEquations(figure, contact.solid_contacts(figure), Acting(figure))
    v = np.random.default_rng(5).normal(size=figure.nv)
    y = np.concatenate([q, v])
    system.solids.size[:] = 10.0  # features are known however far apart the solids are
    system.refresh(y, anew=True)
    gaps = system.raw_gaps(y)
    k = int(np.argmin(gaps))
    assert system.solids.features[k - system.solids.first].code[:2] == kinds
    normal = system.solids.sites(q, np.array([k - system.solids.first]))[0, 4:7]
    y[figure.places("a", "q")[:3]] -= gaps[k] * normal  # a touches now
    q = y[: figure.nq].copy()
    problem = system.problem
    problem.activate(np.array([k]))
    problem.pose(y, np.zeros(figure.nv))
    assert abs(problem.sites[0, GAP]) < 1e-14
    h = 2e-4
    g = [system.raw_gaps(along(figure, q, v, n * h))[k] for n in (-2, -1, 0, 1, 2)]
    first, second = (g[0] - 8 * g[1] + 8 * g[3] - g[4]) / (12 * h), (-g[0] + 16 * g[1] - 30 * g[2] + 16 * g[3] - g[4])
    assert problem.sites[0, SLIP + 1] == pytest.approx(first, abs=1e-8)
    # differences of fourth order: h⁴/90 of sixth derivatives, (v/r)⁶ r ~ 2e8 m/s⁶ for v = 2 m/s, r = 0.05 m
    assert problem.space.s[1] == pytest.approx(second / (12 * h * h), abs=1e-6)


@pytest.mark.parametrize("offset", [0.0, 0.005])
def test_each_of_a_stack_carries_those_above(offset):
    """Equal boxes, edge on edge and shifted: the force from below is the weight of a box and of all above it."""
    count = 4
    bodies = [body(f"b{k}", BOX, (offset * (-1) ** k, 0.05 + 0.1 * k, 0.6 * offset * (-1) ** k)) for k in range(count)]
    rec = run(bodies, contact.floor(), t1=0.2, friction=0.5)
    expected = BOX.volume * 500 * G * np.arange(count, 0, -1)
    np.testing.assert_allclose(rec["contact.force"][-1, :, 1], expected, rtol=1e-11)
    np.testing.assert_allclose(rec["contact.force"][-1][:, [0, 2]], 0.0, atol=1e-11 * expected[0])
    assert not rec.events
    for k in range(count):
        assert np.abs(rec[f"b{k}.position"] - rec[f"b{k}.position"][0]).max() < 1e-13


def test_a_box_tips_where_its_middle_leaves_the_edge():
    """Without friction at 0.3 m/s from 0.02 m before the edge of an equal box: flat for 1/15 s, then it turns."""
    bodies = [body("low", BOX, (0, 0.05, 0)), body("high", BOX, (0.08, 0.15, 0), velocity=(0.3, 0, 0))]
    rec = run(bodies, contact.floor(), t1=0.1, rate=300.0, friction=0.0)
    t, turn = rec.time("q"), np.abs(rec["high.orientation"][:, 1:]).max(1)
    assert turn[t < 1 / 15].max() < 1e-12
    np.testing.assert_allclose(rec["high.position"][t < 1 / 15, 0], 0.08 + 0.3 * t[t < 1 / 15], atol=1e-12)
    # its middle goes on at 0.3 m/s; about it I θ̈ = N a with a = 0.3 s − 0.05 θ along its face, and N from the gap,
    # whose second derivative N/m − g + a θ̈ + (2 · 0.3 − 0.05 θ̇) θ̇ is zero
    s = t[-1] - 1 / 15

    def rates(at, y):
        a = 0.3 * at - 0.05 * y[0]
        return [y[1], a * (G - (0.6 - 0.05 * y[1]) * y[1]) / ((0.2**2 + 0.1**2) / 12 + a * a)]

    angle = solve_ivp(rates, (0, s), [0.0, 0.0], rtol=1e-10).y[0, -1]
    assert 2 * turn[-1] == pytest.approx(angle, rel=2e-3)  # but for θ² and the push on the box below, θ N
    assert rec["contact.gap"].min() > -1e-9


def test_a_box_falls_about_its_edge():
    """From 0.1 rad past its edge, which does not slip: an inverted pendulum, until its face lands on the box below."""
    arm, rest, lean = float(np.hypot(0.1, 0.2)), float(np.arctan2(0.1, 0.2)), 0.1

    def middle(angle):
        return np.array([-arm * np.sin(angle), arm * np.cos(angle)])

    tall = Box((0.2, 0.4, 0.3))
    x, y = middle(lean)
    bodies = [body("low", Box((2, 0.1, 0.3)), (0, -0.05, 0)), body("high", tall, (x, y, 0), (0, 0, rest + lean))]
    figure, q, v = built(bodies)
    contacts = contact.solid_contacts(figure, contact.floor(-0.1), friction=None)
    rec = simulate(figure, contacts=contacts, q0=q, v0=v, t1=0.25, rate=200.0, rtol=1e-10)
    inertia = (0.2**2 + 0.4**2) / 12 + arm**2
    found = solve_ivp(
        lambda t, s: [s[1], G * arm * np.sin(s[0]) / inertia], (0, 0.25), [lean, 0.0], t_eval=rec.time("q"), rtol=1e-12,
        atol=1e-13,
    )  # fmt: skip
    expected = np.stack([-arm * np.sin(found.y[0]), arm * np.cos(found.y[0])], axis=1)
    np.testing.assert_allclose(rec["high.position"][:, :2], expected, atol=1e-8)
    assert found.y[0, -1] + rest < np.pi / 2  # it has not landed yet


def test_crossed_edges_push_along_their_cross_product():
    turn = np.pi / 4
    bodies = [
        body("low", BEAM, (0, -LOW, 0), (0, 0, turn)),
        Body(
            "high", BEAM.mass_properties(density=500.0), BEAM, (0.01, LOW + 1e-3, 0.02),
            rotation_from_euler((0.0, np.pi / 3, 0.0), "xyz") @ rotation_from_euler((0.0, 0.0, turn), "xyz"),
            velocity=(0.0, -1.0, 0.0),
        ),
    ]  # fmt: skip
    rec = run(bodies, t1=0.01, gravity=(0, 0, 0), rate=1000.0, friction=0.0, restitution=1.0)
    (impact,) = (event for event in rec.events if event.name.startswith("impact"))
    assert impact.time == pytest.approx(1e-3, abs=1e-12)
    edge, other = (one.rotation[:, 2] for one in reversed(bodies))
    normal = np.cross(edge, other) / np.linalg.norm(np.cross(edge, other))
    p = rec["high.position"]
    change = (p[-1] - p[-2]) * 1000 - (0, -1, 0)
    np.testing.assert_allclose(np.abs(change @ normal), np.linalg.norm(change), rtol=1e-10)
    np.testing.assert_allclose(rec["energy.kinetic"], rec["energy.kinetic"][0], rtol=1e-11)
    for what in ("momentum", "angular_momentum"):
        np.testing.assert_allclose(rec[what], np.broadcast_to(rec[what][0], rec[what].shape), atol=1e-12)


def test_a_ball_goes_over_the_edge_of_a_hull_as_over_that_of_a_box():
    """The same block as a mesh, touched by features, and as a box, whose signed distance a ball has."""
    block = Box((0.3, 0.1, 0.3))
    mesh = block.to_mesh()
    hull = Mesh(mesh.vertices, mesh.faces)
    paths = []
    for solid in (block, hull):
        figure, q, v = built([body("ball", Ball(0.05), (0.1, 0.1, 0), velocity=(0.4, 0, 0.05))])
        points = contact.solids_of_shape(figure, "ball", friction=0.0)
        contacts = contact.Contacts(points, (contact.Obstacle("block", solid),))
        paths.append(simulate(figure, contacts=contacts, q0=q, v0=v, t1=0.3, rate=100.0)["ball.position"])
    assert paths[0][-1, 1] < 0.05  # it has gone over
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-8)


def dominoes(width, integrator, t1=0.66, count=5):
    """Push the first of equal dominoes; the fourth strikes the fifth after 0.67 s."""
    one = Box((0.02, 0.12, width))
    bodies = [body(f"d{k}", one, (0.06 * k, 0.06, 0)) for k in range(count)]
    tilt = 0.18  # past its balance at atan(0.02 / 0.12) = 0.165 rad
    R = rotation_from_euler((0, 0, -tilt), "xyz")
    at = np.array([0.01, 0, 0]) + R @ (-0.01, 0.06, 0)
    bodies[0] = Body("d0", one.mass_properties(density=500.0), one, at, R)
    return run(bodies, contact.floor(), t1=t1, rate=100.0, integrator=integrator, friction=0.4)


def leaning(angle, friction, t1):
    """Return a run of two cards that lean on each other, and by how much they sink; `friction` over its limit.

    By symmetry the force between them is horizontal, H, and their upper edges stay in the middle. Their lower ones,
    with the force (μ N, N), slide apart: three equations for the turning ψ̈, N and H of one of them.
    """
    card = Box((0.002, 0.1, 0.06))
    foot, top = np.array([0.001, -0.05, 0]), np.array([0.001, 0.05, 0])  # of the left one
    tilted = rotation_from_euler((0, 0, -angle), "xyz")
    limit = -(tilted @ foot)[0] / (tilted @ (top - foot))[1]
    mu, inertia = friction * limit, (0.002**2 + 0.1**2) / 12

    def rates(_, state):
        turn, w = state
        R = rotation_from_euler((0, 0, turn), "xyz")
        f, p = R @ foot, R @ top
        rows = [[-p[1], mu, -1], [f[0], 1, 0], [inertia, mu * f[1] - f[0], -p[1]]]
        return [w, np.linalg.solve(rows, [p[0] * w * w, G + f[1] * w * w, 0])[0]]

    end = solve_ivp(rates, (0, t1), [-angle, 0], rtol=1e-11, atol=1e-14).y[0, -1]
    sinks = (rotation_from_euler((0, 0, end), "xyz") @ foot - tilted @ foot)[1]
    apart, up = (tilted @ top)[0], -(tilted @ foot)[1]
    cards = [body(f"c{k}", card, (-side * apart, up, 0), (0, 0, -side * angle)) for k, side in enumerate((1, -1))]
    return run(cards, contact.floor(), t1=t1, friction=mu), sinks


@pytest.mark.parametrize("angle", [0.15, 0.4])
def test_two_cards_that_lean_on_each_other_stand_above_the_limit_of_friction(angle):
    rec, _ = leaning(angle, 1 + 1e-6, 0.2)
    assert np.abs(rec["q"] - rec["q"][0]).max() < 1e-9
    assert not rec.events


@pytest.mark.parametrize(("angle", "friction"), [(0.15, 0.95), (0.26, 1 - 1e-3)])
def test_two_cards_slide_apart_below_it_as_on_paper(angle, friction):
    rec, sinks = leaning(angle, friction, 0.2)
    fallen = rec["c0.position"][-1, 1] - rec["c0.position"][0, 1]
    assert sinks > 1e-5
    assert fallen == pytest.approx(-sinks, abs=1e-9)  # default tolerances


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.03, 0.2])
def test_dominoes_of_any_width_fall_as_in_time_stepping(width):
    exact, rough = dominoes(width, "dormand-prince"), dominoes(width, "time-stepping")
    for k in range(5):
        # of first order: at 1 m/s a step of 1 ms for each of the three impacts
        np.testing.assert_allclose(exact[f"d{k}.position"], rough[f"d{k}.position"], atol=3e-3, err_msg=f"{k}")
    assert np.abs(exact["d2.orientation"][-1, 1:]).max() > 0.05  # the third is falling
    total = exact["energy.kinetic"] + exact["energy.potential"]
    assert np.diff(total).max() < 1e-7 * total[0]
    assert exact["contact.gap"].min() > -1e-8


@pytest.mark.slow
@pytest.mark.parametrize(("width", "t1"), [(0.06, 1.0), (0.006, 0.7)])
def test_a_row_that_piles_up_keeps_its_laws(width, t1):
    """Features of boxes come and go while others press: steps with impulses bridge what wide ones chatter at before
    they come to rest.
    """
    rec = dominoes(width, "dormand-prince", t1=t1, count=3)
    total = rec["energy.kinetic"] + rec["energy.potential"]
    assert np.diff(total).max() < 1e-6 * total[0]  # impulses of steps over many events keep the laws to 1e-6
    assert rec["contact.gap"].min() > -1e-6
    assert np.abs(rec["d2.orientation"][-1, 1:]).max() > 0.5  # the last has fallen
    if width == 0.06:
        assert "chatters, impulses" in [event.name.split(":")[0] for event in rec.events]
        assert rec["energy.kinetic"][-1] < 1e-9 * total[0]


def test_edges_that_cross_from_beside_are_not_missed():
    """Two boxes tumble: two edges, known but apart, come to cross below zero while another pair of edges touches."""
    low, high = Box((0.1136, 0.0986, 0.1358)), Box((0.1004, 0.1396, 0.0885))
    turns = [
        rotation_from_quaternion(q) for q in ((0.695, -0.4168, -0.4573, -0.3661), (0.4433, -0.5436, -0.4335, 0.5658))
    ]
    bodies = [
        Body("low", low.mass_properties(density=1000.0), low, (-0.0352, 0.15, -0.0685), turns[0]),
        Body("high", high.mass_properties(density=1000.0), high, (-0.0062, 0.4, -0.0642), turns[1]),
    ]
    rec = run(bodies, contact.floor(), t1=0.24, friction=0.5, restitution=0.3)
    assert rec["contact.gap"].min() > -1e-8
    total = rec["energy.kinetic"] + rec["energy.potential"]
    assert np.diff(total).max() < 1e-9 * total[0]


@pytest.mark.slow
def test_ten_boxes_stand_for_a_minute():
    bodies = [body(f"b{k}", BOX, (0, 0.05 + 0.1 * k, 0)) for k in range(10)]
    rec = run(bodies, contact.floor(), t1=60.0, rate=10.0, friction=0.5)
    assert not rec.events
    for k in range(10):
        assert np.abs(rec[f"b{k}.position"] - rec[f"b{k}.position"][0]).max() < 1e-10


def test_an_interrupted_run_goes_on_with_the_same_bits(tmp_path):
    bodies = [body("low", BOX, (0, 0.05, 0)), body("high", BOX, (0.08, 0.15, 0), velocity=(0.3, 0, 0))]
    figure, q, v = built(bodies)
    contacts = contact.solid_contacts(figure, contact.floor(), friction=0.1)
    given = {"contacts": contacts, "q0": q, "v0": v, "t1": 0.2, "rate": 100.0}
    whole = simulate(figure, **given)
    with pytest.raises(Stop):
        simulate(figure, **given, out=tmp_path / "run", progress=stop_after(0.5, Stop))
    again = simulate(figure, **given, out=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(again["high.position"], whole["high.position"])


def test_a_box_drops_flat_on_an_equal_one():
    """Without bounce, four corners at once: the impact loses the energy of the fall that the pair does not keep."""
    bodies = [body("low", BOX, (0, 0.05, 0)), body("high", BOX, (0, 0.16, 0))]
    rec = run(bodies, contact.floor(), t1=0.2, friction=0.5)
    (impact,) = (event for event in rec.events if event.name.startswith("impact"))
    assert impact.time == pytest.approx(np.sqrt(2 * 0.01 / G), abs=1e-9)
    assert impact.detail["lost"] == pytest.approx(BOX.volume * 500 * G * 0.01, rel=1e-8)
    np.testing.assert_allclose(rec["high.position"][-1], (0, 0.15, 0), atol=1e-8)
