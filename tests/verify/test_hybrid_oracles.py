"""Event-driven runs against SUNDIALS' CVODE with its own root finding, on the same equations written here.

CVODE runs at rtol 1e-12; modes follow from its roots. Contact forces are solved here from inertia matrix, nonlinear
effects and contact rows by the full equations [M −Jᵀ; J 0] with NumPy. Events and states agree to 1e-7.
"""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, contact, joints, simulate
from motiform.geometry import Ball
from motiform.motion import tree
from motiform.motion.run import Guard

cvode = pytest.importorskip("sksundae.cvode")
G = 9.81
Z = (0.0, 0.0, 1.0)
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def until_root(rate, guards, t0, t1, y0):
    """Integrate to t1 or to the first root from above; return time, state, and which guards are zero."""

    def rhs(t, y, yp):
        yp[:] = rate(t, np.array(y))

    def events(t, y, out):
        out[:] = guards(t, np.array(y))

    count = len(guards(t0, y0))
    events.terminal, events.direction = [True] * count, [-1] * count
    solver = cvode.CVODE(
        rhs, eventsfn=events, num_events=count, rtol=1e-12, atol=1e-14, method="Adams", max_num_steps=200_000
    )
    found = solver.solve(np.array([t0, t1]), y0)
    if found.t_events is None or not len(found.t_events):
        return float(found.t[-1]), np.array(found.y[-1]), np.zeros(count, bool)
    return float(found.t_events[-1]), np.array(found.y_events[-1]), np.array(found.i_events[-1]) != 0


# ---- two balls -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("restitution", [(0.8, 0.8), (0.8, 0.5)])
def test_two_balls_that_land_at_once(restitution):
    """CVODE's rootsinfo tells both; with different restitution the later bounces come apart."""
    h, radius = 1.0, 0.1
    b = FigureBuilder()
    shape = Ball(radius)
    for name, x in (("left", -0.5), ("right", 0.5)):
        b.segment(
            name,
            None,
            joints.free(),
            placement=Transform.translation_of((x, 0, 0)),
            mass=shape.mass_properties(mass=1.0),
            shape=shape,
        )
    figure = b.build()
    points = tuple(
        contact.ContactPoint(name, name, (0, 0, 0), radius, friction=0.3, restitution=e)
        for name, e in zip(("left", "right"), restitution, strict=True)
    )
    start = (0, h + radius, 0, 1, 0, 0, 0)
    end = 1.2  # before the second ball comes to rest
    rec = simulate(
        figure, contacts=contact.Contacts(points, (contact.floor(),)), t1=end, rate=50,
        q0=figure.configuration(left=start, right=start), **TIGHT,
    )  # fmt: skip
    theirs, t, y = [], 0.0, np.array([h, 0.0, h, 0.0])
    while t < end:
        t, y, roots = until_root(
            lambda t, y: np.array([y[1], -G, y[3], -G]), lambda t, y: np.array([y[0], y[2]]), t, end, y
        )
        for k in np.flatnonzero(roots):
            theirs.append((t, ("left", "right")[k]))
            y[2 * k], y[2 * k + 1] = 0.0, -restitution[k] * y[2 * k + 1]
            y[2 * k] = 1e-300  # above the guard
    ours = [
        (event.time, name)
        for event in rec.events
        if event.name.startswith("impact")
        for name in ("left", "right")
        if name in event.name
    ]
    assert [name for _, name in ours] == [name for _, name in theirs]
    assert [t for t, _ in ours] == pytest.approx([t for t, _ in theirs], abs=1e-9)
    assert theirs[0][0] == theirs[1][0]
    assert rec["contact.gap"].min() > -1e-9
    assert rec["left.position"][-1, 1] - radius == pytest.approx(y[0], abs=1e-8)
    assert rec["right.position"][-1, 1] - radius == pytest.approx(y[2], abs=1e-8)


# ---- a leg that lands ----------------------------------------------------------------------------------------------
def leg():
    """A trunk that moves in the plane, a thigh and a shank whose end is a foot: five freedoms."""
    b = FigureBuilder()
    b.segment("trunk", None, joints.planar(Z), mass=5.0, inertia=np.eye(3) * 0.1)
    b.segment("thigh", "trunk", joints.revolute(Z), mass=1.5, com=(0, -0.2, 0), inertia=np.eye(3) * 0.02, damping=0.1)
    b.segment(
        "shank", "thigh", joints.revolute(Z), placement=Transform.translation_of((0, -0.4, 0)), mass=0.8,
        com=(0.02, -0.2, 0), inertia=np.eye(3) * 0.01, damping=0.1,
    )  # fmt: skip
    b.tag("foot", "shank", (0, -0.45, 0))
    return b.build()


FREE, STICK, SLIDE = "free", "stick", "slide"


class Twin:
    """One foot on the floor, in the plane, by the full equations."""

    def __init__(self, figure, contacts, mu, control):
        self.figure, self.contacts, self.mu, self.control = figure, contacts, mu, control
        self.mode, self.side = FREE, 0.0

    def solve(self, t, y):
        """Return accelerations, and the forces (tangent, normal) in the present mode."""
        n = self.figure.nv
        q, v = y[:n].copy(), y[n:].copy()
        M, h = tree.inertia_matrix(self.figure, q), tree.nonlinear_effects(self.figure, q, v)
        h = h - self.control(t, q, v)
        if self.mode == FREE:
            return np.linalg.solve(M, -h), np.zeros(2)
        rows = contact.contact_rows(self.figure, self.contacts, q, v)
        J, s = rows.jacobian[0, :2], rows.bias[0, :2]
        if self.mode == STICK:
            K = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
            x = np.linalg.solve(K, np.concatenate([-h, -s]))
            return x[:n], x[n:]
        pull = J[1] - self.mu * self.side * J[0]  # friction −μ N along the slip
        K = np.block([[M, -pull[:, None]], [J[1:], np.zeros((1, 1))]])
        x = np.linalg.solve(K, np.concatenate([-h, -s[1:]]))
        return x[:n], np.array([-self.mu * self.side * x[n], x[n]])

    def rate(self, t, y):
        return np.concatenate([y[self.figure.nv :], self.solve(t, y)[0]])

    def guards(self, t, y):
        n = self.figure.nv
        rows = contact.contact_rows(self.figure, self.contacts, y[:n].copy())
        if self.mode == FREE:
            return np.array([rows.gaps[0]])
        force = self.solve(t, y)[1]
        if self.mode == STICK:
            return np.array([force[1], self.mu * force[1] - abs(force[0])])
        return np.array([force[1], self.side * (rows.jacobian[0, 0] @ y[n:])])

    def land(self, y):
        """Plastic impact: sticks where the impulse is in its cone, else slides on."""
        n, mu = self.figure.nv, self.mu
        q, v = y[:n], y[n:]
        M = tree.inertia_matrix(self.figure, q.copy())
        J = contact.contact_rows(self.figure, self.contacts, q.copy()).jacobian[0, :2]
        A = J @ np.linalg.solve(M, J.T)
        p = -np.linalg.solve(A, J @ v)
        self.mode, self.side = STICK, 0.0
        if abs(p[0]) > mu * p[1]:
            for side in (-1.0, 1.0):
                N = -(J[1] @ v) / (A[1, 1] - mu * side * A[1, 0])
                trial = np.array([-mu * side * N, N])
                after = J @ v + A @ trial
                if N > 0 and after[0] * side > 0:
                    p, self.mode, self.side = trial, SLIDE, side
                    break
            assert self.mode == SLIDE
        return np.concatenate([q, v + np.linalg.solve(M, J.T @ p)])

    def let_go(self, t, y):
        """What has just come to stick may slip at once."""
        force = self.solve(t, y)[1]
        if self.mode == STICK and abs(force[0]) > self.mu * force[1]:
            self.mode, self.side = SLIDE, -np.sign(force[0])
            return t + 1e-9, y + 1e-9 * self.rate(t, y)
        return t, y

    def run(self, y, end):
        t, expected = 0.0, []
        while t < end:
            t, y, roots = until_root(self.rate, self.guards, t, end, y)
            if not roots.any():
                break
            if self.mode == FREE:
                y = self.land(y)
                expected.append((t, "impact"))
                t, y = self.let_go(t, y)
            elif roots[0]:
                self.mode = FREE
                expected.append((t, "leaves"))
                # a step with the new mode takes the gap above its guard
                y = y + 1e-9 * self.rate(t, y)
                t += 1e-9
            elif self.mode == STICK:
                force = self.solve(t, y)[1]
                self.mode, self.side = SLIDE, -np.sign(force[0])
                expected.append((t, "slips"))
                y = y + 1e-9 * self.rate(t, y)
                t += 1e-9
            else:
                self.mode = STICK
                force = self.solve(t, y)[1]
                if abs(force[0]) > self.mu * force[1]:  # turns round
                    self.mode, self.side = SLIDE, -np.sign(force[0])
                    y = y + 1e-9 * self.rate(t, y)
                    t += 1e-9
                else:
                    expected.append((t, "sticks"))
        return expected, t, y


@pytest.mark.parametrize("mu", [0.15, 0.5, 2.0])
@pytest.mark.parametrize("speed", [0.0, 1.5])
def test_leg_that_lands_slips_and_leaves(mu, speed):
    figure = leg()
    # trunk at x, y, turned; springs in hip and knee push the foot off again
    q = np.array([0.0, 0.95, 0.1, 0.35, -0.6])
    v = np.array([speed, 0.0, 0.0, 0.0, 0.0])
    springs = np.array([0.0, 0.0, 0.0, 60.0, 60.0])

    def torque(t, q, v):
        return springs * (np.array([0, 0, 0, 0.2, -0.35]) - q)

    point = contact.ContactPoint("foot", "shank", (0, -0.45, 0), friction=mu)
    contacts = contact.Contacts((point,), (contact.floor(),))
    end = 0.6
    twin = Twin(figure, contacts, mu, torque)
    expected, _, y = twin.run(np.concatenate([q, v]), end)
    rec = simulate(
        figure, contacts=contacts, t1=end, rate=100, q0=q, v0=v, controls=lambda t, s: torque(t, s.q, s.v), **TIGHT
    )
    ours = []
    for event in rec.events:
        verb = event.name.split(":")[0]
        if verb in ("impact", "leaves", "slips") or (verb == "sticks" and (event.time, "impact") not in ours):
            ours.append((event.time, verb))
    assert len(expected) >= 2
    assert [verb for _, verb in ours] == [verb for _, verb in expected]
    assert [t for t, _ in ours] == pytest.approx([t for t, _ in expected], abs=1e-7)
    last = np.concatenate([rec["q"][-1], rec["v"][-1]])
    assert last == pytest.approx(y, abs=1e-6)  # of the order of 10 rad/s and 10 m/s


def test_foot_that_stays_for_long():
    """A leg that squats on a foot that neither slips nor leaves moves as one whose foot equations pin."""
    figure = leg()
    q = np.array([0.0, 0.0, 0.0, 0.3, -0.6])
    foot = tree.tags(figure, q)[0]
    q[:2] -= foot[:2]
    gains = np.array([0.0, 0.0, 0.0, 150.0, 150.0])

    def torque(t, q_, v):
        return gains * (q - q_) * (1 + 0.3 * np.sin(9 * t)) - np.array([0, 0, 0, 3.0, 3.0]) * v

    point = contact.ContactPoint("foot", "shank", (0, -0.45, 0))
    contacts = contact.Contacts((point,), (contact.floor(),))
    twin = Twin(figure, contacts, np.inf, torque)
    twin.mode = STICK
    end = 0.25
    rec = simulate(
        figure, contacts=contacts, t1=end, rate=100, q0=q, controls=lambda t, s: torque(t, s.q, s.v), **TIGHT
    )
    assert (rec["contact.force"][:, 0, 1] > 0).all()
    _, y, _ = until_root(twin.rate, lambda t, y: np.ones(1), 0.0, end, np.concatenate([q, np.zeros(5)]))
    assert np.concatenate([rec["q"][-1], rec["v"][-1]]) == pytest.approx(y, abs=1e-7)
    assert rec["contact.force"][-1, 0, :2] == pytest.approx(twin.solve(end, y)[1], abs=1e-5)


def test_guard_of_the_user_at_the_instant_of_an_impact():
    """Both happen: a guard on the height that is zero exactly when the ball lands."""
    figure = FigureBuilder()
    shape = Ball(0.1)
    figure.segment("ball", None, joints.free(), mass=shape.mass_properties(mass=1.0), shape=shape)
    figure = figure.build()
    contacts = contact.Contacts(contact.points_of_shape(figure, "ball", restitution=0.5), (contact.floor(),))
    seen = Guard("low", lambda t, state: (state.q if hasattr(state, "q") else state)[1] - 0.1, crossing="down")
    rec = simulate(
        figure, contacts=contacts, t1=0.6, rate=20, q0=figure.configuration(ball=(0, 1.1, 0, 1, 0, 0, 0)), guards=seen
    )
    assert [event.time for event in rec.events[:2]] == pytest.approx([np.sqrt(2 / G)] * 2, abs=1e-12)
    assert sorted(event.name.split(":")[0] for event in rec.events[:2]) == ["impact", "low"]
