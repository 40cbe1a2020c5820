"""Where the points of a network begin: lists, grids, lines, rings, fillings and meshes of a scene as positions."""

from dataclasses import dataclass, replace
from math import prod
from zlib import crc32

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry import Mesh, merge_vertices, particles_from_mesh, read_mesh
from motiform.geometry.checks import LONGEST
from motiform.motion.matter.model.topology import block_positions
from motiform.scene.build.common import build_rotation
from motiform.scene.read.load import Scene
from motiform.scene.tables.common import PoseTable
from motiform.scene.tables.place import FillTable, GridTable, LineTable, PlacesTable, RingTable

__all__ = ["Places", "build_places", "circle_axes", "moved"]

_MOST = 10_000_000  # points of a group
_TRIES = 60  # halvings of the spacing that gives a number of points


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of a group and how they belong together."""

    position: np.ndarray
    """[m], (points, 3), in the network's frame."""
    shape: tuple[int, ...] | None = None
    """Of a grid."""
    faces: np.ndarray | None = None
    """Triangles of a mesh, (triangles, 3)."""

    @property
    def edges(self) -> np.ndarray | None:
        """Pairs of corners of a mesh, each once, (edges, 2)."""
        if self.faces is None:
            return None
        return np.unique(np.sort(self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)

    def moved(self, pose: PoseTable) -> "Places":
        """Return them turned and shifted by a pose."""
        return replace(self, position=moved(pose, self.position))


def build_places(scene: Scene, table: PlacesTable, name: str) -> Places:
    """Return where the points of a table begin; `name` is the group's, from which its random numbers follow."""
    found = _source(scene, table, name).moved(table.pose)
    far = np.abs(found.position).max()
    if not far <= LONGEST:
        raise InputError("a point too far away", got=far, allowed=f"coordinates up to {LONGEST:g} m")
    return found


def moved(pose: PoseTable, position: np.ndarray) -> np.ndarray:
    """Return positions [m], (points, 3), turned and shifted by a pose; the same bits where it is none."""
    if pose.turn is not None or pose.quaternion is not None:
        position = position @ build_rotation(pose).T
    return position + np.array(pose.at) if any(pose.at) else position


def _source(scene: Scene, table: PlacesTable, name: str) -> Places:
    if table.at is not None:
        return Places(np.array([table.at]))
    if table.points is not None:
        if not table.points:
            raise InputError("no points", allowed="one or more")
        return Places(np.array(table.points))
    if table.grid is not None:
        return _grid(table.grid)
    if table.line is not None:
        return Places(_line(table.line))
    if table.ring is not None:
        return Places(_ring(table.ring))
    if table.fill is not None:
        draw = np.random.default_rng([scene.document.scene.seed, crc32(name.encode())])
        widest = float(np.max(table.radius))
        return Places(_fill(scene, table.fill, widest, draw))
    mesh = merge_vertices(read_mesh(scene.file(table.mesh or ""), scale=table.scale or 1.0))
    return Places(np.array(mesh.vertices), faces=np.asarray(mesh.faces, np.int64))


def _grid(table: GridTable) -> Places:
    shape = tuple(table.shape)
    if prod(shape) > _MOST:
        raise InputError("too many points", got=prod(shape), allowed=f"at most {_MOST}")
    spacing = table.spacing if isinstance(table.spacing, list) else [table.spacing] * len(shape)
    flat = block_positions(shape, spacing)
    turned = np.zeros_like(flat)
    for k, letter in enumerate(table.axes[: len(shape)]):
        turned[:, "xyz".index(letter)] = flat[:, k]
    return Places(turned + np.array(table.at), shape)


def _line(table: LineTable) -> np.ndarray:
    return np.linspace(table.from_, table.to, table.count)


def _ring(table: RingTable) -> np.ndarray:
    angle = 2 * np.pi * np.arange(table.count)[:, None] / table.count
    first, second = circle_axes(table.axis)
    return np.array(table.center) + table.radius * (np.cos(angle) * first + np.sin(angle) * second)


def circle_axes(axis: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors across an axis, such that first × second points along it: z and x for the axis y."""
    n = np.array(axis)
    size = float(np.linalg.norm(n))
    if not size > 0:
        raise InputError("an axis without direction", got=axis)
    n = n / size
    seed = np.zeros(3)
    seed[(int(np.argmax(np.abs(n))) + 1) % 3] = 1.0
    first = seed - (seed @ n) * n
    first = first / np.linalg.norm(first)
    return first, np.cross(n, first)


# -------------------------------------------------------------------- fillings
def _fill(scene: Scene, table: FillTable, radius: float, draw: np.random.Generator) -> np.ndarray:
    """Return points of a lattice inside a shape, whose balls neither overlap nor leave a box, ball or cylinder."""
    sizes = [*(table.box or ()), table.ball, *(table.cylinder.model_dump().values() if table.cylinder else ())]
    if not max((size for size in sizes if size is not None), default=0.0) <= LONGEST:
        raise InputError("a shape too large", allowed=f"sizes up to {LONGEST:g} m")
    mesh = None if table.mesh is None else read_mesh(scene.file(table.mesh), scale=table.scale or 1.0)
    spacing = table.spacing if table.spacing is not None else _widest(table, mesh, radius)
    room = 0.5 * spacing - radius  # what a ball may move along each axis and not touch the next
    if room < -1e-12 * spacing:
        raise InputError(
            "points of these radii overlap", got=f"spacing {spacing:.6g} m, radius {radius:.6g} m",
            remedy="Lower count or radius, or raise spacing: two radii at least.",
        )  # fmt: skip
    shift = table.jitter * max(room, 0.0)
    found = _lattice(table, mesh, spacing, radius, shift)
    if table.count is not None:
        if len(found) < table.count:
            raise InputError("the shape holds fewer points", got=table.count, allowed=f"at most {len(found)}")
        found = found[np.sort(draw.permutation(len(found))[: table.count])]
    if not len(found):
        raise InputError("the shape holds no point", got=f"spacing {spacing:g} m", remedy="Take it smaller.")
    return found + shift * draw.uniform(-1.0, 1.0, found.shape) if shift else found


def _widest(table: FillTable, mesh: Mesh | None, radius: float) -> float:
    """Return the widest spacing, to a part in a billion, whose lattice has `count` points."""
    assert table.count is not None
    count = table.count

    def holds(spacing: float) -> bool:
        shift = table.jitter * max(0.5 * spacing - radius, 0.0)
        try:
            return len(_lattice(table, mesh, spacing, radius, shift)) >= count
        except ShapeError:
            return False  # a mesh that not one point fits into

    volume = _volume(table, mesh)
    low = high = 1.5 * (volume / count) ** (1 / 3)
    while not holds(low):
        low, high = 0.7 * low, low
        if low < 2 * radius * 0.7 or volume / low**3 > 4 * _MOST:
            raise InputError("the shape does not hold so many points", got=count, remedy="Lower count or radius.")
    for _ in range(_TRIES):
        if high - low <= 1e-9 * high:
            break
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _volume(table: FillTable, mesh: Mesh | None) -> float:
    if table.box is not None:
        return prod(table.box)
    if table.ball is not None:
        return 4 / 3 * np.pi * table.ball**3
    if table.cylinder is not None:
        return np.pi * table.cylinder.radius**2 * table.cylinder.height
    assert mesh is not None
    return mesh.volume


def _lattice(table: FillTable, mesh: Mesh | None, spacing: float, radius: float, shift: float) -> np.ndarray:
    """Return the points of a lattice, centred, whose balls stay inside the shape when moved by `shift` [m] each way."""
    if mesh is not None:
        return np.array(particles_from_mesh(mesh, spacing, mass=1.0).points)
    margin = radius + shift
    if table.box is not None:
        half = 0.5 * np.array(table.box)
    elif table.ball is not None:
        half = np.full(3, table.ball)
    else:
        assert table.cylinder is not None
        half = np.array([table.cylinder.radius, 0.5 * table.cylinder.height, table.cylinder.radius])
    rows = [_row(float(h) - margin, spacing) for h in half]
    if prod(len(row) for row in rows) > 4 * _MOST:
        raise InputError("too many points", got=f"spacing {spacing:g} m", allowed=f"at most {_MOST}")
    places = np.stack(np.meshgrid(*rows, indexing="ij"), -1).reshape(-1, 3)
    if table.ball is not None:
        return places[np.linalg.norm(places, axis=1) <= table.ball - radius - 3**0.5 * shift]
    if table.cylinder is not None:
        across = np.hypot(places[:, 0], places[:, 2])
        return places[across <= table.cylinder.radius - radius - 2**0.5 * shift]
    return places


def _row(half: float, spacing: float) -> np.ndarray:
    """Return places a spacing apart within ± half, centred: as many as fit."""
    count = int(np.floor(min(2 * half / spacing, 1e9) * (1 + 1e-12) + 1e-12)) + 1 if half >= 0 else 0
    if count > _MOST:
        raise InputError("too many points", got=f"spacing {spacing:g} m", allowed=f"at most {_MOST}")
    return spacing * (np.arange(count) - 0.5 * (count - 1))
