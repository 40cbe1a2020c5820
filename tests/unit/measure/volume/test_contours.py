"""Contours of bone slice by slice: area moments of ellipses, tracks of separate bones, branches of those that touch."""

import numpy as np
import pytest

from motiform import measure
from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure import Volume

SPACING = np.array([0.5e-3, 0.4e-3, 1e-3])


def volume(height, shape=(60, 70, 12)):
    """Grey values of a function of places [m]; bone where it is above 0."""
    grid = Grid(shape, SPACING)
    x, y, z = np.meshgrid(*(h * np.arange(n) for h, n in zip(SPACING, shape, strict=True)), indexing="ij")
    return Volume(1e6 * height(x, y, z), grid)


def ball(x, y, z, center, radius):
    return radius - np.sqrt((x - center[0]) ** 2 + (y - center[1]) ** 2 + (z - center[2]) ** 2)


def test_a_contour_has_the_moments_of_its_ellipse():
    """Area π a b and second moments a²/4, b²/4 along the axes; chords of a voxel h cut off (h/a)²/12 of the area."""
    a, b, turn, center = 8e-3, 4e-3, 0.5, np.array([14e-3, 13e-3])
    along = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])

    def height(x, y, z):
        u, v = (row[0] * (x - center[0]) + row[1] * (y - center[1]) for row in along)
        return b * (1.0 - np.sqrt((u / a) ** 2 + (v / b) ** 2))

    for contour in measure.slice_contours(volume(height), level=0.0):
        assert contour.area == pytest.approx(np.pi * a * b, rel=5e-3)
        assert contour.center == pytest.approx(center, abs=1e-5)
        assert along @ contour.spread @ along.T == pytest.approx(np.diag([a * a, b * b]) / 4, abs=0.01 * a * a / 4)
        rim = center + 0.99 * np.array([[a, 0.0], [0.0, b]]) @ along
        assert contour.covers(rim).all()
        assert not contour.covers(center + 1.03 / 0.99 * (rim - center)).any()


def test_separate_bones_are_tracks_and_their_voxels_labels():
    places = [((9e-3, 8e-3, 6e-3), 4e-3), ((20e-3, 8e-3, 5e-3), 4.5e-3), ((14e-3, 20e-3, 4e-3), 5e-3)]
    ct = volume(lambda x, y, z: np.max([ball(x, y, z, *one) for one in places], axis=0))
    found = measure.match_contours(measure.slice_contours(ct, level=0.0))
    assert len(found.tracks) == 3
    assert not found.branches
    labels = measure.contour_labels(found.tracks, ct.grid)
    assert ct.values[labels.values > 0].min() > -1e-6  # [µm]: on the border by rounding
    assert (labels.values > 0).sum() > 0.97 * (ct.values > 0).sum()  # less the ends below the smallest area
    for number, track in enumerate(found.tracks, 1):
        assert [one.slice for one in track] == list(range(track[0].slice, track[-1].slice + 1))
        own = np.argwhere(labels.values == number) * SPACING
        center, radius = min(places, key=lambda one: np.linalg.norm(own.mean(axis=0) - one[0]))
        assert np.linalg.norm(own - center, axis=1).max() <= radius + 1e-9


def test_bones_that_touch_end_their_tracks_in_a_branch():
    pair = [((11e-3, 13e-3, 5e-3), 4e-3), ((18.5e-3, 13e-3, 5e-3), 4e-3)]
    ct = volume(lambda x, y, z: np.max([ball(x, y, z, *one) for one in pair], axis=0))
    found = measure.match_contours(measure.slice_contours(ct, level=0.0))
    assert len(found.tracks) == 5  # two below, one where they touch, two above
    assert [len(many) for _, many in found.branches] == [2, 2]


def test_contours_at_the_border_are_closed_and_holes_left_out():
    def height(x, y, z):
        return np.minimum(ball(x, y, z, (0.0, 14e-3, 5e-3), 9e-3), 3e-3 - ball(x, y, z, (5e-3, 14e-3, 5e-3), 6e-3))

    ct = volume(height)
    middle = [one for one in measure.slice_contours(ct, level=0.0) if one.slice == 5]
    assert len(middle) == 1
    assert middle[0].area == pytest.approx(np.pi * 9e-3**2 / 2, rel=0.05)  # half of it, and half a voxel more


@pytest.mark.slow
def test_a_synthetic_wrist_is_followed_slice_by_slice():
    ct, truth = measure.synthetic_ct(measure.synthetic_bones(distal="z"), spacing=(0.5e-3, 0.5e-3, 1e-3))
    found = measure.match_contours(measure.slice_contours(ct))
    labels = measure.contour_labels(found.tracks[:15], ct.grid)
    seen = set()
    for number in range(1, 16):
        own = truth.values[labels.values == number]
        counts = np.bincount(own[own > 0], minlength=16)
        seen.add(int(counts.argmax()))
        assert counts.max() == counts.sum(), number  # of one bone alone
        assert counts.max() >= 0.95 * (truth.values == counts.argmax()).sum()
    assert len(seen) == 15


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="overlap must be a part"):
        measure.match_contours([], overlap=0.0)
    assert measure.match_contours([]).tracks == []
