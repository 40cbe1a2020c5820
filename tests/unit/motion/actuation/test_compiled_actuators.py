"""Actuators in compiled steps do what they do in Python: forces, rates, clocks, events, gains."""

import pickle

import numpy as np
import pytest

from models import stop_after
from motiform import FigureBuilder, actuation, contact, joints, open_recording, simulate
from motiform import muscles as ms
from motiform.motion.actuation import (
    CommandedControl,
    CoordinateControl,
    CoordinateDrive,
    EffortTrajectory,
    HillMuscles,
    Motor,
    Motors,
    PostureTrajectory,
    PulseTrain,
    SampledLaw,
    ServoLaw,
    StimulatedMuscles,
    StretchReflex,
    TorqueDrives,
)
from motiform.motion.actuation.stimulation import HAMSTRINGS, QUADRICEPS, KneeGeometry
from motiform.motion.tree import FigureState
from motiform.motion.tree.model.acting import Acting

Z = (0.0, 0.0, 1.0)
STEPPING = {"contacts": contact.Contacts(), "integrator": "time-stepping", "step": 2e-3}


def leg():
    b = FigureBuilder(gravity=(0, -9.81, 0))
    size = {"mass": 2.0, "com": (0, -0.2, 0), "inertia": np.diag([0.03, 0.003, 0.03]), "armature": 0.1}
    b.segment("hip", None, joints.revolute(Z), **size)
    b.segment("knee", "hip", joints.revolute(Z), **size)
    return b.build()


LEG = leg()
GROUND = (ms.PathPoint(None, (0.05, 0.1, 0)), ms.PathPoint("hip", (0.03, -0.2, 0)), ms.PathPoint("knee", (0.03, 0, 0)))
MUSCLES = ms.Muscles(
    LEG,
    tuple(
        ms.Muscle(ms.MusclePath(name, GROUND[:n]), 300.0, fibre_length=0.1, slack_length=0.18, model=model)
        for name, n, model in (("one", 2, ms.DeGrooteFregly()), ("two", 3, ms.Millard()), ("three", 2, ms.Thelen()))
    ),
)
WAY = PostureTrajectory(LEG, [0.0, 0.05, 0.2], [[0.1, 0.0], [0.4, -0.3], [0.2, -0.1]])
MOTORS = [Motor("hip", 0.02, 1.5, gear=50.0, viscous=0.1), Motor("knee", 0.02, 1.5, 40.0, inductance=1e-3, voltage=9.0)]
PULSES = PulseTrain([0.0, 0.013, 0.03, 0.05], [[1.0, 0.2], [0.4, 0.0], [0.0, 1.0], [0.8, 0.8]])
EXCITED = PulseTrain([0.0, 0.02], [[0.2, 0.3, 0.1], [0.9, 0.1, 0.4]])


def law(t, state):
    return [20 * np.sin(40 * t) - state.q[0], -2 * state.v[1]]


KINDS = {
    "posture": lambda: actuation.posture_control(LEG, WAY, frequency=3.0, limit=4.0),
    "drives of coordinates": lambda: CoordinateControl(LEG, [CoordinateDrive("knee", 1.0, 20.0, 0.5, 0.1)]),
    "efforts": lambda: EffortTrajectory([0.01, 0.03, 0.07], [[1.0, 0.0], [4.0, 2.0], [0.0, 1.0]]),
    "held efforts": lambda: EffortTrajectory([0.01, 0.033], [[1.0, 0.0], [4.0, 2.0]], hold=True),
    "sampled law": lambda: CommandedControl(LEG, law, 0.005, 0.0032),
    "torque drives": lambda: TorqueDrives(
        LEG, ("knee", "hip"), PulseTrain([0.0, 0.021], [[3.0, 9.0], [-1.0, 1.0]]), 5.0
    ),
    "drives with lag": lambda: TorqueDrives(LEG, ("knee",), SampledLaw(lambda t, s: [t * 50], 0.01), 5.0, 0.02),
    "motors": lambda: Motors(LEG, MOTORS, SampledLaw(ServoLaw(LEG, ("hip", "knee"), WAY, 40.0, 1.0), 0.005, 0.001)),
    "muscles": lambda: HillMuscles(MUSCLES, EXCITED, activation=0.3),
    "reflex": lambda: HillMuscles(
        MUSCLES, SampledLaw(StretchReflex(MUSCLES, EXCITED, [0.1, -0.2], 2.0, 0.3, 0.01), 0.005), activation=0.3
    ),
    "stimulated muscles": lambda: StimulatedMuscles(
        KneeGeometry(LEG, "knee", -1.0), (QUADRICEPS, HAMSTRINGS), PULSES, delay=0.004, name="stimulation"
    ),
}


def mixed():
    """Return several kinds at once."""
    return [KINDS[name]() for name in ("posture", "efforts", "motors", "muscles", "stimulated muscles")]


KINDS["all"] = mixed


def as_list(controls):
    return controls if isinstance(controls, list) else [controls]


def in_python(controls):
    """Return the same actuators as ones that only Python knows."""

    class Plain:
        def __init__(self, control):
            self.control, self.jumps = control, getattr(control, "jumps", ())
            self.stiffness, self.damping = getattr(control, "stiffness", 0.0), getattr(control, "damping", 0.0)
            self.limit = getattr(control, "limit", None)
            self.saturated = getattr(control, "saturated", None)

        def __call__(self, t, state):
            return self.control(t, state)

    def changed(one):
        if not isinstance(one, actuation.Actuator):
            plain = Plain(one)
            if plain.saturated is None:
                del plain.saturated
            return plain
        kind = type(one)
        return_act = lambda self, t, state: kind.act(self, t, state)  # noqa: E731
        made = object.__new__(type(kind.__name__, (kind,), {"act": return_act}))
        made.__dict__.update(one.__dict__)
        return made

    return [changed(one) for one in as_list(controls)]


def begun(controls, q=(0.2, -0.3), v=(0.5, -1.0)):
    acting = Acting(LEG, controls)
    state = FigureState(np.array(q), np.array(v))
    return acting, FigureState(state.q, state.v, acting.begin(state))


@pytest.mark.parametrize("kind", KINDS)
def test_forces_and_rates_are_those_of_python(kind):
    """At random states, along the calls of a run: sums of few terms in another order, 1e-12 of the largest."""
    acting, state = begun(as_list(KINDS[kind]()))
    slow, _ = begun(in_python(KINDS[kind]()))
    assert acting.actuation is not None
    assert slow.actuation is None
    rng, t = np.random.default_rng(5), 0.0
    for _ in range(25):
        q, v = rng.uniform(-0.4, 0.4, 2), rng.uniform(-3, 3, 2)
        z = state.z.copy()
        z[: acting.nx] *= rng.uniform(0.95, 1.05, acting.nx)
        now = FigureState(q, v, z)
        found, expected = acting.act(t, now), slow.act(t, now)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max(initial=1.0))
        np.testing.assert_allclose(acting.margins(t, now), slow.margins(t, now), rtol=1e-12, atol=1e-9)
        assert acting.next_instant(t, now) == slow.next_instant(t, now)
        t = min(slow.next_instant(t, now), t + 0.003)
        z = slow.call(t, now)
        state = FigureState(q, v, z)


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_steps_go_where_steps_in_python_go(kind):
    """The same method: rounding apart, which a run of 60 ms does not grow by more than some thousand times."""
    more = {"t1": 0.06, "rate": 100, "q0": [0.2, -0.3], "v0": [0.5, -1.0], **STEPPING}
    found = simulate(LEG, controls=as_list(KINDS[kind]()), **more)
    expected = simulate(LEG, controls=in_python(KINDS[kind]()), **more)
    for name in expected.names:
        if name != "muscles.line":  # of two parts that are as long rounding tells which one is halved
            size = np.abs(expected[name]).max(initial=1e-3)
            np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-11 * size, err_msg=name)
    assert [event.name for event in found.events] == [event.name for event in expected.events]
    times = [event.time for event in expected.events]
    assert [event.time for event in found.events] == pytest.approx(times, abs=1e-12)


def test_events_of_stimulated_muscles_happen_within_steps():
    """Contractile elements turn where pulses end: the run above has such events."""
    rec = simulate(
        LEG, controls=KINDS["stimulated muscles"](), t1=0.2, rate=100, q0=[0.2, -0.3], v0=[0, 4.0], **STEPPING
    )
    assert any("contractile element turns" in event.name for event in rec.events)


def test_a_run_that_was_stopped_goes_on_to_the_same_bits(tmp_path):
    more = {"t1": 0.12, "rate": 250, "q0": [0.2, -0.3], **STEPPING}
    whole = simulate(LEG, controls=mixed(), **more)
    with pytest.raises(KeyboardInterrupt):
        simulate(LEG, controls=mixed(), out=tmp_path / "part.mf", progress=stop_after(0.4), **more)
    simulate(LEG, controls=mixed(), out=tmp_path / "part.mf", resume=True, **more)
    part = open_recording(tmp_path / "part.mf")
    for name in whole.names:
        assert (part[name] == whole[name]).all(), name


def test_gains_do_not_count_at_a_limit():
    from motiform.base.kernels import typed_entry
    from motiform.motion.tree.model.actuation import Actuation
    from motiform.motion.tree.model.actuation_kernels import actuator_gains

    gains = typed_entry("void", "float64", Actuation, *["float64[::1]"] * 5)(actuator_gains.py_func)
    acting, state = begun([KINDS["posture"](), KINDS["motors"]()], v=(0.0, 0.0))
    for q in ((0.11, 0.01), (2.0, 0.0), (2.0, -3.0)):
        now = FigureState(np.array(q), state.v, state.z)
        K, D = np.empty(2), np.empty(2)
        gains.function(0.0, acting.actuation, now.q, now.v, now.z, K, D)
        expected = acting.gains(0.0, now)
        # what is taken off a sum there is not put in here: some roundings of the largest
        for one, other in zip((K, D), expected, strict=True):
            np.testing.assert_allclose(
                one, other, rtol=0, atol=1e-15 * max(acting.stiffness.max(), acting.damping.max())
            )


def test_samples_together_are_those_one_by_one():
    muscles, state = KINDS["muscles"](), begun([KINDS["muscles"]()])[1]
    rng = np.random.default_rng(2)
    states = [FigureState(rng.uniform(-0.4, 0.4, 2), rng.uniform(-3, 3, 2), state.z) for _ in range(7)]
    together = muscles.measure_all(np.zeros(7), states)
    for k, one in enumerate(states):
        for name, value in muscles.measure(0.0, one).items():
            assert (np.asarray(together[name][k]) == value).all(), name


def test_what_a_subclass_changes_is_asked_in_python():
    class Late(TorqueDrives):
        def act(self, t, state):
            return 2.0 * np.asarray(super().act(t, state)[0]), state.z[:0]

    acting, state = begun([Late(LEG, ("hip",), 3.0)])
    assert acting.actuation is None
    assert acting.act(0.0, state)[0].tolist() == [6.0, 0.0]
    assert begun([lambda t, s: np.zeros(2), KINDS["motors"]()])[0].actuation is None


def test_addresses_do_not_travel():
    """Packed actuators are pickled by name: another process has other addresses."""
    controls, (acting, state) = mixed(), begun(mixed())
    expected = acting.act(0.01, state)
    for other in (begun(pickle.loads(pickle.dumps(controls)))[0], pickle.loads(pickle.dumps(acting))):
        assert "actuation" not in vars(other) or other is not acting
        for one, two in zip(other.act(0.01, state), expected, strict=True):
            assert (one == two).all()
