"""From the figures of a scene to the model that is simulated."""

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, SceneError
from motiform.geometry import MassProperties, surfaces
from motiform.geometry.surfaces import Surface
from motiform.motion.actuation import PrescribedMotion, SegmentPushes
from motiform.motion.contact import Contacts
from motiform.motion.figures import ready_figure
from motiform.motion.stepping import add_body, start_bodies
from motiform.motion.tree import Actuator, Control, Figure, FigureBuilder, SegmentShape, joints
from motiform.motion.tree.lock import lock_joints
from motiform.motion.tree.read import read_figure
from motiform.scene.build.actuation import build_balance, build_motors, build_step
from motiform.scene.build.common import at_table, build_bodies, build_pose, build_shape, placed
from motiform.scene.build.contacts import build_contacts
from motiform.scene.build.drive import build_controls, build_motions, build_pushes, read_values
from motiform.scene.build.member import Member
from motiform.scene.read.load import Scene
from motiform.scene.tables.common import Table
from motiform.scene.tables.figure import (
    ClosureTable,
    ContactStartTable,
    ContactTable,
    FigureTable,
    FunctionAxisTable,
    JointTable,
    SegmentTable,
    SurfaceTable,
)

__all__ = ["Made", "build_figures"]


@dataclass(frozen=True)
class Made:
    """Figures and free bodies of a scene as one figure, and all that it is simulated with."""

    figure: Figure
    q: np.ndarray
    v: np.ndarray
    controls: list[Control | Actuator] | None
    loads: SegmentPushes | None
    contacts: Contacts | None
    prescribed: list[PrescribedMotion]


def build_figures(scene: Scene) -> Made:
    """Return the figures and, with contacts, the bodies of a scene as one figure, and what acts on it."""
    tables = scene.document.figure
    builder = FigureBuilder(gravity=scene.document.environment.gravity, name=scene.name)
    members: list[Member] = []
    begins: list[tuple[Figure, np.ndarray] | None] = []
    for n, table in enumerate(tables):
        prefix, before = f"{table.name}." if len(tables) > 1 else "", len(builder.segments)
        begins.append(_add(scene, n, table, builder, prefix))
        members.append(Member(prefix, tuple(segment.name for segment in builder.segments[before:])))
    bodies = build_bodies(scene).bodies if scene.document.body else ()
    for n, body in enumerate(bodies):
        placed(scene, lambda b=body: add_body(builder, b), "body", n)
    figure, motors = build_motors(scene, _built(scene, builder), members)
    q, v = figure.neutral(), np.zeros(figure.nv)
    for n, (table, member) in enumerate(zip(tables, members, strict=True)):
        _start(scene, n, table, figure, member.prefix, q, v, begins[n])
    q, v = start_bodies(figure, bodies, q, v)
    contacts = build_contacts(scene, figure, bodies)
    controls = build_controls(scene, figure, members, q, contacts, motors)
    step = build_step(scene, figure, contacts)
    if step is not None:
        q, controls = step[0], [step[1]]
    balance = build_balance(scene, figure, q, contacts)
    if balance:
        already = [] if controls is None else controls if isinstance(controls, list) else [controls]
        controls = [*already, *balance]
    pushes = build_pushes(scene, figure, members, bodies)
    return Made(figure, q, v, controls, pushes, contacts, build_motions(scene, figure, members))


def _add(
    scene: Scene, n: int, table: FigureTable, builder: FigureBuilder, prefix: str
) -> tuple[Figure, np.ndarray] | None:
    """Add one figure; where joints of it are locked, return it with its posture at the start."""
    if table.free is None:
        _add_whole(scene, n, table, builder, prefix)
        return None
    own = FigureBuilder(gravity=builder.gravity, name=table.name)
    _add_whole(scene, n, table, own, "")
    whole = _built(scene, own)
    q, v = whole.neutral(), np.zeros(whole.nv)
    _start(scene, n, table, whole, "", q, v)
    with at_table(scene, "figure", n, "free"):
        for name in table.free:
            whole.index(name)
        locked = lock_joints(whole, [name for name in whole.names if name not in table.free], q)
        begin = locked.neutral()
        for name in table.free:
            begin[locked.places(name, "q")] = q[whole.places(name, "q")]
    builder.add(locked, prefix)
    return locked, begin


def _add_whole(scene: Scene, n: int, table: FigureTable, builder: FigureBuilder, prefix: str) -> None:
    """Add the segments of one figure: of a ready one, of a file, or of the table."""
    if table.model is not None:
        given = {**table.parameters.model_dump(exclude_none=True), "gravity": builder.gravity, "name": table.name}
        made = placed(scene, lambda: ready_figure(str(table.model), **given), "figure", n, "parameters")
        builder.add(made, prefix)
    elif table.file is not None:
        _read(scene, n, table, builder, prefix)
    _write(scene, n, table, builder, prefix)


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
        placed(scene, lambda s=segment: _segment(scene, s, builder, prefix), "figure", n, "segment", k)
    for k, tag in enumerate(table.tag):
        placed(scene, lambda t=tag: builder.tag(prefix + t.name, prefix + t.segment, t.at), "figure", n, "tag", k)
    for k, closure in enumerate(table.closure):
        placed(scene, lambda c=closure: _closure(c, builder, full, prefix), "figure", n, "closure", k)


def _segment(scene: Scene, table: SegmentTable, builder: FigureBuilder, prefix: str) -> None:
    shape, properties = (None, None) if table.shape is None else build_shape(scene, table.shape)
    mass: float | MassProperties = 0.0 if table.mass is None else table.mass
    com: Any = (0.0, 0.0, 0.0) if table.com is None else table.com
    inertia = None if table.inertia is None else np.array(table.inertia, float)
    if inertia is not None and inertia.ndim == 1:
        inertia = np.diag(inertia)
    if properties is not None and table.mass is None and table.inertia is None and table.com is None:
        mass = properties
    elif properties is not None:
        mass = properties.mass if table.mass is None else table.mass
        com = properties.com if table.com is None else com
        inertia = properties.inertia * (mass / properties.mass) if inertia is None else inertia
    builder.segment(
        prefix + table.name, None if table.parent == "world" else prefix + table.parent,
        build_joint(table.joint, prefix), placement=build_pose(table.placement), mass=mass, com=com, inertia=inertia,
        armature=table.armature, damping=table.damping,
        shape=None if shape is None else SegmentShape(shape, color=table.color),
    )  # fmt: skip


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
        build_surface(table.parent), build_surface(table.child), pose1=build_pose(table.parent.pose),
        pose2=build_pose(table.child.pose), sliding=table.sliding, rolling=table.rolling, spin=table.spin,
        friction=table.friction, line=table.line, release=table.release, restitution=table.restitution, names=names,
    )  # fmt: skip


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
    """Return a joint: its key names a function of `motiform.joints`, its value is what that takes first."""
    make, value = getattr(joints, table.kind), getattr(table, table.kind)
    names = None if table.names is None else [prefix + name for name in table.names]
    if isinstance(value, ContactTable):
        return _contact(value, names)
    known = signature(make).parameters
    options: dict[str, Any] = {"names": names, "limits": table.limits}
    if "name" in known:  # a joint of one coordinate
        options = {"name": names and names[0], "limits": table.limits and table.limits[0]}
    arguments: tuple[Any, ...] = () if value is True else (value,)
    if table.kind == "function":
        arguments = ([_function_axis(axis, prefix) for axis in value],)
    elif isinstance(value, Table):
        arguments = tuple(getattr(value, key) for key in type(value).model_fields)
    elif table.kind == "universal":
        arguments = value
    joint: joints.Joint = make(*arguments, **{key: given for key, given in options.items() if key in known})
    return joint


def _closure(table: ClosureTable, builder: FigureBuilder, full: Any, prefix: str) -> None:
    a, b = (full(name) for name in table.between)
    if table.contact is not None:
        builder.close_contact(prefix + table.name, a, b, _contact(table.contact, None))
        return
    length = 0.0 if table.length is None else table.length
    builder.close(prefix + table.name, a, table.at[0], b, table.at[1], table.rows, length=length, axis=table.axis)


def _read(scene: Scene, n: int, table: FigureTable, builder: FigureBuilder, prefix: str) -> None:
    """Put a figure from a file among the others; its own gravity gives way to the scene's."""
    if prefix:
        raise SceneError(
            f"{scene.place('figure', n, 'file')}: a figure from a file must be alone in its scene (got {table.file!r})"
        )
    found = placed(scene, lambda: read_figure(scene.file(table.file or "")), "figure", n, "file")
    builder.add(found, prefix)


def _begun(joint: joints.ContactJoint, start: ContactStartTable) -> np.ndarray:
    """Return the configuration in which a contact begins."""
    q = joint.configuration(
        start.parent, start.child, direction=start.direction, yaw=start.yaw, normal1=start.parent_normal,
        normal2=start.normal,
    )  # fmt: skip
    return joint.raised(q, start.gap) if isinstance(joint, joints.LeavingContact) else q


def _start(
    scene: Scene, n: int, table: FigureTable, figure: Figure, prefix: str, q: np.ndarray, v: np.ndarray,
    begin: tuple[Figure, np.ndarray] | None = None,
) -> None:  # fmt: skip
    """Write what the scene says of the start into q and v; `begin` has the posture of a figure with locked joints."""
    if begin is not None:
        for name in table.free or ():
            q[figure.places(prefix + name, "q")] = begin[1][begin[0].places(name, "q")]
        read_values(scene, figure, table.start.v, "v", v, prefix, "figure", n, "start", "v")
        return
    for k, segment in enumerate(table.segment):
        if segment.joint.contact is not None:
            joint = figure.segment(prefix + segment.name).joint
            own = segment.joint.contact.start
            assert isinstance(joint, joints.ContactJoint)
            q[figure.places(prefix + segment.name, "q")] = placed(
                scene, lambda j=joint, b=own: _begun(j, b), "figure", n, "segment", k,
            )  # fmt: skip
    read_values(scene, figure, table.start.q, "q", q, prefix, "figure", n, "start", "q")
    read_values(scene, figure, table.start.v, "v", v, prefix, "figure", n, "start", "v")
