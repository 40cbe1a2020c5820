"""Predefined links with memory: friction, a bow, plasticity, rupture, healing, fatigue, capillary bridges, paste.

Each is an automaton of a few lines (see `automaton`); its text may be read and changed. Numbers are one for all links,
or one for each. Without `rest`, links are at rest at the start.

>>> law = rupture(stiffness=100.0, rest=1.0, length=1.2)
>>> law.respond([1.0, 1.1, 1.3, 1.1]).visited
['whole', 'broken']
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.automaton_law import AutomatonLaw
from motiform.motion.matter.laws.links import _numbers

__all__ = ["bow", "capillary_bridge", "dry_friction", "fatigue", "healing", "paste_bond", "plasticity", "rupture"]

DRY_FRICTION = """
parameters stiffness, limit, damping=0, rest=start
memory slid = 0                                     # how far the rest length has slid [m]
state stick: stiffness, damping, rest + slid
state slip: stiffness, damping, rest + slid
stick -> slip when stiffness * (d - rest - slid) > limit: slid = d - rest - limit / stiffness
stick -> slip when stiffness * (d - rest - slid) < -limit: slid = d - rest + limit / stiffness
slip -> slip when stiffness * (d - rest - slid) > limit: slid = d - rest - limit / stiffness
slip -> slip when stiffness * (d - rest - slid) < -limit: slid = d - rest + limit / stiffness
slip -> stick when abs(d - rest - slid) < limit / stiffness
"""

# Once released, the string flies back; the bow grips it again where it comes to rest against the hair.
BOW = """
parameters stiffness, limit, sliding=0, damping=0
memory held = start                                 # distance at which the hair grips [m]
state stick: stiffness, damping, held
state loosed_back: 0, sliding, held
state back: 0, sliding, held
state loosed_forth: 0, sliding, held
state forth: 0, sliding, held
stick -> loosed_back when stiffness * (d - held) > limit
stick -> loosed_forth when stiffness * (d - held) < -limit
loosed_back -> back when speed < 0
back -> stick when speed >= 0: held = d
loosed_forth -> forth when speed > 0
forth -> stick when speed <= 0: held = d
"""

# The part of the tension above the yield force moves the rest length, and what was moved pulls back with `hardening`.
_OVER = "stiffness * (d - rest - moved) - hardening * moved"
PLASTICITY = f"""
parameters stiffness, yield_force, hardening=0, ductility, damping=0, rest=start
memory moved = 0                                    # how far the rest length has moved [m]
state elastic: stiffness, damping, rest + moved
state yielding: stiffness, damping, rest + moved
state broken final: free
elastic -> broken when abs(moved) > ductility
elastic -> yielding when {_OVER} > yield_force: moved = moved + ({_OVER} - yield_force) / (stiffness + hardening)
elastic -> yielding when {_OVER} < -yield_force: moved = moved + ({_OVER} + yield_force) / (stiffness + hardening)
yielding -> broken when abs(moved) > ductility
yielding -> yielding when {_OVER} > yield_force: moved = moved + ({_OVER} - yield_force) / (stiffness + hardening)
yielding -> yielding when {_OVER} < -yield_force: moved = moved + ({_OVER} + yield_force) / (stiffness + hardening)
yielding -> elastic when abs({_OVER}) < yield_force
"""

RUPTURE = """
parameters stiffness, length, strength, damping=0, rest=start
state whole: stiffness, damping, rest
state broken final: free
whole -> broken when d > length or force > strength
"""

HEALING_OLD_REST = """
parameters stiffness, length, healing, damping=0, rest=start
state whole: stiffness, damping, rest
state broken: free
whole -> broken when d > length
broken -> whole when d < healing
"""

HEALING_NEW_REST = """
parameters stiffness, length, healing, damping=0, rest=start
memory present = rest                               # the rest length of now [m]
state whole: stiffness, damping, present
state broken: free
whole -> broken when d > length
broken -> whole when d < healing: present = d
"""

FATIGUE = """
parameters stiffness, strain, life, weakening=0, damping=0, rest=start
memory worn = 0                                     # loads that were borne
state slack: stiffness * (1 - weakening * worn / life), damping, rest
state loaded: stiffness * (1 - weakening * worn / life), damping, rest
state broken final: free
slack -> broken when d - rest > strain and worn >= life
slack -> loaded when d - rest > strain: worn = worn + 1
loaded -> slack when d <= rest
"""

CAPILLARY_BRIDGE = """
parameters stiffness, attraction, inner, outer, damping=0
state apart: free
state pressed: stiffness, damping, inner - attraction * (outer - inner) / stiffness
state bridged: -attraction, damping, outer
apart -> pressed when d < inner
pressed -> apart when d > outer
pressed -> bridged when d >= inner
bridged -> pressed when d < inner
bridged -> apart when d > outer
reach outer
"""

# Bonds form wherever two points come within range, as long as they then are, and flow like plastic springs [Clavet05].
PASTE_BOND = """
parameters stiffness, yield_force, outer, damping=0
memory present = outer                              # the rest length of now [m]
state apart: free
state bonded: stiffness, damping, present
state yielding: stiffness, damping, present
apart -> bonded when d < outer: present = d
bonded -> apart when d > outer
bonded -> yielding when stiffness * (d - present) > yield_force: present = d - yield_force / stiffness
bonded -> yielding when stiffness * (d - present) < -yield_force: present = d + yield_force / stiffness
yielding -> apart when d > outer
yielding -> yielding when stiffness * (d - present) > yield_force: present = d - yield_force / stiffness
yielding -> yielding when stiffness * (d - present) < -yield_force: present = d + yield_force / stiffness
yielding -> bonded when abs(d - present) < yield_force / stiffness
reach outer
"""


def dry_friction(
    stiffness: ArrayLike, limit: ArrayLike, *, rest: ArrayLike | None = None, damping: ArrayLike = 0.0
) -> AutomatonLaw:
    """Return dry friction along the line of two points: a spring that slips where it pulls or pushes too hard [Iwan66].

    `stiffness` [N/m] holds them while they stick; the spring's force stays within ± `limit` [N]; `damping` [N s/m] is
    beside it and not limited. A cycle of amplitude a [m] takes 4 limit (a − limit/stiffness) [J].
    """
    _check("dry friction", above={"stiffness": stiffness}, least={"limit": limit})
    return Automaton("dry friction", DRY_FRICTION).law(stiffness=stiffness, limit=limit, damping=damping, rest=rest)


def bow(stiffness: ArrayLike, limit: ArrayLike, *, sliding: ArrayLike = 0.0, damping: ArrayLike = 0.0) -> AutomatonLaw:
    """Return a bow's grip on a string, between a point that moves and one of the string, along one axis.

    The hair, a spring of `stiffness` [N/m] and `damping` [N s/m], holds the string until it pulls by more than `limit`
    [N]; the string then slips back past it, against `sliding` [N s/m], and is gripped anew where both are as fast: the
    corner that runs along the string does this once a round (Helmholtz motion).
    """
    _check("bow", above={"stiffness": stiffness, "limit": limit}, least={"sliding": sliding})
    return Automaton("bow", BOW).law(stiffness=stiffness, limit=limit, sliding=sliding, damping=damping)


def plasticity(
    stiffness: ArrayLike,
    yield_force: ArrayLike,
    *,
    rest: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    hardening: ArrayLike = 0.0,
    ductility: ArrayLike = np.inf,
) -> AutomatonLaw:
    """Return a spring whose rest length moves where it is pulled or pushed too hard.

    It is elastic with `stiffness` k [N/m] up to ± `yield_force` [N]. With `hardening` h [N/m] the bounds move along, by
    h for each metre that the rest length moved (kinematic hardening): the slope beyond them is k h/(k + h).
    It breaks for good once the rest length has moved by more than `ductility` [m]. A cycle of amplitude a [m] about the
    rest length takes 4 yield_force (k a − yield_force)/(k + h) [J].
    """
    _check("plasticity", above={"stiffness": stiffness, "ductility": ductility}, least={"yield_force": yield_force})
    _check("plasticity", least={"hardening": hardening})
    return Automaton("plasticity", PLASTICITY).law(
        stiffness=stiffness, yield_force=yield_force, hardening=hardening, ductility=ductility, damping=damping,
        rest=rest,
    )  # fmt: skip


def rupture(
    stiffness: ArrayLike,
    *,
    rest: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    length: ArrayLike = np.inf,
    strength: ArrayLike = np.inf,
) -> AutomatonLaw:
    """Return a spring [N/m] that breaks permanently beyond a `length` [m] or a tension `strength` [N]."""
    if (
        np.isinf(_numbers(length, "length", "rupture")).all()
        and np.isinf(_numbers(strength, "strength", "rupture")).all()
    ):
        raise InputError("rupture must have a finite limit", where="rupture", remedy="Give length [m] or strength [N].")
    return Automaton("rupture", RUPTURE).law(
        stiffness=stiffness, length=length, strength=strength, damping=damping, rest=rest
    )


def healing(
    stiffness: ArrayLike,
    length: ArrayLike,
    healing: ArrayLike,
    *,
    rest: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    new_rest: bool = False,
) -> AutomatonLaw:
    """Return a spring [N/m] that breaks beyond a `length` [m], and is whole again with its ends within `healing` [m].

    It then has its old rest length, or, with `new_rest`, the distance at which it healed. With the old one a cycle
    takes k ((length − rest)² − (healing − rest)²)/2 [J].
    """
    if np.any(_numbers(healing, "healing", "healing") >= _numbers(length, "length", "healing")):
        raise InputError(
            "healing must be below length", where="healing", got=healing, allowed="below the length of breaking"
        )
    text = HEALING_NEW_REST if new_rest else HEALING_OLD_REST
    return Automaton("healing", text).law(
        stiffness=stiffness, length=length, healing=healing, damping=damping, rest=rest
    )


def fatigue(
    stiffness: ArrayLike,
    strain: ArrayLike,
    life: ArrayLike,
    *,
    rest: ArrayLike | None = None,
    damping: ArrayLike = 0.0,
    weakening: ArrayLike = 0.0,
) -> AutomatonLaw:
    """Return a spring [N/m] that bears only so many loads.

    A load is a stretch by more than `strain` [m] since the last time it was slack. The link bears `life` of them and
    breaks at the next; on the way it loses the share `weakening` (0 to 1) of its stiffness, evenly from load to load.
    """
    _check("fatigue", above={"life": life}, least={"strain": strain, "weakening": weakening})
    if np.any(_numbers(weakening, "weakening", "fatigue") > 1):
        raise InputError("weakening must be at most 1", where="fatigue", got=weakening, allowed="0 to 1")
    return Automaton("fatigue", FATIGUE).law(
        stiffness=stiffness, strain=strain, life=life, weakening=weakening, damping=damping, rest=rest
    )


def capillary_bridge(
    stiffness: ArrayLike, attraction: ArrayLike, inner: ArrayLike, outer: ArrayLike, *, damping: ArrayLike = 0.0
) -> AutomatonLaw:
    """Return the cohesion of wet grains: a bridge of water forms at contact and holds until it is stretched too far.

    Grains that come within `inner` [m] stick: they press with `stiffness` [N/m] and, farther out, are pulled by
    attraction · (outer − d) [N] (`attraction` in N/m), until the bridge breaks beyond `outer` [m]. Grains without a
    bridge do not feel one another. Between sets of grains distances are those of their surfaces. To make and break a
    bridge takes attraction (outer − inner)²/2 [J].
    """
    where = "capillary bridge"
    _check(where, above={"stiffness": stiffness}, least={"attraction": attraction})
    if np.any(_numbers(inner, "inner", where) >= _numbers(outer, "outer", where)):
        raise InputError("inner must be below outer", where=where, got=inner, allowed="below outer")
    return Automaton(where, CAPILLARY_BRIDGE).law(
        stiffness=stiffness, attraction=attraction, inner=inner, outer=outer, damping=damping
    )


def paste_bond(
    stiffness: ArrayLike, yield_force: ArrayLike, outer: ArrayLike, *, damping: ArrayLike = 0.0
) -> AutomatonLaw:
    """Return the bonds of a paste, by range: each flows where it is pulled or pushed too hard, breaks and forms anew.

    Two points that come within `outer` [m] are held at their distance by `stiffness` [N/m]. The force of the spring
    stays within ± `yield_force` [N]: its rest length moves. Beyond `outer` the bond is broken. Many together make a
    matter that stands under small loads and flows under larger ones [Clavet05]: those of a shear stress of 0.6 to 0.8
    times yield_force n² outer⁴/3 [Pa], with n points per volume. To push two points together by a [m],
    more than 2 yield_force/stiffness, and to part them takes 2 yield_force a − 5/2 yield_force²/stiffness [J].
    """
    where = "paste bond"
    _check(where, above={"stiffness": stiffness, "outer": outer}, least={"yield_force": yield_force})
    return Automaton(where, PASTE_BOND).law(stiffness=stiffness, yield_force=yield_force, outer=outer, damping=damping)


def _check(where: str, above: dict[str, Any] | None = None, least: dict[str, Any] | None = None) -> None:
    for name, value in (above or {}).items():
        if np.any(_numbers(value, name, where) <= 0):
            raise InputError(f"{name} must be positive", where=where, got=value, allowed="above 0")
    for name, value in (least or {}).items():
        if np.any(_numbers(value, name, where) < 0):
            raise InputError(f"{name} must not be negative", where=where, got=value, allowed="0 or more")
