"""Steps with impulses, which go over crowds of events, keep the energy that events keep."""

import numpy as np
import pytest

import motiform as mf
from motiform import contact
from motiform.geometry import Ball, Box
from motiform.motion.stepping import add_body, start_bodies
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.tree import energy
from motiform.motion.tree.model.acting import Acting

G, STEP = 9.81, 1e-3


def body(name, shape, density, position, **motion):
    return mf.Body(name, shape.mass_properties(density=density), shape, position, **motion)


def stepped(bodies, steps):
    """Return energies and states of all bodies before and after each of some steps with impulses."""
    builder = mf.FigureBuilder()
    for one in bodies:
        add_body(builder, one)
    figure = builder.build()
    system = ContactEquations(figure, contact.solid_contacts(figure, contact.floor(), friction=0.5), Acting(figure))
    y = np.zeros(system.size)
    y[: system.moving] = np.concatenate(start_bodies(figure, bodies))
    system.begin(y)
    states = [y.copy()]
    for n in range(steps):
        system.leap_over(n * STEP, y, STEP)
        states.append(y.copy())
    states = np.array(states)[:, : system.moving]
    total = [energy(figure, y[: figure.nq].copy(), y[figure.nq :].copy()).total for y in states]
    return np.array(total), states[:, : figure.nq], states[:, figure.nq :]


@pytest.mark.parametrize("shape", [Box((0.2, 0.1, 0.3)), Ball(0.06)])
def test_what_flies_and_spins_keeps_its_energy(shape):
    spin, count = np.array([20.0, 10.0, -20.0]), 80
    total, _, v = stepped([body("one", shape, 500, (0, 5, 0), velocity=(4, 1, 0), spin=spin)], count)
    kinetic = total[0] - shape.mass_properties(density=500).mass * G * 5
    # local error of the method of fourth order (hω)⁵/120 of the velocities, ω = 30 rad/s
    assert np.abs(total - total[0]).max() < count * 2 * (STEP * 30) ** 5 / 120 * kinetic
    assert np.abs(v[-1] - v[0]).max() > 1  # axes of the body turn


def test_what_rests_stays():
    box = Box((0.2, 0.1, 0.2))
    total, q, v = stepped([body(f"b{k}", box, 500, (0, 0.05 + 0.1 * k, 0)) for k in range(2)], 50)
    assert np.abs(total - total[0]).max() < 1e-9 * total[0]
    assert np.abs(q - q[0]).max() < 1e-9
    assert np.abs(v).max() < 1e-9


def test_a_tower_struck_by_a_ball_gains_no_energy():
    """First impulses raise energy by at most ⅛ h² Σ m a², with a the acceleration that contacts take away."""
    box, ball = Box((0.2, 0.1, 0.2)), Ball(0.06)
    bodies = [body(f"b{k}", box, 500, (0, 0.05 + 0.1 * k, 0)) for k in range(3)]
    bodies.append(body("ball", ball, 2000, (-0.161, 0.25, 0.03), velocity=(6, 0, 0), spin=(0, 0, -50)))
    total, _, v = stepped(bodies, 100)
    mass, spins = sum(one.properties.mass for one in bodies), v.reshape(len(v), -1, 6)[:, :3, :3]
    reach = 0.5 * np.linalg.norm((0.2, 0.1, 0.2))
    largest = G + 2 * (spins**2).sum(axis=2).max() * reach  # of both solids of a contact
    kept = np.minimum.accumulate(total)
    # impulses keep the laws to 1e-6
    assert (total - kept).max() < STEP**2 / 8 * mass * largest**2 + 1e-6 * total[0]
    assert total[-1] < 0.9 * total[0]  # it was struck
    assert np.abs(spins).max() > 1  # and boxes turn
