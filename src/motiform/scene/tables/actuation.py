"""Scene tables of actuators: motors, stimulated muscles, Hill-type muscles."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from motiform.motion.actuation.muscles.curves.register import MODELS
from motiform.motion.actuation.stimulation.muscle import MAX_CURRENT, MAX_WIDTH
from motiform.scene.tables.common import (
    Above0,
    Ampere,
    AtLeast0,
    Length,
    Metre,
    Name,
    Number,
    Point,
    PoseTable,
    Second,
    Table,
)
from motiform.scene.tables.drive import Value

__all__ = [
    "BalanceTable", "ExcitationTable", "KneeSwingTable", "MotorsTable", "MuscleTable", "ReflexTable", "StepTable",
    "StimulationTable", "SupportTable", "TrainTable", "WrapTable",
]  # fmt: skip

Positive = Annotated[Number, Above0]
NotNegative = Annotated[Number, AtLeast0]
Share = Annotated[float, Field(ge=0, le=1)]


class MotorsTable(Table):
    """`[figure.motors]`: alike electric motors; `[figure.posture]` is the target of their servos."""

    coordinates: list[str] | None = Field(None, description="that they drive; all joints if not given")
    constant: Positive = Field(description="torque constant of the shaft [N m/A]")
    resistance: Positive = Field(description="[ohm]")
    gear: Positive = 1.0
    inductance: NotNegative = Field(0.0, description="[H]")
    rotor_inertia: NotNegative = Field(0.0, description="of the shaft [kg m²]")
    viscous: NotNegative = Field(0.0, description="friction of the joint [N m s/rad]")
    friction: NotNegative = Field(0.0, description="dry friction of the joint [N m]")
    voltage: Positive = Field(description="largest [V]")
    gain: Positive = Field(description="of the servos [V/rad]")
    damping: NotNegative = Field(0.0, description="of the servos [V s/rad]")
    period: Annotated[Second, Above0] = Field(0.01, description="from one call of the servos to the next")
    delay: Annotated[Second, AtLeast0] = Field(0.0, description="until a voltage takes hold")


class StepTable(Table):
    """`[figure.step]`: the robot Bip takes one step by its task function, with motors, sensors and an observer."""

    length: Length = Field(0.15, description="of the step")
    lift: Length = Field(0.05, description="of the foot")
    lower: Length = Field(0.05, description="of the pelvis below its height with straight legs")
    times: list[Annotated[Second, AtLeast0]] = Field([0.2, 1.4, 2.6, 3.8], min_length=4, max_length=4)
    period: Annotated[Second, Above0] = Field(0.005, description="from one call of the control to the next")
    delay: Annotated[Second, AtLeast0] = Field(0.001, description="until a voltage takes hold")
    layout: Literal["turns", "humans"] = Field("turns", description="of the task function")
    trajectory: str | None = Field(
        None, description="a .traj3 file of the task function, in place of a step of its own"
    )
    frequency: Positive = Field(1.5, description="of the control [Hz]")
    cutoff: Positive = Field(5.0, description="of the low-pass filter of velocities [Hz]")
    noise: NotNegative = Field(2e-5, description="of joint positions [rad]")
    force_noise: NotNegative = Field(1.0, description="of forces under the feet [N, N m]")
    seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _one_way(self) -> "StepTable":
        given = [name for name in ("length", "lift", "lower", "times") if name in self.model_fields_set]
        if self.trajectory is not None and given:
            raise ValueError(f"a trajectory has its own {given[0]}: leave it out")
        return self


class BalanceTable(Table):
    """`[figure.balance]`: torque drives of all joints that keep a figure standing on its feet in its posture."""

    frequency: Positive = Field(0.6, description="of the way back of the centre of mass [Hz]")
    posture_frequency: Positive = Field(1.0, description="of trunk and posture [Hz]")
    friction: Positive = Field(0.5, description="of the soles that it counts on")
    weights: tuple[Positive, Positive, Positive] = Field(
        (10.0, 1.0, 0.5), description="of the centre of mass, the turn of the trunk, each coordinate"
    )
    limit: Positive = Field(400.0, description="largest effort of a joint [N m]")
    period: Annotated[Second, Above0] = Field(0.005, description="from one call of the control to the next")
    delay: Annotated[Second, AtLeast0] = Field(0.0, description="until efforts take hold")


class SupportTable(Table):
    """`[figure.support]`: a force that pushes a point up toward its place in the posture, and holds it there."""

    segment: str
    at: Point = (0.0, 0.0, 0.0)
    limit: NotNegative = Field(description="largest force upward [N]")
    hold: NotNegative = Field(0.0, description="largest force along an axis of the ground [N]")
    spring: NotNegative = Field(20000.0, description="[N/m]")
    damper: NotNegative = Field(1500.0, description="[N s/m]")
    period: Annotated[Second, Above0] = Field(0.01, description="from one force to the next")


class TrainTable(Table):
    """`[[figure.stimulation.train]]`: pulses for one muscle."""

    muscle: Literal["quadriceps", "hamstrings"]
    start: Annotated[Second, AtLeast0] = 0.0
    period: Annotated[Second, Above0] = 0.03
    pulses: Annotated[int, Field(ge=1, le=100000)] = 1
    intensity: Share = Field(1.0, description="charge over the greatest, 0 to 1")
    width: Annotated[Second, AtLeast0] | None = Field(None, description="of a pulse, with its current: its charge")
    current: Annotated[Ampere, AtLeast0] | None = Field(None, description="of a pulse")

    @model_validator(mode="after")
    def _one_way(self) -> "TrainTable":
        if (self.width is None) != (self.current is None):
            raise ValueError("a pulse has a width and a current: give both")
        if self.width is not None and "intensity" in self.model_fields_set:
            raise ValueError("give the intensity of pulses, or their width and current")
        return self


class KneeSwingTable(Table):
    """`[figure.stimulation.swing]`: pulses to the muscle that pulls the way the knee goes."""

    quadriceps: Share = Field(1.0, description="intensity of their pulses, 0 to 1")
    hamstrings: Share = Field(1.0, description="intensity of their pulses, 0 to 1")
    period: Annotated[Second, Above0] = Field(0.025, description="from pulse to pulse")
    look: Annotated[Second, Above0] = Field(0.01, description="from call to call of the law without pulses")
    slow: Positive = Field(0.05, description="up to which the knee stands [rad/s]")


class StimulationTable(Table):
    """`[figure.stimulation]`: stimulated quadriceps and hamstrings at a knee, or both."""

    coordinate: str = Field(description="of the knee; without a side: of both")
    extension: bool = Field(False, description="whether the coordinate grows with extension instead of flexion")
    radius: Length = 0.04
    above: Length = Field(0.42, description="from the knee up to where both come from")
    quadriceps: Length = Field(0.07, description="from the knee down to its end")
    hamstrings: Length = Field(0.05, description="from the knee down to their end")
    strength: Positive = Field(1.0, description="muscles side by side: a factor on forces and stiffnesses")
    delay: Annotated[Second, AtLeast0] = Field(0.05, description="from a pulse to calcium")
    max_width: Annotated[Second, Above0] = Field(MAX_WIDTH, description="of a pulse that recruits all fibres")
    max_current: Annotated[Ampere, Above0] = Field(MAX_CURRENT, description="of that pulse")
    train: list[TrainTable] = Field(default_factory=list)
    swing: KneeSwingTable | None = None

    @model_validator(mode="after")
    def _one_command(self) -> "StimulationTable":
        if self.swing is not None and self.train:
            raise ValueError("pulses must come from trains or from a swing, not from both")
        return self


class WrapTable(Table):
    """`[[figure.wrap]]`: a surface that muscles wrap."""

    name: Name
    segment: str = "world"
    sphere: Length | None = Field(None, description="radius")
    cylinder: Length | None = Field(None, description="radius, about z")
    length: Length = Field(1.0, description="of a cylinder")
    side: Literal["all", "+x", "-x", "+y", "-y", "+z", "-z"] = Field("all", description="on which the line passes")
    pose: PoseTable = PoseTable()

    @model_validator(mode="after")
    def _one(self) -> "WrapTable":
        if (self.sphere is None) == (self.cylinder is None):
            raise ValueError("give sphere or cylinder")
        return self


class MusclePointTable(Table):
    """A point of a muscle's path."""

    segment: str
    at: Point


class ExcitationTable(Table):
    """Excitations at instants, each held until the next."""

    times: list[Annotated[Second, AtLeast0]]
    values: list[Share]

    @model_validator(mode="after")
    def _alike(self) -> "ExcitationTable":
        if len(self.times) != len(self.values) or any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("give increasing times, and a value for each")
        return self


class MuscleTable(Table):
    """`[[figure.muscle]]`: a Hill-type muscle over points and surfaces."""

    name: Name
    points: list[MusclePointTable] = Field(min_length=2)
    wraps: list[str] = Field(default_factory=list, description="names of surfaces that it wraps")
    max_force: Positive = Field(description="[N]")
    fibre_length: Length
    slack_length: Annotated[Metre, AtLeast0]
    pennation: NotNegative = Field(0.0, description="[rad]")
    max_speed: Positive = Field(10.0, description="fibre lengths per second")
    curves: Literal[tuple(MODELS)] = "degroote"  # type: ignore[valid-type]
    rigid_tendon: bool = False
    activation: Share = Field(0.02, description="at the start")
    excitation: ExcitationTable | None = None


class ReflexTable(Table):
    """`[figure.reflex]`: muscles that are longer than in a posture are excited more."""

    q: dict[str, Value] = Field(default_factory=dict, description="the posture; coordinates not named: as at the start")
    start: Annotated[Second, AtLeast0] = Field(0.0, description="from which on it acts")
    gain: NotNegative = Field(description="excitation for a stretch of one optimal fibre length")
    damping: NotNegative = Field(0.0, description="excitation for a stretch of one optimal fibre length a second [s]")
    period: Annotated[Second, Above0] = Field(0.005, description="from one call of the reflex to the next")
    delay: Annotated[Second, AtLeast0] = Field(0.0, description="until excitations take hold")
