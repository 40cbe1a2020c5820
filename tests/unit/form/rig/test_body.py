"""A human as one body: its surface, its weights, and how it bends."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

import motiform.form.rig.body as body_module
from motiform.base.errors import InputError, RecordingError
from motiform.base.kernels import threads
from motiform.form import Looks, ShapeLook, dress, looks_of
from motiform.form.looks import RestSegment
from motiform.form.rig import Posed, Rig, body_rig
from motiform.geometry import Ball, Box
from motiform.geometry.search.closest import pack_solids, signed_distance
from motiform.motion.figures import bip
from motiform.motion.tree import FigureBuilder
from motiform.record import Recording
from motiform.spatial import Transform, rotation_from_quaternion


def solid(body, vertices):
    return trimesh.Trimesh(vertices, body.faces, process=False)


def test_it_is_one_closed_surface(body):
    mesh = solid(body, body.vertices)
    _, shared = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
    assert set(shared) <= {2, 4}  # closed; four where two sheets of a crease touch along an edge
    assert (shared == 4).sum() <= 10
    assert mesh.is_winding_consistent
    assert mesh.body_count == 1
    assert mesh.euler_number == 2  # no handle: in this posture no limb touches another
    assert mesh.volume > 0


def test_soles_are_those_of_the_shapes(body, human):
    looks = looks_of(human)
    for foot in ("right_foot", "left_foot"):
        bone, k = looks.bones[foot], body.segments.index(foot)
        own = body.vertices[(body.joint[:, 0] == k) & (body.weight[:, 0] > 0.7)]
        local = (own - bone.at) @ rotation_from_quaternion(np.array(bone.turn))
        shapes = [looks.parts[name] for name in bone.parts]
        low = min(float(look.shape.bounds[0, 1] + look.offset[1]) for look in shapes)
        assert low - 1e-12 < local[:, 1].min() < low + 1e-3


@pytest.mark.slow  # compiles the search for closest points
def test_it_lies_within_the_blend_of_its_solids(body, human):
    """−h ln Σ exp(−d/h) is below the least distance, by h ln n at most of n solids."""
    looks = looks_of(human)
    shapes = []
    for bone in looks.bones.values():
        frame = Transform(rotation_from_quaternion(np.array(bone.turn)), np.array(bone.at))
        for name in bone.parts:
            look = looks.parts[name]
            shapes += look.shape.pieces(frame @ Transform.translation_of(np.array(look.offset)))
    apart = signed_distance(pack_solids(shapes), body.vertices[::7])[0]
    length = np.ptp(np.concatenate([s.bounds_in(t) for s, t in shapes]), axis=0).max()
    blend = length / 200.0
    on = 1e-3 * length / 130.0  # Newton's method leaves that much of a cell
    assert apart.min() >= -on
    assert apart.max() <= blend * np.log(len(shapes)) + on


def test_weights_follow_the_surface(body):
    assert (body.weight >= 0).all()
    np.testing.assert_allclose(body.weight.sum(axis=1), 1.0, atol=1e-12)

    def weight_of(name):
        return (body.weight * (body.joint == body.segments.index(name))).sum(axis=1)

    for side, sign in (("right", 1.0), ("left", -1.0)):
        finger = np.argmin(np.where(sign * body.vertices[:, 2] > 0.5, body.vertices[:, 1], np.inf))
        assert weight_of(f"{side}_hand")[finger] > 0.99
        # The inner side of a thigh is near the other one in space, and far along the surface.
        knee = body.position[body.segments.index(f"{side}_shank")]
        inner = np.linalg.norm(body.vertices - knee - np.array([0.0, 0.15, -sign * 0.08]), axis=1).argmin()
        other = "left" if side == "right" else "right"
        assert weight_of(f"{side}_thigh")[inner] > 0.9
        assert weight_of(f"{other}_thigh")[inner] < 1e-3


def test_deep_bends_keep_the_volume(body, deep):
    """Folds overlap themselves at the hollow of a knee, so the volume by the divergence theorem is not exact there."""
    [skin] = dress(deep, skin=True).skins
    volume = solid(body, body.vertices).volume
    for sample in range(3):
        assert solid(body, skin.vertices[sample]).volume == pytest.approx(volume, rel=0.05)


def test_the_knee_and_the_twisted_forearm_stay_thick(body, deep):
    """At 130° a linear blend midway between thigh and shank is at cos(65°) of its distance from the joint."""
    [skin] = dress(deep, skin=True).skins
    for sample, child, parent in ((1, "right_shank", "right_thigh"), (2, "right_forearm", "right_upper_arm")):
        pair = [body.segments.index(name) for name in (child, parent)]
        shared = np.isin(body.joint[:, :2], pair).all(axis=1) & (body.weight[:, :2].min(axis=1) > 0.4)
        assert shared.sum() > 20
        joint = pair[0]
        before = np.linalg.norm(body.vertices[shared] - body.position[joint], axis=1)
        now = np.linalg.norm(skin.vertices[sample][shared] - skin.vertices.position[sample, joint], axis=1)
        assert (now / before).min() > 0.85


def test_a_skin_replaces_the_shapes_of_the_segments(deep, recorded):
    plain, smooth = dress(deep), dress(deep, skin=True)
    assert not plain.skins
    assert not smooth.parts
    assert [skin.name for skin in smooth.skins] == ["body"]
    hinted = recorded({}, image={"skin": True})
    assert dress(hinted).skins
    assert not dress(hinted, skin=False).skins


def test_the_same_looks_give_the_same_bits(body, human):
    body_module._known.clear()
    with threads(1):
        again = body_rig(looks_of(human))
    assert again is not body
    for name in ("vertices", "faces", "weight", "joint", "color"):
        np.testing.assert_array_equal(getattr(again, name), getattr(body, name))


def test_a_rig_of_ones_own_is_worn(deep):
    rest = {"head": (tuple(deep["head.position"][0]), tuple(deep["head.orientation"][0]))}
    mask = Rig.bind(np.eye(3), [(0, 1, 2)], rest, {"head": [1.0] * 3})
    form = dress(deep, skin=mask)
    np.testing.assert_allclose(form.skins[0].vertices[0], np.eye(3), atol=1e-12)
    assert len(form.parts) > 20  # all but those of the head


def test_what_cannot_be_worn_is_refused(deep, recorded):
    strange = Rig.bind(np.eye(3), [(0, 1, 2)], {"tail": ((0, 0, 0), (1, 0, 0, 0))}, {"tail": [1.0] * 3})
    with pytest.raises(RecordingError, match="a skin needs the poses of its segments"):
        dress(deep, skin=strange)
    with pytest.raises(RecordingError, match="a skin needs segments with frames at rest"):
        dress(deep, Looks({"head": looks_of_ball("head")}), skin=True)
    at, turn = (0, 0, 0), (1, 0, 0, 0)
    bones = {
        name: RestSegment(parts=(name,), at=at, turn=turn, parent=up)
        for name, up in (("thorax", None), ("head", "thorax"))
    }
    mesh = Box((1, 1, 1)).to_mesh()
    looks = Looks({"head": looks_of_ball("head"), "thorax": looks_of_ball("thorax", mesh)}, {}, bones)
    with pytest.raises(InputError, match="a skin needs solids with a distance"):
        dress(deep, looks, skin=True)


def looks_of_ball(name, shape=None):
    shape = Ball(0.1) if shape is None else shape
    return ShapeLook(shape=shape, color=(1, 0, 0), position=f"{name}.position", orientation=f"{name}.orientation")


def test_bounds_are_found_by_a_few_vertices(body, deep):
    [skin] = dress(deep, skin=True).skins
    few = skin.vertices.outline()
    assert isinstance(few, Posed)
    assert few.shape[1] < 1500
    for sample in range(3):
        whole, some = skin.vertices[sample], few[sample]
        np.testing.assert_allclose(some.min(axis=0), whole.min(axis=0), atol=0.005)
        np.testing.assert_allclose(some.max(axis=0), whole.max(axis=0), atol=0.005)


def test_two_humans_of_one_figure_are_two_bodies(human, recorded):
    both = FigureBuilder()
    for prefix in ("ann.", "bob."):
        both.add(human, prefix)
    looks = looks_of(both.build())
    assert len(looks.bones) == 34
    one = recorded({})
    arrays = {}
    for prefix in ("ann.", "bob."):
        for name in one.names:
            arrays[prefix + name] = (replace(one.channel(name), name=prefix + name), one[name])
    form = dress(Recording.from_arrays(arrays, manifest=looks.manifest(), statics=looks.statics()), skin=True)
    assert [skin.name for skin in form.skins] == ["body ann.lower_trunk", "body bob.lower_trunk"]
    np.testing.assert_allclose(form.skins[0].vertices[0], form.skins[1].vertices[0], atol=1e-12)
    assert looks_of(bip()).bones == {}
