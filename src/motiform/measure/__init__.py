"""What was observed: optical markers, force plates and subjects, read, cleaned and named."""

from motiform.measure.markers import read_markers

__all__ = ["read_markers"]
