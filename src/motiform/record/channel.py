"""Parts of a recording: channels over time, and events."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from motiform.base.errors import InputError

__all__ = ["Channel", "Event"]

_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
_SAMPLE_LIMIT = 2**30  # [byte] the compressor takes blocks below 2 GiB, and a chunk holds one sample at least


@dataclass(frozen=True)
class Channel:
    """One quantity over time: a name, a unit, the names and sizes of its axes, and when its samples are taken.

    >>> Channel("hand.position", unit="m", dims=("axis",), shape=(3,), rate=240.0).sample_bytes
    24
    """

    name: str
    """Any text without control characters; parts are separated by dots, as in ``hand.position``."""
    unit: str = ""
    """SI unit as text, "" for a number without one, and where `units` tell more."""
    dims: tuple[str, ...] = ()
    """Names of the axes after time. A last axis named "quaternion" holds unit quaternions (w, x, y, z)."""
    shape: tuple[int, ...] = ()
    """Sizes of the axes after time."""
    rate: float | None = None
    """Samples per second [Hz]; sample i is at start + i / rate. None: every sample carries its own time."""
    start: float = 0.0
    """Time of the first sample [s], where a rate is given."""
    dtype: str = "float64"
    """Type of the numbers: bool, int8 to uint64, float16, float32 or float64."""
    description: str = ""
    """What it is, in words."""
    units: tuple[str, ...] = ()
    """SI unit of each element of the last axis, where they differ; those that are all the same become `unit`."""

    def __post_init__(self) -> None:
        _check_name(self.name)
        for key in ("unit", "description"):
            if not isinstance(getattr(self, key), str):
                raise InputError(f"{key} is not text", where=self._where, got=getattr(self, key), allowed="text")
        put = object.__setattr__
        put(self, "dims", self._dims())
        put(self, "shape", self._shape())
        put(self, "dtype", self._dtype())
        put(self, "rate", None if self.rate is None else self._number("rate", self.rate))
        put(self, "start", self._number("start", self.start))
        if len(self.dims) != len(self.shape):
            raise InputError(
                "dims and shape differ in length", where=self._where, got=f"dims {self.dims}, shape {self.shape}",
                allowed="one name for each axis after time",
            )  # fmt: skip
        self._put_units()
        if self.rate is not None and self.rate <= 0:
            raise InputError(
                "rate must be above 0", where=self._where, got=self.rate, allowed="a number above 0 Hz, or None"
            )
        if self.sample_bytes > _SAMPLE_LIMIT:
            raise InputError(
                "one sample is too large", where=self._where, got=f"{self.sample_bytes} bytes",
                allowed=f"up to {_SAMPLE_LIMIT} bytes", remedy="Split it into several channels.",
            )  # fmt: skip

    @property
    def sample_bytes(self) -> int:
        """Size of one sample [byte]."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def describe(self) -> dict[str, Any]:
        """Return the fields as a JSON-able dict; `from_description` is the way back."""
        found = asdict(self) | {"dims": list(self.dims), "shape": list(self.shape), "units": list(self.units)}
        return found if self.units else {key: value for key, value in found.items() if key != "units"}

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> "Channel":
        """Return the channel that `describe` described; keys it does not know are left out."""
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in description.items() if key in known})

    @property
    def _where(self) -> str:
        return f"channel {self.name!r}"

    def _dims(self) -> tuple[str, ...]:
        listed = isinstance(self.dims, list | tuple)
        if not listed or not all(isinstance(dim, str) and dim for dim in self.dims):
            raise InputError(
                "dims must be a tuple of names", where=self._where, got=repr(self.dims),
                allowed="a tuple of names, one per axis",
            )  # fmt: skip
        return tuple(self.dims)

    def _shape(self) -> tuple[int, ...]:
        try:
            sizes = tuple(int(size) for size in self.shape)
            if sizes != tuple(self.shape) or any(size < 1 for size in sizes):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            got = repr(self.shape)
            raise InputError(
                "shape must be a tuple of sizes", where=self._where, got=got, allowed="a tuple of whole sizes above 0"
            ) from None
        return sizes

    def _put_units(self) -> None:
        """Check the units of the last axis; where they are all the same, they are the unit of the channel."""
        units = self.units
        if isinstance(units, str) or not all(isinstance(unit, str) for unit in units):
            raise InputError(
                "units must be a tuple of texts", where=self._where, got=repr(units), allowed="a tuple of texts"
            )
        if not units:
            object.__setattr__(self, "units", ())
            return
        if len(units) != (self.shape[-1] if self.shape else 0) or self.unit:
            got = f"{len(units)} units, unit {self.unit!r}, shape {self.shape}"
            raise InputError(
                "units must match the last axis and exclude unit", where=self._where, got=got,
                allowed="one for each element of the last axis",
            )  # fmt: skip
        same = len(set(units)) == 1
        object.__setattr__(self, "unit", units[0] if same else "")
        object.__setattr__(self, "units", () if same else tuple(units))

    def _dtype(self) -> str:
        try:
            name = np.dtype(self.dtype).name
        except (TypeError, ValueError, SyntaxError):
            name = ""
        if name not in _DTYPES:
            raise InputError(
                "dtype must be a known type of numbers", where=self._where, got=str(self.dtype),
                allowed=", ".join(_DTYPES),
            )  # fmt: skip
        return name

    def _number(self, key: str, value: Any) -> float:
        try:
            number = float(value)
            if isinstance(value, (bool, str)) or not math.isfinite(number):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{key} must be a finite number", where=self._where, got=repr(value), allowed="a finite number"
            ) from None
        return number


@dataclass(frozen=True)
class Event:
    """Something that happened at an instant: a contact, an impact, a mark set by hand."""

    time: float
    """[s]"""
    name: str
    detail: dict[str, Any] = field(default_factory=dict)
    """What more is known, JSON-able."""


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise InputError(
            "the name of a channel must be a short printable text",
            got=repr(name)[:80],
            allowed="printable text, 1 to 200 characters",
        )
    if name != name.strip():
        raise InputError("the name of a channel must not begin or end with a space", got=name)
