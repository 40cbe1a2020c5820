"""Fuzzed networks: whatever a file says of matter, the outcome is a network or a motiform error."""

# ruff: noqa: E501, a scene that has everything

import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from motiform.base.errors import MotiformError
from motiform.scene import parse_scene
from motiform.scene.build.matter import build_networks

WHOLE = """
[scene]
title = "All"
duration = 0.1
[[network]]
name = "net"
pose = { at = [1, 0, 0], turn = { z = 0.5 } }
[[network.masses]]
name = "sheet"
grid = { shape = [3, 4], spacing = [0.1, 0.2], axes = "xz", at = [0, 1, 0] }
mass = 0.01
velocity = [0, 1, 0]
spin = { axis = [0, 1, 1], speed = 2, center = [1, 0, 0] }
drag = 0.1
radius = 0.01
[[network.masses]]
name = "sand"
fill = { ball = 0.2, count = 30, jitter = 0.5 }
total = 2
radius = 0.01
[[network.fixed]]
name = "ring"
ring = { radius = 0.3, count = 6, axis = [0, 1, 1] }
[[network.imposed]]
name = "hand"
points = [[0, 0, 0], [0, 0, 1]]
motion = { path = { times = [0, 1, 2], points = [[0, 0, 0], [1, 0, 0], [0, 0, 0]], between = "spline" }, spin = { speed = 2 } }
[[network.link]]
name = "threads"
grid = "sheet"
law = "rupture"
stiffness = 100
length = 0.5
[[network.link]]
name = "seam"
between = ["ring[0:3]", "sheet[:, 0]"]
law = "zones"
zones = [{ stiffness = 10, rest = 0.1, until = 0.2 }, { damping = 3 }]
axis = "y"
[[network.link]]
name = "own"
near = ["sand", "sheet[1]"]
distance = 0.3
law = "automaton"
text = "parameters k, limit\\nmemory rest = start\\nstate whole: k, 0, rest\\nstate broken final: free\\nwhole -> broken when d > limit"
values = { k = 10, limit = "30 cm" }
[[network.piston]]
name = "press"
pairs = [["sand[0]", "sand[1]"], ["sand[2]", "sand[3]"]]
axes = ["x", "y"]
stiffness = 10
rest = 0.1
[[network.reach]]
name = "touch"
points = "sand"
others = "sheet"
apart = ["sheet"]
law = "cohesion"
stiffness = 100
attraction = 10
inner = 0.01
outer = 0.02
friction = 0.5
[[network.solid]]
name = "drum"
container = { cylinder = { radius = 2, height = 3 } }
law = "visco_elastic_buffer"
stiffness = 100
friction = { limit = 0.5, damping = 1 }
motion = { spin = { axis = [0, 0, 1], amplitude = 1, frequency = 2 }, wave = { amplitude = 1, frequency = 1 } }
[[network.push]]
name = "blow"
force = [1, 0, 0]
until = 0.5
wave = { frequency = 3 }
[environment]
gust = { amplitude = [1, 0, 0] }
[motion]
frequency = 2100
"""
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])")
WORD = re.compile(r'"[^"]*"|(?<=\n)\w+(?= =)')
ODD = ["nan", "inf", "-inf", "0", "-1", "1e308", "-1e308", "1e-308", "5e-324", "true", '"x"', '""', "[]", "{}", "[[]]",
       "1.5", "7", '"3 m"', '"3 s"', '"1e999 m"', "[1, 2, 3]", "1979-05-27", '"sheet[9, 9]"', '"sand[::-1]"', '"net.sand"',
       '"spring"', '"../x.obj"', '["sand", "sand"]']  # fmt: skip
CHECKED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def outcome(text: str) -> None:
    try:
        scene = parse_scene(text, name="fuzz.toml")
        scene.parameters()
        assert scene.key
        assert build_networks(scene).count
    except MotiformError as error:
        assert str(error)  # noqa: PT017, it must say something


def test_the_whole_is_right():
    assert build_networks(parse_scene(WHOLE)).count == 12 + 30 + 6 + 2


@st.composite
def changed(draw, pattern):
    spots = list(pattern.finditer(WHOLE))
    text = WHOLE
    for n in sorted(draw(st.lists(st.integers(0, len(spots) - 1), min_size=1, max_size=2, unique=True)), reverse=True):
        text = text[: spots[n].start()] + draw(st.sampled_from(ODD)) + text[spots[n].end() :]
    return text


@CHECKED
@given(changed(NUMBER))
@example(WHOLE.replace("total = 2\nradius = 0.01", "total = 2\nradius = []"))
def test_odd_numbers(text):
    outcome(text)


@CHECKED
@given(changed(WORD))
def test_odd_words(text):
    outcome(text)
