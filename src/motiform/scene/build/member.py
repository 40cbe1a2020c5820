"""One figure of a scene among all that are simulated as one."""

from dataclasses import dataclass

__all__ = ["Member"]


@dataclass(frozen=True)
class Member:
    """One figure of a scene among all that are simulated as one."""

    prefix: str
    """What its names begin with."""
    segments: tuple[str, ...]
