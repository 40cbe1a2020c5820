"""The register of peers: who takes part in which case, broken ones, and where the list shows."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench import PEERS, THEMES, Peer, register
from bench.agreement import check_same
from bench.register import made_peers, peer_libraries, peer_names, peer_notes, peers_of
from motiform.base.errors import RunError


@pytest.fixture
def all_usable(monkeypatch):
    monkeypatch.setattr(register, "usable", lambda library: True)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.theme}-{peer.name}-{peer.cases[0]}")
def test_entries_are_whole(peer):
    assert peer.theme in THEMES
    assert peer.cases
    assert peer.about
    assert peer.theme == "startup" or callable(peer.load())  # its file imports without the library


@pytest.mark.parametrize(
    ("theme", "case", "device", "names"),
    [
        ("bodies", "rk4/1000", "cpu", ["numpy", "mujoco"]),
        ("bodies", "rk4/10000", "cpu", ["numpy"]),
        ("tree", "rnea/single", "cpu", ["pinocchio-python", "pinocchio-native", "mujoco"]),
        ("tree", "rnea/single/native", "cpu", ["pinocchio-native"]),
        ("tree", "rnea/single/chain", "cpu", ["pinocchio-python"]),
        ("tree", "fk/batch", "cpu", ["pinocchio-python"]),
        ("tree", "aba/batch/native", "cpu", ["pinocchio-pool"]),
        ("contact", "forces/200k", "cpu", ["coal"]),
        ("contact", "solids/box-box", "cpu", ["coal"]),
        ("contact", "forces/default", "cpu", ["fcl"]),
        ("hybrid", "contact/12", "cpu", ["piqp", "proxsuite", "quadprog"]),
        ("hybrid", "fall/time-stepping", "cpu", ["mujoco", "mujoco-python"]),
        ("matter", "lattice", "cpu", ["numpy", "scipy", "taichi", "taichi", "warp"]),
        ("matter", "lattice/graph", "cpu", ["numpy", "scipy", "taichi", "warp"]),
        ("matter", "lattice", "cuda", ["taichi", "warp"]),
        ("matter", "heap", "cpu", ["lammps", "taichi", "warp"]),
        ("matter", "heap", "cuda", ["taichi", "warp"]),
        ("matter", "string/44k", "cpu", ["numpy"]),
        ("reconstruct", "ik/trial", "cpu", ["opensim"]),
        ("reconstruct", "trial/whole", "cpu", ["opensim"]),
        ("startup", "import", "cpu", ["numpy"]),
    ],
)
def test_peers_of_a_case(theme, case, device, names, all_usable):
    assert [peer.name for peer in peers_of(theme, case, device)] == names


def test_libraries_that_are_not_there_are_left_out(monkeypatch):
    monkeypatch.setattr(register, "usable", lambda library: False)
    assert [peer.name for peer in peers_of("matter", "lattice")] == ["numpy", "scipy"]
    assert peer_notes("matter", "lattice", ["ours", "numpy", "warp"]) == ["numpy: sums by bincount, one thread"]


def test_a_peer_that_fails_is_left_out_and_reported(monkeypatch, capsys):
    def broken(problem):
        raise OSError("no such library")

    made = {"good": lambda problem: problem + 1, "bad": broken, "other": lambda problem: None}
    monkeypatch.setattr(register, "PEERS", tuple(Peer(name, "bodies", ("rk4/*",), "", name) for name in made))
    monkeypatch.setattr(Peer, "load", lambda peer: made[peer.name])
    assert made_peers("bodies", "rk4/1000", 4) == [("good", 5)]
    assert "bad is left out of bench bodies, rk4/1000: OSError: no such library" in capsys.readouterr().err


def test_a_peer_that_does_other_work_is_an_error():
    check_same("x, y, z", 1e-10, 1e-9)
    for far in (1e-8, float("nan")):
        with pytest.raises(RunError, match="bench x, y, z: a peer must get the same result"):
            check_same("x, y, z", far, 1e-9)


def test_libraries_of_peers_are_in_the_extra():
    """`motiform[peers]` installs each of them, and `motiform doctor` tries it."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    extra = {re.split(r"[\[><;= ]", line)[0] for line in project["project"]["optional-dependencies"]["peers"]}
    assert set(peer_libraries()) == extra


def test_help_lists_themes_and_peers():
    from motiform.cli.app import app

    shown = CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "300"}).output
    assert ", ".join(THEMES) in shown
    assert peer_names() in shown


def test_every_theme_has_its_module():
    for module in THEMES.values():
        assert callable(importlib.import_module(module).measure)
