"""Files of orientations and poses as one recording, y up."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.poses.register import POSE_FORMATS, find_pose_format
from motiform.measure.raw import even_times
from motiform.record.channel import Channel
from motiform.record.files import AnyPath, as_path
from motiform.record.recording import Recording
from motiform.spatial.up_axis import up_vector, upright

__all__ = ["holds_poses", "read_poses"]

_FEW = 1  # samples that have no rate


def holds_poses(rec: Recording) -> bool:
    """Tell whether a recording is one of `read_poses`."""
    return "segment.rotation" in rec


@reads_file("poses")
def read_poses(path: AnyPath, *, up: str | None = None) -> Recording:
    """Read a file of orientations of segments or sensors, in a format of `POSE_FORMATS`.

    The recording has the channel ``segment.rotation`` (samples, segments, 3, 3), whose columns are the axes of a
    segment or sensor in a world with y up, and ``segment.position`` (samples, segments, 3) [m] where the file has
    positions; nan where nothing was measured. ``manifest["labels"]["segment"]`` names them.

    up : axis of the file that points up, where it is not the usual one of its format (z).
    """
    place = as_path(path)
    form = find_pose_format(place)
    if form is None:
        allowed = ", ".join(form.title for form in POSE_FORMATS.values() if form.endings)
        raise InputError("the file must be of orientations or poses", where=str(place), allowed=allowed,
                         remedy="Files of markers are read by read_markers.")  # fmt: skip
    raw = form.read(place)
    W = upright(up or raw.up)
    up_vector(up or raw.up)
    rotations = W @ raw.orientations
    if raw.axes is not None:  # forward, up and right become x, y and z of the segment
        rotations = rotations @ np.column_stack([up_vector(axis) for axis in raw.axes])
    even = even_times(raw.times, None) if len(raw.times) > _FEW else None
    when: dict[str, Any] = {"rate": even[0], "start": even[1]} if even else {}
    count = len(raw.names)
    data: dict[str, tuple[Channel, Any]] = {
        "segment.rotation": (
            Channel("segment.rotation", dims=("segment", "row", "column"), shape=(count, 3, 3), **when), rotations
        )
    }  # fmt: skip
    if raw.positions is not None:
        channel = Channel("segment.position", unit="m", dims=("segment", "axis"), shape=(count, 3), **when)
        data["segment.position"] = (channel, raw.positions @ W.T)
    manifest = {
        "source": place.name, "format": form.name, "up": "y", "sensors": raw.sensors, "notes": raw.notes,
        "labels": {"segment": raw.names, "axis": ["x", "y", "z"]},
    }  # fmt: skip
    return Recording.from_arrays(data, times=None if even else raw.times, manifest=manifest)
