"""Types of arrays that kernels take together: fields of a NamedTuple say how they lie in memory.

>>> class Space(NamedTuple):
...     mass: Floats
...     where: Ints
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

__all__ = ["Floats", "Floats2", "Ints", "NamedTuple"]

Floats = Annotated[np.ndarray[Any, Any], "float64[::1]"]
Floats2 = Annotated[np.ndarray[Any, Any], "float64[:, ::1]"]
Ints = Annotated[np.ndarray[Any, Any], "int64[::1]"]
