"""Benchmarks: ours beside the peers that are installed, in one run."""

from collections.abc import Callable
from importlib import import_module

from motiform.base.errors import InputError, closest
from motiform.base.progress import Progress
from motiform.bench.report import Report

__all__ = ["THEMES", "run_bench"]

#: Themes and the modules that measure them.
THEMES = {
    "bodies": "motiform.bench.bodies",
    "hybrid": "motiform.bench.hybrid.measure",
    "matter": "motiform.bench.matter.measure",
    "reconstruct": "motiform.bench.reconstruct.measure",
    "startup": "motiform.bench.startup",
    "tree": "motiform.bench.tree.measure",
}


def run_bench(theme: str, *, device: str = "cpu", progress: Progress | None = None) -> Report:
    """Measure one theme and return its report."""
    if theme not in THEMES:
        raise InputError("unknown benchmark", got=theme, allowed=", ".join(THEMES), remedy=closest(theme, THEMES))
    from motiform.base.kernels import get_device

    get_device(device)
    measure: Callable[..., Report] = import_module(THEMES[theme]).measure
    return measure(device=device, progress=progress or (lambda fraction: None))
