"""One smooth surface over the solids of a figure's segments, bound to them."""

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.implicit.polygons import net_in_boxes
from motiform.form.looks.bone import RestSegment
from motiform.form.looks.shape import ShapeLook
from motiform.form.rig.rig import Rig, heaviest
from motiform.form.rig.tones import cut_tones
from motiform.form.rig.weights import diffused, owners
from motiform.spatial import Transform, rotate, rotation_from_quaternion
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.form.looks import Looks

__all__ = ["body_rig"]

_CELLS = 130  # of the grid along the longest side of the body
_BLEND = 1.0 / 200.0  # blend length over the longest side: two solids that coincide grow by ln 2 times it
_FINE = 0.15  # blend length within a segment over half the least width of its shapes, so that soles stay on the ground
_FAR = 1e3  # [m] distance of what is not near

_KEPT = 8  # bodies
_known: dict[str, Rig] = {}


class _Solids(NamedTuple):
    """Solids of all segments at rest, in the world, as kernels take them."""

    columns: tuple[Any, ...]
    """Kinds (n,), sizes (n, 4), frames (n, 12) and boxes (n, 6)."""
    segment: Any
    color: Any
    """Number of the segment and of the color of each, (n,)."""

    @property
    def boxes(self) -> Array:
        """Lowest and highest corners [m], (n, 2, 3)."""
        return np.asarray(self.columns[3]).reshape(-1, 2, 3)


def body_rig(looks: "Looks") -> Rig:
    """Return one surface over the shapes of all segments that have a frame at rest (`Looks.bones`), bound to them.

    It is the smooth union −h ln Σ exp(−d/h) of the signed distances d of the segments, h a two-hundredth of the body's
    longest side: segments blend within some h, and nothing is sharp. The distance of a segment is the smooth union of
    its shapes, with a smaller h where they are thin. The surface is computed once for a set of looks.
    """
    bones = {name: bone for name, bone in looks.bones.items() if bone.parts}
    if len(bones) < 2:
        remedy = "Give dress the looks of a figure that has them, such as looks_of(human36()), or a Rig."
        raise RecordingError("a skin needs segments with frames at rest", got=f"{len(bones)}", remedy=remedy)
    shapes = {name: [_shape(looks, part) for part in bone.parts] for name, bone in bones.items()}
    plain = [[name, bone.to_plain(), [look.to_plain() for look in shapes[name]]] for name, bone in bones.items()]
    key = json.dumps(plain, default=repr)
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = _build(bones, shapes)
    return _known[key]


def _shape(looks: "Looks", part: str) -> ShapeLook:
    look = looks.parts.get(part)
    if not isinstance(look, ShapeLook) or isinstance(look.color, np.ndarray):
        raise RecordingError("a skin needs shapes of one color each", where="bones", got=part)
    return look


def _build(bones: dict[str, RestSegment], shapes: dict[str, list[ShapeLook]]) -> Rig:
    colors = sorted({tuple(look.color) for own in shapes.values() for look in own})
    solids = _solids(bones, shapes, colors)
    size = float(np.ptp(solids.boxes.reshape(-1, 3), axis=0).max())
    blend, spacing = _BLEND * size, size / _CELLS
    widths = [[0.5 * float(np.ptp(look.shape.bounds, axis=0).min()) for look in own] for own in shapes.values()]
    blends = np.array([min(blend, _FINE * min(own)) for own in widths]), blend
    reach = np.array([[-1.0], [1.0]]) * (blend * np.log(len(solids.segment)) + 2.0 * spacing)
    boxes = solids.boxes + reach
    net = net_in_boxes(lambda x: _union(x, solids, blends)[:, 0], boxes, spacing, slope=1.0)
    points, faces, tone = cut_tones(net.vertices, net.faces, _distances(net.vertices, solids, "color"))
    for _ in range(2):  # Newton's method: off the grid onto the surface
        found = _union(points, solids, blends)
        steep = np.einsum("ij,ij->i", found[:, 1:], found[:, 1:])
        step = np.clip(found[:, 0] / np.maximum(steep, 0.1), -spacing, spacing)
        points = points - step[:, None] * found[:, 1:]
    owner = owners(points, _distances(points, solids, "segment"), _joints(bones, solids))
    joint, weight = heaviest(diffused(points, faces, owner, np.array([max(own) for own in widths])), len(points))
    at, turn = np.array([bone.at for bone in bones.values()]), np.array([bone.turn for bone in bones.values()])
    points = _outside(points, _within(points, joint[:, 0], weight[:, 0], (at, turn), shapes, blend), solids)
    return Rig(points, faces, tuple(bones), at, turn, joint, weight, np.array(colors)[tone])


def _within(
    points: Array, owner: Any, weight: Array, rest: tuple[Array, Array], shapes: dict[str, list[ShapeLook]], most: float
) -> Array:
    """Return vertices that do not reach beyond the box of their segment's shapes, in its own axes.

    A smooth union is outside of its solids where several meet: without this soles would be below the floor. Nothing is
    moved by more than `most` [m], and less what other segments move by 0.3 or more, around joints.
    """
    found, (at, turn) = points.copy(), rest
    for n, looks in enumerate(shapes.values()):
        own = np.flatnonzero((owner == n) & (weight > 0.5))
        boxes = [look.shape.bounds + np.array(look.offset) for look in looks]
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        local = rotate(turn[n] * (1.0, -1.0, -1.0, -1.0), points[own] - at[n])
        excess = np.clip(local, low, high) - local
        share = np.minimum((weight[own] - 0.5) / 0.2, 1.0)[:, None] * (np.abs(excess) <= most)
        found[own] += rotate(turn[n], share * excess)
    return found


def _outside(points: Array, moved: Array, solids: _Solids) -> Array:
    """Return the vertices where they are moved to, or as near to it as they do not enter a solid, in steps of 1/8."""
    found, left = moved.copy(), np.flatnonzero((moved != points).any(axis=1))
    for eighths in range(7, -1, -1):
        left = left[_distances(found[left], solids, "segment").min(axis=1) < 0.0]
        if not len(left):
            break
        found[left] = points[left] + eighths / 8.0 * (moved[left] - points[left])
    return found


def _solids(bones: dict[str, RestSegment], shapes: dict[str, list[ShapeLook]], colors: list[Any]) -> _Solids:
    from motiform.geometry.solids.columns import SIZES
    from motiform.geometry.solids.register import NUMBERS, has_distance

    kinds, sizes, frames, boxes, segment, color = [], [], [], [], [], []
    for n, (name, bone) in enumerate(bones.items()):
        rest = Transform(rotation_from_quaternion(np.array(bone.turn)), np.array(bone.at))
        for look in shapes[name]:
            for shape, pose in look.shape.pieces(rest @ Transform.translation_of(np.array(look.offset))):
                if not has_distance(shape.kind):
                    remedy = "Draw the figure without a skin, or give a rig of your own (Rig.bind)."
                    raise InputError("a skin needs solids with a distance", where=name, got=shape.kind, remedy=remedy)
                kinds.append(NUMBERS[shape.kind])
                sizes.append((*shape.sizes, *[0.0] * (SIZES - len(shape.sizes))))
                frames.append(np.concatenate([pose.rotation.ravel(), pose.translation]))
                boxes.append(shape.bounds_in(pose).ravel())
                segment.append(n)
                color.append(colors.index(tuple(look.color)))
    columns = (np.array(kinds, np.int64), np.array(sizes), np.array(frames), np.array(boxes))
    return _Solids(columns, np.array(segment), np.array(color))


def _joints(bones: dict[str, RestSegment], solids: _Solids) -> list[tuple[int, int, Array, Array, float]]:
    """Return parent, child, centre, direction towards the child and depth under the surface of each joint."""
    names, found = list(bones), []
    middle = np.array([solids.boxes[solids.segment == n].mean(axis=(0, 1)) for n in range(len(names))])
    centres = np.array([bone.at for bone in bones.values()])
    depth = -_distances(centres, solids, "segment")
    for child, bone in enumerate(bones.values()):
        if bone.parent in bones:
            parent = names.index(str(bone.parent))
            along = _unit(middle[child] - centres[child]) + _unit(centres[child] - middle[parent])
            deep = max(float(depth[child, parent]), float(depth[child, child]), 0.0)
            found.append((parent, child, centres[child], _unit(along), deep))
    return found


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-300))


def _union(points: Array, solids: _Solids, blends: tuple[Array, float]) -> Array:
    """Return values [m] and gradients of the smooth union, (n, 4)."""
    from motiform.base.kernels import get_device
    from motiform.form.rig.solid_kernels import smooth_union

    out = np.empty((len(points), 4))
    get_device("cpu").launch(
        smooth_union, len(points), np.ascontiguousarray(points), solids.columns, solids.segment, *blends, out
    )
    return out


def _distances(points: Array, solids: _Solids, by: str) -> Array:
    """Return the least distance to the solids of each segment, or of each color [m], (n, groups)."""
    from motiform.base.kernels import get_device
    from motiform.form.rig.solid_kernels import group_distances

    group = np.asarray(getattr(solids, by), np.int64)
    out = np.full((len(points), int(group.max()) + 1), _FAR)
    get_device("cpu").launch(group_distances, len(points), np.ascontiguousarray(points), solids.columns, group, out)
    return out
