"""Pages of our own beside viser's on the same server: what they are answered, and whom they talk to.

The server lets in its own pages alone (`motiform.studio.server`), and this holds for rooms, too. A GET changes nothing;
what changes something is a message of the room's socket.
"""

import asyncio
import contextlib
import json
import logging
import sys
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote

from motiform.base.libraries import load_library
from motiform.studio.runs import plain

__all__ = ["Page", "PageResponse", "Rooms", "room_page"]

log = logging.getLogger(__name__)


class PageResponse(NamedTuple):
    """What a page gets for an address."""

    kind: str
    """Its media type."""
    content: bytes


class Page(Protocol):
    """A page with its addresses and its socket."""

    def answer(self, address: str) -> PageResponse | None:
        """Return what is at an address below that of the room, "" for the room itself; None: nothing."""
        ...

    def handle(self, message: Mapping[str, Any]) -> "bytes | str":
        """Do what a message of an open page asks for, and return what the page is told."""
        ...


class Rooms:
    """Rooms by the first word of their address."""

    def __init__(self) -> None:
        self._rooms: dict[str, Page] = {}

    def add(self, name: str, room: Page) -> None:
        """Open a room at /NAME."""
        self._rooms[name] = room

    def answer(self, path: str) -> PageResponse | None:
        """Return what a room has at the path of a request; None where it is not of a room."""
        name, _, address = unquote(path.partition("?")[0]).strip("/").partition("/")
        room = self._rooms.get(name)
        return None if room is None else room.answer(address)

    def of_socket(self, path: str) -> Page | None:
        """Return the room that a socket is of."""
        return self._rooms.get(path.partition("?")[0].strip("/"))

    def handler(self, other: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return what talks to sockets: those of rooms here, all others as before."""
        closed: type[Exception] = load_library("websockets.exceptions").ConnectionClosed
        invalid = load_library("websockets.frames").CloseCode.INVALID_DATA

        async def talk(connection: Any) -> None:
            asyncio.get_running_loop().set_exception_handler(_report_failure)
            room = self.of_socket(connection.request.path)
            if room is None:
                try:
                    await other(connection)
                except Exception as error:  # what a page sends is its own: this connection ends, and no other
                    _report_unexpected(error)
                    await connection.close(invalid)
                return
            with contextlib.suppress(closed):  # the page went away while it was answered
                async for message in connection:
                    await connection.send(await asyncio.to_thread(_handle_message, room, message))

        return talk

    def respond(self, connection: Any, request: Any) -> Any:
        """Return the response to a request for a room; None where it is for another."""
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        found = self.answer(request.path)
        if found is None:
            return None
        response = connection.respond(HTTPStatus.OK, "")
        response.body = found.content
        for key, value in (("Content-Type", found.kind), ("Content-Length", str(len(found.content)))):
            del response.headers[key]
            response.headers[key] = value
        response.headers["Cache-Control"] = "no-cache"
        return response


def _handle_message(room: Page, message: "str | bytes") -> "bytes | str":
    """Let a room hear a message; what goes wrong is told to the page and never ends its socket."""
    try:
        given = json.loads(message)
        if not isinstance(given, dict):
            given = {}
        return room.handle(given)
    except Exception as error:  # a page may send anything
        log.debug("a message of a page was refused", exc_info=True)
        return json.dumps({"error": plain(error)})


def _report_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Tell of what failed while a message was worked on, in a task that nobody waits for."""
    error = context.get("exception")
    if isinstance(error, Exception):
        _report_unexpected(error)
    else:
        loop.default_exception_handler(context)


def _report_unexpected(error: Exception) -> None:
    """Say that a message was refused; further ones of the same kind are not told, or a page could fill a terminal."""
    log.debug("a message of a page was refused", exc_info=error)
    _print_once(type(error).__name__)


@cache
def _print_once(kind: str) -> None:
    print(f"motiform: a page sent what the studio does not understand ({kind}); it was refused", file=sys.stderr)


def room_page(name: str) -> PageResponse:
    """Return a page, or its script, that is shipped with the package."""
    kind = "text/javascript" if name.endswith(".js") else "text/html"
    return PageResponse(f"{kind}; charset=utf-8", files("motiform.studio").joinpath("pages", name).read_bytes())
