"""The smoothing spline with ρ: against SciPy's, its least, its gain in closed form; contours; slices in between."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_smoothing_spline

from motiform import measure
from motiform.base.errors import InputError, ShapeError
from motiform.geometry import Ellipsoid
from motiform.geometry.maps import Grid, mesh_voxels
from motiform.measure import Labels, Volume


@pytest.mark.parametrize("rho", [1e-3, 1.0, 1e4])
def test_on_a_line_it_is_the_spline_of_scipy(rho):
    """SciPy's is of least Σ (σ − z)² + λ ∫ σ″² dt: λ = 1/ρ. Condition numbers of 1e5 at most leave ten digits."""
    z, h = np.random.default_rng(1).normal(size=30), 0.7
    own = measure.smoothing_spline(z, rho, spacing=h)
    t = h * np.arange(30)
    np.testing.assert_allclose(own, make_smoothing_spline(t, z, lam=1 / rho)(t), atol=1e-9)


def rough(z, h, axis):
    """Return ∫ σ″² along an axis for each row, and the coefficients of σ″ at the places."""
    spline = CubicSpline(h * np.arange(z.shape[axis]), z, axis=axis, bc_type="natural")
    return np.moveaxis(spline(h * np.arange(z.shape[axis]), 2), axis, 0)


def test_on_a_plane_nothing_has_less():
    """E3: with σ″ along one axis linear between places, ∬ (∂⁴σ/∂x²∂y²)² is a sum of products of hat functions."""
    rng, h, rho = np.random.default_rng(2), 0.5, 3.0
    z = rng.normal(size=(7, 9))

    def criterion(s):
        both = rough(rough(s, h, 0), h, 1).T  # ∂⁴σ/∂x²∂y² at the places, bilinear between them
        mass = [h / 6 * (4 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)) for n in s.shape]  # it is 0 at the ends
        return np.einsum("ij,ik,jl,kl", both, *mass, both) + rho * ((s - z) ** 2).sum()

    best = measure.smoothing_spline(z, rho, spacing=h)
    least = criterion(best)
    for way in rng.normal(size=(20, 7, 9)):
        ahead, behind = criterion(best + 1e-3 * way), criterion(best - 1e-3 * way)
        assert min(ahead, behind) > least
        assert abs(ahead - behind) < 1e-6 * (ahead + behind - 2 * least) + 1e-9 * least  # no slope: a parabola's foot


def test_what_is_kept_and_what_is_not():
    x, y = np.meshgrid(np.arange(12.0), np.arange(9.0), indexing="ij")
    np.testing.assert_allclose(measure.smoothing_spline(3 - 2 * x[:, 0], 1e-6), 3 - 2 * x[:, 0], atol=1e-8)
    plane = np.sin(x) + y**3 * (1 + 0.1 * x)  # one coordinate alone, or straight along one of them
    np.testing.assert_allclose(measure.smoothing_spline(plane, 1e-6), plane, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(measure.smoothing_spline(np.array([1.0, 5.0]), 1.0), [1.0, 5.0])
    noise = np.random.default_rng(3).normal(size=(12, 9))
    np.testing.assert_allclose(measure.smoothing_spline(noise, 1e12), noise, atol=1e-9)


def wheel(n, radius, ripple, order):
    """A contour of n points at equal angles, with a ripple along the radius."""
    angle = 2 * np.pi * np.arange(n) / n
    r = radius + ripple * np.cos(order * angle)
    points = 12e-3 + r[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    turned = points[::-1] if area(points) > 0 else points
    return measure.Contour(3, turned, 1.0, np.zeros(2), np.eye(2)), angle


def area(points):
    x, y = points.T
    return 0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum()


def test_a_circle_shrinks_by_the_gain_of_its_mode():
    """On n equal chords h the spline keeps 1/(1 + 3 (2 − 2 cos w)²/(h³ (2 + cos w) ρ)) of cos(w i): exact, w = 2π/n."""
    n, radius = 48, 6e-3
    circle, _ = wheel(n, radius, 0.0, 0)
    h, w = 2 * radius * np.sin(np.pi / n), 2 * np.pi / n
    for rho in (1e6, 1e9, 1e12):
        gain = 1 / (1 + 3 * (2 - 2 * np.cos(w)) ** 2 / (h**3 * (2 + np.cos(w)) * rho))
        smooth = measure.smooth_contour(circle, rho=rho)
        r = np.linalg.norm(smooth.points - 12e-3, axis=1)
        np.testing.assert_allclose(r, gain * radius, rtol=1e-9)
        assert smooth.area == pytest.approx(np.pi * (gain * radius) ** 2, rel=2 * np.pi**2 / (3 * n**2))
        assert smooth.slice == 3


def test_ripples_of_the_wavelength_are_halved():
    """A ripple that is small beside its length only turns the chords by 2 π a/λ: the square of it, 4 %, is left out."""
    n, radius, order, ripple = 240, 6e-3, 12, 1e-5
    length = 2 * np.pi * radius / order
    rippled, angle = wheel(n, radius, ripple, order)
    smooth = measure.smooth_contour(rippled, wavelength=length)
    r = np.linalg.norm(smooth.points - 12e-3, axis=1)
    kept = 2 * np.abs((r * np.exp(1j * order * angle)).mean())
    assert kept == pytest.approx(ripple / 2, rel=0.04)
    assert r.mean() == pytest.approx(radius, rel=2 / order**4)  # the circle itself: (λ/2πr)⁴ of it


def test_points_that_repeat_and_tiny_contours():
    circle, _ = wheel(48, 6e-3, 0.0, 0)
    doubled = measure.Contour(3, np.repeat(circle.points, 2, axis=0), 1.0, np.zeros(2), np.eye(2))
    np.testing.assert_allclose(
        measure.smooth_contour(doubled).points, measure.smooth_contour(circle).points, rtol=1e-9, atol=1e-12
    )
    few = measure.Contour(0, circle.points[[0, 0, 1]], 1.0, np.zeros(2), np.eye(2))
    with pytest.raises(ShapeError, match="must have three corners"):
        measure.smooth_contour(few)
    triangle = measure.Contour(0, circle.points[[0, 16, 32]], 1.0, np.zeros(2), np.eye(2))
    assert measure.smooth_contour(triangle, wavelength=1e-3).area > 0


def test_smoothing_lessens_the_noise_of_contours():
    """Of white noise at points h = 0.2 mm apart 2h/λ · 3π/8√2 is kept, a third of the amplitude with λ = 3 mm.

    Neighbouring points share a pixel, which doubles the power at most: 0.47. The circle loses 0.2 µm.
    """
    h, radius, edge = 0.25e-3, 6e-3, 3e5  # [HU/m] of the blurred border
    grid = Grid((64, 64, 1), [h, h, 1e-3])
    x, y = h * np.indices((64, 64))
    depth = radius - np.hypot(x - 8e-3, y - 8e-3)
    values = 500 + edge * depth + 30 * np.random.default_rng(5).normal(size=depth.shape)
    (rough_one,) = measure.slice_contours(Volume(values[..., None], grid), level=500.0, smallest=20e-6)
    errors = [
        np.sqrt(np.mean((np.linalg.norm(one.points - 8e-3, axis=1) - radius) ** 2))
        for one in (rough_one, measure.smooth_contour(rough_one))
    ]
    assert errors[1] < 0.5 * errors[0]


def dice(a, b):
    return 2 * (a & b).sum() / (a.sum() + b.sum())


@pytest.fixture(scope="module")
def bone():
    """An ellipsoid in voxels of 0.25 mm, and every fourth slice of it."""
    mesh = Ellipsoid((6e-3, 5e-3, 8e-3)).to_mesh(64)
    h = 0.25e-3
    fine = Grid((64, 56, 73), [h] * 3, (-7.9e-3, -6.9e-3, -8.9e-3))
    truth = mesh_voxels(mesh, fine)
    thick = Grid((64, 56, 19), [h, h, 4 * h], fine.origin)
    return truth, Labels(truth[..., ::4].astype(np.int32), thick, {1: "lunate"}, "left"), fine


def test_three_slices_between_two(bone):
    """Distances and smoothed indicators do alike, far better than the nearest slice; the bare indicator is no better.

    Dice is 1 less half of the part in which two bodies differ. Chords of r(z) = r₀ √(1 − z²/c²) between slices Δ apart
    lose Δ² |r″|/12 of the radius in the mean: over the inner slices Δ² ln(2c/Δ − 1)/8c² of the volume. The ends, at
    most Δ high, are 3Δ²/4c² each. A border of pixels h errs by h/4 in the mean: of three slices in four, with an
    ellipsoid's area over volume of 3/r̄ at most for the least half axis r̄, 9h/16r̄.
    """
    truth, labels, fine = bone
    found = measure.infer_slices(labels)
    assert found.grid.shape == truth.shape
    np.testing.assert_allclose(found.grid.points((3, 4, 5)), fine.points((3, 4, 5)), atol=1e-12)
    assert (found.names, found.side) == (labels.names, "left")
    np.testing.assert_array_equal(found.values[..., ::4], labels.values)
    nearest = truth[..., 4 * np.floor(np.arange(73) / 4 + 0.5).astype(int)]
    smooth, bare = (measure.infer_slices(labels, by="spline", rho=rho).values > 0 for rho in (1e-2, 1e9))
    scores = [dice(one, truth) for one in (found.values > 0, smooth, nearest, bare)]
    h, apart, c, least = 0.25, 1.0, 8.0, 5.0
    differ = apart**2 / c**2 * (np.log(2 * c / apart - 1) / 8 + 2 * 3 / 4) + 9 * h / (16 * least)
    assert min(scores[:2]) > 1 - differ / 2
    assert scores[0] == pytest.approx(scores[1], abs=0.002)
    assert min(scores[:2]) > scores[2] + 0.01
    assert scores[3] == pytest.approx(scores[2], abs=0.002)


def test_bones_do_not_overlap_and_cut_ones_stay_open():
    mask = np.zeros((20, 12, 5), np.int32)
    mask[3:9, 3:9, 1:] = 1
    mask[9:16, 3:9, 1:] = 2
    labels = measure.infer_slices(Labels(mask, Grid(mask.shape, [1e-3, 1e-3, 3e-3])), 2)
    assert labels.values.shape == (20, 12, 13)
    np.testing.assert_array_equal(labels.values[..., -1], mask[..., -1])  # the border of the volume cuts them
    assert set(np.unique(labels.values[3:16, 3:9, 3:])) == {1, 2}
    assert (labels.values[3:9, 3:9, 3:] == 1).all()
    assert not labels.values[..., 0].any()


def test_wrong_input_is_refused(bone):
    with pytest.raises(InputError, match="rho must be positive"):
        measure.smoothing_spline([1.0, 2.0, 4.0], 0.0)
    with pytest.raises(ShapeError, match="values must be on a line or a plane"):
        measure.smoothing_spline(np.zeros((2, 2, 2)), 1.0)
    with pytest.raises(InputError, match="must be a Contour"):
        measure.smooth_contour(np.zeros((5, 2)))
    with pytest.raises(InputError, match="slices between must be a number"):
        measure.infer_slices(bone[1], 0)
    with pytest.raises(InputError, match="way to infer slices must be a known one"):
        measure.infer_slices(bone[1], by="nearest")
    with pytest.raises(InputError, match="labels must be Labels"):
        measure.infer_slices(bone[0])
