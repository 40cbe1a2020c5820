"""Marker files: one file a format, a register of them, and one way to read and write all."""

from motiform.measure.markers.c3d import Computed, write_c3d
from motiform.measure.markers.format import MarkerFormat, ReadOptions
from motiform.measure.markers.read import read_markers
from motiform.measure.markers.register import FORMATS
from motiform.measure.markers.table import write_markers_csv
from motiform.measure.markers.trc import write_trc
from motiform.measure.markers.write import write_markers

__all__ = [
    "FORMATS", "Computed", "MarkerFormat", "ReadOptions", "read_markers", "write_c3d", "write_markers",
    "write_markers_csv", "write_trc",
]  # fmt: skip
