"""Construction of networks: points, links, modules."""

from motiform.motion.matter.model.build.network import NetworkBuilder

__all__ = ["NetworkBuilder"]
