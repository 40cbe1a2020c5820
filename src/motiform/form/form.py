"""From a recording to the geometry that pictures, the studio and exported files draw."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.clouds import Cloud
from motiform.form.looks import Looks, ShapeLook, looks_in
from motiform.form.looks.looks import KINDS
from motiform.form.parts import Form, LinkParts, Part, Skin
from motiform.form.rig.rig import Rig
from motiform.form.surfaces import AnimatedSurface
from motiform.form.upright import up_of
from motiform.record.manifest import check_manifest
from motiform.record.recording import check_recording

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["dress", "form_of", "strobe"]


def dress(recording: "Recording", looks: Looks | None = None, *, skin: bool | Rig | None = None) -> Form:
    """Return the form of a recording: its looks on the poses and places in its channels.

    Looks are those of its manifest (`looks_in`) unless others are given. Places stay in the world's axes. The manifest
    says what is up in them: against its "gravity", or the axis "up" where there is no gravity, or else y.

    With `skin` the segments of a figure are drawn as one smooth body (`motiform.form.rig`), or as a rig of one's own
    that follows them. Without a word about it, as the manifest's "image" says; segments of its "hide" are left out.
    """
    check_recording(recording)
    check_manifest(recording.manifest, recording._where)
    shown = looks_in(recording) if looks is None else looks
    if not shown.parts:
        raise RecordingError(
            "the recording holds no shapes to draw",
            where=recording.manifest.get("title"),
            remedy="Its channels can still be plotted and exported as CSV.",
        )
    times = recording.time(_clock(shown, recording))
    image = dict(recording.manifest.get("image") or {})
    drawn: list[Part | LinkParts | Skin | AnimatedSurface] = []
    if skin or (skin is None and image.get("skin")):
        from motiform.form.rig.dressed import dress_bodies

        worn, shown = dress_bodies(recording, shown, len(times), None if isinstance(skin, bool) else skin)
        drawn += worn
    hidden = set(image.get("hide") or ())
    for name, look in shown.parts.items():
        if name in hidden or _segment(name) in hidden:
            continue
        if isinstance(look, ShapeLook) and look.is_ground(image):
            image["ground_height"] = look.ground
        else:
            drawn.append(look.drawn(name, recording, len(times)))
    drawn += [spring.drawn(name, recording, len(times)) for name, spring in shown.springs.items()]
    _lower_ground(shown, image)
    return Form(
        tuple(one for one in drawn if isinstance(one, Part)), times, recording.manifest.get("title") or "", image,
        tuple(one for one in drawn if isinstance(one, LinkParts)), tuple(one for one in drawn if isinstance(one, Skin)),
        up_of(recording.manifest), tuple(one for one in drawn if isinstance(one, AnimatedSurface)),
    )  # fmt: skip


def _segment(part: str) -> str:
    """Return the segment of one of several parts: "right_thigh" of "right_thigh.2"."""
    segment, _, number = part.rpartition(".")
    return segment if number.isdecimal() else part


def form_of(source: "Form | Recording", *, skin: bool | Rig | None = None) -> Form:
    """Return a form as it is, and a recording dressed (`dress`)."""
    from motiform.record import Recording

    if isinstance(source, Form):
        return source
    if isinstance(source, Recording):
        return dress(source, skin=skin)
    raise InputError(
        "only recordings and forms can be drawn", got=type(source).__name__, allowed="a Recording or a Form"
    )


def _clock(looks: Looks, recording: "Recording") -> str:
    """Return the channel whose samples are those of the form: the first that something is drawn by."""
    for kind in KINDS.values():
        for look in looks.parts.values():
            if isinstance(look, kind) and look.places in recording.names:
                return str(look.places)
    if not recording.names:
        raise RecordingError("the recording holds no channel", where=recording.manifest.get("title"))
    return recording.names[0]


def _lower_ground(looks: Looks, image: dict[str, Any]) -> None:
    """Put the ground of a picture under what reaches below it and says so: two faces at one height would mingle."""
    lowest = [look.stands for look in looks.parts.values() if isinstance(look, ShapeLook) and look.stands is not None]
    if lowest and min(lowest) < 0.0 and "ground_height" not in image:
        image["ground_height"] = min(lowest)


def strobe(form: Form, count: int = 8) -> Form:
    """Return a form of one sample that shows the bodies at so many instants at once, evenly spread over the motion."""
    if not 1 <= count <= 1000:
        raise RecordingError("a strobe has 1 to 1000 flashes", got=count)
    chosen = np.unique(np.linspace(0, len(form.times) - 1, count).round().astype(int))
    return replace(
        form,
        parts=tuple(_strobe_part(part, chosen) for part in form.parts),
        links=tuple(_strobe_links(links, chosen) for links in form.links),
        skins=(
            *(_strobe_skin(skin, chosen) for skin in form.skins),
            *(skin for surface in form.surfaces for skin in _strobe_surface(surface, chosen)),
        ),
        surfaces=tuple(one.flashed(chosen) for one in form.surfaces if isinstance(one, Cloud)),
        times=form.times[:1],
    )


def _strobe_part(part: Part, chosen: np.ndarray) -> Part:
    if part.fixed:
        return replace(part, position=part.position[:1], orientation=part.orientation[:1])
    return replace(
        part, color=_strobe_color(part, chosen), position=part.position[chosen].reshape(1, -1, 3),
        orientation=part.orientation[chosen].reshape(1, -1, 4),
        scale=None if part.scale is None else np.tile(part.scale, len(chosen)), shades=None,
    )  # fmt: skip


def _strobe_color(part: Part | LinkParts, chosen: np.ndarray) -> np.ndarray:
    if part.shades is not None:
        return np.concatenate([part.shades.at(k) for k in chosen])
    return np.tile(np.broadcast_to(part.color, (part.count, 3)), (len(chosen), 1))


def _strobe_links(links: LinkParts, chosen: np.ndarray) -> LinkParts:
    steps = np.array([links.first.shape[1], links.second.shape[1]])
    return replace(
        links, first=links.first[chosen].reshape(1, -1, 3), second=links.second[chosen].reshape(1, -1, 3),
        pairs=np.concatenate([links.pairs + k * steps for k in range(len(chosen))]),
        radius=np.tile(links.radius, len(chosen)), color=_strobe_color(links, chosen), shades=None,
    )  # fmt: skip


def _strobe_skin(skin: Skin, chosen: np.ndarray) -> Skin:
    points = skin.vertices.shape[1]
    color = skin.color if skin.color.ndim == 1 else np.tile(skin.color, (len(chosen), 1))
    faces = np.concatenate([skin.faces + k * points for k in range(len(chosen))])
    return replace(skin, vertices=skin.vertices[chosen].reshape(1, -1, 3), faces=faces, color=color)


def _strobe_surface(surface: AnimatedSurface, chosen: np.ndarray) -> list[Skin]:
    """Return the triangles of a surface at the instants: a skin each, so that they do not melt together."""
    shells = [] if isinstance(surface, Cloud) else [surface.shell(int(k)) for k in chosen]
    return [
        Skin(f"{surface.name} {k + 1}", one.vertices[None], one.faces, one.color)
        for k, one in enumerate(shells)
        if len(one.faces)
    ]
