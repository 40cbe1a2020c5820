import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from motiform.base.errors import InputError
from motiform.studio.server import free_port


def test_the_next_free_port_is_taken():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert port < free_port("127.0.0.1", port) < port + 100


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", -1), ("127.0.0.1", 70000), ("203.0.113.7", 8080)])
def test_an_impossible_address_is_refused(host, port):
    with pytest.raises(InputError):
        free_port(host, port)


PROGRAM = """
import sys
from motiform.scene import parse_scene
from motiform.studio import serve
scene = parse_scene('''
[scene]
title = "Box"
duration = 0.1
rate = 100
[[body]]
name = "box"
shape = { box = [1, 1, 1], density = 1000 }
''')
serve(scene=scene, port=int(sys.argv[1]), open_browser=False)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a POSIX signal")
def test_says_where_it_is_and_ends_with_ctrl_c():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        studio = subprocess.Popen(
            [sys.executable, "-u", "-c", PROGRAM, str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            # jobs in the background of a shell are begun deaf to SIGINT
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            assert f"Port {port} is in use" in studio.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{32} ", studio.stdout.readline())
            assert found, "it does not say where it is"
            assert int(found[1]) != port
            studio.send_signal(signal.SIGINT)
            out, err = studio.communicate(timeout=60)
        finally:
            studio.kill()
    assert studio.returncode == 0, err
    assert "closed" in out
    assert "Traceback" not in err
