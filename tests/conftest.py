"""For all tests: one thread for each of several workers, and no announcements of compiling in what they print."""

import os
from pathlib import Path

import pytest

SLOW = ("browser", "unit/bench")  # folders of tests that take long: a browser without a graphics card, peers


def pytest_configure(config):
    os.environ.setdefault("MOTIFORM_QUIET", "1")
    if os.environ.get("PYTEST_XDIST_WORKER"):
        import numba

        numba.set_num_threads(1)  # the workers share the cores; tests of threads set their number themselves


def pytest_collection_modifyitems(items):
    """Mark the tests of slow folders."""
    folders = [Path(__file__).parent / name for name in SLOW]
    for item in items:
        if any(folder in item.path.parents for folder in folders):
            item.add_marker(pytest.mark.slow)
