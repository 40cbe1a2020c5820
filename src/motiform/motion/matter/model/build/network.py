"""Construction of networks: points, links, nested modules, by the rules of CORDIS-ANIMA.

A mass shows an M point (force in, position out), the end of a link is an L point (position in, force out) [Habibi97
1.3]. M meets L and nothing else; an M point takes any number of L points, an L point exactly one M point.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws.links import Friction, Zone, ZoneLaw, as_friction
from motiform.motion.matter.model.build.modules import add_module
from motiform.motion.matter.model.build.points import PointsBuilder
from motiform.motion.matter.model.checks import (
    check_apart,
    check_eddies,
    check_reach_apart,
    check_reach_room,
    check_rolls,
    read_axis,
    read_signal,
)
from motiform.motion.matter.model.handles import LinkEnd, OpenLink, PlacedModule, Points
from motiform.motion.matter.model.look import GroupLook
from motiform.motion.matter.model.network import (
    FREQUENCY,
    GRAVITY,
    Bundle,
    Input,
    Network,
    NetworkSolid,
    Piston,
    Reach,
    Signal,
    check_array,
)
from motiform.motion.matter.model.topology import GridLinks, check_links
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform import geometry
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw

__all__ = ["NetworkBuilder"]

Axis = Literal["x", "y", "z"]


class NetworkBuilder(PointsBuilder):
    """Collects points and links, then gives a frozen `Network`.

    >>> from motiform.motion.matter import links, topology
    >>> b = NetworkBuilder()
    >>> nail = b.fixed("nail", [0, 1, 0])
    >>> rope = b.masses("rope", [[0, 0.9, 0], [0, 0.8, 0]], mass=0.01)
    >>> b.link("strand", topology.chain(nail + rope), links.spring(100.0, damping=0.1))
    >>> b.build().count
    3
    """

    def __init__(
        self, *, frequency: float = FREQUENCY, gravity: ArrayLike = GRAVITY,
        wind: ArrayLike | Callable[[float], ArrayLike] = (0.0, 0.0, 0.0), keep_velocity: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(float(check_array(frequency, "frequency", "network", ())))
        if self.frequency <= 0:
            raise InputError("frequency must be above 0", where="network", got=frequency)
        if np.shape(gravity) != (3,) or (not callable(wind) and np.shape(wind) != (3,)):
            raise InputError("gravity and wind must be vectors", where="network", allowed="three numbers each")
        self.gravity = tuple(check_array(gravity, "gravity", "network", (3,)).tolist())
        self.wind, self.keep_velocity = wind, keep_velocity
        self._bundles: list[Bundle] = []
        self._pistons: list[Piston] = []
        self._reaches: list[Reach] = []
        self._solids: list[NetworkSolid] = []
        self._inputs: list[Input] = []
        self._exposed: dict[str, np.ndarray] = {}
        self._open: dict[str, OpenLink] = {}
        self._looks: dict[str, GroupLook] = {}

    # ---- links ------------------------------------------------------------------------------------------------------

    def link(
        self,
        name: str,
        pairs: Any,
        law: "ZoneLaw | AutomatonLaw",
        *,
        axis: Axis | None = None,
        acts: Literal["both", "first", "second"] = "both",
        every: int = 1,
        record: bool = False,
    ) -> None:
        """Add links between pairs of points: (links, 2) indices of a topology, or two sets of points, end by end.

        With `axis` distance and force are along one axis. `acts` cuts the way back: links that act on their second
        ends only let the first drive them. Links that work `every` so many steps push that much longer at a time.
        `record` keeps lengths, tensions and states.
        """
        where = f"links {name!r}"
        if acts not in ("both", "first", "second"):
            raise InputError(
                "`acts` must be one of the allowed words", where=where, got=acts, allowed="'both', 'first', 'second'"
            )
        if not isinstance(every, int) or every < 1 or (every > 1 and record):
            raise InputError(
                "`every` must be a number of steps", where=where, got=every,
                allowed="a whole number of steps; 1 where links are recorded",
            )  # fmt: skip
        ends = self._pairs(pairs, where)
        grid = pairs if isinstance(pairs, GridLinks) and axis is None and acts == "both" and every == 1 else None
        number = read_axis(axis, where)
        self._check_law(law, where)
        self._check_links(len(ends), grid is not None)
        law.rows(len(ends), np.ones(len(ends)))  # its numbers fit, or it says why not
        self.reserve(name)
        self._bundles.append(Bundle(name, ends, law, number, acts, grid, record, every))

    def _check_links(self, count: int, in_grid: bool) -> None:
        """Refuse more links together than fit into memory."""
        listed = sum(bundle.count for bundle in self._bundles if bundle.grid is None) + count * (not in_grid)
        in_grids = sum(bundle.count for bundle in self._bundles if bundle.grid is not None) + count * in_grid
        points = sum(group.count for group in self._groups)
        check_links(listed + in_grids, "a network", in_grids=in_grids, points=points)

    def piston(
        self, name: str, pairs: Sequence[Any], axes: Sequence[Axis], *, stiffness: ArrayLike, rest: ArrayLike,
        damping: ArrayLike = 0.0,
    ) -> None:  # fmt: skip
        """Add pistons: each puts one tension on several pairs of points, from the sum of their lengths along axes."""
        where = f"pistons {name!r}"
        found = [self._pairs(one, where) for one in pairs]
        if len({len(one) for one in found}) != 1 or len(found) != len(axes) or len(found) < 2:
            raise InputError(
                "pistons must have sets of pairs of equal size",
                where=where,
                allowed="two or more sets of pairs alike, an axis for each",
            )
        law = ZoneLaw("piston", (Zone(stiffness, damping, rest),))
        self.reserve(name)
        numbers = np.array([read_axis(axis, where) for axis in axes])
        self._pistons.append(Piston(name, np.stack(found, axis=1), numbers, law))

    def reach(
        self,
        name: str,
        points: Any,
        others: Any = None,
        *,
        law: "ZoneLaw | AutomatonLaw",
        friction: Friction | float | None = None,
        apart: Sequence[Any] = (),
        acts: Literal["both", "first", "second"] = "both",
    ) -> None:
        """Add links between all points of two sets (or of one) that come within the law's range of one another.

        The law's distance is the gap between balls of the points' radii, which are 0 unless given. Points of one set
        of `apart` do not act on one another: the masses of a brick that has links of its own.
        """
        where = f"reach {name!r}"
        if acts not in ("both", "first", "second") or (acts != "both" and others is None):
            allowed = "'both'; 'first' or 'second' of two sets"
            raise InputError("`acts` must fit the sets of points", where=where, got=acts, allowed=allowed)
        self._check_law(law, where)
        if not np.isfinite(law.cutoff):
            raise InputError("the range of the law must be finite", where=where, got=law.name,
                             remedy="Take a buffer or cohesion, or links between given pairs.")  # fmt: skip
        if isinstance(law, ZoneLaw) and any(np.ndim(v) for z in law.zones for v in (z.stiffness, z.damping, z.until)):
            raise InputError(
                "a law by range has one number of each kind", where=where, remedy="Give radii to the points."
            )
        widest = float(max((group.radius.max() for group in self._groups), default=0.0))
        if law.cutoff + 2 * widest <= 0:
            remedy = "Raise the law's threshold, or give the points radii."
            raise InputError(
                "the law must act at some distance", where=where, got=f"range {law.cutoff:g} m", remedy=remedy
            )
        first = self._points(points, where)
        second = first if others is None else self._points(others, where)
        both = np.unique(np.concatenate((first, second)))
        if acts != "both" and len(both) < len(first) + len(second):
            raise InputError(
                "the two sets of a one-way reach must not overlap",
                where=where,
                remedy="Links act one way between sets apart.",
            )
        role = np.isin(both, first).astype(np.uint8) + 2 * np.isin(both, second).astype(np.uint8)
        body = np.full(len(both), -1, np.int64)
        for n, one in enumerate(apart):
            body[np.isin(both, self._points(one, where))] = n
        if friction is not None and not isinstance(law, ZoneLaw):
            remedy = "Write it into the automaton, or take a zone law."
            raise InputError("friction needs a zone law", where=where, remedy=remedy)
        self.reserve(name)
        rub = as_friction(friction, law)
        self._reaches.append(Reach(name, both, role.astype(np.uint8), body, law, rub, acts))

    def solid(
        self,
        name: str,
        shape: "geometry.Solid",
        placement: "Transform",
        points: Any,
        *,
        law: ZoneLaw,
        friction: Friction | float | None = None,
        color: tuple[float, float, float] | None = None,
        motion: "Callable[[float], Transform] | None" = None,
    ) -> None:
        """Add a shape that points push against, by a law of the gap between a point's ball and its surface."""
        where = f"solid {name!r}"
        self._check_law(law, where)
        if not isinstance(law, ZoneLaw) or not np.isfinite(law.cutoff):
            raise InputError(
                "the law of a solid must be a zone law of finite range", where=where, got=law.name,
                allowed="a zone law that ends at some distance",
            )  # fmt: skip
        self.reserve(name)
        rub = as_friction(friction, law)
        self._solids.append(NetworkSolid(name, shape, placement, self._points(points, where), law, rub, color, motion))

    def push(self, name: str, points: Any, force: Any, *, rate: float | None = None) -> None:
        """Add forces on points [N]: a vector, a function of time, or samples (samples, points, 3) at a rate."""
        where = f"push {name!r}"
        found = self._points(points, where)
        if not callable(force) and rate is None:
            vector = check_array(force, "force", where, (len(found), 3))
            signal = Signal(vector[None], 1.0)
        else:
            signal = read_signal(force, rate, where)
        self.reserve(name)
        self._inputs.append(Input(name, found, signal))

    def _check_law(self, law: Any, where: str) -> None:
        if not all(hasattr(law, key) for key in ("rows", "strongest", "cutoff")):
            raise InputError(
                "the law must be one of motiform.matter.links", where=where, got=law,
                allowed="motiform.matter.links.spring(...), …",
            )  # fmt: skip

    def look(
        self,
        name: str,
        *,
        draw: Literal["balls", "skin", "links", "none"] | None = None,
        color: ArrayLike | None = None,
        map: tuple[float, float] | None = None,
        radius: ArrayLike | None = None,
        width: float | None = None,
        faces: ArrayLike | None = None,
    ) -> None:
        """Say how a group, a bundle or a solid is drawn, see `GroupLook`; what is not given stays as it was."""
        given = {"draw": draw, "color": color, "map": map, "radius": radius, "width": width, "faces": faces}
        changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        self._looks[name] = replace(self._looks.get(name, GroupLook()), **changes)

    # ---- modules ----------------------------------------------------------------------------------------------------

    def open_link(self, name: str, mass: Points, law: "ZoneLaw | AutomatonLaw", *, axis: Axis | None = None) -> LinkEnd:
        """Add a link with one end at a mass; the other, an L point, is connected later, by `connect`."""
        where = f"open link {name!r}"
        found = self._points(mass, where)
        if len(found) != 1:
            raise InputError("an open link must begin at one mass", where=where, got=f"{len(found)} points")
        self._check_law(law, where)
        self.reserve(name)
        self._open[name] = OpenLink(int(found[0]), law, read_axis(axis, where))
        return LinkEnd(name, self)

    def connect(self, one: "Points | LinkEnd", other: "Points | LinkEnd") -> None:
        """Connect the end of an open link with a mass: M meets L, and nothing else."""
        kinds = [isinstance(thing, LinkEnd) for thing in (one, other)]
        if all(kinds):
            raise InputError("two L points do not connect", remedy="Put a mass between the links.")
        if not any(kinds):
            raise InputError("two M points do not connect", remedy="Put a link between the masses.")
        end, mass = (one, other) if kinds[0] else (other, one)
        assert isinstance(end, LinkEnd)
        if end.owner is not self or end.name not in self._open:
            raise InputError(
                "the link's end belongs to another network", got=end.name, remedy="Add it as a module first."
            )
        found = self._points(mass, f"open link {end.name!r}")
        waiting = self._open[end.name]
        if waiting.other is not None:
            raise InputError("an L point takes one mass", where=f"open link {end.name!r}", got="a second one")
        if len(found) != 1 or found[0] == waiting.mass:
            raise InputError("an L point takes one mass, not the one at its other end", where=f"open link {end.name!r}")
        waiting.other = int(found[0])

    def expose(self, name: str, point: "Points | LinkEnd") -> None:
        """Show points, or the end of an open link, to networks that this one is added to."""
        if isinstance(point, LinkEnd):
            if point.name not in self._open:
                raise InputError("no such open link", got=point.name)
            self._open[name] = self._open.pop(point.name)
        else:
            self._exposed[name] = self._points(point, f"exposed {name!r}")

    def add(
        self, name: str, module: "NetworkBuilder", *, at: ArrayLike = (0.0, 0.0, 0.0), turn: ArrayLike | None = None
    ) -> PlacedModule:
        """Add another network as a module: its names after `name` and a dot, moved by `at` and turned by a matrix.

        Gravity and wind are those of the network that it is added to. A module may have a lower rate, this one's
        divided by a whole number: its links, gravity, drag and pushes then work at that sub-rate, while its masses move
        on evenly in between, so that it moves as it would alone.
        """
        return add_module(self, name, module, at=at, turn=turn)

    # ---- the network ------------------------------------------------------------------------------------------------

    def build(self) -> Network:
        """Return the frozen network, after checking that no link ends nowhere and no ends coincide."""
        if not self._groups:
            raise InputError("a network must have points", remedy="Add masses.")
        loose = [name for name, waiting in self._open.items() if waiting.other is None]
        if loose:
            raise InputError(
                "both ends of a link must be connected",
                got=", ".join(loose),
                remedy="Connect its open end, or take it away.",
            )
        bundles = list(self._bundles)
        for name, waiting in self._open.items():
            bundles.append(Bundle(name, np.array([[waiting.mass, waiting.other]]), waiting.law, waiting.axis))
        wind = self.wind if callable(self.wind) else check_array(self.wind, "wind", "network", (3,))[None]
        network = Network(
            tuple(self._groups), tuple(bundles), tuple(self._pistons), tuple(self._reaches), tuple(self._solids),
            tuple(self._inputs), self.frequency, self.gravity, Signal(wind, 1.0), dict(self._exposed),
            self.keep_velocity, dict(self._looks),
        )  # fmt: skip
        place = self.positions()
        for bundle in bundles:
            check_apart(bundle, place, network)
        for reach in self._reaches:
            check_reach_apart(reach, place, network)
            check_reach_room(reach, place, network)
        for thing in (*self._reaches, *self._solids):
            check_rolls(thing, network)
        check_eddies(network)
        self._check_looks(network)
        return network

    def _check_looks(self, network: Network) -> None:
        names = [g.name for g in network.groups] + [b.name for b in network.bundles] + [s.name for s in network.solids]
        for name in self._looks:
            if name not in names:
                raise InputError(
                    "a look must name a group, a bundle or a solid of the network", got=name, allowed=", ".join(names),
                    remedy=closest(name, names),
                )  # fmt: skip
