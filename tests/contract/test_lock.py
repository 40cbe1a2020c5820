"""requirements.lock: every file of every dependency has a checksum, and what is picked of it is what is needed."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNREACHABLE = ("failed to fetch", "error sending request", "dns error", "connection", "offline", "timed out")
spec = importlib.util.spec_from_file_location("locked", ROOT / ".ci" / "locked.py")
locked = importlib.util.module_from_spec(spec)
spec.loader.exec_module(locked)
LOCK = locked.read_lock((ROOT / "requirements.lock").read_text("utf-8"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
PICKED = [".", ".[studio]", ".[dev,peers,studio,ct,report,usd,dask,midi]", f".[{','.join(EXTRAS)}]", "uv"]


def test_every_entry_is_pinned_with_checksums():
    assert len(LOCK) > 100
    for name, entry, _ in LOCK:
        assert re.match(r"[\w.-]+==[\w.!+]+( ;| \\\n)", entry), name
        assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", entry)) >= 1, name


@pytest.mark.parametrize("what", PICKED)
def test_what_is_needed_is_in_the_lock(what):
    names = locked.needed(locked.direct(what), LOCK)
    assert names <= {name for name, _, _ in LOCK}
    assert names == {"uv"} if what == "uv" else {"numpy", "hatchling"} <= names


def test_everything_in_the_lock_is_needed_by_something():
    assert locked.needed(locked.direct(PICKED[3]), LOCK) == {name for name, _, _ in LOCK}


def test_make_installs_nothing_without_checksums():
    text = (ROOT / "Makefile").read_text("utf-8")
    installs = re.findall(r"(?:\$\(PIP\)|\$\$uv) (--.*?)(?=;|\|\||&&|$)", text, re.MULTILINE)
    assert len(installs) == 5
    assert all("--require-hashes" in one or "--no-deps --no-build-isolation" in one for one in installs)


def run_uv(*arguments):
    uv = Path(sys.executable).with_name("uv")
    uv = str(uv) if uv.exists() else shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    done = subprocess.run([uv, "pip", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and any(word in done.stderr.lower() for word in UNREACHABLE):
        pytest.skip(f"the package registry cannot be reached: {done.stderr.strip().splitlines()[0]}")
    return done


@pytest.mark.slow
@pytest.mark.parametrize("what", PICKED[:4])
def test_what_is_picked_is_what_uv_resolves(what):
    """The package, what builds it and the extras, for all platforms, resolved within the lock."""
    extras = ["build", *(extra for extra in what.removeprefix(".").strip("[]").split(",") if extra)]
    done = run_uv("compile", "-q", "--universal", "--python-version", "3.11", "--no-header", "--no-annotate",
                  *(f"--extra={extra}" for extra in extras), "-c", "requirements.lock", "pyproject.toml")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {locked.name_of(line) for line in done.stdout.splitlines() if re.match(r"\w", line)}
    assert locked.needed(locked.direct(what), LOCK) == found


@pytest.mark.slow
def test_a_file_that_was_changed_is_not_installed(tmp_path):
    (entry,) = (entry for name, entry, _ in LOCK if name == "mdurl")
    for text, works in ((entry, True), (re.sub(r"sha256:.", "sha256:0", entry).replace("sha256:0", "sha256:f"), False)):
        (tmp_path / "a.lock").write_text(text)
        place = str(tmp_path / str(works))
        done = run_uv("install", "--no-cache", "--target", place, "--require-hashes", "-r", str(tmp_path / "a.lock"))
        assert (done.returncode == 0) == works, done.stderr
