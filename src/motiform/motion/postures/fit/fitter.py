"""Inverse kinematics of many samples: arrays for the kernels, and their results."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.base.kernels import get_device
from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.layouts import FitOutput, FitProblem, FitWorkspace, Search
from motiform.motion.postures.fit.rounding import chain_rounding, sample_rounding
from motiform.motion.tree import Figure, tags
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array

__all__ = ["FittedPostures", "Fitter"]

BLOCK = 64  # samples that one core fits one after another; fixed, so that results do not depend on the cores
_UNSEEN = 1e-6  # [m²/rad²] square of the lever below which a marker does not determine a coordinate: 1 mm
_NONE = np.zeros((0, 5), np.int64)


@dataclass
class FittedPostures:
    """What became of samples."""

    q: Array
    """(samples, nq)"""
    cost: Array
    """Σ w ρ(|x − m|²) [m²], (samples,)"""
    weight: Array
    """Of all markers seen, (samples,)"""
    steps: np.ndarray
    status: np.ndarray
    """FINE, UNSETTLED or LOST of `options`."""
    inverse: Array
    """Diagonal of (JᵀWJ + ε)⁻¹ [rad²/m²], (samples, nv); zeros where it was not asked for."""

    @property
    def rms(self) -> Array:
        """Root of the mean square distance of the markers seen [m]; NaN where there is none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(self.cost / self.weight)

    @property
    def std(self) -> Array:
        """Standard deviation of each coordinate, were all samples as far from their markers as usual, (samples, nv)."""
        seen = self.weight > 0
        return float(np.median(self.rms[seen])) * np.sqrt(self.inverse) if seen.any() else np.zeros_like(self.inverse)

    @property
    def unseen(self) -> Array:
        """Part of each coordinate that the markers do not determine, 0 to 1, (samples, nv)."""
        return np.clip(_UNSEEN * self.inverse, 0.0, 1.0)

    def pick(self, at: np.ndarray) -> "FittedPostures":
        """Return some of the samples."""
        return FittedPostures(
            self.q[at], self.cost[at], self.weight[at], self.steps[at], self.status[at], self.inverse[at]
        )

    def put(self, at: np.ndarray, other: "FittedPostures", of: np.ndarray) -> None:
        """Replace samples by those of another fit."""
        for name in ("q", "cost", "weight", "steps", "status", "inverse"):
            getattr(self, name)[at] = getattr(other, name)[of]


class Fitter:
    """A figure, the weights of its tags, and how to fit them.

    Parameters
    ----------
    prior : initial configuration; undetermined coordinates stay there, (nq,).
    robust : scale of the robust loss [m]; inf: least squares.
    accuracy : step of the tags at which a sample is done [m].
    limits : whether the limits of the joints are kept.
    most : iterations of a sample at most.
    threshold : distance of tags from markers at which a sample is done, too [m].
    tasks : {coordinate: (value, weight)}: weight × (q − value)² [m²/rad² or 1] is added to the cost of a sample.

    """

    def __init__(
        self, figure: Figure, weights: Array, prior: Array, *, robust: float = np.inf, accuracy: float = 1e-13,
        limits: bool = True, most: int = 200, threshold: float = 0.0,
        tasks: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:  # fmt: skip
        packed = figure.packed
        if not packed.kernel_only or figure.closures:
            kind = "closures" if figure.closures else "joints written in Python"
            own = [str(one.name) for one in figure.closures] or [figure.names[n] for n in packed.asked]
            remedy = "Leave them out: figure.replace(closures=()), read_osim(…, skip='constraints'), or " \
                "--set figure.skip=constraints." if figure.closures else \
                "Replace them by joints of motiform: figure.replace(segments=…)."  # fmt: skip
            raise InputError(
                f"a fit of postures excludes figures with {kind}", where=repr(figure), got=", ".join(own),
                allowed="motiform's own joints", remedy=remedy,
            )  # fmt: skip
        self.figure, self.weights = figure, np.array(weights, float)
        self.full_q, self.full_v = int(packed.ints[tree_columns.NQ]), int(packed.ints[tree_columns.NV])
        self.prior = self.expand(np.array(prior, float)[None])[0]
        self.options = np.zeros(fit_options.OPTIONS)
        self.options[fit_options.ACCURACY], self.options[fit_options.ROBUST], self.options[fit_options.MOST] = (
            accuracy,
            robust**2,
            most,
        )
        self.options[fit_options.PRIOR], self.options[fit_options.KEEP], self.options[fit_options.NOISE] = (
            1.0,
            1e-10,
            1e-4,
        )
        self.options[fit_options.SPREAD], self.options[fit_options.THRESHOLD] = _UNSEEN, threshold
        self.chain = chain_rounding(figure, np.array(prior, float))
        at = int(packed.ints[tree_columns.AT_COLUMNS]) + tree_columns.COLUMN_INTS * np.arange(self.full_v)
        self.before = packed.ints[at + tree_columns.BEFORE].copy()
        self.column_v, self.column_q = packed.ints[at + tree_columns.COLUMN_V], packed.ints[at + tree_columns.COLUMN_Q]
        self.tasks, self.goals = self._tasks(tasks or {}).T.copy()
        self.bounds = self._bounds(limits)
        self.gone = np.zeros(self.full_v, np.int64)
        self.couplings, self.functions = self._couplings()
        self.gone[self.couplings[:, 0]] = 1

    def robust(self, scale: float) -> "Fitter":
        """Return a fitter with another scale of the robust loss [m]."""
        other = copy(self)
        other.options = self.options.copy()
        other.options[fit_options.ROBUST] = scale**2
        return other

    def unlimited(self) -> "Fitter":
        """Return a fitter that keeps no limits."""
        other = copy(self)
        other.bounds = self._bounds(False)
        vars(other).pop("limits_q", None)
        return other

    def expand(self, q: Array) -> Array:
        """Return configurations with dependent coordinates, (samples, nq of the tree)."""
        return q if self.figure.coupled is None else self.figure.coupled.expand(q)

    def reduce(self, q: Array, v: bool = False) -> Array:
        """Return numbers of the tree without those of dependent coordinates."""
        coupled = self.figure.coupled
        return q if coupled is None else np.ascontiguousarray(q[:, coupled.kept_v if v else coupled.kept_q])

    @cached_property
    def _of_q(self) -> np.ndarray:
        """Place in v of each number of q, one of its joint's where it is not the rate of one, (nq,)."""
        layout, coupled = self.figure.layout, self.figure.coupled
        found = np.zeros(layout.nq, int)
        for at, own in zip(layout.q, layout.v, strict=True):
            found[at] = own if len(at) == len(own) else np.resize(own[:1], len(at))
        return found if coupled is None else np.searchsorted(coupled.kept_v, found[coupled.kept_q])

    @cached_property
    def plain_q(self) -> np.ndarray:
        """Whether each number of q is a plain coordinate, (nq,)."""
        found = np.zeros(self.full_q, bool)
        found[self.column_q[self.plain]] = True
        return self.reduce(found[None])[0]

    @cached_property
    def limits_q(self) -> Array:
        """Limits that are kept, of each number of q, (nq, 2)."""
        found = np.tile([-np.inf, np.inf], (self.full_q, 1))
        found[self.column_q[self.plain]] = self.bounds[self.plain, :2]
        return found if self.figure.coupled is None else found[self.figure.coupled.kept_q]

    def per_v(self, at: np.ndarray) -> np.ndarray:
        """Return the places in v of plain numbers of q."""
        return self._of_q[at]

    def rounding(self, markers: Array, weights: Array | None = None) -> Array:
        """Return how exactly the tags of each sample can be put onto its markers [m], (samples,)."""
        return sample_rounding(self.chain, self.weights if weights is None else weights, markers)

    def costs(self, markers: Array, q: Array) -> Array:
        """Return Σ w ρ(|x − m|²) over the markers seen [m²], (samples,)."""
        square = ((tags(self.figure, q) - markers) ** 2).sum(-1)
        return np.asarray(np.nansum(self.weights * square / (1.0 + square / self.options[fit_options.ROBUST]), axis=1))

    def loose_joints(self, unseen: Array) -> np.ndarray:
        """Return coordinates whose joint has half a motion and more that is not determined, (samples, nq)."""
        layout, coupled = self.figure.layout, self.figure.coupled
        kept = np.arange(layout.nv) if coupled is None else coupled.kept_v
        found = np.zeros((len(unseen), layout.nq), bool)
        for at, own in zip(layout.q, layout.v, strict=True):
            found[:, at] = unseen[:, np.isin(kept, own)].sum(1, keepdims=True) > 0.5
        return self.reduce(found)

    def per_q(self, values: Array) -> Array:
        """Return values of the velocities (samples, nv) for the numbers of q, (samples, nq)."""
        return values[:, self._of_q]

    @cached_property
    def plain(self) -> np.ndarray:
        """Whether each column is the rate of one number of q, (columns,)."""
        plain = np.zeros(self.full_v, bool)
        for n, segment in enumerate(self.figure.segments):
            if segment.joint.plain:
                plain[np.isin(self.column_v, self.figure.layout.v[n])] = True
        return plain

    def _bounds(self, limits: bool) -> Array:
        """Return least and most that each column may be, and the weight of its task, (columns, 3)."""
        found = np.column_stack([np.tile([-np.inf, np.inf], (self.full_v, 1)), self.tasks])
        if limits:
            every = np.tile([-np.inf, np.inf], (self.full_v, 1))
            for n, segment in enumerate(self.figure.segments):
                if segment.joint.limits is not None:
                    every[self.figure.layout.v[n]] = segment.joint.limits
            found[self.plain, :2] = every[self.column_v][self.plain]
        return found

    def _tasks(self, tasks: Mapping[str, tuple[float, float]]) -> Array:
        """Return weight and value of the task of each column, (columns, 2)."""
        found, layout = np.zeros((self.full_v, 2)), self.figure.layout
        column = {int(v): k for k, v in enumerate(self.column_v)}
        for name, (value, weight) in tasks.items():
            if name not in self.figure.coordinates:
                raise InputError(
                    "tasks must be of coordinates", got=name, remedy=closest(name, self.figure.coordinates)
                )
            k = column[int(layout.places_v[name][0])]
            if not self.plain[k] or not (np.isfinite([value, weight]).all() and weight >= 0):
                raise InputError(
                    "a task must have a value and a weight", where=f"coordinate {name!r}", got=(value, weight),
                    allowed="finite numbers, the weight from 0, of a coordinate that is an angle or a shift",
                )  # fmt: skip
            found[k] = weight, value
        return found

    def _couplings(self) -> tuple[np.ndarray, Array]:
        """Return (column, place in q) of the dependent and of the leading coordinate and where the function begins."""
        figure, rows = self.figure, []
        numbers: list[float] = []
        layout = figure.layout
        column = {int(v): k for k, v in enumerate(self.column_v)}
        for coupling in figure.couplings:
            if not hasattr(coupling.function, "numbers"):
                raise InputError(
                    "a coupling must not be a function written in Python", where=f"coordinate {coupling.dependent!r}"
                )
            places = [int(layout.places_q[name][0]) for name in (coupling.dependent, coupling.leading)]
            ks = [column[int(layout.places_v[name][0])] for name in (coupling.dependent, coupling.leading)]
            rows.append((ks[0], places[0], ks[1], places[1], len(numbers)))
            numbers += coupling.function.numbers()
        return (np.array(rows, np.int64) if rows else _NONE), np.array([*numbers, 0.0])

    def fit(
        self, markers: Array, begin: Array, starts: np.ndarray | None = None, order: np.ndarray | None = None,
        *, spread: bool = False, held: np.ndarray | None = None, aims: Array | None = None,
        weights: Array | None = None, goals: Array | None = None,
    ) -> FittedPostures:  # fmt: skip
        """Fit samples (samples, tags, 3) in blocks order[starts[k]:starts[k + 1]] that begin at begin[k], (blocks, nq).

        Without `starts` every sample is a block of its own. `held` marks columns that do not move. `aims` (samples, nq)
        are where samples go along what their markers do not determine; without them it is the prior, along what all
        markers together would not determine. `weights` (samples, tags) and `goals` (samples, nq) are those of the tags
        and of the tasks where they differ from sample to sample.
        """
        from motiform.motion.postures.fit.kernels import fit_blocks

        count = len(markers)
        if not count:
            none = np.zeros(0)
            return FittedPostures(
                begin[:0], none, none, none.astype(int), none.astype(int), np.zeros((0, self.figure.nv))
            )
        begun = np.arange(count + 1) if starts is None else starts
        blocks = len(begun) - 1
        gone = self.gone if held is None else np.maximum(self.gone, held.astype(np.int64))
        options = self.options.copy()
        if aims is not None:
            options[fit_options.ALIGN] = fit_options.SEEN

        aim = self.prior[None] if aims is None else self.expand(aims)
        search = Search(
            np.asfortranarray(aim.T), self.plain.astype(np.int64), gone, options,
            np.ascontiguousarray(np.arange(count) if order is None else order, np.int64),
            np.ascontiguousarray(begun, np.int64), np.asfortranarray(self.expand(begin).T),
            self.rounding(markers, weights),
        )  # fmt: skip
        q, inverse = np.zeros((self.full_q, count), order="F"), np.zeros((self.full_v, count), order="F")
        report = np.zeros((count, 4))
        get_device("cpu").launch(
            fit_blocks, blocks, self._problem(markers, weights, goals), search, self._space(blocks),
            FitOutput(q, inverse, report), spread, least=2,
        )  # fmt: skip
        return FittedPostures(
            self.reduce(np.ascontiguousarray(q.T)), report[:, 0].copy(), report[:, 1].copy(),
            report[:, 2].astype(int), report[:, 3].astype(np.int8), self.reduce(np.ascontiguousarray(inverse.T), True),
        )  # fmt: skip

    def normal(self, markers: Array, q: Array) -> tuple[Array, Array]:
        """Return JᵀWJ, (samples, nv, nv), and JᵀW r, (samples, nv), at configurations (samples, nq)."""
        from motiform.motion.postures.fit.kernels import normal_blocks

        n, count = self.full_v, len(q)
        starts = np.array([*range(0, count, BLOCK), count], np.int64)
        normal, gradient = np.zeros((count, n, n)), np.zeros((count, n))
        get_device("cpu").launch(
            normal_blocks, len(starts) - 1, self._problem(markers), float(self.options[fit_options.ROBUST]), starts,
            np.asfortranarray(self.expand(q).T), self._space(len(starts) - 1), normal, gradient, least=2,
        )  # fmt: skip
        if self.figure.coupled is None:
            return normal, gradient
        kept = self.figure.coupled.kept_v
        return normal[:, kept][:, :, kept], gradient[:, kept]

    def covariance(self, markers: Array, q: Array, some: np.ndarray) -> Array:
        """Return the block of (JᵀWJ + ε)⁻¹ of some velocities, (samples, some, some): by Schur's complement."""
        matrix, _ = self.normal(markers, q)
        matrix += self.options[fit_options.SPREAD] * np.eye(matrix.shape[-1])
        rest = np.setdiff1d(np.arange(matrix.shape[-1]), some)
        own, across = matrix[:, some][:, :, some], matrix[:, rest][:, :, some]
        left = np.linalg.solve(matrix[:, rest][:, :, rest], across)
        return np.asarray(np.linalg.inv(own - np.swapaxes(across, 1, 2) @ left))

    def _problem(self, markers: Array, weights: Array | None = None, goals: Array | None = None) -> FitProblem:
        packed, w = self.figure.packed, self.weights[None] if weights is None else weights
        goal = self.goals[None] if goals is None else self.expand(goals)[:, self.column_q]
        return FitProblem(
            packed.ints, packed.floats, np.ascontiguousarray(packed.tags, np.int64),
            np.ascontiguousarray(packed.tag_points.ravel(), float), np.asfortranarray(w.T),
            np.asfortranarray(markers.reshape(len(markers), 3 * len(self.weights)).T), self.couplings, self.functions,
            self.bounds, np.asfortranarray(goal.T), self.before,
        )  # fmt: skip

    def _space(self, blocks: int) -> FitWorkspace:
        def rows(size: int) -> Array:
            return np.zeros((size, blocks), order="F")

        n, nq = self.full_v, self.full_q
        return FitWorkspace(
            rows(nq), rows(nq), rows(nq), rows(n), rows(nq), rows(self.figure.packed.rows), np.zeros((blocks, 3, n, n)),
            np.zeros((blocks, 4 * n + len(self.couplings) + 1)), np.zeros((blocks, 2 * n), np.int64),
        )  # fmt: skip
