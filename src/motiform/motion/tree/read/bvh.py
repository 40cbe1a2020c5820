"""BVH files: a skeleton and its motion, read as a figure with its configurations, and written from any figure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.motion.tree.joints.axes import AxesJoint, Axis
from motiform.motion.tree.model.joint import Array
from motiform.record.files import AnyPath, as_path, disk, new_file, write_file
from motiform.spatial import Transform, euler_from_rotation

if TYPE_CHECKING:
    from motiform.motion.tree.model.figure import Figure

__all__ = ["BvhMotion", "read_bvh", "write_bvh"]

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_SIZES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
_TALL = (0.4, 3.5)  # m: what a skeleton may measure, for the unit that a file does not state
_FIXED = 1e-7  # m: an origin that moves less in its parent is an offset


@dataclass
class _Node:
    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    channels: list[str] = field(default_factory=list)
    end: bool = False


@dataclass(frozen=True, eq=False)
class BvhMotion:
    """A skeleton and its motion."""

    figure: "Figure"
    """A segment for each joint, its axes those of its parent at rest; a tag at each joint and at each end, y up."""
    q: Array
    """Configurations [rad, m], (samples, nq)."""
    rate: float
    """[Hz]"""
    unit: str
    """Of length in the file."""

    @property
    def times(self) -> Array:
        """[s], (samples,)"""
        return np.arange(len(self.q)) / self.rate


@reads_file("BVH")
def read_bvh(path: AnyPath, *, units: str | None = None) -> BvhMotion:
    """Read a BVH file.

    ``units`` of length ("cm", "m", "mm", "in"); the format has none: without it metres, centimetres or millimetres are
    taken, whichever makes the skeleton between 0.4 and 3.5 m.
    """
    place = as_path(path)
    where = str(place)
    if not place.is_file():
        raise InputError("no such file", where=where, allowed="a BVH file")
    words = _Words(place)
    nodes = _hierarchy(words)
    table, rate = _motion(words, nodes, where)
    unit = units if units is not None else _unit(nodes, where)
    if unit not in _SIZES:
        raise InputError("the unit must be a length", where=where, got=unit, allowed=", ".join(_SIZES))
    figure = _figure(nodes, _SIZES[unit], place.stem)
    return BvhMotion(figure, _configurations(nodes, table, _SIZES[unit]), rate, unit)


class _Words:
    """The words of a file, with the line of each."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8", "replace")
        self.words = [(word, n) for n, line in enumerate(text.splitlines(), 1) for word in line.split()]
        self.at, self.path = 0, path

    def next(self, *wanted: str) -> str:
        """Return the next word, which must be one of those wanted."""
        word, line = self.words[self.at] if self.at < len(self.words) else ("the end of the file", 0)
        if wanted and word.upper() not in wanted:
            allowed = " or ".join(wanted)
            raise InputError(
                "a BVH file must follow its grammar", where=f"{self.path}:{line}", got=word, allowed=allowed
            )
        self.at += 1
        return word

    def number(self) -> float:
        """Return the next word as a number."""
        word = self.next()
        try:
            return float(word)
        except ValueError:
            where = f"{self.path}:{self.words[min(self.at, len(self.words)) - 1][1]}"
            raise InputError("the word must be a number", where=where, got=word[:40]) from None

    def count(self) -> int:
        """Return the next word as a whole number."""
        word = self.next()
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            where = f"{self.path}:{self.words[min(self.at, len(self.words)) - 1][1]}"
            raise InputError("a count must be a whole number", where=where, got=word[:40])
        return int(word)

    def rest(self) -> Iterator[str]:
        """Return the words that are left."""
        return (word for word, _ in self.words[self.at :])


def _hierarchy(words: _Words) -> list[_Node]:
    words.next("HIERARCHY")
    nodes: list[_Node] = []
    open_: list[int] = []
    while True:
        word = words.next("ROOT", "JOINT", "END", "OFFSET", "CHANNELS", "}", "MOTION").upper()
        if word in ("ROOT", "JOINT", "END"):
            name = words.next()
            parent = open_[-1] if open_ else -1
            name = f"{nodes[parent].name}_end" if word == "END" else name
            nodes.append(_Node(name, parent, end=word == "END"))
            words.next("{")
            open_.append(len(nodes) - 1)
        elif word == "MOTION":
            if open_ or not nodes:
                raise InputError("the skeleton must be closed before its motion", where=str(words.path))
            return nodes
        elif not open_:
            raise InputError("the skeleton must begin with a ROOT", where=str(words.path), got=word)
        elif word == "OFFSET":
            nodes[open_[-1]].offset = np.array([words.number() for _ in range(3)])
        elif word == "CHANNELS":
            count = words.count()
            kinds = [f"{axis}{kind}".upper() for axis in "xyz" for kind in ("position", "rotation")]
            nodes[open_[-1]].channels = [words.next(*kinds).lower() for _ in range(count)]
        else:
            open_.pop()


def _motion(words: _Words, nodes: list[_Node], where: str) -> tuple[Array, float]:
    words.next("FRAMES:")
    samples = words.count()
    words.next("FRAME")
    words.next("TIME:")
    step = words.number()
    columns = sum(len(node.channels) for node in nodes)
    try:
        numbers = np.array([float(word) for word in words.rest()])
    except ValueError as error:
        raise InputError("the motion must be numbers", where=where, got=str(error)[:80]) from None
    if columns == 0 or not step > 0 or len(numbers) != samples * columns or not np.isfinite(numbers).all():
        raise InputError(
            "the motion must have a number for each channel and sample", where=where, got=f"{len(numbers)} numbers",
            allowed=f"{samples} samples of {columns}, a step above 0",
        )  # fmt: skip
    return numbers.reshape(samples, columns), 1.0 / step


def _unit(nodes: list[_Node], where: str) -> str:
    at = np.zeros((len(nodes), 3))
    for k, node in enumerate(nodes):
        at[k] = (at[node.parent] if node.parent >= 0 else 0.0) + (node.offset if node.parent >= 0 else 0.0)
    size = float(np.ptp(at, axis=0).max())
    for unit in ("m", "cm", "mm"):
        if _TALL[0] <= size * _SIZES[unit] <= _TALL[1]:
            return unit
    raise InputError(
        "the unit of length is not given", where=where, got=f"a skeleton {size:.4g} wide", remedy="Say units='cm'.",
    )  # fmt: skip


def _figure(nodes: list[_Node], size: float, name: str) -> "Figure":
    from motiform.motion.tree.build import FigureBuilder

    names = [node.name for node in nodes if not node.end]
    double = next((n for n in names if names.count(n) > 1), None)
    if double is not None:
        raise InputError("every joint must have a name of its own", where=f"skeleton {name!r}", got=double)
    builder = FigureBuilder(name=name)
    for node in nodes:
        parent = nodes[node.parent].name if node.parent >= 0 else None
        if node.end:
            builder.tag(node.name, str(parent), size * node.offset)
            continue
        moves = any(channel.endswith("position") for channel in node.channels)
        axes = [Axis("prismatic" if c.endswith("position") else "revolute", _AXES[c[0]]) for c in _ordered(node)]
        joint = AxesJoint(axes, [f"{node.name}_{channel}" for channel in _ordered(node)])
        # positions are places in the parent, in which the offset is counted
        at = np.zeros(3) if moves else size * node.offset
        builder.segment(node.name, parent, joint, placement=Transform(np.eye(3), at))
        builder.tag(node.name, node.name, np.zeros(3))
    return builder.build()


def _ordered(node: _Node) -> list[str]:
    """Return the channels of a joint, positions first: they are along the parent's axes."""
    return sorted(node.channels, key=lambda channel: channel.endswith("rotation"))


def _configurations(nodes: list[_Node], table: Array, size: float) -> Array:
    columns, first = [], 0
    for node in nodes:
        places = {channel: first + k for k, channel in enumerate(node.channels)}
        for channel in _ordered(node):
            own = table[:, places[channel]]
            columns.append(size * own if channel.endswith("position") else np.unwrap(np.deg2rad(own)))
        first += len(node.channels)
    return np.stack(columns, axis=1)


def write_bvh(
    figure: "Figure", q: ArrayLike, path: AnyPath, *, rate: float, units: str = "cm", overwrite: bool = False
) -> None:
    """Write the motion of a figure, q (samples, nq) at ``rate`` [Hz], as a BVH file.

    A joint for each segment, with its axes; angles in degrees about z, x, y. Roots, and segments whose origin moves in
    their parent, have their positions too. Ends are the last tag of a segment, or its centre of mass.
    """
    from motiform.motion.tree.algorithms.kinematics import forward_kinematics

    if units not in _SIZES:
        raise InputError("the unit must be a length", where="write_bvh", got=units, allowed=", ".join(_SIZES))
    if not (np.isfinite(rate) and rate > 0):
        raise InputError("rate must be positive", where="write_bvh", got=rate, allowed="a number above 0 Hz")
    states = np.asarray(q, float)
    if states.ndim != 2 or not len(states) or not np.isfinite(states).all():
        raise InputError("a BVH file must have whole samples", where="write_bvh", got=f"shape {states.shape}, or nan")
    place = new_file(path, overwrite)
    R, p = forward_kinematics(figure, states)
    parents = [figure.parent_index(n) for n in range(len(figure.segments))]
    lines, order = ["HIERARCHY"], list[int]()
    columns: dict[int, Array] = {}
    factor = 1.0 / _SIZES[units]
    roots = [n for n, parent in enumerate(parents) if parent < 0]
    for n in roots:
        _write_joint(figure, n, 0, parents, (R, p), factor, lines, order, columns)
    table = np.concatenate([columns[n] for n in order], axis=1)
    lines += ["MOTION", f"Frames: {len(table)}", f"Frame Time: {1.0 / rate:.10g}"]
    lines += [" ".join(f"{x:.9g}" for x in row) for row in table.tolist()]
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())


def _write_joint(
    figure: "Figure", n: int, depth: int, parents: list[int], frames: tuple[Array, Array], factor: float,
    lines: list[str], order: list[int], columns: dict[int, Array],
) -> None:  # fmt: skip
    """Write a segment and those that it carries; the numbers of its channels are put aside."""
    R, p = frames
    up = parents[n]
    turn = R[:, n] if up < 0 else np.swapaxes(R[:, up], -1, -2) @ R[:, n]
    shift = p[:, n] if up < 0 else np.einsum("tji,tj->ti", R[:, up], p[:, n] - p[:, up])
    moves = up < 0 or float(np.ptp(shift, axis=0).max()) > _FIXED
    angles = np.rad2deg(np.unwrap(euler_from_rotation(turn, "zxy"), axis=0))
    columns[n] = np.concatenate([factor * shift, angles], axis=1) if moves else angles
    order.append(n)
    pad, name = "\t" * depth, figure.names[n].replace(" ", "_")
    at = np.zeros(3) if moves else factor * shift.mean(0)
    position = "6 Xposition Yposition Zposition" if moves else "3"
    lines += [f"{pad}{'ROOT' if up < 0 else 'JOINT'} {name}", f"{pad}{{", f"{pad}\tOFFSET {_three(at)}",
              f"{pad}\tCHANNELS {position} Zrotation Xrotation Yrotation"]  # fmt: skip
    children = [k for k, parent in enumerate(parents) if parent == n]
    for k in children:
        _write_joint(figure, k, depth + 1, parents, frames, factor, lines, order, columns)
    if not children:
        own = [tag.point for tag in figure.tags if tag.segment == figure.names[n]]
        end = factor * np.asarray(own[-1] if own else figure.segments[n].com)
        lines += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {_three(end)}", f"{pad}\t}}"]
    lines.append(f"{pad}}}")


def _three(values: Array) -> str:
    return " ".join(f"{x:.9g}" for x in values.tolist())
