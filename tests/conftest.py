"""For all tests: one thread for each of several workers, and no announcements of compiling in what they print."""

import os


def pytest_configure(config):
    os.environ.setdefault("MOTIFORM_QUIET", "1")
    if os.environ.get("PYTEST_XDIST_WORKER"):
        import numba

        numba.set_num_threads(1)  # the workers share the cores; tests of threads set their number themselves
