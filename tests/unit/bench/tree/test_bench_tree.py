import numpy as np
import pytest

import motiform
from bench import register
from bench.tree import cases as tree
from bench.tree import human42
from bench.tree.gpu import _launches, bytes_per_state, count_operations
from bench.tree.peers.mujoco import single as mujoco_single
from bench.tree.peers.pinocchio import called as pinocchio
from bench.tree.peers.pinocchio import pool
from bench.tree.states import ALGORITHMS, Contender, States, check_agreement, ours
from bench.turns import Times
from motiform.base.errors import MotiformError
from motiform.motion.tree import energy, forward_kinematics, inertia_matrix, joint_axes

MANNERS = ("axes", "chain", "native")


def test_the_tree_is_the_one_described():
    """17 segments, 42 coordinates, 73.6 kg: 40 kg of trunk and head, 2·3.65 of arms, 2·12.65 of legs."""
    assert len(human42.SEGMENTS) == 17
    assert sum(len(body.axes) for body in human42.SEGMENTS) == 42
    assert sum(body.mass for body in human42.SEGMENTS) == pytest.approx(40 + 2 * 3.65 + 2 * 12.65)
    sizes = {manner: human42.figure(manner) for manner in MANNERS}
    assert [(len(f.segments), f.nq, f.nv) for f in sizes.values()] == [(17, 42, 42), (42, 42, 42), (17, 49, 42)]


def test_moments_are_those_of_a_box():
    # m/12 (B² + C²) with full lengths B = 0.4, C = 0.6
    body = human42.Body("box", None, (0, 0, 0), "X", 3.0, (0, 0, 0), (0.1, 0.2, 0.3))
    assert body.moments == pytest.approx([3 / 12 * (0.16 + 0.36), 3 / 12 * (0.04 + 0.36), 3 / 12 * (0.04 + 0.16)])


def test_all_manners_of_writing_it_are_the_same_tree():
    """Same places; same inertia matrix in the same velocities (chain) or in mapped ones (native).

    Differences are roundings: fewer than 20 000 operations of 1.1e-16 each, 2.2e-12 of the size.
    """
    q, _, _ = human42.states(3)
    figures = {manner: human42.figure(manner) for manner in MANNERS}
    native = human42.native_states(q)
    R, p = forward_kinematics(figures["axes"], q)
    for manner, at in (("chain", q), ("native", native)):
        chosen = [figures[manner].index(body.name) for body in human42.SEGMENTS]
        Rm, pm = forward_kinematics(figures[manner], at)
        assert np.abs(Rm[:, chosen] - R).max() < 2.2e-12
        assert np.abs(pm[:, chosen] - p).max() < 2.2e-12
    M = inertia_matrix(figures["axes"], q)
    assert np.abs(inertia_matrix(figures["chain"], q) - M).max() < 2.2e-12 * np.abs(M).max()
    mapped = velocity_map(figures["axes"], q, figures["native"], native)
    found = np.swapaxes(mapped, -1, -2) @ inertia_matrix(figures["native"], native) @ mapped
    assert np.abs(found - M).max() < 2.2e-12 * np.abs(M).max() * np.linalg.norm(mapped, axis=(1, 2)).max()


def velocity_map(plain, q, native, qn):
    """Return G with v_native = G v_plain: the axes of a joint span the same twists."""
    S, Sn = joint_axes(plain, q), joint_axes(native, qn)
    G, at = np.zeros((len(q), 42, 42)), 0
    for body in human42.SEGMENTS:
        own = slice(at, at + len(body.axes))
        for n in range(len(q)):
            G[n, own, own] = np.linalg.lstsq(Sn[n, own].T, S[n, own].T, rcond=None)[0]
        at = own.stop
    return G


def test_peers_fall_as_ours_does():
    """Weight is in each description: at rest the pelvis takes all of it, −m g along z."""
    q, _, _ = human42.states(1)
    weight = 9.81 * sum(body.mass for body in human42.SEGMENTS)
    tau = motiform.nonlinear_effects(human42.figure(), q[0], np.zeros(42))
    assert tau[:3] == pytest.approx([0, 0, weight], rel=1e-12, abs=1e-9)
    assert energy(human42.figure(), q[0], np.zeros(42)).kinetic == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("manner", MANNERS)
def test_pinocchio_does_the_same_work(algorithm, manner):
    pytest.importorskip("pinocchio")
    many = States.make(manner, 3)
    for states in (many, many.first):
        check_agreement("test", {"ours": ours(algorithm, states), "peer": pinocchio(algorithm, states)})


@pytest.mark.parametrize("algorithm", ["rnea", "aba"])
@pytest.mark.parametrize("manner", MANNERS)
def test_pools_do_the_same_work(algorithm, manner):
    pytest.importorskip("pinocchio")
    states = States.make(manner, 5)
    check_agreement("test", {"ours": ours(algorithm, states, 1), "peer": pool(algorithm, states, 2)})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_mujoco_does_the_same_work(algorithm):
    pytest.importorskip("mujoco")
    states = States.make("axes", 1).first
    check_agreement("test", {"ours": ours(algorithm, states), "peer": mujoco_single(algorithm, states)})


def test_other_work_is_refused():
    mine = ours("rnea", States.make("axes", 1).first)
    wrong = Contender(mine.call, lambda: mine.call() * (1 + 1e-8), "axes")
    with pytest.raises(MotiformError, match=r"rnea/single, wrong: a peer must get the same result"):
        check_agreement("rnea/single", {"ours": mine, "wrong": wrong})
    nan = Contender(mine.call, lambda: mine.call() * np.nan, "axes")
    with pytest.raises(MotiformError, match="the same result"):
        check_agreement("rnea/single", {"ours": mine, "nan": nan})


def test_the_report_has_the_cases(monkeypatch):
    """All of it with little time and few states: names, threads and peers of the rows."""
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    monkeypatch.setattr(tree, "_MANY", 8)
    monkeypatch.setattr(tree, "_PASSES", 1)
    monkeypatch.setattr(tree, "peak_of_cores", lambda used: 1e9)
    monkeypatch.setattr(tree, "count_operations", lambda manner: dict.fromkeys(ALGORITHMS, 1))
    monkeypatch.setattr(
        tree, "take_turns", lambda contenders, **_: dict.fromkeys(contenders, Times(cpu=1e-6, wall=2e-6))
    )
    seen = []
    rows = tree.measure(device="cpu", progress=seen.append).as_dict()["results"]
    assert seen[-1] == 1.0
    names = [row["case"] for row in rows]
    singles = {"pinocchio-python": 1.0, "pinocchio-native": 1.0, "mujoco": 1.0}
    for algorithm in ALGORITHMS:
        (row,) = (row for row in rows if row["case"] == f"{algorithm}/single")
        assert (row["unit"], row["better"], row["ours"], row["peers"]) == ("us", "lower", 1.0, singles)
    assert {"fk/batch", "crba/batch", "rnea/scaling", "aba/batch/native", "rnea/single/chain"} <= set(names)
    threads = [row["threads"] for row in rows if row["case"] == "rnea/batch"]
    assert threads in ([1], [1, 2])
    one = next(row for row in rows if row["case"] == "rnea/batch")
    assert (one["ours"], one["peers"]) == (4e6, {"pinocchio-pool": 4e6})  # by the clock, as the row of two threads
    assert one["limit"] == {"arithmetic": pytest.approx(4e6 / 1e9)}


def test_peers_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(register, "usable", lambda name: False)
    assert list(tree._single("rnea", "axes").contenders) == ["ours"]
    assert all(name.startswith("ours") for name in tree._batch("rnea", "native").contenders)


def test_operations_of_kinematics_are_counted():
    """At least: 39 turns of a frame (12 operations each) and their sines and cosines (30), 17 places (18)."""
    counted = count_operations()
    assert 39 * (12 + 30) + 17 * 18 <= counted["fk"] < counted["rnea"] < counted["aba"] < 42 * 1000
    # q, v and a in, tau out, 8 bytes a number
    assert bytes_per_state("rnea") == 4 * 42 * 8
    assert bytes_per_state("crba") == (42 + 42 * 42) * 8


def test_launches_can_be_made_again():
    from motiform.base.kernels import Device

    class Told(Device):
        def __init__(self):
            self.done = []

        def launch(self, kernel, count, *arguments, least=0):
            self.done.append((kernel, count, arguments, least))

    device = Told()
    again = _launches(device, lambda: (device.launch("k", 3, "x", least=2), device.launch("m", 1)))
    assert len(device.done) == 2
    again()
    assert device.done[2:] == device.done[:2] == [("k", 3, ("x",), 2), ("m", 1, (), 0)]
