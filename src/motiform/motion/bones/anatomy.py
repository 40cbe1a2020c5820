"""What is read on pictures of a wrist: angles of its axes, carpal height, ulnar variance, the section of the canal.

Angles are those of the lateral view: directions are projected on the plane of distal and palmar of the radius.
Positive turns them towards the palm, as flexion does.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Mesh
from motiform.motion.bones.axes import Axes, rotation_axes
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.helical import bone_poses
from motiform.motion.bones.names import CARPALS, check_bone
from motiform.motion.bones.wrist import Wrist
from motiform.record import Recording
from motiform.spatial.checks import Array

__all__ = [
    "CarpalAngles", "CarpalCanal", "CarpalHeight", "bone_angles", "carpal_angles", "carpal_canal", "carpal_height",
    "ulnar_variance",
]  # fmt: skip

_FACES = 0.5  # cosine of the angle between the tangent's normal and the side that it shall face
_HORNS = 2e-3  # [m] between the tips of a tangent, or the outline has no hollow there
_LINE = 3e-3  # [m] from the axis of the hand: what counts as on it
_BASE = 6e-3  # [m] from the axis: the base of the third metacarpal
_HEAD = 12e-3  # [m] of the ulna: its head
_NOTCH = 3e-3  # [m] beyond the least gap to the ulna: the notch of the radius
_STATIONS = 400  # across the canal
_BRIDGED = 4e-3  # [m] across joints of the floor, which ligaments bridge
CORNERS = {"inlet": ("pisiform", "scaphoid"), "outlet": ("hamate", "trapezium")}
"""Bones between which the flexor retinaculum is, on the ulnar and on the radial side."""


def bone_angles(rec: Recording, bone: str) -> Array:
    """Return flexion, deviation and pronation of a bone from the neutral pose [rad], (n, 3).

    R = exp(flexion e_f) exp(deviation e_d) exp(pronation e_p) about the axes of `settle`, with e_p = radial × palmar:
    positive towards the palm, towards the ulna, and of the radial side towards the palm. At deviations of ±90° flexion
    and pronation are not told apart.
    """
    R, _ = bone_poses(rec, bone)
    found = rec.manifest.get("axes") or {}
    if not {"distal", "radial", "palmar"} <= set(found):
        raise InputError("the recording must be one of a wrist, with its axes", where="bone_angles", got=sorted(found))
    e = rotation_axes(*(np.array(found[name]) for name in ("distal", "radial", "palmar")))
    R = e @ R @ e.T
    flexion, deviation = np.arctan2(-R[:, 1, 2], R[:, 2, 2]), np.arcsin(np.clip(R[:, 0, 2], -1.0, 1.0))
    return np.stack([flexion, deviation, np.arctan2(-R[:, 0, 1], R[:, 0, 0])], axis=1)


@dataclass(frozen=True, eq=False)
class CarpalAngles:
    """Angles of the lateral view [rad], (n,)."""

    radiolunate: Array
    """Tilt of the lunate to the back of the hand: of more than 15° dorsal (DISI), below −15° palmar (VISI)."""
    scapholunate: Array
    """Flexion of the scaphoid beyond the lunate: 30° to 60° are normal [Linscheid72]."""
    capitolunate: Array
    """Flexion of the hand beyond the lunate: within ±15° they are in line."""


def carpal_angles(wrist: Wrist, rec: Recording | None = None) -> CarpalAngles:
    """Return the angles of a wrist in its neutral pose, or at each sample of one of its recordings.

    The axis of the lunate is square to the tangent of its two distal horns, that of the scaphoid along the palmar
    tangent of its two poles, that of the hand from the capitate to the third metacarpal.
    """
    axes, tilt = wrist.axes, {}
    for bone in ("scaphoid", "lunate"):
        check_bone(bone, wrist.bones, "carpal_angles")
    lunate = _tangent(wrist.bones["lunate"].mesh, axes, (1.0, 0.0), "lunate")
    palmar = _tangent(wrist.bones["scaphoid"].mesh, axes, (0.0, 1.0), "scaphoid")
    along = {"lunate": lunate, "scaphoid": np.array([palmar[1], -palmar[0]])}
    directions = {name: v[0] * axes.distal + v[1] * axes.palmar for name, v in along.items()}
    for name, direction in (directions | {"capitate": axes.hand[0]}).items():
        seen = (np.eye(3)[None] if rec is None else bone_poses(rec, name)[0]) @ direction
        tilt[name] = np.arctan2(seen @ axes.palmar, seen @ axes.distal)
    return CarpalAngles(-tilt["lunate"], tilt["scaphoid"] - tilt["lunate"], tilt["capitate"] - tilt["lunate"])


def _tangent(mesh: Mesh, axes: Axes, side: tuple[float, float], name: str) -> Array:
    """Return the normal (distal, palmar) of the line that touches a bone's outline at two tips on that side."""
    from scipy.spatial import ConvexHull

    outline = mesh.vertices @ axes.forearm[[0, 2]].T
    hull = ConvexHull(outline)
    ends = outline[hull.simplices]
    length = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    normals = hull.equations[:, :2]
    length[normals @ np.array(side) < _FACES] = 0.0
    if length.max() < _HORNS:
        raise InputError(
            "the outline of a bone must have two tips to find its axis", where=name,
            got=f"a tangent over {1e3 * length.max():.2g} mm", allowed=f"{1e3 * _HORNS:g} mm or more",
        )  # fmt: skip
    return np.asarray(normals[length.argmax()])


@dataclass(frozen=True, eq=False)
class CarpalHeight:
    """How high the carpus stands."""

    height: Array
    """From the radius to the base of the third metacarpal along its axis [m], (n,); NaN where the axis misses."""
    capitate: float
    """Length of the capitate along that axis [m]."""

    @property
    def ratio(self) -> Array:
        """Height over the length of the capitate, (n,): 1.57 ± 0.05 on radiographs of the healthy [Nattrass94]."""
        return self.height / self.capitate


def carpal_height(wrist: Wrist, rec: Recording | None = None) -> CarpalHeight:
    """Return the carpal height of a wrist in its neutral pose, or at each sample of one of its recordings."""
    check_bone("metacarpal3", wrist.bones, "carpal_height")
    axes = wrist.axes
    base = _along(wrist.bones["metacarpal3"].mesh.vertices, axes.center, axes.hand[0], _BASE).min()
    radius, found = wrist.bones["radius"].mesh.vertices, []
    for (R, p), (S, s) in zip(_moves(rec, "capitate"), _moves(rec, "metacarpal3"), strict=True):
        center, direction = R @ axes.center + p, R @ axes.hand[0]
        top = S @ (axes.center + base * axes.hand[0]) + s
        seat = _along(radius, center, direction, _LINE)
        found.append((top - center) @ direction - seat.max(initial=-np.inf))
    height = np.where(np.isfinite(found), found, np.nan)
    return CarpalHeight(height, float(np.ptp(wrist.bones["capitate"].mesh.vertices @ axes.hand[0])))


def _along(points: Array, center: Array, direction: Array, within: float) -> Array:
    """Return how far points near a line are along it [m]."""
    away = points - center
    along = away @ direction
    return np.asarray(along[np.linalg.norm(away - along[:, None] * direction, axis=1) < within])


def ulnar_variance(wrist: Wrist) -> float:
    """Return by how much the head of the ulna stands farther out than the radius beside it, along the forearm [m].

    The styloid process does not count: only the half of the head towards the radius does. Vertices decide: meshes
    coarser than a millimetre give it no better.
    """
    check_bone("ulna", wrist.bones, "ulnar_variance")
    from scipy.spatial import cKDTree

    axes, ulna, radius = wrist.axes, wrist.bones["ulna"].mesh.vertices, wrist.bones["radius"].mesh.vertices
    head = ulna[ulna @ axes.distal > (ulna @ axes.distal).max() - _HEAD]
    across = head @ axes.radial
    head = head[across >= 0.5 * (across.min() + across.max())]
    gap = cKDTree(ulna).query(radius)[0]
    notch = radius[gap < gap.min() + _NOTCH]
    return float((head @ axes.distal).max() - (notch @ axes.distal).max())


@dataclass(frozen=True, eq=False)
class CarpalCanal:
    """A section of the canal between its bones and the flexor retinaculum, taken as straight."""

    width: Array
    """From tip to tip [m], (n,)."""
    depth: Array
    """From the retinaculum to the deepest bone [m], (n,)."""
    area: Array
    """[m²], (n,)."""


def carpal_canal(wrist: Wrist, rec: Recording | None = None) -> dict[str, CarpalCanal]:
    """Return the sections "inlet" and "outlet" of a wrist in its neutral pose, or at each sample of a recording.

    The retinaculum goes from pisiform to scaphoid and from the hook of the hamate to the ridge of the trapezium, each
    at its most palmar vertex; the section is that of the plane through both and the palmar direction of the hand. The
    floor is that of the bones; gaps of up to 4 mm between them are bridged. NaN where no bone is behind.
    """
    for pair in CORNERS.values():
        for bone in pair:
            check_bone(bone, wrist.bones, "carpal_canal")
    poses = {name: _moves(rec, name) for name in CARPALS if name in wrist.bones}
    found = {}
    for level, corners in CORNERS.items():
        tips = {name: _most(wrist.bones[name].mesh.vertices, wrist.axes.hand[2]) for name in corners}
        rows = []
        for n in range(len(poses["capitate"])):
            now = {name: moves[n] for name, moves in poses.items()}
            ends = [now[name][0] @ tips[name] + now[name][1] for name in corners]
            rows.append(_section(wrist.bones, now, ends[0], ends[1], now["capitate"][0] @ wrist.axes.hand[2]))
        found[level] = CarpalCanal(*np.array(rows).T)
    return found


def _moves(rec: Recording | None, bone: str) -> list[tuple[Array, Array]]:
    """Return rotation and translation [m] of a bone from the neutral pose, at each sample."""
    if rec is None:
        return [(np.eye(3), np.zeros(3))]
    return list(zip(*bone_poses(rec, bone), strict=True))


def _most(points: Array, direction: Array) -> Array:
    return np.asarray(points[(points @ direction).argmax()])


def _section(
    bones: Mapping[str, Bone], poses: Mapping[str, tuple[Array, Array]], one: Array, other: Array, palmar: Array
) -> tuple[float, float, float]:
    """Return width [m], depth [m] and area [m²] between a straight line and the bones behind it."""
    from scipy.ndimage import grey_closing

    width = float(np.linalg.norm(other - one))
    u = (other - one) / width
    v = palmar - (palmar @ u) * u
    v = v / np.linalg.norm(v)
    at = (np.arange(_STATIONS) + 0.5) * width / _STATIONS
    floor = np.full(_STATIONS, -np.inf)
    for name, (R, p) in poses.items():
        mesh = bones[name].mesh
        corners = (mesh.vertices @ R.T + p - one)[mesh.faces]
        floor = np.maximum(floor, _outline(corners @ np.stack([u, v, np.cross(u, v)], axis=1), at))
    window = 2 * round(0.5 * _BRIDGED * _STATIONS / width) + 1
    floor = grey_closing(np.maximum(floor, -1.0), window)
    deep = np.where(floor > -1.0, np.maximum(-floor, 0.0), np.nan)  # NaN: no bone is behind
    return width, float(deep.max()), float(deep.mean() * width)


def _outline(corners: Array, at: Array) -> Array:
    """Return the largest v at stations u of the section w = 0 of triangles (faces, corners, uvw); −inf beyond it."""
    w = corners[..., 2]
    cut = (w.min(axis=1) < 0) & (w.max(axis=1) >= 0)
    ends = []
    for k, j in ((0, 1), (1, 2), (2, 0)):
        a, b = corners[cut, k], corners[cut, j]
        crosses = (a[:, 2] < 0) != (b[:, 2] < 0)
        share = np.where(crosses, a[:, 2] / np.where(crosses, a[:, 2] - b[:, 2], 1.0), np.nan)
        ends.append(a[:, :2] + share[:, None] * (b - a)[:, :2])
    points = np.sort(np.stack(ends, axis=1).view(complex)[..., 0], axis=1)[:, :2]  # by u; the third is NaN
    low, high = points[:, :1], points[:, 1:]
    span = high.real - low.real
    inside = (at >= low.real) & (at <= high.real)
    height = low.imag + (high.imag - low.imag) * (at - low.real) / np.where(span > 0, span, 1.0)
    return np.asarray(np.where(inside, height, -np.inf).max(axis=0, initial=-np.inf))
