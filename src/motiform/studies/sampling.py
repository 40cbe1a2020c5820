"""Samples of ranges: random, Sobol's sequence, Latin hypercubes; each from a seed, so that they come again."""

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.studies.values import MOST_VALUES, ParameterRange

__all__ = ["SAMPLERS", "sample_ranges"]


def _random(count: int, dimensions: int, rng: np.random.Generator) -> np.ndarray:
    return rng.random((count, dimensions))


def _quasi(name: str) -> Callable[[int, int, np.random.Generator], np.ndarray]:
    def take(count: int, dimensions: int, rng: np.random.Generator) -> np.ndarray:
        from scipy.stats import qmc

        kind = getattr(qmc, name)
        seed = "rng" if "rng" in inspect.signature(kind).parameters else "seed"  # SciPy 1.15 has renamed it
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a count that is no power of 2: balanced less well
            return np.asarray(kind(dimensions, **{seed: rng}).random(count))

    return take


SAMPLERS: dict[str, Callable[[int, int, np.random.Generator], np.ndarray]] = {
    "random": _random, "sobol": _quasi("Sobol"), "latin-hypercube": _quasi("LatinHypercube"),
}  # fmt: skip
"""Methods that give points (count, dimensions) in the unit cube."""
_KEYS = ("method", "count", "seed")


def sample_ranges(ranges: Mapping[str, ParameterRange], given: Mapping[str, Any]) -> list[tuple[float, ...]]:
    """Return points over ranges, a number for each: ``given`` is ``{"method": "sobol", "count": 64, "seed": 1}``."""
    if not isinstance(given, Mapping):
        raise InputError("the sample must be a table", where="sample", got=repr(given)[:60], allowed=", ".join(_KEYS))
    unknown = next((key for key in given if key not in _KEYS), None)
    if unknown is not None:
        raise InputError("no such key of a sample", where="sample", got=str(unknown), allowed=", ".join(_KEYS),
                         remedy=closest(unknown, _KEYS))  # fmt: skip
    method, count, seed = given.get("method"), given.get("count"), given.get("seed", 0)
    if not isinstance(method, str) or method not in SAMPLERS:
        raise InputError("no such method of sampling", where="sample", got=repr(method), allowed=", ".join(SAMPLERS),
                         remedy=closest(method, SAMPLERS))  # fmt: skip
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_VALUES:
        allowed = f"a whole number, 1 to {MOST_VALUES}"
        raise InputError("the count of a sample must be above 0", where="sample", got=repr(count), allowed=allowed)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError("the seed of a sample must be a whole number, 0 or more", where="sample", got=repr(seed))
    points = SAMPLERS[method](count, len(ranges), np.random.default_rng(seed))
    columns = [span.at(points[:, k]).tolist() for k, span in enumerate(ranges.values())]
    return list(zip(*columns, strict=True))
