"""Which models must be simulated together, and in which order the rest can follow from recordings [Habibi97 §3.3].

Models are nodes; a connection that was not cut is an arc from the model that gives to the one that takes. Models that
no one-way cut separates form an inseparable group (the thesis's E2MI); these groups are the strongly connected
components of the graph, and they are the only partition of that kind [Habibi97 3.38].
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.matter.coupling.influence_criteria import Influence
from motiform.record.plain import to_plain
from motiform.spatial.checks import Words

__all__ = ["ScheduledRun", "Separation", "separate", "separate_by_influence"]

Model = Hashable
Connection = tuple[Model, Model]


@dataclass(frozen=True)
class ScheduledRun:
    """One run of the schedule: a group, what it needs and what it must record."""

    number: int
    """From 1."""
    group: int
    models: tuple[Model, ...]
    rank: int
    needs: tuple[Connection, ...]
    """Connections whose recordings, made by runs before, drive this one."""
    records: tuple[Connection, ...]
    """Connections to be recorded for runs to come."""


@dataclass(frozen=True, eq=False)
class Separation:
    """Inseparable groups of a network of models, and how they drive one another."""

    models: tuple[Model, ...]
    connections: tuple[Connection, ...]
    groups: tuple[tuple[Model, ...], ...]
    """By rank, then in the order of the models."""
    ranks: tuple[int, ...]
    """Longest way from a group that nothing drives, (groups,)."""

    @cached_property
    def group_of(self) -> dict[Model, int]:
        """Group of each model."""
        return {model: k for k, group in enumerate(self.groups) for model in group}

    @cached_property
    def links(self) -> dict[tuple[int, int], tuple[Connection, ...]]:
        """Connections from one group to another: {(driver, driven): connections}."""
        found: dict[tuple[int, int], list[Connection]] = {}
        for one, two in self.connections:
            pair = self.group_of[one], self.group_of[two]
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append((one, two))
        return {pair: tuple(found[pair]) for pair in sorted(found)}

    @property
    def separable(self) -> bool:
        """Whether anything can be simulated apart."""
        return len(self.groups) > 1

    @property
    def schedule(self) -> tuple[ScheduledRun, ...]:
        """Runs in order of rank; those of one rank do not need one another [Habibi97 §3.3.5]."""
        needs: list[list[Connection]] = [[] for _ in self.groups]
        records: list[list[Connection]] = [[] for _ in self.groups]
        for (start, end), some in self.links.items():
            records[start] += some
            needs[end] += some
        return tuple(
            ScheduledRun(k + 1, k, self.groups[k], self.ranks[k], tuple(needs[k]), tuple(records[k]))
            for k in range(len(self.groups))
        )

    def drives(self, one: Model, two: Model) -> bool:
        """Return whether information goes from one model to the other by some way and never back: two is a dressing."""
        start, end = (self.group_of[self._known(model)] for model in (one, two))
        return start != end and end in self._beyond(start)

    def _beyond(self, start: int) -> set[int]:
        seen = {start}
        for origin, to in self.links:  # sorted by driver, and a driver's number is below that of what it drives
            if origin in seen:
                seen.add(to)
        return seen

    def _known(self, model: Model) -> Model:
        if model not in self.group_of:
            raise _unknown(model, self.models)
        return model

    def as_dict(self) -> dict[str, Any]:
        """Return groups, links and the schedule as plain values."""
        runs = [
            {
                "run": run.number,
                "models": [str(m) for m in run.models],
                "rank": run.rank,
                "needs": [_arrow(c) for c in run.needs],
                "records": [_arrow(c) for c in run.records],
            }
            for run in self.schedule
        ]
        plain: dict[str, Any] = to_plain({"separable": self.separable, "runs": runs}, "separation")
        return plain

    def __str__(self) -> str:
        count = f"{len(self.groups)} run{'s' if self.separable else ''}"
        lines = [f"{len(self.models)} models in {count}" + ("" if self.separable else ": nothing can be separated")]
        for run in self.schedule:
            line = f"  {run.number}. rank {run.rank}: {', '.join(map(str, run.models))}"
            line += f"; plays {', '.join(map(_arrow, run.needs))}" if run.needs else ""
            line += f"; records {', '.join(map(_arrow, run.records))}" if run.records else ""
            lines.append(line)
        return "\n".join(lines)


def separate(models: Iterable[Model], connections: Iterable[Sequence[Model]]) -> Separation:
    """Return inseparable groups, ranks and schedule of models that directed connections (from, to) join."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = tuple(models)
    if not names:
        raise InputError(
            "a separation needs models", where="separate", got=Words("an empty list"), allowed="one or more"
        )
    place = {name: k for k, name in enumerate(names)}
    if len(place) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError("two models have one name", where="separate", got=Words(str(twice)))
    arcs = tuple(dict.fromkeys(_check_connection(pair, names, place) for pair in connections))
    ends = np.array([(place[one], place[two]) for one, two in arcs], int).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(names), len(names))).tocsr()
    count, label = connected_components(graph, directed=True, connection="strong")
    rank = _ranks(count, label[ends])
    members: list[list[int]] = [[] for _ in range(count)]
    for k, group in enumerate(label):
        members[group].append(k)
    order = sorted(range(count), key=lambda g: (rank[g], members[g][0]))
    groups = tuple(tuple(names[k] for k in members[g]) for g in order)
    return Separation(names, arcs, groups, tuple(rank[g] for g in order))


def separate_by_influence(models: Iterable[Model], found: Iterable[Influence]) -> Separation:
    """Return the schedule that verdicts on the couplings of models allow."""
    return separate(models, [connection for one in found for connection in one.connections])


def _ranks(count: int, arcs: np.ndarray) -> list[int]:
    """Return the longest way to each group from one without antecedent; arcs within a group do not count."""
    from graphlib import TopologicalSorter

    before: dict[int, set[int]] = {g: set() for g in range(count)}
    for one, two in arcs.tolist():
        if one != two:
            before[two].add(one)
    rank = [0] * count
    for group in TopologicalSorter(before).static_order():
        rank[group] = max((rank[g] + 1 for g in before[group]), default=0)
    return rank


def _check_connection(pair: Sequence[Model], names: tuple[Model, ...], place: dict[Model, int]) -> Connection:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(
            "a connection must be a pair of models", where="separate", got=Words(repr(pair)), allowed="(from, to)"
        )
    for end in pair:
        if end not in place:
            raise _unknown(end, names)
    if pair[0] == pair[1]:
        raise InputError("a model is connected with itself", where="separate", got=Words(str(pair[0])))
    return pair[0], pair[1]


def _unknown(model: Model, names: Sequence[Model]) -> InputError:
    texts = [str(name) for name in names]
    known = ", ".join(texts[:10]) + (", …" if len(texts) > 10 else "")
    return InputError(
        "no such model", where="separate", got=Words(str(model)), allowed=known, remedy=closest(str(model), texts)
    )


def _arrow(connection: Connection) -> str:
    return f"{connection[0]} → {connection[1]}"
