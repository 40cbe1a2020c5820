"""Times are taken in turn, and the best counts."""

import time

import pytest

from bench import turns
from bench.process import best_rates
from bench.turns import Times, best_runs, best_times, repeated, take_turns


def test_contenders_take_turns_and_the_best_counts():
    calls = []
    runs = {name: repeated(lambda name=name: calls.append(name)) for name in "ab"}
    best = take_turns(runs, seconds=0, chunk=1e-9, least=2)
    assert calls == ["a", "a", "b", "b", *["a", "a", "b", "b"] * 2]  # each is warmed before it is timed
    assert all(0 <= t.wall < 1 and 0 <= t.cpu < 1 for t in best.values())
    assert Times(1.0, 4.0).or_better(Times(2.0, 3.0)) == Times(1.0, 3.0)


def test_short_work_is_repeated_to_fill_a_chunk():
    counts = []

    def run(count):
        counts.append(count)
        return Times(wall=0.01 * count)

    assert take_turns({"a": run}, seconds=0, chunk=0.1, least=1)["a"].wall == pytest.approx(0.01)
    assert counts == [1, 1, 2, 4, 8, 1, 10]


def test_best_times_are_wall_times():
    best = best_times({"a": lambda: time.sleep(0.002)}, rounds=2, chunk=1e-9)
    assert best["a"] >= 0.002


def test_rates_are_the_best_of_chunks():
    took = iter([1.0, 1.0] + [0.5, 0.2, 0.3, 0.2, 0.25, 0.2] * 50)
    assert best_rates({"a": lambda steps: steps * next(took)}, seconds=0.0, chunk=1.0) == {"a": pytest.approx(1 / 0.2)}


def test_slow_runs_are_timed_once(monkeypatch):
    monkeypatch.setattr(turns, "_SLOW", 0.005)
    monkeypatch.setattr(turns, "_SHORT", 0.0)
    calls = []

    def slow():
        calls.append("slow")
        time.sleep(0.01)

    best = best_runs({"slow": slow, "fast": lambda: calls.append("fast")})
    assert calls == ["slow", "fast", "fast", "fast"]
    assert best["slow"] >= 0.01
