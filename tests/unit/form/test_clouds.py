"""Clouds of puffs: diffusion at a constant amount, births by states of links, looks, and light through them."""

import math

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.form import CloudLook, Form, Looks, dress, looks_in, strobe
from motiform.form.clouds import REACH, Cloud, Puffs
from motiform.image import Camera
from motiform.image.cast.clouds import composite_cloud, puff_tiles
from motiform.image.cast.raycast import Painter, _arguments
from motiform.image.extent import form_bounds
from motiform.image.playback import moment_at_sample, moment_at_time
from motiform.record import Channel, Recording

GREY = (0.8, 0.8, 0.8)
PLACES = np.array([[[0.0, 1, 0], [0.5, 1, 0]], [[0.0, 1.2, 0], [0.5, 1, 0]], [[0.0, 1.4, 0], [0.5, 1.2, 0]]])


def recorded(states=((0, 0), (1, 0), (1, 1)), **settings):
    look = CloudLook(
        **{"cloud": "a.position", "radius": 0.1, "color": GREY, "depth": 0.5, "spread": 0.02, "born": "held.state"}
        | settings
    )
    looks = Looks({"smoke": look})
    channels = {
        "a.position": (Channel("a.position", unit="m", dims=("point", "axis"), shape=(2, 3), rate=10.0), PLACES),
        "held.state": (Channel("held.state", unit="", dims=("link",), shape=(2,), rate=10.0), np.array(states, float)),
    }
    return Recording.from_arrays(channels, manifest=looks.manifest(), statics=looks.statics())


def test_puffs_begin_with_their_links_and_spread_at_a_constant_amount():
    rec = recorded()
    assert looks_in(rec).parts["smoke"].cloud == ("a.position",)
    form = dress(rec)
    assert [len(form.surfaces[0].cast(k).place) for k in range(3)] == [0, 1, 2]
    late = moment_at_time(form, 0.15).surfaces[0]
    np.testing.assert_allclose(late.place, [[0, 1.3, 0]])
    np.testing.assert_allclose(late.width**2, 0.1**2 + 2 * 0.02 * 0.05)  # σ² = σ₀² + 2 D t
    np.testing.assert_allclose(late.depth * late.width**2, 0.5 * 0.1**2)  # the amount stays
    np.testing.assert_allclose(form_bounds(form)[0, :2], [-math.sqrt(0.1**2 + 0.02 * 0.1), 1.2 - math.sqrt(0.012)])
    assert len(form.surfaces[0].shell(2).faces)
    assert not len(form.surfaces[0].shell(0).faces)
    flashes = strobe(form, 3).surfaces[0].cast(0)
    seen = [form.surfaces[0].cast(k) for k in range(3)]
    np.testing.assert_allclose(flashes.place, np.concatenate([one.place for one in seen]))
    np.testing.assert_allclose(flashes.width, np.concatenate([one.width for one in seen]))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"radius": 0.0}, "`radius` of a cloud must be above 0"),
        ({"spread": -1.0}, "`spread` of a cloud must be 0 or more"),
        ({"cloud": ()}, "a cloud must have channels"),
        ({"color": np.ones((2, 3))}, "a cloud must have one color"),
        ({"born": "away.state"}, "no such channel of states"),
        ({"born": "a.position"}, "puffs must begin with the states"),
    ],
)
def test_clouds_that_are_refused(settings, text):
    with pytest.raises(MotiformError, match=text):
        dress(recorded(**settings))


def test_light_comes_through_by_the_law_of_beer():
    """A black puff of width σ and depth τ leaves exp(−τ e^(−b²/2σ²)) of the light at a distance b from its middle."""
    from motiform.base.kernels import get_device

    form = dress(recorded(born=None, color=(0.0, 0.0, 0.0)))
    camera = Camera((0, 1, 3.0), (0, 1, 0))
    painter = Painter.of(form, camera=camera, size=(40, 30), ground=False)
    device = get_device("cpu")
    seen = _arguments(painter.drawing.place(moment_at_sample(form, 0)), device)
    place, wide, deep = np.array([[0.05, 0.9, 0.2], [0.1, 1.1, -0.5]]), np.array([0.1, 0.2]), np.array([0.7, 0.4])
    light = np.ones((1200, 9), np.float32)
    composite_cloud(
        light,
        [Puffs(place, wide, deep, np.zeros(3))],
        painter.view,
        tuple(painter.plan[:2]),
        painter.plan,
        seen,
        device,
    )
    x, y = np.meshgrid(np.arange(40) + 0.5, np.arange(30) + 0.5)
    eye, forward, right, up = painter.view[:4]
    d = (forward + x[..., None] * right + y[..., None] * up).reshape(-1, 3)
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    to = place - eye
    off = np.linalg.norm(to[None] - (d @ to.T)[..., None] * d[:, None], axis=-1)
    wanted = np.exp(-(deep * np.exp(-0.5 * (off / wide) ** 2)).sum(axis=1))
    lost = (deep * math.exp(-0.5 * REACH**2)).sum()  # what is beyond the reach of a puff is left out
    assert np.abs(light - wanted[:, None]).max() < lost + 1e-6
    assert light.min() < 0.6


def test_puffs_throw_shadows_by_the_law_of_beer():
    """Of the sun's light on the ground exp(−Σ τ e^(−b²/2σ²)(1 + erf(m/√2σ))/2) is left, b off the ray, m along it."""
    from motiform.image import Ground, Lighting, render

    place, wide, deep = np.array([[0.1, 2.0, 0.3], [-0.3, 2.4, -0.2], [0.0, 0.05, 0.1]]), 0.2, 0.9
    size, camera, sun = (48, 32), Camera((0, 1.2, 0.9), (0.2, 0, -0.3)), np.array([-0.35, 1.0, 0.55])

    def seen(depth, strength):
        cloud = Cloud("smoke", place[None], np.zeros(1), np.zeros(3), wide, depth, 0.0, np.zeros(3))
        form = Form((), np.zeros(1), surfaces=(cloud,))
        look = Lighting(sun=tuple(sun), sun_strength=strength, ambient=0.3, ambient_rays=0)
        return render(form, camera=camera, size=size, ground=Ground(height=0.0), look=look, bits=32).astype(float)

    thin = 1e-9  # as good as none, and the ground fades as in the other pictures
    dark = seen(thin, 0.0)
    left = (seen(deep, 1.0) - seen(deep, 0.0)) / (seen(thin, 1.0) - dark)
    painter = Painter.of(dress(recorded()), camera=camera, size=size)
    x, y = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    eye, forward, right, up = painter.view[:4]
    d = forward + x[..., None] * right + y[..., None] * up
    on_ground = eye - d * (eye[1] / d[..., 1])[..., None]
    sun /= np.linalg.norm(sun)
    to = place - on_ground[..., None, :]
    along = to @ sun
    off = np.linalg.norm(to - along[..., None] * sun, axis=-1)
    reached = off < REACH * wide
    share = 0.5 * (1 + np.vectorize(math.erf)(along / (math.sqrt(2) * wide)))
    wanted = np.exp(-(reached * deep * np.exp(-0.5 * (off / wide) ** 2) * share).sum(axis=-1))
    # What the puff near the ground keeps on the way to the eye is the same with and without sun's light on the ground,
    # but not in this ratio: it is taken out where the ray to the eye is far from it.
    toward = place[2] - eye
    unit = d / np.linalg.norm(d, axis=-1, keepdims=True)
    clear = np.linalg.norm(toward - (unit @ toward)[..., None] * unit, axis=-1) > REACH * wide
    assert clear.sum() > 200
    assert wanted[clear].min() < 0.45
    assert np.abs(left - wanted[..., None])[clear].max() < 1e-4  # 24 bits of light, twice a difference


def test_squares_of_a_picture_list_all_puffs_that_they_show_nearest_first():
    painter = Painter.of(dress(recorded(born=None)), camera=Camera((0, 1, 3.0), (0, 1, 0)), size=(70, 50), ground=False)
    draw = np.random.default_rng(2)
    rows = np.zeros((60, 8))
    rows[:, :3] = draw.uniform((-2, -1, -3), (2, 3, 4), (60, 3))  # some behind the eye, some around it
    rows[:, 3] = draw.uniform(0.01, 0.2, 60)
    starts, members = puff_tiles(rows, painter.view, (70, 50), 16)
    eye, forward, right, up = painter.view[:4]
    to = rows[:, :3] - eye
    for x, y in draw.uniform((0, 0), (70, 50), (300, 2)):
        d = forward + x * right + y * up
        d /= np.linalg.norm(d)
        along = np.maximum(to @ d, 0.0)
        near = np.linalg.norm(to - along[:, None] * d, axis=1) < REACH * rows[:, 3]
        tile = int(y // 16) * 5 + int(x // 16)
        listed = members[starts[tile] : starts[tile + 1]]
        assert set(np.flatnonzero(near)) <= set(listed)
        assert (np.diff(np.linalg.norm(to[listed], axis=1)) >= 0).all()


def test_bands_of_rows_show_the_puffs_of_one(monkeypatch):
    from motiform.image import render
    from motiform.image.cast import raycast

    form, size = dress(recorded(born=None)), (48, 40)
    whole = render(form, size=size)
    monkeypatch.setattr(raycast, "_BAND", 7 * size[0])
    assert np.array_equal(render(form, size=size), whole)
