"""What a benchmark reports."""

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Report", "Result"]


@dataclass(frozen=True)
class Result:
    """One case: ours and the peers, in one unit."""

    case: str
    device: str
    threads: int
    unit: str
    better: Literal["lower", "higher"]
    ours: float
    peers: Mapping[str, float] = field(default_factory=dict)
    limit: Mapping[str, float] = field(default_factory=dict)
    """Fraction reached of a limit of the machine that was measured in the same run."""
    note: str = ""

    @property
    def speedup(self) -> dict[str, float]:
        """How far ours is ahead of each peer: above 1 means ahead."""
        if self.better == "higher":
            return {name: self.ours / value for name, value in self.peers.items()}
        return {name: value / self.ours for name, value in self.peers.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the JSON report has it."""
        row: dict[str, Any] = {key: getattr(self, key) for key in ("case", "device", "threads", "unit", "better")}
        row |= {"ours": float(f"{self.ours:.4g}"), "peers": _rounded(self.peers), "speedup": _rounded(self.speedup)}
        row["limit"] = _rounded(self.limit)
        return row | ({"note": self.note} if self.note else {})


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.4g}") for name, value in values.items()}


@dataclass(frozen=True)
class Report:
    """All cases of a theme, and the machine."""

    bench: str
    results: tuple[Result, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {"bench": self.bench, "machine": machine(), "results": [result.as_dict() for result in self.results]}

    def as_table(self) -> str:
        """Return the report as text."""
        lines = [f"bench {self.bench}"]
        for result in self.results:
            ahead = ", ".join(
                f"{name} {value:.3g} ({result.speedup[name]:.3g}×)" for name, value in result.peers.items()
            )
            where = f"{result.device}, {result.threads} thread{'s' if result.threads > 1 else ''}"
            limit = "".join(f"; {100 * value:.0f} % of the {name} limit" for name, value in result.limit.items())
            lines.append(
                f"  {result.case:<28} {where:<16} {result.ours:.4g} {result.unit}; {ahead or 'no peer'}{limit}"
            )
        return "\n".join(lines)


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    from motiform import __version__

    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "motiform": __version__,
    }


def _processor() -> str:
    """Return the processor's name: as the system has it, else as the compiler does (Linux on ARM has none)."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        from llvmlite.binding import get_host_cpu_name

        return str(get_host_cpu_name())
