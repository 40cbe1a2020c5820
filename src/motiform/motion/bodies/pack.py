"""A model of rigid bodies as the arrays that kernels take, checked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.bodies import columns as body_columns
from motiform.motion.bodies.model import Bodies, check_vectors, lever, pivot_inertia
from motiform.motion.run import check_number

__all__ = ["PackedBodies", "pack"]


@dataclass(frozen=True)
class PackedBodies:
    """A model as arrays; their columns are those of motion.bodies.columns."""

    bodies: np.ndarray
    environment: np.ndarray
    load_starts: np.ndarray
    loads: np.ndarray
    ends: np.ndarray
    partners: np.ndarray
    springs: np.ndarray

    @property
    def alone(self) -> bool:
        """Whether no body acts on another and none hangs on a spring."""
        return len(self.partners) == 0


def pack(model: Bodies) -> PackedBodies:
    """Return the model as arrays for kernels, checked."""
    table = np.zeros((model.count, body_columns.CONSTANTS))
    for body in model.bodies:
        rows = table[model.slices[body.name]]
        inertia = pivot_inertia(body)
        rows[:, body_columns.MASS] = body.properties.mass
        rows[:, body_columns.INERTIA : body_columns.INERTIA + 9] = inertia.ravel()
        rows[:, body_columns.INVERSE : body_columns.INVERSE + 9] = np.linalg.inv(inertia).ravel()
        if body.pivot is not None:
            rows[:, body_columns.PINNED] = 1.0
            pivot = np.asarray(body.rotation) @ np.asarray(body.pivot)
            rows[:, body_columns.PIVOT : body_columns.PIVOT + 3] = np.asarray(body.position) + pivot
            rows[:, body_columns.LEVER : body_columns.LEVER + 3] = lever(body)
        if body.drag is not None:
            where = f"drag of body {body.name!r}"
            rows[:, body_columns.DRAG : body_columns.DRAG + 3] = _one_or_three(body.drag.area, "area", where)
            rows[:, body_columns.SPIN_DRAG : body_columns.SPIN_DRAG + 3] = _one_or_three(body.drag.spin, "spin", where)
            rows[:, body_columns.PRESSURE : body_columns.PRESSURE + 3] = check_vectors(
                body.drag.center, "centre of pressure", where
            )
    return PackedBodies(table, _pack_environment(model), *_pack_loads(model), *_pack_springs(model))


def _one_or_three(values: ArrayLike, what: str, where: str) -> np.ndarray:
    """Return three numbers, none negative, from three or from one for all."""
    try:
        array = np.broadcast_to(np.array(values, float), 3)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise InputError(f"{what} is out of range", where=where, got=values, allowed="one number or three, at least 0")
    return array


def _pack_environment(model: Bodies) -> np.ndarray:
    given, where = model.environment, "environment"
    env = np.zeros(body_columns.ENVIRONMENT)
    env[body_columns.GRAVITY : body_columns.GRAVITY + 3] = check_vectors(given.gravity, "gravity", where)
    if any(body.drag is not None for body in model.bodies):
        env[body_columns.AIR] = check_number(given.air_density, "air density", where, least=0.0)
    env[body_columns.WIND : body_columns.WIND + 3] = check_vectors(given.wind, "wind", where)
    env[body_columns.GUST : body_columns.GUST + 3] = check_vectors(given.gust, "gust", where)
    direction = check_vectors(given.gust_direction, "gust direction", where)
    length = check_number(given.gust_length, "gust length", where, above=0.0)
    size = check_number(float(np.linalg.norm(direction)), "length of the gust direction", where, above=0.0)
    env[body_columns.WAVE : body_columns.WAVE + 3] = 2 * np.pi / length * direction / size
    env[body_columns.PULSE] = 2 * np.pi / check_number(given.gust_period, "gust period", where, above=0.0)
    return env


def _rows_by_body(model: Bodies, rows: list[tuple[int, np.ndarray, int]], width: int) -> tuple[np.ndarray, ...]:
    """Sort rows (body, numbers, partner) by body: where each body's begin, the numbers, the partners."""
    order = sorted(range(len(rows)), key=lambda n: rows[n][0])
    starts = np.zeros(model.count + 1, np.int64)
    for body, _, _ in rows:
        starts[body + 1] += 1
    table = np.array([rows[n][1] for n in order], float).reshape(-1, width)
    return np.cumsum(starts), table, np.array([rows[n][2] for n in order], np.int64)


def _pack_loads(model: Bodies) -> tuple[np.ndarray, np.ndarray]:
    rows = []
    for n, load in enumerate(model.loads):
        where = f"load {n + 1}"
        body = model.find(load.body, where)
        start = check_number(load.start, "start", where)
        until = np.inf if load.until == np.inf else check_number(load.until, "end", where)
        if until <= start:
            raise InputError("a load must end after it starts", where=where, got=f"from {start} until {until} s")
        point = np.zeros(3) if load.at is None else check_vectors(load.at, "point", where) - body.properties.com
        force, torque = check_vectors(load.force, "force", where), check_vectors(load.torque, "torque", where)
        numbers = np.hstack([force, torque, point, float(load.follows), start, until])
        rows += [(i, numbers, -1) for i in range(*model.slices[body.name].indices(model.count))]
    starts, table, _ = _rows_by_body(model, rows, body_columns.LOAD)
    return starts, table


def _pack_springs(model: Bodies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    start = model.initial_state()
    rows = []
    for n, spring in enumerate(model.springs):
        where = f"spring {n + 1}"
        if spring.a == spring.b:
            raise InputError("a spring needs two different ends", where=where, got=f"{spring.a} and {spring.b}")
        index, points, places = [], [], []
        for name, at in ((spring.a, spring.at_a), (spring.b, spring.at_b)):
            i, point = -1, check_vectors(at, "end", where)
            place = point
            if name is not None:
                body = model.find(name, where)
                if body.many:
                    raise InputError("a spring cannot hold many copies at once", where=where, got=name)
                i, point = model.slices[name].start, point - body.properties.com
                place = start.position[i] + start.rotation[i] @ point
            index.append(i)
            points.append(point)
            places.append(place)
        length = float(np.linalg.norm(places[1] - places[0]))
        rest = length if spring.rest is None else check_number(spring.rest, "rest length", where, least=0.0)
        law = [
            check_number(spring.stiffness, "stiffness", where, least=0.0),
            check_number(spring.damping, "damping", where, least=0.0),
            rest,
        ]
        for one, other in ((0, 1), (1, 0)):
            if index[one] >= 0:
                rows.append((index[one], np.hstack([points[one], points[other], law]), index[other]))
    ends, table, partners = _rows_by_body(model, rows, body_columns.SPRING)
    return ends, partners, table
