"""Measured orientations and poses of segments as markers of a figure: four on each segment.

Markers at the corners of a regular tetrahedron about a segment's origin, of distance a√3 from it, fit an orientation R
and a position p at once: Σ ‖x_k(q) − y_k‖² = 4 ‖p(q) − p‖² + 4a² ‖R(q) − R‖², so that a turn by a small angle θ costs
as much as a shift by √2 a θ. Where positions are not measured, p follows from those of the parents by the measured
orientations: the chain of segments carries its orientations to its ends.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.poses import holds_poses
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.tree import Figure, forward_kinematics, tags
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import Tag
from motiform.record import Channel, Recording
from motiform.spatial import log_rotation, nearest_rotation

__all__ = ["pose_markers", "segments_of_names"]

_ARM = 0.1  # [m]
_CORNERS = _ARM * np.array([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)])
_STILL = 0.5  # [s] of standing
_TURNING = 0.35  # [rad/s] of somebody who does not stand
_BENT, _ONE_AXIS = np.deg2rad(20.0), 0.8  # knees that tell where forward is bend by so much, about one level axis
_LENGTHS = {  # lengths of Human36 between origins of segments
    "L3": ("right_thigh", "left_thigh"), "L6": ("right_thigh", "right_shank"), "L16": ("left_thigh", "left_shank"),
    "L5": ("right_shank", "right_foot"), "L15": ("left_shank", "left_foot"),
    "L13": ("right_upper_arm", "right_forearm"), "L23": ("left_upper_arm", "left_forearm"),
    "L24": ("right_forearm", "right_hand"), "L25": ("left_forearm", "left_hand"),
}  # fmt: skip
_JOINTS = (
    "lower_trunk",
    "thigh",
    "shank",
    "foot",
    "upper_arm",
    "forearm",
    "hand",
)  # whose origins are centres of joints
_KNEES = (  # segments above and below, of Human36 and of OpenSim's models
    ("right_thigh", "right_shank"),
    ("left_thigh", "left_shank"),
    ("femur_r", "tibia_r"),
    ("femur_l", "tibia_l"),
)
_WORDS = (
    ("lower_trunk", r"pelvis|hips?|sacrum|lowertrunk"),
    ("thorax", r"torso|thorax|chest|trunk|sternum"),
    ("head", r"head|skull"),
    ("thigh", r"femur|thigh|upperleg|upleg"),
    ("shank", r"tibia|shank|shin|lowerleg|leg"),
    ("foot", r"calcn|foot|talus"),
    ("upper_arm", r"humerus|upperarm|uarm"),
    ("forearm", r"ulna|radius|forearm|lowerarm|larm"),
    ("hand", r"hand"),
)


def segments_of_names(names: tuple[str, ...], figure: Figure) -> dict[str, str]:
    """Return {name: segment of the figure} of sensors or segments; names that mean none are left out.

    A name may be that of the segment itself, with or without _imu after it; of Human36 also other words for it.
    """
    found: dict[str, str] = {}
    for name in names:
        bare = re.sub(r"_?(imu|sensor|4x4)$", "", name.strip(), flags=re.IGNORECASE)
        segment = bare if bare in figure.names else _human(bare) if isinstance(figure, Human36) else None
        if segment is not None and segment not in found.values():
            found[name] = segment
    return found


def _human(name: str) -> str | None:
    text = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    parts = [part for part in re.split(r"[\s_.\-]+", text) if part]
    sides = {"r": "right", "right": "right", "l": "left", "left": "left"}
    side = next((sides[part] for part in parts if part in sides), None)
    word = "".join(part for part in parts if part not in sides)
    for kind, pattern in _WORDS:
        if re.fullmatch(pattern, word):
            alone = kind in ("lower_trunk", "thorax", "head")
            return kind if alone else None if side is None else f"{side}_{kind}"
    return None


def pose_markers(
    figure: Figure, rec: Recording, *, static: Recording | None = None, heading: str | None = None
) -> tuple[Figure, Recording, dict[str, Any]]:
    """Return the figure with tags for poses, their markers, and what was assumed {what: (why, value)}.

    Sensors are fixed to segments as they lie while the subject stands: in the posture of the figure at q = 0, with the
    mean over the stillest half second of the static recording, or over the first one of the recording itself.

    Parameters
    ----------
    rec, static : as `motiform.measure.read_poses` gives them.
    heading : of sensors, where the subject looks to while standing: "NAME:AXIS", the axis of a sensor that points
        forward then, such as "pelvis_imu:z". None: at a right angle to the axis about which the knees bend.

    """
    if not holds_poses(rec):
        raise InputError("the recording must be one of poses", where=rec._where, allowed="one of read_poses")
    names = tuple(rec.manifest["labels"]["segment"])
    known = segments_of_names(names, figure)
    own = [name for name in names if name in known]
    segments = [known[name] for name in own]
    root = figure.names[figure.roots[0]]
    if root not in segments:
        raise InputError(
            f"the {root.replace('_', ' ')} must be measured", where=str(rec.manifest.get("source")),
            got=", ".join(names[:12]), allowed=f"a name such as {root} or pelvis_imu",
        )  # fmt: skip
    R = np.asarray(rec["segment.rotation"])[:, [names.index(name) for name in own]]
    assumed: dict[str, Any] = {}
    if rec.manifest["sensors"]:
        R = _aligned(figure, R, own, segments, rec, static, heading, assumed)
    p = None
    if "segment.position" in rec:
        p = np.asarray(rec["segment.position"])[:, [names.index(name) for name in own]]
        figure = _with_lengths(figure, segments, p, assumed)
    origins = _origins(figure, segments, R, p)
    if p is not None and not np.isfinite(p[:, [k for k, name in enumerate(segments) if name != root]]).any():
        origins = _on_ground(figure, segments, R, origins, once=True)
        assumed["place"] = ("the file tells the way of the pelvis alone", "the lowest foot of the trial on the ground")
    if p is None:
        origins = _on_ground(figure, segments, R, origins)
        assumed["place"] = (
            "orientations tell no place",
            "the pelvis stays above one point, the lower foot on the ground",
        )
    left = [name for name in names if name not in known]
    if left:
        assumed["left out"] = ("they are no segments of the figure", ", ".join(left))
    points = origins[:, :, None] + np.einsum("tsij,kj->tski", R, _CORNERS)
    tagged = {
        f"{segment}:{k}": (segment, tuple(corner)) for segment in segments for k, corner in enumerate(_CORNERS, 1)
    }
    return _tagged(figure, tagged), _markers(rec, points.reshape(len(points), -1, 3), list(tagged)), assumed


def _tagged(figure: Figure, tagged: Mapping[str, tuple[str, Any]]) -> Figure:
    if isinstance(figure, Human36):
        return figure.replace(markers=dict(tagged))
    new = tuple(Tag(name, segment, point) for name, (segment, point) in tagged.items())
    return figure.replace(tags=(*figure.tags, *new))


def _markers(rec: Recording, points: Array, names: list[str]) -> Recording:
    own = rec.channel("segment.rotation")
    when: dict[str, Any] = {} if own.rate is None else {"rate": own.rate, "start": own.start}
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=points.shape[1:], **when)
    manifest = {**rec.manifest, "labels": {"marker": names, "axis": ["x", "y", "z"]}, "units": "m"}
    times = None if own.rate is not None else rec.time("segment.rotation")
    return Recording.from_arrays({"markers": (channel, points)}, times=times, manifest=manifest)


# ---------------------------------------------------------------- sensors
def _aligned(
    figure: Figure, R: Array, own: list[str], segments: list[str], rec: Recording, static: Recording | None,
    heading: str | None, assumed: dict[str, Any],
) -> Array:  # fmt: skip
    """Return orientations of segments from those of sensors, by how each lies on its segment while standing."""
    still, words = _standing(R, own, rec, static)
    assumed["standing"] = ("sensors lie on segments as they do while the subject stands upright", words)
    turned = np.einsum("tsij,skj->tsik", R, still)  # since then, in the world: R(t) R(0)ᵀ
    if heading is not None:
        angle, words = _given_heading(still, own, heading), heading
    else:
        angle, words = _heading_of_knees(turned, segments, rec), "at a right angle to the axis of the knees"
    assumed["heading"] = (words, f"{np.rad2deg(angle):.0f}° about the vertical while standing")
    c, s = np.cos(angle), np.sin(angle)
    yaw = np.array([(c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)])
    neutral, _ = forward_kinematics(figure, figure.neutral()[None])
    at = [figure.index(segment) for segment in segments]
    return np.asarray(np.einsum("tsij,jk,skl->tsil", turned, yaw, neutral[0, at]))


def _standing(R: Array, own: list[str], rec: Recording, static: Recording | None) -> tuple[Array, str]:
    """Return the mean orientation of each sensor while the subject stands (sensors, 3, 3), and where it is from."""
    source, words = R, "the first half second of the trial: give a --static trial of standing"
    times = rec.time("segment.rotation")
    if static is not None:
        if not holds_poses(static):
            raise InputError("the static trial must be of sensors, too", where=static._where)
        names = list(static.manifest["labels"]["segment"])
        missing = [name for name in own if name not in names]
        if missing:
            raise InputError("the static trial must have all sensors", where=static._where, got=", ".join(missing))
        source, times = (
            np.asarray(static["segment.rotation"])[:, [names.index(n) for n in own]],
            static.time("segment.rotation"),
        )
        words = str(static.manifest.get("source"))
    count = max(int(np.searchsorted(times, times[0] + _STILL)), 1)
    first = 0
    if static is not None and len(times) > count:
        step = np.linalg.norm(np.diff(source, axis=0), axis=(-2, -1)).max(1)
        moved = np.convolve(np.nan_to_num(step, nan=np.inf), np.ones(max(count - 1, 1)), "valid")
        first = int(np.argmin(moved))
    some = source[first : first + count]
    mean = np.nanmean(some, axis=0)
    if not np.isfinite(mean).all():
        lost = [name for name, value in zip(own, mean, strict=True) if not np.isfinite(value).all()]
        raise InputError("all sensors must be known while the subject stands", got=", ".join(lost), where=words)
    span = float(times[min(first + count, len(times)) - 1] - times[first])
    spread = np.linalg.norm(log_rotation(nearest_rotation(some[-1] @ some[0].swapaxes(-1, -2))), axis=-1).max()
    if span > 0 and spread / span > _TURNING:
        raise InputError(
            "the subject must stand still for half a second", where=words.partition(":")[0],
            got=f"{np.rad2deg(spread / span):.0f} °/s", remedy="Give a static trial of standing: --static.",
        )  # fmt: skip
    return np.asarray(nearest_rotation(mean)), words


def _given_heading(still: Array, own: list[str], heading: str) -> float:
    """Return the angle about the vertical from x to where an axis of a sensor points."""
    from motiform.spatial.up_axis import up_vector

    name, _, axis = heading.rpartition(":")
    if name not in own:
        raise InputError("the heading must name a sensor and its axis", got=heading, allowed=f"{own[0]}:z")
    x, up, z = still[own.index(name)] @ up_vector(axis)
    if abs(up) > 0.9:
        raise InputError("the axis of the heading must be level while the subject stands", got=heading)
    return float(np.arctan2(-z, x))


def _heading_of_knees(turned: Array, segments: list[str], rec: Recording) -> float:
    """Return the angle about the vertical by which the knees' common axis is turned from z: they bend about −z."""
    total, size, most = np.zeros(3), 0.0, 0.0
    for pair in _KNEES:
        if {*pair} <= {*segments}:
            thigh, shank = (turned[:, segments.index(name)] for name in pair)
            bend = thigh.swapaxes(-1, -2) @ shank
            bend = bend[np.isfinite(bend).all(axis=(-2, -1))]
            e = log_rotation(nearest_rotation(bend)) if len(bend) else np.zeros((1, 3))
            angle = np.linalg.norm(e, axis=1)
            total += (e * angle[:, None]).sum(0)
            size += float((angle**2).sum())
            most = max(most, float(np.quantile(angle, 0.95)))
    level = np.hypot(total[0], total[2])
    if most < _BENT or level < _ONE_AXIS * size:
        raise InputError(
            "where the subject looks to must be known", where=str(rec.manifest.get("source")),
            got="no knee that bends by 20° about one level axis",
            remedy='Say the axis of a sensor that points forward while standing: heading="pelvis_imu:z" '
            "(--set markers.heading=pelvis_imu:z).",
        )  # fmt: skip
    return float(np.arctan2(-total[0], -total[2]))


# ---------------------------------------------------------------- places
def _with_lengths(figure: Figure, segments: list[str], p: Array, assumed: dict[str, Any]) -> Figure:
    """Return a Human36 with the lengths between measured origins; both sides have their mean."""
    if not isinstance(figure, Human36):
        return figure
    at = {segment: p[:, k] for k, segment in enumerate(segments)}
    found: dict[str, float] = {}
    for name, (a, b) in _LENGTHS.items():
        far = np.linalg.norm(at[a] - at[b], axis=-1) if a in at and b in at else np.full(1, np.nan)
        if np.isfinite(far).any():
            found[name] = float(np.nanmedian(far))
    pairs = (("L6", "L16"), ("L5", "L15"), ("L13", "L23"), ("L24", "L25"))
    for right, left in pairs:
        both = [found[name] for name in (right, left) if name in found]
        if both:
            found |= dict.fromkeys((right, left), float(np.mean(both)))
    legs = [name for name in ("L5", "L6") if name in found]
    size = sum(found[name] for name in legs) / sum(float(figure.lengths[name]) for name in legs) if legs else 1.0
    given = figure.recipe
    measures: dict[str, Any] = (
        {} if given.height is not None or not legs else {"height": round(size * figure.height, 3)}
    )
    chosen = {name: value for name, value in found.items() if name not in given.lengths and value > 0}
    assumed |= {name: ("lengths of the legs", value) for name, value in measures.items()}
    if chosen:
        assumed["lengths"] = ("measured places of joints", ", ".join(chosen))
    return figure.replace(**measures, lengths=chosen)


def _origins(figure: Figure, segments: list[str], R: Array, p: Array | None) -> Array:
    """Return the origins of measured segments (samples, segments, 3): those measured where they are centres of joints,
    else as the chain of their parents has them. Unmeasured segments between follow their parents without turning.
    """
    neutral, places = (value[0] for value in forward_kinematics(figure, figure.neutral()[None]))
    turns: dict[int, Array] = {}
    at: dict[int, Array] = {}
    for n, name in enumerate(figure.names):
        parent = figure.parent_index(n)
        k = segments.index(name) if name in segments else None
        if parent < 0 or parent not in at:
            if k is None:
                continue
            at[n] = np.zeros((len(R), 3))
        else:
            offset = neutral[parent].T @ (places[n] - places[parent])
            at[n] = at[parent] + turns[parent] @ offset
            follow = turns[parent] @ (neutral[parent].T @ neutral[n])
        if p is not None and k is not None and name.endswith(_JOINTS):
            at[n] = np.where(np.isfinite(p[:, k]).all(-1, keepdims=True), p[:, k], at[n])
        turns[n] = R[:, k] if k is not None else follow
    return np.stack([at[figure.index(name)] for name in segments], axis=1)


def _on_ground(figure: Figure, segments: list[str], R: Array, origins: Array, once: bool = False) -> Array:
    """Return origins shifted upwards, so that the lowest point of the feet is on the ground in each sample, or once."""
    low = []
    for tag in figure.tags:
        if tag.segment in segments and tag.segment.endswith(
            ("foot", "calcn_r", "calcn_l", "shank", "tibia_r", "tibia_l")
        ):
            k = segments.index(tag.segment)
            low.append(origins[:, k, 1] + R[:, k, 1] @ np.asarray(tag.point, float))
    if not low:
        own = tags(figure, figure.neutral()[None])[0]
        return origins + np.array([0.0, -own[:, 1].min(), 0.0])
    points = np.array(low)
    lowest = np.where(np.isfinite(points), points, np.inf).min(axis=0)
    known = np.isfinite(lowest)
    if not known.any():
        return origins
    lowest = np.where(known, lowest, np.median(lowest[known]))
    lowest = np.full_like(lowest, lowest.min()) if once else lowest
    return origins - np.stack([0 * lowest, lowest, 0 * lowest], axis=-1)[:, None]
