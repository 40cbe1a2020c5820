"""Postures that bring the tags of a figure to observed points: all samples at once, from a start found alone."""

import numpy as np

from motiform.motion.postures.calibration.samples import marker_distances
from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import Fitter
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, jacobian, tags
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial import log_rotation, nearest_rotation

__all__ = ["fit_postures", "held", "inside", "posture_places", "retry_postures", "start_postures"]

_NOISE = 1e-6  # part of the misfit by which tags still move at the end: the cost is known to the square of it
_FLOOR = 1e-10  # of the largest diagonal entry: coordinates that the markers do not determine stay where they are
_BAD = 4.0  # times the median misfit of the samples: perhaps a wrong minimum
_NEAR = 20  # other samples from whose postures a bad one begins again
_STARTS = (np.pi / 2, np.pi, -np.pi / 2)


def posture_places(figure: Figure) -> tuple[Array, Array]:
    """Return where in q and v the plain coordinates are that do not carry all tags."""
    at_q, at_v = figure.plain_places(figure.names)
    own = ~np.isin(at_v, root_velocities(figure))
    return at_q[own], at_v[own]


def _limited(figure: Figure) -> tuple[Array, Array, Array, Array]:
    """Return where in q and v coordinates with limits are, and their limits [rad, m]."""
    at_q, at_v = figure.plain_places(figure.names)
    some = np.isfinite(figure.limits[at_v]).any(axis=1)
    at_q, at_v = at_q[some], at_v[some]
    return at_q, at_v, *figure.limits[at_v].T


def inside(figure: Figure, q: Array) -> Array:
    """Return configurations (samples, nq) moved into the limits of the joints."""
    at_q, _, low, high = _limited(figure)
    out = q.copy()
    out[:, at_q] = np.clip(q[:, at_q], low, high)
    return out


def held(figure: Figure, q: Array, push: Array) -> Array:
    """Return which velocities a limit holds, (samples, nv): at it, and pushed on by `push` (samples, nv)."""
    at_q, at_v, low, high = _limited(figure)
    found = np.zeros(push.shape, bool)
    here, on = q[:, at_q], push[:, at_v]
    found[:, at_v] = ((here <= low) & (on < 0)) | ((here >= high) & (on > 0))
    return found


def root_velocities(figure: Figure) -> Array:
    """Return the velocities that move every tag."""
    carried = figure.carried[np.unique(figure.packed.tags)].all(axis=0)
    if figure.coupled is not None:
        carried = carried[figure.coupled.kept_v]
    return np.flatnonzero(carried)


def start_postures(figure: Figure, points: Array, q0: Array | None = None) -> Array:
    """Return postures to begin with, (samples, nq): the figure as it is at q0, moved as one body to the points."""
    q = np.broadcast_to(figure.neutral() if q0 is None else q0, (len(points), figure.nq)).copy()
    own, root = tags(figure, q), root_velocities(figure)
    if not len(root):
        return q
    full = root if figure.coupled is None else figure.coupled.kept_v[root]
    segment = int(np.flatnonzero(figure.carried[:, full].all(axis=1))[0])
    R, t = _registered(own, points)
    at = forward_kinematics(figure, q)
    goal_R, goal_p = R @ at.rotation[:, segment], (R @ at.position[:, segment, :, None])[..., 0] + t
    starts = np.concatenate([q] + [_turned(figure, q, k, angle) for k in root for angle in _STARTS])
    many = len(starts) // len(q)
    goals = np.tile(goal_R, (many, 1, 1)), np.tile(goal_p, (many, 1))
    found = _reach(figure, starts, segment, root, *goals)
    errors = np.nansum((tags(figure, found) - np.tile(points, (many, 1, 1))) ** 2, axis=(1, 2)).reshape(many, len(q))
    best = np.argmin(errors, axis=0)
    return np.asarray(found.reshape(many, len(q), -1)[best, np.arange(len(points))])


def _turned(figure: Figure, q: Array, k: int, amount: float) -> Array:
    v = np.zeros((len(q), figure.nv))
    v[:, k] = amount
    return advance(figure, q, v)


def _registered(own: Array, points: Array) -> tuple[Array, Array]:
    """Return rotation and shift that bring own points to seen ones, least squares for each sample."""
    seen = np.isfinite(points[..., 0])
    w = (seen / np.maximum(seen.sum(axis=1, keepdims=True), 1))[..., None]
    there = np.where(seen[..., None], points, 0.0)
    a, b = (w * own).sum(axis=1), (w * there).sum(axis=1)
    # R maximises tr(R Σ own·thereᵀ): the rotation nearest to Σ there·ownᵀ, regularised where points are few
    C = np.einsum("nti,ntj->nij", w * (there - b[:, None]), own - a[:, None])
    R = nearest_rotation(C + 1e-9 * np.eye(3))
    return R, b - (R @ a[..., None])[..., 0]


def _reach(figure: Figure, q: Array, segment: int, root: Array, goal_R: Array, goal_p: Array) -> Array:
    """Return q whose root coordinates bring a segment to its goal, by damped Newton steps."""
    name = figure.names[segment]
    for _ in range(20):
        at = forward_kinematics(figure, q)
        turn = log_rotation(goal_R @ np.swapaxes(at.rotation[:, segment], -1, -2))
        e = np.concatenate([turn, goal_p - at.position[:, segment]], axis=-1)
        J = jacobian(figure, q, name)[..., root]
        step = _solve(np.swapaxes(J, -1, -2) @ J, (np.swapaxes(J, -1, -2) @ e[..., None])[..., 0], 1e-4)
        v = np.zeros((len(q), figure.nv))
        v[:, root] = np.clip(step, -1e3, 1e3)
        q = advance(figure, q, v)
        if np.abs(e).max() < 1e-6:
            break
    return q


def _solve(H: Array, g: Array, damping: float | Array) -> Array:
    """Return (H + damping · largest diagonal)⁻¹ g for each sample."""
    size = np.einsum("...ii->...i", H).max(axis=-1)
    eye = np.eye(H.shape[-1])
    A = H + ((damping + _FLOOR) * size + 1e-300)[..., None, None] * eye
    return np.linalg.solve(A, g[..., None])[..., 0]


def fit_postures(
    figure: Figure, points: Array, q0: Array, *, weights: Array | None = None, hold: float | Array = 0.0,
    toward: Array | None = None, max_iterations: int = 60,
) -> Array:  # fmt: skip
    """Return q (samples, nq) that minimises Σ w ‖tag − point‖² + hold² Σ (q − toward)² in each sample.

    The fit of trials, within the limits of the joints. `points` (samples, tags, 3) [m], nan where not seen; `weights`
    (samples, tags) or (tags,); `hold` [m/rad], or one for each, draws plain coordinates `toward` postures, or q0.
    Undetermined coordinates stay at q0.
    """
    at_q, at_v = posture_places(figure)
    pulls = np.broadcast_to(np.square(hold), at_v.shape)
    tasks = {figure.coordinates[k]: (0.0, float(pull)) for k, pull in zip(at_v, pulls, strict=True)}
    fitter = Fitter(figure, np.ones(len(figure.tags)), figure.neutral(), tasks=tasks, most=max_iterations)
    fitter.options[fit_options.NOISE] = _NOISE
    w = np.broadcast_to(1.0 if weights is None else weights, points.shape[:2])
    start = np.array(q0, float)
    goals = np.broadcast_to(q0 if toward is None else toward, start.shape)
    unseen, pulled = ~(np.isfinite(points).all(axis=-1) & (w > 0)).any(axis=1), at_q[pulls > 0]
    start[np.ix_(unseen, pulled)] = goals[np.ix_(unseen, pulled)]  # which the fit leaves where they begin
    start = inside(figure, start)
    return fitter.fit(points, start, weights=w, goals=goals).q


def retry_postures(
    figure: Figure, points: Array, q: Array, weights: Array, *, hold: float | Array = 0.0, toward: Array | None = None
) -> Array:
    """Return postures where samples that fit badly began again from those of samples alike; q itself if none gained.

    Samples are alike where the distances between their markers are.
    """
    misfit = _weighed(figure, points, q, weights)
    bad = np.flatnonzero(misfit > _BAD * np.median(misfit) + 1e-16)
    good = np.setdiff1d(np.arange(len(q)), bad)
    if not len(bad) or not len(good):
        return q
    shapes = marker_distances(points)
    apart = ((shapes[bad, None] - shapes[good]) ** 2).sum(axis=-1)
    near = good[np.argsort(apart, axis=1)[:, :_NEAR]]
    rows = np.repeat(bad, near.shape[1])
    start = start_postures(figure, points[rows], q[near.ravel()])
    center = None if toward is None else np.broadcast_to(toward, q.shape)[rows]
    again = fit_postures(figure, points[rows], start, weights=weights[rows], hold=hold, toward=center)
    tried = _weighed(figure, points[rows], again, weights[rows]).reshape(near.shape)
    best = np.argmin(tried, axis=1)
    gained = tried[np.arange(len(bad)), best] < 0.9 * misfit[bad]
    if not gained.any():
        return q
    new = q.copy()
    new[bad[gained]] = again.reshape(*near.shape, -1)[np.arange(len(bad)), best][gained]
    return new


def _weighed(figure: Figure, points: Array, q: Array, weights: Array) -> Array:
    return np.asarray(np.nansum(weights[..., None] * (tags(figure, q) - points) ** 2, axis=(1, 2)))
