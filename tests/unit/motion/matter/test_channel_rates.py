"""Channels of networks by choice and at their own rates, in Python and in scenes."""

from pathlib import Path

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.motion.matter import NetworkBuilder, Sound, links, observe, topology
from motiform.record import open_recording

RATE = 2000.0


def string() -> mf.matter.Network:
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    x = np.linspace(0, 1, 12)
    nails = b.fixed("nails", [[0, 0, 0], [1, 0, 0]])
    masses = b.masses("string", np.stack([x, 0 * x, 0 * x], 1)[1:-1], 1e-3, velocity=(0, 0.1, 0))
    b.link("wire", topology.chain(nails[0] + masses + nails[1]), links.spring(100.0, rest=0.05), record=True)
    return b.build()


MIXED = {"string[3].position": 1000.0, "string.position": None, "energy": 25.0, "wire.tension": 50.0}


def test_each_channel_has_its_rate() -> None:
    network = string()
    whole = mf.simulate(network, t1=0.4, rate=1000.0)
    rec = mf.simulate(network, t1=0.4, rate=100.0, record=MIXED)
    assert {name: rec.channel(name).rate for name in rec.names} == {
        "string[3].position": 1000.0, "string.position": 100.0, "energy": 25.0, "wire.tension": 50.0
    }  # fmt: skip
    assert np.array_equal(rec["string[3].position"], whole["string.position"][:, 3])
    assert np.array_equal(rec["string.position"], whole["string.position"][::10])
    assert np.array_equal(rec["energy"], whole["energy"][::40])
    assert np.array_equal(rec["wire.tension"], whole["wire.tension"][::20])
    assert rec.time("energy")[-1] == 0.4


def test_a_sound_goes_with_them() -> None:
    heard = Sound(["string[3]"], of="position", rate=500.0)
    rec = mf.simulate(string(), t1=0.2, rate=100.0, record={"string[3].position": 2000.0}, sound=heard)
    assert rec.count("sound") == 101
    assert np.array_equal(rec["sound"][:, 0], rec["string[3].position"][::4, 1])


def test_a_resumed_run_has_the_same_bits(tmp_path: Path) -> None:
    from motiform.motion.matter.system import NetworkSystem
    from motiform.motion.run import RunOptions, record

    network, options = string(), RunOptions(0.4, rate=100.0, integrator="central-difference")
    whole = record(NetworkSystem(network, options, record=MIXED))
    part = tmp_path / "part.mf"

    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if share > 0.3:
            raise Stopped

    with pytest.raises(Stopped):
        record(NetworkSystem(network, options, record=MIXED), out=part, progress=stop)
    record(NetworkSystem(network, options, record=MIXED), out=part, resume=True)
    again = open_recording(part)
    for name in MIXED:
        assert np.array_equal(again[name], whole[name])


def test_only_what_is_asked_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(observe, "potential_energy", lambda *_: asked.append("potential") or 0.0)
    mf.simulate(string(), t1=0.1, rate=100.0, record=["momentum", "wire.length"])
    assert not asked
    mf.simulate(string(), t1=0.1, rate=100.0, record={"energy": 10.0})
    assert len(asked) == 2  # at 0 and at 0.1 s


@pytest.mark.parametrize(
    ("name", "rate", "text"),
    [
        ("energy", 200.0, "only positions are recorded at a higher rate"),
        ("energy", 30.0, "the rate of a channel does not fit"),
        ("string[3].position", 300.0, "the rate of a channel does not fit"),
        ("string[3].position", -1.0, "must be a number above 0"),
        ("string[3].position", True, "must be a number above 0"),
    ],
)
def test_rates_that_do_not_fit_are_refused(name: str, rate: float, text: str) -> None:
    with pytest.raises(InputError, match=text):
        mf.simulate(string(), t1=0.1, rate=100.0, record={name: rate})


def test_a_scene_names_them() -> None:
    changed = {"scene.duration": 0.1, "motion.record": {"cloth.position": 25.0, "energy": 12.5}}
    rec = mf.simulate("cloth", settings=changed)
    assert sorted(rec.names) == ["cloth.position", "energy"]
    with pytest.raises(InputError, match="belongs to networks"):
        mf.simulate("pendulum", settings={"motion.record": ["energy"]})
