"""Lines of a scene file."""

import pytest

from motiform.scene.read.lines import line_of

TEXT = """\
# a comment
[scene]
title = "x"

[[body]]
name = "a"
pose = { at = [0, 0, 0] }
[body.shape]
parts = [
  { ball = 1 },
]

[[body]]
name = "b"   # comment
"odd key" = 1
shape.ball = 3

[motion]
step = 1
[[ force ]]
body = "a"
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("scene",), 2),
        (("scene", "title"), 3),
        (("scene", "rate"), 2),
        (("body", 0), 5),
        (("body", 0, "name"), 6),
        (("body", 0, "pose", "at", 1), 7),
        (("body", 0, "shape"), 8),
        (("body", 0, "shape", "parts", 0, "ball"), 9),
        (("body", 1), 13),
        (("body", 1, "name"), 14),
        (("body", 1, "odd key"), 15),
        (("body", 1, "shape", "ball"), 16),
        (("motion", "step"), 19),
        (("force", 0, "body"), 21),
        (("body",), 5),  # the first of them
        (("body", 1, "shape"), 16),
        (("image",), None),
        ((), None),
    ],
)
def test_nearest_line(place, line):
    assert line_of(TEXT, place) == line


def test_text_without_lines():
    assert line_of("", ("scene",)) is None
