"""Whatever the values of a table make anything raise ends as a SceneError that names the table, with its cause."""

from dataclasses import replace
from importlib import import_module

import pytest

from motiform.base.errors import SceneError
from motiform.scene import build, parse_scene, simulate

SCENE = """
[scene]
title = "t"
duration = 1

[[body]]
name = "ball"
shape = { ball = 0.1, mass = 1 }

[[spring]]
between = ["ball", "world"]
stiffness = 1
"""


@pytest.mark.parametrize(
    ("made", "table", "line"), [("Spring", "spring.0", 10), ("Body", "body.0", 6), ("Environment", "environment", None)]
)
@pytest.mark.parametrize("error", [TypeError, ValueError, KeyError, AttributeError, IndexError])
def test_foreign_exceptions_get_the_table(monkeypatch, made, table, line, error):
    def fail(*_args, **_kwargs):
        raise error("odd")

    scene = parse_scene(SCENE)
    monkeypatch.setattr(build.common, made, fail)
    with pytest.raises(SceneError, match=f"{table} cannot be built: {error.__name__}: .*odd") as caught:
        scene.build()
    assert isinstance(caught.value.__cause__, error)
    assert line is None or caught.value.where == f"scene:{line}"


def test_numbers_beyond_floats_get_the_table(monkeypatch):
    def fail(*_args, **_kwargs):
        raise OverflowError

    scene = parse_scene(SCENE)
    monkeypatch.setattr(build.common, "Spring", fail)
    with pytest.raises(SceneError, match="scene:10: a number must not be so large or small"):
        scene.build()


def test_a_system_that_cannot_be_made_of_a_scene_is_reported_and_that_of_a_model_is_a_traceback(monkeypatch):
    from motiform.scene.simulate import KINDS, Bodies

    def fail(*_args, **_kwargs):
        raise KeyError("odd")

    scene = parse_scene(SCENE)
    kind = next(kind for kind in KINDS if kind.model is Bodies)
    built = scene.build()
    monkeypatch.setattr(import_module("motiform.scene.simulate"), "KINDS", [replace(kind, system=fail)])
    with pytest.raises(SceneError, match="the scene cannot be run: KeyError: 'odd'") as caught:
        simulate(scene)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(KeyError, match="odd"):
        simulate(built.model, **built.options)
