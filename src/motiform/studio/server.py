"""Opening the web server: loopback, the next free port, a token, nothing shared with the outside."""

import contextlib
import errno
import inspect
import io
import socket
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import load_library
from motiform.studio.access import Access

if TYPE_CHECKING:
    from viser import ViserServer

    from motiform.studio.rooms import Rooms

__all__ = ["LOOPBACK", "close_server", "free_port", "open_server"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PORTS_TRIED = 100
BRAND = (44, 95, 138)  # a calm blue


def free_port(host: str, port: int) -> int:
    """Return the first free port from `port` on; 0 asks the system for any."""
    if not 0 <= port <= 65535:
        raise InputError("port must be a whole number from 0 to 65535", got=port, allowed="0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
                # Without listening, two sockets with SO_REUSEADDR could both be bound.
                probe.listen(1)
                return int(probe.getsockname()[1])
            except PermissionError as error:
                raise InputError(
                    "the port is reserved by the system", got=candidate, allowed="1024 and above"
                ) from error
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise InputError(
                        "the studio cannot listen on this address",
                        got=host,
                        remedy="Use 127.0.0.1 for this machine only, or an address that this machine has.",
                    ) from error
    raise RunError(
        "all ports are taken", got=f"{port} to {port + PORTS_TRIED - 1} are all taken", remedy="Give another one."
    )


def open_server(access: Access, port: int, rooms: "Rooms | None" = None) -> "ViserServer":
    """Start a server with our look, and with pages of our own beside viser's, for those who are let in."""
    viser = load_library("viser")

    access.port = free_port(access.host, port)
    with _quiet(), _guarded(access, rooms):
        server = viser.ViserServer(host=access.host, port=access.port, verbose=False)
    access.port = server.get_port()
    # A page could ask viser to open a public tunnel through a server of its makers: never from here.
    server.request_share_url = lambda verbose=True: None
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND, control_width="medium")
    server.gui.set_panel_label("motiform studio")
    _set_title(server, "motiform studio")
    return server


@contextlib.contextmanager
def _guarded(access: Access, rooms: "Rooms | None" = None) -> Iterator[None]:
    """Let servers that start inside the block answer whom `access` lets in; viser lets in everyone.

    The server's other half is in a library that offers the hook, so it is put in there.
    """
    sockets = load_library("websockets.asyncio.server")

    plain = sockets.serve

    def serve(handler: Any, *arguments: Any, process_request: Any = None, **options: Any) -> Any:
        async def answer(connection: Any, request: Any) -> Any:
            try:
                given = access.answer(connection, request)
                if given is None and rooms is not None:
                    given = rooms.respond(connection, request)
                if given is None and process_request is not None:
                    answered = process_request(connection, request)
                    given = await answered if inspect.isawaitable(answered) else answered
            except (OSError, ValueError):  # an address that no file can have
                given = connection.respond(HTTPStatus.NOT_FOUND, "there is no such page\n")
            if given is not None:  # a page, which another site must not show inside of its own
                given.headers["Content-Security-Policy"] = "frame-ancestors 'self'"
                given.headers["X-Frame-Options"] = "SAMEORIGIN"
            return given

        talk = handler if rooms is None else rooms.handler(handler)
        return plain(talk, *arguments, process_request=answer, **options)

    sockets.serve = serve
    try:
        yield
    finally:
        sockets.serve = plain


def close_server(server: "ViserServer") -> None:
    """Stop the server and its threads."""
    with _quiet():
        server.stop()


def _set_title(server: "ViserServer", title: str) -> None:
    """Name the browser's tab; viser has no public way, so this may do nothing with another version."""
    with contextlib.suppress(InputError, AttributeError, TypeError):
        message = load_library("viser._messages").RunJavascriptMessage(source=f"document.title = {title!r};")
        server.gui._websock_interface.queue_message(message)


def _quiet() -> contextlib.AbstractContextManager[object]:
    """Keep viser's own greeting off the terminal: the studio says where it is in its own words."""
    return contextlib.redirect_stdout(io.StringIO())
