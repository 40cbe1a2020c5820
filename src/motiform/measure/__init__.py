"""Measured data: optical markers, force plates and subjects; reading, cleaning, naming and writing."""

from motiform.measure.changes import marker_names
from motiform.measure.filters import low_pass
from motiform.measure.frames import change_frame, move, turn
from motiform.measure.gaps import Gap, MarkerGaps, fill_gaps, find_gaps
from motiform.measure.markers import Computed, read_markers, write_c3d, write_markers, write_markers_csv, write_trc
from motiform.measure.names import Matching, choose_markers, match_names, read_correspondence
from motiform.measure.plates import center_of_pressure, resample_plates
from motiform.measure.poses import read_poses
from motiform.measure.segment import (
    Contour,
    ContourTracks,
    Disc,
    Seeds,
    Spot,
    contour_labels,
    deriche_filter,
    edge_contours,
    edge_gradient,
    infer_slices,
    label_meshes,
    match_contours,
    read_seeds,
    segment_bones,
    slice_contours,
    smooth_contour,
    smoothing_spline,
    spline_surface,
    write_seeds,
)
from motiform.measure.sto import read_sto, write_sto
from motiform.measure.subjects import Subject, read_subjects, write_subjects
from motiform.measure.volume import (
    Labels,
    Volume,
    read_labels,
    read_volume,
    synthetic_bones,
    synthetic_ct,
    write_volume,
)

__all__ = [
    "Computed", "Contour", "ContourTracks", "Disc", "Gap", "Labels", "MarkerGaps", "Matching", "Seeds", "Spot",
    "Subject", "Volume", "center_of_pressure", "change_frame", "choose_markers", "contour_labels", "deriche_filter",
    "edge_contours", "edge_gradient", "fill_gaps", "find_gaps", "infer_slices", "label_meshes", "low_pass",
    "marker_names", "match_contours", "match_names", "move", "read_correspondence", "read_labels", "read_markers",
    "read_poses", "read_seeds", "read_sto", "read_subjects", "read_volume", "resample_plates", "segment_bones",
    "slice_contours", "smooth_contour", "smoothing_spline", "spline_surface", "synthetic_bones", "synthetic_ct", "turn",
    "write_c3d", "write_markers", "write_markers_csv", "write_seeds", "write_sto", "write_subjects", "write_trc",
    "write_volume",
]  # fmt: skip
