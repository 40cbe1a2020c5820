"""Ctrl-C and other ends from outside are not lost, wherever they come."""

import ctypes
import signal
import sys

import pytest

from motiform.base import signals


@pytest.fixture
def watched():
    """Watch signals as they are in a process of its own, and leave them as they were."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    kept = {number: signal.signal(number, handler) for number, handler in usual.items()}
    signals.watch_signals()
    yield
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
