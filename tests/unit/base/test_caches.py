"""Where caches are, and when they are forgotten."""

import os
import time
from pathlib import Path

import pytest

from motiform.base import caches
from motiform.base.caches import cache_dir, forget_old, private_cache, source_key


def test_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MOTIFORM_CACHE", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"


def test_folder_of_the_platform(monkeypatch, tmp_path):
    monkeypatch.delenv("MOTIFORM_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "motiform"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "motiform"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_dir() == Path.home() / "Library" / "Caches" / "motiform"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_dir() == tmp_path / "local" / "motiform"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes as of POSIX")
def test_the_folder_is_the_users_alone(monkeypatch, tmp_path):
    place = tmp_path / "deep" / "mine"
    monkeypatch.setenv("MOTIFORM_CACHE", str(place))
    assert private_cache() == place
    assert place.stat().st_mode & 0o777 == 0o700
    place.chmod(0o755)  # as versions before made it: others could read, not write
    private_cache()
    assert place.stat().st_mode & 0o777 == 0o700
    for mode in (0o720, 0o702, 0o777):
        place.chmod(mode)
        with pytest.raises(OSError, match="others can write to it"):
            private_cache()
        assert place.stat().st_mode & 0o777 == mode


def test_only_old_folders_are_forgotten(tmp_path):
    for name in ("old", "young"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").write_bytes(b"x")
    past = time.time() - 40 * 86400
    os.utime(tmp_path / "old", (past, past))
    forget_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"young"}
    forget_old(tmp_path / "nowhere")


def test_key_follows_what_kernels_import(tmp_path):
    package = Path(caches.__file__).parents[1]
    kernels = package / "motion" / "bodies" / "kernels.py"
    needed = {path.relative_to(package).as_posix() for path in closure(kernels, package)}
    assert {"base/kernels.py", "spatial/algebra.py", "motion/bodies/columns.py"} <= needed
    assert not any(name.startswith("motion/tree") for name in needed)  # its changes do not concern bodies
    contact = package / "motion" / "contact" / "problem_kernels.py"
    assert package / "motion" / "tree" / "kernels" / "motion.py" in closure(contact, package)
    mine = tmp_path / "my_kernels.py"
    mine.write_text("from motiform.spatial.algebra import add\n")
    first = source_key(mine)
    source_key.cache_clear()
    mine.write_text("from motiform.spatial.algebra import axpy\n")
    assert source_key(mine) != first


def closure(file, package):
    found, waiting = set(), [file]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += caches._imported(here, package)
    return found
