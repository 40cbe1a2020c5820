"""Two legs with 92 muscles over 34 cylinders as an OpenSim model, with numbers of our own, and postures of them."""

from pathlib import Path

import numpy as np

__all__ = ["PERIOD", "postures", "swing", "write_model"]

PERIOD = 200
"""Samples of a swing."""

_MUSCLES = 46  # of each leg
_WRAPPED = 17
# body, parent, place of the joint [m], turns (coordinate, axis), range [rad], length [m]
_BODIES = (
    (
        "thigh",
        "pelvis",
        (0.0, -0.07, 0.09),
        (("flexion", "0 0 1"), ("adduction", "1 0 0"), ("rotation", "0 1 0")),
        0.41,
    ),
    ("shank", "thigh", (0.0, -0.41, 0.0), (("knee", "0 0 1"),), 0.42),
    ("foot", "shank", (0.0, -0.42, 0.0), (("ankle", "0 0 1"), ("inversion", "0.79 0.6 -0.12")), 0.2),
    ("toes", "foot", (0.14, -0.03, 0.0), (("toes", "0 0 1"),), 0.06),
)
_RANGES = {"flexion": (-0.3, 0.9), "adduction": (-0.2, 0.2), "rotation": (-0.2, 0.2), "knee": (-1.1, 0.0),
           "ankle": (-0.3, 0.2), "inversion": (-0.2, 0.2), "toes": (-0.3, 0.3)}  # fmt: skip
# spans of muscles: from body to body, how many of each
_SPANS = ((0, 1, 18), (0, 2, 8), (1, 2, 8), (1, 3, 4), (2, 3, 6), (2, 4, 2))


def _triple(x: np.ndarray) -> str:
    return " ".join(f"{value:.17g}" for value in x)


def write_model(path: Path, seed: int = 7) -> None:
    """Write the model; fibres have their optimal length in the middle of the ranges."""
    from motiform.motion.actuation.muscles import path_geometry, read_muscles

    _write(path, seed, {})
    muscles = read_muscles(path)
    lengths = path_geometry(muscles.paths, _ranges(muscles.figure.coordinates).mean(axis=1)).length
    _write(path, seed, dict(zip(muscles.names, lengths.tolist(), strict=True)))


def _write(path: Path, seed: int, lengths: dict[str, float]) -> None:
    rng = np.random.default_rng(seed)
    bodies = {"pelvis": ""}
    joints, muscles = [_joint("root", "/ground", "/bodyset/pelvis", (0, 0, 0), _ROOT)], []
    for side, z in (("r", 1.0), ("l", -1.0)):
        names = ["pelvis"] + [f"{body}_{side}" for body, *_ in _BODIES]
        for (body, parent, at, turns, _), name in zip(_BODIES, names[1:], strict=True):
            inner = "pelvis" if parent == "pelvis" else f"{parent}_{side}"
            axes = tuple((f"{turn}_{side}", axis, _RANGES[turn]) for turn, axis in turns)
            place = (at[0], at[1], at[2] * z)
            joints.append(_joint(f"{body}_{side}", f"/bodyset/{inner}", f"/bodyset/{name}", place, axes))
            bodies.setdefault(name, "")
        count = 0
        for first, last, many in _SPANS:
            for _ in range(many):
                wrapped = count < _WRAPPED
                name = f"m{count}_{side}"
                muscle, wrap = _muscle(name, names, first, last, z, wrapped, lengths.get(name, 0.5), rng)
                muscles.append(muscle)
                bodies[names[last]] += wrap
                count += 1
        assert count == _MUSCLES
    text = "".join(_body(name, wraps) for name, wraps in bodies.items())
    path.write_text(
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="legs"><gravity>0 -9.80665 0</gravity>'
        f"<BodySet><objects>{text}</objects></BodySet><JointSet><objects>{''.join(joints)}</objects></JointSet>"
        f"<ForceSet><objects>{''.join(muscles)}</objects></ForceSet></Model></OpenSimDocument>"
    )


_ROOT = tuple((f"root_{k}", axis, (-0.3, 0.3)) for k, axis in enumerate(("0 0 1", "1 0 0", "0 1 0")))


def _body(name: str, wraps: str) -> str:
    return (
        f'<Body name="{name}"><mass>3</mass><mass_center>0 -0.1 0</mass_center>'
        f"<inertia>0.05 0.02 0.05 0 0 0</inertia><WrapObjectSet><objects>{wraps}</objects></WrapObjectSet></Body>"
    )


def _joint(
    name: str, parent: str, child: str, at: tuple[float, ...], axes: tuple[tuple[str, str, tuple[float, float]], ...]
) -> str:
    """Return a joint with turns about some axes."""
    coordinates = "".join(
        f'<Coordinate name="{turn}"><range>{low} {high}</range></Coordinate>' for turn, _, (low, high) in axes
    )
    linear = "<function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function>"
    still = "<function><Constant><value>0</value></Constant></function>"
    spare = iter(("0 1 0", "1 0 0", "0 0 1"))
    turns = ""
    for k in range(3):
        one = axes[k] if k < len(axes) else None
        axis = one[1] if one else next(spare)
        own = f"<coordinates>{one[0]}</coordinates>" if one else "<coordinates></coordinates>"
        function = linear if one else still
        turns += f'<TransformAxis name="rotation{k + 1}">{own}<axis>{axis}</axis>{function}</TransformAxis>'
    for k, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
        own = "<coordinates></coordinates>"
        turns += f'<TransformAxis name="translation{k + 1}">{own}<axis>{axis}</axis>{still}</TransformAxis>'
    frames = (
        f'<PhysicalOffsetFrame name="{name}_in"><socket_parent>{parent}</socket_parent>'
        f"<translation>{_triple(np.array(at, float))}</translation></PhysicalOffsetFrame>"
        f'<PhysicalOffsetFrame name="{name}_out"><socket_parent>{child}</socket_parent></PhysicalOffsetFrame>'
    )
    return (
        f'<CustomJoint name="{name}"><socket_parent_frame>{name}_in</socket_parent_frame>'
        f"<socket_child_frame>{name}_out</socket_child_frame><coordinates>{coordinates}</coordinates>"
        f"<frames>{frames}</frames><SpatialTransform>{turns}</SpatialTransform></CustomJoint>"
    )


def _muscle(
    name: str, names: list[str], first: int, last: int, z: float, wrapped: bool, length: float,
    rng: np.random.Generator,
) -> tuple[str, str]:  # fmt: skip
    """Return a muscle from one body to another, and the cylinder on the last that it wraps."""
    around = rng.uniform(0, 2 * np.pi)
    beside = np.array([np.cos(around), 0.0, z * np.sin(around)])
    start = 0.05 * beside + (0, -rng.uniform(0.0, 0.1), 0) + ((0, 0, 0.09 * z) if first == 0 else (0, -0.25, 0))
    end = 0.045 * beside + (0, -rng.uniform(0.05, 0.12), 0)
    places = [(first, start), (last, end)]
    if rng.random() < 0.4 and not wrapped:
        places.insert(1, (first, 0.6 * start + 0.4 * end + (0, -0.12, 0)))
    points = "".join(
        f'<PathPoint name="{name}-P{k}"><socket_parent_frame>/bodyset/{names[n]}</socket_parent_frame>'
        f"<location>{_triple(x)}</location></PathPoint>"
        for k, (n, x) in enumerate(places, start=1)
    )
    wrap, wraps = "", ""
    if wrapped:
        wrap = (
            f'<WrapCylinder name="w{name}"><translation>0 0 0</translation><quadrant>all</quadrant>'
            f"<radius>{rng.uniform(0.02, 0.035):.17g}</radius><length>0.3</length></WrapCylinder>"
        )
        wraps = f"<PathWrap><wrap_object>w{name}</wrap_object><method>hybrid</method><range>-1 -1</range></PathWrap>"
    fibre, force, angle = min(rng.uniform(0.05, 0.12), 0.6 * length), rng.uniform(300, 2500), rng.uniform(0, 0.3)
    text = (
        f'<Thelen2003Muscle name="{name}"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet>'
        f"<PathWrapSet><objects>{wraps}</objects></PathWrapSet></GeometryPath>"
        f"<max_isometric_force>{force:.6g}</max_isometric_force>"
        f"<optimal_fiber_length>{fibre:.6g}</optimal_fiber_length>"
        f"<tendon_slack_length>{length - fibre * np.cos(angle):.6g}</tendon_slack_length>"
        f"<pennation_angle_at_optimal>{angle:.6g}</pennation_angle_at_optimal></Thelen2003Muscle>"
    )
    return text, wrap


def postures(coordinates: tuple[str, ...], count: int, seed: int = 3) -> np.ndarray:
    """Return random postures within the ranges [rad], (count, coordinates)."""
    low, high = _ranges(coordinates).T
    return np.random.default_rng(seed).uniform(low, high, (count, len(coordinates)))


def swing(coordinates: tuple[str, ...], count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return times [s], q, v and a of legs that swing through 0.6 of the ranges, 100 samples a second."""
    low, high = _ranges(coordinates).T
    turn, size = 2.0 * np.pi / (0.01 * PERIOD), 0.3 * (high - low)
    t = np.arange(count) * 0.01
    at = turn * t[:, None] + np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, len(coordinates))
    return t, (low + high) / 2 + size * np.sin(at), turn * size * np.cos(at), -(turn**2) * size * np.sin(at)


def _ranges(coordinates: tuple[str, ...]) -> np.ndarray:
    return np.array([_RANGES.get(name.rsplit("_", 1)[0], (-0.3, 0.3)) for name in coordinates])
