"""Human: a man on the joints and lengths of Bip.  [HuMAnS 2]"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.figures import bip_table
from motiform.motion.figures.anthropometry import DELEVA_MALE
from motiform.motion.figures.bip_figure import Bip, BipRecipe
from motiform.motion.figures.look import Color, box, egg, limb
from motiform.motion.figures.recipe import assemble, positive
from motiform.motion.tree.model.segment import SegmentShape
from motiform.spatial.inertia import point_inertia

__all__ = ["Human", "HumanRecipe", "human"]


class _Part(NamedTuple):
    """A part of the body whose mass is carried by the trunk, upright, above the hips of a man of 1.741 m."""

    share: float
    """Of the mass [%]."""
    height: float
    """Of its centre of mass above the hips [m]."""
    length: float
    """[m]"""
    radii: tuple[float, float, float]
    """Of gyration about axes forward, along the part and across [% of the length]."""
    aside: float = 0.0
    """Of its centre of mass from the middle plane [m]."""


# Parts of the trunk and their heights from lengths of the same table, arms hanging.  [DeLeva96 Table 4]
_LOW, _MIDDLE, _HIGH = 0.1457, 0.2155, 0.1707  # [m] hips to omphalion, to xiphion, to suprasternale
_XIPHION = _LOW + _MIDDLE
_SHOULDER = _XIPHION + _HIGH + 0.0104 * 1.741
_UPPER, _FORE, _HAND = 0.2817, 0.2689, 0.1899
_SIDE = 0.259 * 1.741 / 2  # of the shoulder from the middle plane [Dempster55]
_PELVIS = _Part(11.17, (1 - 0.6115) * _LOW, _LOW, (61.5, 58.7, 55.1))
_TRUNK = (
    _Part(16.33, _LOW + (1 - 0.4502) * _MIDDLE, _MIDDLE, (48.2, 46.8, 38.3)),
    _Part(15.96, _XIPHION + (1 - 0.2999) * _HIGH, _HIGH, (71.6, 65.9, 45.4)),
    _Part(6.94, _XIPHION + 0.242 + (1 - 0.5002) * 0.2429, 0.2429, (30.3, 26.1, 31.5)),
    *(
        part
        for side in (_SIDE, -_SIDE)
        for part in (
            _Part(2.71, _SHOULDER - 0.5772 * _UPPER, _UPPER, (28.5, 15.8, 26.9), side),
            _Part(1.62, _SHOULDER - _UPPER - 0.4574 * _FORE, _FORE, (27.6, 12.1, 26.5), side),
            _Part(0.61, _SHOULDER - _UPPER - _FORE - 0.3691 * _HAND, _HAND, (28.8, 18.4, 23.5), side),
        )
    ),
)
_SKIN: Color = (0.80, 0.62, 0.52)
_CLOTH: Color = (0.27, 0.36, 0.50)


def _about(part: _Part, mass: float) -> np.ndarray:
    """Return the inertia about the centre of mass, axes forward, along, across."""
    return mass * np.diag((np.array(part.radii) / 100 * part.length) ** 2)


@dataclass(frozen=True, eq=False)
class HumanRecipe(BipRecipe):
    """The parameters of a Human; see `human`."""

    mass: Any = 73.0
    name: str = "human"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", positive(self.mass, "mass", "human"))
        super().__post_init__()

    def bodies(self) -> Mapping[str, bip_table.SegmentInertia]:
        """Return masses, centres and inertias of the segments that have some: brackets and cardans have none."""
        L = self.all_lengths()
        found = {"pelvis": self._pelvis(), "trunk": self._trunk(L["lumbar"])}
        for side in ("right", "left"):
            for kind in ("thigh", "shank"):  # X down, Y forward, Z right
                found[f"{side}_{kind}"] = self._limb(kind, L[kind], (1, 0, 2), (DELEVA_MALE.centers[kind], 0.0, 0.0))
            foot = self._limb("foot", 0.290, (1, 2, 0), (0.0, 0.0, DELEVA_MALE.centers["foot"]))  # X down, Z forward
            at = (0.5 * L["foot"], 0.0, foot.center[2] - 0.120)  # from the heel, 0.120 m behind the ankle
            found[f"{side}_foot"] = bip_table.SegmentInertia(foot.mass, at, foot.inertia, "center", "chosen")
        return found

    def _limb(self, kind: str, length: float, axes: tuple[int, int, int], center: Any) -> bip_table.SegmentInertia:
        """Return a segment of the table at a length; `axes` says which of forward, along, across is X, Y and Z."""
        mass = self.mass * DELEVA_MALE.masses[kind] / 100
        radii = np.array(DELEVA_MALE.radii[kind])[list(axes)] / 100 * length
        at = tuple(float(c) / 100 * length for c in center)
        return bip_table.SegmentInertia(mass, at, tuple(mass * radii**2), "center", "chosen")  # type: ignore[arg-type]

    def _pelvis(self) -> bip_table.SegmentInertia:
        """Return the lower part of the trunk, below the omphalion; X right, Y down, Z forward."""
        mass = self.mass * _PELVIS.share / 100
        forward, along, across = np.diag(_about(_PELVIS, mass))
        return bip_table.SegmentInertia(mass, (0.0, -_PELVIS.height, 0.0), (across, along, forward), "center", "chosen")

    def _trunk(self, lumbar: float) -> bip_table.SegmentInertia:
        """Return the rest of the trunk, head and arms as one; X up, Y back, Z right."""
        masses = self.mass / 100 * np.array([part.share for part in _TRUNK])
        centers = np.array([(part.height - lumbar, 0.0, part.aside) for part in _TRUNK])
        center = masses @ centers / masses.sum()
        inertia = np.zeros((3, 3))
        for part, mass, place in zip(_TRUNK, masses, centers, strict=True):
            own = _about(part, mass)[[1, 0, 2]][:, [1, 0, 2]]
            inertia += own + point_inertia(mass, place - center)
        return bip_table.SegmentInertia(float(masses.sum()), tuple(center), inertia, "center", "chosen")

    def make(self) -> "Human":
        """Return the figure."""
        L = self.all_lengths()
        return assemble(Human, self, self.rows(), self.all_tags(), bip_table.COORDINATES, _parts(L))


@dataclass(frozen=True, eq=False, repr=False)
class Human(Bip):
    """A man on the 21 frames of Bip. Made by `human`; `replace` takes its arguments."""


def _parts(L: Mapping[str, float]) -> dict[str, tuple[SegmentShape, ...]]:
    """Return the parts of each segment in its frame; L are the lengths [m]."""
    parts: dict[str, tuple[SegmentShape, ...]] = {frame.name: () for frame in bip_table.FRAMES}
    parts["pelvis"] = (egg((0.0, -0.05, 0.0), (0.16, 0.11, 0.10), _CLOTH),)  # X right, Y down, Z forward
    top = _SHOULDER - L["lumbar"]
    arms = [
        limb((top - above, 0.0, z), (top - below, 0.0, z), r, _SKIN)
        for z in (_SIDE, -_SIDE)
        for above, below, r in ((0.02, _UPPER, 0.042), (_UPPER, _UPPER + _FORE, 0.034), (_UPPER + _FORE, 0.68, 0.030))
    ]
    parts["trunk"] = (  # X up, Y back, Z right
        egg((0.17, 0.0, 0.0), (0.24, 0.11, 0.15), _CLOTH),
        egg((0.32, 0.0, 0.0), (0.15, 0.12, 0.19), _CLOTH),
        limb((0.42, 0.0, 0.0), (0.52, 0.0, 0.0), 0.05, _SKIN),
        egg((0.60, 0.0, 0.0), (0.12, 0.10, 0.08), _SKIN),
        *arms,
    )
    for side in ("right", "left"):
        parts[f"{side}_thigh"] = (limb((0.0, 0.0, 0.0), (L["thigh"], 0.0, 0.0), 0.075, _CLOTH),)
        parts[f"{side}_shank"] = (limb((0.0, 0.0, 0.0), (L["shank"], 0.0, 0.0), 0.052, _SKIN),)
        parts[f"{side}_foot"] = (  # X down, Y left, Z forward
            box((L["foot"] - 0.030, 0.0, 0.025), (0.060, 0.10, 0.29), _CLOTH),
            egg((0.03, 0.0, -0.02), (0.05, 0.04, 0.06), _SKIN),
        )
    return parts


def human(
    *,
    mass: float = 73.0,
    lengths: Mapping[str, float] | None = None,
    masses: Mapping[str, float] | None = None,
    tags: Mapping[str, ArrayLike] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    gravity: ArrayLike = (0.0, -9.81, 0.0),
    name: str = "human",
) -> Human:
    """Return a man on the joints and lengths of Bip, standing at q = 0: for laws and tasks of the robot.

    Masses, centres of mass and radii of gyration are de Leva's for men; head and hanging arms belong to the trunk.
    (The document prints none.) For motion of people take `human36`.

    Parameters
    ----------
    mass
        [kg] of the whole body.
    lengths, masses, tags, limits
        As those of `bip`.

    >>> from motiform.motion.figures import human
    >>> human()
    Figure('human': 21 segments, 21 freedoms, 25 tags, 73 kg)

    """
    return HumanRecipe(lengths, masses, tags, limits, gravity, name, mass).make()
