"""Features of round solids: second derivative of the gap against differences, for every kind of pair."""

import numpy as np
import pytest

from motiform import contact
from motiform.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Torus, touch_points
from motiform.motion.contact.columns import CIRCLE, FLAT, GAP, LINE, OVAL, POINT, SLIP, WALL
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.tree.model.acting import Acting
from motiform.spatial import Transform, rotation_from_euler
from verify.test_solid_events import along, body, built

BOX, BAR, DIE, ROD = Box((0.3, 0.1, 0.3)), Box((0.1, 0.1, 0.6)), Box((0.1, 0.1, 0.1)), Capsule(0.05, 0.3)
DRUM, TUB, EGG = Cylinder(0.08, 0.2), Cylinder(0.05, 0.3), Ellipsoid((0.12, 0.07, 0.09))
HAT, RING, LINK = Cone(0.1, 0.2), Torus(0.1, 0.03), Torus(0.12, 0.02)
LEAN = -2.035  # about z: a wall of the hat looks down
FLAT_ON_EDGE, ACROSS = (0, 0, np.pi / 4), (np.pi / 2, 0.0, 0.4)
PLACES = {  # two bodies each, and the kinds of what touches; the first comes down on the second
    "egg on egg": (EGG, (0.03, 0.2, 0.02), (0.5, 0.3, 0.7), EGG, (0.2, 0.4, 0), (OVAL, OVAL)),
    "egg on face": (EGG, (0.02, 0.2, 0), (0.5, 0.3, 0.7), BOX, (0, 0.2, 0), (OVAL, FLAT)),
    "egg on edge": (EGG, (0.01, 0.2, 0), (0.5, 0.3, 0.7), BAR, FLAT_ON_EDGE, (OVAL, LINE)),
    "egg on corner": (EGG, (0.01, 0.4, 0), (0.5, 0.3, 0.7), DIE, (0.785, 0.0, 0.615), (OVAL, POINT)),
    "egg on rod": (EGG, (0.01, 0.2, 0), (0.5, 0.3, 0.7), ROD, ACROSS, (OVAL, LINE)),
    "rim on face": (DRUM, (0.02, 0.3, 0), (0.5, 0.3, 0.7), BOX, (0, 0.2, 0), (CIRCLE, FLAT)),
    "rim on egg": (DRUM, (0.02, 0.3, 0.01), (0.6, 0.3, 0.7), EGG, (0.1, 0.2, 0.1), (CIRCLE, OVAL)),
    "rim on edge": (DRUM, (0.05, 0.3, 0.01), (0.6, 0.3, 0.7), BAR, FLAT_ON_EDGE, (CIRCLE, LINE)),
    "rim on rim": (DRUM, (0.0, 0.3, 0.14), (0.0, 0.3, 0.6), DRUM, (0.0, 0.2, -0.6), (CIRCLE, CIRCLE)),
    "walls across": (TUB, (0.02, 0.3, 0.01), (np.pi / 2, 0.2, 0.1), TUB, (0, 0.4, np.pi / 2), (LINE, LINE)),
    "walls along": (DRUM, (0.0, 0.3, 0.01), (0, 0, np.pi / 2), TUB, (0, 0, np.pi / 2), (CIRCLE, LINE)),
    "wall on egg": (TUB, (0.0, 0.3, 0.01), (0.2, 0.1, 1.4), EGG, (0, 0.3, 0.2), (LINE, OVAL)),
    "cone's wall on egg": (HAT, (0.0, 0.3, 0.01), (0.1, 0.1, LEAN), EGG, (0, 0.3, 0.2), (WALL, OVAL)),
    "cone's wall on edge": (HAT, (0.0, 0.3, 0.01), (0.1, 0.0, LEAN), BAR, FLAT_ON_EDGE, (WALL, LINE)),
    "cones' walls": (HAT, (0.0, 0.3, 0.01), (0.1, 0.0, LEAN), HAT, (-1.107, 0.0, 0.0), (WALL, WALL)),
    "cone's point on face": (HAT, (0.0, 0.3, 0.01), (2.8, 0.1, 0.2), BOX, (0.1, 0.2, 0.0), (POINT, FLAT)),
    "cone's point on egg": (HAT, (0.0, 0.3, 0.01), (2.8, 0.1, 0.2), EGG, (0.1, 0.2, 0.0), (POINT, OVAL)),
    "cone's rim on face": (HAT, (0.0, 0.3, 0.01), (0.3, 0.1, 0.2), BOX, (0.1, 0.2, 0.0), (CIRCLE, FLAT)),
    "ring on face": (RING, (0.0, 0.3, 0.01), (0.6, 0.1, 0.2), BOX, (0.1, 0.2, 0.0), (CIRCLE, FLAT)),
    "ring on egg": (RING, (0.0, 0.3, 0.01), (1.2, 0.1, 0.2), EGG, (0.1, 0.2, 0.0), (CIRCLE, OVAL)),
    "ring on rod": (RING, (0.0, 0.3, 0.01), (1.2, 0.1, 0.2), ROD, ACROSS, (CIRCLE, LINE)),
    "ring on edge": (RING, (0.0, 0.3, 0.01), (1.2, 0.1, 0.2), BAR, FLAT_ON_EDGE, (CIRCLE, LINE)),
    "ring hangs on rod": (RING, (0.0, -0.03, 0.01), (1.4, 0.1, 0.2), TUB, (1.5, 0.2, 0.1), (CIRCLE, LINE)),
    "links": (LINK, (0.0, -0.18, 0.01), (1.5, 0.1, 0.2), LINK, (0.1, 0.3, np.pi / 2), (CIRCLE, CIRCLE)),
}  # fmt: skip


def touching(case):
    """Return the figure of two bodies that touch, the first moved along its normal, and its configuration."""
    shape, at, turn, other, tilt, _ = PLACES[case]
    turns = [rotation_from_euler(angles, "xyz") for angles in (turn, tilt)]
    found = touch_points(shape, other, Transform(turns[0], np.array(at)), Transform(turns[1], np.zeros(3)))
    k = int(np.argmin(found.gaps))
    at = np.array(at) - found.gaps[k] * found.normals[k]
    figure, q, _ = built([body("b", other, (0, 0, 0), tilt), body("a", shape, at, turn)], (0, 0, 0))
    return figure, q


@pytest.mark.parametrize("case", PLACES)
def test_gaps_of_round_solids_have_their_second_derivative(case):
    figure, q = touching(case)
    system = ContactEquations(figure, contact.solid_contacts(figure), Acting(figure))
    v = 0.3 * np.random.default_rng(5).normal(size=figure.nv)
    y = np.concatenate([q, v])
    system.refresh(y, anew=True)
    k = int(np.argmin(np.abs(system.raw_gaps(y))))
    slot = k - system.solids.first
    assert system.solids.features[slot].code[:2] == PLACES[case][-1]
    gap, *_, off = system.solids.sites(q, np.array([slot]))[0]
    normal = system.solids.sites(q, np.array([slot]))[0, 4:7]
    y[figure.places("a", "q")[:3]] -= gap * normal  # what Newton's method of the solids has left
    q, problem = y[: figure.nq].copy(), system.problem
    assert off < 2e-9 * DIE.size[0]
    problem.activate(np.array([k]))
    problem.pose(y, np.zeros(figure.nv))
    assert abs(problem.sites[0, GAP]) < 1e-14
    h = 4e-4
    g = [system.raw_gaps(along(figure, q, v, n * h))[k] for n in (-2, -1, 0, 1, 2)]
    first, second = (g[0] - 8 * g[1] + 8 * g[3] - g[4]) / (12 * h), (-g[0] + 16 * g[1] - 30 * g[2] + 16 * g[3] - g[4])
    # differences of fourth order: h⁴/90 of sixth derivatives, 1e8 m/s⁶ where radii are about the same: links
    assert problem.sites[0, SLIP + 1] == pytest.approx(first, abs=1e-8)
    assert problem.space.s[1] == pytest.approx(second / (12 * h * h), abs=1e-7)
