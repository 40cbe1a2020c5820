"""Free bones in time: momentum, energy, falling, friction, and the way to rest."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform.geometry import Ball, Box, Mesh
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.dynamics import Loads, weigh
from motiform.motion.bones.pack import pack_wrist
from motiform.motion.bones.settle import settle_path
from motiform.motion.bones.system import BonesSystem
from motiform.spatial import Transform, exp_rotation, log_rotation, rotation_from_quaternion
from wrists import carpus, energy

FINE = BoneResolution(spacing=6e-4, margin=3e-3, band=2e-3, points=1e-3)
HERE, NOTHING = Transform.identity(), Loads()


def moved(mesh, shift):
    return Mesh(mesh.vertices + np.asarray(shift), mesh.faces)


def bodies(reach, stiffness=1e10, **meshes):
    """Return a radius and free bones that may touch each other, with cartilage of that thickness, and their masses."""
    bones = {name: Bone(name, mesh, FINE) for name, mesh in meshes.items()}
    names = list(bones)
    pairs = {(a, b): reach for n, a in enumerate(names) for b in names[n + 1 :]}
    groups = (("radius",), (), *((name,) for name in names[1:]))
    packed = pack_wrist(bones, groups, (), pairs, np.zeros(3), stiffness, np.inf, 1e-9)
    return weigh(packed, bones, 1000.0)


def run(packed, masses, times, velocity, loads=NOTHING, **options):
    """Return poses of the bodies, velocities of the free ones, and what is observed, at the times."""
    settings = {"method": "cash-karp", "step": 1e-5, "tolerance": 1e-6} | options
    system = BonesSystem(packed, masses, lambda t: HERE, np.asarray(times), loads, velocity=velocity, **settings)
    way = system.begin(None)
    states = way.start()
    while not way.finished:
        states += way.advance(1)
    poses, speed = (np.stack([state[k] for state in states]) for k in (0, -1))
    return poses, speed, system.observe(system.instants, states)


FAR_AWAY = moved(Box((4e-3, 4e-3, 4e-3)).to_mesh(), (0.0, 0.1, 0.0))


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_two_free_bones_keep_their_momentum(friction):
    """A ball hits another one off its middle. Forces are equal and opposite: momentum is kept but for steps' errors.

    The tolerance is 1e-6 a step of velocities of 0.05 m/s, some hundred steps: 1e-4 relative. Without friction the
    energy is kept likewise; with it, it falls.
    """
    packed, masses = bodies(
        1e-3,
        radius=FAR_AWAY,
        scaphoid=Ball(5e-3).to_mesh(24),
        lunate=moved(Ball(5e-3).to_mesh(24), (11.5e-3, 4e-3, 0.0)),
    )
    start = np.zeros((2, 6))
    start[0, 3] = 0.1
    poses, _, observed = run(packed, masses, [0.0, 0.01, 0.03], start, Loads(friction=friction, creep=1e-3))
    p, L = observed["momentum"], observed["angular_momentum"]
    assert np.abs(poses[-1, 3, 9:]).max() > 1e-4  # the second one was hit
    np.testing.assert_allclose(p[1:], [p[0]] * 2, atol=1e-4 * np.linalg.norm(p[0]))
    np.testing.assert_allclose(L[1:], [L[0]] * 2, atol=1e-4 * np.linalg.norm(p[0]) * 12e-3)
    energy = observed["energy"] + observed["energy.kinetic"]
    if friction:
        assert energy[-1] < 0.999 * energy[0]
    else:
        assert energy[-1] == pytest.approx(energy[0], rel=1e-3)


@pytest.mark.parametrize(("method", "bound"), [("cash-karp", 1e-9), ("semi-implicit", 1e-3)])
def test_a_free_bone_falls(method, bound):
    """y = −g t²/2; Euler's method with the step h is behind by g t h/2: h/t relative."""
    packed, masses = bodies(1e-3, radius=FAR_AWAY, lunate=Ball(5e-3).to_mesh(16))
    poses, speed, _ = run(packed, masses, [0.0, 0.02], None, Loads(gravity=(0.0, -9.81, 0.0)), method=method, step=2e-5)
    assert poses[1, 2, 10] == pytest.approx(-9.81 * 0.02**2 / 2, rel=bound + 1e-12)
    assert speed[1, 0, 4] == pytest.approx(-9.81 * 0.02, rel=1e-9)


def test_a_sliding_block_stops_after_its_way():
    """v²/(2 μ g), V15; friction that fades below the creep c adds (c² ln(2v/c) + c²/2)/(2 μ g): 0.1 % of the way.

    The ground is soft, so that the block rests ρ h g/k = 29 µm deep in it, far more than maps err (10 nm): its edges,
    where surface points stand for areas on both sides, tilt it by some hundredths of that.
    """
    mu, v, g, k = 0.4, 0.15, 9.81, 1e6
    deep = 1000.0 * 0.003 * g / k
    ground = moved(Box((0.04, 0.004, 0.03)).to_mesh(), (0.0, -0.002, 0.0))
    block = moved(Box((0.012, 0.003, 0.012)).to_mesh(), (-6e-3, 0.0015 + 1e-3 - deep, 0.0))
    packed, masses = bodies(1e-3, k, radius=ground, lunate=block)
    start = np.zeros((1, 6))
    start[0, 3] = v
    loads = Loads(gravity=(0.0, -g, 0.0), friction=mu, creep=2e-3)
    poses, speed, _ = run(packed, masses, [0.0, 0.1], start, loads, method="semi-implicit", step=2e-4)
    way = v**2 / (2 * mu * g)
    assert poses[1, 2, 9] == pytest.approx(way, rel=0.02)
    assert abs(speed[1, 0, 3]) < 1e-3


@pytest.mark.parametrize("at", [(0.0, 5e-3, 0.0), (0.0, 0.0, 0.0), (3e-3, -5e-3, 2e-3)])
def test_a_sliding_ball_ends_rolling_wherever_the_origin_is(at):
    """Friction at the middle of the cartilage, ℓ = R + r/2 from the ball's centre, ends when v = ω ℓ:
    v = v₀/(1 + 2R²/(5ℓ²)), 5/7 v₀ for thin cartilage. V15

    What is left is the speed by which surface points (1 mm apart) shake the ball: some tenths of a per cent of v₀, 1 %
    at most, where a friction point elsewhere gave 0.02 to 0.75 v₀.
    """
    R, r, v, g = 5e-3, 1e-3, 0.1, 9.81
    ground = moved(Box((0.06, 0.004, 0.02)).to_mesh(), np.add((0.01, -0.002, 0.0), at))
    ball = moved(Ball(R).to_mesh(48), np.add((-0.01, R + r, 0.0), at))
    packed, masses = bodies(r, 1e8, radius=ground, lunate=ball)
    start = np.zeros((1, 6))
    start[0, 3] = v
    loads = Loads(gravity=(0.0, -g, 0.0), friction=0.3)
    _, speed, _ = run(packed, masses, [0.0, 0.05], start, loads, method="semi-implicit", step=1e-4)
    length = R + r / 2
    assert speed[-1, 0, 3] == pytest.approx(v / (1 + 0.4 * (R / length) ** 2), abs=0.01 * v)
    assert speed[-1, 0, 2] * length == pytest.approx(-speed[-1, 0, 3], abs=0.01 * v)


@pytest.mark.parametrize("part", [0.5, 0.9, 1.5])
def test_a_block_holds_below_the_cone_of_friction(part):
    """On an incline tan α = part · μ it holds, or goes by ½ g (sin α − μ cos α) t².

    While it holds it creeps at c part/√(1 − part²), and it rocks in the soft ground: its edges go by less than the
    depth to which it rests. The step of Euler's method adds g (…) t h/2, 0.2 % of the way.
    """
    mu, g, k, t = 0.4, 9.81, 1e6, 0.1
    alpha = np.arctan(part * mu)
    deep = 1000.0 * 0.003 * g / k
    ground = moved(Box((0.04, 0.004, 0.03)).to_mesh(), (0.0, -0.002, 0.0))
    block = moved(Box((0.012, 0.003, 0.012)).to_mesh(), (-6e-3, 0.0015 + 1e-3 - deep * np.cos(alpha), 0.0))
    packed, masses = bodies(1e-3, k, radius=ground, lunate=block)
    loads = Loads(gravity=(g * np.sin(alpha), -g * np.cos(alpha), 0.0), friction=mu)
    poses, _, _ = run(packed, masses, [0.0, t], None, loads, method="semi-implicit", step=2e-4)
    R, p = poses[1, 2, :9].reshape(3, 3), poses[1, 2, 9:]
    moved_by = (R @ packed.middles[2] + p - packed.middles[2])[0]
    gone = max(0.0, 0.5 * g * (np.sin(alpha) - mu * np.cos(alpha)) * t**2)
    creep = loads.creep * part / np.sqrt(1 - part**2) * t if part < 1 else 0.0
    assert moved_by == pytest.approx(gone + creep, abs=deep + 0.002 * gone)


@pytest.mark.parametrize(("load", "axis"), [("spin", 1), ("rolling", 0), ("rolling", 2)])
def test_a_ball_that_turns_on_its_place_is_braked_by_the_torque_of_its_weight(load, axis):
    """I ω = I ω₀ − a ∫ N dt, and ∫ N dt = m (g t + v): the normal force carries the weight and what the ball rises.

    Euler's method errs by h/t, 2e-3 of what is lost. The weight on points 1 mm apart pulls by its height, which
    turns by microns: m g · 4 µm of 5 µJ that are lost, 0.4 %.
    """
    R, r, g, arm, w0, t = 5e-3, 1e-3, 9.81, 4e-4, 60.0, 0.04
    ground = moved(Box((0.03, 0.004, 0.03)).to_mesh(), (0.0, -0.002, 0.0))
    deep = np.sqrt(1000.0 * R**2 * g * 4 / 3 / 1e6)  # ½ k π δ² 2R = m g: half of the cartilage, over some 20 points
    packed, masses = bodies(r, 1e6, radius=ground, lunate=moved(Ball(R).to_mesh(48), (0.0, R + r - deep, 0.0)))
    start = np.zeros((1, 6))
    start[0, axis] = w0
    loads = Loads(gravity=(0.0, -g, 0.0), creep=1e-3, **{load: arm})
    _, speed, _ = run(packed, masses, [0.0, t], start, loads, method="semi-implicit", step=8e-5)
    lost = masses.inertia[0, axis, axis] * (w0 - speed[-1, 0, axis])
    assert lost == pytest.approx(arm * masses.mass[0] * (g * t + speed[-1, 0, 4]), rel=0.01)
    assert speed[-1, 0, axis] > 5.0  # it still turns


def test_a_free_bone_tumbles_as_eulers_equations_say():
    """Spin about the middle axis, against an integration of them by SciPy to 1e-12; the steps err by 1e-6 each."""
    packed, masses = bodies(1e-3, radius=FAR_AWAY, lunate=Box((4e-3, 9e-3, 6e-3)).to_mesh())
    w0, times = np.array([0.3, 0.2, 40.0]), np.linspace(0.0, 0.4, 5)
    start = np.zeros((1, 6))
    start[0, :3] = w0
    poses, speed, observed = run(packed, masses, times, start, tolerance=1e-9)
    inertia = masses.inertia[0]

    def euler(_, w):
        return np.linalg.solve(inertia, -np.cross(w, inertia @ w))

    own = solve_ivp(euler, (0.0, times[-1]), w0, t_eval=times, rtol=1e-12, atol=1e-12, method="DOP853").y.T
    R = poses[:, 2, :9].reshape(-1, 3, 3)
    found = np.einsum("nji,nj->ni", R, speed[:, 0, :3])
    assert np.abs(own[:, :2]).max() > 10.0  # it turns over
    np.testing.assert_allclose(found, own, atol=1e-4 * 40.0)
    np.testing.assert_allclose(
        observed["angular_momentum"], [observed["angular_momentum"][0]] * 5, rtol=1e-5, atol=1e-12
    )


def test_implicit_friction_goes_towards_explicit_friction_with_the_step():
    """Euler's method is of first order: a fourth of the step leaves a fourth of the error, or half of it at worst.

    The ball slides and rolls over the other one; the explicit method at a tolerance of 1e-8 is the reference.
    """
    packed, masses = bodies(
        1e-3, 1e8, radius=moved(Ball(5e-3).to_mesh(24), (11.0e-3, 3e-3, 0.0)), lunate=Ball(5e-3).to_mesh(24)
    )
    start = np.zeros((1, 6))
    start[0, 3] = 0.1
    times, loads = [0.0, 0.02], Loads(friction=0.3, creep=1e-2)
    exact = run(packed, masses, times, start, loads, tolerance=1e-8)[1][-1, 0]
    assert abs(exact[2]) > 0.1  # rad/s: friction has turned it
    errors = [
        np.linalg.norm(
            (run(packed, masses, times, start, loads, method="semi-implicit", step=step)[1][-1, 0] - exact)[3:]
        )
        for step in (4e-5, 1e-5)
    ]
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 0.02 * np.linalg.norm(exact[3:])


def test_a_slow_hand_leads_the_bones_to_their_rest():
    """Flexed by 10° in half a second and held, with drag: the bones end where `settle` puts them, within 0.3°."""
    from motiform import wrist

    model = carpus()
    times, bent = np.array([0.0, 0.25, 0.5, 1.0]), np.deg2rad([0.0, 5.0, 10.0, 10.0])
    rec = model.simulate(times, flexion=bent, step=5e-3)
    rest = model.settle(flexion=[bent[-1]], center="fixed")
    for name in ("scaphoid", "lunate", "triquetrum"):
        a, b = (wrist.helical_axes(r, name) for r in (rec, rest))
        assert np.rad2deg(a.angle[-1]) == pytest.approx(np.rad2deg(b.angle[0]), abs=0.3)
    assert rec["energy.kinetic"][-1] < 1e-9


def test_the_slower_the_hand_the_nearer_to_rest_the_bones_pass():
    """While the hand goes on, drag c M v holds the bones behind rest by δ = H⁻¹ c M v: half as far at half the speed.

    v is how fast the pose of rest moves, H the Hessian there. Its softest direction λ bounds |δ| by c m |v|/λ, with
    turns counted by 1 cm, beyond the radii of gyration. The half is to first order: H changes as points come under
    pressure on the way, and the search for rest ends within some 0.1 µm of δ = 1 to 2 µm. A quarter is left to both.
    """
    model, end, drag = carpus(), np.deg2rad(10.0), 50.0
    rests = model.settle(flexion=[0.9 * end, end], center="fixed", tolerance=1e-9)
    packed = model.packed(model.bodies(), 1e-9)
    axis = np.cross(model.axes.distal, model.axes.palmar)
    rest = settle_path(packed, about(model, axis, end))
    scale = np.tile([100.0, 100.0, 100.0, 1.0, 1.0, 1.0], packed.free)
    softest = np.linalg.eigvalsh(energy(packed, rest.poses[0])[2] * np.outer(scale, scale))[0]
    mass = max(1500.0 * model.bones[name].mesh.volume for name in FREE)
    behind = []
    for time in (0.8, 1.6):
        rec = model.simulate([0.0, 0.5 * time, time], flexion=[0.0, 0.5 * end, end], loads=Loads(drag=drag), step=1e-3)
        behind.append(off(model, rec, -1, rests, 1))
        speed = off(model, rests, 0, rests, 1) / (0.1 * time)
        assert 0.0 < behind[-1] < drag * mass * speed / softest
    assert behind[0] / behind[1] == pytest.approx(2.0, rel=0.25)


FREE = ("scaphoid", "lunate", "triquetrum", "pisiform")


def about(model, axis, angle):
    """Return the pose of a hand turned about the centre of the head of the capitate."""
    center = model.axes.center
    R = exp_rotation(angle * axis)[None]
    return Transform(R, center - R @ center)


def off(model, a, i, b, j):
    """Return how far apart the free bones are in samples of two recordings [m], turns counted by 1 cm."""
    square = 0.0
    for name in FREE:
        center = model.bones[name].center
        (R, x), (S, y) = (
            (
                turn := rotation_from_quaternion(rec[f"{name}.orientation"][k]),
                turn @ center + rec[f"{name}.position"][k],
            )
            for rec, k in ((a, i), (b, j))
        )
        square += np.sum((x - y) ** 2) + (1e-2 * np.linalg.norm(log_rotation(R.T @ S))) ** 2
    return np.sqrt(square)
