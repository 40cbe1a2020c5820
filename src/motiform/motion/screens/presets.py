"""Behaviours of screens by name, those between them, and the experiments of the thesis [Habibi97 §8.4.3, table 8.1]."""

from typing import NamedTuple

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.matter.stability.cell import PROTOTYPES, ModeSegment, Prototype, ScreenLaw
from motiform.motion.run import check_number

__all__ = ["EXPERIMENTS", "PRESETS", "Experiment", "blend", "lever_law"]

PRESETS = PROTOTYPES
"""S stays, C returns at once, O swings, L is free; I waves, II viscous, III plate, IV soil, V viscous fluid."""


class Experiment(NamedTuple):
    """A row of table 8.1, for 96 pins of 10 g in a line, fixed edges and steps of 1 ms (corrected from 1.05 ms)."""

    prototype: str
    law: ScreenLaw
    about: str


EXPERIMENTS = {
    1: Experiment("S", ScreenLaw(0, 10, 0, 0), "marks stay for ever"),
    2: Experiment("S", ScreenLaw(10, 10, 0, 0), "marked fast, unmarked slowly"),
    3: Experiment("S", ScreenLaw(10, 10, 0, 0), "softer engravers: marked and unmarked slowly; called C, corrected"),
    4: Experiment("C", ScreenLaw(10000, 10, 0, 0), "unmarked in one sample"),
    5: Experiment("I", ScreenLaw(0, 0, 2500, 0), "waves that are reflected"),
    6: Experiment("I", ScreenLaw(0, 0, 2500, 0.1), "waves without ripples: the surface of a liquid"),
    7: Experiment("II", ScreenLaw(0, 0, 0, 2.5), "viscous, nothing holds it"),
    8: Experiment("II", ScreenLaw(10, 0, 0, 2.5), "a wire: small marks stay while all swings"),
    9: Experiment("III", ScreenLaw(10000, 0, 0, 2.5), "a plate, of which the lowest mode swings longest"),
    10: Experiment("III", ScreenLaw(10000, 0, 0, 2.5), "printed as row 9"),
    11: Experiment("IV", ScreenLaw(0, 10, 2500, 0), "plastic soil: marks round off"),
    12: Experiment("IV", ScreenLaw(10, 10, 2500, 0), "soil that levels slowly"),
    13: Experiment("V", ScreenLaw(0, 0, 2500, 2.5), "a viscous fluid: rounded waves that die"),
}
"""Table 8.1 by row [N/m, N s/m]."""


def blend(first: str | ModeSegment, second: str | ModeSegment, part: float) -> ModeSegment:
    """Return the segment between two behaviours: part 0 is the first, 1 the second.

    The triangle of stability is convex, so what is between two stable behaviours is stable. Between prototypes are
    prototypes, which hold for screens of any size.
    """
    part = check_number(part, "part", "blend", least=0.0)
    if part > 1:
        raise InputError("a part of a blend must be 0 to 1", got=part, allowed="0 to 1")
    ends = _segment(first), _segment(second)
    (K0, Z0), (KN, ZN) = ((1 - part) * np.array(ends[0]) + part * np.array(ends[1])).tolist()
    made = Prototype if all(isinstance(end, Prototype) for end in ends) else ModeSegment
    return made((K0, Z0), (KN, ZN))


def _segment(given: str | ModeSegment) -> ModeSegment:
    if isinstance(given, ModeSegment):
        return given
    if given not in PRESETS:
        allowed, remedy = ", ".join(PRESETS), closest(str(given), PRESETS)
        raise InputError("unknown prototype of a screen", got=given, allowed=allowed, remedy=remedy)
    return PRESETS[given]


def lever_law(ground: float, lever: float, dimensions: int = 1, *, damping: float = 0.0) -> ScreenLaw:
    """Return the law of pins that neighbour by neighbour are joined by a soft lever on a post halfway between them.

    A lever of stiffness k pulls both of its pins by −k (ω_i + ω_j): a pin that is pushed down lifts its neighbours. All
    of them are springs of −k between neighbours and 4 d k more to the ground, so that levers are always stable where
    the negative springs alone need k_s above 4 d k [Habibi97 §7.4.2, fig. 7.19]. With fixed edges the outer pins have
    levers to points at rest; free edges have none, and other ground springs there.

    Parameters
    ----------
    ground : stiffness of a pin to the ground besides the levers [N/m].
    lever : stiffness k of a lever [N/m].
    damping : of a pin to the ground [N s/m].
    """
    for name, value in (("ground", ground), ("lever", lever), ("damping", damping)):
        check_number(value, name, "lever law", least=0.0)
    if dimensions not in (1, 2, 3):
        raise InputError("a screen must have 1 to 3 dimensions", where="lever law", got=dimensions)
    return ScreenLaw(ground + 4 * dimensions * lever, damping, -lever, 0.0)
