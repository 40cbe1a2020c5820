"""Screens: grids of pins engraved by moving points [Habibi97 ch. 6–8]."""

from motiform.motion.matter.stability.cell import ModeSegment, Prototype, ScreenLaw
from motiform.motion.screens.dressing import longest_dressing
from motiform.motion.screens.engine import ScreenEngine
from motiform.motion.screens.engraver import Engraver
from motiform.motion.screens.follow import Follow
from motiform.motion.screens.model import Screen
from motiform.motion.screens.modes import (
    axis_eigenvalues,
    fields_of_modes,
    free_motion,
    modal_points,
    modes_of_fields,
    screen_eigenvalues,
    screen_segment,
)
from motiform.motion.screens.pistons import VARIANTS, Pistons, Variant, transfer
from motiform.motion.screens.presets import EXPERIMENTS, PRESETS, Experiment, blend, lever_law
from motiform.motion.screens.responses import (
    Continuum,
    box_response,
    continuum_of,
    continuum_response,
    decay_length,
    lattice_response,
    line_response,
)
from motiform.motion.screens.screens import Screens
from motiform.motion.screens.stability import ScreenStability, assess_screen, regime_map
from motiform.motion.screens.static import engraving_force, rest_heights, static_response

__all__ = [
    "EXPERIMENTS", "PRESETS", "VARIANTS", "Continuum", "Engraver", "Experiment", "Follow", "ModeSegment", "Pistons",
    "Prototype", "Screen", "ScreenEngine", "ScreenLaw", "ScreenStability", "Screens", "Variant", "assess_screen",
    "axis_eigenvalues", "blend", "box_response", "continuum_of", "continuum_response", "decay_length",
    "engraving_force", "fields_of_modes", "free_motion", "lattice_response", "lever_law", "line_response",
    "longest_dressing", "modal_points", "modes_of_fields", "regime_map", "rest_heights", "screen_eigenvalues",
    "screen_segment", "static_response", "transfer",
]  # fmt: skip
