"""A page of another site, open in the same browser, must not reach the studio."""

from http.client import HTTPConnection

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motiform.studio.server import _is_own, close_server, open_server


@pytest.fixture(scope="module")
def address():
    server = open_server("127.0.0.1", 0)
    yield f"127.0.0.1:{server.get_port()}"
    close_server(server)


def call(address, **options):
    import viser

    protocol = f"viser-v{viser.__version__}"
    return connect(f"ws://{address}", subprotocols=[protocol], open_timeout=10, compression=None, **options)


def test_own_page_is_answered(address):
    with call(address, origin=f"http://{address}") as socket:
        assert socket.response.status_code == 101


def test_a_program_without_a_page_is_answered(address):
    with call(address) as socket:
        assert socket.response.status_code == 101


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "http://127.0.0.1:1", "null"])
def test_another_sites_page_is_refused(address, origin):
    with pytest.raises(InvalidStatus) as refused, call(address, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def status(address, *headers):
    """The status of a plain GET with these headers and no others."""
    host, port = address.rsplit(":", 1)
    asked = HTTPConnection(host, int(port), timeout=10)
    asked.putrequest("GET", "/", skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        asked.putheader(name, value)
    asked.endheaders()
    code = asked.getresponse().status
    asked.close()
    return code


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_are_answered(address, name):
    port = address.rsplit(":", 1)[1]
    assert status(address, ("Host", f"{name}:{port}")) == 200


@pytest.mark.parametrize("name", ["rebound.example:{port}", "localhost.example:{port}", "127.0.0.1.example", ""])
def test_a_name_that_was_made_to_point_here_is_refused(address, name):
    host = name.format(port=address.rsplit(":", 1)[1])
    assert status(address, ("Host", host)) == 403
    assert status(address, ("Host", host), ("Origin", f"http://{host}")) == 403


def test_a_tunnel_from_another_port_is_answered(address):
    assert status(address, ("Host", "localhost:1"), ("Origin", "http://localhost:1")) == 200


def test_no_name_and_two_names_are_refused(address):
    assert status(address) == 403
    assert status(address, ("Host", address), ("Host", "rebound.example")) == 403


def test_a_server_open_to_others_takes_any_name_but_no_other_page():
    everywhere = "0.0.0.0"
    assert _is_own(Headers(Host="lab.example:8080", Origin="http://lab.example:8080"), everywhere)
    assert not _is_own(Headers(Host="lab.example:8080", Origin="http://elsewhere.example"), everywhere)
    assert _is_own(Headers(Host="localhost"), "127.0.0.1")


FRAMES = ["iframe", "frame", "embed", "object", "fencedframe"]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_in_another_sites_page_is_refused(address, kind):
    for site in ("cross-site", "same-site"):
        assert status(address, ("Host", address), ("Sec-Fetch-Dest", kind), ("Sec-Fetch-Site", site)) == 403
    assert status(address, ("Host", address), ("Sec-Fetch-Dest", kind), ("Sec-Fetch-Site", "same-origin")) == 200


def test_a_page_says_that_no_other_site_may_show_it(address):
    host, port = address.rsplit(":", 1)
    asked = HTTPConnection(host, int(port), timeout=10)
    asked.request("GET", "/")
    found = asked.getresponse()
    asked.close()
    assert found.headers["Content-Security-Policy"] == "frame-ancestors 'self'"
    assert found.headers["X-Frame-Options"] == "SAMEORIGIN"
