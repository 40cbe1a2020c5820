"""The model of rigid bodies: what it refuses, what it packs, where it starts."""

# ruff: noqa: E501, tables of errors: a case a line

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, BodiesState, Body, Drag, Environment, Load, RunOptions, Spring
from motiform.motion.run import Guard
from runs import simulate_bodies

MATTER = MassProperties(2.0, np.array([0.1, 0.2, 0.3]), np.diag([1.0, 2.0, 2.5]))
QUARTER = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])  # by 90° about z
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"position": (0, NAN, 0)}, r"body 'x': position must be a finite vector \(got \(0, nan, 0\); allowed: three finite numbers\)"),
        ({"velocity": (0, INF, 0)}, "body 'x': velocity must be a finite vector"),
        ({"spin": (1, 2)}, r"body 'x': spin must be a finite vector \(got \(1, 2\)"),
        ({"position": "here"}, "body 'x': position must be a vector"),
        ({"rotation": np.eye(2)}, "body 'x': rotation must be a matrix"),
        ({"rotation": [[1, 0], [0]]}, "body 'x': rotation must be a matrix"),
        ({"rotation": 2 * np.eye(3)}, r"body 'x': rotation must be orthonormal \(got '\|RᵀR − 1\| = 3'; allowed: orthonormal"),
        ({"rotation": np.diag([1, 1, -1])}, "body 'x': rotation must be orthonormal"),
        ({"position": np.zeros((3, 3)), "spin": np.zeros((4, 3))}, r"body 'x': numbers of copies differ \(got \[3, 4\]"),
        ({"position": np.zeros((0, 3))}, r"body 'x': a body must have at least one copy"),
        ({"pivot": (0, 0)}, "body 'x': pivot must be a finite vector"),
        ({"pivot": np.zeros((2, 3))}, "body 'x': pivot must be one point"),
    ],
)  # fmt: skip
def test_impossible_bodies_are_refused(change, text):
    with pytest.raises(InputError, match=text):
        Body("x", MATTER, **change)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"springs": (Spring("x", "z", 1.0),)}, r"spring 1: unknown body \(got 'z'; allowed: x, y\)"),
        ({"springs": (Spring("x", "x", 1.0),)}, "spring 1: a spring needs two different ends"),
        ({"springs": (Spring(None, None, 1.0),)}, "spring 1: a spring needs two different ends"),
        (
            {"springs": (Spring("x", "y", -1.0),)},
            r"spring 1: stiffness is out of range \(got -1.0; allowed: .*at least 0",
        ),
        ({"springs": (Spring("x", "y", 1.0, damping=NAN),)}, "spring 1: damping is out of range"),
        ({"springs": (Spring("x", "y", 1.0, rest=-0.1),)}, "spring 1: rest length is out of range"),
        ({"springs": (Spring("x", "y", 1.0, at_b=(0, 0)),)}, "spring 1: end must be a finite vector"),
        ({"loads": (Load("xx"),)}, r"load 1: unknown body \(got 'xx'; allowed: x, y\)\. Did you mean 'x'\?"),
        ({"loads": (Load("x", force=(NAN, 0, 0)),)}, "load 1: force must be a finite vector"),
        (
            {"loads": (Load("x", start=2.0, until=1.0),)},
            r"load 1: a load must end after it starts \(got 'from 2.0 until 1.0 s'\)",
        ),
        ({"environment": Environment(gravity=(0, 1))}, "environment: gravity must be a finite vector"),
        (
            {"environment": Environment(gust_direction=(0, 0, 0))},
            "environment: length of the gust direction is out of range",
        ),
        ({"environment": Environment(gust_period=0.0)}, "environment: gust period is out of range"),
        ({"environment": Environment(gust_length=-1.0)}, "environment: gust length is out of range"),
    ],
)
def test_impossible_models_are_refused(more, text):
    with pytest.raises(InputError, match=text):
        Bodies((Body("x", MATTER), Body("y", MATTER, position=(1, 0, 0))), **more).packed


def test_drag_is_checked():
    with pytest.raises(InputError, match=r"drag of body 'x': area is out of range"):
        Bodies((Body("x", MATTER, drag=Drag((1, -1, 1))),)).packed
    with pytest.raises(InputError, match="environment: air density is out of range"):
        Bodies((Body("x", MATTER, drag=Drag(1.0)),), environment=Environment(air_density=-1.0)).packed


def test_names_and_number_of_bodies_are_checked():
    with pytest.raises(InputError, match="a model must have a body"):
        Bodies(())
    with pytest.raises(InputError, match=r"two bodies have one name \(got 'x'\)"):
        Bodies((Body("x", MATTER), Body("x", MATTER)))


def test_start_beyond_what_numbers_hold_is_refused():
    with pytest.raises(InputError, match="body 'x': the numbers at the start must be finite"):
        Bodies((Body("x", MATTER, velocity=(1e308, 0, 0)),)).packed


def test_a_spring_cannot_hold_copies():
    many = Body("x", MATTER, position=np.zeros((3, 3)))
    with pytest.raises(InputError, match=r"spring 1: a spring cannot hold many copies at once \(got 'x'\)"):
        Bodies((many,), springs=(Spring(None, "x", 1.0),)).packed


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"t1": 0.0}, "t1 is out of range"),
        ({"t1": NAN}, "t1 is out of range"),
        ({"rate": INF}, "rate is out of range"),
        ({"step": -1e-3}, r"step is out of range \(got -0.001; allowed: a finite number, above 0.0\)"),
        ({"atol": -1.0}, "atol is out of range"),
        ({"rtol": 0.0}, "rtol is out of range"),
        ({"integrator": "rk45"}, r"unknown integrator .* Did you mean 'rk4'\?"),
        (
            {"t1": 1e9, "rate": 1e3},
            r"too many samples \(got '1e\+12'; allowed: at most 1e9\). Lower rate or shorten the run",
        ),
        ({"t1": 1e300, "rate": 1e300}, "too many samples"),
        ({"step": 1e-30}, "too many steps from sample to sample"),
        ({"step": 5e-324, "rate": 1e-300, "t1": 1e300}, "too many steps from sample to sample"),
    ],
)
def test_impossible_options_are_refused(options, text):
    with pytest.raises(InputError, match=text):
        RunOptions(**({"t1": 1.0} | options))


@pytest.mark.parametrize(
    ("options", "samples", "steps"),
    [
        ({"t1": 1.0, "rate": 100.0, "step": 1e-3}, 101, 10),
        ({"t1": 0.3, "rate": 10.0, "step": 0.1}, 4, 1),  # 0.3·10 is a little below 3
        ({"t1": 1.0, "rate": 24.0, "step": 1e-2}, 25, 5),  # steps are shortened to fit a sample
        ({"t1": 1.0, "rate": 10.0, "step": 7.0}, 11, 1),
    ],
)
def test_samples_and_steps(options, samples, steps):
    made = RunOptions(**options)
    assert (made.samples, made.steps) == (samples, steps)


def test_start_is_the_centre_of_mass_and_its_momenta():
    body = Body("x", MATTER, position=(1, 2, 3), rotation=QUARTER, velocity=(1, 0, -1), spin=(3, 4, 5))
    state = Bodies((body,)).initial_state()
    assert state.position[0] == pytest.approx([1 - 0.2, 2 + 0.1, 3.3])
    assert state.momentum[0] == pytest.approx([2, 0, -2])
    assert state.angular_momentum[0] == pytest.approx(QUARTER @ (3 * 1.0, 4 * 2.0, 5 * 2.5))


def test_start_of_a_pinned_body_is_about_its_pivot():
    body = Body("x", MATTER, position=(1, 2, 3), rotation=QUARTER, spin=(3, 4, 5), pivot=(0.1, 0, 0.3))
    state = Bodies((body,)).initial_state()
    lever = np.array([0, 0.2, 0])
    assert state.momentum[0] == pytest.approx(2.0 * QUARTER @ np.cross((3, 4, 5), lever))  # its velocity follows
    inertia = MATTER.inertia + 2.0 * (lever @ lever * np.eye(3) - np.outer(lever, lever))
    assert state.angular_momentum[0] == pytest.approx(QUARTER @ inertia @ (3, 4, 5))


def test_copies_take_their_rows_in_order():
    a, b = Body("a", MATTER), Body("b", MATTER, position=np.arange(9.0).reshape(3, 3))
    model = Bodies((a, b))
    assert (model.count, model.slices) == (4, {"a": slice(0, 1), "b": slice(1, 4)})
    assert model.initial_state().position[1:] == pytest.approx(np.arange(9.0).reshape(3, 3) + MATTER.com)


def test_rows_and_state_are_one():
    state = Bodies((Body("a", MATTER, spin=(1, 2, 3)), Body("b", MATTER, position=(1, 1, 1)))).initial_state()
    again = BodiesState.from_rows(state.rows())
    for key in ("position", "rotation", "momentum", "angular_momentum"):
        assert np.array_equal(getattr(again, key), getattr(state, key))


def test_rest_length_is_the_length_at_the_start():
    a, b = Body("a", MATTER), Body("b", MATTER, position=(3, 0, 0), rotation=QUARTER)
    table = Bodies((a, b), springs=(Spring("a", "b", 5.0, at_a=(0, 0, 0), at_b=(4, 0, 0)),)).packed.springs
    assert table[:, 8] == pytest.approx([5, 5])  # from (0, 0, 0) to (3, 4, 0)


def test_replace_gives_a_changed_model():
    model = Bodies((Body("a", MATTER),))
    calm = model.replace(environment=Environment(gravity=(0, 0, 0)))
    assert model.environment.gravity == (0.0, -9.81, 0.0)
    assert calm.environment.gravity == (0, 0, 0)


# ---- what a run refuses --------------------------------------------------------------------------


def test_guards_need_dense_output():
    with pytest.raises(InputError, match=r"guards need dense output \(got 'rk4'; allowed: 'dormand-prince'\)"):
        simulate_bodies(
            Bodies((Body("a", MATTER),)), RunOptions(1.0, integrator="rk4"), guards=[Guard("g", lambda t, s: 1.0)]
        )


def test_nothing_to_resume():
    with pytest.raises(InputError, match="only a recording on disk can be resumed"):
        simulate_bodies(Bodies((Body("a", MATTER),)), RunOptions(1.0), resume=True)


@pytest.mark.parametrize("answer", [None, 3.0, (np.zeros((2, 3)), np.zeros((1, 3))), np.zeros((1, 3))])
def test_force_function_that_gives_something_else_is_named(answer):
    def push(t, state):
        return answer

    with pytest.raises(
        InputError, match=r"push, t = 0 s: a force function returned a wrong value .*\(1, 3\): forces and torques"
    ):
        simulate_bodies(Bodies((Body("a", MATTER),)), RunOptions(0.1), forces=[push])


def test_device_takes_bodies_alone_only():
    a, b = Body("a", MATTER), Body("b", MATTER, position=(1, 0, 0))
    model = Bodies((a, b), springs=(Spring("a", "b", 1.0),))
    with pytest.raises(InputError, match="the GPU takes fixed steps of bodies that do not act on one another"):
        simulate_bodies(model, RunOptions(0.1, device="cuda"))
