"""Kernels: one element function, fixed-order sums, a cache on disk, devices and threads."""

import json
import math
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.base.kernels import compiled, cuda_device_name, get_device, inline, kernel, sum_fixed, threads

two_cores = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="this machine has one core")


@inline
def _square(x):
    return x * x


@kernel
def _squares(i, x, y):
    y[i] = _square(x[i])


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_kernel_runs_over_every_element(count):
    x = np.arange(max(count, 1), dtype=float)
    y = np.full_like(x, -1.0)
    get_device("cpu").launch(_squares, count, x, y)
    assert np.array_equal(y[:count], x[:count] ** 2)
    assert np.all(y[count:] == -1)


def test_compiled_function_runs():
    assert compiled(lambda x: x + 1)(2.0) == 3.0


def test_device_arrays_are_copies():
    device, values = get_device("cpu"), np.arange(3.0)
    held = device.array(values)
    held[0] = 9
    seen = device.host(held)
    seen[1] = 9
    assert values.tolist() == [0, 1, 2]
    assert held.tolist() == [9, 1, 2]
    assert device.empty((2, 3)).shape == (2, 3)
    device.synchronize()


def test_unknown_device_is_refused():
    with pytest.raises(InputError, match=r"unknown device \(got 'gpu'; allowed: 'cpu', 'cuda'\)"):
        get_device("gpu")


@pytest.mark.skipif(cuda_device_name() is not None, reason="there is a CUDA device")
def test_missing_cuda_device_is_reported():
    with pytest.raises(RunError, match=r"no CUDA device was found .*motiform\[gpu\].*`motiform doctor`"):
        get_device("cuda")


@pytest.mark.parametrize("count", [0, -1, 10_000])
def test_impossible_numbers_of_threads_are_refused(count):
    with (
        pytest.raises(InputError, match=rf"the number of threads is out of range \(got {count}; allowed: 1 to \d+\)"),
        threads(count),
    ):
        pass


@two_cores
def test_threads_come_back_as_they_were():
    before = numba.get_num_threads()
    with pytest.raises(KeyError), threads(1):  # noqa: PT012
        assert numba.get_num_threads() == 1
        raise KeyError
    assert numba.get_num_threads() == before


# ---- sums in a fixed order -----------------------------------------------------------------------


def bound(values) -> float:
    """A sum of at most 256 numbers errs by 255 ε Σ|x|; levels of them add up, and fsum itself rounds once."""
    levels = max(1, math.ceil(math.log(max(len(values), 2), 256)))
    return (levels * 255 + 1) * 2.0**-53 * math.fsum(abs(values)) * (1 + 1e-10)


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257, 65536, 65537, 200_001])
def test_sum_is_right_within_its_bound(count):
    values = np.random.default_rng(count).normal(size=count) * 10.0 ** np.random.default_rng(1).integers(
        -8, 8, size=count
    )
    assert abs(sum_fixed(values) - math.fsum(values)) <= bound(values)


@two_cores
@pytest.mark.parametrize("count", [257, 20_000, 200_001])
def test_sum_has_the_same_bits_on_one_core_and_on_two(count):
    values = np.random.default_rng(count).normal(size=count) * 1e3
    sums = []
    for cores in (1, 2):
        with threads(cores):
            sums.append(sum_fixed(values))
    assert sums[0] == sums[1]


def test_sum_does_not_change_what_it_sums():
    values = np.ones(1000)
    assert sum_fixed(values) == 1000.0
    assert np.all(values == 1)


# ---- the cache -----------------------------------------------------------------------------------

_PROBE = """
import json, numpy as np
from motiform.base.kernels import _sum_block, kernel, sum_fixed, threads
with threads(1):
    total = sum_fixed(np.arange(1000.0))
stats = _sum_block.cpu.stats
print(json.dumps([total, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""


def probe(folder, script=_PROBE, **more):
    run = subprocess.run([sys.executable, "-c", script], env={**os.environ, "MOTIFORM_CACHE": str(folder), **more},
                         capture_output=True, text=True, check=True)  # fmt: skip
    return json.loads(run.stdout)


def files(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_second_process_compiles_nothing(tmp_path):
    total, hits, misses = probe(tmp_path)
    assert (total, hits, misses) == (499500.0, 0, 1)
    written = files(tmp_path)
    assert written
    assert probe(tmp_path) == [499500.0, 1, 0]
    assert files(tmp_path) == written  # neither more files nor others


def test_folder_that_cannot_be_written_is_gone_without(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert probe(blocked)[0] == 499500.0
    assert blocked.read_text() == "not a folder"


def test_kernels_of_users_are_not_kept(tmp_path):
    """Their helpers are not in the key of the cache, so a change of one would go unseen."""
    script = tmp_path / "mine.py"
    script.write_text(
        "import json, numpy as np\n"
        "from motiform.base.kernels import get_device, kernel\n"
        "@kernel\n"
        "def twice(i, x):\n"
        "    x[i] *= 2\n"
        "x = np.ones(3)\n"
        "get_device('cpu').launch(twice, 3, x)\n"
        "print(json.dumps([x.tolist(), type(twice.cpu._cache).__name__]))\n"
    )
    run = subprocess.run([sys.executable, str(script)], env={**os.environ, "MOTIFORM_CACHE": str(tmp_path / "cache")},
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert json.loads(run.stdout) == [[2, 2, 2], "NullCache"]
    assert not any(path.suffix == ".nbc" for path in (tmp_path / "cache").rglob("*"))
    assert not (tmp_path / "__pycache__").exists()
