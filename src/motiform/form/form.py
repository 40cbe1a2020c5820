"""Form: the shape that a motion wears, and what pictures, pages and exported files draw."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.colors import colors_of
from motiform.form.parts import Form, Links, Part, Skin
from motiform.form.upright import up_of

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["Form", "Links", "Part", "Skin", "dress", "strobe"]

_BEADS = 24
_FINE_BEADS = 8


def dress(recording: "Recording") -> Form:
    """Return the form of a recording: the shapes named in its manifest on the poses in its channels.

    An entry of the manifest's "form" is one of

    - a shape: {"shape", "offset", "color", "position", "orientation"} on channels, or {…, "at", "turn"} that stays
    - points: {"points": channel, "radius": one or (points,), "color", "pick": those of the channel's points alone}
    - lines as beads: {"lines": [channel, channel], "radius", "color"}
    - links that stretch: {"links": [channel, channel], "pairs": (links, 2), "radius": one or (links,), "color"}, and
      "gone": {"channel", "values", "pick"}: not drawn while their whole number in a channel is one of the values
    - a skin: {"skin": channel, "faces": (triangles, 3), "color": (3,) or (triangles, 3), "two_sided", "smooth"}

    Arrays may be kept apart as {"static": name}; `colors.colors_of` tells what colors of points and links may be.
    Places stay in the world's axes. What is up in them is told by the manifest: against its "gravity", or the axis "up"
    where there is no gravity, or else y.
    """
    wardrobe = recording.manifest.get("form")
    if not wardrobe:
        raise RecordingError(
            "the recording holds no shapes to draw",
            where=recording.manifest.get("title"),
            remedy="Its channels can still be plotted and exported as CSV.",
        )
    times = recording.time(_clock(wardrobe, recording))
    image = dict(recording.manifest.get("image", {}))
    parts: list[Part] = []
    links: list[Links] = []
    skins: list[Skin] = []
    for name, described in wardrobe.items():
        if _is_ground(described, image):
            image["ground_height"] = described["ground"]
            continue
        worn = _with_statics(described, recording)
        if "links" in worn:
            links.append(_links(name, worn, recording, len(times)))
        elif "skin" in worn:
            skins.append(_skin(name, worn, recording, len(times)))
        elif "points" in worn or "lines" in worn:
            parts.append(_points(name, worn, recording, len(times)))
        else:
            parts.append(_body(name, worn, recording, len(times)))
    parts += [_string_of_beads(link, recording, len(times)) for link in recording.manifest.get("links", ())]
    _stand_under(wardrobe, image)
    title, up = recording.manifest.get("title", ""), up_of(recording.manifest)
    return Form(tuple(parts), times, title, image, tuple(links), tuple(skins), up)


def _clock(wardrobe: dict[str, Any], recording: "Recording") -> str:
    """Return the channel whose samples are those of the form: the first that something is drawn by."""
    for key in ("position", "skin", "points", "links", "lines"):
        for worn in wardrobe.values():
            channel = worn.get(key)
            channel = channel[0] if isinstance(channel, list) else channel
            if channel in recording.names:
                return str(channel)
    return recording.names[0]


def _is_ground(worn: dict[str, Any], image: dict[str, Any]) -> bool:
    """Return whether the ground of a picture stands for level ground."""
    return (
        "ground" in worn and image.get("ground", True) and image.get("ground_height", worn["ground"]) == worn["ground"]
    )


def _stand_under(wardrobe: dict[str, Any], image: dict[str, Any]) -> None:
    """Put the ground of a picture under what reaches below it and says so: two faces at one height would mingle."""
    lowest = [worn["stands"] for worn in wardrobe.values() if "stands" in worn]
    if lowest and min(lowest) < 0.0 and "ground_height" not in image:
        image["ground_height"] = min(lowest)


def _body(name: str, worn: dict[str, Any], recording: "Recording", samples: int) -> Part:
    """Return a shape on the poses of two channels, or where it stays."""
    from motiform.geometry import shape_from

    shape = shape_from(worn["shape"])
    fixed = "position" not in worn or ("at" in worn and worn["position"] not in recording.names)
    if fixed:
        position, orientation = (np.broadcast_to(worn[key], (samples, 1, len(worn[key]))) for key in ("at", "turn"))
    else:
        position, orientation = recording[worn["position"]], recording[worn["orientation"]]
    if position.ndim == 2:
        position, orientation = position[:, None], orientation[:, None]
    return Part(name, shape, np.array(worn["offset"]), np.array(worn["color"]), position, orientation, fixed)


def _points(name: str, worn: dict[str, Any], recording: "Recording", samples: int) -> Part:
    """Return the points of a channel as balls, or lines between those of two channels as beads; none where nan."""
    from motiform.geometry import Ball

    ends = [_several(channel, recording, samples, name) for channel in worn.get("lines", [worn.get("points")])]
    position = ends[0]
    if "pick" in worn:
        position = position[:, np.asarray(worn["pick"], int)]
    if len(ends) == 2:
        along = np.linspace(0, 1, int(worn.get("beads", _FINE_BEADS)))[:, None]
        position = (ends[0][:, :, None] * (1 - along) + ends[1][:, :, None] * along).reshape(len(ends[0]), -1, 3)
    count = position.shape[1]
    orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (samples, count, 4))
    radius = _radii(worn["radius"], count, name)
    color, shades = colors_of(worn["color"], recording, samples, count, name)
    largest = float(radius.max()) if count else 0.0
    scale = None if largest and (radius == largest).all() else radius / (largest or 1.0)
    ghost = not worn.get("matter", False)
    return Part(
        name, Ball(largest or 1.0), np.zeros(3), color, position, orientation, points=True, scale=scale, shades=shades,
        ghost=ghost,
    )  # fmt: skip


def _links(name: str, worn: dict[str, Any], recording: "Recording", samples: int) -> Links:
    """Return straight links between the points of two channels."""
    first, second = (_several(channel, recording, samples, name) for channel in worn["links"])
    pairs = _indices(worn["pairs"], 2, "pairs", name)
    for column, points in enumerate((first, second)):
        _check_below(pairs[:, column], points.shape[1], name)
    color, shades = colors_of(worn.get("color", (0.35, 0.35, 0.38)), recording, samples, len(pairs), name)
    gone = worn.get("gone")
    if gone is not None and gone["channel"] in recording.names:
        hidden = _gone(gone, recording, (samples, len(pairs)), name)
        first, second = np.where(hidden[..., None], np.nan, first[:, pairs[:, 0]]), second[:, pairs[:, 1]]
        pairs = np.repeat(np.arange(len(pairs))[:, None], 2, axis=1)
    return Links(name, first, second, pairs, _radii(worn["radius"], len(pairs), name), color, shades)


def _gone(given: dict[str, Any], recording: "Recording", shape: tuple[int, int], where: str) -> np.ndarray:
    """Return which links are not there, (samples, links)."""
    values = np.asarray(recording[given["channel"]])
    values = values[:, np.asarray(given["pick"], int)] if "pick" in given else values
    if values.shape != shape:
        got = f"{given['channel']!r} of shape {values.shape}"
        raise RecordingError("a channel of links does not fit", where=where, got=got, allowed=f"{shape}")
    return np.isin(values, given["values"])


def _skin(name: str, worn: dict[str, Any], recording: "Recording", samples: int) -> Skin:
    """Return the surface whose vertices are the points of a channel."""
    vertices = _several(worn["skin"], recording, samples, name)
    faces = _indices(worn["faces"], 3, "faces", name)
    _check_below(faces, vertices.shape[1], name)
    color, _ = colors_of(worn["color"], recording, samples, len(faces), name)
    return Skin(name, vertices, faces, color, bool(worn.get("two_sided", True)), bool(worn.get("smooth", True)))


def _several(channel: str, recording: "Recording", samples: int, where: str) -> np.ndarray:
    """Return the points of a channel as (samples, count, 3), also where there is one."""
    found = np.asarray(recording[channel], float)
    found = found[:, None] if found.ndim == 2 else found
    if found.ndim != 3 or found.shape[2] != 3 or len(found) != samples:
        raise RecordingError(
            "a channel of points does not fit",
            where=where,
            got=f"{channel!r} of shape {found.shape}",
            allowed=f"({samples}, points, 3)",
        )
    return found


def _radii(given: Any, count: int, where: str) -> np.ndarray:
    try:
        radius = np.array(np.broadcast_to(np.asarray(given, float), (count,)))
    except (TypeError, ValueError):
        got = f"shape {np.shape(given)}"
        raise RecordingError("radius", where=where, got=got, allowed=f"a number or ({count},) [m]") from None
    if not np.isfinite(radius).all() or (radius < 0).any():
        raise RecordingError("radius", where=where, allowed="0 m or more")
    return radius


def _indices(given: Any, width: int, what: str, where: str) -> np.ndarray:
    found = np.asarray(given)
    if found.ndim != 2 or found.shape[1] != width or not len(found) or found.dtype.kind not in "iu":
        raise RecordingError(
            what, where=where, got=f"shape {found.shape}, {found.dtype}", allowed=f"whole numbers (n, {width})"
        )
    return found.astype(np.int64)


def _check_below(found: np.ndarray, count: int, where: str) -> None:
    if found.min() < 0 or found.max() >= count:
        bad = int(found[(found < 0) | (found >= count)][0])
        raise RecordingError("no such point", where=where, got=bad, allowed=f"0 to {count - 1}")


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
    return replace(
        form,
        parts=tuple(_strobe_part(part, chosen) for part in form.parts),
        links=tuple(_strobe_links(links, chosen) for links in form.links),
        skins=tuple(_strobe_skin(skin, chosen) for skin in form.skins),
        times=form.times[:1],
    )


def _strobe_part(part: Part, chosen: np.ndarray) -> Part:
    if part.fixed:
        return replace(part, position=part.position[:1], orientation=part.orientation[:1])
    return replace(
        part,
        color=_strobe_color(part, chosen),
        position=part.position[chosen].reshape(1, -1, 3),
        orientation=part.orientation[chosen].reshape(1, -1, 4),
        scale=None if part.scale is None else np.tile(part.scale, len(chosen)),
        shades=None,
    )


def _strobe_color(part: Part | Links, chosen: np.ndarray) -> np.ndarray:
    if part.shades is not None:
        return np.concatenate([part.shades.at(k) for k in chosen])
    return np.tile(np.broadcast_to(part.color, (part.count, 3)), (len(chosen), 1))


def _strobe_links(links: Links, chosen: np.ndarray) -> Links:
    steps = np.array([links.first.shape[1], links.second.shape[1]])
    return replace(
        links,
        first=links.first[chosen].reshape(1, -1, 3),
        second=links.second[chosen].reshape(1, -1, 3),
        pairs=np.concatenate([links.pairs + k * steps for k in range(len(chosen))]),
        radius=np.tile(links.radius, len(chosen)),
        color=_strobe_color(links, chosen),
        shades=None,
    )


def _strobe_skin(skin: Skin, chosen: np.ndarray) -> Skin:
    points = skin.vertices.shape[1]
    color = skin.color if skin.color.ndim == 1 else np.tile(skin.color, (len(chosen), 1))
    faces = np.concatenate([skin.faces + k * points for k in range(len(chosen))])
    return replace(skin, vertices=skin.vertices[chosen].reshape(1, -1, 3), faces=faces, color=color)


def _with_statics(description: Any, recording: "Recording") -> Any:
    """Put the arrays that the recording keeps back where the description names them as {"static": name}."""
    if isinstance(description, dict):
        if set(description) == {"static"}:
            return recording.statics[description["static"]]
        return {key: _with_statics(value, recording) for key, value in description.items()}
    if isinstance(description, list):
        return [_with_statics(value, recording) for value in description]
    return description
