"""The screen bench: contenders agree, and a small row is whole."""

import numpy as np
import pytest

from bench import run_bench
from bench.screen import cases
from bench.screen.cases import OursScreen, screen_row
from bench.screen.peers.arrays import ndimage_screen, plain_screen
from bench.screen.problem import Pins, screen_tolerance
from bench.screen.surfaces import Particles, Torus, enclosed
from motiform.base.libraries import usable

SMALL = Pins(size=90, points=25, moves=12)


@pytest.mark.parametrize("pins", [SMALL, Pins(size=80, points=0)])
def test_contenders_agree(pins):
    plain = plain_screen(pins)
    plain.advance(20)
    exact = plain.positions()
    assert np.abs(exact).max() > 0.01
    for other in (OursScreen(pins), ndimage_screen(pins)):
        other.advance(20)
        assert np.abs(other.positions() - exact).max() < screen_tolerance(exact, 20)


def test_rows_tell_peers_and_limit(monkeypatch):
    monkeypatch.setattr(cases, "CASES", {"screen/2d": SMALL})
    monkeypatch.setattr(cases, "screen_row", lambda *a: screen_row(*a, seconds=0.0, chunk=0.005))
    monkeypatch.setattr(cases, "TORUS", Torus(count=24))
    monkeypatch.setattr(cases, "PARTICLES", Particles(count=5, cell=0.01))
    row, grid, particles = run_bench("screen").as_dict()["results"]
    assert (grid["case"], particles["case"]) == ("surface/grid", "surface/particles")
    for found, peer, module in ((grid, "scikit-image", "skimage"), (particles, "pysplashsurf", "pysplashsurf")):
        assert found["ours"] > 0
        assert (peer in found["peers"]) == usable(module)
    assert row["case"] == "screen/2d"
    assert row["ours"] > 0
    assert {"numpy", "scipy"} <= set(row["peers"])
    assert row["limit"]["memory"] > 0
    assert "memory limit: 0.1944 MB" in row["note"]


def test_the_volume_of_a_cube():
    from motiform.geometry import Box

    mesh = Box((1.0, 2.0, 3.0)).to_mesh()
    assert enclosed(mesh.vertices + 5.0, mesh.faces) == pytest.approx(6.0)
    assert enclosed(mesh.vertices, mesh.faces[:, ::-1]) == pytest.approx(6.0)
