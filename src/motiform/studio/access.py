"""Who may use a studio: whoever has its address, which holds a token, by pages of this server alone."""

import re
import secrets
import socket
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

__all__ = ["Access", "shown_host"]

_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:[0-9]{1,5})?")
_LONGEST = 2000  # characters of a path with its query
_FRAMES = ("iframe", "frame", "embed", "object", "fencedframe")


class Access:
    """The door of a studio on an address of this machine.

    Other users of the machine can reach its ports, and so can every page that a person has open. The token of the
    address keeps both out; a page that came by it has it as a cookie from then on. Browsers say which page asks
    (Origin) and by what name (Host): a page of another site, and one that lets its own name point here, is refused
    even if it has the token.
    """

    def __init__(self, host: str) -> None:
        self.host, self.token, self.port = host, secrets.token_urlsafe(24), 0

    def url(self, room: str = "") -> str:
        """Return the address of the studio, or of one of its rooms."""
        return f"http://{shown_host(self.host)}:{self.port}/{room}?token={self.token}"

    def answer(self, connection: Any, request: Any) -> Any:
        """Return the response to a request that is not let in, or that brings the token; None: it is let in."""
        if len(request.path) > _LONGEST:
            return connection.respond(HTTPStatus.REQUEST_URI_TOO_LONG, "the address is too long\n")
        if not self.is_own(request.headers):
            return connection.respond(HTTPStatus.FORBIDDEN, "another site's page may not drive this studio\n")
        given = parse_qsl(urlsplit(_local(request.path)).query)
        brought = any(key == "token" and self._is_token(value) for key, value in given)
        if not brought and not self._has_cookie(request.headers):
            message = "the studio opens by the address with its token, which was printed where it was started\n"
            return connection.respond(HTTPStatus.FORBIDDEN, message)
        if not brought or request.headers.get("Upgrade", "").lower() == "websocket":
            return None
        rest = urlencode([(key, value) for key, value in given if key != "token"])
        response = connection.respond(HTTPStatus.FOUND, "")
        response.headers["Location"] = urlsplit(_local(request.path)).path + (f"?{rest}" if rest else "")
        response.headers["Set-Cookie"] = f"{self._cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
        response.headers["Cache-Control"] = "no-store"
        return response

    def is_own(self, headers: Any) -> bool:
        """Whether a request names this machine, and comes from no page or from one of this server."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or any(_place(origin) != hosts[0] for origin in origins):
            return False
        framed = headers.get("Sec-Fetch-Dest") in _FRAMES
        if framed and headers.get("Sec-Fetch-Site") not in ("same-origin", "none", None):
            return False
        named = _HOST.fullmatch(hosts[0].lower())  # any port: a tunnel may lead here from another one
        return named is not None and self._is_mine(named[1].strip("[]"))

    def _is_mine(self, name: str) -> bool:
        """Whether a name is one of this machine's: another site cannot let it point here."""
        if name in ("localhost", self.host.lower()):
            return True
        if _is_loopback(self.host):
            return name in ("127.0.0.1", "::1")
        own = socket.gethostname().lower()
        return _is_address(name) or name in (own, f"{own}.local", socket.getfqdn().lower())

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="surrogateescape"), self.token.encode())

    @property
    def _cookie(self) -> str:
        return f"motiform-{self.port}"  # cookies do not know ports: two studios have two

    def _has_cookie(self, headers: Any) -> bool:
        parts = [part.strip().partition("=") for line in headers.get_all("Cookie") for part in line.split(";")]
        return any(name == self._cookie and self._is_token(value) for name, _, value in parts)


def shown_host(host: str) -> str:
    """Return an address as a browser on this machine takes it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def _local(path: str) -> str:
    """Return a path on this server: two slashes at its beginning would name another one."""
    return "/" + path.lstrip("/\\\t\r\n")


def _place(origin: str) -> str:
    """Return the host and port of an origin; none of what is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)
