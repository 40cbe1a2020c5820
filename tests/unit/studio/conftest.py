import pytest

from motiform.scene import parse_scene, simulate

SCENE = """
[scene]
title = "Two bodies"
duration = 0.5
rate = 60

[[body]]
name = "box"
shape = { box = [0.4, 0.2, 0.6], density = 500 }
color = [0.9, 0.1, 0.1]
pose = { at = [0, 1, 0] }
spin = [0, 3, 0]

[[body]]
name = "balls"
shape = { ball = 0.1, density = 500 }
copies = { count = 5, box = [1, 1, 1] }

[image]
plot = ["box.angular_velocity", "energy"]
"""


@pytest.fixture(scope="session")
def scene():
    return parse_scene(SCENE, name="two")


@pytest.fixture(scope="session")
def recording(scene):
    return simulate(scene)


@pytest.fixture
def server():
    from motiform.studio.access import Access
    from motiform.studio.server import close_server, open_server

    server = open_server(Access("127.0.0.1"), 0)
    yield server
    close_server(server)
