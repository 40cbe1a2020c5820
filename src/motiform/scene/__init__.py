"""Scenes: TOML files that define simulations."""

from motiform.scene.many import CopyArguments, Each, FailedCopiesWarning, simulate_many
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
from motiform.scene.simulate import (
    BodiesArguments,
    ContactArguments,
    CoupledArguments,
    FigureArguments,
    NetworkArguments,
    ScreenArguments,
    ScreensArguments,
    simulate,
)

__all__ = [
    "BodiesArguments", "ContactArguments", "CopyArguments", "CoupledArguments", "Each", "FailedCopiesWarning",
    "FigureArguments", "GalleryEntry", "NetworkArguments", "Scene", "SceneParameter", "ScreenArguments",
    "ScreensArguments", "image_hints", "list_scenes", "load_scene", "parse_scene", "parse_setting", "redress",
    "simulate", "simulate_many",
]  # fmt: skip
