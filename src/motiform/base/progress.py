"""Progress of long work: a callback of the fraction done, a bar that is one, and the announcement of compiling."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from motiform.base.signals import check_end

__all__ = ["Progress", "bar", "compiling"]

#: Called with the fraction done, 0 to 1. Long functions take one as ``progress=``; raising in it stops the work.
Progress = Callable[[float], None]


@contextmanager
def bar(label: str, *, quiet: bool = False, count: int = 0, things: str = "") -> Iterator[Progress]:
    """Show a progress bar on stderr and give the callback that moves it; where no terminal is, show nothing.

    Where it is told how many things are done, it shows their rate, and when they will all be done.

    >>> with bar("tumbling", quiet=True) as progress:
    ...     progress(0.5)
    """
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_interactive:  # in a log rich would leave an empty line of its bar
        yield lambda fraction: check_end()
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(label, total=1.0)

        def report(fraction: float) -> None:
            check_end()
            shown.update(task, completed=fraction)

        yield report


class _Compiled:
    """What this process has compiled, and when that was last announced."""

    count, seconds, announced = 0, 0.0, -1.0


@contextmanager
def compiling(name: str, unkept: str | None = None) -> Iterator[None]:
    """Announce on stderr that kernels are compiled, and how many are done; ``MOTIFORM_QUIET=1`` turns it off.

    A first line at once, further ones at most every ten seconds. `unkept` is the reason why nothing is kept on disk.
    """
    done, quiet = _Compiled, bool(os.environ.get("MOTIFORM_QUIET"))
    if done.announced < 0 and not quiet:
        often = "once; they are kept on disk" if unkept is None else f"in every process: none can be kept, {unkept}"
        print(f"motiform: compiling kernels for this processor ({often})", file=sys.stderr, flush=True)
        done.announced = time.perf_counter()
    begun = time.perf_counter()
    yield
    now = time.perf_counter()
    done.count, done.seconds = done.count + 1, done.seconds + now - begun
    if now - done.announced > 10 and not quiet:
        plural = "s" if done.count > 1 else ""
        print(f"motiform: {done.count} kernel{plural} compiled in {done.seconds:.0f} s", file=sys.stderr, flush=True)
        done.announced = now
