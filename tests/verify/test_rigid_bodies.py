"""Rigid bodies against closed forms and against scipy's integrators: numbers that no part of motiform produced.

Tolerances of V1, V1b and V2 are those of the table of known answers. Elsewhere they follow from the tolerance that the
integrator was asked for (a run of some tens of steps at rtol r is good to about 100 r), or are rounding.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk, fresnel

from motiform import simulate
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Drag, Environment, Load, Spring
from motiform.motion.run import Guard

G = 9.81
WEIGHTLESS = Environment(gravity=(0.0, 0.0, 0.0))
TIGHT = {"integrator": "dormand-prince", "rtol": 1e-12, "atol": 1e-14}
ACCURATE = [
    pytest.param(TIGHT, id="dormand-prince"),
    pytest.param({"integrator": "cash-karp", "rtol": 1e-12, "atol": 1e-14}, id="cash-karp"),
    pytest.param({"integrator": "rk4", "step": 1e-3}, id="rk4"),
]


def make(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0), center=(0.0, 0.0, 0.0), **more) -> Body:
    return Body(name, MassProperties(mass, np.array(center), np.diag(inertia)), **more)


def rotations(rec, name: str) -> np.ndarray:
    """Rotation matrices of a recorded body, by scipy."""
    return Rotation.from_quat(rec[f"{name}.orientation"], scalar_first=True).as_matrix()


# ---- torque-free bodies: V1, V1b -----------------------------------------------------------------

MOMENTS = np.array([1.0, 2.0, 3.0])


def jacobi(spin) -> tuple[float, float, float, float]:
    """Return 2E, L², and p, m of the elliptic functions of a torque-free body [LandauLifshitz §37]."""
    (i1, i2, i3), w = MOMENTS, np.array(spin)
    twice, square = float(MOMENTS @ w**2), float(MOMENTS**2 @ w**2)
    p = np.sqrt((i3 - i2) * (square - twice * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (twice * i3 - square) / ((i3 - i2) * (square - twice * i1))
    return twice, square, float(p), float(m)


def test_oracle_of_v1_has_the_known_period():
    _, _, p, m = jacobi((0.8, 0.0, 1.1))
    assert 4 * ellipk(m) / p == pytest.approx(5.992262359212, abs=1e-12)


@pytest.mark.parametrize("options", ACCURATE)
def test_v1_torque_free_body_follows_jacobi(options):
    spin = np.array([0.8, 0.0, 1.1])
    model = Bodies((make(inertia=MOMENTS, spin=spin),), environment=WEIGHTLESS)
    rec = simulate(model, t1=12.0, rate=50, **options)  # two periods
    t, w = rec.time("body.angular_velocity"), rec["body.angular_velocity"]
    (i1, i2, i3), (twice, square, p, m) = MOMENTS, jacobi(spin)
    a1 = np.sqrt((twice * i3 - square) / (i1 * (i3 - i1)))
    a2 = np.sqrt((twice * i3 - square) / (i2 * (i3 - i2)))
    a3 = np.sqrt((square - twice * i1) / (i3 * (i3 - i1)))
    sn, cn, dn, _ = ellipj(p * t, m)
    exact = np.stack([a1 * cn, a2 * sn, a3 * dn], axis=1)
    assert np.abs(w - exact).max() <= 1e-9
    momentum = np.einsum("nij,nj->ni", rotations(rec, "body"), MOMENTS * w)
    assert np.linalg.norm(momentum - MOMENTS * spin, axis=1).max() <= 1e-9
    assert np.abs(0.5 * (MOMENTS * w**2).sum(axis=1) - 0.5 * twice).max() <= 1e-9
    assert np.abs(rec["energy"] - 0.5 * twice).max() <= 1e-9


def test_v1_attitude_agrees_with_the_kinematics_of_the_exact_spin():
    """Angular velocity and momentum cannot tell a body that is turned wrongly about L; the attitude can."""
    _, _, p, m = jacobi((0.8, 0.0, 1.1))
    (i1, i2, i3), (twice, square, *_) = MOMENTS, jacobi((0.8, 0.0, 1.1))
    size = np.sqrt([(twice * i3 - square) / (i1 * (i3 - i1)), (twice * i3 - square) / (i2 * (i3 - i2)),
                    (square - twice * i1) / (i3 * (i3 - i1))])  # fmt: skip

    def turn(t, q):
        sn, cn, dn, _ = ellipj(p * t, m)
        return 0.5 * quaternion_product(q, np.hstack([0.0, size * (cn, sn, dn)]))

    exact = solve_ivp(turn, (0, 6), [1, 0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    rec = simulate(
        Bodies((make(inertia=MOMENTS, spin=(0.8, 0, 1.1)),), environment=WEIGHTLESS), t1=6.0, rate=1, **TIGHT
    )
    found = rec["body.orientation"][-1]
    assert min(np.abs(found - exact).max(), np.abs(found + exact).max()) <= 1e-9


def test_v1b_intermediate_axis_flips_at_the_known_interval(record_property):
    spin = (1e-3, 1.0, 1e-3)
    flip = Guard("flip", lambda t, s: (s.rotation[0].T @ s.angular_momentum[0])[1])
    model = Bodies((make(inertia=MOMENTS, spin=spin),), environment=WEIGHTLESS)
    # Near the unstable axis 1 − m is 2e-6, so an error of 1e-13 in the energy is one of 1e-7 in the interval.
    rec = simulate(model, t1=72.0, rate=1, integrator="dormand-prince", rtol=1e-13, atol=1e-15, guards=[flip])
    times = np.array([event.time for event in rec.events])
    assert [event.name for event in rec.events] == ["flip"] * 3
    intervals = np.diff(times)
    record_property("flips every", intervals.tolist())
    assert np.abs(intervals - 27.5308405533).max() <= 1e-6
    _, _, p, m = jacobi(spin)
    assert 2 * ellipk(m) / p == pytest.approx(27.5308405533, abs=1e-9)


# ---- pinned bodies: V2, pendulums ----------------------------------------------------------------


def top(theta: float, precession: float) -> Body:
    """A symmetric top about its tip: I1 = .02, I3 = .01, mgl = .981; its axis is the body's y."""
    spin = (precession * np.sin(theta), 120.0, 0.0)
    tilt = Rotation.from_euler("z", theta).as_matrix()
    return make(mass=1.0, inertia=(0.01, 0.01, 0.01), center=(0, 0.1, 0), pivot=(0, 0, 0), rotation=tilt, spin=spin)


def test_v2_heavy_top_precesses_steadily_without_nutation():
    theta, i1, i3, mgl = np.radians(60), 0.02, 0.01, 0.981
    # I1 Ω² cosθ − I3 ω3 Ω + mgl = 0, the slow root in the form that does not cancel
    b, c = i3 * 120.0, np.sqrt((i3 * 120.0) ** 2 - 4 * i1 * np.cos(theta) * mgl)
    precession = 2 * mgl / (b + c)
    assert precession == pytest.approx(0.8231464169, abs=1e-10)
    rec = simulate(Bodies((top(theta, precession),)), t1=2.0, rate=200, **TIGHT)
    t, axis = rec.time("body.position"), rec["body.position"] / 0.1
    azimuth = np.unwrap(np.arctan2(-axis[:, 2], axis[:, 0]))  # about y, from x towards −z
    turned = (azimuth - azimuth[0])[1:] / t[1:]
    assert np.abs(turned[20:] - 0.8231464169).max() <= 1e-8  # after 0.1 s: the angle is good to 1e-10
    assert np.abs(axis[:, 1] - np.cos(theta)).max() <= 1e-8
    assert np.abs(np.linalg.norm(axis, axis=1) - 1).max() <= 1e-14


def test_top_let_go_nutates_between_the_roots_of_its_cubic():
    """From rest at θ0, u = cosθ swings between u0 and a root of (1 − u²)(E − mgl u) 2/I1 = (Lz − L3 u)²/I1²."""
    theta, i1, l3, mgl = np.radians(60), 0.02, 1.2, 0.981
    u0 = np.cos(theta)
    cubic = np.polynomial.Polynomial([1, 0, -1]) * np.polynomial.Polynomial([mgl * u0, -mgl]) * (2 / i1)
    cubic -= (np.polynomial.Polynomial([l3 * u0, -l3]) / i1) ** 2
    lowest = max(r.real for r in cubic.roots() if r.real < u0 - 1e-9)
    rec = simulate(Bodies((top(theta, 0.0),)), t1=0.3, rate=2000, **TIGHT)
    height = rec["body.position"][:, 1] / 0.1
    assert height.max() == pytest.approx(u0, abs=1e-9)
    # nutation turns at I3 ω3/I1 = 60 rad/s: a sample is within 60/4000 rad of the turning point, which costs its cosine
    assert height.min() == pytest.approx(lowest, abs=(u0 - lowest) * (60 / 4000) ** 2 / 4 + 1e-9)
    assert height.min() >= lowest - 1e-9


PENDULUM = {"mass": 2.0, "inertia": (0.3, 0.2, 0.1), "center": (0.0, -0.4, 0.0), "pivot": (0.0, 0.0, 0.0)}
PENDULUM_RATE = np.sqrt(2.0 * G * 0.4 / (0.1 + 2.0 * 0.4**2))  # swings about z, inertia by the parallel axis theorem


def swing(angle: float) -> Body:
    return make(**PENDULUM, rotation=Rotation.from_euler("z", angle).as_matrix())


def angles(rec) -> np.ndarray:
    x, y, _ = rec["body.position"].T
    return np.arctan2(x, -y)


def test_compound_pendulum_small_swings():
    small = 1e-4
    rec = simulate(Bodies((swing(small),)), t1=4.0, rate=100, **TIGHT)
    exact = small * np.cos(PENDULUM_RATE * rec.time("body.position"))
    # the pendulum lags by a fraction θ²/16 of its phase, 4 s · 4.3 rad/s here
    assert np.abs(angles(rec) - exact).max() <= small * (small**2 / 16 * 4 * PENDULUM_RATE) + 1e-12


@pytest.mark.parametrize("options", ACCURATE)
def test_compound_pendulum_large_swing_follows_its_elliptic_function(options):
    largest = 2.5
    m = np.sin(largest / 2) ** 2
    rec = simulate(Bodies((swing(largest),)), t1=5.0, rate=100, **options)
    t = rec.time("body.position")
    sn = ellipj(ellipk(m) - PENDULUM_RATE * t, m)[0]
    # rk4 at h = 1e-3: (ω h)^4 t/120 with ω = 4.3·2 in the fast part is 4e-10
    assert np.abs(angles(rec) - 2 * np.arcsin(np.sqrt(m) * sn)).max() <= 1e-9
    assert np.abs(rec["energy"] - rec["energy"][0]).max() <= 1e-9


def test_pendulum_passes_the_bottom_at_quarter_periods():
    largest = 2.5
    quarter = ellipk(np.sin(largest / 2) ** 2) / PENDULUM_RATE
    bottom = Guard("bottom", lambda t, s: s.position[0, 0])
    rec = simulate(Bodies((swing(largest),)), t1=6 * quarter, rate=20, guards=[bottom], **TIGHT)
    assert np.array([e.time for e in rec.events]) == pytest.approx(np.array([1, 3, 5]) * quarter, abs=1e-9)


# ---- falling -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("integrator", "lag"),
    [
        ("euler", -1.0),
        ("symplectic-euler", 1.0),
        *((m, 0.0) for m in ("lie-midpoint", "rk4", "cash-karp", "dormand-prince")),
    ],
)
def test_free_fall_is_the_parabola_or_the_one_of_the_scheme(integrator, lag):
    """Euler's fall is exactly ½ g (t² − h t), symplectic Euler's ½ g (t² + h t), every other's ½ g t²."""
    start, throw, h = np.array([1.0, 2.0, 3.0]), np.array([4.0, 6.0, -1.0]), 1 / 64
    model = Bodies((make(inertia=(1, 2, 3), position=start, velocity=throw, spin=(3, 5, 1)),))
    rec = simulate(model, t1=2.0, rate=32, integrator=integrator, step=h)
    t = rec.time("body.position")[:, None]
    exact = start + throw * t + 0.5 * np.array([0, -G, 0]) * (t * t + lag * h * t)
    assert np.abs(rec["body.position"] - exact).max() <= 1e-12  # 128 steps of rounding at 20 m
    assert np.abs(rec["body.velocity"] - (throw + np.array([0, -G, 0]) * t)).max() <= 1e-12


def test_drag_falls_as_tanh_to_the_terminal_velocity():
    mass, area, air = 0.5, 0.02, 1.3
    terminal = np.sqrt(2 * mass * G / (air * area))
    model = Bodies((make(mass=mass, drag=Drag(area)),), environment=Environment(air_density=air))
    rec = simulate(model, t1=30.0, rate=20, **TIGHT)
    t = rec.time("body.velocity")
    exact = np.zeros((len(t), 3))
    exact[:, 1] = -terminal * np.tanh(G * t / terminal)
    assert np.abs(rec["body.velocity"] - exact).max() <= 1e-9
    assert -rec["body.velocity"][-1, 1] == pytest.approx(terminal, rel=2 * np.exp(-2 * G * 30 / terminal) + 1e-10)
    fallen = terminal**2 / G * np.log(np.cosh(G * t / terminal))
    assert np.abs(rec["body.position"][:, 1] + fallen).max() <= 1e-8


def test_wind_carries_a_body_off():
    """Weightless in wind w: the velocity through the air dies as w/(1 + k w t), k = ρA/2m."""
    wind, k = np.array([3.0, 0.0, 4.0]), 1.2 * 0.05 / (2 * 0.1)
    model = Bodies(
        (make(mass=0.1, drag=Drag(0.05)),), environment=Environment(gravity=(0, 0, 0), air_density=1.2, wind=wind)
    )
    rec = simulate(model, t1=3.0, rate=20, **TIGHT)
    t = rec.time("body.velocity")[:, None]
    assert np.abs(rec["body.velocity"] - wind * (1 - 1 / (1 + k * 5.0 * t))).max() <= 1e-10


def test_falling_in_wind_ends_with_the_wind_and_the_terminal_velocity():
    mass, area = 0.01, 0.05
    terminal = np.sqrt(2 * mass * G / (1.204 * area))
    model = Bodies((make(mass=mass, drag=Drag(area)),), environment=Environment(wind=(5.0, 0.0, -2.0)))
    rec = simulate(model, t1=6.0, rate=10, **TIGHT)
    # differences die at least as fast as exp(−g t/v_t), t = 6 s: 2e-15
    assert rec["body.velocity"][-1] == pytest.approx([5.0, -terminal, -2.0], abs=1e-9)


def test_drag_of_rotation_slows_a_spin():
    """I ω̇ = −½ ρ S ω²: ω = ω0/(1 + ρ S ω0 t/2I)."""
    model = Bodies((make(inertia=(1, 1.2, 0.5), spin=(0, 0, 8.0), drag=Drag(0.0, spin=(0, 0, 0.3))),))
    rec = simulate(model, t1=4.0, rate=10, **TIGHT)
    t = rec.time("body.angular_velocity")
    assert np.abs(rec["body.angular_velocity"][:, 2] - 8.0 / (1 + 1.204 * 0.3 * 8.0 * t / (2 * 0.5))).max() <= 1e-10


# ---- springs and loads ---------------------------------------------------------------------------


def test_two_bodies_on_a_spring_swing_with_their_reduced_mass():
    m1, m2, k, rest, stretch = 1.0, 3.0, 50.0, 1.0, 0.2
    a = make("a", m1, position=(0, 0, 0), velocity=(0.1, 0.2, 0.3))
    b = make("b", m2, position=(rest + stretch, 0, 0), velocity=(0.1, 0.2, 0.3))
    model = Bodies((a, b), springs=(Spring("a", "b", k, rest=rest),), environment=WEIGHTLESS)
    rec = simulate(model, t1=3.0, rate=50, **TIGHT)
    t, apart = rec.time("a.position"), rec["b.position"] - rec["a.position"]
    frequency = np.sqrt(k / (m1 * m2 / (m1 + m2)))
    assert np.abs(apart[:, 0] - rest - stretch * np.cos(frequency * t)).max() <= 1e-9
    middle = (m1 * rec["a.position"] + m2 * rec["b.position"]) / (m1 + m2)
    assert np.abs(middle - middle[0] - t[:, None] * (0.1, 0.2, 0.3)).max() <= 1e-10


def test_damped_oscillator():
    mass, k, c, rest, start = 2.0, 80.0, 3.0, 0.5, 0.15
    model = Bodies(
        (make(mass=mass, position=(0, -rest - start, 0)),),
        springs=(Spring(None, "body", k, damping=c, rest=rest),),
        environment=WEIGHTLESS,
    )
    rec = simulate(model, t1=3.0, rate=50, **TIGHT)
    t, decay = rec.time("body.position"), c / (2 * mass)
    w = np.sqrt(k / mass - decay**2)
    exact = start * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    assert np.abs(-rec["body.position"][:, 1] - rest - exact).max() <= 1e-10


def test_hanging_on_a_spring_sags_and_swings_about_the_sag():
    mass, k = 2.0, 80.0
    model = Bodies((make(mass=mass, position=(0, -1, 0)),), springs=(Spring(None, "body", k),))  # rest: length at start
    rec = simulate(model, t1=2.0, rate=50, **TIGHT)
    sag, w = mass * G / k, np.sqrt(k / mass)
    assert np.abs(rec["body.position"][:, 1] + 1 + sag * (1 - np.cos(w * rec.time("body.position")))).max() <= 1e-9


def test_force_that_follows_at_a_point_turns_and_pushes():
    """A constant torque about z: θ = ½ α t², and the velocity is a Fresnel integral of it."""
    mass, inertia, arm, force = 2.0, 0.5, 0.3, 4.0
    load = Load("body", force=(0, force, 0), at=(arm, 0, 0), follows=True)
    model = Bodies((make(mass=mass, inertia=(0.4, 0.4, inertia)),), loads=(load,), environment=WEIGHTLESS)
    rec = simulate(model, t1=2.0, rate=50, **TIGHT)
    t, alpha = rec.time("body.velocity"), arm * force / inertia
    assert np.abs(rec["body.angular_velocity"][:, 2] - alpha * t).max() <= 1e-10
    unit = np.sqrt(np.pi / alpha)  # θ = ½ α t² = ½ π (t/unit)²
    s, c = fresnel(t / unit)
    exact = force / mass * unit * np.stack([-s, c, 0 * t], axis=1)
    assert np.abs(rec["body.velocity"] - exact).max() <= 1e-10


def test_force_that_keeps_its_direction_swings_a_body_like_a_pendulum():
    """A force along x at arm d: θ̈ = −(d F/I) sinθ for the body's own angle, a pendulum; the centre flies straight."""
    d, force, inertia, start = 0.2, 5.0, 0.1, 1.2
    turned = Rotation.from_euler("z", start).as_matrix()
    load = Load("body", force=(force, 0, 0), at=(d, 0, 0))
    model = Bodies(
        (make(mass=2.0, inertia=(0.1, 0.1, inertia), rotation=turned),), loads=(load,), environment=WEIGHTLESS
    )
    rec = simulate(model, t1=3.0, rate=50, **TIGHT)
    t, m = rec.time("body.position"), np.sin(start / 2) ** 2
    sn = ellipj(ellipk(m) - np.sqrt(d * force / inertia) * t, m)[0]
    R = rotations(rec, "body")
    assert np.abs(np.arctan2(R[:, 1, 0], R[:, 0, 0]) - 2 * np.arcsin(np.sqrt(m) * sn)).max() <= 1e-9
    assert np.abs(rec["body.position"][:, 0] - force / 2.0 * t**2 / 2).max() <= 1e-10


@pytest.mark.parametrize(
    "integrator", ["dormand-prince", "cash-karp", "lie-midpoint", "rk4", "euler", "symplectic-euler"]
)
def test_load_acts_in_its_window_only(integrator):
    """Impulse F (until − start): exact where steps end at its edges, within one step of F elsewhere."""
    mass, force, start, until, h = 2.0, np.array([3.0, -1.0, 2.0]), 0.75, 1.5, 1 / 128
    load = Load("body", force=force, start=start, until=until)
    model = Bodies((make(mass=mass),), loads=(load,), environment=WEIGHTLESS)
    rec = simulate(model, t1=2.0, rate=16, integrator=integrator, step=h)
    t = rec.time("body.velocity")[:, None]
    exact = force / mass * np.clip(t - start, 0, until - start)
    error = np.abs(rec["body.velocity"] - exact).max()
    assert error <= (1e-12 if integrator in ("dormand-prince", "cash-karp", "lie-midpoint") else 3.0 / mass * h)
    assert np.all(rec["body.velocity"][t[:, 0] < start - h] == 0)
    assert rec["body.velocity"][-1] == pytest.approx(exact[-1], abs=1e-12)  # steps end at the edges: both errors cancel


def test_short_load_after_a_long_rest_is_not_stepped_over():
    model = Bodies((make(),), loads=(Load("body", force=(1, 0, 0), start=50.0, until=50.01),), environment=WEIGHTLESS)
    rec = simulate(model, t1=60.0, rate=1, integrator="dormand-prince")
    assert rec["body.velocity"][-1] == pytest.approx([0.01, 0, 0], abs=1e-12)


# ---- everything at once, against Newton and Euler in quaternions by scipy ------------------------


def quaternion_product(a, b) -> np.ndarray:
    return np.hstack([a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def test_tumbling_bodies_on_springs_agree_with_newton_euler_in_quaternions():
    masses, inertias = (1.0, 2.0), (np.array([0.02, 0.05, 0.06]), np.array([0.1, 0.04, 0.12]))
    centers = (np.array([0.02, 0.0, -0.01]), np.zeros(3))
    a = make(
        "a", 1.0, inertias[0], centers[0], position=(0, 1, 0), velocity=(0.5, 0, 0), spin=(3, 1, -2), drag=Drag(0.01)
    )
    turned = Rotation.from_euler("xyz", [0.3, -0.4, 0.9])
    b = make("b", 2.0, inertias[1], position=(0.6, 0.8, 0.2), rotation=turned.as_matrix(), spin=(-1, 2, 4))
    springs = (
        Spring(None, "a", 60.0, at_a=(0, 1.5, 0), at_b=(0.05, 0.1, 0.0), rest=0.3, damping=0.4),
        Spring("a", "b", 40.0, at_a=(-0.1, 0, 0.05), at_b=(0.0, 0.12, -0.04), rest=0.4, damping=0.2),
    )
    load = Load("b", force=(0.5, 1.0, 0), torque=(0.1, 0, -0.05), at=(0.1, 0, 0))
    rec = simulate(Bodies((a, b), springs=springs, loads=(load,)), t1=2.0, rate=10, **TIGHT)

    def rate(t, y):
        bodies = y.reshape(2, 13)
        R = [Rotation.from_quat(q / np.linalg.norm(q), scalar_first=True).as_matrix() for q in bodies[:, 3:7]]
        force = [np.array([0, -G * m, 0]) for m in masses]
        torque = [np.zeros(3), np.array([0.1, 0, -0.05])]

        def point(i, p):  # where a point of the shape is, from the centre of mass
            arm = R[i] @ (np.array(p) - centers[i])
            return bodies[i, 0:3] + arm, bodies[i, 7:10] + np.cross(R[i] @ bodies[i, 10:13], arm), arm

        def push(i, f, arm):
            force[i] = force[i] + f
            torque[i] = torque[i] + np.cross(arm, f)

        v = bodies[0, 7:10]
        push(0, -0.5 * 1.204 * 0.01 * np.linalg.norm(v) * v, np.zeros(3))
        push(1, np.array([0.5, 1.0, 0]), point(1, (0.1, 0, 0))[2])
        for one, other, k, c, rest in (((None, (0, 1.5, 0)), (0, (0.05, 0.1, 0)), 60.0, 0.4, 0.3),
                                       ((0, (-0.1, 0, 0.05)), (1, (0, 0.12, -0.04)), 40.0, 0.2, 0.4)):  # fmt: skip
            p, u, s = point(*one) if one[0] is not None else (np.array(one[1]), np.zeros(3), None)
            q, w, r = point(*other)
            length = np.linalg.norm(q - p)
            n = (q - p) / length
            tension = k * (length - rest) + c * (w - u) @ n
            push(other[0], -tension * n, r)
            if one[0] is not None:
                push(one[0], tension * n, s)
        out = np.empty((2, 13))
        for i in range(2):
            w = bodies[i, 10:13]
            out[i, 0:3], out[i, 3:7] = bodies[i, 7:10], 0.5 * quaternion_product(bodies[i, 3:7], np.hstack([0, w]))
            out[i, 7:10] = force[i] / masses[i]
            out[i, 10:13] = (R[i].T @ torque[i] - np.cross(w, inertias[i] * w)) / inertias[i]
        return out.ravel()

    starts = [np.hstack([rec[f"{n}.position"][0], rec[f"{n}.orientation"][0], rec[f"{n}.velocity"][0],
                         rec[f"{n}.angular_velocity"][0]]) for n in "ab"]  # fmt: skip
    assert starts[0][:3] == pytest.approx([0.02, 1, -0.01])
    answer = solve_ivp(
        rate, (0, 2), np.hstack(starts), method="DOP853", rtol=1e-12, atol=1e-13, t_eval=rec.time("a.position")
    )
    for i, name in enumerate("ab"):
        x, q, v, w = np.split(answer.y.reshape(2, 13, -1)[i].T, [3, 7, 10], axis=1)
        q /= np.linalg.norm(q, axis=1)[:, None]
        q *= np.sign(np.sum(q * rec[f"{name}.orientation"], axis=1))[:, None]
        for key, exact in (("position", x), ("orientation", q), ("velocity", v), ("angular_velocity", w)):
            assert np.abs(rec[f"{name}.{key}"] - exact).max() <= 1e-8, (name, key)
