"""Stability before the first step: verdicts, where, remedies that work, words, wrong input."""

import json
import re

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.stability.cell import modal_segment
from motiform.motion.matter.stability.criterion import assess, one_step, spectral_radius

STEP = 1 / 1050


def chain(count, k, z, ks=0.0, zs=0.0, mass=0.01):
    """Return the arrays of a chain, each mass tied to the ground as well."""
    a = np.arange(count - 1)
    ends = np.concatenate([a, np.arange(count)]), np.concatenate([a + 1, np.full(count, -1)])
    laws = np.append(np.full(count - 1, k), np.full(count, ks)), np.append(np.full(count - 1, z), np.full(count, zs))
    return np.full(count, mass), *ends, *laws


def test_one_cell_is_its_own_point():
    found = assess([0.01], [0], [-1], [300.0], [0.5], 0.001)
    np.testing.assert_allclose(found.stiffest, [[0.03, 0.05]], rtol=1e-14)
    np.testing.assert_array_equal(found.stiffest, found.ground)
    assert found.verdict == "stable"
    assert found.regimes.tolist() == ["oscillating"]
    assert found.check() is found


def test_a_long_chain_has_the_ends_of_its_modal_segment():
    found = assess(*chain(20, 800.0, 0.3, 50.0, 0.1), 0.001)
    segment = modal_segment(50.0, 0.1, 800.0, 0.3, 0.01, 0.001)
    np.testing.assert_allclose(found.stiffest[5], segment.end, rtol=1e-14)
    np.testing.assert_allclose(found.ground[5], segment.start, rtol=1e-14)


def test_undamped_springs_are_reported_and_not_refused():
    found = assess(*chain(5, 800.0, 0.0), 0.001)
    assert found.verdict == "marginal"
    assert "5 masses have no damping" in str(found)
    found.check()
    free = assess([1.0], [], [], [], [], 0.1)
    assert free.verdict == "marginal"
    assert "no link" in str(free)
    assert free.largest_step == np.inf
    json.dumps(free.to_dict(), allow_nan=False)


def test_the_edge_is_marginal_and_beyond_it_is_refused():
    step = 0.001  # K + 2Z = 2 + 2·1 = 4
    edge = assess([0.01], [0], [-1], [20000.0], [10.0], step)
    assert edge.verdict == "marginal"
    with pytest.raises(InputError, match=r"diverges.*K \+ 2Z up to 4.*a step up to"):
        assess([0.01], [0], [-1], [20001.0], [10.0], step).check()


def test_what_is_fixed_counts_once():
    fixed = assess([0.01, 0.01], [0], [1], [300.0], [0.5], 0.001, movable=[True, False])
    heavy = assess([0.01, np.inf], [0], [1], [300.0], [0.5], 0.001)
    for found in (fixed, heavy):
        np.testing.assert_allclose(found.stiffest, [[0.03, 0.05], [0, 0]], rtol=1e-14)
        assert found.regimes.tolist() == ["oscillating", "fixed"]
    both = assess([0.01, 0.01], [0], [1], [300.0], [0.5], 0.001)
    np.testing.assert_allclose(both.stiffest, [[0.06, 0.1]] * 2, rtol=1e-14)


def test_a_heavy_neighbour_is_nearly_the_ground():
    found = assess([0.01, 100.0], [0], [1], [300.0], [0.0], 0.001)
    assert found.stiffest[0, 0] == pytest.approx(0.03 * (1 + np.sqrt(1e-4)), rel=1e-12)


def test_the_offender_is_named_and_each_remedy_works():
    mass, a, b, k, z = chain(6, 3000.0, 1.0)
    k[3] = 60000.0
    names = [f"m{i}" for i in range(6)]
    laws = ["soft"] * 11
    laws[3] = "rod"
    found = assess(mass, a, b, k, z, STEP, names=names, link_names=laws)
    assert found.verdict == "unstable"
    assert (found.mass in (3, 4), found.link) == (True, 3)
    with pytest.raises(InputError, match=r"mass 'm[34]', link 'rod'") as caught:
        found.check()
    assert f"a step up to {found.largest_step:.6g} s" in str(caught.value)
    assert "the stiffness of link 'rod' times" in str(caught.value)
    assert assess(mass, a, b, k, z, found.largest_step).bounded
    assert not assess(mass, a, b, k, z, 1.2 * found.largest_step).bounded
    assert found.damping_factor is None
    k[3] *= found.stiffness_factor
    assert assess(mass, a, b, k, z, STEP).bounded


def test_links_of_one_name_are_changed_together():
    mass, a, b, k, z = chain(9, 14000.0, 0.5)
    found = assess(mass, a, b, k, z, STEP, link_names=["spring"] * 8 + ["ground"] * 9)
    assert found.verdict == "may be unstable"  # no link alone is too stiff, and directions are not known
    k[:8] *= found.stiffness_factor
    now = assess(mass, a, b, k, z, STEP)
    assert now.bounded
    assert now.bound == pytest.approx(4.0, rel=1e-9)
    alone = assess(mass, a, b, np.append(np.full(8, 14000.0), k[8:]), z, STEP)
    assert alone.stiffness_factor is None  # one link of many does not help


def test_damping_alone_can_be_too_much():
    found = assess([0.01], [0], [-1], [100.0], [30.0], 0.001)
    assert found.verdict == "unstable"
    assert found.stiffness_factor is None
    assert assess([0.01], [0], [-1], [100.0], [30.0 * found.damping_factor], 0.001).bounded


def test_a_bound_that_is_above_four_is_not_yet_a_verdict():
    # A triangle of springs: the rows say 4k/m, the highest mode is 3k/m.
    a, b, k = [0, 1, 2], [1, 2, 0], np.full(3, 1.1)
    found = assess(np.ones(3), a, b, k, np.full(3, 0.01), 1.0)
    assert found.verdict == "may be unstable"
    with pytest.raises(InputError, match="may diverge"):
        found.check()
    sure = assess(np.ones(3), a, b, k, np.full(3, 0.01), 1.0, exact=True, dimensions=1)
    assert sure.verdict == "stable"
    assert sure.largest == pytest.approx(3 * 1.12, rel=1e-12)
    assert sure.largest_step == pytest.approx(4 / (0.03 + np.sqrt(0.03**2 + 4 * 3.3)), rel=1e-9)
    over = assess(np.ones(3), a, b, 1.3 * k, np.full(3, 0.01), 1.0, exact=True)
    assert over.verdict == "may be unstable"  # in space a row of links on one axis is the worst, not the certain case
    line = assess(np.ones(3), a, b, 1.3 * k, np.full(3, 0.01), 1.0, exact=True, dimensions=1)
    assert line.verdict == "unstable"


def test_sweeps_find_networks_stable_that_rows_do_not():
    # A heavy hub with light masses: the star's highest mode is k/m + n k/M.
    n = 50
    mass = np.append(np.full(n, 0.01), 10.0)
    arrays = mass, np.arange(n), np.full(n, n), np.full(n, 1.0), np.full(n, 1e-4)
    top = 1.0 / 0.01 + n / 10.0
    step = np.sqrt(3.6 / top)
    found = assess(*arrays, step)
    assert found.verdict == "stable"
    assert 3.6 < found.bound <= 4.0


def test_many_masses_are_assessed_by_iteration():
    arrays = chain(2000, 2500.0, 2.0)
    found = assess(*arrays, 0.001, exact=True)
    wanted = modal_segment(0, 0, 2500.0, 2.0, 0.01, 0.001).end
    assert found.largest == pytest.approx(wanted[0] + 2 * wanted[1], rel=1e-4)
    assert found.largest <= found.bound
    assert found.largest_step >= assess(*arrays, 0.001).largest_step


def test_negative_stiffness_is_reported_as_meant():
    arrays = [0.01, 0.01], [0], [1], [300.0], [0.5], 0.001
    found = assess(*arrays, least_stiffness=[-20.0], link_names=["glue"])
    assert found.verdict == "stable"
    assert "locally unstable on purpose" in str(found)
    assert "'glue'" in str(found)
    # e-fold in the time of the continuous pair, √(m/2k), to second order in the step and as printed.
    bound = float(re.search(r"no less than (\S+) s", str(found)).group(1))
    assert bound == pytest.approx(np.sqrt(0.01 / 40), rel=0.005)
    assert spectral_radius(*arrays[:3], [-20.0], [0.0], 0.001) == pytest.approx(
        np.exp(0.001 * np.sqrt(40 / 0.01)), rel=1e-3
    )


def test_masses_on_negative_springs_alone_are_not_free():
    text = str(assess([0.01, 0.01, 0.01], [0], [1], [-20.0], [0.0], 0.001, link_names=["glue"]))
    assert "1 mass has no link" in text  # the third; the others push one another apart
    assert "1 link has a zone of negative stiffness" in text
    assert "do not limit the step" in text


def test_the_one_step_matrix_steps():
    mass, a, b, k, z = np.array([0.02, 0.01]), [0, 1], [1, -1], np.array([30.0, 50.0]), np.array([0.1, 0.0])
    x, before = np.array([0.3, -0.2]), np.array([0.1, 0.0])
    K = np.array([[30.0, -30.0], [-30.0, 80.0]])
    Z = np.array([[0.1, -0.1], [-0.1, 0.1]])
    after = 2 * x - before - STEP**2 / mass * (K @ x + Z @ (x - before) / STEP)
    found = one_step(mass, a, b, k, z, STEP) @ np.concatenate([np.sqrt(mass) * x, np.sqrt(mass) * before])
    np.testing.assert_allclose(found, np.concatenate([np.sqrt(mass) * after, np.sqrt(mass) * x]), rtol=1e-13)
    assert spectral_radius([np.inf], [0], [-1], [1.0], [0.0], 0.1) == 0.0


def test_the_dictionary_is_json():
    facts = assess(*chain(4, 3000.0, 1.0), STEP, exact=True).to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert sum(facts["regimes"].values()) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": [0.0, 1.0]}, "a mass must be positive"),
        ({"mass": [1.0, np.nan]}, "mass 1: a mass must be positive"),
        ({"b": [7]}, "link 0, end b: the end of a link must be an existing mass"),
        ({"a": [0.5]}, "numbers of masses"),
        ({"b": [0]}, "both ends are the same"),
        ({"stiffness": [np.nan]}, "stiffness: the number"),
        ({"stiffness": [1.0, 2.0]}, "stiffness: the array must have one entry for each link"),
        ({"damping": [-1.0]}, "damping must not be negative"),
        ({"step": 0.0}, "step must be > 0 s"),
        ({"step": np.nan}, "step must be > 0 s"),
        ({"movable": [True]}, "movable: the array must have one entry for each mass"),
    ],
)
def test_wrong_input_is_reported(change, words):
    given = {"mass": [1.0, 1.0], "a": [0], "b": [1], "stiffness": [1.0], "damping": [0.1], "step": 0.1, **change}
    with pytest.raises(InputError, match=words):
        assess(**given)
