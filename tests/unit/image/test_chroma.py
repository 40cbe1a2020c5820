"""Colours of screens by the formulas of the thesis [Habibi97 ch. 10], and files of 8 and 16 bits."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError, RecordingError
from motiform.image.chroma import OPERATORS, Tint, chroma_pixels, chroma_values, enlarge, relief_pixels
from motiform.image.screens import screen_film, screen_picture, screen_saturation, upright_field, write_png
from motiform.motion.screens import Engraver, Screen
from motiform.record import Channel, Recording

FIELD = np.random.default_rng(2).normal(size=(7, 9))


def by_pin(name, f, i, j):
    """Return w of an inner pin, as the thesis writes it."""
    up, down, left, right = f[i - 1, j], f[i + 1, j], f[i, j - 1], f[i, j + 1]
    return {
        "identity": f[i, j],
        "laplacian": (4 * f[i, j] - up - down - left - right) / 4,
        "vertical": abs(down - up),
        "horizontal": abs(right - left),
        "modulus": ((down - up) ** 2 + (right - left) ** 2) ** 0.5,
        "cadoz1": abs(f[i, j] - f[i - 1, j - 1]) if (i + j) % 2 == 0 else abs(f[i, j - 1] - f[i - 1, j]),
        "cadoz2": (abs(down - up) + abs(right - left)) / 2,
        "light45": 0.3 * (down - up) + 0.8 * (right - left),
    }[name]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_those_of_the_thesis(name):
    settings = {"vertical": 0.3, "horizontal": 0.8} if name == "light45" else {}
    found = chroma_values(FIELD, name, **settings)
    for i in range(1, 6):
        for j in range(1, 8):
            assert found[i, j] == pytest.approx(by_pin(name, FIELD, i, j), abs=1e-15)
    flat = chroma_values(np.full((5, 6), 0.7), name, **settings)
    assert flat == pytest.approx(np.full((5, 6), 0.7 if name == "identity" else 0.0), abs=1e-15)


def test_tints_are_linear_clipped_and_tell_where_their_hue_drifts():
    tint = Tint(black=0.1, full=0.3, color=(200, 100, 50))
    w = np.array([[0.0, 0.1, 0.2, 0.3, 0.36, 0.7, 1.2]])
    assert tint.pixels(w)[0].tolist() == [
        [0, 0, 0], [0, 0, 0], [100, 50, 25], [200, 100, 50], [255, 130, 65], [255, 255, 150], [255, 255, 255],
    ]  # fmt: skip
    assert tint.limit == pytest.approx(0.1 + 0.2 * 255 / 200)
    assert tuple(tint.saturation(w)) == pytest.approx((1 / 7, 3 / 7, 1 / 7))
    assert tint.pixels(w, bits=16)[0, 2].tolist() == [25700, 12850, 6425]


def test_a_fitted_tint_keeps_its_hue():
    for color in ((255, 255, 255), (200, 100, 50)):
        tint = Tint.fitted(FIELD, color)
        assert tint.limit == pytest.approx(FIELD.max())
        assert tint.saturation(FIELD)[:2] == (0.0, 0.0)
        brightest = tint.pixels(FIELD).reshape(-1, 3).max(0)
        assert np.abs(brightest - np.array(color) * 255 / max(color)).max() <= 0.5
    lit = Tint.fitted(np.abs(FIELD), (255, 255, 255), background=0.25)
    assert abs(int(lit.pixels(np.zeros((1, 1)))[0, 0, 0]) - 64) <= 1  # R_bg = −R₀ w_noir/(w_col − w_noir)
    assert Tint.fitted(np.zeros((3, 3))).pixels(np.zeros((3, 3))).max() == 0


@pytest.mark.parametrize("n", [2, 3])
def test_enlarged_pictures_are_linear_between_pins(n):
    ramp = np.zeros((4, 5, 3), np.uint8)
    ramp[..., 0], ramp[..., 1] = 12 * np.arange(4)[:, None], 6 * np.arange(5)
    large = enlarge(ramp, n)
    assert large.shape == (4 * n, 5 * n, 3)
    assert (large[::n, ::n] == ramp).all()
    assert large[: 3 * n + 1, 0, 0].tolist() == [round(12 * k / n) for k in range(3 * n + 1)]
    assert (large[3 * n :, :, 0] == 36).all()
    assert (chroma_pixels(FIELD, "laplacian", enlarged=n)[::n, ::n] == chroma_pixels(FIELD, "laplacian")).all()


def test_a_slope_is_lit_by_its_angle():
    i, j = np.indices((6, 6))
    white, light = (255.0, 255.0, 255.0), np.array([-1.0, 2.0, 2.0]) / 3
    for right, up in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.7), (-0.4, -0.3)):
        heights = 0.1 * (right * j - up * i)
        normal = np.array([-right, -up, 1.0]) / np.sqrt(1 + right**2 + up**2)
        found = relief_pixels(heights, 0.1, light=light, color=white, ambient=0.2, bits=16)
        assert np.abs(found / 65535 - (0.2 + 0.8 * max(0.0, normal @ light))).max() < 1e-5
    assert relief_pixels(np.zeros((1, 1)), 0.1).shape == (1, 1, 3)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3)])
def test_files_are_read_back_by_another_reader(tmp_path, kind, shape):
    import SimpleITK

    pixels = np.random.default_rng(1).integers(0, np.iinfo(kind).max, shape).astype(kind)
    path = write_png(pixels, tmp_path / "p.png")
    assert (SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))) == pixels).all()


@pytest.fixture(scope="module")
def groove():
    """A screen seen from the front: a point passes along x near its upper edge."""
    tip = Engraver(name="tip", points=lambda t: [[0.1 + 0.6 * t, 0.55, 0.0]], stiffness=20.0, reach=0.12, height=0.08)
    return mf.simulate(Screen(shape=(24, 16), spacing=0.04, law="S", mass=0.05, engravers=(tip,)), t1=1.0)


def test_pictures_and_films_stand_upright(groove, tmp_path):
    import imageio.v3 as iio
    import SimpleITK

    path = screen_picture(groove, tmp_path / "a.png", operator="identity", enlarged=2, bits=16)

    seen = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))[..., 0]
    assert seen.shape == (32, 48)
    darkest = np.unravel_index(int(seen.argmin()), seen.shape)
    assert darkest[0] in (2, 3, 4, 5)  # 0.55 m of 0.6 m up
    film = screen_film(groove, tmp_path / "a.mp4", operator="relief", enlarged=2)
    frames = iio.imread(film, plugin="FFMPEG")
    assert frames.shape == (26, 32, 48, 3)
    assert np.abs(frames[-1].astype(int) - frames[0]).max() > 20
    tint = Tint(black=-0.001, full=0.001)
    assert screen_saturation(groove, tint).black > 0
    for fps in (0, -3, float("nan")):
        with pytest.raises(InputError, match=r"fps must be 0\.01 to"):
            screen_film(groove, tmp_path / "b.mp4", fps=fps)
    assert upright_field(np.arange(6).reshape(2, 3), "xz").tolist() == [[0, 3], [1, 4], [2, 5]]
    assert upright_field(np.arange(6).reshape(2, 3), "yx").tolist() == [[3, 4, 5], [0, 1, 2]]


REFUSED = {
    "operator": (lambda: chroma_values(FIELD, "sobel"), "unknown operator"),
    "empty": (lambda: chroma_values(np.zeros((0, 4))), "rows and columns"),
    "line": (lambda: chroma_values(np.zeros(4)), "rows and columns"),
    "nan": (lambda: chroma_values([[np.nan, 1.0]]), r"not finite|must be finite"),
    "setting": (lambda: chroma_values(FIELD, "laplacian", vertical=1.0), "takes no settings"),
    "light": (lambda: chroma_values(FIELD, "light45", vertical=2.0), "0 to 1"),
    "typo": (lambda: chroma_values(FIELD, "light45", vertcal=1.0), "unknown setting"),
    "same": (lambda: Tint(1.0, 1.0), "must differ"),
    "color": (lambda: Tint(0.0, 1.0, (300, 0, 0)), "0 to 255"),
    "bits": (lambda: Tint(0.0, 1.0).pixels(FIELD, bits=12), "8 or 16"),
    "times": (lambda: enlarge(np.zeros((2, 2, 3), np.uint8), 0), "1 or more"),
    "pixels": (lambda: write_png(np.zeros((2, 2)), "x.png"), "wrong form"),
    "frame": (lambda: write_png(np.zeros((0, 2), np.uint8), "x.png"), "wrong form"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_pictures_are_refused(case):
    make, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        make()


def test_recordings_without_heights_are_refused(groove, tmp_path):
    with pytest.raises(RecordingError, match=r"no such channel of heights .*allowed: heights"):
        screen_picture(groove, tmp_path / "b.png", channel="water.heights")
    with pytest.raises(RecordingError, match="along two axes"):
        screen_picture(groove, tmp_path / "b.png", channel="energy.kinetic")
    with pytest.raises(InputError, match="no such sample"):
        screen_picture(groove, tmp_path / "b.png", sample=99)
    tiny = Recording.from_arrays(
        {"heights": (Channel("heights", dims=("a", "b"), shape=(1, 1), rate=5.0), np.zeros((2, 1, 1)))}
    )
    with pytest.raises(InputError, match="two pixels"):
        screen_film(tiny, tmp_path / "b.mp4", operator="identity")


def test_numbers_without_a_range_and_what_is_there_already(groove, tmp_path):
    OpenEXR = pytest.importorskip("OpenEXR")
    path = screen_picture(groove, tmp_path / "w.exr", operator="laplacian")
    with OpenEXR.File(str(path)) as file:
        found = np.array(file.channels()["Y"].pixels)
    expected = chroma_values(upright_field(groove["heights"][-1], "xy"), "laplacian")
    assert np.array_equal(found, expected.astype(np.float32))
    assert found.min() < 0
    for name, settings in (("w.exr", {"operator": "laplacian"}), ("r.exr", {"bits": 16}), ("r.png", {"bits": 16})):
        path = screen_picture(groove, tmp_path / name, **settings)
        written = path.stat().st_mtime_ns
        assert screen_picture(groove, path, **settings).stat().st_mtime_ns == written  # not made again
        with pytest.raises(InputError, match="exists already"):
            screen_picture(groove, path, operator="identity")
    with pytest.raises(InputError, match="no tint"):
        screen_picture(groove, tmp_path / "t.exr", tint=Tint(0.0, 1.0))
