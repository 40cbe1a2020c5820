"""Figures from tables: modified Denavit–Hartenberg rows and Cardan rows.

>>> rows = [
...     CardanRow("thigh", None, (0, 0, "L3/2"), ("q3", "-q2", "-q1"), mass=9.0, com=(0, "-0.41*L6", 0)),
...     CardanRow("shank", "thigh", (0, "-L6", 0), ("q4", 0, 0), mass=3.0, com=(0, "-0.45*L5", 0)),
... ]
>>> leg = figure_from_cardan(rows, lengths={"L3": 0.17, "L5": 0.43, "L6": 0.42})

A parameter is a number or a text: numbers, lengths, `pi` and at most one coordinate with + − * / and parentheses. The
coordinate stands with the factor 1 or −1; used again elsewhere it may have any factor.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.build import FigureBuilder
from motiform.motion.tree.joints import AxesJoint, Axis, fixed
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import linear
from motiform.motion.tree.read.expressions import Value, evaluate
from motiform.spatial import Transform, point_inertia, rotation_about
from motiform.spatial.checks import Array, Words

__all__ = ["CardanRow", "DHRow", "builder_from_table", "figure_from_cardan", "figure_from_dh", "fold"]

Parameter = float | str
Triple = tuple[Parameter, Parameter, Parameter]
Lengths = Mapping[str, Parameter] | Sequence[Parameter]
Tags = Mapping[str, tuple[str, Triple]]
_ZERO: Triple = (0.0, 0.0, 0.0)
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class CardanRow:
    """A segment placed by Cardan parameters: translation, then z about Z, y about the new Y, x about the new X."""

    name: str
    parent: str | None
    """Name of an earlier row; None: the world."""
    translation: Triple = _ZERO
    """(Tx, Ty, Tz) [m] in the parent."""
    rotation: Triple = _ZERO
    """(z, y, x) [rad]: R = Rz Ry Rx."""
    mass: Parameter = 0.0
    """[kg]"""
    com: Triple = _ZERO
    """Centre of mass G [m] in the segment."""
    inertia: Any = None
    """Three moments or 3×3 [kg·m²] in the segment's axes; None: zero."""
    about: Literal["origin", "center"] = "origin"
    """Point that `inertia` is taken about: the origin of the segment (I0), or the centre of mass."""

    def steps(self) -> list[tuple[str, str, Parameter, str]]:
        """Return (kind, axis, parameter, its name) in the order in which they act."""
        shifts = zip("xyz", _three(self.translation, self, "translation"), ("Tx", "Ty", "Tz"), strict=True)
        turns = zip("zyx", _three(self.rotation, self, "rotation"), "zyx", strict=True)
        return [("prismatic", *s) for s in shifts] + [("revolute", *t) for t in turns]


@dataclass(frozen=True)
class DHRow:
    """A segment placed by modified Denavit–Hartenberg parameters (Khalil and Kleinfinger).

    Translation `r` [m] and rotation `alpha` [rad] about X of the parent, then translation `lam` [m] and rotation
    `theta` [rad] about Z of the segment.
    """

    name: str
    parent: str | None
    """Name of an earlier row; None: the world."""
    r: Parameter = 0.0
    lam: Parameter = 0.0
    alpha: Parameter = 0.0
    theta: Parameter = 0.0
    mass: Parameter = 0.0
    """[kg]"""
    com: Triple = _ZERO
    """Centre of mass G [m] in the segment."""
    inertia: Any = None
    """Three moments or 3×3 [kg·m²] in the segment's axes; None: zero."""
    about: Literal["origin", "center"] = "origin"
    """Point that `inertia` is taken about: the origin of the segment (I0), or the centre of mass."""

    def steps(self) -> list[tuple[str, str, Parameter, str]]:
        """Return (kind, axis, parameter, its name) in the order in which they act."""
        return [
            ("prismatic", "x", self.r, "r"), ("revolute", "x", self.alpha, "alpha"),
            ("prismatic", "z", self.lam, "lam"), ("revolute", "z", self.theta, "theta"),
        ]  # fmt: skip


def figure_from_cardan(
    rows: Iterable[CardanRow],
    *,
    lengths: Lengths | None = None,
    coordinates: Sequence[str] | None = None,
    tags: Tags | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "",
) -> Figure:
    """Return the figure of a table of Cardan rows; the arguments are those of `builder_from_table`.

    q is in the order of `coordinates`; without them by the number in their names (q1, q2, …).
    """
    return _figure(rows, CardanRow, lengths, coordinates, tags, gravity, name)


def figure_from_dh(
    rows: Iterable[DHRow],
    *,
    lengths: Lengths | None = None,
    coordinates: Sequence[str] | None = None,
    tags: Tags | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "",
) -> Figure:
    """Return the figure of a table of modified Denavit–Hartenberg rows; see `figure_from_cardan`."""
    return _figure(rows, DHRow, lengths, coordinates, tags, gravity, name)


def builder_from_table(
    rows: Iterable[CardanRow | DHRow],
    *,
    lengths: Lengths | None = None,
    coordinates: Sequence[str] | None = None,
    tags: Tags | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "",
) -> tuple[FigureBuilder, list[str]]:
    """Return a builder with the segments of a table, rows of both kinds mixed as wished, and the coordinates in order.

    Parameters
    ----------
    rows : parents before children.
    lengths : numbers by name, each possibly a text of earlier ones; a sequence is named L1, L2, …
    coordinates : names of the coordinates in the order of q. Without them every other name that begins with q is one.
    tags : name → (segment, point [m]).
    """
    table = _Table(lengths, coordinates)
    builder = table.build(list(rows), gravity, name)
    for tag, (segment, point) in (tags or {}).items():
        builder.tag(tag, segment, table.numbers(point, f"tag {tag!r}"))
    return builder, table.order()


def _figure(rows: Iterable[Any], kind: type, lengths: Any, coordinates: Any, tags: Any, gravity: Any, name: str) -> Any:
    table = list(rows)
    for n, row in enumerate(table):
        if not isinstance(row, kind):
            got = Words(type(row).__name__)
            raise InputError(
                "a row must be of the kind of the table", where=f"row {n + 1}", got=got, allowed=kind.__name__
            )
    builder, order = builder_from_table(
        table, lengths=lengths, coordinates=coordinates, tags=tags, gravity=gravity, name=name
    )
    return builder.build(coordinates=order)


def fold(chain: Iterable[Transform | Axis]) -> tuple[Transform, list[Axis]]:
    """Return the placement and the axes that a chain of constant transforms and axes amounts to.

    A constant moves to the left of an axis when the axis is seen from behind it: A(s) X = X A(X⁻¹ s). So all
    constants end in the placement and no constant is left behind the last axis.
    """
    behind, axes = Transform.identity(), list[Axis]()
    for item in reversed(list(chain)):
        if isinstance(item, Transform):
            behind = item @ behind
            continue
        back = behind.inverse()
        direction, point = back.vector(item.direction).tolist(), back.point(item.point).tolist()
        axes.append(Axis(item.kind, tuple(direction), tuple(point), item.pitch, item.offset))
    return behind, axes[::-1]


@dataclass
class _Table:
    lengths: Any
    coordinates: Any
    used: dict[str, int] = field(default_factory=dict)
    couples: list[tuple[str, str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = self.lengths if self.lengths is not None else {}
        if not isinstance(given, Mapping):
            given = {f"L{n + 1}": value for n, value in enumerate(given)}
        if self.coordinates is not None:
            self.coordinates = [str(c) for c in self.coordinates]
        both = sorted(set(given) & set(self.coordinates or ()))
        if both:
            raise InputError("a length and a coordinate must have different names", where="table", got=", ".join(both))
        self.lengths = {}
        for key, value in given.items():
            self.lengths[key] = self.number(value, f"length {key!r}")

    # ---- numbers
    def value(self, parameter: Any, where: str) -> Value:
        if isinstance(parameter, str):
            return evaluate(parameter, where, self.lengths, self.coordinates)
        try:
            number = float(parameter)
        except (TypeError, ValueError):
            number = math.nan
        if isinstance(parameter, bool) or not math.isfinite(number):
            raise InputError(
                "a parameter must be a number or an expression", where=where, got=Words(repr(parameter)[:60]),
                allowed="a finite number, or text",
            )  # fmt: skip
        return Value(number)

    def number(self, parameter: Any, where: str) -> float:
        value = self.value(parameter, where)
        if value.coordinate is not None:
            raise InputError("a parameter must be constant", where=where, got=parameter, allowed="numbers and lengths")
        return value.constant

    def numbers(self, values: Any, where: str) -> Array:
        try:
            given = np.array(values, dtype=object)
            return np.array([self.number(v, where) for v in given.ravel()], float).reshape(given.shape)
        except InputError:
            raise
        except ValueError as error:
            raise InputError("the table must be numbers", where=where, got=Words(repr(values)[:60])) from error

    # ---- segments
    def build(self, rows: list[Any], gravity: Any, name: str) -> Any:
        builder = FigureBuilder(gravity=gravity, name=name)
        for n, row in enumerate(rows):
            if not isinstance(row, CardanRow | DHRow):
                got = Words(type(row).__name__)
                raise InputError(
                    "a row must be a CardanRow or a DHRow", where=f"row {n + 1}", got=got, allowed="CardanRow, DHRow"
                )
            self._add(builder, row)
        for dependent, leading, factor in self.couples:
            builder.couple(dependent, leading, linear(factor))
        return builder

    def _add(self, builder: Any, row: CardanRow | DHRow) -> None:
        chain, names = self._chain(row)
        placement, axes = fold(chain)
        where = f"row {row.name!r}"
        mass = self.number(row.mass, f"{where}, mass")
        com = self.numbers(_three(row.com, row, "com"), f"{where}, com")
        builder.segment(
            row.name, row.parent, AxesJoint(axes, names) if axes else fixed(), placement=placement, mass=mass, com=com,
            inertia=self._inertia(row, mass, com, where),
        )  # fmt: skip

    def _chain(self, row: CardanRow | DHRow) -> tuple[list[Any], list[str]]:
        chain: list[Any] = []
        names = []
        for kind, axis, parameter, label in row.steps():
            value = self.value(parameter, f"row {row.name!r}, {label}")
            if value.constant:
                chain.append(_step(kind, axis, value.constant))
            if value.coordinate is not None:
                sign, name = self._coordinate(value, f"row {row.name!r}, {label}", parameter)
                chain.append(Axis(kind, tuple(sign * u for u in _AXES[axis])))  # type: ignore[arg-type]
                names.append(name)
        return chain, names

    def _coordinate(self, value: Value, where: str, parameter: Any) -> tuple[float, str]:
        """Return the sign of the axis and the name of its coordinate, which is a new one."""
        name = str(value.coordinate)
        self.used[name] = self.used.get(name, 0) + 1
        if self.used[name] == 1:
            if abs(value.factor) != 1.0:
                remedy = "Let the coordinate stand alone where it appears first."
                raise InputError(
                    "a coordinate must stand without a factor at first", where=where, got=parameter,
                    allowed=f"{name} or -{name}", remedy=remedy,
                )  # fmt: skip
            return value.factor, name
        again = f"{name} ({self.used[name]})"
        self.couples.append((again, name, value.factor))
        return 1.0, again

    def _inertia(self, row: CardanRow | DHRow, mass: float, com: Array, where: str) -> Array | None:
        if row.inertia is None:
            return None
        given = self.numbers(row.inertia, f"{where}, inertia")
        if given.shape not in ((3,), (3, 3)):
            raise InputError(
                "the inertia must be three moments or a matrix", where=f"{where}, inertia", got=given.shape,
                allowed="three moments, or 3×3 [kg·m²]",
            )  # fmt: skip
        if row.about not in ("origin", "center"):
            raise InputError("unknown point", where=f"{where}, about", got=row.about, allowed="origin, center")
        J = np.diag(given) if given.ndim == 1 else given
        return J - point_inertia(mass, com) if row.about == "origin" else J

    def order(self) -> list[str]:
        """Return the coordinates in the order of q."""
        found, again = list(self.used), [name for name, _, _ in self.couples]
        if self.coordinates is None:
            parts = [re.fullmatch(r"(\D+)(\d+)", name) for name in found]
            if all(parts) and len({p[1] for p in parts if p}) == 1:
                found.sort(key=lambda name: int(re.sub(r"\D", "", name)))
            return found + again
        unused = [c for c in self.coordinates if c not in self.used]
        if unused or len(set(self.coordinates)) < len(self.coordinates):
            got = Words(f"{', '.join(unused)} in no row" if unused else "a name twice")
            raise InputError("the coordinates do not fit the table", where="coordinates", got=got)
        return self.coordinates + again


def _three(values: Any, row: CardanRow | DHRow, what: str) -> tuple[Any, Any, Any]:
    found = tuple(values) if isinstance(values, (tuple, list, np.ndarray)) else ()
    if len(found) != 3:
        raise InputError(
            "three parameters are needed", where=f"row {row.name!r}, {what}", got=Words(repr(values)[:60]),
            allowed="three",
        )  # fmt: skip
    return found[0], found[1], found[2]


def _step(kind: str, axis: str, amount: float) -> Transform:
    if kind == "prismatic":
        return Transform.translation_of(np.multiply(amount, _AXES[axis]))
    R = rotation_about(axis, amount)
    # A quarter turn is typed as pi/2, whose cosine rounds to 6e-17: what lies within rounding of 0 is meant as 0.
    return Transform.rotation_of(np.where(np.abs(R) < 1e-15, 0.0, R) if abs(amount) < 10.0 else R)
