"""Networks of a scene: tables to points, links, solids, motions and what figures carry."""

from motiform.scene.build.matter.carried import Matter
from motiform.scene.build.matter.networks import build_matter, build_networks

__all__ = ["Matter", "build_matter", "build_networks"]
