"""One copy of a recording of many."""

from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.record.channel import Channel
from motiform.record.recording import Recording

__all__ = ["COPY_AXIS", "take_copy"]

COPY_AXIS = "copy"
"""Name of the axis of copies, the first after time."""


def take_copy(recording: Recording, copy: int) -> Recording:
    """Return the recording of one copy of `simulate_many`, in memory: as `simulate` gives it, to be drawn and measured.

    It ends where the copy has failed.
    """
    count = recording.manifest.get("copies")
    if not isinstance(count, int):
        raise InputError("only a recording of copies has one to take", remedy="It is what simulate_many returns.")
    if not isinstance(copy, int | np.integer) or not -count <= copy < count:
        raise InputError("there is no such copy", got=copy, allowed=f"0 to {count - 1}")
    copy = int(copy) % count
    found: dict[str, tuple[Channel, Any]] = {}
    for name in recording.names:
        channel, values = recording.channel(name), recording[name]
        if channel.dims[:1] == (COPY_AXIS,):
            channel, values = replace(channel, dims=channel.dims[1:], shape=channel.shape[1:]), values[:, copy]
        found[name] = channel, values
    ends = [event.time for event in recording.events if event.detail.get("copy") == copy and "reason" in event.detail]
    if ends:
        found = {name: (channel, values[recording.time(name) <= ends[0]]) for name, (channel, values) in found.items()}
    own = [event for event in recording.events if event.detail.get("copy", copy) == copy]
    events = [replace(event, detail={k: v for k, v in event.detail.items() if k != "copy"}) for event in own]
    manifest = {key: value for key, value in recording.manifest.items() if key not in ("copies", "key")}
    return Recording.from_arrays(found, events=events, manifest=manifest, statics=dict(recording.statics))
