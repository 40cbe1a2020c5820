"""Errors of a cut: the coupled and the cut network are simulated and compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.matter.coupling.cut import Advice, model_labels
from motiform.motion.matter.coupling.replay import run_schedule
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.system import NetworkSystem
from motiform.motion.run import RunOptions, record
from motiform.record import Recording
from motiform.record.plain import to_plain
from motiform.spatial.checks import Array, Words

__all__ = ["CutComparison", "ModelError", "compare_runs"]


@dataclass(frozen=True)
class ModelError:
    """How far the cut run of a model is from the coupled one."""

    model: str
    error: float
    """Relative L2 error of its displacements from the start: ‖x_cut − x‖/‖x − x₀‖ over all points and samples."""
    norm_error: float
    """How much the norm of its displacements differs, relative to the coupled one."""
    displacement: float
    """Root mean square of the coupled displacements [m]."""
    largest: float
    """Largest distance of a point from where it should be [m]."""
    predicted: float | None
    """Error that the advice foresaw over its own duration; None where there was none."""


@dataclass(frozen=True, eq=False)
class CutComparison:
    """Two runs of one network, coupled and cut."""

    errors: tuple[ModelError, ...]
    coupled: Recording
    cut: Recording
    times: Array
    """[s], (samples,)"""
    distances: Mapping[str, Array]
    """Root mean square distance of each model's points from where they should be [m], (samples,)."""

    def __getitem__(self, model: str) -> ModelError:
        for one in self.errors:
            if one.model == model:
                return one
        known = ", ".join(one.model for one in self.errors)
        raise InputError("no such model", got=model, allowed=known)

    def as_dict(self) -> dict[str, Any]:
        """Return the errors as plain values."""
        plain: dict[str, Any] = to_plain({one.model: dict(vars(one)) for one in self.errors}, "comparison")
        return plain

    def __str__(self) -> str:
        lines = [f"{'model':<20}{'error':>10}{'foreseen':>10}{'of norm':>10}{'moves [m]':>11}{'off by [m]':>11}"]
        for e in self.errors:
            seen = "" if e.predicted is None else f"{e.predicted:.3g}"
            lines.append(
                f"{e.model:<20}{e.error:>10.3g}{seen:>10}{e.norm_error:>10.3g}{e.displacement:>11.3g}{e.largest:>11.3g}"
            )
        return "\n".join(lines)


def compare_runs(
    network: Network,
    cut: Advice | Network,
    t1: float,
    *,
    models: Mapping[str, Any] | None = None,
    rate: float | None = None,
    device: str = "cpu",
    unstable: bool = False,
    progress: Progress | None = None,
) -> CutComparison:
    """Simulate the coupled and the cut network, and return the error of each model.

    Parameters
    ----------
    cut : an advice, or a cut network of the same points.
    t1 : end of the runs [s].
    models : name and points of each; those of the advice, or all groups of masses.
    rate : of the samples [Hz]; the network's own where it is None.
    """
    options = RunOptions(t1, rate=rate or network.frequency, integrator="central-difference", device=device)
    parts = dict(cut.models) if isinstance(cut, Advice) and models is None else models
    parts = {g.name: g.name for g in network.groups if g.kind == "masses"} if parts is None else parts
    label = model_labels(network, parts)

    def half(start: float) -> Progress | None:
        return None if progress is None else lambda share: progress(start + share / 2)

    coupled = record(NetworkSystem(network, options, unstable), progress=half(0.0))
    alone = _run_cut(cut, options, unstable, half(0.5))
    x, y = _positions(network, coupled), _positions(network, alone)
    foreseen = cut.errors if isinstance(cut, Advice) else {}
    errors, apart = [], {}
    for n, name in enumerate(parts):
        mine = label == n
        errors.append(_error(name, x[:, mine], y[:, mine], foreseen.get(name)))
        apart[name] = np.sqrt(((y[:, mine] - x[:, mine]) ** 2).sum(-1).mean(-1))
    return CutComparison(tuple(errors), coupled, alone, np.arange(len(x)) / options.rate, apart)


def _run_cut(cut: Advice | Network, options: RunOptions, unstable: bool, progress: Progress | None) -> Recording:
    if isinstance(cut, Network):
        return record(NetworkSystem(cut, options, unstable), progress=progress)
    if any(one.count == 0 for one in cut.cuts):  # links by range: only apart
        return run_schedule(
            cut.network, cut.separation, options.t1, models=cut.models, rate=options.rate,
            device=options.device, unstable=unstable, progress=progress,
        )  # fmt: skip
    return record(NetworkSystem(cut.cut_network(), options, unstable), progress=progress)


def _positions(network: Network, rec: Recording) -> Array:
    """Return where all points were [m], (samples, points, 3)."""
    found = [rec[f"{group.name}.position"] for group in network.groups if f"{group.name}.position" in rec]
    x = np.concatenate(found, axis=1) if found else np.zeros((0, 0, 3))
    if x.shape[1] != network.count:
        raise InputError(
            "the recording must have the points of the network", got=Words(f"{x.shape[1]}"), allowed=f"{network.count}"
        )
    return x


def _error(name: str, x: Array, y: Array, predicted: float | None) -> ModelError:
    moved, other = x - x[0], y - y[0]
    size, off = float(np.linalg.norm(moved)), float(np.linalg.norm(y - x))
    share = 0.0 if off == 0 else np.inf if size == 0 else off / size
    norm = abs(float(np.linalg.norm(other)) - size)
    norm = 0.0 if norm == 0 else np.inf if size == 0 else norm / size
    rms = size / float(np.sqrt(moved.shape[0] * moved.shape[1]))
    return ModelError(name, share, norm, rms, float(np.linalg.norm(y - x, axis=-1).max()), predicted)
