"""The plane (K, Z) of digital cells: the stability of a network or a screen, and the regimes of its masses."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.image.plot import _save, check_figure, empty_figure
from motiform.image.style import COLORS as _COLORS
from motiform.image.style import as_text
from motiform.motion.matter.stability.cell import CARDINAL, ModeSegment, critical_damping
from motiform.motion.matter.stability.criterion import Stability
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_triangle"]

_NEAR, _FAR = (4.25, 2.2), (6.0, 3.0)  # what is shown of the plane, and the most; the triangle ends at 4 and 2
_FILL = {"oscillating": "#d8e8f5", "overdamped": "#fbe3c0", "without a continuous\ncounterpart": "#e4e0e6"}
_CURVE = "#B22222"
_INK, _SOFT = "#30343a", "#6b7178"
_GRID = 400  # places to a unit: masses closer than that are one dot
_SMALL = 0.12  # part of the triangle below which the masses are shown enlarged as well
_LINES = 80  # masses whose range from ground to worst case is drawn

# Where the names of the cardinal points stand [points].
_BESIDE = {"O": (0, -11), "L": (-9, -9), "S": (-10, 0), "C": (9, 6)}


def plot_triangle(
    network: Stability | ArrayLike | None = None,
    *,
    groups: Sequence[str] | None = None,
    segments: Mapping[str, ModeSegment] | None = None,
    marked: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    overwrite: bool = False,
) -> "Figure":
    """Draw the triangle of stability with its regimes, the masses of a network and the segments of screens.

    Parameters
    ----------
    network : what ``assess`` returned, or points (masses, 2) of (K, Z). Masses that lie far outside are arrows at the
        border; where all are close to the origin, they are shown enlarged as well.
    groups : name of the group of each mass, for its colour.
    segments : name of each screen and its segment.
    marked : what markers add to (K, Z); the zones that the segments sweep are hatched.
    path : file to write; .svg, .pdf or .png (200 dpi).
    size : width and height [inch].
    """
    check_figure(path, overwrite)
    points, low, names = _masses(network, groups)
    figure, axes = _page(size or (8.6, 4.7), title)
    _draw_plane(axes)
    right, top = _extent(points, segments or {}, marked)
    axes.set(xlim=(-0.16, right), ylim=(-0.14, top))
    _name_places(axes)
    _draw_segments(axes, segments or {}, marked)
    _draw_masses(axes, points, low, names, (right, top))
    _draw_zoom(axes, points, low, names)
    _add_legends(axes)
    _save(figure, path, overwrite)
    return figure


def _masses(
    network: Stability | ArrayLike | None, groups: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return worst cases (n, 2), what the ground gives (n, 2), and the names of groups (n,) of masses that move."""
    if isinstance(network, Stability):
        high, low, keep = network.stiffest, network.ground, network.movable
    else:
        high = as_floats(np.empty((0, 2)) if network is None else network, 2, where="points of the plane")
        low, keep = high, np.ones(len(high), bool)
    if high.ndim != 2:
        raise InputError(
            "the array must have one row for each mass", where="points of the plane", got=high.shape,
            allowed="(masses, 2)",
        )  # fmt: skip
    names = np.full(len(high), "masses", dtype=object) if groups is None else np.asarray(list(groups), dtype=object)
    if names.shape != (len(high),):
        raise InputError("a group for each mass is needed", where="groups", got=len(names), allowed=str(len(high)))
    return high[keep], low[keep], names[keep]


def _page(size: tuple[float, float], title: str | None) -> tuple["Figure", "Axes"]:
    figure = empty_figure(size)
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("K = stiffness · step² / mass", fontsize=9)
    axes.set_ylabel("Z = damping · step / mass", fontsize=9)
    if title:
        axes.set_title(as_text(title), fontsize=11, loc="left")
    return figure, axes


def _extent(
    points: np.ndarray, segments: Mapping[str, ModeSegment], marked: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the right and upper end of the picture: all of the triangle, and what lies not far outside."""
    ends = [end for segment in segments.values() for end in (*segment, *segment.shifted(*(marked or (0.0, 0.0))))]
    most = np.concatenate([points, np.reshape(ends, (-1, 2)), [(0.0, 0.0)]]).max(axis=0) * 1.06
    right, top = np.clip(most, _NEAR, _FAR).tolist()
    return right, top


def _draw_plane(axes: "Axes") -> None:
    """Shade the regimes; draw the triangle and the curve (C)."""
    oscillating, overdamped, without = _FILL.values()
    axes.fill([0, 4, 0], [0, 0, 2], color=without, linewidth=0, zorder=0)
    root = np.linspace(0, 2, 401)  # √K
    K, Z = root**2, critical_damping(root**2)
    axes.fill_between(K, 0, np.minimum(Z, 2 - K / 2), color=oscillating, linewidth=0, zorder=0)
    left = root <= 1
    axes.fill_between(K[left], Z[left], 1, color=overdamped, linewidth=0, zorder=0)
    axes.plot([0, 4, 0, 0], [0, 0, 2, 0], color=_INK, linewidth=1.4, solid_joinstyle="round", zorder=2)
    axes.plot(K[left], Z[left], color=_CURVE, linewidth=1.6, zorder=2)
    axes.plot(K[~left], Z[~left], color=_CURVE, linewidth=0.9, linestyle=(0, (3, 2)), zorder=2)


def _halo() -> list[Any]:
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.2, foreground="white")]


def _name_places(axes: "Axes") -> None:
    """Name the cardinal points, the edge and what is beyond it."""
    look: Any = {"ha": "center", "va": "center", "path_effects": _halo(), "color": _INK, "zorder": 9}
    for name, (x, y) in CARDINAL.items():
        axes.plot(x, y, "o", color="white", markeredgecolor=_INK, markersize=6.5, markeredgewidth=1.3, zorder=6)
        axes.annotate(name, (x, y), _BESIDE[name], textcoords="offset points", fontsize=10, fontweight="bold", **look)
    axes.annotate("unstable", (3.35, 0.75), fontsize=8.5, **{**look, "color": _SOFT})
    slope: Any = {"rotation": float(np.degrees(np.arctan(-0.5))), "rotation_mode": "anchor", "fontsize": 7.5}
    word: Any = {"transform_rotates_text": True, "ha": "center", "va": "bottom", "color": _SOFT, "zorder": 1}
    axes.text(2.0, 1.03, "K + 2Z = 4", **slope, **word)


def _add_legends(axes: "Axes") -> None:
    """Explain the shades beside the picture, and above them what is drawn."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    beside: Any = {"fontsize": 8, "frameon": False, "handlelength": 1.4, "borderaxespad": 0.0, "labelcolor": _INK}
    if axes.get_legend_handles_labels()[1]:
        axes.add_artist(axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), **beside))
    shades: list[Any] = [Patch(facecolor=color, edgecolor="#b9b9bf", linewidth=0.5, label=name)
                         for name, color in _FILL.items()]  # fmt: skip
    shades.insert(1, Line2D([], [], color=_CURVE, linewidth=1.6, label="critical (C)"))
    axes.legend(handles=shades, loc="lower left", bbox_to_anchor=(1.01, 0.0), **beside)


def _draw_segments(axes: "Axes", segments: Mapping[str, ModeSegment], marked: tuple[float, float] | None) -> None:
    for n, (name, segment) in enumerate(segments.items()):
        (x0, y0), (x1, y1) = segment
        color = _COLORS[n % len(_COLORS)]
        if marked is not None:
            (u0, v0), (u1, v1) = segment.shifted(*marked)
            look: Any = {"facecolor": "none", "edgecolor": color, "hatch": "////", "linewidth": 0.6, "alpha": 0.55}
            axes.fill([x0, x1, u1, u0], [y0, y1, v1, v0], zorder=3, **look)
        axes.plot([x0, x1], [y0, y1], color=color, linewidth=2.4, label=as_text(name), zorder=4, solid_capstyle="round")
        axes.plot(x0, y0, "o", color=color, markersize=4.5, zorder=7)
        if (x0, y0) != (x1, y1):
            axes.plot(x1, y1, "s", color=color, markersize=4.5, zorder=7)


def _colors(groups: np.ndarray) -> dict[str, str]:
    return {str(name): _COLORS[n % len(_COLORS)] for n, name in enumerate(dict.fromkeys(groups.tolist()))}


def _draw_masses(
    axes: "Axes", points: np.ndarray, low: np.ndarray, groups: np.ndarray, end: tuple[float, float]
) -> None:
    """Draw each place once, larger where more masses share it; what lies beyond the picture at its border."""
    for name, color in _colors(groups).items():
        mine = groups == name
        inside = mine & (points <= end).all(axis=1) & (points >= (-0.16, -0.14)).all(axis=1)
        _draw_dots(axes, points[inside], low[inside], color, f"{as_text(name)} ({int(mine.sum())})", _GRID)
        beyond = points[mine & ~inside]
        if len(beyond):
            at = np.unique(np.round(np.clip(beyond, (-0.12, -0.1), (end[0] - 0.05, end[1] - 0.04)) * 50), axis=0) / 50
            most = float((beyond @ (1.0, 2.0)).max())
            label = f"{as_text(name)}: {len(beyond)} beyond,\nup to K + 2Z = {most:.3g}"
            axes.plot(*at.T, ">", markersize=7, color=color, zorder=8, clip_on=False, label=label)


def _draw_dots(axes: "Axes", points: np.ndarray, low: np.ndarray, color: str, label: str, grid: float) -> None:
    if not len(points):
        return
    _, first, count = np.unique(np.round(points * grid), axis=0, return_index=True, return_counts=True)
    spot, start = points[first], low[first]
    if len(first) <= _LINES:
        ends = np.stack([start, spot], axis=1)
        axes.plot(*ends.transpose(2, 1, 0), color=color, linewidth=0.6, alpha=0.35, zorder=3)
    area = 14.0 + 10.0 * np.log10(count)
    axes.scatter(
        spot[:, 0], spot[:, 1], s=area, color=color, alpha=0.85, edgecolors="white", linewidths=0.4, zorder=8,
        label=label,
    )  # fmt: skip


def _draw_zoom(axes: "Axes", points: np.ndarray, low: np.ndarray, groups: np.ndarray) -> None:
    """Show a network that is small in the triangle enlarged, in the free corner of the picture."""
    if not len(points) or points.max() > 4 * _SMALL or points[:, 1].max() > 2 * _SMALL or not points.any():
        return
    K, Z = (1.2 * max(float(points[:, i].max()), 0.05 * float(points.max())) for i in (0, 1))
    zoom = axes.inset_axes((0.6, 0.5, 0.4, 0.48))
    _draw_plane(zoom)
    for name, color in _colors(groups).items():
        mine = groups == name
        _draw_dots(zoom, points[mine], low[mine], color, name, _GRID * 4.0 / K)
    zoom.set(xlim=(-0.04 * K, K), ylim=(-0.04 * Z, Z))
    zoom.tick_params(labelsize=7)
    zoom.ticklabel_format(style="sci", scilimits=(-2, 3))
    for text in (zoom.xaxis.get_offset_text(), zoom.yaxis.get_offset_text()):
        text.set_fontsize(7)
    zoom.set_title(f"enlarged {4 / K:.0f} × {2 / Z:.0f} times", fontsize=7.5, color=_SOFT, loc="right", pad=3)
    zoom.spines[:].set(color=_SOFT, linewidth=0.7)
    frame = axes.indicate_inset_zoom(zoom, edgecolor=_SOFT, linewidth=0.9)
    for line in frame.connectors or ():  # they would cross the triangle
        line.set_visible(False)
