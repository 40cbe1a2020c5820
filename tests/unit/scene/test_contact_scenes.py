"""Scenes with contacts: the built-in ones, tables that are wrong, the same thing in Python, resuming, what is drawn."""

import numpy as np
import pytest

from models import Stop, stop_after
from motiform import FigureBuilder, actuation, contact, figures, joints, open_recording, simulate
from motiform.base.errors import SceneError
from motiform.form import dress, strobe
from motiform.geometry import Ball, Box, Compound
from motiform.motion.contact.pack import pack_contacts
from motiform.motion.tree.model.acting import Acting
from motiform.record import compare
from motiform.scene import list_scenes, load_scene, parse_scene
from motiform.scene.build.figures import build_figures

G = 9.81
CONTACTS = [entry.name for entry in list_scenes() if entry.part == "contact"]
BOX = """
[scene]
title = "Thrown box"
duration = 0.6
rate = 100

[[body]]
name = "box"
shape = { box = [0.3, 0.2, 0.2], mass = 2.0 }
pose = { at = [0, 0.3, 0], turn = { z = "20 deg" } }
velocity = [1.0, 0.5, 0.2]
spin = [0.4, 1.0, -2.0]
contact = { friction = 0.4, restitution = 0.3 }

[[obstacle]]
name = "ground"
floor = 0
"""
KONDO = """
[scene]
title = "Kondo"
duration = 0.04
rate = 100

[[figure]]
name = "kondo"
model = "kondo"

[figure.parameters]
mass = "1.2 kg"

[figure.start]
q = { shoulder_roll = "12 deg" }

[[figure.contact]]
solids = true
friction = 0.7

[figure.posture]
frequency = 8
stiffness = { ankle_pitch = 20 }
stand = true

[[figure.load]]
segment = "trunk"
force = [4, 0, 0]
start = 0.005
until = "20 ms"

[[obstacle]]
name = "ground"
floor = 0

[motion]
integrator = "time-stepping"
step = 1e-3
"""


# ---- the built-in ones ----------------------------------------------------------------------------------------------
def test_there_are_scenes_of_contacts():
    wanted = {"rocking-block", "bouncing", "rolling", "dominoes", "pushed", "sit-to-stand", "space-walk"}
    assert wanted | {"kondo-stand", "stairs-fall"} <= set(CONTACTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTACTS)
def test_scene_builds_and_starts(name):
    rec = simulate(name, settings={"scene.duration": 0.02, "scene.rate": 100})
    assert rec.complete
    assert rec.count("q") == 3
    assert set(load_scene(name).document.image.plot) <= set(rec)
    labels = rec.manifest["labels"]
    for dim, channel in (("velocity", "v"), ("coordinate", "q"), ("point", "contact.gap"), ("solid", "solid.wrench")):
        if channel in rec:
            assert len(labels[dim]) == rec.channel(channel).shape[0]
            assert len(set(labels[dim])) == len(labels[dim])


@pytest.mark.slow
def test_rolling_claims():
    """The ball slides for 2 v0 / (7 mu g) and then rolls with 5/7 of its speed."""
    rec = simulate("rolling", settings={"scene.duration": 0.7})
    sticks = next(event.time for event in rec.events if event.name == "sticks: ball on ground")
    assert sticks == pytest.approx(2 * 2.8 / (7 * 0.15 * G), abs=1e-6)  # rtol 1e-8 of the run, and its many steps
    x, t = rec["ball.position"][:, 0], rec.time("q")
    later = t > sticks + 0.01
    assert np.abs(np.diff(x[later]) * 120 - 5 / 7 * 2.8).max() < 1e-5


def test_bouncing_claims():
    """Clay stays; stone (e = 0.3) rests after t0 (1 + e) / (1 − e), t0 the time of its first fall."""
    rec = simulate("bouncing", settings={"scene.duration": 1.0})
    t0 = np.sqrt(2 * (1.2 - 0.09) / G)
    rests = [event.time for event in rec.events if event.name == "rests: stone on ground"]
    assert rests == pytest.approx([t0 * 1.3 / 0.7], abs=1e-6)
    clay = rec["clay.position"][:, 1]
    assert np.abs(clay[rec.time("q") > t0] - 0.09).max() < 1e-12
    peak = rec["tennis.position"][rec.time("q") > t0, 1].max()
    assert peak == pytest.approx(0.09 + 0.75**2 * 1.11, abs=1e-4)  # a sample is at most 2.5 ms from the top: g t²/2


def test_space_walk_keeps_its_momenta():
    rec = simulate("space-walk", settings={"scene.duration": 0.5})
    assert np.abs(rec["momentum"]).max() < 1e-6  # kg m/s, of a body of 73 kg: rtol 1e-6
    assert np.abs(rec["angular_momentum"]).max() < 1e-6
    assert rec["energy.kinetic"].max() > 1


# ---- the same in Python ---------------------------------------------------------------------------------------------
def test_a_body_is_a_segment_with_a_free_joint():
    scene = parse_scene(BOX)
    assert scene.document.motion.integrator == "dormand-prince"
    rec = simulate(scene)
    b = FigureBuilder(name="scene")
    shape = Box((0.3, 0.2, 0.2))
    b.segment("box", None, joints.free(), mass=shape.mass_properties(mass=2.0), shape=shape)
    figure = b.build()
    points = contact.points_of_shape(figure, "box", friction=0.4, restitution=0.3)
    angle = np.radians(20)
    quaternion = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    c, s = np.cos(angle), np.sin(angle)
    own = [c * 1.0 + s * 0.5, -s * 1.0 + c * 0.5, 0.2]
    again = simulate(
        figure,
        q0=[0, 0.3, 0, *quaternion],
        v0=[0.4, 1.0, -2.0, *own],
        contacts=contact.Contacts(points, (contact.floor(),)),
        t1=0.6,
        rate=100,
    )
    assert len(rec.events) > 4
    assert [event.name for event in rec.events] == [event.name for event in again.events]
    assert np.abs(rec["q"] - again["q"]).max() < 1e-6  # the start differs by rounding, impacts magnify it
    assert rec.manifest["labels"]["point"][0] == "box.---"


@pytest.mark.slow
def test_a_model_with_posture_and_push_is_that_of_python():
    rec = simulate(parse_scene(KONDO))
    figure = figures.kondo(mass=1.2, name="scene")
    contacts = contact.Contacts(contact.points_of_tags(figure, friction=0.7), (contact.floor(),))
    roll = np.radians(12)
    q = figure.configuration(right_shoulder_roll=roll, left_shoulder_roll=roll)
    tau = actuation.standing_effort(figure, contacts, q).tau
    usual = actuation.posture_control(figure, q, frequency=8)
    stiffness = usual.stiffness.copy()
    for side in ("right", "left"):
        stiffness[figure.places(f"{side}_ankle_pitch", "v")] = 20
    control = actuation.posture_control(figure, q, stiffness=stiffness, damping=usual.damping, feedforward=tau)
    trunk = figure.index("trunk")
    com = figure.segment("trunk").com

    def push(t, state):
        from motiform.motion.tree import forward_kinematics

        wrench = np.zeros((len(figure.segments), 6))
        if 0.005 <= t < 0.02:
            wrench[trunk] = [*np.cross(forward_kinematics(figure, state.q)[0][trunk] @ com, (4, 0, 0)), 4, 0, 0]
        return wrench

    run = {"t1": 0.04, "rate": 100, "integrator": "time-stepping", "step": 1e-3}
    again = simulate(figure, q0=q, controls=control, loads=push, contacts=contacts, **run)
    for channel in ("q", "v", "contact.force", "tau"):
        assert np.array_equal(rec[channel], again[channel]), channel
    assert rec["momentum"][-1, 0] > 0.01


def test_loads_jump_and_postures_are_soft_for_time_stepping():
    made = build_figures(parse_scene(KONDO))
    assert made.loads.jumps == (0.005, 0.02)
    ankle = made.figure.places("left_ankle_pitch", "v")
    (posture,) = made.controls
    assert posture.stiffness[ankle] == 20
    assert (posture.stiffness[-6:] == 0).all()  # nothing drives the root
    with_control = KONDO.replace(
        "[[figure.load]]", '[[figure.control]]\ncoordinate = "head_turn"\nstiffness = 3\n[[figure.load]]'
    )
    more = Acting(made.figure, build_figures(parse_scene(with_control)).controls)
    head = made.figure.places("head_turn", "v")
    assert more.stiffness[head] == posture.stiffness[head] + 3


def test_a_push_gives_its_impulse():
    text = BOX.replace("velocity = [1.0, 0.5, 0.2]\nspin = [0.4, 1.0, -2.0]\n", "")
    text += (
        '[environment]\ngravity = [0, 0, 0]\n[[force]]\nbody = "box"\nforce = [0, 3, 0]\nstart = 0.1\nuntil = 0.35\n'
    )
    rec = simulate(parse_scene(text))
    assert rec["momentum"][-1] == pytest.approx([0, 0.75, 0], abs=1e-12)
    assert rec["momentum"][10] == pytest.approx([0, 0, 0], abs=1e-12)


def test_keys_lead_through_postures():
    keys = '[[figure.posture.key]]\nat = 0.02\nq = { elbow = "30 deg" }\n[[figure.posture.key]]\nat = 0.04\n'
    keys += 'q = { right_elbow = "10 deg" }\n'
    text = KONDO.replace("stand = true\n", "stand = true\n" + keys)
    made = build_figures(parse_scene(text))
    (posture,) = made.controls
    left, right = (made.figure.places(f"{side}_elbow", "q")[0] for side in ("left", "right"))
    at = {t: posture.posture(t)[0] for t in (0.0, 0.02, 0.04, 1.0)}
    assert np.degrees([at[t][left] for t in at]) == pytest.approx([0, 30, 30, 30], abs=1e-9)
    assert np.degrees([at[t][right] for t in at]) == pytest.approx([0, 30, 10, 10], abs=1e-9)
    assert simulate(parse_scene(text)).complete


# ---- several bodies and figures -------------------------------------------------------------------------------------
def test_balls_touch_one_another_once():
    body = '[[body]]\nname = "{}"\nshape = {{ ball = 0.1, mass = 1 }}\n'
    body += "pose = {{ at = [{}, 0, 0] }}\nvelocity = [{}, 0, 0]\n"
    text = '[scene]\ntitle = "Balls"\nduration = 1\n' + body.format("a", 0, 1) + "contact = { restitution = 1 }\n"
    text += body.format("b", 0.7, 0) + "[environment]\ngravity = [0, 0, 0]\n"
    scene = parse_scene(text)
    made = build_figures(scene)
    assert pack_contacts(made.figure, made.contacts).names == ("a on b.solid",)
    rec = simulate(scene)
    assert rec.events[0].name == "impact: a on b.solid"
    assert rec.events[0].time == pytest.approx(0.5, abs=1e-9)
    assert rec["a.position"][-1, 0] == pytest.approx(0.5, abs=1e-9)  # they change their velocities
    assert rec["b.position"][-1, 0] == pytest.approx(1.2, abs=1e-9)


def test_copies_are_segments_of_their_own():
    text = BOX.replace("velocity = [1.0", "copies = { count = 3, box = [4, 0.1, 4] }\nvelocity = [1.0").replace(
        "0.3, 0]", "1.3, 0]"
    )
    made = build_figures(parse_scene(text))
    assert made.figure.names == ("box.1", "box.2", "box.3")
    assert [point.name for point in made.contacts.points] == ["box.1", "box.2", "box.3"]  # as solids
    assert len({tuple(q) for q in made.q.reshape(3, 7)}) == 3


def test_models_beside_one_another_and_beside_bodies():
    one = (
        '[[figure]]\nname = "{}"\nmodel = "{}"\n[figure.start]\nq = {{ {} = 1.5 }}\n[[figure.contact]]\nsolids = true\n'
    )
    text = '[scene]\ntitle = "Two"\nduration = 0.01\nrate = 200\n' + one.format("a", "kondo", "trunk_forward")
    text += one.format("b", "bip", BIP_FORWARD) + '[[body]]\nname = "ball"\nshape = { ball = 0.1, mass = 1 }\n'
    text += 'pose = { at = [0, 5, 0] }\n[[obstacle]]\nname = "ground"\nfloor = 0\n'
    text += '[motion]\nintegrator = "time-stepping"\n[image]\nplot = ["a.trunk.position", "ball.position", "tags"]\n'
    made = build_figures(parse_scene(text))
    alone = figures.kondo()
    assert made.figure.coordinates[: alone.nv] == tuple(f"a.{name}" for name in alone.coordinates)
    assert made.figure.coordinates[-1] == "ball.vz"
    assert made.q[made.figure.places("a.trunk_forward", "q")] == 1.5
    assert made.contacts.solids[:2] == ("a.right_foot", "a.left_foot")
    assert "ball.solid" in made.contacts.obstacle_names
    rec = simulate(parse_scene(text))
    assert {f"{name}.position" for name in made.figure.names} <= set(rec)
    assert rec["ball.position"][-1, 1] < 5


BIP_FORWARD = next(name for name in figures.bip().coordinates if "forward" in name)


def test_one_of_several_figures_stands():
    """The other falls, and so cannot be part of what is in balance."""
    text = KONDO + '[[body]]\nname = "ball"\nshape = { ball = 0.1, mass = 1 }\npose = { at = [3, 2, 0] }\n'
    with_ball, without = build_figures(parse_scene(text)), build_figures(parse_scene(KONDO))
    tau = [made.controls[0](0.0, _state(made)) for made in (with_ball, without)]
    assert np.allclose(tau[0][: len(tau[1])], tau[1], atol=1e-9)
    assert np.abs(tau[1]).max() > 0.01


def _state(made):
    from motiform.motion.tree import FigureState

    return FigureState(made.q, made.v)


# ---- tables that are wrong ------------------------------------------------------------------------------------------
WRONG = {
    "no kind": (BOX, "floor = 0", "", r":15.*obstacle\.0: give exactly one of floor, .*; got none"),
    "two kinds": (BOX, "floor = 0", "floor = 0\nball = 1", "got floor, ball"),
    "posed floor": (BOX, "floor = 0", "floor = 0\npose = { at = [0, 1, 0] }", "a floor has no pose"),
    "turned slope": (BOX, "floor = 0", "slope = 0.1\npose = { turn = { x = 1 } }", "a slope is turned by its angle"),
    "steep slope": (BOX, "floor = 0", 'slope = "95 deg"', r"scene:15: .*a slope must be less steep than a wall"),
    "no carrier": (
        BOX,
        "floor = 0",
        'ball = 1\non = "bax"',
        r"scene:15: no such segment \(got 'bax'.*Did you mean 'box'",
    ),
    "profile back": (
        BOX,
        "floor = 0",
        "profile = { points = [[1, 0], [0, 0]], width = 1 }",
        r"scene:15: .*x does not increase",
    ),
    "obstacle twice": (
        BOX,
        "floor = 0",
        'floor = 0\n[[obstacle]]\nname = "ground"\nball = 1',
        "scene:19: two obstacles have one name",
    ),
    "restitution": (BOX, "restitution = 0.3", "restitution = 1.3", r":13 body\.0\.contact\.restitution"),
    "shape": (
        BOX.replace("box = [0.3, 0.2, 0.2]", "ellipsoid = [0.3, 0.2, 0.2]"),
        "floor = 0",
        "hollow_ball = 5",
        r"scene:7: .*the shape must have a rule for contact points .*got 'ellipsoid'",
    ),
    "drag": (BOX, "velocity", "drag = { area = 1 }\nvelocity", "scene:7: body 'box': a body with contacts has no drag"),
    "integrator": (
        BOX,
        "floor = 0",
        'floor = 0\n[motion]\nintegrator = "lie-midpoint"',
        r"scene:18: the integrator must be one for a figure with contacts",
    ),
    "inside": (BOX, "floor = 0", "floor = 1", "the start is inside an obstacle"),
    "law": (BOX, "floor = 0", 'floor = 0\n[contact]\nimpact = "soft"', r":19 contact\.impact"),
    "pair": (
        BOX,
        "floor = 0",
        'floor = 0\n[contact]\npairs = [["box.-+", "ground"]]',
        r"scene:18: .*no such point or obstacle",
    ),
    "spring": (
        BOX,
        "floor = 0",
        'floor = 0\n[[spring]]\nbetween = ["world", "box"]\nstiffness = 1',
        "springs exclude contacts",
    ),
    "plot": (
        BOX,
        "floor = 0",
        'floor = 0\n[image]\nplot = ["box.velocity"]',
        r"scene:19: no such channel .*box\.position",
    ),
    "model": (KONDO, 'model = "kondo"', 'model = "konda"', r":9 figure\.0\.model"),
    "model and file": (
        KONDO,
        'model = "kondo"',
        'model = "kondo"\nfile = "a.urdf"',
        "give segments, or a file, or a model",
    ),
    "not of it": (KONDO, 'mass = "1.2 kg"', 'sex = "male"', r"scene:11: kondo has no such parameter \(got 'sex'"),
    "unit of mass": (KONDO, '"1.2 kg"', '"1.2 m"', r":12 figure\.0\.parameters\.mass"),
    "no length": (KONDO, 'mass = "1.2 kg"', "lengths = { L99 = 1 }", r"scene:11: no such length \(got 'L99'"),
    "no coordinate": (KONDO, "shoulder_roll", "sholder_roll", r"scene:15: no such coordinate \(got 'sholder_roll'"),
    "no solid": (
        KONDO,
        "solids = true",
        "tags = ['nase']",
        r"scene:17: .*no such tag \(got 'nase'.*Did you mean 'nose'",
    ),
    "no gain": (KONDO, "ankle_pitch = 20", "ankle_pich = 20", r"scene:21: no such coordinate \(got 'ankle_pich'"),
    "root gain": (
        KONDO,
        "ankle_pitch = 20",
        "trunk_forward = 20",
        r"scene:21: .*the coordinate must be one that a joint drives",
    ),
    "no load": (KONDO, "force = [4, 0, 0]", "", "give force or torque"),
    "load ends": (KONDO, "start = 0.005", "start = 0.5", "until must be after start"),
    "load on": (
        KONDO,
        'segment = "trunk"',
        'segment = "trunc"',
        r"scene:27: no such segment \(got 'trunc'.*Did you mean 'trunk'",
    ),
    "stands on": (KONDO, "stand = true", 'stand = ["hand"]', r"scene:21: .*no such contact point \(got 'hand'"),
    "cannot stand": (
        KONDO,
        'shoulder_roll = "12 deg"',
        "trunk_upward = 0.1",
        r"scene:21: .*cannot stand on its contacts",
    ),
    "key order": (
        KONDO,
        "stand = true",
        "stand = true\n[[figure.posture.key]]\nat = 1\n[[figure.posture.key]]\nat = 0.5",
        "one after another in time",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_reported_with_its_line(case):
    text, old, new, message = WRONG[case]
    assert old in text
    with pytest.raises(SceneError, match=f"(?s){message}"):
        simulate(parse_scene(text.replace(old, new, 1)))


# ---- going on -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("settings", [{}, pytest.param({"motion.integrator": "time-stepping"}, marks=pytest.mark.slow)])
def test_resumes_to_the_same_bits(tmp_path, settings, monkeypatch):
    from motiform.motion.run import Pace

    monkeypatch.setattr(Pace, "full", lambda self, count: count >= 7)  # so that there are several blocks
    scene, out = parse_scene(BOX, settings=settings), tmp_path / "box.mf"

    stop = stop_after(0.5, Stop)
    with pytest.raises(Stop):
        simulate(scene, out=out, progress=stop)
    assert 0 < open_recording(out).count("q") < 61
    resumed = simulate(scene, out=out, resume=True)
    whole = simulate(scene)
    assert compare(whole, resumed).identical
    assert [(e.time, e.name) for e in whole.events] == [(e.time, e.name) for e in resumed.events]
    assert simulate(scene, out=out).complete  # found finished


# ---- what is drawn --------------------------------------------------------------------------------------------------
def test_obstacles_are_drawn():
    kinds = 'box = [1, 0.2, 0.5]\npose = { at = [2, 0.1, 0], turn = { z = "30 deg" } }\ncolor = [1, 0, 0]'
    more = "\n".join(
        f'[[obstacle]]\nname = "{name}"\n{rest}'
        for name, rest in (
            ("chair", kinds),
            ("shield", 'ball = 0.2\non = "box"'),
            (
                "hat",
                'capsule = { radius = 0.1, length = 0.2 }\non = "box"\npose = { at = [0, 0.3, 0] }\ncolor = [0, 1, 0]',
            ),
            ("steps", "stairs = { count = 2, rise = 0.1, run = 0.3, width = 1 }\npose = { at = [3, 0, 0] }"),
        )
    )
    rec = simulate(parse_scene(BOX.replace("duration = 0.6", "duration = 0.05") + more))
    form = dress(rec)
    parts = {part.name: part for part in form.parts}
    assert set(parts) == {"box", "obstacle chair", "obstacle hat", "obstacle steps.0", "obstacle steps.1"}
    chair = parts["obstacle chair"]
    assert chair.fixed
    assert isinstance(chair.shape, Box)
    assert chair.position.shape == (6, 1, 3)
    assert chair.position[3, 0] == pytest.approx([2, 0.1, 0])
    assert chair.orientation[3, 0] == pytest.approx([np.cos(np.pi / 12), 0, 0, np.sin(np.pi / 12)])
    assert chair.color == pytest.approx([1, 0, 0])
    hat = parts["obstacle hat"]
    assert np.array_equal(hat.position[:, 0], rec["box.position"])
    assert hat.offset == pytest.approx([0, 0.3, 0])
    assert form.image["ground_height"] == 0  # the floor is the ground of the picture
    flashes = {part.name: part.count for part in strobe(form, 3).parts}
    assert flashes["obstacle chair"] == 1
    assert flashes["box"] == 3


@pytest.mark.parametrize(("image", "drawn"), [("", False), ("ground = false", True), ("ground_height = -1", True)])
def test_a_floor_is_drawn_where_the_ground_is_not(image, drawn):
    text = BOX.replace("duration = 0.6", "duration = 0.05").replace("floor = 0", "floor = -0.2") + f"[image]\n{image}\n"
    form = dress(simulate(parse_scene(text)))
    assert any(part.name == "obstacle ground" for part in form.parts) == drawn
    if drawn:
        floor = next(part for part in form.parts if part.name == "obstacle ground")
        assert isinstance(floor.shape, Compound)
        assert floor.position[0, 0, 1] == -0.2
    else:
        assert form.image["ground_height"] == -0.2


def test_every_kind_of_obstacle_is_made():
    given = {
        "floor": "0",
        "plane": "{ at = [0, 0, 0], normal = [1, 1, 0] }",
        "slope": '"10 deg"',
        "face": "[1, 2]",
        "box": "[1, 1, 1]",
        "ball": "0.5",
        "hollow_ball": "5",
        "capsule": "{ radius = 0.1, length = 1 }",
        "cylinder": "{ radius = 0.3, height = 1 }",
        "endless_cylinder": "0.3",
        "torus": "{ ring = 0.5, tube = 0.1 }",
        "cone": "{ radius = 0.5, height = 1, top = 0.1 }",
        "profile": "{ points = [[0, 0], [1, 0.5], [2, 0]], width = 1 }",
        "stairs": "{ count = 3, rise = 0.1, run = 0.2, width = 1 }",
    }
    more = "".join(f'[[obstacle]]\nname = "o_{kind}"\n{kind} = {value}\n' for kind, value in given.items())
    made = build_figures(parse_scene(BOX + more)).contacts.obstacles
    found = {obstacle.name.split(".")[0].removeprefix("o_"): obstacle.solid.kind for obstacle in made}
    like = {
        "floor": "plane",
        "slope": "plane",
        "profile": "face",
        "stairs": "box",
        "ground": "plane",
        "hollow_ball": "hollow",
    }
    assert found == {kind: like.get(kind, kind) for kind in [*given, "ground"]}
    ball = next(obstacle for obstacle in made if obstacle.name == "o_ball")
    assert isinstance(ball.shape, Ball)


COIN = """
[scene]
title = "Coin"
duration = 0.3
rate = 100

[[figure]]
name = "coin"

[[figure.segment]]
name = "disk"
mass = 1.0
inertia = [0.0225, 0.0225, 0.045]
joint = { free = true }

[figure.start]
q = { disk = [0, 0.5, 0, 1, 0, 0, 0] }

[[figure.contact]]
points = [{ name = "rim", segment = "disk", ring = 0.3, axis = [0, 0, 2] }]
friction = 0.5

[[obstacle]]
name = "ground"
floor = 0
"""


def test_a_ring_of_a_scene_falls_on_its_rim():
    rec = simulate(parse_scene(COIN))
    landed = next(event for event in rec.events if event.name.startswith("impact"))
    assert landed.time == pytest.approx(np.sqrt(2 * 0.2 / 9.81), abs=1e-9)  # 0.2 m above where its rim touches
    assert rec["disk.position"][-1, 1] == pytest.approx(0.3, abs=1e-9)


def test_forms_of_a_point_are_one():
    wrong = COIN.replace("ring = 0.3", "ring = 0.3, ellipsoid = [1, 1, 1]")
    with pytest.raises(SceneError, match="an ellipsoid has no ring"):
        parse_scene(wrong)
    with pytest.raises(SceneError, match="a direction must have a length above 0"):
        simulate(parse_scene(COIN.replace("[0, 0, 2]", "[0, 0, 0]")))
