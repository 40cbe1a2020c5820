"""Human36: a body of 17 segments and 42 coordinates, by height and mass.  [HuMAnS 3]"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.figures import human36_table as human36_table
from motiform.motion.figures.anthropometry import Anthropometry, find_table
from motiform.motion.figures.human36_knee import KNEE_RANGES, Knee, check_knee, knee_coordinates, knee_joints
from motiform.motion.figures.limits import named_limits
from motiform.motion.figures.marker_sets import check_markers_of, marker_tags
from motiform.motion.figures.recipe import (
    Lengths,
    MadeFigure,
    Recipe,
    assemble,
    length_name,
    named_lengths,
    named_numbers,
    positive,
)
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import Segment
from motiform.motion.tree.read.expressions import evaluate

__all__ = ["Human36", "Human36Recipe", "human36"]

Triple = tuple[float, float, float]
_KINDS = tuple(dict.fromkeys(name.removeprefix("right_").removeprefix("left_") for name in human36_table.SEGMENTS))
_EVEN = 1e-9  # m: legs closer than that are equally long


def _kind(segment: str) -> str:
    return segment.removeprefix("right_").removeprefix("left_")


@dataclass(frozen=True, eq=False)
class Human36Recipe(Recipe):
    """The parameters of a Human36; see `human36`."""

    height: float | None = None
    mass: float | None = None
    sex: str = "male"
    table: str | Anthropometry = "deleva"
    lengths: Any = None
    masses: Any = None
    tags: Any = None
    centers: Any = None
    radii: Any = None
    limits: Any = None
    gravity: Any = (0.0, -9.81, 0.0)
    name: str = "human36"
    markers: Any = None
    knee: str = "hinge"

    def __post_init__(self) -> None:
        check_knee(self.knee)
        checked: dict[str, Any] = {"lengths": named_lengths(self.lengths, human36_table.LENGTH_COUNT, "human36")}
        for what in ("height", "mass"):
            if getattr(self, what) is not None:
                checked[what] = positive(getattr(self, what), what, "human36")
        checked["markers"] = check_markers_of(self.markers, human36_table.SEGMENTS)
        taken = [name for name in checked["markers"] if name in human36_table.TAGS]
        if taken:
            raise InputError("markers must not have the names of tags", where="human36", got=", ".join(taken))
        checked["tags"] = named_numbers(self.tags, (*human36_table.TAGS, *checked["markers"]), 3, "tags", "human36")
        for what, size, least in (("masses", None, 0.0), ("centers", 3, -np.inf), ("radii", 3, 0.0)):
            given = getattr(self, what)
            given = self.keyed(what, given) if isinstance(given, Mapping) else given
            checked[what] = named_numbers(given, human36_table.SEGMENTS, size, what, "human36", least=least)
        ranges = {name: x for name, x in (human36_table.RANGES | KNEE_RANGES).items() if name in self.coordinates}
        checked["limits"] = named_limits(self.limits, self.coordinates, ranges, "human36")
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self.proportions  # noqa: B018  # an unknown table is refused here

    def keyed(self, name: str, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return a mapping by full names: L5 for 5, both sides for a segment without one."""
        if name == "lengths":
            return {length_name(key, human36_table.LENGTH_COUNT): x for key, x in value.items()}
        if name == "limits":
            return {human36_table.COORDINATES[_number(key) - 1] if _number(key) else key: x for key, x in value.items()}
        if name not in ("masses", "centers", "radii"):
            return value
        out = dict[Any, Any]()
        for key, x in value.items():
            if key not in _KINDS or key in human36_table.SEGMENTS:
                out[key] = x
                continue
            out |= {f"right_{key}": x, f"left_{key}": _mirrored(x) if name == "centers" else x}
        return out

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates: q1 to q42, then those that the knees have more."""
        return human36_table.COORDINATES + knee_coordinates(self.knee)

    @property
    def proportions(self) -> Anthropometry:
        """The anthropometric table."""
        return find_table(self.table, self.sex)

    @property
    def body_height(self) -> float:
        """Height [m]: the one given, or the mean of the table."""
        return self.proportions.height if self.height is None else self.height

    @property
    def body_mass(self) -> float:
        """Mass [kg]: the one given, or the mean of the table."""
        return self.proportions.mass if self.mass is None else self.mass

    def all_lengths(self) -> dict[str, float]:
        """Return L1 to L31 [m]: those given, the others from the height."""
        H, parts = self.body_height, self.proportions.lengths
        names = [f"L{n}" for n in range(1, human36_table.LENGTH_COUNT + 1)]
        found = {name: parts[human36_table.MIRRORED.get(name, name)] for name in names}
        return {name: self.lengths.get(name, part * H + more) for name, (part, more) in found.items()}

    def all_masses(self) -> dict[str, float]:
        """Return the mass of each segment [kg]."""
        parts = self.proportions.masses
        whole = sum(parts[_kind(name)] for name in human36_table.SEGMENTS)
        whole = 100.0 if abs(whole - 100.0) < 1e-9 else whole
        return {
            name: self.masses.get(name, parts[_kind(name)] / whole * self.body_mass) for name in human36_table.SEGMENTS
        }

    def all_centers(self) -> dict[str, Triple]:
        """Return the centre of mass of each segment [m], in its frame."""
        L = self.all_lengths()
        return {name: self.centers.get(name) or self._center(name, L) for name in human36_table.SEGMENTS}

    def _center(self, segment: str, L: Mapping[str, float]) -> Triple:
        kind, left = _kind(segment), segment.startswith("left_")
        if kind == "shoulder":
            return (0.0, 0.0, 0.0)
        along = self.proportions.centers[kind] / 100 * L[human36_table.SEGMENT_LENGTHS[kind][left]]
        if kind == "foot":
            heel = self.proportions.landmarks["heel_x"] * self.body_height
            return (along + heel, -L["L14" if left else "L4"] / 2, 0.0)
        if kind == "thorax":
            return ((L["L9"] + L["L19"]) / 4, along, 0.0)
        return (0.0, along if kind in ("lower_trunk", "head") else -along, 0.0)

    def all_radii(self) -> dict[str, Triple]:
        """Return the radii of gyration of each segment about its centre of mass [m], (x, y, z)."""
        L, parts = self.all_lengths(), self.proportions.radii
        found = dict[str, Triple]()
        for name in human36_table.SEGMENTS:
            kind, left = _kind(name), name.startswith("left_")
            length = L[human36_table.SEGMENT_LENGTHS[kind][left]] if kind in human36_table.SEGMENT_LENGTHS else 0.0
            x, y, z = parts[kind]
            found[name] = self.radii.get(name) or (x / 100 * length, y / 100 * length, z / 100 * length)
        return found

    def all_tags(self, lengths: Mapping[str, float] | None = None) -> dict[str, tuple[str, Triple]]:
        """Return the tags in their order: name → (segment, point [m]); of other lengths, where such are given."""
        L = lengths or self.all_lengths()
        found = human36_table.landmarks(self.proportions, self.body_height, L)
        found |= marker_tags(self.markers, self.proportions, self.body_height, L)
        return {name: (segment, self.tags.get(name, point)) for name, (segment, point) in found.items()}

    def joint_places(self, lengths: Mapping[str, float]) -> Array:
        """Return where the joint of each segment is in its parent at q = 0 [m], (segments, 3), of these lengths."""
        return np.array(
            [
                [
                    x if isinstance(x, float) else evaluate(x, name, lengths, human36_table.COORDINATES).constant
                    for x in at
                ]
                for name, _, at, _ in human36_table.ROWS
            ]
        )

    def make(self) -> "Human36":
        """Return the figure."""
        from motiform.motion.figures.human36_look import human_parts

        L = self.all_lengths()
        parts = human_parts(self.body_height, L, self.sex)
        return assemble(
            Human36, self, self._rows(), self.all_tags(), human36_table.COORDINATES, parts, notes=_uneven(L),
            joints=knee_joints(self.knee),
        )  # fmt: skip

    def _rows(self) -> list[Any]:
        from motiform.motion.tree.read.tables import CardanRow

        masses, centers, radii = self.all_masses(), self.all_centers(), self.all_radii()
        rows = []
        for name, parent, translation, rotation in human36_table.ROWS:
            m = masses[name]
            # HuMAnS leaves the products out of I_O; from I_G they follow.  [HuMAnS 3.3.3, corrected]
            inertia = tuple(m * R**2 for R in radii[name]) if m else None
            rows.append(CardanRow(name, parent, translation, rotation, m, centers[name], inertia, "center"))  # type: ignore[arg-type]
        return rows


def _mirrored(point: Any) -> Any:
    """Return a point seen in the mirror; what is no point is left for the check."""
    try:
        x, y, z = point
        return (x, y, -z)
    except (TypeError, ValueError):
        return point


def _number(key: Any) -> int:
    """Return 5 for "q5", 0 for another name."""
    number = key[1:] if isinstance(key, str) and key[:1] == "q" and key[1:].isdecimal() else "0"
    return int(number) if int(number) <= len(human36_table.COORDINATES) else 0


def _uneven(L: Mapping[str, float]) -> tuple[str, ...]:
    right, left = (sum(L[f"L{n}"] for n in legs) for legs in ((4, 5, 6), (14, 15, 16)))
    if abs(right - left) <= _EVEN:
        return ()
    return (f"legs of {right:.4g} m (right) and {left:.4g} m (left): at q = 0 the left foot stands on the ground",)


@dataclass(frozen=True, eq=False, repr=False)
class Human36(MadeFigure):
    """A human body: 17 segments, 42 coordinates or more, 28 tags. Made by `human36`; `replace` takes its arguments."""

    @property
    def height(self) -> float:
        """Height of the body [m]."""
        return self.recipe.body_height

    @property
    def body_mass(self) -> float:
        """Mass of the body [kg] that the segments' masses were parts of."""
        return self.recipe.body_mass

    @property
    def sex(self) -> str:
        """Sex of the bodies of the table."""
        return self.recipe.sex

    @cached_property
    def lengths(self) -> Lengths:
        """L1 to L31 [m], (31,), read-only: `lengths["L5"]` or `lengths[4]`."""
        return Lengths(self.recipe.all_lengths().values())

    @cached_property
    def centers(self) -> dict[str, Array]:
        """Centre of mass of each segment [m], (3,), in its frame."""
        return {segment.name: segment.com for segment in self.segments}

    @cached_property
    def radii(self) -> dict[str, Array]:
        """Radii of gyration of each segment about its centre of mass [m], (3,), x, y, z."""
        return {segment.name: _radii(segment) for segment in self.segments}

    @property
    def spread(self) -> Array:
        """Posture with arms and legs apart, (42,): only segments that are joined touch; skins are made in it."""
        return self.configuration(**human36_table.SPREAD)

    @property
    def hanim(self) -> dict[str, tuple[str, str]]:
        """Names of each segment's joint and segment in H-Anim."""
        return dict(human36_table.HANIM)

    @property
    def contact_solids(self) -> dict[str, tuple[str, ...]]:
        """Tags that carry the body, by the segment that they belong to."""
        return dict(human36_table.CONTACTS)


def _radii(segment: Segment) -> Array:
    return np.sqrt(np.diag(segment.inertia) / segment.mass) if segment.mass else np.zeros(3)


def human36(
    height: float | None = None,
    mass: float | None = None,
    *,
    sex: str = "male",
    table: str | Anthropometry = "deleva",
    lengths: Mapping[str | int, float] | Sequence[float] | None = None,
    masses: Mapping[str, float] | None = None,
    tags: Mapping[str, ArrayLike] | None = None,
    centers: Mapping[str, ArrayLike] | None = None,
    radii: Mapping[str, ArrayLike] | None = None,
    limits: str | Mapping[str, tuple[float, float]] | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "human36",
    markers: str | Mapping[str, str | tuple[str, ArrayLike]] | None = None,
    knee: Knee = "hinge",
) -> Human36:
    """Return a human body; every number of it can be given, is read back, and is changed by `replace`.

    At q = 0 it stands upright, arms down, palms forward, feet flat on the ground, the origin between its ankles.

    Parameters
    ----------
    height, mass
        [m], [kg]; the means of the table by default: 1.741 m and 73 kg for a man.
    sex, table
        "male" or "female"; "deleva", "dempster" (men only), or an `Anthropometry` of your own.
    lengths
        [m] {"L5": 0.43} or {5: 0.43}, or all 31. Those not given come from the height.
    masses, centers, radii
        By segment: [kg], centre of mass [m] (3,), radii of gyration about it [m] (3,), in its frame; "thigh" is both.
    tags
        {"r_digit2": (x, y, z)} [m], in the frame of the tag's segment.
    markers
        Tags of a laboratory's own beside the 28: a set by name ("plug-in-gait", "helen-hayes", "davis", "cmu-41",
        "rizzoli", "qualisys", "rajagopal", "optitrack"), or {"LTHI": "l_thigh"} by sites of `marker_sets.SITES`, or
        {"LTHI": ("left_thigh", (x, y, z))} [m].
    limits
        "anatomical", or {"right_knee_extension": (-2.3, 0.1)} [rad]; None: no limits.

    >>> from motiform.motion.figures import human36
    >>> body = human36(1.80, 80.0)
    >>> body
    Figure('human36': 17 segments, 42 freedoms, 28 tags, 80 kg)
    >>> taller = body.replace(height=1.90, lengths={"L5": 0.47, "L15": 0.47})

    """
    recipe = Human36Recipe(
        height, mass, sex, table, lengths, masses, tags, centers, radii, limits, gravity, name, markers, knee
    )
    return recipe.make()
