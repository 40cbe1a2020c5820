"""A planar pair of legs with muscles as an OpenSim model, and a squat of it on two force plates."""

import numpy as np

from motiform.measure import write_trc
from motiform.motion import tree
from motiform.motion.tree.read import read_osim
from motiform.record import Channel, Recording

RATE, SAMPLES = 50.0, 60
_THIGH, _SHANK, _ANKLE = 0.41, 0.42, 0.08
_MUSCLES = {  # first segment and point, last segment and point [m], force [N], fibre, tendon [m]
    "glutei": ("pelvis", (-0.08, 0.03, 0.0), "thigh", (-0.04, -0.12, 0.0), 2500, 0.12, 0.076),
    "iliopsoas": ("pelvis", (0.05, 0.1, 0.0), "thigh", (0.02, -0.08, 0.0), 1800, 0.10, 0.062),
    "hamstrings": ("pelvis", (-0.06, -0.05, 0.0), "shank", (-0.03, -0.05, 0.0), 2700, 0.12, 0.305),
    "vasti": ("thigh", (0.03, -0.2, 0.0), "shank", (0.045, -0.02, 0.0), 5000, 0.09, 0.165),
    "gastrocnemius": ("thigh", (-0.02, -0.38, 0.0), "foot", (-0.05, -0.04, 0.0), 1600, 0.06, 0.42),
    "soleus": ("shank", (-0.02, -0.15, 0.0), "foot", (-0.05, -0.04, 0.0), 3600, 0.05, 0.277),
    "tibialis": ("shank", (0.02, -0.2, 0.0), "foot", (0.05, -0.03, 0.0), 1500, 0.07, 0.163),
}
_SIZES = {"pelvis": (40.0, 0.25), "thigh": (8.0, -0.18), "shank": (3.5, -0.18), "foot": (1.2, -0.05)}  # kg, m
MARKERS = ((0.05, 0.0, 0.04), (-0.04, 0.02, 0.0), (0.0, -0.06, -0.03))


def _body(name):
    mass, down = _SIZES[name.split("_")[0]]
    moment = 0.02 * mass
    return (
        f'<Body name="{name}"><mass>{mass}</mass><mass_center>0 {down} 0</mass_center>'
        f"<inertia>{moment} {moment} {moment} 0 0 0</inertia></Body>"
    )


def _frames(name, parent, child, at):
    place = " ".join(map(str, at))
    return (
        f"<socket_parent_frame>{name}_in</socket_parent_frame><socket_child_frame>{name}_out</socket_child_frame>"
        f'<frames><PhysicalOffsetFrame name="{name}_in"><socket_parent>{parent}</socket_parent>'
        f'<translation>{place}</translation></PhysicalOffsetFrame><PhysicalOffsetFrame name="{name}_out">'
        f"<socket_parent>/bodyset/{child}</socket_parent></PhysicalOffsetFrame></frames>"
    )


def _pin(name, parent, child, at):
    coordinates = f'<coordinates><Coordinate name="{name}"></Coordinate></coordinates>'
    return f'<PinJoint name="{name}_pin">{coordinates}{_frames(name, f"/bodyset/{parent}", child, at)}</PinJoint>'


def _root():
    coordinates = "".join(f'<Coordinate name="{name}"></Coordinate>' for name in ("tilt", "forward", "upward"))
    frames = _frames("root", "/ground", "pelvis", (0, 0, 0))
    return f'<PlanarJoint name="root"><coordinates>{coordinates}</coordinates>{frames}</PlanarJoint>'


def _muscle(name, side):
    first, start, last, end, force, fibre, tendon = _MUSCLES[name]
    points = ""
    for k, (segment, place) in enumerate(((first, start), (last, end))):
        z = {"r": 0.1, "l": -0.1}[side] if segment == "pelvis" else 0.0
        body = segment if segment == "pelvis" else f"{segment}_{side}"
        points += (
            f'<PathPoint name="{name}_{side}-{k}"><socket_parent_frame>/bodyset/{body}</socket_parent_frame>'
            f"<location>{place[0]} {place[1]} {z}</location></PathPoint>"
        )
    return (
        f'<DeGrooteFregly2016Muscle name="{name}_{side}"><GeometryPath><PathPointSet><objects>{points}</objects>'
        f"</PathPointSet></GeometryPath><max_isometric_force>{force}</max_isometric_force>"
        f"<optimal_fiber_length>{fibre}</optimal_fiber_length><tendon_slack_length>{tendon}</tendon_slack_length>"
        "</DeGrooteFregly2016Muscle>"
    )


def write_model(path, muscles=True):
    """Write the model: 3 coordinates of the pelvis, hips, knees and ankles; seven muscles of each leg."""
    bodies, joints, forces = [_body("pelvis")], [_root()], ""
    for side, z in (("r", 0.1), ("l", -0.1)):
        chain = (("hip", "pelvis", "thigh", (0, 0, z)), ("knee", "thigh", "shank", (0, -_THIGH, 0)),
                 ("ankle", "shank", "foot", (0, -_SHANK, 0)))  # fmt: skip
        for joint, parent, child, at in chain:
            bodies.append(_body(f"{child}_{side}"))
            inner = parent if parent == "pelvis" else f"{parent}_{side}"
            joints.append(_pin(f"{joint}_{side}", inner, f"{child}_{side}", at))
        forces += "".join(_muscle(name, side) for name in _MUSCLES) if muscles else ""
    names = ["pelvis", *(f"{part}_{side}" for side in "rl" for part in ("thigh", "shank", "foot"))]
    markers = "".join(
        f'<Marker name="{name}.{k}"><socket_parent_frame>/bodyset/{name}</socket_parent_frame>'
        f"<location>{' '.join(map(str, place))}</location></Marker>"
        for name in names for k, place in enumerate(MARKERS)
    )  # fmt: skip
    path.write_text(
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="legs"><gravity>0 -9.80665 0</gravity>'
        f"<BodySet><objects>{''.join(bodies)}</objects></BodySet><JointSet><objects>{''.join(joints)}</objects></JointSet>"
        f"<ForceSet><objects>{forces}</objects></ForceSet><MarkerSet><objects>{markers}</objects></MarkerSet>"
        "</Model></OpenSimDocument>"
    )
    return path


def squat(figure):
    """Return times and q of a slow squat with both feet flat where they are."""
    t = np.arange(SAMPLES) / RATE
    thigh, shank = 0.3 + 0.12 * np.sin(np.pi * t), -0.25 - 0.08 * np.sin(np.pi * t)
    values = {
        "tilt": -0.15 + 0 * t, "forward": -_THIGH * np.sin(thigh) - _SHANK * np.sin(shank),
        "upward": _THIGH * np.cos(thigh) + _SHANK * np.cos(shank) + _ANKLE,
    }  # fmt: skip
    for side in "rl":
        values |= {f"hip_{side}": thigh + 0.15, f"knee_{side}": shank - thigh, f"ankle_{side}": -shank}
    return t, np.stack([values[name] for name in figure.coordinates], axis=1)


def ground(figure, motion):
    """Return forces (samples, 2, 3) and points (samples, 2, 3) of the right and the left foot: half of it all each."""
    q, v, a = motion
    moving = tree.motion(figure, q, v, a)
    R, p = moving.poses
    mass = np.array([s.mass for s in figure.segments])
    r = (R @ np.array([s.com for s in figure.segments])[:, :, None])[..., 0]
    o, do = moving.twists[..., :3], moving.accelerations[..., :3]
    force = mass[:, None] * (
        moving.accelerations[..., 3:] + np.cross(do, r) + np.cross(o, np.cross(o, r)) - np.array(figure.gravity)
    )
    spin = np.array([s.inertia[2, 2] for s in figure.segments]) * do[..., 2]
    whole, moment = force.sum(1), (np.cross(p + r, force)[..., 2] + spin).sum(1)
    point = np.zeros((len(q), 2, 3))
    point[..., 0], point[:, 0, 2], point[:, 1, 2] = (moment / whole[:, 1])[:, None], 0.1, -0.1
    return np.repeat(whole[:, None] / 2, 2, axis=1), point


def write_squat(folder):
    """Write squat.trc and squat_grf.mot of the model legs.osim in a folder; return the figure and its motion."""
    from motiform.motion.postures import velocities

    figure = read_osim(write_model(folder / "legs.osim"))
    t, q = squat(figure)
    motion = velocities(figure, t, q, cutoff=None)
    force, point = ground(figure, motion)
    x = tree.tags(figure, q)
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=RATE)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y"}
    write_trc(Recording.from_arrays({"markers": (channel, x)}, manifest=manifest), folder / "squat.trc")
    heads = [f"{n}ground_force_{what}{axis}" for n in ("", "1_") for what in "vp" for axis in "xyz"]
    rows = np.concatenate([t[:, None], force[:, 0], point[:, 0], force[:, 1], point[:, 1]], axis=1)
    lines = ["forces", f"nRows={len(t)}", f"nColumns={rows.shape[1]}", "endheader", "\t".join(["time", *heads])]
    lines += ["\t".join(map(repr, row)) for row in rows.tolist()]
    (folder / "squat_grf.mot").write_text("\n".join(lines) + "\n")
    return figure, motion, force, point
