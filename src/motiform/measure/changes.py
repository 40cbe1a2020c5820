"""Recordings with some of their channels changed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.record.channel import Channel, Event
from motiform.record.recording import Recording, check_recording

__all__ = ["changed", "check_has_markers", "check_markers", "marker_names", "measured_markers"]


def check_markers(rec: Recording) -> np.ndarray:
    """Return the markers (samples, markers, 3) of a recording, or raise an error if it has none."""
    check_has_markers(rec)
    return rec["markers"]


def check_has_markers(rec: Recording) -> None:
    """Check that a recording has markers; nothing is read."""
    check_recording(rec)
    if "markers" not in rec or rec.channel("markers").shape[-1:] != (3,) or len(rec.channel("markers").shape) != 2:
        raise InputError(
            "the recording has no markers", where=rec._where, got=", ".join(rec.names[:8]) or "no channel",
            allowed="a channel 'markers' (samples, markers, 3)",
        )  # fmt: skip


def measured_markers(rec: Recording) -> np.ndarray:
    """Return the markers (samples, markers, 3), nan where they are filled in and do not count as seen."""
    points = check_markers(rec)
    return np.where(rec["seen"][..., None], points, np.nan) if "seen" in rec else points


def marker_names(rec: Recording) -> list[str]:
    """Return the names of a recording's markers, in their order."""
    check_recording(rec)
    count = rec.channel("markers").shape[0]
    labels = list(rec.manifest.get("labels", {}).get("marker", ()))
    return labels if len(labels) == count else [f"M{k + 1}" for k in range(count)]


def changed(
    rec: Recording, data: Mapping[str, tuple[Channel, Any]], *, manifest: Mapping[str, Any] | None = None,
    statics: Mapping[str, np.ndarray] | None = None, times: np.ndarray | None = None,
    events: Sequence[Event] | None = None,
) -> Recording:  # fmt: skip
    """Return the recording in memory with channels replaced or added, entries of the manifest, statics, or events.

    Channels of ``data`` without a rate take their ``times`` [s], or those of the channel that they replace.
    """
    check_recording(rec)
    channels = {name: rec.channel(name) for name in rec} | {name: channel for name, (channel, _) in data.items()}
    arrays = {name: data[name][1] if name in data else rec[name] for name in channels}
    stamps = {}
    for name, channel in channels.items():
        if channel.rate is None:
            own = name in data and times is not None
            stamps[name] = times if own else rec.time(name if name in rec else "markers")
    return Recording.from_arrays(
        list(channels.values()), arrays, times=stamps, events=rec.events if events is None else events,
        statics={**dict(rec.statics), **(statics or {})}, manifest={**rec.manifest, **(manifest or {})},
    )  # fmt: skip
