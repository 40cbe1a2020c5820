"""The gallery: all scenes of all parts with a picture each, to be opened by a click."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from motiform.base.errors import InputError, closest
from motiform.base.markup import html, join
from motiform.studio.rooms import PageResponse, room_page
from motiform.studio.thumbnails import thumbnail

__all__ = ["GalleryRoom"]

PARTS = {
    "bodies": "Rigid bodies",
    "tree": "Articulated systems and contact joints",
    "contact": "Contact and impact",
    "actuation": "Muscles, motors and control",
    "matter": "Matter, form and screens",
    "bones": "Bones",
}
"""Parts of the project by their names in scenes, in the order in which they are shown."""
_EMPTY = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 10"><rect width="16" height="10" fill="#dde3ea"/></svg>'
)


class GalleryRoom:
    """The page /gallery; `open_scene` gets the name of the scene that was clicked and how it is to be run."""

    def __init__(self, open_scene: Callable[[str, str], str]) -> None:
        from motiform.scene import list_scenes

        self._open = open_scene
        self._entries = {entry.name: entry for entry in list_scenes()}

    def answer(self, address: str) -> PageResponse | None:
        """Return the page, or the picture of a scene: pictures/NAME.jpg."""
        if not address:
            kind, content = room_page("gallery.html")
            return PageResponse(kind, content.replace(b"<!-- scenes -->", self._tiles().encode()))
        name = address.removeprefix("pictures/").removesuffix(".jpg")
        if address != f"pictures/{name}.jpg" or name not in self._entries:
            return None
        found = thumbnail(name)
        return PageResponse("image/svg+xml", _EMPTY) if found is None else PageResponse("image/jpeg", found)

    def handle(self, message: Mapping[str, Any]) -> str:
        """Open the scene that a page names; tell the page where it is shown."""
        name = str(message.get("open"))
        if name not in self._entries:
            raise InputError("no such scene", got=name, remedy=closest(name, self._entries))
        return json.dumps({"go": self._open(name, str(message.get("how", "run")))})

    def _tiles(self) -> str:
        """Return a section for each part with a tile for each scene."""
        parts = dict.fromkeys([*PARTS, *(entry.part for entry in self._entries.values())])
        sections = [(part, [e for e in self._entries.values() if e.part == part]) for part in parts]
        return join(
            html(
                "<section><h2>{} <small>{}</small></h2><div class=tiles>{}</div></section>",
                PARTS.get(part, part), len(entries), join(_tile(entry) for entry in entries),
            )
            for part, entries in sections if entries
        )  # fmt: skip


def _tile(entry: Any) -> Any:
    text = entry.path.read_text("utf-8")
    screens, networks = "[[screen]]" in text, "[[network]]" in text and "[[figure]]" not in text
    how = [("run", "Run")] + [("mouse", "Engrave")] * screens + [("live", "Push")] * (networks and not screens)
    buttons = join(html('<button data-how="{}">{}</button>', key, label) for key, label in how)
    return html(
        '<article data-scene="{0}" tabindex=0><img loading=lazy alt="" src="/gallery/pictures/{0}.jpg">'
        "<h3>{1}</h3><p>{0} · {2:g} s</p><div class=how>{3}</div></article>",
        entry.name, entry.title, round(entry.seconds, 2), buttons,
    )  # fmt: skip
