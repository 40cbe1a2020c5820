"""Matter coupled with figures: contact of points with segments, attached points, and their reaction forces.

Free bodies are figures with free joints. Segments carry shapes that points of the network meet, and points that hang
on them; controls, loads, contacts and joint limits of the figure act as they do without matter. Segments do not meet
the network's own solids: what both are to touch is an obstacle of the contacts and a solid of the network.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.contact.points import Contacts
from motiform.motion.coupled.engine import CoupledEngine
from motiform.motion.coupled.figure import (
    ContactFigure,
    Felt,
    KinematicFigure,
    MovedFigure,
    SteppedFigure,
    given_motion,
)
from motiform.motion.coupled.parts import FigureInMatter, join
from motiform.motion.coupled.stability import assess_figure
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.matter.sound import Listener, Sound
from motiform.motion.matter.system import (
    EngineRun,
    Samples,
    check_functions,
    check_stability,
    describe,
    film_rate,
    stack,
    steps_per_sample,
)
from motiform.motion.matter.watch import Watch
from motiform.motion.run import Checkpoint, ModelKind, Run, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.stepping.system import ContactSystem, check_contacts
from motiform.motion.tree import Control, Figure, forward_kinematics
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Controls, FigureState
from motiform.motion.tree.model.state import check_functions as check_controls
from motiform.motion.tree.observe import channels, figure_labels
from motiform.motion.tree.prescribed import PrescribedMotion
from motiform.motion.tree.start import start
from motiform.motion.tree.system import FORMS, ActingArguments, check_moves
from motiform.record import Channel, Recording
from motiform.record.labels import WRENCH_UNITS

__all__ = ["KIND", "CoupledArguments", "CoupledSystem"]

_METERS = ("momentum", "angular_momentum", "energy", "energy.kinetic", "energy.potential")


class CoupledArguments(ActingArguments, total=False):
    """What a run of a figure in matter takes."""

    contacts: Contacts | None
    """Contact points of the figure and obstacles, see `motiform.contact`; limits of joints then act too."""
    motion: Recording | Callable[[float], ArrayLike] | None
    """A recording or a function of time [s] that the figure follows, instead of its dynamics."""
    unstable: bool | None
    """Whether it is run although its parameters make it diverge."""
    sound: Sound | None
    """The points of the network that are listened to, see `motiform.matter.Sound`."""


class CoupledSystem(System):
    """A network together with a figure; both take steps at the network's frequency.

    The figure moves from q0, v0 by its dynamics under `controls`, `loads`, `contacts` (see `motiform.contact`; limits
    of joints then act, too), `prescribed` motions and the forces of matter in the same instant, or, where the model has
    no `reaction`, without them. With `motion` (a recording of the figure, or a function of time [s] that gives q, or q
    and v) it follows that instead; the function is called from one step before the start.

    Channels are those of both. Momentum and energy are of all together; those of the figure alone and of matter alone
    have "figure." and "matter." before their names, and "matter.wrench" is the wrench of matter on each segment in the
    step that led to the sample.
    """

    def __init__(
        self, model: FigureInMatter, options: RunOptions, q0: ArrayLike | None = None, v0: ArrayLike | None = None,
        controls: Controls = None, loads: Control | None = None, contacts: Contacts | None = None,
        prescribed: Sequence[PrescribedMotion] = (), motion: Recording | Callable[[float], ArrayLike] | None = None,
        unstable: bool = False, sound: Sound | None = None,
    ) -> None:  # fmt: skip
        check_integrator(options, "network", "matter with a figure")
        network, figure = model.network, model.figure
        self.steps = steps_per_sample(network, options.rate)
        self.model, self.options, self.controlled, self.loads = model, options, controls is not None, loads
        acts: dict[str, Any] = {
            "controls": controls,
            "loads": loads,
            "contacts": contacts,
            "prescribed": tuple(prescribed) or None,
        }
        self.contacts: ContactSystem | None = None
        if motion is None:
            self.moved = self._moved(start(figure, q0, v0), **acts)
        else:
            given = [key for key, value in ({"q0": q0, "v0": v0} | acts).items() if value is not None]
            if given:
                remedy = f"Leave out {' and '.join(given)}, or the motion."
                raise InputError("a figure must not have both a motion and forces", got=", ".join(given), remedy=remedy)
            self.moved = KinematicFigure(figure, given_motion(figure, motion), network.frequency)
        frames = forward_kinematics(figure, self.moved.q), forward_kinematics(figure, self.moved.q_before)
        self.joined = join(network, figure, model.contacts, model.attachments, *frames)
        check_functions(self.joined.network)
        self.gravity, self.vertical = figure.gravity, figure.vertical
        own = figure_labels(figure, loads) if self.contacts is None else self.contacts.labels
        self.labels = {**own, "segment": list(figure.names)}
        self.notes: list[str] = [] if self.contacts is None else self.contacts.notes
        assessed = check_stability(self.joined.network, unstable)
        self.facts: dict[str, Any] = {"network": describe(self.joined.network), "stability": assessed}
        self.listener = None if sound is None else Listener(sound, self.joined.network, options)
        if self.listener is not None:
            self.facts["sound"] = self.listener.facts()
        if isinstance(self.moved, ContactFigure):
            self._check_figure(self.moved, unstable)

    def _moved(
        self, begin: FigureState, controls: Controls, loads: Control | None, contacts: Contacts | None,
        prescribed: Any,
    ) -> MovedFigure:  # fmt: skip
        """Return the figure that moves by its own dynamics."""
        figure, rate = self.model.figure, self.model.network.frequency
        felt = Felt(figure, loads)
        if figure.single is None and contacts is None and prescribed is None:
            check_moves(figure)
            equations = FigureEquations(figure, begin, controls, felt)
            if equations.controls.dynamic:
                remedy = "Give controls that are functions of time and state."
                raise InputError(
                    "a figure with joints in Python takes no actuators with states in matter", remedy=remedy
                )
            check_controls(figure, begin, equations.controls, loads)
            return SteppedFigure(equations, felt, rate)
        steps = RunOptions(self.options.t1, self.options.rate, "time-stepping", 1.0 / rate)
        self.contacts = ContactSystem(
            figure, steps, Contacts(limits=False) if contacts is None else contacts, begin.q, begin.v, controls, felt,
            prescribed=prescribed or (),
        )  # fmt: skip
        return ContactFigure(self.contacts, felt, rate)

    def _check_figure(self, moved: ContactFigure, unstable: bool) -> None:
        """Refuse a figure whose steps would diverge; say how many points may press on its solids."""
        solids, joined = (self.model.contacts, self.joined) if self.model.reaction else ((), None)
        found = assess_figure(joined, moved.system.equations, moved.y, moved.rate, solids)
        if not unstable:
            found.check()
        counts = {solid.name: len(solid.points) for solid in self.joined.network.solids}
        self.notes = [*self.notes, *found.notes(counts)]
        self.facts["figure_stability"] = found.to_dict()

    def channels(self) -> list[Channel]:  # noqa: D102
        figure, rate = self.model.figure, self.options.rate
        own = channels(figure, rate, self.controlled, self.loads) if self.contacts is None else self.contacts.channels()
        heard = [] if self.listener is None else [self.listener.channel()]
        return _channels(self.joined.network, figure, rate, own) + heard

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        engine = CoupledEngine(
            self.joined, self.moved, reaction=self.model.reaction, device=self.options.device, checkpoint=checkpoint,
        )  # fmt: skip
        watch = None if self.listener is None else Watch(self.listener, {})
        return EngineRun(engine, _observe, self.steps, self.options.samples - 1, watch, size=6 * engine.network.count)

    def observe(self, times: np.ndarray, states: Samples) -> dict[str, np.ndarray]:  # noqa: D102
        return stack(states)


def _channels(network: Network, figure: Figure, rate: float, ours: list[Channel]) -> list[Channel]:
    """Return the channels of both."""
    theirs = network_channels(network, rate)
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


def _observe(engine: CoupledEngine) -> dict[str, Array]:
    """Return what a sample holds, by channel."""
    t = engine.sample / engine.matter.network.frequency
    felt = engine.wrenches if engine.reaction else np.zeros_like(engine.wrenches)
    ours, theirs = engine.moved.seen(t, felt), observe_network(engine.matter)
    found = {key: value for both in (ours, theirs) for key, value in both.items() if key not in _METERS}
    for name in _METERS:
        if name in theirs:
            found |= {name: ours[name] + theirs[name], f"matter.{name}": theirs[name]}
        found[f"figure.{name}"] = ours[name]
    return found | {"matter.wrench": engine.wrenches}


def _defaults(model: FigureInMatter) -> dict[str, float]:
    return {"rate": film_rate(model.network.frequency), "step": model.network.step}


_ACTS = "Give controls=, loads= and contacts= of the figure, and the network solids and pushes."
KIND = ModelKind(
    "network",
    "matter with a figure",
    FigureInMatter,
    CoupledSystem,
    CoupledArguments,
    "central-difference",
    defaults=_defaults,
    hints={
        "step": "The step is that of the network: build it with NetworkBuilder(frequency=…).",
        **dict.fromkeys(("forces", "guards"), _ACTS),
    },
    forms={**FORMS, "contacts": check_contacts},
)
