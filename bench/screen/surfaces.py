"""Polygonisation: a torus on a grid, and one surface around particles, in milliseconds.

A peer is made of a problem and gives a function that returns vertices (n, 3) and triangles (m, 3). All get the same
grid, or the same particles, reach of a particle and edge of a cell. The volume that they enclose is checked before they
are timed: on the grid against the closed form, around particles between the cube of these and that which they reach.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import numpy as np

from bench.agreement import check_same
from bench.register import made_peers, peer_notes
from bench.report import Result
from bench.turns import best_runs
from motiform.base.errors import RunError

__all__ = ["Particles", "Torus", "enclosed", "grid_row", "particles_row"]

Surface = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Torus:
    """A torus about z as the level 0 of its distance on a grid from −1 to 1."""

    count: int = 192
    """Values along each axis."""
    large: float = 0.6
    small: float = 0.25

    @property
    def spacing(self) -> float:
        """[m]"""
        return 2.0 / (self.count - 1)

    def values(self) -> np.ndarray:
        """Return the signed distance [m], (count, count, count)."""
        x = np.linspace(-1.0, 1.0, self.count)
        around = np.hypot(x[:, None, None], x[None, :, None]) - self.large
        return np.asarray(np.hypot(around, x[None, None, :]) - self.small)

    @property
    def volume(self) -> float:
        """2 π² R r² [m³]."""
        return 2.0 * pi**2 * self.large * self.small**2


@dataclass(frozen=True)
class Particles:
    """A cube of particles, each somewhat off its place."""

    count: int = 25
    """Along each side."""
    spacing: float = 0.02
    reach: float = 0.04
    """Distance at which a particle counts no more [m]."""
    cell: float = 0.005
    threads: int = 1

    def places(self) -> np.ndarray:
        """Return the particles [m], (count³, 3)."""
        k = np.arange(self.count)
        grid = np.stack(np.meshgrid(k, k, k, indexing="ij"), axis=-1).reshape(-1, 3) * self.spacing
        return np.asarray(grid + np.random.default_rng(0).uniform(-0.15, 0.15, grid.shape) * self.spacing)


def enclosed(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Return the volume within a closed surface [m³]; its triangles may turn in or out."""
    a, b, c = (np.asarray(vertices, float)[faces[:, k]] for k in range(3))
    return abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0)


def our_grid(torus: Torus) -> Callable[[], Surface]:
    """Return motiform on a grid: dual marching cubes."""
    from motiform.geometry.maps import Grid, isosurface

    values = torus.values()
    grid = Grid(values.shape, np.full(3, torus.spacing), np.full(3, -1.0))

    def run() -> Surface:
        mesh = isosurface(values, grid)
        return np.asarray(mesh.vertices), np.asarray(mesh.faces)

    return run


def our_particles(given: Particles) -> Callable[[], Surface]:
    """Return motiform around particles: Wyvill's field, dual marching cubes, vertices moved onto the surface."""
    from motiform.form.implicit import blobs

    places = given.places()

    def run() -> Surface:
        mesh = blobs(places, radius=0.5 * given.spacing, reach=given.reach, spacing=given.cell)
        return np.asarray(mesh.vertices), np.asarray(mesh.faces)

    return run


def grid_row(torus: Torus) -> Result:
    """Check and time ours and the peers on a grid, one thread."""
    case, calls = "surface/grid", {"ours": our_grid(torus)}
    calls |= dict(made_peers("screen", case, torus))
    counts = []
    for name, call in calls.items():
        vertices, faces = call()
        # A chord lies h²/8r inside of an arc: the tube loses h²/4r² of its section, twice that by facets in 3-D.
        far = abs(enclosed(vertices, faces) / torus.volume - 1.0)
        check_same(f"screen, {case}, {name}", far, 2.0 * (torus.spacing / torus.small) ** 2)
        counts.append(f"{name} {len(faces)}")
    return _row(case, calls, 1, f"{torus.count}³ values; triangles: {', '.join(counts)}")


def particles_row(given: Particles) -> Result:
    """Check and time ours and the peers around particles."""
    case, calls = "surface/particles", {"ours": our_particles(given)}
    calls |= dict(made_peers("screen", case, given))
    counts = []
    low, high = (((given.count - 1) * given.spacing + 2.0 * far) ** 3 for far in (0.0, given.reach))
    for name, call in calls.items():
        vertices, faces = call()
        volume = enclosed(vertices, faces)
        if not low < volume < high:
            allowed = f"{low:.4g} to {high:.4g} m³"
            where = f"bench screen, {case}, {name}"
            raise RunError("a surface must enclose the particles", where=where, got=f"{volume:.4g} m³", allowed=allowed)
        counts.append(f"{name} {len(faces)}")
    return _row(case, calls, given.threads, f"{given.count**3} particles; triangles: {', '.join(counts)}")


def _row(case: str, calls: dict[str, Callable[[], Surface]], threads: int, note: str) -> Result:
    found = {name: 1e3 * seconds for name, seconds in best_runs(calls, rounds=5).items()}
    own = found.pop("ours")
    return Result(
        case, "cpu", threads, "ms", "lower", own, found, {}, "; ".join([note, *peer_notes("screen", case, found)])
    )
