"""Ctrl-C and other ends from outside are not lost, wherever they come."""

import ctypes
import signal
import subprocess
import sys

import pytest

from motiform.base import signals


@pytest.fixture
def watched():
    """Watch signals as they are in a process of its own, and leave them as they were."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    kept = {number: signal.signal(number, handler) for number, handler in usual.items()}
    hook = sys.unraisablehook
    signals.watch_signals()
    yield
    sys.unraisablehook = hook
    for number, handler in kept.items():
        signal.signal(number, handler)
    signals._got.clear()


def test_ctrl_c_inside_a_callback_of_compiled_code_is_not_lost(watched, monkeypatch):
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    called = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    called()  # compiled code cannot raise: Python drops what is raised in here
    assert [one.exc_type for one in dropped] == [KeyboardInterrupt]
    with pytest.raises(KeyboardInterrupt):
        signals.check_end()
    assert signals.ended_by() == signal.SIGINT


def test_an_error_that_a_signal_causes_is_reported_as_the_signal(watched, monkeypatch, capsys):
    import motiform.cli as cli

    def failing():
        signals._got.append(signal.SIGTERM)  # as a library that is stopped in its import and says something else
        raise ImportError("numpy failed to import")

    monkeypatch.setattr(cli, "_run", failing)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 128 + signal.SIGTERM
    assert capsys.readouterr().err.splitlines() == ["motiform: ended by signal 15"]


def test_a_signal_in_python_ends_at_once_and_is_known(watched):
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert signals.ended_by() == signal.SIGTERM


def test_without_a_signal_nothing_ends(watched):
    signals.check_end()
    assert signals.ended_by() is None


def test_what_is_ignored_stays_so(watched):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signals.watch_signals()
    signal.raise_signal(signal.SIGTERM)
    signals.check_end()


BEGIN = """
import hashlib, os, signal, threading, time
from motiform.base import signals

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
signals._PATIENCE = 0.2
signals.watch_signals(lambda number: print("signal", number, flush=True))
"""
LOST = {
    "by garbage collection": """
class Garbage:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
Garbage()
""",
    "by a library": """
try:
    signal.raise_signal(signal.SIGINT)
except BaseException as error:
    kept = error
""",
}
SLEEP = """
try:
    time.sleep(60)
except KeyboardInterrupt:
    signals.leave_signals()
    print("heard")
"""
CLEAN = """
try:
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        try:
            int("x")
        except ValueError:
            time.sleep(0.5)
            print("cleaned up", signals._got)
except KeyboardInterrupt:
    signals.leave_signals()
"""
STUCK = """
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # compiled code that takes minutes and does not look at signals
"""


def ends(code):
    """Run a program that watches for signals, and return its exit code and what it says."""
    done = subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, timeout=60)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("how", LOST)
def test_ctrl_c_that_is_lost_comes_again(how):
    assert ends(LOST[how] + SLEEP) == (0, "heard\n")


def test_cleaning_up_is_not_disturbed():
    assert ends(CLEAN) == (0, "cleaned up [2]\n")


def test_compiled_code_that_does_not_come_back_does_not_keep_a_signal():
    assert ends(STUCK) == (128 + signal.SIGTERM, "signal 15\n")
