"""Laws of links from the keys of a scene's tables."""

from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError, SceneError
from motiform.base.units import quantity
from motiform.motion.matter import Friction, Zone, law, law_parameters
from motiform.scene.tables.law import FrictionTable, LawKeys

__all__ = ["build_friction", "build_law"]

_UNITS = ("m", "N", "N/m", "N s/m", "s", "m/s", "", "Hz", "kg", "J")


def build_law(table: LawKeys, place: Callable[..., str], name: str, usual: dict[str, float] | None = None) -> Any:
    """Return the law of a table; `place` tells the line of a key, `usual` stands for keys that are not there."""
    values = {key: _read(key, getattr(table, key)) for key in table.own if getattr(table, key) is not None}
    given = tuple(values)
    try:
        takes = law_parameters(table.law)
        values = {key: value for key, value in (usual or {}).items() if key in takes} | values
        return law(table.law, **values, **({"name": name} if table.law == "automaton" else {}))
    except InputError as error:
        key = error.got if isinstance(error.got, str) and error.got in given else "law"
        raise SceneError(f"{place(key)}: {error}") from error


def _read(key: str, value: Any) -> Any:
    if key == "zones":
        return [Zone(z.stiffness, z.damping, z.rest, np.inf if z.until is None else z.until) for z in value]
    return {name: _si(number) for name, number in value.items()} if key == "values" else value


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


def build_friction(friction: "float | FrictionTable | None") -> Friction | float | None:
    """Return friction as `NetworkBuilder` takes it."""
    if isinstance(friction, FrictionTable):
        return Friction(**friction.model_dump())
    return friction
