"""From the figures of a scene to the model that is simulated."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, SceneError, closest
from motiform.base.units import quantity
from motiform.geometry import MassProperties, surfaces
from motiform.geometry.surfaces import Surface
from motiform.motion.tree import Control, Figure, FigureBuilder, FigureState, Part, joints
from motiform.motion.tree.read import read_figure
from motiform.scene.build import build_pose, build_shape
from motiform.scene.figure_tables import (
    ClosureTable,
    ContactTable,
    ControlTable,
    FigureTable,
    FunctionAxisTable,
    JointTable,
    SegmentTable,
    SurfaceTable,
)
from motiform.scene.load import Scene

__all__ = ["build_figure"]


def build_figure(scene: Scene) -> tuple[Figure, np.ndarray, np.ndarray, Control | None]:
    """Return the figures of a scene as one, its configuration and velocities at the start, and its controls."""
    tables = scene.document.figure
    builder = FigureBuilder(gravity=scene.document.environment.gravity, name=scene.name)
    for n, table in enumerate(tables):
        prefix = f"{table.name}." if len(tables) > 1 else ""
        if table.file is None:
            _write(scene, n, table, builder, prefix)
        else:
            _read(scene, n, table, builder, prefix)
    figure = _built(scene, builder)
    q, v = figure.neutral(), np.zeros(figure.nv)
    controls: list[tuple[int, int, ControlTable]] = []
    for n, table in enumerate(tables):
        prefix = f"{table.name}." if len(tables) > 1 else ""
        _start(scene, n, table, figure, prefix, q, v)
        for k, control in enumerate(table.control):
            where = scene.place("figure", n, "control", k)
            q_place, v_place = _places(figure, prefix + control.coordinate, where)
            if q_place < 0 and (control.stiffness or control.target):
                raise SceneError(
                    "a spring on a velocity that has no coordinate of its own",
                    where=where,
                    got=control.coordinate,
                    remedy="Give force or damping; springs act on plain coordinates.",
                )
            controls.append((q_place, v_place, control))
    return figure, q, v, _control(controls, figure.nv) if controls else None


def _placed(scene: Scene, make: Any, *keys: str | int) -> Any:
    """Return what a function makes; its errors get the file and line."""
    try:
        return make()
    except SceneError:
        raise
    except MotiformError as error:
        raise SceneError(f"{scene.place(*keys)}: {error}") from error


def _built(scene: Scene, builder: FigureBuilder) -> Figure:
    """Return the figure; an error of the whole gets the line of the segment, tag or closure that it names."""
    try:
        return builder.build()
    except MotiformError as error:
        names = [error.where or "", str(error.got or "")]
        for n, table in enumerate(scene.document.figure):
            for kind in ("segment", "tag", "closure"):
                for k, item in reversed(list(enumerate(getattr(table, kind)))):
                    if any(name == item.name or f"{kind} '{item.name}'" in name for name in names):
                        raise SceneError(f"{scene.place('figure', n, kind, k)}: {error}") from error
        raise SceneError(f"{scene.place('figure', 0)}: {error}") from error


def _write(scene: Scene, n: int, table: FigureTable, builder: FigureBuilder, prefix: str) -> None:
    def full(name: str) -> str | None:
        return None if name == "world" else prefix + name

    for k, segment in enumerate(table.segment):
        _placed(scene, lambda s=segment: _segment(scene, s, builder, prefix), "figure", n, "segment", k)
    for k, tag in enumerate(table.tag):
        _placed(scene, lambda t=tag: builder.tag(prefix + t.name, prefix + t.segment, t.at), "figure", n, "tag", k)
    for k, closure in enumerate(table.closure):
        _placed(scene, lambda c=closure: _closure(c, builder, full, prefix), "figure", n, "closure", k)


def _segment(scene: Scene, table: SegmentTable, builder: FigureBuilder, prefix: str) -> None:
    shape, properties = (None, None) if table.shape is None else build_shape(scene, table.shape)
    mass: float | MassProperties = 0.0 if table.mass is None else table.mass
    com: Any = (0.0, 0.0, 0.0) if table.center is None else table.center
    inertia = None if table.inertia is None else np.array(table.inertia, float)
    if inertia is not None and inertia.ndim == 1:
        inertia = np.diag(inertia)
    if properties is not None and table.mass is None and table.inertia is None and table.center is None:
        mass = properties
    elif properties is not None:
        mass = properties.mass if table.mass is None else table.mass
        com = properties.center if table.center is None else com
        inertia = properties.inertia * (mass / properties.mass) if inertia is None else inertia
    builder.segment(
        prefix + table.name,
        None if table.parent == "world" else prefix + table.parent,
        build_joint(table.joint, prefix),
        placement=build_pose(table.placement),
        mass=mass,
        com=com,
        inertia=inertia,
        armature=table.armature,
        damping=table.damping,
        shape=None if shape is None else Part(shape, color=table.color),
    )


def build_surface(table: SurfaceTable) -> Surface:
    """Return a surface."""
    if table.plane:
        return surfaces.plane()
    if table.circle is not None:
        return surfaces.circle(table.circle)
    if table.torus is not None:
        return surfaces.torus(*table.torus, inside=table.inside)
    for kind in ("sphere", "cylinder", "cone", "ellipsoid"):
        if getattr(table, kind) is not None:
            return getattr(surfaces, kind)(getattr(table, kind), inside=table.inside)
    raise AssertionError("the schema asks for one surface")


def _contact(table: ContactTable, names: list[str] | None) -> joints.ContactJoint:
    return joints.contact(
        build_surface(table.parent),
        build_surface(table.child),
        pose1=build_pose(table.parent.pose),
        pose2=build_pose(table.child.pose),
        sliding=table.sliding,
        rolling=table.rolling,
        spin=table.spin,
        friction=table.friction,
        line=table.line,
        names=names,
    )


def _function_axis(table: FunctionAxisTable, prefix: str) -> tuple[joints.Axis, Any, str]:
    axis = (
        joints.Axis("revolute", table.revolute)
        if table.revolute is not None
        else joints.Axis("prismatic", table.prismatic)  # type: ignore[arg-type]
    )
    function = (
        joints.Spline(np.array(table.spline.x), np.array(table.spline.y))
        if table.spline is not None
        else joints.Polynomial(tuple(table.polynomial or ()))
    )
    return axis, function, prefix + table.coordinate


def build_joint(table: JointTable, prefix: str = "") -> joints.Joint:
    """Return a joint."""
    names = None if table.names is None else [prefix + name for name in table.names]
    name, limits = None if names is None else names[0], table.limits
    single: Any = None if limits is None else limits[0]
    if table.fixed:
        return joints.fixed()
    if table.revolute is not None:
        return joints.revolute(table.revolute, name=name, limits=single)
    if table.prismatic is not None:
        return joints.prismatic(table.prismatic, name=name, limits=single)
    if table.helical is not None:
        return joints.helical(table.helical.axis, table.helical.pitch, name=name, limits=single)
    if table.universal is not None:
        return joints.universal(*table.universal, names=names, limits=limits)
    if table.cardan is not None:
        return joints.cardan(table.cardan, names=names, limits=limits)
    if table.planar is not None:
        return joints.planar(table.planar, names=names, limits=limits)
    if table.spherical:
        return joints.spherical(names=names)
    if table.function is not None:
        return joints.function([_function_axis(axis, prefix) for axis in table.function], limits=limits)
    if table.contact is not None:
        return _contact(table.contact, names)
    return joints.free("cardan" if table.free == "cardan" else "quaternion", names=names)


def _closure(table: ClosureTable, builder: FigureBuilder, full: Any, prefix: str) -> None:
    a, b = (full(name) for name in table.between)
    if table.contact is not None:
        builder.close_contact(prefix + table.name, a, b, _contact(table.contact, None))
        return
    length = 0.0 if table.length is None else table.length
    builder.close(prefix + table.name, a, table.at[0], b, table.at[1], table.rows, length=length)


def _read(scene: Scene, n: int, table: FigureTable, builder: FigureBuilder, prefix: str) -> None:
    """Put a figure from a file among the others; its own gravity gives way to the scene's."""
    if prefix:
        raise SceneError(
            f"{scene.place('figure', n, 'file')}: a figure from a file must be alone in its scene (got {table.file!r})"
        )
    found = _placed(scene, lambda: read_figure(scene.file(table.file or "")), "figure", n, "file")
    builder.segments += found.segments
    builder.tags += found.tags
    builder.surfaces += found.surfaces
    builder.couplings += found.couplings
    builder.closures += found.closures
    builder.notes += found.notes


def _places(figure: Figure, name: str, where: str) -> tuple[int, int]:
    """Return where a plain coordinate is in q and v."""
    if name not in figure.coordinates:
        raise SceneError(
            "no such coordinate",
            where=where,
            got=name,
            allowed=", ".join(figure.coordinates),
            remedy=closest(name, figure.coordinates),
        )
    q = figure.places(name, "q") if name in figure.layout.places_q else np.array([-1])
    return int(q[0]), int(figure.places(name, "v")[0])


def _control(controls: list[tuple[int, int, ControlTable]], nv: int) -> Control:
    """Return the function that a scene's controls make together."""

    def control(t: float, state: FigureState) -> np.ndarray:
        tau = np.zeros(nv)
        for q, v, table in controls:
            tau[v] += table.force - table.damping * state.v[v]
            if table.stiffness:
                tau[v] -= table.stiffness * (state.q[q] - table.target)
        return tau

    return control


def _start(scene: Scene, n: int, table: FigureTable, figure: Figure, prefix: str, q: np.ndarray, v: np.ndarray) -> None:
    """Write what the scene says of the start into q and v."""
    for k, segment in enumerate(table.segment):
        if segment.joint.contact is not None:
            joint = figure.segment(prefix + segment.name).joint
            begin = segment.joint.contact.start
            assert isinstance(joint, joints.ContactJoint)
            q[figure.places(prefix + segment.name, "q")] = _placed(
                scene,
                lambda j=joint, b=begin: j.configuration(
                    b.parent, b.child, direction=b.direction, yaw=b.yaw, normal1=b.parent_normal, normal2=b.normal
                ),
                "figure",
                n,
                "segment",
                k,
            )
    for which, given, out in (("q", table.start.q, q), ("v", table.start.v, v)):
        for name, value in given.items():
            where = scene.place("figure", n, "start", which, name)
            places = _placed(scene, lambda m=name, w=which: figure.places(prefix + m, w), "figure", n, "start")
            values = value if isinstance(value, list) else [value]
            if len(values) != len(places):
                raise SceneError(f"{where}: {name} has {len(places)} numbers (got {len(values)})")
            out[places] = [_number(x, which, where) for x in values]


def _number(value: float | str, which: str, where: str) -> float:
    """Return a coordinate or velocity: a number, or text with a unit of an angle, a length, or a number."""
    for unit in ("rad", "m", "") if which == "q" else ("rad/s", "m/s"):
        try:
            number = quantity(value, unit)
        except InputError:
            continue
        if np.isfinite(number):
            return number
    allowed = "a finite number, or text with a unit like " + ("rad or m" if which == "q" else "rad/s or m/s")
    raise SceneError("not a coordinate" if which == "q" else "not a velocity", where=where, got=value, allowed=allowed)
