"""Contenders of the bodies bench, and the operations of a step."""

import numpy as np
import pytest

from bench.bodies import cases
from bench.bodies.cases import _ours, _rows
from bench.bodies.model import make_model
from bench.limits import operations_per_step
from bench.register import made_peers
from motiform.base.errors import MotiformError


def test_contenders_do_the_same_work():
    model = make_model(100)
    mine = _rows(_ours(model, "rk4")())
    peers = dict(made_peers("bodies", "rk4/1000", model))
    assert "numpy" in peers
    for call in peers.values():
        assert np.abs(call() - mine).max() < 1e-9


def test_other_work_is_refused(monkeypatch):
    monkeypatch.setattr(cases, "make_model", lambda count: make_model(10))
    monkeypatch.setattr(cases, "made_peers", lambda *case: [("wrong", lambda: _rows(_ours(case[-1], "rk4")()) + 1e-6)])
    with pytest.raises(MotiformError, match="bodies, rk4/1000, wrong: a peer must get the same result"):
        cases._rk4_case(1000, 1)


def test_operations_of_an_euler_step_are_counted():
    # Rᵀ L, I⁻¹ ·, R ·: 15 each; P/M: 4 with 1/M; three cross products 9 each; x, R, P, L + h·: 36; m g: 3; the rest
    # are sums with the loads that are zero here and the time of the step.
    least = 45 + 4 + 27 + 36 + 3
    assert least <= operations_per_step("euler") <= least + 30
