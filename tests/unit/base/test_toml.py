"""TOML is bounded before it is parsed: hostile texts end at once, others are read as tomllib reads them."""

import time
import tomllib

import pytest

import motiform as mf
from motiform.base.errors import InputError, SceneError
from motiform.base.toml import MOST_PARTS, parse_toml
from motiform.measure import read_seeds
from motiform.scene.read.load import GALLERY

PARTS = 100_000
LONG = ".".join(["a"] * PARTS)
HOSTILE = {
    "key": f"{LONG} = 1",
    "spaced": " . ".join(["a"] * PARTS) + " = 1",
    "quoted": ".".join(["'a'", '"b"'] * (PARTS // 2)) + " = 1",
    "header": f"[{LONG}]",
    "array of tables": f"[[{LONG}]]",
    "inline table": f"a = {{ b = {{ {LONG} = 1 }} }}",
    "after a text": f'a = """ " \\""" \n\n{LONG} = 1',
    "after a comment": f"# it's\n{LONG} = 1",
    "arrays": "a = " + "[" * PARTS,
    "tables": "a = " + "{a=" * PARTS,
    "escapes": '"""\\' * PARTS,
    "quotes": "'\"" * PARTS,
    "long": "a" * (5 << 20),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_end_at_once(kind):
    start = time.process_time()
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(HOSTILE[kind])
    assert time.process_time() - start < 1.0  # tomllib alone takes minutes for most


def test_scenes_seeds_and_settings_are_bounded(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f"# a scene\n{HOSTILE['key']}\n")
    start = time.process_time()
    with pytest.raises(SceneError, match=r"s\.toml:2: the scene must be TOML: a key has more than 32 parts"):
        mf.load_scene(path)
    with pytest.raises(InputError, match="a key has more than 32 parts"):
        read_seeds(path)
    with pytest.raises(SceneError, match="too many parts"):
        mf.load_scene("pendulum", {LONG: 1})
    assert time.process_time() - start < 5.0  # the scene is parsed in part of a second


@pytest.mark.parametrize(
    "text",
    [
        f"{'.'.join(['a'] * MOST_PARTS)} = 1",
        f"a = '{LONG}' # {LONG}",
        f'a = """\n{LONG} "" \\" {LONG}"""\nb = 1.5',
        f"a = '''\n{LONG} '' \\'''\nb = [1.5, {{ c = '.' }}]",
        "a.'b.c'.d = 1979-05-27T07:32:00.5Z",
        "a = [" + "[1.5]," * 1000 + "]",
        *(path.read_text("utf-8") for path in sorted(GALLERY.glob("*.toml"))[:8]),
    ],
)
def test_others_are_read_as_tomllib_does(text):
    assert parse_toml(text) == tomllib.loads(text)
