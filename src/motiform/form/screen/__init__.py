"""Screens: grids of pins engraved by moving points [Habibi97 ch. 6–8]."""

from motiform.form.screen.engine import ScreenEngine
from motiform.form.screen.engraver import Engraver
from motiform.form.screen.follow import Follow
from motiform.form.screen.model import Screen
from motiform.form.screen.modes import (
    axis_eigenvalues,
    fields_of_modes,
    free_motion,
    modal_points,
    modes_of_fields,
    screen_eigenvalues,
    screen_segment,
)
from motiform.form.screen.pistons import VARIANTS, Pistons, Variant, transfer
from motiform.form.screen.presets import EXPERIMENTS, PRESETS, Experiment, blend
from motiform.form.screen.responses import (
    Continuum,
    box_response,
    continuum_of,
    continuum_response,
    decay_length,
    lattice_response,
    line_response,
)
from motiform.form.screen.screens import Screens
from motiform.form.screen.stability import ScreenStability, assess_screen, regime_map
from motiform.form.screen.static import engraving_force, rest_heights, static_response
from motiform.motion.matter.stability.cell import ModeSegment, Prototype, ScreenLaw

__all__ = [
    "EXPERIMENTS",
    "PRESETS",
    "VARIANTS",
    "Continuum",
    "Engraver",
    "Experiment",
    "Follow",
    "ModeSegment",
    "Pistons",
    "Prototype",
    "Screen",
    "ScreenEngine",
    "ScreenLaw",
    "ScreenStability",
    "Screens",
    "Variant",
    "assess_screen",
    "axis_eigenvalues",
    "blend",
    "box_response",
    "continuum_of",
    "continuum_response",
    "decay_length",
    "engraving_force",
    "fields_of_modes",
    "free_motion",
    "lattice_response",
    "line_response",
    "modal_points",
    "modes_of_fields",
    "regime_map",
    "rest_heights",
    "screen_eigenvalues",
    "screen_segment",
    "static_response",
    "transfer",
]
