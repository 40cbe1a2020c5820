"""Laws of links by the names that scenes give them."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError, SceneError, closest
from motiform.base.units import quantity
from motiform.motion.matter import Friction, Zone, links
from motiform.scene.tables.law import FrictionTable, LawKeys, ZoneTable

__all__ = ["build_friction", "build_law", "known_laws"]

Place = Callable[..., str]
_UNITS = ("m", "N", "N/m", "N s/m", "s", "m/s", "", "Hz", "kg", "J")


def known_laws() -> dict[str, Any]:
    """Return all laws by name: every function of `links` and `presets` that makes one, and two that are read here."""
    from motiform.motion.matter import presets

    made = {name: getattr(module, name) for module in (links, presets) for name in module.__all__ if name[0].islower()}
    return {**made, "zones": _zones, "automaton": _automaton}


def build_law(table: LawKeys, place: Place, name: str, given: dict[str, Any] | None = None) -> Any:
    """Return the law of a table; `place` tells the line of a key, `given` stands for keys that are not there."""
    laws = known_laws()
    if table.law not in laws:
        raise SceneError(
            "no such law", where=place("law"), got=table.law, allowed=", ".join(laws), remedy=closest(table.law, laws)
        )
    make = laws[table.law]
    takes = {key: p for key, p in inspect.signature(make).parameters.items() if key != "name"}
    values = {key: getattr(table, key) for key in table.own if getattr(table, key) is not None}
    for key, value in values.items():
        _check_key(table.law, key, value, takes, place)
    values = {key: v for key, v in (given or {}).items() if key in takes} | values
    missing = [key for key, p in takes.items() if p.default is inspect.Parameter.empty and key not in values]
    if missing:
        raise SceneError(
            f"law {table.law!r} needs {' and '.join(missing)}", where=place("law"), allowed=", ".join(takes)
        )
    try:
        return make(**values, **({"name": name} if table.law == "automaton" else {}))
    except InputError as error:
        raise SceneError(f"{place('law')}: {error}") from error


def _check_key(law: str, key: str, value: Any, takes: dict[str, inspect.Parameter], place: Place) -> None:
    if key not in takes:
        raise SceneError(
            f"law {law!r} has no {key}", where=place(key), allowed=", ".join(takes), remedy=closest(key, takes)
        )
    if isinstance(value, list) and takes[key].annotation in (float, float | None):
        raise SceneError(f"law {law!r} takes one {key} for all links", where=place(key), got=f"{len(value)} numbers")


def _zones(zones: list[ZoneTable]) -> Any:
    parts = [Zone(z.stiffness, z.damping, z.rest, np.inf if z.until is None else z.until) for z in zones]
    return links.zones(*parts)


def _automaton(
    text: str, values: dict[str, Any] | None = None, strongest: tuple[float, float] | None = None, *, name: str
) -> Any:
    from motiform.motion.matter.laws.automaton import Automaton
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw

    return AutomatonLaw(Automaton(name, text), {key: _si(v) for key, v in (values or {}).items()}, strongest)


def _si(value: Any) -> Any:
    """Return a number in SI, whatever its dimension: an automaton's parameters may be of any."""
    if isinstance(value, list):
        return [_si(one) for one in value]
    for unit in _UNITS if isinstance(value, str) else ():
        try:
            return quantity(value, unit)
        except InputError:
            continue
    return quantity(value, "")


def build_friction(friction: "float | FrictionTable | None", law: Any) -> Friction | None:
    """Return friction; of one number, that sticks by two sevenths of the law's stiffness as links by range do."""
    if friction is None:
        return None
    if isinstance(friction, FrictionTable):
        return Friction(friction.limit, stiffness=friction.stiffness, damping=friction.damping)
    return Friction(float(friction), stiffness=float(np.max(law.strongest()[0])) * 2 / 7)
