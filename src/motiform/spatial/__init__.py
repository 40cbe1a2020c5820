"""Rotations, rigid transforms, twists, wrenches and spatial inertia; conventions in docs/spatial.md."""

from motiform.spatial.axes import across_axes, rotation_y_to, unit_vector
from motiform.spatial.inertia import (
    kinetic_energy,
    mass_center_inertia,
    momentum,
    point_inertia,
    spatial_inertia,
    transform_inertia,
)
from motiform.spatial.rotation import (
    cardan_from_rotation,
    cayley,
    check_rotation,
    conjugate,
    euler_from_rotation,
    exp_quaternion,
    exp_rotation,
    log_quaternion,
    log_rotation,
    multiply_quaternions,
    nearest_rotation,
    normalize_quaternion,
    quaternion_from_rotation,
    random_rotation,
    rotate,
    rotation_about,
    rotation_from_cardan,
    rotation_from_euler,
    rotation_from_quaternion,
    skew,
    slerp,
)
from motiform.spatial.transform import Transform
from motiform.spatial.twist import (
    cross_force,
    cross_motion,
    exp_twist,
    log_transform,
    point_velocity,
    power,
    wrench_of_force,
)
from motiform.spatial.up_axis import up_against, up_name, up_vector, upright

__all__ = [
    "Transform", "across_axes", "cardan_from_rotation", "cayley", "check_rotation", "conjugate", "cross_force",
    "cross_motion", "euler_from_rotation", "exp_quaternion", "exp_rotation", "exp_twist", "kinetic_energy",
    "log_quaternion", "log_rotation", "log_transform", "mass_center_inertia", "momentum", "multiply_quaternions",
    "nearest_rotation", "normalize_quaternion", "point_inertia", "point_velocity", "power", "quaternion_from_rotation",
    "random_rotation", "rotate", "rotation_about", "rotation_from_cardan", "rotation_from_euler",
    "rotation_from_quaternion", "rotation_y_to", "skew", "slerp", "spatial_inertia", "transform_inertia", "unit_vector",
    "up_against", "up_name", "up_vector", "upright", "wrench_of_force",
]  # fmt: skip
