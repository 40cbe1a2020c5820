"""Recordings: channels over time, in memory and on disk."""

from motiform.record import writers
from motiform.record.channel import Channel, Event
from motiform.record.copies import take_copy
from motiform.record.recorder import Recorder
from motiform.record.recording import Recording
from motiform.record.resampling import Comparison, Difference, compare, resample
from motiform.record.sound import Quantised, quantise, write_sound, write_wav
from motiform.record.store import open_recording
from motiform.record.tables import read_csv, write_csv

__all__ = [
    "Channel", "Comparison", "Difference", "Event", "Quantised", "Recorder", "Recording", "compare", "open_recording",
    "quantise", "read_csv", "resample", "take_copy", "write_csv", "write_sound", "write_wav",
]  # fmt: skip

Recording._writers = writers
