"""Matter: networks of point masses and links, and the science of coupling them."""

from motiform.motion.matter import links, topology
from motiform.motion.matter.build import NetworkBuilder, Points
from motiform.motion.matter.engine import Engine
from motiform.motion.matter.links import Friction, Zone, ZoneLaw
from motiform.motion.matter.network import Network, NetworkState, Signal

__all__ = [
    "Engine",
    "Friction",
    "Network",
    "NetworkBuilder",
    "NetworkState",
    "Points",
    "Signal",
    "Zone",
    "ZoneLaw",
    "links",
    "topology",
]
