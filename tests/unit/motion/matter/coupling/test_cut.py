"""The cut advisor: verdicts on models of a network, the network that is cut, and what is told."""

import json

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter import Engine, NetworkBuilder, links, topology
from motiform.motion.matter.coupling import Band, advise, compare_runs, cut_network, influence, linearise, seen_from
from motiform.motion.matter.coupling.cut import model_labels

BAND = Band(2.0, 30.0)


def row(masses=(100.0, 1.0, 0.01), softness=1.0):
    """Three cells of falling mass, each tied to the one before by links of its own weight."""
    b = NetworkBuilder(gravity=(0, 0, 0))
    wall = b.fixed("wall", [0, 0, 0])
    last = wall
    for n, (name, m) in enumerate(zip(("heavy", "middle", "light"), masses, strict=True)):
        mass = b.masses(name, [n + 1.0, 0, 0], m)
        b.link(f"tie_{name}", (last, mass), links.spring(50 * m * softness, damping=20 * m * softness))
        last = mass
    return b.build()


MODELS = {"heavy": "heavy", "middle": "middle", "light": "light"}


def test_each_drives_the_next():
    found = advise(row(), MODELS, BAND, axes="x")
    assert [(p.a, p.b, p.verdict) for p in found.pairs] == [
        ("heavy", "middle", "a drives b"),
        ("middle", "light", "a drives b"),
    ]
    assert found.separation.groups == (("heavy",), ("middle",), ("light",))
    assert found.connections == (("heavy", "middle"), ("middle", "light"))
    assert [(c.links, c.driver, c.driven, c.count, c.acts) for c in found.cuts] == [
        ("tie_middle", "heavy", "middle", 1, "second"),
        ("tie_light", "middle", "light", 1, "second"),
    ]
    cut = found.cut_network()
    assert [bundle.acts for bundle in cut.bundles] == ["both", "second", "second"]
    assert linearise(cut).links == 3  # the same links, felt by one end


def test_influence_is_that_of_impedances_at_the_point():
    """Middle with its link on heavy, which is a port of its own: |Y_B/Y_A|, light weighs nothing."""
    net = row(masses=(100.0, 1.0, 1e-9))
    found = advise(net, MODELS, BAND, axes="x").pairs[0].influences["x"]
    linear = linearise(net)
    heavy = seen_from(linear.part(["heavy"]), "heavy", found.omega, net.step)
    lone = NetworkBuilder(gravity=(0, 0, 0))
    end, mass = lone.masses("end", [0, 0, 0], 1e-30), lone.masses("middle", [1.0, 0, 0], 1.0)
    lone.link("tie", (end, mass), links.spring(50.0, damping=20.0))
    beyond = seen_from(linearise(lone.build()), "end", found.omega, net.step)
    expected = influence(heavy, beyond).on_a
    assert np.allclose(found.on_a, expected, rtol=1e-6)  # light weighs 1e-9 of middle, the bare end 1e-30


def test_like_masses_stay_together():
    found = advise(row(masses=(1.0, 1.0, 1.0)), MODELS, BAND, axes="x")
    assert not found.separation.separable
    assert found.cuts == ()
    assert all(one is two for one, two in zip(found.cut_network().bundles, found.network.bundles, strict=True))
    assert "nothing to cut" in str(found)


def test_nothing_is_cut_within_a_group():
    """Heavy drives light, but light and middle, middle and heavy move one another: one run, and no link is cut."""
    b = NetworkBuilder(gravity=(0, 0, 0))
    heavy, middle, light = (
        b.masses(n, [k, 0, 0], m) for k, (n, m) in enumerate((("h", 100.0), ("m", 1.0), ("l", 0.01)))
    )
    b.link("hm", (heavy, middle), links.spring(1e6, damping=10.0))
    b.link("ml", (middle, light), links.spring(1e4, damping=1.0))
    b.link("hl", (heavy, light), links.spring(0.1, damping=0.01))
    net = b.build()
    found = advise(net, {"h": "h", "m": "m", "l": "l"}, Band(0.01, 100.0), 0.001, axes="x")
    assert "a drives b" in [p.verdict for p in found.pairs]
    assert found.separation.groups == (("h", "m", "l"),)
    assert found.cuts == ()
    assert found.cut_network().bundles == net.bundles


def test_far_apart_models_are_independent_and_their_links_go():
    b = NetworkBuilder(gravity=(0, 0, 0))
    one, two = b.masses("one", [0, 0, 0], 10.0), b.masses("two", [1.0, 0, 0], 10.0)
    b.link("thread", (one, two), links.spring(1e-3))
    found = advise(b.build(), {"one": "one", "two": "two"}, BAND, axes="x")
    assert found.pairs[0].verdict == "independent"
    assert [(cut.links, cut.acts) for cut in found.cuts] == [("thread", "none")]
    assert found.cut_network().bundles == ()


def cloth():
    b = NetworkBuilder()
    points = b.masses("cloth", topology.block_positions((4, 3), 0.1), 0.01)
    b.link("weave", topology.grid(points, (4, 3)), links.spring(np.arange(1.0, 30.0), damping=0.01))
    return b.build()


def test_a_bundle_cut_in_part_becomes_several():
    net = cloth()
    left, right = list(range(6)), list(range(6, 12))
    cut = cut_network(net, {"left": left, "right": right}, [("left", "right")])
    whole, pieces = net.bundles[0], {bundle.name: bundle for bundle in cut.bundles}
    assert set(pieces) == {"weave", "weave.second"}
    assert pieces["weave.second"].acts == "second"
    assert all(bundle.grid is None for bundle in cut.bundles)
    found = {
        tuple(p): k for bundle in cut.bundles for p, k in zip(bundle.pairs, bundle.law.zones[0].stiffness, strict=True)
    }
    assert found == {tuple(p): k for p, k in zip(whole.pairs, whole.law.zones[0].stiffness, strict=True)}
    crossing = np.isin(pieces["weave.second"].pairs, left)
    assert crossing[:, 0].all()
    assert not crossing[:, 1].any()
    back = cut_network(net, {"left": left, "right": right}, [("right", "left")])
    assert [bundle.acts for bundle in back.bundles] == ["both", "first"]
    apart = cut_network(net, {"left": left, "right": right}, [])
    assert sum(bundle.count for bundle in apart.bundles) == whole.count - len(crossing)


def test_what_acts_one_way_already_stays_so():
    b = NetworkBuilder(gravity=(0, 0, 0))
    one, two = b.masses("one", [0, 0, 0], 1.0), b.masses("two", [1.0, 0, 0], 1.0)
    b.link("pull", (one, two), links.spring(50.0), acts="first")
    found = advise(b.build(), {"one": "one", "two": "two"}, BAND)
    assert found.connections == (("two", "one"),)
    assert found.cuts == ()
    assert found.cut_network().bundles[0].acts == "first"


def test_links_out_of_range_and_pistons_are_kept():
    b = NetworkBuilder()
    one, two = b.masses("one", [0, 0, 0], 100.0), b.masses("two", [[1.0, 0, 0], [2.0, 0, 0]], 0.01)
    b.link("stop", (one, two[:1]), links.elastic_buffer(1.0, 0.5))
    net = b.build()
    models = {"one": "one", "two": "two"}
    found = advise(net, models, BAND)
    assert found.pairs[0].verdict == "both kept"
    assert "no link between them acts" in str(found)
    assert advise(net, models, BAND, active="strongest", axes="x").pairs[0].verdict == "a drives b"
    b.piston("pump", [(one, two[:1]), (two[:1], two[1:])], ["x", "x"], stiffness=1e-3, rest=2.0)
    assert advise(b.build(), models, BAND, active="strongest").pairs[0].verdict == "both kept"


def test_links_by_range_are_cut_between_sets_of_their_own():
    b = NetworkBuilder(gravity=(0, 0, 0))
    heavy = b.masses("heavy", [0, 0, 0], 100.0, radius=0.5, velocity=(0, 0, 0.05))
    light = b.masses("light", [1 - 1e-6, 0, 0], 0.01, radius=0.5, velocity=(0, 0, 0.05))
    b.reach("touch", heavy, light, law=links.visco_elastic_buffer(0.5, 0.0, damping=0.2))
    models = {"heavy": "heavy", "light": "light"}
    found = advise(b.build(), models, BAND, axes="x")
    assert found.pairs[0].verdict == "a drives b"
    assert [(c.links, c.driver, c.driven, c.acts) for c in found.cuts] == [("touch", "heavy", "light", "driven")]
    cut = found.cut_network()
    assert [reach.acts for reach in cut.reaches] == ["second"]
    engine = Engine(cut)
    engine.advance(200)
    np.testing.assert_array_equal(engine.state().position[0, :2], [0, 0])  # what drives feels nothing
    assert engine.state().position[1, 0] > 1 - 1e-6
    result = compare_runs(b.build(), found, 0.2)
    assert 0 < result["heavy"].error < 1e-6
    foreseen = advise(b.build(), models, Band.from_rest(0.2, 10.0), axes="x").pairs[0].error_a
    assert foreseen == pytest.approx(result["heavy"].error, rel=0.01)  # not all samples are the same


def test_links_by_range_of_many_models_are_cut_between_each_two():
    """Three balls in a row under one reach: the last no longer feels the middle one, which feels both."""
    b = NetworkBuilder(gravity=(0, 0, 0))
    balls = [b.masses(name, [0.9 * n, 0, 0], 1.0, radius=0.5) for n, name in enumerate("abc")]
    b.reach("touch", balls[0] + balls[1] + balls[2], law=links.elastic_buffer(50.0, 0.0))
    net, models = b.build(), {name: name for name in "abc"}
    kept = [("a", "b"), ("b", "a"), ("c", "b")]
    engines = [Engine(cut_network(net, models, some)) for some in ([*kept, ("b", "c")], kept)]
    for engine in engines:
        engine.advance(1)
    whole, cut = (engine.state().position for engine in engines)
    np.testing.assert_array_equal(cut[:2], whole[:2])
    np.testing.assert_array_equal(cut[2], [1.8, 0, 0])
    assert whole[2, 0] > 1.8
    both = NetworkBuilder(gravity=(0, 0, 0))
    pair = both.masses("pair", [[0, 0, 0], [1, 0, 0]], 1.0)
    other = both.masses("other", [2.0, 0, 0], 1.0)
    both.reach("uneven", pair[:1] + other, pair, law=links.elastic_buffer(50.0, 1.5))
    with pytest.raises(InputError, match=r"one role in a reach.*run_schedule"):
        cut_network(both.build(), {"pair": "pair", "other": "other"}, [])


def test_comparison_of_runs_is_reported():
    found = advise(row(), MODELS, BAND, axes="x")
    b = row()
    result = compare_runs(b, found, 0.05)
    assert result["heavy"].error == 0.0
    assert result["heavy"].displacement == 0.0
    lines = str(result).splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("heavy")
    plain = json.loads(json.dumps(result.as_dict()))
    assert plain["middle"]["error"] == 0.0  # nothing moves
    with pytest.raises(InputError, match="no such model"):
        result["heavier"]
    other = compare_runs(b, found.cut_network(), 0.05)
    assert [one.model for one in other.errors] == ["heavy", "middle", "light"]


def test_advice_as_text_and_plain_values():
    found = advise(row(), MODELS, (2.0, 30.0), axes="x")
    lines = str(found).splitlines()
    assert lines[0] == "couplings from 2 to 30 Hz, threshold 0.1"
    assert lines[1].startswith("  heavy drives middle: middle on heavy ")
    assert "  1 link of 'tie_light' between middle and light: on light only" in lines
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["pairs"][0]["verdict"] == "a drives b"
    assert plain["cuts"][1]["acts"] == "second"
    assert plain["runs"][2]["models"] == ["light"]
    assert "x" in plain["pairs"][0]["axes"]


@pytest.mark.parametrize(
    ("models", "text"),
    [
        ({}, "models must be a mapping that is not empty"),
        ({"a": "heavy"}, "every mass must belong to a model .*middle and 1 more"),
        (
            {"a": ["heavy", "middle"], "b": ["middle", "light"]},
            "a mass belongs to one model at most .*middle, also of 'a'",
        ),
        ({"a": ["heavy", "middle", "light"], "b": "wall"}, "a model must have masses"),
        ({"a": "hevy"}, "no such points .*Did you mean 'heavy'"),
    ],
)
def test_bad_models_are_refused(models, text):
    with pytest.raises(InputError, match=text):
        model_labels(row(), models)


def test_bad_connections_and_thresholds_are_refused():
    with pytest.raises(InputError, match="no such model"):
        cut_network(row(), MODELS, [("heavy", "lite")])
    with pytest.raises(InputError, match="threshold"):
        advise(row(), MODELS, BAND, 1.5)
    with pytest.raises(InputError, match="a frequency must not exceed half the sampling rate"):
        advise(row(), MODELS, (1.0, 600.0))
    with pytest.raises(InputError, match="the recording must have the points of the network"):
        compare_runs(row(), cloth(), 0.01)
