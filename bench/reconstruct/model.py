"""A walker of 37 coordinates and 45 markers as an OpenSim model, and a trial of it, for the reconstruct bench."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["RATE", "walk", "write_model"]

RATE = 100.0  # [Hz] of the trial
_LIMB = 0.35
_KNEE_X = "-2.0944 -1.22173 -0.523599 -0.349066 -0.174533 0.159149 2.0944"
_KNEE_Y = "-0.4226 -0.4082 -0.399 -0.3976 -0.3966 -0.395264 -0.396"
_ROLL_X = "-2.0944 -1.74533 -1.39626 -1.0472 -0.698132 -0.349066 -0.174533 0.197344 0.337395"
_ROLL_Y = "-0.0032 0.00179 0.00411 0.0041 0.00212 -0.001 -0.0031 -0.005227 -0.005435"
Z, X, Y = "0 0 1", "1 0 0", "0 1 0"


class Body(NamedTuple):
    """A body, its joint to its parent, and its markers."""

    name: str
    parent: str
    at: tuple[float, float, float]
    turns: tuple[tuple[str, str], ...]
    """(coordinate, axis)"""
    markers: tuple[tuple[float, float, float], ...]
    mass: float = 2.0


def _bodies() -> list[Body]:
    found = [
        Body(
            "pelvis", "ground", (0, 0, 0), (("pelvis_tilt", Z), ("pelvis_list", X), ("pelvis_rotation", Y)),
            ((0.02, 0.03, 0.13), (0.02, 0.03, -0.13), (-0.15, 0.03, 0.05), (-0.15, 0.03, -0.05)), 11.0,
        ),
        Body(
            "torso", "pelvis", (-0.1, 0.08, 0),
            (("lumbar_extension", Z), ("lumbar_bending", X), ("lumbar_rotation", Y)),
            ((0.1, 0.35, 0), (-0.1, 0.4, 0), (0.0, 0.45, 0.17), (0.0, 0.45, -0.17), (0.05, 0.65, 0.07)), 30.0,
        ),
    ]  # fmt: skip
    for side, z in (("r", 1.0), ("l", -1.0)):
        found += [
            Body(
                f"femur_{side}", "pelvis", (-0.07, -0.066, 0.0835 * z),
                ((f"hip_flexion_{side}", Z), (f"hip_adduction_{side}", X), (f"hip_rotation_{side}", Y)),
                ((0.08, -0.2, 0.03 * z), (0.0, -0.4, 0.05 * z), (0.0, -0.4, -0.05 * z)), 9.0,
            ),
            Body(
                f"tibia_{side}", f"femur_{side}", (0, 0, 0), ((f"knee_angle_{side}", Z),),
                ((0.04, -0.1, 0.03 * z), (0.0, -0.4, 0.05 * z), (0.0, -0.4, -0.04 * z)), 3.7,
            ),
            Body(f"talus_{side}", f"tibia_{side}", (0, -0.43, 0), ((f"ankle_angle_{side}", Z),), (), 0.1),
            Body(
                f"calcn_{side}", f"talus_{side}", (-0.049, -0.042, 0.008 * z),
                ((f"subtalar_angle_{side}", "0.787 0.605 -0.121"),),
                ((-0.02, 0.02, 0.0), (0.14, 0.02, 0.05 * z), (0.1, 0.05, -0.03 * z)), 1.2,
            ),
            Body(
                f"toes_{side}", f"calcn_{side}", (0.179, -0.002, 0.001 * z), ((f"mtp_angle_{side}", Z),),
                ((0.05, 0.01, 0.0),), 0.2,
            ),
            Body(
                f"humerus_{side}", "torso", (0.003, 0.37, 0.17 * z),
                ((f"arm_flex_{side}", Z), (f"arm_add_{side}", X), (f"arm_rot_{side}", Y)),
                ((0.04, -0.12, 0.03 * z), (0.0, -0.28, 0.04 * z), (0.0, -0.28, -0.04 * z)),
            ),
            Body(
                f"ulna_{side}", f"humerus_{side}", (0.013, -0.286, -0.01 * z), ((f"elbow_flex_{side}", Z),),
                ((0.0, -0.1, 0.03 * z),), 0.6,
            ),
            Body(
                f"radius_{side}", f"ulna_{side}", (-0.007, -0.013, 0.026 * z), ((f"pro_sup_{side}", Y),),
                ((0.03, -0.23, 0.0), (-0.03, -0.23, 0.02 * z)), 0.6,
            ),
            Body(
                f"hand_{side}", f"radius_{side}", (-0.009, -0.236, 0.014 * z),
                ((f"wrist_flex_{side}", X), (f"wrist_dev_{side}", Z)),
                ((0.02, -0.08, 0.0), (-0.02, -0.08, 0.02 * z)), 0.5,
            ),
        ]  # fmt: skip
    return found


def _axis(name: str, coordinate: str | None, axis: str, function: str | None = None) -> str:
    if function is None:
        function = (
            "<LinearFunction><coefficients> 1 0</coefficients></LinearFunction>"
            if coordinate
            else "<Constant><value>0</value></Constant>"
        )
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinate or ""}</coordinates><axis>{axis}</axis>'
        f"<function>{function}</function></TransformAxis>"
    )


def _coordinate(name: str, kind: str, value: float = 0.0) -> str:
    return (
        f'<Coordinate name="{name}"><motion_type>{kind}</motion_type><default_value>{value}</default_value>'
        "<range>-3 3</range><clamped>false</clamped><locked>false</locked><prescribed_function/></Coordinate>"
    )


def _joint(body: Body) -> str:
    coordinates = [_coordinate(name, "rotational") for name, _ in body.turns]
    axes = [_axis(f"rotation{k + 1}", name, axis) for k, (name, axis) in enumerate(body.turns)]
    unused = [axis for axis in (Z, X, Y) if axis not in [own for _, own in body.turns]]
    axes += [_axis(f"rotation{len(body.turns) + k + 1}", None, axis) for k, axis in enumerate(unused[: 3 - len(axes)])]
    if body.parent == "ground":
        names = ("pelvis_tx", "pelvis_ty", "pelvis_tz")
        coordinates += [_coordinate(name, "translational", 0.95 * (name == "pelvis_ty")) for name in names]
        axes += [
            _axis(f"translation{k + 1}", name, axis)
            for k, (name, axis) in enumerate(zip(names, (X, Y, Z), strict=True))
        ]
    elif body.name.startswith("tibia"):
        lead = body.turns[0][0]
        axes += [
            _axis("translation1", lead, X, f"<SimmSpline><x>{_ROLL_X}</x><y>{_ROLL_Y}</y></SimmSpline>"),
            _axis("translation2", lead, Y, f"<SimmSpline><x>{_KNEE_X}</x><y>{_KNEE_Y}</y></SimmSpline>"),
        ]
    place = " ".join(str(x) for x in body.at)
    return (
        f'<CustomJoint name="{body.name}_joint"><parent_body>{body.parent}</parent_body>'
        f"<location_in_parent>{place}</location_in_parent><orientation_in_parent>0 0 0</orientation_in_parent>"
        "<location>0 0 0</location><orientation>0 0 0</orientation>"
        f"<CoordinateSet><objects>{''.join(coordinates)}</objects><groups/></CoordinateSet><reverse>false</reverse>"
        f"<SpatialTransform>{''.join(axes)}</SpatialTransform></CustomJoint>"
    )


def write_model(path: Path) -> None:
    """Write the model in the way of OpenSim 3, which all versions read."""
    bodies, markers = [], []
    for body in _bodies():
        moment = 0.02 * body.mass * _LIMB
        bodies.append(
            f'<Body name="{body.name}"><mass>{body.mass}</mass><mass_center> 0 -0.1 0</mass_center>'
            f"<inertia_xx>{moment}</inertia_xx><inertia_yy>{moment}</inertia_yy><inertia_zz>{moment}</inertia_zz>"
            f"<Joint>{_joint(body)}</Joint></Body>"
        )
        markers += [
            f'<Marker name="{body.name}.{k}"><body>{body.name}</body>'
            f"<location> {' '.join(str(x) for x in at)}</location><fixed>false</fixed></Marker>"
            for k, at in enumerate(body.markers)
        ]
    ground = '<Body name="ground"><mass>0</mass><mass_center> 0 0 0</mass_center><Joint/></Body>'
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="30000"><Model name="walker">'
        "<length_units>meters</length_units><force_units>N</force_units><gravity> 0 -9.80665 0</gravity>"
        f"<BodySet><objects>{ground}{''.join(bodies)}</objects><groups/></BodySet>"
        f"<MarkerSet><objects>{''.join(markers)}</objects><groups/></MarkerSet></Model></OpenSimDocument>\n",
        encoding="utf-8",
    )


def walk(nv: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return a smooth motion of all coordinates, (samples, nv) [rad, m]."""
    t = np.arange(samples)[:, None] / RATE
    return np.asarray(0.25 * np.sin(2 * np.pi * rng.uniform(0.3, 1.2, nv) * t + rng.uniform(0, 2 * np.pi, nv)))
