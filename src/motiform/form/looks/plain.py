"""Typed values and the plain ones of a manifest: a field of a class is a key of the same name."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any, Self, get_type_hints

import numpy as np

from motiform.base.errors import RecordingError
from motiform.geometry import Shape
from motiform.record.manifest import as_typed

if TYPE_CHECKING:
    from motiform.form.parts import LinkParts, Part, Skin
    from motiform.form.surfaces import AnimatedSurface
    from motiform.record import Recording

__all__ = ["PartLook", "Plain"]


class Plain:
    """A frozen dataclass with a plain form; metadata "read" of a field makes its value from the plain one."""

    def to_plain(self) -> dict[str, Any]:
        """Return numbers, texts, lists, dictionaries and arrays, less what is None and flags at their default."""
        found = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is None or (type(value) in (bool, int) and value == field.default):
                continue
            found[field.name] = _plain(value)
        return found

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Return the typed value; other keys than those of its fields are left to what wrote them."""
        own: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
        if not isinstance(plain, Mapping):
            raise RecordingError("a look must be a table", got=repr(plain)[:60], allowed=", ".join(f.name for f in own))
        missing = [f.name for f in own if f.default is MISSING and f.name not in plain]
        if missing:
            keys = ", ".join(f.name for f in own)
            raise RecordingError(f"`{missing[0]}` must be given", got=", ".join(plain) or None, allowed=keys)
        hints = get_type_hints(cls)
        given = (f for f in own if f.name in plain)
        return cls(**{f.name: _read(plain[f.name], f, hints[f.name]) for f in given})


def _read(plain: Any, field: "Field[Any]", hint: Any) -> Any:
    """Return the value of a field: by its own reader, or as the type that it is stated to be."""
    read = field.metadata.get("read")
    return as_typed(plain, hint, f"`{field.name}`") if read is None or plain is None else read(plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Plain):
        return value.to_plain()
    if isinstance(value, Shape):
        return _plain(value.describe())
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.item() if isinstance(value, np.generic) else value


class PartLook(Plain):
    """How one part of a recording is drawn."""

    @property
    def places(self) -> str | None:
        """Channel of the places that it is drawn at, the first where there are two: the first field has it."""
        channels = getattr(self, fields(self)[0].name)  # type: ignore[arg-type]
        return channels if isinstance(channels, str) else str(channels[0])

    def drawn(self, name: str, recording: "Recording", samples: int) -> "Part | LinkParts | Skin | AnimatedSurface":
        """Return what is drawn."""
        raise NotImplementedError
