"""Charts of a report as vector graphics in the page: small plots in a grid, drawn without a library of plots.

Lengths are thousandths of an inch, whole numbers, so that a curve of a thousand samples takes few letters.
"""

import base64
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.base.markup import Html, escape, html, join

__all__ = ["VIRIDIS", "Chart", "Curve", "CurveBand", "Heat", "Panel", "Signs", "axis_ticks", "column_ticks", "svg"]

INCH, POINT = 1000, 1000 / 72
_GREY, _GRID = "#3c4650", "#e3e6e9"
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.44, 0.1, 0.22, 0.4  # [inch] around the frame of a panel
_HEAD = 0.22  # [inch] of a legend over all panels
_TICKS = 6  # at most, along an axis
_COLUMNS = 12  # that are named at most
_SIGNS = {  # outlines within ±1
    "x": "M-1-1L1 1M-1 1L1-1", "s": "M-1-1H1V1H-1z", "D": "M0-1.3L1.3 0L0 1.3L-1.3 0z", "^": "M0-1.2L1.2 1H-1.2z",
    "v": "M0 1.2L1.2-1H-1.2z", "o": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
}  # fmt: skip
VIRIDIS = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
"""Colours of a map of values at even distances, dark to light."""


@dataclass(frozen=True)
class Curve:
    """A line through points; nan interrupts it."""

    x: Any
    y: Any
    color: str
    width: float = 0.9
    """[points]"""
    alpha: float = 1.0
    label: str | None = None
    dashed: bool = False
    foot: bool = False
    """Whether y is a part of the panel's height, above its foot."""
    fill: str | None = None
    """Colour of the area that the line encloses."""


@dataclass(frozen=True)
class CurveBand:
    """The area between two curves."""

    x: Any
    low: Any
    high: Any
    color: str
    alpha: float = 0.25
    label: str | None = None


@dataclass(frozen=True)
class Signs:
    """Signs at points: x, s, D, ^, v or o."""

    x: Any
    y: Any
    sign: str
    color: str
    size: float = 2.6
    """[points]"""
    foot: bool = False


@dataclass(frozen=True)
class Heat:
    """Values (rows, columns) from ``least`` to ``most`` as colours, over times and rows from the top; nan is grey."""

    values: np.ndarray
    start: float
    end: float
    most: float
    rows: Sequence[str]
    least: float = 0.0
    columns: Sequence[str] = ()
    """Names of the columns, where what they stand for is no even scale."""

    @property
    def parts(self) -> np.ndarray:
        """Values as parts from 0, the least, to 1, the most."""
        return (self.values - self.least) / ((self.most - self.least) or 1.0)


@dataclass
class Panel:
    """One plot."""

    items: list[Curve | CurveBand | Signs | Heat] = field(default_factory=list)
    title: str = ""
    xlabel: str = ""
    ylabel: str = ""
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None
    zero: bool = False
    """Whether the line y = 0 is drawn."""
    uprights: list[tuple[float, str]] = field(default_factory=list)
    """Dashed lines across: x and colour."""
    equal: bool = False
    """Whether both axes have one scale."""
    xlog: bool = False
    """Whether x are decimal logarithms of what the axis tells."""
    ylog: bool = False
    xnames: Sequence[str] = ()
    """What stands at x = 0, 1, 2, … instead of numbers."""

    def add(self, *items: Curve | CurveBand | Signs | Heat) -> None:
        """Draw more, over what is there."""
        self.items += items

    def limits(self, wide: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of both axes, for a frame of that width and height."""
        x = self.xlim or _with_room(_ends(v for one in self.items for v in _xs(one)))
        zero = [np.zeros(1)] if self.zero else []
        y = self.ylim or _with_room(_ends([*zero, *(v for one in self.items for v in _ys(one))]))
        if self.equal:
            scale = max((x[1] - x[0]) / wide, (y[1] - y[0]) / high)
            x, y = (_widened(ends, scale * size) for ends, size in ((x, wide), (y, high)))
        return x, y


@dataclass(frozen=True)
class Chart:
    """Panels in a grid, which a page draws as vector graphics and a PDF file by matplotlib."""

    panels: Sequence[Panel]
    alt: str
    columns: int = 1
    tall: float = 2.0
    """[inch] of a panel with what is around it."""
    wide: float = 9.2
    """[inch] of all."""
    caption: str = ""
    left: float = _LEFT
    """[inch] left of the frame of a panel."""
    right: float = _RIGHT
    flow: bool = False
    """Whether a page sets the panels beside one another as its width allows; a PDF file keeps the columns."""

    def legend(self) -> dict[str, Curve | CurveBand]:
        """Return what stands for each label."""
        named = [
            one for panel in self.panels for one in panel.items if isinstance(one, Curve | CurveBand) and one.label
        ]
        return {str(one.label): one for one in reversed(named)}

    @property
    def height(self) -> float:
        """[inch]"""
        return self.tall * -(-len(self.panels) // self.columns) + _HEAD * bool(self.legend())


# ---------------------------------------------------------------- axes
def _xs(one: Curve | CurveBand | Signs | Heat) -> list[Any]:
    return [np.array([one.start, one.end])] if isinstance(one, Heat) else [one.x]


def _ys(one: Curve | CurveBand | Signs | Heat) -> list[Any]:
    if isinstance(one, Heat):
        return [np.array([-0.5, len(one.rows) - 0.5])]
    return [one.low, one.high] if isinstance(one, CurveBand) else [] if one.foot else [one.y]


def _ends(values: Any) -> tuple[float, float]:
    """Return the least and the most of all that is finite."""
    every = np.concatenate([np.zeros(0), *(np.asarray(v, float).ravel() for v in values)])
    every = every[np.isfinite(every)]
    return (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)


def _with_room(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    return low - room, high + room


def _widened(ends: tuple[float, float], size: float) -> tuple[float, float]:
    middle = 0.5 * (ends[0] + ends[1])
    return middle - 0.5 * size, middle + 0.5 * size


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers from low to high: multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> ticks(0.0, 10.0)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    least = (high - low) / (_TICKS - 0.999)
    if not (least > 0 and math.isfinite(least)):
        return [low]
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(m for m in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0) if m * power >= least)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _tick_words(values: Sequence[float]) -> list[str]:
    """Return these numbers with the digits that their distance needs."""
    step = values[1] - values[0] if len(values) > 1 else 1.0
    digits = next((n for n in range(7) if abs(step * 10**n - round(step * 10**n)) < 1e-6 * step * 10**n), None)
    words = [f"{v:.3g}" if digits is None or abs(v) >= 1e7 else f"{v:.{digits}f}" for v in values]
    return [word.replace("-", "−") for word in words]


def log_ticks(low: float, high: float) -> list[float]:
    """Return the decimal logarithms of round numbers, from low to high.

    >>> log_ticks(-3.0, 0.0)
    [-3, -2, -1, 0]
    """
    whole = list(range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1))
    if len(whole) >= 2:
        return list(whole[:: -(-len(whole) // _TICKS)])
    powers = range(math.floor(low), math.ceil(high) + 1)
    return [k + math.log10(m) for k in powers for m in (1, 2, 5) if low <= k + math.log10(m) <= high]


def axis_ticks(
    ends: tuple[float, float], log: bool = False, names: Sequence[str] = ()
) -> tuple[list[float], list[str]]:
    """Return the places of ticks along an axis, and what stands there."""
    if names:
        return [float(n) for n in range(len(names))], list(names)
    if not log:
        values = ticks(*ends)
        return values, _tick_words(values)
    values = log_ticks(*ends)
    return values, [f"{10.0**value:.3g}".replace("e-0", "e-").replace("e+0", "e").replace("-", "−") for value in values]


# ---------------------------------------------------------------- the page
def svg(chart: Chart, *, with_legend: bool = True) -> Html:
    """Return a chart as an element of a page."""
    legend = chart.legend() if with_legend else {}
    head = INCH * _HEAD * bool(legend)
    wide, high = round(INCH * chart.wide), round(INCH * chart.tall * -(-len(chart.panels) // chart.columns) + head)
    parts = [_legend(legend, wide)] if legend else []
    for n, panel in enumerate(chart.panels):
        cell = INCH * chart.wide / chart.columns, INCH * chart.tall
        corner = cell[0] * (n % chart.columns), head + cell[1] * (n // chart.columns)
        frame = (corner[0] + INCH * chart.left, corner[1] + INCH * _TOP,
                 corner[0] + cell[0] - INCH * chart.right, corner[1] + cell[1] - INCH * _BOTTOM)  # fmt: skip
        parts.append(_panel(panel, frame))
    return html(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="{}" font-size="97" style="width:{:.2f}in">{}</svg>',
        wide, high, chart.alt, chart.wide, join(parts),
    )  # fmt: skip


def _legend(legend: dict[str, Curve | CurveBand], wide: float) -> Html:
    parts, x = list[Html](), wide - INCH * _RIGHT
    for label, one in legend.items():
        x -= 55 * len(label) + 60
        parts.append(_text(label, x, 150, "start"))
        x -= 260
        thick = 80 if isinstance(one, CurveBand) else max(one.width * POINT, 12)
        parts.append(html('<path d="M{:.0f} 118h200" stroke="{}" stroke-opacity="{}" stroke-width="{:.0f}"/>',
                          x, one.color, one.alpha, thick))  # fmt: skip
    return join(parts)


def _text(words: str, x: float, y: float, anchor: str, more: str = "") -> Html:
    return Html(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{_GREY}"{more}>{escape(words)}</text>')


def _panel(panel: Panel, frame: tuple[float, float, float, float]) -> Html:
    left, top, right, bottom = frame
    xlim, ylim = panel.limits(right - left, bottom - top)
    heat = next((one for one in panel.items if isinstance(one, Heat)), None)

    def at_x(x: Any) -> np.ndarray:
        return np.asarray(left + (np.asarray(x, float) - xlim[0]) * ((right - left) / (xlim[1] - xlim[0])))

    def at_y(y: Any) -> np.ndarray:
        return np.asarray(bottom - (np.asarray(y, float) - ylim[0]) * ((bottom - top) / (ylim[1] - ylim[0])))

    def at_foot(y: Any) -> np.ndarray:
        return np.asarray(bottom - np.asarray(y, float) * (bottom - top))

    parts = [] if heat else [_axis_y(left, right, at_y, axis_ticks(ylim, panel.ylog))]
    places = column_ticks(heat) if heat is not None and heat.columns else axis_ticks(xlim, panel.xlog, panel.xnames)
    parts.append(_axis_x(top, bottom, at_x, places, grid=heat is None))
    drawn = [part for one in panel.items for part in _item(one, at_x, at_foot if getattr(one, "foot", False) else at_y)]
    if panel.zero and ylim[0] < 0 < ylim[1]:
        drawn.append(
            html('<path d="M{:.0f} {:.0f}H{:.0f}" stroke="#888" stroke-width="7"/>', left, float(at_y(0.0)), right)
        )
    for x, color in panel.uprights:
        drawn.append(html('<path d="M{:.0f} {:.0f}V{:.0f}" stroke="{}" stroke-width="11" stroke-dasharray="50 25"/>',
                          float(at_x(x)), top, bottom, color))  # fmt: skip
    # a nested svg is a frame that cuts off what is beyond it
    box = left, top, right - left, bottom - top
    frame_of = (
        '<svg x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" viewBox="{:.0f} {:.0f} {:.0f} {:.0f}">{}</svg>'
    )
    parts.append(html(frame_of, *box, *box, join(drawn)))
    if heat:
        rows = [top + (k + 0.5) * (bottom - top) / len(heat.rows) for k in range(len(heat.rows))]
        parts += [
            _text(name, left - 40, y + 25, "end", ' font-size="76"') for name, y in zip(heat.rows, rows, strict=True)
        ]
        parts.append(_scale(heat, right + 60, top, bottom))
    else:
        parts.append(html('<path d="M{:.0f} {:.0f}V{:.0f}H{:.0f}" fill="none" stroke="{}" stroke-width="10"/>',
                          left, top, bottom, right, _GREY))  # fmt: skip
    parts.append(_text(panel.title, 0.5 * (left + right), top - 45, "middle"))
    parts.append(_text(panel.xlabel, 0.5 * (left + right), bottom + 270, "middle"))
    if panel.ylabel:
        x, y = left - 330, 0.5 * (top + bottom)
        parts.append(_text(panel.ylabel, x, y, "middle", f' transform="rotate(-90 {x:.0f} {y:.0f})"'))
    return join(parts)


def column_ticks(heat: Heat) -> tuple[list[float], list[str]]:
    """Return the middles of columns, and their names; of many columns some."""
    every = -(-len(heat.columns) // _COLUMNS)
    wide = (heat.end - heat.start) / len(heat.columns)
    return [heat.start + (k + 0.5) * wide for k in range(0, len(heat.columns), every)], list(heat.columns[::every])


def _axis_x(
    top: float, bottom: float, at: Callable[[Any], np.ndarray], shown: tuple[list[float], list[str]], *, grid: bool
) -> Html:
    places = at(shown[0])
    lines = "".join(f"M{x:.0f} {top:.0f}V{bottom:.0f}" for x in places) if grid else ""
    words = [_text(word, x, bottom + 130, "middle") for word, x in zip(shown[1], places, strict=True)]
    return html('<path d="{}" stroke="{}" stroke-width="7"/>{}', Html(lines), _GRID, join(words))


def _axis_y(left: float, right: float, at: Callable[[Any], np.ndarray], shown: tuple[list[float], list[str]]) -> Html:
    places = at(shown[0])
    lines = "".join(f"M{left:.0f} {y:.0f}H{right:.0f}" for y in places)
    words = [_text(word, left - 40, y + 34, "end") for word, y in zip(shown[1], places, strict=True)]
    return html('<path d="{}" stroke="{}" stroke-width="7"/>{}', Html(lines), _GRID, join(words))


def _item(one: Curve | CurveBand | Signs | Heat, at_x: Any, at_y: Any) -> Iterator[Html]:
    if isinstance(one, Heat):
        yield _heat(one, at_x, at_y)
    elif isinstance(one, Signs):
        x, size = at_x(one.x), 0.5 * POINT * one.size
        ink = "stroke-width='.4' stroke" if one.sign == "x" else "fill"
        for a, b in zip(x.tolist(), np.broadcast_to(at_y(one.y), x.shape).tolist(), strict=True):
            if math.isfinite(a + b):
                place = f"translate({a:.0f} {b:.0f})scale({size:.0f})"
                yield Html(f'<path d="{_SIGNS[one.sign]}" transform="{place}" {ink}="{one.color}"/>')
    elif isinstance(one, CurveBand):
        x, low, high = at_x(one.x), at_y(one.low), at_y(one.high)
        whole = np.isfinite(x + low + high)
        paths = "".join(_path(np.append(x[a:b], x[a:b][::-1]), np.append(low[a:b], high[a:b][::-1])) + "z"
                        for a, b in _stretches(whole))  # fmt: skip
        yield html('<path d="{}" fill="{}" fill-opacity="{}"/>', Html(paths), one.color, one.alpha)
    else:
        x, y = at_x(one.x), at_y(one.y)
        paths = "".join(_path(x[a:b], y[a:b]) for a, b in _stretches(np.isfinite(x + y)))
        dashes = Html(' stroke-dasharray="50 25"' if one.dashed else "")
        yield html(
            '<path d="{}" fill="{}" stroke="{}" stroke-opacity="{}" stroke-width="{:.0f}" stroke-linejoin="round"{}/>',
            Html(paths), one.fill or "none", one.color, one.alpha, POINT * one.width, dashes,
        )  # fmt: skip


def _stretches(whole: np.ndarray) -> list[tuple[int, int]]:
    """Return beginnings and ends of the stretches without gaps."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], whole, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _path(x: np.ndarray, y: np.ndarray) -> str:
    """Return a line through points, each relative to the one before."""
    points = np.rint(np.clip(np.stack([x, y], axis=1), -1e7, 1e7)).astype(np.int64)
    steps = np.diff(points, axis=0)
    if not len(steps):
        return f"M{points[0, 0]} {points[0, 1]}h1"
    return f"M{points[0, 0]} {points[0, 1]}l" + " ".join(map(str, steps.ravel().tolist()))


def _heat(one: Heat, at_x: Any, at_y: Any) -> Html:
    x, y = at_x([one.start, one.end]), at_y([-0.5, len(one.rows) - 0.5])
    data = base64.b64encode(_png(colors_of(one.parts))).decode()
    return html(
        '<image href="data:image/png;base64,{}" x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" '
        'preserveAspectRatio="none" style="image-rendering:pixelated"/>',
        Html(data), x[0], min(y), x[1] - x[0], abs(y[1] - y[0]),
    )  # fmt: skip


def _scale(one: Heat, x: float, top: float, bottom: float) -> Html:
    """Return what the colours mean."""
    data = base64.b64encode(_png(colors_of(np.linspace(1.0, 0.0, 64)[:, None]))).decode()
    bar = html('<image href="data:image/png;base64,{}" x="{:.0f}" y="{:.0f}" width="120" height="{:.0f}" '
               'preserveAspectRatio="none"/>', Html(data), x, top, bottom - top)  # fmt: skip
    values, high = ticks(one.least, one.most), (one.most - one.least) or 1.0
    words = [_text(word, x + 150, bottom - (value - one.least) / high * (bottom - top) + 34, "start")
             for word, value in zip(_tick_words(values), values, strict=True)]  # fmt: skip
    return join([bar, *words])


def colors_of(parts: np.ndarray) -> np.ndarray:
    """Return colours (…, 3) of parts from 0 to 1, grey where there is none."""
    table = np.array([[int(code[k : k + 2], 16) for k in (1, 3, 5)] for code in VIRIDIS], float)
    at = np.clip(np.nan_to_num(parts), 0.0, 1.0) * (len(table) - 1)
    found = np.stack([np.interp(at, np.arange(len(table)), table[:, k]) for k in range(3)], axis=-1)
    found[~np.isfinite(parts)] = 223, 227, 231
    return np.rint(found).astype(np.uint8)


def _png(pixels: np.ndarray) -> bytes:
    from motiform.image.report.pictures import png_of_pixels

    return png_of_pixels(pixels)
