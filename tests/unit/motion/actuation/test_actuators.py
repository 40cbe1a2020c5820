"""Actuators with states of their own: integrated, event-located, called, checkpointed with the figure; motors."""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from motiform import FigureBuilder, actuation, contact, joints, open_recording, simulate
from motiform.base.errors import InputError, MotiformError, RunError
from motiform.motion.actuation import Actuator, CommandedControl, Motor, Motors, PulseTrain, SampledLaw, TorqueDrives
from motiform.motion.tree import FigureState

Z = (0.0, 0.0, 1.0)
J, K, R, L = 0.02, 0.5, 2.0, 0.05  # inertia, torque constant with gear, resistance, inductance
ENGINES = {
    "figure": {},
    "contacts": {"contacts": contact.Contacts()},
    "stepping": {"contacts": contact.Contacts(), "integrator": "time-stepping", "step": 1e-3},
    "fixed": {"integrator": "rk4", "step": 1e-3},
}


def wheel(inertia=J, gravity=(0, 0, 0), limits=None, **more):
    b = FigureBuilder(gravity=gravity)
    b.segment("wheel", None, joints.revolute(Z, limits=limits), mass=1.0, inertia=np.eye(3) * inertia, **more)
    return b.build()


class Triangle(Actuator):
    """x' = m with m = ±1 in memory, which turns where |x| = 1: a triangle of period 4 s that drives the figure."""

    name, states, events = "triangle", ("x",), ("turns",)
    quantities = (actuation.ActuatorChannel("x", "", ("x",)),)

    def __init__(self, x0=0.0):
        self.x0 = x0

    def start(self, state):
        return [self.x0, 1.0]

    def act(self, t, state):
        return np.array([state.z[0]]), np.array([state.z[1]])

    def margins(self, t, state):
        return np.array([1.0 - state.z[1] * state.z[0]])

    def switch(self, t, state, which):
        return np.array([state.z[0], -state.z[1]])

    def measure(self, t, state):
        return {"x": state.z[:1]}


def triangle(t):
    return np.arcsin(np.sin(0.5 * np.pi * t)) * 2 / np.pi


# ---- one state -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ENGINES)
def test_events_of_an_actuator_are_located(engine):
    options = ENGINES[engine] | ({"step": 0.01} if engine in ("stepping", "fixed") else {})
    rec = simulate(wheel(1.0), t1=6.0, rate=20, controls=Triangle(), **options)
    # slopes are constant: instants and states are exact but for rounding, in steps of any length
    assert [event.name for event in rec.events] == ["triangle: turns"] * 3
    assert [event.time for event in rec.events] == pytest.approx([1.0, 3.0, 5.0], abs=1e-9)
    t = rec.time("z")
    assert np.abs(rec["z"][:, 0] - triangle(t)).max() < 1e-9
    assert (rec["triangle.x"] == rec["z"]).all()
    # v is the integral of the triangle; time-stepping takes its mean over each step, which is the same
    exact = np.where(t < 1, t**2 / 2, np.where(t < 3, 1 - (t - 2) ** 2 / 2, (t - 4) ** 2 / 2))
    exact = np.where(t > 5, 1 - (t - 6) ** 2 / 2, exact)
    assert np.abs(rec["v"][:, 0] - exact).max() < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
def test_laws_are_called_at_their_period_and_applied_late(engine):
    """On a wheel without friction velocity is the sum of what was commanded, late by the delay."""
    asked = []

    def law(t, s):
        asked.append(t)
        return [1.0 + len(asked)]

    figure = wheel(1.0)
    rec = simulate(figure, t1=0.5, rate=100, controls=CommandedControl(figure, law, 0.1, 0.1304), **ENGINES[engine])
    assert asked == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4], abs=1e-12)
    t = rec.time("v")
    exact = sum((2.0 if n == 0 else 1.0) * np.maximum(t - 0.1 * n - 0.1304, 0) for n in range(5))
    assert np.abs(rec["v"][:, 0] - exact).max() < 1e-10


@pytest.mark.parametrize("engine", ENGINES)
def test_a_law_tells_when_it_is_called_next(engine):
    """Waits of 0.1, 0.05, 0.2, 0.15, 1 s; commands wait three at a time. v is the sum of what was commanded, late."""
    asked, waits = [], [0.1, 0.05, 0.2, 0.15, 1.0]

    def law(t, s):
        asked.append(t)
        return [1.0 + len(asked)], waits[len(asked) - 1]

    figure = wheel(1.0)
    drives = TorqueDrives(figure, ["wheel"], SampledLaw(law, 0.05, 0.1304, variable_period=True))
    rec = simulate(figure, t1=0.7, rate=100, controls=drives, **ENGINES[engine])
    assert asked == pytest.approx([0.0, 0.1, 0.15, 0.35, 0.5], abs=1e-12)
    t = rec.time("v")
    exact = sum((2.0 if n == 0 else 1.0) * np.maximum(t - when - 0.1304, 0) for n, when in enumerate(asked))
    assert np.abs(rec["v"][:, 0] - exact).max() < 1e-10


def test_controls_add_up():
    figure = wheel(1.0)
    parts = [lambda t, s: [2.0], Triangle(), TorqueDrives(figure, ["wheel"], 1.0)]
    rec = simulate(figure, t1=1.0, rate=10, controls=parts)
    t = rec.time("v")
    assert rec["v"][:, 0] == pytest.approx(3 * t + t**2 / 2, abs=1e-9)
    assert rec["tau"][:, 0] == pytest.approx(3 + t, abs=1e-9)


def test_impacts_are_reported_to_actuators():
    """The sign of the speed in memory is right after a limit has turned the wheel round."""

    class Follows(Actuator):
        name, events = "follows", ("turns",)
        quantities = (actuation.ActuatorChannel("sign", "", ("x",)),)

        def start(self, state):
            return [1.0]

        def act(self, t, state):
            return np.zeros(1), np.zeros(0)

        def margins(self, t, state):
            return state.z * state.v + 1e-9

        def switch(self, t, state, which):
            return -state.z

        def settle(self, t, state):
            return np.sign(state.v)

        def measure(self, t, state):
            return {"sign": state.z}

    figure, walls = wheel(1.0, limits=(-1.0, 1.0)), contact.Contacts(limit_restitution=0.5)
    rec = simulate(figure, contacts=walls, t1=1.0, rate=50, v0=[2.0], controls=Follows())
    before, after = rec["follows.sign"][rec.time("v") < 0.49], rec["follows.sign"][rec.time("v") > 0.51]
    assert (before == 1.0).all()
    assert (after == -1.0).all()
    assert rec["v"][-1] == pytest.approx([-1.0], abs=1e-9)
    assert not [event for event in rec.events if event.name == "follows: turns"]


class Stop(Exception):
    pass


def swinging(engine, variable=False):
    """A pendulum with a motor that has inductance, told by a law with memory, late, and a triangle."""
    figure = wheel(0.1, gravity=(0, -9.81, 0), com=(0, -0.3, 0))

    def law(t, state, memory):
        error = np.sin(3 * t) - state.q[0]
        answer = 20 * error - 2 * state.v + 5 * memory, memory + 0.01 * error
        return (*answer, 0.03 * (1 + abs(error))) if variable else answer

    command = SampledLaw(law, 0.03, 0.071, memory=[0.0], variable_period=variable)
    motors = Motors(figure, [Motor("wheel", K, R, inductance=L)], command)
    return {"what": figure, "t1": 0.3, "rate": 200, "controls": [motors, Triangle(0.8)], **ENGINES[engine]}


@pytest.mark.parametrize("variable", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_run_that_was_stopped_goes_on_to_the_same_bits(engine, variable, tmp_path, monkeypatch):
    from motiform.motion.run import Pace

    monkeypatch.setattr(Pace, "full", lambda self, kept: kept >= 3)  # commits wherever a block may end

    def progress(part):
        if part > 0.4:
            raise Stop

    with pytest.raises(Stop):
        simulate(**swinging(engine, variable), out=tmp_path / "part.mf", progress=progress)
    assert not open_recording(tmp_path / "part.mf").complete
    went = simulate(**swinging(engine, variable), out=tmp_path / "part.mf", resume=True)
    whole = simulate(**swinging(engine, variable))
    assert went.count("q") == 61
    for name in whole.names:
        assert (np.asarray(went[name]) == np.asarray(whole[name])).all(), name
    assert len(whole.events) == 1
    assert [(e.name, e.time) for e in went.events] == [(e.name, e.time) for e in whole.events]


# ---- laws that fail ------------------------------------------------------------------------------------------------
BAD = {
    "nan": (lambda t, s: [np.nan if t > 0.25 else 1.0], "law '<lambda>', t = 0.3 s.*not finite.*nan"),
    "raises": (lambda t, s: [1.0 / (t < 0.25)], "law '<lambda>', t = 0.3 s.*ZeroDivisionError"),
    "shape": (lambda t, s: [1.0, 2.0] if t > 0.25 else [1.0], r"law '<lambda>', t = 0.3 s.*wrong value.*\[1.0, 2.0\]"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", BAD)
def test_laws_that_fail_are_named_and_the_recording_is_kept(kind, engine, tmp_path):
    law, text = BAD[kind]
    figure = wheel(1.0)
    drive = TorqueDrives(figure, ["wheel"], SampledLaw(law, 0.1))
    out = tmp_path / "x.mf" if kind == "nan" else None  # on disk or in memory
    with pytest.raises(MotiformError, match=f"(?s){text}") as caught:
        simulate(figure, t1=1.0, rate=50, controls=drive, out=out, **ENGINES[engine])
    kept = caught.value.recording
    assert not kept.complete
    assert out is None or open_recording(out).count("v") == kept.count("v")
    assert kept.count("v") in (15, 16)  # up to 0.3 s; a step that ends there may be the one that fails
    assert pickle.loads(pickle.dumps(caught.value)).recording is None  # between processes the text goes alone
    assert kept["v"][:, 0] == pytest.approx(kept.time("v"), abs=1e-9)


# ---- drives and motors ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ENGINES)
def test_motor_has_the_step_response_of_first_order(engine):
    """ω = u/k (1 − exp(−t/T)), T = J R/k², with the rotor's inertia through the gear."""
    motor = Motor("wheel", K / 10, R, gear=10, rotor_inertia=1e-5)
    figure = actuation.with_rotors(wheel(), [motor])
    rec = simulate(figure, t1=1.0, rate=50, controls=Motors(figure, [motor], 12.0), **ENGINES[engine])
    T = (J + 1e-3) * R / K**2
    exact = 12.0 / K * (1 - np.exp(-rec.time("v") / T))
    # steps of first order: half a step late, h/2 · 12/(K T)
    bound = 0.5e-3 * 12 / (K * T) if engine == "stepping" else 2e-8
    assert np.abs(rec["v"][:, 0] - exact).max() < bound
    assert rec["motors.current"][:, 0] == pytest.approx((12.0 - K * rec["v"][:, 0]) / R, abs=1e-12)


@pytest.mark.parametrize("engine", ["figure", "contacts", "fixed"])
def test_motor_with_inductance_and_its_energy(engine):
    figure, motor = wheel(damping=0.0), Motor("wheel", K, R, inductance=L, viscous=0.01, friction=0.05)
    rec = simulate(figure, t1=1.0, rate=50, controls=Motors(figure, [motor], 12.0), rtol=1e-10, **ENGINES[engine])
    supplied, heat, stored = (rec[f"motors.{key}"][:, 0] for key in ("supplied", "heat", "magnetic"))
    # the books close to the tolerance of the integration (supplied energy is some 40 J)
    assert np.abs(supplied - heat - stored - rec["energy"]).max() < 1e-7
    assert (np.diff(heat) > 0).all()
    free = Motors(figure, [Motor("wheel", K, R, inductance=L)], 12.0)
    rec = simulate(figure, t1=1.0, rate=50, controls=free, rtol=1e-10, **ENGINES[engine])
    M = np.array([[0, K / J, 0], [-K / L, -R / L, 12 / L], [0, 0, 0]])
    exact = np.array([expm(M * t) @ [0, 0, 1] for t in rec.time("v")])
    assert np.abs(rec["v"][:, 0] - exact[:, 0]).max() < 1e-7
    assert np.abs(rec["z"][:, 0] - exact[:, 1]).max() < 1e-7


@pytest.mark.parametrize("engine", ["figure", "contacts", "fixed"])
def test_a_gear_that_depends_on_the_joint(engine):
    """A pendulum at a linkage of n(q) = 8 + 3 q²: its own equation by SciPy, and energy books that close."""
    figure = wheel(0.1, gravity=(0, -9.81, 0), com=(0, -0.3, 0))
    motor = Motor("wheel", 0.02, R, gear=joints.Polynomial((8.0, 0.0, 3.0)), rotor_inertia=1e-4)
    figure = actuation.with_rotors(figure, [motor], [0.5])
    inertia = 0.1 + 0.3**2 + 8.75**2 * 1e-4  # of the posture that is given

    def rate(t, y):
        nk = 0.02 * (8.0 + 3.0 * y[0] ** 2)
        return [y[1], (nk * (9.0 - nk * y[1]) / R - 9.81 * 0.3 * np.sin(y[0])) / inertia]

    rec = simulate(
        figure, t1=1.5, rate=50, q0=[0.5], controls=Motors(figure, [motor], 9.0), rtol=1e-10, **ENGINES[engine]
    )
    want = solve_ivp(rate, (0, 1.5), [0.5, 0.0], t_eval=rec.time("q"), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(rec["q"][:, 0], want.y[0], atol=1e-7)
    assert np.ptp(rec["q"]) > 0.4
    supplied, heat = rec["motors.supplied"][:, 0], rec["motors.heat"][:, 0]
    assert np.abs(supplied - heat - (rec["energy"] - rec["energy"][0])).max() < 1e-7
    frozen = actuation.freeze_gears(figure, [motor], [0.5])
    assert frozen[0].gear == 8.75
    still = simulate(figure, t1=1.5, rate=50, q0=[0.5], controls=Motors(figure, frozen, 9.0), **ENGINES[engine])
    assert np.abs(still["q"] - rec["q"]).max() > 0.01


def test_a_gear_below_zero_ends_the_run():
    figure = wheel()
    motor = Motor("wheel", K, R, gear=joints.Polynomial((1.0, -5.0)))
    with pytest.raises(MotiformError, match="gear must be above 0 wherever"):
        simulate(figure, t1=5.0, rate=50, controls=Motors(figure, [motor], 12.0))


def test_drive_with_lag_and_limit():
    """v = τ (t − T (1 − exp(−t/T)))/J of a step that is cut at the limit."""
    figure = wheel(1.0)
    drive = TorqueDrives(figure, ["wheel"], 5.0, limit=2.0, lag=0.1)
    rec = simulate(figure, t1=0.5, rate=50, controls=drive)
    t = rec.time("v")
    assert rec["v"][:, 0] == pytest.approx(2.0 * (t - 0.1 * (1 - np.exp(-t / 0.1))), abs=1e-9)
    assert rec["drives.effort"][:, 0] == pytest.approx(2.0 * (1 - np.exp(-t / 0.1)), abs=1e-9)


def test_train_of_commands_arrives_late():
    figure = wheel(1.0)
    drive = TorqueDrives(figure, ["wheel"], PulseTrain([0.1, 0.2, 0.25], [1.0, -1.0, 0.0], delay=0.12))
    rec = simulate(figure, t1=0.5, rate=100, controls=drive)
    t = rec.time("v") - 0.12
    exact = np.maximum(t - 0.1, 0) - 2 * np.maximum(t - 0.2, 0) + np.maximum(t - 0.25, 0)
    assert rec["v"][:, 0] == pytest.approx(exact, abs=1e-12)


def test_an_initial_command_holds_until_the_first_one():
    """v = 2 t up to the delay, then with the law's -1."""
    figure = wheel(1.0)
    law = SampledLaw(lambda t, state: [-1.0], 0.1, 0.05, initial=[2.0])
    rec = simulate(figure, t1=0.2, rate=100, controls=TorqueDrives(figure, ["wheel"], law))
    t = rec.time("v")
    exact = 2 * np.minimum(t, 0.05) - np.maximum(t - 0.05, 0)
    assert rec["v"][:, 0] == pytest.approx(exact, abs=1e-12)


# ---- wrong input ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f: Motors(f, [Motor("knee", K, R)]), "no such coordinate"),
        (lambda f: Motors(f, [Motor("wheel", K, R)] * 2), "one drive"),
        (lambda f: Motors(f, [Motor("wheel", K, R, rotor_inertia=1.0)]), "rotor"),
        (lambda f: Motors(f, [Motor("wheel", K, R)], [1.0, 2.0]), "number for each"),
        (lambda f: Motor("wheel", K, 0.0), "resistance"),
        (lambda f: Motor("wheel", K, R, inductance=-1.0), "inductance"),
        (lambda f: TorqueDrives(f, ["wheel"], lag=-1.0), "lag"),
        (lambda f: TorqueDrives(f, ["wheel"], limit=0.0), "limit"),
        (lambda f: SampledLaw(3.0, 0.1), "must be (a )?function"),
        (lambda f: SampledLaw(lambda t, s: 0, 0.0), "period"),
        (lambda f: SampledLaw(lambda t, s: 0, 1e-300), "period"),
        (lambda f: SampledLaw(lambda t, s: 0, 1e-6, 1000.0), "too many commands would wait"),
        (lambda f: _called_at(TorqueDrives(f, ["wheel"], SampledLaw(lambda t, s: [0.0], 0.01)), 1e18), "too often"),
        (
            lambda f: TorqueDrives(f, ["wheel"], SampledLaw(lambda t, s: 0, 0.1, initial=[1.0, 2.0])).commands,
            "`initial` must have a number for each",
        ),
        (lambda f: _called_at(_variable(f, lambda t, s: ([0.0], 0.01)), 0.0), "time until the next call"),
        (lambda f: _called_at(_variable(f, lambda t, s: ([0.0], np.inf)), 0.0), "time until the next call"),
        (lambda f: _called_at(_variable(f, lambda t, s: [0.0]), 0.0), "wrong value.*time until its next call"),
        (lambda f: PulseTrain([0.2, 0.1], [1, 1]), "increase"),
        (lambda f: PulseTrain([0.1], [1, 1]), "row for each"),
        (lambda f: simulate(f, t1=1.0, controls=[3.0]), "must be (a )?function"),
        (lambda f: simulate(f, t1=1.0, controls=[TorqueDrives(f, ["wheel"])] * 2), "names of their own"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make(wheel())


def _variable(figure, law):
    return TorqueDrives(figure, ["wheel"], SampledLaw(law, 0.05, variable_period=True))


def _called_at(drives, t):
    nothing = FigureState(np.zeros(1), np.zeros(1), np.zeros(0))
    z = np.asarray(drives.start(nothing))
    for when in (0.0, t):
        z = np.asarray(drives.call(when, FigureState(np.zeros(1), np.zeros(1), z)))


def test_actuator_that_asks_to_be_called_without_end():
    class Endless(Actuator):
        def next_instant(self, t, state):
            return 0.5 if t < 0.5 else t

        def act(self, t, state):
            return np.zeros(1), np.zeros(0)

    with pytest.raises(RunError, match="called without end"):
        simulate(wheel(), t1=1.0, controls=Endless())
