"""Deriche's filters against convolution and closed forms; edges of bone beside level lines."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from scipy.stats import norm

from motiform import measure
from motiform.base.errors import InputError, ShapeError
from motiform.geometry.maps import Grid, mesh_voxels
from motiform.measure import Volume


def kernel(order, alpha, reach):
    """The kernels of [Deriche87], normed so that constants, straight lines and parabolas are exact."""
    n = np.arange(-reach, reach + 1.0)
    q = np.exp(-alpha * np.abs(n))
    if order == 0:
        f = (1 + alpha * np.abs(n)) * q
        return f / f.sum()
    if order == 1:
        f = -n * q
        return -f / (n @ f)
    f = q - q.sum() / (np.abs(n) @ q) * np.abs(n) * q
    return 2 * f / (n * n @ f)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("alpha", [0.1, 0.7, 5.0])
def test_recursions_are_convolutions(order, alpha):
    """What is beyond 400 pixels weighs e^−40 at most."""
    x, reach = np.random.default_rng(1).normal(size=(4, 150)), 400
    held = np.pad(x, [(0, 0), (reach, reach)], mode="edge")
    expected = np.array([np.convolve(row, kernel(order, alpha, reach), mode="valid") for row in held])
    np.testing.assert_allclose(measure.deriche_filter(x, alpha, order=order), expected, atol=1e-12)
    np.testing.assert_allclose(
        measure.deriche_filter(x.T, 2 * alpha, order=order, axis=0, spacing=0.5).T, expected * 2**order, atol=1e-11
    )


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_lines_and_parabolas_are_exact_far_from_the_ends(alpha):
    t = np.arange(-300.0, 301.0)
    for order, values, expected in ((0, 3 + 2 * t, 3 + 2 * t), (1, 2 * t + t * t, 2 + 2 * t), (2, t * t, 2 + 0 * t)):
        found = measure.deriche_filter(values, alpha, order=order)
        np.testing.assert_allclose(found[200:401], expected[200:401], atol=1e-9 * np.abs(values).max())
    pulse = np.zeros(601)
    pulse[300] = 1.0
    continuous = -(alpha**3) / 4 * t * np.exp(-alpha * np.abs(t))
    # Sums of x² e^(−αx) differ from integrals by (α h)⁴/240 relative; the kernel itself is sampled.
    np.testing.assert_allclose(
        measure.deriche_filter(pulse, alpha), continuous, atol=alpha**4 / 120 * np.abs(continuous).max() + 1e-15
    )


def test_a_step_in_noise_is_found_as_well_as_canny_says():
    """σ_x = σ √h/(A √(2α)), the localisation √(2α) of [Deriche87], to first order in the noise.

    Of 4000 steps the deviation is known to 1.1 %; a sampled kernel adds (αh)², 4 %, the next order (σ/A)² α h, 1 %.
    """
    alpha, height, noise, count = 0.2, 8.0, 1.0, 4000
    x = np.arange(160.0)
    rows = np.where(x > 79.5, height, 0.0) + noise * np.random.default_rng(2).normal(size=(count, 160))
    second = measure.deriche_filter(rows, alpha, order=2)[:, 60:100]
    falls = (second[:, :-1] > 0) & (second[:, 1:] <= 0)
    steepest = np.where(falls, measure.deriche_filter(rows, alpha)[:, 60:99], 0.0).argmax(axis=1)
    a, b = (second[np.arange(count), steepest + k] for k in (0, 1))
    places = 60 + steepest + a / (a - b)
    assert places.std() == pytest.approx(noise / (height * np.sqrt(2 * alpha)), rel=0.08)
    assert places.mean() == pytest.approx(79.5, abs=4 * places.std() / np.sqrt(count))


def disc(height, radius=6e-3, h=0.25e-3, blur=0.25e-3, size=64):
    """A disc of bone in tissue of 50 HU, with partial volume and blur, in two slices."""
    fine = (np.arange(8 * size) + 0.5) / 8 - 0.5
    inside = np.hypot(fine[:, None] * h - 8e-3, fine * h - 8e-3) <= radius
    share = inside.reshape(size, 8, size, 8).mean(axis=(1, 3))
    values = 50 + height * gaussian_filter(share, blur / h)
    return Volume(np.repeat(values[..., None], 2, axis=2), Grid((size, size, 2), [h, h, 1e-3]))


@pytest.mark.parametrize("alpha", [2e3, 4e3])
def test_an_edge_is_where_it_is_steepest_however_dense_the_bone_is(alpha):
    """The steepest place of a disc of radius R that is smoothed by s is at R − s²/2R, s² = 4/α² + blur² + h²/12.

    That is the mean of u = y²/2R over the smoothing along the border; to second order the steepest place is α E[u²]
    less far in, 9/(αR) of the 2/(α²R) of the filter. Pixels of h bend the line between them by h²/R. A level line at
    250 HU is further out where bone is denser, by the blur's Φ⁻¹.
    """
    R, h, blur = 6e-3, 0.25e-3, 0.25e-3
    shift = (4 / alpha**2 + blur**2 + h**2 / 12) / (2 * R)
    radii, levels = [], []
    for height in (500.0, 2000.0):
        volume = disc(height)
        found = measure.edge_contours(volume, alpha=alpha)
        assert [one.slice for one in found] == [0, 1]
        radii.append(np.sqrt(found[0].area / np.pi))
        np.testing.assert_allclose(found[0].center, 8e-3, atol=1e-6)
        (line, _) = measure.slice_contours(volume, level=250.0)
        levels.append(np.sqrt(line.area / np.pi))
        s, z = np.hypot(blur, h / np.sqrt(12)), norm.isf(200 / height)
        assert levels[-1] == pytest.approx(R + s * z, abs=s * s / (2 * R) + h * h * z / (8 * s))  # chords of its foot
    assert radii[0] == pytest.approx(radii[1], abs=1e-9)  # the filters are linear
    assert radii[0] == pytest.approx(R - shift, abs=18 / (alpha**3 * R**2) + h * h / R)
    assert levels[1] - levels[0] > 0.2e-3


def test_bones_of_two_densities_beside_level_lines():
    """Areas over all slices of three bones of 1400 and 700 HU: level lines differ by 6 %, edges by 2 %."""
    bones = {n: m for n, m in measure.synthetic_bones(distal="z").items() if n in ("scaphoid", "lunate")}
    by_level, by_edge, pixel = [], [], 0.3e-3
    for cortex in (1400.0, 700.0):
        ct, _ = measure.synthetic_ct(bones, spacing=(pixel, pixel, 1e-3), cortex=cortex, margin=3e-3)
        by_level.append(sum(one.area for one in measure.slice_contours(ct)))
        by_edge.append(sum(one.area for one in measure.edge_contours(ct)))
    truth = pixel**2 * sum(mesh_voxels(mesh, ct.grid).sum() for mesh in bones.values())
    level, edge = (np.array(areas) / truth - 1 for areas in (by_level, by_edge))
    assert np.abs(edge).max() < 0.06 < level[0]
    assert np.ptp(edge) < 0.5 * np.ptp(level)


def test_the_gradient_of_a_step_and_across_slices():
    """A step of height A has α A/4 at its place, in the slice or across slices: (α h)⁴/240 is left out."""
    h, alpha = np.array([0.2e-3, 0.2e-3, 0.5e-3]), 1e3
    for axis in (0, 2):
        shape = [30, 30, 30]
        values = np.zeros(shape)
        np.moveaxis(values, axis, 0)[15:] = 1000.0
        volume = Volume(values, Grid(tuple(shape), h))
        steep = measure.edge_gradient(volume, alpha=alpha, across=True).values
        q = np.exp(-alpha * h[axis])
        beside = (1 - q) ** 3 / (2 * q * (1 + q)) * q / (1 - q) ** 2 * 1000 / h[axis]  # Σ n qⁿ over one side
        assert steep.max() == pytest.approx(beside, rel=1e-5)
        assert beside == pytest.approx(0.25 * alpha * 1000, rel=(alpha * h[axis]) ** 2 / 2)
        in_slice = measure.edge_gradient(volume, alpha=alpha).values
        assert (in_slice.max() > 1e-6) == (axis == 0)


def test_slices_far_thicker_than_pixels():
    """Across them neighbours are compared, half a slice on either side: A/2h."""
    values = np.zeros((8, 8, 6))
    values[..., 3:] = 1000.0
    volume = Volume(values, Grid(values.shape, [0.1e-3, 0.1e-3, 6e-3]))
    steep = measure.edge_gradient(volume, across=True).values
    assert steep.max() == pytest.approx(1000 / (2 * 6e-3), rel=1e-6)


def test_edges_that_do_not_close_and_noise_are_left_out():
    ct = disc(1500.0)
    assert measure.edge_contours(ct.cropped((32, 0, 0), (64, 64, 2))) == []
    noise = 50 + 25 * np.random.default_rng(4).normal(size=(64, 64, 3))
    noise[:2, :2] = -1000
    assert measure.edge_contours(Volume(noise, Grid(noise.shape, 0.25e-3))) == []


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="alpha must be positive"):
        measure.deriche_filter(np.zeros(5), 0.0)
    with pytest.raises(InputError, match="order of a derivative must be known"):
        measure.deriche_filter(np.zeros(5), 1.0, order=3)
    with pytest.raises(ShapeError, match="values must be along an axis"):
        measure.deriche_filter(np.zeros(5), 1.0, axis=1)
    with pytest.raises(InputError, match="must be those of a Volume"):
        measure.edge_contours(np.zeros((5, 5, 5)))
    with pytest.raises(ShapeError, match="least"):
        measure.edge_contours(disc(1500.0), least=-1.0)
