"""What the methods of a recording call (`recording.Writers`)."""

from motiform.record.save import record_arrays, save_recording
from motiform.record.tables import to_pandas, to_xarray

__all__ = ["record_arrays", "save_recording", "to_pandas", "to_xarray"]
