"""A scene as a model, and the arguments with which `simulate` runs it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import SceneError
from motiform.motion.bodies import Bodies
from motiform.motion.hybrid import FigureInMatter
from motiform.motion.matter import Network
from motiform.motion.tree import Figure
from motiform.record import open_recording
from motiform.scene.build.common import build_bodies
from motiform.scene.build.figures import build_figures
from motiform.scene.build.matter import build_matter, build_networks
from motiform.scene.read.load import Scene

__all__ = ["Built", "build"]


@dataclass(frozen=True)
class Built:
    """The model of a scene, and the arguments with which `simulate` runs it.

    ``simulate(built.model, **built.arguments, **built.options)`` makes the motion that ``simulate(scene)`` makes.
    """

    model: Bodies | Figure | Network | FigureInMatter
    arguments: dict[str, Any]
    """What acts on the model, and where it starts."""
    options: dict[str, Any]
    """t1 [s], rate [Hz], integrator, and what it takes."""


def build(scene: Scene) -> Built:
    """Return the model of a scene and how it is run."""
    document = scene.document
    if document.coupled:
        return _coupled(scene)
    if document.network:
        return Built(build_networks(scene), {"unstable": bool(document.motion.unstable)}, _options(scene))
    if not document.figure and not document.touching:
        return Built(build_bodies(scene), {}, _options(scene))
    made = build_figures(scene)
    given: dict[str, Any] = {"q0": made.q, "v0": made.v, "controls": made.controls, "loads": made.loads}
    given["prescribed"] = made.prescribed or None
    if made.contacts is not None:
        given["contacts"] = made.contacts
    else:
        given["watch"] = all(table.watch for table in document.figure)
    return Built(made.figure, _present(given), _options(scene))


def _coupled(scene: Scene) -> Built:
    """Return networks together with figures and bodies."""
    motion, made = scene.document.motion, build_figures(scene)
    if made.prescribed:
        raise SceneError(f"{scene.place('figure', 0)}: figures with matter cannot have prescribed motions")
    given: dict[str, Any] = {"q0": made.q, "v0": made.v, "controls": made.controls, "loads": made.loads}
    if motion.replay is not None:
        given = {"motion": open_recording(scene.file(motion.replay, folder=True))}
    matter = build_matter(scene, made.figure, np.asarray(made.q, float))
    model = FigureInMatter(
        made.figure, matter.network, tuple(matter.contacts), tuple(matter.attachments), motion.two_way is not False
    )
    return Built(model, _present(given) | {"unstable": bool(motion.unstable)}, _options(scene))


def _present(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _options(scene: Scene) -> dict[str, Any]:
    head, motion = scene.document.scene, scene.document.motion
    found: dict[str, Any] = {"t1": head.duration, "rate": head.rate, "integrator": motion.integrator}
    if not scene.document.network:
        found |= {"step": motion.step, "rtol": motion.rtol, "atol": motion.atol}
    return found | {"device": motion.device}
