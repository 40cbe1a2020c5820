"""The command line: one file per verb."""

import logging
import os
import sys
import warnings

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the `motiform` command. Exit codes: 0 done, 1 the work failed, 2 the input is wrong, 130 interrupted."""
    from motiform.base.errors import MotiformError
    from motiform.cli.app import app

    _silence_libraries()
    try:
        code = app(standalone_mode=False) or 0
        if code == _INTERRUPTED:  # typer has turned Ctrl-C into this code
            resumable = any(verb in sys.argv[1:2] for verb in ("run", "film", "wrist"))
            _say(
                "motiform: interrupted"
                + ("; what was written stays, and --resume goes on from there" if resumable else "")
            )
        sys.exit(code)
    except MotiformError as error:
        _say(f"motiform: {error}")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left: nothing more to say
        sys.exit(1)
    except Exception as error:
        if not hasattr(error, "show"):
            raise  # a defect of ours: the traceback is what a report needs
        error.show()  # the command line itself is wrong: typer tells how
        sys.exit(2)


def _silence_libraries() -> None:
    """Keep warnings of libraries off the screen, unless they are asked for (python -W, PYTHONWARNINGS)."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        os.environ.setdefault("PYTHONWARNINGS", "ignore")  # for processes that are started from here
        logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
