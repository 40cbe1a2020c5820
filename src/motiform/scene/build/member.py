"""One figure of a scene among all that are simulated as one."""

from dataclasses import dataclass

from motiform.motion.tree import Figure

__all__ = ["Member", "full_names"]


@dataclass(frozen=True)
class Member:
    """One figure of a scene among all that are simulated as one."""

    prefix: str
    """What its names begin with."""
    segments: tuple[str, ...]


def full_names(figure: Figure, prefix: str, name: str, which: str) -> list[str]:
    """Return the coordinate that a name means; a name without a side, such as "knee", is that of both sides."""
    known = figure.layout.places_q if which == "q" else figure.layout.places_v
    sides = [f"{prefix}{side}_{name}" for side in ("right", "left")]
    return sides if prefix + name not in known and all(side in known for side in sides) else [prefix + name]
