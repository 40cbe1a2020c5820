"""Checks of what looks refer to: points of channels, radii, numbers of points."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.form.parts import Series
    from motiform.record import Recording

__all__ = ["check_below", "read_indices", "read_points", "read_poses", "read_radius", "spread_radius", "take"]


def read_points(channel: str, recording: "Recording", samples: int, where: str) -> "Series":
    """Return the points of a channel as (samples, count, 3), also where there is one."""
    return _read_rows(channel, recording, samples, 3, where)


def read_poses(position: str, orientation: str, recording: "Recording", samples: int, where: str) -> "list[Series]":
    """Return places (samples, count, 3) and quaternions (samples, count, 4) of two channels."""
    found = [_read_rows(name, recording, samples, n, where) for name, n in ((position, 3), (orientation, 4))]
    if found[0].shape[1] != found[1].shape[1]:
        got = f"{found[0].shape[1]} and {found[1].shape[1]}"
        raise RecordingError("places and orientations must be as many", where=where, got=got)
    return found


def _read_rows(channel: str, recording: "Recording", samples: int, width: int, where: str) -> "Series":
    found: Series = by_samples(_as_rows, recording.samples(channel))
    if found.ndim != 3 or found.shape[2] != width or len(found) != samples:
        got, allowed = f"{channel!r} of shape {found.shape}", f"({samples}, points, {width})"
        raise RecordingError("a channel of points must have three axes", where=where, got=got, allowed=allowed)
    return found


def _as_rows(block: np.ndarray) -> np.ndarray:
    found = np.asarray(block, float)
    return found[:, None] if found.ndim == 2 else found


def take(values: "Series", pick: np.ndarray | None, where: str) -> "Series":
    """Return the chosen columns of values (samples, count, …); all where none are chosen."""
    if pick is None:
        return values
    chosen = np.asarray(pick)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise RecordingError("`pick` must be whole numbers", where=where, got=f"shape {chosen.shape}, {chosen.dtype}")
    if chosen.size:
        check_below(chosen, values.shape[1], where)
    columns = chosen.astype(np.int64)
    found: Series = by_samples(lambda block: block[:, columns], values)
    return found


def read_radius(given: Any) -> float | np.ndarray:
    """Return one radius or one for each [m]."""
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        raise RecordingError("`radius` must be a number or one for each [m]", got=repr(given)) from None
    if not np.isfinite(found).all() or (found < 0).any():
        raise RecordingError("`radius` must be 0 m or more")
    return found if found.ndim else float(found)


def spread_radius(radius: float | np.ndarray, count: int, where: str) -> np.ndarray:
    """Return one radius for each [m], (count,)."""
    try:
        return np.array(np.broadcast_to(radius, (count,)))
    except ValueError:
        raise RecordingError(
            "`radius` must be a number or one for each", where=where, got=f"shape {np.shape(radius)}",
            allowed=f"() or ({count},) [m]",
        ) from None  # fmt: skip


def read_indices(given: Any, width: int, name: str) -> np.ndarray:
    """Return numbers of points, (n, width)."""
    found = np.asarray(given)
    if found.ndim != 2 or found.shape[1] != width or not len(found) or found.dtype.kind not in "iu":
        got = f"shape {found.shape}, {found.dtype}"
        raise RecordingError(f"`{name}` must be whole numbers of shape (n, {width})", got=got)
    return found


def check_below(found: np.ndarray, count: int, where: str) -> None:
    """Refuse numbers of points that a channel does not have."""
    if found.min() < 0 or found.max() >= count:
        bad = int(found[(found < 0) | (found >= count)][0])
        raise RecordingError("no such point", where=where, got=bad, allowed=f"0 to {count - 1}")


def side_by_side(*blocks: np.ndarray) -> np.ndarray:
    """Return points (samples, count, 3) of several channels as one."""
    return np.concatenate([np.asarray(block, float) for block in blocks], axis=1)
