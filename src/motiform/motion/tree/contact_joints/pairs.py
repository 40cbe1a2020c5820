"""The kind of contact of two surfaces: point, line, face, or none."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from motiform.base.errors import InputError
from motiform.geometry.surfaces import Surface
from motiform.spatial.checks import Words

__all__ = ["VELOCITIES", "Pair", "check_pair", "pair_of"]

VELOCITIES = ("wx", "wy", "wz", "vx", "vy")
"""Velocities of body 2 relative to body 1 at the contact, in the contact frame; the third linear one is zero."""
CONFORMING = 1e-9  # relative curvature, as a share of the curvatures, below which surfaces count as one in the other


@dataclass(frozen=True)
class Pair:
    """What the kinds of two surfaces decide before anything moves."""

    contact: Literal["point", "line", "face"]
    follow: int = 0
    """The body along whose straight line the contact frame's first axis stays; 0 where there is no line."""
    forbidden: tuple[int, ...] = ()
    """Velocities, by their place in VELOCITIES, that would part the surfaces."""

    @property
    def both_lines(self) -> bool:
        """Whether lines of both bodies lie on each other, so that the bodies cannot spin."""
        return 2 in self.forbidden


def pair_of(one: Surface, two: Surface, line: bool) -> Pair:
    """Return how two surfaces touch; two cylinders cross unless they are asked to touch along a line.

    The angular velocity that a line allows is about itself, the first axis of L: ωx.  [ContactJoints 4]
    """
    flat = one.kind == "plane", two.kind == "plane"
    if all(flat):
        return Pair("face", 0, (0, 1))
    if any(flat):
        body = 2 if flat[0] else 1
        curved = two if flat[0] else one
        return Pair("line", body, (1,)) if curved.ruled and not curved.inside else Pair("point")
    if one.kind == two.kind == "cylinder" and (line or one.inside != two.inside):
        return Pair("line", 1, (1, 2))
    return Pair("point")


def check_pair(one: Surface, two: Surface, pair: Pair, *, rolling: bool, line: bool, gauge: float, where: str) -> None:
    """Raise an error if the surfaces cannot touch as asked."""
    got = Words(f"{one!r} and {two!r}")
    if pair.contact == "face" and rolling:
        raise InputError(
            "two flat surfaces cannot roll", where=where, got=got, allowed="sliding and spin",
            remedy="Say rolling=False, with sliding=True if it may slide.",
        )  # fmt: skip
    if line and pair.contact != "line":
        raise InputError(
            "these surfaces do not touch along a line", where=where, got=got, allowed="line=True for two cylinders"
        )
    if pair.follow and gauge:
        raise InputError(
            "a contact along a line must have no gauge of its own", where=where, got=gauge, allowed="gauge=0",
            remedy="Leave it.",
        )  # fmt: skip
    if pair.contact != "face":
        _check_fit(one, two, pair, where, got)


def _check_fit(one: Surface, two: Surface, pair: Pair, where: str, got: Words) -> None:
    """Refuse surfaces whose sum of curvatures is nowhere above zero: λmin(K1 + K2) ≤ λmin(K1) + λmax(K2).

    Along a line one of the eigenvalues is zero and the other has to be above.
    """
    (_, small1, _, big1), (_, small2, _, big2) = one.bounds, two.bounds
    if pair.contact == "line":
        least = (small1 if one.inside else big1) + (small2 if two.inside else big2)
    else:
        least = min(small1 + big2, big1 + small2)
    size = max((abs(x) for x in (small1, big1, small2, big2) if isfinite(x)), default=1.0)
    if least > CONFORMING * size:
        return
    if least < -CONFORMING * size:
        raise InputError(
            "the surfaces do not fit: they cannot touch in one point without overlapping", where=where, got=got,
            allowed="curvatures whose sum is above zero somewhere",
            remedy="A body inside needs radii below those of what it lies in.",
        )  # fmt: skip
    raise InputError(
        "the surfaces conform: the sum of their curvatures is singular", where=where, got=got,
        allowed="one contact point: a concave radius above the convex one",
        remedy="Change a radius a little, or take another joint.",
    )  # fmt: skip
