"""Bones in contact: rigid bones from meshes, ligaments, and poses of rest. Public as ``motiform.wrist``."""

from motiform.measure.volume import synthetic_bones
from motiform.motion.bones.anatomy import (
    CarpalAngles,
    CarpalCanal,
    CarpalHeight,
    bone_angles,
    carpal_angles,
    carpal_canal,
    carpal_height,
    ulnar_variance,
)
from motiform.motion.bones.axes import Axes
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.dynamics import Loads
from motiform.motion.bones.helical import HelicalAxes, helical_axes, rotation_shares
from motiform.motion.bones.images import from_labels, from_volume
from motiform.motion.bones.ligaments import Ligament
from motiform.motion.bones.names import BONES
from motiform.motion.bones.wrist import Cartilage, Wrist, from_meshes

__all__ = [
    "BONES", "Axes", "Bone", "BoneResolution", "CarpalAngles", "CarpalCanal", "CarpalHeight", "Cartilage",
    "HelicalAxes", "Ligament", "Loads", "Wrist", "bone_angles", "carpal_angles", "carpal_canal", "carpal_height",
    "from_labels", "from_meshes", "from_volume", "helical_axes", "rotation_shares", "synthetic_bones", "ulnar_variance",
]  # fmt: skip
