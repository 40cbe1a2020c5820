"""Nobody without the token, and no page of another site in the same browser, reaches the studio."""

import socket
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motiform.studio.access import Access
from motiform.studio.server import close_server, open_server


@pytest.fixture(scope="module")
def access():
    access = Access("127.0.0.1")
    server = open_server(access, 0)
    yield access
    close_server(server)


@pytest.fixture
def address(access):
    return f"127.0.0.1:{access.port}"


@pytest.fixture
def call(access, address):
    import viser

    cookie = {"Cookie": f"a=b; motiform-{access.port}={access.token}"}

    def start(query="", headers=cookie, **options):
        protocol = f"viser-v{viser.__version__}"
        return connect(f"ws://{address}/{query}", subprotocols=[protocol], open_timeout=10, compression=None,
                       additional_headers=headers, **options)  # fmt: skip

    return start


def test_own_page_is_answered(address, call):
    with call(origin=f"http://{address}") as found:
        assert found.response.status_code == 101


def test_a_program_without_a_page_is_answered(access, call):
    with call() as found:
        assert found.response.status_code == 101
    with call(f"?token={access.token}", {}) as found:
        assert found.response.status_code == 101


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "http://127.0.0.1:1", "null", "http://[::1"])
def test_another_sites_page_is_refused(call, origin):
    with pytest.raises(InvalidStatus) as refused, call(origin=origin):
        pass
    assert refused.value.response.status_code in (403, 404)


@pytest.mark.parametrize("headers", [{}, {"Cookie": "motiform-1=x"}, {"Cookie": "motiform-{port}={token}x"}])
@pytest.mark.parametrize("query", ["", "?token=", "?token={token}x", "?token=é"])
def test_nobody_without_the_token_is_let_in(access, address, call, headers, query):
    """Another user of this machine can reach the port: neither the page nor its socket answers without the token."""
    filled = {key: value.format(port=access.port, token=access.token) for key, value in headers.items()}
    asked = query.format(token=access.token).encode("ascii", "ignore").decode()
    with pytest.raises(InvalidStatus) as refused, call(asked, filled):
        pass
    assert refused.value.response.status_code == 403
    assert get(address, f"/{asked}", ("Host", address), *filled.items()).status == 403


def get(address, path, *headers):
    """Return the response to a plain GET with these headers and no others."""
    host, port = address.rsplit(":", 1)
    asked = HTTPConnection(host, int(port), timeout=10)
    asked.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        asked.putheader(name, value)
    asked.endheaders()
    found = asked.getresponse()
    found.read()
    asked.close()
    return found


@pytest.fixture
def status(access, address):
    """The status of a plain GET of a page that has the token."""
    cookie = ("Cookie", f"motiform-{access.port}={access.token}")
    return lambda *headers, path="/": get(address, path, cookie, *headers).status


def test_the_address_gives_the_token_to_the_page_and_leads_to_one_without(access, address):
    at = urlsplit(access.url("gallery"))
    found = get(address, f"{at.path}?{at.query}&a=b", ("Host", address))
    assert (found.status, found.headers["Location"]) == (302, "/gallery?a=b")
    cookie, *rest = found.headers["Set-Cookie"].split("; ")
    assert rest == ["Path=/", "HttpOnly", "SameSite=Lax"]
    assert get(address, "/", ("Host", address), ("Cookie", cookie)).status == 200


@pytest.mark.parametrize("path", ["//elsewhere.example/", "/\\elsewhere.example", "///elsewhere.example"])
def test_the_token_leads_to_no_other_server(access, address, path):
    found = get(address, f"{path}?token={access.token}", ("Host", address))
    assert found.headers["Location"].startswith("/elsewhere.example")


def test_two_studios_have_two_tokens(access):
    assert Access("127.0.0.1").token != access.token
    assert len(access.token) >= 32  # 24 random bytes


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_are_answered(access, status, name):
    assert status(("Host", f"{name}:{access.port}")) == 200


@pytest.mark.parametrize(
    "name",
    [
        "rebound.example:{port}", "localhost.example:{port}", "127.0.0.1.example", "", "127.0.0.1:{port}.example",
        "localhost:{port}.example", "127.0.0.1:{port}@rebound.example", "rebound.example@127.0.0.1:{port}",
        "[::1].example:{port}", "127.0.0.1 .example", "127.0.0.1:{port}/rebound.example",
    ],
)  # fmt: skip
def test_a_name_that_was_made_to_point_here_is_refused(access, status, name):
    host = name.format(port=access.port)
    assert status(("Host", host)) == 403
    assert status(("Host", host), ("Origin", f"http://{host}")) == 403


def test_a_tunnel_from_another_port_is_answered(status):
    assert status(("Host", "localhost:1"), ("Origin", "http://localhost:1")) == 200


def test_no_name_and_two_names_are_refused(address, status):
    assert status() == 403
    assert status(("Host", address), ("Host", "rebound.example")) == 403


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::", "192.0.2.7"])
def test_a_server_open_to_others_takes_addresses_and_names_of_this_machine_alone(everywhere):
    """A site can let its name point here, but not make an address of its name."""
    access, own = Access(everywhere), socket.gethostname()
    for name in ("192.0.2.7:8080", "[2001:db8::7]:8080", "localhost:8080", own, f"{own}.local:8080"):
        assert access.is_own(Headers(Host=name, Origin=f"http://{name}")), name
        assert not access.is_own(Headers(Host=name, Origin="http://elsewhere.example"))
    for name in ("lab.example:8080", "192.0.2.7.example:8080", "192.0.2.7:8080.example"):
        assert not access.is_own(Headers(Host=name, Origin=f"http://{name}")), name
    assert Access("lab.example").is_own(Headers(Host="lab.example:8080"))


@pytest.mark.parametrize("length", [300, 1900, 7000])
def test_long_addresses_are_no_failure_of_the_server(address, status, length):
    assert status(("Host", address), path=f"/{'a' * length}") == (414 if length > 2000 else 404)


FRAMES = ["iframe", "frame", "embed", "object", "fencedframe"]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_in_another_sites_page_is_refused(address, status, kind):
    for site in ("cross-site", "same-site"):
        assert status(("Host", address), ("Sec-Fetch-Dest", kind), ("Sec-Fetch-Site", site)) == 403
    assert status(("Host", address), ("Sec-Fetch-Dest", kind), ("Sec-Fetch-Site", "same-origin")) == 200


def test_a_page_says_that_no_other_site_may_show_it(access, address):
    for cookie in (f"motiform-{access.port}={access.token}", "none"):
        found = get(address, "/", ("Host", address), ("Cookie", cookie))
        assert found.headers["Content-Security-Policy"] == "frame-ancestors 'self'"
        assert found.headers["X-Frame-Options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    "lines",
    [
        b"GET /?token=\xff HTTP/1.1\r\nHost: {address}",
        b"GET /\t/[ HTTP/1.1\r\nHost: {address}",
        b"GET / HTTP/1.1\r\nHost: {address}\r\nCookie: motiform-{port}=\xe9",
        b"GET / HTTP/1.1\r\nHost: {address}\r\nOrigin: http://[",
    ],
    ids=["token", "path", "cookie", "origin"],
)
def test_bytes_that_are_no_text_are_no_failure_of_the_server(access, address, lines):
    """A token, a cookie or an origin that cannot be decoded is a wrong one."""
    asked = lines.replace(b"{address}", address.encode()).replace(b"{port}", str(access.port).encode())
    with socket.create_connection(("127.0.0.1", access.port), timeout=10) as line:
        line.sendall(asked + b"\r\nConnection: close\r\n\r\n")
        answer = line.recv(100)
    assert answer.split()[1] in (b"400", b"403")
