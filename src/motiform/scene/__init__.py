"""Scenes: TOML files that define simulations."""

from motiform.scene.many import Each, FailedCopiesWarning, simulate_many
from motiform.scene.read.load import (
    GalleryEntry,
    Scene,
    SceneParameter,
    image_hints,
    list_scenes,
    load_scene,
    parse_scene,
    parse_setting,
)
from motiform.scene.redressing import redress
from motiform.scene.simulate import simulate

__all__ = [
    "Each",
    "FailedCopiesWarning",
    "GalleryEntry",
    "Scene",
    "SceneParameter",
    "image_hints",
    "list_scenes",
    "load_scene",
    "parse_scene",
    "parse_setting",
    "redress",
    "simulate",
    "simulate_many",
]
