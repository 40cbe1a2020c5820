"""Screens that follow a network in one run, in Python and in scenes."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError, SceneError
from motiform.form import dress
from motiform.motion.screens import Engraver, Follow, Screen, Screens
from motiform.scene.read.load import parse_scene

RAIN = {"stiffness": 2.0, "damping": 0.01, "reach": 0.1, "height": None}
WATER = {"shape": (21, 17), "spacing": 0.05, "axes": "xz", "law": "V", "mass": 0.05, "frequency": 525.0}


@pytest.fixture(scope="module")
def rain():
    b = mf.NetworkBuilder()
    b.masses("drops", [[0.3, 0.2, 0.4], [0.6, 0.6, 0.5]], mass=0.01)
    b.fixed("nail", [0.5, 0.03, 0.2])
    return b.build()


def both(rain):
    fall = Engraver(name="rain", points=Follow("drops"), **RAIN)
    near = Engraver(name="nail", points=Follow(("nail",)), **RAIN)
    slow = Screen(**{**WATER, "frequency": 175.0}, engravers=(near,))
    return Screens({"water": Screen(**WATER, engravers=(fall, near)), "slow": slow}, rain)


def test_a_recorded_motion_dressed_again_has_the_same_bits(rain, monkeypatch):
    """Motion once, many dresses: the network is not stepped, and places are those of each step of a screen."""
    rec = mf.simulate(both(rain), t1=0.6)
    assert rec.channel("water.rain.position").rate == 525.0
    assert (rec["water.rain.position"][::21] == rec["drops.position"]).all()
    assert np.abs(rec["water.heights"]).max() > 1e-4
    monkeypatch.setattr("motiform.motion.screens.screens.Engine", None)
    again = mf.simulate(both(rain), motion=rec, t1=0.6)
    assert again.names == rec.names
    assert all((again[name] == rec[name]).all() for name in rec.names)
    thin = mf.simulate(both(rain), motion=again, t1=0.4, rate=12.5)  # 525 → 175 → 25 → 12.5 Hz
    assert (thin["slow.heights"] == rec["slow.heights"][:11:2]).all()
    assert (thin["drops.position"] == rec["drops.position"][:11:2]).all()


def test_a_motion_recorded_alone_is_dressed(rain):
    moved = mf.simulate(rain, t1=0.6, rate=525.0)
    rec = mf.simulate(both(rain), motion=moved, t1=0.6, rate=25.0)
    live = mf.simulate(both(rain), t1=0.6)
    assert (rec["water.heights"] == live["water.heights"]).all()
    seldom = mf.simulate(rain, t1=0.6, rate=25.0)
    coarse = mf.simulate(both(rain), motion=seldom, t1=0.6)
    assert "points of engraver 'rain' move straight between samples of 25 Hz" in coarse.manifest["notes"]
    with pytest.raises(InputError, match=r"must reach the end of the run .*0.6 s"):
        mf.simulate(both(rain), motion=moved, t1=0.8)
    with pytest.raises(InputError, match="rate that divides that of the motion"):
        mf.simulate(both(rain), motion=seldom, t1=0.6, rate=35.0)
    less = mf.simulate(rain, t1=0.6, record=["nail.position"])
    with pytest.raises(InputError, match="places of all points of the network"):
        mf.simulate(both(rain), motion=less, t1=0.6)
    with pytest.raises(InputError, match="that of a network"):
        mf.simulate(Screens({"a": Screen(**WATER)}), motion=moved, t1=0.6)


def test_a_run_with_a_network_resumes_to_the_same_bits(rain, tmp_path):
    whole = mf.simulate(both(rain), t1=0.6)

    def stop(part):
        if part > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mf.simulate(both(rain), t1=0.6, out=tmp_path / "half.mf", progress=stop)
    found = mf.simulate(both(rain), t1=0.6, out=tmp_path / "half.mf", resume=True)
    assert all((found[name] == whole[name]).all() for name in whole.names)
    form = dress(found)
    assert [skin.name for skin in form.skins] == ["water", "slow"]


def test_what_does_not_fit_is_refused(rain):
    with pytest.raises(InputError, match=r"must divide that of the network .*Take 525 Hz"):
        Screens({"a": Screen(**{**WATER, "frequency": 500.0})}, rain)
    lost = Screen(**WATER, engravers=Engraver(name="rain", points=Follow("drips"), **RAIN))
    with pytest.raises(InputError, match=r"engraver 'rain': no such points .*Did you mean 'drops'"):
        mf.simulate(Screens({"a": lost}, rain), t1=0.1)
    with pytest.raises(InputError, match="a network is needed"):
        mf.simulate(Screens({"a": lost}), t1=0.1)
    with pytest.raises(InputError, match="the network must be there, whose points it follows"):
        mf.simulate(lost, t1=0.1)
    with pytest.raises(InputError, match="a Screen for each name"):
        Screens({})
    hard = Screen(**WATER, engravers=Engraver(name="rain", points=Follow("drops"), **{**RAIN, "stiffness": 1e6}))
    with pytest.raises(InputError, match=r"screen 'a': engraver 'rain', pin"):
        mf.simulate(Screens({"a": hard}, rain), t1=0.1)


SCENE = """
[scene]
title = "Writing"
duration = 0.4

[[screen]]
name = "page"
shape = [21, 15]
spacing = "2 cm"
mass = 0.05
law = { blend = ["S", "C"], part = 0.1 }

[[screen.engraver]]
name = "pen"
points = [[0.1, 0.15, 0]]
motion = { path = { times = [0, 0.4], points = [[0, 0, 0], [0.2, 0, 0]] } }
stiffness = 20
reach = "5 cm"
height = 0.04

[image]
plot = ["page.energy.kinetic"]
"""


def test_scenes_say_what_python_says():
    scene = parse_scene(SCENE)
    rec = mf.simulate(scene)
    assert rec.channel("page.heights").rate == 25.0
    assert rec["page.heights"].shape == (11, 21, 15)
    assert rec["page.heights"][-1].min() < -0.001
    built = scene.build()
    again = mf.simulate(built.model, **built.arguments, **built.options)
    assert (again["page.heights"] == rec["page.heights"]).all()
    assert "screen.page.mass" in [parameter.path for parameter in scene.parameters()]
    other = mf.simulate(scene, settings={"screen.page.law": "V", "scene.rate": 50})
    assert other["page.heights"].shape == (21, 21, 15)


WRONG = {
    "law": ('law = { blend = ["S", "C"], part = 0.1 }', 'law = "VI"', "scene:11 screen.0.law"),
    "two laws": ("part = 0.1 }", "part = 0.1, stiffness = 1 }", "give links .*or start and end, or blend and part"),
    "shape": ("[21, 15]", "[0, 15]", "greater than or equal to 1"),
    "source": ("points = [[0.1, 0.15, 0]]\n", "", "give one of follow, points and motion.recording"),
    "follow": ("points = [[0.1, 0.15, 0]]\nmotion", 'follow = "pens"\n#', "scene.*a network is needed"),
    "plot": ("page.energy.kinetic", "page.energy", "no such channel"),
    "outside": ("[[0.1, 0.15, 0]]", "[[4.1, 0.15, 0]]", "a point of the engraver must reach the screen"),
    "unstable": ("stiffness = 20", "stiffness = 20000", "screen 'page': engraver 'pen', pin"),
    "key": ("reach", "reach = 0.1\nrach", "unknown key"),
    "pistons": ("[[screen.engraver]]", "[screen.pistons]\nstiffness = 3\n[[screen.engraver]]", "must have free edges"),
    "rate": ("duration = 0.4", "duration = 0.4\nrate = 30", "samples must fall on steps of the screen"),
    "body": (
        "[image]",
        '[[spring]]\nbetween = ["a", "b"]\nstiffness = 1\n[image]',
        "screens must go with networks alone",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_scenes_are_refused(case):
    old, new, text = WRONG[case]
    assert old in SCENE
    with pytest.raises(SceneError, match=text):
        mf.simulate(parse_scene(SCENE.replace(old, new, 1)))


def test_scenes_know_all_prototypes():
    from typing import get_args

    from motiform.motion.screens import PRESETS
    from motiform.scene.tables.screen import Preset

    assert set(get_args(Preset)) == set(PRESETS)


@pytest.mark.parametrize("law", ["{ start = [0, 1], end = [1, 1] }", '{ blend = ["S", "C"], part = 0.2 }'])
def test_a_law_by_its_behaviour_offers_no_links_to_change(law):
    text = f'[scene]\ntitle = "t"\nduration = 1\n[[screen]]\nname = "s"\nshape = [4, 4]\nspacing = 0.1\nlaw = {law}\n'
    scene = parse_scene(text, name="s")
    values = {one.path: list(one.value) if isinstance(one.value, tuple) else one.value for one in scene.parameters()}
    assert not any("stiffness" in path or "damping" in path for path in values)
    assert parse_scene(text, name="s", settings=values).key == scene.key
