"""Simulation of a figure: from a state to a recording."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.base.progress import Progress
from motiform.motion.run import TABLEAUX, Guard, Options, get_method, sampled_march, sampled_steps
from motiform.motion.run.sampling import Block, begin_recorder
from motiform.motion.tree.algorithms.closures import closure_forces, keep_closures
from motiform.motion.tree.algorithms.configuration import configuration_rate, repair
from motiform.motion.tree.algorithms.forward import forward_dynamics, held_contact_force, loaded_dynamics
from motiform.motion.tree.algorithms.loops import close_loops
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model import columns as c
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, FigureState, asked, check_functions, state_after
from motiform.motion.tree.observe import channels, observe
from motiform.motion.tree.start import start
from motiform.motion.tree.watch import watch_contacts
from motiform.record import Recorder, Recording

__all__ = ["FigureSystem", "simulate_figure"]


class FigureSystem:
    """A figure under controls and loads as a flat vector (q, v) with a rate."""

    def __init__(
        self,
        figure: Figure,
        state: FigureState,
        controls: Control | None = None,
        loads: Control | None = None,
    ) -> None:
        self.figure, self.state, self.controls, self.loads = figure, state, controls, loads
        self.size = figure.nq + figure.nv
        self._rest = np.zeros(figure.nv)
        single = figure.opened.single  # closures are put on what it gives
        self._fast = single is not None and loads is None
        if self._fast:
            assert single is not None
            self._single, self._rate, self._repair = single, entries.rate, entries.repair

    def initial(self) -> Array:
        """Return the state at the start as a flat vector."""
        return np.concatenate([self.state.q, self.state.v])

    def split(self, y: Array) -> FigureState:
        """Return a flat vector as a state."""
        return FigureState(y[: self.figure.nq].copy(), y[self.figure.nq :].copy())  # users' functions may write to it

    def forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of the controls, (nv,)."""
        if self.controls is None:
            return self._rest
        return asked(self.controls, t, state, (self.figure.nv,), "control")

    def wrenches(self, t: float, state: FigureState) -> Array | None:
        """Return the loads on the segments, (segments, 6), or None."""
        if self.loads is None:
            return None
        return asked(self.loads, t, state, (len(self.figure.segments), 6), "load")

    def acceleration(self, t: float, state: FigureState) -> Array:
        """Return the accelerations under controls and loads, (nv,)."""
        return forward_dynamics(self.figure, state.q, state.v, self.forces(t, state), external=self.wrenches(t, state))

    def contact_force(self, t: float, state: FigureState, name: str) -> Array:
        """Return the force on a segment at its contact, in the contact frame: tangential twice, normal [N], (3,)."""
        n = self.figure.index(name)
        if self._fast and self.figure.closures:
            return held_contact_force(self.figure, state.q, state.v, self.forces(t, state), name)
        if self._fast and self.figure.segments[n].joint.kernel:
            out, spare, single = np.empty(3), np.empty(2 * self.figure.nv), self._single
            y, tau = np.concatenate([state.q, state.v]), self.forces(t, state)
            status = entries.contact_force(single.ints, single.floats, single.work, y, tau, n, spare, out)
            if status:
                self._tell(int(status), t)
            return out
        loads = self.wrenches(t, state)
        a, loads = loaded_dynamics(self.figure, state.q, state.v, self.forces(t, state), loads)
        return contact_wrench(self.figure, state.q, state.v, a, name, external=loads)[3:]

    def closure_force(self, t: float, state: FigureState, name: str) -> Array:
        """Return the force of a contact closure, in its contact frame: tangential twice, normal [N], (3,)."""
        closure = next(closure for closure in self.figure.closures if closure.name == name)
        tau, loads = self.forces(t, state), self.wrenches(t, state)
        found = closure_forces(self.figure, state.q, state.v, tau, loads)[name]
        kept = dict(zip(closure.rows, found, strict=True))
        return np.array([kept.get(row, 0.0) for row in ("vx", "vy", "vz")])

    def rate(self, t: float, y: Array, out: Array) -> None:
        """Write the rate of the state."""
        if self._fast:
            single = self._single
            tau = self._rest if self.controls is None else self.forces(t, self.split(y))
            status = self._rate(single.ints, single.floats, single.work, np.ascontiguousarray(y), tau, out)
            if status:
                self._tell(int(status), t)
            if self.figure.closures and np.isfinite(out).all():
                nq = self.figure.nq
                out[nq:] = keep_closures(self.figure, y[:nq], y[nq:], out[nq:]).acceleration
            return
        if not np.isfinite(y).all():
            raise RunError("the state is no longer finite", where=f"t = {t:.9g} s", remedy="Take a smaller step.")
        state = self.split(y)
        out[: self.figure.nq] = configuration_rate(self.figure, state.q, state.v)
        out[self.figure.nq :] = self.acceleration(t, state)

    def _tell(self, status: int, t: float) -> None:
        name = self.figure.segments[status // c.WHERE].name
        what = (
            "no inertia against the joint's motion"
            if status % c.WHERE == c.SINGULAR
            else "the surfaces in contact come to fit one another: it is no longer one point"
        )
        raise RunError(what, where=f"joint of segment {name!r}, t = {t:.9g} s")

    def repair(self, y: Array) -> None:
        """Bring quaternions, contacts and closures back to where they belong."""
        nq = self.figure.nq
        if self._fast:
            self._repair(self._single.ints, self._single.floats, y[:nq])
        elif np.isfinite(y).all():
            y[:nq] = repair(self.figure, y[:nq])
        if self.figure.closures and np.isfinite(y).all():
            y[:nq], y[nq:] = close_loops(self.figure, y[:nq], y[nq:])


def simulate_figure(
    figure: Figure,
    options: Options,
    *,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    controls: Control | None = None,
    loads: Control | None = None,
    guards: Sequence[Guard] = (),
    watch: bool = True,
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a figure and return the recording, in memory or, with `out`, on disk.

    Functions of guards take and give a `FigureState`. With `watch`, a contact joint whose surfaces would have to pull,
    or whose friction would have to be more than its coefficient allows, ends the run with an event.
    """
    method = get_method(options.integrator)
    if not figure.nv:
        raise InputError(
            "a figure that cannot move", where=f"figure {figure.name!r}", remedy="All its joints are fixed."
        )
    if options.integrator not in TABLEAUX:
        raise InputError(
            "integrator of a figure", got=options.integrator, allowed=", ".join(TABLEAUX), remedy="Take dormand-prince."
        )
    if options.device != "cpu":
        raise InputError("figures are simulated on the CPU", got=options.device, remedy="Take device='cpu'.")
    begin = start(figure, q0, v0)
    check_functions(figure, begin, controls, loads, guards)
    system = FigureSystem(figure, begin, controls, loads)
    guards = [*guards, *(watch_contacts(system) if watch else ())]
    if guards and options.integrator != "dormand-prince":
        names = ", ".join(guard.name for guard in guards)
        raise InputError(
            "guards need dense output",
            got=f"{options.integrator} with {names}",
            allowed="'dormand-prince'",
            remedy="Contacts are watched for lift-off; watch=False leaves that out.",
        )
    flat = [_on_vector(guard, system) for guard in guards]
    recorder = begin_recorder(
        out, channels(figure, options.rate, controls is not None), options.samples, manifest=manifest, statics=statics,
        overwrite=overwrite, resume=resume,
    )  # fmt: skip
    checkpoint = recorder.checkpoint
    if method.adaptive:
        blocks = sampled_march(system, options, flat, checkpoint)
    else:
        blocks = sampled_steps(system, options, checkpoint)
    with recorder:
        if checkpoint is None:
            first = system.initial()
            _keep(recorder, system, options, Block(first[None], {"sample": 0, "rows": first}))
        for block in blocks:
            _keep(recorder, system, options, block)
            if progress is not None:
                progress(min(1.0, block.checkpoint["sample"] / (options.samples - 1)))
            if block.error is not None:
                raise block.error
        return recorder.finish()


def _keep(recorder: Recorder, system: FigureSystem, options: Options, block: Block) -> None:
    """Write the samples and events of a block."""
    if len(block.rows):
        last = int(block.checkpoint["sample"])
        times = np.arange(last - len(block.rows) + 1, last + 1) / options.rate
        recorder.append(observe(system, times, block.rows))
    for t, name in block.events:
        recorder.event(t, name)
    recorder.commit(block.checkpoint, force=block.error is not None)


def _on_vector(guard: Guard, system: FigureSystem) -> Guard:
    """Return a guard as a function of the flat vector."""

    def then(t: float, y: Array) -> Array:
        after = state_after(guard, t, system.split(y))
        return np.concatenate([after.q, after.v])

    return replace(guard, zero=lambda t, y: guard.zero(t, system.split(y)), then=None if guard.then is None else then)
