"""Pictures of 16 and 32 bits, at print size, read back by other libraries."""

import numpy as np
import pytest
from stills import moving

from motiform.base.errors import InputError
from motiform.geometry import Box
from motiform.image import film_pictures, picture, print_size, render
from motiform.image.cast import raycast
from motiform.image.exr import write_exr
from motiform.image.films import film_times
from motiform.image.look import Lighting
from motiform.image.stamp import read_stamp

SIZE = (48, 27)


@pytest.fixture(scope="module")
def box():
    return moving(Box((0.5, 0.3, 0.2)), [(0, 0.5, 0)], [(1, 0, 0, 0)], [0.0])


@pytest.fixture(scope="module")
def seen(box):
    return {bits: render(box, size=SIZE, bits=bits) for bits in (8, 16, 32)}


def test_all_depths_show_the_same(seen):
    # Codes of 8 and 16 bits round the same number: half a step of the coarser at most, and half of the finer.
    assert np.abs(seen[16] / 257.0 - seen[8]).max() <= 0.5 + 0.5 / 257
    light = seen[32].astype(float)
    light = np.where(light > 0.8, 0.8 + 0.2 * np.tanh((light - 0.8) / 0.2), light)
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    # Light has 24 bits: rounding by 2⁻²⁴ of it, and codes change by no more than their own part.
    assert np.abs(65535 * code - seen[16]).max() <= 0.5 + 65535 * 2.0**-22


def test_light_is_neither_clipped_nor_compressed(box, seen):
    bright = render(box, size=SIZE, bits=32, look=Lighting(exposure=8.0))
    assert bright == pytest.approx(8.0 * seen[32], rel=2.0**-22)
    assert bright.max() > 2.0


@pytest.mark.parametrize("bits", [8, 32])
def test_bands_of_rows_have_the_bits_of_one(box, seen, monkeypatch, bits):
    monkeypatch.setattr(raycast, "_BAND", 5 * SIZE[0])
    assert np.array_equal(render(box, size=SIZE, bits=bits), seen[bits])


def test_openexr_reads_light(box, tmp_path):
    OpenEXR = pytest.importorskip("OpenEXR")
    path = picture(box, tmp_path / "a.exr", size=SIZE, bits=32, samples_per_pixel=4, dpi=300)
    with OpenEXR.File(str(path)) as file:
        found, header = file.channels()["RGB"].pixels, dict(file.header())
    assert np.array_equal(found, render(box, size=SIZE, bits=32))
    assert header["xDensity"] == 300.0
    assert header["motiform"] == read_stamp(path)
    written = path.stat().st_mtime_ns
    picture(box, path, size=SIZE, bits=32, samples_per_pixel=4, dpi=300)  # this very picture: not made again
    assert path.stat().st_mtime_ns == written


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("shape", [(1, 1), (37, 5), (16, 3, 3), (33, 21, 3)])
def test_openexr_reads_any_numbers(tmp_path, bits, shape):
    OpenEXR = pytest.importorskip("OpenEXR")
    numbers = np.random.default_rng(2).normal(0.0, 100.0, shape).astype(np.float16 if bits == 16 else np.float32)
    numbers[:1] = 0.0  # what shrinks beside what does not
    write_exr(numbers, tmp_path / "a.exr", bits=bits)
    with OpenEXR.File(str(tmp_path / "a.exr")) as file:
        found = file.channels()["RGB" if len(shape) == 3 else "Y"].pixels
    assert found.dtype == numbers.dtype
    assert np.array_equal(found, numbers)


def test_16_bits_and_a_title(box, seen, tmp_path):
    import SimpleITK
    from PIL import Image

    path = picture(box, tmp_path / "a.png", size=SIZE, bits=16, samples_per_pixel=4, title="Box", dpi=254)
    pixels = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))
    assert pixels.dtype == np.uint16
    changed = (pixels != seen[16]).any(axis=2)
    # Letters are 10 pixels high and end 12 above the lower edge.
    assert changed[5:18, 8:].any()
    assert not changed[:3].any()
    assert not changed[18:].any()
    with Image.open(path) as image:
        assert image.info["dpi"] == pytest.approx((254, 254))  # 10 pixels a millimetre, a whole number a metre


@pytest.fixture(scope="module")
def turning():
    turns = [(1, 0, 0, 0), (0.8, 0.6, 0, 0), (0, 0, 1, 0)]
    return moving(Box((0.5, 0.3, 0.2)), [(0, 0.2, 0), (0.1, 0.3, 0), (0.2, 0.2, 0)], turns, (0.0, 0.5, 1.0))


def test_the_pictures_of_a_film_as_files(turning, tmp_path):
    OpenEXR = pytest.importorskip("OpenEXR")
    import SimpleITK

    options = {"size": SIZE, "samples_per_pixel": 4}
    times = film_times(turning, fps=2.5)
    assert len(times) > 2
    light = film_pictures(turning, tmp_path / "a.exr", fps=2.5, bits=32, **options)
    deep = film_pictures(turning, tmp_path / "a.png", fps=2.5, bits=16, **options)
    assert [path.name for path in light[:2]] == ["a_0001.exr", "a_0002.exr"]
    assert len(light) == len(deep) == len(times)
    for time, exr, png in zip(times, light, deep, strict=True):
        with OpenEXR.File(str(exr)) as file:
            assert np.array_equal(file.channels()["RGB"].pixels, render(turning, time=float(time), size=SIZE, bits=32))
        pixels = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(png)))
        assert np.array_equal(pixels, render(turning, time=float(time), size=SIZE, bits=16))


def test_an_interrupted_sequence_goes_on_where_it_was(turning, tmp_path):
    class Stopped(Exception):
        pass

    def stop(part):
        raise Stopped

    options = {"size": SIZE, "samples_per_pixel": 1, "fps": 2.5}
    with pytest.raises(Stopped):
        film_pictures(turning, tmp_path / "a.png", progress=stop, **options)
    [first] = tmp_path.iterdir()
    written = first.stat().st_mtime_ns
    files = film_pictures(turning, tmp_path / "a.png", **options)
    assert sorted(tmp_path.iterdir()) == files
    assert first.stat().st_mtime_ns == written
    with pytest.raises(InputError, match="exists already"):  # another film's
        film_pictures(turning, tmp_path / "a.png", title="other", **options)
    assert first.stat().st_mtime_ns == written
    film_pictures(turning, tmp_path / "a.png", title="other", overwrite=True, **options)
    assert first.stat().st_mtime_ns != written


def test_sizes_of_prints():
    # ISO 216 in mm, at 300 pixels per inch.
    assert print_size("A0") == (round(1189 / 25.4 * 300), round(841 / 25.4 * 300))
    assert print_size("a4 portrait") == (2480, 3508)
    assert print_size("A5", dpi=150) == (round(210 / 25.4 * 150), round(148 / 25.4 * 150))
    assert print_size("254x127 mm", dpi=100) == (1000, 500)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda box, to: render(box, size=SIZE, bits=12), "8, 16 or 32"),
        (lambda box, to: picture(box, to / "a.png", bits=32), "8 or 16"),
        (lambda box, to: picture(box, to / "a.exr", bits=8), "16 or 32"),
        (lambda box, to: picture(box, to / "a.tif"), ".png, .exr"),
        (lambda box, to: picture(box, to / "a.png", size=(0, 10)), "whole numbers from 1"),
        (lambda box, to: write_exr(np.zeros((0, 4)), to / "a.exr"), "wrong form"),
        (lambda box, to: write_exr(np.full((1, 1), 7e4), to / "a.exr"), "up to 65504"),
        (lambda box, to: print_size("B4"), "the size of a print must be"),
        (lambda box, to: print_size("0x10mm"), "the size of a print must be"),
        (lambda box, to: print_size("A4", dpi=0), "1 to 10 000"),
    ],
)
def test_bad_pictures_are_refused(box, tmp_path, make, text):
    with pytest.raises(InputError, match=text):
        make(box, tmp_path)
    assert not list(tmp_path.iterdir())
