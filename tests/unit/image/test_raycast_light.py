"""Pictures: what covers which pixels, and how bright it is there."""

import numpy as np
import pytest
from stills import part, still

from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.geometry import Ball, Box, Capsule, Cylinder, Mesh
from motiform.image import Camera, Ground, Lighting, render
from motiform.image.look import linear_from_srgb

FRONT = Camera((0, 0, 4), (0, 0, 0), fov=0.7)
SIZE = (160, 90)


def code(linear):
    """sRGB code of a linear intensity up to 0.8, where nothing is bent."""
    linear = np.asarray(linear)
    assert linear.max() <= 0.8
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def covered(form, camera, size):
    """Pixels (height, width) whose middle shows a body: what differs from the picture of an empty world."""
    behind = still(part("ball", Ball(0.1), np.array(camera.position) * 3))
    options = {"camera": camera, "size": size, "ground": False, "samples_per_pixel": 1}
    return (render(form, 0, **options) != render(behind, 0, **options)).any(-1)


def test_intensities_of_srgb():
    # IEC 61966-2-1: 0.5 ↔ 0.21404114, and the linear part below 0.04045.
    linear = linear_from_srgb(np.array([0.0, 0.5, 1.0, 0.04]))
    assert linear == pytest.approx([0, 0.21404114, 1, 0.04 / 12.92], abs=1e-8)


@pytest.mark.parametrize("fov", [0.4, 0.7, 1.2])
def test_a_ball_covers_its_disc(fov):
    size, r, distance = (200, 150), 0.6, 4.0
    mask = covered(still(part("ball", Ball(r))), Camera((0, 0, distance), (0, 0, 0), fov=fov), size)
    # Rays that touch the ball leave at asin(r/D) from the axis.
    radius = 0.5 * size[1] / np.tan(0.5 * fov) * np.tan(np.arcsin(r / distance))
    # Points of a grid in a disc: Gauss, |N − πR²| ≤ 2√2 πR.
    assert abs(mask.sum() - np.pi * radius**2) <= 2 * np.sqrt(2) * np.pi * radius
    # And exactly those whose middle is inside.
    row, column = np.indices(mask.shape) + 0.5
    np.testing.assert_array_equal(mask, np.hypot(column - 100, row - 75) < radius)


def test_a_body_is_where_the_camera_projects_it():
    camera, size, r = Camera((2, 1.5, 3), (0, 0.2, 0)), (160, 120), 0.05
    for at in ((0.4, 0.5, -0.3), (-0.6, -0.2, 0.2), (0.1, 0.9, 0.4)):
        mask = covered(still(part("ball", Ball(r), at)), camera, size)
        column, row, depth = camera.project(np.array(at), size)
        seen = np.argwhere(mask).mean(0)[::-1] + 0.5
        radius = 0.5 * size[1] / np.tan(0.35) * r / depth
        # The outline is an ellipse about a point R tan²(angle)·(r/depth) off; pixels round by half of one.
        assert np.hypot(*(seen - (column, row))) < 0.5 + radius * r / depth


def test_one_and_two_threads_give_the_same_bits():
    import numba

    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one core only")
    form = still(
        part("ball", Ball(0.4), [(-0.6, 0.5, 0), (0.5, 0.4, 0.2)]),
        part("box", Box((0.4, 0.6, 0.5)), (0, 0.4, -0.8), (0.9, 0.3, 0.2, 0.1)),
        part("mesh", Capsule(0.2, 0.5).to_mesh(12), (0.1, 0.3, 0.8)),
    )
    pictures = []
    for count in (1, 2):
        with threads(count):
            pictures.append(render(form, 0, size=SIZE))
    assert pictures[0].tobytes() == pictures[1].tobytes()


@pytest.mark.parametrize("shape", [Ball(0.8), Capsule(0.4, 0.8), Cylinder(0.5, 1.2)])
def test_a_fine_mesh_looks_like_the_shape(shape):
    detail, turn = 96, (0.8, 0.4, 0.3, 0.2)
    options = {"camera": FRONT, "size": (240, 180), "ground": False, "samples_per_pixel": 1}
    exact = render(still(part("shape", shape, turn=turn)), 0, **options).astype(int)
    meshed = render(still(part("mesh", shape.to_mesh(detail), turn=turn)), 0, **options).astype(int)
    off = np.abs(exact - meshed).max(-1)
    mask = covered(still(part("shape", shape, turn=turn)), FRONT, (240, 180))
    # A chord of 2π/96 lies 1 − cos(π/96) = 5e-4 of the radius inside: less than a pixel of 0.016 m at the silhouette,
    # so only pixels with a neighbour across an edge of the mask, or across the rim of a cylinder, may differ much.
    padded = np.pad(mask, 1, mode="edge")
    around = [padded[1 + i : 181 + i, 1 + j : 241 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)]
    core = np.min(around, axis=0)
    assert off[~np.max(around, axis=0)].max() == 0
    rim = 0 if not isinstance(shape, Cylinder) else 0.03  # the rim is a line across the picture
    # Normals between corners are wrong by at most δ²/8 of the arc δ = 2π/96, 5e-4 rad. The steepest light is the
    # highlight: F0 (48 + 8)/8 · 48 · 0.95 per rad, and a code is at most 255 · 0.44 x^−0.58 per unit at x = 0.05.
    slope = 0.04 * 7 * 48 * 0.95 * 255 * 0.44 * 0.05**-0.583
    inside = off[core]
    assert (inside > 1 + 5.4e-4 * slope).mean() <= rim
    assert mask.sum() > 3000


def ground_picture(body, look, tone=(0.5, 0.5, 0.5), **options):
    """A picture straight down on a plain ground; the body is far above the camera."""
    camera = Camera((0, 2, 0), (0, 0, 0), fov=0.2)
    ground = Ground(height=0.0, cell=1.0, tones=(tone, tone))
    form = still(body)
    return render(form, 0, camera=camera, size=(33, 33), ground=ground, look=look, **options)


def expected_ground(look, sun_seen, sky_seen, tone=(0.5, 0.5, 0.5), haze=1.0):
    """The formula of docs/image.md for ground in the middle of the picture."""
    sun = np.array(look.sun) / np.linalg.norm(look.sun)
    albedo = linear_from_srgb(np.array(tone))
    by_sun = look.sun_strength * sun[1] * linear_from_srgb(np.array(look.sun_color))
    by_sky = look.ambient * linear_from_srgb(np.array(look.zenith))
    return code(haze * albedo * (sun_seen * by_sun + sky_seen * by_sky))


def test_ground_in_the_sun_and_in_the_shadow_of_a_ball():
    look = Lighting(softness=0.0, ambient_rays=0)
    sun = np.array(look.sun) / np.linalg.norm(look.sun)
    bright = ground_picture(part("ball", Ball(0.5), -20 * sun * [1, -1, 1]), look)[16, 16]
    dark = ground_picture(part("ball", Ball(0.5), 20 * sun), look)[16, 16]
    # One code: rounding to whole ones. float32 on the way costs 1e-7.
    assert bright == pytest.approx(expected_ground(look, 1.0, 1.0), abs=0.51)
    assert dark == pytest.approx(expected_ground(look, 0.0, 1.0), abs=0.51)
    # A ball beside the line to the sun shades nothing: its radius off, and 2.5 pixels of 0.4/33 m, over which shade is
    # averaged.
    aside = np.cross(sun, (0, 0, 1))
    aside *= (0.5 + 1.5 * 2.5 * 0.4 / 33) / np.linalg.norm(aside)
    assert (ground_picture(part("ball", Ball(0.5), 20 * sun + aside), look)[16, 16] == bright).all()


def test_a_disc_overhead_hides_its_part_of_the_sky():
    # Light of a sky that is the same all over, through the cosine: a disc of radius R at height H above hides
    # R²/(R² + H²) of it. The sequence meets sin² of the angle evenly: N = 16·64·4 numbers k·0.7549 mod 1 are off by
    # less than 5/N = 0.0012, and 2.5 pixels of 0.4/33 m off the axis, e = 0.0076 H, by less than e.
    look = Lighting(sun_strength=0.0, ambient=0.9, ambient_rays=4)
    R, H = 3.0, 4.0
    lid = part("lid", Cylinder(R, 0.002), (0, H + 0.001, 0))
    seen = ground_picture(lid, look, samples_per_pixel=64)[16, 16]
    low, high = (expected_ground(look, 1.0, 1.0 - R**2 / (R**2 + H**2) + s * 0.0088) for s in (-1, 1))
    assert (seen >= low - 0.51).all()
    assert (seen <= high + 0.51).all()


@pytest.mark.parametrize("samples", [4, 6, 16, 64])
def test_outlines_in_occluded_places_are_as_bright_as_what_they_part(samples):
    """Balls under a roof that hides most of the sky: how much of it each pixel sees, against 800 rays or more."""
    balls = [
        part(f"{x} {y} {z}", Ball(0.05), (0.1 * x, 0.09 * y, 0.1 * z))
        for x in range(5)
        for y in range(3)
        for z in range(5)
    ]
    form = still(part("roof", Box((2.0, 0.1, 2.0)), (0.2, 0.7, 0.2)), *balls)
    options = {"camera": Camera((1.4, 0.35, 1.1), (0.2, 0.1, 0.2)), "size": (96, 60), "ground": False, "bits": 32}

    def picture(rays):
        plain = {"zenith": (1, 1, 1), "nadir": (1, 1, 1), "horizon": (0, 0, 0)}
        look = Lighting(sun_strength=0.0, ambient_rays=rays, **plain)
        return render(form, 0, look=look, samples_per_pixel=samples, **options)[..., 0]

    whole = picture(0)  # no occlusion: the same primary rays, all of the sky
    shown = whole > 1e-3
    assert shown.mean() > 0.5
    off = np.abs(picture(1)[shown] - picture(max(800 // samples, 16))[shown]) / whole[shown]
    # A pixel on an edge asks 64 times. Were these answers independent, their mean would have a standard deviation of
    # 1/16 at most; the sequence is more even. With those of its own rays alone (1/4 for 4 samples) half would be off by
    # more than two of these; were they those that rays through the same part of the pixel ask, a body in this part
    # would see that part of the sky, however many rays there are.
    assert off.max() < 4 / 16
    assert (off > 2 / 16).mean() < 0.05


def test_the_sun_lights_the_side_that_faces_it():
    look = Lighting(sun=(1, 0, 0), ambient_rays=0)
    options = {"camera": FRONT, "size": SIZE, "ground": False, "look": look}
    picture = render(still(part("ball", Ball(0.8))), 0, **options).astype(int)
    assert picture[45, 80 + 18].sum() > picture[45, 80 - 18].sum() + 100


def test_the_far_ground_becomes_the_horizon():
    camera = Camera((0, 1, 0), (0, 0.999, -1), fov=0.5)
    picture = render(still(part("ball", Ball(0.1), (0, 5, 3))), 0, camera=camera, size=(64, 64)).astype(int)
    horizon = 255 * np.array(Lighting().horizon)
    rows = picture[28:36].reshape(-1, 3)
    # Brighter than 0.8 is bent by at most 0.2(1 − tanh 1) of linear light, 18 codes at x = 0.95.
    assert np.abs(rows - horizon).max() < 20
    assert np.abs(np.diff(picture[20:44, 32].astype(int), axis=0)).max() <= 3  # and nothing shows where it does


def test_the_ground_sinks_under_a_motion_that_goes_below_zero():
    from motiform.image.extent import lowest_height

    # A box turned by 45° about x reaches (1 + 2)/√2/2 below its middle.
    turn = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)
    assert lowest_height(still(part("box", Box((5, 1, 2)), (0, 0.2, 0), turn))) == pytest.approx(0.2 - 1.5 / np.sqrt(2))
    for shape in (Cylinder(0.3, 1.0), Capsule(0.2, 0.7), Ball(0.4), Mesh(*_tetrahedron())):
        tilt = np.array([0.8, 0.1, 0.5, 0.33])
        place = {"at": (0, -0.1, 0), "turn": tilt / np.linalg.norm(tilt), "offset": (0.1, 0.2, 0.3)}
        form, fine = still(part("shape", shape, **place)), still(part("mesh", shape.to_mesh(256), **place))
        # An inscribed mesh stays inside by at most 1 − cos(π/256) of the radius.
        assert lowest_height(fine) - 0.4 * (1 - np.cos(np.pi / 256)) - 1e-12 <= lowest_height(form)
        assert lowest_height(form) <= lowest_height(fine) + 1e-12
    assert lowest_height(still(part("capsule", Capsule(0.2, 2.0), (0, 0.2, 0), (0.5**0.5, 0, 0, 0.5**0.5)))) == (
        pytest.approx(0.0, abs=1e-15)
    )


def _tetrahedron():
    return np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"size": (0, 10)}, "size must be width and height in pixels"),
        ({"size": (10.5, 10)}, "size must be width and height in pixels"),
        ({"size": 7}, "size must be width and height in pixels"),
        ({"samples_per_pixel": 0}, "samples_per_pixel is out of range"),
        ({"sample": 3}, "no such sample"),
        ({"sample": 0, "time": 0.0}, "sample and time exclude each other"),
        ({"time": float("nan")}, "no such time"),
        ({"ground": Ground(cell=-1.0)}, "positive cell"),
        ({"look": Lighting(sun=(0, 0, 0))}, "the sun must have a direction"),
        ({"device": "abacus"}, "unknown device"),
    ],
)
def test_wrong_options_are_named(options, text):
    with pytest.raises(InputError, match=text):
        render(still(part("ball", Ball(0.5))), **options)


def test_the_sun_of_a_scene():
    from dataclasses import replace

    from motiform.base.errors import SceneError
    from motiform.scene.read.load import image_hints

    form, sun = still(part("ball", Ball(0.4))), (1.0, 0.3, -0.4)
    low = render(replace(form, image=image_hints({}, {"image.sun": list(sun)})), 0, camera=FRONT, size=SIZE)
    assert np.array_equal(low, render(form, 0, camera=FRONT, size=SIZE, look=Lighting(sun=sun)))
    assert not np.array_equal(low, render(form, 0, camera=FRONT, size=SIZE))
    with pytest.raises(SceneError, match="the sun must have a direction"):
        image_hints({}, {"image.sun": [0, 0, 0]})
