"""Ready figures of a scene, and their names where a scene has several figures."""

from copy import copy
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from motiform.base.errors import InputError, closest
from motiform.motion.tree import Figure, FigureBuilder
from motiform.motion.tree.model.segment import Segment, velocity_names
from motiform.scene.tables.figure import FigureTable

if TYPE_CHECKING:
    from motiform.motion.figures.recipe import MadeFigure

__all__ = ["add_figure", "block_names", "build_model", "model_names", "model_segments"]


def build_model(table: FigureTable, gravity: Any) -> "MadeFigure":
    """Return the ready figure that a table asks for."""
    from motiform.motion import figures

    make: Any = getattr(figures, str(table.model))
    given = table.parameters.model_dump(exclude_none=True)
    known = [name for name in signature(make).parameters if name not in ("gravity", "name")]
    for name in given:
        if name not in known:
            raise InputError(
                f"{table.model} has no such parameter", got=name, allowed=", ".join(known), remedy=closest(name, known)
            )
    made: MadeFigure = make(**given, gravity=gravity, name=table.name)
    return made


def model_segments(model: str) -> tuple[str, ...]:
    """Return the names of a model's segments."""
    from motiform.motion.figures import bip_table, human36_table, kondo_table

    if model == "bip":
        return tuple(frame.name for frame in bip_table.FRAMES)
    return human36_table.SEGMENTS if model == "human36" else kondo_table.SEGMENTS


def model_names(model: str) -> tuple[str, ...]:
    """Return the names of a model's coordinates."""
    from motiform.motion.figures import bip_table, human36_table, kondo_table

    return tuple({"bip": bip_table, "human36": human36_table, "kondo": kondo_table}[model].COORDINATES)


def add_figure(found: Figure, builder: FigureBuilder, prefix: str) -> list[str] | None:
    """Put a figure among others, its names after a prefix; return the order of its coordinates where it has its own.

    Gravity of the builder counts.
    """

    def full(name: str | None) -> str | None:
        return None if name is None else prefix + name

    for segment in found.segments:
        joint: Any = segment.joint
        if prefix and joint.named:
            joint = copy(joint)
            joint.names = tuple(prefix + name for name in joint.names)
        builder.segments.append(replace(segment, name=prefix + segment.name, parent=full(segment.parent), joint=joint))
    builder.tags += [replace(tag, name=prefix + tag.name, segment=prefix + tag.segment) for tag in found.tags]
    builder.surfaces += [replace(s, name=prefix + s.name, segment=prefix + s.segment) for s in found.surfaces]
    builder.couplings += [
        replace(c, dependent=prefix + c.dependent, leading=prefix + c.leading) for c in found.couplings
    ]
    builder.closures += [replace(c, name=prefix + c.name, a=full(c.a), b=full(c.b)) for c in found.closures]  # type: ignore[type-var]
    builder.notes += found.notes
    builder.vertical = found.vertical
    return None if found.order is None else [prefix + name for name in found.order]


def block_names(segments: list[Segment]) -> list[str]:
    """Return what `FigureBuilder.build` calls the coordinates of segments, in their order."""
    found: list[str] = []
    for segment in segments:
        if segment.joint.plain:
            found += velocity_names(segment)
        elif segment.joint.nq:
            found.append(segment.name)
    return found
