"""Implicit surfaces against closed forms and the claims made for them [Habibi97 9.2]."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.form.implicit import Implicit, blobs

RNG = np.random.default_rng(3)
ENDS = RNG.normal(size=(2, 20, 3))
FIELDS = {
    "blinn": Implicit(ENDS[0], kind="blinn", size=3.0, strength=1.0 + RNG.random(20)),
    "distance": Implicit(*ENDS, kind="wyvill", size=1.0 + RNG.random(20), skeleton=np.arange(20) // 4),
    "convolution": Implicit(*ENDS, kind="convolution", size=3.0),
    "selective": Implicit(ENDS[0], kind="wyvill", size=1.3, neighbours=[(0, 1), (2, 3), (3, 4)]),
}


def test_blinns_ball_has_its_radius():
    """C exp(−a r²) = V₀ at r = √(ln(C/V₀)/a)."""
    field = Implicit([(0.1, 0.2, 0.3)], kind="blinn", size=2.0, strength=3.0, level=0.5)
    radius = np.sqrt(np.log(6.0) / 2.0)
    mesh = field.to_mesh(0.1)
    found = np.linalg.norm(field.onto(mesh.vertices, most=0.1) - (0.1, 0.2, 0.3), axis=1)
    # Newton's method leaves e² |V″/2V′| of an error e; it ends after a step below a thousandth of the way allowed.
    assert np.abs(found - radius).max() <= 1.05 * (2.0 * radius - 0.5 / radius) * (1e-3 * 0.1) ** 2


def test_wyvills_kernel():
    """1 at the middle, 0 with slope 0 at R, one half at R/2: its three conditions and the symmetry of the kernel."""
    field = Implicit(np.zeros((1, 3)), kind="wyvill", size=2.0)
    x = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0], [1.999999, 0, 0]])
    np.testing.assert_allclose(field.values(x), [1.0, 0.5, 0.0, 0.0], atol=1e-11)
    np.testing.assert_allclose(field.gradients(x)[[0, 2, 3]], 0.0, atol=3e-6)


@pytest.mark.parametrize("name", FIELDS)
def test_gradients_are_those_of_the_values(name):
    field, x, h = FIELDS[name], RNG.normal(size=(100, 3)), 1e-6
    differences = [(field.values(x + h * e) - field.values(x - h * e)) / (2 * h) for e in np.eye(3)]
    # Rounding 1e-16 V/h; the third derivative times h²/6 is far smaller.
    np.testing.assert_allclose(field.gradients(x), np.stack(differences, axis=1), atol=1e-8)


@pytest.mark.parametrize("name", ["blinn", "distance", "convolution"])
def test_cells_leave_nothing_out(name):
    """Against sums over all elements by numpy; exponentials end at 1e-9 of the level each."""
    field, x = FIELDS[name], RNG.normal(size=(100, 3)) * 1.5
    a, b = field.start[:, None], np.asarray(field.end)[:, None]
    along, away = b - a, x - a
    length = np.linalg.norm(along, axis=-1)
    with np.errstate(invalid="ignore"):
        t = np.nan_to_num(np.clip(np.sum(away * along, axis=-1) / length**2, 0, 1))
    r = np.linalg.norm(away - t[..., None] * along, axis=-1)
    strength, size = (np.broadcast_to(v, 20)[:, None] for v in (field.strength, field.size))
    if name == "blinn":
        expected = (strength * np.exp(-size * r**2)).sum(axis=0)
    elif name == "distance":
        u = np.minimum((r / size) ** 2, 1.0)
        each = 1 - 22 / 9 * u + 17 / 9 * u**2 - 4 / 9 * u**3
        expected = each.reshape(5, 4, -1).max(axis=1).sum(axis=0)
    else:
        nodes, weights = np.polynomial.legendre.leggauss(40)
        places = a + (0.5 + 0.5 * nodes)[:, None, None, None] * along  # (40, 20, 1, 3)
        density = np.exp(-3.0 * ((x - places) ** 2).sum(axis=-1))
        expected = (0.5 * length * np.tensordot(weights, density, axes=1)).sum(axis=0)
    np.testing.assert_allclose(field.values(x), expected, rtol=1e-10, atol=20 * 1e-9 * 0.5)


@pytest.mark.parametrize("kind", ["wyvill", "convolution"])
def test_bumps_of_split_skeletons(kind):
    """Two pieces of one line: by distance the field doubles at their joint, by convolution nothing changes."""
    a, m, b = (0.0, 0, 0), (1.0, 0, 0), (2.5, 0, 0)
    size = 0.8 if kind == "wyvill" else 4.0
    whole = Implicit([a], [b], kind=kind, size=size)
    split = Implicit([a, m], [m, b], kind=kind, size=size)
    x = np.array([[1.0, 0.3, 0.2], [0.4, 0.1, 0.0], [2.0, -0.2, 0.1]])
    ratio = split.values(x) / whole.values(x)
    if kind == "convolution":
        np.testing.assert_allclose(ratio, 1.0, rtol=1e-14)
        return
    assert ratio[0] == pytest.approx(2.0)
    one = Implicit([a, m], [m, b], kind=kind, size=size, skeleton=[0, 0])  # as one skeleton there is no bump
    np.testing.assert_allclose(one.values(x), whole.values(x), rtol=1e-14)


def test_only_neighbours_blend():
    """B – A – C in a row and C beside B: A blends with both, B and C do not, as far as they are the strongest."""
    places, reach = np.array([[0.0, 0, 0], [0.5, 0, 0], [0.5, 0.6, 0]]), 1.0
    chosen = Implicit(places, kind="wyvill", size=reach, neighbours=[(0, 1), (0, 2)])
    alone = [Implicit(places[[n]], kind="wyvill", size=reach) for n in range(3)]
    at_b, at_a = np.array([[0.6, 0.1, 0.0]]), np.array([[0.0, 0.05, 0.0]])
    assert chosen.values(at_b) == pytest.approx(alone[0].values(at_b) + alone[1].values(at_b))
    assert chosen.values(at_a) == pytest.approx(sum(one.values(at_a) for one in alone))


def test_a_drop_that_parts_and_meets_again_is_the_same():
    """The field knows places only, so the way back has the shapes of the way there [Habibi97 9.2.5]."""

    def shape(gap):
        return blobs(np.array([[-0.5 * gap, 0, 0], [0.5 * gap, 0, 0]]), radius=0.5, spacing=0.1)

    there = [shape(gap) for gap in (0.0, 0.8, 1.2, 2.2)]
    back = [shape(gap) for gap in (2.2, 1.2, 0.8, 0.0)]
    for one, other in zip(there, back[::-1], strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)
        np.testing.assert_array_equal(one.faces, other.faces)
    import trimesh

    pieces = [trimesh.Trimesh(mesh.vertices, mesh.faces).body_count for mesh in there]
    assert pieces == [1, 1, 1, 2]


def test_particles_are_balls_alone_and_one_surface_together():
    alone = blobs([[0.0, 0, 0], [np.nan, 0, 0]], radius=0.3, spacing=0.05)
    np.testing.assert_allclose(np.linalg.norm(alone.vertices, axis=1), 0.3, rtol=1e-9)
    grid = np.stack(np.meshgrid(*[np.arange(6) * 0.1] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    block = blobs(grid, radius=0.09)
    assert block.volume > 0.5**3
    assert block.volume < (0.5 + 2 * 0.18) ** 3  # within the reach of the points
    with threads(1):
        again = blobs(grid, radius=0.09)
    np.testing.assert_array_equal(again.vertices, block.vertices)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"kind": "gauss"}, "unknown kind of field"),
        ({"start": [[0.0, 0.0]]}, "ends of elements must be of one shape"),
        ({"start": [[0.0, 0.0, np.inf]]}, "must be finite"),
        ({"size": 0.0}, "`size` must be above 0"),
        ({"level": -1.0}, "the level must be above 0"),
        ({"kind": "convolution"}, "needs elements with a length"),
        ({"skeleton": [-1]}, "`skeleton` must be a whole number"),
    ],
)
def test_bad_fields_are_refused(given, text):
    with pytest.raises(InputError, match=text):
        Implicit(**({"start": [[0.0, 0.0, 0.0]]} | given))


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="neighbours must be skeletons"):
        Implicit(np.eye(3), neighbours=[(0, 3)]).values(np.eye(3))
    with pytest.raises(InputError, match="points must be of shape"):
        Implicit(np.eye(3)).values(np.zeros(3))
    with pytest.raises(InputError, match="a radius must be above 0 and below the reach"):
        blobs(np.eye(3), radius=1.0, reach=0.5)
