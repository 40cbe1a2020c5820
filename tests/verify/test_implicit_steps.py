"""Radau IIA: order, stiff equations against SciPy's, events, figures that are stiff, resumed runs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, actuation, contact, joints, open_recording, simulate
from motiform.motion.actuation import Motor, Motors, SampledLaw
from motiform.motion.figures import kondo
from motiform.motion.run import DORMAND_PRINCE, ExplicitStep, Guard, march
from motiform.motion.run.implicit import ImplicitStep
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.stepping.phases import PhaseSteps
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.state import FigureState


def van_der_pol(stiffness):
    def rate(t, y, out):
        out[0], out[1] = y[1], stiffness * (1 - y[0] ** 2) * y[1] - y[0]

    return rate


def function(rate):
    def found(t, y):
        out = np.empty_like(y)
        rate(t, y, out)
        return out

    return found


@pytest.mark.parametrize("counted", [None, 2])
def test_order_of_steps_and_of_sums_along_the_way(counted):
    """x' = v, v' = −x, s' = x²: fixed steps are of order 5, and s, which is not counted, is a sum of the same order."""

    def rate(t, y, out):
        out[:] = y[1], -y[0], y[0] ** 2

    errors = []
    for steps in (10, 20, 40):
        stepper = ImplicitStep(rate, size=3, rtol=1e-13, atol=1e-15, counted=counted)
        y, h = np.array([1.0, 0.0, 0.0]), 2.0 / steps
        for k in range(steps):
            y = stepper.step(k * h, y, h)
        errors.append(np.abs(y - [np.cos(2), -np.sin(2), 1.0 + np.sin(4) / 4]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (np.abs(orders - 5) < 0.2).all(), orders


@pytest.mark.slow
def test_a_stiff_oscillator_is_scipys():
    """Van der Pol's with 1000, three relaxations; as many steps as SciPy's Radau, within a quarter."""
    rate = van_der_pol(1e3)
    want = solve_ivp(function(rate), (0, 1500), [2.0, 0.0], method="Radau", rtol=1e-10, atol=1e-12)
    peer = solve_ivp(function(rate), (0, 1500), [2.0, 0.0], method="Radau", rtol=1e-6, atol=1e-9)
    stepper = ImplicitStep(rate, size=2, rtol=1e-6, atol=1e-9)
    segments = list(march(stepper, 0.0, np.array([2.0, 0.0]), 1500.0))
    assert segments[-1].end[0] == pytest.approx(want.y[0, -1], abs=1e-6)
    assert len(segments) < 1.25 * len(peer.t)
    middle = [0.5 * (s.t0 + s.t1) for s in segments]
    dense = solve_ivp(function(rate), (0, 1500), [2.0, 0.0], method="Radau", rtol=1e-10, atol=1e-12, t_eval=middle)
    error = np.abs([s.solution(t)[0] for s, t in zip(segments, middle, strict=True)] - dense.y[0])
    assert np.median(error) < 1e-6
    with np.errstate(all="ignore"):
        explicit = ExplicitStep(DORMAND_PRINCE, rate, size=2, rtol=1e-6, atol=1e-9)
        count = sum(1 for _ in march(explicit, 0.0, np.array([2.0, 0.0]), 5.0))
    assert count * 300 > 50 * len(segments)  # of explicit steps, to the same end


def test_events_on_the_way():
    """A ball in thick air, v' = −g − k v, k = 10⁴: it sinks at g/k, and lands when z0 = g/k (t − (1 − e^(−kt))/k)."""

    def rate(t, y, out):
        out[:] = y[1], -9.81 - 1e4 * y[1]

    floor = Guard("lands", zero=lambda t, y: y[0], crossing="down", ends=True)
    stepper = ImplicitStep(rate, size=2, rtol=1e-9, atol=1e-12)
    last = list(march(stepper, 0.0, np.array([1e-3, 0.0]), 10.0, guards=[floor]))[-1]
    assert last.t1 == pytest.approx(1e-3 * 1e4 / 9.81 + 1e-4, rel=1e-7)
    assert 10 * stepper.evaluations < 6 * 1e4 * last.t1 / 3.3  # of Dormand and Prince's steps, stable up to 3.3/k


def stiff_arm(integrator, **more):
    """A motor whose inductance is small: its current follows within 3 µs, and its law is called late, with memory."""
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.3, 0), inertia=np.eye(3) * 0.05)
    motor = Motor("arm", 0.2, 3.0, gear=5, inductance=1e-5)

    def law(t, state, memory):
        error = np.sin(3 * t) - state.q[0]
        return 20 * error - 2 * state.v + 5 * memory, memory + 0.01 * error

    motors = Motors(b.build(), [motor], SampledLaw(law, 0.03, 0.071, memory=[0.0]))
    options = {"t1": 0.6, "rate": 100, "rtol": 1e-8, "atol": 1e-10}
    return simulate(motors.figure, controls=motors, integrator=integrator, **options | more)


@pytest.fixture
def counted(monkeypatch):
    """Evaluations of the rates of figures."""
    seen = [0]
    for kind in (FigureEquations, ContactEquations):
        plain = kind.rate

        def rate(self, t, y, out, plain=plain):
            seen[0] += 1
            return plain(self, t, y, out)

        monkeypatch.setattr(kind, "rate", rate)
    return seen


@pytest.mark.slow
def test_a_stiff_motor_takes_a_tenth_of_the_evaluations(counted):
    implicit = stiff_arm("radau")
    few, counted[0] = counted[0], 0
    explicit = stiff_arm("dormand-prince")
    np.testing.assert_allclose(implicit["q"], explicit["q"], atol=1e-6)
    np.testing.assert_allclose(implicit["motors.current"], explicit["motors.current"], atol=1e-3)
    assert 10 * few < counted[0]


def motor_with_a_law():
    """Equations of the arm with its fast motor, under a law of its state and of time."""
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.3, 0), inertia=np.eye(3) * 0.05)
    motor = Motor("arm", 0.2, 3.0, gear=5, inductance=1e-5)
    motors = Motors(b.build(), [motor], lambda t, state: 20 * (np.sin(3 * t) - state.q) - 2 * state.v)
    return FigureEquations(motors.figure, FigureState(np.zeros(1), np.zeros(1), np.zeros(0)), motors)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["motor", "van der Pol"])
def test_at_an_equal_error_it_takes_at_most_twice_cvodes_evaluations(case):
    """SUNDIALS' BDF of variable order at rtol 1e-6 errs by more than Radau's fixed order at 1e-4."""
    cvode = pytest.importorskip("sksundae.cvode")
    motor = motor_with_a_law()
    rate, y0, t1 = (motor.rate, motor.initial(), 2.0) if case == "motor" else (van_der_pol(1e3), [2.0, 0.0], 1500.0)
    y0, seen = np.array(y0), [0]

    def counted(t, y, out):
        seen[0] += 1
        rate(t, np.array(y), out)

    want = solve_ivp(function(rate), (0.0, t1), y0, method="Radau", rtol=1e-11, atol=1e-13).y[:, -1]
    peer = cvode.CVODE(counted, method="BDF", rtol=1e-6, atol=1e-8, max_num_steps=100_000)
    theirs = np.abs(peer.solve(np.array([0.0, t1]), y0).y[-1] - want).max()
    many, seen[0] = seen[0], 0
    stepper = ImplicitStep(counted, size=len(y0), rtol=1e-4, atol=1e-6)
    ours = np.abs(list(march(stepper, 0.0, y0, t1))[-1].end - want).max()
    assert ours < theirs < 1e-3
    assert seen[0] < 2 * many


@pytest.mark.slow
@pytest.mark.parametrize("contacts", [None, contact.Contacts()])
def test_interrupted_runs_resume_to_the_same_bits(contacts, tmp_path, monkeypatch):
    from motiform.motion.run import Pace

    monkeypatch.setattr(Pace, "full", lambda self, kept: kept >= 3)  # commits wherever a block may end

    class Stop(Exception):
        pass

    def progress(part):
        if part > 0.4:
            raise Stop

    own = {} if contacts is None else {"contacts": contacts}
    with pytest.raises(Stop):
        stiff_arm("radau", out=tmp_path / "part.mf", progress=progress, **own)
    assert not open_recording(tmp_path / "part.mf").complete
    went = stiff_arm("radau", out=tmp_path / "part.mf", resume=True, **own)
    whole = stiff_arm("radau", **own)
    for name in whole.names:
        np.testing.assert_array_equal(np.asarray(went[name]), np.asarray(whole[name]), err_msg=name)


@pytest.mark.slow
def test_stiff_joints_in_contact(counted, monkeypatch):
    """Kondo stands with joints of 60 Hz, damped 20 times over the critical: a fifth of the evaluations."""
    monkeypatch.setattr(PhaseSteps, "can_take", staticmethod(lambda system, stepper: False))  # compiled ones: uncounted
    figure = kondo()
    stiff = actuation.posture_control(figure, figure.neutral(), frequency=60.0, ratio=20.0)
    ground = contact.Contacts(contact.points_of_tags(figure, friction=0.8), contact.floor())
    found = {}
    for integrator in ("radau", "dormand-prince"):
        counted[0] = 0
        rec = simulate(
            figure, contacts=ground, controls=stiff, t1=0.03, rate=100, integrator=integrator, rtol=1e-6, atol=1e-8
        )
        found[integrator] = rec, counted[0]
    (implicit, few), (explicit, many) = found.values()
    np.testing.assert_allclose(implicit["q"], explicit["q"], atol=1e-6)
    assert implicit["contact.force"][-1, :, 1].sum() == pytest.approx(figure.mass * 9.81, rel=1e-3)
    assert 5 * few < many
