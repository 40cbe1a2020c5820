"""Bones from volumes: thresholds, growth, splitting, seeds and corrections."""

from motiform.measure.segment.contours import Contour, ContourTracks, contour_labels, match_contours, slice_contours
from motiform.measure.segment.edges import deriche_filter, edge_contours, edge_gradient
from motiform.measure.segment.infer import infer_slices
from motiform.measure.segment.lofts import spline_surface
from motiform.measure.segment.seeds import Disc, Seeds, Spot, read_seeds, write_seeds
from motiform.measure.segment.segment import segment_bones
from motiform.measure.segment.splines import smooth_contour, smoothing_spline
from motiform.measure.segment.surfaces import label_meshes

__all__ = [
    "Contour", "ContourTracks", "Disc", "Seeds", "Spot", "contour_labels", "deriche_filter", "edge_contours",
    "edge_gradient", "infer_slices", "label_meshes", "match_contours", "read_seeds", "segment_bones", "slice_contours",
    "smooth_contour", "smoothing_spline", "spline_surface", "write_seeds",
]  # fmt: skip
