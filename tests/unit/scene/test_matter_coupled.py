"""Scenes of networks with figures and bodies: what is carried, linked and met, and what each feels of the other."""

# ruff: noqa: E501, tables of errors: a case a line

import numpy as np
import pytest

from motiform import simulate
from motiform.base.errors import MotiformError, SceneError
from motiform.motion.coupled import Attachment
from motiform.motion.matter import NetworkBuilder, links, topology
from motiform.motion.run import RunOptions
from motiform.motion.tree import forward_kinematics
from motiform.scene import load_scene, parse_scene
from motiform.scene.build.figures import build_figures
from runs import simulate_coupled

ARM = """
[scene]
title = "An arm with a scarf"
duration = 0.1
rate = 50
[[figure]]
name = "arm"
[[figure.segment]]
name = "upper"
joint = { revolute = [0, 0, 1] }
placement = { at = [0, 1.4, 0] }
shape = { parts = [{ box = [0.05, 0.6, 0.03], pose = { at = [0, -0.3, 0] } }], mass = 1.0 }
[[figure.tag]]
name = "tip"
segment = "upper"
at = [0, -0.6, 0]
[[figure.control]]
coordinate = "upper"
damping = 0.1
[figure.start]
q = { upper = "60 deg" }
v = { upper = 1.0 }
"""
BALL = """
[[body]]
name = "ball"
shape = { ball = 0.1, density = 50 }
pose = { at = [0.62, 0.7, 0] }
velocity = [-0.5, 0, 0]
"""
SCARF = """
[[network]]
name = "scarf"
[[network.masses]]
name = "rope"
line = { from = [0.55, 1.0, 0], to = [0.55, 0.6, 0], count = 9 }
mass = 0.005
radius = 0.02
[[network.fixed]]
name = "button"
at = [0, -0.62, 0]
segment = "upper"
[[network.link]]
name = "strand"
chain = ["button", "rope"]
law = "spring"
stiffness = 100
damping = 0.1
"""
MEETS = """
[[network.link]]
name = "thread"
points = ["rope[-1]", "rope[-2]"]
to = { segment = "ball", at = [0, -0.1, 0] }
law = "spring"
stiffness = 20
record = true
[[network.solid]]
name = "skin"
segment = "ball"
law = "visco_elastic_buffer"
stiffness = 100
damping = 0.1
friction = 0.3
[[network.solid]]
name = "sleeve"
segment = "upper"
shape = { capsule = { radius = 0.04, length = 0.4 } }
pose = { at = [0, -0.3, 0] }
law = "elastic_buffer"
stiffness = 100
color = [1, 0, 0]
"""


def test_a_scarf_on_an_arm_equals_the_one_built_in_python():
    scene = parse_scene(ARM + SCARF)
    rec = simulate(scene)
    made = build_figures(parse_scene(ARM))
    R, p = forward_kinematics(made.figure, made.q)
    b = NetworkBuilder()
    rope = b.masses("rope", np.linspace([0.55, 1.0, 0], [0.55, 0.6, 0], 9), 0.005, radius=0.02)
    button = b.fixed("button", R[0] @ np.array([0, -0.62, 0]) + p[0])
    b.link("strand", topology.chain((button + rope).indices), links.spring(100.0, damping=0.1))
    python = simulate_coupled(
        b.build(), made.figure, RunOptions(0.1, 50.0, "central-difference", 1 / 1050), q0=made.q, v0=made.v, controls=made.controls,
        attachments=[Attachment("button.carried", "upper", "button", [[0, -0.62, 0]])],
    )  # fmt: skip
    for name in ("q", "v", "rope.position", "button.position", "energy", "matter.wrench"):
        assert np.array_equal(rec[name], python[name])
    assert np.abs(rec["matter.wrench"][1:]).max() > 0
    assert rec.manifest["labels"]["segment"] == ["upper"]


@pytest.mark.slow
def test_bodies_are_met_and_linked_two_ways_or_one():
    text = (
        ARM
        + BALL
        + SCARF
        + MEETS
        + '[image]\nplot = ["energy", "matter.energy", "ball.position", "thread.tension", "q"]\n'
    )
    rec = simulate(parse_scene(text))
    assert rec["thread.tension"].shape == (6, 2)
    assert {"ball", "upper", "rope", "solid sleeve"} <= set(rec.manifest["form"])
    assert "solid skin" not in rec.manifest["form"]  # the ball has that shape already
    alone = simulate(parse_scene(text, settings={"motion.two_way": False}))
    # A free ball that matter does not touch keeps its speed across gravity, to the rounding of 105 steps.
    assert np.allclose(alone["ball.position"][:, 0], 0.62 - 0.5 * alone.time("ball.position"), rtol=0, atol=1e-12)
    assert np.abs(rec["ball.position"][-1, 0] - alone["ball.position"][-1, 0]) > 1e-4
    assert np.array_equal(rec["q"][0], alone["q"][0])


@pytest.mark.filterwarnings("error")
def test_a_link_that_begins_where_it_ends_counts_in_all_directions():
    """A point tied to the place of a segment where it is: K of its stability is k Te²/m, in any direction."""
    tied = (
        MEETS.split("[[network.solid]]")[0]
        .replace(", at = [0, -0.1, 0]", "")
        .replace("stiffness = 20", "stiffness = 8000")
    )
    short = {"scene.duration": 0.02}
    rec = simulate(parse_scene(ARM + BALL + SCARF.replace("stiffness = 100", "stiffness = 1") + tied, settings=short))
    assert "thread" in str(rec.manifest["stability"])
    with pytest.raises(MotiformError, match="thread"):
        simulate(parse_scene(ARM + BALL + SCARF + tied.replace("8000", "24000"), settings=short))


def test_forces_of_bodies_act_beside_networks():
    push = '[[force]]\nbody = "ball"\nforce = [1, 0, 0]\n'
    text = (BALL + SCARF.replace('at = [0, -0.62, 0]\nsegment = "upper"', "at = [0.55, 1.05, 0]") + push).lstrip()
    head = '[scene]\ntitle = "A"\nduration = 0.1\nrate = 50\n'
    rec, still = simulate(parse_scene(head + text)), simulate(parse_scene(head + text.replace(push, "")))
    moved = rec["ball.position"][-1, 0] - still["ball.position"][-1, 0]
    mass = 50 * 4 / 3 * np.pi * 0.1**3
    # F t²/(2 m) up to one step more or less of a scheme of first order: 1 % at 105 steps.
    assert abs(moved - 0.1**2 / (2 * mass)) <= 0.011 * 0.1**2 / (2 * mass)


def test_a_figure_follows_a_recording(tmp_path):
    from motiform.record.save import save_recording

    alone = simulate(parse_scene(ARM, settings={"scene.rate": 1050}))
    save_recording(alone, tmp_path / "take")
    (tmp_path / "scene.toml").write_text(ARM + SCARF + '[motion]\nreplay = "take"\n')
    scene = load_scene(tmp_path / "scene.toml")
    rec = simulate(scene)
    assert np.array_equal(rec["q"], alone["q"][::21])
    with pytest.raises(SceneError, match="follow a recording and feel the network"):
        load_scene(tmp_path / "scene.toml", {"motion.two_way": True})


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('segment = "upper"\n[[network.link]]', 'segment = "uper"\n[[network.link]]', "no such segment (got 'uper'; allowed: upper, ball). Did you mean 'upper'?"),
        ('to = { segment = "ball", at = [0, -0.1, 0] }', 'to = { segment = "ball", places = [[0, 0, 0]] }', "places must match the points (got '1 for 2 points'; allowed: one for each)"),
        ('to = { segment = "ball", at = [0, -0.1, 0] }', 'to = { segment = "upper", tags = ["tip", "top"] }', "no such tag of the segment (got 'top'; allowed: tip)"),
        ('to = { segment = "ball", at = [0, -0.1, 0] }', 'to = { segment = "upper", tags = ["tip"], at = [0, 0, 0] }', "give one of at, places and tags"),
        ('to = { segment = "ball", at = [0, -0.1, 0] }', 'to = { segment = "ball" }\naxis = "x"', "a link to a segment has points, and neither axis nor acts nor every"),
        ('name = "thread"', 'name = "strand"', "two things have one name (got 'strand')"),
        ('name = "skin"\nsegment = "ball"', 'name = "skin"\nsegment = "ball"\nmotion = { wave = { amplitude = 1, frequency = 1 } }', "a solid of a segment has neither floor nor motion: leave them out"),
        ('name = "rope"', 'name = "upper"', "no such points (got 'rope'"),
    ],
)  # fmt: skip
def test_wrong_couplings_are_reported(old, new, text):
    whole = ARM + BALL + SCARF + MEETS
    assert old in whole
    with pytest.raises(MotiformError) as caught:
        simulate(parse_scene(whole.replace(old, new, 1)))
    assert text in str(caught.value)
    assert str(caught.value).startswith("scene:")


def test_functions_of_a_figure_act_and_others_are_refused():
    scene = parse_scene(ARM + SCARF)
    pushed = simulate(scene, controls=lambda t, state: np.array([5.0]))
    assert pushed["v"][-1, 0] > simulate(scene)["v"][-1, 0]
    with pytest.raises(MotiformError, match="matter with a figure takes no"):
        simulate(scene, forces=lambda t, state: None)


STAND = """
[scene]
title = "A box between floor and rope"
duration = 0.2
rate = 50
[[body]]
name = "box"
shape = { box = [0.2, 0.2, 0.2], density = 100 }
pose = { at = [0, 0.1, 0] }
contact = { friction = 0.5 }
[[obstacle]]
name = "floor"
floor = 0
[[network]]
name = "net"
[[network.masses]]
name = "weight"
points = [[0, 0.5, 0]]
mass = 0.1
[[network.link]]
name = "rope"
points = "weight"
to = { segment = "box", at = [0, 0.1, 0] }
law = "spring"
stiffness = 100
damping = 1
[sound]
points = ["weight"]
of = "position"
"""


def test_contacts_and_sound_of_a_scene_with_a_network(tmp_path):
    """The floor carries box and rope: 0.8 kg · g, and what the rope pushes; the sound is the weight's displacement."""
    rec = simulate(parse_scene(STAND))
    floor, rope = rec["contact.force"].sum(1)[1:, 1], rec["matter.wrench"][1:, 0, 4]
    # Held by the floor at every step: its force balances the others, to the tolerance of sweeps.
    np.testing.assert_allclose(floor + rope, 0.8 * 9.81, atol=1e-6)
    assert rec.channel("sound").rate == 1050.0
    np.testing.assert_array_equal(rec["sound"][::21, 0], rec["weight.position"][:, 0, 1] - 0.5)
    from motiform.record import write_sound

    heard = write_sound(rec, tmp_path / "rope.wav", form="float32")
    assert len(heard.numbers) == 211
    for change, text in (
        ("[sound]\npoints = ['wieght']", "no such points.*Did you mean 'weight'"),
        ("[sound]\nrate = 400\npoints = ['weight']", "rate of a sound does not fit"),
    ):
        with pytest.raises(MotiformError, match=text):
            simulate(parse_scene(STAND[: STAND.index("[sound]")] + change))
