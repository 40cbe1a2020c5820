"""How kernels are compiled: with all that they call, once for all processes, announced; the parts of a loop."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest

from motiform.base import machine_code
from motiform.base.kernels import compiled, inline, kernel, routine
from motiform.base.numba_versions import KNOWN, is_known

SCRIPT = """
import json, os, numpy as np, motiform
assert motiform.__file__.startswith(os.environ.get("EXPECTED_AT", ""))
from motiform.base.kernels import _sum_block, sum_fixed
assert sum_fixed(np.arange(1000.0)) == 499500.0
stats = _sum_block.cpu.stats
print(json.dumps([sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""


def start(folder, **env):
    environment = {name: value for name, value in os.environ.items() if name != "MOTIFORM_QUIET"}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT], env=environment | {"MOTIFORM_CACHE": str(folder)} | env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def end(process):
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    return json.loads(stdout), stderr


def test_compiling_is_announced_once(tmp_path):
    _, said = end(start(tmp_path))
    assert said == "motiform: compiling kernels for this processor (once; they are kept on disk)\n"
    assert end(start(tmp_path)) == ([1, 0], "")  # from disk, and nothing is said


def test_another_installation_of_the_same_source_finds_what_was_compiled(tmp_path):
    end(start(tmp_path / "cache"))
    source = Path(machine_code.__file__).parents[1]
    shutil.copytree(source, tmp_path / "other" / "motiform", ignore=shutil.ignore_patterns("__pycache__"))
    other = start(tmp_path / "cache", PYTHONPATH=str(tmp_path / "other"), EXPECTED_AT=str(tmp_path / "other"))
    assert end(other) == ([1, 0], "")


LINE = "motiform: compiling kernels for this processor (in every process: none can be kept, {}: {})\n"


def folder_of_another(place):
    place.mkdir()
    os.chown(place, os.geteuid() + 1, -1)
    return "it belongs to another user; choose one of your own by MOTIFORM_CACHE"


def folder_that_others_write(place):
    place.mkdir()
    place.chmod(0o770)
    return "others can write to it; remove it, or choose another by MOTIFORM_CACHE"


def file_in_its_place(place):
    place.write_text("")
    return "File exists"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes as of POSIX")
@pytest.mark.parametrize("make", [folder_of_another, folder_that_others_write, file_in_its_place])
def test_compiling_is_announced_with_the_reason_why_nothing_is_kept(tmp_path, make):
    if make is folder_of_another and os.geteuid() != 0:
        pytest.skip("only root gives folders away")
    place = tmp_path / "cache"
    reason = make(place)
    found, said = end(start(place))
    assert found == [0, 1]  # compiled
    assert said == LINE.format(place, reason)
    assert not place.is_dir() or not list(place.iterdir())


def test_a_place_where_nothing_can_be_made_is_said(tmp_path):
    if not os.path.isdir("/proc/self"):
        pytest.skip("there is no /proc")
    _, said = end(start("/proc/none"))
    assert said == LINE.format("/proc/none", "No such file or directory")


def test_announcements_can_be_turned_off(tmp_path):
    assert end(start(tmp_path, MOTIFORM_QUIET="1")) == ([0, 1], "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there two processes compile the same kernel twice")
def test_one_of_several_processes_compiles(tmp_path):
    found = [end(process)[0] for process in [start(tmp_path) for _ in range(3)]]
    assert sorted(found) == [[0, 1], [1, 0], [1, 0]]


DAMAGE = {
    "emptied": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut at its end": lambda data: data[:-1],
    "a flipped bit": lambda data: data[:9] + bytes([data[9] ^ 1]) + data[10:],
    "noise": lambda data: np.random.default_rng(0).bytes(len(data)),
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_machine_code_counts_as_none_and_is_said_once(tmp_path, monkeypatch, capsys, how, ending):
    monkeypatch.delenv("MOTIFORM_QUIET", raising=False)
    machine_code._warn_of_damage.cache_clear()
    files, code = machine_code._Files(str(tmp_path), "f", "stamp"), np.random.default_rng(1).bytes(1000)
    files.save("key", code)
    files.save("other", b"")
    assert files.load("key") == code
    assert capsys.readouterr().err == ""
    for file in tmp_path.glob(f"*.{ending}"):
        file.write_bytes(DAMAGE[how](file.read_bytes()))
    assert files.load("key") is None
    assert files.load("key") is None
    assert capsys.readouterr().err == "motiform: compiled kernels on disk are damaged; they are compiled anew\n"
    files.save("key", code)
    assert files.load("key") == code


def test_machine_code_of_another_function_counts_as_none(tmp_path, monkeypatch):
    monkeypatch.setenv("MOTIFORM_QUIET", "1")
    one, other = (machine_code._Files(str(tmp_path), name, "stamp") for name in "fg")
    one.save("key", b"one")
    other.save("key", b"other")
    one.save("second key", b"second")
    (tmp_path / "f.1.nbc").write_bytes((tmp_path / "g.1.nbc").read_bytes())  # whole, but not its own
    (tmp_path / "f.2.nbc").rename(tmp_path / "g.1.nbc")
    assert one.load("key") is None
    assert other.load("key") is None


class Gone:
    """A type of kernels' arguments."""


def test_machine_code_of_an_older_version_counts_as_none(tmp_path, monkeypatch):
    files = machine_code._Files(str(tmp_path), "f", "stamp")
    files.save(Gone, b"code")
    assert files.load(Gone) == b"code"
    monkeypatch.delattr(sys.modules[__name__], "Gone")
    newer = machine_code._Files(str(tmp_path), "f", "later")
    assert newer.load("key") is None
    newer.save("key", b"new")
    assert newer.load("key") == b"new"


@pytest.mark.parametrize("how", ["folder", "pipe", "device", "link to itself"])
def test_what_is_no_file_in_its_place_is_removed(tmp_path, monkeypatch, capsys, how):
    monkeypatch.delenv("MOTIFORM_QUIET", raising=False)
    machine_code._warn_of_damage.cache_clear()
    place = tmp_path / "code.nbc"
    if how == "folder":
        (place / "inner").mkdir(parents=True)
    elif how == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero" if how == "device" else place)
    assert not machine_code._is_whole(str(place))
    assert "damaged; they are compiled anew" in capsys.readouterr().err
    assert not os.path.lexists(place)
    assert machine_code._is_whole(str(place))  # none is not damaged


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_run_goes_on_with_damaged_machine_code(tmp_path, how, ending):
    end(start(tmp_path))
    damaged = list(tmp_path.rglob(f"*.{ending}"))
    assert damaged
    for file in damaged:
        file.write_bytes(DAMAGE[how](file.read_bytes()))
    counts, said = end(start(tmp_path))
    assert counts == [0, 1]
    assert said.startswith("motiform: compiled kernels on disk are damaged; they are compiled anew\n")
    assert end(start(tmp_path)) == ([1, 0], "")


@routine
def _deep(x):
    total = x
    for k in range(50):
        total = 0.5 * total + 0.25 * np.sin(total + k)
    return total


@routine
def _either(x, deep):
    """Calls another routine on one of its branches only."""
    total = x
    for k in range(50):
        total += np.sqrt(total * total + k)
    return total + (_deep(x) if deep else 0.0)


@kernel
def _both(i, x, out):
    out[i] = _either(x[i], False) + _either(x[i], True)


@kernel
def _neighbours(i, x, out):
    """Which part of the loop wrote each element, told by who wrote it how often."""
    out[i] += x[i] + i


def test_all_that_a_kernel_calls_is_in_it():
    """A function that is reached on one way only, after it was found on another, is taken in too."""
    x = np.linspace(0.1, 2.0, 7)
    out = np.zeros(7)
    _both.cpu(7, 1, x, out)
    deep = [float(_deep.py_func(value)) for value in x]
    near = [float(x0) for x0 in x]
    for n, total in enumerate(near):
        for k in range(50):
            total += np.sqrt(total * total + k)
        near[n] = total
    # `near` doubles 50 times, each with two roundings; `deep` contracts by 3/4, so errors of a sine stay below 4 ulp.
    np.testing.assert_allclose(out, 2 * np.array(near) + deep, rtol=200 * 2.0**-52)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 64, 1001])
@pytest.mark.parametrize("parts", range(1, numba.config.NUMBA_NUM_THREADS + 1))
def test_the_parts_of_a_loop_cover_it_once(count, parts):
    x, out = np.full(count, 0.5), np.zeros(count)
    _neighbours.cpu(count, parts, x, out)
    np.testing.assert_array_equal(out, 0.5 + np.arange(count))


def test_a_routine_is_one_copy_also_where_a_kernel_is_the_first_to_call_it():
    """Numba hands on to a function what its first caller says and it does not: a kernel's body is inline."""

    @inline
    def twice(x):
        return 2.0 * x

    @routine
    def root(x):
        return np.sqrt(twice(x))

    @kernel
    def roots(i, x):
        x[i] = root(x[i]) + root(x[i] + 1.0)

    roots.cpu(1, 1, np.ones(1))
    made = [next(iter(f.overloads.values())) for f in (twice, root)]
    code = [one.library._alone().get_function(one.fndesc.llvm_func_name) for one in made]
    assert ["alwaysinline" in str(list(one.attributes)) for one in code] == [True, False]


def test_functions_of_kernels_are_refused_when_python_calls_them():
    @inline
    def twice(x):
        return 2.0 * x

    @compiled
    def four_times(x):
        return twice(twice(x))

    assert four_times(1.5) == 6.0
    with pytest.raises(TypeError):
        twice(1.5)
    assert twice.py_func(1.5) == 3.0


UNKNOWN = """
import numba, numpy as np
numba.__version__ = "0.99.1"
from motiform.base.kernels import entry, get_device, inline, kernel, sum_fixed, threads

@inline
def square(x):
    return x * x

@kernel
def squares(i, x, y):
    y[i] = square(x[i])

@entry("float64(float64)")
def twice(x):
    return 2.0 * x

y = np.empty(1000)
get_device("cpu").launch(squares, 1000, np.arange(1000.0), y)
assert (y == np.arange(1000.0) ** 2).all()
assert sum_fixed(np.arange(1000.0)) == 499500.0
assert twice.function(2.0) == 4.0
"""


def test_kernels_run_with_an_unknown_version_of_numba(tmp_path):
    """By its public parts alone; it is said once, and nothing is kept."""
    env = {name: value for name, value in os.environ.items() if name != "MOTIFORM_QUIET"}
    script = tmp_path / "script.py"
    script.write_text(UNKNOWN)
    kept = tmp_path / "kept"
    done = subprocess.run(
        [sys.executable, str(script)], env=env | {"MOTIFORM_CACHE": str(kept)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "motiform: Numba 0.99.1 is not one of the versions that it knows (0.62 or later, below 0.69): kernels run on "
        "one core, and are compiled in every process\n"
    )
    assert not kept.exists()


def test_the_known_versions_of_numba_are_those_that_are_required():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    first, beyond = (".".join(map(str, version)) for version in KNOWN)
    required = [one.partition(";")[0] for one in project["dependencies"] if one.startswith("numba")]
    assert f"numba>={first},<{beyond}" in required
    assert all(one.startswith(f"numba>={first},<") for one in required)
    assert is_known(f"{first}.2")
    assert is_known(numba.__version__)
    assert not is_known(f"{beyond}.0rc1")
