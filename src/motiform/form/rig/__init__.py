"""Rigs: surfaces that follow the segments of figures."""

from motiform.form.rig.body import body_rig
from motiform.form.rig.gltf import read_rig
from motiform.form.rig.rig import Posed, Rig

__all__ = ["Posed", "Rig", "body_rig", "read_rig"]
