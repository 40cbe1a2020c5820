"""Residual reduction: of the motions that markers allow, the one whose efforts the plates explain best.

Newton's law on the plates is one more measurement of the motion. Wanted are smooth corrections δ(t) of the coordinates
and an offset c of the trunk's mass centre, of least

    Σ_known ((f/σ_f)² + (m/σ_m)²) + Σ_samples Σ_tags (J δ / σ)² + Σ_samples (δ/σ_δ)² + (c/σ_c)²

with force f and moment m of the residual at the root. δ is a spline whose knots lie half a period of the low-pass
filter apart, so that it is as smooth as the motion; the problem is solved by Gauss–Newton, its matrix is banded.
OpenSim's residual reduction [Delp07] follows the markers' motion by a controller instead; AddBiomechanics [Werling23]
solves for the motion as here.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.gaps import runs
from motiform.motion.postures.derivatives import MotionSamples
from motiform.motion.postures.dynamics.efforts import RESIDUAL_LIMITS, residual_at_root, residual_report
from motiform.motion.postures.dynamics.plates import PlateAssignment
from motiform.motion.tree import Figure, forward_kinematics
from motiform.motion.tree.model.joint import Array

__all__ = ["ReducedMotion", "describe_reduction", "move_mass_center", "reduce_residual"]

_DEGREE = 5  # of the splines: accelerations are smooth
_OFFSET = 0.02  # [m] usual error of the trunk's mass centre
_CORRECTION = 0.1  # [rad, m] usual size of corrections that no marker tells of
_SHARE = 0.1  # usual residual, of the peaks that are still believed
_STEP = 1e-5  # [rad, m and their rates] of central differences: errors of 1e-10 beside 1e-10 of rounding
_RIDGE = 1e-6 / _CORRECTION**2  # for splines with too few samples
_MOST = 8  # iterations
_DONE = 1e-2  # share of the cost by which the last iteration must still have lowered it


class ReducedMotion(NamedTuple):
    """A motion whose residual was reduced."""

    figure: Figure
    """The same with another mass centre of its trunk."""
    motion: MotionSamples
    change: Array
    """What was added to each coordinate, (samples, nv); zeros where nothing was."""
    report: dict[str, Any]


def reduce_residual(
    figure: Figure, times: Array, motion: MotionSamples, assignment: PlateAssignment, known: np.ndarray,
    normal: Array, *, cutoff: float,
) -> ReducedMotion:  # fmt: skip
    """Return a motion near to the given one with less residual over the ``known`` samples (samples,).

    Parameters
    ----------
    figure : with coordinates that are angles and shifts.
    motion : with nan where it is not known.
    normal : JᵀJ/σ² of the markers of each sample, (samples, nv, nv), with σ their usual distance from the tags.
    cutoff : of the filter of the motion [Hz].

    """
    if figure.nq != figure.nv or not all(segment.joint.plain for segment in figure.segments):
        own = ", ".join(s.name for s in figure.segments if not s.joint.plain)
        raise InputError(
            "residual reduction needs coordinates that are angles and shifts", where=repr(figure), got=own,
            remedy="Give the root three shifts and three angles.",
        )  # fmt: skip
    usable = np.asarray(np.isfinite(motion.a).all(1) & np.isfinite(motion.q).all(1))
    known = np.asarray(known & usable)
    if not known.any():
        raise InputError("residual reduction needs a sample whose feet all stand on plates or in the air")
    spans = _spans(times, known, usable, normal, cutoff)
    if not spans:
        raise InputError("residual reduction needs stretches without a gap of six samples and more")
    problem = _Problem(figure, motion, assignment, known, spans)
    x, c = np.zeros(problem.size), np.zeros(3)
    moved, changed = motion, figure
    cost = problem.cost(changed, moved, x, c)
    before = residual_report(figure, motion.q, problem.residual(figure, motion), known)
    iterations, lower = 0, True
    while lower and iterations < _MOST:
        dx, dc = problem.step(changed, moved, x, c)
        last, state = cost, (problem.figure_of(c + dc), problem.motion_of(x + dx))
        cost = problem.cost(*state, x + dx, c + dc)
        if cost < last:
            x, c, (changed, moved), iterations = x + dx, c + dc, state, iterations + 1
        lower = cost < last * (1.0 - _DONE)
    change = moved.q - motion.q
    largest = np.nanmax(np.abs(change), axis=0)
    report = {
        "before": before,
        "after": residual_report(changed, moved.q, problem.residual(changed, moved), known),
        "iterations": iterations,
        "segment": problem.trunk,
        "mass_center_offset": c.tolist(),
        "largest": {name: float(largest[k]) for k, name in enumerate(figure.coordinates)},
    }
    return ReducedMotion(changed, moved, np.nan_to_num(change), report)


def move_mass_center(figure: Figure, report: Mapping[str, Any] | None) -> Figure:
    """Return a figure with the mass centre of its trunk as the report of a reduction tells; as it is without one."""
    if report is None:
        return figure
    name = report["segment"]
    com = np.asarray(figure.segments[figure.index(name)].com) + report["mass_center_offset"]
    return figure.replace(segments={name: {"com": com}})


def describe_reduction(report: Mapping[str, Any]) -> list[str]:
    """Return in words what a reduction did, and what to doubt in it."""
    peaks = [
        " to ".join(f"{100 * report[when].get(f'{what}_peak_relative', np.nan):.1f}" for when in ("before", "after"))
        + f" % of {base}"
        for what, base in (("force", "the weight"), ("moment", "weight times height"))
    ]
    far = float(np.linalg.norm(report["mass_center_offset"]))
    found = [
        f"residuals were reduced: their peaks from {peaks[0]} and {peaks[1]}; tags moved by "
        f"{1e3 * report['tags_rms']:.1f} mm (rms; {1e3 * report['tags_peak']:.1f} mm at most), "
        f"the mass centre of {report['segment']} by {1e3 * far:.0f} mm"
    ]
    if far > 2.0 * _OFFSET:
        found.append(
            f"the mass centre of {report['segment']} was moved by more than {2e3 * _OFFSET:.0f} mm: masses of the"
            " model, what a subject carries or the plates may be wrong"
        )
    return found


class _Span(NamedTuple):
    """Samples between two knots, where the same six splines are not zero."""

    first: int
    """Number of the first of these splines."""
    at: np.ndarray
    """Numbers of the samples."""
    bases: Array
    """Values and first two derivatives of the splines, (3, samples, 6)."""
    gram: Array
    """Cost of the corrections, xᵀ gram x with x of the six splines, (6 nv, 6 nv)."""


class _Problem:
    """What is minimised, and its Gauss–Newton steps."""

    def __init__(
        self, figure: Figure, motion: MotionSamples, assignment: PlateAssignment, known: np.ndarray, spans: list[_Span]
    ) -> None:
        self.figure, self.motion, self.known, self.spans = figure, motion, known, spans
        self.size = (max(span.first for span in spans) + _DEGREE + 1) * figure.nv
        self.wrench = np.where((assignment.carrier >= 0)[..., None], assignment.wrench, 0.0).sum(1)[known]
        report = residual_report(figure, motion.q, np.zeros((len(known), 6)), known)
        if "height" not in report:
            raise InputError("residual reduction needs a figure with mass and gravity", where=repr(figure))
        force = _SHARE * RESIDUAL_LIMITS["force"] * report["weight"]
        moment = _SHARE * RESIDUAL_LIMITS["moment"] * report["weight"] * report["height"]
        self.inverse = 1.0 / np.repeat([moment, force], 3)
        self.trunk = max(figure.segments, key=lambda segment: segment.mass).name
        self.center = np.asarray(figure.segments[figure.index(self.trunk)].com)

    def figure_of(self, c: Array) -> Figure:
        """Return the figure with the trunk's mass centre moved by c [m]."""
        return self.figure.replace(segments={self.trunk: {"com": self.center + c}})

    def motion_of(self, x: Array) -> MotionSamples:
        """Return the motion with the corrections of splines x added."""
        out = MotionSamples(*(values.copy() for values in self.motion))
        for span in self.spans:
            own = self._own(x, span).reshape(_DEGREE + 1, -1)
            for values, bases in zip(out, span.bases, strict=True):
                values[span.at] += bases @ own
        return out

    def _own(self, x: Array, span: _Span) -> Array:
        nv = self.figure.nv
        return x[span.first * nv : (span.first + _DEGREE + 1) * nv]

    def residual(self, figure: Figure, motion: MotionSamples) -> Array:
        """Return the residual of the known samples, (samples, 6): moment and force; nan elsewhere."""
        out = np.full((len(self.known), 6), np.nan)
        out[self.known] = self._residual(figure, *(values[self.known] for values in motion))
        return out

    def _residual(self, figure: Figure, q: Array, v: Array, a: Array) -> Array:
        out = residual_at_root(figure, q, v, a) - self.wrench
        root = forward_kinematics(figure, q).position[:, figure.roots[0]]
        out[:, :3] += np.cross(root, self.wrench[:, 3:])
        return out

    def cost(self, figure: Figure, motion: MotionSamples, x: Array, c: Array) -> float:
        """Return what is minimised."""
        scaled = self._residual(figure, *(values[self.known] for values in motion)) * self.inverse
        far = sum(float(self._own(x, span) @ span.gram @ self._own(x, span)) for span in self.spans)
        return float((scaled**2).sum() + far + ((c / _OFFSET) ** 2).sum())

    def step(self, figure: Figure, motion: MotionSamples, x: Array, c: Array) -> tuple[Array, Array]:
        """Return the Gauss–Newton step of the splines and of the mass centre."""
        from scipy.linalg import solveh_banded

        nv, wide = self.figure.nv, (_DEGREE + 1) * self.figure.nv
        state = [values[self.known] for values in motion]
        scaled = self._residual(figure, *state) * self.inverse
        rates, offsets = self._slopes(figure, state, c)
        band = np.zeros((wide, self.size))
        right = np.zeros((self.size, 4))  # gradient, and the columns of the mass centre's three coordinates
        row = np.cumsum(self.known) - 1
        for span in self.spans:
            block, gradient = span.gram.copy(), np.zeros((wide, 4))
            gradient[:, 0] = block @ self._own(x, span)
            measured = self.known[span.at]
            if measured.any():
                k = row[span.at[measured]]
                slope = np.einsum("dsb,dsrv->srbv", span.bases[:, measured], rates[:, k]).reshape(-1, wide)
                block += slope.T @ slope
                gradient[:, 0] += slope.T @ scaled[k].ravel()
                gradient[:, 1:] += slope.T @ offsets[k].reshape(-1, 3)
            begin = span.first * nv
            for d in range(wide):
                band[d, begin : begin + wide - d] += np.diagonal(block, -d)
            right[begin : begin + wide] += gradient
        solved = solveh_banded(band, right, lower=True, overwrite_ab=True, check_finite=False)
        flat = offsets.reshape(-1, 3)
        own = flat.T @ flat + np.eye(3) / _OFFSET**2 - right[:, 1:].T @ solved[:, 1:]
        slope = flat.T @ scaled.ravel() + c / _OFFSET**2 - right[:, 1:].T @ solved[:, 0]
        dc = -np.linalg.solve(own, slope)
        return -solved[:, 0] - solved[:, 1:] @ dc, dc

    def _slopes(self, figure: Figure, state: list[Array], c: Array) -> tuple[Array, Array]:
        """Return derivatives of the scaled residual by q, v and a, (3, samples, 6, nv), and by c, (samples, 6, 3)."""
        rates = np.empty((3, len(state[0]), 6, self.figure.nv))
        for kind in range(3):
            for k in range(self.figure.nv):
                ends = []
                for step in (_STEP, -_STEP):
                    moved = [values.copy() for values in state]
                    moved[kind][:, k] += step
                    ends.append(self._residual(figure, *moved))
                rates[kind, :, :, k] = (ends[0] - ends[1]) / (2.0 * _STEP)
        offsets = np.empty((len(state[0]), 6, 3))
        for k, step in enumerate(_STEP * np.eye(3)):
            ends = [self._residual(self.figure_of(c + way * step), *state) for way in (1.0, -1.0)]
            offsets[..., k] = (ends[0] - ends[1]) / (2.0 * _STEP)
        return rates * self.inverse[:, None], offsets * self.inverse[:, None]


def _spans(times: Array, known: np.ndarray, usable: np.ndarray, normal: Array, cutoff: float) -> list[_Span]:
    """Return the spans of all stretches without a gap in which something is known."""
    from scipy.interpolate import BSpline

    found: list[_Span] = []
    count, wide = 0, _DEGREE + 1
    nv = normal.shape[-1]
    for begin, end in runs(usable):
        if not known[begin:end].any() or end - begin < wide:
            continue
        t = times[begin:end]
        pieces = max(1, min(int(np.ceil((t[-1] - t[0]) * 2.0 * cutoff)), len(t) - _DEGREE))
        inner = np.linspace(t[0], t[-1], pieces + 1)
        knots = np.concatenate([np.full(_DEGREE, t[0]), inner, np.full(_DEGREE, t[-1])])
        splines = BSpline(knots, np.eye(pieces + _DEGREE), _DEGREE)
        span_of = np.clip(np.searchsorted(inner, t, side="right") - 1, 0, pieces - 1)
        for first in range(pieces):
            here = np.flatnonzero(span_of == first)
            at = begin + here
            bases = np.stack([splines(t[here], nu=nu)[:, first : first + wide] for nu in range(3)])
            gram = np.tensordot(
                bases[0][:, :, None] * bases[0][:, None], normal[at] + np.eye(nv) / _CORRECTION**2, ((0,), (0,))
            )
            gram = gram.transpose(0, 2, 1, 3).reshape(wide * nv, wide * nv) + _RIDGE * np.eye(wide * nv)
            found.append(_Span(count + first, at, bases, gram))
        count += pieces + _DEGREE
    return found
