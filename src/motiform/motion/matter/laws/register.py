"""Laws of links by name: every function of `links` and `presets` that returns one, user-defined zones and automata.

A new law is a function in one of these modules, named in its `__all__`; a parameter of a new name is a line in
`PARAMETERS`. Scenes take their keys from here.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws import links, presets
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.automaton_law import AutomatonLaw
from motiform.motion.matter.laws.links import Zone, ZoneLaw

__all__ = ["LAWS", "PARAMETERS", "LawParameter", "law", "law_parameters"]


class LawParameter(NamedTuple):
    """A parameter of laws: one number for all links, or one for each."""

    unit: str | None
    """None: it is true or false."""
    description: str


PARAMETERS = {
    "stiffness": LawParameter("N/m", "force by distance"),
    "damping": LawParameter("N s/m", "force by speed"),
    "rest": LawParameter("m", "distance of no force; that at the start if not given"),
    "threshold": LawParameter("m", "distance at which a buffer or viscosity begins or ends"),
    "attraction": LawParameter("N/m", "slope of a cohesion beyond its peak"),
    "inner": LawParameter("m", "distance of a cohesion's peak"),
    "outer": LawParameter("m", "distance at which a cohesion ends"),
    "outer_damping": LawParameter("N s/m", "damping beyond a cohesion's peak"),
    "limit": LawParameter("N", "largest force of dry friction, or of a bow's grip"),
    "sliding": LawParameter("N s/m", "force by speed of a bow that slips"),
    "yield_force": LawParameter("N", "from which on the rest length moves"),
    "hardening": LawParameter("N/m", "by which the bounds of plasticity move along"),
    "ductility": LawParameter("m", "largest move of the rest length; beyond it the link breaks"),
    "length": LawParameter("m", "beyond which the link breaks"),
    "strength": LawParameter("N", "tension beyond which the link breaks"),
    "healing": LawParameter("m", "distance within which a broken link is whole again"),
    "new_rest": LawParameter(None, "whether it heals with the rest length of that moment"),
    "strain": LawParameter("m", "stretch that counts as a load"),
    "life": LawParameter("", "number of loads that are borne"),
    "weakening": LawParameter("", "share of the stiffness that is lost until then"),
}
"""Units and meanings of the numbers that the laws of `links` and `presets` take."""


def _zones(zones: Sequence[Zone | Sequence[float]]) -> ZoneLaw:
    return links.zones(*zones)


def _automaton(
    text: str, values: Mapping[str, ArrayLike | None] | None = None, strongest: tuple[float, float] | None = None,
    name: str = "automaton",
) -> AutomatonLaw:  # fmt: skip
    return AutomatonLaw(Automaton(name, text), dict(values or {}), strongest)


LAWS: dict[str, Callable[..., ZoneLaw | AutomatonLaw]] = {
    **{name: getattr(module, name) for module in (links, presets) for name in module.__all__ if name[0].islower()},
    "zones": _zones,
    "automaton": _automaton,
}
"""Functions that make laws, by name."""


def law_parameters(name: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a law by name."""
    if name not in LAWS:
        raise InputError("no such law", got=name, allowed=", ".join(LAWS), remedy=closest(name, LAWS))
    return dict(inspect.signature(LAWS[name]).parameters)


def law(name: str, /, **values: Any) -> ZoneLaw | AutomatonLaw:
    """Return a law by its name, with the numbers that its function takes.

    >>> law("spring", stiffness=100.0).name
    'spring'
    """
    takes, where = law_parameters(name), f"law {name!r}"
    for key, value in values.items():
        if key not in takes:
            allowed, remedy = ", ".join(takes), closest(key, takes)
            raise InputError("no such parameter", where=where, got=key, allowed=allowed, remedy=remedy)
        if takes[key].annotation in (float, float | None) and isinstance(value, Sequence):
            raise InputError(
                "the parameter must be one number for all links", where=where, got=key, allowed="a number, not a list"
            )
    missing = [key for key, p in takes.items() if p.default is inspect.Parameter.empty and key not in values]
    if missing:
        raise InputError(f"{' and '.join(missing)} must be given", where=where, allowed=", ".join(takes))
    return LAWS[name](**values)
