"""Ends from outside: Ctrl-C, SIGTERM and SIGHUP stop the work so that what it has is committed, and none is lost."""

import signal
from types import FrameType

__all__ = ["check_end", "ended_by", "watch_signals"]

_got: list[int] = []


def watch_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt from now on; one that is ignored (nohup) stays so.

    Python drops an exception that is raised inside a callback of compiled code: it is raised again by `check_end`,
    which the run loop and progress bars call. Only the command line does this: in a program signals are its own.
    """
    _got.clear()
    usual = (signal.SIG_DFL, signal.default_int_handler, _end)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) in usual:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    _got.append(number)
    raise KeyboardInterrupt


def check_end() -> None:
    """Raise KeyboardInterrupt where a signal has come that should have ended the work."""
    if _got:
        raise KeyboardInterrupt


def ended_by() -> int | None:
    """Return the signal that ended the work, or None."""
    return _got[0] if _got else None
