import json

import pytest

from bench import run_bench
from bench.report import Report, Result
from motiform.base.errors import MotiformError


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


def test_unknown_theme_is_refused():
    with pytest.raises(MotiformError, match="unknown benchmark"):
        run_bench("bodys")


def test_startup_is_measured():
    report = run_bench("startup")
    assert (report.results[0].case, set(report.results[0].peers)) == ("import", {"numpy"})
    assert report.results[0].ours > 0


@pytest.mark.parametrize("theme", ["bodies", "startup"])
def test_an_unknown_device_is_refused(theme):
    with pytest.raises(MotiformError, match=r"unknown device \(got 'tpu'; allowed: 'cpu', 'cuda'\)"):
        run_bench(theme, device="tpu")
