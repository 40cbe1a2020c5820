"""Predefined figures by name. A new one is a file and a line here; scenes take their models from this register."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple

from motiform.base.errors import InputError, closest
from motiform.motion.figures import bip_table, human36_table, kondo_table
from motiform.motion.figures.bip_figure import bip
from motiform.motion.figures.human36_figure import human36
from motiform.motion.figures.human_figure import human
from motiform.motion.figures.kondo_figure import kondo
from motiform.motion.figures.recipe import MadeFigure

__all__ = ["FIGURES", "ReadyFigure", "ready_figure"]


class ReadyFigure(NamedTuple):
    """A ready figure: what makes it, and the names that it has whatever its measures."""

    make: Callable[..., MadeFigure]
    segments: tuple[str, ...]
    contact_solids: Mapping[str, tuple[str, ...]]
    """Tags of the contact solids, by name."""


FIGURES = {
    "human36": ReadyFigure(human36, tuple(human36_table.SEGMENTS), human36_table.CONTACTS),
    "bip": ReadyFigure(bip, tuple(frame.name for frame in bip_table.FRAMES), bip_table.CONTACTS),
    "human": ReadyFigure(human, tuple(frame.name for frame in bip_table.FRAMES), bip_table.CONTACTS),
    "kondo": ReadyFigure(kondo, tuple(kondo_table.SEGMENTS), kondo_table.CONTACTS),
}


def ready_figure(model: str, **parameters: Any) -> MadeFigure:
    """Return a ready figure by the name of its model, with the parameters that it takes.

    >>> ready_figure("kondo", height=0.4).name
    'kondo'
    """
    if model not in FIGURES:
        raise InputError("no such figure", got=model, allowed=", ".join(FIGURES), remedy=closest(model, FIGURES))
    make = FIGURES[model].make
    known = [name for name in signature(make).parameters if name not in ("gravity", "name")]
    for name in parameters:
        if name not in (*known, "gravity", "name"):
            allowed, remedy = ", ".join(known), closest(name, known)
            raise InputError(f"{model} has no such parameter", got=name, allowed=allowed, remedy=remedy)
    return make(**parameters)
