"""Contact rows, forces and impacts against differences, quadratic programs by other solvers, and laws of conservation.

The programs are solved by piqp and proxsuite to 1e-10 or so; what is compared, to 1e-8 of the largest number, is what
is unique: accelerations, and the wrench on each contact solid. Point forces are the least of all that do the same.
"""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, contact, figures, joints, simulate
from motiform.geometry import Box
from motiform.motion import tree
from motiform.spatial import exp_rotation

Z = (0.0, 0.0, 1.0)
CLOSE = 1e-8


# ---- rows against differences --------------------------------------------------------------------------------------
OBSTACLES = {
    "plane": lambda **how: contact.plane(name="thing", normal=(0.3, 1, -0.2), **how),
    "ball": lambda **how: contact.ball(0.4, name="thing", **how),
    "hollow_ball": lambda **how: contact.hollow_ball(3.0, name="thing", **how),
    "box": lambda **how: contact.box((0.5, 0.6, 0.7), name="thing", **how),
    "capsule": lambda **how: contact.capsule(0.2, 0.6, name="thing", **how),
    "cylinder": lambda **how: contact.cylinder(0.3, name="thing", **how),
    "torus": lambda **how: contact.torus(0.5, 0.2, name="thing", **how),
}


def mover(name):
    """A two-link arm that carries a ball, and something free that carries an obstacle."""
    b = FigureBuilder()
    b.segment("upper", None, joints.spherical(), placement=Transform.translation_of((0, 1, 0)), mass=1.0)
    b.segment(
        "fore", "upper", joints.universal((1, 0, 0), Z), placement=Transform.translation_of((0.4, 0, 0.1)), mass=0.7,
        com=(0.1, 0, 0), inertia=np.eye(3) * 0.02,
    )  # fmt: skip
    b.segment("other", None, joints.free(), mass=2.0, inertia=np.diag([0.1, 0.12, 0.15]))
    figure = b.build().replace(segments={"upper": {"inertia": np.eye(3) * 0.05}})
    placed = {} if name == "plane" else {"placement": Transform(exp_rotation([0.2, -0.4, 0.3]), np.array([0.1, 0, 0]))}
    return figure, OBSTACLES[name](segment="other", **placed)


def moved(figure, q, v, h):
    return tree.advance(figure, q, v, h)


def derivative(function, h, order):
    """Central differences over five points: error of h⁴."""
    f = [function(k * h) for k in (-2, -1, 0, 1, 2)]
    if order == 1:
        return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    return (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h)


def touching_velocity(figure, contacts, q, v, obstacle):
    """Velocity, relative to the obstacle and in its segment's axes, of the ball's point nearest to it."""
    point = contacts.points[0]
    R, o = tree.forward_kinematics(figure, q)
    twists = tree.motion(figure, q, v).twists  # each at its segment's origin
    a, b = figure.index(point.segment), figure.index(obstacle.segment)
    n = contact.contact_rows(figure, contacts, q).axes[0, 1]
    site = o[a] + R[a] @ point.point - point.radius * n
    speed = [np.cross(twists[k, :3], site - o[k]) + twists[k, 3:] for k in (a, b)]
    return R[b].T @ (speed[0] - speed[1])


@pytest.mark.parametrize("radius", [0.0, 0.08])
@pytest.mark.parametrize("name", OBSTACLES)
def test_rows_are_the_derivatives_of_gap_and_slip(name, radius):
    """With constant velocities φ̈ is the bias; rounding of second differences is 1e-16/h² ≈ 1e-10 times some tens."""
    figure, obstacle = mover(name)
    rng = np.random.default_rng(7)
    contacts = contact.Contacts((contact.ContactPoint("tip", "fore", (0.3, 0.05, 0), radius),), (obstacle,))
    seen = 0
    while seen < 4:
        v = rng.normal(size=figure.nv)
        q = moved(figure, figure.neutral(), rng.normal(size=figure.nv), 0.6)
        rows = contact.contact_rows(figure, contacts, q, v)
        if not 0.02 < rows.gaps[0] < 5:  # outside, where all distances are smooth
            continue
        seen += 1
        h = 1e-3
        gap = derivative(lambda s, q=q, v=v: contact.contact_gaps(figure, contacts, moved(figure, q, v, s))[0], h, 1)
        assert rows.jacobian[0, 1] @ v == pytest.approx(gap, abs=1e-9)
        bend = derivative(lambda s, q=q, v=v: contact.contact_gaps(figure, contacts, moved(figure, q, v, s))[0], h, 2)
        assert rows.bias[0, 1] == pytest.approx(bend, abs=1e-6)
        axes = rows.axes[0]
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1)
        carrier = tree.forward_kinematics(figure, q)[0][figure.index("other")]
        slip = carrier @ touching_velocity(figure, contacts, q, v, obstacle)
        assert rows.jacobian[0] @ v == pytest.approx(axes @ slip, abs=1e-12)
        rate = carrier @ derivative(
            lambda s, q=q, v=v: touching_velocity(figure, contacts, moved(figure, q, v, s), v, obstacle), h, 1
        )
        assert rows.bias[0, [0, 2]] == pytest.approx(axes[[0, 2]] @ rate, abs=1e-8)


def test_rows_of_tags_are_the_tags_own():
    """On flat ground without radius: rows are the tags' Jacobians, x | y | z, and bias their velocity-product terms."""
    figure = figures.human36()
    rng = np.random.default_rng(3)
    contacts = contact.Contacts(contact.points_of_tags(figure), (contact.floor(),))
    q, v = rng.normal(size=(3, figure.nq)) * 0.5, rng.normal(size=(3, figure.nv))
    rows = contact.contact_rows(figure, contacts, q, v)
    own = [figure.tag_names.index(name) for name in contacts.point_names]
    assert rows.gaps == pytest.approx(tree.tags(figure, q)[:, own, 1], abs=1e-13)
    assert rows.jacobian == pytest.approx(tree.tag_jacobians(figure, q)[:, own], abs=1e-11)
    assert rows.bias == pytest.approx(tree.tag_accelerations(figure, q, v)[:, own], abs=1e-11)


# ---- the acceleration problem against other solvers ----------------------------------------------------------------
def human_points():
    """Twelve points: four under each foot (rank 6 of 12 rows), two on each hand (rank 5 of 6)."""
    figure = figures.human36()
    points = contact.points_of_tags(figure)
    for side in ("right", "left"):
        for n, place in enumerate([(0, -0.19, 0), (0.03, -0.1, 0.01)]):
            points += (contact.ContactPoint(f"{side}_{n}", f"{side}_hand", place),)
    ground = contact.plane(name="ground", normal=(0.1, 1, 0.05))
    return figure, contact.Contacts(points, (ground,))


def random_problem(figure, contacts, rng, count):
    """A posture, velocities that the chosen points keep, efforts, and the problem as matrices."""
    names = sorted(rng.choice(contacts.point_names, count, replace=False), key=contacts.point_names.index)
    own = [contacts.point_names.index(name) for name in names]
    q, tau = rng.normal(size=figure.nq) * 0.4, rng.normal(size=figure.nv) * 30
    J = contact.contact_rows(figure, contacts, q).jacobian[own]
    M = tree.inertia_matrix(figure, q)
    v = rng.normal(size=figure.nv)
    v = v - np.linalg.lstsq(J.reshape(-1, figure.nv), J.reshape(-1, figure.nv) @ v, rcond=1e-11)[0]
    rows = contact.contact_rows(figure, contacts, q, v)
    g = tree.nonlinear_effects(figure, q, v) - tau
    s = rows.bias[own]
    matrices = (M, g, J[:, 1], s[:, 1], J[:, [0, 2]].reshape(-1, figure.nv), s[:, [0, 2]].reshape(-1))
    return names, own, q, v, tau, rows, [np.ascontiguousarray(m) for m in matrices]


def by_piqp(M, g, Cn, sn, Ct, st):
    piqp = pytest.importorskip("piqp")
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-12
    solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = 1e-12
    solver.settings.max_iter = 500
    solver.setup(M, g, Ct, -st, Cn, -sn, np.full(len(sn), 1e30), None, None)
    solver.solve()
    found = solver.result
    # their Lagrangian has +yᵀ(Ax − b): forces are the negative multipliers
    return found.x.copy(), np.concatenate([-found.y, found.z_l if hasattr(found, "z_l") else -found.z])


def by_proxsuite(M, g, Cn, sn, Ct, st):
    proxqp = pytest.importorskip("proxsuite").proxqp
    solver = proxqp.dense.QP(len(g), len(st), len(sn))
    solver.settings.eps_abs, solver.settings.eps_rel, solver.settings.max_iter = 1e-11, 0.0, 100_000
    solver.init(M, g, Ct, -st, Cn, -sn, np.full(len(sn), 1e20))
    solver.solve()
    found = solver.results
    return found.x.copy(), np.concatenate([-found.y, -found.z])


def solid_wrenches(contacts, figure, q, rows, own, x):
    """Sum up forces of points (tangents, then normals) on each solid, about its first point's segment's origin."""
    R = tree.forward_kinematics(figure, q).rotation
    out = np.zeros((len(contacts.solids), 6))
    count = len(own)
    for k, p in enumerate(own):
        point = contacts.points[p]
        axes = rows.axes[p]
        force = x[2 * k] * axes[0] + x[2 * count + k] * axes[1] + x[2 * k + 1] * axes[2]
        segment = figure.index(point.segment)
        place = R[segment] @ point.point - point.radius * axes[1]
        out[contacts.solids.index(point.solid)] += np.concatenate([np.cross(place, force), force])
    return out


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("other", [by_piqp, by_proxsuite])
def test_accelerations_and_wrenches_against_quadratic_programs(count, other):
    figure, contacts = human_points()
    rng = np.random.default_rng(100 + count)
    opened = 0
    for _ in range(6):
        names, own, q, v, tau, rows, matrices = random_problem(figure, contacts, rng, count)
        a, x = other(*matrices)
        wrenches = solid_wrenches(contacts, figure, q, rows, own, x)
        ours = contact.contact_dynamics(figure, contacts, q, v, tau, active=names)
        size, most = np.abs(a).max(), np.abs(wrenches).max(initial=1.0)
        assert np.abs(ours.acceleration - a).max() < CLOSE * size
        assert np.abs(ours.wrenches - wrenches).max() < CLOSE * most
        for tree_of in (None, figure):
            a2, x2 = contact.solve_contacts(*matrices, tree_of)
            assert np.abs(a2 - a).max() < CLOSE * size
            assert np.abs(solid_wrenches(contacts, figure, q, rows, own, x2) - wrenches).max() < CLOSE * most
        opened += int((ours.opening[own] > 1e-6).sum())
    assert opened > 0  # some of these points leave: the inequalities matter


@pytest.mark.parametrize("count", [1, 4, 8, 12])
def test_conditions_of_the_optimum(count):
    """Newton's law, rows that hold, normals that press or open and never both."""
    figure, contacts = human_points()
    rng = np.random.default_rng(200 + count)
    for _ in range(10):
        names, own, q, v, tau, rows, (M, g, Cn, sn, Ct, st) = random_problem(figure, contacts, rng, count)
        a, x = contact.solve_contacts(M, g, Cn, sn, Ct, st, figure)
        C, s = np.vstack([Ct, Cn]), np.concatenate([st, sn])
        w = C @ a + s
        t = len(st)
        forces, motion = np.abs(C.T) @ np.abs(x) + np.abs(g) + np.abs(M) @ np.abs(a), np.abs(C) @ np.abs(a) + np.abs(s)
        assert (np.abs(M @ a + g - C.T @ x) < 1e-10 * forces.max()).all()
        assert (np.abs(w[:t]) < 1e-9 * motion.max()).all()
        assert (w[t:] > -1e-9 * motion.max()).all()
        assert (x[t:] >= 0).all()
        assert (np.minimum(x[t:] / np.abs(x).max(), w[t:] / motion.max()) < 1e-9).all()
        ours = contact.contact_dynamics(figure, contacts, q, v, tau, active=names)
        along = np.einsum("pij,pj->pi", rows.axes[own], ours.forces[own])
        assert (along[:, 1] > -CLOSE * np.abs(along).max()).all()
        assert np.abs(M @ ours.acceleration + g - np.einsum("pin,pi->n", rows.jacobian[own], along)).max() < (
            1e-9 * forces.max()
        )
        rest = np.setdiff1d(np.arange(12), own)
        assert np.isnan(ours.opening[rest]).all()
        assert (ours.forces[rest] == 0).all()
        assert ours.opening[own] == pytest.approx(w[t:], abs=1e-8 * motion.max())


@pytest.mark.parametrize("count", [3, 6, 8, 12])
def test_point_forces_are_the_least_that_press(count):
    """No other forces that push the figure alike, with normals that press, are less: a quadratic program."""
    from scipy.optimize import nnls

    figure, contacts = human_points()
    rng = np.random.default_rng(300 + count)
    redundant = 0
    for _ in range(6):
        names, own, q, v, tau, rows, _ = random_problem(figure, contacts, rng, count)
        ours = contact.contact_dynamics(figure, contacts, q, v, tau, active=names)
        x = np.einsum("pij,pj->pi", rows.axes[own], ours.forces[own]).ravel()
        J = rows.jacobian[own].reshape(-1, figure.nv)
        U, s, _ = np.linalg.svd(J, full_matrices=True)
        null = U[:, (s > 1e-10 * s[0]).sum() :]
        redundant += null.shape[1]
        if not null.shape[1]:
            continue
        # optimal: x = Jᵀ-range + multipliers of normals at zero, which push outward (Farkas by least squares)
        normal = np.arange(len(x)) % 3 == 1
        size = np.abs(x).max()
        at_zero = normal & (x < 1e-7 * size)
        left = null.T @ x
        if at_zero.any():
            _, rest = nnls(null[at_zero].T, left)
            assert rest < 1e-7 * size
        else:
            assert np.abs(left).max() < 1e-8 * size
    assert redundant > 0


def test_several_states_at_once_are_each_alone():
    figure, contacts = human_points()
    rng = np.random.default_rng(5)
    q, v, tau = rng.normal(size=(2, 3, figure.nq)) * 0.3, np.zeros(figure.nv), rng.normal(size=(3, figure.nv))
    names = contacts.point_names[:4]
    together = contact.contact_dynamics(figure, contacts, q, v, tau, active=names)
    assert together.acceleration.shape == (2, 3, figure.nv)
    for i in range(2):
        for j in range(3):
            alone = contact.contact_dynamics(figure, contacts, q[i, j], v, tau[j], active=names)
            for got, want in zip(together, alone, strict=True):
                assert np.array_equal(got[i, j], want, equal_nan=True)


def test_standing_human_carries_its_weight():
    """All forces together are the weight; external wrenches count."""
    figure = figures.human36()
    contacts = contact.Contacts(contact.points_of_tags(figure), (contact.floor(),))
    q, v = figure.neutral(), np.zeros(figure.nv)
    tau = tree.nonlinear_effects(figure, q, v)
    tau[36:] = 0  # joints locked by their efforts, floating base free
    lift = np.zeros((17, 6))
    lift[figure.index("thorax"), 4] = 100.0
    for loads, down in ((None, 0.0), (lift, 100.0)):
        found = contact.contact_dynamics(figure, contacts, q, v, tau, external=loads)
        total = found.forces.sum(0)
        mass = figure.mass
        p = tree.centroidal_matrix(figure, q)[3:] @ found.acceleration
        weight = np.array([0, down - mass * 9.81, 0])
        assert total + weight == pytest.approx(p, abs=1e-9 * mass * 9.81)


# ---- impacts -------------------------------------------------------------------------------------------------------
def random_tree(rng, links):
    """A free trunk with a random tree of turning links, and points all over it."""
    b = FigureBuilder()
    b.segment("0", None, joints.free(), mass=2.0, inertia=np.diag([0.02, 0.03, 0.04]))
    for n in range(1, links):
        place = Transform(exp_rotation(rng.normal(size=3)), rng.normal(size=3) * 0.3)
        b.segment(
            str(n),
            str(rng.integers(n)),
            joints.revolute(rng.normal(size=3)),
            placement=place,
            mass=rng.uniform(0.2, 2),
            com=rng.normal(size=3) * 0.1,
            inertia=np.diag(rng.uniform(0.01, 0.02, 3)),
        )
    return b.build()


def random_impact(rng, kind):
    """A figure with several points on a plane, of mixed friction and restitution, and velocities."""
    if kind == "box":
        shape = Box((0.4, 0.2, 0.3))
        b = FigureBuilder()
        b.segment("0", None, joints.free(), mass=shape.mass_properties(mass=1.5), shape=shape)
        figure = b.build()
        places = [("0", p.point) for p in contact.points_of_shape(figure, "0") if p.point[1] < 0]
        q = figure.configuration(**{"0": (0, 0.1, 0, 1, 0, 0, 0)})
    else:
        figure = random_tree(rng, 5)
        places = [(str(rng.integers(5)), tuple(rng.normal(size=3) * 0.2)) for _ in range(rng.integers(1, 7))]
        q = tree.advance(figure, figure.neutral(), rng.normal(size=figure.nv))
    mus, es = (
        rng.choice([0.0, 0.3, None], len(places)),
        rng.uniform(0, 1, len(places)) * rng.integers(0, 2, len(places)),
    )
    points = tuple(
        contact.ContactPoint(f"p{n}", s, p, friction=mu, restitution=e)
        for n, ((s, p), mu, e) in enumerate(zip(places, mus, es, strict=True))
    )
    contacts = contact.Contacts(points, (contact.floor(),), limits=False)
    return figure, contacts, q, rng.normal(size=figure.nv), mus, es


@pytest.mark.parametrize("kind", ["box", "tree"])
@pytest.mark.parametrize("seed", range(8))
def test_random_impacts_obey_the_laws(kind, seed):
    """Energy never grows, nothing approaches after, impulses press and are in their cones; plastic ones complement."""
    rng = np.random.default_rng(1000 * (kind == "box") + seed)
    for _ in range(12):
        figure, contacts, q, v, mus, es = random_impact(rng, kind)
        if rng.random() < 0.4:
            es[:] = 0
            contacts = contacts.replace(
                points=tuple(
                    contact.ContactPoint(p.name, p.segment, p.point, friction=p.friction) for p in contacts.points
                )
            )
        found = contact.contact_impact(figure, contacts, q, v, active=contacts.point_names)
        rows = contact.contact_rows(figure, contacts, q)
        M = tree.inertia_matrix(figure, q)
        p = np.einsum("pij,pj->pi", rows.axes, found.impulses)
        before, after = rows.jacobian @ v, rows.jacobian @ found.velocity
        size, speed = np.abs(p).max(initial=1e-9), np.abs(before).max()
        jump = M @ (found.velocity - v)
        assert np.abs(jump - np.einsum("pin,pi->n", rows.jacobian, p)).max() < 1e-9 * max(1.0, np.abs(jump).max())
        kinetic = 0.5 * v @ M @ v
        assert kinetic - 0.5 * found.velocity @ M @ found.velocity == pytest.approx(found.lost, abs=1e-9 * kinetic)
        assert found.lost > -1e-10 * kinetic
        assert after[:, 1].min() > -1e-8 * speed
        assert p[:, 1].min() > -1e-9 * size
        slip, pull = after[:, [0, 2]], p[:, [0, 2]]
        for n, mu in enumerate(mus):
            if mu is not None:
                assert np.hypot(*pull[n]) <= mu * p[n, 1] + 1e-8 * size
        if before[:, 1].min() > 0:
            continue
        if not es.any():
            assert np.minimum(p[:, 1] / size, after[:, 1] / speed).max() < 1e-8
            for n, mu in enumerate(mus):
                if mu == 0.3 and np.hypot(*slip[n]) > 1e-7 * speed:  # slides against friction
                    gone = slip[n] / np.hypot(*slip[n])
                    assert pull[n] == pytest.approx(-mu * p[n, 1] * gone, abs=1e-6 * size)
                if mu is None and p[n, 1] > 1e-7 * size:
                    assert np.hypot(*slip[n]) < 1e-7 * speed


@pytest.mark.parametrize("seed", range(5))
def test_frictionless_plastic_impact_is_the_nearest_velocity(seed):
    """min ½ |v₊ − v₋|²_M with C_n v₊ ≥ 0."""
    piqp = pytest.importorskip("piqp")
    assert piqp is not None
    rng = np.random.default_rng(seed)
    for _ in range(6):
        figure, contacts, q, v, _, _ = random_impact(rng, "tree")
        smooth = tuple(contact.ContactPoint(p.name, p.segment, p.point, friction=0.0) for p in contacts.points)
        contacts = contacts.replace(points=smooth)
        found = contact.contact_impact(figure, contacts, q, v, active=contacts.point_names)
        rows, M = contact.contact_rows(figure, contacts, q), tree.inertia_matrix(figure, q)
        nothing = np.zeros((0, figure.nv))
        best, _ = by_piqp(
            M, -M @ v, np.ascontiguousarray(rows.jacobian[:, 1]), np.zeros(len(smooth)), nothing, np.zeros(0)
        )
        assert np.abs(found.velocity - best).max() < CLOSE * max(1.0, np.abs(v).max())


@pytest.mark.parametrize("seed", range(5))
def test_held_impact_stops_all_points(seed):
    """min ½ |v₊ − v₋|²_M with C v₊ = 0: by least squares."""
    figure, contacts = human_points()
    rng = np.random.default_rng(seed)
    contacts = contacts.replace(impact="held")
    q, v = rng.normal(size=figure.nq) * 0.4, rng.normal(size=figure.nv)
    names = contacts.point_names[:8]
    found = contact.contact_impact(figure, contacts, q, v, active=names)
    J = contact.contact_rows(figure, contacts, q).jacobian[:8].reshape(-1, figure.nv)
    M = tree.inertia_matrix(figure, q)
    L = np.linalg.cholesky(M)
    Y = np.linalg.solve(L, J.T)
    u = L.T @ v
    want = np.linalg.solve(L.T, u - Y @ np.linalg.lstsq(Y, u, rcond=1e-11)[0])
    assert np.abs(J @ found.velocity).max() < 1e-9
    assert np.abs(found.velocity - want).max() < CLOSE * np.abs(v).max()


# ---- a figure dropped on one foot ----------------------------------------------------------------------------------
def on_one_foot(friction, restitution=0.0, points=None, **laws):
    """A human with the left leg drawn up, right foot level, and how high its sole is."""
    figure = figures.human36()
    q = figure.neutral()
    for name, value in {"left_hip_flexion": 0.9, "left_knee_extension": -1.2, "right_shoulder_flexion": 0.4}.items():
        q[figure.places(name, "q")] = value
    tags = contact.points_of_tags(figure, points, friction=friction, restitution=restitution)
    return figure, contact.Contacts(tags, (contact.floor(),), limits=False, **laws), q


DROP = 0.1


@pytest.mark.parametrize("law", ["leaving", "held"])
@pytest.mark.parametrize(("friction", "restitution"), [(None, 0.0), (0.4, 0.0), (0.0, 0.0), (None, 0.5), (0.4, 0.5)])
def test_figure_dropped_on_one_foot_keeps_what_it_must(friction, restitution, law):
    figure, contacts, q = on_one_foot(friction, restitution, impact=law)
    high = q.copy()
    high[37] += DROP
    rec = simulate(figure, contacts=contacts, t1=0.15, rate=1000, q0=high, rtol=1e-10, atol=1e-12)
    hit = next(event for event in rec.events if event.name.startswith("impact"))
    # a body that falls from rest with still joints falls as one
    assert hit.time == pytest.approx(np.sqrt(2 * DROP / 9.81), abs=1e-10)
    speed = np.sqrt(2 * DROP * 9.81)
    v = figure.velocity(pelvis_upward=-speed)
    found = contact.contact_impact(figure, contacts, q, v)
    assert hit.detail["lost"] == pytest.approx(float(found.lost), rel=1e-8)
    assert hit.detail["approach"] == pytest.approx(speed, rel=1e-9)
    assert hit.detail["impulse"] == pytest.approx(found.impulses[:, 1].sum(), rel=1e-8)
    # momenta jump by what the impulses give
    sites = tree.tags(figure, q)[[figure.tag_names.index(name) for name in contacts.point_names]]
    before, after = tree.momentum(figure, q, v), tree.momentum(figure, q, found.velocity)
    given = np.concatenate([np.cross(sites, found.impulses).sum(0), found.impulses.sum(0)])
    assert after - before == pytest.approx(given, abs=1e-9 * figure.mass)
    assert (found.impulses[4:] == 0).all()  # the left foot is in the air
    kinetic = [float(tree.energy(figure, q, u).kinetic) for u in (v, found.velocity)]
    assert kinetic[0] - kinetic[1] == pytest.approx(float(found.lost), rel=1e-9)
    assert found.lost > 0
    if friction == 0.0 and law == "leaving":
        assert after[[3, 5]] == pytest.approx([0, 0], abs=1e-9)
        assert after[1] == pytest.approx(before[1], abs=1e-9)  # about the vertical
    if law == "held":
        J = contact.contact_rows(figure, contacts, q).jacobian[:4]
        assert np.abs(J @ found.velocity).max() < 1e-9
    # the run goes on from there: just after it momentum is that of the impact, but for 1 ms of forces
    n = int(np.ceil(hit.time * 1000))
    assert np.abs(rec["momentum"][n] - after[3:]).max() < 0.05 * np.abs(given[3:]).max()
    assert np.diff(rec["energy"]).max() < 1e-6
    assert rec["contact.gap"].min() > -1e-7


def test_impact_at_one_point_keeps_the_spin_about_it():
    """On its toe alone: angular momentum about the toe stays, whatever friction and restitution are."""
    for friction in (None, 0.3, 0.0):
        for restitution in (0.0, 0.8):
            figure, contacts, q = on_one_foot(friction, restitution, {"toe": ["r_digit2"]})
            v = np.random.default_rng(1).normal(size=figure.nv) * 0.3
            v[37] -= 2
            found = contact.contact_impact(figure, contacts, q, v)
            toe = tree.tags(figure, q)[0]
            spin = [h[:3] - np.cross(toe, h[3:]) for h in (tree.momentum(figure, q, u) for u in (v, found.velocity))]
            assert found.impulses[0, 1] > 0.1
            assert spin[1] == pytest.approx(spin[0], abs=1e-9 * figure.mass)
            after = contact.contact_rows(figure, contacts, q).jacobian[0] @ found.velocity
            before = contact.contact_rows(figure, contacts, q).jacobian[0] @ v
            if friction == 0.0:  # without friction Poisson's law of one point is Newton's
                assert after[1] == pytest.approx(-restitution * before[1], abs=1e-10)
            assert after[1] >= -1e-10
