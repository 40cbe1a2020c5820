"""The wheel and the source archive: what is in them, and that the wheel works in an empty environment."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import motiform

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
UNREACHABLE = ("failed to fetch", "error sending request", "dns error", "connection", "offline", "timed out")
BIN = "Scripts" if os.name == "nt" else "bin"


def uv(*arguments, cwd=ROOT):
    """Run uv; skip without it, and without a network."""
    found = Path(sys.executable).with_name("uv")
    command = str(found) if found.exists() else shutil.which("uv")
    if command is None:
        pytest.skip("uv is not installed: it builds and installs")
    done = subprocess.run([command, *arguments], cwd=cwd, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode and any(word in done.stderr.lower() for word in UNREACHABLE):
        pytest.skip(f"the package registry cannot be reached: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the source archive, and from it the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--out-dir", str(folder))
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def empty(built, tmp_path_factory):
    """Install the wheel alone in an empty environment; return how to run a command of it, and its packages."""
    folder = tmp_path_factory.mktemp("empty")
    python = folder / "venv" / BIN / ("python.exe" if os.name == "nt" else "python")
    uv("venv", "--python", sys.executable, str(folder / "venv"))
    uv("pip", "install", "--python", str(python), str(built[0]))
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*command):
        return subprocess.run(
            [str(python), *command], cwd=folder, env=env, capture_output=True, text=True, timeout=1800, check=False
        )

    return run


def test_files_of_the_wheel(built):
    """All of the package with its data, and nothing else."""
    wheel, archive = built
    assert wheel.name == f"motiform-{motiform.__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    ours = {path.relative_to(source).as_posix() for path in (source / "motiform").rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    information = f"motiform-{motiform.__version__}.dist-info/"
    assert {name for name in names if not name.startswith(information)} == ours
    assert f"{information}licenses/LICENSE" in names
    with tarfile.open(archive) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    assert {"pyproject.toml", "CITATION.cff", "bench/__init__.py", "tests/conftest.py", "docs/conf.py"} <= inside
    assert {f"src/{name}" for name in ours} <= inside


def test_the_wheel_simulates_records_and_draws_alone(empty):
    done = empty("-m", "motiform", "list")
    assert done.returncode == 0, done.stderr
    assert "handle" in done.stdout
    for command in (("run", "handle", "--out", "handle.mf"), ("plot", "handle.mf", "--out", "handle.png")):
        done = empty("-m", "motiform", *command)
        assert done.returncode == 0, done.stderr
        assert command[-1] in done.stdout


@pytest.mark.parametrize(
    ("code", "command"),
    [
        ("import motiform as mf; mf.open_recording('handle.mf').to_pandas()", "pip install 'motiform[report]'"),
        ("from motiform.studio import serve; serve(port=0)", "pip install 'motiform[studio]'"),
        ("from motiform.measure.segment.split import flood; import numpy as np; a = np.ones((3, 3, 3), bool);"
         "flood(a, a.astype(int))", "pip install 'motiform[ct]'"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_with_its_command(empty, code, command):
    empty("-m", "motiform", "run", "handle", "--out", "handle.mf", "--overwrite")
    done = empty("-c", code)
    assert done.returncode == 1
    assert command in done.stderr.splitlines()[-1]


def test_benchmarks_are_said_to_be_elsewhere(empty):
    done = empty("-m", "motiform", "bench", "bodies")
    assert done.returncode == 2
    assert "benchmarks are in the repository" in done.stderr


def test_the_demo_runs(empty):
    done = empty("-m", "motiform", "demo", "--no-view", "--out", "demo")
    assert done.returncode == 0, done.stderr
    assert "demo/index.html" in done.stdout.replace(os.sep, "/")
