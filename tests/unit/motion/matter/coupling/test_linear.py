"""Linear networks: what is refused, and matrices against hand-written ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import (
    GROUND,
    LinearNetwork,
    cell,
    chain_of_cells,
    join,
    state_matrix,
    without_links,
)


def three() -> LinearNetwork:
    """Masses 1, 2, 3 kg: ground -10- a -20- b -30- c, and c -5- ground."""
    return LinearNetwork(
        [1, 2, 3], [0, 0, 1, 2], [GROUND, 1, 2, GROUND], [10, 20, 30, 5], [1, 2, 3, 0], ("a", "b", "c")
    )


def test_matrices_are_those_of_the_equations():
    M, K, Z = (matrix.toarray() for matrix in three().matrices)
    assert_array_equal(M, np.diag([1, 2, 3]))
    assert_array_equal(K, [[30, -20, 0], [-20, 50, -30], [0, -30, 35]])
    assert_array_equal(Z, [[3, -2, 0], [-2, 5, -3], [0, -3, 3]])


def test_two_links_between_the_same_masses_add():
    net = LinearNetwork([1, 1], [0, 1], [1, 0], [2, 3], 0.0)
    assert_array_equal(net.matrices[1].toarray(), [[5, -5], [-5, 5]])


def test_part_drops_or_holds_what_is_left_out():
    assert_array_equal(three().part(["b", "a"]).matrices[1].toarray(), [[20, -20], [-20, 30]])
    assert_array_equal(three().part(["b", "a"], others="held").matrices[1].toarray(), [[50, -20], [-20, 30]])
    assert three().part([2, 0]).names == ("c", "a")


def test_join_and_take_apart():
    one, two = three(), cell(4.0, 7.0)
    both = join(one, two, [1], [0], stiffness=9.0, damping=1.5)
    K = both.matrices[1].toarray()
    assert_array_equal(K[:3, :3], one.matrices[1].toarray() + np.diag([0, 9, 0]))
    assert_array_equal(K[3], [0, -9, 0, 16])
    apart = without_links(both, np.array([both.links - 1]))
    assert_array_equal(apart.matrices[1].toarray()[:3, :3], one.matrices[1].toarray())
    assert_array_equal(both.reached([0]), [0, 1, 2, 3])
    assert_array_equal(apart.reached([0]), [0, 1, 2])  # the ground does not connect


def test_state_matrix_of_a_cell_is_the_recurrence():
    """X_{n+1} = (2 − Ẑ − K̂)X_n + (Ẑ − 1)X_{n−1} [Habibi97 8.21]."""
    m, k, z, Te = 2.0, 300.0, 5.0, 0.01
    K, Z = k * Te**2 / m, z * Te / m
    assert_allclose(state_matrix(cell(m, k, z), Te), [[2 - Z - K, Z - 1], [1, 0]], rtol=1e-15)
    assert_allclose(state_matrix(cell(m, k, z)), [[0, 1], [-k / m, -z / m]], rtol=1e-15)


@pytest.mark.parametrize(
    ("K", "Z", "stable"),
    [(3.9, 0.01, True), (4.05, 0.0, False), (1, 1.4, True), (1, 1.6, False), (0.01, 1.99, True), (0.01, 2.01, False)],
)
def test_triangle_of_the_cell(K, Z, stable):
    """Stable iff K̂ > 0, Ẑ > 0 and K̂ + 2Ẑ < 4: Jury's test of the recurrence, by the eigenvalues."""
    radius = np.abs(np.linalg.eigvals(state_matrix(cell(1.0, K, Z), 1.0))).max()
    assert (radius < 1) == stable


def test_chain_of_cells_has_the_links_of_the_figure():
    net = chain_of_cells(3, 2.0, stiffness=7.0, damping=0.5, between_stiffness=11.0, between_damping=0.25)
    assert_array_equal(net.matrices[1].toarray(), [[29, -11, 0], [-11, 29, -11], [0, -11, 29]])
    assert_array_equal(net.matrices[2].toarray(), [[1, -0.25, 0], [-0.25, 1, -0.25], [0, -0.25, 1]])
    free = chain_of_cells(3, 2.0, stiffness=7.0, between_stiffness=11.0, held_ends=False)
    assert_array_equal(np.diag(free.matrices[1].toarray()), [18, 29, 18])
    assert chain_of_cells(1, 1.0, stiffness=1.0, between_stiffness=2.0).matrices[1].toarray() == 5


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mass": [1, -2, 3]}, r"mass 1: mass must be 0 or more \(got -2.0"),
        ({"mass": [1, np.nan, 3]}, r"mass: the number"),
        ({"mass": []}, r"masses must be a list"),
        (
            {"b": [GROUND, 1, 7, GROUND]},
            r"b of link 2: the end of a link must be an existing point \(got 7; allowed: 0 to 2, or −1",
        ),
        ({"a": [0, 0, 1.5, 2]}, r"a: ends of links are indices"),
        ({"a": [0, 0, 1]}, r"each link has two ends \(got 3 and 4"),
        ({"b": [GROUND, 0, 2, GROUND]}, r"link 1: the ends of a link must be different points"),
        ({"stiffness": [1, 2]}, r"stiffness: there must be one value for each link"),
        ({"damping": "soft"}, r"damping: the values must be an array of numbers"),
        ({"names": ("a", "b")}, r"names: there must be one name for each mass"),
        ({"names": ("a", "b", "a")}, r"two masses have one name"),
    ],
)
def test_bad_networks_are_refused(change, text):
    net = three()
    given = {key: getattr(net, key) for key in ("mass", "a", "b", "stiffness", "damping", "names")}
    with pytest.raises(InputError, match=text):
        LinearNetwork(**(given | change))


def test_bad_questions_are_refused():
    with pytest.raises(InputError, match=r"no such mass \(got 'aa'; allowed: a, b, c\). Did you mean 'a'"):
        three().index("aa")
    with pytest.raises(InputError, match=r"no such mass \(got 3; allowed: 0 to 2"):
        three().index(3)
    with pytest.raises(InputError, match="named twice"):
        three().part(["a", 0])
    with pytest.raises(InputError, match='"free" or "held"'):
        three().part(["a"], others="gone")
    with pytest.raises(InputError, match="a bare end has no state"):
        state_matrix(cell(0.0, 1.0))
    with pytest.raises(InputError, match="a chain must have cells"):
        chain_of_cells(0, 1.0, stiffness=1.0, between_stiffness=1.0)
    with pytest.raises(InputError, match="a of link 0: the end of a link must be an existing point"):
        join(cell(1, 1), cell(1, 1), [GROUND], [0], stiffness=1.0)


def test_a_network_does_not_change():
    net = three()
    with pytest.raises(ValueError, match="read-only"):
        net.mass[0] = 5.0
