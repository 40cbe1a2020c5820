"""One motion, whichever way it is computed: fused kernels or step by step, on one core or two, at once or resumed."""

import numba
import numpy as np
import pytest

from models import Stop
from motiform.base.errors import RunError
from motiform.base.kernels import threads
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Drag, Environment, Load, RunOptions, Spring
from motiform.motion.run import Guard
from motiform.record import Recorder, compare, open_recording
from runs import simulate_bodies

FIXED = ["euler", "symplectic-euler", "rk4", "lie-midpoint"]
EPS = np.finfo(float).eps


def nothing(t, state):
    """A force function that pushes nothing, but takes the run off the fused kernels."""
    return np.zeros_like(state.position), np.zeros_like(state.position)


def flock(count: int) -> Bodies:
    """Plates that fall through gusts, one pinned, one pushed for a while (at instants that no step falls on)."""
    rng = np.random.default_rng(3)
    matter = MassProperties(0.2, np.array([0.01, 0.0, 0.0]), np.diag([2e-3, 3e-3, 1.5e-3]))
    plates = Body(
        "plates",
        matter,
        position=rng.normal(size=(count, 3)),
        velocity=rng.normal(size=(count, 3)),
        spin=3 * rng.normal(size=(count, 3)),
        drag=Drag((0.003, 0.03, 0.002), (0.006, 0, 0), 1e-5),
    )
    pinned = Body("pinned", matter, spin=(1, 5, 2), pivot=(0.0, 0.1, 0.0))
    pushed = Body("pushed", matter, spin=(1, 2, 3))
    load = Load("pushed", (0.3, 0, 0.1), (0.001, 0, 0), (0, 0.1, 0), False, 0.0503, 0.1507)
    wind = Environment(wind=(4, 0.5, 0), gust=(1.5, 1, 1), gust_length=3.0, gust_period=0.5)
    return Bodies((plates, pinned, pushed), loads=(load,), environment=wind)


def largest_difference(a, b) -> float:
    return max(float(np.abs(a[name] - b[name]).max() / max(1.0, np.abs(a[name]).max())) for name in a)


@pytest.mark.parametrize("integrator", FIXED)
def test_fused_kernels_equal_steps_to_rounding(integrator):
    options = RunOptions(0.2, 20, integrator, 5e-3)
    fused, stepped = (simulate_bodies(flock(3), options, forces=f) for f in ((), (nothing,)))
    # 40 steps of some 100 roundings, which a tumbling flight stretches by e^(Λt), Λt < 2
    assert largest_difference(fused, stepped) <= 40 * 100 * EPS * 8


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="this machine has one core")
@pytest.mark.parametrize("integrator", FIXED)
def test_same_bits_on_one_core_and_on_two(integrator):
    model, options = flock(150), RunOptions(0.05, 100, integrator, 5e-3)
    for forces in ((), (nothing,)):
        runs = []
        for count in (1, 2):
            with threads(count):
                runs.append(simulate_bodies(model, options, forces=forces))
        assert compare(*runs).identical


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="this machine has one core")
def test_same_bits_of_an_adaptive_run_on_one_core_and_on_two():
    runs = []
    for count in (1, 2):
        with threads(count):
            runs.append(simulate_bodies(flock(100), RunOptions(0.05, 100, "dormand-prince", rtol=1e-6, atol=1e-9)))
    assert compare(*runs).identical


@pytest.mark.parametrize("integrator", FIXED)
@pytest.mark.parametrize("forces", [(), (nothing,)], ids=["fused", "stepped"])
def test_same_bits_whatever_the_length_of_blocks(integrator, forces, monkeypatch):
    options = RunOptions(0.2, 100, integrator, 5e-3)
    whole = simulate_bodies(flock(2), options, forces=forces)
    monkeypatch.setattr("motiform.motion.run.blocks._BLOCK_BYTES", 4 * 18 * 8 * 3)  # three samples a block
    assert compare(whole, simulate_bodies(flock(2), options, forces=forces)).identical


# ---- interrupted and resumed ---------------------------------------------------------------------


def on_springs() -> Bodies:
    matter = MassProperties(1.0, np.zeros(3), np.diag([0.02, 0.05, 0.06]))
    a = Body("a", matter, position=(0, 1, 0), spin=(3, 1, -2))
    b = Body("b", matter, position=(0.5, 1, 0), spin=(-1, 2, 4))
    return Bodies(
        (a, b), springs=(Spring("a", "b", 40.0, (-0.1, 0, 0.05), (0, 0.12, -0.04)), Spring(None, "a", 50.0, (0, 2, 0)))
    )


def turned(t, state):
    momentum = state.momentum.copy()
    momentum[:, 1] = -0.9 * momentum[:, 1]
    return type(state)(state.position, state.rotation, momentum, state.angular_momentum)


GUARDS = [
    Guard("low", lambda t, s: s.position[0, 1] - 0.8, "down", then=turned),
    Guard("near", lambda t, s: s.position[1, 0] - 0.5),
]
WAYS = [
    *(pytest.param(flock(2), name, {}, id=f"fused {name}") for name in FIXED),
    *(pytest.param(on_springs(), name, {}, id=f"stepped {name}") for name in FIXED),
    pytest.param(on_springs(), "cash-karp", {}, id="cash-karp"),
    pytest.param(on_springs(), "dormand-prince", {}, id="dormand-prince"),
    pytest.param(on_springs(), "dormand-prince", {"guards": GUARDS}, id="dormand-prince with guards"),
]


def stop_at(fraction):
    def progress(done):
        if done >= fraction:
            raise Stop

    return progress


@pytest.fixture
def many_commits(monkeypatch):
    """Blocks of five samples or so, each of them committed with its checkpoint."""
    monkeypatch.setattr("motiform.motion.run.blocks._BLOCK_BYTES", 4 * 18 * 8 * 5)
    commit = Recorder.commit
    monkeypatch.setattr(
        Recorder, "commit", lambda self, checkpoint=None, force=False: commit(self, checkpoint, force=True)
    )


@pytest.mark.parametrize(("model", "integrator", "more"), WAYS)
def test_interrupted_run_resumes_to_the_same_bits(model, integrator, more, tmp_path, many_commits):
    options = RunOptions(1.0, 50, integrator, 5e-3, 1e-8, 1e-10)
    whole = simulate_bodies(model, options, **more)
    with pytest.raises(Stop):
        simulate_bodies(model, options, out=tmp_path / "run.mf", progress=stop_at(0.4), **more)
    left = open_recording(tmp_path / "run.mf")
    assert not left.complete
    assert 0.3 < left.duration < 0.7
    fractions = []
    resumed = simulate_bodies(model, options, out=tmp_path / "run.mf", resume=True, progress=fractions.append, **more)
    assert fractions[0] > 0.4  # it goes on; it does not begin again
    assert resumed.complete
    assert compare(whole, resumed).identical
    assert [(e.time, e.name) for e in resumed.events] == [(e.time, e.name) for e in whole.events]
    assert len(whole.events) >= (3 if more else 0)


@pytest.mark.parametrize(("model", "integrator", "more"), WAYS[-3:])
def test_interrupted_at_every_block_resumes_to_the_same_bits(model, integrator, more, tmp_path, many_commits):
    options = RunOptions(0.3, 100, integrator, 5e-3, 1e-8, 1e-10)
    whole, resume, stops = simulate_bodies(model, options, **more), False, 0
    while True:
        try:
            done = simulate_bodies(model, options, out=tmp_path / "run.mf", resume=resume, progress=stop_at(-1), **more)
            break
        except Stop:
            resume, stops = True, stops + 1
            assert stops < 20
            if open_recording(tmp_path / "run.mf").duration == pytest.approx(0.3):
                done = simulate_bodies(model, options, out=tmp_path / "run.mf", resume=True, **more)
                break
    assert stops >= 4
    assert compare(whole, done).identical
    assert [(e.time, e.name) for e in done.events] == [(e.time, e.name) for e in whole.events]


def test_run_stopped_before_its_first_checkpoint_begins_again(tmp_path):
    options = RunOptions(0.2, 100, "rk4", 5e-3)
    with pytest.raises(Stop):
        simulate_bodies(flock(2), options, out=tmp_path / "run.mf", progress=stop_at(0.0))
    resumed = simulate_bodies(flock(2), options, out=tmp_path / "run.mf", resume=True)
    assert compare(simulate_bodies(flock(2), options), resumed).identical


def test_run_that_ended_at_an_event_is_not_driven_past_it(tmp_path, many_commits):
    """Stopped after the block in which the event ended the run, before it was marked complete."""
    matter = MassProperties(1.0, np.zeros(3), np.eye(3))
    model = Bodies((Body("ball", matter, position=(0, 1, 0)),))
    end = [Guard("floor", lambda t, s: s.position[0, 1], "down", ends=True)]
    options = RunOptions(1.0, 100, "dormand-prince")
    whole = simulate_bodies(model, options, guards=end)
    fall = np.sqrt(2 / 9.81)
    assert whole.duration == pytest.approx(0.45, abs=1e-12)  # the last sample before the event
    with pytest.raises(Stop):
        simulate_bodies(model, options, guards=end, out=tmp_path / "run.mf", progress=stop_at(0.45))
    resumed = simulate_bodies(model, options, guards=end, out=tmp_path / "run.mf", resume=True)
    assert compare(whole, resumed).identical
    assert [e.time for e in resumed.events] == pytest.approx([fall], abs=1e-12)


# ---- runs that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize("forces", [(), (nothing,)], ids=["fused", "stepped"])
def test_run_that_diverges_says_where_and_keeps_the_samples_before(forces, tmp_path):
    """Explicit Euler on violent drag: v grows without bound."""
    matter = MassProperties(0.01, np.zeros(3), np.eye(3))
    model = Bodies((Body("leaf", matter, velocity=(50, 0, 0), drag=Drag(1.0)),))
    with (
        np.errstate(all="ignore"),
        pytest.raises(RunError, match=r"t = 0\.\d+ s: the run has diverged .* Take a smaller step"),
    ):
        simulate_bodies(model, RunOptions(10.0, 10, "euler", 0.1), forces=forces, out=tmp_path / "run.mf")
    left = open_recording(tmp_path / "run.mf")
    assert not left.complete
    assert left.count("energy") >= 3
    assert np.isfinite(left["leaf.position"]).all()


def test_failed_run_leaves_the_checkpoint_of_its_last_good_sample(tmp_path, many_commits):
    """A load throws the bodies to infinity at 0.8 s, after several blocks; what is resumed fails there again."""
    model = on_springs().replace(loads=(Load("b", force=(1e308, 0, 0), start=0.8003),))
    options = RunOptions(1.0, 100, "rk4", 5e-3)
    for resume in (False, True):
        with np.errstate(all="ignore"), pytest.raises(RunError, match=r"body '.', t = 0\.8\d* s"):
            simulate_bodies(model, options, out=tmp_path / "run.mf", resume=resume)
        left = open_recording(tmp_path / "run.mf")
        assert left.duration == pytest.approx(0.8, abs=0.02)
    calm = simulate_bodies(on_springs(), options)
    n = left.count("a.position")
    assert np.array_equal(left["a.position"], calm["a.position"][:n])


def test_adaptive_run_that_diverges_says_so():
    matter = MassProperties(1.0, np.zeros(3), np.eye(3))

    def away(t, state):
        return state.position**3 * 100, np.zeros_like(state.position)

    model = Bodies((Body("x", matter, position=(1, 0, 0)),))
    with pytest.raises(RunError, match=r"the step is too small"):
        simulate_bodies(model, RunOptions(10.0, 10, "dormand-prince"), forces=[away])


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e12])
def test_midpoint_that_does_not_converge_says_so(stiffness):
    """Springs of 30 rad/s and more with a step of 0.1 s: sweeps over the mean load do not settle, or run away."""
    matter = MassProperties(1.0, np.zeros(3), np.eye(3))
    model = Bodies((Body("x", matter, position=(1, 0, 0)),), springs=(Spring(None, "x", stiffness, rest=0.1),))
    why = "the step is too long for the implicit solver|the run has diverged"
    with np.errstate(all="ignore"), pytest.raises(RunError, match=rf"body 'x', t = 0.1 s: ({why})"):
        simulate_bodies(model, RunOptions(1.0, 10, "lie-midpoint", 0.1))


def test_progress_rises_to_one():
    fractions = []
    simulate_bodies(flock(2), RunOptions(0.5, 100, "rk4", 5e-3), progress=fractions.append)
    assert fractions[0] == 0.0
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)
