"""Guards of contact joints: the instant at which the normal force becomes tensile or the friction limit is exceeded."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.run import Guard
from motiform.motion.tree.contact_joints.closure import ContactClosure
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState

if TYPE_CHECKING:
    from motiform.motion.tree.equations import FigureEquations

__all__ = ["watch_contacts"]


def watch_contacts(system: "FigureEquations", *, started: bool = True, without: Collection[str] = ()) -> list[Guard]:
    """Return the guards of every contact that lasts: "… lifts off", and "… slips" where it has a friction coefficient.

    Contact joints go by the name of their segment, contact closures by their own. With `started` they are refused
    where they do not press or stick at the system's first state. Segments `without` are left out.
    """
    guards: list[Guard] = []
    for segment in system.figure.segments:
        if isinstance(segment.joint, ContactJoint) and not segment.joint.leaves and segment.name not in without:
            guards += _guards_of(system, segment.name, segment.joint, system.contact_force, started)
    for closure in system.figure.closures:
        if isinstance(closure, ContactClosure):
            guards += _guards_of(system, closure.name, closure.joint, system.closure_force, started)
    return guards


def _guards_of(
    system: "FigureEquations", name: str, joint: ContactJoint, measure: Callable[[float, FigureState, str], Array],
    started: bool,
) -> list[Guard]:  # fmt: skip
    last: dict[str, Any] = {"key": None, "force": np.zeros(3)}

    def force(t: float, state: FigureState) -> Array:
        """Return tangential, tangential, normal force; two guards at one instant share it."""
        key = (t, state.q.tobytes(), state.v.tobytes())
        if last["key"] != key:
            last["key"], last["force"] = key, measure(t, state, name)
        return last["force"]

    def pressing(t: float, state: FigureState) -> float:
        return float(force(t, state)[2])

    def holding(t: float, state: FigureState) -> float:
        x, y, z = force(t, state)
        return float(joint.friction * z - np.hypot(x, y))

    first = system.state
    if started and not pressing(system.t0, first) > 0:
        raise RunError(
            "the contact must press at the start", where=f"contact {name!r}",
            got=f"normal force {pressing(system.t0, first):.6g} N", allowed="above zero",
            remedy="Start slower or elsewhere, or take watch=False for surfaces that hold each other.",
        )  # fmt: skip
    guards = [Guard(f"{name} lifts off", pressing, "down", ends=True)]
    if joint.friction is not None and not joint.sliding:
        if started and not holding(system.t0, first) > 0:
            x, y, z = force(system.t0, first)
            raise RunError(
                "the contact must stick at the start",
                where=f"contact {name!r}",
                got=f"tangential {np.hypot(x, y):.6g} N, normal {z:.6g} N",
                allowed=f"tangential up to {joint.friction:g} times normal",
            )
        guards.append(Guard(f"{name} slips", holding, "down", ends=True))
    return guards
