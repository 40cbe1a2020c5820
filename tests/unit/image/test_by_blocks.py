"""Large recordings are drawn and exported block by block, with the bits that they have when they are read whole."""

import numpy as np
import pytest

from motiform.form import Looks, dress, strobe
from motiform.form.looks import (
    CloudLook,
    ColorBy,
    HeightsLook,
    LevelLook,
    LinesLook,
    LinksLook,
    PointsLook,
    RestSegment,
    ShapeLook,
    SkinLook,
    SurfaceLook,
)  # fmt: skip
from motiform.form.looks.links import HideBy
from motiform.form.looks.spring import SpringEnd, SpringLook
from motiform.geometry import Box, Capsule
from motiform.image import render
from motiform.image.export import export
from motiform.image.extent import form_bounds, lowest_height
from motiform.image.frames import film_key
from motiform.image.playback import moment_at_time
from motiform.record import Channel, Recording, open_recording
from motiform.record.samples import Samples, by_samples, in_blocks
from motiform.spatial import exp_quaternion
from motiform.studio.moving import moves
from motiform.studio.view import paths_of

COUNT, RATE, POINTS = 37, 50.0, 5
GREY, PICK = (0.5, 0.5, 0.5), np.array([4, 0, 2])


def channel(name, values, unit="m"):
    shape = values.shape[1:]
    return Channel(name, unit=unit, dims=tuple("abc"[: len(shape)]), shape=shape, rate=RATE, dtype=str(values.dtype))


def looks():
    pose = {"position": "box.position", "orientation": "box.orientation"}
    pairs = np.array([[0, 1], [1, 2], [3, 4]])
    by_place, gone = ColorBy(channel="grains", pick=PICK), HideBy(channel="mode", values=(2,))
    parts = {
        "box": ShapeLook(shape=Box((0.2, 0.1, 0.3)), color=GREY, **pose),
        "arm": ShapeLook(shape=Capsule(0.1, 0.5), color=GREY, position="arm.position", orientation="arm.orientation"),
        "grains": PointsLook(points="grains", radius=0.05, color=by_place, matter=True, pick=PICK),
        "seen": PointsLook(points="seen", radius=0.03, color=GREY),
        "rods": LinksLook(links=("grains", "grains"), pairs=pairs, radius=0.02, gone=gone),
        "ties": LinksLook(links=("box.position", "grains"), pairs=np.array([[0, 3], [0, 1]]), radius=0.01),
        "lines": LinesLook(lines=("grains", "ahead"), radius=0.01, color=GREY, beads=3),
        "sheet": SkinLook(skin="grains", faces=np.array([[0, 1, 2], [2, 3, 4]]), color=GREY),
        "sea": HeightsLook(heights="sea", origin=(0, 0, 0), axes="xz", normal="y", spacing=0.3, color=GREY),
    }  # fmt: skip
    ends = SpringEnd(body="box", at=(0.0, 0.1, 0.0)), SpringEnd(body=None, at=(0, 2, 0))
    spring = SpringLook(ends=ends, radius=0.01)
    bones = {
        "arm": RestSegment(parts=("arm",), at=(0, 0, 0), turn=(1, 0, 0, 0)),
        "box": RestSegment(parts=("box",), at=(0, 0.25, 0), turn=(1, 0, 0, 0), parent="arm"),
    }
    return Looks(parts, {"spring": spring}, bones)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    draw, time = np.random.default_rng(4), np.arange(COUNT) / RATE
    grains = np.cumsum(draw.normal(0, 0.02, (COUNT, POINTS, 3)), axis=0) + np.arange(POINTS)[:, None] * 0.3
    seen = grains.copy()
    seen[5:9, 2] = np.nan
    turn = exp_quaternion(time[:, None] * np.array([3.0, 20.0, -5.0])) * draw.choice([-1.0, 1.0], (COUNT, 1))
    arrays = {
        "box.position": grains[:, 0] + 0.5, "box.orientation": turn, "arm.position": grains[:, 1], "seen": seen,
        "arm.orientation": exp_quaternion(time[:, None] * np.array([0.5, 0.0, 1.0])), "grains": grains,
        "ahead": (grains + 0.1).astype(np.float32), "mode": draw.integers(0, 3, (COUNT, 3)),
        "sea": draw.normal(0, 0.05, (COUNT, 4, 5)),
    }  # fmt: skip
    data = {name: (channel(name, values), values) for name, values in arrays.items()}
    rec = Recording.from_arrays(
        data, manifest={"title": 'all "uri": "data:', "gravity": [0, 0, -9.81], **looks().manifest()},
        statics=looks().statics(),
    )  # fmt: skip
    return rec.save(tmp_path_factory.mktemp("blocks") / "all.mf")


@pytest.fixture
def small_blocks(monkeypatch):
    """Take every recording on disk for a large one, and read and write a few samples at once."""
    for place in ("record.recording", "image.export.tracks"):
        monkeypatch.setattr(f"motiform.{place}.WHOLE_BYTES", 0)
    for place in ("record.samples", "record.recording", "image.export.keys"):
        monkeypatch.setattr(f"motiform.{place}.BLOCK_BYTES", 600)


def everything(form):
    for part in form.parts:
        yield from (part.position, part.orientation, part.shades and part.shades.values)
    for links in form.links:
        yield from (links.first, links.second)
    for skin in form.skins:
        yield skin.vertices


@pytest.mark.parametrize("skin", [False, True])
def test_a_form_read_by_blocks_has_the_bits_of_one_read_whole(stored, small_blocks, skin, monkeypatch):
    lazy = dress(open_recording(stored.path), skin=skin)
    monkeypatch.undo()
    whole = dress(open_recording(stored.path), skin=skin)
    assert sum(isinstance(one, Samples) for one in everything(lazy)) >= 11
    for one, other in zip(everything(lazy), everything(whole), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
    shades = [(part.shades.low, part.shades.high) for form in (lazy, whole) for part in form.parts if part.shades]
    assert shades[0] == shades[1]
    assert film_key(lazy) == film_key(whole)
    np.testing.assert_array_equal(form_bounds(lazy), form_bounds(whole))
    assert lowest_height(lazy) == lowest_height(whole)
    small = {"size": (64, 36), "samples_per_pixel": 1}
    np.testing.assert_array_equal(render(lazy, time=0.333, **small), render(whole, time=0.333, **small))
    np.testing.assert_array_equal(render(strobe(lazy, 3), **small), render(strobe(whole, 3), **small))
    for one, other in zip(everything(lazy), everything(whole), strict=True):
        if one is not None:
            assert moves(one) == moves(other)
    for one, other in zip(lazy.parts, whole.parts, strict=True):
        for a, b in zip(paths_of(one.position), paths_of(other.position), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rate", [None, 31.0])
@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".x3d", ".usda", ".usdc"])
def test_files_written_by_blocks_have_the_same_bits(stored, small_blocks, suffix, rate, tmp_path, monkeypatch):
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    by_blocks = export(open_recording(stored.path), tmp_path / f"a{suffix}", rate=rate, skin=suffix == ".glb")
    monkeypatch.undo()
    whole = export(open_recording(stored.path), tmp_path / f"b{suffix}", rate=rate, skin=suffix == ".glb")
    assert by_blocks.read_bytes() == whole.read_bytes()


def test_surfaces_read_by_blocks_have_the_bits_of_those_read_whole(small_blocks, tmp_path, monkeypatch):
    draw = np.random.default_rng(5)
    arrays = {"a": draw.normal(0, 0.1, (COUNT, POINTS, 3)), "b": draw.normal(0, 0.1, (COUNT, 3)).astype(np.float32),
              "fog": draw.normal(0, 1, (COUNT, 3, 4, 2))}  # fmt: skip
    own = Looks({
        "water": SurfaceLook(surface=("a", "b"), radius=0.06, color=GREY, cell=0.06),
        "fog": LevelLook(level="fog", at=0.9, origin=(0, 1, 0), axes="zxy", spacing=0.2, color=GREY),
        "smoke": CloudLook(cloud=("a", "b"), radius=0.1, color=GREY, spread=0.01),
    })  # fmt: skip
    data = {name: (channel(name, values), values) for name, values in arrays.items()}
    path = Recording.from_arrays(data, manifest={"gravity": [0, 0, -9.81]}).save(tmp_path / "s.mf").path
    lazy = dress(open_recording(path), own)
    monkeypatch.undo()
    whole = dress(open_recording(path), own)
    water, fog, smoke = lazy.surfaces
    assert all(isinstance(one, Samples) for one in (water.points, fog.values, smoke.points))
    assert film_key(lazy) == film_key(whole)
    np.testing.assert_array_equal(form_bounds(lazy), form_bounds(whole))
    small = {"size": (64, 36), "samples_per_pixel": 1}
    for form in (lambda f: f, lambda f: strobe(f, 3)):
        np.testing.assert_array_equal(render(form(lazy), time=0.333, **small), render(form(whole), time=0.333, **small))


def test_parts_of_samples_are_those_of_the_array():
    array = np.random.default_rng(1).normal(size=(40, 3, 2))
    samples = Samples(lambda a, b: array[a:b], array.shape, array.dtype)
    rows = np.array([[1, 2], [30, 4]])
    keys = [3, -1, np.int64(4), slice(None), slice(5, 30), slice(30, 5), slice(None, None, -7), [7, 2, 2, 39], (5, 1),
            (slice(None), 2), (slice(2, 9), [0, 2], 1), np.arange(40) % 3 == 0, rows, np.array([], int)]  # fmt: skip
    for key in keys:
        np.testing.assert_array_equal(samples[key], array[key])
    with pytest.raises(IndexError):
        samples[40]
    double = by_samples(lambda x: 2 * x, samples)
    assert double.shape == array.shape
    np.testing.assert_array_equal(np.concatenate(list(in_blocks(double))), 2 * array)


def test_a_part_of_a_large_channel_is_read_by_blocks(stored, small_blocks):
    rec = open_recording(stored.path)
    np.testing.assert_array_equal(rec["grains.3.1"], rec["grains"][:, 3, 1])
    np.testing.assert_array_equal(rec.read("grains.3", 4, -2), rec["grains"][4:-2, 3])
    assert not rec["grains.3"].flags.writeable


def test_what_is_read_for_pictures_in_turn_is_read_once(stored, small_blocks, monkeypatch):
    rec, read = open_recording(stored.path), []
    chunk = type(rec._source)._chunk
    monkeypatch.setattr(type(rec._source), "_chunk", lambda *given: read.append(given[1:]) or chunk(*given))
    form = dress(rec)
    for time in form.times:
        moment_at_time(form, float(time))
    assert len(read) == len(rec.names) + len(rec.statics)
