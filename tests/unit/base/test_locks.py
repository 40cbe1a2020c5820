"""Locks between processes: one waits, one is refused, and the end of a process unlocks."""

import subprocess
import sys
import time

import pytest

from motiform.base.locks import lock, unlock

HOLD = """
import sys, time
from pathlib import Path
from motiform.base.locks import lock
assert lock(Path(sys.argv[1]), wait=False) is not None
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def held(tmp_path):
    """A folder that another process holds for half a second."""
    if lock(tmp_path, wait=False) is None:
        pytest.skip("no locks on this disk")
    folder = tmp_path / "folder"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", HOLD, str(folder), "0.5"], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield folder


def test_refused_while_another_holds_it(held):
    with pytest.raises(BlockingIOError):
        lock(held, wait=False)


def test_waits_until_the_other_process_ends(held):
    began = time.monotonic()
    handle = lock(held, wait=True)
    assert time.monotonic() - began > 0.1
    with pytest.raises(BlockingIOError):  # another opening of the folder is another holder
        lock(held, wait=False)
    unlock(handle)
    again = lock(held, wait=False)
    assert again is not None
    unlock(again)


def test_where_there_is_nothing_to_lock(tmp_path):
    assert lock(tmp_path / "absent", wait=True) is None
    unlock(None)
