"""H-Anim in X3D: HAnimHumanoid with its HAnimJoint, HAnimSegment and HAnimSite, and measured markers beside it.

H-Anim's neutral posture looks along z with x to the left; that of figures along x with z to the right. Inside the
humanoid everything is in H-Anim's axes, and its rotation turns it into the scene. A joint turns and moves what it
carries from the neutral posture: x → t + c + R (x − c), c its centre there.  [ISO/IEC 19774; X3D 4.0 26]
"""

from functools import partial
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from motiform.image.export.hanim_names import hanim_names
from motiform.image.export.hanim_shapes import add_segment_shapes, add_site_shape, local_points
from motiform.image.export.humanoid import Humanoid
from motiform.image.export.keys import axis_angles, between, poses
from motiform.image.export.x3d import X3DScene, numbers_text
from motiform.spatial import conjugate, multiply_quaternions, rotate

__all__ = ["add_humanoid"]

_STILL = 1e-9  # [m] shift of a joint that is rounding: files keep nine digits
_INTO_SCENE = (0.0, 1.0, 0.0, 0.5 * np.pi)


def add_humanoid(scene: X3DScene, humanoid: Humanoid) -> None:
    """Add the humanoid and its markers to a scene."""
    names = list(humanoid.names)
    own_names = hanim_names(names, humanoid.version)
    top = SubElement(scene.element, "HAnimHumanoid", DEF=scene.name(f"{humanoid.prefix}humanoid"))
    top.attrib |= {"name": humanoid.skeleton.figure, "version": humanoid.version, "rotation": numbers_text(_INTO_SCENE)}
    turns, shifts = _joint_motion(scene, humanoid)
    centers, used = local_points(humanoid.rest_at), dict[str, list[Element]]()
    made: dict[str, Element] = {}
    for k, name in enumerate(names):
        parent = humanoid.skeleton.segments[name].parent
        joint_name, segment_name = own_names[name]
        joint = SubElement(top if parent is None else made[parent], "HAnimJoint")
        joint.attrib |= {"DEF": scene.name(f"{humanoid.prefix}{joint_name}"), "name": joint_name}
        if parent is None:
            joint.attrib["containerField"] = "skeleton"
        joint.attrib["center"] = numbers_text(centers[k])
        made[name] = joint
        used.setdefault("joints", []).append(joint)
        _move_joint(scene, joint, turns[k], shifts[k])
        segment = SubElement(
            joint, "HAnimSegment", DEF=scene.name(f"{humanoid.prefix}{segment_name}"), name=segment_name
        )
        used.setdefault("segments", []).append(segment)
        add_segment_shapes(scene, segment, humanoid, k)
        for tag, own in humanoid.skeleton.tags.items():
            if own.segment == name:
                place = humanoid.rest_at[k] + rotate(humanoid.rest_turn[k], np.array(own.at))
                site = SubElement(segment, "HAnimSite", DEF=scene.name(f"{humanoid.prefix}{tag}"), name=tag)
                site.attrib["translation"] = numbers_text(local_points(place))
                add_site_shape(scene, site, humanoid)
                used.setdefault("sites", []).append(site)
    for field, elements in used.items():
        for element in elements:
            SubElement(top, element.tag, USE=element.attrib["DEF"], containerField=field)
    if humanoid.markers is not None:
        _add_markers(scene, humanoid)


def _joint_motion(scene: X3DScene, humanoid: Humanoid) -> tuple[np.ndarray, np.ndarray]:
    """Return the turns (w, x, y, z) and shifts [m] of the joints at the keys, (segments, keys, 4) and (…, 3)."""
    blocks = [block for _, block in poses(scene.form, humanoid.track, scene.times)]
    position, turn = (np.concatenate([block[n] for block in blocks], axis=1) for n in (0, 1))
    moved = np.asarray(multiply_quaternions(turn, conjugate(humanoid.rest_turn)[:, None]))
    names = list(humanoid.names)
    turns, shifts = np.empty_like(moved), np.empty_like(position)
    for k, name in enumerate(names):
        parent = humanoid.skeleton.segments[name].parent
        if parent is None:
            turns[k], shifts[k] = moved[k], position[k] - humanoid.rest_at[k]
            continue
        p = names.index(parent)
        back = conjugate(moved[p])
        turns[k] = multiply_quaternions(back, moved[k])
        shifts[k] = rotate(back, position[k] - position[p]) + humanoid.rest_at[p] - humanoid.rest_at[k]
    turns[..., 1:], shifts = local_points(turns[..., 1:]), local_points(shifts)
    shifts[np.abs(shifts).max((1, 2)) < _STILL] = 0.0
    return turns, shifts


def _move_joint(scene: X3DScene, joint: Element, turn: np.ndarray, shift: np.ndarray) -> None:
    angles = axis_angles(turn)
    if np.any(angles[0, 3]):
        joint.attrib["rotation"] = numbers_text(angles[0])
    if np.any(shift[0]):
        joint.attrib["translation"] = numbers_text(shift[0])
    scene.animate(joint, "rotation", "OrientationInterpolator", lambda: angles)
    scene.animate(joint, "translation", "PositionInterpolator", lambda: shift)


# ---------------------------------------------------------------- markers
def _add_markers(scene: X3DScene, humanoid: Humanoid) -> None:
    """Add each marker as a ball with a line to its tag, in a switch that is off while the marker is hidden."""
    assert humanoid.markers is not None
    assert humanoid.tags is not None
    known = np.asarray(scene.form.times, float)
    i, u = between(known, scene.times) if len(known) > 1 else (np.zeros(1, int), np.zeros(1))
    after = np.minimum(i + 1, len(known) - 1)
    for k, name in enumerate(humanoid.marker_names):
        places = [_at_keys(points[:, k], i, after, u) for points in (humanoid.markers, humanoid.tags)]
        seen = np.isfinite(places[0]).all(-1)
        if seen.any():
            _add_marker(scene, humanoid, k, name, _held(places[0], seen), places[1], seen)


def _at_keys(points: np.ndarray, before: np.ndarray, after: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Return points at keys, nan where one of the samples that they lie between is hidden."""
    between_two = (1 - part[:, None]) * points[before] + part[:, None] * points[after]
    return np.where((part == 0)[:, None], points[before], np.where((part == 1)[:, None], points[after], between_two))


def _held(points: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return points that stay where they were last seen, at first where they are first seen."""
    last = np.maximum.accumulate(np.where(seen, np.arange(len(seen)), -1))
    return np.asarray(points[np.where(last < 0, np.argmax(seen), last)])


def _add_marker(
    scene: X3DScene, humanoid: Humanoid, k: int, name: str, place: np.ndarray, tag: np.ndarray, seen: np.ndarray
) -> None:
    shown = np.where(seen, 0, -1)
    switch = SubElement(scene.element, "Switch", DEF=scene.name(f"marker_{name}"), whichChoice=str(shown[0]))
    group = SubElement(switch, "Group")
    body = SubElement(group, "Transform", DEF=scene.name(f"marker_{name}_place"), translation=numbers_text(place[0]))
    scene.add_ball(body, humanoid.marker_radius, humanoid.colors[k])
    scene.animate(body, "translation", "PositionInterpolator", lambda: place)
    line = SubElement(group, "Shape")
    SubElement(SubElement(line, "Appearance"), "Material", emissiveColor="0.1 0.1 0.12")
    ends = np.stack([place, tag], axis=1)
    lines = SubElement(line, "IndexedLineSet", coordIndex="0 1 -1")
    points = SubElement(lines, "Coordinate", DEF=scene.name(f"marker_{name}_line"), point=numbers_text(ends[0]))
    scene.animate(points, "point", "CoordinateInterpolator", partial(ends.reshape, len(ends), 6))
    if not (shown == shown[0]).all() and scene.span > 0:
        turns = np.flatnonzero(np.append(True, shown[1:] != shown[:-1]))
        turns = np.unique(np.append(turns, len(shown) - 1))
        scene.switch(switch, (scene.times[turns] - scene.times[0]) / scene.span, shown[turns])
