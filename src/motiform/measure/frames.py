"""Axes of recordings: rotated to y up, and moved to the frame of a model."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import changed, check_markers, marker_names
from motiform.measure.names import match_names
from motiform.record.recording import Recording, check_recording
from motiform.spatial.up_axis import up_vector, upright

__all__ = ["change_frame", "move", "turn"]

_ANKLES = ("r_lateral_malleolus", "l_lateral_malleolus")
_HIPS = ("r_trochanterion", "l_trochanterion")
_SAMPLES = 20  # in which the subject stands still  [HuMAnS 9.6.4]
_UP = np.array([0.0, 1.0, 0.0])


def turn(rec: Recording, *, up: str, forward: str | None = None) -> Recording:
    """Return the recording with y up, from one in which the axis ``up`` ("z", "-x", …) points up.

    ``forward`` is the axis that becomes x. Without it one stays: x for y or z up, z for x up. Every channel of vectors
    is turned (last axis of three, named "axis"), and the plates of the manifest.
    """
    if forward is None:
        return move(rec, upright(up), np.zeros(3), up="y")
    u, f = up_vector(up), up_vector(forward)
    if abs(f @ u):
        raise InputError("forward lies along up", got=f"up {up}, forward {forward}")
    return move(rec, np.stack([f, u, np.cross(f, u)]), np.zeros(3), up="y")


def move(rec: Recording, rotation: Any, translation: Any, *, up: str | None = None) -> Recording:
    """Return the recording with points p moved to R p + t, and vectors turned.

    Force plates too: the moment about the world's origin becomes that about the new one. ``up`` is the axis that
    points up afterwards, where it is one.
    """
    check_recording(rec)
    R, t = np.asarray(rotation, float), np.asarray(translation, float)
    if R.shape != (3, 3) or t.shape != (3,) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise InputError(
            "a frame must be a rotation (3, 3) and a translation (3,)", got=f"shapes {R.shape} and {t.shape}"
        )
    data = {}
    for name in rec:
        channel = rec.channel(name)
        if channel.dims[-1:] == ("axis",) and channel.shape[-1] == 3:
            data[name] = (channel, _turned(rec[name], R) + (t if channel.unit == "m" else 0.0))
    if "plate.moment" in data:
        data["plate.moment"] = (data["plate.moment"][0], data["plate.moment"][1] + np.cross(t, data["plate.force"][1]))
    manifest: dict[str, Any] = {}
    old = rec.manifest.get("gravity")
    if up is not None:
        manifest = {"up": up, "gravity": (-9.81 * up_vector(up) + 0.0).tolist(), "turned_from": rec.manifest.get("up")}
    elif old is not None:
        manifest = {"gravity": (R @ old + 0.0).tolist()}
    if "plates" in rec.manifest:
        manifest["plates"] = [_moved_plate(plate, R, t) for plate in rec.manifest["plates"]]
    return changed(rec, data, manifest=manifest)


def _turned(values: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return vectors turned; where R only swaps axes every number stays as it was to the last bit."""
    places = np.abs(R).argmax(1)
    signs = R[np.arange(3), places]
    if (np.abs(R).sum(1) == 1).all() and (np.abs(signs) == 1).all():
        return values[..., places] * signs
    return values @ R.T


def _moved_plate(plate: Mapping[str, Any], R: np.ndarray, t: np.ndarray) -> dict[str, Any]:
    found = {**plate, "normal": (R @ np.asarray(plate["normal"])).tolist()}
    if "corners" in plate:  # forces of other files have none
        found["corners"] = (np.asarray(plate["corners"]) @ R.T + t).tolist()
    return found


def change_frame(
    rec: Recording,
    *,
    pose: Mapping[str, Sequence[float]] | None = None,
    ankles: Sequence[str] = _ANKLES,
    hips: Sequence[str] = _HIPS,
    samples: int = _SAMPLES,
    face: bool = False,
) -> Recording:
    """Return the recording in the frame of a model: x forward, y up, z to the right, the origin under the subject.

    Without a ``pose`` as HuMAnS does [HuMAnS 9.6.4]: in the first ``samples`` the subject stands still; the line from
    the middle of its ankles to that of its hips is the vertical, and passes through the origin. Ankles and hips are
    two markers each, right and left. The height stays: the middle of the ankles keeps its place along the vertical as
    measured from the recording's origin. ``face=True`` turns it also about the vertical, so that the hips lie along z,
    right side first.

    With a ``pose``, {marker: point [m]} as a model has them in its zero position (three or more of them seen, not on
    one line), the rigid motion that brings the means of the first samples nearest to them.
    """
    points, names = check_markers(rec), marker_names(rec)
    if not (isinstance(samples, int) and samples > 0):
        raise InputError("samples must be positive", got=samples, allowed="a whole number above 0")
    if pose is not None:
        found = match_names(rec, pose)
        chosen = [(k, tag) for tag, k in zip(found.tags, found.indices, strict=True) if k >= 0]
        here = _still(points, [k for k, _ in chosen], names, samples, rec._where, needed=False)
        there = np.array([pose[tag] for _, tag in chosen], float)
        seen = np.isfinite(here).all(1)
        R, t = _fit(here[seen], there[seen], rec._where)
        return move(rec, R, t, up="y")
    match = match_names(rec, [*ankles, *hips])
    if match.unmatched_tags or len(match.tags) != 4:
        raise InputError(
            "the change of frame needs both ankles and both hips", where=rec._where,
            got=f"no marker {', '.join(match.unmatched_tags)}",
            remedy="Name them by ankles= and hips=, or give a pose.",
        )  # fmt: skip
    still = _still(points, list(match.indices), names, samples, rec._where)
    low, high = still[:2].mean(0), still[2:].mean(0)
    R = _upright(high - low, still[2] - still[3] if face else None, rec._where)
    moved = R @ low
    return move(rec, R, np.array([-moved[0], 0.0, -moved[2]]), up="y")


def _still(
    points: np.ndarray, places: list[int], names: list[str], samples: int, where: str, needed: bool = True
) -> np.ndarray:
    """Return the mean places of markers over the first samples in which each is seen (markers, 3)."""
    part = points[:samples, places]
    seen = np.isfinite(part[..., 0])
    if needed and not seen.any(0).all():
        hidden = ", ".join(names[k] for k, any_seen in zip(places, seen.any(0), strict=True) if not any_seen)
        raise InputError("the markers must be seen at the beginning", where=where, got=hidden,
                         allowed=f"seen once at least in the first {samples} samples")  # fmt: skip
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(seen[..., None], part, 0.0).sum(0) / seen.sum(0)[:, None]


def _upright(vertical: np.ndarray, right: np.ndarray | None, where: str) -> np.ndarray:
    """Return the rotation that brings the vertical to y: the smallest one, or that which brings ``right`` to z."""
    size = np.linalg.norm(vertical)
    if not size > 0:
        raise InputError("ankles and hips must not coincide", where=where)
    y = vertical / size
    if right is not None:
        z = right - (right @ y) * y
        if not np.linalg.norm(z) > 1e-6 * size:
            raise InputError("the hips must lie apart", where=where)
        z = z / np.linalg.norm(z)
        return np.stack([np.cross(y, z), y, z])
    axis, c = np.cross(y, _UP), float(y @ _UP)
    if c < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + K + K @ K / (1 + c))  # [Rodrigues]


def _fit(here: np.ndarray, there: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return R and t with R here + t nearest to there, by least squares."""
    if len(here) < 3:
        raise InputError("a pose needs three markers that are seen", where=where, got=len(here))
    a, b = here - here.mean(0), there - there.mean(0)
    U, s, Vt = np.linalg.svd(b.T @ a)
    if s[1] < 1e-9 * max(s[0], 1e-30):
        raise InputError("the markers of the pose lie on one line", where=where)
    R = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    return R, there.mean(0) - R @ here.mean(0)
