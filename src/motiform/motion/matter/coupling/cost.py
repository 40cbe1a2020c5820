"""Errors of a cut: the coupled and the cut network are simulated, and errors are compared with predictions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.matter.coupling.band import Band
from motiform.motion.matter.coupling.cut import Advice, model_labels, pair_influences
from motiform.motion.matter.coupling.linearise import direction
from motiform.motion.matter.coupling.replay import run_schedule
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.system import NetworkSystem
from motiform.motion.run import Options, record
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
    """Error foreseen from influences and the spectrum of the coupled motion; None for a model that was not cut."""


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
    cut : an advice, which also foresees the errors, or a cut network of the same points.
    t1 : end of the runs [s].
    models : name and points of each; those of the advice, or all groups of masses.
    rate : of the samples [Hz]; the network's own where it is None.
    """
    options = Options(t1, rate=rate or network.frequency, integrator="centred", device=device)
    parts = dict(cut.models) if isinstance(cut, Advice) and models is None else models
    parts = {g.name: g.name for g in network.groups if g.kind == "masses"} if parts is None else parts
    label = model_labels(network, parts)

    def half(start: float) -> Progress | None:
        return None if progress is None else lambda share: progress(start + share / 2)

    coupled = record(NetworkSystem(network, options, unstable), progress=half(0.0))
    alone = _run_cut(cut, options, unstable, half(0.5))
    x, y = _positions(network, coupled), _positions(network, alone)
    foreseen = _foreseen(cut, x, options.t1) if isinstance(cut, Advice) and models is None else {}
    errors, apart = [], {}
    for n, name in enumerate(parts):
        mine = label == n
        errors.append(_error(name, x[:, mine], y[:, mine], foreseen.get(name)))
        apart[name] = np.sqrt(((y[:, mine] - x[:, mine]) ** 2).sum(-1).mean(-1))
    return CutComparison(tuple(errors), coupled, alone, np.arange(len(x)) / options.rate, apart)


def _run_cut(cut: Advice | Network, options: Options, unstable: bool, progress: Progress | None) -> Recording:
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


def _foreseen(advice: Advice, x: Array, duration: float) -> dict[str, float]:
    """Return for each model whose couplings were cut the error that the influences on it foresee.

    At each frequency the influence is the relative error of the velocity, and so of the displacement. The spectrum of
    the coupled displacements x (samples, points, 3) [m] weighs them; what stays counts at the low end
    of `Band.from_rest`.
    """
    network, names, label = advice.network, list(advice.models), advice.labels
    band = Band.from_rest(duration, 0.499 * network.frequency)
    at = np.clip(np.arange(len(x) // 2 + 1) / duration, band.low, band.high)
    errors: dict[str, dict[str, Array]] = {}
    for pair in advice.pairs:
        lost = [name for name, other in ((pair.a, pair.b), (pair.b, pair.a)) if (other, name) not in advice.connections]
        if not lost:
            continue
        i, j = names.index(pair.a), names.index(pair.b)
        for axis, seen in pair_influences(advice.linear, network, label, (i, j), names, band, advice.threshold).items():
            for name in lost:
                ratio = seen.on_a if name == pair.a else seen.on_b
                known = np.isfinite(ratio)  # at a free mode of the driver it may not be
                found = np.interp(np.log(2 * np.pi * at), np.log(seen.omega[known]), ratio[known])
                mine = errors.setdefault(name, {})
                mine[axis] = mine.get(axis, 0.0) + found
    told = {}
    for name, by_axis in errors.items():
        moved = x[:, label == names.index(name)] - x[0, label == names.index(name)]
        power = (np.abs(np.fft.rfft(moved, axis=0)) ** 2).sum(axis=1)[: len(at)]  # (frequencies, 3)
        power[1:] *= 2  # both signs of frequency
        square = sum((error**2 * (power @ direction(advice.axes[axis]) ** 2)).sum() for axis, error in by_axis.items())
        told[name] = float(np.sqrt(square / power.sum())) if power.sum() else 0.0
    return told
