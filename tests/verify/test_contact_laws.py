"""Contacts, friction, impacts and limits against formulas on paper: V4b, V12 to V16 and others.

Tolerances are those of the table of known answers where it has one. Elsewhere runs at rtol 1e-12 of a second or so are
good to about 1e-10, and events are located to rounding.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from models import G, Z, free_body, on_floor
from motiform import FigureBuilder, Transform, contact, joints, simulate
from motiform.base.errors import RunError
from motiform.geometry import Ball, Box
from motiform.motion.tree import energy

TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def puck(mass=1.0, gravity=(0, -G, 0)):
    """A point that may go anywhere but does not turn: its motion is a particle's."""
    b = FigureBuilder(gravity=gravity)
    shifts = [joints.Axis("prismatic", axis) for axis in np.eye(3)]
    b.segment("puck", None, joints.AxesJoint(shifts, ("x", "y", "z")), mass=mass)
    return b.build()


def puck_contacts(friction, ground=None, **laws):
    point = contact.ContactPoint("tip", "puck", (0, 0, 0), friction=friction)
    return contact.Contacts((point,), (contact.floor() if ground is None else ground,), **laws)


def times(rec, start):
    return np.array([event.time for event in rec.events if event.name.startswith(start)])


def details(rec, key):
    return np.array([event.detail[key] for event in rec.events if event.name.startswith("impact")])


def turned(angle):
    """A quaternion about z."""
    return (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))


def about_z(angle, vector):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]])


# ---- V4b: from sliding to rolling ----------------------------------------------------------------------------------
@pytest.mark.parametrize(("v0", "mu", "spin"), [(2.0, 0.3, 0.0), (5.0, 0.1, 0.0), (2.0, 0.3, 20.0)])
def test_v4b_sliding_ball_comes_to_roll(v0, mu, spin):
    """Slip v0 + rω falls by 7/2 μ g a second; with back spin ω too."""
    radius = 0.1
    figure = free_body(Ball(radius))
    slip = v0 + radius * spin
    until = 2 * slip / (7 * mu * G)
    rec = simulate(
        figure, contacts=on_floor(figure, mu), t1=1.5 * until, rate=50.5 / until,  # no sample at the event
        q0=figure.configuration(body=(0, radius, 0, 1, 0, 0, 0)), v0=figure.velocity(body=(0, 0, spin, v0, 0, 0)),
        **TIGHT,
    )  # fmt: skip
    assert [event.name for event in rec.events] == ["sticks: body on ground"]
    assert times(rec, "sticks")[0] == pytest.approx(until, abs=1e-8)
    t, x, momentum = rec.time("q"), rec["body.position"], rec["momentum"]
    sliding = t < until
    rolls = v0 - mu * G * until
    if spin == 0:
        assert rolls == pytest.approx(5 * v0 / 7)
    path = np.where(sliding, v0 * t - 0.5 * mu * G * t**2, v0 * until - 0.5 * mu * G * until**2 + rolls * (t - until))
    assert np.abs(x - np.stack([path, np.full_like(t, radius), 0 * t], 1)).max() < 1e-8
    assert np.abs(momentum[:, 0] - np.where(sliding, v0 - mu * G * t, rolls)).max() < 1e-8
    assert np.abs(rec["v"][~sliding, 2] + rolls / radius).max() < 1e-8
    assert (rec["contact.mode"][:, 0] == np.where(sliding, 2, 1)).all()
    force = rec["contact.force"][:, 0]
    assert np.abs(force - np.stack([np.where(sliding, -mu * G, 0), np.full_like(t, G), 0 * t], 1)).max() < 1e-8


# ---- V12: rocking block --------------------------------------------------------------------------------------------
B, H = 0.1, 0.5
RATIO = 1 - 1.5 * B * B / (B * B + H * H)


def rocking(tilt, **laws):
    """A block tilted about its edge at the left, at rest."""
    figure = free_body(Box((2 * B, 2 * H, 0.4)), name="block")
    middle = about_z(tilt, np.array([B, H, 0.0]))
    q = figure.configuration(block=(*middle, *turned(tilt)))
    return figure, on_floor(figure, **laws), q


def test_v12_rocking_block_loses_housners_share_at_each_impact():
    figure, contacts, q = rocking(0.1)
    rec = simulate(figure, contacts=contacts, t1=4.0, rate=200, q0=q, **TIGHT)
    speeds = details(rec, "approach") / (2 * B)  # ω before each impact: the landing edge is 2b from the pivot
    inertia = 4 / 3 * (B * B + H * H)
    after = np.sqrt(speeds**2 - 2 * details(rec, "lost") / inertia)
    assert len(speeds) >= 8
    assert pytest.approx(0.942307692, abs=1e-9) == RATIO
    assert np.abs(after / speeds - RATIO).max() < 1e-8
    # in between nothing is lost: the next impact is as fast as this one left
    assert np.abs(speeds[1:] / speeds[:-1] - RATIO).max() < 1e-8
    lost = [details(rec, "lost")[times(rec, "impact") <= t].sum() for t in rec.time("energy")]
    assert np.abs(rec["energy"] + lost - rec["energy"][0]).max() < 1e-9
    # the first quarter: ½ I ω² = m g (height now − height at the start)
    alpha, size = np.arctan2(B, H), np.hypot(B, H)

    def slowness(s):  # θ = θ0 (1 − s²) takes the root's singularity at the start away
        theta = 0.1 * (1 - s * s)
        drop = np.cos(alpha - 0.1) - np.cos(alpha - theta)
        return 0.2 * s / np.sqrt(2 * G * size * drop / inertia) if s > 0 else 0.0

    quarter = quad(slowness, 0, 1, epsabs=1e-12, epsrel=1e-12)[0]
    assert times(rec, "impact")[0] == pytest.approx(quarter, abs=1e-8)
    assert rec["contact.gap"].min() > -1e-10


def test_v12_held_law_stops_the_block_dead():
    figure, contacts, q = rocking(0.1, impact="held")
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=100, q0=q, **TIGHT)
    (hit,) = times(rec, "impact")
    after = rec.time("q") > hit
    assert np.abs(rec["v"][after]).max() < 1e-12
    assert np.abs(rec["block.position"][after] - (B, H, 0)).max() < 1e-9
    inertia = 4 / 3 * (B * B + H * H)
    assert details(rec, "lost")[0] == pytest.approx(0.5 * inertia * (details(rec, "approach")[0] / (2 * B)) ** 2)


def test_v12_rocking_comes_to_its_end():
    """Ever smaller rocking is as endless as bouncing: it must end, at rest, not hang."""
    figure, contacts, q = rocking(0.01)
    rec = simulate(figure, contacts=contacts, t1=12.0, rate=20, q0=q, rtol=1e-9)
    assert np.abs(rec["block.position"][-1] - (B, H, 0)).max() < 1e-6
    assert np.abs(rec["v"][-1]).max() < 1e-5
    assert (np.diff(rec["energy"]) < 1e-9).all()


# ---- V13: bouncing ball --------------------------------------------------------------------------------------------
def bounces(h, e, count):
    """Instants of the bounces of a ball dropped from h."""
    fall = np.sqrt(2 * h / G)
    return fall * (1 + 2 * np.cumsum(np.concatenate([[0.0], e ** np.arange(1, count)])))


def test_v13_bouncing_ball_comes_to_rest():
    h, e, radius = 1.0, 0.8, 0.1
    figure = free_body(Ball(radius), name="ball")
    q = figure.configuration(ball=(0, h + radius, 0, 1, 0, 0, 0))
    rec = simulate(figure, contacts=on_floor(figure, 0.3, e), t1=5.0, rate=100, q0=q, **TIGHT)
    hits = times(rec, "impact")
    assert 40 < len(hits) < 100
    assert np.abs(hits - bounces(h, e, len(hits))).max() < 1e-8
    speed = np.sqrt(2 * G * h) * e ** np.arange(len(hits))
    assert np.abs(details(rec, "approach") - speed).max() < 1e-8
    assert np.abs(details(rec, "lost")[:-1] - 0.5 * speed[:-1] ** 2 * (1 - e * e)).max() < 1e-8
    rest = np.sqrt(2 * h / G) * (1 + e) / (1 - e)
    assert rest == pytest.approx(4.063712769, abs=1e-9)
    assert times(rec, "rests") == pytest.approx([rest], abs=1e-8)
    late = rec.time("q") > rest
    assert np.abs(rec["ball.position"][late] - (0, radius, 0)).max() < 1e-9
    assert np.abs(rec["v"][late]).max() < 1e-12
    assert np.abs(rec["contact.force"][late, 0] - (0, G, 0)).max() < 1e-9


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_v13_other_balls(e):
    """Plastic ones stay at once, perfect ones keep their height."""
    figure = free_body(Ball(0.1), name="ball")
    q = figure.configuration(ball=(0, 0.6, 0, 1, 0, 0, 0))
    rec = simulate(figure, contacts=on_floor(figure, None, e), t1=3.0, rate=50, q0=q, **TIGHT)
    hits = times(rec, "impact")
    if e == 1:
        assert hits == pytest.approx(bounces(0.5, 1.0, len(hits)), abs=1e-8)
        assert len(hits) == 5
        assert np.ptp(rec["energy"]) < 1e-9
    else:
        assert rec["ball.position"][-1] == pytest.approx((0, 0.1, 0), abs=1e-9)
        assert hits[0] == pytest.approx(np.sqrt(1 / G), abs=1e-10)
        assert (len(hits) == 1) == (e == 0)


# ---- V14: rod ------------------------------------------------------------------------------------------------------
def flat_rod(length=0.8, mass=1.7):
    b = FigureBuilder()
    moment = mass * length**2 / 12
    b.segment("rod", None, joints.free(), mass=mass, inertia=np.diag([1e-4, moment, moment]))
    return b.build()


@pytest.mark.parametrize("friction", [None, 0.0, 0.3])
def test_v14_flat_rod_that_hits_with_one_end(friction):
    length, m, v = 0.8, 1.7, 2.3
    figure = flat_rod(length, m)
    ends = tuple(contact.ContactPoint(n, "rod", (x, 0, 0), friction=friction) for n, x in (("a", 0.4), ("b", -0.4)))
    contacts = contact.Contacts(ends, (contact.floor(),))
    start = figure.velocity(rod=(0, 0, 0, 0, -v, 0))
    found = contact.contact_impact(figure, contacts, figure.neutral(), start, active=["a"])
    assert found.impulses == pytest.approx(np.array([[0, m * v / 4, 0], [0, 0, 0]]), abs=1e-12)
    omega = 3 * v / (2 * length)
    assert found.velocity == pytest.approx(np.array([0, 0, omega, 0, -v + v / 4, 0]), abs=1e-12)
    assert found.lost == pytest.approx(0.5 * m * v * v / 4, abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_v14_in_a_run_on_a_ledge(e):
    """The impulse of Poisson's law is (1 + e) times the one of compression."""
    length, m, drop = 0.8, 1.7, 0.4
    figure = flat_rod(length, m)
    ledge = contact.box((0.1, 1, 1), name="ledge", placement=Transform.translation_of((0.44, -0.5 - drop, 0)))
    contacts = contact.Contacts((contact.ContactPoint("a", "rod", (0.4, 0, 0), restitution=e),), (ledge,))
    rec = simulate(figure, contacts=contacts, t1=0.35, rate=200, **TIGHT)
    (hit,), v = times(rec, "impact"), np.sqrt(2 * G * drop)
    assert hit == pytest.approx(np.sqrt(2 * drop / G), abs=1e-12)
    assert details(rec, "impulse")[0] == pytest.approx((1 + e) * m * v / 4, abs=1e-10)
    assert details(rec, "lost")[0] == pytest.approx(0.5 * m * v * v / 4 * (1 - e * e), abs=1e-10)
    just = np.flatnonzero(rec.time("q") > hit)[0]
    if e > 0:  # flies on freely
        assert rec["v"][just, 2] == pytest.approx((1 + e) * 1.5 * v / length, abs=1e-9)


# ---- V15: sliding and tipping --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("v", "mu"), [(2.0, 0.4), (0.5, 0.05), (3.0, 0.9)])
def test_v15_sliding_block_stops(v, mu):
    figure = free_body(Box((0.4, 0.2, 0.3)), name="box")
    q = figure.configuration(box=(0, 0.1, 0, 1, 0, 0, 0))
    stop = v / (mu * G)
    rec = simulate(
        figure, contacts=on_floor(figure, mu), t1=1.5 * stop, rate=40 / stop, q0=q,
        v0=figure.velocity(box=(0, 0, 0, v, 0, 0)), **TIGHT,
    )  # fmt: skip
    assert rec["box.position"][-1] == pytest.approx((v * v / (2 * mu * G), 0.1, 0), abs=1e-10)
    assert times(rec, "sticks") == pytest.approx([stop] * 4, abs=1e-10)
    t = np.minimum(rec.time("q"), stop)
    assert np.abs(rec["box.position"][:, 0] - v * t + 0.5 * mu * G * t * t).max() < 1e-10
    total = rec["contact.force"].sum(1)
    assert np.abs(total[:, 1] - G).max() < 1e-9
    # the pressure moves forward to balance friction, half the height above the ground
    slides = rec.time("q") < stop
    ahead = rec["solid.center_of_pressure"][slides, 0] - rec["box.position"][slides]
    assert np.abs(ahead - (mu * 0.1, -0.1, 0)).max() < 1e-9


def on_slope(width, height, angle, mu):
    """A box on a slope that falls toward −x."""
    figure = free_body(Box((width, height, 0.3)), name="box")
    middle = about_z(angle, np.array([0, height / 2, 0]))
    q = figure.configuration(box=(*middle, *turned(angle)))
    return figure, on_floor(figure, mu, ground=contact.slope(angle)), q


@pytest.mark.parametrize("b_over_h", [0.3, 0.7])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("near", [1e-1, 1e-3])
def test_v15_box_on_an_incline_tips_before_it_slides_iff_b_over_h_is_below_friction(b_over_h, side, near):
    height = 0.4
    mu = b_over_h * (1 + side * near)
    rec = {}
    for name, tangent in (("rests", 1 - near / 2), ("goes", 1 + near / 2)):
        angle = np.arctan(min(mu, b_over_h) * tangent)
        figure, contacts, q = on_slope(b_over_h * height, height, angle, mu)
        rec[name] = simulate(figure, contacts=contacts, t1=0.2, rate=100, q0=q, **TIGHT)
    assert np.abs(rec["rests"]["v"]).max() < 1e-10
    assert (rec["rests"]["contact.mode"][:, [0, 1, 4, 5]] == 1).all()
    spin, modes = rec["goes"]["v"][-1, 2], rec["goes"]["contact.mode"][-1]
    if b_over_h < mu:  # tips about the lower edge, which stays
        # about the edge: I a = m g (sin θ h/2 − cos θ b/2), I = m (b² + h²)/3
        a = 1.5 * G * (np.sin(angle) * height - np.cos(angle) * b_over_h * height) / (height**2 * (1 + b_over_h**2))
        assert rec["goes"]["v"][1, 2] == pytest.approx(0.01 * a, rel=1e-2)  # it hastens as it falls
        assert spin > 0
        assert modes[[0, 1]].tolist() == [1, 1]
        assert modes[[4, 5]].tolist() == [0, 0]
    else:
        assert abs(spin) < 1e-10
        assert modes[[0, 1, 4, 5]].tolist() == [2, 2, 2, 2]
        down = rec["goes"]["box.position"] - rec["goes"]["box.position"][0]
        a = G * (np.sin(angle) - mu * np.cos(angle))
        t = rec["goes"].time("q")
        assert np.abs(down + 0.5 * a * t[:, None] ** 2 * (np.cos(angle), np.sin(angle), 0)).max() < 1e-10


# ---- V16: Painlevé's rod -------------------------------------------------------------------------------------------
def painleve(mu, tangent=2.0, speed=-1.0):
    """A rod of length 1 that leans toward +x at tan θ and whose lower end slides toward −x."""
    b = FigureBuilder()
    b.segment("rod", None, joints.free(), mass=1.0, inertia=np.diag([1e-6, 1 / 12, 1 / 12]))
    figure = b.build()
    contacts = contact.Contacts((contact.ContactPoint("tip", "rod", (-0.5, 0, 0), friction=mu),), (contact.floor(),))
    angle = np.arctan(tangent)
    q = figure.configuration(rod=(*about_z(angle, np.array([0.5, 0, 0])), *turned(angle)))
    velocity = about_z(-angle, np.array([speed, 0, 0]))
    return figure, contacts, q, figure.velocity(rod=(0, 0, 0, *velocity))


def critical(tangent):
    c, s = 1 / np.hypot(1, tangent), tangent / np.hypot(1, tangent)
    return (1 + 3 * c * c) / (3 * s * c)


@pytest.mark.parametrize("mu", [0.5, 1.3, 4 / 3 - 1e-6])
def test_v16_below_the_critical_friction_there_is_one_motion(mu):
    figure, contacts, q, v = painleve(mu)
    rec = simulate(figure, contacts=contacts, t1=0.01, rate=1000, q0=q, v0=v, **TIGHT)
    c, s = 1 / np.sqrt(5), 2 / np.sqrt(5)
    # at rest but for sliding: N (1/m) (1 + 3c² − 3μ s c) = g
    assert rec["contact.force"][0, 0, 1] == pytest.approx(G / (1 + 3 * c * c - 3 * mu * s * c), rel=1e-9)
    assert rec["contact.gap"].min() > -1e-10


@pytest.mark.parametrize("mu", [4 / 3 + 1e-6, 1.4, 3.0])
def test_v16_paradox_is_named_with_the_critical_friction(mu):
    assert critical(2.0) == pytest.approx(4 / 3)
    figure, contacts, q, v = painleve(mu)
    with pytest.raises(RunError, match=r"(?s)Painlevé.*tip on ground: above 1\.33333"):
        simulate(figure, contacts=contacts.replace(paradox="stop"), t1=0.1, rate=100, q0=q, v0=v)


@pytest.mark.parametrize("mu", [4 / 3 + 1e-6, 1.4, 3.0])
def test_v16_paradox_is_reported_and_passed_with_an_impulse(mu):
    """An impulse of the contact alone ends the slip or lifts the rod: told as an event, and energy is lost."""
    figure, contacts, q, v = painleve(mu)
    rec = simulate(figure, contacts=contacts, t1=0.1, rate=500, q0=q, v0=v)
    assert rec.events[0].name == "no forces are possible (Painlevé), impulse: tip on ground"
    assert rec.events[0].time == 0
    assert rec["contact.gap"].min() > -1e-8
    assert np.diff(rec["energy"]).max() < 1e-7
    assert rec["energy"][1] < energy(figure, q, v).total  # the first sample is after the impulse


def pivoting(angle, spin, mu):
    """Return the instant at which a rod of length 1 that turns about its lower end slips, from `angle` and `spin`, by
    how much the margin of friction per mass falls in a second then, and the force per mass.

    θ̈ = −(3/2) g cos θ and energy give the friction and the normal force it needs.
    """
    way = np.sign(spin)

    def speed(a):
        return np.sqrt(spin**2 + 3 * G * (np.sin(angle) - np.sin(a)))

    def forces(a):
        turn = -1.5 * G * np.cos(a)
        tangent = -0.5 * (np.sin(a) * turn + np.cos(a) * speed(a) ** 2)
        return tangent, G + 0.5 * (np.cos(a) * turn - np.sin(a) * speed(a) ** 2)

    def margin(a):
        return mu * forces(a)[1] - abs(forces(a)[0])

    on = angle
    while margin(on) > 0:
        on += 0.01 * way
    limit = brentq(margin, on - 0.01 * way, on, xtol=1e-15)
    rate = (margin(limit + 1e-6) - margin(limit - 1e-6)) / 2e-6 * speed(limit)
    time = quad(lambda a: way / speed(a), angle, limit, epsabs=1e-14, epsrel=1e-13)[0]
    return time, abs(rate), np.hypot(*forces(limit))


@pytest.mark.parametrize(
    ("spin", "mu"), [(-3, 0.3), (-3, 0.5), (-3, 0.8), (-3, 1.5), (3, 0.22), (3, 0.25), (3, 0.5), (3, 1.5)]
)
def test_v16_a_rod_that_turns_about_its_tip_slips_where_friction_no_longer_holds_it(spin, mu):
    """At 3 rad/s down from 50°, or up, over the top and down on the other side."""
    angle = np.radians(50)
    figure, contacts, q, _ = painleve(mu, np.tan(angle))
    exact, rate, force = pivoting(angle, spin, mu)
    v = figure.velocity(rod=(0, 0, spin, 0, 0.5 * spin, 0))
    rec = simulate(figure, contacts=contacts, t1=exact + 0.01, rate=1000, q0=q, v0=v, **TIGHT)
    late = times(rec, "slips")[0] - exact
    # a mode changes where a force is wrong by 1e-9 of the largest, so it is late by as much; the run is good to 1e-10
    assert -1e-10 < late < 1e-9 * force / rate + 1e-10


def test_v16_the_other_way_is_no_paradox():
    figure, contacts, q, v = painleve(3.0, speed=1.0)
    rec = simulate(figure, contacts=contacts, t1=0.05, rate=200, q0=q, v0=v, **TIGHT)
    assert rec["contact.gap"].min() > -1e-10


@pytest.mark.parametrize("tangent", [0.3, 0.8, 1.3, 3.0, 6.0])
@pytest.mark.parametrize("mu", [1.0, 1.5, 2.5])
def test_v16_rods_never_fail_silently(tangent, mu):
    """They slide, stick, leave, or stop with an error that names the paradox; never through the floor, never faster."""
    figure, contacts, q, v = painleve(mu, tangent, speed=-3.0)
    rec = simulate(figure, contacts=contacts, t1=0.3, rate=500, q0=q, v0=v, rtol=1e-9)
    assert rec["contact.gap"].min() > -1e-8
    assert np.diff(rec["energy"]).max() < 1e-7
    stop = {"contacts": contacts.replace(paradox="stop"), "t1": 0.3, "rate": 500, "q0": q, "v0": v, "rtol": 1e-9}
    if any("Painlevé" in event.name for event in rec.events):
        with pytest.raises(RunError, match="Painlevé"):
            simulate(figure, **stop)
    else:
        assert np.abs(simulate(figure, **stop)["q"] - rec["q"]).max() < 1e-12


# ---- friction ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["puck", "box"])
def test_block_pushed_ever_harder_slips_at_mu_m_g(kind):
    """A force c t through the centre of mass holds until c t = μ m g, then m a = c t − μ m g."""
    m, mu, c = 2.0, 0.35, 9.0
    if kind == "puck":
        figure, contacts, q = puck(m), puck_contacts(mu), None
    else:
        figure = free_body(Box((0.6, 0.2, 0.4)), m, "puck")
        contacts, q = on_floor(figure, mu), figure.configuration(puck=(0, 0.1, 0, 1, 0, 0, 0))
    push = np.array([0.6, 0.0, 0.8])  # along neither axis
    rec = simulate(
        figure, contacts=contacts, t1=1.5, rate=100, q0=q, loads=lambda t, state: [[0, 0, 0, *(c * t * push)]], **TIGHT
    )
    slip = mu * m * G / c
    assert times(rec, "slips") == pytest.approx([slip] * len(contacts.points[:4]), abs=1e-8)
    t = rec.time("q")
    moved = (rec["puck.position"] - rec["puck.position"][0]) @ push
    assert np.abs(moved - c / (6 * m) * np.maximum(t - slip, 0) ** 3).max() < 1e-8
    assert np.abs(np.linalg.norm(rec["puck.position"] - rec["puck.position"][0], axis=1) - moved).max() < 1e-9
    friction = rec["contact.force"].sum(1) @ push
    assert np.abs(friction + np.minimum(c * t, mu * m * G)).max() < 1e-7


def test_mass_on_a_spring_with_dry_friction():
    """Half swings about ± δ = μ m g/k in turn, each shorter by 2 δ, until the spring holds less than friction."""
    m, mu, k, x0 = 1.0, 0.1, 40.0, 0.2
    delta, omega = mu * G / k * m, np.sqrt(k / m)
    figure = puck(m)
    rec = simulate(
        figure, contacts=puck_contacts(mu), t1=5.0, rate=100, q0=[x0, 0, 0],
        loads=lambda t, state: [[0, 0, 0, -k * state.q[0], 0, 0]], **TIGHT,
    )  # fmt: skip
    t, x = rec.time("q"), rec["q"][:, 0]
    exact, here, n = np.empty_like(t), x0, 0
    while abs(here) > delta:
        part = (t >= n * np.pi / omega) & (t <= (n + 1) * np.pi / omega)
        side = np.sign(here) * delta
        exact[part] = side + (here - side) * np.cos(omega * t[part] - n * np.pi)
        here, n = 2 * side - here, n + 1
    exact[t >= n * np.pi / omega] = here
    assert n == 4
    assert np.abs(x - exact).max() < 1e-8
    assert times(rec, "sticks")[-1] == pytest.approx(n * np.pi / omega, abs=1e-6)  # slip goes to zero as a square
    assert rec["contact.force"][-1, 0, 0] == pytest.approx(k * here, abs=1e-6)
    # at each turn the direction of friction changes and nothing else
    assert np.diff(rec["energy"] + 0.5 * k * x**2).max() < 1e-10


def test_stick_and_slip_on_a_belt():
    """A block on a spring on a belt: slides until it is as fast, goes with it, and slips at k x = μ m g."""
    m, mu, k, V = 1.0, 0.4, 60.0, 0.3
    b = FigureBuilder()
    # so heavy that nothing slows it: to 1e-12
    b.segment("belt", None, joints.prismatic((1, 0, 0)), mass=1e12)
    shifts = [joints.Axis("prismatic", axis) for axis in np.eye(3)[:2]]
    b.segment("block", None, joints.AxesJoint(shifts, ("x", "y")), mass=m)
    figure = b.build()
    contacts = contact.Contacts(
        (contact.ContactPoint("foot", "block", (0, 0, 0), friction=mu),), (contact.plane(name="belt", segment="belt"),)
    )
    delta, omega = mu * m * G / k, np.sqrt(k / m)
    rec = simulate(
        figure, contacts=contacts, t1=0.9, rate=200, v0=figure.velocity(belt=V),
        loads=lambda t, state: [[0.0] * 6, [0, 0, 0, -k * state.q[1], 0, 0]], **TIGHT,
    )  # fmt: skip
    first = np.arcsin(V / (delta * omega)) / omega
    x1 = delta * (1 - np.cos(omega * first))
    second = first + (delta - x1) / V
    assert times(rec, "sticks")[0] == pytest.approx(first, abs=1e-8)
    assert times(rec, "slips")[0] == pytest.approx(second, abs=1e-8)
    t, x = rec.time("q"), rec["q"][:, 1]
    exact = np.where(
        t < first,
        delta * (1 - np.cos(omega * t)),
        np.where(t < second, x1 + V * (t - first), delta + V / omega * np.sin(omega * (t - second))),
    )
    known = t < second + 1.9 * np.pi / omega  # after a whole swing it just grazes the belt's speed
    assert known.sum() > 100
    assert np.abs(x - exact)[known].max() < 1e-8


def test_slip_that_turns_on_a_slope_at_the_angle_of_friction():
    """Across a slope with tan θ = μ: gravity and friction are as strong, so that |v| + v downhill stays.

    It ends straight downhill at half the speed.
    """
    mu, v0 = 0.5, 1.2
    angle = np.arctan(mu)
    figure = puck()
    rec = simulate(figure, contacts=puck_contacts(mu, contact.slope(-angle)), t1=2.0, rate=50, v0=[0, 0, v0], **TIGHT)
    v = rec["v"]
    down = v @ (np.cos(angle), -np.sin(angle), 0)
    assert np.abs(np.linalg.norm(v, axis=1) + down - v0).max() < 1e-9
    assert np.abs(v @ (np.sin(angle), np.cos(angle), 0)).max() < 1e-12
    assert down[-1] == pytest.approx(v0 / 2, abs=1e-3)
    assert (np.diff(v[:, 2]) < 0).all()
    force = rec["contact.force"][:, 0]
    normal = force @ (np.sin(angle), np.cos(angle), 0)
    tangent = force - normal[:, None] * (np.sin(angle), np.cos(angle), 0)
    moving = np.linalg.norm(v, axis=1)
    assert np.abs(tangent + mu * normal[:, None] * v / moving[:, None]).max() < 1e-9


def test_block_that_slides_on_a_free_platform():
    """Momentum stays; it sticks when both are as fast: t = v0/(μ g (1 + m/M)), at m v0/(m + M)."""
    m, M, mu, v0 = 1.0, 2.5, 0.3, 1.5
    b = FigureBuilder()
    b.segment("platform", None, joints.prismatic((1, 0, 0)), mass=M)
    shape = Box((0.2, 0.1, 0.2))
    b.segment("box", None, joints.free(), mass=shape.mass_properties(mass=m), shape=shape)
    figure = b.build()
    top = contact.plane(name="top", point=(0, 0.3, 0), segment="platform")
    contacts = contact.Contacts(contact.points_of_shape(figure, "box", friction=mu), (top,))
    rec = simulate(
        figure, contacts=contacts, t1=1.0, rate=100, q0=figure.configuration(box=(0, 0.35, 0, 1, 0, 0, 0)),
        v0=figure.velocity(box=(0, 0, 0, v0, 0, 0)), **TIGHT,
    )  # fmt: skip
    stop = v0 / (mu * G * (1 + m / M))
    assert times(rec, "sticks") == pytest.approx([stop] * 4, abs=1e-9)
    assert np.abs(rec["momentum"][:, 0] - m * v0).max() < 1e-10
    assert rec["v"][-1, 0] == pytest.approx(m * v0 / (m + M), abs=1e-10)
    assert rec["v"][-1, 4] == pytest.approx(m * v0 / (m + M), abs=1e-10)
    assert rec["energy"][0] - rec["energy"][-1] == pytest.approx(0.5 * m * M / (m + M) * v0**2, abs=1e-9)


# ---- rest ----------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.0, 0.3])
@pytest.mark.parametrize("friction", [None, 0.5])
def test_box_at_rest_for_a_minute_does_not_move(angle, friction):
    figure, contacts, q = on_slope(0.4, 0.2, angle, friction)
    rec = simulate(figure, contacts=contacts, t1=60.0, rate=5, q0=q)
    assert np.abs(rec["box.position"] - rec["box.position"][0]).max() < 1e-9
    assert np.abs(rec["q"] - q).max() < 1e-9
    # contacts are put right where they move faster than 1e-13 m/s: a minute of that, times the weight
    assert (rec["energy"] - rec["energy"][0]).max() < 60 * 1e-13 * figure.mass * G
    assert rec.events == []
    total = rec["contact.force"].sum(1)
    assert np.abs(total - (0, G, 0)).max() < 1e-9


# ---- wheels with corners -------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("corners", [6, 8])
def test_hundred_impacts_of_a_polygon_wheel(corners):
    """ω after each impact is (I + m R² cos 2α)/(I + m R²) times that before; so the speed settles (McGeer 1990)."""
    R, slope, m, I = 0.3, 0.2, 1.0, 0.04
    alpha = np.pi / corners
    b = FigureBuilder()
    b.segment("wheel", None, joints.free(), mass=m, inertia=np.diag([I / 2 + 1e-3, I / 2 + 1e-3, I]))
    figure = b.build()
    points = tuple(
        contact.ContactPoint(
            f"{n}{'lr'[z > 0]}", "wheel", (R * np.cos(2 * alpha * n), R * np.sin(2 * alpha * n), 0.1 * z)
        )
        for n in range(corners)
        for z in (-1, 1)
    )
    contacts = contact.Contacts(points, (contact.slope(slope),))
    # rolls toward −x, about +z; one corner straight below the hub on the slope's normal, so half a step is done
    turn = slope - np.pi / 2
    q = figure.configuration(wheel=(*(R * np.array([-np.sin(slope), np.cos(slope), 0])), *turned(turn)))
    omega = 3.0
    velocity = about_z(-turn, omega * R * np.array([-np.cos(slope), -np.sin(slope), 0]))
    rec = simulate(
        figure,
        contacts=contacts,
        t1=45.0,
        rate=20,
        q0=q,
        v0=figure.velocity(wheel=(0, 0, omega, *velocity)),
        rtol=1e-11,
        atol=1e-13,
    )
    before = details(rec, "approach") / (2 * R * np.sin(alpha))
    assert len(before) >= 100
    pivot = I + m * R * R
    ratio = (I + m * R * R * np.cos(2 * alpha)) / pivot
    after = np.sqrt(before**2 - 2 * details(rec, "lost") / pivot)
    assert np.abs(after / before - ratio).max() < 1e-8
    gained = 4 * m * G * R * np.sin(alpha) * np.sin(slope) / pivot
    assert np.abs(before[1:] ** 2 - (ratio**2 * before[:-1] ** 2 + gained)).max() < 1e-8
    steady = np.sqrt(gained / (1 - ratio**2))
    assert before[-10:] == pytest.approx(np.full(10, steady), abs=1e-8)
    half = (
        omega**2 + 2 * m * G * R * (np.cos(slope) - np.cos(alpha + slope)) / pivot
    )  # from the start to the first impact
    assert before[0] ** 2 == pytest.approx(half, abs=1e-8)
    # it neither swerves nor slides
    assert np.abs(rec["wheel.position"][:, 2]).max() < 1e-8


# ---- limits of joints ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_rotor_between_two_stops(e):
    """Without gravity: it hits at equal angles, each time e times as fast."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("rotor", None, joints.revolute(Z, limits=(-0.5, 1.0)), mass=1.0, inertia=np.eye(3) * 0.2)
    figure = b.build()
    rec = simulate(figure, contacts=contact.Contacts(limit_restitution=e), t1=4.0, rate=50, v0=[2.0], **TIGHT)
    hits = times(rec, "impact")
    if e == 0:
        assert hits == pytest.approx([0.5], abs=1e-12)
        assert np.abs(rec["q"][rec.time("q") > 0.5] - 1.0).max() < 1e-12
        return
    whole = 0.5 + np.cumsum([0.0, *(1.5 / (2 * e ** np.arange(1, 12)))])
    assert hits == pytest.approx(whole[whole < 4.0], abs=1e-9)
    assert details(rec, "approach") == pytest.approx(2 * e ** np.arange(len(hits)), abs=1e-10)
    assert rec["q"].min() > -0.5 - 1e-9
    assert rec["q"].max() < 1 + 1e-9


def test_pendulum_that_falls_on_its_stop():
    """From rest at angle a to a stop at the bottom: ω² = 2 m g l (1 − cos a)/I, then up to where e² of it takes it."""
    m, l, own, a, e = 1.3, 0.5, 0.02, 1.0, 0.7
    b = FigureBuilder()
    b.segment("bob", None, joints.revolute(Z, limits=(0.0, 2.0)), mass=m, com=(0, -l, 0), inertia=np.eye(3) * own)
    figure = b.build()
    rec = simulate(figure, contacts=contact.Contacts(limit_restitution=e), t1=3.0, rate=400, q0=[a], **TIGHT)
    moment = own + m * l * l
    speed = np.sqrt(2 * m * G * l * (1 - np.cos(a)) / moment)
    hits = times(rec, "impact")
    assert details(rec, "approach") == pytest.approx(speed * e ** np.arange(len(hits)), abs=1e-9)
    for n in range(3):
        swing = rec["q"][(rec.time("q") > hits[n]) & (rec.time("q") < hits[n + 1]), 0]
        top = np.arccos(1 - e ** (2 * n + 2) * (1 - np.cos(a)))
        assert top - 1e-4 < swing.max() <= top + 1e-9  # samples are 2.5 ms apart: ½ (m g l/I) sin(a) Δt² is below 1e-4


def test_stop_that_holds():
    """A shank that hangs on the knee's stop, thigh level: the stop holds m g l; the other coordinate knows nothing."""
    b = FigureBuilder()
    b.segment("thigh", None, joints.revolute(Z, limits=(-1, 0)), mass=2.0, com=(0.2, 0, 0), inertia=np.eye(3) * 0.01)
    b.segment(
        "shank", "thigh", joints.revolute(Z, limits=(0, 2)), placement=Transform.translation_of((0.4, 0, 0)), mass=1.5,
        com=(0.25, 0, 0), inertia=np.eye(3) * 0.01,
    )  # fmt: skip
    figure = b.build()
    up = 2.0 * G * 0.2 + 1.5 * G * 0.65
    rec = simulate(figure, contacts=contact.Contacts(), t1=0.5, rate=20, controls=lambda t, state: [2 * up, 0.0])
    assert np.abs(rec["q"]).max() < 1e-12
    assert rec["limit.force"] == pytest.approx(np.tile([-up, 1.5 * G * 0.25], (11, 1)), abs=1e-9)
    found = contact.contact_dynamics(figure, contact.Contacts(), [0, 0], [0, 0], [2 * up, 0.0])
    assert found.limits == pytest.approx([-up, 1.5 * G * 0.25], abs=1e-9)
    assert found.acceleration == pytest.approx([0, 0], abs=1e-9)


def test_stop_between_two_free_bodies_keeps_their_spin():
    """Two wheels on one axis, the second stopped against the first: spin stays, their difference turns round."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("first", None, joints.revolute(Z), mass=1.0, inertia=np.eye(3) * 0.3)
    b.segment("second", "first", joints.revolute(Z, limits=(-2.0, 0.4)), mass=1.0, inertia=np.eye(3) * 0.1)
    figure = b.build()
    e, rate = 0.5, 1.6
    rec = simulate(figure, contacts=contact.Contacts(limit_restitution=e), t1=0.5, rate=100, v0=[0.2, rate], **TIGHT)
    assert times(rec, "impact") == pytest.approx([0.4 / rate], abs=1e-12)
    assert np.abs(rec["angular_momentum"] - (0, 0, 0.3 * 0.2 + 0.1 * (0.2 + rate))).max() < 1e-12
    assert rec["v"][-1, 1] == pytest.approx(-e * rate, abs=1e-12)
    lost = 0.5 * 0.3 * 0.1 / 0.4 * rate**2 * (1 - e * e)
    assert details(rec, "lost")[0] == pytest.approx(lost, abs=1e-12)


# ---- on what moves -------------------------------------------------------------------------------------------------
def test_ball_at_rest_on_a_platform_that_hastens():
    """Platform with acceleration a under a ball that rolls: the ball's is 2a/7, the platform feels m 2a/7."""
    m, M, push = 1.0, 3.0, 8.0
    b = FigureBuilder()
    b.segment("platform", None, joints.prismatic((1, 0, 0)), mass=M)
    shape = Ball(0.1)
    b.segment("ball", None, joints.free(), mass=shape.mass_properties(mass=m), shape=shape)
    figure = b.build()
    contacts = contact.Contacts(
        contact.points_of_shape(figure, "ball", friction=0.5), (contact.plane(name="top", segment="platform"),)
    )
    rec = simulate(
        figure, contacts=contacts, t1=0.5, rate=50, q0=figure.configuration(ball=(0, 0.1, 0, 1, 0, 0, 0)),
        controls=lambda t, state: [push, 0, 0, 0, 0, 0, 0], **TIGHT,
    )  # fmt: skip
    a = push / (M + 2 * m / 7)
    t = rec.time("q")
    assert np.abs(rec["q"][:, 0] - 0.5 * a * t**2).max() < 1e-10
    assert np.abs(rec["ball.position"] - np.stack([a * t**2 / 7, 0 * t + 0.1, 0 * t], 1)).max() < 1e-10
    assert np.abs(rec["contact.force"][:, 0] - (2 * m * a / 7, m * G, 0)).max() < 1e-9
    assert (rec["contact.mode"] == 1).all()


def test_balls_that_roll_on_one_another_keep_all_momenta():
    """Two free balls drawn together by a constant force along the line of centres; nothing slips, no energy is lost."""
    ra, rb, ma, mb, pull = 0.3, 0.1, 3.0, 0.5, 4.0
    b = FigureBuilder(gravity=(0, 0, 0))
    for name, r, mass in (("a", ra, ma), ("b", rb, mb)):
        shape = Ball(r)
        b.segment(name, None, joints.free(), mass=shape.mass_properties(mass=mass), shape=shape)
    figure = b.build()
    contacts = contact.Contacts(contact.points_of_shape(figure, "b"), (contact.ball(ra, name="ground", segment="a"),))
    q = figure.configuration(a=(0, 0, 0, 1, 0, 0, 0), b=(0, ra + rb, 0, 1, 0, 0, 0))
    # no slip at (0, ra, 0): v_a + ω_a × (0, ra, 0) = v_b + ω_b × (0, −rb, 0)
    wa, wb, va = np.array([0.4, 0.3, -1.0]), np.array([2.0, -0.7, 3.0]), np.array([0.1, -0.2, 0.05])
    vb = va + np.cross(wa, (0, ra, 0)) - np.cross(wb, (0, -rb, 0))
    v = figure.velocity(a=(*wa, *va), b=(*wb, *vb))

    def draw(t, state):
        line = state.q[7:10] - state.q[:3]
        line /= np.linalg.norm(line)
        return np.array([[0, 0, 0, *(pull * line)], [0, 0, 0, *(-pull * line)]])

    rec = simulate(figure, contacts=contacts, t1=2.0, rate=50, q0=q, v0=v, loads=draw, **TIGHT)
    assert rec.events == []
    assert (rec["contact.mode"] == 1).all()
    for name in ("momentum", "angular_momentum"):
        assert np.abs(rec[name] - rec[name][0]).max() < 1e-9
    assert np.ptp(rec["energy"]) < 1e-9
    line = rec["b.position"] - rec["a.position"]
    assert np.abs(np.linalg.norm(line, axis=1) - ra - rb).max() < 1e-10
    assert np.linalg.norm(line[-1] - line[0]) > 0.1


def test_balls_that_collide_share_momentum():
    """Head on, with e: v₊ of the centre of mass stays, the difference turns round, e times as large."""
    b = FigureBuilder(gravity=(0, 0, 0))
    for name, mass in (("a", 1.0), ("b", 2.5)):
        shape = Ball(0.1)
        b.segment(name, None, joints.free(), mass=shape.mass_properties(mass=mass), shape=shape)
    figure = b.build()
    contacts = contact.Contacts(
        contact.points_of_shape(figure, "b", friction=0.2, restitution=0.6), (contact.ball(0.1, name="a", segment="a"),)
    )
    q = figure.configuration(a=(0, 0, 0, 1, 0, 0, 0), b=(1.2, 0, 0, 1, 0, 0, 0))
    rec = simulate(figure, contacts=contacts, t1=1.0, rate=20, q0=q, v0=figure.velocity(a=(0, 0, 0, 2, 0, 0)), **TIGHT)
    assert times(rec, "impact") == pytest.approx([0.5], abs=1e-12)
    mean = 2 / 3.5
    assert rec["v"][-1, [3, 9]] == pytest.approx([mean - 0.6 * 2 * 2.5 / 3.5, mean + 0.6 * 2 / 3.5], abs=1e-12)


# ---- all at once ---------------------------------------------------------------------------------------------------
def test_two_balls_that_land_at_once_both_bounce():
    h, e = 0.5, 0.7
    b = FigureBuilder()
    shape = Ball(0.1)
    for name, x in (("left", -0.3), ("right", 0.3)):
        b.segment(
            name,
            None,
            joints.free(),
            placement=Transform.translation_of((x, 0, 0)),
            mass=shape.mass_properties(mass=1.0),
            shape=shape,
        )
    figure = b.build()
    start = (0, h + 0.1, 0, 1, 0, 0, 0)
    rec = simulate(
        figure, contacts=on_floor(figure, 0.2, e), t1=1.5, rate=100, q0=figure.configuration(left=start, right=start),
        **TIGHT,
    )  # fmt: skip
    hits = [event for event in rec.events if event.name.startswith("impact")]
    assert len(hits) >= 3
    assert all(event.name == "impact: left on ground, right on ground" for event in hits)
    assert np.array([event.time for event in hits]) == pytest.approx(bounces(h, e, len(hits)), abs=1e-8)
    assert np.abs(rec["left.position"][:, 1] - rec["right.position"][:, 1]).max() < 1e-12
    assert rec["left.position"][:, 1].min() > 0.1 - 1e-9
