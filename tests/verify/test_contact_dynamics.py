"""Bodies that roll and slide on each other, simulated, against formulas on paper: V4, V4b, V5, V6, V9, V11.

Tolerances are those of the table of known answers, in metres, radians and seconds of motions of about one metre and
one second. Runs ask for tolerances of the integrator that keep it below them.
"""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from motiform import FigureBuilder, Transform, joints, simulate
from motiform.base.errors import RunError
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.run import Guard
from motiform.spatial import exp_rotation, rotation_from_quaternion

G = 9.81
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def turned(x=0.0, y=0.0, z=0.0, at=(0.0, 0.0, 0.0)):
    """A frame turned by a rotation vector."""
    return Transform(exp_rotation(np.array([x, y, z], float)), np.array(at, float))


UP = turned(x=-np.pi / 2)  # z of a surface along the world's y, its x along the world's


def one_contact(joint, placement=UP, mass=1.0, com=(0.0, 0.0, 0.0), inertia=None, **more):
    """A body that a contact carries on something that stays."""
    b = FigureBuilder(**more)
    b.segment("body", None, joint, placement=placement, mass=mass, com=com, inertia=inertia)
    return b.build()


def moments(k, m, r):
    """Moments of k m r² about all axes: where these are used the motion is about one of them."""
    return np.eye(3) * k * m * r * r


# ---- V4: down an incline -------------------------------------------------------------------------------------------
R, M = 0.1, 2.0
ROLLERS = {
    "ball": (2 / 5, s.sphere(R), {}),
    "cylinder": (1 / 2, s.cylinder(R), {"direction": (0, 1, 0)}),
    "hoop-torus": (1.0, s.torus(0.7 * R, 0.3 * R), {"p2": (R, 0, 0)}),
    "hoop-rim": (1.0, s.circle(R), {"p2": (R, 0, 0)}),
}


def roller(name, slope, friction=None):
    """Something round on a plane that falls along the plane's x by an angle, and its start at rest."""
    k, surface, how = ROLLERS[name]
    joint = joints.contact(s.plane(), surface, friction=friction)
    figure = one_contact(joint, turned(z=-slope) @ UP, M, inertia=moments(k, M, R))
    if "p2" in how:  # the ring stands upright, its axis across the slope: -x of the ring's plane to the ground
        q = joint.touch(turned(x=np.pi / 2, at=(0.1, 0.2, R)), p1=(0.1, 0.2, 0), p2=(0, -R, 0))
    else:
        q = joint.configuration((0.1, 0.2, 0), **how)
    return k, figure, q


@pytest.mark.parametrize("slope", [0.2, 0.6])
@pytest.mark.parametrize("name", ROLLERS)
def test_v4_rolling_down_an_incline(name, slope):
    k, figure, q = roller(name, slope)
    rec = simulate(figure, t1=1.0, rate=20, q0=q, **TIGHT)
    t = rec.time("body.position")
    down = np.array([np.cos(slope), -np.sin(slope), 0.0])
    a = G * np.sin(slope) / (1 + k)
    moved = rec["body.position"] - rec["body.position"][0]
    assert np.abs(moved - 0.5 * a * t[:, None] ** 2 * down).max() < 1e-10
    assert np.abs(rec["momentum"] - M * a * t[:, None] * down).max() < 1e-10
    force = rec["body.contact_force"]
    N, T = force[:, 2], np.hypot(force[:, 0], force[:, 1])
    assert np.abs(N - M * G * np.cos(slope)).max() < 1e-10 * M * G
    assert np.abs(T / N - k / (1 + k) * np.tan(slope)).max() < 1e-10
    assert (
        np.abs(rec["body.contact_point"] - rec["body.position"] + R * np.array([down[1] * -1, down[0], 0])).max()
        < 1e-10
    )


@pytest.mark.parametrize("name", ROLLERS)
def test_v4_sticks_if_and_only_if_friction_is_enough(name):
    slope = 0.6
    k = ROLLERS[name][0]
    needed = k / (1 + k) * np.tan(slope)
    _, figure, q = roller(name, slope, friction=needed * (1 + 1e-9))
    assert simulate(figure, t1=0.2, rate=20, q0=q, rtol=1e-12).events == []
    _, figure, q = roller(name, slope, friction=needed * (1 - 1e-9))
    with pytest.raises(RunError, match=r"contact 'body', t = 0 s: the contact must stick at the start"):
        simulate(figure, t1=0.2, rate=20, q0=q)


def test_v4b_sliding_ball_comes_to_roll():
    """Launched sliding at v0, it rolls from t = 2 v0/(7 μ g), at 5 v0/7; friction is a control here."""
    v0, mu = 1.7, 0.3
    joint = joints.contact(s.plane(), s.sphere(R), sliding=True)
    figure = one_contact(joint, mass=M, inertia=moments(2 / 5, M, R))
    x = joint.names.index("vx")

    def friction(t, state):
        tau = np.zeros(5)
        tau[x] = -mu * M * G * (state.v[x] > 0)
        return tau

    rolls = Guard("rolls", lambda t, state: state.v[x], "down", ends=True)
    start = np.zeros(5)
    start[x] = v0
    q = joint.configuration((0, 0, 0), direction=(1, 0, 0))
    rec = simulate(figure, t1=2.0, rate=50, q0=q, v0=start, controls=friction, guards=rolls, **TIGHT)
    (event,) = rec.events
    assert event.name == "rolls"
    assert event.time == pytest.approx(2 * v0 / (7 * mu * G), abs=1e-8)
    # sliding alone it keeps v = v0 − μ g t: at the event that is 5 v0/7
    t = rec.time("momentum")
    assert np.abs(rec["momentum"][:, 0] / M - (v0 - mu * G * t)).max() < 1e-10
    assert v0 - mu * G * event.time == pytest.approx(5 * v0 / 7, abs=1e-8)
    assert np.abs(rec["body.contact_force"] - (-mu * M * G, 0, M * G)).max() < 1e-9


# ---- V5: small swings in bowls -------------------------------------------------------------------------------------
BOWLS = {
    "ball in a sphere": (s.sphere(1.0, inside=True), s.sphere(R), 2 / 5, {}),
    "ball in a cylinder": (s.cylinder(1.0, inside=True), s.sphere(R), 2 / 5, {}),
    "cylinder in a cylinder": (s.cylinder(1.0, inside=True), s.cylinder(R), 1 / 2, {}),
    "ball that slides in a sphere": (s.sphere(1.0, inside=True), s.sphere(R), 0.0, {"sliding": True, "rolling": False}),
    "ring that stands in a sphere": (s.sphere(1.0, inside=True), s.circle(R), 1.0, {}),
}


@pytest.mark.parametrize("name", BOWLS)
def test_v5_small_swings(name):
    one, two, k, options = BOWLS[name]
    amplitude, mass = 1e-3, 0.7
    joint = joints.contact(one, two, spin=False, **options)
    # z of both is across the swing, which is in the plane of x and y
    figure = one_contact(joint, Transform.identity(), mass, inertia=moments(max(k, 0.4), mass, R))
    p = np.array([np.sin(amplitude), -np.cos(amplitude), 0.0])
    q = joint.configuration(p, p * R)
    bottom = Guard("bottom", lambda t, state: tree.forward_kinematics(figure, state.q).position[0, 0])
    omega = np.sqrt(G / ((1 + k) * (1.0 - R)))
    rec = simulate(figure, t1=1.3 * 2 * np.pi / omega, rate=20, q0=q, guards=bottom, rtol=1e-11, atol=1e-15)
    times = [event.time for event in rec.events]
    assert len(times) == 3
    found = np.pi / np.diff(times)
    # a swing of amplitude A has ω² less by A²/8: 1.25e-7
    assert found**2 == pytest.approx(omega**2 * (1 - amplitude**2 / 8), rel=1e-8)
    assert found**2 == pytest.approx(omega**2, rel=1e-6)
    assert times[0] == pytest.approx(np.pi / 2 / omega, rel=1e-6)


# ---- V6: off a sphere ----------------------------------------------------------------------------------------------
def dome(big, small, phi0, k=2 / 5, friction=None, **options):
    """A ball at rest on a fixed sphere, at an angle from its top; a function that gives the angle of a state."""
    joint = joints.contact(s.sphere(big), s.sphere(small), friction=friction, **options)
    figure = one_contact(joint, Transform.identity(), 1.0, inertia=moments(k, 1.0, small))
    q = joint.configuration((big * np.sin(phi0), big * np.cos(phi0), 0))

    def cosine(state):
        return tree.forward_kinematics(figure, state.q).position[0, 1] / (big + small)

    return figure, q, cosine


def leaving_time(phi0, phi1, k, length):
    """Time from rest at phi0 to phi1: ½ (1 + k) l φ̇² = g (cos φ0 − cos φ)."""

    def slowness(u):  # φ = φ0 + u²: the root at the start goes
        drop = 2 * np.sin(phi0 + u * u / 2) * np.sin(u * u / 2)
        return 2 * u / np.sqrt(2 * G * drop / ((1 + k) * length))

    return quad(slowness, 0, np.sqrt(phi1 - phi0), epsabs=1e-13, epsrel=1e-13)[0]


@pytest.mark.parametrize(
    ("k", "ratio", "options"),
    [
        (2 / 5, 10 / 17, {}),
        (2 / 5, 10 / 17, {"spin": False, "gauge": 1.0}),
        (0.0, 2 / 3, {"sliding": True, "rolling": False, "spin": False}),
        (0.0, 2 / 3, {"sliding": True}),
    ],
    ids=["rolls", "rolls without spin", "slides", "slides free to turn"],
)
@pytest.mark.parametrize(("big", "small", "phi0"), [(0.5, 0.12, 0.3), (0.2, 0.6, 0.7)])
def test_v6_lift_off(k, ratio, options, big, small, phi0):
    figure, q, cosine = dome(big, small, phi0, **options)
    leave = np.arccos(ratio * np.cos(phi0))
    time = leaving_time(phi0, leave, k, big + small)
    rec = simulate(figure, t1=3.0, rate=100, q0=q, **TIGHT)
    (event,) = rec.events
    assert event.name == "body lifts off"
    assert event.time == pytest.approx(time, abs=1e-8)
    assert rec.time("q")[-1] <= event.time < rec.time("q")[-1] + 0.01  # nothing is recorded after it
    assert (rec["body.contact_force"][:, 2] > 0).all()
    # the angle itself: a run that does not end there passes the angle of the formula at the instant of lift-off
    passes = Guard("angle", lambda t, state: cosine(state) - ratio * np.cos(phi0), "down", ends=True)
    held = simulate(figure, t1=3.0, rate=100, q0=q, watch=False, guards=passes, **TIGHT)
    speed = np.sqrt(2 * G * (np.cos(phi0) - np.cos(leave)) / ((1 + k) * (big + small)))
    assert abs(held.events[0].time - event.time) * speed < 1e-8


def test_v6_angle_of_a_ball_that_starts_almost_on_top():
    """As φ0 → 0 the ball leaves at 53.968121°: here the limit is met to φ0²/4 ~ 2.5e-9 rad."""
    figure, q, cosine = dome(0.5, 0.12, 1e-4)
    seen = {}
    look = Guard("look", lambda t, state: seen.update({t: cosine(state)}) or 1.0)  # never fires: it keeps what it sees
    rec = simulate(figure, t1=8.0, rate=20, q0=q, guards=look, rtol=1e-11, atol=1e-15)
    near = np.array(sorted((abs(t - rec.events[0].time), c) for t, c in seen.items() if t <= rec.events[0].time)[:2])
    assert near[0, 0] < 0.05
    end = np.arccos(10 / 17)
    assert np.degrees(end) == pytest.approx(53.968121, abs=1e-6)
    # from the last look on: φ̇² = (10/7) g (1 − cos φ)/l, by quadrature
    phi = np.arccos(near[0, 1])
    rest = quad(lambda p: np.sqrt(7 * 0.62 / (10 * G * (np.cos(1e-4) - np.cos(p)))), phi, end, epsabs=1e-14)[0]
    assert near[0, 0] == pytest.approx(rest, abs=1e-8)


@pytest.mark.parametrize("mu", [0.2, 0.5, 2.0])
def test_v6_slips_before_it_leaves(mu):
    """T = (2/7) m g sin φ and N = m g (17 cos φ − 10 cos φ0)/7: the guard fires where T = μ N, never lift-off."""
    phi0 = 0.1
    figure, q, _ = dome(0.5, 0.12, phi0, friction=mu)
    slip = brentq(lambda p: 2 * np.sin(p) - mu * (17 * np.cos(p) - 10 * np.cos(phi0)), phi0, np.arccos(10 / 17))
    rec = simulate(figure, t1=3.0, rate=100, q0=q, **TIGHT)
    (event,) = rec.events
    assert event.name == "body slips"
    assert event.time == pytest.approx(leaving_time(phi0, slip, 2 / 5, 0.62), abs=1e-8)


# ---- V9: a disk in circles -----------------------------------------------------------------------------------------
A = 0.3


def steady(theta, omega, mass=1.0):
    """A thin disk in steady circles on a plane: figure, q, v, and the radius of the circle of its centre."""
    I1, I3 = mass * A**2 / 4, mass * A**2 / 2
    w3 = np.cos(theta) * (I1 * omega**2 * np.sin(theta) - mass * G * A) / ((I3 + mass * A**2) * omega * np.sin(theta))
    rho = A * abs(w3) / omega
    joint = joints.contact(s.plane(), s.circle(A))
    figure = one_contact(joint, UP, mass, inertia=np.diag([I1, I1, I3]))
    axis = np.array([np.sin(theta), 0, np.cos(theta)])  # coordinates of the plane, z up
    touching = np.array([rho + A * np.cos(theta), 0, 0])
    pose = turned(y=theta, at=touching + A * np.array([-np.cos(theta), 0, np.sin(theta)]))
    q = joint.touch(pose, p1=touching, p2=(A, 0, 0))
    L = joint.frames(q)[0].rotation
    return figure, q, L.T @ ((0, 0, omega) + (w3 - omega * np.cos(theta)) * axis), rho, w3


def test_v9_numbers():
    *_, rho, w3 = steady(np.radians(70), 3.0)
    assert (rho, w3) == pytest.approx((0.247384030, -2.473840297), abs=1e-9)


def test_v9_disk_rolls_in_circles_that_close():
    theta, omega, turns = np.radians(70), 3.0, 3
    figure, q, v, rho, _ = steady(theta, omega)
    rec = simulate(figure, t1=turns * 2 * np.pi / omega, rate=48 * omega / (2 * np.pi), q0=q, v0=v, rtol=1e-11)
    assert rec.count("q") == 48 * turns + 1
    x, y, z = rec["body.position"].T
    assert np.abs(np.hypot(x, z) - rho).max() < 1e-8
    assert np.abs(y - A * np.sin(theta)).max() < 1e-8
    angle = omega * rec.time("q")
    assert np.abs(x - rho * np.cos(angle)).max() < 1e-8  # at the rate Ω, and back after each turn
    assert np.abs(z + rho * np.sin(angle)).max() < 1e-8
    point = rec["body.contact_point"]
    assert np.abs(np.hypot(point[:, 0], point[:, 2]) - (rho + A * np.cos(theta))).max() < 1e-8
    assert np.abs(point[:, 1]).max() < 1e-14
    force = rec["body.contact_force"]  # the ground carries the weight and turns the momentum
    assert np.abs(force[:, 2] - G).max() < 1e-6
    assert np.abs(np.hypot(force[:, 0], force[:, 1]) - rho * omega**2).max() < 1e-6


def test_v9_free_disk_keeps_its_energy():
    figure, q, v, *_ = steady(np.radians(70), 3.0)
    rec = simulate(figure, t1=10.0, rate=20, q0=q, v0=v + np.array([0.9, -1.3, 0.4]), rtol=1e-11, watch=False)
    assert np.ptp(rec["body.position"], axis=0).min() > 0.05  # it wobbles through all directions
    energy = rec["energy"]
    assert np.abs(energy / energy[0] - 1).max() < 1e-8
    gaps = figure.segments[0].joint.gaps(rec["q"])
    assert gaps.max() < 1e-14


# ---- V11: rattleback -----------------------------------------------------------------------------------------------
STONE = {
    "half": np.array([0.2, 0.03, 0.02]),
    "com": np.array([0.0, 0.0, -0.01]),
    "inertia": np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]),
}  # 1 kg [Kane and Levinson 1982]; the stone's z is up at the start


def cross(a, b):
    """a × b of triples; NumPy's own takes ten times as long for one."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def newton_euler(w, up):
    """An ellipsoid of 1 kg rolling on a plane, in its own axes: Newton and Euler at its centre of mass.

    dv/dt + ω × v = F − g γ, I dω/dt + ω × I ω = x × F, with γ the vertical, x from the centre of mass to the point of
    contact, and v = x × ω since that point rests. Returns dω/dt, v and F.
    """
    half, com, I = STONE["half"].tolist(), STONE["com"].tolist(), STONE["inertia"].tolist()
    length = dot(up, up) ** 0.5
    up = [u / length for u in up]
    bent = [h * h * u for h, u in zip(half, up, strict=True)]
    size = dot(up, bent) ** 0.5
    x = [-b / size - c for b, c in zip(bent, com, strict=True)]
    turn = cross(up, w)
    share = dot(bent, turn) / size**3
    dx = [-h * h * u / size + b * share for h, u, b in zip(half, turn, bent, strict=True)]
    v = cross(x, w)
    free = [a + b + G * u for a, b, u in zip(cross(dx, w), cross(w, v), up, strict=True)]  # F less x × dω/dt
    spun = [dot(row, w) for row in I]
    torque = [a - b for a, b in zip(cross(x, free), cross(w, spun), strict=True)]
    xx = dot(x, x)  # −x × (x × ·) = x·x − x xᵀ
    A = [[I[i][j] + xx * (i == j) - x[i] * x[j] for j in range(3)] for i in range(3)]
    minors = [cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])]  # rows of the adjugate, A being symmetric
    det = dot(A[0], minors[0])
    dw = [dot(m, torque) / det for m in minors]
    return dw, v, [f + g for f, g in zip(free, cross(x, dw), strict=True)]


def newton_euler_run(t1, times, omega):
    """Integrate it from rest upright; returns the vertical part of ω, axes and origin of the stone at the times."""

    def rate(t, y):
        y = y.tolist()
        w, rows = y[:3], (y[3:6], y[6:9], y[9:12])
        dw, v, _ = newton_euler(w, rows[2])
        return [*dw, *cross(rows[0], w), *cross(rows[1], w), *cross(rows[2], w), *(dot(row, v) for row in rows)]

    first = np.concatenate([omega, np.eye(3).ravel(), [0, 0, STONE["half"][2] + STONE["com"][2]]])
    states = solve_ivp(rate, (0, t1), first, "DOP853", t_eval=times, rtol=1e-11, atol=1e-13).y.T
    axes = states[:, 3:12].reshape(-1, 3, 3)
    return (axes[:, 2] * states[:, :3]).sum(-1), axes, states[:, 12:] - axes @ STONE["com"]


def rattleback(spin, t1=6.0, gauge=0.0, rtol=1e-11, rate=30):
    joint = joints.contact(s.plane(), s.ellipsoid(tuple(STONE["half"])), gauge=gauge)
    figure = one_contact(joint, UP, 1.0, STONE["com"], STONE["inertia"])
    q = joint.configuration((0, 0, 0), (0, 0, -STONE["half"][2]), direction=(1, 0, 0))
    rec = simulate(figure, t1=t1, rate=rate, q0=q, v0=(0.5, 0, spin), rtol=rtol, watch=False)
    return figure, rec


@pytest.mark.parametrize("spin", [-5.0, 5.0])
def test_v11_rattleback(spin):
    """It reverses from spin −5, and within the 6 s that are looked at (without losses) not from +5."""
    figure, rec = rattleback(spin)
    vertical, axes, origin = newton_euler_run(6.0, rec.time("q"), (0.5, 0.0, spin))
    world = UP.rotation
    found = rotation_from_quaternion(rec["body.orientation"])
    assert np.abs(found - world @ axes).max() < 1e-6
    assert np.abs(rec["body.position"] - origin @ world.T).max() < 1e-6
    assert np.abs(rec["v"][:, 2] - vertical).max() < 1e-6 * abs(spin)
    # forces of states of the run itself: along two runs they part 300 times as fast as velocities do
    joint = figure.segments[0].joint
    L = joint.frames(rec["q"])[1].rotation
    for k in range(0, len(L), 10):
        up = found[k].T @ (0, 1, 0)
        force = newton_euler(L[k] @ rec["v"][k], up)[2]
        assert np.abs(L[k] @ rec["body.contact_force"][k] - force).max() < 1e-9 * G
    energy = rec["energy"]
    assert np.abs(energy / energy[0] - 1).max() < 1e-8
    if spin < 0:
        assert vertical.max() > 0.5
        assert rec["v"][:, 2].max() > 0.5
    else:
        assert vertical.min() > 0.5
        assert rec["v"][:, 2].min() > 0.5


def test_v11_gauge_does_not_matter():
    """The contact frame may turn with either body: the motion is the same, the components of v and q are not."""
    (_, one), (_, two) = (rattleback(-5.0, 1.0, gauge) for gauge in (0.0, 1.0))
    assert np.abs(one["v"] - two["v"]).max() > 0.1
    for name in ("body.position", "body.orientation", "body.contact_point"):
        sign = np.sign((one[name] * two[name]).sum(-1, keepdims=True)) if name.endswith("orientation") else 1.0
        assert np.abs(one[name] - sign * two[name]).max() < 1e-9
    assert np.abs(one["body.contact_force"][:, 2] - two["body.contact_force"][:, 2]).max() < 1e-7


# ---- on a base that moves ------------------------------------------------------------------------------------------
def test_ball_on_a_plank_that_is_pulled():
    """The plank has a = F/(M + 2 m/7), the ball on it 2/7 of that."""
    b = FigureBuilder()
    b.segment("plank", None, joints.prismatic((1, 0, 0)), mass=3.0, inertia=np.eye(3))
    joint = joints.contact(s.plane(), s.sphere(R))
    b.segment("ball", "plank", joint, placement=UP, mass=M, inertia=moments(2 / 5, M, R))
    figure = b.build()
    F = 5.0
    rec = simulate(figure, t1=1.0, rate=20, controls=lambda t, state: [F, 0, 0, 0], **TIGHT)
    a, t = F / (3.0 + 2 * M / 7), rec.time("q")
    assert np.abs(rec["plank.position"][:, 0] - 0.5 * a * t**2).max() < 1e-10
    assert np.abs(rec["ball.position"][:, 0] - a * t**2 / 7).max() < 1e-10
    assert np.abs(np.hypot(*rec["ball.contact_force"].T[:2]) - M * 2 / 7 * a).max() < 1e-10
    assert (rec["tau"] == (F, 0, 0, 0)).all()


def test_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    """dv/dt = (2/7) Ω × v for the centre, whatever the spin: a circle about a point that is not the axle."""
    omega, heavy = 1.4, 1e9
    b = FigureBuilder()
    b.segment("table", None, joints.revolute((0, 1, 0)), armature=heavy)
    joint = joints.contact(s.plane(), s.sphere(R))
    b.segment("ball", "table", joint, placement=UP, mass=M, inertia=moments(2 / 5, M, R))
    figure = b.build()
    at = np.array([0.5, R, 0.2])
    q = figure.configuration(ball=joint.configuration((at[0], -at[2], 0)))
    v = figure.velocity(table=omega, ball=(3.0, -2.0, 0.7))
    rec = simulate(figure, t1=4.0, rate=10, q0=q, v0=v, rtol=1e-11)
    up = np.array([0, 1.0, 0])
    # the ball's contact with the table moves as the table does, so v = Ω × r + (angular velocity against it) × R up
    L = UP.rotation @ joint.frames(q[figure.places("ball", "q")])[0].rotation
    v0 = np.cross(omega * up, at) + np.cross(L @ (3.0, -2.0, 0.7), R * up)
    rate, t = 2 / 7 * omega, rec.time("q")[:, None]
    path = at + (np.sin(rate * t) * v0 + (1 - np.cos(rate * t)) * np.cross(up, v0)) / rate
    # the table gives way by m r²/heavy ~ 1e-9 of its rate
    assert np.abs(rec["ball.position"] - path).max() < 2e-8
    assert np.abs(rec["v"][:, 0] - omega).max() < 1e-7
    assert np.abs(rec["ball.contact_force"][:, 2] - M * G).max() < 1e-9 * M * G


def test_stone_in_a_hull_that_floats():
    """Nothing acts from outside: the two keep energy, momentum and angular momentum as they roll on each other."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("hull", None, joints.free(), mass=1.5, com=(0.1, 0, 0.05), inertia=np.diag([0.3, 0.2, 0.25]))
    joint = joints.contact(s.sphere(0.6, inside=True), s.ellipsoid((0.1, 0.14, 0.12)))
    b.segment("stone", "hull", joint, mass=0.8, com=(0.01, 0.02, 0), inertia=np.diag([0.004, 0.003, 0.005]))
    figure = b.build()
    q = figure.configuration(stone=joint.configuration((0, -0.6, 0.1), (0.02, -0.1, 0.03)))
    v = figure.velocity(hull=(1.0, -0.7, 0.4, 0.2, 0.1, -0.3), stone=(1.5, 0.5, -2.0))
    rec = simulate(figure, t1=2.0, rate=20, q0=q, v0=v, rtol=1e-11, watch=False)
    assert np.abs(rec["energy"] / rec["energy"][0] - 1).max() < 1e-8
    for name in ("momentum", "angular_momentum"):
        assert np.abs(rec[name] - rec[name][0]).max() < 1e-9 * max(1.0, np.abs(rec[name]).max())
    assert np.ptp(rec["energy.kinetic"]) < 1e-8
    assert np.ptp(rec["hull.orientation"], axis=0).max() > 0.3
