"""Where caches are, and when they are forgotten."""

import os
import time
from pathlib import Path

from motiform.base.caches import cache_dir, forget_old, source_key


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


def test_only_old_folders_are_forgotten(tmp_path):
    for name in ("old", "young", source_key()):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").write_bytes(b"x")
    past = time.time() - 40 * 86400
    for name in ("old", source_key()):
        os.utime(tmp_path / name, (past, past))
    forget_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"young", source_key()}
    forget_old(tmp_path / "nowhere")
