"""The command line: one file per verb. Until `main` watches for Ctrl-C, nothing is imported that takes a while."""

import os
import sys
import traceback
import warnings

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the `motiform` command.

    Exit codes: 0 done, 1 the work failed, 2 the input is wrong, 130 interrupted; 128 + n ended by signal n.
    """
    from motiform.base.signals import ended_by, leave_signals, watch_signals

    try:
        watch_signals(_say_ended)
        sys.exit(_run())
    except KeyboardInterrupt:
        _interrupted()
    except Exception as error:
        if ended_by() is not None:  # libraries that a signal stops while they are imported fail in their own ways
            _interrupted()
        sys.exit(_report_error(error))
    finally:
        leave_signals()


def _run() -> int:
    """Do what the command line says and return the exit code."""
    from motiform.cli.app import app

    _silence_libraries()
    code = app(standalone_mode=False) or 0
    sys.stdout.flush()
    if code == _INTERRUPTED:  # typer has turned Ctrl-C into this code
        raise KeyboardInterrupt
    return int(code)


def _report_error(error: Exception) -> int:
    """Say why the work failed and return the exit code."""
    from motiform.base.errors import MotiformError

    if isinstance(error, MotiformError):
        _say(f"motiform: {error}")
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        _close_output()  # the reader left: nothing more to say
        return 1
    if isinstance(error, OSError) and error.errno is not None:
        _say(f"motiform: {error.filename or 'the output'} cannot be read or written ({error.strerror})")
        _close_output()  # or its end would be told once more
        return 1
    if hasattr(error, "show"):
        error.show()  # the command line itself is wrong: typer tells how
        return 2
    if os.environ.get("MOTIFORM_TRACEBACK"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" at {last[0].filename}:{last[0].lineno}" if last else ""
    _say(
        f"motiform: motiform has a defect here ({type(error).__name__}{place}: {str(error)[:200]}). "
        "Please report it with its traceback (MOTIFORM_TRACEBACK=1 shows it)."
    )
    return 1


def _interrupted() -> None:
    """Say that a signal ended the work, and end with its code."""
    from motiform.base.signals import ended_by, leave_signals

    leave_signals()  # a second one ends it at once
    number = ended_by() or 2
    _say_ended(number)
    sys.exit(128 + number)


def _say_ended(number: int) -> None:
    how = "interrupted" if number == 2 else f"ended by signal {number}"
    resumable = any(verb in sys.argv[1:2] for verb in ("run", "study", "film", "wrist"))
    _say(f"motiform: {how}" + ("; what was written stays, and --resume goes on from there" if resumable else ""))


def _close_output() -> None:
    """Let what is still to be written to the output go nowhere."""
    from contextlib import suppress

    with suppress(OSError, ValueError):  # an output that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _silence_libraries() -> None:
    """Keep warnings of libraries off the screen and tell ours, unless Python was told (-W, PYTHONWARNINGS)."""
    from motiform.base.errors import MotiformWarning

    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", MotiformWarning)
        warnings.showwarning = lambda message, *_, **__: _say(f"motiform: {message}")
        os.environ.setdefault("PYTHONWARNINGS", "ignore")  # for processes that are started from here
        import logging

        logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _say(text: str) -> None:
    from motiform.base.errors import printable

    print(printable(text), file=sys.stderr)
