"""Kinematics of the contact joint: closed forms, charts, orders, and the torus rule beside the exact equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipe

from motiform.base.errors import InputError
from motiform.geometry import surfaces as s
from motiform.motion.tree.contact_joints.contact import contact
from motiform.spatial import Transform, exp_rotation, log_rotation, random_rotation

EPS = np.finfo(float).eps
UP = np.array([0.0, 0.0, 1.0])


def start(joint, rng, room=0.5):
    """A random contact with room [1/m] between the surfaces."""
    one, two = joint.surfaces

    def near(surface):
        return np.array([0.5, 0.1, 0.9]) if surface.kind == "cone" else rng.normal(size=3)

    for _ in range(500):
        try:
            yaw = 0.0 if joint.pair.both_lines else rng.uniform(-3, 3)
            n1, n2 = (rng.normal(size=3) if x.edge else None for x in (one, two))
            q = joint.configuration(near(one), near(two), yaw=yaw, normal1=n1, normal2=n2)
        except InputError:
            continue
        if one.edge and two.edge:
            p1, R1, p2, R2 = joint._frames(q)
            d, e = one.bend(p1, R1[:, :2], R1[:, 2])[0], two.bend(p2, R2[:, :2], -R2[:, 2])[0]
            if abs(d[0] * e[1] - d[1] * e[0]) > 0.5:  # well crossed
                return q
        elif joint.pair.contact != "point" or joint.relative_curvature(q)[0] > room:
            return q
    raise AssertionError("no contact found")


def march(joint, q, v, h, steps, method="rkmk4", repair=False):
    """Many steps; v constant, or a function of the time since the start."""
    for n in range(steps):
        speed = (lambda t, n=n: v(n * h + t)) if callable(v) else v
        q = joint.advance(q, speed, h, method)
        q = joint.repair(q) if repair else q
    return q


def integrated(joint, q, v, t1, rtol=1e-12):
    """The rates integrated by an independent solver."""
    return solve_ivp(lambda t, y: joint.rate(y, v), (0, t1), q, method="DOP853", rtol=rtol, atol=rtol * 0.1).y[:, -1]


def distance(joint, a, b):
    """Largest difference of two poses of body 2: entries of rotation, and position [m]."""
    A, B = joint.transform(a), joint.transform(b)
    return max(np.abs(A.rotation - B.rotation).max(), np.abs(A.translation - B.translation).max())


# ---- S v is the velocity, c_J the velocity of S --------------------------------------------------------------------
POINTS = [
    (s.plane(), s.sphere(0.3)),
    (s.sphere(1.0, inside=True), s.ellipsoid((0.2, 0.3, 0.25))),
    (s.ellipsoid((1.0, 0.8, 0.6)), s.torus(0.5, 0.2)),
    (s.cylinder(0.5), s.cylinder(0.3)),
    (s.cone(0.5), s.cylinder(0.2)),
    (s.torus(1.0, 0.3), s.sphere(0.2)),
    (s.torus(1.0, 0.4, inside=True), s.ellipsoid((0.2, 0.15, 0.1))),
    (s.cylinder(1.0, inside=True), s.sphere(0.3)),
    (s.plane(), s.ellipsoid((0.4, 0.3, 0.2))),
    (s.plane(), s.circle(0.3)),
    (s.circle(0.3), s.sphere(0.4)),
    (s.circle(0.3), s.circle(0.4)),
    (s.sphere(1.0, inside=True), s.circle(0.3)),
]
LINES = [
    (s.plane(), s.cylinder(0.3)),
    (s.cylinder(0.3), s.plane()),
    (s.plane(), s.cone(0.4)),
    (s.cone(0.4), s.plane()),
    (s.cylinder(1.0, inside=True), s.cylinder(0.3)),
    (s.plane(), s.plane()),
]
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


def difference(f, h):
    """The derivative at 0 by sixth-order differences."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in STENCIL) / h


@pytest.mark.parametrize("gauge", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("pair", POINTS + LINES, ids=lambda p: f"{p[0].kind}{'-in' * p[0].inside}-{p[1].kind}")
def test_subspace_is_the_velocity_and_bias_the_velocity_of_the_subspace(pair, gauge):
    rng = np.random.default_rng(8)
    poses = [Transform(random_rotation(rng), rng.normal(size=3)) for _ in range(2)]
    rolling = not pair[0].kind == pair[1].kind == "plane"
    joint = contact(*pair, pose1=poses[0], pose2=poses[1], sliding=True, rolling=rolling)
    if not joint.pair.follow:
        joint = contact(*pair, pose1=poses[0], pose2=poses[1], sliding=True, rolling=rolling, gauge=gauge)
    q, v = start(joint, rng), 0.5 * rng.normal(size=joint.nv)
    v /= max(1.0, np.abs(joint.rates(q, v)).max())
    # One rkmk4 step errs by a fifth power of time and more: the stencil is exact for those up to the sixth. With rates
    # of one per second and radii of 0.2 m the rest is (h/0.2)⁶ ~ 2e-14; rounding gives 20 eps·2/h ~ 1e-11.
    h = 1e-3
    T = joint.transform(q).matrix()
    D = np.linalg.inv(T) @ difference(lambda t: joint.transform(joint.advance(q, v, t)).matrix(), h)
    twist = np.array([D[2, 1], D[0, 2], D[1, 0], *D[:3, 3]])
    assert np.abs(twist - joint.subspace(q) @ v).max() < 2e-11
    dS = difference(lambda t: joint.subspace(joint.advance(q, v, t)), h)
    assert np.abs(dS - joint.subspace_rate(q, v)).max() < 2e-11
    assert np.abs(dS @ v - joint.bias(q, v)).max() < 2e-11
    # the frame stays on both surfaces: the gap of a step grows as its fifth power, not before (surfaces of constant
    # curvature: not at all)
    gaps = [joint.gaps(joint.advance(q, v, t)).max() for t in (0.02, 0.01)]
    assert gaps[0] < 1e-14 or gaps[1] < gaps[0] / 20


def test_pure_rolling_accelerates_along_the_normal_by_the_relative_curvature():
    """The normal entry of c_J in L is wᵀ (K1 + K2)⁻¹ w."""
    rng = np.random.default_rng(2)
    joint = contact(s.ellipsoid((1.0, 0.8, 0.6)), s.torus(0.5, 0.2))
    q, v = start(joint, rng), rng.normal(size=3)
    p1, R1, p2, R2 = joint._frames(q)
    K = joint.surfaces[0].shape(p1, R1[:, :2]) + joint.surfaces[1].shape(p2, R2[:, :2])
    w = np.array([v[1], -v[0]])
    in_L = joint.frames(q)[1].inverse().motion(joint.bias(q, v))
    assert in_L[5] == pytest.approx(w @ np.linalg.solve(K, w), rel=1e-13)


def test_gauge_changes_the_numbers_and_not_the_motion():
    """The same angular velocity in frames that turn differently about the normal gives the same poses."""
    pair = s.ellipsoid((1.0, 0.8, 0.6)), s.ellipsoid((0.4, 0.3, 0.2))
    plain, turned = contact(*pair, gauge=0.0), contact(*pair, gauge=1.0)
    q = plain.configuration((0.3, 0.2, 0.7), (0.1, -0.2, -0.1))
    v = np.array([0.4, -0.3, 0.8])

    def seen(t):  # L of gauge 1 has turned by ωz t against that of gauge 0
        c, d = np.cos(v[2] * t), np.sin(v[2] * t)
        return np.array([c * v[0] + d * v[1], -d * v[0] + c * v[1], v[2]])

    def apart(method, steps):
        a, b = march(plain, q, v, 1 / steps, steps, method), march(turned, q, seen, 1 / steps, steps, method)
        assert np.abs(a[3:7] - b[3:7]).max() > 0.1  # the frames themselves differ
        return distance(plain, a, b)

    assert apart("rkmk4", 20) < 1e-13  # with the spin apart even the steps are the same, up to rounding
    coarse, fine = apart("rk4", 20), apart("rk4", 40)
    assert fine < 1e-6
    assert coarse / fine > 11  # fourth order: 16 in the limit


# ---- charts --------------------------------------------------------------------------------------------------------
def chart_of(kind, size, u):
    """x, dx/du (3, 2), d²x/du² (3, 2, 2) of an ellipsoid or a torus in the charts of the table."""
    (sa, sb), (ca, cb) = np.sin(u), np.cos(u)
    if kind == "ellipsoid":
        d = np.array(size)
        x, xu, xv = d * (sa * cb, sa * sb, ca), d * (ca * cb, ca * sb, -sa), d * (-sa * sb, sa * cb, 0)
        xuu, xuv, xvv = -x, d * (-ca * sb, ca * cb, 0), d * (-sa * cb, -sa * sb, 0)
    else:
        R, r = size
        rho, e, f = R + r * cb, np.array([ca, sa, 0]), np.array([-sa, ca, 0])
        x, xu, xv = rho * e + r * sb * UP, rho * f, -r * sb * e + r * cb * UP
        xuu, xuv, xvv = -rho * e, -r * sb * f, -r * cb * e - r * sb * UP
    return x, np.array([xu, xv]).T, np.array([[xuu, xuv], [xuv, xvv]]).transpose(2, 0, 1)


def chart_form(kind, size, u):
    """Basis (e1, e2, n), metric M, curvature K and connection T of a chart."""
    x, X, D = chart_of(kind, size, u)
    n = np.cross(X[:, 0], X[:, 1])
    n /= np.linalg.norm(n)
    e1 = X[:, 0] / np.linalg.norm(X[:, 0])
    E = np.array([e1, np.cross(n, e1)])
    M = E @ X
    K = -np.linalg.inv(M).T @ np.einsum("i,iab->ab", n, D) @ np.linalg.inv(M)
    T = E[1] @ D[:, 0, :] / np.linalg.norm(X[:, 0]) @ np.linalg.inv(M)
    return x, np.array([*E, n]).T, M, K, T


def test_frames_agree_with_the_equations_in_charts():
    """u̇1 = M1⁻¹ ṡ1, u̇2 = M2⁻¹ Q ṡ2, ψ̇ = ωz − T1·ṡ1 − T2·Q ṡ2, in the axes of chart 1, integrated beside the frames."""
    radii, ring = (1.0, 0.8, 0.6), (0.5, 0.2)
    joint = contact(s.ellipsoid(radii), s.torus(*ring), sliding=True)
    u = np.array([1.2, 0.4, 0.3, 0.2, 0.5])  # u1, u2, ψ
    world = np.array([0.2, -0.15, 0.3, 0.1, -0.2])  # velocities in the axes of L, which gauge 0 carries parallel

    def quadrant(psi):
        return np.array([[np.cos(psi), np.sin(psi)], [np.sin(psi), -np.cos(psi)]])

    def rates(t, y):  # y = (u1, u2, ψ, angle of L's first axis from chart 1's)
        _, _, M1, K1, T1 = chart_form("ellipsoid", radii, y[:2])
        _, _, M2, K2, T2 = chart_form("torus", ring, y[2:4])
        c, d = np.cos(y[5]), np.sin(y[5])
        Z = np.array([[c, -d], [d, c]])  # components in L to those in chart 1
        omega, v = Z @ world[:2], Z @ world[3:]
        Q = quadrant(y[4])
        K2 = Q @ K2 @ Q
        w = np.array([omega[1], -omega[0]])
        s1 = np.linalg.solve(K1 + K2, w + K2 @ v)
        s2 = s1 - v
        turn = T1 @ s1  # of chart 1's axes along the path; L does not turn
        return np.concatenate(
            [np.linalg.solve(M1, s1), np.linalg.solve(M2, Q @ s2), [world[2] - turn - T2 @ (Q @ s2)], [-turn]]
        )

    x1, E1, *_ = chart_form("ellipsoid", radii, u[:2])
    x2, E2, *_ = chart_form("torus", ring, u[2:4])
    # n of body 1 is −n of body 2; e1 of chart 2 stands at ψ from e1 of chart 1: the pose of body 2 follows
    c, d = np.cos(u[4]), np.sin(u[4])
    flipped = np.array([[c, d, 0], [d, -c, 0], [0, 0, -1.0]])
    R12 = E1 @ flipped @ E2.T
    q = joint.configuration(x1, x2, direction=E1[:, 0])  # L on chart 1 ...
    turn2 = R12.T @ E1  # ... with body 2 turned as the charts say
    q[10:14] = Transform.rotation_of(turn2).quaternion
    assert joint.gaps(q).max() < 1e-14

    t1 = 2.0
    y = solve_ivp(rates, (0, t1), [*u, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    end = integrated(joint, q, world, t1)
    expected1, B1, *_ = chart_form("ellipsoid", radii, y[:2])
    expected2, B2, *_ = chart_form("torus", ring, y[2:4])
    # both solvers err by some hundred times their rtol over 2 s
    assert np.abs(end[:3] - expected1).max() < 1e-10
    assert np.abs(end[7:10] - expected2).max() < 1e-10
    c, d = np.cos(y[4]), np.sin(y[4])
    R = B1 @ np.array([[c, d, 0], [d, -c, 0], [0, 0, -1.0]]) @ B2.T
    assert np.abs(joint.transform(end).rotation - R).max() < 1e-10
    assert np.abs(np.linalg.norm(y[:4] - u[:4])) > 0.3  # it went somewhere
    assert np.abs(np.exp(1j * joint.charts(end)) - np.exp(1j * y[:4])).max() < 1e-9  # angles at radii above 0.2 m


# ---- constant curvatures: one step is exact ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pair", "options"),
    [
        ((s.plane(), s.sphere(0.3)), {"sliding": True}),
        ((s.sphere(1.0), s.sphere(0.3)), {"sliding": True, "gauge": 0.4}),
        ((s.sphere(1.0, inside=True), s.sphere(0.3)), {"sliding": True}),
        ((s.cylinder(0.5), s.sphere(0.3)), {"sliding": True}),
        ((s.cylinder(0.9, inside=True), s.sphere(0.3)), {"sliding": True}),
        ((s.sphere(0.5), s.cylinder(0.3)), {"sliding": True, "gauge": 1.0}),
        ((s.cylinder(0.5), s.cylinder(0.3)), {"sliding": True, "spin": False}),
        ((s.plane(), s.cylinder(0.3)), {"sliding": True}),
        ((s.plane(), s.plane()), {"sliding": True, "rolling": False}),
    ],
    ids=lambda x: f"{x[0].kind}{'-in' * x[0].inside}-{x[1].kind}" if isinstance(x, tuple) else "",
)
def test_one_twist_is_exact_for_any_step_where_curvatures_are_constant(pair, options):
    rng = np.random.default_rng(4)
    joint = contact(*pair, **options)
    q, v = start(joint, rng), rng.normal(size=joint.nv)
    end = joint.advance(q, v, 1.0, "exp")
    # the solver errs by some hundred times its rtol
    assert distance(joint, end, integrated(joint, q, v, 1.0, rtol=1e-13)) < 2e-11
    assert joint.gaps(end).max() < 50 * EPS
    assert distance(joint, end, joint.advance(q, v, 1.0, "rkmk4")) < 1e-14 or not pair[0].isotropic


# ---- closed forms --------------------------------------------------------------------------------------------------
def test_centre_of_a_rolling_sphere_moves_with_omega_cross_radius():
    rng = np.random.default_rng(6)
    joint = contact(s.plane(), s.sphere(0.3))
    q, v = start(joint, rng), rng.normal(size=3)
    T = joint.transform(q)
    twist = joint.subspace(q) @ v  # child's axes, at the sphere's centre
    omega = joint.frames(q)[0].rotation @ v
    assert np.abs(T.vector(twist[3:]) - np.cross(omega, 0.3 * UP)).max() < 20 * EPS
    assert np.abs(T.vector(twist[:3]) - omega).max() < 20 * EPS


@pytest.mark.slow
def test_v10_a_ball_rolled_round_a_circle():
    """It has turned by exp(2π (ω0/Ω − n)), and stands where it was; angle 2π √(1 + (ρ/r)²)."""
    r, rho, turn_rate, steps = 0.3, 0.5, 2.0, 800
    joint = contact(s.plane(), s.sphere(r), spin=False)
    start_at = joint.configuration((rho, 0, 0), (0, 0, -r), direction=(1, 0, 0))
    w0 = -rho * turn_rate / r  # about −x: the centre sets off along +y

    def v(t):
        return w0 * np.array([np.cos(turn_rate * t), np.sin(turn_rate * t)])

    end = march(joint, start_at, v, 2 * np.pi / turn_rate / steps, steps)
    first, last = joint.transform(start_at), joint.transform(end)
    expected = exp_rotation(2 * np.pi * (np.array([w0, 0, 0]) / turn_rate - UP))
    assert np.abs(last.rotation @ first.rotation.T - expected).max() < 1e-9
    assert np.abs(last.translation - first.translation).max() < 1e-9
    assert joint.gaps(end).max() < 1e-13  # 800 roundings
    half = march(joint, start_at, v, 2 * np.pi / turn_rate / 100, 50)
    assert np.abs(joint.transform(half).translation - (-rho, 0, r)).max() < 1e-5
    angle = 2 * np.pi * np.sqrt(1 + (rho / r) ** 2)
    folded = abs((angle + np.pi) % (2 * np.pi) - np.pi)
    assert np.linalg.norm(log_rotation(expected)) == pytest.approx(folded, abs=1e-9)


def test_a_cylinder_that_rolls_and_spins_goes_round_a_circle():
    """Its axis turns at ωz and its middle moves at ωx r across it: a circle of radius ωx r/ωz, closed after a turn."""
    r, wx, wz = 0.3, 0.8, 0.5
    joint = contact(s.plane(), s.cylinder(r))
    q = joint.configuration((0, 0, 0), (r, 0, 0), direction=(1, 0, 0))
    assert joint.names == ("wx", "wz")
    first, half = joint.transform(q), joint.transform(joint.advance(q, (wx, wz), np.pi / wz, "exp"))
    gone = half.translation - first.translation
    assert np.linalg.norm(gone) == pytest.approx(2 * wx * r / wz, rel=1e-13)
    assert abs(gone[2]) < 10 * EPS
    assert np.abs(half.rotation[:, 2] + first.rotation[:, 2]).max() < 10 * EPS  # the axis is turned round
    q = march(joint, q, (wx, wz), 0.1, 40, repair=True)
    p2, R2 = q[7:10], joint._frames(q)[3]
    assert np.abs(np.cross(R2[:, 0], UP)).max() < 10 * EPS  # L stays along the axis
    assert p2[2] == pytest.approx(0.0, abs=1e-15)


def test_a_cone_rolls_about_its_apex():
    """Rolling about the line of contact at ω leaves the apex in place and turns that line at −ω tan α."""
    half, wx, t1 = 0.4, 0.7, 1.5
    for one, two in ((s.plane(), s.cone(half)), (s.cone(half), s.plane())):
        joint = contact(one, two, spin=False)
        assert joint.names == ("wx",)
        q = joint.neutral()
        end = march(joint, q, (wx,), t1 / 150, 150, repair=True)
        a, b = joint.transform(q), joint.transform(end)
        cone_in_plane = (a, b) if one.kind == "plane" else (a.inverse(), b.inverse())
        # RKMK of fourth order with h = 0.01 and rates below one: (h)⁴·t ~ 1e-8 at most
        assert np.abs(cone_in_plane[0].translation - cone_in_plane[1].translation).max() < 1e-8
        plane_frame = 1 if one.kind == "plane" else 3
        lines = [joint._frames(x)[plane_frame][:, 0] for x in (q, end)]
        n = joint._frames(q)[plane_frame][:, 2]
        turned = np.arctan2(np.cross(*lines) @ n, lines[0] @ lines[1])
        assert turned == pytest.approx(-_away_from_apex(joint, q) * wx * np.tan(half) * t1, abs=1e-8)


def _away_from_apex(joint, q):
    """1 where L's first axis points away from the apex, −1 towards it."""
    body = 1 if joint.surfaces[1].kind == "cone" else 0
    return np.sign(joint._frames(q)[2 * body] @ joint._frames(q)[2 * body + 1][:, 0])


def test_the_edge_of_a_disk_in_steady_circles():
    """Precession Ω and spin σ about the own axis: the contact point goes round a circle of radius a |σ|/Ω.

    The numbers of V9: θ = 70°, a = 0.3, Ω = 3, ω3 = −2.473840297: the contact point at 0.34999, the centre at 0.24738.
    """
    a, theta, Omega, w3 = 0.3, np.radians(70), 3.0, -2.473840297
    spin = w3 - Omega * np.cos(theta)
    normal = Omega + spin * np.cos(theta)
    # With this gauge L turns with the precession, and all is constant in it.
    joint = contact(s.plane(), s.circle(a), gauge=Omega / normal)
    # the edge's outward normal is −n, at an angle θ from its axis
    q = joint.configuration((0, 0, 0), (a, 0, 0), normal2=(np.sin(theta), 0, -np.cos(theta)), direction=(1, 0, 0))
    T = joint.transform(q)
    assert T.rotation[:, 2] @ UP == pytest.approx(np.cos(theta), abs=1e-15)
    omega = Omega * UP + spin * T.rotation[:, 2]
    v = joint.frames(q)[0].rotation.T @ omega
    full, steps = 2 * np.pi / Omega, 200
    path = [q]
    for _ in range(steps):
        path.append(joint.advance(path[-1], v, full / steps))
    path = np.array(path)
    # rkmk4 with turns of 2π/200 a step: (2π/200)⁴·2π/720 ~ 1e-8 of the radius
    assert distance_in_plane(path[:, :2]) == pytest.approx(a * abs(spin) / Omega, rel=1e-8)
    assert distance_in_plane(path[:, :2]) == pytest.approx(0.34999, abs=1e-5)
    assert distance_in_plane(joint.transform(path).translation[:, :2]) == pytest.approx(0.247384030, abs=1e-8)
    assert np.abs(path[-1][:3] - q[:3]).max() < 1e-8
    assert np.abs(joint.transform(path).rotation[:, 2, 2] - np.cos(theta)).max() < 1e-8
    assert joint.gaps(path).max() < 1e-8


def distance_in_plane(points):
    """Radius of the circle through evenly spaced points that close."""
    return np.linalg.norm(points - points[:-1].mean(axis=0), axis=-1).mean()


def test_an_edge_is_the_limit_of_a_torus():
    """Rates with an edge and with a torus of tube r differ by r times curvatures and rates."""
    a, tilt, v = 0.3, 0.6, np.array([0.3, -0.4, 0.5, 0.2, 0.1])
    edge = contact(s.sphere(1.0), s.circle(a), sliding=True)
    outward = np.array([np.cos(tilt), 0, np.sin(tilt)])
    q = edge.configuration((0.1, 0.2, 1), (a, 0, 0), normal2=outward, yaw=0.3)
    sharp = np.concatenate(edge.rates(q, v))
    errors = []
    for r in (1e-3, 1e-4):
        torus = contact(s.sphere(1.0), s.torus(a, r), sliding=True)
        p = q.copy()
        p[7:10] += r * outward
        errors.append(np.abs(np.concatenate(torus.rates(p, v)) - sharp).max())
    assert errors[0] < 1e-2
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.05)


def test_crossed_edges_hold_their_point_when_they_do_not_slide():
    joint = contact(s.circle(0.3), s.circle(0.4))
    q = start(joint, np.random.default_rng(1))
    one, two = joint.rates(q, np.array([0.5, -0.2, 0.3]))
    assert np.abs(one[3:]).max() < 10 * EPS
    assert np.abs(two[3:]).max() < 10 * EPS
    end = march(joint, q, np.array([0.5, -0.2, 0.3]), 0.01, 20)
    assert np.abs(end[:3] - q[:3]).max() < 1e-14
    assert joint.gaps(end).max() < 1e-9  # rkmk4, h = 0.01


# ---- poles ---------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_rolling_through_the_poles_of_charts():
    """One turn about y from pole to pole: a sphere advances by 2πR, an ellipsoid by the girth of its ellipse."""
    c, b, a = 0.2, 0.3, 0.4
    for surface, girth in (
        (s.sphere(c), 2 * np.pi * c),
        (s.ellipsoid((a, b, c)), 4 * a * ellipe(1 - (c / a) ** 2)),
        (s.ellipsoid((a, a, c)), 4 * a * ellipe(1 - (c / a) ** 2)),
    ):
        joint = contact(s.plane(), surface, spin=False)
        q = joint.configuration((0, 0, 0), (0, 0, -c), direction=(1, 0, 0))
        passed = []
        for _ in range(200):
            q = joint.repair(joint.advance(q, (0.0, 1.0), 2 * np.pi / 200))
            passed.append(q[9])
        # rkmk4 with h = 2π/200: the ratio of radii 0.4²/0.2 to 0.2²/0.4 makes curvature vary within a quarter radian
        assert np.abs(q[:3] - (girth, 0, 0)).max() < 1e-6
        assert np.abs(q[7:10] - (0, 0, -c)).max() < 1e-6
        assert max(passed) == pytest.approx(c, abs=1e-6)  # through the other pole
        assert joint.gaps(q).max() < 20 * EPS
        assert np.isfinite(joint.charts(q)).all()


def test_spinning_on_a_pole():
    joint = contact(s.plane(), s.ellipsoid((0.4, 0.3, 0.2)))
    q = joint.neutral()
    end = march(joint, q, (0.0, 0.0, 2.0), 0.1, 10)
    assert np.abs(end[:3]).max() < 10 * EPS
    assert np.abs(joint.transform(end).rotation - exp_rotation(2.0 * UP)).max() < 20 * EPS


# ---- crossed cylinders: exact equations and the torus rule ----------------------------------------------------------
def crossed(spin):
    joint = contact(s.cylinder(0.5), s.cylinder(0.3), spin=spin)
    q = joint.configuration((0.5, 0, 0), (-0.3, 0, 0), yaw=np.pi / 4)
    return joint, q


def test_crossed_cylinders_exact_without_spin():
    joint, q = crossed(spin=False)
    v = np.array([0.5, 0.4])
    end = march(joint, q, v, 1 / 40, 40)
    assert distance(joint, end, joint.advance(q, v, 1.0, "exp")) < 1e-13  # 40 roundings
    assert distance(joint, end, integrated(joint, q, v, 1.0, rtol=1e-13)) < 1e-11
    assert joint.gaps(end).max() < 1e-14


def test_crossed_cylinders_with_spin_converge_and_never_leave():
    joint, q = crossed(spin=True)
    v = np.array([0.5, 0.4, 0.3])
    right = integrated(joint, q, v, 1.0, rtol=1e-13)
    errors = []
    for steps in (20, 40):
        end = march(joint, q, v, 1 / steps, steps)
        errors.append(distance(joint, end, right))
        assert joint.gaps(end).max() < 1e-14  # the spin is kept apart: L never leaves a cylinder
    assert errors[1] < 1e-6
    assert 11 < errors[0] / errors[1] < 23  # fourth order


def test_the_torus_rule_is_wrong_for_crossed_cylinders_whatever_the_step():
    """Principal directions at 45°: K1 and K2 do not commute, so P1 and P2 disagree; the limit is another motion."""
    joint, q = crossed(spin=False)
    v = np.array([0.5, 0.4])
    right = joint.advance(q, v, 1.0, "exp")
    errors = [
        np.linalg.norm(
            joint.transform(march(joint, q, v, 1 / n, n, "torus")).translation - joint.transform(right).translation
        )
        for n in (10, 40, 160)
    ]
    assert min(errors) > 0.03
    assert abs(errors[2] - errors[1]) < 0.02 * errors[2]  # settled on a wrong answer
    # across and along the axes they commute, and the rule is right
    square = contact(s.cylinder(0.5), s.cylinder(0.3), spin=False)
    q = square.configuration((0.5, 0, 0), (-0.3, 0, 0), yaw=np.pi / 2)
    assert distance(square, march(square, q, v, 1 / 40, 40, "torus"), square.advance(q, v, 1.0, "exp")) < 1e-13


# ---- ellipsoid on plane: orders of penetration, repair --------------------------------------------------------------
ORDERS = {"exp": 1, "expmid": 2, "rk4": 4, "rkmk4": 4}


@pytest.mark.parametrize("method", ORDERS)
def test_ellipsoid_on_a_plane_penetrates_by_the_order_of_the_method(method):
    joint = contact(s.plane(), s.ellipsoid((0.4, 0.3, 0.2)))
    q = joint.configuration((0, 0, 0), (0.1, 0.1, -0.15))
    v = np.array([0.9, -0.7, 0.4])
    right = integrated(joint, q, v, 2.0)
    gaps, errors = [], []
    for steps in (50, 100):
        gaps.append(joint.gaps(march(joint, q, v, 2 / steps, steps, method))[2])
        repaired = march(joint, q, v, 2 / steps, steps, method, repair=True)
        errors.append(distance(joint, repaired, right))
        assert joint.gaps(repaired).max() < 20 * EPS  # rounding, for ever
    order = ORDERS[method]
    # in the limit 2^order; at these steps the next term is some tenths of it
    assert 0.6 < gaps[0] / gaps[1] / 2**order < 1.6
    assert 0.6 < errors[0] / errors[1] / 2**order < 1.6
    assert errors[1] < 0.1**order


def test_the_torus_rule_on_an_ellipsoid_is_of_first_order_with_repair():
    joint = contact(s.plane(), s.ellipsoid((0.4, 0.3, 0.2)))
    q = joint.configuration((0, 0, 0), (0.1, 0.1, -0.15))
    v = np.array([0.9, -0.7, 0.4])
    right = integrated(joint, q, v, 1.0)
    errors = [distance(joint, march(joint, q, v, 1 / n, n, "torus", repair=True), right) for n in (50, 100)]
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.2)


def test_two_planes_slide_and_spin():
    joint = contact(s.plane(), s.plane(), rolling=False, sliding=True)
    q = joint.configuration((0.1, 0.2, 0), (0.3, 0, 0), yaw=0.5)
    v = np.array([0.7, 0.2, -0.3])
    end = march(joint, q, v, 0.05, 20)
    # the contact point rests in body 2 and moves at v in body 1, whose frame L (gauge 0) does not turn
    assert np.abs(end[7:10] - q[7:10]).max() < 1e-14
    R1 = joint._frames(q)[1]
    assert np.abs(end[:3] - q[:3] - R1 @ (v[1], v[2], 0)).max() < 1e-13
    turned = joint.transform(end).rotation @ joint.transform(q).rotation.T
    assert np.abs(turned - exp_rotation(v[0] * UP)).max() < 1e-13
