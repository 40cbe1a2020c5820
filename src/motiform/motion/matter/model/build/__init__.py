"""Construction of networks: points, links, modules."""

from motiform.base.doors import open_doors
from motiform.motion.matter.model.build.network import NetworkBuilder

__all__ = ["NetworkBuilder"]

open_doors(globals())
