"""Ends from outside: Ctrl-C, SIGTERM and SIGHUP stop the work so that what it has is committed, and none is lost."""

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False  # typing takes a while to import, and until signals are watched Ctrl-C shows a traceback
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

__all__ = ["check_end", "ended_by", "leave_signals", "watch_signals"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SOON = 0.05  # s from one look at the main thread to the next
_PATIENCE = 3.0  # s that compiled code may take to come back to Python
_got: list[int] = []
_seen_by: list[int] = []  # the process with the thread that sees to signals, and the pipe to it


def watch_signals(on_signal: "Callable[[int], None] | None" = None) -> None:
    """Let SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt from now on; one that is ignored (nohup) stays so.

    Python drops an exception that is raised inside a callback of compiled code or in garbage collection, and libraries
    catch any while they import others. Where `on_signal` is given, a thread sees this and sends the signal again. Where
    compiled code does not come back to Python for some seconds, it calls `on_signal` with the signal and ends the
    process: what is committed stays, as with SIGKILL. Only the command line does this: a program has its own.
    """
    _got.clear()
    if on_signal is not None and hasattr(signal, "pthread_kill"):  # which Windows has not
        if _seen_by[:1] != [os.getpid()]:  # a fork has no thread of its own yet
            ours, theirs = os.pipe()
            os.set_blocking(theirs, False)
            _thread.start_new_thread(_see_through, (ours, _thread.get_ident(), on_signal))
            _seen_by[:] = [os.getpid(), theirs]
        signal.set_wakeup_fd(_seen_by[1], warn_on_full_buffer=False)  # it gets the numbers of signals at once
    usual = (signal.SIG_DFL, signal.default_int_handler, _end)
    for number in _numbers():
        if signal.getsignal(number) in usual:
            signal.signal(number, _end)
    sys.unraisablehook = _report_unraisable


def leave_signals() -> None:
    """Let signals end the process from now on, without a word."""
    for number in _numbers():
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)
    if _seen_by:
        signal.set_wakeup_fd(-1)


def check_end() -> None:
    """Raise KeyboardInterrupt where a signal has come that should have ended the work."""
    if _got:
        raise KeyboardInterrupt


def ended_by() -> int | None:
    """Return the signal that ended the work, or None."""
    return _got[0] if _got else None


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]  # Windows has no SIGHUP


def _end(number: int, frame: "FrameType | None") -> None:
    _got.append(number)
    raise KeyboardInterrupt


def _report_unraisable(dropped: "Any") -> None:
    """Tell of an exception that Python drops, but for ours, which comes again."""
    if not (_got and dropped.exc_type is KeyboardInterrupt):
        sys.__unraisablehook__(dropped)


def _see_through(pipe: int, main: int, on_signal: "Callable[[int], None]") -> None:
    """See to it that each signal that comes through a pipe ends the work of the main thread."""
    while read := os.read(pipe, 1):
        number, heard = read[0], 0
        while signal.getsignal(number) is _end:
            until = time.monotonic() + _PATIENCE
            while len(_got) <= heard and time.monotonic() < until:
                time.sleep(_SOON)
            if len(_got) <= heard:
                on_signal(number)
                os._exit(128 + number)
            heard = len(_got)
            while _is_ending(main):
                time.sleep(_SOON)
            if signal.getsignal(number) is _end:
                signal.pthread_kill(main, number)  # which also wakes a thread that waits


def _is_ending(thread: int) -> bool:
    """Tell whether a thread handles KeyboardInterrupt: it cleans up, and is not disturbed."""
    time.sleep(_SOON)
    found = sys._current_exceptions().get(thread)
    error = found[1] if isinstance(found, tuple) else found  # a tuple up to Python 3.11
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
