"""Matter coupled with figures: contact of points with segments, attached points, and their reaction forces.

Free bodies are figures with free joints. What is possible: shapes that segments carry, met by points of the network;
points that segments carry, or that are linked to places of segments; controls and loads of the figure; solids of the
network's own, static or moving, that its points meet. What is not: contacts of the figure with the ground or with
itself by `motiform.contact`, and limits of joints; a figure on the ground stands on joints, closures or its feet's
points. Segments do not meet the network's solids.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.hybrid.matter.engine import CoupledEngine
from motiform.motion.hybrid.matter.figure import DrivenFigure, MovedFigure, SteppedFigure, given_motion
from motiform.motion.hybrid.matter.parts import FigureInMatter, join
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.matter.system import (
    Samples,
    check_functions,
    check_stability,
    describe,
    film_rate,
    sampled_engine,
    stack,
    steps_per_sample,
)
from motiform.motion.run import Block, Checkpoint, Kind, Options, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.tree import Control, Figure, poses
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState
from motiform.motion.tree.model.state import check_functions as check_controls
from motiform.motion.tree.observe import channels, figure_labels, observe
from motiform.motion.tree.start import start
from motiform.record import Channel, Recording
from motiform.record.labels import WRENCH_UNITS

__all__ = ["KIND", "CoupledSystem"]

_METERS = ("momentum", "angular_momentum", "energy", "energy.kinetic", "energy.potential")


class CoupledSystem(System):
    """A network together with a figure; both take steps at the network's frequency.

    The figure moves from q0, v0 by its dynamics under `controls`, `loads` and the forces of matter in the same instant,
    or, where the model has no `reaction`, without them. With `motion` (a recording of the figure, or a function of
    time [s] that gives q, or q and v) it follows that instead; the function is called from one step before the start.

    Channels are those of both. Momentum and energy are of all together; those of the figure alone and of matter alone
    have "figure." and "matter." before their names, and "matter.wrench" is the wrench of matter on each segment in the
    step that led to the sample.
    """

    def __init__(
        self,
        model: FigureInMatter,
        options: Options,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        controls: Control | None = None,
        loads: Control | None = None,
        motion: Recording | Callable[[float], ArrayLike] | None = None,
        unstable: bool = False,
    ) -> None:
        check_integrator(options, "network", "matter with a figure")
        network, figure = model.network, model.figure
        self.steps = steps_per_sample(network, options.rate)
        self.moved: MovedFigure
        if motion is None:
            if not figure.nv:
                raise InputError(
                    "a figure must be able to move", where=repr(figure), remedy="All its joints are fixed."
                )
            begin_at = start(figure, q0, v0)
            check_controls(figure, begin_at, controls, loads)
            self.equations = FigureEquations(figure, begin_at, controls, loads)
            self.moved = SteppedFigure(self.equations, network.frequency)
        else:
            if any(one is not None for one in (q0, v0, controls, loads)):
                remedy = "Leave q0, v0, controls and loads out, or the motion."
                raise InputError("a figure must not have both a motion and forces", remedy=remedy)
            self.moved = DrivenFigure(figure, given_motion(figure, motion), network.frequency)
            self.equations = FigureEquations(figure, self.moved.state())
        frames = poses(figure, self.moved.q), poses(figure, self.moved.q_before)
        self.joined = join(network, figure, model.contacts, model.attachments, *frames)
        check_functions(self.joined.network)
        self.model, self.options = model, options
        self.gravity, self.vertical = figure.gravity, figure.vertical
        self.labels = figure_labels(figure) | {"segment": list(figure.names)}
        told = check_stability(self.joined.network, unstable)
        self.facts = {"network": describe(self.joined.network), "stability": told}

    def channels(self) -> list[Channel]:  # noqa: D102
        controlled = self.equations.controls is not None
        return _channels(self.joined.network, self.model.figure, self.options.rate, controlled)

    def blocks(self, checkpoint: Checkpoint | None) -> Iterator[Block]:  # noqa: D102
        engine = CoupledEngine(
            self.joined,
            self.moved,
            reaction=self.model.reaction,
            device=self.options.device,
            checkpoint=checkpoint,
        )
        return sampled_engine(engine, self._look, self.options, self.steps, fresh=checkpoint is None)

    def observe(self, times: np.ndarray, states: Samples) -> dict[str, np.ndarray]:  # noqa: D102
        return stack(states)

    def _look(self, engine: CoupledEngine) -> dict[str, Array]:
        return _observe(engine, self.equations)


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


def _observe(engine: CoupledEngine, equations: FigureEquations) -> dict[str, Array]:
    """Return what a sample holds, by channel."""
    moved, matter = engine.moved, engine.matter
    seen = _Felt(equations, engine.wrenches) if engine.reaction and isinstance(moved, SteppedFigure) else equations
    row, t = np.concatenate([moved.q, moved.v]), engine.sample / matter.network.frequency
    ours = {key: value[0] for key, value in observe(seen, np.array([t]), row[None]).items()}
    theirs = observe_network(matter)
    found = {key: value for both in (ours, theirs) for key, value in both.items() if key not in _METERS}
    for name in _METERS:
        if name in theirs:
            found |= {name: ours[name] + theirs[name], f"matter.{name}": theirs[name]}
        found[f"figure.{name}"] = ours[name]
    return found | {"matter.wrench": engine.wrenches}


class _Felt(FigureEquations):
    """The figure with what matter does to it among its loads: contact joints show what they carry."""

    def __init__(self, system: FigureEquations, wrenches: Array) -> None:
        super().__init__(system.figure, system.state, system.controls, system.loads or _nothing)
        self._outer = (system, wrenches)

    def wrenches(self, t: float, state: FigureState) -> Array:
        system, felt = self._outer
        own = system.wrenches(t, state)
        return felt if own is None else felt + own


def _nothing(t: float, state: FigureState) -> Array:
    """Stand for loads where the figure has none of its own."""
    raise NotImplementedError


def _defaults(model: FigureInMatter) -> dict[str, float]:
    return {"rate": film_rate(model.network.frequency), "step": model.network.step}


_ACTS = "Give controls= and loads= of the figure, and the network solids and pushes."
KIND = Kind(
    "network",
    "matter with a figure",
    FigureInMatter,
    CoupledSystem,
    "centred",
    defaults=_defaults,
    hints={
        "step": "The step is that of the network: build it with NetworkBuilder(frequency=…).",
        **dict.fromkeys(("forces", "guards", "contacts"), _ACTS),
    },
)
