"""Benchmarks: ours beside the peers that are installed, in one run. They are in the repository, not in the package."""

from collections.abc import Callable
from importlib import import_module

from bench.register import PEERS, Peer
from bench.report import Report
from motiform.base.errors import InputError, closest
from motiform.base.progress import Progress

__all__ = ["PEERS", "THEMES", "Peer", "run_bench"]

#: Themes and the modules that measure them.
THEMES = {
    "act": "bench.act.cases",
    "bodies": "bench.bodies.cases",
    "contact": "bench.contact.cases",
    "hybrid": "bench.hybrid.cases",
    "many": "bench.many.cases",
    "matter": "bench.matter.cases",
    "reconstruct": "bench.reconstruct.cases",
    "screen": "bench.screen.cases",
    "startup": "bench.startup",
    "tree": "bench.tree.cases",
}


def run_bench(theme: str, *, device: str = "cpu", progress: Progress | None = None) -> Report:
    """Measure one theme and return its report."""
    if theme not in THEMES:
        raise InputError("unknown benchmark", got=theme, allowed=", ".join(THEMES), remedy=closest(theme, THEMES))
    from motiform.base.kernels import get_device

    get_device(device)
    measure: Callable[..., Report] = import_module(THEMES[theme]).measure
    return measure(device=device, progress=progress or (lambda fraction: None))
