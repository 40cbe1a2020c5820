"""Parameters of calibration: lengths or scale factors of segments, and tag positions; tags are linear in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.motion.figures.human36_table import LENGTH_COUNT, MIRRORED
from motiform.motion.postures.calibration.human import length_derivatives
from motiform.motion.postures.calibration.scale import has_lengths, scale_figure
from motiform.motion.postures.settings import TAG_SD, Priors
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, tags
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.pack import PackedFigure

__all__ = ["FigureParameters", "length_names", "make_parameters"]


@dataclass(frozen=True, eq=False)
class FigureParameters:
    """Numbers p = (relative changes of lengths, shifts of tags [m]) of a figure; p = 0 is the figure itself.

    At given q every tag is linear in p: its place at p is the place at 0 plus `derivatives(q)` p.
    """

    figure: Figure
    groups: tuple[tuple[str, ...], ...]
    """Lengths (of a Human36) or segments that change together, one group for each number."""
    shifted: tuple[int, ...]
    """Numbers of the tags that may shift."""
    length_sd: float
    tag_sd: Array
    """[m] of each tag that may shift."""
    size_sd: float

    @property
    def count(self) -> int:
        """Number of parameters."""
        return len(self.groups) + 3 * len(self.shifted)

    @cached_property
    def prior(self) -> Array:
        """Inverse covariance of the parameters, (count, count): lengths vary on their own and all together."""
        n = len(self.groups)
        inverse = np.zeros((self.count, self.count))
        if n:
            inverse[:n, :n] = np.linalg.inv(self.length_sd**2 * np.eye(n) + self.size_sd**2)
        at = np.arange(n, self.count)
        inverse[at, at] = np.repeat(self.tag_sd, 3) ** -2.0
        return inverse

    @cached_property
    def prior_std(self) -> Array:
        """Standard deviations that are assumed before anything is measured, (count,)."""
        n = len(self.groups)
        lengths = np.full(n, np.hypot(self.length_sd, self.size_sd))
        return np.concatenate([lengths, np.repeat(self.tag_sd, 3)])

    def figure_at(self, p: Array) -> Figure:
        """Return the whole figure at p: lengths, tags, masses, inertia."""
        n = len(self.groups)
        growth = {name: 1.0 + float(p[k]) for k, group in enumerate(self.groups) for name in group}
        found = scale_figure(self.figure, growth)
        points = self.shifts(p)
        moved = {t.name: np.asarray(t.point) + points[t.name] for t in found.tags if t.name in points}
        if n == self.count:
            return found
        if has_lengths(found):
            return found.replace(tags=moved)
        new = tuple(replace(t, point=tuple(moved[t.name].tolist())) if t.name in moved else t for t in found.tags)
        return found.replace(tags=new)

    def shifts(self, p: Array) -> dict[str, Array]:
        """Return by how much each tag that may shift is shifted [m], in the axes of its segment."""
        points = p[len(self.groups) :].reshape(-1, 3)
        return {self.figure.tags[k].name: points[i] for i, k in enumerate(self.shifted)}

    def moving_at(self, p: Array) -> Figure:
        """Return the figure at p for kinematics alone: the numbers of the kernels are linear in p as well."""
        packed, n, (floats, points) = self.figure.packed, len(self.groups), self._changes
        places = packed.tag_points + np.tensordot(p[:n], points, 1)
        places[list(self.shifted)] += p[n:].reshape(-1, 3)
        return self.figure.repacked(replace(packed, floats=packed.floats + p[:n] @ floats, tag_points=places))

    @cached_property
    def _changes(self) -> tuple[Array, Array]:
        """What each group adds to the numbers of the kernels, (groups, numbers), and to tags [m], (groups, tags, 3)."""
        base: PackedFigure = self.figure.packed
        floats, points = np.zeros((len(self.groups), len(base.floats))), np.zeros((len(self.groups), len(base.tags), 3))
        for k, group in enumerate(self.groups):
            if has_lengths(self.figure) and not self.figure.edits:
                joints, points[k] = length_derivatives(self.figure, group)
                floats[k, self._joint_places] = joints
            else:
                double = scale_figure(self.figure, dict.fromkeys(group, 2.0)).packed
                floats[k], points[k] = double.floats - base.floats, double.tag_points - base.tag_points
        return floats, points

    @property
    def _joint_places(self) -> np.ndarray:
        """Where the numbers of the kernels have the joint of each segment in its parent, (segments, 3)."""
        first = tree_columns.FLOAT_HEADER + tree_columns.PLACE_P
        rows = tree_columns.SEGMENT_FLOATS * np.arange(len(self.figure.segments))
        return np.asarray(first + rows[:, None] + np.arange(3))

    @cached_property
    def _bent(self) -> np.ndarray:
        """Groups that change more of a joint than its place in the parent, such as axes beside one another."""
        kept = np.ones(len(self.figure.packed.floats), bool)
        kept[self._joint_places] = False
        for first, size in ((tree_columns.MASS, 1), (tree_columns.COM, 3), (tree_columns.INERTIA, 6)):
            kept[self._joint_places[:, :1] - tree_columns.PLACE_P + first + np.arange(size)] = False
        return np.flatnonzero((self._changes[0][:, kept] != 0.0).any(axis=1))

    @cached_property
    def _ways(self) -> Array:
        """Which segments are on the way from the world to each tag, (tags, segments)."""
        ways = np.eye(len(self.figure.segments))
        for n in range(len(ways)):
            parent = self.figure.parent_index(n)
            ways[n] += ways[parent] if parent >= 0 else 0.0
        return np.asarray(ways[self.figure.packed.tags])

    def derivatives(self, q: Array) -> Array:
        """Return how the tags move with p, (samples, tags, 3, count).

        A joint that is shifted in its parent takes all that follows along, ∂x = Σ R_parent ∂(its place) + R ∂(tag).
        """
        R, n, (floats, points) = forward_kinematics(self.figure, q).rotation, len(self.groups), self._changes
        own, of_tags = len(self.figure.segments), self.figure.packed.tags
        parents = [self.figure.parent_index(k) for k in range(own)]
        of_parents = np.concatenate([R, np.broadcast_to(np.eye(3), (len(q), 1, 3, 3))], axis=1)[:, parents]
        shifts = of_parents @ np.moveaxis(floats[:, self._joint_places], 0, -1)
        D = np.zeros((len(q), len(of_tags), 3, self.count))
        D[..., :n] = (self._ways @ shifts.reshape(len(q), own, -1)).reshape(len(q), len(of_tags), 3, n)
        D[..., :n] += R[:, of_tags] @ np.moveaxis(points, 0, -1)
        for k in self._bent:
            D[..., k] = tags(self.moving_at(np.eye(self.count)[k]), q) - tags(self.figure, q)
        for i, k in enumerate(self.shifted):
            D[:, k, :, n + 3 * i : n + 3 * i + 3] = R[:, of_tags[k]]
        return D


def length_names(figure: Figure) -> tuple[str, ...]:
    """Return what can be longer or shorter: L1 to L31 of a Human36, segments of other figures."""
    if has_lengths(figure):
        return tuple(f"L{n}" for n in range(1, LENGTH_COUNT + 1) if figure.lengths[n - 1] > 0)
    return figure.names


def _mirror(name: str) -> str:
    """Return the name of the same thing on the right side, where a name begins or ends with a side."""
    for left, right in (("left_", "right_"), ("Left", "Right"), ("left", "right"), ("l_", "r_"), ("L_", "R_")):
        if name.startswith(left):
            return right + name[len(left) :]
    for left, right in (("_left", "_right"), ("_l", "_r"), ("_L", "_R"), (".l", ".r"), (".L", ".R")):
        if name.endswith(left):
            return name[: -len(left)] + right
    return name


def _groups(figure: Figure, names: Sequence[str], symmetric: bool) -> tuple[tuple[str, ...], ...]:
    if not symmetric:
        return tuple((name,) for name in names)
    known: Mapping[str, str] = MIRRORED if has_lengths(figure) else {name: _mirror(name) for name in names}
    found: dict[str, list[str]] = {}
    for name in names:
        partner = known.get(name, name)
        found.setdefault(partner if partner in names else name, []).append(name)
    return tuple(tuple(group) for group in found.values())


def make_parameters(
    figure: Figure, priors: Priors | None = None, *, lengths: bool | Sequence[str] = True, tags: bool = True,
    seen: Array | None = None, symmetric: bool = False,
) -> FigureParameters:  # fmt: skip
    """Return the parameters of a figure; `seen` (tags,) tells which tags have markers."""
    known, priors = length_names(figure), priors or Priors()
    chosen = known if lengths is True else () if lengths is False else _chosen(lengths, known, "length")
    held = _chosen(priors.fixed_tags, figure.tag_names, "tag")
    free = [k for k, name in enumerate(figure.tag_names) if name not in held and (seen is None or seen[k])]
    shifted = tuple(free) if tags else ()
    sd = priors.tag_sd if isinstance(priors.tag_sd, Mapping) else dict.fromkeys(figure.tag_names, priors.tag_sd)
    _chosen(tuple(sd), figure.tag_names, "tag")
    each = np.array([float(sd.get(figure.tag_names[k], TAG_SD)) for k in shifted])
    groups = _groups(figure, chosen, symmetric)
    return FigureParameters(figure, groups, shifted, priors.length_sd, each, priors.size_sd)


def _chosen(names: Sequence[str], known: tuple[str, ...], what: str) -> tuple[str, ...]:
    found = (names,) if isinstance(names, str) else tuple(names)
    for name in found:
        if name not in known:
            remedy = closest(str(name), known)
            raise InputError(
                f"no such {what}", where="calibrate", got=str(name), allowed=", ".join(known), remedy=remedy
            )
    return found
