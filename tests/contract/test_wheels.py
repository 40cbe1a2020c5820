"""The locked dependencies install from wheels alone, on every platform and Python that motiform supports."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLATFORMS = (
    "x86_64-manylinux_2_28",
    "aarch64-manylinux_2_28",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
UNREACHABLE = ("failed to fetch", "error sending request", "dns error", "connection", "offline", "timed out")


def resolve(platform, python, *extras):
    """Resolve the package with its lock for a platform, wheels only; return what went wrong, or None."""
    uv = Path(sys.executable).with_name("uv")
    uv = str(uv) if uv.exists() else shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed: it resolves for other platforms")
    command = [
        uv, "pip", "compile", "-q", "--only-binary", ":all:", "--python-platform", platform, "--python-version", python,
        *(f"--extra={extra}" for extra in extras), "-c", "requirements.lock", "pyproject.toml",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        return None
    if any(word in done.stderr.lower() for word in UNREACHABLE):
        pytest.skip(f"the package registry cannot be reached: {done.stderr.strip().splitlines()[0]}")
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_package_has_wheels(platform, python):
    """With the extras of a user. On Intel Macs Numba has wheels up to Python 3.13."""
    failure = resolve(platform, python, "all")
    assert (failure is None) == ((platform, python) != ("x86_64-apple-darwin", "3.14")), failure


@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.13"])
@pytest.mark.parametrize("platform", ["x86_64-manylinux_2_34", "aarch64-manylinux_2_34", "aarch64-apple-darwin"])
def test_what_tests_need_has_wheels(platform, python):
    assert resolve(platform, python, "dev", "peers", "all") is None


def test_a_dependency_without_wheels_is_found(tmp_path, monkeypatch):
    """The check can fail: ezc3d has no wheel for Linux on ARM."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\ndependencies = ["ezc3d==1.7.2"]\n')
    (tmp_path / "requirements.lock").write_text("ezc3d==1.7.2\n")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert "ezc3d" in resolve("aarch64-manylinux_2_28", "3.11")
    assert resolve("x86_64-manylinux_2_28", "3.11") is None
