"""Image: pictures, films and plots without a display.

Heavy libraries are imported where they are used; names in the table below are fetched when they are first asked for.
"""

from importlib import import_module
from typing import Any

from motiform.image.camera import Camera
from motiform.image.cast.raycast import RenderArguments, cast_form, render
from motiform.image.films import film, film_pictures, picture
from motiform.image.look import Ground, Lighting
from motiform.image.notebook import show_pictures
from motiform.image.paper import print_size
from motiform.image.path import CameraPath

_HOME: dict[str, str] = {"compare_plot": "motiform.image.plot", "plot_channels": "motiform.image.plot"}

__all__ = [
    "RenderArguments", "Camera", "CameraPath", "Ground", "Lighting", "cast_form", "film", "film_pictures", "picture",
    "print_size", "render", "show_pictures", *_HOME,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'motiform.image' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
