"""Recorded channels of contacts: modes, gaps, forces, wrenches of solids, centres of pressure."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.sums import sum_over
from motiform.motion.contact import columns as contact_columns
from motiform.motion.stepping.equations import TOUCH, ContactEquations
from motiform.motion.tree import forward_kinematics
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.observe import effort_units
from motiform.record import Channel
from motiform.record.labels import WRENCH_UNITS

if TYPE_CHECKING:
    from motiform.motion.stepping.sample_kernels import ContactSamples

__all__ = ["CONTACT_CHANNELS", "contact_channels", "drive_efforts", "observe_contacts", "packed_samples", "snapshot"]

CONTACT_CHANNELS = {
    "contact.mode": "of every contact point: 0 free, 1 sticks, 2 slides",
    "contact.gap": "from every contact point to the nearest obstacle",
    "contact.force": "on every contact point, world axes; the least where contacts are redundant",
    "contact.impulse": "on every contact point since the start, impacts included, world axes; their sum is determined",
    "solid.wrench": "on every contact solid: moment about its segment's origin, force, world axes",
    "solid.center_of_pressure": "centre of pressure of every contact solid, in the world; NaN where it carries nothing",
    "zmp": "zero-moment point: centre of pressure of all contacts at their mean height; NaN where none carries",
    "limit.contact": "of every coordinate: −1 at its lower limit, 1 at its upper limit, 0 between them",
    "limit.force": "of the joints' limits on their coordinates",
}
"""Names of the channels of contacts and what they hold."""


def packed_samples(system: ContactEquations, samples: "ContactSamples", count: int) -> np.ndarray:
    """Return the first samples of a workspace as an array with a field for each of its own, and "drives": (count,)."""
    drives = 0 if system.drive is None else len(system.drive.names)
    kinds = [(name, np.asarray(field).dtype, field.shape[1:]) for name, field in samples._asdict().items()]
    packed = np.zeros(count, np.dtype([*kinds, ("drives", float, (drives,))]))
    for name, field in samples._asdict().items():
        packed[name] = field[:count]
    return packed


def drive_efforts(
    system: ContactEquations, at: float, y: Array, own: np.ndarray, forces: Array, places: Array, limits: Array
) -> Array:
    """Return the efforts of prescribed motions, under forces of candidates at places and of limits."""
    drive, packed = system.drive, system.problem.packed
    if drive is None:
        return np.zeros(0)
    state = system.split(y)
    loads = system.wrenches(at, state)
    wrenches = np.zeros((len(system.figure.segments), 6)) if loads is None else np.array(loads)
    origins = forward_kinematics(system.figure, state.q)[1]
    for k, force, place in zip(own, forces, places, strict=True):
        carrier = system.contacts.obstacles[packed.obstacle_of[k]].segment
        for name, sign in ((system.contacts.points[packed.point_of[k]].segment, 1.0), (carrier, -1.0)):
            if name is not None:
                n = system.figure.index(name)
                wrenches[n] += sign * np.concatenate([np.cross(place - origins[n], force), force])
    tau = system.control_forces(at, state) + limits
    return drive.efforts(at, state.q, state.v, tau, wrenches)


def snapshot(system: ContactEquations, at: float, y: Array) -> np.ndarray:
    """Return a state and what contacts do at it in the present modes, as one sample."""
    from motiform.motion.stepping.sample_kernels import contact_samples, pair_forces, sum_pairs

    problem = system.problem
    packed, taken, pairs = problem.packed, 0, 0
    gaps, pair = system.gaps(y), pair_forces(len(problem.active))
    if len(problem.active):
        taken, pairs = len(problem.active), problem.pairs
        system.rate(at, y, np.empty(system.size))
        slides = (system.own_modes[:pairs] == contact_columns.SLIDE) & (problem.mu > 0)  # their friction is what it is
        x = problem.least_norm(problem.x[: problem.rows].copy(), problem.mu, slides)
        pair.x[: len(x)], pair.modes[:pairs] = x, system.own_modes[:pairs]
        pair.places[:pairs] = problem.sites[:pairs, contact_columns.SITE : contact_columns.SITE + 3]
    room = contact_samples(1, system.size, len(system.contacts.points), system.nv)
    sum_pairs.function(problem.head, problem.active, pairs, taken, problem.sites, pair, gaps, packed.point_of, 0, room)
    if system.solids is not None:
        system.solids.point_gaps(y[: system.nq], room.gaps[0])
    room.y[0], room.tau[0] = y, system.control_forces(at, system.split(y))
    found, own = packed_samples(system, room, 1), problem.active[:pairs].copy()
    found["drives"][0] = drive_efforts(system, at, y, own, pair.world[:pairs], pair.places[:pairs], room.limits[0])
    return found


def contact_channels(system: ContactEquations, rate: float) -> list[Channel]:
    """Return the channels of contacts."""
    points, solids = len(system.contacts.points), len(system.contacts.solids)

    def channel(name: str, unit: str, dims: tuple[str, ...], shape: tuple[int, ...], dtype: str = "float64") -> Channel:
        text = CONTACT_CHANNELS[name]
        return Channel(name, unit=unit, dims=dims, shape=shape, rate=rate, dtype=dtype, description=text)

    found = []
    if points:
        found += [
            channel("contact.mode", "", ("point",), (points,), "int8"),
            channel("contact.gap", "m", ("point",), (points,)),
            channel("contact.force", "N", ("point", "axis"), (points, 3)),
            channel("contact.impulse", "N*s", ("point", "axis"), (points, 3)),
            replace(channel("solid.wrench", "", ("solid", "component"), (solids, 6)), units=WRENCH_UNITS),
            channel("solid.center_of_pressure", "m", ("solid", "axis"), (solids, 3)),
            channel("zmp", "m", ("axis",), (3,)),
        ]
    if system.problem.packed.count > system.problem.packed.pairs:
        units = effort_units(system.figure)
        found.append(channel("limit.contact", "", ("velocity",), (system.nv,), "int8"))
        found.append(replace(channel("limit.force", "", ("velocity",), (system.nv,)), units=units))
    return found


def observe_contacts(system: ContactEquations, samples: np.ndarray, origins: dict[str, Array]) -> dict[str, Array]:
    """Return the samples of the channels of contacts; `origins` are places of segments, (samples, 3) each."""
    contacts = system.contacts
    found: dict[str, Array] = {}
    if contacts.points:
        forces, sites, moments, presses = (samples[name] for name in ("forces", "sites", "moments", "presses"))
        found |= {
            "contact.mode": samples["modes"].astype(np.int8),
            "contact.gap": samples["gaps"],
            "contact.force": forces,
            "contact.impulse": samples["y"][:, system.acting :].reshape(len(samples), -1, 3).copy(),
        }
        wrenches, centers = [], []
        for solid in contacts.solids:
            own = [n for n, point in enumerate(contacts.points) if point.solid == solid]
            origin = origins[contacts.points[own[0]].segment]
            force = sum_over(forces[:, own], 1)
            moment = sum_over(moments[:, own], 1) - np.cross(origin, force)
            wrenches.append(np.concatenate([moment, force], axis=-1))
            centers.append(_center(sites[:, own], presses[:, own]))
        found["solid.wrench"], found["solid.center_of_pressure"] = np.stack(wrenches, 1), np.stack(centers, 1)
        found["zmp"] = zero_moment_point(system, forces, moments, sites, presses)
    if system.problem.packed.count > system.problem.packed.pairs:
        found["limit.contact"] = _at_limits(system, samples["y"], samples["limits"])
        found["limit.force"] = samples["limits"]
    return found


def _at_limits(system: ContactEquations, y: Array, forces: Array) -> np.ndarray:
    """Return which limit each coordinate is at: nearer than √ε, or one that pushes  [HuMAnS 6.1.2]."""
    packed, found = system.problem.packed, np.zeros(forces.shape, np.int8)
    for v, q, side, bound in zip(
        packed.limit_coordinates, packed.limit_places, packed.limit_sides, packed.limit_bounds, strict=True
    ):
        found[(side * (y[:, q] - bound) <= TOUCH) | (side * forces[:, v] > 0), v] = -side
    return found


def _center(sites: Array, presses: Array) -> Array:
    """Return the mean place weighted by the normal forces; NaN where there is none."""
    total = sum_over(presses, -1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, sum_over(sites * presses[..., None], -2) / total, np.nan)


def zero_moment_point(system: ContactEquations, forces: Array, moments: Array, sites: Array, presses: Array) -> Array:
    """Return where on the level of the contacts all contact forces together have no horizontal moment, (samples, 3)."""
    g = np.asarray(system.figure.gravity, float)
    size = np.linalg.norm(g)
    if size == 0:
        return np.full((len(forces), 3), np.nan)
    up = -g / size
    level = _center(sites, presses)
    total = sum_over(forces, 1)
    moment = sum_over(moments, 1) - np.cross(level, total)
    lift = sum_over(total * up, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.cross(up, moment) / lift[:, None]
    return np.where((lift > 0)[:, None], level + shift, np.nan)
