"""Scenes of figures: the built-in ones and what they claim, tables that are wrong, files, several figures."""

import re

import numpy as np
import pytest

from motiform import simulate
from motiform.base.errors import MotiformError, SceneError
from motiform.motion import tree
from motiform.scene import list_scenes, load_scene, parse_scene
from motiform.scene.build.figures import build_figures

G = 9.81
TREES = [entry.name for entry in list_scenes() if entry.part == "tree"]


# ---- the built-in ones ----------------------------------------------------------------------------------------------
def test_there_are_scenes_of_figures():
    assert {"incline", "dome", "bowl", "disk", "rattleback", "egg", "pendulum", "four-bar"} <= set(TREES)


@pytest.mark.parametrize("name", TREES)
def test_scene_builds_and_runs(name):
    scene = load_scene(name)
    made = build_figures(scene)
    figure, q, v, controls = made.figure, made.q, made.v, made.controls
    assert (q.shape, v.shape) == ((figure.nq,), (figure.nv,))
    assert figure.name == name
    rec = simulate(name, settings={"scene.duration": 0.1, "scene.rate": 50})
    assert rec.complete
    assert rec.count("q") == 6
    assert all(np.isfinite(rec[channel]).all() for channel in rec)
    assert ("tau" in rec) == (controls is not None)
    assert np.abs(rec["v"][0] - v).max() < 1e-12 or figure.closures
    drawn = set(rec.manifest["form"])
    assert drawn >= {segment.name for segment in figure.segments if len(segment.parts) == 1}
    assert set(scene.document.image.plot) <= set(rec)
    assert rec.manifest["scene"] == name


def test_incline_claims():
    rec = simulate("incline", settings={"scene.duration": 0.3})
    t = rec.time("q")
    slope = np.radians(20)
    moved = rec["ball.position"] - rec["ball.position"][0]
    along = moved @ (np.cos(slope), -np.sin(slope), 0)
    assert np.abs(along - 5 / 14 * G * np.sin(slope) * t**2).max() < 1e-10
    assert rec.events == []
    # friction 0.5 is more than (2/7) tan 20°, and less than that at 61 degrees it slips
    with pytest.raises(MotiformError, match="stick at the start"):
        simulate("incline", settings={"figure.slope.segment.plane.placement.turn.z": "-61 deg", "scene.duration": 0.1})


def test_incline_that_is_too_steep_slides():
    """Free to slide it has a = g (sin α − μ cos α), constant: steps are exact but for rounding of 0.1 m."""
    steep = {
        "figure.slope.segment.plane.placement.turn.z": "-61 deg",
        "figure.slope.segment.ball.joint.contact.sliding": True,
        "scene.duration": 0.2,
        "image.plot": ["ball.slip_velocity", "ball.contact_mode"],
    }
    rec = simulate("incline", settings=steep)
    t, slope = rec.time("q"), np.radians(61)
    along = (rec["ball.position"] - rec["ball.position"][0]) @ (np.cos(slope), -np.sin(slope), 0)
    assert np.abs(along - 0.5 * G * (np.sin(slope) - 0.5 * np.cos(slope)) * t**2).max() < 1e-10
    assert (rec["ball.contact_mode"] == 2).all()


def test_dome_claims():
    rec = simulate("dome")
    (event,) = rec.events
    assert event.name == "ball lifts off"
    x, y, _ = (rec["ball.position"] - (0, 0.5, 0)).T
    phi = np.arctan2(x, y)
    assert np.degrees(phi[0]) == pytest.approx(5, abs=1e-5)
    late = event.time - rec.time("q")[-1]
    speed = np.sqrt(10 / 7 * G * (np.cos(phi[0]) - np.cos(phi[-1])) / 0.62)
    assert phi[-1] + speed * late == pytest.approx(np.arccos(10 / 17 * np.cos(phi[0])), abs=1e-3)  # φ̈ late²/2


def test_bowl_claims():
    small = {
        "scene.duration": 1.5,
        "figure.bowl.segment.ball.joint.contact.start": {"parent": [0.5e-3, -0.5, 0]},
        "figure.bowl.start.v": {"ball": [0, 0, 0]},
    }
    rec = simulate("bowl", settings=small)
    omega = np.sqrt(5 * G / (7 * 0.42))
    x = rec["ball.position"][:, 0]
    assert np.abs(x - 0.42e-3 * np.cos(omega * rec.time("q"))).max() < 1e-9


def test_disk_claims():
    rec = simulate("disk", settings={"scene.duration": 2 * np.pi / 3, "scene.rate": 90 / np.pi})
    x, y, z = rec["disk.position"].T
    x, z = x - x[:-1].mean(), z - z[:-1].mean()  # of the circle's own centre
    assert np.abs(np.hypot(x, z) - 0.247384030).max() < 1e-7
    assert np.hypot(x[-1] - x[0], z[-1] - z[0]) < 1e-6
    assert np.abs(y - 0.3 * np.sin(np.radians(70))).max() < 1e-7


def test_rattleback_claims():
    quick = {"figure.rattleback.watch": False}
    there = simulate("rattleback", settings=quick)
    assert there["v"][0, 2] == -5
    assert there["v"][-1, 2] > 0.1
    other = simulate("rattleback", settings=quick | {"figure.rattleback.start.v": {"stone": [0.5, 0, 5]}})
    assert other["v"][:, 2].min() > 1.0


def test_egg_claims():
    rec = simulate("egg", settings={"scene.duration": 2.0})
    figure = build_figures(load_scene("egg")).figure
    assert figure.segments[0].joint.gaps(rec["q"]).max() < 1e-14
    assert np.abs(rec["energy"] / rec["energy"][0] - 1).max() < 1e-8
    assert np.ptp(rec["egg.position"], axis=0).max() > 0.5


def test_pendulum_claims():
    """V3: the energy drifts by less than 1e-9 of the largest kinetic energy in 10 s."""
    rec = simulate("pendulum")
    assert rec.time("q")[-1] == 10
    assert np.ptp(rec["energy"]) < 1e-9 * rec["energy.kinetic"].max()
    figure = build_figures(load_scene("pendulum")).figure
    assert np.abs(rec["tags"][:, 0] - tree.tags(figure, rec["q"])[:, 0]).max() < 1e-14


def test_four_bar_claims():
    rec = simulate("four-bar", settings={"scene.duration": 1.0})
    a, b, c = rec["q"].T
    x = 0.3 * np.cos(a) + 0.8 * np.cos(a + b) - 0.9 - 0.6 * np.cos(c)
    y = 0.3 * np.sin(a) + 0.8 * np.sin(a + b) - 0.6 * np.sin(c)
    assert max(np.abs(x).max(), np.abs(y).max()) < 1e-10
    assert np.abs(rec["tau"][:, 0] - 1.2 + 0.3 * rec["v"][:, 0]).max() < 1e-12
    assert np.ptp(a) > 0.5


# ---- tables ---------------------------------------------------------------------------------------------------------
HEAD = '[scene]\ntitle = "t"\nduration = 0.2\nrate = 20\n'
ARM = """[[figure]]
name = "arm"
[[figure.segment]]
name = "upper"
joint = { revolute = [0, 0, 1] }
mass = 1.0
com = [0, -0.3, 0]
[[figure.segment]]
name = "lower"
parent = "upper"
joint = { revolute = [1, 0, 0] }
placement = { at = [0, -0.6, 0] }
mass = 0.5
com = [0, -0.2, 0]
[[figure.tag]]
name = "tip"
segment = "lower"
at = [0, -0.4, 0]
[[figure.control]]
coordinate = "lower"
stiffness = 3
[figure.start]
q = { upper = "20 deg" }
v = { lower = 1.0 }
"""
BALL = """[[figure]]
name = "f"
[[figure.segment]]
name = "ball"
placement = { turn = { x = "-90 deg" } }
shape = { ball = 0.1, mass = 1 }
[figure.segment.joint.contact]
parent = { plane = true }
child = { sphere = 0.1 }
"""


def test_start_controls_and_tags():
    made = build_figures(parse_scene(HEAD + ARM))
    figure, q, v, (control,) = made.figure, made.q, made.v, made.controls
    assert q == pytest.approx([np.radians(20), 0])
    assert v.tolist() == [0, 1]
    assert figure.tag_names == ("tip",)
    state = tree.FigureState(np.array([0.3, 0.2]), np.array([1.0, 2.0]))
    assert control(0.0, state) == pytest.approx([0, -0.6])
    more = ARM.replace("stiffness = 3", 'force = 2\nstiffness = 3\ndamping = 0.5\ntarget = "90 deg"')
    (control,) = build_figures(parse_scene(HEAD + more)).controls
    assert control(0.0, state) == pytest.approx([0, 2 - 3 * (0.2 - np.pi / 2) - 1.0])


@pytest.mark.parametrize(
    ("joint", "names"),
    [
        ("fixed = true", []),
        ("revolute = [0, 0, 1]", ["upper"]),
        ("prismatic = [0, 1, 0]", ["upper"]),
        ("helical = { axis = [0, 0, 1], pitch = 0.1 }", ["upper"]),
        ("universal = [[1, 0, 0], [0, 0, 1]]", ["upper.q1", "upper.q2"]),
        ('cardan = "xyz"', ["upper.x", "upper.y", "upper.z"]),
        ("spherical = true", None),
        ("planar = [0, 1, 0]", None),
        ("free = true", None),
        ('free = "cardan"', None),
        ('revolute = [0, 0, 1], names = ["knee"], limits = [[-1, "90 deg"]]', ["knee"]),
        ('function = [{ coordinate = "bend", revolute = [0, 0, 1], polynomial = [0, 2] }]', ["bend"]),
        ("contact = { parent = { plane = true }, child = { sphere = 0.2 } }", ["upper.wx", "upper.wy", "upper.wz"]),
        ("contact = { parent = { plane = true }, child = { plane = true }, rolling = false, sliding = true }", None),
    ],
)
def test_every_kind_of_joint(joint, names):
    text = f'{HEAD}[[figure]]\nname = "a"\n[[figure.segment]]\nname = "upper"\njoint = {{ {joint} }}\n'
    text += "mass = 1\ninertia = [0.1, 0.1, 0.1]\n"
    figure = build_figures(parse_scene(text)).figure
    if names is not None and "universal" not in joint and "cardan" not in joint:
        assert list(figure.coordinates) == names
    freedoms = {"fixed": 0, "universal": 2, "cardan": 3, "spherical": 3, "planar": 3, "free": 6, "contact": 3}
    assert figure.nv == freedoms.get(joint.split(" ")[0], 1)


WRONG = {
    "unknown parent": (
        ARM,
        'parent = "upper"',
        'parent = "uper"',
        r"unknown parent \(got 'uper'.*Did you mean 'upper'",
    ),
    "own parent": (ARM, 'parent = "upper"', 'parent = "lower"', "cycle"),
    "name twice": (ARM, 'name = "lower"', 'name = "upper"', "two segments must not share a name"),
    "name world": (ARM, 'name = "upper"', 'name = "world"', "is the fixed world itself"),
    "tag of nothing": (ARM, 'segment = "lower"', 'segment = "hand"', r"unknown segment \(got 'hand'"),
    "control of nothing": (
        ARM,
        'coordinate = "lower"',
        'coordinate = "lowr"',
        r"no such coordinate \(got 'lowr'.*Did you mean 'lower'",
    ),
    "start q of nothing": (ARM, "q = { upper", "q = { uper", r"no such coordinate \(got 'uper'.*Did you mean 'upper'"),
    "start v of nothing": (ARM, "v = { lower", "v = { lowr", r"no such coordinate \(got 'lowr'.*Did you mean 'lower'"),
    "counts": (ARM, "lower = 1.0", "lower = [1, 2]", r"lower has 1 numbers \(got 2\)"),
    "unit of q": (ARM, '"20 deg"', '"20 kg"', r"the coordinate must be of a joint \(got '20 kg'.*rad or m"),
    "unit of v": (
        ARM,
        "lower = 1.0",
        'lower = "10 deg"',
        r"the velocity must be of a joint \(got '10 deg'.*rad/s or m/s",
    ),
    "words": (ARM, '"20 deg"', '"much"', r"the coordinate must be of a joint \(got 'much'"),
    "two joints": (
        ARM,
        "joint = { revolute = [0, 0, 1] }",
        "joint = { revolute = [0, 0, 1], fixed = true }",
        r"give exactly one of fixed, .*; got fixed, revolute",
    ),
    "no joint": (ARM, "joint = { revolute = [0, 0, 1] }", "joint = {}", "give exactly one of fixed, .*; got none"),
    "joint left out": (ARM, "joint = { revolute = [0, 0, 1] }\n", "", r"joint: missing"),
    "zero axis": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 0, 0]", "axis must have a direction"),
    "short axis": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 1]", "missing"),
    "typing": (ARM, "revolute = [0, 0, 1]", "revolut = [0, 0, 1]", r"unknown key\. Did you mean 'revolute'"),
    "too many names": (ARM, "revolute = [0, 0, 1]", 'revolute = [0, 0, 1], names = ["a", "b"]', "names"),
    "no names": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 0, 1], names = []", "names"),
    "too many limits": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 0, 1], limits = [[0, 1], [0, 1]]", "limits"),
    "no limits": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 0, 1], limits = []", "limits"),
    "limits swapped": (ARM, "revolute = [0, 0, 1]", "revolute = [0, 0, 1], limits = [[1, 0]]", "limits"),
    "cardan order": (ARM, "revolute = [0, 0, 1]", 'cardan = "zzq"', "order of a Cardan joint"),
    "negative mass": (ARM, "mass = 1.0", "mass = -1.0", "must be at least 0"),
    "impossible inertia": (
        ARM,
        "mass = 1.0",
        "mass = 1.0\ninertia = [1, 1, 5]",
        "the principal moments must be those of a solid",
    ),
    "inertia of two": (ARM, "mass = 1.0", "mass = 1.0\ninertia = [1, 1]", "inertia"),
    "negative stiffness": (ARM, "stiffness = 3", "stiffness = -3", "must be at least 0"),
    "stiffness that is no number": (ARM, "stiffness = 3", "stiffness = nan", "finite"),
    "endless force": (ARM, "stiffness = 3", "force = inf", "finite"),
    "nothing in it": (ARM, ARM, '[[figure]]\nname = "a"\n', "give segments, or a file"),
    "closure of nothing": (
        ARM,
        "[figure.start]",
        '[[figure.closure]]\nname = "c"\nbetween = ["lower", "hand"]\n[figure.start]',
        r"unknown segment \(got 'hand'",
    ),
    "rows of a closure": (
        ARM,
        "[figure.start]",
        '[[figure.closure]]\nname = "c"\nbetween = ["lower", "world"]\nrows = "xx"\n[figure.start]',
        r"rows: .*'xyz'",
    ),
    "flat on flat": (BALL, "child = { sphere = 0.1 }", "child = { plane = true }", "two flat surfaces cannot roll"),
    "conforming": (BALL, "{ plane = true }", "{ sphere = 0.1, inside = true }", "the surfaces conform"),
    "does not fit": (BALL, "{ plane = true }", "{ sphere = 0.05, inside = true }", "the surfaces do not fit"),
    "two surfaces": (
        BALL,
        "{ sphere = 0.1 }",
        "{ sphere = 0.1, plane = true }",
        "give exactly one of plane, .*; got plane, sphere",
    ),
    "no surface": (BALL, "child = { sphere = 0.1 }", "child = {}", "give exactly one of plane, .*; got none"),
    "no freedom": (BALL, "child", "rolling = false\nspin = false\nchild", "a contact must leave a freedom"),
    "negative friction": (BALL, "child", "friction = -1\nchild", "must be at least 0"),
    "torus in itself": (BALL, "{ sphere = 0.1 }", "{ torus = [0.1, 0.2] }", "a torus must not meet itself"),
    "start at the centre": (
        BALL,
        "{ plane = true }",
        "{ sphere = 0.5 }\nstart = { parent = [0, 0, 0] }",
        "a point cannot be projected",
    ),
    "direction along the normal": (
        BALL,
        "child",
        "start = { direction = [0, 0, 1] }\nchild",
        "the direction must not be normal to the surface",
    ),
    "numbers of a contact": (
        BALL,
        "child = { sphere = 0.1 }\n",
        "child = { sphere = 0.1 }\n[figure.start]\nq = { ball = [1, 2, 3] }\n",
        r"ball has 14 numbers \(got 3\)",
    ),
    "spring on a velocity without coordinate": (
        BALL,
        "child = { sphere = 0.1 }\n",
        'child = { sphere = 0.1 }\n[[figure.control]]\ncoordinate = "ball.wx"\nstiffness = 5\n',
        "ball.wx",
    ),
    "plane from inside": (BALL, "{ plane = true }", "{ plane = true, inside = true }", "inside"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_named_with_file_line_and_remedy(name):
    text, old, new, message = WRONG[name]
    assert old in text
    with pytest.raises(SceneError, match=message) as caught:
        simulate(parse_scene(HEAD + text.replace(old, new, 1), name="a"))
    assert re.match(r"a:\d+", str(caught.value))


LINES = {
    "control": (ARM, 'coordinate = "lower"', 'coordinate = "lowr"'),
    "axis of the second segment": (ARM, "revolute = [1, 0, 0]", "revolute = [0, 0, 0]"),
    "mass of the second segment": (ARM, "mass = 0.5", "mass = -0.5"),
    "parent": (ARM, 'parent = "upper"', 'parent = "uper"'),
    "tag": (ARM, 'segment = "lower"', 'segment = "hand"'),
    "start": (ARM, "v = { lower = 1.0 }", "v = { lower = [1, 2] }"),
    "surface": (BALL, "child = { sphere = 0.1 }", "child = { sphere = 0 }"),
}


@pytest.mark.parametrize("name", LINES)
def test_line_is_that_of_the_table_at_fault(name):
    """The line of the key, or of the nearest [[figure.segment]], [[figure.tag]], [[figure.control]] above it."""
    text, old, new = LINES[name]
    whole = (HEAD + text).replace(old, new, 1)
    lines = whole.splitlines()
    fault = next(k for k, line in enumerate(lines, start=1) if new.splitlines()[0] in line)
    table = max(k for k, line in enumerate(lines[:fault], start=1) if line.startswith("["))
    with pytest.raises(SceneError, match=r"^a:\d+") as caught:
        simulate(parse_scene(whole, name="a"))
    number = int(str(caught.value).split(":")[1].split(" ")[0])
    assert table <= number <= fault


def test_contact_may_begin_anywhere_by_default():
    """Without a start the contact is at a point of the parent's surface, whatever the surface."""
    for surface in ("sphere = 0.5", "ellipsoid = [0.5, 0.4, 0.3]", "sphere = 0.5, inside = true", "cylinder = 0.4"):
        text = BALL.replace("plane = true", surface).replace("child =", "rolling = true\nchild =")
        made = build_figures(parse_scene(HEAD + text))
        figure, q = made.figure, made.q
        assert figure.segments[0].joint.gaps(q).max() < 1e-12


def test_plots_are_checked():
    with pytest.raises(SceneError, match=r"no such channel \(got 'uper\.position'.*Did you mean 'upper\.position'"):
        parse_scene(HEAD + ARM + '[image]\nplot = ["uper.position"]\n')
    with pytest.raises(SceneError, match="no such channel"):
        parse_scene(HEAD + ARM + '[image]\nplot = ["upper.contact_force"]\n')
    with pytest.raises(SceneError, match=r"no such channel \(got 'energy\.kinetik'"):
        parse_scene(HEAD + ARM + '[image]\nplot = ["energy.kinetik"]\n')
    parse_scene(
        HEAD + BALL + '[image]\nplot = ["ball.contact_force", "q", "q.ball.p1_x", "ball.contact_force.normal"]\n'
    )


def test_bodies_and_figures_do_not_mix():
    body = '[[body]]\nname = "b"\nshape = { ball = 1, mass = 1 }\n'
    with pytest.raises(SceneError, match="bodies and figures must meet by contact"):
        parse_scene(HEAD + ARM + body)
    with pytest.raises(SceneError, match="springs and forces belong to bodies"):
        parse_scene(HEAD + ARM + '[[spring]]\nbetween = ["world", "upper"]\nstiffness = 1\n')


def test_what_is_given_in_code_goes_before_what_the_scene_says():
    scene = parse_scene(HEAD + ARM)
    rec = simulate(scene, q0=[0.5, 0.1], v0=[0.0, 0.0], controls=lambda t, state: [0.1, 0.2])
    assert rec["q"][0].tolist() == [0.5, 0.1]
    assert (rec["tau"] == (0.1, 0.2)).all()


def test_watch_of_a_scene():
    falling = BALL.replace('"-90 deg"', '"90 deg"')
    with pytest.raises(MotiformError, match="the contact must press at the start"):
        simulate(parse_scene(HEAD + falling))
    assert simulate(parse_scene(HEAD + falling.replace('name = "f"', 'name = "f"\nwatch = false'))).complete
    assert simulate(parse_scene(HEAD + falling), watch=False).complete


# ---- several figures, files, settings -------------------------------------------------------------------------------
def test_two_figures_in_one_scene():
    other = ARM.replace('name = "arm"', 'name = "leg"').replace("mass = 1.0", "mass = 3.0")
    scene = parse_scene(HEAD + ARM + other + '[image]\nplot = ["leg.upper.position"]\n')
    made = build_figures(scene)
    figure, q, v = made.figure, made.q, made.v
    assert figure.names == ("arm.upper", "arm.lower", "leg.upper", "leg.lower")
    assert figure.coordinates == figure.names
    assert figure.tag_names == ("arm.tip", "leg.tip")
    assert q == pytest.approx(np.radians([20, 0, 20, 0]))
    assert v.tolist() == [0, 1, 0, 1]
    rec = simulate(scene)
    # they do not touch: each moves as it does alone
    alone = simulate(parse_scene(HEAD + other))
    assert np.abs(rec["leg.upper.position"] - alone["upper.position"]).max() < 1e-12
    assert np.abs(rec["q"][:, 2:] - alone["q"]).max() < 1e-8
    with pytest.raises(SceneError, match=r":\d+: two figures have one name \(got 'arm'\)"):
        parse_scene(HEAD + ARM + ARM)


def test_figure_with_contacts_beside_another():
    rec = simulate(parse_scene(HEAD + ARM + BALL + "[figure.start]\nv = { ball = [1, 0, 0] }\n"))
    assert rec["f.ball.contact_force"][:, 2] == pytest.approx(G)
    assert rec["v"][0].tolist() == [0, 1, 1, 0, 0]


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="bar">
    <inertial><origin xyz="0 -0.5 0"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
FILE = '[[figure]]\nname = "arm"\nfile = "arm.urdf"\n[figure.start]\nq = { hinge = 0.5 }\n'


def test_figure_from_a_file(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "scene.toml").write_text(HEAD + FILE + "[environment]\ngravity = [0, -1.6, 0]\n")
    rec = simulate(tmp_path / "scene.toml")
    assert rec["q"][0].tolist() == [0.5]
    a = -2 * 1.6 * 0.5 * np.sin(0.5) / (0.1 + 0.5)  # the scene's gravity, not the file's
    found = (rec["v"][1] / 0.05)[0]
    assert found == pytest.approx(a, rel=1e-2)
    first = load_scene(tmp_path / "scene.toml").key
    (tmp_path / "arm.urdf").write_text(URDF.replace('mass value="2"', 'mass value="3"'))
    assert load_scene(tmp_path / "scene.toml").key != first  # another file is another run


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("../arm.urdf", "a scene can read its own folder only"),
        ("/etc/passwd", "a scene can read its own folder only"),
        ("no.urdf", "no such file"),
        ("odd.urdf", "odd.urdf"),
        ("arm.txt", "arm.txt"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, file, message):
    folder = tmp_path / "scenes"
    folder.mkdir()
    (tmp_path / "arm.urdf").write_text(URDF)
    (folder / "odd.urdf").write_text("<robot><link/></robot>")
    (folder / "arm.txt").write_text("nothing")
    (folder / "scene.toml").write_text(HEAD + FILE.replace("arm.urdf", file))
    with pytest.raises(SceneError, match=message):
        simulate(folder / "scene.toml")
    with pytest.raises(SceneError, match="a scene from text cannot read files"):
        simulate(parse_scene(HEAD + FILE))


def test_figure_from_a_file_must_be_alone(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "scene.toml").write_text(HEAD + FILE + BALL)
    with pytest.raises(SceneError, match=r"scene\.toml:7: a figure from a file must be alone in its scene"):
        simulate(tmp_path / "scene.toml")


@pytest.mark.parametrize(
    ("path", "value", "see"),
    [
        ("figure.slope.segment.ball.shape.mass", 3.0, lambda f, q, v: f.segment("ball").mass),
        ("figure.slope.segment.ball.joint.contact.friction", 0.25, lambda f, q, v: f.segment("ball").joint.friction),
        (
            "figure.slope.segment.1.joint.contact.child.sphere",
            0.2,
            lambda f, q, v: f.segment("ball").joint.surfaces[1].radius,
        ),
        ("figure.0.segment.ball.joint.contact.start.parent", [0.5, 0, 0], lambda f, q, v: q[:3].tolist()),
        ("figure.slope.start.v", {"ball": [1, 2, 3]}, lambda f, q, v: {"ball": v.tolist()}),
        ("environment.gravity", [0, -1.6, 0], lambda f, q, v: list(f.gravity)),
    ],
)
def test_settings_reach_into_figures(path, value, see):
    made = build_figures(load_scene("incline", {path: value}))
    figure, q, v = made.figure, made.q, made.v
    assert see(figure, q, v) == value


def test_settings_that_reach_nothing_are_reported():
    with pytest.raises(SceneError, match=r"no such element \(got 'bal'.*Did you mean 'ball'"):
        load_scene("incline", {"figure.slope.segment.bal.shape.mass": 3.0})
    with pytest.raises(SceneError, match="unknown key"):
        load_scene("incline", {"figure.slope.segment.ball.weight": 3.0})


@pytest.mark.parametrize("name", TREES)
def test_parameters_list_the_numbers_and_may_be_set_to_what_they_are(name):
    scene = load_scene(name)
    found = {parameter.path: parameter for parameter in scene.parameters()}
    assert "environment.gravity" in found
    assert any(path.startswith(f"figure.{scene.document.figure[0].name}.segment.") for path in found)
    again = load_scene(name, {p.path: list(p.value) if isinstance(p.value, tuple) else p.value for p in found.values()})
    one, two = (build_figures(s).figure.packed for s in (scene, again))
    assert np.abs(one.floats - two.floats).max() < 1e-15
    assert again.parameters() == scene.parameters()


def test_parameters_of_the_incline():
    found = {parameter.path: parameter for parameter in load_scene("incline").parameters()}
    mass = found["figure.slope.segment.ball.shape.mass"]
    assert (mass.value, mass.unit) == (2.0, "kg")
    assert found["figure.slope.segment.ball.joint.contact.friction"].value == 0.5
    assert found["figure.slope.segment.plane.placement.turn.z"].value == pytest.approx(-np.radians(20))
    assert found["motion.integrator"].value == "dormand-prince"
    assert found["figure.slope.watch"].value is True


LANDS = """
[scene]
title = "Lands"
duration = 0.6

[[figure]]
name = "thrown"

[[figure.segment]]
name = "ball"
shape = { ball = 0.1, mass = 2.0 }
[figure.segment.joint.contact]
parent = { plane = true }
child = { sphere = 0.1 }
sliding = true
friction = 0.3
release = true
restitution = 0.5
start = { gap = 0.2 }
"""


def test_a_contact_of_a_scene_leaves_and_lands():
    """The plane is z = 0 of the world, and gravity along −z: it falls for √(2 h/g) and bounces for as long."""
    text = LANDS + "\n[environment]\ngravity = [0, 0, -9.81]\n"
    rec = simulate(parse_scene(text))
    first, second = rec.events[:2]
    assert (first.name, second.name) == ("ball lands", "ball lands")
    fall = np.sqrt(0.4 / 9.81)
    assert first.time == pytest.approx(fall, abs=1e-8)
    assert second.time == pytest.approx(2 * fall, abs=1e-8)
    for bad, match in (
        (text.replace("release = true\n", ""), "belong to release = true"),
        (text.replace('name = "thrown"', 'name = "thrown"\nwatch = false'), "always watched"),
        (text.replace("restitution = 0.5", "restitution = 1.5"), "out of range"),
    ):
        with pytest.raises(SceneError, match=match):
            simulate(parse_scene(bad))
