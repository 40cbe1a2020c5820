"""Types of arrays that kernels take together: fields of a NamedTuple say how they lie in memory.

>>> class Space(NamedTuple):
...     mass: Floats
...     where: Ints
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

__all__ = ["Floats", "Floats2", "Floats3", "Floats4", "Ints", "Ints2", "NamedTuple", "Rows"]

Floats = Annotated[np.ndarray[Any, Any], "float64[::1]"]
Floats2 = Annotated[np.ndarray[Any, Any], "float64[:, ::1]"]
Ints = Annotated[np.ndarray[Any, Any], "int64[::1]"]
Floats3 = Annotated[np.ndarray[Any, Any], "float64[:, :, ::1]"]
Floats4 = Annotated[np.ndarray[Any, Any], "float64[:, :, :, ::1]"]
Ints2 = Annotated[np.ndarray[Any, Any], "int64[:, ::1]"]
Rows = Annotated[np.ndarray[Any, Any], "float64[::1, :]"]
"""[number, element], the numbers of an element side by side"""
