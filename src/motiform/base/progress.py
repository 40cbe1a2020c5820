"""Progress of long work: a callback of the fraction done, a bar that is one, and the announcement of compiling."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from motiform.base.signals import check_end

__all__ = ["Progress", "ProgressBar", "bar", "compiling"]

#: Called with the fraction done, 0 to 1. Long functions take one as ``progress=``; raising in it stops the work.
Progress = Callable[[float], None]


class ProgressBar:
    """A bar as a callback of the fraction done; told how many things there are, it shows their rate and the end."""

    def __init__(self, move: Callable[[float, str], None] | None = None) -> None:
        self._move, self._count, self._things = move, 0, ""
        self._begun = time.monotonic()

    def expect(self, count: int, things: str) -> None:
        """Tell how many things there are: their rate is shown, and when all of them will be done."""
        self._count, self._things, self._begun = count, things, time.monotonic()

    def __call__(self, fraction: float) -> None:
        """Move the bar; a signal that has come ends the work."""
        check_end()
        if self._move is not None:
            self._move(fraction, self._rate(fraction))

    def _rate(self, fraction: float) -> str:
        spent = time.monotonic() - self._begun
        if not self._count or fraction <= 0.0 or spent <= 0.0:
            return ""
        end = time.strftime("%H:%M:%S", time.localtime(time.time() + spent * (1.0 / fraction - 1.0)))
        done = fraction * self._count
        return f"{done:.0f} of {self._count} {self._things}, {done / spent:.3g}/s, ends at {end}"


@contextmanager
def bar(label: str, *, quiet: bool = False) -> Iterator[ProgressBar]:
    """Show a progress bar on stderr and give the callback that moves it; where no terminal is, show nothing.

    >>> with bar("tumbling", quiet=True) as progress:
    ...     progress(0.5)
    """
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_interactive:  # in a log rich would leave an empty line of its bar
        yield ProgressBar()
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
    )
    with RichProgress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(label, total=1.0, rate="")
        yield ProgressBar(lambda fraction, rate: shown.update(task, completed=fraction, rate=rate))


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
