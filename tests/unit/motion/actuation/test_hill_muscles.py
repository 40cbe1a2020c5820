"""Hill-type muscles that act on a figure: kernels against the curves, equilibrium, energy, other engines of time."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, Transform, actuation, contact, joints, simulate
from motiform import muscles as ms
from motiform.base.errors import InputError
from motiform.form import dress
from motiform.geometry.paths import WrapSphere
from motiform.motion.actuation import HillMuscles, PrescribedMotion, PulseTrain
from motiform.motion.tree import FigureState

Z = (0.0, 0.0, 1.0)
MODELS = {"degroote": ms.DeGrooteFregly(), "thelen": ms.Thelen(), "millard": ms.Millard()}


@cache
def lever(gravity=-9.81):
    """A rod on a hinge."""
    b = FigureBuilder(gravity=(0, gravity, 0))
    b.segment("rod", None, joints.revolute(Z), mass=1.0, com=(0, -0.2, 0), inertia=np.diag([0.02, 0.001, 0.02]))
    return b.build()


def line(name, x):
    return ms.MusclePath(name, (ms.PathPoint(None, (x, 0.3, 0)), ms.PathPoint("rod", (x, -0.05, 0))))


def pair(model, **more):
    sizes = {"fibre_length": 0.15, "slack_length": 0.2, "pennation": 0.2, "model": model} | more
    return ms.Muscles(
        lever(), (ms.Muscle(line("front", 0.04), 600.0, **sizes), ms.Muscle(line("back", -0.04), 500.0, **sizes))
    )


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_kernels_have_the_curves_of_the_models(model, rigid, monkeypatch):
    """At random states the compiled rates and forces are those of the functions of the models."""
    acts = HillMuscles(pair(MODELS[model], rigid_tendon=rigid), [0.3, 0.8])
    rng = np.random.default_rng(3)
    for _ in range(5):
        z = np.r_[rng.uniform(0, 1, 2), [] if rigid else rng.uniform(0.06, 0.22, 2)]
        state = FigureState(rng.uniform(-0.6, 0.6, 1), rng.uniform(-8, 8, 1), z)
        fast = acts._dynamics(0.0, state)
        monkeypatch.setitem(acts.__dict__, "_kernel", None)
        slow = acts._dynamics(0.0, state)
        monkeypatch.delitem(acts.__dict__, "_kernel")
        acts._kernel
        assert fast.force == pytest.approx(slow.force, rel=1e-11, abs=1e-9)
        assert fast.effort == pytest.approx(slow.effort, rel=1e-11, abs=1e-9)
        for name in ("rate", "fibre", "speed"):
            assert getattr(fast, name) == pytest.approx(getattr(slow, name), rel=1e-9, abs=1e-9)


def test_muscle_in_equilibrium_stays_there():
    """With constant excitation at its activation and a joint that is held nothing moves."""
    still = PrescribedMotion("rod", position=lambda t: 0.2, speed=lambda t: 0.0, acceleration=lambda t: 0.0)
    acts = HillMuscles(pair(ms.DeGrooteFregly()), [0.4, 0.1], activation=[0.4, 0.1])
    rec = simulate(lever(), t1=0.1, rate=50, q0=[0.2], controls=acts, prescribed=still)
    assert np.ptp(rec["z"], axis=0).max() < 1e-9
    length = ms.path_geometry(acts.muscles.paths, np.array([0.2])).length
    fibre = ms.fibre_equilibrium(acts.muscles.muscles, [0.4, 0.1], length)
    assert rec["muscles.fibre_length"][-1] == pytest.approx(fibre, abs=1e-9)
    assert rec["muscles.force"][0] == pytest.approx(
        ms.muscle_force(acts.muscles.muscles, [0.4, 0.1], length, [0.0, 0.0], fibre), rel=1e-9
    )


@pytest.mark.slow
def test_against_radau():
    """An excitation lifts the rod: q, v, activations and fibre lengths against SciPy, to 1e-7 of the largest."""
    acts = HillMuscles(pair(ms.DeGrooteFregly()), PulseTrain([0.0], [[0.8, 0.02]]))
    rec = simulate(lever(), t1=0.1, rate=50, q0=[0.1], controls=acts, rtol=1e-10, atol=1e-12)
    first = FigureState(rec["q"][0], rec["v"][0])
    memory = acts.call(0.0, FigureState(first.q, first.v, np.asarray(acts.start(first))))

    def rate(t, y):
        tau, rates = acts.act(t, FigureState(y[:1], y[1:2], np.r_[y[2:6], memory[4:]]))
        return np.r_[y[1], (tau - 9.81 * 0.2 * np.sin(y[0])) / (0.02 + 0.04), rates]

    y0, t = np.r_[rec["q"][0], rec["v"][0], rec["z"][0]], rec.time("q")
    exact = solve_ivp(rate, (0, 0.1), y0, "Radau", t, rtol=1e-9, atol=1e-11).y.T
    ours = np.column_stack([rec["q"], rec["v"], rec["z"]])
    assert (np.abs(ours - exact) / np.abs(exact).max(axis=0)).max() < 1e-7
    assert rec["q"].max() > 0.2


def test_work_of_muscles_is_the_energy_of_the_figure():
    """∫ Σ power dt = ΔE: the powers are sampled, so the trapezium rule bounds how well the books close."""
    acts = HillMuscles(pair(ms.Millard()), PulseTrain([0.0], [[0.6, 0.0]]))
    rec = simulate(lever(), t1=0.05, rate=2000, q0=[0.1], controls=acts)
    power = rec["muscles.power"].sum(1)
    work = np.r_[0, np.cumsum(0.5 * (power[1:] + power[:-1]))] / 2000
    change = rec["energy"] - rec["energy"][0]
    assert change.max() > 0.05
    assert np.abs(work - change).max() < 1e-4  # (1/2000 s)²/12 times the second derivative of the power, some 1e5 W/s²


@pytest.mark.slow
def test_time_stepping_goes_to_the_same_with_small_steps():
    """Steps of first order: the difference halves with the step."""
    acts = HillMuscles(pair(ms.DeGrooteFregly()), PulseTrain([0.0], [[0.6, 0.1]]))
    exact = simulate(lever(), t1=0.06, rate=50, q0=[0.1], controls=acts)["q"]
    off = []
    for step in (2e-3, 1e-3):
        given = {"integrator": "time-stepping", "step": step, "contacts": contact.Contacts()}
        off.append(np.abs(simulate(lever(), t1=0.06, rate=50, q0=[0.1], controls=acts, **given)["q"] - exact).max())
    assert off[1] < 0.02 * np.ptp(exact)
    assert off[1] == pytest.approx(off[0] / 2, rel=0.3)


class Halved(ms.DeGrooteFregly):
    """Curves of a user: kernels do not know them."""

    def active(self, length):
        value, slope = super().active(length)
        return 0.5 * value, 0.5 * slope


def test_curves_of_a_user_are_called():
    still = PrescribedMotion("rod", speed=0.0)
    forces = []
    for model in (ms.DeGrooteFregly(), Halved()):
        acts = HillMuscles(pair(model, rigid_tendon=True), 1.0, activation=1.0)
        rec = simulate(lever(), t1=0.02, rate=50, controls=acts, prescribed=still)
        passive = ms.fibre_forces(acts.muscles.muscles, rec["muscles.length"][-1], np.zeros(2)).passive
        forces.append(rec["muscles.force"][-1] - passive)
    assert forces[1] == pytest.approx(0.5 * forces[0], rel=1e-9)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: HillMuscles(pair(ms.Millard()), [0.1]), "number for each"),
        (lambda: HillMuscles(pair(ms.Millard()), activation=1.5), "between 0 and 1"),
        (lambda: HillMuscles(pair(ms.Millard(), slack_length=0.0)), "must have a length"),
        (lambda: HillMuscles(pair(ms.Millard()), least=-0.1), "least"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make()


def test_names_of_states_are_recorded():
    rec = simulate(lever(), t1=0.01, rate=100, controls=HillMuscles(pair(ms.Thelen())))
    labels = rec.manifest["labels"]
    assert labels["state"][:2] == ["muscles.activation.front", "muscles.activation.back"]
    assert labels["muscles"] == ["front", "back"]
    assert actuation.HillMuscles is ms.HillMuscles


def test_muscles_are_drawn_along_their_paths_by_activation():
    """Rods from corner to corner are as long as the path; they go from blue at rest to red at full activation."""
    acts = HillMuscles(pair(ms.DeGrooteFregly()), [1.0, 0.0], activation=[0.02, 0.02])
    rec = simulate(lever(), t1=0.04, rate=50, q0=[0.1], controls=acts)
    assert rec["muscles.line"].shape == (3, 4, 3)
    length = np.linalg.norm(np.diff(rec["muscles.line"].reshape(3, 2, 2, 3), axis=2), axis=-1)[..., 0]
    assert length == pytest.approx(rec["muscles.length"], abs=1e-12)
    (links,) = dress(rec).links
    assert links.pairs.tolist() == [[0, 1], [2, 3]]
    front, back = links.shades.at(2)
    assert front[0] > 2 * front[2]
    assert back[2] > 2 * back[0]
    assert links.radius[0] / links.radius[1] == pytest.approx(np.sqrt(600 / 500))


def test_a_line_through_the_joint_and_points_inside_surfaces_are_noted():
    within = ms.MusclePath(
        "within", (ms.PathPoint(None, (0.04, 0.3, 0)), ms.PathPoint("rod", (0.04, -0.05, 0))), (ms.PathWrap("ball"),)
    )
    ball = ms.WrapObject("ball", "rod", WrapSphere(radius=0.1))
    through = ms.MusclePath("through", (ms.PathPoint(None, (0, 0.3, 0)), ms.PathPoint("rod", (0, -0.05, 0))))
    sizes = {"fibre_length": 0.15, "slack_length": 0.2}
    own = ms.Muscles(lever(), (ms.Muscle(within, 500.0, **sizes), ms.Muscle(through, 500.0, **sizes)), (ball,))
    rec = simulate(lever(), t1=0.002, rate=500, controls=HillMuscles(own, 0.1))
    buried, no_arm = rec.manifest["notes"]
    assert buried.startswith("point 1 of path 'within' is inside wrap object 'ball'")
    assert no_arm.startswith("muscle 'through' starts without a moment arm")
    assert "notes" not in simulate(lever(), t1=0.002, rate=500, controls=HillMuscles(pair(ms.Thelen()), 0.1)).manifest


def test_a_point_that_enters_a_surface_during_a_run_is_reported():
    """The rod turns its point into a ball of 5 cm and out of it."""
    ball = ms.WrapObject("ball", None, WrapSphere(radius=0.05), Transform(np.eye(3), np.array([0.1, -0.05, 0.0])))
    path = ms.MusclePath(
        "line", (ms.PathPoint(None, (-0.1, 0.3, 0)), ms.PathPoint("rod", (0, -0.1, 0))), (ms.PathWrap("ball"),)
    )
    own = ms.Muscles(lever(), (ms.Muscle(path, 500.0, fibre_length=0.2, slack_length=0.2),), (ball,))
    rec = simulate(lever(), t1=0.3, rate=200, v0=[8.0], controls=HillMuscles(own, 0.01))
    q = rec["q"][:, 0]
    inside = np.hypot(0.1 * np.sin(q) - 0.1, -0.1 * np.cos(q) + 0.05) < 0.05
    assert inside.any()
    assert not inside[0]
    assert (rec["muscles.warning"][:, 0].astype(int) % 2 == 1).tolist() == inside.tolist()  # 8: its length jumps, too


@pytest.mark.parametrize("command", [7.0, [0.5, -0.1], PulseTrain([0.0], [[0.2, 1.1]])])
def test_excitations_beyond_their_range_are_refused(command):
    with pytest.raises(InputError, match="excitations must be between 0 and 1"):
        HillMuscles(pair(ms.Thelen()), command)


def test_fibres_find_their_equilibrium_in_few_evaluations(monkeypatch):
    """Six muscles with Bézier curves start in some tens of evaluations of each curve, not in hundreds.

    In equilibrium fibre and tendon pull alike to the rounding of forces of the size of one.
    """
    from motiform.motion.actuation.muscles import Millard, Muscle, MusclePath, PathPoint
    from motiform.motion.actuation.muscles.hill import fibre_equilibrium, fibre_speed

    calls, curve = [], Millard._curve
    monkeypatch.setattr(Millard, "_curve", lambda self, *at: calls.append(1) or curve(self, *at))
    line, k = (PathPoint(None, (0, 0, 0)), PathPoint(None, (0, 1, 0))), np.arange(6)
    six = [
        Muscle(MusclePath(f"m{n}", line), max_force=1000.0, fibre_length=0.08 + 0.01 * n, slack_length=0.2,
               pennation=0.1 * n, model=Millard())
        for n in k
    ]  # fmt: skip
    L, a = 0.27 + 0.012 * k, np.full(6, 0.02)
    fibre = fibre_equilibrium(six, a, L)
    assert len(calls) < 4 * 45  # active, passive, speed, tendon
    assert np.abs(fibre_speed(six, a, L, fibre)).max() < 1e-12  # m/s: nothing moves


def test_stretch_reflex_is_its_formula():
    """Excitations as told before it starts; then more by stretch and its speed, over the optimal length, 0 to 1."""
    both, excitation = pair(MODELS["millard"]), PulseTrain([0.0, 0.5], [[1.0, 0.2], [0.3, 0.1]])
    reflex = actuation.StretchReflex(both, excitation, [0.1], gain=8.0, damping=0.2, start=0.5)
    q, v = np.array([0.25]), np.array([1.5])
    state = FigureState(q, v, np.zeros(4))
    assert (reflex(0.4, state) == [1.0, 0.2]).all()
    way = ms.path_geometry(both.paths, q, v)
    stretch = way.length - ms.path_geometry(both.paths, [0.1]).length
    expected = np.array([0.3, 0.1]) + (8.0 * stretch + 0.2 * way.speed) / 0.15
    assert expected.min() < 0 < expected.max() < 1  # one muscle is stretched, the other would be told less than nothing
    assert reflex(0.5, state) == pytest.approx(np.clip(expected, 0, 1), abs=1e-12)
    with pytest.raises(InputError, match="posture must be one of the figure"):
        actuation.StretchReflex(both, excitation, [0.1, 0.2], gain=2.0)


@pytest.mark.slow
def test_stretch_reflex_holds_a_posture_that_excitations_alone_do_not():
    """A rod upside down stays within a tenth of a radian of its posture by the reflex, and falls without it."""
    both = ms.Muscles(lever(9.81), pair(MODELS["millard"]).muscles)
    excitation = PulseTrain([0.0], [[0.05, 0.05]])
    law = actuation.StretchReflex(both, excitation, [0.0], gain=4.0, damping=0.4)
    for command, holds in ((actuation.SampledLaw(law, 0.005), True), (excitation, False)):
        acts = HillMuscles(both, command, activation=0.05)
        rec = simulate(lever(9.81), controls=acts, q0=[0.05], t1=1.0, rate=50)
        assert (np.abs(rec["q"]).max() < 0.1) == holds
