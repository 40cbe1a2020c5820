"""Shapes of the segments and sites of a humanoid, in the resolution that is asked for."""

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from motiform.geometry import Capsule, Compound, Mesh, Shape
from motiform.image.export.humanoid import Humanoid
from motiform.image.export.keys import axis_angles
from motiform.image.export.x3d import X3DScene, numbers_text
from motiform.spatial import multiply_quaternions, quaternion_from_rotation, rotate, rotation_y_to

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["add_segment_shapes", "add_site_shape", "hulled", "local_points"]

_LOCAL = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""From the axes of the scene (forward, up, right) to those of H-Anim (left, up, forward)."""
_SLIM, _SHORT = 0.06, 1e-6  # radius of a stick over its length; [m] a stick that is none
_STICK, _SITE = (0.72, 0.72, 0.75), (0.95, 0.45, 0.05)


def local_points(points: "ArrayLike") -> np.ndarray:
    """Return points or axes of the scene in H-Anim's axes, (..., 3)."""
    return np.asarray(points) @ _LOCAL.T + 0.0  # no zero with a sign


def add_segment_shapes(scene: X3DScene, segment: Element, humanoid: Humanoid, k: int) -> None:
    """Add the shapes of a segment in the neutral posture."""
    if humanoid.resolution == "low":
        _add_sticks(scene, segment, humanoid, k)
        return
    placed = np.asarray(multiply_quaternions(quaternion_from_rotation(_LOCAL), humanoid.rest_turn[k]))
    for name, look in humanoid.shapes[humanoid.names[k]].items():
        body = SubElement(segment, "Transform", translation=numbers_text(local_points(humanoid.rest_at[k])))
        body.attrib["rotation"] = numbers_text(axis_angles(placed[None])[0])
        shape = hulled(look.shape) if humanoid.resolution == "medium" else look.shape
        scene.add_shape(body, name, shape, np.asarray(look.offset, float), np.atleast_2d(look.color)[0])


def hulled(shape: Shape) -> Shape:
    """Return a shape with its meshes as their convex hulls."""
    if isinstance(shape, Compound):
        return Compound(tuple((hulled(piece), placement) for piece, placement in shape.parts))
    return _hull(shape) if isinstance(shape, Mesh) else shape


def _hull(mesh: Mesh) -> Mesh:
    """Return the convex hull of a mesh, outward; a flat one stays as it is."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(mesh.vertices)
    except QhullError:
        return mesh
    points, faces = np.asarray(mesh.vertices)[hull.vertices], np.searchsorted(hull.vertices, hull.simplices)
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normal, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Mesh(points, faces)


def _add_sticks(scene: X3DScene, segment: Element, humanoid: Humanoid, k: int) -> None:
    """Add sticks from the joint of a segment to those that it carries; at the end of a limb to its tags' middle."""
    name, begin = humanoid.names[k], humanoid.rest_at[k]
    tree = humanoid.skeleton
    ends = [humanoid.rest_at[n] for n, other in enumerate(humanoid.names) if tree.segments[other].parent == name]
    own = [begin + rotate(humanoid.rest_turn[k], np.array(tag.at)) for tag in tree.tags.values() if tag.segment == name]
    if not ends and own:
        ends = [np.mean(own, axis=0)]
    for end in ends:
        along = local_points(np.asarray(end) - begin)
        size = float(np.linalg.norm(along))
        if size > _SHORT:
            turn = np.asarray(quaternion_from_rotation(rotation_y_to(along)))
            body = SubElement(segment, "Transform", rotation=numbers_text(axis_angles(turn[None])[0]))
            body.attrib["translation"] = numbers_text(local_points(begin) + 0.5 * along)
            scene.add_shape(body, f"{name}_stick", Capsule(_SLIM * size, size), np.zeros(3), np.array(_STICK))


def add_site_shape(scene: X3DScene, site: Element, humanoid: Humanoid) -> None:
    """Add the ball of a tag, where tags are drawn."""
    if humanoid.tag_radius > 0.0:
        scene.add_ball(site, humanoid.tag_radius, _SITE)
