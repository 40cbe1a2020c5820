"""Models of studies that workers can import."""

import os
import time
from pathlib import Path

import numpy as np

from motiform.record import Channel, Recording


def numbers(parameters):
    """Numbers by name; a negative x fails."""
    x = parameters["x"]
    if x < 0:
        raise ValueError(f"no root of {x}")
    return {"root": x**0.5, "sum": x + parameters.get("y", 0)}


def wave(parameters):
    """A recording of a cosine with an amplitude; notes that it ran, where it is told a folder."""
    if "folder" in parameters:
        Path(parameters["folder"], f"{parameters['amplitude']}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(parameters.get("sleep", 0.0))
    x = parameters["amplitude"] * np.cos(np.linspace(0.0, 6.0, 61))
    return Recording.from_arrays({"x": (Channel("x", rate=10.0), x)})


def top(rec):
    """The largest value, as a measure."""
    return rec["x"].max()
