"""Matter with figures: points push against shapes of segments and hang on them, and segments feel it.

Free bodies are figures with free joints. What is possible: shapes that segments carry, met by points of the network;
points that segments carry, or that are linked to places of segments; controls and loads of the figure; solids of the
network's own, static or moving, that its points meet. What is not: contacts of the figure with the ground or with
itself by `motiform.contact`, and limits of joints; a figure on the ground stands on joints, closures or its feet's
points. Segments do not meet the network's solids.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.hybrid.matter.engine import CoupledEngine
from motiform.motion.hybrid.matter.figure import DrivenFigure, MovedFigure, SteppedFigure, given_motion
from motiform.motion.hybrid.matter.parts import Attachment, SegmentSolid, join
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.matter.run import check_functions, check_stability, describe, record_run, steps_per_sample
from motiform.motion.run import Options
from motiform.motion.tree import Control, Figure, poses
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState
from motiform.motion.tree.model.state import check_functions as check_controls
from motiform.motion.tree.observe import channels, observe
from motiform.motion.tree.run import FigureSystem
from motiform.motion.tree.start import start
from motiform.record import Channel, Recording
from motiform.record.labels import WRENCH_UNITS

__all__ = ["Attachment", "SegmentSolid", "simulate_coupled"]

_METERS = ("momentum", "angular_momentum", "energy", "energy.kinetic", "energy.potential")


def simulate_coupled(
    network: Network,
    figure: Figure,
    options: Options,
    *,
    contacts: Sequence[SegmentSolid] = (),
    attachments: Sequence[Attachment] = (),
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    motion: Any = None,
    reaction: bool = True,
    controls: Control | None = None,
    loads: Control | None = None,
    unstable: bool = False,
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a network together with a figure and return the recording, in memory or, with `out`, on disk.

    Both take steps at the network's rate. Points push against the `contacts` that segments carry and hang on their
    `attachments`; the figure moves from q0, v0 by its dynamics under `controls`, `loads` and what matter does to it in
    the same instant, or, without `reaction`, as if matter were not there. With `motion` (a recording of the figure, or
    a function of time [s] that gives q, or q and v) it follows that instead; the function is asked from one step before
    the start on.

    Channels are those of both. Momentum and energy are of all together; those of the figure alone and of matter alone
    have "figure." and "matter." before their names, and "matter.wrench" is what matter did to each segment in the step
    that led to the sample.
    """
    steps = _check(network, figure, options, motion, (q0, v0, controls, loads))
    contacts, attachments = list(contacts), list(attachments)
    moved: MovedFigure
    if motion is None:
        begin_at = start(figure, q0, v0)
        check_controls(figure, begin_at, controls, loads)
        system = FigureSystem(figure, begin_at, controls, loads)
        moved = SteppedFigure(system, network.rate)
    else:
        moved = DrivenFigure(figure, given_motion(figure, motion), network.rate)
        system = FigureSystem(figure, moved.state())
    joined = join(network, figure, contacts, attachments, poses(figure, moved.q), poses(figure, moved.q_before))
    check_functions(joined.network)
    told = check_stability(joined.network, unstable)
    known = _channels(joined.network, figure, options.rate, controls is not None)
    named = {**(manifest or {}), "network": describe(joined.network), "stability": told}

    def begin(kept: dict[str, Any] | None) -> CoupledEngine:
        return CoupledEngine(joined, moved, reaction=reaction, device=options.device, checkpoint=kept)

    return record_run(
        begin, lambda engine: _observe(engine, system), known, options, steps, out=out, manifest=named, statics=statics,
        overwrite=overwrite, resume=resume, progress=progress,
    )  # fmt: skip


def _check(network: Network, figure: Figure, options: Options, motion: Any, given: tuple[Any, ...]) -> int:
    """Refuse what does not fit together; return the steps from one sample to the next."""
    if not isinstance(network, Network) or not isinstance(figure, Figure):
        got = f"{type(network).__name__}, {type(figure).__name__}"
        raise InputError("nothing to simulate", got=got, allowed="a Network and a Figure")
    if options.integrator != "centred":
        raise InputError("integrator of matter with a figure", got=options.integrator, allowed="'centred'")
    if motion is not None and any(one is not None for one in given):
        remedy = "Leave q0, v0, controls and loads out, or the motion."
        raise InputError("a figure whose motion is given does not move by forces", remedy=remedy)
    if motion is None and not figure.nv:
        raise InputError("a figure that cannot move", where=repr(figure), remedy="All its joints are fixed.")
    return steps_per_sample(network, options.rate)


# ---- what is recorded ------------------------------------------------------------------------------------------------


def _channels(network: Network, figure: Figure, rate: float, controlled: bool) -> list[Channel]:
    """Return the channels of both."""
    ours, theirs = channels(figure, rate, controlled), network_channels(network, rate)
    shared = {channel.name for channel in ours} & {channel.name for channel in theirs}
    twice = sorted(shared - set(_METERS))
    if twice:
        name = twice[0].rsplit(".", 1)[0]
        raise InputError("a segment and a group of points have one name", got=name, remedy="Rename the group.")
    found = [channel for channel in (*ours, *theirs) if channel.name not in _METERS]
    for channel in (c for c in ours if c.name in _METERS):
        owners = {"": "the figure and matter", "figure.": "the figure", "matter.": "matter"}
        for prefix, owner in owners.items() if channel.name in shared else [("figure.", "the figure")]:
            text = f"of {owner}: {channel.description}"
            found.append(replace(channel, name=prefix + channel.name, description=text))
    text = "of matter on every segment: moment about its origin, force, world axes"
    shape = (len(figure.segments), 6)
    dims = ("segment", "component")
    wrench = Channel("matter.wrench", dims=dims, shape=shape, rate=rate, description=text, units=WRENCH_UNITS)
    return [*found, wrench]


def _observe(engine: CoupledEngine, system: FigureSystem) -> dict[str, Array]:
    """Return what a sample holds, by channel."""
    moved, matter = engine.moved, engine.matter
    seen = _Felt(system, engine.wrenches) if engine.reaction and isinstance(moved, SteppedFigure) else system
    row, t = np.concatenate([moved.q, moved.v]), engine.sample / matter.network.rate
    ours = {key: value[0] for key, value in observe(seen, np.array([t]), row[None]).items()}
    theirs = observe_network(matter)
    found = {key: value for both in (ours, theirs) for key, value in both.items() if key not in _METERS}
    for name in _METERS:
        if name in theirs:
            found |= {name: ours[name] + theirs[name], f"matter.{name}": theirs[name]}
        found[f"figure.{name}"] = ours[name]
    return found | {"matter.wrench": engine.wrenches}


class _Felt(FigureSystem):
    """The figure with what matter does to it among its loads: contact joints show what they carry."""

    def __init__(self, system: FigureSystem, wrenches: Array) -> None:
        super().__init__(system.figure, system.state, system.controls, system.loads or _nothing)
        self._outer = (system, wrenches)

    def wrenches(self, t: float, state: FigureState) -> Array:
        system, felt = self._outer
        own = system.wrenches(t, state)
        return felt if own is None else felt + own


def _nothing(t: float, state: FigureState) -> Array:
    """Stand for loads where the figure has none of its own."""
    raise NotImplementedError
