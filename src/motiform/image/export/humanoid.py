"""What of a recording is written as a humanoid: the tree of its figure, poses, shapes, tags and measured markers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError, closest
from motiform.form.looks import PointsLook, ShapeLook, looks_in
from motiform.image.export.keys import Track
from motiform.spatial import multiply_quaternions, quaternion_from_rotation
from motiform.spatial.up_axis import upright

if TYPE_CHECKING:
    from motiform.form import Form
    from motiform.form.looks.skeleton import Skeleton
    from motiform.record import Recording

__all__ = ["RESOLUTIONS", "Humanoid", "read_humanoid"]

RESOLUTIONS = ("high", "medium", "low")
"""Shapes as they are; meshes as their convex hulls; sticks from joint to joint."""
_SIDES = {"r": (0.85, 0.15, 0.15), "l": (0.1, 0.55, 0.2), "": (0.05, 0.35, 0.85)}
"""Colours of markers on the right, on the left, and in the middle."""


@dataclass(frozen=True)
class Humanoid:
    """What of a recording is written as a humanoid and its markers."""

    skeleton: "Skeleton"
    names: tuple[str, ...]
    """Of the segments."""
    rest_at: np.ndarray
    """(segments, 3) [m], y up."""
    rest_turn: np.ndarray
    """(segments, 4), y up."""
    track: Track
    """Poses of the segments, y up."""
    shapes: Mapping[str, Mapping[str, ShapeLook]]
    """Of each segment, by the names of parts."""
    markers: np.ndarray | None
    """(samples, markers, 3) [m], nan where hidden, y up."""
    tags: np.ndarray | None
    """(samples, markers, 3) [m], those of the markers."""
    marker_names: tuple[str, ...]
    colors: tuple[tuple[float, float, float], ...]
    marker_radius: float
    tag_radius: float
    resolution: str
    version: str
    """Of H-Anim, whose names are used."""

    @property
    def prefix(self) -> str:
        """What names in the file begin with: H-Anim 1.0 has one for all, 2.0 that of the humanoid."""
        return "hanim_" if self.version == "1.0" else f"{self.skeleton.figure}_"

    def rest_form(self, form: "Form") -> "Form":
        """Return what of a form is neither the figure nor a marker."""
        own = {name for some in self.shapes.values() for name in some}
        own |= {"markers", "tags", "errors"} if self.markers is not None else set()
        return replace(form, parts=tuple(part for part in form.parts if part.name not in own))


def read_humanoid(
    recording: "Recording", up: Any, *, resolution: str = "high", marker_colors: Mapping[str, Any] | None = None,
    version: str = "2.0",
) -> Humanoid:  # fmt: skip
    """Return the humanoid of a recording of a figure, with y up.

    ``marker_colors`` gives markers, by the names of their tags, colours (red, green, blue from 0 to 1); else those on
    the right are red, on the left green, others blue.
    """
    if resolution not in RESOLUTIONS:
        raise InputError("no such resolution", got=resolution, allowed=", ".join(RESOLUTIONS))
    looks = looks_in(recording)
    skeleton = looks.skeleton
    if skeleton is None or not skeleton.segments:
        raise RecordingError(
            "a humanoid needs the recording of a figure", where=recording.manifest.get("title"),
            got="no skeleton in its manifest", remedy="Record the motion of a figure with this version.",
        )  # fmt: skip
    names, R = tuple(skeleton.segments), upright(up)
    turn, rest = np.asarray(quaternion_from_rotation(R)), list(skeleton.segments.values())
    shapes: dict[str, dict[str, ShapeLook]] = {name: {} for name in names}
    for part, look in looks.parts.items():
        carrier = (look.position or "").removesuffix(".position") if isinstance(look, ShapeLook) else ""
        if isinstance(look, ShapeLook) and carrier in shapes:
            shapes[carrier][part] = look
    markers, tags, shown = _markers(recording, skeleton, R)
    balls = {name: look for name, look in looks.parts.items() if isinstance(look, PointsLook)}
    radius = {name: float(np.max(balls[name].radius)) if name in balls else 0.0 for name in ("markers", "tags")}
    return Humanoid(
        skeleton, names, np.array([one.at for one in rest]) @ R.T,
        np.asarray(multiply_quaternions(turn, np.array([one.turn for one in rest]))),
        _track(recording, skeleton, R), shapes, markers, tags, shown, _colors(shown, marker_colors or {}),
        radius["markers"] or 0.01, radius["tags"], resolution, version,
    )  # fmt: skip


def _track(recording: "Recording", skeleton: "Skeleton", R: np.ndarray) -> Track:
    """Return the poses of the segments."""
    missing = [
        f"{name}.{what}"
        for name in skeleton.segments
        for what in ("position", "orientation")
        if f"{name}.{what}" not in recording
    ]
    if missing:
        raise RecordingError("every segment must have its pose recorded", got=f"no {', '.join(missing[:4])}")
    position, orientation = (
        np.stack([np.asarray(recording[f"{name}.{what}"], float) for name in skeleton.segments], axis=1)
        for what in ("position", "orientation")
    )
    turn = np.asarray(quaternion_from_rotation(R))
    return Track(skeleton.figure, position @ R.T, np.asarray(multiply_quaternions(turn, orientation)))


def _markers(
    recording: "Recording", skeleton: "Skeleton", R: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None, tuple[str, ...]]:
    """Return the markers that are ever seen, their tags, and the names of these."""
    names = list(skeleton.tags)
    if "markers" not in recording or "tags" not in recording or recording.channel("markers").shape != (len(names), 3):
        return None, None, ()
    markers, tags = (np.asarray(recording[name], float) for name in ("markers", "tags"))
    seen = np.flatnonzero(np.isfinite(markers).all(-1).any(0))
    return markers[:, seen] @ R.T, tags[:, seen] @ R.T, tuple(names[k] for k in seen)


def _colors(names: tuple[str, ...], given: Mapping[str, Any]) -> tuple[tuple[float, float, float], ...]:
    """Return the colour of each marker."""
    unknown = [name for name in given if name not in names]
    if unknown:
        raise InputError(
            "a colour must be of a marker", got=unknown[0], allowed=", ".join(names) or "no marker is recorded",
            remedy=closest(unknown[0], names),
        )  # fmt: skip
    found = []
    for name in names:
        color = np.asarray(given.get(name, side_color(name)), float)
        if color.shape != (3,) or not ((color >= 0) & (color <= 1)).all():
            raise InputError("a colour must be red, green, blue", where=name, got=given[name], allowed="0 to 1 each")
        found.append((float(color[0]), float(color[1]), float(color[2])))
    return tuple(found)


def side_color(name: str) -> tuple[float, float, float]:
    """Return the colour of a marker by its side: of r_…, right_… or R…, of the left ones, and of others."""
    low = name.lower()
    for side, word in (("r", "right"), ("l", "left")):
        if low.startswith((f"{side}_", f"{word}_", f"{side}.")) or (name[:1] == side.upper() and name[1:2].isupper()):
            return _SIDES[side]
    return _SIDES[""]
