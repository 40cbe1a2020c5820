"""The contact bench on three coarse bones: the same pairs touch, whoever looks; rows are whole."""

from dataclasses import replace

import numpy as np
import pytest

from bench.contact import cases, solids
from bench.contact.bones import LAYER, Bones, inflated
from bench.contact.shapes import wrist_shapes
from bench.register import made_peers
from motiform.base.errors import RunError
from motiform.geometry import Ball, touch_points
from wrists import COARSE


@pytest.fixture(scope="module")
def few():
    shapes = wrist_shapes(1.2e-3, gap=0.9e-3)
    bones = [shapes[name] for name in ("scaphoid", "lunate", "pisiform")]
    return Bones(bones, bones)


def test_rows(few, monkeypatch):
    monkeypatch.setattr(cases, "take_turns", lambda runs, **_: {name: run(1) for name, run in runs.items()})
    monkeypatch.setitem(cases._RESOLUTION, "forces/200k", replace(COARSE, margin=2e-3, points=1e-3))
    for case in cases._RESOLUTION:
        row = cases._forces(few, case)
        assert row.ours > 0
        assert set(row.peers) == {name for name, _ in made_peers("contact", case, few)}
        assert "1 pairs touch" in row.note
    pairs = cases._pairs(few)
    assert "pairs that overlap" in pairs.note
    assert set(pairs.peers) == {"bounding balls", "bit fields"}
    rest = cases._rest(COARSE)
    assert (rest.case, rest.unit) == ("rest", "ms/deg")
    assert rest.ours > 0


def test_rows_of_solids(monkeypatch):
    monkeypatch.setattr(solids, "take_turns", lambda runs, **_: {name: run(1) for name, run in runs.items()})
    monkeypatch.setattr(solids, "_COUNT", 40)
    for name in ("box-box", "cone-box"):
        row = solids.solid_row(name)
        assert row.ours > 0
        assert "points a pair" in row.note
        assert set(row.peers) <= {"coal"}
    near = solids.touching_pairs("hull-hull", 30)
    gaps = touch_points(near.first, near.second, near.poses, near.others).gap
    # the normal turns by the way over the size, which changes the gap by the square of the way over it
    assert np.abs(gaps).max() < 2e-4


def test_a_peer_that_finds_other_pairs_is_refused(few):
    ours = few.gaps < 2 * LAYER
    cases._check("forces/200k", "x", few, ours, ours)
    far = np.zeros_like(ours)
    few.__dict__["gaps"], kept = few.gaps * 0, few.gaps
    try:
        with pytest.raises(RunError, match="must get the same result"):
            cases._check("forces/200k", "x", few, ~far, far)
    finally:
        few.__dict__["gaps"] = kept


def test_inflated():
    ball = inflated(Ball(5e-3).to_mesh(32), 1e-3)
    # vertices of the poles and rings move along the mean normal of their triangles, radial by symmetry to 1 %
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 6e-3, rtol=2e-3)
