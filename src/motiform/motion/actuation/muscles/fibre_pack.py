"""Hill-type muscles as two arrays that kernels read (see `fibre_columns`)."""

from collections.abc import Sequence

import numpy as np

from motiform.motion.actuation.muscles import fibre_columns
from motiform.motion.actuation.muscles.curves.model import CompiledModel
from motiform.motion.actuation.muscles.curves.register import MODELS
from motiform.motion.actuation.muscles.hill import Muscle
from motiform.spatial.checks import Array

__all__ = ["is_compiled", "pack_fibres"]

_NUMBERS = {model: n for n, model in enumerate(MODELS.values())}


def is_compiled(muscle: Muscle) -> bool:
    """Return whether kernels have the curves of a muscle."""
    return type(muscle.model) in _NUMBERS


def pack_fibres(muscles: Sequence[Muscle], least: float) -> tuple[Array, Array]:
    """Return the muscles, (muscles, ROW), and the numbers of their curves; excitations are not below `least`."""
    rows, numbers = np.zeros((len(muscles), fibre_columns.ROW)), list[float]()
    known: dict[CompiledModel, int] = {}
    place = len(muscles)
    for row, one in zip(rows, muscles, strict=True):
        assert isinstance(one.model, CompiledModel)
        if one.model not in known:
            known[one.model] = len(numbers)
            numbers += one.model.numbers.tolist()
        low, high = one.activations
        row[:] = (
            one.max_force, one.fibre_length, one.slack_length, one.width, one.shortest,
            one.max_speed * one.fibre_length, one.activation_time, one.deactivation_time, one.smoothing or 0.0,
            max(low, least), high,
            one.rigid_tendon, _NUMBERS[type(one.model)], one.model.damping, known[one.model],
            -1 if one.rigid_tendon else place,
        )  # fmt: skip
        place += not one.rigid_tendon
    return rows, np.array(numbers)
