"""A thousand cases of the fuzzer: each ends with a result or an error of motiform, in bounded time and memory."""

import os
import subprocess
import sys

import pytest

from fuzz.run import BEYOND, BOUNDS, fuzz
from fuzz.targets import TARGETS, readers


@pytest.mark.slow
def test_a_thousand_cases_end_well():
    found = fuzz(1000, 20, list(TARGETS))
    assert sum(found.done.values()) == 1000
    assert set(found.done) == set(TARGETS)
    assert found.wrong == {}


@pytest.mark.slow
def test_files_that_are_changed_are_right_before(tmp_path):
    for name, data, read in readers():
        (tmp_path / name).write_bytes(data)
        read(tmp_path / name)


OUTSIDE = """
import numpy as np
from motiform.base.kernels import get_device, kernel
@kernel
def outside(i, x):
    x[i + 1] = 1.0
get_device("cpu").launch(outside, 3, np.zeros(3))
"""


@pytest.mark.slow
def test_launched_kernels_tell_of_indices_beyond_arrays(tmp_path):
    """What `--bounds` looks for: an error in a launched kernel does not come back to Python."""
    (tmp_path / "outside.py").write_text(OUTSIDE)
    env = {**os.environ, **BOUNDS, "MOTIFORM_CACHE": str(tmp_path / "cache"), "MOTIFORM_QUIET": "1"}
    made = subprocess.run(
        [sys.executable, tmp_path / "outside.py"], env=env, capture_output=True, text=True, check=True
    )
    assert made.stdout.startswith(BEYOND)
