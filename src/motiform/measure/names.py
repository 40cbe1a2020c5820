"""Names of markers: prefixes, duplicates, and the correspondence of markers and tags."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.measure.changes import changed, check_markers, marker_names
from motiform.measure.raw import Raw
from motiform.record.recording import Recording

__all__ = ["Correspondence", "Matching", "choose_markers", "match_names", "read_correspondence"]

ABSENT = -1
_UNLABELED = re.compile(r"\*\d*|[uU]nlabel.*|[uU]nnamed.*|\s*")
Correspondence = Mapping[str, Any] | Sequence[int] | str | Path | None


def bare_name(name: str) -> str:
    """Return a name without the subject before a colon, in small letters, without spaces and underscores."""
    return re.sub(r"[\s_.-]", "", name.rsplit(":", 1)[-1]).lower()


def settle_names(raw: Raw, subject: str | None, unlabeled: bool, where: str) -> None:
    """Drop unnamed markers and those of other subjects, strip a common prefix, number doubles; in place."""
    keep = [k for k, name in enumerate(raw.names) if unlabeled or not _UNLABELED.fullmatch(name.rsplit(":", 1)[-1])]
    if len(keep) < len(raw.names):
        raw.notes.append(
            f"{len(raw.names) - len(keep)} markers without a name are left out (unlabeled=True keeps them)"
        )
    if subject is not None:
        keep = [k for k in keep if raw.names[k].rsplit(":", 1)[0].lower() == subject.lower() and ":" in raw.names[k]]
        if not keep:
            known = sorted({name.rsplit(":", 1)[0] for name in raw.names if ":" in name})
            raise InputError("the subject has no markers", where=where, got=subject, allowed=", ".join(known) or "none")
        raw.subjects = [subject]
    if not keep:
        raise InputError("no marker has a name", where=where, remedy="Say unlabeled=True to keep those without.")
    names = [raw.names[k].strip() for k in keep]
    prefixes = {name.rsplit(":", 1)[0] if ":" in name else "" for name in names}
    if len(prefixes) == 1 and prefixes != {""}:
        (prefix,) = prefixes
        names = [name.rsplit(":", 1)[1] for name in names]
        raw.subjects = raw.subjects or [prefix]
    raw.names = _number_doubles(names, raw.notes)
    if len(keep) < raw.points.shape[1]:
        raw.points = raw.points[:, keep]
        raw.residuals = None if raw.residuals is None else raw.residuals[:, keep]


def _number_doubles(names: list[str], notes: list[str]) -> list[str]:
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if not doubles:
        return names
    notes.append(f"names that occur more than once are numbered: {', '.join(doubles[:8])}")
    taken, seen, found = set(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        number = seen[name]
        while number > 1 and f"{name}_{number}" in taken:
            number += 1
        found.append(name if seen[name] == 1 else f"{name}_{number}")
        taken.add(found[-1])
    return found


@dataclass(frozen=True)
class Matching:
    """Which marker is which tag."""

    tags: tuple[str, ...]
    markers: tuple[str | None, ...]
    """Name of the marker of each tag, None where there is none."""
    indices: np.ndarray
    """Number of the marker of each tag from 0, −1 where there is none."""
    unmatched_tags: tuple[str, ...]
    unmatched_markers: tuple[str, ...]

    def __str__(self) -> str:
        found = len(self.tags) - len(self.unmatched_tags)
        lines = [f"{found} of {len(self.tags)} tags have a marker"]
        lines += [f"tags without: {', '.join(self.unmatched_tags)}"] if self.unmatched_tags else []
        return "\n".join(
            lines + ([f"markers without: {', '.join(self.unmatched_markers)}"] * bool(self.unmatched_markers))
        )


def match_names(rec: Recording, tags: Iterable[str], correspondence: Correspondence = None) -> Matching:
    """Find the marker of each tag by its name, or by a correspondence.

    An exact name comes first; of the tags and markers left, names agree where they are equal without a subject's
    prefix, capitals, spaces, underscores, dots and dashes. ``correspondence`` names markers itself: a mapping
    {tag: marker}, the path of a CSV file with the columns tag and marker, or the vector of HuMAnS with one number for
    each tag, from 1, −1 where the tag has no marker [HuMAnS 9.6.2]. Tags that it leaves out are matched by name. No
    common marker is an error.
    """
    check_markers(rec)
    names, tags = marker_names(rec), tuple(tags)
    given = _as_mapping(correspondence, tags, names)
    indices = _matched(tags, names, given)
    used = [k for k in indices if k != ABSENT]
    twice = [names[k] for k, count in Counter(used).items() if count > 1]
    if twice:
        raise InputError("a marker belongs to one tag at most", where=rec._where, got=", ".join(twice))
    if not used:
        raise InputError(
            "no marker has the name of a tag", where=rec._where, got=", ".join(names[:8]),
            allowed=", ".join(tags[:8]) + (", …" if len(tags) > 8 else ""),
            remedy="Give a correspondence: {tag: marker}, or a CSV file with the columns tag and marker.",
        )  # fmt: skip
    return Matching(
        tags, tuple(names[k] if k != ABSENT else None for k in indices), indices,
        tuple(tag for tag, k in zip(tags, indices, strict=True) if k == ABSENT),
        tuple(name for k, name in enumerate(names) if k not in set(used)),
    )  # fmt: skip


def _matched(tags: tuple[str, ...], names: list[str], given: dict[str, str | None]) -> np.ndarray:
    """Return the number of the marker of each tag: those given, then exact names, then similar names."""
    indices = np.full(len(tags), ABSENT)
    for k, tag in enumerate(tags):
        if tag in given:
            indices[k] = _find(given[tag], names)
    rest = [k for k, tag in enumerate(tags) if tag not in given]
    for k in rest:
        if tags[k] in names and names.index(tags[k]) not in indices:
            indices[k] = names.index(tags[k])
    taken = set(indices.tolist())
    for k in rest:
        if indices[k] == ABSENT:  # tags alike, such as L.Toe and LTOE of a set, share no marker: the first has it
            indices[k] = _find(tags[k], names, taken)
            taken.add(int(indices[k]))
    return indices


def _find(wanted: str | None, names: list[str], taken: Collection[int] = ()) -> int:
    """Return the number of a marker by its name, or by one alike that is not taken."""
    if wanted is None:
        return ABSENT
    if wanted in names and names.index(wanted) not in taken:
        return names.index(wanted)
    same = [k for k, name in enumerate(names) if bare_name(name) == bare_name(wanted) and k not in taken]
    if len(same) > 1:
        got = ", ".join(names[k] for k in same)
        raise InputError(
            f"{wanted!r} must stand for one marker", got=got, remedy="Name one of them in the correspondence."
        )
    return same[0] if same else ABSENT


def _as_mapping(given: Correspondence, tags: tuple[str, ...], names: list[str]) -> dict[str, str | None]:
    """Return {tag: name of its marker, None where it has none}."""
    if given is None:
        return {}
    if isinstance(given, (str, Path)):
        given = read_correspondence(given)
    if isinstance(given, Mapping):
        unknown = [tag for tag in given if tag not in tags]
        if unknown:
            got = ", ".join(map(str, unknown[:8]))
            raise InputError("the correspondence must name tags of the figure", got=got, allowed=", ".join(tags[:40]))
        return {tag: _marker(value, names, f"correspondence of {tag!r}") for tag, value in given.items()}
    numbers = list(given)
    if len(numbers) > len(tags):
        raise InputError("the correspondence is too long", got=len(numbers), allowed=f"one number for {len(tags)} tags")
    return {
        tag: _marker(value, names, f"correspondence of {tag!r}") for tag, value in zip(tags, numbers, strict=False)
    } | dict.fromkeys(tags[len(numbers) :])


def _marker(value: Any, names: list[str], where: str) -> str | None:
    """Return the name of a marker told by name or by its number from 1; None for −1, "" and None."""
    text = str(value).strip()
    if value is None or text in ("", "-1"):
        return None
    if text in names:
        return text
    if re.fullmatch(r"\d+", text):
        if not 1 <= int(text) <= len(names):
            raise InputError("no such marker", where=where, got=text, allowed=f"1 to {len(names)}, or -1")
        return names[int(text) - 1]
    place = _find(text, names)
    return None if place == ABSENT else names[place]  # a file of all trials may name what this one has not


@reads_file("names of markers")
def read_correspondence(path: str | Path) -> dict[str, str]:
    """Read a CSV file with the columns tag and marker; the first line may be these words, # begins a remark."""
    return read_pairs(path, ("tag", "marker"))


def read_pairs(path: str | Path, heads: tuple[str, str]) -> dict[str, str]:
    """Read a CSV file with two columns; the first line may be their heads, # begins a remark."""
    from motiform.measure.text import cells_of, read_text

    place, columns = Path(path), f"{heads[0]} and {heads[1]}"
    if not place.is_file():
        raise InputError("no such file", where=str(place), allowed=f"a CSV file with the columns {columns}")
    found: dict[str, str] = {}
    for number, line in enumerate(read_text(place).split("\n"), start=1):
        line = line.split("#")[0].strip()
        mark = next((mark for mark in ("\t", ";", ",") if mark in line), ",")
        cells = cells_of(line, mark)
        if not any(cells) or [cell.lower() for cell in cells[:2]] == list(heads):
            continue
        if len(cells) < 2 or not cells[0]:
            raise InputError(
                "a line must have two cells", where=f"{place}:{number}", got=line[:60], allowed=",".join(heads)
            )
        if cells[0] in found:
            raise InputError(f"a {heads[0]} must be named once", where=f"{place}:{number}", got=cells[0])
        found[cells[0]] = cells[1]
    return found


def choose_markers(rec: Recording, names: Iterable[str] | Mapping[str, str]) -> Recording:
    """Return the recording with some of its markers, in this order; a mapping {new name: marker} renames them."""
    pairs = dict(names) if isinstance(names, Mapping) else {name: name for name in names}
    points, known = check_markers(rec), marker_names(rec)
    places = [_find(name, known) for name in pairs.values()]
    missing = [name for name, k in zip(pairs.values(), places, strict=True) if k == ABSENT]
    if missing or not pairs:
        got = ", ".join(missing) or "no name"
        raise InputError("no such marker", where=rec._where, got=got, allowed=", ".join(known[:60]))
    return with_markers(rec, points[:, places], list(pairs), places)


def with_markers(rec: Recording, points: np.ndarray, names: list[str], places: list[int]) -> Recording:
    """Return the recording with these markers, and what else it keeps for each, taken from the places."""
    from dataclasses import replace

    data: dict[str, tuple[Any, Any]] = {}
    for name in rec:
        channel = rec.channel(name)
        if "marker" in channel.dims[:1]:
            values = points if name == "markers" else rec[name][:, places]
            data[name] = (replace(channel, shape=(len(names), *channel.shape[1:])), values)
    labels = {**rec.manifest.get("labels", {}), "marker": names}
    return changed(rec, data, manifest={"labels": labels})
