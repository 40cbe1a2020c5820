"""Criteria of influence: verdicts, identities, and what several links do."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import (
    GROUND,
    Band,
    LinearNetwork,
    MarkerOnCell,
    Port,
    cell,
    chain_of_cells,
    cut_error,
    impedance,
    influence,
    influence_of_parts,
    influences,
    join,
    link_impedance,
    mass_impedance,
    seen_from,
    series,
)

BAND = Band(0.1, 20.0)
W = BAND.omega(60)


def port(network: LinearNetwork, force: complex | None) -> Port:
    found = seen_from(network, 0, W)
    return Port(W, found.impedance, None if force is None else np.full(len(W), force))


@pytest.mark.parametrize(
    ("Y_a", "F_a", "Y_b", "F_b", "verdict"),
    [
        (100.0, 1.0, 1.0, 0.0, "a drives b"),  # [Habibi97 3.23]
        (1.0, 0.0, 100.0, 1.0, "b drives a"),
        (1.0, 1.0, 1.0, 0.0, "both kept"),  # [Habibi97 3.12]
        (2.0, 4.0, 3.0, 6.0, "independent"),  # Y_A F_B = Y_B F_A [Habibi97 3.21]
        (2.0, 4.0, 3.0, 6.3, "independent"),  # 0.6 of 20.6 and of 30.9 [Habibi97 3.20]
        (100.0, 1.0, 1.0, 0.05, "a drives b"),  # |5 − 1| against 105 and 1.05 [Habibi97 3.22]
        (1.0, 1.0, 1.0, -1.0, "both kept"),  # they hold one another still: V = 0
        (100.0, None, 1.0, None, "a drives b"),
        (1.0, None, 2.0, None, "both kept"),
    ],
)
def test_verdicts(Y_a, F_a, Y_b, F_b, verdict):
    a, b = (Port(W, np.full(len(W), Y, complex), F) for Y, F in ((Y_a, F_a), (Y_b, F_b)))
    found = influence(a, b, threshold=0.1)
    assert found.verdict == verdict
    mirrored = {"a drives b": "b drives a", "b drives a": "a drives b"}.get(verdict, verdict)
    assert influence(b, a, threshold=0.1).verdict == mirrored


def test_numbers_are_those_of_the_equations():
    """|F|, |F_zA|, |F_zB| from V = −(F_A + F_B)/(Y_A + Y_B) [Habibi97 3.17-3.19]."""
    rng = np.random.default_rng(0)
    Y_a, Y_b, F_a, F_b = rng.normal(size=(4, len(W))) + 1j * rng.normal(size=(4, len(W)))
    V = -(F_a + F_b) / (Y_a + Y_b)
    F = F_a + Y_a * V
    assert_allclose(-F, F_b + Y_b * V, rtol=1e-12, atol=1e-12)
    found = influence(Port(W, Y_a, F_a), Port(W, Y_b, F_b))
    assert_allclose(found.on_a, np.abs(F) / np.abs(Y_a * V), rtol=1e-9)
    assert_allclose(found.on_b, np.abs(F) / np.abs(Y_b * V), rtol=1e-9)
    # The influence on a is the relative error of its velocity when it runs alone.
    assert_allclose(found.on_a, np.abs(-F_a / Y_a - V) / np.abs(V), rtol=1e-9)


def test_points_that_cannot_be_moved_and_that_are_free():
    stuck, plain, free = (Port(W, np.full(len(W), Y, complex)) for Y in (np.inf, 1.0, 0.0))
    assert influence(stuck, plain).verdict == "a drives b"
    assert influence(plain, free).verdict == "a drives b"
    assert influence(free, free).verdict == "both kept"  # nothing can be said
    assert influence(stuck, stuck).verdict == "both kept"


def test_several_links_and_one_agree_with_the_scalar_rule():
    """Heavy cell, link, light cell: on the heavy one acts the series of link and light cell."""
    net = join(cell(10.0, 100.0, 1.0), cell(0.1, 3.0, 0.05), [0], [0], stiffness=20.0, damping=0.1)
    found = influence_of_parts(net, [0], [1], BAND, count=50)
    w = found.omega
    light = series(link_impedance(20.0, 0.1, w), impedance(cell(0.1, 3.0, 0.05), 0, w))
    assert_allclose(found.on_a, np.abs(light / impedance(cell(10.0, 100.0, 1.0), 0, w)), rtol=1e-9)
    heavy = series(link_impedance(20.0, 0.1, w), impedance(cell(10.0, 100.0, 1.0), 0, w))
    assert_allclose(found.on_b, np.abs(heavy / impedance(cell(0.1, 3.0, 0.05), 0, w)), rtol=1e-9)


def test_influence_is_the_error_of_the_cut():
    """With a force at the point itself both are |Y_B/Y_A|; with many links the error stays below the influence."""
    net = join(cell(10.0, 100.0, 1.0), cell(0.1, 3.0, 0.05), [0], [0], stiffness=20.0, damping=0.1)
    found = influence_of_parts(net, [0], [1], BAND)
    assert_allclose(cut_error(net, [0], [1], found.omega, [1.0, 0.0]), found.on_a, rtol=1e-9)

    body = chain_of_cells(4, 5.0, stiffness=50.0, damping=2.0, between_stiffness=400.0, between_damping=2.0)
    cloth = chain_of_cells(4, 0.05, stiffness=0.0, between_stiffness=2.0, between_damping=0.05, held_ends=False)
    net = join(body, cloth, [0, 1, 2, 3], [0, 1, 2, 3], stiffness=5.0, damping=0.05)
    parts = range(4), range(4, 8)
    found = influence_of_parts(net, *parts, BAND)
    rng = np.random.default_rng(4)
    errors = []
    for _ in range(20):
        forces = np.concatenate([rng.normal(size=4), np.zeros(4)])
        errors.append(cut_error(net, *parts, found.omega, forces))
        assert (errors[-1] <= found.on_a * (1 + 1e-9)).all()
    assert (np.max(errors, axis=0) > 0.3 * found.on_a).any()  # the bound is not idle


def test_masses_of_neither_part_count_both_ways():
    """A light middle mass tied to a heavy third: held or gone, the worse is told."""
    net = LinearNetwork([1.0, 1.0, 50.0], [0, 0], [1, 2], [10.0, 500.0], [0.1, 0.1])
    found = influence_of_parts(net, [0], [1], BAND, count=30)
    w = found.omega
    other = series(link_impedance(10.0, 0.1, w), mass_impedance(1.0, w))
    free, held = np.abs(other / mass_impedance(1.0, w)), np.abs(other / impedance(cell(1.0, 500.0, 0.1), 0, w))
    assert_allclose(found.on_a, np.maximum(free, held), rtol=1e-9)


def test_models_of_a_network():
    net = LinearNetwork([100.0, 1.0, 0.01], [0, 1], [1, 2], [50.0, 0.05], [1.0, 0.01], ("heavy", "middle", "light"))
    found = influences(net, {"H": ["heavy"], "M": ["middle"], "L": ["light"]}, Band(1, 50), threshold=0.1)
    assert [(one.a, one.b, one.verdict) for one in found] == [("H", "M", "a drives b"), ("M", "L", "a drives b")]
    assert found[0].connections == (("H", "M"),)
    both = influence(port(cell(1, 1), None), port(cell(1, 1), None), names=("x", "y"))
    assert both.connections == (("x", "y"), ("y", "x"))


def test_as_text_and_as_plain_values():
    found = MarkerOnCell(marker_mass=1, contact_stiffness=1e4, contact_damping=10, cell_mass=1e-3, cell_stiffness=0.1)
    pair = found.influence(Band(1, 100))
    assert str(pair).startswith("marker drives cell: cut cell → marker (1 to 100 Hz, threshold 0.1)")
    assert "marker on cell: at most 1 " in str(pair)
    plain = json.loads(json.dumps(pair.as_dict()))
    assert plain["verdict"] == "a drives b"
    assert plain["on_a"]["worst"] == pytest.approx(pair.worst_a)
    assert plain["on_a"]["negligible"] == [[pytest.approx(1), pytest.approx(100)]]
    assert "keep both ways" in str(influence(port(cell(1, 1), 1), port(cell(1, 1), 0)))
    narrow = found.influence(Band(0.01, 100))
    assert narrow.verdict == "both kept"  # a long contact: the soft cell moves the marker in the end
    (low, high) = narrow.as_dict()["on_a"]["negligible"][0]
    # |Y_B/Y_A| = k/(Mω²) = 0.1 there, within a grid of 400 per four decades: a factor 10^(4/400).
    assert low == pytest.approx(np.sqrt(0.1 / 0.1) / (2 * np.pi), rel=0.03)
    assert high == pytest.approx(100)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Band(5, 1), "band: a band must have low below high"),
        (lambda: Band(0, 1), "low is out of range"),
        (lambda: Band.of_run(1, "fast"), "rate must be a number"),
        (lambda: influence(port(cell(1, 1), 1), port(cell(1, 1), 0), threshold=2), "the threshold must be a fraction"),
        (lambda: influence(port(cell(1, 1), 1), Port(W[:3], [1, 1, 1])), "not known at the same frequencies"),
        (
            lambda: influence_of_parts(chain_of_cells(3, 1.0, stiffness=1, between_stiffness=1), [0], [0], BAND),
            "both parts",
        ),
        (
            lambda: influence_of_parts(chain_of_cells(3, 1.0, stiffness=1, between_stiffness=1), [0], [2], BAND),
            "no link joins",
        ),
    ],
)
def test_bad_questions_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_band():
    assert str(Band.of_run(2.0, 1050.0)) == "0.5 to 525 Hz"  # [Habibi97 2.1, 2.2]
    w = Band(1, 10).omega(11, also=[3.0, 20.0, 100.0])
    assert w[0] == 2 * np.pi
    assert w[-1] == 20 * np.pi
    assert 20.0 in w
    assert len(w) == 12
    assert GROUND == -1
