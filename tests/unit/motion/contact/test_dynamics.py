"""`contact_gaps`, `contact_rows`, `contact_dynamics`, `contact_impact`, `solve_contacts`: what they give and refuse."""

import numpy as np
import pytest

from models import free_body, on_floor
from motiform import contact
from motiform.base.errors import InputError
from motiform.geometry import Box
from motiform.motion import tree

G = 9.81
SHAPE = Box((0.4, 0.2, 0.6))


def box(mass=2.0):
    figure = free_body(SHAPE, mass, "box")
    return figure, on_floor(figure), figure.configuration(box=(0, 0.1, 0, 1, 0, 0, 0))


def test_gaps_are_of_the_nearest_obstacle():
    figure, contacts, q = box()
    assert contact.contact_gaps(figure, contacts, q) == pytest.approx([0, 0, 0.2, 0.2] * 2)
    wall = contact.plane(name="wall", point=(-0.25, 0, 0), normal=(1, 0, 0))
    both = contacts.replace(obstacles=(contact.floor(), wall))
    assert contact.contact_gaps(figure, both, q) == pytest.approx([0, 0, 0.05, 0.05, 0, 0, 0.2, 0.2])
    many = np.stack([q, q])
    many[1, 1] += 0.3
    assert contact.contact_gaps(figure, contacts, many)[1] == pytest.approx([0.3, 0.3, 0.5, 0.5] * 2)
    rows = contact.contact_rows(figure, both, q)
    assert rows.axes[2, 1] == pytest.approx((1, 0, 0))
    assert rows.axes[0] == pytest.approx(np.eye(3))


def test_box_at_rest_presses_with_its_weight_evenly():
    figure, contacts, q = box()
    found = contact.contact_dynamics(figure, contacts, q, np.zeros(6), np.zeros(6))
    assert found.acceleration == pytest.approx(np.zeros(6), abs=1e-10)
    low = [0, 1, 4, 5]
    assert found.forces[low] == pytest.approx(np.tile([0, 2 * G / 4, 0], (4, 1)), abs=1e-10)
    assert found.wrenches == pytest.approx(np.array([[0, 0, 0, 0, 2 * G, 0]]), abs=1e-10)
    assert found.opening[low] == pytest.approx(np.zeros(4), abs=1e-10)
    assert np.isnan(found.opening[[2, 3, 6, 7]]).all()


def test_box_that_is_pulled_off():
    figure, contacts, q = box()
    load = np.array([[0, 0, 0, 0, 3 * G, 0]])  # half as much again as its weight
    found = contact.contact_dynamics(figure, contacts, q, np.zeros(6), np.zeros(6), external=load)
    assert found.acceleration[4] == pytest.approx(G / 2)
    assert np.abs(found.forces).max() < 1e-10
    assert found.opening[0] == pytest.approx(G / 2)


def test_box_pushed_at_its_top_tips():
    """A horizontal force at height h above m g b/(2h) lifts one edge; the other carries all."""
    figure, contacts, q = box()
    push = 2 * G * 0.2 / 0.1 * 1.5
    found = contact.contact_dynamics(figure, contacts, q, np.zeros(6), np.zeros(6), external=[[0, 0, 0, push, 0, 0]])
    assert np.abs(found.forces[[0, 1], 1]).max() < 1e-10
    assert (found.forces[[4, 5], 1] > 0).all()
    about = SHAPE.mass_properties(mass=2.0).inertia[2, 2] + 2 * (0.2**2 + 0.1**2)
    assert found.acceleration[2] == pytest.approx(-(push * 0.1 - 2 * G * 0.2) / about)


def test_without_contacts_it_falls():
    figure, contacts, q = box()
    high = q + np.array([0, 1, 0, 0, 0, 0, 0])
    found = contact.contact_dynamics(figure, contacts, high, np.zeros(6), np.zeros(6))
    assert found.acceleration == pytest.approx(tree.forward_dynamics(figure, high, np.zeros(6), np.zeros(6)))
    hit = contact.contact_impact(figure, contacts, high, [0, 0, 0, 0, -1.0, 0])
    assert hit.velocity == pytest.approx([0, 0, 0, 0, -1.0, 0])
    assert hit.lost == 0
    assert (hit.impulses == 0).all()


def test_order_of_named_points_does_not_matter():
    figure, contacts, q = box()
    names = ["box.---", "box.+-+", "box.--+"]
    one, two = (
        contact.contact_dynamics(figure, contacts, q, np.zeros(6), np.zeros(6), active=order)
        for order in (names, names[::-1])
    )
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_wrong_input_is_named():
    figure, contacts, q = box()
    zero = np.zeros(6)
    with pytest.raises(InputError, match=r"no such contact point.*Did you mean 'box\.---'"):
        contact.contact_dynamics(figure, contacts, q, zero, zero, active=["box.--"])
    with pytest.raises(InputError, match="external must have one wrench for each segment"):
        contact.contact_dynamics(figure, contacts, q, zero, zero, external=np.zeros((2, 6)))
    with pytest.raises(InputError, match="q must have"):
        contact.contact_gaps(figure, contacts, zero)
    with pytest.raises(InputError, match="tau must have"):
        contact.contact_dynamics(figure, contacts, q, zero, np.zeros(7))
    with pytest.raises(InputError, match=r"v.*the number must be finite"):
        contact.contact_dynamics(figure, contacts, q, zero * np.nan, zero)
    with pytest.raises(InputError, match=r"v.*the number must be finite"):
        contact.contact_impact(figure, contacts, q, zero * np.nan)


def test_solve_contacts_without_rows_and_with_rows_that_nothing_moves():
    M, g = np.diag([1.0, 2.0]), np.array([3.0, 4.0])
    none = np.zeros((0, 2))
    a, x = contact.solve_contacts(M, g, none, np.zeros(0), none, np.zeros(0))
    assert a == pytest.approx([-3, -2])
    assert x.shape == (0,)
    still = np.zeros((1, 2))
    a, x = contact.solve_contacts(M, g, still, np.zeros(1), still, np.zeros(1))
    assert a == pytest.approx([-3, -2])
    assert x == pytest.approx([0, 0])


def test_solve_contacts_by_hand():
    """A ball of 2 kg on a floor, drawn down: the floor presses; drawn up: it lets go."""
    M, up = np.array([[2.0]]), np.array([[1.0]])
    none = np.zeros((0, 1))
    a, x = contact.solve_contacts(M, np.array([20.0]), up, np.zeros(1), none, np.zeros(0))
    assert a == pytest.approx([0], abs=1e-12)
    assert x == pytest.approx([20])
    a, x = contact.solve_contacts(M, np.array([-20.0]), up, np.zeros(1), none, np.zeros(0))
    assert a == pytest.approx([10])
    assert x == pytest.approx([0])
    # the floor itself accelerates upward: s = −3
    a, x = contact.solve_contacts(M, np.array([20.0]), up, np.array([-3.0]), none, np.zeros(0))
    assert a == pytest.approx([3])
    assert x == pytest.approx([26])
