"""Who sticks, slides and leaves: `decide` on small problems."""

import numpy as np
import pytest

from models import free_body, on_floor
from motiform import contact
from motiform.base.errors import RunError
from motiform.geometry import Box
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.modes import decide
from motiform.motion.contact.problem import ContactProblem

G = 9.81


def posed(mu, push=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), size=(0.4, 0.2, 0.6)):
    """A box of 1 kg on the floor under a force through its middle."""
    figure = free_body(Box(size), name="box")
    problem = ContactProblem(figure, on_floor(figure, mu))
    q, v = figure.configuration(box=(0, size[1] / 2, 0, 1, 0, 0, 0)), figure.velocity(box=(0, 0, 0, *velocity))
    problem.activate(np.flatnonzero(problem.gaps(q) < 1e-9))
    problem.pose(np.concatenate([q, v]), np.array([0, 0, 0, *push], float))
    return problem


NO = np.zeros(4, np.int64), np.zeros((4, 2))


def totals(problem, answer):
    return problem.in_world(answer.x).sum(0)


@pytest.mark.parametrize("mu", [None, 0.5])
def test_at_rest_all_stick(mu):
    problem = posed(mu)
    answer = decide(problem, *NO)
    assert (answer.modes == contact_columns.STICK).all()
    assert totals(problem, answer) == pytest.approx((0, G, 0), abs=1e-10)
    assert problem.accelerations(answer.x) == pytest.approx(np.zeros(6), abs=1e-10)


def test_without_friction_all_slide():
    answer = decide(posed(0.0), *NO)
    assert (answer.modes == contact_columns.SLIDE).all()


@pytest.mark.parametrize("share", [0.5, 0.99, 0.9999])
def test_a_push_below_friction_is_held(share):
    """Also where single points, with forces shared in the least way, would have to slip."""
    problem = posed(0.3, push=share * 0.3 * G * np.array([0.6, 0, 0.8]))
    answer = decide(problem, *NO)
    assert (answer.modes == contact_columns.STICK).all()
    p = answer.x[:12].reshape(4, 3)
    assert (np.hypot(p[:, 0], p[:, 2]) <= 0.3 * p[:, 1] + 1e-9 * G).all()
    assert problem.accelerations(answer.x) == pytest.approx(np.zeros(6), abs=1e-8)


def test_a_push_above_friction_is_not():
    push = 1.2 * 0.3 * G * np.array([0.6, 0, 0.8])
    problem = posed(0.3, push=push)
    answer = decide(problem, *NO)
    assert (answer.modes == contact_columns.SLIDE).all()
    assert answer.along == pytest.approx(np.tile([0.6, 0.8], (4, 1)), abs=1e-8)
    assert totals(problem, answer) == pytest.approx((-0.18 * G, G, -0.24 * G), abs=1e-8)
    assert problem.accelerations(answer.x)[3:] == pytest.approx(0.06 * G * np.array([0.6, 0, 0.8]), abs=1e-8)


def test_pulled_up_all_leave():
    answer = decide(posed(0.3, push=(0, 2 * G, 0)), *NO)
    assert (answer.modes == contact_columns.FREE).all()
    assert (answer.x == 0).all()


def test_tall_box_pushed_hard_tips():
    """m g b/2 < F h/2 < μ m g h/2: the edge behind leaves, the one ahead sticks."""
    problem = posed(0.9, push=(0.6 * G, 0, 0), size=(0.2, 0.4, 0.3))
    answer = decide(problem, *NO)
    names = [problem.packed.names[k] for k in problem.active]
    modes = dict(zip(names, answer.modes, strict=True))
    assert {name: modes[name] for name in names if name.startswith("box.-")} == {
        "box.--- on ground": contact_columns.FREE,
        "box.--+ on ground": contact_columns.FREE,
    }
    assert modes["box.+-- on ground"] == modes["box.+-+ on ground"] == contact_columns.STICK


def test_what_slides_goes_on_against_friction():
    problem = posed(0.3, velocity=(3.0, 0, 4.0))
    slides, along = np.ones(4, np.int64), np.tile([0.6, 0.8], (4, 1))
    answer = decide(problem, slides, along)
    assert (answer.modes == contact_columns.SLIDE).all()
    assert totals(problem, answer) == pytest.approx((-0.18 * G, G, -0.24 * G), abs=1e-9)


def test_nothing_active_is_nothing_to_decide():
    problem = posed(0.3)
    problem.activate(np.zeros(0, np.int64))
    assert problem.pose(np.concatenate([[0, 1, 0, 1, 0, 0, 0], np.zeros(6)]), np.zeros(6)) == 0
    answer = decide(problem, np.zeros(0, np.int64), np.zeros((0, 2)))
    assert answer.x.shape == (0,)
    assert answer.modes.shape == (0,)


def test_paradox_is_refused_with_the_critical_friction():
    figure = free_body(name="rod", inertia=(1e-6, 1 / 12, 1 / 12))
    contacts = contact.Contacts((contact.ContactPoint("tip", "rod", (-0.5, 0, 0), friction=1.5),), (contact.floor(),))
    problem = ContactProblem(figure, contacts)
    half = np.arctan(2.0) / 2
    x, y = 0.5 / np.sqrt(5), 1 / np.sqrt(5)
    q = figure.configuration(rod=(x, y, 0, np.cos(half), 0, 0, np.sin(half)))
    problem.activate(np.array([0]))
    problem.pose(np.concatenate([q, np.zeros(6)]), np.zeros(6))
    with pytest.raises(RunError, match=r"Painlevé.*friction 1\.5.*tip on ground: above 1\.33333"):
        decide(problem, np.ones(1, np.int64), np.array([[-1.0, 0.0]]))
    assert decide(problem, np.ones(1, np.int64), np.array([[1.0, 0.0]])).modes.tolist() == [contact_columns.SLIDE]
