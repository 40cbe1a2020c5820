"""Volumes: images on a grid, from and to files."""

from motiform.measure.volume.bones import synthetic_bones
from motiform.measure.volume.read import VOLUME_SUFFIXES, read_labels, read_volume
from motiform.measure.volume.synthetic import synthetic_ct
from motiform.measure.volume.volume import Labels, Side, Volume
from motiform.measure.volume.write import write_volume

__all__ = [
    "VOLUME_SUFFIXES", "Labels", "Side", "Volume", "read_labels", "read_volume", "synthetic_bones", "synthetic_ct",
    "write_volume",
]  # fmt: skip
