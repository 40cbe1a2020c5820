"""Laws of links: tension as a function of distance and its rate.

A law is linear in each of a few zones of distance [Habibi97 1.12]: t = k (d − d0) + z ḋ, positive where the ends are
pulled together (the seed's F¹² is −t). All laws of the seed but those with a memory are such; those with one are
automata (`motiform.motion.matter.laws.automaton`).

>>> law = visco_elastic_buffer(stiffness=100.0, threshold=0.1, damping=2.0)
>>> float(law.tension(0.08, speed=-0.5)), float(law.tension(0.12, speed=-0.5))
(-3.0, 0.0)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.engine.columns import CUTS, ROW, ZONES

__all__ = [
    "Friction", "Zone", "ZoneLaw", "cohesion", "damper", "elastic_buffer", "hollow_buffer", "spring",
    "visco_elastic_buffer", "viscosity", "zones",
]  # fmt: skip


@dataclass(frozen=True)
class Zone:
    """A zone of distance: from where the one before it ends, up to `until`."""

    stiffness: ArrayLike = 0.0
    """[N/m], one number or one for each link."""
    damping: ArrayLike = 0.0
    """[N s/m]"""
    rest: ArrayLike | None = 0.0
    """Distance of no force [m]; None: the distance of the ends at the start."""
    until: ArrayLike = np.inf
    """[m]"""


@dataclass(frozen=True)
class ZoneLaw:
    """A law that is linear in each of at most four zones of distance."""

    name: str
    zones: tuple[Zone, ...]

    def __post_init__(self) -> None:
        where = f"law {self.name!r}"
        if not 1 <= len(self.zones) <= ZONES:
            raise InputError(
                "a law must have a limited number of zones", where=where, got=len(self.zones), allowed=f"1 to {ZONES}"
            )
        for zone in self.zones:
            for key in ("stiffness", "damping", "rest", "until"):
                value = getattr(zone, key)
                if value is None and key == "rest":
                    continue
                array = _numbers(value, key, where)
                if key == "damping" and (array < 0).any():
                    raise InputError(
                        "damping must not be negative: it would feed energy", where=where, got=array.min(),
                        allowed="0 or more",
                    )  # fmt: skip
                if key != "until" and not np.isfinite(array).all():
                    raise InputError(f"{key} is not finite", where=where, got=value)
        ends = np.broadcast_arrays(*[np.asarray(zone.until, float) for zone in self.zones])
        if any((after < before).any() for before, after in pairwise(ends)):
            raise InputError(
                "zones must be in order of distance", where=where, got=[str(e) for e in ends], allowed="rising `until`"
            )

    def rows(self, count: int, start: np.ndarray) -> np.ndarray:
        """Return the law of each of so many links as rows of numbers; `start` [m] are their distances at the start."""
        found = np.zeros((count, ROW))
        found[:, :CUTS] = np.inf
        for n in range(ZONES):
            zone = self.zones[min(n, len(self.zones) - 1)]
            rest = start if zone.rest is None else zone.rest
            for k, value in enumerate((zone.stiffness, zone.damping, rest)):
                found[:, CUTS + 3 * n + k] = _spread(value, count, self.name)
            if n < len(self.zones) - 1:
                found[:, n] = _spread(zone.until, count, self.name)
        return found

    def tension(self, distance: ArrayLike, speed: ArrayLike = 0.0, start: float = 0.0) -> np.ndarray:
        """Return the tension [N] at distances [m] that change at a speed [m/s]; `start` stands for a rest not given."""
        d, v = np.broadcast_arrays(np.asarray(distance, float), np.asarray(speed, float))
        row = self.rows(1, np.array([start]))[0]
        column = CUTS + 3 * (d[..., None] >= row[:CUTS]).sum(-1)
        return row[column] * (d - row[column + 2]) + row[column + 1] * v

    @cached_property
    def cutoff(self) -> float:
        """Distance beyond which there is no force [m]; infinite for a law that acts everywhere."""
        last = self.zones[-1]
        if np.any(np.asarray(last.stiffness)) or np.any(np.asarray(last.damping)) or len(self.zones) == 1:
            return np.inf
        return float(np.max(np.asarray(self.zones[-2].until, float)))

    def strongest(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest stiffness [N/m] and damping [N s/m] over the zones, one number or one for each link."""
        k = np.max(np.broadcast_arrays(*[np.asarray(zone.stiffness, float) for zone in self.zones]), axis=0)
        z = np.max(np.broadcast_arrays(*[np.asarray(zone.damping, float) for zone in self.zones]), axis=0)
        return k, z

    def taken(self, chosen: Any) -> "ZoneLaw":
        """Return the law of some of its links, where it has one for each."""
        parts = []
        for zone in self.zones:
            keys = {k: getattr(zone, k) for k in ("stiffness", "damping", "rest", "until")}
            many = {k: np.asarray(v)[chosen] for k, v in keys.items() if v is not None and np.ndim(v)}
            parts.append(replace(zone, **many))
        return ZoneLaw(self.name, tuple(parts))


@dataclass(frozen=True)
class Friction:
    """How two points rub: the force across their line is at most `limit` times the one along it."""

    limit: float
    """Coulomb's coefficient."""
    stiffness: float = 0.0
    """Of the spring that holds a pair that sticks [N/m]; 0: nothing holds, the force is viscous up to the limit."""
    damping: float = 0.0
    """Across the line [N s/m]."""
    rolling: float = 0.0
    """Coefficient of rolling friction of balls that rotate: the couple is at most rolling · R · |normal force|."""
    torsion: float = 0.0
    """The same about the line. R = r₁ r₂/(r₁ + r₂), at a solid r; stiffness and damping are those of friction · R²."""

    @property
    def acts(self) -> bool:
        """Whether it does anything."""
        return self.limit > 0 or self.resists

    @property
    def resists(self) -> bool:
        """Whether it resists rolling or torsion."""
        return self.rolling > 0 or self.torsion > 0

    def __post_init__(self) -> None:
        for key in ("limit", "stiffness", "damping", "rolling", "torsion"):
            value = _numbers(getattr(self, key), key, "friction")
            if value.ndim or not np.isfinite(value) or value < 0:
                raise InputError(
                    f"{key} of friction must be a finite number that is not negative",
                    got=getattr(self, key),
                    allowed="a number, 0 or more",
                )
        if self.acts and self.stiffness == 0 and self.damping == 0:
            raise InputError(
                "friction must have stiffness or damping",
                remedy="Give stiffness (pairs stick) or damping (they creep).",
            )


def as_friction(friction: Friction | float | None, law: Any) -> Friction | None:
    """Return friction; of a coefficient alone, pairs stick by two sevenths of the law's stiffness."""
    if friction is None or isinstance(friction, Friction):
        return friction
    return Friction(float(friction), stiffness=float(np.max(law.strongest()[0])) * 2 / 7)


def spring(stiffness: ArrayLike, *, rest: ArrayLike | None = None, damping: ArrayLike = 0.0) -> ZoneLaw:
    """Return a spring [Habibi97 1.10] with a parallel damper; without `rest` it is unloaded at the start."""
    return ZoneLaw("spring", (Zone(stiffness, damping, rest),))


def damper(damping: ArrayLike) -> ZoneLaw:
    """Return a damper [Habibi97 1.11]."""
    return ZoneLaw("damper", (Zone(0.0, damping),))


def elastic_buffer(stiffness: ArrayLike, threshold: ArrayLike) -> ZoneLaw:
    """Return a spring that only pushes, below a distance [Habibi97 1.13]."""
    return ZoneLaw("elastic buffer", (Zone(_pushing(stiffness), 0.0, threshold, threshold), Zone()))


def hollow_buffer(stiffness: ArrayLike, threshold: ArrayLike, *, damping: ArrayLike = 0.0) -> ZoneLaw:
    """Return a spring that only pulls, beyond a distance [Habibi97 1.14]: a string."""
    return ZoneLaw("hollow buffer", (Zone(until=threshold), Zone(stiffness, damping, threshold)))


def viscosity(damping: ArrayLike, threshold: ArrayLike) -> ZoneLaw:
    """Return a damper that acts below a distance [Habibi97 1.15]."""
    return ZoneLaw("viscosity", (Zone(0.0, damping, 0.0, threshold), Zone()))


def visco_elastic_buffer(stiffness: ArrayLike, threshold: ArrayLike, *, damping: ArrayLike = 0.0) -> ZoneLaw:
    """Return an elastic buffer with a damper that acts below the same distance."""
    return ZoneLaw("visco-elastic buffer", (Zone(_pushing(stiffness), damping, threshold, threshold), Zone()))


def _pushing(stiffness: ArrayLike) -> ArrayLike:
    """Return the stiffness of a buffer, which pushes."""
    array = _numbers(stiffness, "stiffness", "buffer")
    if (array < 0).any():
        remedy = "Use zones(…) for a law that pulls."
        raise InputError(
            "the stiffness of a buffer must not be negative: it would pull", got=array.min(), allowed="0 or more",
            remedy=remedy,
        )  # fmt: skip
    return stiffness


def cohesion(
    stiffness: float,
    attraction: float,
    inner: float,
    outer: float,
    *,
    damping: float = 0.0,
    outer_damping: float | None = None,
) -> ZoneLaw:
    """Return the cohesive law: repulsion below a distance, attraction up to a peak, then less, then none.

    Between `inner` and `outer` the tension is attraction · (outer − d), a stiffness below zero; below `inner` it is a
    spring that is continuous with it, so it is at rest at inner − attraction (outer − inner)/stiffness.
    """
    k1, k2, s1, s2 = (float(_numbers(v, "cohesion", "cohesion")) for v in (stiffness, attraction, inner, outer))
    if not (0 < s1 < s2 and k1 > 0 and k2 >= 0):
        raise InputError(
            "the parameters of cohesion must be positive and in order",
            got=(k1, k2, s1, s2),
            allowed="stiffness > 0, attraction ≥ 0, 0 < inner < outer",
        )
    rest = s1 - k2 * (s2 - s1) / k1
    if rest <= 0:
        raise InputError("cohesion has no distance of rest", got=rest, allowed="above 0", remedy="Raise stiffness.")
    z2 = damping if outer_damping is None else outer_damping
    return ZoneLaw("cohesion", (Zone(k1, damping, rest, s1), Zone(-k2, z2, s2, s2), Zone()))


def zones(*parts: Zone | Sequence[float], name: str = "zones") -> ZoneLaw:
    """Return a user-defined law: zones in ascending order, each a `Zone` or (stiffness, damping, rest, until)."""
    return ZoneLaw(name, tuple(part if isinstance(part, Zone) else Zone(*part) for part in parts))


def _numbers(value: Any, key: str, where: str) -> np.ndarray:
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{key} must be a number", where=where, got=value, allowed="numbers") from error
    if array.ndim > 1 or np.isnan(array).any():
        raise InputError(f"{key} must be a number", where=where, got=value, allowed="one number, or one for each link")
    return array


def _spread(value: Any, count: int, name: str) -> np.ndarray:
    array = np.asarray(value, float)
    if array.ndim and len(array) != count:
        raise InputError(
            "the numbers of a law must match its links", where=f"law {name!r}",
            got=f"{len(array)} numbers for {count} links", allowed="one number, or one for each link",
        )  # fmt: skip
    return np.broadcast_to(array, count)
