"""Straight links of varying length between the points of two channels."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import check_below, read_indices, read_points, read_radius, spread_radius, take
from motiform.form.looks.color import Color, check_color, read_color, resolve_color
from motiform.form.looks.plain import PartLook, Plain
from motiform.form.parts import LinkParts, Series
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["HideBy", "LinksLook"]


@dataclass(frozen=True, eq=False, kw_only=True)
class HideBy(Plain):
    """Links that are not drawn while their whole number in a channel is one of some values."""

    channel: str
    values: tuple[int, ...]
    pick: np.ndarray | None = None
    """Columns of the channel that are drawn, (links,); None: all."""

    def hidden(self, recording: "Recording", shape: tuple[int, int], where: str) -> Series:
        """Return which links are not there, (samples, links)."""
        found: Series = by_samples(_as_columns, recording.samples(self.channel))
        found = take(found, self.pick, where)
        if found.shape != shape:
            got = f"{self.channel!r} of shape {found.shape}"
            raise RecordingError(
                "a channel of links must have a number for each", where=where, got=got, allowed=f"{shape}"
            )
        gone: Series = by_samples(lambda block: np.isin(block, self.values), found)
        return gone


def _as_columns(block: np.ndarray) -> np.ndarray:
    return block[:, None] if block.ndim == 1 else block


@dataclass(frozen=True, eq=False, kw_only=True)
class LinksLook(PartLook):
    """Rods from points of a channel to points of another, or of the same."""

    links: tuple[str, str]
    """Channels of places in the world [m], (3,) or (points, 3)."""
    pairs: np.ndarray
    """Which point of the one and which of the other, (links, 2)."""
    radius: float | np.ndarray
    """One or (links,) [m]."""
    color: Color = field(default=(0.35, 0.35, 0.38), metadata={"read": read_color})
    """Red, green, blue from 0 to 1, (3,), a row for each, (links, 3), or `ColorBy`."""
    gone: HideBy | None = field(default=None, metadata={"read": HideBy.from_plain})
    """Which are not drawn; all are where that channel is not recorded."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", tuple(self.links))
        object.__setattr__(self, "pairs", read_indices(self.pairs, 2, "pairs"))
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "radius", read_radius(self.radius))

    def drawn(self, name: str, recording: "Recording", samples: int) -> LinkParts:
        """Return the rods."""
        first, second = (read_points(channel, recording, samples, name) for channel in self.links)
        pairs = self.pairs.astype(np.int64)
        for column, points in enumerate((first, second)):
            check_below(pairs[:, column], points.shape[1], name)
        color, shades = resolve_color(self.color, recording, samples, len(pairs), name)
        if self.gone is not None and self.gone.channel in recording.names:
            hidden = self.gone.hidden(recording, (samples, len(pairs)), name)
            one, other = pairs.T
            first = by_samples(lambda x, gone: np.where(gone[..., None], np.nan, x[:, one]), first, hidden)
            second = by_samples(lambda x: x[:, other], second)
            pairs = np.repeat(np.arange(len(pairs))[:, None], 2, axis=1)
        return LinkParts(name, first, second, pairs, spread_radius(self.radius, len(pairs), name), color, shades)
