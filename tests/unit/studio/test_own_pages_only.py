"""A page of another site, open in the same browser, must not reach the studio."""

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motiform.studio.server import close_server, open_server


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
