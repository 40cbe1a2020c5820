"""Many steps of a small network in one call: the same bits as one by one, and channels by choice."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError, RunError
from motiform.motion.matter import Engine, NetworkBuilder, links, topology
from motiform.motion.matter.model.network import Signal


def everything():
    """Lines, axes, a grid, a floor, drag, pushes and imposed points by functions and by samples at two rates."""
    rng = np.random.default_rng(3)
    b = NetworkBuilder(frequency=1000.0, wind=(0.3, 0, 0.1))
    nail = b.fixed("nail", [0, 1, 0])
    rope = b.masses("rope", [[0.1 * n, 1, 0] for n in range(1, 6)], 0.1, drag=0.01)
    sheet = b.masses("sheet", topology.block_positions((3, 4), 0.1), 0.05)
    hand = b.imposed("hand", lambda t: [[0.6 + 0.02 * np.sin(20 * t), 1, 0]])
    b.link("strand", topology.chain(nail + rope), links.spring(rng.uniform(50, 90, 5), damping=0.1))
    b.link("weave", topology.grid(sheet, (3, 4)), links.spring(40.0, damping=0.05))
    b.link("tie", (rope[:2], sheet[:2]), links.spring(20.0), axis="y")
    b.link("grip", (hand, rope[4:]), links.spring(30.0, damping=0.05))
    b.link(
        "floor", [(int(nail.indices[0]), int(i)) for i in sheet.indices], links.elastic_buffer(100.0, -1.2), axis="y"
    )
    b.push("gust", rope[1:3], lambda t: (0.1 * np.cos(7 * t), 0, 0.05))
    b.push("taps", sheet[5:6], rng.normal(size=(40, 1, 3)), rate=100.0)
    b.push("knocks", sheet[7:8], rng.normal(size=(300, 3)), rate=1000.0)
    return b.build()


def test_many_steps_are_single_ones_to_the_bit():
    many, single = Engine(everything()), Engine(everything())
    assert many.small
    for steps in (2, 7, 400, 1, 33):
        many.advance(steps)
        for _ in range(steps):
            single._step()
        for key in ("position", "previous"):
            np.testing.assert_array_equal(getattr(many.state(), key), getattr(single.state(), key))
        assert many.sample == single.sample
    np.testing.assert_array_equal(many.tensions("strand"), single.tensions("strand"))


def test_what_is_not_small_steps_one_by_one():
    b = NetworkBuilder(gravity=(0, 0, 0))
    pair = b.masses("pair", [[0, 0, 0], [0.2, 0, 0]], 1.0, radius=0.1)
    b.reach("touch", pair, law=links.elastic_buffer(10.0, 0.0))
    assert not Engine(b.build()).small


def test_a_chosen_point_has_the_samples_of_the_whole_run(tmp_path):
    network, options = everything(), {"t1": 0.3, "rate": 500.0}
    whole = mf.simulate(network, **options)
    names = ["rope[2].position", "sheet.position"]
    chosen = mf.simulate(network, **options, record=names)
    assert list(chosen.names) == names
    np.testing.assert_array_equal(chosen["rope[2].position"], whole["rope.position"][:, 2])
    np.testing.assert_array_equal(chosen["sheet.position"], whole["sheet.position"])
    metered = mf.simulate(network, **options, record=["energy", "rope[2].position"])
    np.testing.assert_array_equal(metered["energy"], whole["energy"])
    np.testing.assert_array_equal(metered["rope[2].position"], whole["rope.position"][:, 2])
    assert len(metered.names) == 2


def test_a_chosen_recording_is_stopped_and_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr("motiform.motion.matter.system._CALL", 20)
    monkeypatch.setattr("motiform.motion.run.blocks._PACE", 0.0)
    given = {"t1": 0.3, "rate": 500.0, "record": ["rope[2].position"]}
    whole = mf.simulate(everything(), **given)

    def stop(share):
        if share > 0.4:
            raise KeyboardInterrupt

    monkeypatch.setattr("motiform.record.recorder._COMMIT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        mf.simulate(everything(), **given, out=tmp_path / "a.mf", progress=stop)
    found = mf.simulate(everything(), **given, out=tmp_path / "a.mf", resume=True)
    np.testing.assert_array_equal(found["rope[2].position"], whole["rope[2].position"])


def test_samples_before_a_divergence_are_kept(tmp_path):
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    mass = b.masses("mass", [1.1, 0, 0], 1.0)
    b.link("spring", (b.fixed("wall", [0, 0, 0]), mass), links.spring(5e6, rest=1.0))
    given = {"t1": 1.0, "rate": 1000.0, "unstable": True}
    with pytest.raises(RunError, match="diverged"):
        mf.simulate(b.build(), **given, record=["mass.position"], out=tmp_path / "short.mf")
    with pytest.raises(RunError, match="diverged"):
        mf.simulate(b.build(), **given, out=tmp_path / "whole.mf")
    short, whole = (mf.open_recording(tmp_path / f"{name}.mf")["mass.position"] for name in ("short", "whole"))
    np.testing.assert_array_equal(short, whole)
    assert len(short) > 100


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (["rope[9].position"], r"no such point .*rope\[0\] to rope\[4\]"),
        (["rop.position"], "only channels of the network can be recorded .*Did you mean 'rope.position'"),
        ([], "something must be recorded"),
    ],
)
def test_wrong_choices_are_refused(record, text):
    with pytest.raises(InputError, match=text):
        mf.simulate(everything(), t1=0.1, rate=100.0, record=record)


def test_signals_over_steps_are_those_at_each():
    rng = np.random.default_rng(0)
    for signal, count, spread in (
        (Signal(lambda t: (t, 0, np.sin(t))), 3, True),
        (Signal(lambda t: np.full((2, 3), t)), 2, False),
        (Signal(rng.normal(size=(9, 3)), 70.0), 4, True),
        (Signal(rng.normal(size=(9, 2, 3)), 100.0), 2, True),
    ):
        found = signal.over(3, 12, 100.0, count, spread=spread)
        expected = [signal.at(n, 100.0, count, spread=spread) for n in range(3, 15)]
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(InputError, match=r"t = 0.05 s: a signal"):
        Signal(lambda t: (1, 2) if t > 0.04 else (1, 2, 3)).over(0, 9, 100.0, 1)
