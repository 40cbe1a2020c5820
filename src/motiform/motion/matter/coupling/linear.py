"""A network of masses and links in one linear sub-domain, along one axis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["GROUND", "LinearNetwork", "cell", "chain_of_cells", "join", "state_matrix", "without_links"]

GROUND = -1  # the end of a link that is held


@dataclass(frozen=True, eq=False)
class LinearNetwork:
    """Masses on an axis and the springs and dampers between them: one linear sub-domain of a network, projected.

    Links that are out of reach in this sub-domain are left out. A mass of zero is a bare end of links: a point of
    communication that gives a force and takes a velocity.
    """

    mass: Array
    """[kg], (masses,), zero or more."""
    a: np.ndarray
    """First end of each link, (links,): index of a mass, or −1 for the ground."""
    b: np.ndarray
    """Second end of each link, (links,)."""
    stiffness: Array
    """[N/m], (links,); below zero where a law repels less with nearness (cohesion)."""
    damping: Array
    """[N s/m], (links,)."""
    names: tuple[str, ...] = ()
    """Names of the masses, or nothing."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "mass", _read_only(_check_masses(self.mass)))
        for key in ("a", "b"):
            put(self, key, _read_only(_check_ends(getattr(self, key), key, len(self.mass))))
        if self.a.shape != self.b.shape:
            got = f"{len(self.a)} and {len(self.b)}"
            raise InputError("each link has two ends", where="links", got=Words(got), allowed="as many a as b")
        for key in ("stiffness", "damping"):
            put(self, key, _read_only(_per_link(getattr(self, key), key, len(self.a))))
        loops = np.flatnonzero(self.a == self.b)
        if len(loops):
            raise InputError(
                "the ends of a link must be different points",
                where=f"link {loops[0]}",
                got=Words(f"both ends {self.a[loops[0]]}"),
            )
        put(self, "names", _check_names(self.names, len(self.mass)))

    @property
    def size(self) -> int:
        """Number of masses."""
        return len(self.mass)

    @property
    def links(self) -> int:
        """Number of links."""
        return len(self.a)

    def index(self, point: int | str) -> int:
        """Return the index of a mass, given by its name or index."""
        if isinstance(point, str):
            if point not in self.names:
                known = ", ".join(self.names[:10]) or "no mass has a name"
                raise InputError("no such mass", got=point, allowed=known, remedy=closest(point, self.names))
            return self.names.index(point)
        if isinstance(point, bool) or not isinstance(point, int | np.integer) or not 0 <= point < self.size:
            raise InputError("no such mass", got=point, allowed=f"0 to {self.size - 1}, or a name")
        return int(point)

    def label(self, point: int) -> str:
        """Return the name of a mass, or its index as text; "ground" for −1."""
        return "ground" if point == GROUND else self.names[point] if self.names else str(point)

    @cached_property
    def matrices(self) -> tuple[Any, Any, Any]:
        """Mass, stiffness and damping as sparse matrices (masses, masses): M ẍ + Z ẋ + K x = f."""
        from scipy.sparse import diags_array

        return diags_array(self.mass, format="csc"), self._laplacian(self.stiffness), self._laplacian(self.damping)

    def part(self, points: Iterable[int | str], *, others: str = "free") -> "LinearNetwork":
        """Return the network of some masses alone, in the order given.

        Links to the masses left out are dropped (others="free") or tied to the ground (others="held").
        """
        if others not in ("free", "held"):
            raise InputError("unknown way to leave masses out", got=others, allowed='"free" or "held"')
        kept = [self.index(point) for point in points]
        if len(set(kept)) < len(kept):
            raise InputError("a mass is named twice", got=Words(str(kept)))
        new = np.full(self.size + 1, GROUND - 1)  # the last entry is the ground's: index −1 finds it
        new[kept] = np.arange(len(kept))
        new[GROUND] = GROUND
        a, b = new[self.a], new[self.b]
        out = GROUND - 1
        inner = (a != out) & (b != out) & ~((a == GROUND) & (b == GROUND))
        if others == "held":
            inner |= ((a >= 0) & (b == out)) | ((b >= 0) & (a == out))
        a, b = np.where(a == out, GROUND, a)[inner], np.where(b == out, GROUND, b)[inner]
        names = tuple(self.names[k] for k in kept) if self.names else ()
        return LinearNetwork(self.mass[kept], a, b, self.stiffness[inner], self.damping[inner], names)

    def reached(self, points: Sequence[int]) -> np.ndarray:
        """Return the sorted indices of the masses that links connect with these, these included; not through ground."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        tied = (self.a >= 0) & (self.b >= 0)
        ends = (self.a[tied], self.b[tied])
        graph = coo_array((np.ones(tied.sum()), ends), shape=(self.size, self.size))
        component = connected_components(graph, directed=False)[1]
        return np.flatnonzero(np.isin(component, component[list(points)]))

    def _laplacian(self, weight: Array) -> Any:
        """Return Σ weight (e_a − e_b)(e_a − e_b)ᵀ over the links; the ground has no row."""
        from scipy.sparse import coo_array

        a, b = self.a, self.b
        rows, cols = np.concatenate([a, b, a, b]), np.concatenate([a, b, b, a])
        values = np.concatenate([weight, weight, -weight, -weight])
        kept = (rows >= 0) & (cols >= 0)
        shape = (self.size, self.size)
        return coo_array((values[kept], (rows[kept], cols[kept])), shape=shape).tocsc()


def cell(mass: float, stiffness: float, damping: float = 0.0) -> LinearNetwork:
    """Return a mass tied to the ground by a spring and a damper [Habibi97 fig. 3.12]."""
    return LinearNetwork(np.array([mass]), np.array([0]), np.array([GROUND]), stiffness, damping)  # type: ignore[arg-type]


def chain_of_cells(
    count: int,
    mass: float,
    *,
    stiffness: float,
    damping: float = 0.0,
    between_stiffness: float,
    between_damping: float = 0.0,
    held_ends: bool = True,
) -> LinearNetwork:
    """Return cells in a row, neighbours joined by links, both ends tied to the ground likewise [Habibi97 fig. 3.13]."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError("a chain must have cells", got=count, allowed="one cell or more")
    row = np.arange(count)
    a, b = [row, row[:-1]], [np.full(count, GROUND), row[1:]]
    if held_ends:
        a, b = [*a, row[[0, -1]]], [*b, np.full(2, GROUND)]
    ends = np.concatenate(a), np.concatenate(b)
    joints = len(ends[0]) - count
    k = np.repeat([stiffness, between_stiffness], [count, joints])
    z = np.repeat([damping, between_damping], [count, joints])
    return LinearNetwork(np.full(count, float(mass)), *ends, k, z)


def join(
    one: LinearNetwork,
    two: LinearNetwork,
    a: ArrayLike,
    b: ArrayLike,
    *,
    stiffness: ArrayLike,
    damping: ArrayLike = 0.0,
) -> LinearNetwork:
    """Return both networks as one, with links from masses a of the first to masses b of the second.

    Masses of the second follow those of the first. Names are kept when all masses have one and none is twice.
    """
    ends_a = _check_ends(np.atleast_1d(np.asarray(a)), "a", one.size, ground=False)
    ends_b = _check_ends(np.atleast_1d(np.asarray(b)), "b", two.size, ground=False)
    k, z = _per_link(stiffness, "stiffness", len(ends_a)), _per_link(damping, "damping", len(ends_a))
    shifted = [np.where(end == GROUND, GROUND, end + one.size) for end in (two.a, two.b)]
    names = one.names + two.names
    whole = len(names) == one.size + two.size and len(set(names)) == len(names)
    return LinearNetwork(
        np.concatenate([one.mass, two.mass]), np.concatenate([one.a, shifted[0], ends_a]),
        np.concatenate([one.b, shifted[1], ends_b + one.size]), np.concatenate([one.stiffness, two.stiffness, k]),
        np.concatenate([one.damping, two.damping, z]), names if whole else (),
    )  # fmt: skip


def without_links(network: LinearNetwork, links: np.ndarray) -> LinearNetwork:
    """Return the network without some links: a mask (links,), or indices."""
    kept = np.ones(network.links, bool)
    kept[links] = False
    a, b, k, z = (array[kept] for array in (network.a, network.b, network.stiffness, network.damping))
    return LinearNetwork(network.mass, a, b, k, z, network.names)


def state_matrix(network: LinearNetwork, step: float | None = None) -> Array:
    """Return the matrix (2 masses, 2 masses) that moves a free network on.

    With a step [s], of (x_n, x_{n−1}) to (x_{n+1}, x_n) by the scheme of the masses; without, of (x, ẋ) to its rate.
    """
    n, M = network.size, network.mass
    if not (M > 0).all():
        bare = network.label(int(np.argmin(M)))
        raise InputError("a bare end has no state", where=f"mass {bare}", got=0.0, allowed="masses above zero")
    K, Z = (matrix.toarray() / M[:, None] for matrix in network.matrices[1:])
    one, none = np.eye(n), np.zeros((n, n))
    if step is None:
        return np.block([[none, one], [-K, -Z]])
    Te = check_number(step, "step", "state_matrix", above=0.0)
    # X_{n+1} = 2X_n − X_{n−1} + (Te²/m) F_n with F of the links at n [Habibi97 1.6, 1.10, 1.11]
    return np.block([[2 * one - Te**2 * K - Te * Z, Te * Z - one], [one, none]])


def _read_only(array: np.ndarray) -> np.ndarray:
    array = np.array(array)
    array.flags.writeable = False
    return array


def _check_masses(mass: ArrayLike) -> Array:
    m = as_floats(mass, where="mass")
    if m.ndim != 1 or len(m) == 0:
        raise InputError("masses must be a list", where="mass", got=m.shape, allowed="(masses,), one or more")
    if (m < 0).any():
        k = int(np.argmax(m < 0))
        raise InputError("mass must be 0 or more", where=f"mass {k}", got=float(m[k]), allowed="zero or more [kg]")
    return m


def _check_ends(ends: ArrayLike, key: str, count: int, *, ground: bool = True) -> np.ndarray:
    array = np.asarray(ends)
    if array.size == 0:
        array = array.astype(int)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(
            "ends of links are indices", where=key, got=Words(f"{array.dtype} {array.shape}"),
            allowed="(links,) whole numbers",
        )  # fmt: skip
    low = GROUND if ground else 0
    bad = np.flatnonzero((array < low) | (array >= count))
    if len(bad):
        raise InputError(
            "the end of a link must be an existing point", where=f"{key} of link {bad[0]}", got=int(array[bad[0]]),
            allowed=f"0 to {count - 1}" + (", or −1 for the ground" if ground else ""),
        )  # fmt: skip
    return array.astype(int)


def _per_link(values: ArrayLike, key: str, count: int) -> Array:
    array = as_floats(values, where=key)
    if array.shape not in ((), (count,)):
        raise InputError(
            "there must be one value for each link", where=key, got=array.shape, allowed=f"({count},) or one number"
        )
    return np.broadcast_to(array, (count,))


def _check_names(names: Sequence[str], count: int) -> tuple[str, ...]:
    names = tuple(names)
    if names and (len(names) != count or not all(isinstance(name, str) and name for name in names)):
        raise InputError(
            "there must be one name for each mass", where="names", got=len(names), allowed=f"{count} texts, or none"
        )
    twice = [name for k, name in enumerate(names) if name in names[:k]] if len(set(names)) < len(names) else []
    if twice:
        raise InputError("two masses have one name", where="names", got=twice[0])
    return names
