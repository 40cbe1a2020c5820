"""Forces of the ground in a report: over the stance, as a butterfly diagram, and their centre on the feet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import MotiformError
from motiform.image.report.chart import Chart, Curve, Panel, Signs
from motiform.image.report.gait import SIDES

if TYPE_CHECKING:
    from motiform.motion.postures.feet import Foot
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["floor_of", "foot_vertices", "force_plots"]

_ARROWS = 60  # of a butterfly diagram
_NOTHING = 0.01  # of the weight: less is not enlarged
_BELT = 0.2  # [m/s] of a foot that stands: more is a treadmill
_LEAST, _RELIABLE_LOAD = (
    0.1,
    0.2,
)  # of the weight: with less there is no centre of pressure, or one that errs by centimetres


@dataclass(frozen=True)
class _Stance:
    """A foot on a plate."""

    side: str
    force: np.ndarray
    """Upward, forward and to the right [body weights], (samples, 3)."""
    along: np.ndarray
    """Centre of pressure along the way [m], (samples,); nan where little presses."""
    on_foot: np.ndarray
    """Forward of the heel and to the right of it [m], (samples, 2), in the axes of the foot when it stands still."""
    outline: np.ndarray
    """Of the foot in the same axes, (points, 2)."""


def foot_vertices(figure: "Figure", foot: "Foot") -> list[tuple[int, np.ndarray]]:
    """Return segments of a foot with the vertices of their shapes (n, 3) [m]; of its sole's points without shapes."""
    segments = dict.fromkeys([foot.segment, *(int(n) for n in foot.segments)])
    shapes = {n: [p.shape.to_mesh(12).moved(p.placement).vertices for p in figure.segments[n].parts] for n in segments}
    found = [(n, np.concatenate(own)) for n, own in shapes.items() if own]
    return found or [(n, foot.points[foot.segments == n]) for n in segments if (foot.segments == n).any()]


def _placed(pieces: list[tuple[int, np.ndarray]], R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the vertices in the world at one sample, (vertices, 3)."""
    return np.concatenate([points @ R[n].T + p[n] for n, points in pieces])


def floor_of(figure: "Figure", rec: "Recording", up: np.ndarray) -> float | None:
    """Return the height of the ground under the feet [m]: where the lowest foot is in the middle of its stances."""
    from motiform.motion.postures import find_feet
    from motiform.motion.tree import forward_kinematics

    try:
        feet = find_feet(figure)
    except MotiformError:
        return None
    q = np.asarray(rec["q"])
    some = np.unique(np.linspace(0, len(q) - 1, min(len(q), 200)).round().astype(int))
    R, p = forward_kinematics(figure, q[some])
    pieces = [foot_vertices(figure, foot) for foot in feet]
    lowest = [min(float((_placed(own, R[k], p[k]) @ up).min()) for own in pieces) for k in range(len(some))]
    return float(np.percentile(lowest, 25))


def force_plots(
    rec: "Recording", figure: "Figure", markers: "Recording | None", walker: Any
) -> list[tuple[str, Chart]]:
    """Return forces of the ground on each foot over its stance, butterfly diagram, and centre of pressure on the feet.

    Of contacts that plates tell whole; none without such.
    """
    if markers is None or "plate.force" not in markers or not figure.mass > 0:
        return []
    try:
        stances = _stances(rec, figure, markers, walker)
    except MotiformError:
        return []
    if not stances:
        return []
    return [
        ("Force of the ground over the stance [body weights]", _over_stance(stances)),
        ("Butterfly diagram: force from the centre of pressure, seen from the right", _butterfly(stances)),
        ("Centre of pressure on the foot, seen from above; thin: less than a fifth of the weight", _on_feet(stances)),
    ]


def _stances(rec: "Recording", figure: "Figure", markers: "Recording", walker: Any) -> list[_Stance]:
    from motiform.motion.postures import assign_plates, read_loads

    given = assign_plates(figure, rec.time("q"), rec["q"], markers, cutoff=None)
    loads = read_loads(markers, walker.up)
    ahead, up = walker.forward, walker.up
    axes_of = np.stack([up, ahead, np.cross(ahead, up)])
    weight = figure.mass * float(np.linalg.norm(figure.gravity))
    found = []
    for c in given.contacts:
        if not (c.usable and c.foot >= 0 and c.begins and c.ends and given.feet[c.foot].side in SIDES):
            continue
        inside = (loads.times >= c.start) & (loads.times <= c.end)
        moment, force = loads.wrench[inside, c.plate, :3], loads.wrench[inside, c.plate, 3:]
        frame = _foot_at_rest(rec, figure, given.feet[c.foot], c.start, c.end, up)
        if frame is None:
            continue
        heel, axes, outline, still, carried = frame
        corners = loads.corners[c.plate]
        level = (float((corners @ up).mean()) if np.isfinite(corners).all() else float(heel @ up)) * up
        press = force @ up
        with np.errstate(invalid="ignore", divide="ignore"):  # p = n × M / (n · F), about a point of the plate
            place = level + np.cross(up, moment - np.cross(level, force)) / press[:, None]
        place[~(press > _LEAST * weight)] = np.nan
        side = given.feet[c.foot].side
        on_belt = place - np.outer(loads.times[inside] - still, carried)
        found.append(_Stance(side, force @ axes_of.T / weight, place @ ahead, (on_belt - heel) @ axes.T, outline))
    return found


def _foot_at_rest(
    rec: "Recording", figure: "Figure", foot: "Foot", start: float, end: float, up: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, np.ndarray] | None:
    """Return heel, axes (forward, right) and outline of a foot where it moves least in a contact; when; the belt.

    A treadmill carries the foot with the horizontal velocity [m/s], (3,), that its points have in mid-stance.
    """
    from motiform.motion.postures.feet import foot_points
    from motiform.motion.tree import forward_kinematics

    times = rec.time("q")
    at = np.flatnonzero((times >= start) & (times <= end))
    if len(at) < 3:
        return None
    R, p = forward_kinematics(figure, np.asarray(rec["q"])[at])
    points = foot_points(foot, R, p)
    rates = np.gradient(points, times[at], axis=0)
    belt = np.median(rates[len(at) // 4 : -(len(at) // 4) or None], axis=(0, 1))
    belt -= (belt @ up) * up
    belt *= np.linalg.norm(belt) > _BELT
    k = int(np.argmin(np.linalg.norm(rates - belt, axis=-1).sum(1)))
    marked = [(n, point) for n, point in _marked(rec, figure) if n in (foot.segment, *foot.segments)]
    own = np.stack([*points[k], *(R[k, n] @ point + p[k, n] for n, point in marked)])
    way = R[k, foot.segment] @ np.array([1.0, 0.0, 0.0])
    way = way - (way @ up) * up
    axes = np.stack([way, np.cross(way, up)]) / np.linalg.norm(way)
    shape = np.concatenate([_placed(foot_vertices(figure, foot), R[k], p[k]), own])
    heel = own[np.argmin(own @ way)]
    return heel, axes, _hull((shape - heel) @ axes.T), float(times[at[k]]), belt


def _marked(rec: "Recording", figure: "Figure") -> list[tuple[int, np.ndarray]]:
    """Return segment and point of each tag that has a marker: a subject's foot may be longer than the figure's."""
    per_marker = rec.manifest.get("reconstruct", {}).get("per_marker", {})
    return [(figure.index(tag.segment), np.asarray(tag.point)) for tag in figure.tags if tag.name in per_marker]


def _hull(points: np.ndarray) -> np.ndarray:
    """Return the convex hull of points in the plane, closed; the points where they lie on a line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = ConvexHull(points).vertices
    except (QhullError, ValueError):
        return points
    return np.asarray(points[[*corners, corners[0]]])


def _over_stance(stances: list[_Stance]) -> Chart:
    panels = []
    for k, name in enumerate(("upward", "forward", "to the right")):
        panel = Panel(title=name, xlabel="stance [%]", zero=True)
        for one in stances:
            word, color = SIDES[one.side]
            panel.add(Curve(np.linspace(0, 100, len(one.force)), one.force[:, k], color, 1.1, label=word))
        if max(float(np.abs(one.force[:, k]).max()) for one in stances) < _NOTHING:
            panel.ylim = -5 * _NOTHING, 5 * _NOTHING
        panels.append(panel)
    return Chart(panels, "force over the stance", columns=3, tall=2.0)


def _butterfly(stances: list[_Stance]) -> Chart:
    panel = Panel(xlabel="along the way [m]", ylabel="force [0.5 m a body weight]", equal=True)
    for one in stances:
        good, color = np.flatnonzero(np.isfinite(one.along)), SIDES[one.side][1]
        arrows = good[:: max(1, len(good) // _ARROWS)]
        x = np.stack([one.along[arrows], one.along[arrows] + 0.5 * one.force[arrows, 1], np.full(len(arrows), np.nan)])
        y = np.stack([np.zeros(len(arrows)), 0.5 * one.force[arrows, 0], np.full(len(arrows), np.nan)])
        panel.add(Curve(x.T.ravel(), y.T.ravel(), color, 0.6))
        panel.add(Signs(one.along[good], np.zeros(len(good)), "o", color, 1.0))
    return Chart([panel], "butterfly diagram", tall=2.7)


def _on_feet(stances: list[_Stance]) -> Chart:
    """Draw both feet from above, toes up, with the way of the centre of pressure of each stance."""
    own = {side: [one for one in stances if one.side == side] for side in SIDES}
    shown, panels = [side for side in SIDES if own[side]], []
    for side in shown:
        word, color = SIDES[side]
        outline = own[side][0].outline
        contacts = f"{word}, {len(own[side])} contact{'s' * (len(own[side]) != 1)}"
        panel = Panel(title=contacts, xlabel="to the right [cm]", ylabel="forward of the heel [cm]", equal=True)
        panel.add(Curve(100 * outline[:, 1], 100 * outline[:, 0], "#59636e", 1.0, fill="#eef1f4"))
        for one in own[side]:
            ahead, right = 100 * one.on_foot.T
            sure = one.force[:, 0] > _RELIABLE_LOAD
            panel.add(
                Curve(right, ahead, color, 0.5, 0.6),
                Curve(np.where(sure, right, np.nan), ahead, color, 1.5),
                Signs(right[sure][:1], ahead[sure][:1], "o", color, 4.0),
            )
        panels.append(panel)
    return Chart(panels, "centre of pressure", columns=len(shown), tall=3.4, wide=2.3 * len(shown))
