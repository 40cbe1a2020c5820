"""Actuators of the figures of a scene, from its tables: motors, stimulated and Hill-type muscles."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.paths import WrapCylinder, WrapSphere
from motiform.motion.actuation import (
    HAMSTRINGS,
    QUADRICEPS,
    ArmSupport,
    BalanceDrives,
    BalanceLaw,
    HillMuscles,
    JoinedGeometry,
    KneeGeometry,
    KneeSwing,
    Motor,
    Motors,
    PulseTrain,
    SampledLaw,
    ServoLaw,
    StimulatedMuscles,
    StretchReflex,
    WalkingMotors,
    bip_motors,
    bip_step,
    muscles,
    pulse_intensity,
    read_traj3,
    with_rotors,
)
from motiform.motion.actuation.control import Posture, plain_places
from motiform.motion.actuation.muscles.curves.register import MODELS
from motiform.motion.contact import Contacts, contact_gaps
from motiform.motion.tree import Actuator, Figure
from motiform.scene.build.common import build_pose, placed
from motiform.scene.build.member import Member, full_names
from motiform.scene.read.load import Scene
from motiform.scene.tables.actuation import (
    MotorsTable,
    MuscleTable,
    StimulationTable,
    SupportTable,
    TrainTable,
    WrapTable,
)
from motiform.scene.tables.figure import FigureTable

__all__ = ["build_balance", "build_motors", "build_muscles", "build_servos", "build_step", "build_support"]


# -------------------------------------------------------------------- motors
def build_motors(scene: Scene, figure: Figure, members: Sequence[Member]) -> tuple[Figure, dict[int, list[Motor]]]:
    """Return the figure with the rotors of all motors, and the motors by the number of their figure."""
    found: dict[int, list[Motor]] = {}
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        if table.motors is not None:
            own = placed(scene, lambda f=figure, t=table.motors, m=member: _motors(f, t, m), "figure", n, "motors")
            figure = placed(scene, lambda f=figure, o=own: with_rotors(f, o), "figure", n, "motors")
            found[n] = own
        if table.step is not None:
            figure = with_rotors(figure, bip_motors(figure))
    return figure, found


def _motors(figure: Figure, table: MotorsTable, member: Member) -> list[Motor]:
    driven = [figure.coordinates[k] for k in plain_places(figure, member.segments)[1]]
    names = driven if table.coordinates is None else [member.prefix + name for name in table.coordinates]
    keys = ("constant", "resistance", "gear", "inductance", "rotor_inertia", "viscous", "friction", "voltage")
    numbers = {key: getattr(table, key) for key in keys}
    return [Motor(name, **numbers) for name in names]


def build_servos(
    figure: Figure, table: MotorsTable, motors: Sequence[Motor], posture: Posture, member: Member
) -> Motors:
    """Return motors with servos toward a posture."""
    names = [motor.coordinate for motor in motors]
    law = ServoLaw(figure, names, posture, table.gain, table.damping)
    return Motors(figure, motors, SampledLaw(law, table.period, table.delay), name=f"{member.prefix}motors")


def build_step(scene: Scene, figure: Figure, contacts: Contacts | None) -> tuple[np.ndarray, WalkingMotors] | None:
    """Return the posture at the start and the motors of a robot that takes a step, or None."""
    walks = [n for n, table in enumerate(scene.document.figure) if table.step is not None]
    if not walks:
        return None
    table = scene.document.figure[walks[0]].step
    assert table is not None

    def make() -> tuple[np.ndarray, WalkingMotors]:
        if len(scene.document.figure) + len(scene.document.body) > 1 or contacts is None:
            raise InputError("a stepping robot must be alone in its scene, and have contacts")
        given = table.model_dump()
        if table.trajectory is not None:
            given["trajectory"] = read_traj3(scene.file(table.trajectory))
        found = bip_step(robot=figure, contacts=contacts, **given)
        return found.q0, found.controls

    return placed(scene, make, "figure", walks[0], "step")


def build_balance(scene: Scene, figure: Figure, start: np.ndarray, contacts: Contacts | None) -> list[Actuator]:
    """Return the drives of a figure that keeps its balance, or nothing."""
    stands = [n for n, table in enumerate(scene.document.figure) if table.balance is not None]
    if not stands:
        return []
    table = scene.document.figure[stands[0]].balance
    assert table is not None

    def make() -> list[Actuator]:
        if len(scene.document.figure) + len(scene.document.body) > 1 or contacts is None:
            raise InputError("a balancing figure must be alone in its scene, and have contacts")
        driven = [figure.coordinates[k] for k in plain_places(figure)[1]]
        gaps = contact_gaps(figure, contacts, start)
        soles = [p.name for p, gap in zip(contacts.points, gaps, strict=True) if gap < 1e-4]  # [m]
        numbers = table.model_dump(exclude={"limit", "period", "delay"})
        law = BalanceLaw(figure, driven, soles, start, **numbers)
        own = {"limit": table.limit, "period": table.period, "delay": table.delay}
        return [BalanceDrives(figure, law=law, name="balance", **own)]

    return placed(scene, make, "figure", stands[0], "balance")


def build_support(figure: Figure, table: SupportTable, posture: Posture, member: Member) -> ArmSupport:
    """Return the force that helps a figure up along its posture."""
    numbers = table.model_dump(exclude={"segment"})
    return ArmSupport(figure, member.prefix + table.segment, posture, **numbers, name=f"{member.prefix}support")


# -------------------------------------------------------------------- muscles
def build_muscles(
    scene: Scene, figure: Figure, members: Sequence[Member], postures: Mapping[int, np.ndarray]
) -> list[Actuator]:
    """Return the muscles of the figures of a scene; postures are those of their reflexes, by the figure's number."""
    found: list[Actuator] = []
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        if table.stimulation is not None:
            own = table.stimulation
            found.append(placed(scene, lambda t=own, m=member: _stimulated(figure, t, m), "figure", n, "stimulation"))
        if table.muscle:
            q = postures.get(n)
            found.append(placed(scene, lambda t=table, m=member, q=q: _hill(figure, t, m, q), "figure", n, "muscle", 0))
    return found


def _stimulated(figure: Figure, table: StimulationTable, member: Member) -> StimulatedMuscles:
    """Return the muscles of a knee, or of both: right first."""
    sign, sizes = -1.0 if table.extension else 1.0, (table.radius, table.above, table.quadriceps, table.hamstrings)
    sides = full_names(figure, member.prefix, table.coordinate, "v")
    knees = [KneeGeometry(figure, name, sign, *sizes) for name in sides]
    pulses: dict[float, list[float]] = {}
    for train in table.train:
        for k in range(train.pulses):
            place = ("quadriceps", "hamstrings").index(train.muscle)
            pulses.setdefault(train.start + k * train.period, [0.0, 0.0])[place] = _intensity(train, table)
    times = sorted(pulses)
    command: PulseTrain | SampledLaw
    command = PulseTrain(times, np.array([pulses[t] * len(knees) for t in times]).reshape(-1, 2 * len(knees)))
    if table.swing is not None:
        if len(knees) > 1:
            raise InputError(
                "a swing is that of one knee", got=table.coordinate, remedy="Name the coordinate of a side."
            )
        law = KneeSwing(knees[0], **table.swing.model_dump())
        command = SampledLaw(law, law.look, memory=[0.0], variable_period=True)
    name, own = f"{member.prefix}stimulation", [one.scaled(table.strength) for one in (QUADRICEPS, HAMSTRINGS)]
    if len(knees) == 1:
        return StimulatedMuscles(knees[0], own, command, delay=table.delay, name=name)
    both = [replace(one, name=f"{side}_{one.name}") for side in ("right", "left") for one in own]
    return StimulatedMuscles(JoinedGeometry(knees), both, command, delay=table.delay, name=name)


def _intensity(train: TrainTable, table: StimulationTable) -> float:
    """Return the intensity of the pulses of a train."""
    if train.width is None or train.current is None:
        return train.intensity
    most = {"max_width": table.max_width, "max_current": table.max_current}
    return float(pulse_intensity(train.width, train.current, **most))


def _hill(figure: Figure, table: FigureTable, member: Member, posture: np.ndarray | None) -> HillMuscles:
    def full(name: str) -> str | None:
        return None if name == "world" else member.prefix + name

    members = tuple(_muscle(one, member.prefix, full) for one in table.muscle)
    objects = tuple(_wrap(one, member.prefix, full) for one in table.wrap)
    name = f"{member.prefix}muscles"
    start = [one.activation for one in table.muscle]
    own = muscles.Muscles(figure, members, objects)
    if own.paths.buried:
        remedy = "Move the point, make the surface smaller, or take it out of wraps."
        raise InputError("points of a path must be outside of what it wraps", got=own.paths.buried[0], remedy=remedy)
    excitation, reflex = _excitations(table.muscle), table.reflex
    if reflex is None or posture is None:
        return HillMuscles(own, excitation, activation=start, name=name)
    law = StretchReflex(own, excitation, posture, reflex.gain, reflex.damping, reflex.start)
    return HillMuscles(own, SampledLaw(law, reflex.period, reflex.delay), activation=start, name=name)


def _muscle(table: MuscleTable, prefix: str, full: Any) -> muscles.Muscle:
    points = tuple(muscles.PathPoint(full(point.segment), point.at) for point in table.points)
    path = muscles.MusclePath(
        prefix + table.name, points, tuple(muscles.PathWrap(prefix + name) for name in table.wraps)
    )
    return muscles.Muscle(
        path, table.max_force, table.fibre_length, table.slack_length, table.pennation, table.max_speed,
        MODELS[table.curves](), table.rigid_tendon,
    )  # fmt: skip


def _wrap(table: WrapTable, prefix: str, full: Any) -> muscles.WrapObject:
    surface: WrapSphere | WrapCylinder
    if table.sphere is not None:
        surface = WrapSphere(table.side, table.sphere)
    else:
        surface = WrapCylinder(table.side, table.cylinder or 0.0, table.length)
    return muscles.WrapObject(prefix + table.name, full(table.segment), surface, build_pose(table.pose))


def _excitations(muscles: Sequence[MuscleTable]) -> PulseTrain:
    """Return the excitations of all muscles at all instants at which one of them changes."""
    times = sorted({t for one in muscles if one.excitation is not None for t in one.excitation.times})
    values = np.zeros((len(times), len(muscles)))
    for k, one in enumerate(muscles):
        if one.excitation is not None:
            at = np.searchsorted(one.excitation.times, times, side="right") - 1
            values[:, k] = np.where(at >= 0, np.array(one.excitation.values)[np.maximum(at, 0)], 0.0)
    if not times:
        raise InputError("muscles must be excited", where="muscle", remedy="Give excitation = { times, values }.")
    return PulseTrain(times, values)
