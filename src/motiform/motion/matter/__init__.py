"""Matter: networks of point masses and links, and the science of coupling them."""

from motiform.motion.matter import links, presets, topology
from motiform.motion.matter.assessment import assess_network
from motiform.motion.matter.automaton import Automaton
from motiform.motion.matter.build import NetworkBuilder
from motiform.motion.matter.cell import Cell
from motiform.motion.matter.engine import Engine
from motiform.motion.matter.handles import Points
from motiform.motion.matter.links import Friction, Zone, ZoneLaw
from motiform.motion.matter.network import Network, NetworkState, Signal
from motiform.motion.matter.stability import Stability

__all__ = [
    "Automaton",
    "Cell",
    "Engine",
    "Friction",
    "Network",
    "NetworkBuilder",
    "NetworkState",
    "Points",
    "Signal",
    "Stability",
    "Zone",
    "ZoneLaw",
    "assess_network",
    "links",
    "presets",
    "topology",
]
