"""Form: what shape motion wears."""

from motiform.form.colors import Shades
from motiform.form.form import dress, strobe
from motiform.form.parts import Form, Links, Part, Skin
from motiform.form.upright import stand_upright

__all__ = ["Form", "Links", "Part", "Shades", "Skin", "dress", "stand_upright", "strobe"]
