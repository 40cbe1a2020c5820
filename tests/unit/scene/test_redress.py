"""The staged chain: motion recorded once, dressed many times, each stage made only where its input has changed."""

import sys

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import RecordingError, SceneError
from motiform.form import dress, looks_in
from motiform.scene import parse_scene, redress

RAIN = """
[scene]
title = "Rain"
duration = 0.2
rate = 25

[[network]]
name = "sky"

[[network.masses]]
name = "drops"
points = [[0.1, 0.1, 0.1], [0.2, 0.12, 0.15]]
mass = 0.01
color = [0.2, 0.4, 0.8]

[motion]
frequency = 525
"""
WATER = """
[[screen]]
name = "water"
shape = [9, 7]
spacing = 0.05
axes = "xz"
law = "V"
mass = 0.05
frequency = 175

[[screen.engraver]]
name = "rain"
follow = "drops"
stiffness = 2
reach = 0.1
"""
BLOB = [{"name": "blob", "surface": "drops", "radius": 0.05, "tolerance": "1 cm"}]


@pytest.fixture
def counted(monkeypatch):
    """Count the engines that are begun: of networks, and of screens."""
    import motiform.motion.matter.system as networks
    import motiform.motion.screens.screens as screens

    begun = {"network": 0, "screen": 0}

    def counting(kind, make):
        class Counted(make):
            def __init__(self, *given, **more):
                begun[kind] += 1
                super().__init__(*given, **more)

        return Counted

    network, screen = counting("network", networks.Engine), counting("screen", screens.ScreenEngine)
    monkeypatch.setattr(screens, "Engine", network)
    monkeypatch.setattr(networks, "Engine", network)
    monkeypatch.setattr(screens, "ScreenEngine", screen)
    return begun


def test_a_stage_is_made_again_only_where_its_input_changed(tmp_path, counted):
    scene = parse_scene(RAIN + WATER)
    rec = mf.simulate(scene, out=tmp_path / "rain.mf")
    assert counted == {"network": 1, "screen": 1}
    soft = redress(rec, tmp_path / "soft.mf", settings={"screen.water.law": "IV"})
    assert counted == {"network": 1, "screen": 2}
    whole = mf.simulate(scene, settings={"screen.water.law": "IV"})
    assert all((soft[name] == whole[name]).all() for name in whole.names)
    assert not (soft["water.heights"] == rec["water.heights"]).all()
    redress(rec, tmp_path / "soft.mf", settings={"screen.water.law": "IV"})
    with pytest.raises(RecordingError, match="cannot be dressed over itself"):
        redress(soft, tmp_path / "soft.mf", overwrite=True)
    mf.simulate(scene, out=tmp_path / "rain.mf")
    assert counted == {"network": 2, "screen": 3}  # those of `whole`
    seen = redress(rec, tmp_path / "soft.mf", settings={"screen.water.law": "IV", "form": BLOB})
    assert counted == {"network": 2, "screen": 3}
    assert seen.manifest["form"]["blob"]["surface"] == ["drops.position"]
    with pytest.raises(SceneError, match=r"not the recorded one .*Leave out what moves otherwise"):
        redress(rec, tmp_path / "other.mf", settings={"network.sky.masses.drops.mass": 0.02})


def test_a_run_whose_looks_alone_changed_is_not_run_again(tmp_path, counted):
    rec = mf.simulate(parse_scene(RAIN), out=tmp_path / "rain.mf")
    assert "drops" in rec.manifest["form"]
    changes = {"network.sky.masses.drops.color": [1, 0, 0], "image.ground": False}
    red = mf.simulate(parse_scene(RAIN), settings=changes, out=tmp_path / "rain.mf")
    assert counted["network"] == 1
    assert red.manifest["form"]["drops"]["color"] == [1, 0, 0]
    blob = redress(red, tmp_path / "blob.mf", settings={"form": BLOB})
    assert counted["network"] == 1
    assert [one.name for one in dress(blob).surfaces] == ["blob"]
    assert dress(blob).surfaces[0].color.tolist() == [1, 0, 0]
    assert dress(blob).surfaces[0].tolerance == 0.01
    assert not dress(blob).parts
    assert (blob["drops.position"] == rec["drops.position"]).all()
    wet = redress(rec, tmp_path / "wet.mf", scene=parse_scene(RAIN + WATER))
    assert counted == {"network": 1, "screen": 1}
    assert np.isfinite(wet["water.heights"]).all()
    with pytest.raises(SceneError, match="not the recorded one"):
        redress(rec, tmp_path / "long.mf", settings={"scene.duration": 0.4})


def test_the_verb(tmp_path, monkeypatch, capfd):
    from motiform.cli import main

    (tmp_path / "rain.toml").write_text(RAIN + WATER)
    monkeypatch.chdir(tmp_path)

    def call(*given):
        monkeypatch.setattr(sys, "argv", ["motiform", *given])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capfd.readouterr()

    assert call("run", "rain.toml", "-q")[0] == 0
    code, printed, _ = call("form", "rain.mf", "--set", "screen.water.law=IV", "-q")
    assert code == 0
    assert "wrote form of 'Rain'" in printed
    assert "rain-form.mf" in printed
    assert (
        call("form", "rain.mf", "--set", "screen.water.law=IV", "-q")[1]
        == "already done, nothing changed: rain-form.mf\n"
    )
    code, _, wrong = call("form", "rain.mf", "--set", "screen.water.law=C", "-q")
    assert code == 2
    assert "there is a recording already" in wrong
    code, _, wrong = call("form", "rain.mf", "--set", "motion.frequency=1050", "--overwrite", "-q")
    assert code == 2
    assert "the motion of the scene is not the recorded one" in wrong


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ('surface = "drips"\nradius = 0.1', r"no such group of points .*Did you mean 'drops'"),
        ('surface = "drops"\nradius = 0', "form.0.radius"),
        ('surface = "drops"\nradius = 0.1\nreach = 0.5', "above 1"),
        ('surface = "drops"\nradius = 0.1\nlevel = 0.5', "unknown key"),
        ('radius = 0.1\nsurface = "drops"\ncloud = "drops"', "give either surface, cloud or spline"),
        ('radius = 0.1\nsurface = "drops"\nspread = 0.1', "spread must go with cloud"),
        ('radius = 0.1\ncloud = "drops"\nrays = true', "rays must go with surface"),
        ('radius = 0.1\ncloud = "drops"\ntolerance = 0.01', "tolerance must go with surface"),
        ('radius = 0.1\nsurface = "drops"\ntolerance = 0', "tolerance"),
        ('radius = [0.1, 0.1]\ncloud = "drops"', "a cloud must have one radius"),
        ('radius = 0.1\ncloud = "drops"\nborn = "held"', "no such links"),
    ],
)
def test_what_is_no_form_is_refused(table, text):
    with pytest.raises(SceneError, match=text):
        mf.simulate(parse_scene(f'{RAIN}\n[[form]]\nname = "blob"\n{table}\n'))


CHAIN = """
[scene]
title = "Chain"
duration = 0.1
rate = 25
[[network]]
name = "chain"
[[network.masses]]
name = "beads"
line = { from = [0, 1, 0], to = [1, 1, 0], count = 5 }
mass = 0.1
color = [0.2, 0.4, 0.6]
[[network.masses]]
name = "bob"
points = [[1.2, 1, 0]]
mass = 0.1
[[network.link]]
name = "thread"
chain = "beads"
law = "spring"
stiffness = 10
look = { draw = "none" }
"""


def test_forms_along_links_and_splines():
    tube = 'name = "tube"\nsurface = ["bob", "beads"]\nradius = 0.05\nlinks = "thread"\ncolor = [1, 0, 0]'
    lath = 'name = "lath"\nspline = ["beads[0]", "beads[2:5]", "bob"]\nwidth = 0.05\nthickness = 0.01'
    lath += '\nkind = "catmull-rom"'
    rec = mf.simulate(parse_scene(f"{CHAIN}\n[[form]]\n{lath}\n[[form]]\n{tube}\n"))
    form = dress(rec)
    assert form.surfaces[0].pairs.tolist() == [[n, n + 1] for n in range(1, 5)]  # the bob is the first point
    look = looks_in(rec).parts["lath"]
    assert (look.spline, look.pick.tolist()) == (("beads.position", "bob.position"), [0, 2, 3, 4, 5])
    assert (look.kind, look.thickness, look.color) == ("catmull-rom", 0.01, (0.2, 0.4, 0.6))
    assert [skin.name for skin in form.skins] == ["lath"]
    egg = 'name = "egg"\nsurface = "bob"\nradius = [[0.1, "5 cm", 0.1]]\nturn = { z = "30 deg" }\nexponent = 4'
    form = dress(mf.simulate(parse_scene(f"{CHAIN}\n[[form]]\n{egg}\n")))
    np.testing.assert_allclose(form.surfaces[0].radii, [[0.1, 0.05, 0.1]])
    np.testing.assert_allclose(form.surfaces[0].turn, [[np.cos(np.pi / 12), 0, 0, np.sin(np.pi / 12)]], atol=1e-15)
    assert form.surfaces[0].exponent.tolist() == [4.0]
    assert form.parts[0].name == "beads"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ('spline = ["beads"]\nradius = 0.1', "width must be given with spline, radius must not"),
        ('surface = "beads"', "radius must be given with surface"),
        ('spline = ["bead"]\nwidth = 0.1', "no such group of points .*Did you mean 'beads'"),
        ('spline = ["beads[7]"]\nwidth = 0.1', "no such point"),
        ('spline = ["beads[x]"]\nwidth = 0.1', "no such point"),
        ('spline = ["beads["]\nwidth = 0.1', "no such group of points"),
        ("spline = []\nwidth = 0.1", "must have channels"),
        ('spline = ["beads"]\nwidth = 0.1\nacross = [0, 0, 0]', "across must be a direction"),
        ('spline = ["beads"]\nwidth = 0.1\ncolor = [[1, 0, 0]]', "a spline must have one color"),
        ('surface = "beads"\nradius = 0.1\nclosed = true', "closed must go with spline"),
        ('surface = "beads"\nradius = 0.1\nlinks = "tread"', "no such links .*Did you mean 'thread'"),
        ('surface = "bob"\nradius = 0.1\nlinks = "thread"', "must be between points of the surface"),
        ('surface = "beads"\nradius = 0.1\nexponent = 1', "exponent"),
    ],
)
def test_what_is_no_spline_or_tube_is_refused(table, text):
    with pytest.raises(SceneError, match=text):
        mf.simulate(parse_scene(f'{CHAIN}\n[[form]]\nname = "blob"\n{table}\n'))
