"""Muscles, wrap objects, ligaments and actuators written to OpenSim models."""

import os
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.paths.wrap import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from motiform.motion.actuation.muscles.curves.degroote import DeGrooteFregly
from motiform.motion.actuation.muscles.curves.millard import Millard
from motiform.motion.actuation.muscles.curves.thelen import Thelen
from motiform.motion.actuation.muscles.hill import Muscle
from motiform.motion.actuation.muscles.muscle_set import CoordinateActuator, LigamentForce, Muscles
from motiform.motion.actuation.muscles.osim.read import SWITCH
from motiform.motion.actuation.muscles.paths.paths import (
    AnyPoint,
    MusclePath,
    PathPoint,
    PathWrap,
    WrapObject,
    wrap_range,
)
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read.osim.write import element, function_text, model_text, numbers, place_text
from motiform.record.files import disk, new_file, write_file

__all__ = ["write_osim"]

LEAST = 0.01  # activation of Thelen's muscles in OpenSim


def write_osim(model: Figure | Muscles, path: str | os.PathLike[str], *, overwrite: bool = False) -> tuple[str, ...]:
    """Write a figure, or one with its muscles, as an OpenSim model (version 4); return what the format does not hold.

    Segments become bodies with their inertia, joints custom joints with the coordinates of the figure, tags markers,
    couplings couplers; muscles keep their paths, wrap objects, sizes and curves. `read_osim` and `read_muscles` read
    them again. Joints with quaternions, screws, and axes that do not meet are refused, and so are closures.
    """
    figure = model if isinstance(model, Figure) else model.figure if isinstance(model, Muscles) else None
    if figure is None:
        raise InputError("a model must be a figure or muscles", got=type(model).__name__, allowed="Figure, Muscles")
    forces, lost, wraps = list[str](), list[str](), dict[str | None, str]()
    if isinstance(model, Muscles):
        joints = {name: f"/jointset/{segment}_joint/{name}" for segment, name in _owners(figure)}
        forces += [_muscle(muscle, joints) for muscle in model.muscles]
        blends = [m.name for m in model.muscles if m.smoothing and not isinstance(m.model, DeGrooteFregly)]
        least = [m.name for m in model.muscles if isinstance(m.model, Thelen) and m.activations[0] < LEAST]
        lost += [f"the smoothing of {', '.join(blends)}"] if blends else []
        lost += [f"activations below {LEAST} of Thelen's muscles {', '.join(least)}"] if least else []
        forces += [_ligament(ligament, joints) for ligament in model.ligaments]
        forces += [_actuator(actuator) for actuator in model.actuators]
        for one in model.objects:
            wraps[one.segment] = wraps.get(one.segment, "") + _object(one)
    text = model_text(figure, forces, wraps)
    place = new_file(path, overwrite)
    with disk(place):
        write_file(place, text.encode())
    return _left(figure, Path(place), lost)


def _owners(figure: Figure) -> list[tuple[str, str]]:
    """Return the segment and the name of each coordinate."""
    return [(s.name, figure.layout.names[k]) for n, s in enumerate(figure.segments) for k in figure.layout.v[n]]


def _left(figure: Figure, path: Path, lost: list[str]) -> tuple[str, ...]:
    """Return what of a figure is not in the file, and of its muscles."""
    found = list(lost)
    for what in ("armature", "damping"):
        own = [s.name for s in figure.segments if np.any(np.asarray(getattr(s, what)))]
        if own:
            found.append(f"{what} of {', '.join(own)}")
    if any(segment.parts for segment in figure.segments):
        found.append("looks of segments")
    if figure.surfaces:
        found.append(f"surfaces {', '.join(s.name for s in figure.surfaces)}")
    return tuple(f"{path.name} does not hold {text}" for text in found)


# ---------------------------------------------------------------- muscles
def _muscle(muscle: Muscle, joints: dict[str, str]) -> str:
    model = muscle.model
    low, high = muscle.activations
    if isinstance(model, Thelen):
        low = max(low, LEAST)
        if muscle.rigid_tendon:
            raise InputError(
                "OpenSim has no Thelen muscle with a rigid tendon", where=f"muscle {muscle.name!r}",
                remedy="Give it the curves of Millard or DeGrooteFregly, or an elastic tendon.",
            )  # fmt: skip
    plain = {
        "max_isometric_force": muscle.max_force, "optimal_fiber_length": muscle.fibre_length,
        "tendon_slack_length": muscle.slack_length, "pennation_angle_at_optimal": muscle.pennation,
        "max_contraction_velocity": muscle.max_speed, "min_control": low, "max_control": high,
        "activation_time_constant": muscle.activation_time, "deactivation_time_constant": muscle.deactivation_time,
    }  # fmt: skip
    inside = _path(muscle.path, joints) + "".join(element(key, value) for key, value in plain.items())
    inside += element("ignore_tendon_compliance", "true" if muscle.rigid_tendon else "false")
    if isinstance(model, DeGrooteFregly):
        more = {"active_force_width_scale": model.width, "passive_fiber_strain_at_one_norm_force": model.passive_strain,
                "tendon_strain_at_one_norm_force": model.tendon_strain, "fiber_damping": model.damping,
                "activation_dynamics_smoothing": muscle.smoothing or SWITCH}  # fmt: skip
        return element("DeGrooteFregly2016Muscle", inside + _fields(more), muscle.name)
    if isinstance(model, Thelen):
        more = {"KshapeActive": model.active_shape, "FmaxMuscleStrain": model.passive_strain,
                "KshapePassive": model.passive_shape, "FmaxTendonStrain": model.tendon_strain, "Af": model.speed_shape,
                "Flen": model.lengthening_force, "fv_linear_extrap_threshold": model.linear_from,
                "minimum_activation": low}  # fmt: skip
        return element("Thelen2003Muscle", inside + _fields(more), muscle.name)
    if isinstance(model, Millard):
        return element("Millard2012EquilibriumMuscle", inside + element("minimum_activation", low) + _millard(model),
                       muscle.name)  # fmt: skip
    raise InputError(
        "the curves of the muscle have no counterpart in OpenSim", where=f"muscle {muscle.name!r}",
        got=type(model).__name__, allowed="DeGrooteFregly, Millard, Thelen",
    )  # fmt: skip


def _fields(values: dict[str, float]) -> str:
    return "".join(element(key, float(value)) for key, value in values.items())


def _millard(model: Millard) -> str:
    first, shallow, last = model.active_lengths
    active = {"min_norm_active_fiber_length": first, "transition_norm_fiber_length": shallow,
              "max_norm_active_fiber_length": last, "shallow_ascending_slope": model.active_slope,
              "minimum_value": model.active_least}  # fmt: skip
    passive = dict(zip(("strain_at_zero_force", "strain_at_one_norm_force"), model.passive_strains, strict=True))
    if model.passive_slopes is not None:
        keys = ("stiffness_at_low_force", "stiffness_at_one_norm_force", "curviness")
        passive |= dict(zip(keys, model.passive_slopes, strict=True))
    slopes = ("concentric_slope_at_vmax", "concentric_slope_near_vmax", "isometric_slope", "eccentric_slope_near_vmax",
              "eccentric_slope_at_vmax")  # fmt: skip
    speed = dict(zip(slopes, model.speed_slopes, strict=True))
    speed["max_eccentric_velocity_force_multiplier"] = model.lengthening_force
    speed |= dict(zip(("concentric_curviness", "eccentric_curviness"), model.speed_curviness, strict=True))
    tendon = {"strain_at_one_norm_force": model.tendon_strain}
    if model.tendon_shape is not None:
        keys = ("stiffness_at_one_norm_force", "norm_force_at_toe_end", "curviness")
        tendon |= dict(zip(keys, model.tendon_shape, strict=True))
    curves = (("ActiveForceLength", active), ("ForceVelocity", speed), ("FiberForceLength", passive),
              ("TendonForceLength", tendon))  # fmt: skip
    found = "".join(element(f"{name}Curve", _fields(values), f"{name}Curve") for name, values in curves)
    return found + element("fiber_damping", model.damping)


def _ligament(ligament: LigamentForce, joints: dict[str, str]) -> str:
    curve = element("force_length_curve", function_text(ligament.curve, f"ligament {ligament.name!r}"))
    sizes = _fields({"resting_length": ligament.rest_length, "pcsa_force": ligament.force})
    return element("Ligament", _path(ligament.path, joints) + sizes + curve, ligament.name)


def _actuator(actuator: CoordinateActuator) -> str:
    inside = element("coordinate", actuator.coordinate) + element("optimal_force", actuator.force)
    for tag, value in (("min_control", actuator.low), ("max_control", actuator.high)):
        inside += element(tag, repr(float(value)) if np.isfinite(value) else "-Inf" if value < 0 else "Inf")
    return element("CoordinateActuator", inside, actuator.name)


# ---------------------------------------------------------------- paths
def _path(path: MusclePath, joints: dict[str, str]) -> str:
    points = "".join(_point(point, f"{path.name}-P{k + 1}", joints) for k, point in enumerate(path.points))
    wraps = "".join(_wrap(path, wrap, k) for k, wrap in enumerate(path.wraps))
    sets = (("PathPointSet", points), ("PathWrapSet", wraps))
    inside = "".join(element(tag, element("objects", text)) for tag, text in sets)
    return element("GeometryPath", inside, "geometrypath")


def _point(point: AnyPoint, name: str, joints: dict[str, str]) -> str:
    frame = element("socket_parent_frame", "/ground" if point.segment is None else f"/bodyset/{point.segment}")
    if isinstance(point, PathPoint):
        place = frame + element("location", numbers(point.point))
        if point.active is None:
            return element("PathPoint", place, name)
        leading, low, high = point.active
        condition = element("socket_coordinate", joints[leading]) + element("range", numbers([low, high]))
        return element("ConditionalPathPoint", place + condition, name)
    inside, drivers = frame, {one for one in point.coordinates if one is not None}
    if len(drivers) > 1:
        raise InputError(
            "a moving point of OpenSim must follow one coordinate", where=f"moving point {name!r}",
            got=", ".join(sorted(drivers)),
        )  # fmt: skip
    leading = next(iter(drivers or joints), "")  # also of what does not move
    for axis, function, driver in zip("xyz", point.functions, point.coordinates, strict=True):
        inside += element(f"socket_{axis}_coordinate", joints.get(driver or leading, ""))
        inside += element(f"{axis}_location", function_text(function, f"moving point {name!r}"))
    return element("MovingPathPoint", inside, name)


def _wrap(path: MusclePath, wrap: PathWrap, k: int) -> str:
    first, last = wrap_range(path, wrap)
    inside = element("wrap_object", wrap.object) + element("method", wrap.method)
    inside += element("range", f"{first + 1} {last + 1}")
    return element("PathWrap", inside, f"{path.name}-wrap{k + 1}")


def _object(one: WrapObject) -> str:
    surface = one.surface
    side = "all" if surface.side == "all" else surface.side
    inside = place_text(one.placement, "translation", "xyz_body_rotation") + element("quadrant", side)
    if isinstance(surface, WrapSphere):
        return element("WrapSphere", inside + element("radius", surface.radius), one.name)
    if isinstance(surface, WrapCylinder):
        sizes = {"radius": surface.radius, "length": surface.length}
        return element("WrapCylinder", inside + _fields(sizes), one.name)
    if isinstance(surface, WrapTorus):
        sizes = {"inner_radius": surface.tube, "outer_radius": surface.ring}
        return element("WrapTorus", inside + _fields(sizes), one.name)
    if isinstance(surface, WrapEllipsoid):
        return element("WrapEllipsoid", inside + element("dimensions", numbers(surface.radii)), one.name)
    raise InputError("the surface cannot be written to an OpenSim model", got=type(surface).__name__)
