"""Muscles, ligaments and actuators of OpenSim models (.osim of versions 2 to 4)."""

import os
from typing import Any

import numpy as np

from motiform.base.files import reads_file
from motiform.motion.actuation.muscles.curves.degroote import DeGrooteFregly
from motiform.motion.actuation.muscles.curves.millard import Millard
from motiform.motion.actuation.muscles.curves.model import MuscleModel
from motiform.motion.actuation.muscles.curves.thelen import Thelen
from motiform.motion.actuation.muscles.hill import Muscle
from motiform.motion.actuation.muscles.muscle_set import CoordinateActuator, LigamentForce, Muscles
from motiform.motion.actuation.muscles.osim.paths import PathReader
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.read.elements import located
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.motion.tree.read.osim.frames import connected
from motiform.motion.tree.read.osim.functions import SimmSpline, function_inside, read_function
from motiform.motion.tree.read.osim.read import FEATURES, OsimModel, read_osim
from motiform.motion.tree.read.shared import Report, turn_up
from motiform.spatial import Transform

__all__ = ["read_muscles"]

SWITCH = 1e9  # smoothing from which times of activation switch

_MILLARD = ("Millard2012EquilibriumMuscle", "Millard2012AccelerationMuscle")
_THELEN = ("Thelen2003Muscle", "Thelen2003Muscle_Deprecated")
_DEGROOTE = ("DeGrooteFregly2016Muscle",)
_OTHERS = ("Schutte1993Muscle_Deprecated", "Schutte1993Muscle", "Delp1990Muscle_Deprecated", "RigidTendonMuscle")
MUSCLES = (*_MILLARD, *_THELEN, *_DEGROOTE, *_OTHERS)


def read_muscles(path: str | os.PathLike[str], figure: Figure | None = None, **options: Any) -> Muscles:
    """Return the muscles, ligaments and coordinate actuators of an OpenSim model, on its figure.

    Parameters
    ----------
    figure : one read from the same file, with other lengths for example; None reads it.
    options : those of `read_osim`, which the figure was or is read with.

    What is left out, or taken for something else, is in `notes`: Schutte's and Delp's curves and rigid-tendon muscles
    become Millard's with the parameters of the file. Muscles of forces that are switched off are left out.

    """
    return _read_muscles(path, figure, _options(**options))


@reads_file("muscles of an OpenSim model")
def _read_muscles(path: str | os.PathLike[str], figure: Figure | None, options: dict[str, Any]) -> Muscles:
    own = read_osim(path, **options)
    report = Report(FEATURES, options["skip"], strict=True)
    model = read_document(path, ("Model",))
    parts = OsimModel(model, report, options["locked"] == "hold")
    up = options["up"]
    as_filed = read_osim(path, **(options | {"up": None})) if up is not None else own
    turn = Transform.identity() if up is None else turn_up(as_filed, up)
    reader = PathReader(model, parts.components, parts.coordinates, parts.held, turn, report)
    report.counts.clear()
    muscles, ligaments, actuators = [], [], []
    for node in _forces(model):
        if not node.flag("appliesForce", True) or node.flag("isDisabled", False):
            report.leave(node, f"{node.tag} that is switched off")
        elif node.tag in MUSCLES:
            muscles.append(_muscle(node, reader, report))
        elif node.tag == "Ligament":
            ligaments.append(_ligament(node, reader))
        elif node.tag == "CoordinateActuator":
            actuators += _actuator(node, parts, report)
        else:
            report.leave(node, f"{node.tag} of <ForceSet>")
    kept = own if figure is None else figure
    buried = Muscles(kept, tuple(muscles), reader.objects).paths.buried
    notes = (*report.notes(), *(f"{text}: the path does not wrap next to it" for text in buried))
    return Muscles(kept, tuple(muscles), reader.objects, tuple(ligaments), tuple(actuators), notes)


def _options(*, markers: Any = None, locked: str = "hold", skip: Any = (), up: str | None = None) -> dict[str, Any]:
    return {"markers": markers, "locked": locked, "skip": skip, "up": up}


def _forces(model: Node) -> list[Node]:
    listed = [node for tag in ("ForceSet", "ComponentSet", "components") for node in model.inside(tag)]
    known = (*MUSCLES, "Ligament", "CoordinateActuator")
    return [node for node in listed if node in model.inside("ForceSet") or node.tag in known]


# ---- muscles
def _muscle(node: Node, reader: PathReader, report: Report) -> Muscle:
    with located(node):
        model = _model(node, report)
        least = 0.01 if node.tag in (*_MILLARD, "Thelen2003Muscle") else 0.0  # OpenSim's own
        least = max(node.scalar("min_control", least), node.scalar("minimum_activation", 0.0))
        most, blend = node.scalar("max_control", 1.0), node.scalar("activation_dynamics_smoothing", 0.1)
        fast = (0.015, 0.060) if node.tag in _DEGROOTE else (0.015, 0.050) if node.tag in _THELEN else (0.010, 0.040)
        return Muscle(
            reader.path(node, f"/forceset/{node.named()}"),
            node.scalar("max_isometric_force", 1000.0),
            node.scalar("optimal_fiber_length", 0.1),
            node.scalar("tendon_slack_length", 0.2),
            node.scalar("pennation_angle_at_optimal", node.scalar("pennation_angle", 0.0)),
            node.scalar("max_contraction_velocity", 10.0),
            model,
            node.flag("ignore_tendon_compliance", False) or node.tag == "RigidTendonMuscle",
            node.scalar("activation_time_constant", fast[0]),
            node.scalar("deactivation_time_constant", fast[1]),
            (max(least, 0.0), min(most, 1.0)),
            blend if node.tag in _DEGROOTE and blend < SWITCH else None,
        )


def _model(node: Node, report: Report) -> MuscleModel:
    if node.tag in _DEGROOTE:
        return DeGrooteFregly(
            node.scalar("active_force_width_scale", 1.0),
            node.scalar("passive_fiber_strain_at_one_norm_force", 0.6),
            node.scalar("tendon_strain_at_one_norm_force", 0.049),
            node.scalar("fiber_damping", 0.0),
        )
    if node.tag in _THELEN:
        old = node.tag.endswith("Deprecated")
        given = {
            "active_shape": node.scalar("KshapeActive", 0.5 if old else 0.45),
            "passive_strain": node.scalar("FmaxMuscleStrain", 0.6),
            "passive_shape": node.scalar("KshapePassive", 4.0 if old else 5.0),
            "tendon_strain": node.scalar("FmaxTendonStrain", 0.033 if old else 0.04),
            "speed_shape": node.scalar("Af", 0.3 if old else 0.25),
            "lengthening_force": node.scalar("Flen", 1.8 if old else 1.4),
            "linear_from": node.scalar("fv_linear_extrap_threshold", 0.95),
        }
        return Thelen(**given)
    if node.tag not in _MILLARD:
        report.note(node, f"{node.tag} has the curves of Millard's muscle")
        return Millard()
    return _millard(node)


def _millard(node: Node) -> Millard:
    empty = Node("", {}, node.file, node.line)
    active, passive, speed, tendon = (
        node.field(f"{name}Curve") or empty
        for name in ("ActiveForceLength", "FiberForceLength", "ForceVelocity", "TendonForceLength")
    )
    slopes = _together(passive, "stiffness_at_low_force", "stiffness_at_one_norm_force", "curviness")
    shape = _together(tendon, "stiffness_at_one_norm_force", "norm_force_at_toe_end", "curviness")
    return Millard(
        active_lengths=(
            active.scalar("min_norm_active_fiber_length", 0.4441),
            active.scalar("transition_norm_fiber_length", 0.73),
            active.scalar("max_norm_active_fiber_length", 1.8123),
        ),
        active_slope=active.scalar("shallow_ascending_slope", 0.8616),
        active_least=active.scalar("minimum_value", 0.1),
        passive_strains=(passive.scalar("strain_at_zero_force", 0.0), passive.scalar("strain_at_one_norm_force", 0.7)),
        passive_slopes=slopes,
        speed_slopes=(
            speed.scalar("concentric_slope_at_vmax", 0.0),
            speed.scalar("concentric_slope_near_vmax", 0.25),
            speed.scalar("isometric_slope", 5.0),
            speed.scalar("eccentric_slope_near_vmax", 0.15),
            speed.scalar("eccentric_slope_at_vmax", 0.0),
        ),
        lengthening_force=speed.scalar("max_eccentric_velocity_force_multiplier", 1.4),
        speed_curviness=(speed.scalar("concentric_curviness", 0.6), speed.scalar("eccentric_curviness", 0.9)),
        tendon_strain=tendon.scalar("strain_at_one_norm_force", 0.049),
        tendon_shape=shape,
        damping=node.scalar("fiber_damping", 0.1),
    )


def _together(node: Node, *fields: str) -> tuple[float, float, float] | None:
    """Return three numbers that are all given, or None."""
    if not all(node.value(field) for field in fields):
        return None
    a, b, c = (node.scalar(field) for field in fields)
    return a, b, c


# ---- ligaments and actuators
def _ligament(node: Node, reader: PathReader) -> LigamentForce:
    with located(node):
        tag = "force_length_curve"
        given = node.field(tag) is not None or any(child.name == tag for child in node.nodes)
        inner = function_inside(node, tag) if given else None
        x = [-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0]
        y = [0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0]
        curve: CoordinateFunction = SimmSpline(np.array(x), np.array(y)) if inner is None else read_function(inner)
        path = reader.path(node, f"/forceset/{node.named()}")
        return LigamentForce(path, node.scalar("resting_length"), node.scalar("pcsa_force"), curve)


def _actuator(node: Node, parts: OsimModel, report: Report) -> list[CoordinateActuator]:
    name = connected(node, "coordinate").rstrip("/").rsplit("/", 1)[-1]
    if name in parts.held or name in parts.couplings:
        report.leave(node, "actuators of coordinates that are held or follow others")
        return []
    low, high = (
        float(node.vector(f, 1, [d], infinite=True)[0]) for f, d in (("min_control", -np.inf), ("max_control", np.inf))
    )
    with located(node):
        return [CoordinateActuator(node.named(), name, node.scalar("optimal_force", 1.0), low, high)]
