import json

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.bench import run_bench
from motiform.bench.bodies import _check_agreement, _mujoco, _numpy, _ours, _rows, make_model
from motiform.bench.limits import operations_per_step
from motiform.bench.report import Report, Result, best_times


def test_speedup_above_one_means_ahead():
    faster = Result("a", "cpu", 1, "us", "lower", 2.0, {"peer": 6.0})
    more = Result("b", "cpu", 2, "steps/s", "higher", 6.0, {"peer": 2.0})
    assert faster.speedup == more.speedup == {"peer": 3.0}


def test_report_has_the_documented_form():
    report = Report("x", (Result("a", "cpu", 1, "us", "lower", 2.0, {"peer": 6.0}, {"memory": 0.3}),)).as_dict()
    assert set(report) == {"bench", "machine", "results"}
    row = json.loads(json.dumps(report))["results"][0]
    assert row == {
        "case": "a",
        "device": "cpu",
        "threads": 1,
        "unit": "us",
        "better": "lower",
        "ours": 2.0,
        "peers": {"peer": 6.0},
        "speedup": {"peer": 3.0},
        "limit": {"memory": 0.3},
    }


def test_contenders_do_the_same_work():
    model = make_model(100)
    ends = {"ours": _rows(_ours(model, "rk4")()), "numpy": _numpy(model)()}
    mujoco = _mujoco(model)
    if mujoco is not None:
        ends["mujoco"] = mujoco()
    _check_agreement(ends)
    with pytest.raises(MotiformError, match="other work"):
        _check_agreement({**ends, "wrong": ends["ours"] + 1e-6})


def test_operations_of_an_euler_step_are_counted():
    # Rᵀ L, I⁻¹ ·, R ·: 15 each; P/M: 4 with 1/M; three cross products 9 each; x, R, P, L + h·: 36; m g: 3; the rest
    # are sums with the loads that are zero here and the time of the step.
    least = 45 + 4 + 27 + 36 + 3
    assert least <= operations_per_step("euler") <= least + 30


def test_best_times_take_turns():
    calls = []
    best = best_times({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, chunk=1e-9)
    assert calls == ["a", "a", "b", "b", "a", "b", "a", "b"]
    assert all(np.isfinite(v) and v >= 0 for v in best.values())


def test_unknown_theme_is_refused():
    with pytest.raises(MotiformError, match="unknown benchmark"):
        run_bench("bodys")


def test_startup_is_measured():
    report = run_bench("startup")
    assert report.results[0].case == "import"
    assert report.results[0].ours > 0


@pytest.mark.parametrize("theme", ["bodies", "startup"])
def test_an_unknown_device_is_refused(theme):
    with pytest.raises(MotiformError, match=r"unknown device \(got 'tpu'; allowed: 'cpu', 'cuda'\)"):
        run_bench(theme, device="tpu")
