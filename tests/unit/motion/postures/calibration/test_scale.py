"""Figures scaled segment by segment: places, inertia, looks, masses, and what cannot be scaled."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Compound, Cylinder, Ellipsoid, Mesh
from motiform.motion.figures import human36
from motiform.motion.postures.calibration.scale import has_lengths, scale_figure, scale_inertia
from motiform.motion.tree import FigureBuilder, joints, tags
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.joints import AxesJoint, Axis, FunctionJoint, Polynomial, Spline
from motiform.motion.tree.model.segment import SegmentShape, Tag
from motiform.spatial import Transform, random_rotation

ROUND = 1e-12  # m: a few roundings of numbers near 1


def leg():
    """A pelvis that floats, a hip seen from the child, a knee whose shank slides as it bends, an ankle of two axes."""
    b = FigureBuilder(name="leg")
    R = random_rotation(np.random.default_rng(4))
    b.segment("pelvis", None, joints.free(), mass=10.0, com=(0, 0.1, 0), inertia=np.diag([0.1, 0.12, 0.09]))
    hip = AxesJoint([Axis("revolute", a, (0.01, 0.2, -0.02)) for a in np.eye(3).tolist()], ["hx", "hy", "hz"])
    b.segment("thigh", "pelvis", hip, placement=Transform(R, (0.0, -0.1, 0.15)), mass=7.0, com=(0, -0.2, 0))
    knee = FunctionJoint(
        [Axis("prismatic", (1, 0, 0)), Axis("prismatic", (0, 1, 0)), Axis("revolute", (0, 0, 1))],
        [Spline([-2.0, 0.0, 1.0], [0.01, 0.0, 0.02]), Polynomial((0.01, 0.003)), Polynomial((0.0, 1.0))],
        [0, 0, 0],
        ["knee"],
    )
    b.segment("shank", "thigh", knee, placement=Transform.translation_of((0, -0.4, 0)), mass=3.0, com=(0, -0.2, 0))
    foot = joints.universal((0, 0, 1), (1, 0, 0))
    b.segment("foot", "shank", foot, placement=Transform.translation_of((0, -0.4, 0.01)))
    for k, segment in enumerate(("pelvis", "thigh", "shank", "foot")):
        b.tag(f"{segment}_a", segment, (0.05, 0.1 * k - 0.2, 0.03))
        b.tag(f"{segment}_b", segment, (-0.02, 0.05, 0.07))
    return b.build()


def postures(figure, count, seed=0):
    rng = np.random.default_rng(seed)
    q = np.broadcast_to(figure.neutral(), (count, figure.nq)).copy()
    q[:, 7:] += rng.normal(0, 0.5, (count, figure.nq - 7))
    q[:, :3] = rng.normal(0, 1, (count, 3))
    q[:, 3:7] = rng.normal(0, 1, (count, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q


def test_a_figure_scaled_as_a_whole_is_its_picture_in_that_scale():
    figure, s = leg(), 1.3
    q = postures(figure, 5)
    larger = scale_figure(figure, dict.fromkeys(figure.names, s))
    far = q.copy()
    far[:, :3] *= s
    np.testing.assert_allclose(tags(larger, far), s * tags(figure, q), atol=ROUND)


def test_each_segment_has_its_own_factor_and_the_hip_stays_where_both_bones_meet():
    figure = leg()
    f, g = np.array([1.1, 0.9, 1.2]), 1.25
    found = scale_figure(figure, {"pelvis": f, "thigh": g})
    q = postures(figure, 3)
    at, was = forward_kinematics(found, q), forward_kinematics(figure, q)
    center = np.array(figure.segment("thigh").joint.axes[0].point)
    for k in range(3):
        in_pelvis = was.rotation[k, 0].T @ (was.rotation[k, 1] @ center + was.position[k, 1] - was.position[k, 0])
        seen = at.rotation[k, 0].T @ (at.rotation[k, 1] @ (g * center) + at.position[k, 1] - at.position[k, 0])
        np.testing.assert_allclose(seen, f * in_pelvis, atol=ROUND)
    assert found.tags[2].point == pytest.approx(tuple(g * np.array(figure.tags[2].point)))
    knee = found.segment("shank").joint  # slides in the thigh: with its factor
    np.testing.assert_allclose(knee.functions[0].y, g * figure.segment("shank").joint.functions[0].y)
    assert knee.functions[1].coefficients == pytest.approx((g * 0.01, g * 0.003))
    assert knee.functions[2].coefficients == (0.0, 1.0)
    assert type(knee) is FunctionJoint
    assert figure.segment("shank").joint.functions[1].coefficients == (0.01, 0.003)  # the old one is as it was


def test_a_coordinate_that_is_a_shift_keeps_its_slope():
    b = FigureBuilder()
    slide = FunctionJoint([Axis("prismatic", (1, 0, 0))], [Polynomial((0.2, 1.0))], [0], ["tx"])
    b.segment("base", None, joints.fixed())
    b.segment("cart", "base", slide, mass=1.0)
    found = scale_figure(b.build(), {"base": 2.0})
    assert found.segment("cart").joint.functions[0].coefficients == (0.4, 1.0)


def test_inertia_of_a_stretched_box_is_that_of_the_longer_box():
    size, f = np.array([0.1, 0.4, 0.2]), np.array([1.2, 0.8, 1.5])

    def box(edges, m):
        return (
            m
            / 12
            * np.diag([edges[1] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[1] ** 2])
        )

    np.testing.assert_allclose(scale_inertia(box(size, 2.0), f, 1.5), box(f * size, 3.0), atol=1e-15)
    np.testing.assert_allclose(scale_inertia(box(size, 2.0), 2 * np.ones(3)), 4 * box(size, 2.0), atol=1e-15)


def test_masses_keep_their_parts_or_follow_the_volumes():
    figure = leg()
    factors = {"thigh": (1.0, 2.0, 1.0)}
    kept, given = scale_figure(figure, factors), scale_figure(figure, factors, mass=40.0)
    grown = scale_figure(figure, factors, by="volume")
    both = scale_figure(figure, factors, mass=54.0, by="volume")
    assert [s.mass for s in kept.segments] == [10.0, 7.0, 3.0, 0.0]
    assert [s.mass for s in given.segments] == pytest.approx([20.0, 14.0, 6.0, 0.0])
    assert [s.mass for s in grown.segments] == pytest.approx([10.0, 14.0, 3.0, 0.0])
    assert [s.mass for s in both.segments] == pytest.approx([20.0, 28.0, 6.0, 0.0])
    assert given.segment("pelvis").inertia[0, 0] == pytest.approx(0.2)
    np.testing.assert_allclose(kept.segment("thigh").com, (0, -0.4, 0))


def test_looks_are_stretched():
    mesh = Mesh(np.eye(3), [[0, 1, 2]])
    lying = Transform(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), (1.0, 1.0, 1.0))  # its y along −x
    shapes = [Box((1, 1, 1)), Ellipsoid((1, 2, 3)), Ball(1.0), Cylinder(1.0, 2.0), Capsule(1.0, 2.0), mesh]
    shapes.append(Compound(((Box((1, 1, 1)), Transform.translation_of((0, 1, 0))),)))
    figure = leg().replace(segments={"foot": {"parts": tuple(SegmentShape(s, lying) for s in shapes)}})
    parts = scale_figure(figure, {"foot": (2.0, 3.0, 4.0)}).segment("foot").parts
    box, egg, ball, rod, capsule, skin, several = (part.shape for part in parts)
    assert box.size == pytest.approx((3, 2, 4))
    assert egg.radii == pytest.approx((3, 4, 12))
    assert ball.radius == pytest.approx(24 ** (1 / 3))
    assert (rod.radius, rod.height) == pytest.approx((12**0.5, 4.0)) == (capsule.radius, capsule.length)
    np.testing.assert_allclose(skin.vertices, np.diag([3, 2, 4]), atol=ROUND)
    np.testing.assert_allclose(several.parts[0][1].translation, (0, 2, 0), atol=ROUND)
    assert tuple(parts[0].placement.translation) == (2.0, 3.0, 4.0)


def test_closures_and_surfaces_follow():
    from motiform.geometry.surfaces import SphereSurface

    b = FigureBuilder()
    b.segment("a", None, joints.revolute((0, 0, 1)), mass=1.0)
    b.segment("b", "a", joints.revolute((0, 0, 1)), mass=1.0)
    b.close("rod", "a", (0.1, 0, 0), "b", (0.2, 0, 0), rows="distance", length=0.5)
    b.surface("ball", "b", SphereSurface(0.1), Transform.translation_of((0.3, 0, 0)))
    found = scale_figure(b.build(), {"b": 2.0})
    np.testing.assert_allclose(found.surfaces[0].placement.translation, (0.6, 0, 0))
    assert "ball" in found.notes[-1]
    rod = found.closures[0]
    assert (rod.point_a, rod.point_b) == ((0.1, 0.0, 0.0), (0.4, 0.0, 0.0))
    assert rod.length == pytest.approx(0.5 * 2**0.5)


def test_human36_scales_its_lengths_and_tags():
    body = human36(1.8, 80.0)
    s = 1.1
    larger = scale_figure(body, dict.fromkeys(body.names, s), mass=90.0)
    np.testing.assert_allclose(larger.lengths, s * body.lengths, rtol=1e-15)
    q = np.random.default_rng(0).normal(0, 0.4, (4, 42))
    far = q.copy()
    far[:, 36:39] *= s
    np.testing.assert_allclose(tags(larger, far), s * tags(body, q), atol=ROUND)
    assert larger.mass == pytest.approx(90.0)
    assert larger.body_mass == 90.0
    assert larger.replace(lengths={"L5": 0.5}).lengths["L5"] == 0.5  # it still knows how it is made


def test_human36_by_one_length_or_one_segment():
    body = human36()
    one = scale_figure(body, {"L5": 1.1, "left_forearm": 0.9})
    changed = {f"L{k + 1}": b / a for k, (a, b) in enumerate(zip(body.lengths, one.lengths, strict=True)) if a != b}
    assert changed == pytest.approx({"L5": 1.1, "L25": 0.9})
    assert one.mass == pytest.approx(body.mass)
    grown = scale_figure(body, {"right_thigh": 1.1}, by="volume")
    assert grown.masses["right_thigh"] == pytest.approx(1.331 * body.masses["right_thigh"])
    assert grown.masses["left_thigh"] == pytest.approx(body.masses["left_thigh"])
    wide = scale_figure(body, {"lower_trunk": (1.2, 1.0, 1.0)})  # L2 lies in two segments: half of it counts
    assert wide.lengths["L2"] == pytest.approx(1.1 * body.lengths["L2"])


def test_a_human36_with_tags_of_its_own_is_scaled_as_any_figure():
    body = human36()
    own = body.replace(tags=(Tag("KNEE", "right_thigh", (0.0, -0.42, 0.05)),))
    assert has_lengths(body)
    assert not has_lengths(own)
    found = scale_figure(own, {"right_thigh": 1.1})
    assert found.tags[0].point == pytest.approx((0.0, -0.462, 0.055))
    np.testing.assert_allclose(
        found.segment("right_shank").placement.translation, 1.1 * body.segment("right_shank").placement.translation
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"factors": {"thihg": 1.0}}, "Did you mean 'thigh'"),
        ({"factors": {"thigh": -1.0}}, "above zero"),
        ({"factors": {"thigh": (1.0, 2.0)}}, "or three"),
        ({"factors": {"thigh": "long"}}, "or three"),
        ({"factors": [1.0]}, "a mapping"),
        ({"factors": {}, "mass": -3.0}, "above zero"),
        ({"factors": {}, "by": "weight"}, "'volume'"),
    ],
)
def test_bad_factors_are_named(given, text):
    with pytest.raises(InputError, match=text):
        scale_figure(leg(), **given)


def test_what_cannot_be_scaled_is_named():
    with pytest.raises(InputError, match="needs a Figure"):
        scale_figure("leg", {})  # type: ignore[arg-type]
    b = FigureBuilder()
    b.segment("stick", None, joints.free())
    with pytest.raises(InputError, match="without mass"):
        scale_figure(b.build(), {}, mass=2.0)
    with pytest.raises(InputError, match="one number: it is a length"):
        scale_figure(human36(), {"L5": (1.0, 2.0, 1.0)})
