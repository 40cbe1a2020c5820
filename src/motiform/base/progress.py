"""Progress of long work: a callback of the fraction done, and a bar that is one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Progress", "bar"]

#: Called with the fraction done, 0 to 1. Long functions take one as ``progress=``; raising in it stops the work.
Progress = Callable[[float], None]


@contextmanager
def bar(label: str, *, quiet: bool = False) -> Iterator[Progress]:
    """Show a progress bar on stderr and give the callback that moves it; where no terminal is, show nothing.

    >>> with bar("tumbling", quiet=True) as progress:
    ...     progress(0.5)
    """
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_interactive:  # in a log rich would leave an empty line of its bar
        yield lambda fraction: None
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
        yield lambda fraction: shown.update(task, completed=fraction)
