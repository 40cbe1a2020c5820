"""Fuzzed scenes: whatever a file says, the outcome is a recording or a motiform error."""

import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motiform.base.errors import MotiformError
from motiform.motion.bodies import RunOptions
from motiform.scene import list_scenes, load_scene, parse_scene
from motiform.scene.build.common import build_bodies
from motiform.scene.simulate import KINDS
from runs import simulate_bodies

TEXTS = {entry.name: entry.path.read_text("utf-8").replace("count = 10000", "count = 20") for entry in list_scenes()}
FOLDER = list_scenes()[0].path.parent
CHECKED = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])")
ODD = ["nan", "inf", "-inf", "0", "-1", "1e308", "-1e308", "1e-308", "5e-324", "1" + "0" * 400, "true", '"x"', '""',
       "[]", "{}", "[[]]", "1.5", '"3 m"', '"3 s"', '"1e999 m"', '"9**9**9 m"', "[1, 2, 3]", "1979-05-27",
       "0x10", '"../x.obj"', '"/etc/passwd"', '"world"']  # fmt: skip


def outcome(text: str) -> None:
    """Read, build and run for two samples at most, whatever the scene says."""
    try:
        scene = parse_scene(text, name="fuzz.toml", folder=FOLDER)
        scene.parameters()
        assert scene.key
        model = build_bodies(scene)
        options = KINDS[0].options(model, scene.build().options)
        if model.count > 2000:
            return
        short = min(options.t1, 2 * options.step, 0.01)
        run = RunOptions(
            short,
            1 / short,
            options.integrator,
            max(options.step, short / 4),
            max(options.rtol, 1e-8),
            max(options.atol, 1e-8),
        )
        rec = simulate_bodies(model, run)
        assert rec.complete
    except MotiformError as error:
        assert str(error)  # noqa: PT017, it must say something


@st.composite
def numbers_replaced(draw):
    """A scene of the gallery with some of its numbers replaced by odd values."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    spots = list(NUMBER.finditer(text))
    chosen = draw(st.lists(st.sampled_from(range(len(spots))), min_size=1, max_size=3, unique=True))
    floats = st.floats(allow_nan=True, allow_infinity=True).map(lambda x: "nan" if math.isnan(x) else repr(x))
    for n in sorted(chosen, reverse=True):
        value = draw(st.one_of(st.sampled_from(ODD), floats))
        text = text[: spots[n].start()] + value + text[spots[n].end() :]
    return text


@st.composite
def lines_moved(draw):
    """A scene of the gallery with lines dropped, doubled, swapped or joined from another."""
    lines = TEXTS[draw(st.sampled_from(sorted(TEXTS)))].splitlines()
    for _ in range(draw(st.integers(1, 4))):
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        what = draw(st.sampled_from(["drop", "double", "swap", "borrow"]))
        if what == "drop" and len(lines) > 1:
            del lines[i]
        elif what == "double":
            lines.insert(j, lines[i])
        elif what == "swap":
            lines[i], lines[j] = lines[j], lines[i]
        else:
            other = TEXTS[draw(st.sampled_from(sorted(TEXTS)))].splitlines()
            lines.insert(i, other[draw(st.integers(0, len(other) - 1))])
    return "\n".join(lines)


@st.composite
def characters_changed(draw):
    """A scene of the gallery with a few characters changed."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    for _ in range(draw(st.integers(1, 3))):
        i = draw(st.integers(0, len(text) - 1))
        text = text[:i] + draw(st.sampled_from(list("[]{}=.\"'\n-0e#,\0é")) | st.just("")) + text[i + 1 :]
    return text


@CHECKED
@given(numbers_replaced())
def test_odd_numbers(text):
    outcome(text)


@CHECKED
@given(lines_moved())
def test_odd_lines(text):
    outcome(text)


@CHECKED
@given(characters_changed())
def test_odd_characters(text):
    outcome(text)


@CHECKED
@given(st.text(max_size=200))
def test_any_text(text):
    outcome(text)


KEYS = ["scene", "body", "motion", "image", "environment", "duration", "rate", "spin", "shape", "handle", "0", "1",
        "-1", "99", "", "parts", "pose", "at", "step", "integrator", "gravity", "camera", "from"]  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=4,
)


@pytest.mark.slow
@CHECKED
@given(
    st.dictionaries(
        st.lists(st.sampled_from(KEYS), min_size=1, max_size=5).map(".".join), VALUES, min_size=1, max_size=2
    )
)
def test_odd_settings(changes):
    try:
        scene = load_scene("handle", changes)
        scene.parameters()
        assert scene.key
    except MotiformError as error:
        assert str(error)  # noqa: PT017, it must say something
