"""motiform: bodies and matter modelled by physics, from measurement to picture.

One chain runs through the package: measure → motion → form → image. Importing it loads numpy and nothing heavier;
every name below is fetched from its module when it is first used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Bodies": "motiform.motion.bodies",
    "Body": "motiform.motion.bodies",
    "MotiformError": "motiform.base.errors",
    "Recording": "motiform.record",
    "Transform": "motiform.spatial",
    "compare": "motiform.record",
    "load_scene": "motiform.scene",
    "open_recording": "motiform.record",
    "read_mesh": "motiform.geometry",
    "resample": "motiform.record",
    "simulate": "motiform.scene",
}
_PARTS = ("base", "bench", "form", "geometry", "image", "motion", "record", "scene", "spatial", "studio")

__all__ = ["__version__", *_HOME, *_PARTS]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _PARTS:
        value = import_module(f"motiform.{name}")
    else:
        raise AttributeError(f"module 'motiform' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
