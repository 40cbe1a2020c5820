"""Form: the geometry attached to the positions and poses of a recording."""

from motiform.form import looks
from motiform.form.clouds import Cloud
from motiform.form.colors import Shades
from motiform.form.form import dress, form_of, strobe
from motiform.form.looks import *  # noqa: F403
from motiform.form.model_looks import looks_of, marker_looks
from motiform.form.parts import Form, LinkParts, Part, Skin
from motiform.form.rig import Rig, read_rig
from motiform.form.splines import spline_weights
from motiform.form.surfaces import AnimatedSurface, LevelSurface, MatterSurface, Shell
from motiform.form.upright import stand_upright

__all__ = [
    "AnimatedSurface", "Cloud", "Form", "LevelSurface", "LinkParts", "MatterSurface", "Part", "Rig", "Shades", "Shell",
    "Skin", "dress", "form_of", "looks_of", "marker_looks", "read_rig", "spline_weights", "stand_upright", "strobe",
]  # fmt: skip
__all__ += looks.__all__
