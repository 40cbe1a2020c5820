"""Anatomical axes of a wrist, found from its bones alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from motiform.geometry import Mesh
from motiform.geometry.checks import read_only
from motiform.motion.bones.names import DISTAL_ROW, METACARPALS
from motiform.spatial import exp_rotation, log_rotation
from motiform.spatial.checks import Array

__all__ = ["Axes", "find_axes", "long_axis", "rotation_axes", "triangles"]

_END, _SHAFT, _CAP = 12e-3, 45e-3, 1.5e-3  # [m] from the distal end of the radius; of its cut end
_STRAY = np.cos(
    np.radians(35.0)
)  # the capitate stands within some 20° of the shaft; a short piece may show another axis


@dataclass(frozen=True, eq=False)
class Axes:
    """Anatomical directions in the axes of the meshes, and the centre about which angles turn the hand.

    Directions of the forearm belong to the radius. Those of the hand follow the third metacarpal and the capitate,
    since a neutral pose may be bent; bones of the proximal row have the directions halfway between.
    """

    distal: Array
    """Along the shaft of the radius, towards the hand, (3,)."""
    radial: Array
    """Towards the thumb, along the wide axis of the end of the radius, (3,)."""
    palmar: Array
    """Towards the palm, (3,)."""
    center: Array
    """Centre of the head of the capitate [m], (3,)."""
    hand: Array
    """Rows distal, radial, palmar of the hand, (3, 3)."""
    shown: float
    """Length of the radius that its mesh shows [m]."""
    side: Literal["right", "left"] | None
    """Which wrist the meshes show: (distal × radial) · palmar is −1 on the right. None: too few bones to tell."""

    @property
    def forearm(self) -> Array:
        """Rows distal, radial, palmar of the forearm, (3, 3)."""
        return np.stack([self.distal, self.radial, self.palmar])

    @property
    def bent(self) -> float:
        """By how much the hand is bent towards the palm in the neutral pose [rad]; negative: extended."""
        return float(np.arctan2(self.hand[0] @ self.palmar, self.hand[0] @ self.distal))

    def of(self, bone: str) -> Array:
        """Return rows distal, radial, palmar of a bone: the components of v along them are of(bone) @ v, (3, 3)."""
        if bone in ("radius", "ulna"):
            return self.forearm
        if bone in DISTAL_ROW or bone in METACARPALS:
            return self.hand
        turn = self.hand.T @ self.forearm  # takes directions of the forearm to those of the hand
        return self.forearm @ exp_rotation(0.5 * log_rotation(turn)).T


def rotation_axes(distal: Array, radial: Array, palmar: Array) -> Array:
    """Return the axes of flexion, ulnar deviation and pronation, (3, 3) by rows: right-handed on either side.

    Positive turns go towards the palm, towards the ulna, and of the radial side towards the palm.
    """
    return np.stack([np.cross(distal, palmar), np.cross(radial, distal), np.cross(radial, palmar)])


def triangles(mesh: Mesh) -> tuple[Array, Array, Array]:
    """Return centroids (F, 3) [m], unit normals (F, 3) and areas (F,) [m²]."""
    corners = mesh.vertices[mesh.faces]
    turn = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice = np.linalg.norm(turn, axis=1)
    kept = twice > 0
    return corners[kept].mean(axis=1), turn[kept] / twice[kept, None], 0.5 * twice[kept]


def find_axes(meshes: Mapping[str, Mesh], side: str) -> Axes:
    """Return the axes of a wrist; `side` decides only where the bones do not show which wrist they are."""
    centers = {name: _centroid(mesh) for name, mesh in meshes.items()}
    radius, capitate = triangles(meshes["radius"]), centers["capitate"]
    distal = _shaft(radius, capitate)
    radial = _wide(radius, distal, _towards_thumb(centers, distal))
    dorsal_right = np.cross(distal, radial)
    palm = _towards_palm(centers)
    height = 0.0 if palm is None else float(palm @ dorsal_right)
    seen: Literal["right", "left"] | None = None
    if abs(height) > 1e-3:  # [m] the palm's bones stand 5 to 12 mm out of the row
        seen = "right" if height < 0 else "left"
    sign = -1.0 if (seen or side) == "right" else 1.0
    hand = _hand_axes(meshes, centers, distal, radial, sign)
    center = _head(meshes["capitate"], hand[0])
    shown = float(np.ptp(radius[0] @ distal))
    distal, radial, palmar, center, hand = map(read_only, (distal, radial, sign * dorsal_right, center, hand))
    return Axes(distal, radial, palmar, center, hand, shown, seen)


def _hand_axes(
    meshes: Mapping[str, Mesh], centers: Mapping[str, Array], distal: Array, radial: Array, sign: float
) -> Array:
    """Return distal, radial and palmar of the hand, (3, 3)."""
    middle = [centers[name] for name in ("metacarpal3", "metacarpal2", "metacarpal4") if name in centers]
    along = middle[0] - centers["capitate"] if middle else long_axis(meshes["capitate"], distal)
    along = _unit(along)
    found = [
        centers[a] - centers[b]
        for a, b in (("trapezoid", "hamate"), ("metacarpal2", "metacarpal4"), ("metacarpal2", "metacarpal5"))
        if a in centers and b in centers
    ]
    across = np.sum([_unit(v - (v @ along) * along) for v in found], axis=0) if found else radial
    across = _unit(across - (across @ along) * along)
    return np.stack([along, across, sign * np.cross(along, across)])


def long_axis(mesh: Mesh, distal: Array) -> Array:
    """Return the direction in which a bone is longest, on the distal side."""
    centers, _, areas = triangles(mesh)
    rows = centers - areas @ centers / areas.sum()
    axis = np.linalg.eigh((rows * areas[:, None]).T @ rows)[1][:, 2]
    return np.asarray(axis if axis @ distal > 0 else -axis)


def _centroid(mesh: Mesh) -> Array:
    centers, _, areas = triangles(mesh)
    return np.asarray(areas @ centers / areas.sum())


def _shaft(radius: tuple[Array, Array, Array], capitate: Array) -> Array:
    """Return the direction of the shaft, to which the normals of its sides are as square as can be.

    If that is far from the direction of the capitate, the piece is too short to have sides, and the capitate's is it.
    """
    centers, normals, areas = radius
    near = np.argsort(((centers - capitate) ** 2).sum(axis=1))[: max(len(centers) // 20, 4)]
    distal = towards = _unit(capitate - centers[near].mean(axis=0))
    for _ in range(6):
        along = centers @ distal
        low, high = max(along.min() + _CAP, along.max() - _SHAFT), along.max() - 0.8 * _END
        sides = (along > low) & (along < high) & (np.abs(normals @ distal) < 0.8)
        if sides.sum() < 8:
            break
        axis = np.linalg.eigh((normals[sides] * areas[sides, None]).T @ normals[sides])[1][:, 0]
        distal = axis if axis @ distal > 0 else -axis
    return distal if distal @ towards > _STRAY else towards


def _wide(radius: tuple[Array, Array, Array], distal: Array, thumb: Array) -> Array:
    """Return the direction in which the end of the radius is widest, on the thumb's side."""
    centers, _, areas = radius
    along = centers @ distal
    end = along > along.max() - _END
    rows = centers[end] - areas[end] @ centers[end] / areas[end].sum()
    rows = rows - np.outer(rows @ distal, distal)
    axis = np.linalg.eigh((rows * areas[end, None]).T @ rows)[1][:, 2]
    axis = axis if axis @ thumb > 0 else -axis
    return _unit(axis - (axis @ distal) * distal)


def _towards_thumb(centers: Mapping[str, Array], distal: Array) -> Array:
    """Return a direction from the little finger's side to the thumb's, from all bones that tell."""
    pairs = (
        ("scaphoid", "lunate"), ("scaphoid", "triquetrum"), ("trapezium", "hamate"), ("trapezoid", "hamate"),
        ("metacarpal2", "metacarpal5"), ("metacarpal2", "metacarpal4"), ("radius", "ulna"),
    )  # fmt: skip
    found = [centers[a] - centers[b] for a, b in pairs if a in centers and b in centers]
    total = np.sum([_unit(v - (v @ distal) * distal) for v in found], axis=0) if found else np.zeros(3)
    return np.asarray(total)


def _towards_palm(centers: Mapping[str, Array]) -> Any:
    """Return a vector [m] from the capitate to the bones that stand out into the palm, or None."""
    found = [centers[name] for name in ("pisiform", "trapezium") if name in centers]
    if not found and {"scaphoid", "lunate"} <= set(centers):
        return None
    return np.mean(found, axis=0) - centers["capitate"] if found else None


def _head(capitate: Mesh, distal: Array) -> Array:
    """Return the centre of the ball that fits the proximal quarter of the capitate best."""
    centers, _, areas = triangles(capitate)
    along = centers @ distal
    head = along < along.min() + 0.25 * np.ptp(along)
    weight = np.sqrt(areas[head])[:, None]
    rows = np.concatenate([2.0 * centers[head], np.ones((int(head.sum()), 1))], axis=1)
    shift = centers[head].mean(axis=0)
    rows[:, :3] -= 2.0 * shift
    squares = ((centers[head] - shift) ** 2).sum(axis=1)
    found = np.linalg.lstsq(weight * rows, weight[:, 0] * squares, rcond=None)[0]
    return np.asarray(found[:3] + shift)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-300))
