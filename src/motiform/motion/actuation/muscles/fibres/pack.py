"""Hill-type muscles as two arrays that kernels read (see `columns`)."""

from collections.abc import Sequence

import numpy as np

from motiform.motion.actuation.muscles import models as muscle_models
from motiform.motion.actuation.muscles.bezier import BezierCurve
from motiform.motion.actuation.muscles.fibres import columns as fibre_columns
from motiform.motion.actuation.muscles.hill import Muscle
from motiform.motion.actuation.muscles.models import DeGrooteFregly, Millard, MuscleModel, Thelen
from motiform.spatial.checks import Array

__all__ = ["is_compiled", "pack_fibres"]


def is_compiled(muscle: Muscle) -> bool:
    """Return whether kernels have the curves of a muscle."""
    return type(muscle.model) in (DeGrooteFregly, Thelen, Millard)


def pack_fibres(muscles: Sequence[Muscle], least: float) -> tuple[Array, Array]:
    """Return the muscles, (muscles, ROW), and the numbers of their curves; excitations are not below `least`."""
    rows, numbers = np.zeros((len(muscles), fibre_columns.ROW)), list[float]()
    known: dict[MuscleModel, int] = {}
    place = len(muscles)
    for row, one in zip(rows, muscles, strict=True):
        if one.model not in known:
            known[one.model] = len(numbers)
            numbers += _curves(one.model)
        low, high = one.activations
        row[:] = (
            one.max_force, one.fibre_length, one.slack_length, one.width, one.shortest,
            one.max_speed * one.fibre_length, one.activation_time, one.deactivation_time, one.smoothing or 0.0,
            max(low, least), high,
            one.rigid_tendon, _kind(one.model), one.model.damping, known[one.model], -1 if one.rigid_tendon else place,
        )  # fmt: skip
        place += not one.rigid_tendon
    return rows, np.array(numbers)


def _kind(model: MuscleModel) -> int:
    return [DeGrooteFregly, Thelen, Millard].index(type(model))


def _curves(model: MuscleModel) -> list[float]:
    if isinstance(model, DeGrooteFregly):
        bumps = [float(x) for bump in muscle_models._BUMPS for x in bump]
        own = [model.width, 4.0 / model.passive_strain, np.exp(-3.2 / model.passive_strain)]
        return [
            *own,
            np.log(6.0) / model.tendon_strain,
            muscle_models._HEIGHT,
            muscle_models._D1,
            muscle_models._D2,
            muscle_models._D3,
            muscle_models._D4,
            *bumps,
        ]
    if isinstance(model, Thelen):
        toe = 99.0 * model.tendon_strain * np.exp(3.0) / (166.0 * np.exp(3.0) - 67.0)
        own = [model.active_shape, model.passive_shape / model.passive_strain, np.expm1(model.passive_shape)]
        speed = [model.speed_shape, model.lengthening_force, model.linear_from]
        return [*own, *speed, toe, 0.67 / (model.tendon_strain - toe)]
    assert isinstance(model, Millard)
    parts = [_bezier(curve) for curve in model._curves]
    starts = np.cumsum([4, *(len(part) for part in parts[:3])])
    return [*starts.tolist(), *(x for part in parts for x in part)]


def _bezier(curve: BezierCurve) -> list[float]:
    X, Y = curve.powers
    head = [len(curve.x), curve.x[0, 0], curve.x[-1, -1], *curve.ends]
    return [*head, *np.column_stack([curve.x[:, 0], X, Y]).ravel().tolist()]
