"""Solids that touch one another: stacks, edges, rolling, collisions and piles, against closed forms and books."""

import os

import numpy as np
import pytest

from motiform import Body, FigureBuilder, Transform, contact, simulate
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Cylinder
from motiform.motion.stepping import add_body, start_bodies
from motiform.spatial import rotation_from_euler
from piles import cluster_books, pile_books

G = 9.81
H = 1e-3  # [s] the step


def built(bodies, gravity=(0, -G, 0)):
    """Return the figure of free bodies, its configuration and its velocities."""
    b = FigureBuilder(gravity=gravity)
    for body in bodies:
        add_body(b, body)
    figure = b.build()
    return figure, *start_bodies(figure, bodies)


def run(bodies, obstacles=(), t1=0.1, gravity=(0, -G, 0), rate=100.0, **law):
    figure, q, v = built(bodies, gravity)
    contacts = contact.solid_contacts(figure, obstacles, **law)
    return simulate(figure, contacts=contacts, q0=q, v0=v, t1=t1, rate=rate, integrator="time-stepping", step=H)


def body(name, shape, at, turn=(0.0, 0.0, 0.0), density=500.0, **more):
    return Body(name, shape.mass_properties(density=density), shape, at, rotation_from_euler(turn, "xyz"), **more)


@pytest.mark.parametrize("offset", [0.0, 0.005])
def test_each_of_a_stack_carries_those_above(offset):
    """Equal boxes, edge on edge and shifted: the force from below is the weight of a box and of all above it."""
    box, count = Box((0.2, 0.1, 0.2)), 4
    bodies = [body(f"b{k}", box, (offset * (-1) ** k, 0.05 + 0.1 * k, 0.6 * offset * (-1) ** k)) for k in range(count)]
    rec = run(bodies, contact.floor(), t1=0.5, friction=0.5)
    weight = box.volume * 500 * G
    expected = weight * np.arange(count, 0, -1)
    # sweeps end at 1e-11 of the largest impulse; a chain of four passes its error on some tens of times
    np.testing.assert_allclose(rec["contact.force"][-1, :, 1], expected, rtol=1e-8)
    np.testing.assert_allclose(rec["contact.force"][-1][:, [0, 2]], 0.0, atol=1e-7 * expected[0])
    for k in range(count):
        assert np.abs(rec[f"b{k}.position"] - rec[f"b{k}.position"][0]).max() < 1e-6
    moment = rec["solid.wrench"][-1, :, :3]  # about the middle of each box: none but that of the load above
    np.testing.assert_allclose(moment[-1], 0.0, atol=1e-7 * weight)


def _stands(count, t1):
    """A stack stays where it is: what rounding of places makes of velocities, 1e-15 m a step, adds up at most."""
    box = Box((0.2, 0.1, 0.2))
    bodies = [body(f"b{k}", box, (0, 0.05 + 0.1 * k, 0)) for k in range(count)]
    rec = run(bodies, contact.floor(), t1=t1, rate=10.0, friction=0.5)
    places = np.array([rec[f"b{k}.position"] for k in range(count)])
    assert np.abs(places - places[:, :1]).max() < 1e-15 * count * t1 / H


@pytest.mark.parametrize("count", [15, 25])
def test_a_high_stack_stands(count):
    _stands(count, 0.5)


@pytest.mark.parametrize("gap", [0.0, 1e-5])
def test_a_stack_of_turned_boxes_comes_to_rest(gap):
    """Faces share eight corners where three would do: what rounding or landing leaves of their gaps does not agree."""
    box = Box((0.2, 0.1, 0.2))
    turn = 0.785 if gap else 0.3
    bodies = [body(f"b{k}", box, (0, 0.05 + 0.1 * k + gap * (k + 1), 0), (0, turn * k, 0)) for k in range(20)]
    rec = run(bodies, contact.floor(), t1=0.5, rate=20.0, friction=0.5)
    places = np.array([rec[f"b{k}.position"] for k in range(20)])
    assert np.abs(places[:, -1] - places[:, -5])[:, [0, 2]].max() < 1e-11  # as docs/contact.md says of stacks
    # gaps up to 0.1 m/s² h² stay: what rests is slower than what would close them in a step
    mass = sum(one.properties.mass for one in bodies)
    assert rec["energy.kinetic"][-1] < 0.5 * mass * (0.1 * H) ** 2 * 1e-6


@pytest.mark.slow
def test_forty_boxes_stand_for_a_minute():
    _stands(40, 60.0)


def _cards(leans, friction, t1=0.3, length=0.1, thick=0.002):
    """Two thin cards that lean on each other with their upper edges, and the friction that statics asks for."""
    card, bodies, needs = Box((thick, length, 0.06)), [], []
    for side, lean in zip((-1, 1), leans, strict=True):
        turn = rotation_from_euler((0, 0, side * lean), "xyz")
        corners = {(x, y): turn @ (x * thick / 2, y * length / 2, 0.0) for x in (-1, 1) for y in (-1, 1)}
        top, foot = corners[-side, 1], min(corners.values(), key=lambda place: place[1])
        bodies.append(body("LR"[side > 0], card, (-top[0], -foot[1], 0), (0, 0, side * lean), density=700.0))
        needs.append(abs(foot[0]) / (top[1] - foot[1]))  # moments about the foot: H (p_y − f_y) = m g (c_x − f_x)
    rec = run(bodies, contact.floor(), t1=t1, rate=50.0, friction=friction(max(needs)))
    return np.abs(np.diff(rec["L.position"][[0, -1], 1]))[0]


class TestCards:
    """The normal of an edge on an edge is open between the faces beside them: it is along the load."""

    @pytest.mark.parametrize("lean", [0.15, 0.26, 0.5])
    def test_they_stand_down_to_the_friction_of_statics(self, lean):
        assert _cards((lean, lean), lambda need: 1.01 * need) < 1e-9

    @pytest.mark.parametrize(
        ("length", "thick", "lean"), [(0.05, 0.5e-3, 0.7), (0.05, 1e-3, 0.26), (0.1, 0.3e-3, 0.44)]
    )
    def test_thin_ones_stand_and_slide_alike(self, length, thick, lean):
        """Both corners of the lower edge carry, however near the other edge is."""
        assert _cards((lean, lean), lambda need: 1.03 * need, length=length, thick=thick) < 1e-9
        assert _cards((lean, lean), lambda need: 0.97 * need, length=length, thick=thick) > 1e-4

    def test_they_slide_below(self):
        """Short of friction by 2 % the feet go apart: faster than a fiftieth of μ g h sin α would be after 0.3 s."""
        assert _cards((0.26, 0.26), lambda need: 0.98 * need) > 1e-4


def test_crossed_edges_push_along_their_cross_product():
    """A box falls edge on edge onto another, crosswise: the impulse has no part along either edge."""
    box, half = Box((0.1, 0.1, 0.6)), 0.05 * 2**0.5
    turn = np.pi / 4
    bodies = [
        body("low", box, (0, -half, 0), (0, 0, turn)),
        body("high", box, (0, half + 1e-3, 0), velocity=(0.3, -1.0, 0.2)),
    ]
    bodies[1] = Body(
        "high", bodies[1].properties, box, (0, half + 1e-3, 0),
        rotation_from_euler((0.0, np.pi / 3, 0.0), "xyz") @ rotation_from_euler((0.0, 0.0, turn), "xyz"),
        velocity=(0.3, -1.0, 0.2),
    )  # fmt: skip
    rec = run(bodies, t1=0.01, gravity=(0, 0, 0), rate=1000.0, friction=0.0)
    edge, other = (one.rotation[:, 2] for one in reversed(bodies))
    way = np.diff(rec["high.position"], axis=0)
    change = (way[-1] - way[0]) / H
    normal = np.cross(edge, other) / np.linalg.norm(np.cross(edge, other))
    assert np.linalg.norm(change) > 0.1
    # the boxes turn by some 1e-3 rad within the steps in which they meet
    np.testing.assert_allclose(np.abs(change @ normal), np.linalg.norm(change), rtol=1e-4)


def test_a_collision_off_centre_keeps_both_momenta():
    box, rod = Box((0.2, 0.1, 0.3)), Cylinder(0.05, 0.4)
    bodies = [
        body("box", box, (0, 0, 0), (0.2, 0.5, 0.1), spin=(1.0, 0.5, -0.7)),
        body("rod", rod, (0.03, 0.35, 0.08), (0.9, 0.2, 0.4), velocity=(0.1, -2.0, 0.3), spin=(0.3, 2.0, 1.0)),
    ]
    rec = run(bodies, t1=0.3, gravity=(0, 0, 0), friction=0.4, restitution=0.3)
    p, L = rec["momentum"], rec["angular_momentum"]
    assert np.abs(np.diff(rec["rod.position"], n=2, axis=0)).max() > 0.004  # they did collide: 0.4 m/s · 0.01 s
    # impulses are equal and opposite at one place, and a step keeps the momenta of free flight but for rounding
    np.testing.assert_allclose(p, np.broadcast_to(p[0], p.shape), atol=1e-9 * np.abs(p[0]).max())
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-9 * np.abs(L[0]).max())
    assert rec["energy.kinetic"].max() <= rec["energy.kinetic"][0] * (1 + 1e-3)


def test_a_cylinder_rolls_down_a_box():
    """Rolling on a slope of angle α: a = 2/3 g sin α, for a full cylinder; here α = 0.2 rad."""
    slope = 0.2
    along, up = np.array([np.cos(slope), -np.sin(slope), 0]), np.array([np.sin(slope), np.cos(slope), 0])
    ramp = contact.box((4.0, 0.2, 1.0), name="ramp", placement=Transform.from_euler((-slope,), "z", -0.1 * up))
    start = -along + 0.05 * up
    rec = run([body("roll", Cylinder(0.05, 0.3), start, (np.pi / 2, 0, 0))], ramp, t1=0.5, friction=0.8)
    way = (rec["roll.position"][-1] - rec["roll.position"][0]) @ along
    # first order in the step: the last velocity counts for all of a step, a t h/2, for the centre and for the turn
    a = 2 / 3 * G * np.sin(slope)
    assert way == pytest.approx(0.5 * a * 0.5**2, abs=3 * a * 0.5 * H / 2)
    assert np.abs((rec["roll.position"] - rec["roll.position"][0]) @ up).max() < 1e-5


def test_neighbours_and_named_pairs_do_not_touch():
    bodies = [body(f"b{k}", Box((0.2, 0.1, 0.2)), (0, 0.05 + 0.1 * k, 0)) for k in range(3)]
    figure, _, _ = built(bodies)
    every = contact.solid_contacts(figure, contact.floor())
    some = contact.solid_contacts(figure, contact.floor(), exclude=[("b2", "b1")])
    assert every.pairs is None
    assert ("b1", "b0.solid") in some.pairs
    assert ("b2", "b1.solid") not in some.pairs
    gaps = contact.contact_gaps(figure, some, start_bodies(figure, bodies)[0])
    np.testing.assert_allclose(gaps, (0.0, 0.0, 0.1), atol=1e-12)  # b2 sees b0 and the ground alone


def test_a_pile_of_all_kinds_holds_together():
    assert max(pile_books(1).values()) <= 1


def test_a_cluster_keeps_its_momenta():
    assert max(cluster_books(1).values()) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, int(os.environ.get("MOTIFORM_PILES", "40")), 10))
def test_piles_do_not_pass_through_one_another(first):
    """MOTIFORM_PILES=1000 runs a thousand."""
    for seed in range(first, first + 10):
        try:
            books = {**pile_books(seed), **cluster_books(seed)}
        except InputError:
            continue  # two large solids overlap where they start
        assert max(books.values()) <= 1, (seed, books)


@pytest.mark.slow
# a hull stuck in a ring; one that lands on others while it spins; an impact, after which impulses are a tenth
@pytest.mark.parametrize("seed", [56, 88, 112])
def test_piles_that_are_hard(seed):
    assert max(pile_books(seed).values()) <= 1


def test_a_wedge_is_moved_apart_without_speed():
    """A ball between two walls that overlap it, in a corner of 20°: friction would hold it however it is pushed.

    It comes out by a fifth of its depth in each step, and keeps no speed. The parting is soft by 1 % of the stiffness
    of a contact alone; both walls push against each other, which leaves 1 − cos 20° of that.
    """
    half, depth, radius = np.deg2rad(10.0), 1e-3, 0.05
    walls = [
        contact.plane(normal=(side * np.cos(half), np.sin(half), 0.0), name=f"wall{side}", friction=1.0)
        for side in (1, -1)
    ]
    ball = Ball(radius)
    high = (radius - depth) / np.sin(half)
    figure, q, v = built([body("ball", ball, (0, high, 0))])
    from motiform.motion.stepping.equations import ContactEquations
    from motiform.motion.stepping.time_stepping import Stepper
    from motiform.motion.tree.model.acting import Acting

    system = ContactEquations(figure, contact.solid_contacts(figure, walls, friction=1.0), Acting(figure), events=False)
    stepper, y = Stepper(system, H), np.concatenate([q, v, np.zeros(system.size - len(q) - len(v))])
    stiff = 1 - np.cos(2 * half)
    weight = ball.volume * 500 * G
    for _ in range(10):
        before = -system.gaps(y).min()
        stepper.step(0.0, y)
        assert np.abs(y[figure.nq : system.moving]).max() < 1e-9
        # sweeps end where an impulse changes by 1e-3 of itself, which the row of the other wall has not answered yet
        moved = 0.2 * before * stiff / (stiff + 0.01)
        assert before + system.gaps(y).min() == pytest.approx(moved, rel=1e-3 / (stiff + 0.01))
        assert stepper.impulses.max() / H < weight / np.sin(half)  # without friction it is half of that


@pytest.mark.slow
def test_ten_boxes_stand_for_a_minute():
    bodies = [body(f"b{k}", Box((0.2, 0.1, 0.2)), (0, 0.05 + 0.1 * k, 0)) for k in range(10)]
    rec = run(bodies, contact.floor(), t1=60.0, rate=10.0, friction=0.5)
    for k in range(10):
        assert np.abs(rec[f"b{k}.position"] - rec[f"b{k}.position"][0]).max() < 1e-5
