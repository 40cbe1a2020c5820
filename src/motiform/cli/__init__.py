"""The command line: one file per verb."""

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the `motiform` command. Exit codes: 0 done, 1 the work failed, 2 the input is wrong, 130 interrupted."""
    from motiform.base.errors import MotiformError

    try:
        from motiform.cli.app import app

        app(standalone_mode=True)
    except MotiformError as error:
        _say(f"motiform: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("motiform: interrupted; what was written stays, and --resume goes on from there")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left: nothing more to say
        sys.exit(1)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
