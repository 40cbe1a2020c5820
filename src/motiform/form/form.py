"""Form: the shape that a motion wears, and what pictures, pages and exported files draw."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError

if TYPE_CHECKING:
    from motiform.geometry import Shape
    from motiform.record import Recording

__all__ = ["Form", "Part", "dress", "strobe"]


@dataclass(frozen=True)
class Part:
    """One shape, carried by one or many moving bodies."""

    name: str
    shape: "Shape"
    """In the frame of the body."""
    offset: np.ndarray
    """Origin of the shape in the frame of the body [m], (3,)."""
    color: np.ndarray
    """Red, green, blue from 0 to 1, (3,) or (count, 3)."""
    position: np.ndarray
    """Origin of the body in the world [m], (samples, count, 3)."""
    orientation: np.ndarray
    """Axes of the body in the world as quaternions (w, x, y, z), (samples, count, 4)."""
    fixed: bool = False
    """Whether it never moves: it stands there once, whatever the instants that a picture shows."""
    points: bool = False
    """Whether it marks points of a channel, which are not there where that is nan."""

    @property
    def count(self) -> int:
        """Number of bodies that carry the shape."""
        return self.position.shape[1]


@dataclass(frozen=True)
class Form:
    """What a recording looks like: parts over time."""

    parts: tuple[Part, ...]
    times: np.ndarray
    """Instants of the samples [s], (samples,)."""
    title: str = ""
    image: dict[str, Any] = field(default_factory=dict)
    """Hints of the scene for pictures: camera, plots."""


def dress(recording: "Recording") -> Form:
    """Return the form of a recording: the shapes named in its manifest on the poses in its channels."""
    from motiform.geometry import shape_from

    wardrobe = recording.manifest.get("form")
    if not wardrobe:
        raise RecordingError(
            "the recording holds no shapes to draw",
            where=recording.manifest.get("title"),
            remedy="Its channels can still be plotted and exported as CSV.",
        )
    moving = next((worn["position"] for worn in wardrobe.values() if "position" in worn), recording.names[0])
    times = recording.time(moving)
    image = dict(recording.manifest.get("image", {}))
    parts = []
    for name, worn in wardrobe.items():
        if _is_ground(worn, image):
            image["ground_height"] = worn["ground"]
            continue
        if "points" in worn or "lines" in worn:
            parts.append(_points(name, worn, recording))
            continue
        shape = shape_from(_with_statics(worn["shape"], recording))
        fixed = "position" not in worn
        if fixed:
            position, orientation = (
                np.broadcast_to(worn[key], (len(times), 1, len(worn[key]))) for key in ("at", "turn")
            )
        else:
            position, orientation = recording[worn["position"]], recording[worn["orientation"]]
        if position.ndim == 2:
            position, orientation = position[:, None], orientation[:, None]
        parts.append(Part(name, shape, np.array(worn["offset"]), np.array(worn["color"]), position, orientation, fixed))
    parts += [_string_of_beads(link, recording, len(times)) for link in recording.manifest.get("links", ())]
    return Form(tuple(parts), times, recording.manifest.get("title", ""), image)


def _is_ground(worn: dict[str, Any], image: dict[str, Any]) -> bool:
    """Return whether the ground of a picture stands for level ground."""
    return (
        "ground" in worn and image.get("ground", True) and image.get("ground_height", worn["ground"]) == worn["ground"]
    )


_BEADS = 24
_FINE_BEADS = 8


def _points(name: str, worn: dict[str, Any], recording: "Recording") -> Part:
    """Return the points of a channel as balls, or lines between those of two channels as beads; none where nan."""
    from motiform.geometry import Ball

    ends = [_several(recording[channel]) for channel in worn.get("lines", [worn.get("points")])]
    position = ends[0]
    if len(ends) == 2:
        along = np.linspace(0, 1, int(worn.get("beads", _FINE_BEADS)))[:, None]
        position = (ends[0][:, :, None] * (1 - along) + ends[1][:, :, None] * along).reshape(len(ends[0]), -1, 3)
    orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*position.shape[:2], 4))
    ball = Ball(float(worn["radius"]))
    return Part(name, ball, np.zeros(3), np.array(worn["color"], float), position, orientation, points=True)


def _several(points: np.ndarray) -> np.ndarray:
    """Return points as (samples, count, 3), also where there is one."""
    found = np.asarray(points, float)
    return found[:, None] if found.ndim == 2 else found


def _string_of_beads(link: dict[str, Any], recording: "Recording", samples: int) -> Part:
    """Return a link between two bodies as beads from one end to the other, so that it is seen to stretch."""
    from motiform.geometry import Ball
    from motiform.spatial import rotate

    ends = []
    for end in link["ends"]:
        point = np.array(end["at"])
        if end["body"] is None:
            ends.append(np.broadcast_to(point, (samples, 3)))
        else:
            turned = rotate(recording[f"{end['body']}.orientation"], point)
            ends.append(recording[f"{end['body']}.position"] + turned)
    along = np.linspace(0, 1, _BEADS)[:, None]
    position = ends[0][:, None] * (1 - along) + ends[1][:, None] * along
    orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (samples, _BEADS, 4))
    color = np.array([0.35, 0.35, 0.38])
    return Part(link["name"], Ball(link["radius"]), np.zeros(3), color, position, orientation)


def strobe(form: Form, count: int = 8) -> Form:
    """Return a form of one sample that shows the bodies at so many instants at once, evenly spread over the motion."""
    if count < 1:
        raise RecordingError("a strobe needs flashes", got=count, allowed="1 or more")
    chosen = np.unique(np.linspace(0, len(form.times) - 1, count).round().astype(int))
    parts = []
    for part in form.parts:
        if part.fixed:
            parts.append(replace(part, position=part.position[:1], orientation=part.orientation[:1]))
            continue
        color = np.broadcast_to(part.color, (part.count, 3))
        parts.append(
            replace(
                part,
                color=np.tile(color, (len(chosen), 1)),
                position=part.position[chosen].reshape(1, -1, 3),
                orientation=part.orientation[chosen].reshape(1, -1, 4),
            )
        )
    return replace(form, parts=tuple(parts), times=form.times[:1])


def _with_statics(description: Any, recording: "Recording") -> Any:
    """Put the arrays that the recording keeps back where the description names them as {"static": name}."""
    if isinstance(description, dict):
        if set(description) == {"static"}:
            return recording.statics[description["static"]]
        return {key: _with_statics(value, recording) for key, value in description.items()}
    if isinstance(description, list):
        return [_with_statics(value, recording) for value in description]
    return description
