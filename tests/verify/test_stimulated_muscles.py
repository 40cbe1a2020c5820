"""Stimulated muscles: against SciPy's Radau, shapes of twitch, tetanus, force–length and force–velocity, energy."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, contact, joints, simulate
from motiform.base.errors import InputError, RunError
from motiform.motion.actuation import PrescribedMotion, PulseTrain, SampledLaw
from motiform.motion.actuation.stimulation import (
    HAMSTRINGS,
    QUADRICEPS,
    KneeGeometry,
    PathArms,
    StimulatedMuscle,
    StimulatedMuscles,
    recruitment,
)

Z = (0.0, 0.0, 1.0)
LEG = {"mass": 4.2, "com": (0, -0.27, 0), "inertia": np.diag([0.1, 0.01, 0.1])}


@cache
def knee(damping=0.5, limits=None):
    """A shank with its foot on a fixed thigh; flexion turns it backward."""
    b = FigureBuilder()
    b.segment("shank", None, joints.revolute((0, 0, -1), name="flexion", limits=limits), damping=damping, **LEG)
    return b.build()


def muscles(command=None, figure=None, **more):
    return StimulatedMuscles(KneeGeometry(figure or knee(), "flexion"), (QUADRICEPS, HAMSTRINGS), command, **more)


def train(times, quadriceps, hamstrings=0.0):
    values = np.column_stack(np.broadcast_arrays(quadriceps, hamstrings, np.asarray(times))[:2])
    return PulseTrain(times, values)


# ---- against an implementation of its own --------------------------------------------------------------------------
class Reference:
    """The same equations, written anew; the sign of the contractile speed is that of its numerator."""

    def __init__(self, times, intensity):
        self.arrivals, self.alpha = np.asarray(times) + 0.05, recruitment(intensity)
        g = KneeGeometry(knee(), "flexion")
        self.fixed = sum(np.sqrt(x**2 - 0.04**2) + 0.04 * np.arcsin(0.04 / x) for x in (0.42, 0.07))
        assert g.radius == 0.04

    def signal(self, t):
        last = self.arrivals[self.arrivals <= t]
        if not len(last):
            return -5.0
        since = t - last[-1]
        return 5.0 if since < 0.02 else 5.0 - 10.0 * (since - 0.02) / 0.01 if since < 0.03 else -5.0

    def contractile(self, t, y):
        phi, w, _, fc = y
        eps = (0.04 * phi + self.fixed) / 0.492 - 1
        u = self.signal(t)
        alpha = self.alpha if len(self.arrivals[self.arrivals <= t]) else 0.0
        bell = 1 - (eps / 0.4) ** 2
        push = 1e4 * 0.04 * w + fc * abs(u) - alpha * 500 * bell * max(u, 0)
        return push, u, alpha * bell

    def rate(self, t, y):
        phi, w, kc, fc = y
        push, u, bell = self.contractile(t, y)
        speed = push / (1e4 * 0.082 + kc * 0.082 - np.sign(push) * fc)
        dk = -(abs(u) + abs(speed)) * kc + bell * 1e4 * max(u, 0)
        df = -(abs(u) + abs(speed)) * fc + bell * 500 * max(u, 0) + kc * 0.082 * speed
        torque = -0.04 * fc - 4.2 * 9.81 * 0.27 * np.sin(phi) - 0.5 * w
        return [w, torque / (0.1 + 4.2 * 0.27**2), dk, df]

    def run(self, y0, t1, samples):
        """From kink to kink: arrivals, ends of phases, and zeros of u; kinks of the sign are left to small steps."""
        kinks = [x + d for x in self.arrivals for d in (0.0, 0.02, 0.025, 0.03)]
        edges = sorted({0.0, t1, *(k for k in kinks if 0 < k < t1)})
        y, found = np.array(y0, float), [np.array(y0, float)]
        for a, b in pairwise(edges):
            inside = samples[(samples > a) & (samples <= b)]
            at = np.unique(np.append(inside, b))
            middle = 0.5 * (a + b)
            out = solve_ivp(
                lambda t, y, a=a, b=b, m=middle: self.rate(min(max(t, a + 1e-13), b - 1e-13) if b - a > 1e-9 else m, y),
                (a, b), y, "Radau", at, rtol=1e-10, atol=1e-11, max_step=2e-3,
            )  # fmt: skip
            found += [out.y[:, k] for k, t in enumerate(at) if t in inside]
            y = out.y[:, -1]
        return np.array(found)


@pytest.mark.parametrize("contacts", [None, contact.Contacts()], ids=["figure", "contacts"])
def test_against_radau(contacts):
    """Four pulses lift the shank, which swings back: to 1e-8 of the largest value."""
    times = [0.013, 0.04, 0.07, 0.1]
    given = {} if contacts is None else {"contacts": contacts}
    rec = simulate(knee(), t1=0.24, rate=50, q0=[0.3], controls=muscles(train(times, 0.9)), rtol=1e-11, **given)
    exact = Reference(times, 0.9).run([0.3, 0, 0, 0], 0.24, rec.time("q"))
    ours = np.column_stack([rec["q"], rec["v"], rec["z"][:, :2]])
    scale = np.abs(exact).max(axis=0)
    assert (scale[2:] > [500.0, 40.0]).all()
    assert (np.abs(ours - exact) / scale).max() < 1e-8


def test_turns_of_the_contractile_element_are_located():
    """A knee that is moved to and fro under steady calcium: instants of turns against SciPy's, to 1e-9 s."""
    steady = StimulatedMuscle("quadriceps", high=10.0)
    one = StimulatedMuscles(KneeGeometry(knee(), "flexion"), (steady, HAMSTRINGS), train([0.0], 1.0))
    path = [lambda t: 0.5 + 0.4 * np.sin(20 * t), lambda t: 8 * np.cos(20 * t), lambda t: -160 * np.sin(20 * t)]
    rec = simulate(
        knee(), t1=0.4, rate=20, q0=[0.5], v0=[8.0], controls=one, prescribed=PrescribedMotion("flexion", *path),
        rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    turns = [e.time for e in rec.events if e.name.endswith("quadriceps") and e.time > 0.06]
    reference = Reference([0.0], 1.0)
    reference.signal = lambda t: 5.0

    def rate(t, y):
        return reference.rate(t, [path[0](t), path[1](t), *y])[2:]

    def zero(t, y):
        return reference.contractile(t, [path[0](t), path[1](t), *y])[0]

    found = solve_ivp(rate, (0.05, 0.4), [0.0, 0.0], "DOP853", events=zero, rtol=1e-12, atol=1e-11, max_step=2e-3)
    exact = found.t_events[0][found.t_events[0] > 0.06]
    assert len(exact) >= 2
    assert turns == pytest.approx(exact, abs=1e-9)


# ---- shapes --------------------------------------------------------------------------------------------------------
def isometric(times, intensity=1.0, flexion=0.5, t1=0.3, rate=500):
    still = PrescribedMotion("flexion", position=lambda t: flexion, speed=lambda t: 0.0, acceleration=lambda t: 0.0)
    one = muscles(train(times, intensity))
    rec = simulate(knee(), t1=t1, rate=rate, q0=[flexion], controls=one, prescribed=still)
    return rec.time("q"), rec["muscles.force"][:, 0], rec


def test_twitch():
    """Nothing before the delay, a rise while calcium is high, F = F₀ (1 − exp(−U τ₁)) then, then a fall."""
    t, force, rec = isometric([0.0])
    assert np.abs(force[t <= 0.05]).max() < 1e-12
    peak = t[np.argmax(force)]
    assert 0.07 <= peak <= 0.0761  # during the fall of calcium, before it is zero
    after = force[t > 0.08]
    assert (np.diff(after) < 0).all()
    # at rest F' = −|U_m| F + k_c …: between the decays by |u| alone and by the contractile element's stretch
    assert after[-1] < 0.5 * force.max()
    assert rec["muscles.phase"][:, 0].tolist()[0] == 0


def test_tetanus_is_larger_than_a_twitch_and_smooth_at_high_rates():
    _, twitch, _ = isometric([0.0])
    t, slow, _ = isometric(np.arange(0, 0.4, 0.1), t1=0.4)
    t, fast, _ = isometric(np.arange(0, 0.4, 0.02), t1=0.4)
    late = (t > 0.25) & (t < 0.35)
    ripple = np.ptp(slow[late]) / slow[late].mean()
    assert fast[late].mean() > 3 * twitch.max()
    assert ripple > 0.3
    assert (np.diff(fast[late]) > 0).all()  # toward α F₀, which it does not pass


def test_recruitment():
    x = np.linspace(0, 1, 21)
    alpha = recruitment(x)
    assert alpha[[0, 10, 20]] == pytest.approx([0, 0.5, 1], abs=1e-15)
    assert (np.diff(alpha) > 0).all()
    _, half, _ = isometric([0.0], 0.5)
    _, full, _ = isometric([0.0], 1.0)
    assert half.max() / full.max() == pytest.approx(0.5, abs=0.03)  # all but linear in α while it is short


def test_force_length():
    """The force of steady calcium goes to the bell F_m (1 − (ε/0.4)²)."""
    geometry = KneeGeometry(knee(), "flexion")
    for flexion in (-0.5, 0.8, 1.6):
        still = PrescribedMotion("flexion", speed=0.0)
        one = StimulatedMuscles(geometry, (StimulatedMuscle("quadriceps", high=10.0), HAMSTRINGS), train([0.0], 1.0))
        rec = simulate(knee(), t1=4.0, rate=5, q0=[flexion], controls=one, prescribed=still)
        strain = geometry(np.array([flexion]))[0][0] / 0.492 - 1
        force = rec["muscles.force"][:, 0]
        assert (np.diff(force) > 0).all()
        assert force[-1] == pytest.approx(500 * (1 - (strain / 0.4) ** 2), rel=1e-3)  # of 1 − exp(−5 · 4 s/2)


def test_force_velocity():
    """The faster a tetanic muscle shortens the less it pulls; it pulls more while it lengthens."""
    at = []
    for speed in (-2.0, -1.0, 0.0, 1.0):  # flexion lengthens the quadriceps
        motion = PrescribedMotion("flexion", position=lambda t, s=speed: 0.5 + s * (t - 0.8), speed=speed)
        one = muscles(train(np.arange(0, 0.8, 0.02), 1.0))
        rec = simulate(knee(), t1=0.8, rate=50, q0=[0.5 - 0.8 * speed], controls=one, prescribed=motion)
        at.append(rec["muscles.force"][-1, 0])
    assert (np.diff(at) > 0).all()
    assert at[0] < 0.7 * at[2]


# ---- energy, range, other paths ------------------------------------------------------------------------------------
def test_energy_books_close():
    """Work of the contractile elements = energy of springs and figure + heat of the joint."""
    figure = knee(0.0)
    parallel = StimulatedMuscle("quadriceps", parallel=30.0, parallel_rate=3.0)
    one = StimulatedMuscles(KneeGeometry(figure, "flexion"), (parallel, HAMSTRINGS), train([0.0, 0.03], 0.8, 0.3))
    rec = simulate(figure, t1=0.5, rate=100, q0=[0.4], controls=one, rtol=1e-11)
    book = rec["muscles.work"].sum(1) - rec["muscles.elastic"].sum(1) - rec["energy"]
    assert np.ptp(book) < 1e-8
    assert rec["muscles.work"][-1, 0] > 0.05


def test_speed_that_is_not_unique_ends_the_run():
    strong = StimulatedMuscle("quadriceps", series=5e3, stiffness=1.0)  # k_s L_c0 = 410 N < F_m
    one = StimulatedMuscles(KneeGeometry(knee(), "flexion"), (strong, HAMSTRINGS), train(np.arange(0, 2, 0.02), 1.0))
    still = PrescribedMotion("flexion", speed=0.0)
    with pytest.raises(RunError, match=r"quadriceps.*t = .*unique"):
        simulate(knee(), t1=2.0, rate=50, q0=[0.5], controls=one, prescribed=still)


def test_paths_in_place_of_the_knee():
    """Muscles over paths of points: efforts are those of the moment arms."""
    from motiform import muscles as ms

    figure = knee()
    path = ms.MusclePath("line", (ms.PathPoint(None, (0.03, 0.4, 0)), ms.PathPoint("shank", (0.03, -0.08, 0))))
    arms = PathArms(ms.Paths(figure, (path,)))
    one = StimulatedMuscles(arms, (QUADRICEPS,), PulseTrain([0.0, 0.03], [[1.0], [1.0]]))
    rec = simulate(figure, t1=0.2, rate=50, controls=one)
    arm = ms.path_geometry(arms.paths, rec["q"]).arm[:, 0, 0]
    assert rec["tau"][:, 0] == pytest.approx(rec["muscles.force"][:, 0] * arm, abs=1e-9)
    assert rec["tau"][:, 0].min() < -1.0  # it extends


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: muscles(0.5), "pulses"),
        (lambda: muscles(PulseTrain([0.1], [[1.2, 0]])), "intensity"),
        (lambda: muscles(PulseTrain([0.1], [1.0])), "number for each"),
        (lambda: StimulatedMuscles(KneeGeometry(knee(), "flexion"), (QUADRICEPS,)), "as many muscles"),
        (lambda: KneeGeometry(knee(), "flexion", radius=0.1), "radius"),
        (lambda: KneeGeometry(knee(), "extension"), "no such coordinate"),
        (lambda: KneeGeometry(knee(), "flexion", above=-0.4), "above"),
        (lambda: StimulatedMuscle("m", length=-0.1), "length"),
        (lambda: StimulatedMuscle("m", fall=5.0), "below 0"),
        (lambda: muscles(delay=-0.1), "delay"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make()


def test_intensity_of_a_law_that_is_out_of_range_is_named():
    def loud(t, state):
        return [1.5 if t > 0.05 else 0.5, 0.0]

    with pytest.raises(RunError, match=r"law 'loud', t = 0.15 s.*between 0 and 1.*1.5"):
        simulate(knee(), t1=0.3, rate=50, controls=muscles(SampledLaw(loud, 0.1)))


def test_without_a_command_there_are_no_pulses():
    """As with pulses that recruit nothing: these only end steps elsewhere, for which the tolerance is 1e-9 a step."""
    given = {"t1": 0.3, "rate": 50, "q0": [0.3], "rtol": 1e-9, "atol": 1e-9}
    none, nothing = (
        simulate(knee(), controls=muscles(command), **given) for command in (None, train([0.05, 0.1], 0.0))
    )
    np.testing.assert_allclose(none["q"], nothing["q"], atol=1e-7)
    assert np.ptp(none["q"]) > 0.1


def test_the_contractile_speed_is_where_a_line_meets_two_half_lines():
    """The document's figure 1.3: rates of the force by the series spring, and by the contractile element, over w."""
    from scipy.optimize import brentq

    from motiform.motion.actuation.stimulation.kernels import contract, turning

    rng = np.random.default_rng(0)
    p = np.array([QUADRICEPS.numbers()])
    ks, Lc, L0, Fm, km = p[0, 2], p[0, 5], p[0, 6], p[0, 1], p[0, 0]
    u = 5.0  # just after a pulse has arrived
    for _ in range(200):
        kc, F = rng.uniform(0, km), rng.uniform(0, Fm)
        length, speed, share = L0 * rng.uniform(0.7, 1.3), 0.3 * rng.normal(), rng.uniform()
        strain = length / L0 - 1.0
        F0 = Fm * (1 - (strain / 0.4) ** 2)

        def spring(w, speed=speed):
            return ks * (speed - Lc * w)

        def element(w, kc=kc, F=F, F0=F0, share=share):
            return -(u + abs(w)) * F + share * F0 * u + kc * Lc * w

        w = brentq(lambda w, a=spring, b=element: a(w) - b(w), -1e3, 1e3, xtol=1e-13)
        x, lengths, speeds = np.array([kc, F, 0.0]), np.array([length]), np.array([speed])
        memory, rates, forces, sign = np.array([3.0, 0.0, share, 1.0]), np.empty(3), np.empty(1), np.empty(1)
        turning.function(p, 0.001, lengths, speeds, x, memory, sign)
        memory[3] = np.sign(sign[0])
        assert contract.function(p, 0.001, lengths, speeds, x, memory, rates, forces) == 0
        assert memory[3] == np.sign(w)
        assert rates[1] == pytest.approx(spring(w), rel=1e-9, abs=1e-6)
        assert rates[1] == pytest.approx(element(w), rel=1e-9, abs=1e-6)
