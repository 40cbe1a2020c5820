"""Shapes from their descriptions."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from motiform.base.errors import InputError, ShapeError, closest
from motiform.geometry.solids.compound import Compound
from motiform.geometry.solids.register import SHAPES
from motiform.geometry.solids.shape import Shape
from motiform.spatial import Transform
from motiform.spatial.checks import Words

__all__ = ["shape_from"]

DEEPEST = 16  # compounds within compounds; a description nested deeper is a mistake


def shape_from(description: Mapping[str, Any]) -> Shape:
    """Return the shape of a description, as `describe` gives it: its kind and the numbers of that kind."""
    return _shape_from(description, 0)


def _shape_from(description: Any, depth: int) -> Shape:
    if not isinstance(description, Mapping):
        raise ShapeError(
            "not a shape", got=Words(type(description).__name__), allowed="a mapping with 'kind' and its numbers"
        )
    kind = description.get("kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        remedy = closest(kind, SHAPES) if isinstance(kind, str) else None
        raise ShapeError("unknown kind of shape", got=kind, allowed=", ".join(SHAPES), remedy=remedy)
    if depth > DEEPEST:
        raise ShapeError("compounds are nested too deep", allowed=f"{DEEPEST} levels")
    cls: Any = SHAPES[kind]
    names = [field.name for field in fields(cls)]
    needed = [field.name for field in fields(cls) if field.default is MISSING]
    given = {key: value for key, value in description.items() if key != "kind"}
    wrong = [str(key) for key in given if key not in names]
    missing = [key for key in needed if key not in given]
    if wrong or missing:
        got = Words(f"unknown {', '.join(wrong)}" if wrong else f"no {', '.join(missing)}")
        raise ShapeError("the description does not fit", where=kind, got=got, allowed=", ".join(names))
    if cls is Compound:
        return Compound(_parts_from(given["parts"], depth))
    made: Shape = cls(**given)
    return made


def _parts_from(parts: Any, depth: int) -> tuple[tuple[Shape, Transform], ...]:
    if not isinstance(parts, (list, tuple)):
        raise ShapeError("not a list of parts", where="compound", got=Words(type(parts).__name__))
    found = []
    for part in parts:
        if not isinstance(part, Mapping) or "shape" not in part or not set(part) <= {"shape", "at", "rotation"}:
            raise ShapeError(
                "not a part", where="compound", got=Words(type(part).__name__), allowed="shape, at, rotation"
            )
        try:
            pose = Transform(part.get("rotation", np.eye(3)), part.get("at", np.zeros(3)))
        except InputError as error:
            raise ShapeError(str(error), where="compound part") from error
        found.append((_shape_from(part["shape"], depth + 1), pose))
    return tuple(found)
