"""Record and replay: the same bits as the one-way run, in memory and on disk."""

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.geometry import Ball
from motiform.motion.matter import Engine, NetworkBuilder, links, topology
from motiform.motion.matter.coupling import cut_network, record_connection, run_schedule, separate, split
from motiform.motion.matter.coupling.parts import part_of
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.run import RunOptions
from motiform.record import open_recording
from motiform.spatial import Transform
from runs import simulate_network

OPTIONS = RunOptions(0.4, rate=105.0, integrator="central-difference")
YIELDING = """
    parameters stiffness, yield
    memory rest = start
    state held: stiffness, 0.001, rest
    held -> held when force > yield: rest = d - yield / stiffness
"""


def runner(touch=False):
    """A heavy body that is shaken, a cloth sewn to it, and a tail on both: springs, a grid, range, automata, axes."""
    b = NetworkBuilder(keep_velocity=True, wind=(1.0, 0, 0.3))
    hip = b.imposed("hip", lambda t: [[0.3 * np.sin(9 * t), 1.0, 0]], velocity=[2.7, 0, 0])
    body = b.masses("body", [[0.05, 1 - 0.1 * k, 0] for k in range(1, 7)], 5.0, radius=0.03)
    b.link("spine", topology.chain(hip + body), links.spring(2e5, damping=200.0))
    cloth = b.masses("cloth", topology.block_positions((6, 5), 0.08, (-0.1, 0.45, -0.06)), 1e-3, drag=1e-3, radius=0.02)
    b.link("weave", topology.grid(cloth, (6, 5)), links.spring(20.0, damping=0.01))
    b.link("seam", (body, cloth[np.arange(6) * 5]), links.spring(np.arange(25.0, 31.0), damping=0.01))
    b.reach("folds", cloth, law=links.visco_elastic_buffer(30.0, 0.0, damping=0.005), friction=0.3)
    tail = b.masses("tail", [[0.05, 0.4 - 0.05 * k, 0.0] for k in range(1, 5)], 1e-4)
    ring = np.concatenate([body.indices[-1:], tail.indices])
    b.link("tie", topology.chain(ring), Automaton("yielding", YIELDING).law(stiffness=10.0, **{"yield": 0.02}))
    b.link("fringe", (tail[:2], cloth[:2]), links.spring(0.5, damping=1e-4), axis="y")
    b.link("slow", (body[:1], tail[3:]), links.spring(0.05), every=3)
    b.push("hand", cloth[:3], lambda t: [[0, 0, 1e-3 * np.cos(20 * t)]] * 3)
    b.solid("stone", Ball(0.2), Transform(np.eye(3), (0.4, 0.3, 0)), cloth, law=links.elastic_buffer(5.0, 0.0))
    if touch:
        b.reach("touch", body, cloth, law=links.visco_elastic_buffer(30.0, 0.06, damping=0.005))
    return b.build()


MODELS = {"body": "body", "cloth": "cloth", "tail": "tail"}
ONE_WAY = [("body", "cloth"), ("body", "tail"), ("cloth", "tail")]


@pytest.fixture(scope="module")
def one_way():
    return simulate_network(cut_network(runner(), MODELS, ONE_WAY), OPTIONS)


def same(rec, other, names):
    for name in names:
        assert np.array_equal(rec[name], other[name]), name
        assert np.ptp(rec[name], axis=0).max() > 0.01  # it moves, by centimetres or cm/s


def test_schedule_gives_the_bits_of_the_one_way_run(one_way):
    found = run_schedule(runner(), separate(MODELS, ONE_WAY), 0.4, rate=105.0)
    moving = [f"{name}.{key}" for name in ("hip", "body", "cloth", "tail") for key in ("position", "velocity")]
    same(found, one_way, moving)
    assert found.manifest["schedule"]["runs"][2]["models"] == ["tail"]


def test_one_way_is_not_two_way(one_way):
    coupled = simulate_network(runner(), OPTIONS)
    assert not np.array_equal(coupled["body.position"], one_way["body.position"])


def test_on_disk_too(one_way, tmp_path):
    fractions = []
    options = {"rate": 105.0, "folder": tmp_path / "runs", "progress": fractions.append}
    found = run_schedule(runner(), separate(MODELS, ONE_WAY), 0.4, **options)
    same(found, one_way, ["body.position", "cloth.position", "tail.position"])
    kept = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert kept == ["run-1.mf", "run-2.mf", "run-3.mf", "whole.mf"]
    sent = [name for name in open_recording(tmp_path / "runs" / "run-3.mf") if name.endswith(".connection")]
    assert not sent  # nothing follows from the third
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)
    assert open_recording(tmp_path / "runs" / "whole.mf").complete


def test_inseparable_models_run_together(one_way):
    """Cloth and tail as one group of the schedule: two runs, and the bits of the network cut between body and both."""
    arcs = [("body", "cloth"), ("cloth", "tail"), ("tail", "cloth")]
    apart = separate(MODELS, [*arcs, ("body", "tail")])
    assert len(apart.groups) == 2
    found = run_schedule(runner(), apart, 0.4, rate=105.0)
    whole = cut_network(runner(), {"body": "body", "rest": ["cloth", "tail"]}, [("body", "rest")])
    same(found, simulate_network(whole, OPTIONS), ["body.position", "cloth.position", "tail.position"])
    assert not np.array_equal(found["cloth.position"], one_way["cloth.position"])


def test_models_that_divide_a_group():
    """The upper body drives the lower, in one group of points and one bundle."""
    models = {"upper": ["body[0]", "body[1]", "body[2]"], "rest": ["body[3]", "body[4]", "body[5]", "cloth", "tail"]}
    arcs = [("upper", "rest")]
    found = run_schedule(runner(), separate(models, arcs), 0.4, models=models, rate=105.0)
    whole = simulate_network(cut_network(runner(), models, arcs), OPTIONS)
    same(found, whole, ["body.position", "body.velocity", "cloth.position", "tail.position"])


def test_a_grid_cut_through():
    """Half a cloth drives the other half: its stencil becomes links, in the cut run and in both parts."""
    b = NetworkBuilder()
    nails = b.fixed("nails", topology.block_positions((1, 4), 0.1, (-0.1, 0, 0)))
    cloth = b.masses("cloth", topology.block_positions((8, 4), 0.1), 0.01)
    b.link("weave", topology.grid(cloth, (8, 4)), links.spring(50.0, damping=0.05))
    b.link("hang", (nails, cloth[:4]), links.spring(50.0, damping=0.05))
    net, models, arcs = b.build(), {"near": list(range(4, 20)), "far": list(range(20, 36))}, [("near", "far")]
    found = run_schedule(net, separate(models, arcs), 0.4, models=models, rate=105.0)
    same(found, simulate_network(cut_network(net, models, arcs), OPTIONS), ["cloth.position"])


def test_two_halves_of_a_network(one_way, tmp_path):
    halves = split(runner(), "body", ["cloth", "tail"])
    assert [group.name for group in halves.driver.groups] == ["hip", "body"]
    taken = record_connection(halves, 0.4, out=tmp_path / "body.mf")
    assert taken.channel("body.position").rate == 1050.0
    assert taken.statics["body.points"].tolist() == list(range(6))
    driven = halves.driven(tmp_path / "body.mf")
    assert driven.group("body").kind == "imposed"
    rec = simulate_network(driven, OPTIONS)
    whole = cut_network(runner(), {"body": "body", "rest": ["cloth", "tail"]}, [("body", "rest")])
    same(rec, simulate_network(whole, OPTIONS), ["body.position", "cloth.position", "tail.position"])


class Live(list):
    """Samples of a driver that is simulated beside what it drives."""


def test_links_by_range_replayed_are_those_of_engines_in_step():
    """What touches by range drives one way: replayed, and with the driver's engine one step ahead, to the same bits."""
    halves = split(runner(touch=True), "body")
    taken = record_connection(halves, 0.4)
    assert taken["body.position"].shape == (421, 6, 3)
    replayed = simulate_network(halves.driven(taken), OPTIONS)
    driver = Engine(halves.driver)
    body = halves.driver.group("body").indices
    seen = Live([driver.state().position[body]])
    driven = Engine(halves.driven_part.network({"body": seen}))
    cloth = driven.network.group("cloth").indices
    path = [driven.state().position[cloth]]
    for _ in range(420):
        driver.advance()
        seen.append(driver.state().position[body])
        driven.advance()
        path.append(driven.state().position[cloth])
    assert np.array_equal(np.array(path)[::10], replayed["cloth.position"])
    apart = simulate_network(split(runner(), "body").driven(taken), OPTIONS)
    assert not np.array_equal(apart["cloth.position"], replayed["cloth.position"])  # they did touch


def test_schedule_with_links_by_range():
    """The schedule cuts them, too; the driver then runs as if it were alone."""
    net, arcs = runner(touch=True), [("body", "rest")]
    models = {"body": "body", "rest": ["cloth", "tail"]}
    found = run_schedule(net, separate(models, arcs), 0.4, models=models, rate=105.0)
    halves = split(net, "body")
    rec = simulate_network(halves.driven(record_connection(halves, 0.4)), OPTIONS)
    same(found, rec, ["body.position", "cloth.position", "tail.position"])


def test_parts_take_only_what_acts_on_them():
    net = cut_network(runner(), MODELS, ONE_WAY)
    part = part_of(net, net.group("tail").indices, np.zeros(0, int))
    names = [net.point_name(int(p)) for p in part.needs]
    assert names == ["body[0]", "body[5]", "cloth[0]", "cloth[1]"]
    motion = {name: np.zeros((2, 2, 3)) for name in ("body", "cloth")}
    found = part.network(motion)
    assert [group.name for group in found.groups] == ["body.played", "cloth.played", "tail"]
    assert {bundle.name.split(".")[0] for bundle in found.bundles} == {"tie", "fringe", "slow"}
    assert not found.reaches
    assert not found.solids
    assert not found.inputs


def test_a_run_that_diverges_keeps_what_came_before(tmp_path):
    b = NetworkBuilder()
    one, two = b.masses("one", [0, 0, 0], 1.0), b.masses("two", [1.0, 0, 0], 1e-3)
    b.link("tie", (one, two), links.spring(1e5, rest=0.5), acts="second")
    apart = separate(["one", "two"], [("one", "two")])
    with pytest.raises(InputError, match="K = "):
        run_schedule(b.build(), apart, 2.0)
    with pytest.raises(RunError, match="diverged"):
        run_schedule(b.build(), apart, 2.0, unstable=True, folder=tmp_path / "runs")
    assert open_recording(tmp_path / "runs" / "run-1.mf").complete
    left = open_recording(tmp_path / "runs" / "run-2.mf")
    assert not left.complete
    assert 10 < left.count("two.position") < 2101


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda n: split(n, "hip"), "both parts must have masses"),
        (lambda n: split(n, ["body", "cloth"], "cloth"), "a mass belongs to one model at most"),
        (lambda n: split(n, "body", "cloth"), "every mass must belong to a model"),
        (lambda n: split(n, "boddy"), "Did you mean 'body'"),
        (
            lambda n: split(n, "body").driven_part.network(),
            "the motion of all driving points is needed .*nothing of body",
        ),
        (lambda n: run_schedule(n, separate(["body", "cloth"], []), 0.1), "every mass must belong to a model"),
        (lambda n: run_schedule(n, separate(MODELS, []), 0.1, models={"a": "body"}), "must be those of the separation"),
        (lambda n: run_schedule(n, separate(MODELS, ONE_WAY), 0.1, rate=400.0), "samples must fall on steps"),
        (lambda n: record_connection(split(n, "body"), -1.0), "t1"),
    ],
)
def test_bad_questions_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call(runner())


def test_any_recording_of_all_points_at_the_networks_rate_will_do():
    halves = split(runner(), "body")
    full = simulate_network(halves.driver, RunOptions(0.1, rate=1050.0, integrator="central-difference"))
    taken = record_connection(halves, 0.1)
    options = RunOptions(0.1, rate=105.0, integrator="central-difference")
    same(*(simulate_network(halves.driven(rec), options) for rec in (full, taken)), ["cloth.position"])


def test_a_recording_of_something_else_is_refused():
    halves = split(runner(), "body")
    with pytest.raises(InputError, match="the channel must have the frequency of the network"):
        halves.driven(simulate_network(halves.driver, OPTIONS))
    b = NetworkBuilder()
    b.masses("body", [[0, 0, 0], [1.0, 0, 0]], 1.0)
    other = simulate_network(b.build(), RunOptions(0.01, rate=1050.0, integrator="central-difference"))
    with pytest.raises(InputError, match=r"of this network's connection .*2 points of body"):
        halves.driven(other)
    few = record_connection(split(runner(), ["body", "tail"]), 0.01)  # of the tail only what the cloth needs
    with pytest.raises(InputError, match="all points must be recorded"):
        split(runner(), ["cloth", "tail"]).driven(few)


def test_an_interrupted_schedule_continues_from_its_folder(one_way, tmp_path):
    """The second of three runs is interrupted; the first is complete by then."""

    def interrupt(share):
        if share > 0.5:
            raise KeyboardInterrupt

    apart, options = separate(MODELS, ONE_WAY), {"rate": 105.0, "folder": tmp_path / "runs"}
    with pytest.raises(KeyboardInterrupt):
        run_schedule(runner(), apart, 0.4, **options, progress=interrupt)
    first = open_recording(tmp_path / "runs" / "run-1.mf")
    assert first.complete
    found = run_schedule(runner(), apart, 0.4, **options, resume=True)
    same(found, one_way, ["body.position", "cloth.position", "tail.velocity"])
    with pytest.raises(InputError, match="the recording is of another run"):
        run_schedule(runner(), apart, 0.3, **options, resume=True)
    with pytest.raises(InputError, match="only recordings on disk can be resumed"):
        run_schedule(runner(), apart, 0.4, resume=True)
