"""The design of a study: which cases there are, in the order of the grid."""

import csv
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, closest, closest_file
from motiform.base.files import plain_file, reads_file
from motiform.base.toml import parse_toml
from motiform.record.files import AnyPath, as_path
from motiform.studies.sampling import sample_ranges
from motiform.studies.values import ParameterRange, parameter_values

__all__ = ["DesignBlock", "StudyDesign", "make_design"]

MOST_CASES = 1_000_000


@dataclass(frozen=True)
class DesignBlock:
    """Parameters that vary together: a list of one, zipped lists, a sample, the columns of a table of cases."""

    names: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    sampled: bool = False


@dataclass(frozen=True)
class StudyDesign:
    """The product of blocks; the last varies fastest. A case is made when it is asked for."""

    blocks: tuple[DesignBlock, ...]

    @property
    def names(self) -> list[str]:
        """Paths of the parameters."""
        return [name for block in self.blocks for name in block.names]

    def __len__(self) -> int:
        return math.prod(len(block.rows) for block in self.blocks)

    def __getitem__(self, number: int) -> dict[str, Any]:
        found: list[tuple[DesignBlock, int]] = []
        for block in reversed(self.blocks):
            number, place = divmod(number, len(block.rows))
            found.append((block, place))
        return {name: value for block, place in reversed(found)
                for name, value in zip(block.names, block.rows[place], strict=True)}  # fmt: skip

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[number] for number in range(len(self)))

    def values(self, name: str) -> list[Any]:
        """Return the different values of a parameter, in order of their first case."""
        block = next(one for one in self.blocks if name in one.names)
        place = block.names.index(name)
        found: dict[str, Any] = {repr(row[place]): row[place] for row in reversed(block.rows)}
        return list(reversed(found.values()))


def make_design(
    parameters: Mapping[str, Any], *, zipped: Sequence[Sequence[str]] = (), sample: Mapping[str, Any] | None = None,
    cases: AnyPath | None = None, folder: Path | None = None,
) -> StudyDesign:  # fmt: skip
    """Return the design of parameters with their values, of which some vary together, and of a table of cases."""
    if not isinstance(parameters, Mapping):
        raise InputError("parameters must be a mapping", got=repr(parameters)[:60], allowed="{path: values}")
    values = {str(path): parameter_values(str(path), given, folder) for path, given in parameters.items()}
    ranges = {path: own for path, own in values.items() if isinstance(own, ParameterRange)}
    lists = {path: own for path, own in values.items() if not isinstance(own, ParameterRange)}
    if ranges and sample is None:
        raise InputError(
            "a range must have steps where no sample is asked for", where=f"parameter {next(iter(ranges))!r}",
            remedy="Give steps, or a sample with method, count and seed.",
        )  # fmt: skip
    if sample is not None and not ranges:
        raise InputError("a sample needs a range", where="sample", allowed="{ from = …, to = … } without steps")
    together = _groups(zipped, values)
    blocks: list[DesignBlock] = []
    for path in values:
        if path in ranges:
            if path == next(iter(ranges)):
                blocks.append(DesignBlock(tuple(ranges), sample_ranges(ranges, sample or {}), sampled=True))
        elif path in together:
            if path == together[path][0]:
                blocks.append(_zip(together[path], lists))
        else:
            blocks.append(DesignBlock((path,), [(value,) for value in lists[path]]))
    if cases is not None:
        blocks.append(read_cases(cases))
    return _checked(blocks)


def _checked(blocks: list[DesignBlock]) -> StudyDesign:
    design = StudyDesign(tuple(blocks))
    twice = next((name for n, name in enumerate(design.names) if name in design.names[:n]), None)
    if twice is not None:
        raise InputError("a parameter must be given once", got=twice)
    if not blocks:
        raise InputError("a study must have a parameter", remedy="Give [parameters] or a table of cases.")
    if len(design) > MOST_CASES:
        raise InputError("the study has too many cases", got=len(design), allowed=f"up to {MOST_CASES}")
    return design


def _groups(zipped: Sequence[Sequence[str]], values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the group of each parameter that varies with others."""
    found: dict[str, tuple[str, ...]] = {}
    if isinstance(zipped, str) or any(not isinstance(group, list | tuple) or len(group) < 2 for group in zipped):
        raise InputError("zipped parameters must be a list of lists", where="zip", got=repr(zipped)[:60],
                         allowed='[["a", "b"]]')  # fmt: skip
    for group in zipped:
        for path in group:
            if not isinstance(path, str) or not isinstance(values.get(path), list):
                raise InputError("no such parameter with a list of values", where="zip", got=str(path),
                                 remedy=closest(path, values))  # fmt: skip
            if path in found:
                raise InputError("a parameter must be zipped once", where="zip", got=path)
            found[path] = tuple(group)
    return {path: tuple(sorted(group, key=list(values).index)) for path, group in found.items()}


def _zip(names: tuple[str, ...], lists: Mapping[str, list[Any]]) -> DesignBlock:
    lengths = {name: len(lists[name]) for name in names}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{name}: {count}" for name, count in lengths.items())
        raise InputError("zipped parameters must have as many values each", where="zip", got=got)
    return DesignBlock(names, list(zip(*(lists[name] for name in names), strict=True)))


@reads_file("a table of cases")
def read_cases(path: AnyPath) -> DesignBlock:
    """Read a CSV table of cases: a first row of paths, then a case a row; cells are TOML, or plain text."""
    place = as_path(path)
    if not place.exists():
        raise InputError("no such table of cases", got=str(place), remedy=closest_file(place))
    rows = list(csv.reader(plain_file(place).read_text("utf-8-sig").splitlines()))
    rows = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise InputError("a table of cases must have a row of paths, and a case", where=str(place))
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]) or "" in row:
            allowed = f"{len(rows[0])} cells, none of them empty"
            raise InputError("a row must have a cell for each parameter", where=f"{place}:{number}",
                             got=",".join(row)[:60], allowed=allowed)  # fmt: skip
    return DesignBlock(tuple(rows[0]), [tuple(map(_cell, row)) for row in rows[1:]])


def _cell(text: str) -> Any:
    try:
        return parse_toml(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, ValueError):
        return text
