"""A scene as a model, and the arguments with which `simulate` runs it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.motion.bodies import Bodies
from motiform.motion.coupled import FigureInMatter
from motiform.motion.matter import Network, Sound
from motiform.motion.screens import Screens
from motiform.motion.tree import Figure
from motiform.record import open_recording
from motiform.scene.build.common import build_bodies
from motiform.scene.build.figures import Made, build_figures
from motiform.scene.build.matter import build_matter, build_networks
from motiform.scene.build.screens import build_screens
from motiform.scene.read.load import Scene

__all__ = ["Built", "build"]


@dataclass(frozen=True)
class Built:
    """The model of a scene, and the arguments with which `simulate` runs it.

    ``simulate(built.model, **built.arguments, **built.options)`` makes the motion that ``simulate(scene)`` makes.
    """

    model: Bodies | Figure | Network | FigureInMatter | Screens
    arguments: dict[str, Any]
    """What acts on the model, and where it starts."""
    options: dict[str, Any]
    """t1 [s], rate [Hz], integrator, and what it takes."""


def build(scene: Scene) -> Built:
    """Return the model of a scene and how it is run."""
    document = scene.document
    if document.coupled:
        return _coupled(scene)
    if document.screen:
        return Built(build_screens(scene), {"unstable": bool(document.motion.unstable)}, _options(scene))
    if document.network:
        given = {"unstable": bool(document.motion.unstable), "record": document.motion.record} | _sound(scene)
        return Built(build_networks(scene), _present(given), _options(scene))
    if not document.figure and not document.touching:
        return Built(build_bodies(scene), {}, _options(scene))
    made = build_figures(scene)
    given = _acting(made)
    if made.contacts is None:
        given["watch"] = all(table.watch for table in document.figure)
    return Built(made.figure, _present(given), _options(scene))


def _acting(made: Made) -> dict[str, Any]:
    """Return where figures start, and what acts on them."""
    found = {"q0": made.q, "v0": made.v, "controls": made.controls, "loads": made.loads}
    return found | {"prescribed": made.prescribed or None, "contacts": made.contacts}


def _coupled(scene: Scene) -> Built:
    """Return networks together with figures and bodies."""
    motion, made = scene.document.motion, build_figures(scene)
    given = _acting(made)
    if motion.replay is not None:
        given = {"motion": open_recording(scene.file(motion.replay, folder=True))}
    matter = build_matter(scene, made.figure, np.asarray(made.q, float))
    model = FigureInMatter(
        made.figure, matter.network, tuple(matter.contacts), tuple(matter.attachments), motion.two_way is not False
    )
    return Built(model, _present(given) | {"unstable": bool(motion.unstable)} | _sound(scene), _options(scene))


def _sound(scene: Scene) -> dict[str, Any]:
    """Return what is listened to."""
    table = scene.document.sound
    return {} if table is None else {"sound": Sound(**table.model_dump())}


def _present(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _options(scene: Scene) -> dict[str, Any]:
    head, motion = scene.document.scene, scene.document.motion
    found: dict[str, Any] = {"t1": head.duration, "rate": head.rate, "integrator": motion.integrator}
    if not scene.document.network and not scene.document.screen:
        found |= {"step": motion.step, "rtol": motion.rtol, "atol": motion.atol}
    return found | {"device": motion.device}
