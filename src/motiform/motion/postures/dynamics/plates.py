"""Assignment of force plates to feet, and the wrenches on the feet."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.measure.gaps import runs
from motiform.motion.postures.derivatives import as_motion
from motiform.motion.postures.dynamics.loads import THRESHOLD, PlateLoads, find_contacts, read_loads
from motiform.motion.postures.feet import Feet, Foot, find_feet, foot_points, up_of
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event
from motiform.record.recording import Recording

__all__ = ["PlateAssignment", "PlateContact", "assign_plates"]

NEAR = 0.15  # m, from the centre of pressure to the foot
LOW = 0.12  # m, of the lowest point of a foot above the plate: markers and models err by some centimetres
SLOW = 0.6  # m/s, of a point of a foot that stands; a foot in the air moves three to five times as fast as its owner
STANDS = 0.04  # m, of a point of a sole above where it stands, and of that above where the lowest foot does, LOW
STANCE = 10.0  # % of the trial in which a point is lower than where it stands: the tip of a stiff model foot dips
_EDGE = 0.01  # m, by which a sole may pass the edge of a plate
_SPREAD = 2.0  # periods of the low-pass, after which 0.01 % of a force is left of it
_LANDS = 0.1  # s, in which a foot is low and slow before it presses, and after
_FADES = 0.05  # s, in which a force below the threshold comes and goes
_PART = 0.1  # of the load: what may happen at the edges of a contact without spoiling it


class PlateContact(NamedTuple):
    """A time in which a plate is loaded."""

    plate: int
    start: float
    """[s] The force passes the threshold, between two samples of the plate."""
    end: float
    """[s]"""
    foot: int
    """Number of the foot, −1: none is near."""
    reason: str = ""
    """Why it cannot be used; empty where it can."""
    begins: bool = True
    """Whether the plate shows when it begins: not where it is loaded from the first sample on."""
    ends: bool = True
    """Whether the plate shows when it ends."""

    @property
    def usable(self) -> bool:
        """Whether the plate carries this foot, all of it and nothing else."""
        return not self.reason


@dataclass(frozen=True, eq=False)
class PlateAssignment:
    """Which foot each plate carries."""

    feet: tuple[Foot, ...]
    foot: Array
    """Number of the foot that each plate carries, (samples, plates) int8; −1: none, −2: not usable."""
    wrench: Array
    """Of usable contacts, low-passed, (samples, plates, 6): moment about the world's origin, force, in world axes."""
    carrier: Array
    """Number of the foot that takes ``wrench``, (samples, plates) int8, −1: none; longer than ``foot`` by what the
    low-pass spreads."""
    contacts: tuple[PlateContact, ...]
    known_feet: Array
    """(samples, feet) bool: the foot is in the air or on a usable plate, and so since half a period of the low-pass,
    and for as long. Efforts of its leg hold there."""

    @property
    def known(self) -> Array:
        """(samples,) bool: so for all feet."""
        return np.asarray(self.known_feet.all(1))

    def external(self, figure: Figure, position: Array) -> Array:
        """Return the wrenches on the segments as `inverse_dynamics` takes them, from the segments' origins."""
        out = np.zeros((len(self.foot), len(figure.segments), 6))
        for k, foot in enumerate(self.feet):
            wrench = np.where((self.carrier == k)[..., None], self.wrench, 0.0).sum(1)
            out[:, foot.segment, 3:] += wrench[:, 3:]
            out[:, foot.segment, :3] += wrench[:, :3] - np.cross(position[:, foot.segment], wrench[:, 3:])
        return out

    @property
    def events(self) -> list[Event]:
        """The contacts as events: "plate 1: right_foot", or why one is not usable."""
        found = []
        for c in self.contacts:
            name = self.feet[c.foot].name if c.foot >= 0 else "nothing known"
            text = f"plate {c.plate + 1}: {name}" + (f", not usable: {c.reason}" if c.reason else "")
            detail = {"plate": c.plate, "foot": name, "until": c.end, "usable": c.usable}
            found.append(Event(c.start, text, detail))
        return sorted(found, key=lambda event: event.time)

    def describe(self) -> list[dict[str, Any]]:
        """Return the contacts as JSON-able dicts, for a manifest."""
        return [event.detail | {"from": event.time, "text": event.name} for event in self.events]


class _Soles(NamedTuple):
    """The points of each foot over time."""

    points: list[Array]
    """[m], (samples, points, 3) each."""
    floors: list[Array]
    """[m] Height at which each point stands, (points,): by this the sole of a model may be tilted or float."""
    standing: Array
    """(samples, feet) bool: some point of the foot is low and slow."""


def assign_plates(
    figure: Figure,
    times: ArrayLike,
    q: ArrayLike,
    plates: Recording,
    feet: Feet | None = None,
    *,
    threshold: float = THRESHOLD,
    cutoff: float | None = 6.0,
    near: float = NEAR,
    low: float = LOW,
    slow: float = SLOW,
) -> PlateAssignment:
    """Return which foot each plate carries at each of the ``times`` [s] of q (samples, nq).

    A plate is loaded above ``threshold`` [N] (`find_contacts`). It carries the foot whose sole is nearest to its
    centre of pressure, weighted by the load: less than ``near`` [m] away and ``low`` [m] above it. It is not usable
    where no foot is, where the sole passes the plate's edges, or where the other foot stands on it too, that is,
    has a point near its lowest place that moves less than ``slow`` [m/s]. Forces of `read_external_loads` act on the
    segments that their file names.

    Wrenches are low-passed at ``cutoff`` [Hz] as the motion is, so that both sides of Newton's law lose the same.

    ``feet``: names of segments, or {segment: tags of its sole}; those of `find_feet` by default.
    """
    t, qs = as_motion(figure, times, q)
    up, given = up_of(figure), _given_segments(figure, plates)
    found = find_feet(figure, [*dict.fromkeys(given)] if given and feet is None else feet)
    loads = read_loads(plates, up)
    soles = _soles(figure, found, t, qs, up, slow)
    press = loads.normal_force
    loaded = [(k, *span) for k in range(press.shape[1]) for span in find_contacts(loads.times, press[:, k], threshold)]
    wrench = _of_contacts(loads, loaded).at(t, cutoff)
    of = [[foot.name for foot in found].index(name) for name in given]
    contacts = [
        PlateContact(k, start, end, of[k])
        if given
        else _find_foot(k, start, end, t, wrench[:, k], loads, soles, near, low)
        for k, start, end in loaded
    ]
    contacts = [c._replace(begins=c.start > loads.times[0], ends=c.end < loads.times[-1]) for c in contacts]
    return _assembled(found, t, wrench, tuple(contacts), soles, 0.0 if cutoff is None else 1.0 / cutoff)


def _of_contacts(loads: PlateLoads, loaded: list[tuple[int, float, float]]) -> PlateLoads:
    """Return the loads of contacts alone: the drift of an empty plate would act on a foot that is far away by then."""
    inside = np.zeros(loads.wrench.shape[:2], bool)
    for k, start, end in loaded:
        inside[:, k] |= (loads.times >= start - _FADES) & (loads.times <= end + _FADES)
    return loads._replace(wrench=np.where(inside[..., None], loads.wrench, 0.0))


def _given_segments(figure: Figure, plates: Recording) -> list[str]:
    """Return the segment that each plate's force acts on, where a file of external loads states it, else none."""
    segments = [plate.get("segment") for plate in plates.manifest.get("plates", [])]
    if not segments or not all(segments):
        return []
    unknown = [name for name in segments if name not in figure.names]
    if unknown:
        raise InputError(
            "external loads must act on segments of the figure", where=plates._where, got=", ".join(unknown),
            allowed=", ".join(figure.names), remedy=closest(unknown[0], figure.names),
        )  # fmt: skip
    return segments


def _soles(figure: Figure, feet: tuple[Foot, ...], t: Array, q: Array, up: Array, slow: float) -> _Soles:
    seen = np.isfinite(q).all(1)
    R, p = forward_kinematics(figure, q[seen])
    points, standing = [], np.zeros((len(t), len(feet)), bool)
    for foot in feet:
        own = np.full((len(t), len(foot.points), 3), np.nan)
        own[seen] = foot_points(foot, R, p)
        points.append(own)
    floors = [
        np.nanpercentile(own @ up, STANCE, axis=0) if seen.any() else np.full(len(own[0]), np.nan) for own in points
    ]
    lowest = min(floor.min() for floor in floors)
    for k, (own, floor) in enumerate(zip(points, floors, strict=True)):
        rate = np.gradient(own, t, axis=0) if len(t) > 1 else np.zeros_like(own)
        still = (own @ up < floor + STANDS) & (np.linalg.norm(rate, axis=-1) < slow)
        standing[:, k] = still.any(1) & (floor.min() < lowest + LOW)
    return _Soles(points, floors, standing)


def _find_foot(
    plate: int, start: float, end: float, t: Array, wrench: Array, loads: PlateLoads, soles: _Soles,
    near: float, low: float,
) -> PlateContact:  # fmt: skip
    """Return the contact of a plate with the foot that it carries, or with the reason why it cannot be told."""
    n, corners = loads.normals[plate], loads.corners[plate]
    at = np.flatnonzero((t >= start) & (t <= end))
    at = at[(wrench[at, 3:] @ n > 0) & np.isfinite([p[at, 0, 0] for p in soles.points]).all(0)]
    if len(at) == 0:
        return PlateContact(plate, start, end, -1, "no posture is known in it")
    load = wrench[at, 3:] @ n
    load = load / load.sum()
    level = _level(corners, soles, n)
    force, moment = wrench[at, 3:], wrench[at, :3]
    base = level * n
    arm = np.cross(n, moment - np.cross(base, force)) / (force @ n)[:, None]  # p = n × M / (n · F)
    pressure = base + arm
    far = [float(load @ _distance(p[at], pressure, n)) for p in soles.points]
    height = [float(load @ ((p[at] @ n).min(1) - level)) for p in soles.points]
    good = [k for k in range(len(far)) if far[k] < near and height[k] < low]
    if not good:
        k = int(np.argmin(far))
        return PlateContact(
            plate, start, end, -1, f"no foot is at its centre of pressure: the nearest is {far[k]:.2g} m away, "
            f"{height[k]:.2g} m above it",
        )  # fmt: skip
    foot = min(good, key=far.__getitem__)
    return PlateContact(plate, start, end, foot, _fault(foot, at, load, corners, n, soles))


def _level(corners: Array, soles: _Soles, n: Array) -> float:
    """Return the height of a plate [m]; where its corners are not told, of the lowest sole."""
    if np.isfinite(corners).all():
        return float((corners @ n).mean())
    return float(min(np.nanmin(p @ n) for p in soles.points))


def _fault(foot: int, at: Array, load: Array, corners: Array, n: Array, soles: _Soles) -> str:
    """Return why a contact cannot be used, or an empty text."""
    if not np.isfinite(corners).all():
        return ""
    points = soles.points[foot][at]
    down = points @ n < soles.floors[foot] + STANDS / 2
    over = down & (_outside(points, corners, n) > _EDGE)
    if load @ over.any(1) > _PART:
        return "the foot passes the edge of the plate"
    for k, other in enumerate(soles.points):
        if k != foot:
            upon = soles.standing[at, k] & (_outside(other[at], corners, n) < 0).any(1)
            if load @ upon > _PART:
                return "both feet stand on it"
    return ""


def _outside(points: Array, corners: Array, n: Array) -> Array:
    """Return how far points lie outside a convex plate [m], below zero inside, (..., points)."""
    ends = np.roll(corners, -1, axis=0)
    outward = np.cross(ends - corners, n)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    outward *= np.sign(((corners - corners.mean(0)) * outward).sum(1))[:, None]  # whichever way round they go
    return ((points[..., None, :] - corners) * outward).sum(-1).max(-1)


def _distance(points: Array, target: Array, n: Array) -> Array:
    """Return the distance along the ground [m] from points (samples, points, 3) and the lines between them."""
    flat = points - (points @ n)[..., None] * n
    goal = target - (target @ n)[..., None] * n
    a, b = np.triu_indices(points.shape[1], 1)
    line = flat[:, b] - flat[:, a]
    size = (line**2).sum(-1)
    part = ((goal[:, None] - flat[:, a]) * line).sum(-1) / np.where(size > 0, size, 1.0)
    nearest = flat[:, a] + np.clip(part, 0.0, 1.0)[..., None] * line
    return np.linalg.norm(goal[:, None] - nearest, axis=-1).min(-1)


def _assembled(
    feet: tuple[Foot, ...], t: Array, wrench: Array, contacts: tuple[PlateContact, ...], soles: _Soles, reach: float
) -> PlateAssignment:
    shape = wrench.shape[:2]
    foot, carrier = (np.full(shape, -1, np.int8) for _ in range(2))
    spoiled = np.zeros((len(t), len(feet)), bool)
    for c in contacts:
        inside = (t >= c.start) & (t <= c.end)
        # What the low-pass spreads beyond a contact is shared with the next one of the same plate half-way.
        others = [o for o in contacts if o.plate == c.plate and o is not c]
        before = max([c.start - _SPREAD * reach] + [(o.end + c.start) / 2 for o in others if o.end <= c.start])
        after = min([c.end + _SPREAD * reach] + [(o.start + c.end) / 2 for o in others if o.start >= c.end])
        wide = (t >= before) & (t <= after)
        foot[inside, c.plate] = c.foot if c.usable else -2
        if c.usable:
            carrier[wide, c.plate] = c.foot
        else:
            spoiled[:, slice(None) if c.foot < 0 else c.foot] |= inside[:, None] if c.foot < 0 else inside
    on = np.stack([(foot == k).any(1) for k in range(len(feet))], axis=1)
    inside = (t - t[0] >= reach / 2) & (t[-1] - t >= reach / 2)  # a low-pass knows nothing beyond the ends
    seen = np.isfinite(soles.points[0][:, 0, 0]) & inside
    near = np.stack([_widened(t, one, _LANDS) for one in on.T], axis=1)
    unsure = spoiled | (soles.standing & ~near)
    known = np.stack([seen & ~_widened(t, one, reach / 2) for one in unsure.T], axis=1)
    kept = np.where((carrier >= 0)[..., None], wrench, 0.0)
    return PlateAssignment(feet, foot, kept, carrier, contacts, known)


def _widened(t: Array, mask: Array, reach: float) -> Array:
    """Return the mask with the samples before and after each of its runs, up to a time."""
    out = mask.copy()
    for first, last in runs(mask):
        out |= (t >= t[first] - reach) & (t <= t[last - 1] + reach)
    return out
