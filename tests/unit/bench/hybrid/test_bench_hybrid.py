import json

import numpy as np
import pytest

import motiform
from bench import PEERS, register, run_bench
from bench.hybrid import cases as hybrid
from bench.hybrid import motion as hybrid_motion
from bench.hybrid.cases import MotionResult
from bench.hybrid.motion import depth_of, motion, run_ours
from bench.hybrid.peers.mujoco import MujocoRun, mjcf, mujoco_model, velocity_order
from bench.hybrid.problems import Laid, check_solutions, human, make_problems, opened, ours
from bench.turns import Times
from motiform.base.errors import MotiformError

SOLVERS = {peer.name: peer for peer in PEERS if "contact/*" in peer.cases}


@pytest.mark.parametrize(("points", "rank"), [(8, 12), (12, 24)])
def test_problems_are_redundant_and_some_points_open(points, rank):
    """A foot of four points is held by six rows; a hand's point and a wrist's by three each."""
    problems = make_problems(points, 6)
    for problem in problems:
        rows = np.vstack([problem.Cn, problem.Ct])
        assert rows.shape == (3 * points, 42)
        assert np.linalg.matrix_rank(rows, 1e-8) == rank
    leave = [opened(problem) for problem in problems]
    assert 0 < sum(leave) < 6 * points


def test_our_solution_is_the_least():
    """Conditions of the minimum: forces that press, points that do not sink, no force on points that leave."""
    for problem in make_problems(8, 6):
        a, x = motiform.contact.solve_contacts(*problem, human())
        tangent, normal = x[:16], x[16:]
        # rounding of 42-long sums, and of a refinement that ends at 4e-15 of its terms
        left = problem.M @ a + problem.g - problem.Ct.T @ tangent - problem.Cn.T @ normal
        assert np.abs(left).max() < 1e-10 * np.abs(problem.g).max()
        w, size = problem.Cn @ a + problem.sn, np.abs(a).max()
        assert normal.min() >= 0
        assert w.min() > -1e-11 * size
        assert np.abs(problem.Ct @ a + problem.st).max() < 1e-11 * size
        assert np.abs(w * normal).max() < 1e-11 * size * normal.max()
        assert (normal == 0).sum() >= opened(problem)


@pytest.mark.parametrize("peer", SOLVERS)
@pytest.mark.parametrize("points", [8, 12])
def test_peers_solve_the_same_problems(peer, points):
    pytest.importorskip(peer)
    problems = make_problems(points, 20)
    laid = [Laid.of(problem) for problem in problems]
    solve = SOLVERS[peer].load()(laid[0])
    found = {"ours": [ours(problem) for problem in problems], peer: [solve(problem) for problem in laid]}
    check_solutions("test", found)


def test_other_accelerations_are_refused():
    mine = [np.ones(3)]
    for wrong in (1 + 1e-7, np.nan):
        with pytest.raises(MotiformError, match="contact/8, peer: a peer must get the same result"):
            check_solutions("contact/8", {"ours": mine, "peer": [mine[0] * wrong]})


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("name", hybrid_motion.MOTIONS)
def test_the_model_of_mujoco_is_the_same_figure(name, native):
    pytest.importorskip("mujoco")
    posed = motion(name)
    run = MujocoRun(posed, native=native)
    run.check(name)
    run.model.body_mass[5] *= 1.001
    with pytest.raises(MotiformError, match="a peer must get the same result"):
        run.check(name)


def test_contact_points_of_mujoco_are_ours():
    """Heights of the balls above the floor at a posture in the air are our gaps; points are balls of 1 µm."""
    mj = pytest.importorskip("mujoco")
    posed = motion("fall")
    model = mujoco_model(posed.figure, posed.contacts)
    data, order = mj.MjData(model), velocity_order(posed.figure, model)
    q = posed.figure.configuration(pelvis_upward=0.3, right_knee_extension=-0.4, pelvis_left_turn=0.2)
    data.qpos[order] = q
    mj.mj_kinematics(model, data)
    heights = data.geom_xpos[1:, 1] - model.geom_size[1:, 0]  # the floor is the first
    gaps = motiform.contact.contact_gaps(posed.figure, posed.contacts, q)
    assert np.sort(heights) == pytest.approx(np.sort(gaps), abs=1.1e-6)


def test_joints_that_mujoco_has_not_are_refused():
    b = motiform.FigureBuilder()
    b.segment("ball", None, motiform.joints.free(), mass=1.0, inertia=np.eye(3))
    with pytest.raises(MotiformError, match="MuJoCo has no such joint"):
        mjcf(b.build(), motiform.contact.Contacts())


def test_the_human_stands_in_both():
    """Nothing that is written here moves the centre of mass but the softness of MuJoCo's ground, by millimetres."""
    pytest.importorskip("mujoco")
    posed = motion("standing")._replace(seconds=0.3)
    recording = run_ours(posed, "time-stepping")
    assert np.abs(recording["q"]).max() < 1e-6
    assert depth_of(recording) < 1e-6
    run = MujocoRun(posed)
    samples = run()
    assert samples.shape == (31, 42)
    assert np.abs(samples).max() < 0.01
    assert 0 < run.depth() < 0.01
    assert np.abs(MujocoRun(posed, native=False)()).max() < 0.01


def test_the_push_makes_it_fall():
    posed = motion("fall")._replace(seconds=0.6)
    assert posed.push.sum() == 150.0
    assert not motion("standing").push.any()
    speed = np.diff(run_ours(posed, "time-stepping")["center_of_mass"][:, 0]) * 100
    assert speed[-1] > 0.3  # 150 N over 0.3 s on 73 kg, less what the feet hold back


def test_the_report_has_the_cases(monkeypatch):
    monkeypatch.setattr(hybrid, "_COUNT", 2)
    monkeypatch.setattr(hybrid, "_PASSES", 1)
    monkeypatch.setattr(hybrid, "take_turns", lambda calls, **_: dict.fromkeys(calls, Times(cpu=4e-6, wall=1.0)))
    monkeypatch.setattr(
        hybrid, "best_runs", lambda runs: dict.fromkeys([who for who, run in runs.items() if run() is not run], 0.5)
    )
    monkeypatch.setattr(hybrid, "motion", lambda name: motion(name)._replace(seconds=0.02))
    monkeypatch.setattr(register, "usable", lambda name: name in ("quadprog", "mujoco"))
    pytest.importorskip("quadprog")
    pytest.importorskip("mujoco")
    seen = []
    rows = json.loads(json.dumps(hybrid.measure(device="cpu", progress=seen.append).as_dict()))["results"]
    assert seen[-1] == 1.0
    ways = ("event-driven", "time-stepping")
    assert [row["case"] for row in rows] == [
        "contact/8",
        "contact/12",
        *(f"{name}/{way}" for name in ("standing", "fall") for way in ways),
    ]
    assert (rows[0]["unit"], rows[0]["ours"], rows[0]["peers"]) == ("us", 2.0, {"quadprog": 2.0})
    assert "redundant" in rows[0]["note"]
    assert (rows[2]["unit"], rows[2]["better"], rows[2]["ours"]) == ("s/s", "higher", 0.04)
    assert set(rows[2]["penetration_mm"]) == {"ours", "mujoco", "mujoco-python"}


def test_penetration_is_part_of_a_row():
    row = MotionResult(
        "a", "cpu", 1, "s/s", "higher", 2.0, {"p": 1.0}, penetration={"ours": 0.0, "p": 0.12345}
    ).as_dict()
    assert row["penetration_mm"] == {"ours": 0.0, "p": 0.123}
    assert row["speedup"] == {"p": 2.0}


def test_there_is_no_gpu_for_it():
    with pytest.raises(MotiformError, match="on the CPU"):
        hybrid.measure(device="cuda", progress=lambda fraction: None)
    with pytest.raises(MotiformError, match="unknown device"):
        run_bench("hybrid", device="tpu")
