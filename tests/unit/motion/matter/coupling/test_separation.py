"""Inseparable groups and schedules: the thesis's example, its variant, and its own algorithm on random networks."""

import json

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import GROUND, Band, LinearNetwork, influences, separate, separate_by_influence

ONE_WAY = [(1, 4), (4, 5), (4, 9), (6, 11), (6, 12), (7, 12), (12, 8), (11, 10), (14, 13), (13, 9)]
BOTH_WAYS = [
    (1, 2),
    (2, 3),
    (3, 5),
    (5, 6),
    (6, 7),
    (11, 12),
    (12, 14),
    (10, 13),
]  # spanning; the figure is not in the text
MODELS = list(range(1, 15))


def arcs(one_way: list, both_ways: list = BOTH_WAYS) -> list:
    return [*one_way, *both_ways, *[(b, a) for a, b in both_ways]]


def test_fourteen_models():
    """[Habibi97 §3.3.4.4, §3.3.5.2]: G, F, C, E, D in five runs."""
    found = separate(MODELS, arcs(ONE_WAY))
    G, F, C, E, D = found.schedule
    assert [set(run.models) for run in found.schedule] == [set(range(1, 8)), {11, 12, 14}, {8}, {10, 13}, {9}]
    assert [run.rank for run in found.schedule] == [0, 1, 2, 2, 3]
    assert set(G.records) == {(4, 9), (6, 11), (6, 12), (7, 12)}
    assert G.needs == ()
    assert set(F.needs) == {(6, 11), (6, 12), (7, 12)}
    assert set(F.records) == {(12, 8), (11, 10), (14, 13)}
    assert C.records == ()
    assert set(C.needs) == {(12, 8)}
    assert set(E.needs) == {(11, 10), (14, 13)}
    assert set(E.records) == {(13, 9)}
    assert set(D.needs) == {(4, 9), (13, 9)}
    assert sorted(found.links) == [(0, 1), (0, 4), (1, 2), (1, 3), (3, 4)]


def test_fourteen_models_with_one_link_turned():
    """D → G instead of G → D closes the circuit D, E, F, G: H and C are left, H → C."""
    turned = [(9, 4) if arc == (4, 9) else arc for arc in ONE_WAY]
    found = separate(MODELS, arcs(turned))
    assert [set(run.models) for run in found.schedule] == [set(MODELS) - {8}, {8}]
    assert found.links == {(0, 1): ((12, 8),)}
    assert found.ranks == (0, 1)


def merged_as_the_thesis_does(models: list, connections: list) -> set[frozenset]:
    """The algorithm of [Habibi97 §3.3.4.3], its steps 3 and 4 repeated until nothing changes."""
    groups = [frozenset([model]) for model in models]

    def goes(a: frozenset, b: frozenset) -> bool:
        return any(one in a and two in b for one, two in connections)

    def circuit() -> list[frozenset] | None:
        """A closed way through macro-models, by walking on from each."""
        for start in groups:
            ways = [[start]]
            seen = set()
            while ways:
                way = ways.pop()
                for group in groups:
                    if group != way[-1] and goes(way[-1], group):
                        if group == start:
                            return way
                        if group not in seen:
                            seen.add(group)
                            ways.append([*way, group])
        return None

    while True:
        pair = next(
            ((a, b) for a in groups for b in groups if a != b and goes(a, b) and goes(b, a)), None
        )  # a two-way macro-link
        together = list(pair) if pair else circuit()
        if not together:
            return set(groups)
        groups = [group for group in groups if group not in together] + [frozenset().union(*together)]


@pytest.mark.parametrize("seed", range(40))
def test_random_networks_against_the_thesis(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))
    count = int(rng.integers(0, 2 * n + 1))
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, n, (count, 2)) if a != b]
    found = separate(range(n), pairs)
    assert {frozenset(group) for group in found.groups} == merged_as_the_thesis_does(list(range(n)), pairs)
    rank = {model: run.rank for run in found.schedule for model in run.models}
    group = found.group_of
    for a, b in pairs:  # a driver comes before what it drives [Habibi97 P15, P17]
        assert rank[a] < rank[b] or group[a] == group[b]
    for run in found.schedule:
        before = [rank[a] for a, _ in run.needs]
        assert run.rank == (max(before) + 1 if before else 0)
    recorded = [c for run in found.schedule for c in run.records]
    assert sorted(recorded) == sorted(c for run in found.schedule for c in run.needs)


def test_ring_of_one_way_links_has_no_driver():
    """[Habibi97 fig. 3.6]"""
    found = separate("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert not found.separable
    assert not found.drives("a", "b")
    assert "nothing can be separated" in str(found)


def test_drives_is_global():
    found = separate("abcd", [("a", "b"), ("b", "c")])
    assert found.drives("a", "c")
    assert not found.drives("c", "a")
    assert not found.drives("a", "d")
    with pytest.raises(InputError, match="no such model"):
        found.drives("a", "z")


def test_long_chains_are_no_trouble():
    n = 20000
    found = separate(range(n), [(k, k + 1) for k in range(n - 1)])
    assert found.ranks[-1] == n - 1
    assert found.schedule[-1].needs == ((n - 2, n - 1),)
    assert found.drives(0, n - 1)


def test_from_verdicts_of_a_network():
    names = ("heavy", "middle", "light")
    net = LinearNetwork([100, 1, 0.01], [0, 1, 2], [1, 2, GROUND], [50, 0.05, 0.01], [1, 0.01, 0], names)
    models = {name: [name] for name in names}
    found = separate_by_influence(models, influences(net, models, Band(1, 50)))
    assert found.groups == (("heavy",), ("middle",), ("light",))
    slow = separate_by_influence(models, influences(net, models, Band(1e-3, 50)))
    assert slow.groups == (names,)  # over a long time each moves all


def test_as_text_and_as_plain_values():
    found = separate(["body", "shirt"], [("body", "shirt")])
    assert str(found).splitlines() == [
        "2 models in 2 runs",
        "  1. rank 0: body; records body → shirt",
        "  2. rank 1: shirt; plays body → shirt",
    ]
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["runs"][1]["needs"] == ["body → shirt"]


@pytest.mark.parametrize(
    ("models", "connections", "text"),
    [
        ([], [], "a separation needs models"),
        (["a", "b", "a"], [], "two models have one name"),
        (["shirt", "b"], [("shrt", "b")], "no such model .*Did you mean 'shirt'"),
        (["a"], [("a", "a")], "connected with itself"),
        (["a", "b"], ["ab"], "a connection must be"),
        (["a", "b"], [5], "a connection must be"),
        (["a", "b"], [("a", "b", "a")], "a connection must be"),
    ],
)
def test_bad_networks_are_refused(models, connections, text):
    with pytest.raises(InputError, match=text):
        separate(models, connections)
