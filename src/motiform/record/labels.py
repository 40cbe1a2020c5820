"""Names of the numbers of a channel, and how some of them are chosen by name.

A number is called by its channel and one label for each axis, separated by dots: ``hand.position.x``,
``q.right_knee_extension``, ``solid.wrench.right_foot.force_y``. The first labels alone stand for all that they hold
(``solid.wrench.right_foot`` is six numbers), and ``*`` stands for a whole axis (``contact.force.*.y``). Elements
without a name have their number, from 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from motiform.base.errors import RecordingError, closest
from motiform.record.channel import Channel

__all__ = ["WRENCH", "WRENCH_UNITS", "Selection", "axis_names", "columns", "labels", "select"]

WRENCH = ("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")
"""Names of the elements of a wrench, an axis "component"."""
WRENCH_UNITS = ("N m", "N m", "N m", "N", "N", "N")
_KNOWN = {
    "axis": ("x", "y", "z"),
    "quaternion": ("w", "x", "y", "z"),
    "component": WRENCH,
    "contact_axis": ("tangential_1", "tangential_2", "normal"),
    "tangent": ("tangential_1", "tangential_2"),
}
_LONGEST = 100  # characters of a name: longer ones are not names
_SHOWN, _NEAR = 48, 4  # names that an error lists, and that it offers


@dataclass(frozen=True)
class Selection:
    """A part of a channel."""

    whole: str
    """Name of the channel."""
    index: tuple[int | slice, ...]
    """What is taken of each axis after time; () where all is."""
    channel: Channel
    """Description of the part."""


def axis_names(channel: Channel, named: Any) -> list[tuple[str, ...] | None]:
    """Return the names along each axis of a channel, None where elements have only numbers.

    `named` are the labels of a manifest, ``{dim: names}``, from a file that may hold anything; those that do not fit
    are left out. An element whose name is empty, not printable, or that of another before it, has its number.
    """
    named = named if isinstance(named, Mapping) else {}
    return [_names(named.get(dim), dim, size) for dim, size in zip(channel.dims, channel.shape, strict=True)]


def labels(channel: Channel, named: Any) -> tuple[tuple[str, ...], ...]:
    """Return the labels along each axis of a channel: names, or numbers from 0."""
    found = zip(axis_names(channel, named), channel.shape, strict=True)
    return tuple(tuple(map(str, range(size))) if names is None else names for names, size in found)


def columns(channel: Channel, named: Any) -> Iterator[tuple[str, str]]:
    """Walk through the numbers of a channel, the last axis fastest: what each is called, and its unit."""
    units = channel.units or (channel.unit,) * (channel.shape[-1] if channel.shape else 1)
    for n, places in enumerate(product(*labels(channel, named))):
        yield ".".join([channel.name, *places]), units[n % len(units)]


def select(name: str, channels: Mapping[str, Channel], named: Any, where: str) -> Selection:
    """Return the channel, or part of one, that a name refers to."""
    if isinstance(name, str) and name in channels:
        return Selection(name, (), channels[name])
    owners = [one for one in channels if isinstance(name, str) and name.startswith(f"{one}.")]
    for owner in sorted(owners, key=len, reverse=True):
        channel = channels[owner]
        index = _resolve_index(name[len(owner) + 1 :].split("."), axis_names(channel, named), channel.shape)
        if index is not None:
            return Selection(owner, index, _part(channel, name, index))
    raise _unknown(name, channels, owners, named, where)


def _names(named: Any, dim: str, size: int) -> tuple[str, ...] | None:
    if isinstance(named, (list, tuple)) and len(named) == size and size:
        texts = [str(one).strip() for one in named]
        first = {text: k for k, text in reversed(list(enumerate(texts)))}
        fits = [0 < len(text) <= _LONGEST and text.isprintable() and first[text] == k for k, text in enumerate(texts)]
        found = tuple(text if fit else str(k) for k, (text, fit) in enumerate(zip(texts, fits, strict=True)))
        return found if len(set(found)) == size else None
    known = _KNOWN.get(dim, ())
    return known if len(known) == size else None


def _resolve_index(
    parts: list[str], names: list[tuple[str, ...] | None], shape: tuple[int, ...]
) -> tuple[int | slice, ...] | None:
    """Return what is taken of each axis, or None where the parts name nothing. A name may have dots in it."""
    if not parts:
        return (slice(None),) * len(shape)
    if not shape:
        return None
    for count in range(len(parts), 0, -1):
        place = _place(".".join(parts[:count]), names[0], shape[0])
        rest = None if place is None else _resolve_index(parts[count:], names[1:], shape[1:])
        if place is not None and rest is not None:
            return (place, *rest)
    return None


def _place(label: str, names: tuple[str, ...] | None, size: int) -> int | slice | None:
    if names is not None and label in names:
        return names.index(label)
    if label == "*":
        return slice(None)
    number = int(label) if label.isascii() and label.isdecimal() and len(label) < 19 else size
    return number if number < size else None


def _part(channel: Channel, name: str, index: tuple[int | slice, ...]) -> Channel:
    """Return the description of a part of a channel."""
    kept = [k for k, place in enumerate(index) if isinstance(place, slice)]
    last = index[-1]
    units = channel.units if isinstance(last, slice) else ()
    unit = channel.units[last] if channel.units and isinstance(last, int) else channel.unit
    dims, shape = (tuple(whole[k] for k in kept) for whole in (channel.dims, channel.shape))
    return replace(channel, name=name, unit=unit, units=units, dims=dims, shape=shape)  # type: ignore[arg-type]


def _unknown(name: Any, channels: Mapping[str, Channel], owners: list[str], named: Any, where: str) -> RecordingError:
    """Return the error of a name that stands for nothing: what is wrong with it, and what is near."""
    if not owners:
        parts = [f"{one}.{part}" for one, c in channels.items() for part in (axis_names(c, named) or [()])[0] or ()]
        near = closest(name, channels) or closest(name, parts, most=_NEAR) if isinstance(name, str) else None
        got = name if isinstance(name, str) else repr(name)
        return RecordingError("no such channel", where=where, got=got, allowed=_listed(channels), remedy=near)
    owner = max(owners, key=len)
    axes, parts = list(labels(channels[owner], named)), name[len(owner) + 1 :].split(".")
    for size in channels[owner].shape:  # what is right at its beginning
        count = next((n for n in range(len(parts), 0, -1) if _place(".".join(parts[:n]), axes[0], size) is not None), 0)
        if not count or count == len(parts):
            break
        owner, parts, axes = ".".join([owner, *parts[:count]]), parts[count:], axes[1:]
    if not axes:
        return RecordingError(f"{owner!r} is one number", where=where, got=name, allowed=owner)
    wrong = ".".join(parts)
    near = closest(wrong, axes[0], most=_NEAR)
    allowed = _listed(axes[0])
    return RecordingError(f"no such component of {owner!r}", where=where, got=wrong, allowed=allowed, remedy=near)


def _listed(names: Any) -> str:
    some = list(names)
    return (", ".join(some[:_SHOWN]) + (", …" if len(some) > _SHOWN else "")) or "it holds none"
