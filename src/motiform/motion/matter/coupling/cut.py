"""Which couplings of a network may be made one-way, the network with these cuts, and the resulting errors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.coupling.band import Band, check_threshold
from motiform.motion.matter.coupling.foresee import foresee
from motiform.motion.matter.coupling.influence_criteria import Influence, Verdict, influence_of_parts
from motiform.motion.matter.coupling.linear import LinearNetwork
from motiform.motion.matter.coupling.linearisation import ENDS, Active, linearise
from motiform.motion.matter.coupling.separation import Separation, separate
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.model.network import Bundle, Network, NetworkState, Reach
from motiform.motion.matter.model.points import find_points
from motiform.record.plain import to_plain
from motiform.spatial.checks import Words

__all__ = ["Advice", "Cut", "PairAdvice", "advise", "cut_network", "model_labels", "pair_influences"]


@dataclass(frozen=True, eq=False)
class PairAdvice:
    """What two models that links join do to one another, along each axis that was looked at."""

    a: str
    b: str
    influences: Mapping[str, Influence]
    """By axis; nothing where no link between them acts at the state."""
    threshold: float
    error_a: float | None = None
    """Error of a foreseen if it ignores b, with all sources of the network; None where nothing moves it, infinite where
    it cannot be foreseen."""
    error_b: float | None = None
    """Error of b foreseen if it ignores a."""
    reason: str = ""
    """Why errors cannot be foreseen; empty where they can."""

    @property
    def worst_a(self) -> float:
        """Largest influence of b on a, over band and axes, or the error foreseen; infinite where nothing is known."""
        return max(max((one.worst_a for one in self.influences.values()), default=np.inf), self.error_a or 0.0)

    @property
    def worst_b(self) -> float:
        """Largest influence of a on b, over band and axes, or the error foreseen."""
        return max(max((one.worst_b for one in self.influences.values()), default=np.inf), self.error_b or 0.0)

    @property
    def verdict(self) -> Verdict:
        """What may be cut [Habibi97 3.20-3.23]; both ways are kept where nothing is known."""
        free_a, free_b = self.worst_a <= self.threshold, self.worst_b <= self.threshold
        if free_a and free_b:
            return "independent"
        return "a drives b" if free_a else "b drives a" if free_b else "both kept"

    @property
    def connections(self) -> tuple[tuple[str, str], ...]:
        """Directed connections that stay: (from, to)."""
        ab, ba = (self.a, self.b), (self.b, self.a)
        return {"independent": (), "a drives b": (ab,), "b drives a": (ba,)}.get(self.verdict, (ab, ba))

    def __str__(self) -> str:
        summary = {
            "independent": f"{self.a} and {self.b} are independent",
            "a drives b": f"{self.a} drives {self.b}",
            "b drives a": f"{self.b} drives {self.a}",
            "both kept": f"{self.a} and {self.b} move one another",
        }[self.verdict]
        if not self.influences:
            return f"{summary}: kept, for no link between them acts at this state"
        line = f"{summary}: {self.b} on {self.a} {self.worst_a:.3g}, {self.a} on {self.b} {self.worst_b:.3g} at most"
        return line + (
            f" (errors with the sources of the network are not foreseen: {self.reason})" if self.reason else ""
        )


@dataclass(frozen=True)
class Cut:
    """Links of one bundle or reach that act one way only, or not at all."""

    links: str
    driver: str
    driven: str
    count: int
    """Number of links; 0 for links by range, whose number changes."""
    acts: str
    """"first" or "second" end only, "none"; for links by range "driven" or "none"."""


@dataclass(frozen=True, eq=False)
class Advice:
    """What may be cut in a network, and the runs that this allows."""

    network: Network
    models: Mapping[str, np.ndarray]
    """Name and indices of its points."""
    pairs: tuple[PairAdvice, ...]
    separation: Separation
    band: Band
    threshold: float
    axes: Mapping[str, Any]
    """Axes that were looked at, by name."""
    linear: Mapping[str, LinearNetwork]
    """The linear network that was judged along each axis."""
    errors: Mapping[str, float | None]
    """Error of each model foreseen if all is cut that may be; None where nothing moves it or it cannot be foreseen."""

    @cached_property
    def labels(self) -> np.ndarray:
        """Number of the model of each point, (points,); −1 for points that links do not move."""
        return model_labels(self.network, self.models)

    @cached_property
    def connections(self) -> tuple[tuple[str, str], ...]:
        """Directed connections that stay, those within a group of the schedule all: a cut there would gain nothing."""
        group = self.separation.group_of
        inner = [(one, two) for p in self.pairs for one, two in ((p.a, p.b), (p.b, p.a)) if group[one] == group[two]]
        kept = [(str(one), str(two)) for one, two in self.separation.connections]
        return tuple(dict.fromkeys([*kept, *inner]))

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """Links that act less than they did."""
        label, names = self.labels, list(self.models)
        allowed = _allowed(names, self.connections)
        found = []
        for bundle in self.network.bundles:
            code = _codes(bundle, label, allowed)
            changed = code != ENDS[bundle.acts]
            ends = label[bundle.pairs[changed]]
            for (a, b), acts in sorted(
                {(tuple(pair), int(c)) for pair, c in zip(ends.tolist(), code[changed], strict=True)}
            ):
                count = int(((label[bundle.pairs] == (a, b)).all(axis=1) & changed & (code == acts)).sum())
                driver, driven = (b, a) if acts == 1 else (a, b)
                how = {0: "none", 1: "first", 2: "second"}[acts]
                found.append(Cut(bundle.name, names[driver], names[driven], count, how))
        for reach in self.network.reaches:
            for a, b in _reach_joins(reach, label):
                lost = [(i, j) for i, j in ((a, b), (b, a)) if not allowed[j, i]]  # i may ignore j
                how = "driven" if len(lost) == 1 else "none"
                found += [Cut(reach.name, names[i], names[j], 0, how) for i, j in lost[:1]]
        return tuple(found)

    def cut_network(self) -> Network:
        """Return the network with these couplings cut, to be run as one."""
        return cut_network(self.network, self.models, self.connections)

    def as_dict(self) -> dict[str, Any]:
        """Return numbers, verdicts, cuts and schedule as plain values."""
        pairs = [
            {
                "a": p.a,
                "b": p.b,
                "verdict": p.verdict,
                "on_a": p.worst_a,
                "on_b": p.worst_b,
                "error_a": p.error_a,
                "error_b": p.error_b,
                "reason": p.reason,
                "axes": {axis: one.as_dict() for axis, one in p.influences.items()},
            }
            for p in self.pairs
        ]
        cuts = [dict(vars(cut)) for cut in self.cuts]
        found = {"band": [self.band.low, self.band.high], "threshold": self.threshold, "pairs": pairs, "cuts": cuts}
        found["errors"] = dict(self.errors)
        plain: dict[str, Any] = to_plain(found | self.separation.as_dict(), "advice")
        return plain

    def __str__(self) -> str:
        lines = [f"couplings from {self.band}, threshold {self.threshold:g}", *(f"  {pair}" for pair in self.pairs)]
        lines += ["cut:"] if self.cuts else ["nothing to cut"]
        for cut in self.cuts:
            number = f"{cut.count} link{'s' * (cut.count > 1)} of " if cut.count else ""
            how = "no more" if cut.acts == "none" else f"on {cut.driven} only"
            lines.append(f"  {number}{cut.links!r} between {cut.driver} and {cut.driven}: {how}")
        return "\n".join([*lines, str(self.separation)])


def advise(
    network: Network,
    models: Mapping[str, Any],
    band: Band | tuple[float, float],
    threshold: float = 0.1,
    *,
    state: NetworkState | Engine | None = None,
    axes: str | Sequence[Any] = "xyz",
    active: Active = None,
    geometric: bool = False,
    count: int = 200,
    duration: float | None = None,
) -> Advice:
    """Return which couplings of a network may act one way only, over a band [Hz] and at a state.

    Parameters
    ----------
    models : name of each and its points: groups, "group[3]", indices, or a list of such. Every mass is in one model;
        fixed and imposed points need not be.
    threshold : what is at most this part is negligible; the error of the driver, relative to its own motion.
    axes : along which links are looked at; the worst counts.
    active : as for `linearise`: "strongest" judges all links as if in their stiffest zone.
    count : frequencies looked at, spread evenly in logarithm.
    duration : of the run whose errors are foreseen [s]; that of the band, or 1/low, where it is None.

    A cut must be negligible both for any excitation of the driver in the band [Habibi97 3.23] and, over a run from the
    state, for what excites the network: motors, imposed points, weight, wind, initial velocities [3.22]. With `active`
    only the first is judged. Influences are those of the scheme at the network's frequency. Links that do not act at
    the state are not judged but kept, as are pistons: ask again at another state. What acts one way already stays so.
    """
    where = Band(*band) if isinstance(band, tuple | list) else band
    limit = check_threshold(threshold)
    label, names = model_labels(network, models), list(models)
    points = {name: find_points(network, models[name]) for name in names}
    given = {_axis_name(axis): axis for axis in axes}
    seen = {name: linearise(network, state, axis, active, geometric=geometric) for name, axis in given.items()}
    both, one_way, tied = _joins(network, label)
    pairs, kept = [], [(names[i], names[j]) for i, j in one_way]
    judged = sorted(both - tied)
    ways = {*one_way, *both, *((j, i) for i, j in both)}
    time = duration or where.duration or 1 / where.low
    foreseen = {} if active else _foresee(network, points, label, judged, ways, time, state)
    for i, j in sorted(both):
        some = {} if (i, j) in tied else pair_influences(seen, network, label, (i, j), names, where, limit, count)
        pairs.append(PairAdvice(names[i], names[j], some, limit, *foreseen.get((i, j), ())))
        kept += pairs[-1].connections
    unknown: dict[str, float | None] = dict.fromkeys(names)
    advice = Advice(network, points, tuple(pairs), separate(names, kept), where, limit, given, seen, unknown)
    return advice if active else replace(advice, errors=_foresee_all(advice, time, state))


def _foresee_all(advice: Advice, duration: float, state: NetworkState | Engine | None) -> dict[str, float | None]:
    """Return the error of each model if all is cut that may be; None where it cannot be foreseen."""
    if not advice.cuts:
        return dict.fromkeys(advice.models, 0.0)
    try:
        cut = advice.cut_network()
    except InputError:  # links by range that only runs apart can cut
        return dict.fromkeys(advice.models)
    (found,) = foresee(advice.network, [cut], advice.labels, duration, state)
    return {name: None if found.reason else found.errors.get(n) for n, name in enumerate(advice.models)}


def _foresee(
    network: Network, points: Mapping[str, np.ndarray], label: np.ndarray, pairs: Sequence[tuple[int, int]],
    ways: set[tuple[int, int]], duration: float, state: NetworkState | Engine | None,
) -> dict[tuple[int, int], tuple[float | None, float | None, str]]:  # fmt: skip
    """Return the errors of both models of each pair if one ignores the other, and why they are not foreseen."""
    names = list(points)

    def without(*lost: tuple[int, int]) -> Network:
        return cut_network(network, points, [(names[i], names[j]) for i, j in sorted(ways - set(lost))])

    try:
        cuts = [without((j, i)) for pair in pairs for i, j in (pair, pair[::-1])]
    except InputError as error:  # links by range that only runs apart can cut
        return {pair: (np.inf, np.inf, str(error)) for pair in pairs}
    found = foresee(network, cuts, label, duration, state)
    return {
        (i, j): (one.errors[i], two.errors[j], one.reason or two.reason)
        for (i, j), one, two in zip(pairs, found[::2], found[1::2], strict=True)
    }


def pair_influences(
    seen: Mapping[str, LinearNetwork], network: Network, label: np.ndarray, pair: tuple[int, int], names: Sequence[str],
    band: Band, threshold: float, count: int = 200,
) -> dict[str, Influence]:  # fmt: skip
    """Return the influences of two models on one another by axis, where links between them act along it."""
    found, (i, j) = {}, pair
    of = dict(zip((network.point_name(int(p)) for p in np.flatnonzero(label >= 0)), label[label >= 0], strict=True))
    for axis, linear in seen.items():
        mine = np.array([of[name] for name in linear.names] + [-1])  # the last is the ground
        ends = mine[linear.a], mine[linear.b]
        if (((ends[0] == i) & (ends[1] == j)) | ((ends[0] == j) & (ends[1] == i))).any():
            sides = [np.flatnonzero(mine == k).tolist() for k in (i, j)]
            found[axis] = influence_of_parts(
                linear, sides[0], sides[1], band, threshold=threshold, step=network.step,
                names=(names[i], names[j]), count=count,
            )  # fmt: skip
    return found


def cut_network(network: Network, models: Mapping[str, Any], connections: Iterable[Sequence[str]]) -> Network:
    """Return the network whose links act only along connections (from, to) of models, and within models.

    A bundle or reach of which only a part is cut becomes several. In a reach all points of a model have one role;
    others are for `run_schedule`.
    """
    label, names = model_labels(network, models), list(models)
    allowed = _allowed(names, connections)
    reaches = [kept for reach in network.reaches for kept in _cut_reach(reach, label, allowed, names)]
    return _cut_bundles(network, label, allowed).replace(reaches=tuple(reaches))


def _cut_reach(reach: Reach, label: np.ndarray, allowed: np.ndarray, names: list[str]) -> list[Reach]:
    """Return a reach that acts only where it may: one reach for each model and each two, with roles of their own."""
    lost = [(a, b) for a, b in _reach_joins(reach, label) if not (allowed[a, b] and allowed[b, a])]
    if not lost:
        return [reach]
    mine = label[reach.points]
    roles = {int(i): set(reach.role[mine == i].tolist()) for i in np.unique(mine)}
    whole = all(len(role) == 1 for role in roles.values())
    role = {i: min(some) for i, some in roles.items()}
    if not whole or (reach.acts != "both" and 3 in role.values()):
        a, b = lost[0]
        raise InputError(
            "all points of a model must have one role in a reach, to be cut", where=f"reach {reach.name!r}",
            got=Words(f"a cut between {names[a]} and {names[b]}"),
            remedy="Give each pair of models a reach of its own, or run them apart: run_schedule.",
        )  # fmt: skip
    found = [_part_of(reach, mine == i, reach.role, reach.acts, i, i, names) for i in role if role[i] == 3]
    for i, j in combinations(sorted(role), 2):
        first, second = (i, j) if role[i] & 1 and role[j] & 2 else (j, i)
        if not (role[first] & 1 and role[second] & 2):
            continue
        bits = ENDS[reach.acts] & (int(allowed[second, first]) + 2 * int(allowed[first, second]))
        acts: Any = next((key for key, value in ENDS.items() if value == bits), None)
        if acts is not None:
            new = np.where(mine == first, 1, 2).astype(reach.role.dtype)
            found.append(_part_of(reach, (mine == i) | (mine == j), new, acts, first, second, names))
    return found if len(found) != 1 else [replace(found[0], name=reach.name)]


def _part_of(
    reach: Reach, taken: np.ndarray, role: np.ndarray, acts: Any, first: int, second: int, names: list[str]
) -> Reach:
    ends = [names[k] if k >= 0 else "rest" for k in dict.fromkeys((first, second))]
    points, body = reach.points[taken], reach.body[taken]
    return replace(reach, name=".".join([reach.name, *ends]), points=points, role=role[taken], body=body, acts=acts)


def model_labels(network: Network, models: Mapping[str, Any]) -> np.ndarray:
    """Return the number of the model of each point, (points,); −1 for points that links do not move."""
    if not isinstance(models, Mapping) or not models:
        raise InputError(
            "models must be a mapping that is not empty",
            got=Words(repr(models)[:80]),
            allowed="{name: groups or points}",
        )
    label = np.full(network.count, -1)
    for n, (name, what) in enumerate(models.items()):
        points = find_points(network, what)
        twice = points[(label[points] >= 0) & network.movable[points]]
        if len(twice):
            other = list(models)[label[twice[0]]]
            raise InputError(
                "a mass belongs to one model at most",
                where=f"model {name!r}",
                got=Words(f"{network.point_name(twice[0])}, also of {other!r}"),
            )
        if not network.movable[points].any():
            raise InputError("a model must have masses", where=f"model {name!r}", remedy="Leave fixed points out.")
        label[points[network.movable[points]]] = n
    left = np.flatnonzero((label < 0) & network.movable)
    if len(left):
        got = Words(f"{network.point_name(int(left[0]))}" + (f" and {len(left) - 1} more" if len(left) > 1 else ""))
        raise InputError(
            "every mass must belong to a model", where="models", got=got, remedy="Put every mass into a model."
        )
    return label


def _allowed(names: Sequence[str], connections: Iterable[Sequence[str]]) -> np.ndarray:
    """Return whether one model acts on another, (models + 1, models + 1); last what links do not move."""
    separate(names, connections := [tuple(pair) for pair in connections])  # tells names that are wrong
    allowed = np.eye(len(names) + 1, dtype=bool)
    allowed[-1] = allowed[:, -1] = True
    for one, two in connections:
        allowed[names.index(one), names.index(two)] = True
    return allowed


def _codes(bundle: Bundle, label: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return on which ends links act when only some models act on others: bits 1 and 2, (links,)."""
    first, second = label[bundle.pairs].T
    found: np.ndarray = (allowed[second, first] + 2 * allowed[first, second]) & ENDS[bundle.acts]
    return found


def _cut_bundles(network: Network, label: np.ndarray, allowed: np.ndarray) -> Network:
    found: list[Bundle] = []
    for bundle in network.bundles:
        code, whole = _codes(bundle, label, allowed), ENDS[bundle.acts]
        kinds = [c for c in (whole, 3, 2, 1) if (code == c).any()]
        for n, c in enumerate(dict.fromkeys(kinds)):
            acts: Any = next(key for key, value in ENDS.items() if value == c)
            mine = code == c
            name = bundle.name if n == 0 else f"{bundle.name}.{acts}"
            if mine.all():
                found.append(bundle if c == whole else replace(bundle, acts=acts, grid=None))
            else:
                law = bundle.law.taken(mine)
                found.append(replace(bundle, name=name, pairs=bundle.pairs[mine], law=law, acts=acts, grid=None))
    return network.replace(bundles=tuple(found))


def _reach_joins(reach: Any, label: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of models (lower, higher) that a reach may join."""
    mine, found = label[reach.points], set()
    sides = [sorted(set(mine[(reach.role & bit) != 0].tolist()) - {-1}) for bit in (1, 2)]
    for i in sides[0]:
        found |= {(min(i, j), max(i, j)) for j in sides[1] if i != j}
    return sorted(found)


def _joins(network: Network, label: np.ndarray) -> tuple[set[Any], set[Any], set[Any]]:
    """Return the pairs of models that links join both ways, those that act one way (from, to), and tied by pistons."""
    both, one_way, tied = set(), set(), set()
    for bundle in network.bundles:
        a, b = label[bundle.pairs].T
        for i, j in {*zip(a.tolist(), b.tolist(), strict=True)}:
            if i < 0 or j < 0 or i == j:
                continue
            if bundle.acts == "both":
                both.add((min(i, j), max(i, j)))
            else:
                one_way.add((i, j) if bundle.acts == "second" else (j, i))
    for piston in network.pistons:
        for row in label[piston.pairs].reshape(piston.count, -1).tolist():
            tied |= set(combinations(sorted({i for i in row if i >= 0}), 2))
    for reach in network.reaches:
        if reach.acts == "both":
            both |= set(_reach_joins(reach, label))
            continue
        mine = label[reach.points]
        first, second = (set(mine[(reach.role & bit) != 0].tolist()) - {-1} for bit in (1, 2))
        ways = {(i, j) for i in first for j in second if i != j}
        one_way |= ways if reach.acts == "second" else {(j, i) for i, j in ways}
    return both | tied, one_way, tied


def _axis_name(axis: str | ArrayLike) -> str:
    return axis if isinstance(axis, str) else ", ".join(f"{v:g}" for v in np.asarray(axis, float).ravel())
