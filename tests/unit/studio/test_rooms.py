"""The gallery and the room of screens are answered beside viser's page, and only to pages of this server."""

import json
import urllib.request

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from motiform.scene import list_scenes
from motiform.studio.access import Access
from motiform.studio.gallery import PARTS, GalleryRoom
from motiform.studio.rooms import Rooms
from motiform.studio.server import close_server, open_server
from motiform.studio.thumbnails import thumbnail


@pytest.fixture(scope="module")
def opened():
    return []


@pytest.fixture(scope="module")
def address(opened):
    rooms = Rooms()
    rooms.add("gallery", GalleryRoom(lambda name, how: opened.append((name, how)) or "/"))
    access = Access("127.0.0.1")
    server = open_server(access, 0, rooms)
    yield access
    close_server(server)


def get(access, path):
    asked = urllib.request.Request(f"http://127.0.0.1:{access.port}{path}", headers=cookie(access))
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read()


def cookie(access):
    return {"Cookie": f"motiform-{access.port}={access.token}"}


def call(access, room="", origin=None, **options):
    own = f"http://127.0.0.1:{access.port}"
    address = f"ws://127.0.0.1:{access.port}/{room}"
    return connect(address, origin=origin or own, additional_headers=cookie(access), **options)


def test_every_scene_has_a_picture_and_a_tile(address):
    kind, text = get(address, "/gallery")
    assert kind.startswith("text/html")
    for entry in list_scenes():
        picture = thumbnail(entry.name)
        assert picture is not None, f"python -m motiform.studio.thumbnails {entry.name}"
        assert picture[:2] == b"\xff\xd8"  # JPEG
        assert f'data-scene="{entry.name}"' in text.decode()
        assert entry.part in PARTS
    assert get(address, "/gallery/pictures/top.jpg") == ("image/jpeg", thumbnail("top"))


@pytest.mark.parametrize("path", ["/gallery/pictures/../gallery.html", "/gallery/pictures/%2e%2e/top", "/gallery/x"])
def test_nothing_else_is_served(address, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(address, path)


def test_viser_has_its_own_page_still(address):
    assert b"<html" in get(address, "/")[1]


def test_a_scene_is_opened_by_a_message(address, opened):
    with call(address, "gallery") as socket:
        socket.send(json.dumps({"open": "top"}))
        assert json.loads(socket.recv()) == {"go": "/"}
        assert opened == [("top", "run")]
        socket.send(json.dumps({"open": "tpo"}))
        assert "no such scene" in json.loads(socket.recv())["error"]
        socket.send("no JSON")
        assert "error" in json.loads(socket.recv())
    assert opened == [("top", "run")]


def test_another_sites_page_cannot_open_a_scene(address):
    with pytest.raises(InvalidStatus) as refused, call(address, "gallery", "http://elsewhere.example"):
        pass
    assert refused.value.response.status_code == 403


def test_live_of_a_scene_with_a_screen_opens_its_room():
    from motiform.studio import Studio

    with Studio(port=0) as studio:
        plain = studio.url
        studio.begin(None, "ripples", live=True)
        assert studio.url == plain.replace("/?", "/screen?")
        assert studio.screens.live.name == "water"
        studio.run()  # one thing at a time
        assert not studio.screens.live.running


@pytest.mark.parametrize("raw", [b"\xff", b"\x80", b"\x05", "text", b"\x81\xa4type\xa4none"])
def test_what_viser_does_not_understand_is_reported_in_a_line_and_ends_that_connection_alone(address, raw, capfd):
    import viser
    from websockets.exceptions import ConnectionClosed

    from motiform.studio import rooms

    rooms._print_once.cache_clear()
    with call(address, subprotocols=[f"viser-v{viser.__version__}"]) as socket:
        socket.send(raw)
        with pytest.raises(ConnectionClosed):
            list(iter(lambda: socket.recv(timeout=10), None))
    printed = capfd.readouterr().err.splitlines()
    assert len(printed) == 1, printed
    assert printed[0].startswith("motiform: a page sent what the studio does not understand (")
    assert b"<html" in get(address, "/")[1]
