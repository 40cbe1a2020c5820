"""Reading scenes: what errors say, settings by path, and what a scene may not read."""

# ruff: noqa: E501, tables of errors: a case a line

import os
from pathlib import Path

import pytest

from motiform.base.errors import SceneError
from motiform.scene import list_scenes, load_scene, parse_scene, parse_setting, simulate

BALL = """\
[scene]
title = "A ball"
duration = 0.1

[[body]]
name = "ball"
shape = { ball = 0.5, density = 1000 }
spin = [1, 2, 3]
"""  # eight lines


def error_of(text: str, settings=None, **more) -> str:
    """Return what the error says; the scene is read and built."""
    with pytest.raises(SceneError) as caught:  # noqa: PT012, any of the three may be the one that tells
        scene = parse_scene(text, name="ball.toml", settings=settings, **more)
        simulate(scene)
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('title = "A ball"', "titel = 3", "ball.toml:1 scene.title: missing\nball.toml:2 scene.titel: unknown key. Did you mean 'title'?"),
        ("duration = 0.1", "duration = -1", "ball.toml:3 scene.duration: must be above 0 (got -1)"),
        ("duration = 0.1", "duration = nan", "ball.toml:3 scene.duration: the number must be finite (got nan; allowed: a finite number in s)"),
        ("duration = 0.1", "duration = -inf", "ball.toml:3 scene.duration: the number must be finite (got -inf; allowed: a finite number in s)"),
        ("duration = 0.1", 'duration = "3 m"', "ball.toml:3 scene.duration: the unit has the wrong dimension (got '3 m'; allowed: a unit like s)"),
        ("duration = 0.1", 'duration = "soon"', "ball.toml:3 scene.duration: a quantity must be a number (got 'soon'; allowed: a number in s, or text such as '3 s')"),
        ("duration = 0.1", "duration = 1e12", "ball:1: too many samples (got '1e+14'; allowed: at most 1e9). Lower rate or shorten the run."),
        ("duration = 0.1", "duration = 1" + "0" * 5000, "ball.toml: the scene must be TOML: a number has too many digits"),
        ("duration = 0.1", "duration = 0.1\nseed = -1", "ball.toml:4 scene.seed: Input should be greater than or equal to 0 (got -1)"),
        ("[[body]]", "[[bodie]]", "ball.toml:5 bodie: unknown key. Did you mean 'body'?"),
        ("[[body]]", "[body]", "ball.toml:5 body: must be a list; tables that may come several times are written [[so]]"),
        ("[[body]]", "[[body]", "ball.toml:5: the scene must be TOML: "),
        ('"ball"', '"my ball"', "ball.toml:6 body.0.name: a name is letters, digits, _ and -"),
        ("ball = 0.5", "ball = 0", "ball.toml:7 body.0.shape.ball: must be above 0 (got 0)"),
        ("ball = 0.5", "ball = [1]", "ball.toml:7 body.0.shape.ball: a quantity must be a number (got [1]; allowed: a number in m, or text with a unit)"),
        ("ball = 0.5", "bal = 0.5", "ball.toml:7 body.0.shape.bal: unknown key. Did you mean 'ball'?"),
        ("ball = 0.5", "ball = 1, box = [1, 1, 1]", "ball.toml:7 body.0.shape: give exactly one of ball, box, capsule, cylinder, ellipsoid, torus, cone, mesh, particles, parts; got ball, box"),
        ("ball = 0.5,", "", "ball.toml:7 body.0.shape: give exactly one of ball, box, capsule, cylinder, ellipsoid, torus, cone, mesh, particles, parts; got none"),
        ("density = 1000", "density = 1, mass = 1", "ball.toml:7 body.0.shape: give density or mass, not both"),
        (", density = 1000", "", "ball:5 body 'ball': the body has no mass. Give shape.density, shape.mass, or mass and inertia."),
        ("spin = [1, 2, 3]", "spin = [1, 2]", "ball.toml:8 body.0.spin.2: missing"),
        ("spin = [1, 2, 3]", "inertia = [1, 1, 5]", "ball:5 body 'ball': the inertia breaks the triangle inequality"),
        ("spin = [1, 2, 3]", "pose = { quaternion = [0, 0, 0, 0] }", "ball.toml:8 body.0.pose: a quaternion must not be zero"),
        ("spin = [1, 2, 3]", "pose = { turn = { x = 1 }, quaternion = [1, 0, 0, 0] }", "ball.toml:8 body.0.pose: give turn or quaternion, not both"),
        ("spin = [1, 2, 3]", "drag = { area = -1 }", "ball.toml:8 body.0.drag.area: must be at least 0 (got -1)"),
        ("spin = [1, 2, 3]", "copies = { count = 0, box = [1, 1, 1] }", "ball.toml:8 body.0.copies.count: Input should be greater than or equal to 1 (got 0)"),
        ("spin = [1, 2, 3]", "color = [2, 0, 0]", "ball.toml:8 body.0.color.0: Input should be less than or equal to 1 (got 2)"),
    ],
)  # fmt: skip
def test_wrong_scenes_are_reported_by_file_line_and_remedy(old, new, text):
    assert old in BALL
    assert error_of(BALL.replace(old, new)).startswith(text)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ('[motion]\nintegrator = "rk5"', "ball.toml:10 motion.integrator: Input should be 'euler', 'symplectic-euler', 'rk4', "),
        ("[motion]\nstep = 1e-40", "ball:1: too many steps from sample to sample"),
        ("[motion]\nsteps = 1", "ball.toml:10 motion.steps: unknown key. Did you mean 'step'?"),
        ('[[spring]]\nbetween = ["ball", "bal"]\nstiffness = 1', "ball.toml:10: no such body (got 'bal'; allowed: ball). Did you mean 'ball'?"),
        ('[[spring]]\nbetween = ["ball", "ball"]\nstiffness = 1', "ball:9: spring 1: a spring needs two different ends (got 'ball and ball')"),
        ('[[spring]]\nbetween = ["ball", "world"]\nstiffness = 1\n[[spring]]\nbetween = ["world", "world"]\nstiffness = 1', "ball:12: spring 2: "),
        ('[[force]]\nbody = "boll"\nforce = [1, 0, 0]', "ball.toml:10: no such body (got 'boll'; allowed: ball). Did you mean 'ball'?"),
        ('[[force]]\nbody = "ball"\nforce = [1, 0, 0]\nstart = 2\nuntil = 1', "ball:9: load 1: a load must end after it starts (got 'from 2.0 until 1.0 s')"),
        ("[environment]\ngust = { amplitude = [1, 0, 0], direction = [0, 0, 0] }", "ball:9: environment: length of the gust direction is out of range"),
        ('[[body]]\nname = "ball"\nshape = { ball = 1, mass = 1 }', "ball.toml:10: two bodies have one name (got 'ball'). Names must differ."),
        ('[[body]]\nname = "two"\nshape = { box = [1, 1], mass = 1 }', "ball.toml:11 body.1.shape.box.2: missing"),
        ('[[force]]\nbody = "ball"', "ball.toml:9 force.0: give force or torque"),
        ('[[body]]\nname = "world"\nshape = { ball = 1, mass = 1 }', 'ball.toml:10 body.1.name: "world" is the fixed world itself'),
        ('[[body]]\nname = "two"\nshape = { ball = 1, mass = 1 }\npinned = [0, 1, 0]\nvelocity = [1, 0, 0]', "ball.toml:9 body.1: a pinned body has no velocity of its own"),
        ('[[body]]\nname = "two"\nshape = { ball = 1, mass = 1, scale = 2 }', "ball.toml:11 body.1.shape: scale belongs to mesh files"),
        ('[image]\nplot = ["ball.positon"]', "ball.toml:10: no such channel (got 'ball.positon'"),
        ("[image]\ncamera = { from = [1, 0, 0], to = [1, 0, 0] }", "ball.toml:10 image.camera: from and to are one point"),
        ("[image]\ncamera = { to = [0, 0, 0] }", "ball.toml:10 image.camera: 'from' of the camera is missing"),
    ],
)  # fmt: skip
def test_wrong_tables_are_reported_by_file_line_and_remedy(more, text):
    assert error_of(BALL + more + "\n").startswith(text)


def test_several_mistakes_are_reported_at_once():
    lines = error_of(BALL.replace("duration = 0.1", "duration = 0").replace("ball = 0.5", "ball = -1")).splitlines()
    assert [line.split()[0] for line in lines] == ["ball.toml:3", "ball.toml:7"]


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 5000 + "]" * 5000, BALL.replace("{ ball", "{ parts = [" * 2000 + "{ ball")]
)
def test_huge_nesting_is_refused(text):
    assert "the scene must be TOML: arrays and tables are nested too deeply" in error_of(text)


def test_deep_but_sound_nesting_is_built():
    deep = BALL.replace(
        "{ ball = 0.5, density = 1000 }", "{ parts = [" * 60 + "{ ball = 0.5, density = 1000 }" + "] }" * 60
    )
    assert parse_scene(deep).build().model.bodies[0].properties.mass == pytest.approx(4 / 3 * 3.141592653589793 * 125)


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "text"), [
    (b"", "scene: missing"),
    (b"\xff\xfe\x00\x80binary\x00", "cannot read the scene: 'utf-8' codec can't decode"),
    (b"\x00\x01\x02", ":1: the scene must be TOML"),
    (b"[scene]\ntitle = 'x'\n" + b"# pad\n" * 800_000, "the file is too large for a scene"),
])  # fmt: skip
def test_odd_files(data, text, tmp_path):
    path = tmp_path / "odd.toml"
    path.write_bytes(data)
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert "odd.toml" in str(caught.value)
    assert text in str(caught.value)


def test_missing_files_and_unknown_names(tmp_path):
    with pytest.raises(SceneError, match=r"nowhere\.toml: there is no such scene"):
        load_scene(tmp_path / "nowhere.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SceneError, match=r"folder\.toml: the scene must be a file"):
        load_scene(tmp_path / "folder.toml")
    with pytest.raises(SceneError, match="there is no such scene"):
        load_scene("a\0b.toml")
    (tmp_path / "handle.toml").write_text("")
    with pytest.raises(SceneError, match=r"handel\.toml: there is no such scene\. Did you mean 'handle\.toml'\?"):
        load_scene(tmp_path / "handel.toml")
    with pytest.raises(SceneError, match=r"gone/x\.toml: there is no such scene\. The folder '.*gone' is not there"):
        load_scene(tmp_path / "gone" / "x.toml")
    with pytest.raises(
        SceneError,
        match=r"no such scene \(got 'handel'; allowed: a \.toml file, or one of: .*handle.*\)\. Did you mean 'handle'\?",
    ):
        load_scene("handel")


MESH = BALL.replace("ball = 0.5", 'mesh = "NAME"')
TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def places(tmp_path) -> Path:
    """A folder `mine` for the scene, beside a mesh that is not its business."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "secret.obj").write_text(TETRA)
    return tmp_path


def built(places: Path, name: str):
    (places / "mine" / "ball.toml").write_text(MESH.replace("NAME", name))
    return load_scene(places / "mine" / "ball.toml").build().model


def test_mesh_in_the_scenes_folder_is_read(places):
    (places / "mine" / "deep").mkdir()
    (places / "mine" / "deep" / "tetra.obj").write_text(TETRA)
    assert built(places, "deep/tetra.obj").bodies[0].properties.mass == pytest.approx(1000 / 6)


@pytest.mark.parametrize("way", ["../secret.obj", "ABSOLUTE", "link.obj", "linked/secret.obj", "deep/../../secret.obj"])
def test_mesh_outside_the_scenes_folder_is_refused(way, places):
    (places / "mine" / "deep").mkdir()
    os.symlink(places / "secret.obj", places / "mine" / "link.obj")
    os.symlink(places, places / "mine" / "linked")
    name = str(places / "secret.obj") if way == "ABSOLUTE" else way
    with pytest.raises(
        SceneError,
        match=r"ball\.toml:5 body 'ball': a scene can read its own folder only \(got .*; allowed: files in .*mine\)",
    ):
        built(places, name)


def test_mesh_that_is_not_there_is_reported(places):
    with pytest.raises(
        SceneError, match=r"ball\.toml:5 body 'ball': no such file \(got 'x\.obj'\)\. Put it into the folder"
    ):
        built(places, "x.obj")
    for name in (".", "a\\u0000b.obj", "x" * 5000):
        with pytest.raises(SceneError, match="no such file"):
            built(places, name)


def test_mesh_of_a_scene_from_text_is_refused():
    assert (
        error_of(MESH) == "ball:5 body 'ball': a scene from text cannot read files (got 'NAME'). Save it in a folder."
    )


def test_mesh_that_is_no_mesh_names_the_body(places):
    (places / "mine" / "bad.obj").write_bytes(b"\x00\x01 not a mesh")
    with pytest.raises(SceneError, match=r"ball\.toml:5 body 'ball': .*bad\.obj"):
        built(places, "bad.obj")


# ---- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("motion.step", 5e-4, lambda d: d.motion.step),
        ("scene.duration", 2.0, lambda d: d.scene.duration),
        ("body.ball.spin", (4.0, 5.0, 6.0), lambda d: d.body[0].spin),
        ("body.0.spin", (4.0, 5.0, 6.0), lambda d: d.body[0].spin),
        ("body.ball.spin.1", 7.0, lambda d: d.body[0].spin[1]),
        ("body.ball.shape.density", 500.0, lambda d: d.body[0].shape.density),
        ("environment.gravity.1", -1.62, lambda d: d.environment.gravity[1]),
    ],
)
def test_settings_by_name_and_by_number(path, value, where):
    text = BALL + "[environment]\ngravity = [0, -9.81, 0]\n"
    assert where(parse_scene(text, settings={path: value}).document) == value


def test_settings_take_units():
    scene = parse_scene(BALL, settings={"motion.step": "2 ms", "body.ball.shape.ball": "10 cm"})
    assert (scene.document.motion.step, scene.document.body[0].shape.ball) == (0.002, 0.1)


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("motion.stepp", 1, "ball.toml motion.stepp: unknown key. Did you mean 'step'?"),
        ("motoin.step", 1, "ball.toml motoin: unknown key. Did you mean 'motion'?"),
        ("motion.step", "fast", "ball.toml motion.step: a quantity must be a number (got 'fast'"),
        ("body.bell.spin", 1, "ball.toml: setting 'body.bell.spin': no such element (got 'bell'; allowed: 0 to 0, or ball). Did you mean 'ball'?"),
        ("body.1.spin", 1, "ball.toml: setting 'body.1.spin': no such element (got '1'; allowed: 0 to 0, or ball)"),
        ("body.ball.spin.3", 1, "ball.toml: setting 'body.ball.spin.3': no such element (got '3'; allowed: 0 to 2)"),
        ("scene.title.x", 1, "ball.toml: setting 'scene.title.x': the path must lead through tables (got 'scene.title')"),
        ("scene.duration", True, "ball.toml scene.duration: a quantity must be a number (got True"),
        ("body.ball.mass", -1, "ball.toml body.0.mass: must be above 0 (got -1)"),
    ],
)  # fmt: skip
def test_wrong_settings_are_reported_by_path_and_not_by_a_line_of_the_file(path, value, text):
    assert error_of(BALL, {path: value}).startswith(text)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("motion.step=5e-4", ("motion.step", 5e-4)),
        ("body.ball.spin = [1, 2, 3]", ("body.ball.spin", [1, 2, 3])),
        ("motion.integrator=rk4", ("motion.integrator", "rk4")),
        ("pose.turn.y=20 deg", ("pose.turn.y", "20 deg")),
        ("scene.title=a=b", ("scene.title", "a=b")),
        ("image.ground=false", ("image.ground", False)),
        ("x=", ("x", "")),
        ("x=" + "[" * 5000, ("x", "[" * 5000)),
    ],
)
def test_settings_of_the_command_line(text, pair):
    assert parse_setting(text) == pair


@pytest.mark.parametrize("text", ["motion.step", "=3", "  = 3", ""])
def test_settings_without_a_path_or_value_are_refused(text):
    with pytest.raises(
        SceneError, match=r"a setting must be path=value \(got .*; allowed: path=value, such as motion\.step=5e-4\)"
    ):
        parse_setting(text)


# ---- the gallery and parameters ------------------------------------------------------------------


def test_gallery_lists_the_scenes_of_the_package():
    entries = list_scenes()
    names = [entry.name for entry in entries]
    assert names == sorted(names)
    assert {"thrown", "handle", "top", "particles", "flock"} <= set(names)
    assert all(entry.title and entry.part and entry.seconds > 0 and entry.path.is_file() for entry in entries)


@pytest.mark.parametrize("name", [entry.name for entry in list_scenes()])
def test_gallery_scenes_load_by_name_and_by_path(name):
    entry = next(entry for entry in list_scenes() if entry.name == name)
    scene = load_scene(name)
    assert scene.title == entry.title
    assert load_scene(entry.path).key == scene.key
    assert scene.document.scene.description


@pytest.mark.parametrize("name", [entry.name for entry in list_scenes()])
def test_parameters_are_settings(name):
    """What a scene offers to change can be set to what it is, and nothing changes."""
    scene = load_scene(name)
    parameters = scene.parameters()
    paths = [parameter.path for parameter in parameters]
    assert len(set(paths)) == len(paths)
    step = "motion.frequency" if scene.document.network else "motion.step"
    assert {step, "motion.integrator", "scene.duration"} <= set(paths)
    values = {p.path: list(p.value) if isinstance(p.value, tuple) else p.value for p in parameters}
    assert load_scene(name, values).key == scene.key


def test_parameters_carry_unit_and_choices():
    found = {parameter.path: parameter for parameter in load_scene("handle").parameters()}
    assert found["motion.step"].unit == "s"
    assert found["body.handle.spin"].unit == "rad/s"
    assert found["environment.gravity"].unit == "m/s^2"
    assert "rk4" in found["motion.integrator"].choices
    assert "scene.title" not in found


def test_key_follows_what_the_motion_depends_on(places):
    key = parse_scene(BALL).key
    assert parse_scene(BALL.replace("A ball", "Another title")).key == key
    assert parse_scene(BALL + "[image]\nground = false\n").key == key
    assert parse_scene(BALL, settings={"motion.step": 5e-4}).key != key
    assert parse_scene(BALL.replace("0.5", "0.6")).key != key
    (places / "mine" / "tetra.obj").write_text(TETRA)
    (places / "mine" / "ball.toml").write_text(MESH.replace("NAME", "tetra.obj"))
    first = load_scene(places / "mine" / "ball.toml").key
    (places / "mine" / "tetra.obj").write_text(TETRA.replace("v 1 0 0", "v 2 0 0"))
    assert load_scene(places / "mine" / "ball.toml").key != first
