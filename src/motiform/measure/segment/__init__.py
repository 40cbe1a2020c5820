"""Bones from volumes: thresholds, growth, splitting, seeds and corrections."""

from motiform.measure.segment.contours import Contour, ContourTracks, contour_labels, match_contours, slice_contours
from motiform.measure.segment.seeds import Disc, Seeds, Spot, read_seeds, write_seeds
from motiform.measure.segment.segment import segment_bones
from motiform.measure.segment.surfaces import label_meshes

__all__ = [
    "Contour",
    "ContourTracks",
    "Disc",
    "Seeds",
    "Spot",
    "contour_labels",
    "label_meshes",
    "match_contours",
    "read_seeds",
    "segment_bones",
    "slice_contours",
    "write_seeds",
]
