"""The studio: a web page that shows recordings and runs scenes, by default accessible only from this machine."""

from importlib import import_module
from typing import Any

__all__ = ["Player", "Studio", "serve", "serve_volume"]

_HOME = {
    "Player": "motiform.studio.player",
    "Studio": "motiform.studio.app",
    "serve": "motiform.studio.app",
    "serve_volume": "motiform.studio.seeding",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'motiform.studio' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
