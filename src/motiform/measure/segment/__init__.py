"""Bones from volumes: thresholds, growth, splitting, seeds and corrections."""

from motiform.measure.segment.seeds import Disc, Seeds, Spot, read_seeds
from motiform.measure.segment.segment import segment_bones
from motiform.measure.segment.surfaces import label_meshes

__all__ = ["Disc", "Seeds", "Spot", "label_meshes", "read_seeds", "segment_bones"]
