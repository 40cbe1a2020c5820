"""Links of negative stiffness: held by others, or the growth that a run is warned of."""

import re
import warnings

import numpy as np
import pytest

import motiform as mf
from motiform.motion.matter import NetworkBuilder, assess_network, links
from motiform.motion.matter.stability.assessment import StabilityWarning

MASS, K = 0.01, 20.0


def chain(stiffness):
    """Masses in a row along x, each but the first tied to the one before."""
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    places = np.arange(len(stiffness) + 1.0)[:, None] * (1.0, 0, 0)
    row = [b.masses(f"m{n}", place, MASS, axes="x") for n, place in enumerate(places)]
    for n, k in enumerate(stiffness):
        b.link(f"link_{n}", (row[n], row[n + 1]), links.spring(k, rest=1.0), axis="x")
    return b.build()


def printed_time(network):
    found = assess_network(network)
    assert found.grows
    return float(re.search(r"e-fold in (\S+) s", str(found)).group(1))


def test_a_pair_grows_in_its_closed_form():
    assert printed_time(chain([-K])) == pytest.approx(np.sqrt(MASS / (2 * K)), rel=0.005)  # as printed: three digits


@pytest.mark.parametrize("count", [5, 200])
def test_a_negative_bridge_of_a_chain_is_found(count):
    """Stiffer neighbours do not hold it: the two halves move as wholes. Beside the dense eigenvalue."""
    k = np.full(count, 100.0)
    k[count // 2] = -K
    matrix = np.zeros((count + 1, count + 1))
    for n, one in enumerate(k):
        matrix[n : n + 2, n : n + 2] += one / MASS * np.array([[1, -1], [-1, 1]])
    assert printed_time(chain(k)) == pytest.approx(1 / np.sqrt(-np.linalg.eigvalsh(matrix)[0]), rel=0.005)


def test_what_is_held_is_not_reported():
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    ball = b.masses("ball", [0, 0, 0], MASS, axes="x")
    wall = b.fixed("wall", [1, 0, 0])
    b.link("push", (wall, ball), links.spring(-K, rest=1.0), axis="x")
    b.link("pull", (wall, ball), links.spring(1.01 * K, rest=1.0), axis="x")
    assert not assess_network(b.build()).grows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mf.simulate(mf.load_scene("bell", {"scene.duration": 0.04}))


def test_a_run_warns():
    with pytest.warns(StabilityWarning, match="'link_0' have negative stiffness, down to -20 N/m, which no other link"):
        mf.simulate(chain([-K]), t1=0.04)
