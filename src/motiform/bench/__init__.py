"""Benchmarks: ours beside the peers that are installed, in one run."""

from collections.abc import Callable
from importlib import import_module

from motiform.base.errors import InputError, closest
from motiform.base.progress import Progress
from motiform.bench.register import PEERS, Peer
from motiform.bench.report import Report

__all__ = ["PEERS", "THEMES", "Peer", "run_bench"]

#: Themes and the modules that measure them.
THEMES = {
    "act": "motiform.bench.act.cases",
    "bodies": "motiform.bench.bodies.cases",
    "contact": "motiform.bench.contact.cases",
    "hybrid": "motiform.bench.hybrid.cases",
    "matter": "motiform.bench.matter.cases",
    "reconstruct": "motiform.bench.reconstruct.cases",
    "screen": "motiform.bench.screen.cases",
    "startup": "motiform.bench.startup",
    "tree": "motiform.bench.tree.cases",
}


def run_bench(theme: str, *, device: str = "cpu", progress: Progress | None = None) -> Report:
    """Measure one theme and return its report."""
    if theme not in THEMES:
        raise InputError("unknown benchmark", got=theme, allowed=", ".join(THEMES), remedy=closest(theme, THEMES))
    from motiform.base.kernels import get_device

    get_device(device)
    measure: Callable[..., Report] = import_module(THEMES[theme]).measure
    return measure(device=device, progress=progress or (lambda fraction: None))
