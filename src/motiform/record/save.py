"""Complete recordings: in memory from arrays, on disk from another recording."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from motiform.base.errors import RecordingError
from motiform.record.channel import Channel, Event
from motiform.record.files import AnyPath, as_path
from motiform.record.recorder import Recorder
from motiform.record.recording import Recording
from motiform.record.store import open_recording

__all__ = ["copy_recording", "record_arrays", "renew_manifest", "save_recording"]


def record_arrays(
    channels: Sequence[Channel], arrays: Mapping[str, Any], times: Any, events: Iterable[Event],
    manifest: Mapping[str, Any] | None, statics: Mapping[str, Any] | None,
) -> Recording:  # fmt: skip
    """Return a recording in memory of arrays by channel."""
    with Recorder(None, channels, manifest=manifest, statics=statics) as recorder:
        recorder.append(arrays, times)
        recorder.add_events(events)
    return recorder.finish()


def save_recording(rec: Recording, path: AnyPath, *, overwrite: bool = False) -> Recording:
    """Write a recording to a folder, which appears when it is complete; return it as read from there."""
    folder = as_path(path)
    if rec.path is not None and folder.exists() and os.path.samefile(rec.path, folder):
        raise RecordingError("a recording cannot be saved over itself", where=str(path), remedy="Choose another name.")
    _copy(rec, folder, overwrite)
    return open_recording(folder)


def renew_manifest(
    path: AnyPath, changes: Mapping[str, Any], statics: Mapping[str, Any] | None = None
) -> Recording:  # fmt: skip
    """Change entries of a recording's manifest on disk, and its arrays without time where they are given.

    A copy takes its place when it is whole.
    """
    _copy(open_recording(path), as_path(path), overwrite=True, changes=changes, statics=statics)
    return open_recording(path)


def copy_recording(
    rec: Recording, path: AnyPath, changes: Mapping[str, Any], statics: Mapping[str, Any], *, overwrite: bool = False
) -> Recording:
    """Write a recording to a folder with other entries in its manifest and other arrays without time."""
    _copy(rec, as_path(path), overwrite, changes, statics)
    return open_recording(path)


def _copy(
    rec: Recording, folder: Path, overwrite: bool, changes: Mapping[str, Any] | None = None,
    statics: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    channels = [rec.channel(name) for name in rec]
    manifest, kept = {**rec.manifest, **(changes or {})}, dict(rec.statics) if statics is None else statics
    with Recorder(folder, channels, manifest=manifest, statics=kept, overwrite=overwrite, whole=True) as recorder:
        recorder.add_events(rec.events)
        for channel in channels:
            for first, block in rec.blocks(channel.name):
                times = rec.time(channel.name, first, first + len(block)) if channel.rate is None else None
                recorder.append({channel.name: block}, times)
        if rec.complete:
            recorder.finish()
        else:
            recorder.close()
