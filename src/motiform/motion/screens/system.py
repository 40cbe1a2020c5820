"""A screen as a system that the run loop advances."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter.system import EngineRun, film_rate, stack, steps_per_sample
from motiform.motion.run import Checkpoint, ModelKind, Run, RunArguments, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.screens.engine import ScreenEngine
from motiform.motion.screens.model import Screen
from motiform.motion.screens.stability import assess_screen
from motiform.record import Channel

__all__ = ["KIND", "ScreenArguments", "ScreenSystem", "check_reach", "screen_channels", "screen_facts", "screen_sample"]

_AXES = ("row", "column", "layer")
_INSTANTS = 100  # of a motion at which it is asked whether a point reaches the screen


class ScreenArguments(RunArguments, total=False):
    """What a run of a screen takes."""

    unstable: bool | None
    """Whether it is run although its parameters make it diverge."""


class ScreenSystem(System):
    """A screen and its engravers.

    One that would diverge, free or engraved, is refused before the first step; `unstable` runs it.
    """

    gravity = (0.0, -9.81, 0.0)

    def __init__(self, screen: Screen, options: RunOptions, unstable: bool = False) -> None:
        check_integrator(options, "screen", "a screen")
        self.screen, self.options, self.labels = screen, options, {}
        self.steps = steps_per_sample(screen, options.rate, "screen")
        self.notes = check_reach(screen, options.t1)
        self.facts = screen_facts(screen, options.t1, unstable)

    def channels(self) -> list[Channel]:  # noqa: D102
        return screen_channels(self.screen, self.options.rate)

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        engine = ScreenEngine.resume(self.screen, checkpoint, self.options.device)
        return EngineRun(engine, screen_sample, self.steps, self.options.samples - 1, size=self.screen.count)

    def observe(self, times: np.ndarray, states: Any) -> dict[str, np.ndarray]:  # noqa: D102
        return stack(states)


def check_reach(screen: Screen, t1: float) -> list[str]:
    """Refuse an engraver of which no point ever reaches the screen; return notes on points that do not."""
    notes = []
    for engraver in screen.engravers:
        if engraver.mass is not None:
            continue
        count = 1 if not engraver.moves else _INSTANTS
        places = screen.locate(engraver.at(np.linspace(0.0, t1, count)))
        reach = engraver.reach / screen.spacing
        inside = (places > -reach) & (places < np.array(screen.shape) - 1 + reach)
        near = np.atleast_1d(inside.all(axis=-1).any(axis=0))
        if not near.any():
            low, high = places.reshape(-1, screen.dimensions).min(0), places.reshape(-1, screen.dimensions).max(0)
            raise InputError(
                "a point of the engraver must reach the screen", where=f"engraver {engraver.name!r}",
                got=f"from {np.round(low, 1).tolist()} to {np.round(high, 1).tolist()} pins along {screen.axes}",
                allowed=f"within {engraver.reach:g} m of pins 0 to {[n - 1 for n in screen.shape]}",
                remedy="Move origin, or raise spacing or shape.",
            )  # fmt: skip
        if not near.all():
            notes.append(
                f"{int((~near).sum())} of {len(near)} points of engraver {engraver.name!r} never reach the screen"
            )
    return notes


def screen_facts(screen: Screen, t1: float, unstable: bool) -> dict[str, Any]:
    """Return what the manifest says about a screen; raise an error where it diverges, unless `unstable`."""
    found = assess_screen(screen, until=t1)
    if not unstable:
        found.check()
    described = {
        "shape": list(screen.shape), "spacing": screen.spacing, "mass": screen.mass, "frequency": screen.frequency,
        "law": list(screen.law), "edges": screen.edges, "rest": screen.rest, "origin": list(screen.origin),
        "axes": screen.axes, "engravers": {one.name: one.count for one in screen.engravers},
        "pistons": screen.pistons is not None,
    }  # fmt: skip
    return {"screen": described, "stability": found.to_dict()}


def screen_channels(screen: Screen, rate: float, prefix: str = "") -> list[Channel]:
    """Return what is recorded of a screen."""
    dims = _AXES[: screen.dimensions]
    heights = Channel(
        f"{prefix}heights", unit="m", dims=dims, shape=screen.shape, rate=rate, dtype=screen.dtype,
        description="heights of pins",
    )  # fmt: skip
    found = [heights]
    for engraver in screen.engravers:
        shape = (engraver.count, 3)
        found.append(
            Channel(f"{prefix}{engraver.name}.position", unit="m", dims=("point", "axis"), shape=shape, rate=rate,
                    description="places of points that engrave"),
        )  # fmt: skip
    for key, text in (("kinetic", "of pins"), ("potential", "of links of pins")):
        found.append(Channel(f"{prefix}energy.{key}", unit="J", rate=rate, description=f"{key} energy {text}"))
    return found


def screen_sample(engine: ScreenEngine, prefix: str = "") -> dict[str, np.ndarray]:
    """Return the values of all channels now."""
    kinetic, potential = engine.energies()
    found: dict[str, np.ndarray] = {f"{prefix}heights": engine.heights()}
    found |= {f"{prefix}{name}.position": places for name, places in engine.positions().items()}
    return found | {f"{prefix}energy.kinetic": np.array(kinetic), f"{prefix}energy.potential": np.array(potential)}


def _defaults(screen: Screen) -> dict[str, Any]:
    return {"rate": film_rate(screen.frequency), "step": screen.step}


_ACTS = "Give a screen engravers, force, heights and velocity when it is built."
OTHERS = ("forces", "guards", "q0", "v0", "controls", "loads", "contacts", "watch", "prescribed", "motion", "record")
KIND = ModelKind(
    "screen",
    "a screen",
    Screen,
    ScreenSystem,
    ScreenArguments,
    "central-difference",
    defaults=_defaults,
    hints={"step": "The step of a screen is its own: build it with frequency=….", **dict.fromkeys(OTHERS, _ACTS)},
)
