"""Screens as models: what is refused, recorded, resumed and drawn."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError, RecordingError, RunError
from motiform.form import dress
from motiform.motion.screens import (
    Engraver,
    ModeSegment,
    Pistons,
    Screen,
    ScreenEngine,
    ScreenLaw,
    blend,
    rest_heights,
    static_response,
)
from motiform.motion.screens.modes import fields_of_modes, modes_of_fields
from motiform.record import Channel, Recording


def tip(**changes):
    given = {"name": "tip", "points": [[0.5, 0.4, 0.0]], "stiffness": 5.0, "reach": 0.2, "height": -0.1}
    return Engraver(**{**given, **changes})


def plate(**changes):
    return Screen(**{"shape": (11, 9), "spacing": 0.1, "law": "IV", "mass": 0.05, **changes})


def moving(t):
    return [[0.2 + 0.3 * t, 0.4, 0.0], [0.2 + 0.3 * t, 0.6, 0.1]]


def test_a_screen_is_recorded_at_film_rate():
    rec = mf.simulate(plate(engravers=tip()), t1=0.4)
    assert rec["heights"].shape == (11, 11, 9)
    assert rec.unit("heights") == "m"
    assert rec["tip.position"].shape == (11, 1, 3)
    assert rec.manifest["screen"]["axes"] == "xy"
    assert rec.manifest["stability"]["verdict"] == "stable"
    engine = ScreenEngine(plate(engravers=tip()))
    engine.advance(40)
    assert (rec["heights"][-1] == engine.heights()).all()


@pytest.mark.parametrize("pistons", [None, Pistons(stiffness=20.0, ground_stiffness=5.0, mass=0.1)])
def test_an_interrupted_run_goes_on_to_the_same_bits(tmp_path, pistons):
    both = (tip(points=moving, height=None), tip(name="ball", mass=0.2, velocity=(0.1, 0.2, 0), damping=0.01))
    screen = plate(edges="free", engravers=both, pistons=pistons, force=0.01)
    whole = mf.simulate(screen, t1=1.0)

    def stop(part):
        if part > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mf.simulate(screen, t1=1.0, out=tmp_path / "half.mf", progress=stop)
    found = mf.simulate(screen, t1=1.0, out=tmp_path / "half.mf", resume=True)
    for name in whole.names:
        assert (found[name] == whole[name]).all()
    assert np.abs(whole["heights"][-1]).max() > 1e-3


def test_a_recording_dresses_many_screens():
    places = np.zeros((5, 3, 3))
    places[..., 0] = np.linspace(0.2, 0.8, 5)[:, None]
    places[..., 1] = [0.2, 0.4, 0.6]
    channel = Channel("sand.position", unit="m", dims=("point", "axis"), shape=(3, 3), rate=5.0)
    rec = Recording.from_arrays({"sand.position": (channel, places)})
    engraver = Engraver.recorded(rec, "sand.position", stiffness=5.0, reach=0.2, height=-0.1)
    assert (engraver.name, engraver.count) == ("sand", 3)
    assert engraver.at([0.1])[0] == pytest.approx(0.5 * (places[0] + places[1]))
    assert engraver.at([9.0])[0] == pytest.approx(places[-1])
    left = {}
    for law in ("IV", "C"):
        left[law] = mf.simulate(plate(law=law, engravers=engraver), t1=0.8)["heights"][-1]
    assert np.abs(left["IV"][3]).max() > 10 * np.abs(left["C"][3]).max()  # soil keeps what C forgets
    with pytest.raises(RecordingError, match="water"):
        Engraver.recorded(rec, "water.position", stiffness=5.0, reach=0.2, height=-0.1)


def test_heights_of_points_may_be_their_own():
    """A ball that goes down and up again leaves a pit as deep as it went, on a screen that keeps it."""

    def dive(t):
        return [[0.5, 0.1 - 0.2 * np.sin(np.pi * t), 0.4]]

    ball = Engraver(name="ball", points=dive, stiffness=40.0, reach=0.2, height=None)
    rec = mf.simulate(plate(axes="xz", law="S", engravers=ball), t1=1.0)
    deepest = float(rec["heights"].min())
    assert deepest == pytest.approx(-0.3, abs=0.05)  # 0.1 m above less 0.2 m down and the reach below it
    assert rec["heights"][-1].min() == pytest.approx(deepest, abs=0.02)


def test_looks_are_surfaces_ribbons_and_points():
    form = dress(mf.simulate(plate(axes="xz", origin=(0, 1, 0), rest=0.2, engravers=tip(height=0.1)), t1=0.04))
    (skin,) = form.skins
    assert skin.vertices.shape == (2, 99, 3)
    assert skin.vertices[0].min(0) == pytest.approx([0, 1.2, 0])
    assert skin.vertices[0].max(0) == pytest.approx([1.0, 1.2, 0.8])
    a, b, c = skin.vertices[0][skin.faces[0]]
    assert np.cross(b - a, c - a)[1] > 0  # seen from above
    assert [part.name for part in form.parts] == ["tip"]
    line = dress(mf.simulate(plate(shape=30), t1=0.04))
    assert line.skins[0].vertices.shape == (2, 60, 3)


def test_large_screens_are_drawn_by_fewer_pins():
    rec = mf.simulate(plate(shape=(600, 300), dtype="float32"), t1=0.04)
    assert rec["heights"].dtype == np.float32
    assert dress(rec).skins[0].vertices.shape[1] <= 1 << 16


def test_modes_and_fields_are_inverse():
    field = np.random.default_rng(0).normal(size=(11, 9))
    for edges in ("fixed", "free"):
        screen = plate(edges=edges)
        assert fields_of_modes(screen, modes_of_fields(screen, field)) == pytest.approx(field)


REFUSED = {
    "zero": (lambda: plate(shape=(0, 4)), "pins along one to three axes"),
    "four axes": (lambda: plate(shape=(2, 2, 2, 2)), "pins along one to three axes"),
    "axes": (lambda: plate(axes="xx"), "an axis of the world for each"),
    "preset": (lambda: plate(law="VI"), "unknown prototype"),
    "slow": (lambda: plate(frequency=1e-160), r"frequency is out of range .*at least 1e-100, at most 1e\+100"),
    "heavy": (lambda: plate(mass=1e300), "mass is out of range"),
    "edges": (lambda: plate(edges="loose"), "unknown edges"),
    "law": (lambda: plate(law=(1.0, 2.0)), "wrong shape"),
    "heights": (lambda: plate(heights=np.zeros(3)), "one for each pin"),
    "twice": (lambda: plate(engravers=(tip(), tip())), "two engravers have one name"),
    "engraver": (lambda: plate(engravers=("tip",)), "only an Engraver"),
    "pistons": (lambda: plate(pistons=Pistons(stiffness=1.0)), "must have free edges"),
    "samples": (lambda: tip(points=np.zeros((4, 2, 3))), "Give rate with samples"),
    "nan": (lambda: tip(points=[[np.nan, 0, 0]]), r"not finite|must be finite"),
    "reach": (lambda: tip(reach=0.0), "reach"),
    "mass": (lambda: tip(points=moving, mass=1.0), "must start at given places"),
    "function": (lambda: tip(points=lambda t: 3.0), "must return places"),
    "blend": (lambda: blend("S", "C", 1.5), "0 to 1"),
    "depth": (lambda: plate(shape=(4, 4, 4), engravers=tip(height=None)), "must have a height"),
    "rate": (lambda: mf.simulate(plate(), t1=1.0, rate=30.0), "Take 50 or 33.3333 or 25 Hz"),
    "guards": (lambda: mf.simulate(plate(), t1=1.0, q0=[1.0]), "engravers, force"),
    "integrator": (lambda: mf.simulate(plate(), t1=1.0, integrator="rk4"), "for a screen"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(case):
    make, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        make()


def test_engravers_beyond_the_screen_are_reported():
    with pytest.raises(InputError, match=r"engraver 'tip': a point .* must reach the screen .*Move origin"):
        mf.simulate(plate(engravers=tip(points=[[5.0, 0.4, 0.0]])), t1=0.1)
    rec = mf.simulate(plate(engravers=tip(points=[[5.0, 0.4, 0.0], [0.5, 0.4, 0.0]])), t1=0.1)
    assert rec.manifest["notes"] == ["1 of 2 points of engraver 'tip' never reach the screen"]


def test_unstable_screens_are_refused_free_and_engraved():
    with pytest.raises(InputError, match=r"free screen diverges .*Raise frequency to 1\d\d\.\d* Hz or more"):
        mf.simulate(plate(law=ModeSegment((0.0, 0.5), (4.0, 0.5))), t1=0.1)
    with pytest.raises(InputError, match=r"between neighbours above -0\.625"):
        mf.simulate(plate(law=ScreenLaw(5.0, 0.1, -1.0, 0)), t1=0.1)
    hard = plate(law="C", engravers=(tip(), tip(name="nail", stiffness=2000.0)))
    with pytest.raises(InputError, match=r"engraver 'nail', pin \(\d+, \d+\), t = 0 s: .*'nail' times 0\.\d+ or less"):
        mf.simulate(hard, t1=0.1)
    ran = mf.simulate(hard, t1=0.1, unstable=True)
    assert ran.manifest["stability"]["verdict"] == "unstable when engraved"


def test_a_screen_that_diverges_ends_with_the_pin(tmp_path):
    wild = plate(law=ModeSegment((4.5, 1.5), (9.0, 2.5)), heights=np.eye(11, 9))
    with pytest.raises(RunError, match=r"pin \(\d+, \d+\), t = \d"), np.errstate(all="ignore"):
        mf.simulate(wild, t1=20.0, unstable=True, out=tmp_path / "wild.mf")
    kept = mf.open_recording(tmp_path / "wild.mf")
    assert not kept.complete
    assert np.isfinite(kept["heights"]).all()


def test_nothing_holds_a_free_screen():
    loose = plate(law=ScreenLaw(0.0, 1.0, 1.0, 0.0), edges="free")
    with pytest.raises(InputError, match="nothing holds a mode"):
        static_response(loose, 1.0)
    with pytest.raises(InputError, match="nothing holds a mode"):
        rest_heights(loose.replace(engravers=tip()))
    balanced = np.zeros((11, 9))
    balanced[2, 2], balanced[7, 5] = 1.0, -1.0
    assert static_response(loose, balanced).sum() == pytest.approx(0.0, abs=1e-12)


def test_a_screen_that_no_frequency_helps_is_reported():
    with pytest.raises(InputError, match=r"free screen diverges .*\. Lower stiffness and damping\."):
        mf.simulate(plate(law=ScreenLaw(1.0, 1e308, 0.0, 0.0)), t1=0.1)
