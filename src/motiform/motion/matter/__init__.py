"""Matter: networks of point masses and links, and the analysis of their coupling."""

from motiform.motion.matter import motions
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.laws import links, presets
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.links import Friction, Zone, ZoneLaw
from motiform.motion.matter.laws.register import LAWS, law, law_parameters
from motiform.motion.matter.model import topology
from motiform.motion.matter.model.build import NetworkBuilder
from motiform.motion.matter.model.handles import Points
from motiform.motion.matter.model.look import GroupLook
from motiform.motion.matter.model.network import Network, NetworkState, Signal
from motiform.motion.matter.sound import Sound
from motiform.motion.matter.stability.assessment import assess_network
from motiform.motion.matter.stability.cell import Cell
from motiform.motion.matter.stability.criterion import Stability

__all__ = [
    "LAWS", "Automaton", "Cell", "Engine", "Friction", "GroupLook", "Network", "NetworkBuilder", "NetworkState",
    "Points", "Signal", "Sound", "Stability", "Zone", "ZoneLaw", "assess_network", "law", "law_parameters", "links",
    "motions", "presets", "topology",
]  # fmt: skip
