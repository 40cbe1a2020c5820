"""Set-up files of OpenSim's inverse kinematics: weights of markers, tasks of coordinates."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest
from motiform.base.files import named_file, reads_file
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.record.files import AnyPath, as_path

__all__ = ["IKSetup", "beside", "read_ik_setup", "read_tasks", "task_options"]


@dataclass(frozen=True)
class IKSetup:
    """What an IK set-up asks for."""

    weights: dict[str, float] = field(default_factory=dict)
    """Of markers; those that are not applied have none, 0."""
    coordinates: dict[str, tuple[float | None, float]] = field(default_factory=dict)
    """Value [rad, m], None for the default one, and weight of each coordinate task that is applied."""
    model: Path | None = None
    markers: Path | None = None
    times: tuple[float, float] | None = None
    """[s] First and last time."""

    def options(self, figure: Figure) -> dict[str, Any]:
        """Return ``weights`` and ``tasks`` for `motiform.reconstruct`.

        Markers of the figure without a task have the weight 0, as in OpenSim; tasks of coordinates that are locked, or
        follow others, change nothing and are left out.
        """
        return task_options(figure, self.weights, self.coordinates)


@reads_file("a setup of OpenSim's inverse kinematics")
def read_ik_setup(path: AnyPath) -> IKSetup:
    """Read a set-up of OpenSim's InverseKinematicsTool (IKTool)."""
    place = as_path(path)
    tool = read_document(place, ("InverseKinematicsTool", "IKTool"))
    weights, coordinates = read_tasks(tool.inside("IKTaskSet"))
    trials = tool.inside("IKTrialSet")  # versions before 2
    markers = tool.value("marker_file") or (trials[0].value("marker_file") if trials else "")
    source = tool if tool.field("time_range") is not None or not trials else trials[0]
    times = source.vector("time_range", 2, (0.0, 0.0), infinite=True) if source.value("time_range") else None
    return IKSetup(
        weights, coordinates, beside(place, tool.value("model_file")), beside(place, markers),
        None if times is None else (float(times[0]), float(times[1])),
    )  # fmt: skip


def beside(setup: Path, name: str) -> Path | None:
    """Return the file that a set-up names, from its folder on; None where it names none.

    Set-ups often lie in a folder beside that of the model: files in the folder above are read, too, others refused.
    """
    file = name.strip().replace("\\", "/")
    if file in ("", "Unassigned"):
        return None
    own = setup.parent.resolve()
    above = [own.parent] if own.parent != Path(own.anchor) else []
    if os.path.exists(own / file):  # a path of another machine harms nobody
        named_file(file, own, roots=above, reader="a set-up", where=str(setup))
    return setup.parent / file


def read_tasks(nodes: list[Node]) -> tuple[dict[str, float], dict[str, tuple[float | None, float]]]:
    """Return the weights of marker tasks and the values and weights of coordinate tasks."""
    weights: dict[str, float] = {}
    coordinates: dict[str, tuple[float | None, float]] = {}
    for node in nodes:
        weight = node.scalar("weight", 1.0) if node.flag("apply", True) else 0.0
        if node.tag == "IKMarkerTask":
            weights[node.named()] = weight
        elif node.tag == "IKCoordinateTask" and weight > 0:
            kind = node.value("value_type", "default_value")
            if kind == "from_file":
                raise node.error("the value of a coordinate task must be constant", got=kind,
                                 allowed="default_value, manual_value")  # fmt: skip
            coordinates[node.named()] = (node.scalar("value", 0.0) if kind == "manual_value" else None, weight)
    return weights, coordinates


def task_options(
    figure: Figure, weights: dict[str, float], coordinates: dict[str, tuple[float | None, float]]
) -> dict[str, Any]:
    """Return ``weights`` and ``tasks`` for `motiform.reconstruct`; see `IKSetup.options`."""
    unknown = [name for name in weights if name not in figure.tag_names and weights[name] > 0]
    if len(unknown) == sum(weight > 0 for weight in weights.values()) and unknown:
        raise InputError(
            "tasks must be of markers of the figure", where=repr(figure), got=", ".join(unknown[:8]),
            remedy=closest(unknown[0], figure.tag_names),
        )  # fmt: skip
    start = dict(zip(figure.coordinates, figure.neutral().tolist(), strict=False))
    tasks = {
        name: (start[name] if value is None else value, weight)
        for name, (value, weight) in coordinates.items()
        if name in start
    }
    chosen = {name: weights.get(name, 0.0) for name in figure.tag_names} if weights else None
    return {"weights": chosen, "tasks": tasks}
