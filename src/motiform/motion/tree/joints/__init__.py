"""Constructors of joints: ``joints.revolute(axis=(0, 0, 1))``.

A joint is a sequence of screws (`AxesJoint`), screws driven by functions of coordinates (`FunctionJoint`), a quaternion
with or without a translation (`SphericalJoint`, `FreeJoint`), or a contact (`ContactJoint`). Joints of other kinds are
subclasses of `Joint`.
"""

from motiform.motion.tree.contact_joints.contact import contact
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.leaving import LeavingContact
from motiform.motion.tree.joints.axes import (
    AxesJoint,
    Axis,
    cardan,
    fixed,
    helical,
    planar,
    prismatic,
    revolute,
    universal,
)
from motiform.motion.tree.joints.driven import FunctionJoint, function
from motiform.motion.tree.joints.quaternion import FreeJoint, SphericalJoint, free, spherical
from motiform.motion.tree.model.functions import Polynomial, Spline, linear
from motiform.motion.tree.model.joint import Joint

__all__ = [
    "AxesJoint", "Axis", "ContactJoint", "FreeJoint", "FunctionJoint", "Joint", "LeavingContact", "Polynomial",
    "SphericalJoint", "Spline", "cardan", "contact", "fixed", "free", "function", "helical", "linear", "planar",
    "prismatic", "revolute", "spherical", "universal",
]  # fmt: skip
