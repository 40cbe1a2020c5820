"""Charts of a session: means and deviations over the gait cycle, both sides, conditions and the reference."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from motiform.image.report.chart import Chart, Curve, CurveBand, Panel
from motiform.image.report.gait import SIDES
from motiform.image.style import COLORS
from motiform.motion.postures.gait.indices import PROFILE
from motiform.motion.postures.gait.pool import PooledQuantity
from motiform.motion.postures.gait.pooled import PooledGait
from motiform.motion.postures.gait.upper_body import ARMS, TRUNK

__all__ = ["PLANES", "condition_charts", "consistency_chart", "plane_of", "side_charts"]

PERCENT = np.linspace(0, 100, 101)
PLANES = {
    "sagittal plane": ("tilt", "flexion", "extension", "dorsiflexion"),
    "frontal plane": ("obliquity", "adduction", "abduction", "inversion", "bending", "deviation"),
    "transverse plane": ("rotation", "progression", "pronation"),
}
_GREY, _REFERENCE = "#b9bec4", "#8d959e"
_COLUMNS, _TALL = 3, 1.75
_CYCLES = ("hip flexion", "knee flexion", "ankle dorsiflexion")
_FLAT = 1e-9
_SPAN = 30.0  # [°] that an axis of angles spans at least: noise must not look like motion


def plane_of(title: str) -> str:
    """Return the plane of an angle or a moment by the words of its title."""
    words = set(title.split())
    return next((plane for plane, own in PLANES.items() if words & set(own)), "")


def side_charts(gait: PooledGait, condition: str) -> Iterator[tuple[str, str, Chart]]:
    """Yield section, title and chart of each group of quantities of a condition, left and right overlaid."""
    angles = gait.pool.group("angles")
    upper = [one for one in angles if one.title.split()[0] in (*TRUNK, *ARMS)]
    legs = [one for one in angles if one not in upper]
    for section, own in (("Kinematics: pelvis and legs", legs), ("Kinematics: trunk and arms", upper)):
        for plane in PLANES:
            yield from _chart(gait, condition, section, plane, [one for one in own if plane_of(one.title) == plane])
    seen = "external" if gait.convention == "plug-in-gait" else "internal"
    moments = gait.pool.group("moments")
    for plane in PLANES:
        own = [one for one in moments if plane_of(one.title) == plane]
        yield from _chart(gait, condition, "Kinetics", f"{seen} moments, {plane}", own)
    for group, words in (("powers", "powers"), ("forces", "force of the ground")):
        yield from _chart(gait, condition, "Kinetics", words, gait.pool.group(group))
    yield from _chart(gait, condition, "Electromyography", "envelopes", gait.pool.group("emg"))


def _chart(
    gait: PooledGait, condition: str, section: str, title: str, quantities: Sequence[PooledQuantity]
) -> Iterator[tuple[str, str, Chart]]:
    panels = [_panel(gait, condition, one) for one in quantities if _moves(gait, condition, one)]
    if panels:
        yield section, title, Chart(panels, f"{title}, {condition}", columns=_COLUMNS, tall=_TALL, flow=True)


def _moves(gait: PooledGait, condition: str, one: PooledQuantity) -> bool:
    """Tell whether a quantity has a curve that counts and is not zero throughout."""
    curves = gait.pool.curves(one.title, condition, None)
    return bool(np.isfinite(curves).any()) and float(np.nanmax(np.abs(curves))) > _FLAT


def _named(one: PooledQuantity) -> Panel:
    return Panel(title=f"{one.title} [{one.unit}]", xlabel="cycle [%]", xlim=(0.0, 100.0), zero=True)


def _widened(panel: Panel, one: PooledQuantity) -> Panel:
    """Return the panel with axes of angles that span 30° at least, and need not reach zero."""
    if one.group != "angles":
        return panel
    drawn = [np.ravel(y) for item in panel.items for y in ((item.low, item.high) if isinstance(item, CurveBand) else (
        (item.y,) if isinstance(item, Curve) else ()))]  # fmt: skip
    known = np.concatenate([np.zeros(0), *drawn])
    known = known[np.isfinite(known)]
    if len(known):
        low, high = float(known.min()), float(known.max())
        room = max(0.05 * (high - low), 0.5 * (_SPAN - (high - low)))
        panel.ylim = low - room, high + room
    return panel


def _panel(gait: PooledGait, condition: str, one: PooledQuantity) -> Panel:
    panel = _named(one)
    panel.add(*_reference(gait, one))
    for side, (word, color) in SIDES.items():
        panel.add(*_mean(gait.pool.curves(one.title, condition, side), color, word))
        offs = [gait.pool.cycles[k] for k in gait.pool.of(condition, side)]
        parts = np.array([100 * (cycle.off - cycle.start) / (cycle.end - cycle.start) for cycle in offs])
        if np.isfinite(parts).any():
            panel.uprights.append((float(np.nanmean(parts)), color))
    return _widened(panel, one)


def _reference(gait: PooledGait, one: PooledQuantity) -> Iterable[Curve | CurveBand]:
    if gait.reference is None:
        return
    band = gait.reference.band_of(one.title, one.unit)
    mean = gait.reference.mean_of(one.title, one.unit)
    if band is not None:
        yield CurveBand(PERCENT, band[0], band[1], _GREY, 0.55, label="reference")
    if mean is not None:
        yield Curve(PERCENT, mean, _REFERENCE, 0.8, dashed=True)


def _mean(curves: np.ndarray, color: str, label: str, dashed: bool = False) -> Iterable[Curve | CurveBand]:
    from motiform.motion.postures.gait.cycle_statistics import mean_curve

    if not len(curves):
        return
    found = mean_curve(curves)
    if found.cycles > 1:
        yield CurveBand(PERCENT, found.mean - found.sd, found.mean + found.sd, color, 0.16)
    yield Curve(PERCENT, found.mean, color, 1.4, label=label, dashed=dashed)


def condition_charts(gait: PooledGait) -> Iterator[tuple[str, Chart]]:
    """Yield title and chart of the conditions overlaid, of each side: the curves of the indices, moments and powers."""
    if len(gait.conditions) < 2:
        return
    chosen = [gait.pool.quantities[title] for title in PROFILE if title in gait.pool.quantities]
    chosen += [one for one in gait.pool.group("moments") if plane_of(one.title) == "sagittal plane"]
    chosen += gait.pool.group("powers")
    for side, (word, _) in SIDES.items():
        panels = []
        for one in chosen:
            if len(gait.pool.curves(one.title, None, side)):
                panel = _named(one)
                panel.add(*_reference(gait, one))
                for k, condition in enumerate(gait.conditions):
                    color = COLORS[k % len(COLORS)]
                    panel.add(*_mean(gait.pool.curves(one.title, condition, side), color, condition or "session"))
                panels.append(_widened(panel, one))
        if panels:
            yield word, Chart(panels, f"conditions, {word}", columns=_COLUMNS, tall=_TALL, flow=True)


def consistency_chart(gait: PooledGait) -> Chart | None:
    """Return every cycle of hip, knee and ankle in the sagittal plane; grey: those that are left out."""
    panels = []
    for title in (one for one in _CYCLES if one in gait.pool.quantities):
        for side, (word, color) in SIDES.items():
            one = gait.pool.quantities[title]
            panel = Panel(title=f"{title}, {word} [°]", xlabel="cycle [%]", xlim=(0.0, 100.0), zero=True)
            for k, cycle in enumerate(gait.pool.cycles):
                if cycle.side == side and np.isfinite(one.values[k]).any():
                    left = bool(cycle.left_out or one.left_out[k])
                    panel.add(Curve(PERCENT, one.values[k], _GREY if left else color, 0.5, 0.9 if left else 0.55))
            panels.append(_widened(panel, one))
    panels = [panel for panel in panels if panel.items]
    return Chart(panels, "every cycle", columns=_COLUMNS, tall=_TALL, flow=True) if panels else None
