"""The free bones of a wrist in time, as a system that the run loop advances."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.base.progress import Progress
from motiform.motion.bones.dynamics import (
    BoneForces,
    BonesState,
    FreeBodies,
    Loads,
    Method,
    step_adaptively,
    step_implicitly,
)
from motiform.motion.bones.ligaments import Ligament
from motiform.motion.bones.observe import observe_rest, rest_channels, rest_labels, rest_recording
from motiform.motion.bones.pack import PackedBones
from motiform.motion.bones.settle import FAR, EquilibriumPath
from motiform.motion.run import Checkpoint, Run, System, record
from motiform.motion.run.headway import Headway
from motiform.record import Channel, Recording, open_recording
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["BonesSystem", "record_bones"]

_MANY, _TOO_MANY = 2e4, 1e7  # steps that take a minute, and that no run sees the end of: one is of milliseconds
_POSES = "body.pose"  # rotation by rows and translation of each body: what the maps of pressure are made of

_Seen = tuple[Array, ...]
"""At a sample: poses, sums, fibres, nodes and energy as in `EquilibriumPath`, and velocities (ω, v) of free bodies."""


class BonesSystem(System):
    """Free bones from rest in the neutral pose, or with `velocity` (bodies, 6), while the driven body is led.

    `goal` gives the pose of the driven body about `packed.shift` at any time; samples are kept at `instants` [s].
    """

    device = "cpu"
    gravity = (0.0, 0.0, 0.0)
    facts: Mapping[str, Any] = {}

    def __init__(
        self, packed: PackedBones, masses: FreeBodies, goal: Callable[[float], Transform], instants: Array,
        loads: Loads, method: Method, *, step: float, tolerance: float, ligaments: Sequence[Ligament] = (),
        velocity: Array | None = None,
    ) -> None:  # fmt: skip
        if method == "semi-implicit" and instants[-1] - instants[0] > _TOO_MANY * step:
            got = f"{instants[-1] - instants[0]:.3g} s in steps of {step:.3g} s"
            raise InputError("there are too many steps", where="simulate", got=got, allowed=f"{_TOO_MANY:.0g} at most")
        self.packed, self.masses, self.goal, self.instants, self.loads = packed, masses, goal, instants, loads
        self.method, self.step, self.tolerance, self.ligaments = method, step, tolerance, ligaments
        self.labels = rest_labels(packed, ligaments)
        self.velocity = np.zeros((packed.free, 6)) if velocity is None else np.asarray(velocity, float)

    @property
    def samples(self) -> int:  # noqa: D102
        return len(self.instants)

    def times(self, first: int, end: int) -> Array:  # noqa: D102
        return self.instants[first:end]

    def channels(self) -> list[Channel]:  # noqa: D102
        return rest_channels(self.observe(self.instants[:1], BonesRun(self, None).start()))

    def begin(self, checkpoint: Checkpoint | None) -> "BonesRun":  # noqa: D102
        return BonesRun(self, checkpoint)

    def observe(self, times: Array, states: Sequence[_Seen]) -> dict[str, Array]:  # noqa: D102
        poses, sums, fibres, nodes, energy, velocity = (np.stack(part) for part in zip(*states, strict=True))
        rest = EquilibriumPath(poses, sums, fibres, nodes, energy, np.zeros(len(states)))
        found = observe_rest(self.packed, rest, self.ligaments)
        return found | self.masses.measure(self.packed, rest.poses, velocity) | {_POSES: rest.poses}


class BonesRun(Run):
    """Free bones on their way, from sample to sample."""

    def __init__(self, system: BonesSystem, checkpoint: Checkpoint | None) -> None:
        super().__init__(system.samples - 1)
        self.system, packed = system, system.packed
        self.forces = BoneForces(packed, system.masses, system.loads, system.goal)
        self.size = sum(part.size for part in (self.forces.poses, *self.forces.space[4:]))
        remedy = "Take the method 'semi-implicit', or a larger tolerance."
        self._headway = Headway(system.instants[-1], _MANY, _TOO_MANY, 100, remedy)
        self._length = system.step
        if checkpoint is None:
            center, v = packed.middles[self.forces.free].copy(), system.velocity
            self.state = BonesState(center, np.tile(np.eye(3), (len(center), 1, 1)), v[:, 3:], v[:, :3])
        else:
            self.sample, self._length = int(checkpoint["sample"]), float(checkpoint["step"])
            self.state = BonesState(*(np.array(checkpoint[key], float) for key in ("center", "R", "v", "w")))

    def start(self) -> list[_Seen]:
        return [self._seen()]

    def advance(self, samples: int) -> list[_Seen]:
        system, (t, end) = self.system, self.system.instants[self.sample : self.sample + 2]
        if system.method == "cash-karp":
            self.state, self._length = step_adaptively(
                self.forces, self.state, t, end, self._length, system.tolerance, self._headway
            )
        else:
            self.state = step_implicitly(self.forces, self.state, t, end, system.step)
        self.sample += 1
        return [self._seen()]

    def checkpoint(self) -> Checkpoint:
        return {"sample": self.sample, "step": self._length, **vars(self.state)}

    def _seen(self) -> _Seen:
        forces, state, t = self.forces, self.state, self.system.instants[self.sample]
        forces.place(t, state.center, state.R)
        energy = forces.energy(FAR)
        state.check(t, energy)
        space = forces.space
        twist = np.concatenate([state.w, state.v], axis=1)
        return (*(part.copy() for part in (forces.poses, space[4], space[7], space[5])), np.array(energy), twist)


def record_bones(
    system: BonesSystem, surfaces: Mapping[str, Array], manifest: dict[str, Any], *, out: str | Path | None,
    overwrite: bool, resume: bool, progress: Progress | None,
) -> Recording:  # fmt: skip
    """Run a wrist and return its recording, with the maps of pressure on the points that were pressed at any sample."""
    resume = resume and (out is None or Path(out).exists())
    run = open_recording(out) if resume and out is not None else None
    if run is not None and run.manifest.get("key") != manifest["key"]:
        remedy = "Give what it was begun with, or another out=."
        raise RecordingError("it holds another run and cannot be resumed by this one", where=str(out), remedy=remedy)
    if run is None or not run.complete:
        described = {**manifest, "labels": system.labels}
        run = record(system, out=out, manifest=described, overwrite=overwrite, resume=resume, progress=progress)
    elif _POSES not in run:
        return run
    arrays = {name: np.array(run[name]) for name in run.names}
    found = rest_recording(
        system.packed, system.ligaments, surfaces, arrays, arrays.pop(_POSES), system.instants, manifest
    )
    return found if out is None else found.save(out, overwrite=True)
