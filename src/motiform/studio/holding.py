"""Pages that stay open until Ctrl-C."""

import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from motiform.studio.server import LOOPBACK

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["HeldPage", "has_display", "hold_open"]


class HeldPage(Protocol):
    """A page with its server."""

    server: "ViserServer"
    url: str

    def wait(self) -> None:
        """Stay until it is closed."""
        ...

    def close(self) -> None:
        """End it."""
        ...


def hold_open(
    page: HeldPage, begin: Callable[[], None], *, host: str, port: int, open_browser: bool, block: bool
) -> None:
    """Say where a page is, begin it, show it in a browser, and stay until Ctrl-C where it is to `block`."""
    try:
        _announce(page, host, port)
        begin()
        if open_browser and has_display():
            threading.Thread(target=webbrowser.open, args=(page.url,), daemon=True).start()
        if block:
            page.wait()
    except KeyboardInterrupt:
        page.close()
        if not block:
            raise
        print("\nThe studio is closed.")
    except BaseException:
        page.close()
        raise


def _announce(page: HeldPage, host: str, port: int) -> None:
    taken = page.server.get_port()
    if port not in (0, taken):
        print(f"Port {port} is in use, so the studio took {taken}.")
    if host not in LOOPBACK:
        print(f"Everyone who can reach {host} and has this address can see and use the studio, and read along.")
    print(f"The studio is open at {page.url} (Ctrl-C ends it).")


def has_display() -> bool:
    """Return whether a browser with a window can be expected: a text browser would take over the terminal."""
    if os.environ.get("CI"):
        return False
    return sys.platform in ("darwin", "win32") or any(os.environ.get(v) for v in ("DISPLAY", "WAYLAND_DISPLAY"))
