"""Splines whose control points are points of recordings: their weights, their tubes and laths."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicHermiteSpline

from motiform.base.errors import MotiformError
from motiform.form import Looks, PointsLook, SplineLook, dress, looks_in, spline_weights, strobe
from motiform.form.splines import Sweep
from motiform.image.cast.raycast import cast_form
from motiform.record import Channel, Recording
from motiform.record.samples import Samples

RNG = np.random.default_rng(4)


def recorded(look, **places):
    looks, channels = Looks({"lath": look}), {}
    for key, x in places.items():
        name = f"{key}.position"
        channel = Channel(name, unit="m", dims=("point", "axis"), shape=np.shape(x)[1:], rate=10.0)
        channels[name] = channel, np.asarray(x, float)
    return Recording.from_arrays(channels, manifest=looks.manifest(), statics=looks.statics())


def look(**settings):
    return SplineLook(**{"spline": "a.position", "width": 0.1, "color": (0.8, 0.6, 0.4)} | settings)


def volume(vertices, faces):
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("kind", ["b-spline", "catmull-rom"])
def test_weights_are_a_partition_of_unity(kind, closed):
    for count in (3, 4, 9):
        weights, slopes = spline_weights(count, closed=closed, kind=kind, parts=5)
        assert weights.shape == slopes.shape == (5 * count if closed else 5 * (count - 1) + 1, count)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-15)
        np.testing.assert_allclose(slopes.sum(axis=1), 0.0, atol=1e-15)
        if kind == "b-spline":
            assert (weights >= -1e-16).all()  # but for rounding, so the curve lies in the hull of its control points
        else:  # it passes them
            np.testing.assert_allclose(weights[::5], np.eye(count), atol=1e-15)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_an_open_b_spline_is_scipys(count):
    """With points beyond the ends; it begins at its first point, where it does not bend."""
    points = RNG.normal(size=(count, 3))
    weights, slopes = spline_weights(count, parts=6)
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    peer = BSpline(np.arange(count + 6.0), padded, 3)
    t = 3.0 + np.arange(6 * (count - 1) + 1) / 6.0
    np.testing.assert_allclose(weights @ points, peer(t), atol=1e-14)
    np.testing.assert_allclose(slopes @ points, peer(t, 1), atol=1e-14)
    np.testing.assert_allclose((weights @ points)[[0, -1]], points[[0, -1]], atol=1e-15)
    np.testing.assert_allclose(peer([3.0, count + 2.0], 2), 0.0, atol=1e-13)


def test_a_closed_b_spline_is_scipys():
    points = RNG.normal(size=(6, 3))
    weights, slopes = spline_weights(6, closed=True, parts=4)
    peer = BSpline(np.arange(13.0), np.concatenate([points[-1:], points, points[:2]]), 3)
    t = 3.0 + np.arange(24) / 4.0
    np.testing.assert_allclose(weights @ points, peer(t), atol=1e-14)
    np.testing.assert_allclose(slopes @ points, peer(t, 1), atol=1e-14)


def test_catmull_rom_is_hermites_with_half_differences():
    points = RNG.normal(size=(6, 3))
    weights, _ = spline_weights(6, kind="catmull-rom", parts=7)
    padded = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    peer = CubicHermiteSpline(np.arange(6.0), points, 0.5 * (padded[2:] - padded[:-2]))
    np.testing.assert_allclose(weights @ points, peer(np.arange(36) / 7.0), atol=1e-14)


def test_a_straight_tube_is_a_prism_with_round_ends():
    """12 sides of radius R: 6 sin(30°) R² in section; ends are two halves of a body of as many sides, 22.5° a ring."""
    rec = recorded(look(), a=[[[0, 0, 0], [1.0, 0, 0], [2.0, 0, 0], [3.0, 0, 0]]])
    skin = dress(rec).skins[0]
    vertices = np.asarray(skin.vertices[0])
    area = 6.0 * np.sin(np.pi / 6) * 0.05**2
    h, s = 0.05 * np.sin(np.deg2rad([0, 22.5, 45, 67.5, 90])), np.cos(np.deg2rad([0, 22.5, 45, 67.5, 90]))
    ends = 2 * area * (np.diff(h) * (s[1:] ** 2 + s[1:] * s[:-1] + s[:-1] ** 2) / 3).sum()
    assert volume(vertices, skin.faces) == pytest.approx(3.0 * area + ends, rel=1e-12)
    lath = dress(recorded(look(thickness=0.02), a=rec["a.position"])).skins[0]
    assert volume(np.asarray(lath.vertices[0]), lath.faces) == pytest.approx(3.0 * 0.1 * 0.02, rel=1e-12)
    across = np.ptp(np.asarray(lath.vertices[0]), axis=0)
    np.testing.assert_allclose(across, (3.0, 0.02, 0.1), rtol=1e-12)


@pytest.mark.parametrize(
    "settings", [{}, {"closed": True}, {"thickness": 0.02}, {"closed": True, "kind": "catmull-rom"}]
)
def test_surfaces_are_closed_and_look_outward(settings):
    x = RNG.normal(size=(3, 6, 3)) * (1, 0.3, 1) + [
        [[0, 0, 0], [1, 0, 2], [3, 1, 2], [4, 0, 0], [3, 0, -2], [1, 1, -2]]
    ]
    skin = dress(recorded(look(**settings), a=x)).skins[0]
    edges = np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]])
    count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)[1]
    assert (count == 2).all()
    assert len(np.unique(edges, axis=0)) == len(edges)  # each edge once in either direction
    for k in range(3):
        assert volume(np.asarray(skin.vertices[k]), skin.faces) > 0.0


def test_sections_are_across_the_curve_and_turn_least():
    """On a flat curve the width stays along `across`; on a closed one that is not flat the section meets itself."""
    t = np.linspace(0, 2 * np.pi, 9)[:-1]
    flat = np.stack([2 * np.cos(t), np.sin(t), 0 * t], axis=1)
    curve, slope = spline_weights(8, closed=True)
    section = 0.05 * np.array([(1, -1), (1, 1), (-1, 1), (-1, -1)]) * (1.0, 0.2)
    sweep = Sweep(curve, slope, section, np.array([0.0, 0, 1]), True, False)
    rings = sweep.vertices(flat[None])[0].reshape(-1, 4, 3)
    np.testing.assert_allclose(np.abs(rings[:, :, 2]), 0.05, atol=1e-15)
    bent = np.stack([2 * np.cos(t), np.sin(t), 0.7 * np.sin(2 * t)], axis=1)
    rings = sweep.vertices(bent[None])[0].reshape(-1, 4, 3)
    middle, along = curve @ bent, slope @ bent
    np.testing.assert_allclose(rings.mean(axis=1), middle, atol=1e-15)
    side = rings[:, 0] - rings[:, 3]
    np.testing.assert_allclose(np.einsum("ij,ij->i", side, along), 0.0, atol=1e-12)
    unit = side / np.linalg.norm(side, axis=1, keepdims=True)
    turns = np.arccos(np.clip(np.einsum("ij,ij->i", unit, np.roll(unit, -1, axis=0)), -1, 1))
    bends = along / np.linalg.norm(along, axis=1, keepdims=True)
    bend = np.arccos(np.clip(np.einsum("ij,ij->i", bends, np.roll(bends, -1, axis=0)), -1, 1))
    assert (turns <= bend + np.pi / len(turns) + 1e-9).all()  # its own least turn, and an even share of half a turn


def test_control_points_of_several_channels_that_move():
    a, b = RNG.normal(size=(5, 2, 3)), RNG.normal(size=(5, 3, 3))
    chosen = look(spline=("a.position", "b.position"), pick=[4, 0, 2, 1], parts=3)
    rec = recorded(chosen, a=a, b=b)
    skin = dress(rec).skins[0]
    points = np.concatenate([a, b], axis=1)[:, [4, 0, 2, 1]]
    weights, _ = spline_weights(4, parts=3)
    rings = np.asarray(skin.vertices[:])[:, 3 * 12 : -3 * 12 - 2].reshape(5, -1, 12, 3)  # less both ends
    np.testing.assert_allclose(rings.mean(axis=2), weights @ points, atol=1e-14)
    read = looks_in(rec).parts["lath"]
    np.testing.assert_array_equal(read.pick, chosen.pick)
    assert (read.spline, read.width, read.parts, read.kind) == (chosen.spline, 0.1, 3, "b-spline")
    assert len(strobe(dress(rec), 3).skins) == 1


def test_splines_of_long_recordings_are_computed_when_they_are_asked_for():
    """75 MB of vertices; the bits are those of a short one."""
    a = np.tile(RNG.normal(size=(7, 4, 3)), (1201, 1, 1))
    few, many = (dress(recorded(look(), a=x)).skins[0].vertices for x in (a[:7], a))
    assert isinstance(few, np.ndarray)
    assert isinstance(many, Samples)
    np.testing.assert_array_equal(many[8400:8407], few)


def test_points_that_stay_in_one_place_and_points_that_are_not_there():
    """Three equal points are a corner, all of them a ball; with nan there is nothing."""
    corner = np.array([[0, 0, 0], [1.0, 0, 0], [1.0, 0, 0], [1.0, 0, 0], [1.0, 0, 1.0]])
    still = np.zeros((5, 3))
    gone = corner.copy()
    gone[2] = np.nan
    form = dress(recorded(look(), a=[corner, still, gone]))
    vertices = np.asarray(form.skins[0].vertices[:])
    assert np.isfinite(vertices[:2]).all()
    near = np.linalg.norm(vertices[0] - np.clip(vertices[0], (0, 0, 0), (1, 0, 1)), axis=1)
    assert near.max() <= 0.05 + 1e-12  # half the width from the square that holds its hull
    np.testing.assert_allclose(np.linalg.norm(vertices[1], axis=1).max(), 0.05, rtol=1e-12)
    assert np.isnan(vertices[2]).all()
    assert cast_form(form, 2, np.array([[0.5, 1.0, 0]]), np.array([[0.0, -1, 0]]))[0] == np.inf
    along = np.array([[[0, 0, 0], [0, 0, 1.0], [0, 0, 2.0]]])  # where `across` is along it
    assert np.isfinite(np.asarray(dress(recorded(look(), a=along)).skins[0].vertices[0])).all()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"spline": ()}, "must have channels"),
        ({"width": 0.0}, "`width` of a spline must be above 0"),
        ({"thickness": np.nan}, "`thickness` of a spline must be above 0"),
        ({"kind": "bezier"}, "the kind of a spline must be known"),
        ({"parts": 0}, "`parts` of a spline must be 1 to 1000"),
        ({"sides": 2}, "`sides` of a spline must be 3 to 1000"),
        ({"across": (0, 0, 0)}, "`across` of a spline must be a direction"),
        ({"color": np.zeros((2, 3))}, "three numbers"),
    ],
)
def test_what_is_no_spline_is_refused(given, text):
    with pytest.raises(MotiformError, match=text):
        look(**given)


def test_points_that_do_not_make_a_spline_are_refused():
    for settings, text in (
        ({"pick": [0, 5]}, "no such point"),
        ({"pick": [0]}, "points enough"),
        ({"pick": [0, 1], "closed": True}, "points enough"),
        ({"pick": [0.5]}, "`pick` must be whole numbers"),
    ):
        with pytest.raises(MotiformError, match=text):
            dress(recorded(look(**settings), a=np.zeros((1, 3, 3))))
    with pytest.raises(MotiformError, match="one part or more"):
        spline_weights(3, parts=0)
    with pytest.raises(MotiformError, match="the kind of a spline must be known"):
        spline_weights(3, kind="line")


def test_a_spline_leaves_what_it_is_along():
    both = Looks({"a": PointsLook(points="a.position", radius=0.1, color=(1, 0, 0))}) | Looks({"lath": look()})
    assert set(both.parts) == {"a", "lath"}
